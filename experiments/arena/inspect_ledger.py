"""Looking into a ledger: lists, the check by the rules, exports, repair.

Everything is read game by game, so that the size of the ledger does not matter.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dlgo.api import GameState
from dlgo.errors import DlgoError, LedgerError, UnnamedGameError
from dlgo.files import check_apart, make_folder, write_csv, write_file
from dlgo.games import get_game, recorded_game
from dlgo.games.draughts.pdn import write_game
from dlgo.games.draughts.state import Draughts
from dlgo.games.go.state import Go
from dlgo.records.failures import Failure
from dlgo.records.game_record import GameRecord, slot_of
from dlgo.records.ledger import Ledger, ledger_lock
from dlgo.records.repair import repair
from dlgo.records.sgf import write_sgf
from dlgo.specs import split_version
from dlgo.text import listing, number_of
from experiments.arena.entrants import canonical
from experiments.arena.referee import SIDES, length_limit

_CSV_COLUMNS = (
    "slot", "game", "first", "second", "pair", "opening", "seed", "result", "reason", "failed",
    "moves", "started", "finished", "machine", "version", "networks", "limits", "worker",
)


def _selected(
    ledger: Ledger, game: str | None, engine: str | None, failed: bool
) -> Iterator[GameRecord]:
    """The games asked for. Raises LedgerError if nobody in the ledger has the name `engine`."""
    game = None if game is None else str(get_game(game))
    if engine is not None:
        names = ledger.names()
        entrants = {name: entrant for entrant, name in names.items()}
        wording, engine = engine, entrants.get(engine) or canonical(engine)
        if engine not in {*names, *(split_version(name)[0] for name in names)}:
            raise LedgerError(f"ledger {ledger.path} has no games of {wording!r}; there are "
                              f"{listing(sorted(entrants), most=8)}")
    for record in ledger.games():
        players = (record.first, record.second)
        # For external engines, with or without a version; without, all versions are meant.
        spellings = {*players, *(split_version(player)[0] for player in players)}
        of_game = game in (None, split_version(record.game)[0])
        if of_game and (engine is None or engine in spellings) and (record.failed or not failed):
            yield record


def list_lines(
    path: str, limit: int | None = None, game: str | None = None, engine: str | None = None,
    failed: bool = False,
) -> Iterator[str]:
    """A line for each game, and at the end how many."""
    n_lines = 0
    with Ledger(path, read_only=True) as ledger:
        for record in _selected(ledger, game, engine, failed):
            if n_lines == limit:
                continue  # all of the file is read, and so checked
            n_lines += 1
            plies = number_of(len(record.moves.split()), "ply", "plies")
            yield f"{record.slot}  {record.result:g}  {plies}  {record.reason_text}"
        yield f"{n_lines} of {len(ledger)} games"


def check_lines(path: str) -> Iterator[tuple[str, bool]]:
    """A line for each invalid game, and at the end how many there are; whether it tells of one."""
    games = bad = 0
    with Ledger(path, read_only=True) as ledger:
        for record in ledger.games():
            games += 1
            if problem := problem_of(record):
                bad += 1
                yield f"{record.slot}: {problem}", True
    yield f"{number_of(games, 'game')}, {bad} of them invalid", False


def problem_of(record: GameRecord) -> str:
    """What is wrong with a stored game; "" if it is valid. Raises UnnamedGameError.

    Valid are: moves that the rules allow, from an opening that is their beginning; a result
    and a reason that follow from the last position, or a failure that the loser is blamed
    for, or a draw by length; costs of the moves that the engines chose, each of whose turn it
    was. The slot has to name the game, the players and the pair.
    """
    if record.slot != slot_of(record.game, record.first, record.second, record.pair):
        return "the slot is not that of its game, players and pair"
    try:
        states = list(record.positions())
    except UnnamedGameError:
        raise
    except DlgoError as error:
        return f"the moves are not a legal game: {error}"
    moves, opening = record.moves.split(), record.opening.split()
    if moves[: len(opening)] != opening:
        return "the moves do not begin with the opening"
    return _problem_of_end(record, states[-1]) or _problem_of_costs(record, states, len(opening))


def _problem_of_end(record: GameRecord, state: GameState) -> str:
    if record.failed:
        # The words of an error may hold anything; so the side stands before the colon, or alone.
        pattern = rf"\b({'|'.join(SIDES)})\b"
        if record.failure is Failure.OVER_MEMORY:
            pattern = rf" while ({'|'.join(SIDES)}) was "
        blamed = re.search(pattern, record.reason)
        if blamed is None:
            return "the failure names no side"
        right = record.result == float(SIDES.index(blamed[1]))
        return "" if right else f"{blamed[1]} failed, but the result is {record.result:g}"
    if state.is_over():
        result, text = (state.result() + 1) / 2, state.game.result_text(state)
        return "" if (record.result, record.reason) == (result, text) else (
            f"it says {record.result:g}, {record.reason!r}; by the rules it is {result:g}, {text!r}"
        )
    if record.reason.startswith("draw: length limit of "):
        long = len(record.moves.split()) >= length_limit(state.game) and record.result == 0.5
        return "" if long else "it is not a draw by its length"
    return "the moves do not end the game"


def _problem_of_costs(record: GameRecord, states: list[GameState], opening: int) -> str:
    if not record.costs and record.failed:
        return ""
    plies = [cost.ply for cost in record.costs]
    if plies != list(range(opening, len(states) - 1)):
        return "the costs are not those of the moves after the opening"
    for cost in record.costs:
        if cost.player != states[cost.ply].next_player.index:
            return f"ply {cost.ply} is charged to the wrong side"
        if min(cost.cpu, cost.wall, cost.nodes, cost.simulations, cost.evaluations) < 0:
            return f"ply {cost.ply} has a negative cost"
    return ""


def export_games(
    path: str, csv_path: str | None, sgf: str | None, pdn: str | None,
    game: str | None = None, engine: str | None = None, failed: bool = False,
) -> Iterator[str]:
    """Write the games asked for; says how many went where. Raises LedgerError if there are none."""
    if csv_path is not None:
        check_apart(csv_path, path)
    with Ledger(path, read_only=True) as ledger:
        if csv_path is not None:
            records = _selected(ledger, game, engine, failed)
            first = next(records, None)
            if first is None:
                raise LedgerError(f"ledger {path} has no such games; nothing is written")
            records = itertools.chain([first], records)
            count = write_csv(Path(csv_path), _CSV_COLUMNS, (
                [getattr(record, name) for name in _CSV_COLUMNS] for record in records))
            yield f"{number_of(count, 'game')} in {csv_path}"
        for folder, cls, write in ((sgf, Go, _sgf), (pdn, Draughts, _pdn)):
            if folder is None:
                continue
            make_folder(Path(folder))
            count, unnamed = 0, {}
            for record in _selected(ledger, game, engine, failed):
                try:
                    fits = isinstance(recorded_game(record.game), cls)
                except UnnamedGameError as error:
                    unnamed[record.game] = f"left out: {error}"
                    continue
                if fits:
                    count += 1
                    slot = re.sub(r"[^A-Za-z0-9.=-]+", "_", record.slot)[:120]
                    name = f"{count:06d}_{slot}.{write.__name__.strip('_')}"
                    write_file(Path(folder) / name, write(record), sync=False)
            if not count:
                raise LedgerError("; ".join([
                    f"ledger {path} has no games of {cls.title} to export", *unnamed.values()
                ]))
            yield f"{number_of(count, 'game')} in {folder}"
            yield from unnamed.values()


def _sgf(record: GameRecord) -> bytes:
    state = record.replay()
    info = {"DT": record.started[:10], "GN": record.slot, "GC": record.reason}
    result = None if state.is_over() else {1.0: "B+F", 0.0: "W+F"}.get(record.result, "0")
    return write_sgf(state, black=record.first, white=record.second, result=result, info=info)


def _pdn(record: GameRecord) -> bytes:
    tags = {
        "Event": record.slot, "Date": record.started[:10].replace("-", "."),
        "Black": record.first, "White": record.second, "Annotator": record.reason,
    }
    result = {1.0: "0-1", 0.0: "1-0"}.get(record.result, "1/2-1/2")
    return write_game(record.replay(), tags, result).encode()


@contextmanager
def _locked(path: str) -> Iterator[None]:
    """A ledger that exists, to be changed. Raises LedgerError."""
    if not Path(path).exists():
        raise LedgerError(f"ledger {path} does not exist; check the name")
    with ledger_lock(path):
        yield


def repair_ledger(path: str) -> Iterator[str]:
    """Set the damaged rows of a ledger aside; says what was done. Raises LedgerError if it does not
    exist, is in use, or nothing in it can be read."""
    with _locked(path):
        outcome = repair(path)
    if outcome.aside is None:
        yield f"{path} is whole, with {number_of(outcome.games, 'game')}"
        return
    yield from (f"left out: {name}" for name in outcome.damaged)
    if outcome.lost:
        yield f"{outcome.lost} of {outcome.lost + outcome.games} games could not be read"
    yield (f"{path} has {number_of(outcome.games, 'game')} now; {outcome.aside} is the old file. "
           "Run the same tournament again to play the missing games")


def worker_lines(path: str) -> Iterator[str]:
    """What each machine of a cluster has played, the busiest first."""
    games: Counter[str] = Counter()
    failed, moves = games.copy(), games.copy()
    cpu: dict[str, float] = defaultdict(float)
    machines: dict[str, str] = {}
    with Ledger(path, read_only=True) as ledger:
        for record in ledger.games():
            name = record.worker or "this machine"
            machines[name] = record.machine
            games[name] += 1
            failed[name] += record.failed
            for player in (0, 1):
                costs = record.spent(player)
                cpu[name] += costs.cpu
                moves[name] += costs.moves
    width = max([8, *map(len, games)])
    yield f"{'machine':<{width}} {'games':>7} {'failed':>7} {'CPU ms':>9}  processor"
    for name, count in games.most_common():
        mean = f"{1000 * cpu[name] / moves[name]:.3f}" if moves[name] else "-"
        yield f"{name:<{width}} {count:>7} {failed[name]:>7} {mean:>9}  {machines[name]}"
    yield "CPU ms: per move"


def purge_ledger(
    path: str, worker: str | None = None, slot: str | None = None, game: str | None = None,
    engine: str | None = None, failed: bool = False,
) -> str:
    """Take games out, those to which all that is given applies; says how many they were. Raises
    LedgerError if the file does not exist, is not a ledger, is in use, or has none."""
    with _locked(path), Ledger(path) as ledger:
        slots = {record.slot for record in _selected(ledger, game, engine, failed)
                 if worker in (None, record.worker) and slot in (None, record.slot)}
        if not slots:
            remedy = f"`dlgo ledger {path} list` shows its games"
            if worker:
                names = sorted({record.worker for record in ledger.games() if record.worker})
                remedy = f"its workers are {', '.join(names)}" if names else "it has no workers"
            criteria = ", ".join(repr(text) for text in (worker, slot, game, engine) if text)
            raise LedgerError(f"ledger {path} has no games of {criteria or 'that kind'}; {remedy}")
        ledger.purge(slots)
        removed = number_of(len(slots), "game")
        return f"removed {removed} from {path}; the same tournament plays what is missing"
