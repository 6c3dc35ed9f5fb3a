"""Facts about hand-ins that attack whoever collects them: each costs little, and says so in a line.

Collecting runs outside the sandbox. `ATTACKS` make a folder; all of them also come with a class.
"""

from __future__ import annotations

import bz2
import io
import json
import os
import socket
import stat
import struct
import subprocess
import tarfile
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dlgo.jit import cpu_time
from experiments.classroom import unpacking
from experiments.classroom.collecting import collect
from experiments.classroom.exercise import get_exercise
from experiments.classroom.grading import grade_hand_in
from experiments.classroom.hand_ins import Part, submissions
from tests.classroom.test_attacks import earned, graded
from tests.sandboxed import sandboxed

# CPU seconds and megabytes of memory for the worst hand-in.
_SECONDS, _MEGABYTES = 10.0, 200
_ZEROS = bytes(8 << 20)
ATTACKS: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {}


def attack(*words: str) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    """An attack: it fills the folder of a student; a note has one of `words`, if there are any."""
    def add(fill: Callable[[Path], None]) -> Callable[[Path], None]:
        ATTACKS[fill.__name__] = fill, words
        return fill

    return add


def copies_in_zip(name: str, count: int, content: bytes = _ZEROS) -> bytes:
    """A zip file in which many entries share one content."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
        archive.filelist *= count
    return file.getvalue()


def lying_zip(method: int) -> bytes:
    """A zip file whose entry of 2 MB claims to have 1,000 bytes; it could as well be 2 GB."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("ko.py", bytes(2 << 20))
    data = bytearray(file.getvalue())
    for mark, place in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<I", data, data.index(mark) + place, 1000)
    return bytes(data)


def header(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.type, entry.size = kind, size
    return entry.tobuf(tarfile.GNU_FORMAT)


@attack()
def hidden_names(folder: Path) -> None:
    (folder / "a.zip").write_bytes(copies_in_zip(".hidden", 999))


@attack()
def five_times_hidden_names(folder: Path) -> None:
    for number in range(5):
        (folder / f"{number}_.zip").write_bytes(copies_in_zip("__MACOSX/x", 999))


# Newer versions of Python do not read a zip file whose entries share a content.
@attack("they unpack to more than 128 MB", "is not a zip file that can be read")
def names_beside_each_other(folder: Path) -> None:
    for number in range(9):
        (folder / f"{number}_.zip").write_bytes(copies_in_zip("../x.py", 999))


@attack("more than 10000 files and folders")
def many_entries(folder: Path) -> None:
    (folder / "a.zip").write_bytes(copies_in_zip(".x", 60_000, b""))


@attack("is compressed in a rare way")
def lying_bzip2(folder: Path) -> None:
    (folder / "a.zip").write_bytes(lying_zip(zipfile.ZIP_BZIP2))


@attack("is compressed in a rare way")
def lying_lzma(folder: Path) -> None:
    (folder / "a.zip").write_bytes(lying_zip(zipfile.ZIP_LZMA))


@attack("a.zip is not a zip file that can be read")
def names_no_text_can_hold(folder: Path) -> None:
    data = copies_in_zip("k\u00f6.py", 1, b"x")
    (folder / "a.zip").write_bytes(data.replace("k\u00f6.py".encode(), b"k\xff\xff.py"))


@attack("is not a valid file name")
def names_no_system_allows(folder: Path) -> None:
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        for name in ("n" * 60_000, "a/" * 2 + "b" * 300 + ".py", "\ud800.py", "ko.py/ko.py/ko.py"):
            archive.writestr(name.encode("utf-8", "replace").decode(), "x")
        archive.writestr("ko.py", "x")


@attack("a.zip is not a zip file that can be read")
def a_password(folder: Path) -> None:
    data = bytearray(copies_in_zip("ko.py", 1, b"x"))
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(mark) + place] |= 1
    (folder / "a.zip").write_bytes(data)


@attack("y.zip is not unpacked or read")
def a_zip_in_a_zip(folder: Path) -> None:
    (folder / "a.zip").write_bytes(copies_in_zip("y.zip", 1, copies_in_zip("x.py", 99)))


@attack("a.tar is not a tar file that can be read")
def digits_in_a_header(folder: Path) -> None:
    size = 400_000  # of which Python 3.11.7 would take the square
    (folder / "a.tar").write_bytes(header("x", tarfile.XHDTYPE, size) + b"1" * size + bytes(1024))


@attack("a.tar is not a tar file that can be read")
def a_size_that_leads_back(folder: Path) -> None:
    (folder / "a.tar").write_bytes(header("ko.py", size=-1024) * 9 + bytes(1024))


@attack("a.tar is not a tar file that can be read")
def headers_of_headers(folder: Path) -> None:
    (folder / "a.tar").write_bytes(header("x", tarfile.XHDTYPE) * 9000 + bytes(1024))


