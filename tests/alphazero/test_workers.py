"""A worker's portion of an iteration: what it plays, and what it asks the network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, Player, get_game
from dlgo.games.draughts.board import JUMPER
from dlgo.games.draughts.endgames import EndgameTables
from engines.alphazero.config import make_config
from engines.alphazero.exact import ExactResults
from engines.alphazero.workers import Job, PlayedJob, play_job
from engines.learning.data.records import (
    EXACT,
    FULL_SEARCH,
    LABELLED,
    SHARE_SCALE,
    VALUE_SCALE,
    GameBuilder,
    GameData,
)
from engines.learning.data.shards import read_shard
from engines.learning.networks.store import find_model


def played(
    tmp_path: Path, game: str = "tictactoe", games: int = 12, **settings: object
) -> PlayedJob:
    """The portion of the first of two workers, with the network that comes with the package."""
    config = make_config(game, games=games, sims=12, runtime="onnx", seed=5, **settings)
    network = find_model(f"{game}-alphazero")
    work = play_job(Job(config, 1, 0, 0, tmp_path), network)
    try:
        while True:
            next(work)
    except StopIteration as end:
        return end.value


def test_answers_that_are_kept_change_no_game(tmp_path: Path) -> None:
    """Equal games, and a quarter of the questions or more have been asked before."""
    plain, saving, few = (played(tmp_path, cache=cache) for cache in (0, 10_000, 4))
    assert plain.digest == saving.digest == few.digest
    assert plain.stats.remembered == 0
    assert saving.stats.evaluations == plain.stats.evaluations
    assert saving.stats.remembered > 0.25 * saving.stats.evaluations
    assert 0 < few.stats.remembered < saving.stats.remembered


def perfect(state: GameState, known: dict[int, int]) -> int:
    """The result of perfect play for the player to move; `known` by Zobrist key."""
    if state.is_over():
        return 0 if state.winner() is None else -1
    key = state.key()
    if key not in known:
        best = -1
        for move in state.legal_moves():
            best = max(best, -perfect(state.apply_move(move), known))
            if best == 1:
                break
        known[key] = best
    return known[key]


@pytest.mark.parametrize("first", [28, 29])
def test_results_late_in_a_game_are_exact(tmp_path: Path, first: int) -> None:
    """The games are the same; what is learned of them is what perfect play would have made."""
    games = {}
    settings = {"random_share": 1.0, "random_plies": 38}  # with mistakes late in the games
    for exact in (0, first):
        path = tmp_path / f"games-{exact}"
        path.write_bytes(played(
            tmp_path, "connect4", games=40, exact_from=exact, **settings).shard)
        games[exact] = read_shard(path).games
    corrected, known = 0, {}
    for one, other in zip(games[first], games[0], strict=True):
        assert np.array_equal(one.actions, other.actions)
        assert np.array_equal(one.values[:first], other.values[:first])
        assert not (one.flags[:first] & EXACT).any()
        if len(one.actions) <= first:
            assert one.result == other.result
            continue
        state, results = GameState.new_game(get_game("connect4")), []
        for ply, action in enumerate(one.actions.tolist()):
            if ply >= first:
                results.append(perfect(state, known))
            if ply == first:
                sign = 1 if state.next_player is Player.black else -1
                assert one.result == sign * results[0]
            state = state.apply_move(state.game.move_of(action))
        labelled = one.flags[first:] & LABELLED > 0
        assert np.array_equal(one.flags[first:] & EXACT > 0, labelled)
        exact = VALUE_SCALE * np.array(results)[labelled]
        assert np.array_equal(one.values[first:][labelled], exact)
        corrected += one.result != other.result
    assert corrected, "choose other games: nobody has made a mistake in these"


def policy_of(game: GameData, ply: int) -> dict[int, int]:
    """Action -> share, as the game holds it."""
    first = int(game.counts[:ply].sum())
    rows = slice(first, first + int(game.counts[ply]))
    return dict(zip(game.policy_actions[rows].tolist(), game.policy_shares[rows].tolist(),
                    strict=True))


def worth_of_moves(state: GameState, known: dict[int, int]) -> dict[int, int]:
    """Action -> result of perfect play after it, for the player to move."""
    return {action: -perfect(state.apply_move(state.game.move_of(action)), known)
            for action in state.legal_actions().tolist()}


def game_with_policies(seed: int) -> GameData:
    """A random game; policies that favour any move, on half of its plies."""
    rng = np.random.default_rng(seed)
    builder = GameBuilder(get_game("connect4"))
    state = GameState.new_game(get_game("connect4"))
    while not state.is_over():
        legal = state.legal_actions()
        action = int(rng.choice(legal))
        if rng.random() < 0.5:
            some = rng.choice(legal, int(rng.integers(1, len(legal) + 1)), replace=False)
            policy = dict(zip(some.tolist(), rng.integers(1, 5, len(some)).tolist(), strict=True))
            builder.add(action, max(policy, key=policy.__getitem__), policy, 0.3,
                        full_search=bool(rng.random() < 0.5))
        else:
            builder.skip(action)
        state = state.apply_move(state.game.move_of(action))
    return builder.finish(state.result())


def test_policies_late_in_a_game_hold_no_mistake() -> None:
    """What is left of them keeps its proportions, and what comes before is as it was."""
    first, known = 29, {}
    seen = dict.fromkeys(("mistake", "favourite", "nothing left", "hopeless", "taught"), 0)
    for seed in range(150):
        other = game_with_policies(seed)
        one = ExactResults(first, moves=True).corrected(other)
        state = GameState.new_game(get_game("connect4"))
        for ply, action in enumerate(one.actions.tolist()):
            policy, before = policy_of(one, ply), policy_of(other, ply)
            flags, full = int(one.flags[ply]), other.flags[ply] & FULL_SEARCH
            if ply < first:
                assert policy == before and flags == other.flags[ply]
                assert one.chosen[ply] == other.chosen[ply]
            else:
                worth = worth_of_moves(state, known)
                best = max(worth.values())
                good = {move for move in worth if worth[move] == best}
                rest = {move: share for move, share in before.items() if move in good}
                most = max(rest.values(), default=0)
                wanted = {move: SHARE_SCALE * share / most for move, share in rest.items()}
                wanted = wanted or dict.fromkeys(good, SHARE_SCALE)
                assert policy == pytest.approx(wanted, abs=0.5)
                assert policy[int(one.chosen[ply])] == SHARE_SCALE
                if rest.get(int(other.chosen[ply])) == SHARE_SCALE:
                    assert one.chosen[ply] == other.chosen[ply]
                assert flags & LABELLED and flags & EXACT and one.values[ply] == VALUE_SCALE * best
                asks = len(good) < len(worth)
                assert bool(flags & FULL_SEARCH) == bool(asks or full)
                seen["mistake"] += 0 < len(rest) < len(before)
                seen["favourite"] += 0 < most < SHARE_SCALE
                seen["nothing left"] += not rest and bool(before)
                seen["hopeless"] += not asks
                seen["taught"] += asks and not full
            state = state.apply_move(state.game.move_of(action))
    assert min(seen.values()) > 0, f"choose other games: {seen}"


def test_with_endgame_tables_a_game_ends_where_they_know_it(tmp_path: Path) -> None:
    """No later and no sooner, with their result, which the game's own rules may not know yet."""
    path = tmp_path / "games"
    settings = {"resign_below": 0.0, "fast_sims": 4, "random_share": 1.0, "random_plies": 80}
    path.write_bytes(played(tmp_path, "draughts", games=30, tables=4, **settings).shard)
    games = read_shard(path).games
    tables, adjudicated = EndgameTables.get(4), 0
    for one in games:
        state = GameState.new_game(get_game("draughts"))
        for action in one.actions.tolist():
            assert tables.score(state) is None or state.kernel_state.words[JUMPER]
            state = state.apply_move(state.game.move_of(action))
        if state.is_over():
            assert one.result == state.result()
            continue
        score = tables.score(state)
        assert one.result == (score.result if state.next_player is Player.black else -score.result)
        adjudicated += 1
    assert len(games) == 15 and adjudicated > 3
