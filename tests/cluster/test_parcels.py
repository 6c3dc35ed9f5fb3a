"""Files that travel arrive as they were, under the same names, and nowhere else."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from experiments.cluster.parcels import digest_of, files_of, pack, unpack
from tests.conftest import one_line_error


def test_a_folder_arrives_as_it_was_and_equal_contents_have_one_digest(tmp_path: Path) -> None:
    (tmp_path / "net/deep").mkdir(parents=True)
    (tmp_path / "net/deep/weights").write_bytes(bytes(1000))
    (tmp_path / "net/link").symlink_to("/etc/passwd")
    one = pack([tmp_path / "net"])
    (tmp_path / "net/deep/weights").touch()
    assert pack([tmp_path / "net"]) == one
    unpack(one, tmp_path / "there")
    assert (tmp_path / "there/net/deep/weights").read_bytes() == bytes(1000)
    assert not (tmp_path / "there/net/link").exists()
    (tmp_path / "net/deep/weights").write_bytes(b"other")
    assert digest_of(pack([tmp_path / "net"])) != digest_of(one)
    with one_line_error(DlgoError, "cannot send"):
        pack([tmp_path / "nowhere"])


def test_a_parcel_cannot_write_outside_of_its_folder(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("../escaped"), io.BytesIO())
    with pytest.raises(tarfile.TarError):
        unpack(buffer.getvalue(), tmp_path / "inside")
    assert not (tmp_path / "escaped").exists()


def test_a_bot_brings_its_neighbours_and_a_model_its_folder(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("bots/my.py", "bots/helper.py", "bots/pack/__init__.py", "out/net/card.json"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("")
    Path("bots/notes.txt").write_text("")
    specs = ["bots/my.py:Greedy:depth=2@0123abcd", "alphazero:network=out/net,sims=20", "random"]
    assert {str(path) for path in files_of(specs)} == {
        "bots/my.py", "bots/helper.py", "bots/pack", "out/net"}
    unpack(pack([tmp_path / path for path in files_of(specs)], tmp_path), tmp_path / "there")
    assert (tmp_path / "there/out/net/card.json").exists()
    with one_line_error(DlgoError, "is outside the working folder"):
        files_of([f"{tmp_path}/bots/my.py:Greedy"])