@attack("a.tar is not a tar file that can be read")
def a_long_name_in_a_tar_file(folder: Path) -> None:
    size = 20 << 20
    (folder / "a.tar").write_bytes(
        header("x", tarfile.GNUTYPE_LONGNAME, size) + b"a/" * (size // 2) + header("ko.py"))


@attack("they unpack to more than 128 MB")
def many_bzip2_files(folder: Path) -> None:
    data = bz2.compress(header(".x", size=60 << 20) + bytes(60 << 20))
    for number in range(20):
        (folder / f"{number}_.tar.bz2").write_bytes(data)


@attack("link.py is a link")
def links_and_devices_in_a_tar_file(folder: Path) -> None:
    with tarfile.open(folder / "a.tar", "w") as archive:
        for name, kind in (("link.py", tarfile.SYMTYPE), ("hard.py", tarfile.LNKTYPE),
                           ("disk.py", tarfile.BLKTYPE), ("pipe.py", tarfile.FIFOTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.devmajor = kind, "/etc/shadow", 8
            archive.addfile(entry)


@attack("pipe.py is not a regular file")
def pipes_sockets_and_devices(folder: Path) -> None:
    os.mkfifo(folder / "pipe.py")
    with socket.socket(socket.AF_UNIX) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # names of sockets are short
        server.bind("socket.py")
    if os.getuid() == 0:
        os.mknod(folder / "zero.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))


@attack("is a link")
def links_in_a_circle(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a/b").symlink_to(folder, target_is_directory=True)
    (folder / "ko.py").symlink_to("ko.py")
    (folder / "x.zip").symlink_to("/dev/zero")


@attack("not a regular file of at most 8 MB")
def a_terabyte_without_content(folder: Path) -> None:
    for name in ("ko.py", "a.zip"):
        with (folder / name).open("wb") as file:
            file.truncate(1 << 40)


@attack("deep.ipynb is not a notebook that can be read")
def notebooks_that_are_none(folder: Path) -> None:
    (folder / "deep.ipynb").write_text('{"cells": ' + "[" * 3_000_000)
    (folder / "number.ipynb").write_text('{"cells": ' + "1" * 3_000_000 + "}")


@attack()
def notebooks_of_many_cells(folder: Path) -> None:
    cells = [{"cell_type": "code", "source": "x"}] * 30_000
    (folder / "many.ipynb").write_text(json.dumps({"cells": cells}))
    cells = [{"cell_type": "code", "source": "\U0001f600" * 500_000 + "\ud800"}]
    (folder / "wide.ipynb").write_text(json.dumps({"cells": cells}))


@attack("is nested too deeply")
def folders_in_folders(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for _ in range(1500):
            Path("a").mkdir()
            os.chdir("a")


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder for folders so deep that Python cannot remove them."""
    yield tmp_path / "deep"
    subprocess.run(["rm", "-rf", tmp_path / "deep"], check=True)


@pytest.mark.parametrize("name", ATTACKS)
def test_each_attack_costs_little(name: str, deep: Path) -> None:
    """It prints what each one cost (`pytest -s`)."""
    fill, words = ATTACKS[name]
    source, place = deep / "mallory", deep / "copies"
    source.mkdir(parents=True)
    place.mkdir()
    fill(source)
    start = cpu_time()
    tracemalloc.start()
    try:
        [hand_in] = submissions(source)
        collected = collect(hand_in.parts, place, ["ko"])
        peak = tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
    seconds = cpu_time() - start
    print(f"\n{name:32} {seconds:5.2f} s {peak:4.0f} MB  {collected.notes[:2]}")
    said = [word for word in words for note in collected.notes if word in note]
    assert said or not words, collected.notes
    assert seconds < _SECONDS and peak < _MEGABYTES
    assert not any(path.is_symlink() or not path.resolve().is_relative_to(place)
                   for path in place.rglob("*"))


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch) -> None:
    """It may grow, or a pipe or a link may take its place: nothing waits, or reads another file."""
    (tmp_path / "secret").write_text("secret")
    changed: list[Path] = []
    for change in ("pipe", "link", "longer"):
        path = tmp_path / f"{change}.py"
        path.write_text("x = 1")
        lstat = Path.lstat

        def late_lstat(self: Path, lstat=lstat, change=change, path=path) -> os.stat_result:
            status = lstat(self)
            if self == path and path not in changed:
                changed.append(path)
                path.unlink()
                if change == "pipe":
                    os.mkfifo(path)
                elif change == "link":
                    path.symlink_to(tmp_path / "secret")
                else:
                    path.write_text("y = 2" * 99)
            return status

        with monkeypatch.context() as patch:
            patch.setattr(Path, "lstat", late_lstat)
            read = unpacking._read(path, 1000, unpacking.Budget())
        assert read == (b"y = 2" * 99 if change == "longer" else None)


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root can read everything")
def test_a_folder_that_nobody_can_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "ann/closed").mkdir(parents=True)
    (tmp_path / "ann/closed").chmod(0)
    notes: list[str] = []
    unpacking.unpack([Part(tmp_path / "ann")], notes)
    (tmp_path / "ann/closed").chmod(0o700)
    assert notes == ["closed cannot be read: Permission denied"]


@pytest.mark.sandbox
@sandboxed
def test_all_attacks_come_with_a_class(deep: Path, capfd) -> None:
    for name, (fill, _) in ATTACKS.items():
        (deep / name).mkdir(parents=True)
        fill(deep / name)
    (deep / "alice").mkdir()
    (deep / "alice/ko.py").write_text(get_exercise("ko").solution())
    grades = graded(capfd, deep, deep.with_name("out"))
    assert {name for name, grade in grades.items() if earned(grade)} == {"alice"}
    assert set(grades) == {"alice", *ATTACKS}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs modes of files")
def test_a_trusted_hand_in_may_close_its_own_folder(deep: Path, monkeypatch) -> None:
    """The folder goes all the same; folders that Python cannot remove stay, and do no harm."""
    (deep / "ann").mkdir(parents=True)
    (deep / "bob").mkdir()
    start = "import os\nos.chdir(os.path.dirname(__file__))\n"
    (deep / "ann/ko.py").write_text(
        f"{start}os.makedirs('a/b')\nfor place in ('a/b', 'a', '.'): os.chmod(place, 0)\n")
    (deep / "bob/ko.py").write_text(
        f"{start}for _ in range(1500):\n    os.mkdir('a')\n    os.chdir('a')\n")
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    for name in ("ann", "bob", "ann"):
        [grade] = grade_hand_in(name, deep / name, [get_exercise("ko")], trust=True)
        assert grade.results
    assert len(list(deep.glob("hand-in-*"))) <= 1
