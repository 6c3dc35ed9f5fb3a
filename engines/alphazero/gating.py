"""Gating: a match that decides whether a new network plays the next self-play games (promotion).

In AlphaGo Zero (Silver et al. 2017) a new network had to score 55% in a match against the current
one; AlphaZero used no match.

Games come in pairs with colours swapped. Both games of a pair draw the same random numbers for the
same colour, so a network scores exactly one half against itself. Matches are short and write no
files; an interrupted match is played again.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.games import get_game
from dlgo.rng import derive_seed
from engines.alphazero.config import AlphaZeroConfig, SelfPlaySettings
from engines.alphazero.self_play import new_search
from engines.alphazero.tasks import CACHE, Tell
from engines.jobs import Amount, Executor, Task
from engines.learning.data.records import NO_RESULT
from engines.learning.networks.leaf_evaluator import load_leaf_evaluator
from engines.learning.selfplay.drawing import Sampling, draw
from engines.learning.selfplay.lockstep import LockstepGames
from engines.search import tree as ts
from engines.search.gumbel import Gumbel, best_child
from engines.search.leaf_evaluator import LeafEvaluator

# Moves are drawn by the square of their visits: games differ, and moves with few visits, which
# would add noise to the match, are rare.
_TEMPERATURE = 0.5


@dataclass
class _Slot:
    number: int
    rngs: list[np.ndarray]  # of each network's search
    plies: int = 0


class Match(LockstepGames):
    """Games of a new network against the current one: full searches in new trees, without noise.

    In the first `sample_plies` plies moves are drawn (with Gumbel, at the root). `play` yields
    (number, points) with the points of the new network, the first of `evaluators`: 1 for a win, 0.5
    for a draw or a game that is too long. In even games it is player 0. Game k depends on the
    seed, on k and on both networks (and on rounding).
    """

    def __init__(
        self, game: GameSpec, evaluators: Sequence[LeafEvaluator], settings: SelfPlaySettings,
        seed: int,
    ) -> None:
        rule = settings.rule()
        self._gumbel = rule if isinstance(rule, Gumbel) else None
        self._settings, self._seed = settings, seed
        self._sampling = Sampling(settings.sample_plies, _TEMPERATURE)
        self._policy = np.empty(game.num_actions)
        super().__init__(game, [
            new_search(game, settings, settings.games_at_once, evaluator)
            for evaluator in evaluators
        ])

    def start_game(self, i: int, number: int) -> _Slot:
        return _Slot(number, [
            search.seed(i, derive_seed(self._seed, "match", number // 2, (network + number) % 2))
            for network, search in enumerate(self._searches)
        ])

    def start_turn(self, i: int, slot: _Slot, action: int) -> None:
        search = self._searches[self._to_move(i, slot)]
        sampled = self._gumbel is not None and self._sampling.applies(slot.plies)
        search.set_root(i)
        search.start(i, self._settings.sims, float(sampled), self._settings.dirichlet_alpha_total)

    def choose(self, i: int, slot: _Slot) -> int:
        network = self._to_move(i, slot)
        tree = self._searches[network].tree(i)
        if self._gumbel is not None:
            return int(tree.action[best_child(self._gumbel, tree)])
        if self._sampling.applies(slot.plies):
            ts.root_policy(tree, self._policy)
            return draw(self._policy, _TEMPERATURE, slot.rngs[network])
        return int(tree.action[ts.most_visited(tree, ts.ROOT)])

    def finish(self, slot: _Slot, result: int) -> float:
        if result == NO_RESULT:
            return 0.5
        return 0.5 + 0.5 * result * (1 - 2 * (slot.number % 2))

    def _to_move(self, i: int, slot: _Slot) -> int:
        """The network to move: 0 the new one, 1 the old one."""
        state = kernels.row(self._searches[0].roots, i)
        return int(kernels.to_move(state) + slot.number) % 2


def match_numbers(config: AlphaZeroConfig, worker: int) -> list[int]:
    """The games of a match that a worker plays; always both games of a pair."""
    return [number for number in range(config.gating_games)
            if number // 2 % config.shares == worker]


def play_match_share(
    config: AlphaZeroConfig, iteration: int, worker: int, *networks: Path
) -> Generator[Amount, None, tuple[float, float]]:
    """Play a worker's games of the match; returns (points of the new network, CPU seconds)."""
    cpu, numbers = time.process_time(), match_numbers(config, worker)
    settings = replace(
        config.selfplay, games_at_once=min(config.selfplay.games_at_once, len(numbers)))
    game = get_game(config.game)
    evaluators = [load_leaf_evaluator(str(network), game, config.runtime, cache=CACHE)
                  for network in networks]
    match = Match(
        game, evaluators, settings, derive_seed(config.seed, "match", iteration),
    )
    points = 0.0
    for _, won in match.play(numbers):
        points += won
        yield Amount(1)
    return points, time.process_time() - cpu


def play_match(
    jobs: Executor, config: AlphaZeroConfig, iteration: int, networks: Sequence[Path],
    tell: Tell = lambda done, of: None,
) -> dict[str, float]:
    """Play the match of an iteration; returns columns of the history. `networks` are the folders of
    the new network and of the current one."""
    tasks = [
        Task(f"match {iteration}-{worker}", play_match_share, (config, iteration, worker),
                tuple(networks))
        for worker in range(config.shares) if match_numbers(config, worker)
    ]
    points = seconds = 0.0
    with closing(
        jobs.run(tasks, lambda done: tell(done.items, config.gating_games))
    ) as outcomes:
        for outcome in outcomes:
            points += outcome.value[0]
            seconds += outcome.value[1]
    score = points / config.gating_games
    return {"match_score": score, "promoted": float(score >= config.gating_threshold),
            "match_cpu_seconds": seconds}
