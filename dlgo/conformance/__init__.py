"""The conformance kit: every rule of the protocol that a check can see a game break.

    from dlgo.conformance import check_game
    check_game(MyGame())

plays random games of the game and raises `RuleBroken` with the first rule that the game breaks, in
words, and the moves that lead there:

    turn: to_move is 2, neither 0 nor 1 (tictactoe, after A1 B2)

A rule is a function that inspects a `Sample` (random games, or any others) and yields faults, each
with the state in which it appears. Nothing here depends on a particular game: you can check your
own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from dlgo.api import GameSpec
from dlgo.conformance import checking, keys, kit, memory, networks, rules, searching
from dlgo.conformance.broken import Kind, RuleBroken
from dlgo.conformance.kit import Line, Rule, Sample, play_line
from dlgo.conformance.playing import draw_sample

__all__ = [
    "RULES", "Kind", "Line", "RuleBroken", "Sample", "check_game", "check_sample", "draw_sample",
    "play_line",
]

# CPU seconds of one rule, without compiling, before it counts as an endless loop; in the largest
# games here, 46,656 actions, no rule takes 20. Fewer for the first one that plays games to the end.
SECONDS = 60.0
SECONDS_OF_RULE = {"rollout seeds": 20.0}


# Basic rules first: a game that breaks one of these also breaks others.
RULES: dict[str, Rule] = kit.rules_by_name(
    searching.rollout_seeds, memory.queries, memory.copies, memory.bounds, rules.spec, rules.turn,
    rules.legality, rules.many_games, rules.forced, memory.reset, rules.moves, rules.notation,
    rules.result, rules.end, rules.render, keys.keys, rules.perft, searching.rollout,
    searching.rollout_choices, searching.rollout_chances, searching.heavy_rollout, searching.hints,
    searching.move_features, searching.evaluate, searching.side_of_evaluate, rules.pieces,
    rules.colours, networks.planes, networks.all_is_seen, networks.images, keys.fresh_process,
)


def check_game(
    game: GameSpec, seed: int = 0, skip: Collection[str] = (), games: int = 6,
    symmetric: bool = False, against_plain: bool = False, seconds: float = SECONDS,
    on_progress: Callable[[str], None] = lambda name: None,
) -> Sample:
    """Check a game against every rule of the protocol; return the sample, for your own checks.

    Args:
        seed: of the random games.
        skip: names of `RULES` to leave out; ValueError for another name.
        games: minimum number of random games.
        symmetric: whether `search_actions` and `evaluate` also have the symmetries of
            `symmetry_names`.
        against_plain: compare with plain Python in the other process, not with compiled code.
        seconds: of CPU time for one rule, without compiling.
        on_progress: called with the name of each rule before it is checked.

    Raises:
        RuleBroken: for the first rule that the game breaks.
    """
    on_progress("random games")
    sample = checking.in_time("end", f"a random game of {game}",
                              lambda: draw_sample(game, seed, games, symmetric), seconds)
    sample = replace(sample, against_plain=against_plain)
    check_sample(sample, skip, seconds, on_progress)
    return sample


def check_sample(
    sample: Sample, skip: Collection[str] = (), seconds: float = SECONDS,
    on_progress: Callable[[str], None] = lambda name: None,
) -> None:
    """Check the games of a sample against every rule; see `check_game`."""
    if unknown := set(skip) - set(RULES):
        raise ValueError(f"no such rules: {sorted(unknown)}; rules are {', '.join(RULES)}")
    for name, rule in RULES.items():
        if name not in skip:
            on_progress(name)
            limit = min(seconds, SECONDS_OF_RULE.get(name, seconds))
            checking.check_rule(name, rule, sample, f"the check of {sample.game}", limit)
