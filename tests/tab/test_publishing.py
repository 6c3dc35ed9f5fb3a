"""The workflow and the container that publish a tab export it by commands that there are."""

from __future__ import annotations

import re
import shlex

import pytest

from experiments.cli.main import cli
from tests.command import ROOT

yaml = pytest.importorskip("yaml", reason="needs PyYAML, which MkDocs brings")


def check_export(command: str) -> str:
    """The folder of an export, if the command can be read."""
    program, *words = shlex.split(command)
    assert program == "dlgo"
    export = cli.get_command(None, words[0]).get_command(None, words[1])
    return str(export.make_context("web", words[2:]).params["out"])


def test_the_workflow_publishes_what_it_exports() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/pages.yml").read_text())
    steps = workflow["jobs"]["publish"]["steps"]
    [command] = [step["run"] for step in steps if step.get("run", "").startswith("dlgo")]
    [folder] = [step["with"]["path"] for step in steps if "path" in step.get("with", {})]
    assert check_export(command) == folder


def test_the_container_serves_what_it_exports() -> None:
    text = (ROOT / "docker/web.Dockerfile").read_text()
    [command] = re.findall(r"^RUN (dlgo .+)$", text, re.M)
    assert f"COPY --from=export {check_export(command)} " in text
    for sources in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.M):
        assert all((ROOT / source).exists() for source in sources.split())
