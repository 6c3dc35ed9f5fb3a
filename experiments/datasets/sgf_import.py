"""`dlgo data import-sgf`, `dlgo data index-sgf`: archives of SGF files to shards, or to a list.

The files of all archives are cut into pieces of equal length, and each piece becomes one
shard: so pieces can be made in several processes, a stopped import goes on where it was, and
the shards are the same with any number of workers. A shard holds no file that another holds.

Archives are read to their ends, checksums included, before the first game counts. A damaged
archive, and a damaged file of a zip, is named and left out, and the import ends with an error.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import DataError, NotationError
from dlgo.files import make_folder, write_csv
from dlgo.games import get_game
from dlgo.records.sgf import play, read_sgf_games
from dlgo.rng import derive_seed
from dlgo.text import one_line
from engines.jobs import Amount, Jobs, Portion, Processes
from engines.learning.data.archives import contents, listing, with_inner_archives
from engines.learning.data.records import GameData
from engines.learning.data.sgf_games import Entry, Filter, describe, rank_number, to_game
from engines.learning.data.shards import shard_bytes, shard_path
from experiments.datasets.shard_making import MadeShard, Stopwatch, existing_shard, make_shards
from experiments.progress import LineProgress, Tally, default_progress

# SGF files a shard: some 50,000 moves.
SHARD_FILES = 256
# Broken files named one by one; an archive of another game would fill the screen.
_NAMED = 20


@dataclass(frozen=True)
class Piece:
    """Some files of one archive."""

    archive: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What has become of one game of a file.

    Attributes:
        positions: how many it gave. refused: why the filter left it out. error: why it is not
            usable. notes: what was read otherwise than it is written, with its name.
    """

    positions: int = 0
    refused: str = ""
    error: str = ""
    notes: str = ""


def pieces(
    archives: Sequence[Path], sample: int | None, seed: int, progress: LineProgress
) -> tuple[list[Piece], str]:
    """All SGF files of the archives, or a sample of them, and what is damaged.

    Returns:
        The pieces, and a phrase that says how much is damaged; "" if nothing is. What is damaged
        has been named to `progress`.

    Raises:
        DataError: if there are no SGF files, or fewer than the sample asks for.
    """
    files: list[tuple[Path, str]] = []
    archives = with_inner_archives(archives)
    damaged = lost = 0
    for archive in archives:
        try:
            listed = listing(archive)
        except DataError as error:
            progress.say(f"{error}; it is skipped")
            damaged += 1
            continue
        for line in listed.broken[:_NAMED]:
            progress.say(f"skipped: {line}")
        lost += len(listed.broken)
        if listed.others:
            endings = ", ".join(f"{ending} {n}" for ending, n in listed.others.most_common(8))
            progress.say(f"{archive}: other files are left out: {endings}")
        files += [(archive, name) for name in listed.names]
    if not files:
        raise DataError(f"no SGF files in {', '.join(map(str, archives))}")
    if sample is not None:
        if sample > len(files):
            raise DataError(f"a sample of {sample} was asked for, there are {len(files)} SGF files")
        rng = np.random.default_rng(derive_seed("sgf sample", seed))
        files = [files[i] for i in sorted(rng.choice(len(files), sample, replace=False).tolist())]
    cut: list[Piece] = []
    for archive in archives:
        names = [name for where, name in files if where == archive]
        cut += [
            Piece(str(archive), tuple(names[i : i + SHARD_FILES]))
            for i in range(0, len(names), SHARD_FILES)
        ]
    parts = [f"{damaged} of {len(archives)} archives"] if damaged else []
    parts += [f"{lost} files of archives"] if lost else []
    return cut, " and ".join(parts)


def import_sgf(
    archives: Sequence[Path], folder: Path, wanted: Filter, sample: int | None = None,
    seed: int = 1, workers: int | None = None, jobs: Jobs | None = None,
) -> Path:
    """Make shards of the games that pass the filter; return the folder.

    Games that are broken or against the rules are named and left out.

    Raises:
        DataError: if there is nothing to import, or the folder holds other games; and, after all
            else has been imported, if archives or files of them are damaged.
    """
    progress = default_progress()
    cut, damaged = pieces(archives, sample, seed, progress)
    make_folder(folder, error=DataError)
    tally = Tally(sum(len(piece.names) for piece in cut))
    missing = {}
    for number, piece in enumerate(cut):
        if _is_there(folder, number, _recipe(piece, wanted, Path(piece.archive)), progress):
            tally.found += len(piece.names)
        else:
            missing[number] = Portion(
                f"shard {number}", import_piece, (piece, number, wanted), (Path(piece.archive),)
            )
    if tally.found:
        progress.say(f"{folder}: {tally.found} of {tally.planned} files are done already")
    refused: Counter[str] = Counter()
    broken = noted = kept = 0

    def count_report(report: Report) -> None:
        nonlocal broken, noted, kept
        kept += not (report.refused or report.error)
        refused.update([report.refused] if report.refused else [])
        if report.error:
            broken += 1
            if broken <= _NAMED:
                progress.say(f"skipped: {report.error}")
        if report.notes:
            noted += 1
            if noted <= _NAMED:
                progress.say(f"note: {report.notes}")

    with jobs or Processes(workers) as jobs:
        make_shards(missing, jobs, folder, tally, progress, count_report)
    for why, count in refused.most_common():
        progress.say(f"{count} games not wanted: {why}")
    if broken:
        progress.say(f"{broken} games skipped as broken or against the rules")
    if noted > _NAMED:
        progress.say(f"notes on {noted} files in all")
    progress.say(tally.summary(kept))
    if damaged:
        raise DataError(f"{damaged} cannot be read, as said above; all other games are in {folder}")
    return folder


