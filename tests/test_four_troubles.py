"""A file that cannot be used is one of four things, with four remedies: the system does not give
it, another version of dlgo wrote it, another command did, or it is damaged. No message advises
deleting it, and none of these files is replaced."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dlgo import get_game
from dlgo.errors import DlgoError, ForeignFileError, UnreadableError, VersionError
from dlgo.records.ledger import Ledger
from engines.alphago import bundle
from engines.fast_policy import policy
from engines.fast_policy.policy import FastPolicy
from engines.learning.data import GameBuilder, read_shard, shards, write_shard
from engines.learning.networks import store
from engines.learning.networks.card import read_card
from engines.learning.runs import checkpoint, records
from engines.solver import book
from experiments.classroom import outputs, pages
from experiments.classroom.grading import Grade
from experiments.measures import connect4, puzzles
from reports.tables import read_csv
from tests.conftest import one_line_error
from tests.learning.runs.test_records import train

GAME = get_game("tictactoe")


def write_run(path: Path) -> None:
    train(path.parent)


def write_games(path: Path) -> None:
    builder = GameBuilder(GAME)
    builder.add(4)
    write_shard(path, GAME, [builder.finish(0)], {})


def write_ledger(path: Path) -> None:
    Ledger(path).close()


def read_ledger(path: Path) -> None:
    with Ledger(path, read_only=True) as ledger:
        ledger.verify()


def shipped(source: Path) -> Callable[[Path], Any]:
    return lambda path: shutil.copy(source, path)


class Kind(NamedTuple):
    write: Callable[[Path], Any]
    read: Callable[[Path], Any]


KINDS = {
    "checkpoint.npz": Kind(write_run, lambda path: checkpoint.read_checkpoint(path.parent)),
    "plan.json": Kind(write_run, lambda path: train(path.parent)),
    "history.csv": Kind(write_run, lambda path: records.read_history(path.parent, ())),
    "games-000000.npz": Kind(write_games, read_shard),
    "fast.npz": Kind(FastPolicy.uniform(get_game("go:size=5")).save, FastPolicy.load),
    "card.json": Kind(shipped(next(store.SHIPPED.glob("*/card.json"))),
                      lambda path: read_card(path.parent)),
    "alphago.json": Kind(shipped(next(bundle.SHIPPED.glob(f"*/{bundle.FILE_NAME}"))),
                         lambda path: bundle.read_bundle(path.parent)),
    "connect4.book": Kind(shipped(book.SHIPPED), book.read_book),
    "games.sqlite": Kind(write_ledger, read_ledger),
    "pseudonyms.csv": Kind(lambda path: pages.pseudonyms(path, ["Ann"]),
                           lambda path: pages.pseudonyms(path, ["Ann", "Bo"])),
    "grades.json": Kind(lambda path: outputs.save(path, [Grade("Ann", "rules", [], 3)]),
                        outputs.load),
    "puzzles.json": Kind(lambda path: puzzles.write_puzzles(path, puzzles.shipped_sets()[0]),
                         puzzles.read_puzzles),
    "strengths.csv": Kind(lambda path: path.write_text("name,rating\na,3\n"), read_csv),
    "positions.json": Kind(shipped(connect4.SHIPPED), connect4._read),
}


def message(path: Path, error: type[DlgoError]) -> str:
    """The error of reading a file, which stays as it is."""
    before = path.read_bytes()
    with pytest.raises(error) as caught:
        KINDS[path.name].read(path)
    assert path.read_bytes() == before
    text = str(caught.value)
    assert str(path) in text and "\n" not in text
    assert not any(word in text for word in ("delete", "remove", "Traceback", "object has no"))
    return text


@pytest.fixture
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    KINDS[request.param].write(path)
    KINDS[request.param].read(path)
    return path


@pytest.mark.parametrize(("number", "remedy"), [
    (errno.EACCES, "Permission denied; check its permissions"), (errno.EIO, "check the disk")])
@pytest.mark.parametrize("path", KINDS, indirect=True)
def test_what_the_system_does_not_give(
    path: Path, number: int, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, before = Path.open, path.read_bytes()

    def refuse(self: Path, *arguments: Any, **options: Any) -> Any:
        if self == path:
            raise OSError(number, os.strerror(number), str(self))
        return opened(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableError) as caught:
        KINDS[path.name].read(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert f"{path} cannot be read: " in str(caught.value) and remedy in str(caught.value)
    assert not any(word in str(caught.value) for word in ("damaged", "delete", "copy"))


@pytest.mark.parametrize(
    "path", sorted({name for name in KINDS if not name.endswith(".csv")}), indirect=True)
def test_what_is_cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    assert "damaged" in message(path, DlgoError)


@pytest.mark.parametrize(
    "path", sorted(KINDS.keys() - {"plan.json", "history.csv", "strengths.csv"}), indirect=True)
def test_what_another_command_wrote(path: Path) -> None:
    is_json = path.suffix == ".json"
    path.write_bytes(b'{"name": "other"}' if is_json else b"of,another\nprogram,3\n")
    text = message(path, ForeignFileError)
    assert f"{path} is not " in text and re.search("; (name|choose|train in) ", text)


@pytest.mark.parametrize(("path", "change"), [
    ("checkpoint.npz", (checkpoint, "_FORMAT")), ("games-000000.npz", (shards, "FORMAT")),
    ("fast.npz", (policy, "FORMAT")), ("card.json", b'"version": 2'),
    ("alphago.json", b'"version": 1'), ("games.sqlite", None), ("plan.json", b'{'),
], indirect=["path"])
def test_what_another_version_wrote(
    path: Path, change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(change, bytes):
        new = b'{"depth": 3, ' if change == b"{" else change[:-1] + b"99"
        path.write_bytes(path.read_bytes().replace(change, new, 1))
    elif change is None:
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA user_version = 99")
    else:
        with monkeypatch.context() as patched:
            known = getattr(*change)
            patched.setattr(*change, 99 if known == 1 else known[:-1] + "99")
            path.unlink()
            KINDS[path.name].write(path)
    text = message(path, VersionError)
    assert "this version of dlgo" in text and "; use the version of dlgo that wrote it" in text
    assert "99" in text or "depth" in text


def test_a_shard_is_made_again_only_if_it_is_damaged(tmp_path: Path) -> None:
    path, said = shards.shard_path(tmp_path, 0), []
    write_games(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert shards.existing_shard(tmp_path, 0, said.append) is None
    assert "damaged" in said[0] and "made again" in said[0]
    path.write_text("notes,of\nmine,3\n")
    with pytest.raises(ForeignFileError):
        shards.existing_shard(tmp_path, 0, said.append)


def test_a_ledger_is_read_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite needs a file of its own beside the ledger, except where it is told to do without."""
    path, connect = tmp_path / "games.sqlite", sqlite3.connect
    write_ledger(path)

    class FullDisk(sqlite3.Connection):
        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
            raise error

    def full(address: str, **options: Any) -> sqlite3.Connection:
        needs_room = "immutable" not in address
        return connect(address, **options, **({"factory": FullDisk} if needs_room else {}))

    monkeypatch.setattr(sqlite3, "connect", full)
    with Ledger(path, read_only=True) as ledger:
        assert len(ledger) == 0
    with one_line_error(UnreadableError, "disk I/O error; make room on the disk"):
        Ledger(path)
