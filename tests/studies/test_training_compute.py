"""Training compute by year: every number has a source, and estimates agree with published ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from experiments.figures import BLUE, GREEN, ORANGE
from experiments.studies.training_compute import draw, training_compute


def test_every_number_has_a_source() -> None:
    table = training_compute().set_index("program")
    assert table["operations"].gt(0).all() and table["source"].str.len().gt(10).all()


@pytest.mark.parametrize(("program", "published"), [
    ("AlphaGo Fan", 3.8e20), ("AlphaZero", 3.67e22),
])
def test_an_estimate_is_near_that_of_epoch_ai(program: str, published: float) -> None:
    operations = training_compute().set_index("program").loc[program, "operations"]
    assert operations == pytest.approx(published, rel=0.1)


def test_the_picture_shows_programs_of_each_kind(tmp_path: Path) -> None:
    draw(tmp_path / "compute.png")
    pixels = np.rint(255 * imread(tmp_path / "compute.png")[..., :3])
    for colour in (BLUE, GREEN, ORANGE):
        assert (pixels == list(bytes.fromhex(colour[1:]))).all(axis=-1).sum() > 100, colour
