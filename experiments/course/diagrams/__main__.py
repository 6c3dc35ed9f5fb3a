"""Write the pictures of pages that run no code: `python -m experiments.course.diagrams`."""

from pathlib import Path

from dlgo.files import write_file
from experiments.course import diagrams

IMAGES = Path(__file__).resolve().parents[3] / "docs/images"

if __name__ == "__main__":
    for draw in diagrams.OF_DOCS:
        write_file(IMAGES / f"{draw.__name__}.svg", draw().svg() + "\n")
