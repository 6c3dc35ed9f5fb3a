"""Facts about what is taken in of a hand-in: what is plain and small, and nothing else."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path

import pytest

from experiments.classroom.taking_in import TakenIn, take_in


@pytest.fixture
def taken(tmp_path: Path) -> Path:
    (tmp_path / "taken").mkdir()
    return tmp_path / "taken"


def names(result: TakenIn) -> list[str]:
    return [str(path.relative_to(result.folder)) for path in result.files]


def test_files_and_helpers_are_taken_and_may_be_read_by_everybody(tmp_path, taken) -> None:
    source = tmp_path / "alice"
    (source / "week1").mkdir(parents=True)
    (source / "ko.py").write_text("import helper\n")
    (source / "week1/ko.py").write_text("old\n")
    (source / "helper.py").write_text("x = 1\n")
    (source / ".git").mkdir()
    (source / "ko.py").chmod(0o600)
    result = take_in(source, taken)
    assert names(result) == ["helper.py", "ko.py", "week1/ko.py"] and not result.notes
    assert result.named("ko") == taken / "ko.py", "the file that lies highest counts"
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in result.files)


def test_links_devices_and_large_files_are_left_out_and_named(tmp_path, taken) -> None:
    source = tmp_path / "mallory"
    source.mkdir()
    (tmp_path / "grades.csv").write_text("secret")
    (source / "grades.py").symlink_to(tmp_path / "grades.csv")
    (source / "home").symlink_to(Path.home())
    (source / "zero.py").symlink_to("/dev/zero")
    os.mkfifo(source / "waits.py")
    (source / "large.py").write_bytes(bytes(9 << 20))
    (source / "good.py").write_text("x = 1\n")
    result = take_in(source, taken)
    assert names(result) == ["good.py"]
    for name in ("grades.py", "home", "zero.py", "waits.py", "large.py"):
        assert any(name in note for note in result.notes), name


def test_a_zip_file_is_unpacked_but_not_its_bombs(tmp_path, taken) -> None:
    source = tmp_path / "mallory.zip"
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("work/ko.py", "x = 1\n")
        archive.writestr("bomb.py", bytes(20 << 20))
        archive.writestr("../outside.py", "x")
        archive.writestr("/tmp/absolute.py", "x")
        link = zipfile.ZipInfo("link.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("work/ko.py/inside.py", "a file is no folder")
        archive.writestr("n" * 255 + "é.py", "x")
    result = take_in(source, taken)
    assert names(result) == ["work/ko.py"]
    for part in ("bomb.py unpacks to more", "outside.py leads out", "absolute.py leads out",
                 "link.py is a link", "inside.py' cannot name a file", "cannot name a file"):
        assert any(part in note for note in result.notes), (part, result.notes)
    assert not (tmp_path / "outside.py").exists()


def test_many_files_and_broken_zip_files_are_named(tmp_path, taken) -> None:
    source = tmp_path / "many.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for number in range(300):
            archive.writestr(f"{number}.py", "x")
    result = take_in(source, taken)
    assert len(result.files) == 100 and "only the first 100 files" in result.notes[0]
    source.write_bytes(b"PK\3\4" + bytes(100))
    (tmp_path / "other").mkdir()
    [note] = take_in(source, tmp_path / "other").notes
    assert note == "many.zip is not a zip file that can be read"
