"""Output files: whole or not at all, links followed, devices and pipes written to."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dlgo.errors import DataError, DlgoError
from dlgo.files import (
    _remove_left_behind,
    make_folder,
    open_output,
    output_path,
    write_csv,
    write_file,
)
from tests.command import ROOT

FULL_DISK = OSError(errno.ENOSPC, "No space left on device")


def _write_whole(path: Path, text: str) -> None:
    write_file(path, text)


def _write_in_pieces(path: Path, text: str) -> None:
    with open_output(path, text=True) as file:
        file.writelines(text)


def _write_by_name(path: Path, text: str) -> None:
    with output_path(path) as temporary:
        temporary.unlink(missing_ok=True)  # as libraries do that make the file anew
        temporary.write_text(text)


WAYS = pytest.mark.parametrize("write", [_write_whole, _write_in_pieces, _write_by_name])


@WAYS
def test_a_link_stays_a_link_and_the_file_it_leads_to_keeps_its_mode(write, tmp_path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.txt", "target.txt"]


@WAYS
def test_a_link_to_nothing_makes_the_file_it_names(write, tmp_path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write(tmp_path / "link", "new")
    assert (tmp_path / "target").read_text() == "new"


@WAYS
def test_a_new_file_has_the_mode_that_the_umask_leaves(write, tmp_path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "new.txt", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


@WAYS
def test_a_pipe_is_written_to(write, tmp_path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, "through the pipe")
    assert os.read(reader, 100) == b"through the pipe"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_a_killed_process_has_left_is_removed_when_it_is_old(tmp_path) -> None:
    program = "import os, sys; from dlgo.files import open_output\n" \
        "with open_output(sys.argv[1]): os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "one")], cwd=ROOT, check=False)
    left, = tmp_path.iterdir()
    _remove_left_behind(tmp_path)
    assert left.exists()  # somebody might be writing it
    os.utime(left, (1, 1))
    _remove_left_behind.cache_clear()
    write_file(tmp_path / "two", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["two"]


@WAYS
def test_a_device_stays_a_device(write) -> None:
    write(Path("/dev/null"), "nothing")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_standard_output_that_leads_to_a_file_is_written_in_its_place(tmp_path) -> None:
    program = "import sys; from dlgo.files import write_file; " \
        "write_file('/dev/stdout', 'one\\n'); print('two')"
    with (tmp_path / "out.txt").open("w") as out:
        subprocess.run([sys.executable, "-c", program], stdout=out, check=True, timeout=300)
    assert (tmp_path / "out.txt").read_text().endswith("two\n")


@WAYS
@pytest.mark.parametrize("when", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    write, when, tmp_path, monkeypatch
) -> None:
    path = tmp_path / "old.txt"
    path.write_text("old")

    def fail(*_) -> None:
        raise FULL_DISK

    monkeypatch.setattr(*((os, "fsync") if when == "fsync" else (Path, "replace")), fail)
    with pytest.raises(DlgoError, match="cannot write .*old.txt: No space left on device; name"):
        write(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_table_is_csv_and_its_rows_are_counted(tmp_path) -> None:
    assert write_csv(tmp_path / "t.csv", ["a", "b"], [[1, 'x, "y"'], [2, "\udcff"]]) == 2
    assert (tmp_path / "t.csv").read_bytes() == b'a,b\n1,"x, ""y"""\n2,?\n'


@pytest.mark.parametrize(("name", "reason"), [
    ("folder", "it is a folder"), ("no/such/file", "No such file"), ("nul\0", "null"),
    ("old/file", "Not a directory"), ("x" * 300, "too long"),
])
def test_what_cannot_be_written_is_named_in_one_line(name, reason, tmp_path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "old").write_text("old")
    with pytest.raises(DataError, match=reason) as caught:
        write_file(tmp_path / name, "text", error=DataError, remedy="take another")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("; take another")


def test_a_folder_that_cannot_be_made_is_named(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DlgoError, match="cannot write .*file/x: .*; name another folder"):
        make_folder(tmp_path / "file" / "x")
