"""The doctor finds faults that are planted: in games, in targets, in what a network learned.

No network is trained: a table that remembers the mean of what it was shown for each position learns
from the real batches, and so shows any fault of theirs in full.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from dlgo import get_game, kernels
from dlgo.encoders import get_encoder
from dlgo.errors import DlgoError
from dlgo.symmetry import symmetries
from engines.alphazero.config import SelfPlaySettings, make_config
from engines.alphazero.doctor import check_history
from engines.alphazero.self_play import SelfPlay
from engines.learners import examine
from engines.learning.data import BatchOptions, Dataset, batches
from engines.learning.data.records import GameData
from engines.learning.data.shards import shard_path, write_shard
from engines.learning.diagnostics.findings import FINE, ILL, WATCH, Diagnosis, Finding, lines
from engines.learning.diagnostics.game_checks import check_games, exact_results
from engines.learning.diagnostics.network_checks import check_network
from engines.learning.diagnostics.page import page
from engines.learning.diagnostics.positions import Calibration, Positions, calibrate
from engines.search.leaf_evaluator import LeafEvaluator
from engines.solver.outcomes import is_mistake, outcomes_of
from tests.alphazero.test_self_play import Opinionated
from tests.conftest import one_line_error

GAME = get_game("connect4")
ENCODER = get_encoder("planes", GAME)
SETTINGS = SelfPlaySettings(sims=24, fast_sims=8, games_at_once=80, sample_plies=14,
                            random_share=0.3)


class Judge(LeafEvaluator):
    """Values a position by the game's own formula, and likes the centre."""

    def evaluate(self, leaves, n):
        policies = np.tile(np.array([1, 2, 3, 4, 3, 2, 1], np.float32), (n, 1))
        values = np.array(
            [np.tanh(kernels.evaluate(kernels.row(leaves, i)) / 200) for i in range(n)], np.float32
        )
        return policies, values


def play(agent: LeafEvaluator, n: int, **changes) -> list[GameData]:
    settings = dataclasses.replace(SETTINGS, **changes)
    selfplay = SelfPlay(GAME, agent, settings, seed=2)
    return [one for _, one in sorted(selfplay.play(range(n)))]


@pytest.fixture(scope="module")
def games() -> list[GameData]:
    return play(Judge(), 160)


class Table:
    """Policy and value of each position it was shown, on average; knows nothing of others."""

    def __init__(self) -> None:
        self._shown: dict[bytes, list] = {}

    def learn(self, planes, policies, values) -> None:
        for one, policy, value in zip(planes, policies, values, strict=True):
            entry = self._shown.setdefault(one.tobytes(), [0, np.zeros(len(policy)), 0.0])
            entry[0] += 1
            entry[1] += policy
            entry[2] += value

    def __call__(self, planes):
        logits = np.zeros((len(planes), GAME.num_actions), np.float32)
        values = np.zeros(len(planes), np.float32)
        for i, one in enumerate(planes):
            count, policy, value = self._shown.get(one.tobytes(), (0, 0, 0))
            if count:
                logits[i] = np.log(policy / count + 1e-4)
                values[i] = value / count
        return {"policy": logits, "value": values[:, None]}


def taught(folder, games, spoil=lambda *arrays: arrays) -> Table:
    """A table that has positions all full searches from both sides."""
    write_shard(shard_path(folder, 0), GAME, games, {})
    table = Table()
    data, options = Dataset.open(folder), BatchOptions(500, symmetries=True, targets="policy")
    for epoch in range(6):
        for batch in batches(data, ENCODER, options, 1, epoch):
            full = batch.policy_weights > 0
            table.learn(*spoil(batch.planes[full], batch.policies[full], batch.values[full]))
    return table


def told(games: list[GameData], evaluate=None) -> Diagnosis:
    diagnosis = Diagnosis("test")
    positions = Positions(GAME, games)
    check_games(diagnosis, positions)
    if evaluate is not None:
        check_network(diagnosis, positions, evaluate, ENCODER)
    return diagnosis


