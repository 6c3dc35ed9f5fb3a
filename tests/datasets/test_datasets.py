"""`dlgo generate` and `dlgo data`: stopped, killed, repeated, with any number of workers."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from dlgo.errors import DataError, DlgoError
from engines.learning.data import Dataset, read_shard
from experiments.datasets.generate import generate, make_recipe
from experiments.datasets.sgf_import import Filter, import_sgf, index_sgf, pieces
from experiments.datasets.show import show_lines
from experiments.progress import LineProgress
from tests.command import ROOT, dlgo_here
from tests.conftest import RUN_ALL

RECIPE = make_recipe("tictactoe", "mcts:sims=30", seed=3, shard_games=4)
COMMAND = [
    "generate", "tictactoe", "--engine", "mcts:sims=30", "--seed", "3", "--shard-games", "4",
]
AWKWARD = ROOT.parent / "shared/oracles/sgf/awkward"


class Quiet(LineProgress):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def log(self, text: str) -> None:
        self.said.append(text)


def contents(folder: Path) -> dict[str, str]:
    return {path.name: read_shard(path).content for path in folder.glob("games-*.npz")}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    return generate(RECIPE, 18, tmp_path_factory.mktemp("made"), 1, Quiet())


@pytest.mark.slow
def test_games_come_from_the_seed_whoever_makes_them(made: Path, tmp_path: Path) -> None:
    generate(RECIPE, 18, tmp_path / "two", 2, Quiet())
    assert contents(tmp_path / "two") == contents(made)
    data = Dataset.open(made)
    assert data.n_games == 18
    assert len(set(data.digests.tolist())) > 9  # variety: most games differ
    other = make_recipe("tictactoe", "mcts:sims=30", seed=4, shard_games=4)
    generate(other, 4, tmp_path / "other", 1, Quiet())
    assert contents(tmp_path / "other")["games-000000.npz"] not in contents(made).values()
    lines = show_lines(made)
    assert "tictactoe: 18 games" in lines[0] and "5 shards" in lines[1]
    assert any("dlgo generate mcts:sims=30" in line for line in lines)


def test_only_what_is_missing_or_broken_is_made(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for path in made.glob("games-*.npz"):
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "games-000001.npz").unlink()
    broken = folder / "games-000002.npz"
    broken.write_bytes(broken.read_bytes()[:-50])
    kept = folder / "games-000003.npz"
    before = kept.stat().st_mtime_ns
    progress = Quiet()
    generate(RECIPE, 18, folder, 1, progress)
    assert contents(folder) == contents(made)
    assert kept.stat().st_mtime_ns == before
    assert any("games-000002.npz" in line and "made again" in line for line in progress.said)
    # More games: the last shard, which had two, is filled up with the same ones first.
    generate(RECIPE, 20, folder, 1, Quiet())
    longer = read_shard(folder / "games-000004.npz").games
    shorter = read_shard(made / "games-000004.npz").games
    assert (len(shorter), len(longer)) == (2, 4)
    assert longer[1].actions.tolist() == shorter[1].actions.tolist()


def test_provenance_is_in_every_shard(made: Path) -> None:
    for path in made.glob("games-*.npz"):
        provenance = read_shard(path).provenance
        assert provenance["recipe"] == dataclasses.asdict(RECIPE)
        assert provenance["version"] and "core" in provenance["machine"]
        assert provenance["cpu_seconds"] > 0 and provenance["finished"].startswith("20")


def test_a_folder_of_other_games_is_left_alone(made: Path, tmp_path: Path) -> None:
    for other in (
        make_recipe("tictactoe", "mcts:sims=31", seed=3, shard_games=4),
        make_recipe("tictactoe", "mcts:sims=30", against="random", seed=3, shard_games=4),
        make_recipe("connect4", "mcts:sims=30", seed=3, shard_games=4),
    ):
        with pytest.raises(DataError, match="another --out folder"):
            generate(other, 4, made, 1, Quiet())


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, *([signal.SIGINT] if RUN_ALL else [])])
def test_a_run_that_is_stopped_goes_on(made: Path, tmp_path: Path, number: int) -> None:
    mark = f"dlgo-data-{os.getpid()}-{number}"
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", *COMMAND, "--games", "20000", "--workers", "2",
         "--out", str(tmp_path)],
        cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "DLGO_TEST_MARK": mark},
        # A shell makes its background jobs deaf to Ctrl-C, and their children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until = time.monotonic() + 120
    while len(list(tmp_path.glob("games-*.npz"))) < 3 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert number == signal.SIGKILL or "run the same command" in errors
    assert "Traceback" not in errors
    until = time.monotonic() + 120
    while _alive(mark) and time.monotonic() < until:
        time.sleep(0.1)
    assert not _alive(mark)
    found = contents(tmp_path)  # raises if any shard is broken
    assert len(found) >= 3
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.glob("games-*.npz")}
    generate(RECIPE, 4 * max(4, len(found)), tmp_path, 1, Quiet())
    assert stamps.items() <= {p: p.stat().st_mtime_ns for p in tmp_path.glob("games-*.npz")}.items()
    assert list(tmp_path.glob(".*.tmp")) == []
    wanted = contents(made)
    del wanted["games-000004.npz"]  # it has two games
    assert wanted.items() <= contents(tmp_path).items()


def _alive(mark: str) -> list[str]:
    processes = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                processes.append(folder.name)
        except OSError:
            continue
    return processes


GAMES = {
    "one.sgf": b"(;SZ[9]RE[B+R];B[aa];W[bb])",
    "two.sgf": b"(;SZ[9]RE[W+R];B[cc];W[bb];B[ee])",
    "broken.sgf": b"(;SZ[9];B[aa];W[aa])",
    "large.sgf": b"(;SZ[13];B[aa])",
}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    for name, data in GAMES.items():
        (tmp_path / name).write_bytes(data)
    path = tmp_path / "games.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name in GAMES:
            tar.add(tmp_path / name, name)
    return path


def test_an_archive_becomes_shards(archive: Path, tmp_path: Path, capfd) -> None:
    out = tmp_path / "out"
    done = dlgo_here(capfd, "data", "import-sgf", archive, "--size", 9, "--out", out,
                     "--workers", 1)
    assert done.returncode == 0, done.stderr
    assert "skipped:" in done.stderr
    assert "games.tar.gz/broken.sgf: move 2" in done.stderr
    assert "1 game filtered out: another board size" in done.stderr
    assert "2 games, 5 positions" in done.stderr
    data = Dataset.open(out)
    assert (data.n_games, data.n_positions) == (2, 5)
    assert sorted(game.result for game in data.games()) == [-1, 1]
    again = dlgo_here(capfd, "data", "import-sgf", archive, "--size", 9, "--out", out,
                      "--workers", 1)
    assert "4 of 4 files are imported already" in again.stderr
    other = dlgo_here(capfd, "data", "import-sgf", archive, "--size", 13, "--out", out)
    assert other.returncode == 2
    assert "another --out folder" in other.stderr
    shown = dlgo_here(capfd, "data", "show", out)
    assert "go:size=9: 2 games (2 different), 5 positions" in shown.stdout


def test_a_damaged_archive_is_named_and_the_others_are_imported(
    archive: Path, tmp_path: Path, capfd
) -> None:
    bad = tmp_path / "bad.tar.gz"
    data = bytearray(archive.read_bytes())
    data[-6] ^= 1  # in the checksum: all games can still be unpacked
    bad.write_bytes(data)
    protected = tmp_path / "protected.zip"
    with zipfile.ZipFile(protected, "w") as container:
        container.writestr("kept.sgf", b"(;SZ[9]KM[375];B[aa];W[];B[];W[])")
        container.writestr("lost.sgf", GAMES["one.sgf"])
    zipped = bytearray(protected.read_bytes())
    zipped[zipped.rindex(b"lost.sgf") - 46 + 8] |= 1  # the flag of encryption
    protected.write_bytes(zipped)
    out = tmp_path / "out"
    done = dlgo_here(capfd, "data", "import-sgf", bad, archive, protected, "--size", 9,
                     "--out", out, "--workers", 1)
    assert done.returncode == 2
    assert f"{bad}: cannot be read: CRC check failed" in done.stderr
    assert "protected.zip/lost.sgf: cannot be read" in done.stderr
    assert "kept.sgf: KM[375] is read as 7.5 points; two passes end the game" in done.stderr
    assert "3 games, 8 positions" in done.stderr
    assert "1 of 3 archives and 1 file of archives cannot be read" in done.stderr.splitlines()[-1]
    assert Dataset.open(out).n_games == 3
    listed = dlgo_here(capfd, "data", "index-sgf", bad, protected, "--workers", 1)
    assert listed.returncode == 2
    assert listed.stdout.startswith("1 game, 1 of them readable, 4 moves\n")
    assert "1 of 2 archives and 1 file of archives cannot be read" in listed.stderr


def test_an_import_without_a_game_says_why_each_time(archive: Path, tmp_path: Path, capfd) -> None:
    command = ("data", "import-sgf", archive, "--out", tmp_path / "out", "--workers", 1)
    for _ in range(2):
        done = dlgo_here(capfd, *command)
        assert done.returncode == 2
        assert "no game was imported: another board size (4)" in done.stderr.splitlines()[-1]
    assert dlgo_here(capfd, *command, "--size", 9).returncode == 0  # in the same folder
    assert Dataset.open(tmp_path / "out").n_games == 2


def test_a_folder_is_imported_with_its_archives_and_collections(
    archive: Path, tmp_path: Path, capfd
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    archive.rename(folder / archive.name)
    (folder / "three.sgfs").write_bytes(
        b"(;SZ[9]RE[B+1];B[hh])(;SZ[9];B[aa];W[aa])(;SZ[9]RE[W+1];B[ii])"
    )
    (folder / "readme.txt").write_text("games")
    done = dlgo_here(capfd, "data", "import-sgf", folder, "--size", 9, "--out", tmp_path / "out",
                     "--workers", 1)
    assert done.returncode == 0, done.stderr
    assert f"{folder}: other files are ignored: .txt 1" in done.stderr
    assert "three.sgfs, game 2: move 2, white A9, is illegal" in done.stderr
    assert Dataset.open(tmp_path / "out").n_games == 4


def test_the_index_says_what_is_there(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(DlgoError, match="is the file that is read"):
        index_sgf([archive], archive, 1)
    lines, damaged = index_sgf([archive], tmp_path / "index.csv", 1)
    assert not damaged
    assert lines[0] == "4 games, 4 of them readable, 8 moves"
    assert "9x9 3, 13x13 1" in lines[1]
    rows = (tmp_path / "index.csv").read_text().splitlines()
    assert len(rows) == 5
    assert rows[0].startswith("name,error,size,handicap,moves,result")
    (single := tmp_path / "single.sgf").write_text("no game")
    lines, _ = index_sgf([single], None, 1)
    assert lines[-1].startswith(f"skipped: {single}: not a readable Go rec")


def test_a_sample_is_drawn_by_its_seed(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(81):
        point = "abcdefghi"[i % 9] + "abcdefghi"[i // 9]
        (folder / f"{i:02}.sgf").write_text(f"(;SZ[9]RE[B+1];B[{point}])")
    drawn = []
    for seed in (1, 1, 2):
        (piece,), damaged = pieces([folder], 20, seed, Quiet())
        assert not damaged
        drawn.append(set(piece.names))
    assert [len(one) for one in drawn] == [20, 20, 20]
    assert drawn[0] == drawn[1] != drawn[2]
    data = Dataset.open(import_sgf([folder], tmp_path / "out", Filter(9), 20, 1, 1))
    played = {"abcdefghi"[a % 9] + "abcdefghi"[8 - a // 9] for a in
              (int(game.actions[0]) for game in data.games())}
    assert played == {(folder / name).read_text()[-4:-2] for name in drawn[0]}
    for source, count, message in ((folder, 82, "81 SGF files"), (tmp_path / "out", 1, "no SGF")):
        with pytest.raises(DataError, match=message):
            import_sgf([source], tmp_path / "more", Filter(9), count, 1, 1)


@pytest.mark.skipif(not AWKWARD.is_dir(), reason="needs ../shared/oracles/sgf/awkward")
def test_awkward_files_are_used_or_named(tmp_path: Path, capfd) -> None:
    done = dlgo_here(capfd, "data", "import-sgf", AWKWARD, "--out", tmp_path, "--workers", 1)
    assert done.returncode == 0, done.stderr
    named = [line for line in done.stderr.splitlines() if line.startswith("skipped: ")]
    assert any("not-an-sgf-file.sgf" in line for line in named)
    noted = [line for line in done.stderr.splitlines() if line.startswith("note: ")]
    assert any("setup-after-first-move.sgf: stones set up" in line for line in noted)
    assert Dataset.open(tmp_path).n_games > 5
