"""SGF archives: every kind of container; what is damaged is named, and nothing lost in silence."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zipfile
from pathlib import Path

import pytest

from dlgo.errors import DataError
from engines.learning.data.archives import contents, listing, with_inner_archives

FILES = {
    "2019/a.sgf": b"(;GM[1]SZ[9]RE[B+R]BR[5d]WR[6d];B[aa];W[bb];B[cc])",
    "2019/b.SGF": b"(;GM[1]SZ[9]RE[W+2.5];B[dd];W[ee])",
    "2019/readme.txt": b"not a game",
}


def containers(folder: Path) -> list[Path]:
    plain = folder / "plain"
    for name, data in FILES.items():
        path = plain / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    archives = [plain]
    for ending, mode in (
        (".tar.gz", "w:gz"), (".tgz", "w:gz"), (".tar", "w"), (".tar.bz2", "w:bz2")
    ):
        archives.append(folder / f"games{ending}")
        with tarfile.open(archives[-1], mode) as tar:
            tar.add(plain / "2019", "2019")
    archives.append(folder / "games.zip")
    with zipfile.ZipFile(archives[-1], "w") as container:
        for name, data in FILES.items():
            container.writestr(name, data)
    return archives


def test_all_containers_hold_the_same(tmp_path: Path) -> None:
    for archive in containers(tmp_path):
        names = listing(archive).names
        assert names == ["2019/a.sgf", "2019/b.SGF"], archive
        assert dict(contents(archive, names)) == {name: FILES[name] for name in names}
        assert [name for name, _ in contents(archive, names[1:])] == names[1:]
    single = tmp_path / "plain/2019/a.sgf"
    assert dict(contents(single, listing(single).names)) == {"a.sgf": FILES["2019/a.sgf"]}


def test_other_files_are_counted_and_what_macos_adds_is_not(tmp_path: Path) -> None:
    files = {
        "a.sgf": b"(;)", "more.SGFS": b"(;)(;)", "__MACOSX/a.sgf": b"x", "__MACOSX/._a.sgf": b"x",
        "._a.sgf": b"x", ".DS_Store": b"x", "b.txt": b"x", "c.txt": b"x", "inner.zip": b"PK",
        "licence": b"x",
    }
    folder = tmp_path / "folder"
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as container:
        for name, data in files.items():
            container.writestr(name, data)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    with tarfile.open(tmp_path / "games.tar.gz", "w:gz") as tar:
        tar.add(folder, "games")
    for archive, inner in (("games.zip", 1), ("games.tar.gz", 1), ("folder", 0)):
        listed = listing(tmp_path / archive)
        assert [name.rpartition("/")[2] for name in listed.names] == ["a.sgf", "more.SGFS"]
        others = {".txt": 2, "no ending": 1} | ({".zip": 1} if inner else {})
        assert dict(listed.others) == others and not listed.broken


def test_archives_inside_folders_are_archives_of_their_own(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    containers(outer)
    (outer / "games.zip").rename(outer / "plain/2019/games.ZIP")
    paths = with_inner_archives([outer, tmp_path / "x.sgf", outer / "games.tar"])
    assert paths[0] == outer and paths.count(outer / "games.tar") == 1
    assert {path.name for path in paths[1:]} == {
        "games.tar.gz", "games.tgz", "games.tar", "games.tar.bz2", "games.ZIP", "x.sgf",
    }
    assert all(listing(path).names for path in paths if path.name != "x.sgf")


def test_broken_archives_are_one_line(tmp_path: Path) -> None:
    archives = containers(tmp_path)[1:]
    for archive in archives:
        whole = archive.read_bytes()
        for data in (b"", b"<html>not found</html>", whole[: len(whole) // 2]):
            archive.write_bytes(data)
            with pytest.raises(DataError) as caught:
                listing(archive)
            assert str(archive) in str(caught.value) and "\n" not in str(caught.value)
    with pytest.raises(DataError, match="cannot be read"):
        listing(tmp_path / "missing.zip")
    (tmp_path / "games.rar").write_bytes(b"Rar!")
    with pytest.raises(DataError, match="neither a folder nor"):
        listing(tmp_path / "games.rar")


def test_files_outside_of_the_archive_are_never_touched(tmp_path: Path) -> None:
    evil = tmp_path / "evil.tar"
    secret = tmp_path / "secret.sgf"
    secret.write_text("secret")
    with tarfile.open(evil, "w") as tar:
        info = tarfile.TarInfo("../../escaped.sgf")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"(;)"))
        link = tarfile.TarInfo("link.sgf")
        link.type, link.linkname = tarfile.SYMTYPE, str(secret)
        tar.addfile(link)
    before = sorted(tmp_path.rglob("*"))
    assert dict(contents(evil, listing(evil).names)) == {"../../escaped.sgf": b"(;)"}
    assert sorted(tmp_path.rglob("*")) == before


GAMES = {
    f"games/{k:03}.sgf": f"(;SZ[9]PB[p{k}]RE[B+{k}];B[{'abcdefghi'[k % 9]}a];W[bb])".encode()
    for k in range(100)
}


def archive_of(path: Path, games: dict[str, bytes]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as container:
            for name, data in games.items():
                container.writestr(name, data)
        return path
    with tarfile.open(path, f"w:{path.suffix[1:].removesuffix('tar')}") as tar:
        for name, data in games.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize("ending", ["tar.gz", "tar.bz2", "tar.xz", "zip"])
def test_a_flipped_bit_never_loses_or_alters_a_game_in_silence(
    ending: str, tmp_path: Path
) -> None:
    """100 flips of one bit: what can be read is as it was, and what cannot is named."""
    path = archive_of(tmp_path / f"games.{ending}", GAMES)
    whole, rng, named = path.read_bytes(), random.Random(1), 0
    for _ in range(100):
        data, bit = bytearray(whole), rng.randrange(8 * len(whole))
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        try:
            listed = listing(path)
        except DataError as error:
            assert str(path) in str(error) and "\n" not in str(error)
            named += 1
            continue
        games = dict(contents(path, listed.names))
        missing = {name for name in GAMES if games.get(name) != GAMES[name]}
        # A zip's damaged file may have a damaged name, even one that does not end in .sgf.
        assert len(listed.broken) + listed.others.total() >= len(missing)
        assert not games.keys() - GAMES.keys()
        named += bool(missing)
    assert named > (50 if ending == "zip" else 90)


@pytest.mark.parametrize("ending", ["tar.gz", "tar", "zip"])
def test_every_cut_of_an_archive_is_an_error(ending: str, tmp_path: Path) -> None:
    path, rng = archive_of(tmp_path / f"games.{ending}", GAMES), random.Random(2)
    whole = path.read_bytes()
    # Behind the last game, a plain tar has its end mark and padding.
    last = len(whole) if ending != "tar" else 100 * 1024
    for cut in [1, last - 1, *(rng.randrange(last) for _ in range(20)), 50 * 1024 % last]:
        path.write_bytes(whole[:cut])
        with pytest.raises(DataError):
            listing(path)


def test_what_lies_behind_the_end_mark_is_an_error(tmp_path: Path) -> None:
    """`cat a.tar b.tar` shows only the games of the first to whoever does not look."""
    first = archive_of(tmp_path / "a.tar.gz", dict(list(GAMES.items())[:3]))
    second = archive_of(tmp_path / "b.tar.gz", dict(list(GAMES.items())[3:6]))
    both = tmp_path / "both.tar.gz"
    both.write_bytes(first.read_bytes() + second.read_bytes())
    with pytest.raises(DataError, match="more behind its end mark"):
        listing(both)


def test_damaged_and_encrypted_files_of_a_zip_are_named_and_the_others_used(
    tmp_path: Path,
) -> None:
    path = archive_of(tmp_path / "games.zip", GAMES)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as container:
        damaged, encrypted = (container.getinfo(f"games/{k:03}.sgf") for k in (7, 8))
    data[damaged.header_offset + 30 + len(damaged.filename) + 9] ^= 4
    for start in (encrypted.header_offset + 6, data.rindex(b"games/008.sgf") - 46 + 8):
        data[start] |= 1  # the flag of encryption, in both headers
    path.write_bytes(data)
    listed = listing(path)
    assert len(listed.names) == 98
    assert "games/007.sgf: cannot be read" in listed.broken[0]
    assert "games/008.sgf: cannot be read" in listed.broken[1] and "encrypted" in listed.broken[1]
    assert dict(contents(path, listed.names)) == {
        name: data for name, data in GAMES.items() if name[6:9] not in ("007", "008")
    }


def test_files_too_large_for_a_game_are_not_unpacked(tmp_path: Path) -> None:
    """300 MiB of zeros: a tar cannot be read on behind them, a zip can."""
    zeros = tmp_path / "zeros.tar.gz"
    with gzip.open(zeros, "wb", compresslevel=1) as file:
        header = tarfile.TarInfo("a.sgf")
        header.size = 300 * 2**20
        file.write(header.tobuf())
        for _ in range(9):
            file.write(bytes(2**20))
    with pytest.raises(DataError, match="larger than 8 MiB"):
        listing(zeros)
    path = archive_of(tmp_path / "games.zip", {"a.sgf": bytes(9 * 2**20), "b.sgf": b"(;)"})
    listed = listing(path)
    assert listed.names == ["b.sgf"] and "a.sgf: cannot be read: larger than 8" in listed.broken[0]
