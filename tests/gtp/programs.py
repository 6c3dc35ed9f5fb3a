"""GTP programs that misbehave, each a small Python script, and how the tests start them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

GNUGO = Path("/usr/games/gnugo")
# Plays by area, keeps our ko rule, and plays on until dead stones are captured.
GNUGO_OPTIONS = "--mode gtp --chinese-rules --capture-all-dead --situational-superko"

needs_gnugo = pytest.mark.skipif(not GNUGO.exists(), reason=f"needs GNU Go at {GNUGO}")

# What every mock begins with: it answers as a Go program should, until `odd` says otherwise.
_FRAME = """
import os, signal, subprocess, sys, time
def say(text, number="", mark="="):
    sys.stdout.write(f"{mark}{number} {text}\\n\\n"); sys.stdout.flush()
def odd(name, words, number):
    return False
CODE
genmoves = 0
for line in sys.stdin:
    number, name, *words = line.split()
    if odd(name, words, number):
        continue
    if name == "genmove":
        genmoves += 1
        say(f"{'ABCDE'[genmoves % 5]}{genmoves}", number)
    else:
        say("", number)
    if name == "quit":
        break
"""


def mock(folder: Path, code: str, options: str = "") -> str:
    """A specification of the engine that plays by a mock program.

    Args:
        code: Python that defines `odd(name, words, number)`; true means: that was answered.
        options: such as `,timeout=1`.
    """
    script = folder / f"mock{len(list(folder.iterdir()))}.py"
    script.write_text(_FRAME.replace("CODE", code))
    return f"gtp:{sys.executable} -S {script}{options}"


def at_genmove(action: str) -> str:
    """Code for a mock that does something odd when asked for a move."""
    return f"""
def odd(name, words, number):
    if name != "genmove":
        return False
    {action}
    return True
"""


def living(marker: str) -> list[int]:
    """The processes whose command line contains `marker`, zombies not counted."""
    processes = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker in (folder / "cmdline").read_text(errors="replace"):
                processes.append(int(folder.name))
        except OSError:
            continue
    return processes
