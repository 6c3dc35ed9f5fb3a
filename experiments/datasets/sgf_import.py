"""`dlgo data import-sgf`, `dlgo data index-sgf`: archives of SGF files to shards, or to a list.

The files of all archives are cut into pieces of equal length, and each piece becomes one
shard: so pieces can be made in several processes, a stopped import continues where it was, and the
shards are the same with any number of workers. A shard holds no file that another holds.

Archives are read to their ends, checksums included, before the first game counts. A damaged
archive, and a damaged file of a zip, is named and left out, and the import ends with an error.
(Chapters 7.1 and 7.2.)
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dlgo.api import Player
from dlgo.digests import hex_digest
from dlgo.errors import DataError, NotationError
from dlgo.files import check_apart, make_folder, write_csv
from dlgo.games import get_game
from dlgo.records.sgf import PlayedRecord, play, read_sgf_games
from dlgo.records.sgf_record import GameRecordSgf
from dlgo.rng import derive_seed
from dlgo.text import number_of, one_line
from engines.jobs import Amount, Executor, Processes, Task
from engines.learning.data.archives import contents, listing, with_inner_archives
from engines.learning.data.records import NO_RESULT, GameBuilder, GameData, Start
from engines.learning.data.shards import existing_shard, shard_bytes, shard_path
from experiments.datasets.shard_making import MadeShard, Stopwatch, make_shards
from experiments.progress import LineProgress, Tally, default_progress

# SGF files a shard: some 50,000 moves.
SHARD_FILES = 256
# Broken files named one by one; an archive of another game would fill the screen.
_NAMED = 20


class Piece(NamedTuple):
    """Some files of one archive."""

    archive: str
    names: tuple[str, ...]

    def path_of(self, name: str) -> str:
        """The name of a file in messages; a single file is its own archive."""
        path = Path(self.archive)
        return self.archive if path.name == name and path.is_file() else f"{path}/{name}"


class Entry(NamedTuple):
    """The index row of one game of an SGF file."""

    name: str  # of the file
    error: str = ""  # why it cannot be used, "" if it can; the rest is then empty
    size: int = 0  # lines of the board
    handicap: int = 0  # stones
    moves: int = 0  # passes included
    result: str = ""
    black: str = ""
    white: str = ""
    black_rank: str = ""  # as written
    white_rank: str = ""
    date: str = ""


class Report(NamedTuple):
    """What has become of one game of a file."""

    refused: str = ""  # why the filter left it out
    error: str = ""  # why it is not usable
    notes: str = ""  # what was read otherwise than it is written, with its name


@dataclass(frozen=True)
class Filter:
    """The filter of games. None: any."""

    size: int  # lines of the board
    max_handicap: int | None = None  # stones
    # Of both players, as `rank_number` gives it; unknown ranks do not pass.
    min_rank: float | None = None
    min_moves: int = 1  # passes included
    decided: bool = False  # only games with a result

    def refuses(self, record: GameRecordSgf) -> str:
        """Why a game is not wanted, in a word or two; "" if it is."""
        if record.size != self.size:
            return "another board size"
        if self.max_handicap is not None and handicap_of(record) > self.max_handicap:
            return "too much handicap"
        if len(record.moves) - record.placed < self.min_moves:
            return "too few moves"
        if self.decided and result_of(record) == NO_RESULT:
            return "no result"
        if self.min_rank is not None:
            ranks = [rank_number(record.info.get(key, "")) for key in ("BR", "WR")]
            if any(rank is None or rank < self.min_rank for rank in ranks):
                return "rank too low or unknown"
        return ""


def rank_number(text: str) -> float | None:
    """A rank as a number: 30k is -29, 1k is 0, 1d is 1, 1p is 10; None if it is none."""
    match = re.match(r"\s*(\d{1,2})\s*(k|d|p|級|段|级)", text.lower())
    if not match:
        return None
    number = int(match[1])
    return {"k": 1 - number, "級": 1 - number, "级": 1 - number, "p": 9 + number}.get(
        match[2], number
    )


def result_of(record: GameRecordSgf) -> int:
    """+1, 0, -1 as black sees it, or NO_RESULT."""
    if record.winner is not None:
        return 1 if record.winner is Player.black else -1
    return 0 if record.result.strip().lower() in ("0", "draw", "jigo") else NO_RESULT


def handicap_of(record: GameRecordSgf) -> int:
    """The handicap stones: those set up before the first move, or the number the file gives."""
    stones = sum(len(setup.black) for move_number, setup in record.setups
                 if move_number == record.placed)
    return max(record.handicap, stones)


def to_game(record: GameRecordSgf, replay: PlayedRecord | None = None) -> GameData:
    """A record as training data of `go:size=N`; the komi shows in the result only. A pass that the
    record does not hold, between two moves of one player, is not learned.

    `replay`: its positions, if they are known already. Raises NotationError for an illegal move, or
    no moves at all.
    """
    replay = replay or play(record)
    if replay.problem:
        raise NotationError(replay.problem)
    states = [state for _, state in replay.positions]
    if len(states) == 1:
        raise NotationError(f"{record.source}: no moves")
    game = get_game("go", size=record.size)
    builder = GameBuilder(game, Start.of(states[0]))
    for previous, state in itertools.pairwise(states):
        if state.previous_state is not previous:
            builder.skip(game.pass_action)
        action = state.last_move and game.action_of(state.last_move)
        assert action is not None
        builder.add(action)
    return builder.finish(result_of(record))


def pieces(
    archives: Sequence[Path], sample: int | None, seed: int, progress: LineProgress
) -> tuple[list[Piece], str]:
    """All SGF files of the archives, or a sample of them, and a phrase that says how much is
    damaged; "" if nothing is. What is damaged has been named to `progress`.

    Raises DataError if there are no SGF files, or fewer than the sample asks for.
    """
    files: list[tuple[Path, str]] = []
    archives = with_inner_archives(archives)
    damaged = n_broken = 0
    for archive in archives:
        try:
            listed = listing(archive)
        except DataError as error:
            progress.log(f"{error}; it is skipped")
            damaged += 1
            continue
        for line in listed.broken[:_NAMED]:
            progress.log(f"skipped: {line}")
        n_broken += len(listed.broken)
        if listed.others:
            endings = ", ".join(f"{ending} {n}" for ending, n in listed.others.most_common(8))
            progress.log(f"{archive}: other files are ignored: {endings}")
        files += [(archive, name) for name in listed.names]
    if not files:
        raise DataError(f"no SGF files in {', '.join(map(str, archives))}")
    if sample is not None:
        if sample > len(files):
            raise DataError(f"--sample {sample} is more than the {len(files)} SGF files")
        rng = np.random.default_rng(derive_seed("sgf sample", seed))
        files = [files[i] for i in sorted(rng.choice(len(files), sample, replace=False).tolist())]
    cut = []
    for archive, part in itertools.groupby(files, key=lambda file: file[0]):
        names = tuple(name for _, name in part)
        cut += [Piece(str(archive), names[i : i + SHARD_FILES])
                for i in range(0, len(names), SHARD_FILES)]
    parts = [f"{damaged} of {len(archives)} archives"] if damaged else []
    parts += [f"{number_of(n_broken, 'file')} of archives"] if n_broken else []
    return cut, " and ".join(parts)


def import_sgf(
    archives: Sequence[Path], folder: Path, game_filter: Filter, sample: int | None = None,
    seed: int = 1, workers: int | None = None, jobs: Executor | None = None,
) -> Path:
    """Make shards of the games that pass the filter; return the folder.

    Games that are broken or against the rules are named and left out. Raises DataError if there is
    nothing to import, or the folder holds other games; and, after all else has been imported, if
    archives or files of them are damaged.
    """
    progress = default_progress()
    cut, damaged = pieces(archives, sample, seed, progress)
    make_folder(folder, error=DataError)
    tally = Tally(sum(len(piece.names) for piece in cut), items="files")
    shard_games = [
        _games_there(folder, number, _recipe(piece, game_filter, Path(piece.archive)), progress)
        for number, piece in enumerate(cut)]
    # Without a game in any shard, all files are read again, so that the reasons can be given.
    missing = {
        number: Task(f"shard {number}", import_piece, (piece, number, game_filter),
                     (Path(piece.archive),))
        for number, piece in enumerate(cut) if shard_games[number] is None or not any(shard_games)
    }
    tally.found = tally.planned - sum(len(cut[number].names) for number in missing)
    if tally.found:
        progress.log(f"{folder}: {tally.found} of {tally.planned} files are imported already")
    refused, named = Counter[str](), Counter[str]()

    def count_report(report: Report) -> None:
        if report.refused:
            refused[report.refused] += 1
        elif not report.error:
            named["kept"] += 1
        for kind, text in (("skipped", report.error), ("note", report.notes)):
            if text:
                named[kind] += 1
                if named[kind] <= _NAMED:
                    progress.log(f"{kind}: {text}")

    with jobs or Processes(workers) as jobs:
        make_shards(missing, jobs, folder, tally, progress, count_report)
    for reason, count in refused.most_common():
        progress.log(f"{number_of(count, 'game')} filtered out: {reason}")
    if named["skipped"]:
        skipped = number_of(named["skipped"], "game")
        progress.log(f"{skipped} skipped as broken or against the rules")
    if named["note"] > _NAMED:
        progress.log(f"notes on {named['note']} files in all")
    progress.log(tally.summary(named["kept"]))
    if not (named["kept"] or any(shard_games)):
        refused["broken or against the rules"] = named["skipped"]
        causes = [f"{cause} ({count})" for cause, count in refused.most_common() if count]
        causes += [f"{damaged} cannot be read"] if damaged else []
        raise DataError(f"no game was imported: {', '.join(causes)}; `dlgo data index-sgf` shows "
                        "what there is")
    if damaged:
        raise DataError(f"{damaged} cannot be read (see above); all other games are in {folder}")
    return folder


def import_piece(
    piece: Piece, number: int, game_filter: Filter, archive: Path
) -> Generator[Amount, None, MadeShard]:
    """Make one shard from `archive`; its reports are those of the games."""
    watch = Stopwatch()
    games: list[GameData] = []
    reports: list[Report] = []
    for name, data in contents(archive, piece.names):
        positions = 0
        for game, report in _games_of(data, piece.path_of(name), game_filter):
            reports.append(report)
            if game is not None:
                games.append(game)
                positions += game.n_positions
        yield Amount(1, positions)
    recipe = _recipe(piece, game_filter, archive)
    provenance = watch.provenance("dlgo data import-sgf", recipe, number)
    content, digest = shard_bytes(get_game("go", size=game_filter.size), games, provenance)
    return MadeShard(content, digest, tuple(reports))


def _games_of(
    data: bytes, name: str, game_filter: Filter
) -> Iterator[tuple[GameData | None, Report]]:
    try:
        file = read_sgf_games(data, name)
    except NotationError as error:
        yield None, Report(error=str(error))
        return
    for reason in file.refused:
        yield None, Report(error=reason)
    for record in file.games:
        refused = game_filter.refuses(record)
        if refused:
            yield None, Report(refused)
            continue
        try:
            replay = play(record)
            game = to_game(record, replay)
        except NotationError as error:
            yield None, Report(error=str(error))
            continue
        notes = f"{record.source}: {'; '.join(replay.notes)}" if replay.notes else ""
        yield game, Report(notes=one_line(notes))


def _recipe(piece: Piece, game_filter: Filter, path: Path) -> dict[str, Any]:
    """What a shard comes from: the archive by name and size, its files by a digest of names."""
    names = hex_digest("\n".join(piece.names).encode("utf-8", "replace"), 64)
    return {
        "archive": Path(piece.archive).name, "bytes": path.stat().st_size if path.is_file() else 0,
        "files": len(piece.names), "names": names, "filter": asdict(game_filter),
    }


def _games_there(
    folder: Path, number: int, recipe: dict[str, Any], progress: LineProgress
) -> int | None:
    """Number of games in the shard; None if it has to be made."""
    shard = existing_shard(folder, number, progress.log)
    if shard is not None and shard.provenance.get("recipe") != recipe:
        if not shard.games:
            return None
        raise DataError(
            f"{shard_path(folder, number)} was made from other files or with another filter; "
            "choose another --out folder"
        )
    return None if shard is None else len(shard.games)


def describe(name: str, data: bytes) -> list[Entry]:
    """The index entries of a file, one for each of its games; never raises."""
    try:
        file = read_sgf_games(data, name)
    except NotationError as error:
        return [Entry(name, str(error))]
    return [Entry(name, reason) for reason in file.refused] + [
        Entry(
            record.source, "", record.size, handicap_of(record),
            len(record.moves) - record.placed, record.result, record.black, record.white,
            *(record.info.get(key, "") for key in ("BR", "WR", "DT")),
        )
        for record in file.games
    ]


def index_piece(piece: Piece, archive: Path) -> Generator[Amount, None, list[Entry]]:
    """The index rows of the games of a piece's files."""
    entries: list[Entry] = []
    for name, data in contents(archive, piece.names):
        entries += describe(piece.path_of(name), data)
        yield Amount(1)
    return entries


