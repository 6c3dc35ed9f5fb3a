"""The README's commands, run in the order in which they stand, in one folder, as a reader would.

Long ones are shortened by the rules below. What sets up a machine (git, make, pip) is not run, and
tests/chapters runs the scripts of the chapters; here they only have to be there.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from dlgo.version import __version__
from tests.command import ROOT, Done, dlgo_here

README = (ROOT / "README.md").read_text(encoding="utf-8")
SETS_UP = ("git ", "make ", "pip ", "python -m pip ", "python -m venv ", "python3 -m venv ", "cd ",
           ". ", "source ", "uv ", "pipx ")
# The main job, which takes minutes; `make report` runs it.
REPORT = "dlgo tournament experiments/plans/report.toml"
TINY = "--net mlp:hidden=4,layers=1"
# (what a command begins with, what is replaced, by what); the end of the command is `$`.
SHORTER = [
    ("dlgo tournament", r"--pairs \d+", "--pairs 1"),
    ("dlgo report", "$", " --bootstrap 0"),
    ("dlgo generate", r"--games \d+", "--games 6"),
    ("dlgo generate", r"sims=\d+", "sims=10"),
    ("dlgo train supervised", "$", f" --epochs 1 {TINY}"),
    ("dlgo train alphazero", "$", f" --iterations 1 --games 8 --sims 4 --workers 1 {TINY}"),
    ("dlgo bench", "$", " --game tictactoe --seconds 0.05 --rounds 1"),
    ("dlgo play", r"--delay [\d.]+", "--delay 0"),
    ("dlgo export web", "$", " --game tictactoe --engine mcts"),
]
SGF = "(;GM[1]SZ[19]KM[7.5]RE[B+R];B[dd];W[pp];B[dp];W[pd])"


def commands() -> list[str]:
    """The commands of indented lines and of text in backticks, Python blocks as they are."""
    text = README.replace("\\\n", " ")
    pattern = r"^```python\n((?s:.*?))^```|^ {4}(\S.*)$|`(dlgo [^`]+)`"
    lines = []
    for block, line, inline in re.findall(pattern, text, re.MULTILINE):
        if block:
            lines.append(f"python -c {shlex.quote(block)}")
        else:
            lines.append(" ".join((line or inline).split("  #")[0].split()))
    return [command for command in lines if re.search(r"\b(dlgo|python|make)\b", command)]


def shortened(command: str) -> str:
    for start, old, new in SHORTER:
        if command.startswith(start):
            command = re.sub(old, new, command, count=1)
    return command


def own_files(folder: Path, command: str) -> None:
    """The files that a reader brings along, unless a command has made them."""
    for name in set(re.findall(r"\S+\.zip", command)):
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr("game.sgf", SGF)
            archive.writestr("other.sgf", SGF.replace("[pd]", "[qd]"))
    if "game.sgf" in command:
        (folder / "game.sgf").write_text(SGF)


def test_the_commands_are_found() -> None:
    found = commands()
    assert len(found) > 25
    for start in ("dlgo play", "dlgo tournament", "dlgo report", "dlgo train", "python -m"):
        assert any(command.startswith(start) for command in found), start
    targets = {word for command in found if command.startswith("make ")
               for word in command.split()[1:2]}
    makefile = (ROOT / "Makefile").read_text()
    assert targets and all(f"\n{target}:" in makefile for target in targets)
    # The main job without make is the same one.
    job = makefile.split("$(BIN)/")[1].splitlines()[0].replace("$(OUT)", "out/report")
    assert job == next(command for command in found if command.startswith(REPORT))


def test_the_citation_names_this_version() -> None:
    yaml = pytest.importorskip("yaml", reason="comes with what the course is built with")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__ and citation["license"] == "MIT"
    assert {"cff-version", "message", "title", "authors"} <= {*citation}


def run(
    command: str, folder: Path, environment: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> Done:
    """What a shell would do; a command of `dlgo` alone runs in this process, which is quicker."""
    if command.startswith("dlgo web"):
        return begun_and_ended(f"{command} --no-browser --port 0", folder, environment)
    if re.match(r"dlgo (?!gtp)", command) and not re.search(r"[|<>;&$*`]", command):
        words = shlex.split(command, comments=True)[1:]
        return dlgo_here(capfd, *words, stdin="quit\n", cwd=folder)
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, input="quit\n",
        capture_output=True, text=True, timeout=300, check=False,
    )


def begun_and_ended(command: str, folder: Path, environment: dict[str, str]) -> Done:
    """A server, ended by Ctrl-C as soon as it has said where it is."""
    with subprocess.Popen(
        f"exec {command}", shell=True, cwd=folder, env=environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as server:
        address = server.stdout.readline()
        server.send_signal(signal.SIGINT)
        output, errors = server.communicate(timeout=300)
    return Done(command, server.returncode, address + output, errors)


@pytest.mark.docs
def test_every_command_works_as_it_is_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if find_spec("keras") is None:
        pytest.skip("needs keras")
    (tmp_path / "bin").mkdir()
    for name, start in (("dlgo", "-m experiments.cli"), ("python", "")):
        shim = tmp_path / "bin" / name
        shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {start} "$@"\n')
        shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    environment = {
        **os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
        "MPLBACKEND": "agg",
    }
    for command in commands():
        if command.startswith((*SETS_UP, REPORT)):
            continue
        if script := re.match(r"python -m (experiments\.chapters\.\w+)", command):
            assert find_spec(script[1]), command
            continue
        own_files(tmp_path, command)
        done = run(shortened(command), tmp_path, environment, capfd)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert "Traceback" not in done.stdout + done.stderr, command
        assert done.stdout + done.stderr, f"{command} prints nothing"
