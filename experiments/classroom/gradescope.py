"""An autograder for Gradescope: a zip file with dlgo and the two scripts that Gradescope runs.

See https://gradescope-autograders.readthedocs.io/en/latest/specs/. `setup.sh` runs once, as root,
when the image of the assignment is built; `run_autograder` for each submission.
"""

from __future__ import annotations

import zipfile
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from dlgo.errors import DlgoError
from experiments.classroom.exercise import Exercise

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("dlgo", "engines", "experiments", "reports")
_ENDINGS = (".py", ".toml", ".sql", ".html", ".json", ".css", ".js")
_SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once: Python 3.11 or later, and what dlgo needs.
set -e
root="${{AUTOGRADER:-/autograder}}"
apt-get update
apt-get install -y python3.11 python3.11-venv || apt-get install -y python3 python3-venv
python="$(command -v python3.11 || command -v python3)"
"$python" -m venv "$root/venv"
"$root/venv/bin/pip" install {requirements}
# Submissions run as another user, who must not read solutions.
chmod -R go-rwx "$root/source/experiments"
"""
_RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission.
root="${{AUTOGRADER:-/autograder}}"
cd "$root"
mkdir -p results
rm -f results/results.json
PYTHONPATH="$root/source" "${{PYTHON:-$root/venv/bin/python}}" -P -m experiments.cli class grade \\
    submission --trust --workers 1 {exercises} --out "$(mktemp -d)" \\
    --gradescope results/results.json
[ -s results/results.json ] || echo '{{"score": 0, "tests": [], "output": "Nothing was graded: \
the grader has failed. Tell your lecturer."}}' > results/results.json
"""


def write_autograder(path: Path, exercises: list[Exercise]) -> None:
    """Write the zip file. Raises DlgoError if dlgo is not installed here, since its requirements
    are unknown then."""
    try:
        requirements = [text for text in requires("dlgo-suite") or [] if "extra ==" not in text]
    except PackageNotFoundError:
        raise DlgoError("dlgo is not installed here; see README.md, Install") from None
    scripts = {
        "setup.sh": _SETUP.format(requirements=" ".join(f"'{text}'" for text in requirements)),
        "run_autograder": _RUN.format(exercises=" ".join(
            f"--exercise {exercise.name}" for exercise in exercises)),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in scripts.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, text)
        for package in _PACKAGES:
            for file in sorted((_ROOT / package).rglob("*")):
                if file.suffix in _ENDINGS and "models" not in file.parts:
                    archive.write(file, file.relative_to(_ROOT))
