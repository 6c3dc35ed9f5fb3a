"""What does not need Ray: which files travel and how, and what people are told."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from engines.programs.sandbox import Allowance, Sandbox, SandboxError
from experiments import cluster_files
from experiments.arena.entrants import Launch
from experiments.cluster import ClusterError, ClusterTasks
from experiments.cluster_files import files_of, pack, pack_bots, unpack, unpack_bots
from tests.conftest import one_line_error


def test_a_folder_arrives_as_it_was_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "net/deep").mkdir(parents=True)
    (tmp_path / "net/deep/weights").write_bytes(bytes(1000))
    (tmp_path / "net/link").symlink_to("/etc/passwd")
    archive = pack([tmp_path / "net"])
    (tmp_path / "net/deep/weights").touch()
    assert pack([tmp_path / "net"]) == archive
    unpack(archive, tmp_path / "there")
    assert (tmp_path / "there/net/deep/weights").read_bytes() == bytes(1000)
    assert not (tmp_path / "there/net/link").exists()
    with one_line_error(DlgoError, "cannot send"):
        pack([tmp_path / "nowhere"])
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("../escaped"), io.BytesIO())
    with one_line_error(DlgoError, "not a file in its folder"):
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
    with one_line_error(DlgoError, "is outside the working folder"):
        files_of([f"{tmp_path}/bots/my.py:Greedy"])


def test_an_untrusted_bot_needs_a_sandbox_here_and_there(tmp_path: Path, monkeypatch) -> None:
    def missing() -> None:
        raise SandboxError("untrusted code needs bubblewrap (bwrap), which is not installed")

    with one_line_error(DlgoError, "--trust does not work on a cluster"):
        pack_bots({"student:ann": Launch("bot.py", None)})
    home = tmp_path / "ann"
    home.mkdir()
    (home / "bot.py").write_text("")
    sandbox = Sandbox([home], Allowance(memory_mb=500), None)
    launches = {"student:ann": Launch(f"{home}/bot.py", sandbox)}
    archives = pack_bots(launches)
    monkeypatch.setattr(cluster_files, "check_sandbox", missing)
    with one_line_error(SandboxError, "needs bubblewrap"):
        unpack_bots(archives, launches, ["tictactoe"], tmp_path / "there")
    assert not (tmp_path / "there").exists()
    monkeypatch.setattr(cluster_files, "check_sandbox", lambda: None)
    there = unpack_bots(archives, launches, ["tictactoe"], tmp_path / "there")
    assert Path(there["student:ann"].spec).is_relative_to(tmp_path / "there")
    assert Path(there["student:ann"].spec).exists()


def test_without_ray_one_line_says_what_to_install(tmp_path: Path, monkeypatch, capsys) -> None:
    from experiments.cli.main import main

    monkeypatch.setattr("dlgo.extras.find_spec", lambda name: None)
    for command in (
        ["tournament", "--game", "tictactoe", "--engine", "random", "--engine", "mcts:sims=2",
         "--ledger", str(tmp_path / "l")],
        ["generate", "tictactoe", "--engine", "random", "--games", "2", "--out", str(tmp_path)],
        ["train", "alphazero", "--game", "tictactoe", "--out", str(tmp_path / "run")],
    ):
        with pytest.raises(SystemExit) as ended:
            main([*command, "--cluster", "local"])
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert 'pip install "dlgo-suite[cluster]"' in line


@pytest.mark.parametrize("address", ["nonsense", "host:0", "ray://host:1", "127.0.0.1:1", ":::"])
def test_an_address_where_nothing_is_gives_one_line(address: str) -> None:
    pytest.importorskip("ray")
    with one_line_error(ClusterError, address):
        ClusterTasks(address, print)
