"""Modules of a user that have the names of our packages.

An `engines.py` beside a script comes before the package `engines`, and `import engines.mcts` fails.
Our folder then moves to the front of Python's path, which processes started later inherit.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

# The folder of our packages.
ROOT = Path(__file__).resolve().parents[1]


def prefer_own_packages() -> None:
    """Give our packages precedence over modules of the same names; a line on standard error names
    them."""
    hiding = []
    for name in ("engines", "experiments", "reports"):
        spec = PathFinder.find_spec(name)
        if spec is None or spec.origin is None:
            continue  # a folder without __init__.py never hides a package
        file = Path(spec.origin)
        if ROOT not in file.resolve().parents:
            hiding.append(str(file.parent if file.name == "__init__.py" else file))
    if hiding:
        sys.path.insert(0, str(ROOT))
        print(
            f"dlgo: {' and '.join(hiding)}: your modules have the names of packages of dlgo, which "
            "are imported instead; rename them", file=sys.stderr,
        )
