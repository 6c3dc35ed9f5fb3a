"""Facts about plans: who meets whom, when a target ends a tournament, what a plan file means."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from collections import Counter
from dataclasses import dataclass

import pytest

from dlgo import SpecError
from dlgo.records.ledger import GameRecord
from dlgo.specs import split_version
from experiments.arena.agenda import Agenda
from experiments.arena.plan_keys import Limits
from experiments.arena.planfile import read_plan
from experiments.arena.referee import GameTask
from experiments.arena.schedule import Plan, tasks
from experiments.arena.strategy import Result, UntilRated

ENTRANTS = tuple(f"dawdler:ms={ms}" for ms in (1, 2, 3, 4))


def met(plan: Plan) -> Counter[frozenset[str]]:
    """How often each two play."""
    return Counter(frozenset(task.players) for task in tasks(plan))


# --- kinds ---------------------------------------------------------------------------------


FIELD = ("dawdler:ms=1", "dawdler:ms=2", "dawdler:ms=4")


@pytest.mark.parametrize(("change", "matches"), [
    ({"kind": "gauntlet", "challengers": ("random", ENTRANTS[2])},
     itertools.product(("random", "dawdler:ms=3"), FIELD)),
    ({"pairings": (ENTRANTS[:2], ENTRANTS[1:3])}, (ENTRANTS[:2], ENTRANTS[1:3])),
    ({"kind": "ladder"}, itertools.pairwise(ENTRANTS)),
    ({"kind": "round-robin"}, itertools.combinations(ENTRANTS, 2)),
])
def test_who_meets_whom(change: dict, matches) -> None:
    plan = dataclasses.replace(Plan(("tictactoe",), ENTRANTS, 2), **change)
    assert met(plan) == dict.fromkeys(map(frozenset, matches), 4)


def test_in_a_mirror_each_entrant_meets_itself_once_an_opening() -> None:
    plan = Plan(("tictactoe",), ENTRANTS[:2], 3, kind="mirror")
    assert met(plan) == {frozenset([name]): 3 for name in plan.canonical().entrants}
    assert len({task.slot for task in tasks(plan)}) == 6
    agenda = Agenda(plan.canonical(), {tasks(plan)[0].slot: None}, Limits())
    assert (agenda.planned, agenda.stored) == (6, 1)
    assert agenda.take(100) == tasks(plan)[1:]


def test_all_kinds_share_the_games_they_have_in_common() -> None:
    """So a ladder can become a round robin in the same ledger, and nothing is played again."""
    everybody = {task.slot: task for task in tasks(Plan(("tictactoe",), ENTRANTS, 2))}
    for change in (
        {"kind": "ladder"}, {"kind": "gauntlet", "challengers": ENTRANTS[:1]},
        {"kind": "match", "entrants": ENTRANTS[:2]},
    ):
        some = tasks(dataclasses.replace(Plan(("tictactoe",), ENTRANTS, 2), **change))
        assert some
        for task in some:
            # Who is named first may differ; the slots, openings and seeds do not.
            assert everybody[task.slot] == task


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"entrants": ("random",)}, "two engines"),
        ({"entrants": ("mcts:sims=9", "random", "mcts:sims=9")}, "mcts:sims=9 is named twice"),
        ({"entrants": ("random", "radnom")}, "did you mean random"),
        ({"games": ()}, "no game given"),
        ({"games": ("go9", "go:size=9")}, "go:size=9 is named twice"),
        ({"pairs": 0}, "pairs=0"),
        ({"opening_plies": -1}, "opening_plies=-1"),
        ({"opening_plies": 9}, "opening_plies=9 is too long for tictactoe"),
        ({"kind": "cup"}, "kind='cup' is not one of round-robin, gauntlet"),
        ({"kind": "match"}, "a match needs two engines, not 4"),
        ({"kind": "gauntlet"}, "a gauntlet needs challengers"),
        ({"kind": "gauntlet", "challengers": ENTRANTS}, "and other engines"),
        ({"challengers": ENTRANTS[:1]}, "challengers need kind gauntlet, not round-robin"),
        ({"target_elo": 0.0}, "target_elo=0 is out of range"),
        ({"kind": "mirror", "target_elo": 50.0}, "which compares no entrants"),
        ({"target_elo": 50.0, "max_pairs": 1}, "max_pairs=1 is less than pairs=2"),
        ({"sprt": (0.0, 10.0)}, "sprt needs kind match, not round-robin"),
    ],
)
def test_an_impossible_plan_is_refused(change: dict, message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        tasks(dataclasses.replace(Plan(("tictactoe",), ENTRANTS, 2), **change))
    assert "\n" not in str(caught.value)


# --- targets -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Guess:
    """A stand-in for a rating: the interval is that of the mean of its games."""

    entrant: str
    value: float
    low95: float
    high95: float
    note: str = ""


class Guesses:
    """Ratings by the score alone."""

    def __init__(self, first, second, result, hopeless=()) -> None:
        points: dict[str, list[float]] = {}
        for one, other, score in zip(first, second, result, strict=True):
            points.setdefault(one, []).append(score)
            points.setdefault(other, []).append(1 - score)
        self.ratings = tuple(
            Guess(
                name, 800 * (sum(scores) / len(scores) - 0.5), *(
                    800 * (sum(scores) / len(scores) - 0.5) + sign * (
                        700 / math.sqrt(len(scores))
                    ) for sign in (-1, 1)
                ), "won every game" if name in hopeless else "",
            )
            for name, scores in points.items()
        )


def record_of(task: GameTask, result: float) -> GameRecord:
    return GameRecord(
        task.slot, task.game, task.first, task.second, task.pair, "", task.seed, result, "won",
        task.slot, "", "", "", "",
    )


def simulate(plan: Plan, rate=Guesses, found=None, order: int = 0) -> tuple[Agenda, list[str]]:
    """Play by dice; the results depend on the games, the order in which they end on `order`."""
    plan = plan.canonical()
    agenda = Agenda(plan, dict(found or {}), Limits(), strategy=UntilRated(plan, rate))
    shuffler, playing, slots = random.Random(order), [], []
    while True:
        playing += agenda.take(3)
        if not playing:
            return agenda, slots
        task = playing.pop(shuffler.randrange(len(playing)))
        slots.append(task.slot)
        result = random.Random(task.slot).choice((0.0, 0.5, 1.0))
        agenda.finished([record_of(task, result)])


TARGET = Plan(("tictactoe",), ENTRANTS, 4, target_elo=100.0)


def test_a_target_is_played_for_and_not_much_longer() -> None:
    """700 / sqrt(n) on either side is 100 wide at n = 196 games of each entrant."""
    agenda, slots = simulate(TARGET)
    games = Counter(name for slot in slots for name in slot.split("|")[1:3])
    assert set(games) == set(ENTRANTS)
    # Steps of a tenth, decided one step ahead.
    assert all(196 <= number <= 196 * 1.1**3 + 12 for number in games.values())
    assert len(set(slots)) == len(slots) == agenda.planned
    assert "the target is reached" in agenda.strategy.verdict


def test_the_order_in_which_games_end_changes_nothing() -> None:
    one, other = (set(simulate(TARGET, order=order)[1]) for order in (1, 2))
    assert one == other


def test_a_target_is_played_for_again_from_where_it_was() -> None:
    _, slots = simulate(TARGET)
    found = {}
    for slot in slots[: len(slots) // 2]:
        game, first, second, pair = slot.split("|")
        result = random.Random(slot).choice((0.0, 0.5, 1.0))
        found[slot] = Result(game, first, second, int(pair), slot, result)
    agenda, rest = simulate(TARGET, found=found)
    assert set(rest) == set(slots) - set(found)
    assert agenda.stored == len(found)


def test_max_pairs_is_the_end() -> None:
    agenda, slots = simulate(dataclasses.replace(TARGET, target_elo=1.0, max_pairs=20))
    assert len(slots) == 6 * 20 * 2
    assert "max_pairs=20 is reached" in agenda.strategy.verdict


# --- plan files ----------------------------------------------------------------------------


def test_lists_in_a_plan_file_stand_for_all_their_values(tmp_path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text("""
        kind = "gauntlet"
        games = [{name = "go", size = [5, 7], komi = [0.5, 6.5]}, "tictactoe"]
        challengers = [{name = "mcts", sims = [10, 100], reuse = false}]
        engines = ["random", {name = "alphabeta", depth = [1, 2]}]
        pairs = 3
        memory_mb = 512
        move_timeout = 2.5
    """)
    plan, limits = read_plan(path, {"pairs": 4, "seed": None})
    assert plan.games == (
        "go:size=5,komi=0.5", "go:size=5,komi=6.5", "go:size=7,komi=0.5", "go:size=7,komi=6.5",
        "tictactoe",
    )
    assert plan.challengers == ("mcts:sims=10,reuse=false", "mcts:sims=100,reuse=false")
    assert plan.entrants == (*plan.challengers, "random", "alphabeta:depth=1", "alphabeta:depth=2")
    assert (plan.pairs, plan.seed) == (4, 1)
    assert limits == Limits(move_timeout=2.5, memory_mb=512)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("engines = [{sims = 10}]", "has no name"),
        ('engines = [{name = "mcts", sims = []}]', "an empty list"),
        ('engines = [{name = "mcts", sims = {a = 1}}]', "is not a text, a number"),
        ("engines = [3]", "is not a list of texts or tables"),
        ("target_elo = true", "target_elo='True' is not a number"),
        ("sprt = [0]", "is not a list of two numbers"),
        ("pairs = 2.5", "pairs='2.5' is not a whole number"),
        ("goal = 50", "has no key 'goal'; it has games"),
        ("max_pair = 50", "did you mean max_pairs"),
        ("memory_mb = 1", "memory_mb=1 is out of range"),
        ('kind = ["ladder"]', "is not one of"),
    ],
)
def test_a_wrong_plan_file_is_one_line(tmp_path, line: str, message: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(line)
    with pytest.raises(SpecError, match=message) as caught:
        engines = None if "engines" in line else ["random", "mcts"]
        read_plan(path, {"games": ["tictactoe"], "engines": engines})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "options", "message"),
    [
        ("", {"pairs": 3, "max_pairs": 1}, "max_pairs=1 needs target_elo or sprt"),
        ("max_pairs = 1", {}, "max_pairs=1 needs target_elo or sprt"),
        ("sprt = [0, 20]", {"pairs": 5, "max_pairs": 3}, "pairs=5 has no effect with sprt"),
        ("pairs = 5", {"sprt": (0.0, 20.0)}, "pairs=5 has no effect with sprt"),
        ("target_elo = 50", {"alpha": 0.01}, "alpha=0.01 needs sprt"),
        ("", {"beta": 0.05}, "beta=0.05 needs sprt"),
        ('elo_model = "normalized"', {}, "elo_model=normalized needs sprt"),
        ("pairs = 5", {"target_elo": 50.0, "max_pairs": 7}, ""),
        ("sprt = [0, 20]\nalpha = 0.01", {"beta": 0.1, "max_pairs": 7}, ""),
    ],
)
def test_a_key_without_effect_is_refused(tmp_path, line: str, options: dict, message: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(f'kind = "match"\n{line}\n')
    options = {"games": ["tictactoe"], "engines": ["random", "mcts"], **options}
    if not message:
        plan, _ = read_plan(path, options)
        assert plan.max_pairs == 7
        return
    with pytest.raises(SpecError, match=message) as caught:
        read_plan(path, options)
    assert "\n" not in str(caught.value)


def test_a_relative_path_begins_at_the_plan_or_else_at_the_working_folder(tmp_path, monkeypatch):
    bot = "def select_move(state): return state.legal_moves()[0]\n"
    (tmp_path / "class").mkdir()
    for path in ("class/here.py", "class/both.py", "both.py", "there.py"):
        (tmp_path / path).write_text(bot)
    plan = tmp_path / "class/plan.toml"
    names = ["here.py", "both.py:select_move", "there.py"]
    plan.write_text(f'games = ["tictactoe"]\nengines = {[*names, "random"]}\n')
    monkeypatch.chdir(tmp_path)
    entrants = [split_version(entrant)[0] for entrant in read_plan(plan, {})[0].entrants]
    assert entrants == ["class/here.py:select_move", "class/both.py:select_move",
                        "there.py:select_move", "random"]
    plan.write_text('games = ["tictactoe"]\nengines = ["no.py:Bot", "random"]\n')
    with pytest.raises(SpecError, match="no.py") as caught:
        read_plan(plan, {})
    assert str(tmp_path / "class") in str(caught.value)
    assert str(caught.value).endswith(f"working folder, {tmp_path}")
