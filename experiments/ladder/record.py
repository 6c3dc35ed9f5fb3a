"""A rating as a record that others can verify: a ledger with its games, and what is claimed.

Nothing in a record is believed. `verified` checks that the claim names a scale of this version;
that the games are those that the rule of opponents asks for, no more and no fewer, from the
openings and with the seeds of the plan; that each follows the rules; that the rating follows from
them. Last, the anchors play again: in the positions of the record, from the seed of each game, they
must choose the moves of the record. So must the engine, if it belongs to dlgo and its budget is not
a time. Any other engine plays again if its file is there; its moves may differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.files import check_apart
from dlgo.games import get_game
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger
from dlgo.rng import derive_seed
from dlgo.text import number_of
from engines.base import Engine
from engines.programs.program import ProgramError
from experiments.arena.agenda import Agenda, result_of
from experiments.arena.engine_cache import EngineCache
from experiments.arena.entrants import Entrant
from experiments.arena.inspect_ledger import problem_of
from experiments.arena.plan_keys import DEFAULT_LIMITS
from experiments.arena.referee import SIDES, GameTask
from experiments.arena.strategy import Result
from experiments.ladder.rating import NearestAnchors, RatingRun, ScaleRating
from experiments.ladder.scales import all_scales

_CLAIM = "ladder"


class Refused(DlgoError):
    """A record does not hold what it claims."""


def write_record(path: Path, rating: ScaleRating, records: list[GameRecord], ledger: Path) -> Path:
    """Write a record of the games in `ledger`. Raises DlgoError if the file exists."""
    check_apart(path, ledger)
    if path.exists():
        raise DlgoError(f"record {path} exists; name another file")
    run = rating.run
    with Ledger(path) as record:
        record.add(*records)
        record.set_meta(_CLAIM, {
            "scale": run.scale.name, "digest": run.scale.digest, "engine": run.engine,
            "label": run.label, "within": run.within, "seed": run.seed,
            "max_pairs": run.max_pairs, "rating": [round(x, 1) for x in _estimate(rating)],
            "citation": rating.citation,
        })
    return path


def _estimate(rating: ScaleRating) -> tuple[float, float, float]:
    return rating.estimate.value, rating.estimate.low95, rating.estimate.high95


def verified(
    path: Path, most: int | None, progress: Callable[[int, int], None] = lambda done, planned: None
) -> Iterator[str]:
    """What was checked, a line each. Raises Refused for a record that does not hold, DlgoError if
    it cannot be read or needs what is not here.

    Args:
        most: the number of games that are played again, spread over the record; None: all.
    """
    with Ledger(path, read_only=True) as ledger:
        ledger.verify()
        claim, records = ledger.get_meta(_CLAIM), list(ledger.games())
    if claim is None:
        raise DlgoError(f"{path} is a ledger, but no record; `dlgo ladder --submit` writes one")
    run = _run(path, claim)
    tasks = _planned(run, records)
    yield f"{number_of(len(records), 'game')}: those that the scale {run.scale.name} asks for"
    for record in records:
        if problem := problem_of(record):
            raise Refused(f"game {record.slot}: {problem}")
    yield "moves and results: by the rules"
    rating = ScaleRating.of(run, records)
    if [round(x, 1) for x in _estimate(rating)] != claim["rating"]:
        raise Refused(f"the games give {rating.estimate.value:.1f} Elo, the record claims "
                      f"{claim['rating'][0]}")
    yield f"rating: {rating.citation}"
    step = max(1, len(records) // most) if most else 1
    yield from _replayed(run, [(record, tasks[record.slot]) for record in records[::step]],
                         progress)


def _run(path: Path, claim: dict[str, Any]) -> RatingRun:
    """What the record says was played. Raises DlgoError if its scale is not here."""
    try:
        scale = all_scales().get(claim["scale"])
        if scale is None or scale.digest != claim["digest"]:
            raise DlgoError(f"{path}: this version of dlgo has no scale {claim['scale']} with the "
                            f"digest {claim['digest'][:8]}; verify it with the version that has")
        return RatingRun(scale, str(claim["engine"]), str(claim["label"]), float(claim["within"]),
                     int(claim["seed"]), int(claim["max_pairs"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Refused(f"its claim is damaged: {error!r}") from error


def _planned(run: RatingRun, records: list[GameRecord]) -> dict[str, GameTask]:
    """The games that the run asks for, by slot. Raises Refused if they are not the record's."""
    strategy = NearestAnchors(run)
    results: dict[str, Result | None] = {record.slot: result_of(record) for record in records}
    agenda = Agenda(run.plan, results, DEFAULT_LIMITS, strategy=strategy)
    if missing := agenda.take(1):
        raise Refused(f"game {missing[0].slot} is missing: the rule asks for it")
    tasks = {task.slot: task for step in strategy.steps for pair in step
             for task in strategy.openings.tasks(pair)}
    for record in records:
        if record.slot not in tasks:
            raise Refused(f"game {record.slot} was not asked for by the rule")
        task = tasks[record.slot]
        game = get_game(task.game)
        opening = " ".join(game.move_text(game.move_of(action)) for action in task.opening)
        if (record.seed, record.opening) != (task.seed, opening):
            raise Refused(f"game {record.slot} has another seed or opening than its plan")
    return tasks


def _replayed(
    run: RatingRun, games: list[tuple[GameRecord, GameTask]], progress: Callable[[int, int], None]
) -> Iterator[str]:
    """The players choose their moves again. Raises Refused if one that must choose the same does
    not."""
    moves: Counter[bool] = Counter()  # of the engine, if it is free: whether they are the same
    absent = ""
    mine = Entrant.of(run.engine)
    free = mine.is_outside or mine.budget.cpu or mine.budget.wall  # its moves need not be the same
    with closing(EngineCache()) as engines:
        for done, (record, task) in enumerate(games):
            progress(done, len(games))
            for player, entrant in enumerate(task.entrants):
                is_bound = entrant.text != run.engine or not free
                if is_bound or not absent:
                    try:
                        engine = engines.get(task.spec, entrant, player)
                    except (DlgoError, ProgramError) as error:
                        if is_bound:
                            raise
                        absent = str(error)
                        continue
                    for same, ply in _choices(engine, record, task, player):
                        if not same and is_bound:
                            raise Refused(f"game {record.slot}: {entrant.text} does not play move "
                                          f"{ply + 1} of the record from this seed")
                        moves[same] += not is_bound
    yield f"moves of the anchors: played again in {number_of(len(games), 'game')}, the same"
    if absent:
        yield f"moves of {run.label}: not played again: {absent}"
    elif free:
        yield f"moves of {run.label}: {moves[True]} of {moves.total()} played again are the same"


def _choices(
    engine: Engine | Any, record: GameRecord, task: GameTask, player: int
) -> Iterator[tuple[bool, int]]:
    """Whether a player chooses the moves of the record again, with their plies; those before a
    failure, if the game ended by one."""
    engine.new_game(derive_seed(task.seed, SIDES[player]))
    states, texts = list(record.positions()), record.moves.split()
    for ply in range(len(task.opening), len(texts)):
        if states[ply].next_player.index == player:
            move = engine.select_move(states[ply]).move
            yield states[ply].game.move_text(move) == texts[ply], ply
