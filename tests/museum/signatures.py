"""What each fault of the museum breaks: measured by an audit of our own file with the fault in it.

    python -m tests.museum.signatures [FAULT]...

writes experiments/museum/signatures.json, by which the auditor names faults.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import click

from dlgo.text import replace_once
from experiments.museum import KINDS, audit
from experiments.museum.audit import Report
from experiments.museum.planting import Fault, faults, get_fault, write
from tests.command import ROOT

# The glue that shows each of our files to the auditor: a name in `glue/`.
GLUE = {
    "engines/minimax/textbook.py": "alphabeta",
    "engines/mcts/textbook.py": "uct",
    "engines/alphazero/textbook.py": "puct",
    "engines/alphazero/textbook_gumbel.py": "gumbel",
    "engines/alphazero/textbook_training.py": "training",
    "engines/learning/from_scratch/network.py": "network",
    "engines/policy_gradient/textbook.py": "reinforce",
}


def glued(path: Path, file: str) -> Path:
    """Write, beside a changed copy of one of our files, the glue that shows it to the auditor."""
    module = file.removesuffix(".py").replace("/", ".")
    text = (ROOT / "tests/museum/glue" / f"{GLUE[file]}.py").read_text(encoding="utf-8")
    target = path.with_name(f"audit_{path.name}")
    target.write_text(replace_once(text, f"from {module} import", f"from {path.stem} import"),
                      encoding="utf-8")
    return target


def audit_fault(fault: Fault) -> Report:
    """The audit of one of our files with a fault in it."""
    with tempfile.TemporaryDirectory() as folder:
        return audit.audit(glued(write(fault, Path(folder)), fault.file))


@click.command()
@click.argument("names", nargs=-1, metavar="[FAULT]...")
def main(names: tuple[str, ...]) -> None:
    """Audit faults (default: all), and keep what they break."""
    kept = {name: features for name, features in audit.signatures().items()
            if name in faults() or name in KINDS}
    for name in names or faults():
        report = audit_fault(get_fault(name))
        kept[name] = sorted({one for finding in report.findings for one in finding.features})
        click.echo(f"{name}: {len(kept[name])}")
        audit.SIGNATURES.write_text(json.dumps(dict(sorted(kept.items())), indent=0) + "\n",
                                    encoding="utf-8")


if __name__ == "__main__":
    main()
