"""The games that conformance rules look at: random games, and rollouts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.conformance import checking, kit
from dlgo.conformance.broken import Kind, RuleBroken, broken
from dlgo.jit import kernel
from dlgo.rng import below, make_rng

# Short games are played more often, until there is this number of positions, or of games.
ENOUGH_PLIES, MOST_GAMES = 400, 60


def draw_sample(
    game: GameSpec, seed: int = 0, games: int = 6, symmetric: bool = False
) -> kit.Sample:
    """Play random games: half of them with all legal actions, half with sensible actions.

    Args:
        seed: of the random games.
        games: the minimum number of games; short games are played more often.
        symmetric: see `check_game`.

    Raises:
        RuleBroken: if `new_kernel_state` and `reset` differ, no game ends, a new game is already
            over, or a legal action cannot be played.
    """
    _must_be_reset(game)
    generator = np.random.default_rng(seed)
    plies = min(kit.LONGEST_GAME, max(600, 4 * game.num_actions))
    lines: list[kit.Line] = []
    while len(lines) < games or (
        len(lines) < MOST_GAMES and sum(len(line.actions) for line in lines) < ENOUGH_PLIES
    ):
        choices = generator.integers(1 << 30, size=plies).tolist()
        line = sound_line(game, choices, sensible=len(lines) % 2 == 0)
        lines.append(line)
        if line.over and not line.actions:
            raise broken("reset", "a new game is over before the first move", line.states[0])
    if not any(line.over for line in lines):
        n = len(lines)
        text = f"none of {n} random games of {game} ended within {plies} plies"
        raise broken("end", text, kind=Kind.LENGTH)
    return kit.Sample(game, tuple(lines), seed, symmetric)


def _must_be_reset(game: GameSpec) -> None:
    """Raise RuleBroken if `new_kernel_state` does not return what `reset` sets up."""
    new = game.new_kernel_state()
    start = kit.snapshot(new)
    kernels.reset(start)
    if not game.same_position(start, new):
        pairs = zip(new._fields, new, start, strict=True)
        fields = [f"`{name}`" for name, a, b in pairs if not np.array_equal(a, b)]
        text = "new_kernel_state does not return the start position, as reset sets it up"
        text += f": {', '.join(fields)} differ in {game}"
        raise broken("reset", text, kind=Kind.NEW_STATE)


def sound_line(game: GameSpec, choices: Iterable[int], sensible: bool) -> kit.Line:
    """`play_line`, with a look at the end. Raises RuleBroken after as few moves as can be found."""
    try:
        line = kit.play_line(game, choices, sensible)
        kit.look(line.states[-1])  # a game without a result breaks many rules
    except RuleBroken as error:
        raise checking.shortest(error, _try_all) from error.__cause__
    return line


def _try_all(states: Sequence[GameState]) -> None:
    """Raise RuleBroken if a position cannot be asked about, or one of its actions not played."""
    for action in kit.look(states[0]).legal_actions:
        if not kernels.is_legal(states[0].kernel_state, action):
            text = f"legal_actions lists action {action}, is_legal forbids it"
            raise broken("legality", text, states[0])
        kit.look(kit.step(states[0], action))


def rolled(position: Any, seed: int) -> tuple[int, int]:
    """The result of a rollout, and the generator's state after it, which counts the draws."""
    rng = make_rng(seed)
    return int(kernels.rollout(position, rng)), int(rng[0])


class _Enough(BaseException):
    """A rollout has played as many actions as were asked for."""


def actions_of_rollout(
    state: GameState, seed: int, most: int = -1
) -> tuple[list[int], int | None]:
    """The first actions of a rollout, as it gives them to the game's `play`, and its result if
    there are not `most` of them.

    Without actions, the rollout is compiled, or does not call `play` by a name of its own file.
    """
    functions = kernels.functions_of(type(state.kernel_state))
    play, rollout = functions["play"], functions["rollout"]
    names = getattr(rollout, "__globals__", {})  # compiled code has none
    calls = {name: value for name, value in names.items() if value is play}
    actions: list[int] = []
    if not calls:
        return actions, None
    result = None

    def record(position: Any, action: int) -> None:
        actions.append(int(action))
        if len(actions) == most:
            raise _Enough
        play(position, action)

    names.update(dict.fromkeys(calls, record))
    try:
        result = rollout(kit.clone(state, room=kit.LONGEST_GAME), make_rng(seed))
    except _Enough:
        pass
    finally:
        names.update(calls)
    return actions, result


BAD_GAME, CHOICES = 2, 1 << 30


def choices_of(rng: np.ndarray) -> Iterator[int]:
    """The choices of `random_game`."""
    return (below(rng, CHOICES) for _ in range(kit.LONGEST_GAME))


@kernel
def random_game(
    state: Any, rng: np.ndarray, sensible: bool, actions: np.ndarray
) -> int:
    """Play to the end at random; return the result, or BAD_GAME if a kernel lists no action or
    an illegal one, or the game does not end. `play_line` with `choices_of(rng)` plays the same
    game.

    Args:
        sensible: choose among `search_actions` instead of `legal_actions`.
        actions: int64[num_actions], scratch.
    """
    for _ in range(kit.LONGEST_GAME):
        if kernels.terminal(state):
            return kernels.result(state)
        n = (kernels.search_actions(state, actions) if sensible
             else kernels.legal_actions(state, actions))
        if n < 1:
            return BAD_GAME
        action = actions[below(rng, CHOICES) % n]  # as `play_line` chooses
        if not 0 <= action < len(actions) or not kernels.is_legal(state, action):
            return BAD_GAME
        kernels.play(state, action)
    return BAD_GAME
