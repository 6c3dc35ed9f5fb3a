"""Gumbel AlphaZero of mctx 0.0.71 with the boards of pgx 2.6.0, on Connect Four, for a budget of
CPU time; and its network as a player.

    python tests/studies/peers/mctx_alphazero.py FOLDER 12 30 60 120             # CPU minutes
    python -m experiments.measures.connect4 --engine \\
        "tests/studies/peers/mctx_alphazero.py:Player:folder=FOLDER/60,sims=32"

Games and learning follow the AlphaZero example of pgx: 32 simulations, values without
bootstrapping, Adam with a rate of 0.001. Its residual network of 128 channels is meant for a GPU;
here two layers of 128 units, as in our own ladder, and batches for two cores. A killed run
continues from the last kept state.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

# Several threads take more CPU time: a quarter more for a position of self-play.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import flax.linen as nn
import jax
import jax.numpy as jnp
import mctx
import optax
import pgx
from flax import serialization
from pgx.experimental import auto_reset

SETTINGS = {"units": 128, "games_at_once": 256, "plies": 64, "sims": 32, "batch": 1024,
            "learning_rate": 0.001}
ENV = pgx.make("connect_four")
STATE = "state.msgpack"


class Network(nn.Module):
    """Two layers, a policy and a value."""

    @nn.compact
    def __call__(self, boards: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = boards.reshape(len(boards), -1).astype(jnp.float32)
        for _ in range(2):
            x = nn.relu(nn.Dense(SETTINGS["units"])(x))
        return nn.Dense(ENV.num_actions)(x), jnp.tanh(nn.Dense(1)(x))[:, 0]


def masked(logits: jax.Array, state: pgx.State) -> jax.Array:
    return jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)


def search(weights: Any, key: jax.Array, state: pgx.State, sims: int, scale: float) -> Any:
    """Gumbel search from a batch of positions."""

    def step(weights: Any, key: jax.Array, action: jax.Array, state: pgx.State) -> tuple[Any, Any]:
        mover = state.current_player
        state = jax.vmap(ENV.step)(state, action)
        logits, value = Network().apply(weights, state.observation)
        over = state.terminated
        return mctx.RecurrentFnOutput(
            reward=state.rewards[jnp.arange(len(mover)), mover],
            discount=jnp.where(over, 0.0, -1.0), prior_logits=masked(logits, state),
            value=jnp.where(over, 0.0, value)), state

    logits, value = Network().apply(weights, state.observation)
    root = mctx.RootFnOutput(prior_logits=masked(logits, state), value=value, embedding=state)
    return mctx.gumbel_muzero_policy(
        weights, key, root, step, sims, invalid_actions=~state.legal_action_mask,
        qtransform=mctx.qtransform_completed_by_mix_value, gumbel_scale=scale)


@jax.jit
def play(weights: Any, key: jax.Array) -> tuple[jax.Array, ...]:
    """Positions of self-play with the policies of the search, results, and whether these are
    known."""
    start, key = jax.random.split(key)
    states = jax.vmap(ENV.init)(jax.random.split(start, SETTINGS["games_at_once"]))

    def move(states: pgx.State, key: jax.Array) -> tuple[pgx.State, tuple[jax.Array, ...]]:
        found = search(weights, key, states, SETTINGS["sims"], 1.0)
        keys = jax.random.split(key, len(found.action))
        after = jax.vmap(auto_reset(ENV.step, ENV.init))(states, found.action, keys)
        reward = after.rewards[jnp.arange(len(keys)), states.current_player]
        return after, (states.observation, found.action_weights, reward, after.terminated)

    _, (boards, policies, rewards, over) = jax.lax.scan(
        move, states, jax.random.split(key, SETTINGS["plies"]))

    def back(carry: tuple[jax.Array, jax.Array], row: tuple[jax.Array, jax.Array]) -> Any:
        result, known = carry
        reward, over = row
        result, known = jnp.where(over, reward, -result), known | over
        return (result, known), (result, known)

    nothing = jnp.zeros(SETTINGS["games_at_once"])
    _, (results, known) = jax.lax.scan(back, (nothing, nothing > 0), (rewards, over), reverse=True)
    return tuple(
        array.reshape(-1, *array.shape[2:]) for array in (boards, policies, results, known))


OPTIMIZER = optax.adam(SETTINGS["learning_rate"])


@jax.jit
def learn(weights: Any, moments: Any, batch: tuple[jax.Array, ...]) -> tuple[Any, Any]:
    boards, policies, results, known = batch

    def loss(weights: Any) -> jax.Array:
        logits, values = Network().apply(weights, boards)
        wrong = optax.softmax_cross_entropy(logits, policies).mean()
        return wrong + (optax.l2_loss(values, results) * known).mean()

    updates, moments = OPTIMIZER.update(jax.grad(loss)(weights), moments)
    return optax.apply_updates(weights, updates), moments


def train(folder: Path, budgets: list[float]) -> None:
    """Play and learn; keep the state at each number of CPU minutes of this process."""
    print(SETTINGS, flush=True)
    state = first_state()
    spent = max((minutes for minutes in budgets if (folder / f"{minutes:g}").exists()), default=0)
    if spent:
        state = load(folder / f"{spent:g}")
    for minutes in (minutes for minutes in budgets if minutes > spent):
        while 60 * spent + time.process_time() < 60 * minutes:
            key, games, order = jax.random.split(state["key"], 3)
            samples = play(state["weights"], games)
            rows = jax.random.permutation(order, len(samples[0])).reshape(-1, SETTINGS["batch"])
            weights, moments = state["weights"], state["moments"]
            for batch in rows:
                weights, moments = learn(
                    weights, moments, tuple(array[batch] for array in samples))
            state = {"weights": weights, "moments": moments, "key": key,
                     "positions": state["positions"] + len(samples[0])}
            print(f"{state['positions']:,} positions, {time.process_time():.0f} CPU seconds "
                  "since the start", flush=True)
        (folder / f"{minutes:g}").mkdir(parents=True, exist_ok=True)
        (folder / f"{minutes:g}" / STATE).write_bytes(serialization.to_bytes(state))


def first_state() -> dict[str, Any]:
    """Random weights, and what a training begins with."""
    key = jax.random.PRNGKey(1)
    weights = Network().init(key, ENV.init(key).observation[None])
    return {"weights": weights, "moments": OPTIMIZER.init(weights), "key": key, "positions": 0}


def load(folder: Path) -> dict[str, Any]:
    """A kept state."""
    return serialization.from_bytes(first_state(), (folder / STATE).read_bytes())


class Player:
    """The network of a run with mctx's search, without Gumbel noise."""

    def __init__(self, folder: str, sims: int = 32) -> None:
        key = jax.random.PRNGKey(1)
        self._weights, self._start = load(Path(folder))["weights"], ENV.init(key)
        self._search = jax.jit(lambda weights, state: search(weights, key, state, sims, 0.0).action)
        self._step = jax.jit(ENV.step)
        self._answer(self._step(self._start, 3))  # compiles

    def new_game(self, seed: int) -> None:
        pass

    def select_move(self, state) -> str:
        position = self._start
        for move in state.moves():
            position = self._step(position, move.place - 1)
        return str(self._answer(position) + 1)

    def _answer(self, position: pgx.State) -> int:
        batch = jax.tree.map(lambda array: array[None], position)
        return int(self._search(self._weights, batch)[0])


if __name__ == "__main__":
    train(Path(sys.argv[1]), [float(text) for text in sys.argv[2:]])
