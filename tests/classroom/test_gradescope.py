"""The autograder for Gradescope, in a folder like its containers' /autograder."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.programs.sandbox import other_user
from experiments.classroom.exercise import get_exercise
from experiments.classroom.gradescope import write_autograder
from tests.classroom.formats import GRADESCOPE
from tests.classroom.test_attacks import SYSTEM_PYTHON

jsonschema = pytest.importorskip("jsonschema")
KO = get_exercise("ko")


@pytest.fixture(scope="module")
def autograder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as Gradescope's: root's hand-ins run as another user
        yield unpacked(Path(folder))


def unpacked(root: Path) -> Path:
    write_autograder(root / "autograder.zip", [KO])
    with zipfile.ZipFile(root / "autograder.zip") as archive:
        archive.extractall(root / "source")
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
    assert modes["run_autograder"] & 0o111 and modes["setup.sh"] & 0o111
    assert (root / "autograder.zip").stat().st_size < 10 << 20
    (root / "run_autograder").write_bytes((root / "source/run_autograder").read_bytes())
    return root


@functools.cache
def python_of_all(root: Path) -> Path:
    """A Python that other users can run, too, if we are root."""
    if os.name != "posix" or os.getuid() != 0 or other_user():
        return Path(sys.executable)
    packages = os.pathsep.join(path for path in sys.path if path.endswith("-packages"))
    script = root / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec {SYSTEM_PYTHON} "$@"\n')
    script.chmod(0o755)
    look = "from engines.programs.sandbox import other_user; raise SystemExit(not other_user())"
    done = subprocess.run([script, "-c", look], env={"PYTHONPATH": str(root / "source")},
                          capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"other users cannot run {SYSTEM_PYTHON} with these packages")
    return script


def graded(root: Path, files: dict[str, str], total: str | None, **more: str) -> dict[str, object]:
    """results.json for a submission; no program of ours or of the sandbox is on the path."""
    for path in (root / "submission").glob("*"):
        path.unlink()
    (root / "submission").mkdir(exist_ok=True)
    for name, text in files.items():
        (root / "submission" / name).write_text(text)
    metadata = {"id": 1, "created_at": "2026-11-20T12:00:00.000000-07:00", "users": [],
                "assignment": {"title": "Ko", "total_points": total}}
    (root / "submission_metadata.json").write_text(json.dumps(metadata))
    variables = {"AUTOGRADER": str(root), "PATH": os.defpath,
                 "PYTHON": str(python_of_all(root))} | more
    keep = {key: value for key, value in os.environ.items() if key.startswith("DLGO_")}
    subprocess.run(["bash", root / "run_autograder"], env=keep | variables, check=True,
                   capture_output=True, timeout=300)
    results = json.loads((root / "results/results.json").read_text())
    jsonschema.validate(results, GRADESCOPE)
    return results


@pytest.mark.slow
def test_scores_are_those_of_the_assignment(autograder: Path) -> None:
    results = graded(autograder, {"ko (1).py": KO.solution()}, "25.0")
    assert results["score"] == 25 == sum(test["max_score"] for test in results["tests"])
    assert "ko (1).py is taken as ko.py" in results["output"]


def test_there_are_results_even_if_nothing_could_be_graded(autograder: Path) -> None:
    results = graded(autograder, {"Untitled.ipynb": '{"cells": []}'}, None)
    assert results["score"] == 0
    assert "no file is named after an exercise; files: Untitled.ipynb" in results["output"]
    results = graded(autograder, {}, "10", PYTHON="/bin/false")
    assert results["score"] == 0 and "the grader has failed" in results["output"]