def test_nothing_is_wrong_with_a_healthy_run(games, tmp_path) -> None:
    diagnosis = told(games, taught(tmp_path, games))
    assert diagnosis.named(ILL) == []
    by_name = {one.name: one for one in diagnosis.findings}
    assert by_name["repeated games"].level != ILL
    assert {"value sign", "policy targets", "policy learned", "symmetries"} <= set(by_name)
    assert not any("\n" in line for line in lines(diagnosis))


def test_a_sign_turned_around_is_named(games, tmp_path) -> None:
    wrong = [dataclasses.replace(one, values=np.where(
        one.values == -128, one.values, -one.values).astype(np.int8)) for one in games]
    assert told(wrong).named(ILL) == ["value sign"]
    table = taught(tmp_path, games, lambda planes, policies, values: (planes, policies, -values))
    assert told(games, table).named(ILL) == ["network value"]


@pytest.mark.slow
def test_games_without_noise_and_temperature_are_named() -> None:
    same = play(Opinionated(GAME), 30, dirichlet_epsilon=0.0, sample_plies=0, random_share=0.0,
                full_share=1.0)
    assert "repeated games" in told(same).named(ILL)
    noisy = play(Opinionated(GAME), 30)
    assert "repeated games" not in told(noisy).named(ILL)


def shuffled(one: GameData, rng: np.random.Generator) -> GameData:
    """The plies' policies in another order; all of them of a full search."""
    ends = np.cumsum(one.counts)
    order = rng.permutation(len(one.counts))
    spans = [slice(ends[i] - one.counts[i], ends[i]) for i in order]
    return dataclasses.replace(
        one, counts=one.counts[order], flags=one.flags[order],
        policy_actions=np.concatenate([one.policy_actions[span] for span in spans]),
        policy_shares=np.concatenate([one.policy_shares[span] for span in spans]),
    )


def test_policies_of_other_positions_are_named(games, tmp_path) -> None:
    rng = np.random.default_rng(1)
    assert "policy targets" in told([shuffled(one, rng) for one in games]).named(ILL)
    table = taught(tmp_path, games, lambda planes, policies, values: (
        planes, rng.permutation(policies), values))
    assert "policy learned" in told(games, table).named(ILL)


@pytest.mark.parametrize("what", ["planes", "policies"])
def test_an_augmentation_of_one_half_is_named(games, tmp_path, what) -> None:
    known, rng = symmetries(GAME), np.random.default_rng(1)

    def mirror_one(planes, policies, values) -> tuple[np.ndarray, ...]:
        mirrored = rng.random(len(values)) < 0.5
        if what == "planes":
            planes[mirrored] = known.planes(1, planes[mirrored])
        else:
            policies[mirrored] = known.policy(1, policies[mirrored])
        return planes, policies, values

    assert "symmetries" in told(games, taught(tmp_path, games, mirror_one)).named(ILL)


def test_exact_results_say_how_the_search_errs(games) -> None:
    positions = Positions(GAME, games[:40])
    diagnosis = Diagnosis("test")
    diagnosis.add(exact_results(positions))
    assert diagnosis.findings[0].name == "exact results" and not diagnosis.named(ILL)
    positions.search_values *= -1
    diagnosis = Diagnosis("test")
    diagnosis.add(exact_results(positions))
    assert diagnosis.named(ILL) == ["exact results"]


def test_resignations_that_give_games_away_are_named() -> None:
    plan = make_config("connect4", resign_below=0.05)
    row = {"resigned": 0.4, "resigned_wrongly": 0.2, "divergence": 0.1, "agreed": 0.5}
    diagnosis = Diagnosis("test")
    check_history(diagnosis, plan, [row])
    assert diagnosis.named(ILL) == ["resignation"]
    assert "simulations" not in diagnosis.findings[-1].text
    diagnosis = Diagnosis("test")
    check_history(diagnosis, make_config("connect4", resign_below=0.05, finish_sims=2), [row])
    assert diagnosis.named(ILL) == ["resignation"]
    assert "set finish_sims above 2" in diagnosis.findings[-1].text
    diagnosis = Diagnosis("test")
    check_history(diagnosis, plan, [row | {"resigned_wrongly": 0.03}])
    assert diagnosis.named(ILL) == []


