"""All experiments of the course: everything that its pages show.

    python -m experiments.chapters --quick     # what to look for, and what came of it
    python -m experiments.chapters --check     # measure again, compare with what the pages show

The full run takes about an hour and a half of one core; several scripts can run side by side.
"""

from importlib import import_module
from pathlib import Path

from experiments.chapters.experiment import Experiment, script

if __name__ == "__main__":
    names = [path.stem for path in sorted(Path(__file__).parent.glob("ch??.py"))]
    modules = [import_module(f"experiments.chapters.{name}") for name in names]
    script(__doc__, *(value for module in modules for value in vars(module).values()
                      if isinstance(value, Experiment)))
