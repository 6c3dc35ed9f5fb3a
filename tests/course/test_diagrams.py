"""Diagrams are legible from the back row, and their numbers are those of the code they explain."""

import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from experiments.course import diagrams
from experiments.course.diagrams.kit import CONTRAST, contrast, palette
from experiments.course.diagrams.learning import objective
from experiments.course.diagrams.search import cut_recording, mcts_recording

IMAGES = Path(__file__).parents[2] / "docs/images"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pictures() -> dict[str, ET.Element]:
    """Each picture as its SVG element."""
    return {name: ET.fromstring(getattr(diagrams, name)().svg()) for name in diagrams.__all__}


def texts(picture: ET.Element) -> str:
    return " ".join("".join(text.itertext()) for text in picture.iter(f"{SVG}text"))


def test_text_is_legible_on_a_projector(pictures):
    """On a screen of 1920x1080 all text is at least 1/40 of its height."""
    for name, picture in pictures.items():
        _, _, width, height = map(float, picture.attrib["viewBox"].split())
        scale = min(1920 / width, 1080 / height)
        sizes = [float(part.attrib["font-size"]) for part in picture.iter()
                 if "font-size" in part.attrib]
        assert sizes and min(sizes) * scale >= 1080 / 40, name
        assert width / height >= 16 / 9, name


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast_on_paper_and_fills(pictures, dark):
    colours = palette(dark)
    surfaces = [name for name in colours if name == "paper" or name.endswith("-fill")]
    for name, picture in pictures.items():
        css = picture.findtext(f"{SVG}style")
        assert all(css.count(f"--{key}:{colour};") for key, colour in colours.items()), name
        inks = {re.search(r"fill:var\(--([\w-]+)\)", text.attrib["style"])[1]
                for text in picture.iter(f"{SVG}text")}
        assert min(contrast(colours[ink], colours[surface])
                   for ink in inks for surface in surfaces) >= CONTRAST, name


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_pictures_say_what_they_show(pictures):
    for name, picture in pictures.items():
        title = picture.findtext(f"{SVG}title")
        assert picture.attrib["role"] == "img" and len(title) > 40 and title.endswith("."), name


def test_files_of_docs_are_those_of_the_code():
    for draw in diagrams.OF_DOCS:
        path = IMAGES / f"{draw.__name__}.svg"
        assert path.read_text(encoding="utf-8") == draw().svg() + "\n", (
            f"{path.name}: run `python -m experiments.course.diagrams`")


def test_uct_scores(pictures):
    """Wins per visit plus 0.4 sqrt(ln N / n), for each child of the root."""
    recording, text = mcts_recording(), texts(pictures["mcts_steps"])
    ends = [i for i, e in enumerate(recording.events, 1) if type(e).__name__ == "BackedUp"]
    tree = recording.tree(ends[9])
    for child in (tree.nodes[number] for number in tree.root.children):
        wins = (child.visits + child.total) / 2  # x, black, moves at the root
        score = wins / child.visits + 0.4 * math.sqrt(math.log(10) / child.visits)
        assert f"{child.move}  {wins:g}/{child.visits}" in text and f"{score:.2f}" in text


def test_cut_moves_are_at_least_beta(pictures):
    tree = cut_recording().tree()
    cuts = [node for node in tree.nodes.values() if node.skipped]
    assert len(cuts) == 2
    for node in cuts:
        assert node.mover == "white" and -node.value >= -node.window[0]
        assert all(f"{move} cut:" in texts(pictures["alpha_beta_window"]) for move in node.skipped)


@pytest.mark.parametrize(("ratio", "advantage", "value", "slope"), [
    (1.5, 1, 1.2, 0), (1.1, 1, 1.1, 1), (0.5, 1, 0.5, 1),
    (0.5, -1, -0.8, 0), (1.5, -1, -1.5, -1),
])
def test_ppo_objective(ratio, advantage, value, slope):
    assert objective(ratio, advantage) == pytest.approx((value, slope), abs=1e-9)