def index_sgf(
    archives: Sequence[Path], table: Path | None, workers: int | None
) -> tuple[list[str], str]:
    """What is in the archives, as lines, and how much is damaged, as `pieces` says it; all of it
    in a CSV table, if one is named. Raises DataError if there is nothing to index or the table
    cannot be written."""
    if table is not None:
        check_apart(table, *archives)
    cut, damaged = pieces(archives, None, 0, default_progress())
    tasks = [
        Task(f"piece {number}", index_piece, (piece,), (Path(piece.archive),))
        for number, piece in enumerate(cut)
    ]
    with Processes(workers) as jobs, closing(jobs.run(tasks)) as outcomes:
        rows = itertools.chain.from_iterable(outcome.value for outcome in outcomes)
        entries = sorted(rows, key=lambda entry: entry.name)
    if table is not None:
        write_csv(table, Entry._fields, entries, error=DataError)
    good = [entry for entry in entries if not entry.error]
    lines = [f"{number_of(len(entries), 'game')}, {len(good)} of them readable, "
             f"{number_of(sum(entry.moves for entry in good), 'move')}"]
    for title, values in (
        ("board size", (f"{entry.size}x{entry.size}" for entry in good)),
        ("handicap", (str(entry.handicap) for entry in good)),
        ("result", (entry.result[:2].upper() or "unknown" for entry in good)),
        ("lower rank", (min(entry.black_rank, entry.white_rank, key=_rank_order) or "unknown"
                        for entry in good)),
    ):
        counts = Counter(values).most_common(12)
        lines.append(f"{title}: " + ", ".join(f"{value} {count}" for value, count in counts))
    lines += [f"skipped: {entry.error}" for entry in entries if entry.error][:_NAMED]
    return lines, damaged


def _rank_order(text: str) -> float:
    number = rank_number(text)
    return -99 if number is None else number