def import_piece(
    piece: Piece, number: int, wanted: Filter, archive: Path
) -> Generator[Amount, None, MadeShard]:
    """Make one shard; its reports are those of the games.

    Args:
        archive: where it lies.
    """
    watch = Stopwatch()
    games: list[GameData] = []
    reports: list[Report] = []
    for name, data in contents(archive, piece.names):
        made = list(_games_of(data, f"{piece.archive}/{name}", wanted))
        games += [game for game, _ in made if game is not None]
        reports += [report for _, report in made]
        yield Amount(1, sum(report.positions for _, report in made))
    provenance = watch.provenance("dlgo data import-sgf", _recipe(piece, wanted, archive), number)
    content, digest = shard_bytes(get_game("go", size=wanted.size), games, provenance)
    return MadeShard(content, digest, tuple(reports))


def _games_of(
    data: bytes, name: str, wanted: Filter
) -> Iterator[tuple[GameData | None, Report]]:
    """What has become of each game of a file."""
    try:
        file = read_sgf_games(data, name)
    except NotationError as error:
        yield None, Report(error=str(error))
        return
    for reason in file.refused:
        yield None, Report(error=reason)
    for record in file.games:
        refused = wanted.refuses(record)
        if refused:
            yield None, Report(refused=refused)
            continue
        try:
            played = play(record)
            game = to_game(record, played)
        except NotationError as error:
            yield None, Report(error=str(error))
            continue
        notes = f"{record.source}: {'; '.join(played.notes)}" if played.notes else ""
        yield game, Report(game.n_positions, notes=one_line(notes))


def _recipe(piece: Piece, wanted: Filter, path: Path) -> dict[str, Any]:
    """What a shard comes from: the archive by name and size, its files by a digest of names."""
    names = hashlib.sha256("\n".join(piece.names).encode("utf-8", "replace")).hexdigest()
    return {
        "archive": Path(piece.archive).name, "bytes": path.stat().st_size if path.is_file() else 0,
        "files": len(piece.names), "names": names, "filter": asdict(wanted),
    }


def _is_there(folder: Path, number: int, recipe: dict[str, Any], progress: LineProgress) -> bool:
    shard = existing_shard(folder, number, progress.say)
    if shard is not None and shard.provenance.get("recipe") != recipe:
        raise DataError(
            f"{shard_path(folder, number)} was made of other files or with another filter: name "
            "another --out folder"
        )
    return shard is not None


def index_piece(piece: Piece, archive: Path) -> Generator[Amount, None, list[Entry]]:
    """What the files of a piece say of their games."""
    entries: list[Entry] = []
    for name, data in contents(archive, piece.names):
        entries += describe(f"{piece.archive}/{name}", data)
        yield Amount(1)
    return entries


def index_sgf(
    archives: Sequence[Path], table: Path | None, workers: int | None, jobs: Jobs | None = None
) -> list[str]:
    """What is in the archives, as lines; all of it in a CSV table, if one is named.

    Raises:
        DataError: if there is nothing to index or the table cannot be written.
    """
    progress = default_progress()
    cut, damaged = pieces(archives, None, 0, progress)
    portions = [
        Portion(f"piece {number}", index_piece, (piece,), (Path(piece.archive),))
        for number, piece in enumerate(cut)
    ]
    with jobs or Processes(workers) as jobs, closing(jobs.run(portions)) as outcomes:
        entries = sorted(
            itertools.chain.from_iterable(outcome.value for outcome in outcomes),
            key=lambda entry: entry.name,
        )
    if table is not None:
        write_csv(table, [field.name for field in fields(Entry)], (
            list({**asdict(entry), "ranks": " ".join(entry.ranks)}.values()) for entry in entries
        ), error=DataError)
    good = [entry for entry in entries if not entry.error]
    lines = [f"{len(entries)} games, {len(good)} of them readable, "
             f"{sum(entry.moves for entry in good):,} moves"]
    for title, key in (
        ("board size", lambda entry: f"{entry.size}x{entry.size}"),
        ("handicap", lambda entry: str(entry.handicap)),
        ("result", lambda entry: entry.result[:2].upper() or "unknown"),
        ("lower rank", lambda entry: min(entry.ranks, key=_rank_order) or "unknown"),
    ):
        counts = Counter(map(key, good)).most_common(12)
        lines.append(f"{title}: " + ", ".join(f"{what} {count}" for what, count in counts))
    lines += [f"skipped: {entry.error}" for entry in entries if entry.error][:_NAMED]
    lines += [f"cannot be read: {damaged}"] if damaged else []
    return lines


def _rank_order(text: str) -> float:
    number = rank_number(text)
    return -99 if number is None else number