@pytest.mark.parametrize("results, level", [
    ([1] * 19, FINE), ([1] * 20, WATCH), ([1] * 18 + [-1] * 2, FINE), ([0] * 20, WATCH),
])
def test_results_that_are_all_alike_are_named(results: list[int], level: str, games) -> None:
    played = [dataclasses.replace(games[k], result=result) for k, result in enumerate(results)]
    diagnosis = Diagnosis("test")
    check_games(diagnosis, Positions(GAME, played))
    assert next(one.level for one in diagnosis.findings if one.name == "results") == level


def test_calibration_of_values_that_are_what_they_promise() -> None:
    """Results drawn with the expected mean: correlation and error follow from the values."""
    rng = np.random.default_rng(3)
    values = rng.uniform(-0.9, 0.9, 40_000)
    results = np.where(rng.random(40_000) < (1 + values) / 2, 1.0, -1.0)
    calibration = calibrate(values, results)
    spread = np.var(values)
    # Results have a variance of 1.
    assert calibration.correlation == pytest.approx(np.sqrt(spread), abs=0.02)
    assert calibration.error == pytest.approx(1 - spread, abs=0.02)
    assert all(abs(a - b) < 0.08 for a, b, _ in calibration.bins)
    assert calibrate(np.ones(100), np.ones(100)) == Calibration([], 0.0, 0.0, 0.0, 0)


def test_the_page_holds_words_and_plots(games) -> None:
    diagnosis = told(games)
    diagnosis.title = "<b>out</b>"
    diagnosis.findings.append(Finding("test", WATCH, "a & b"))
    diagnosis.history = [{"iteration": k, "policy_loss": 1 / k} for k in (1, 2, 3)]
    text = page(diagnosis).decode()
    assert "&lt;b&gt;out" in text and "a &amp; b" in text
    assert text.count("<svg") == 2
    assert not any(word in text for word in ("src=", "<link", "<script", "@import", "url(http"))


def test_exact_outcomes_are_those_of_the_books() -> None:
    """Tic-tac-toe is a draw by any first move; after a corner, only the centre draws."""
    game = get_game("tictactoe")
    solve = outcomes_of(game)
    start, corner = solve([[], [0]])
    assert start == dict.fromkeys(range(9), 0)
    assert {action for action, value in corner.items() if value == 0} == {4}
    assert is_mistake(corner, 1) and not is_mistake(corner, 4)
    # Connect Four: the first player wins by the centre alone; here the solver's own example.
    ended = outcomes_of(GAME)([[0, 1, 0, 1, 0, 1]])[0]
    assert ended[0] == 1 and set(ended.values()) > {1}
    assert outcomes_of(get_game("go:size=5")) is None


@pytest.mark.parametrize(("files", "message"), [
    (None, "does not exist; name the folder of a run"),
    ("", "is a file; name the folder of a run"),
    ({}, "holds no run: it has no plan.json; name the folder of a run"),
    ({"training/plan.json": "{}"}, "holds a run of `dlgo train supervised`, which plays no games"),
    ({"card.json": "{}"}, "holds a model, not a run; name the folder of a run"),
    ({"plan.json": '{"method": "alphago"}'}, "holds a run of 'alphago'; the doctor examines"),
    ({"plan.json": '{"game": "go", "depth": 3}'}, "has the setting 'depth', unknown to this"),
    ({"plan.json": "{"}, "plan.json is a damaged plan of a run"),
])
def test_what_is_no_run_is_named(
    files: dict[str, str] | str | None, message: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    if isinstance(files, str):
        folder.write_text(files)
    elif files is not None:
        folder.mkdir()
    for name, text in files.items() if isinstance(files, dict) else ():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with one_line_error(DlgoError, message):
        examine(folder)
