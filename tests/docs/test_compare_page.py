"""docs/compare.md: its commands, run in the order of the page, print what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command import ROOT, dlgo_here

PAGE = (ROOT / "docs/compare.md").read_text(encoding="utf-8")


@pytest.mark.docs
def test_the_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = ""
    blocks = re.findall(r"^```(text|toml)\n(.*?)^```$|^((?: {4}[^\n]*\n)+)", PAGE, re.M | re.S)
    for kind, block, commands in blocks:
        if kind == "toml":
            Path("field.toml").write_text(block)
        elif kind == "text":
            # On a busy machine workers finish some pairs after the test has decided.
            lines = re.sub(r" \(\d+ more pairs? .*\)$", "", printed, flags=re.M).splitlines()
            missing = [line for line in block.splitlines() if line not in lines]
            assert not missing, printed
        for command in commands.replace("\\\n", "").splitlines():
            if "dlgo report" in command:
                continue  # tests/reports/test_report.py
            done = dlgo_here(capfd, *shlex.split(command)[1:])
            assert done.returncode == 0, done.stderr
            printed = done.stdout
