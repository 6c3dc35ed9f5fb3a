"""Facts about promotion by match: who wins it plays on, and a kill in between changes nothing."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from click.testing import CliRunner

from dlgo import GameState, get_game
from dlgo.errors import ModelError
from dlgo.rng import derive_seed
from engines.alphazero import train as train_module
from engines.alphazero.config import SelfPlaySettings, make_config
from engines.alphazero.doctor import check_history, examine_run
from engines.alphazero.gating import Match, play_match
from engines.base import Budget
from engines.learning.data.shards import read_shard
from engines.learning.diagnostics.findings import FINE, WATCH, Diagnosis
from engines.learning.networks.card import read_card
from engines.learning.runs.records import read_history
from engines.search import tree as ts
from engines.search.leaf_evaluator import LeafEvaluator, UniformEvaluator
from engines.search.rules import PUCT
from engines.search.searcher import Searcher
from experiments.cli.main import cli
from tests.alphazero import test_train as runs
from tests.alphazero.short_run import Listener, train
from tests.alphazero.test_self_play import GAMES, Opinionated
from tests.conftest import RUN_ALL
from tests.learning.diagnostics.test_doctor import Judge

SETTINGS = SelfPlaySettings(sims=24, games_at_once=7, sample_plies=8)


class Loser(LeafEvaluator):
    """Knows what is good, as `Judge` does, and believes the opposite."""

    def evaluate(self, leaves, n):
        policies, values = Judge().evaluate(leaves, n)
        return 1 / policies, -values


def points(
    name: str, new: LeafEvaluator, old: LeafEvaluator, n: int, **changes
) -> dict[int, float]:
    settings = dataclasses.replace(SETTINGS, **changes)
    found = dict(Match(get_game(name), [new, old], settings, seed=5).play(range(n)))
    assert sorted(found) == list(range(n))
    return found


@pytest.mark.parametrize(("name", "search"), [
    *((name, "puct") for name in GAMES if RUN_ALL or name != "draughts"), ("connect4", "gumbel"),
])
def test_a_network_scores_one_half_against_itself(name: str, search: str) -> None:
    """Games of a pair are the same game with colours changed; whoever begins does not matter."""
    game = get_game(name)
    found = points(name, Opinionated(game), Opinionated(game), 10, search=search)
    for k in range(0, 10, 2):
        assert found[k] + found[k + 1] == 1
    if name == "connect4":
        assert 0 < sum(found[k] for k in range(0, 10, 2)) < 5  # the pairs differ


def test_the_better_one_wins_with_both_colours() -> None:
    for search in ("puct", "gumbel"):
        drawn = {"search": search, "sample_plies": 2}
        bad = points("connect4", Loser(), Judge(), 40, **drawn)
        good = points("connect4", Judge(), Loser(), 40, **drawn)
        for colour in (0, 1):
            assert sum(bad[k] for k in range(colour, 40, 2)) <= 4
            assert sum(good[k] for k in range(colour, 40, 2)) >= 16


@pytest.mark.parametrize("name", GAMES)
def test_a_match_is_what_two_single_searches_play(name: str) -> None:
    """Where no move is drawn: the same trees, each grown alone, whoever's turn comes next."""
    game = get_game(name)
    agents = [Opinionated(game), UniformEvaluator(game)]
    found = points(name, *agents, 6, sample_plies=0)
    for number in range(6):
        searchers = []
        for player in (0, 1):
            searchers.append(Searcher(
                game, 20_000, False, PUCT(SETTINGS.c_puct, SETTINGS.fpu_reduction),
                agents[(player + number) % 2], batch=1,
            ))
            searchers[player].new_game(derive_seed(5, "match", number // 2, player))
        state = GameState.new_game(game)
        while not state.is_over():
            alone = searchers[state.next_player.index]
            alone.set_root(state)
            alone.simulate(Budget(sims=SETTINGS.sims))
            action = int(alone.tree.action[ts.most_visited(alone.tree, ts.ROOT)])
            state = state.apply_move(game.move_of(action))
        result = state.result() * (-1 if number % 2 else 1)
        assert found[number] == 0.5 + 0.5 * result


def test_a_match_depends_on_the_seed_and_not_on_its_neighbours() -> None:
    game = get_game("connect4")
    one = points("connect4", Opinionated(game), Judge(), 12)
    assert one == points("connect4", Opinionated(game), Judge(), 12, games_at_once=2)
    half = Match(game, [Opinionated(game), Judge()], SETTINGS, seed=5).play([4, 5, 10, 11])
    assert all(one[number] == result for number, result in half)


SHORT = runs.SETTINGS | {"iterations": 2}
PLAN = make_config("tictactoe", **SHORT)


def gated(**changes):
    return dataclasses.replace(PLAN, **{"gating_threshold": 0.5, "gating_games": 12} | changes)


def players(folder: Path) -> list[int]:
    """The round of the network that played each round's games, by what the shards log."""
    numbers = {
        read_card(one).network_id: int(one.name) for one in (folder / "nets").iterdir()
    }
    shards = [read_shard(one) for one in sorted((folder / "games").glob("games-*.npz"))]
    rounds = [numbers[one.provenance["engine"].removeprefix("self-play of ")] for one in shards]
    assert rounds[::2] == rounds[1::2]  # two workers
    return rounds[::2]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """An unbroken run with matches."""
    folder = tmp_path_factory.mktemp("gated") / "run"
    train(gated(), folder)
    return folder


def nets(folder: Path) -> list[str]:
    return [read_card(one).network_id for one in sorted((folder / "nets").iterdir())]


@pytest.mark.train
def test_who_plays_is_who_the_history_says(whole: Path) -> None:
    rows = read_history(whole, ())
    assert [row["promoted"] for row in rows] == [row["match_score"] >= 0.5 for row in rows]
    points = [24 * row["match_score"] for row in rows]  # half a point is 1
    assert points == pytest.approx([round(one) for one in points], abs=1e-3)
    expected, plays = [], 0
    for row in rows:
        expected.append(plays)
        plays = int(row["iteration"]) if row["promoted"] else plays
    assert players(whole) == expected
    told = train(gated(), whole)  # it is done
    assert told.network_id == read_card(whole / "nets" / f"{plays:04d}").network_id
    assert "promotion" in [one.name for one in examine_run(whole).findings]
    with pytest.raises(ModelError, match="gating_threshold=0.5"):
        train(PLAN, whole)


@pytest.mark.long
def test_a_kill_during_a_match_and_before_its_result_is_kept_changes_nothing(
    whole: Path, tmp_path: Path, monkeypatch
) -> None:
    folder = tmp_path / "run"
    def broken_off(*match):
        play_match(*match)
        raise runs.Killed

    with monkeypatch.context() as patch:
        patch.setattr(train_module, "play_match", broken_off)
        with pytest.raises(runs.Killed):
            train(gated(), folder)
    assert (folder / "nets/0001/card.json").exists() and not (folder / "history.csv").exists()
    # The checkpoint keeps the result: that of iteration 1 is written, that of iteration 2 is not.
    runs.dies(folder, monkeypatch, runs.run_module, "write_checkpoint", 2, gated())
    assert (folder / "nets/0002/card.json").exists() and len(read_history(folder, ())) == 1
    train(gated(), folder)
    runs.same(folder, whole, PLAN.iterations)


@pytest.mark.train
@pytest.mark.parametrize("score", [0.0, 1.0] if RUN_ALL else [0.0])
def test_who_always_loses_never_plays_and_who_always_wins_does(
    score: float, tmp_path: Path, monkeypatch
) -> None:
    lines = []
    row = {"match_score": score, "promoted": score, "match_cpu_seconds": 0.0}
    monkeypatch.setattr(train_module, "play_match", lambda *match: row)
    plan = gated(gating_threshold=0.55)
    card = train(plan, tmp_path, Listener(lines))
    assert players(tmp_path) == ([0, 1] if score else [0, 0])
    assert [row["promoted"] for row in read_history(tmp_path, ())] == [score] * 2
    assert card.name.endswith("0002" if score else "0000")
    assert sum(("promoted" if score else "rejected") in line for line in lines) == 2
    assert len(set(nets(tmp_path))) == 3  # the learner went on
    again = CliRunner().invoke(cli, [  # there is nothing left to do
        "train", "alphazero", "--game=tictactoe", f"--out={tmp_path}",
        *(f"--set={key}={value}" for key, value in {
            **SHORT, "gating_threshold": 0.55, "gating_games": 12,
        }.items()),
    ])
    assert again.exit_code == 0 and again.output.startswith(card.name), again.output


def test_the_doctor_tells_how_many_are_rejected_and_how_close_they_were() -> None:
    plan = make_config("connect4", gating_threshold=0.55, gating_games=100)
    scores = [0.53, 0.40, 0.60, 0.52, 0.51, 0.50, 0.49, 0.30]
    rows = [
        {"iteration": k, "divergence": 0.1, "agreed": 0.5, "match_score": score,
         "promoted": float(score >= 0.55)} for k, score in enumerate(scores, 1)
    ]
    found = Diagnosis("test")
    check_history(found, plan, rows)
    one = next(one for one in found.findings if one.name == "promotion")
    # One half over the root of 100 is 0.05: from 0.50 on a good one may have been unlucky.
    assert one.level == WATCH and "4 of the 7" in one.text
    assert "88% of the last 8 networks are rejected" in one.text
    found = Diagnosis("test")
    check_history(found, plan, rows[:3])
    assert next(one for one in found.findings if one.name == "promotion").level == FINE
    found = Diagnosis("test")
    check_history(found, make_config("connect4"), rows)
    assert "promotion" not in [one.name for one in found.findings]
