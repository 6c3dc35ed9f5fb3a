"""Diagrams are legible from the back row, and their numbers are those of the code they explain."""

import json
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import dlgo
from dlgo import Player
from engines.policy_gradient.textbook import Decision
from engines.ppo.textbook import TextbookPPO
from experiments.course import diagrams
from experiments.course.diagrams import board, data, learning, networks, systems
from experiments.course.diagrams.kit import contrast, number, palette
from experiments.course.diagrams.learning import objective
from experiments.course.diagrams.search import mcts_recording

ROOT = Path(__file__).parents[2]
IMAGES, MODELS = ROOT / "docs/images", ROOT / "engines/models"
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
                   for ink in inks for surface in surfaces) >= 4.5, name  # level AA of WCAG


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
    for child in map(tree.nodes.get, tree.root.children):
        wins = (child.visits + child.total) / 2  # x, black, moves at the root
        score = wins / child.visits + 0.4 * math.sqrt(math.log(10) / child.visits)
        assert f"{child.move}  {wins:g}/{child.visits}" in text and f"{score:.2f}" in text


def test_cut_moves_are_at_least_beta(pictures):
    """White's answer B1 wins, where black has a draw for certain: the window is (-1, 0)."""
    text = texts(pictures["alpha_beta_window"])
    assert re.findall(r"(\w\d) cut: (.+?) ≥ β", text) == [("B2", "1"), ("C2", "1")]
    assert text.count("(−1, 0) 1 (0, 1) −1 B1") == 2


@pytest.mark.parametrize(("ratio", "advantage", "value", "slope"), [
    (1.5, 1, 1.2, 0), (1.1, 1, 1.1, 1), (0.5, 1, 0.5, 1),
    (0.5, -1, -0.8, 0), (1.5, -1, -1.5, -1),
])
def test_ppo_objective(ratio, advantage, value, slope):
    assert objective(ratio, advantage) == pytest.approx((value, slope), abs=1e-9)


def test_gae_is_that_of_the_textbook(pictures, monkeypatch):
    """The returns of TextbookPPO, with these values in place of its critic's."""
    learner = TextbookPPO(
        dlgo.game("tictactoe"), discount=learning.GAMMA, gae_lambda=learning.LAMBDA)
    monkeypatch.setattr(learner, "values", lambda planes: np.array(learning.VALUES))
    decisions = [Decision(np.zeros(1), np.ones(1, bool), 0, Player.black, 1.0)] * 4
    returns = learner.credit(decisions, lambda _: learning.RESULT)
    advantage = returns[0] - learning.VALUES[0]
    assert f" = {number(advantage, 3)}" in texts(pictures["gae_sum"])


def test_policy_step_follows_the_gradient():
    """The derivative of log pi of the played action, by finite differences."""
    policy, gradient, after = learning.policy_step()
    logits = np.array(learning.LOGITS)

    def log_share(change):
        powers = np.exp(logits + change)
        return math.log(powers[learning.ACTION] / powers.sum())

    slopes = [(log_share(step) - log_share(-step)) / 2e-6 for step in 1e-6 * np.eye(3)]
    assert gradient == pytest.approx(slopes, abs=1e-6)
    assert after[learning.ACTION] > policy[learning.ACTION] and after.sum() == pytest.approx(1)


def test_q_moves_towards_its_target(pictures):
    text = texts(pictures["q_targets"])
    assert "0.1 (−1 − 0.2) = 0.08" in text and "0.1 (−0.3 − 0.2) = 0.15" in text


def test_convolution_adds_the_products_of_all_planes(pictures):
    """The number in the red square: a stone with one opponent's stone or edge on each side."""
    window, text = networks.PLANES[:, 1:4, 1:4], texts(pictures["convolution"])
    total = (window * networks.FILTERS[0]).sum()
    assert f" = {total}" in text
    assert sum(int(a) * int(b) for a, b in re.findall(r"(\d)·(\d)", text)) == total


def test_dense_gradients():
    x, weights, delta = np.array([[1.0, 2]]), np.array([[3.0, 0], [1, -1]]), np.array([[0.5, -1]])
    outputs, by_weights, by_inputs = networks.dense(x, weights, delta)
    assert outputs.tolist() == [[5, -2]] and by_inputs.tolist() == [[1.5, 1.5]]
    assert by_weights.tolist() == [[0.5, -1], [1, -2]]


def test_residual_block_adds_its_input(pictures):
    # relu((2, -1) W1) = (1, 0), times W2 = (0.5, -1); the sum is (2.5, -2)
    assert texts(pictures["residual_block"]).count("2.5") == 1


def test_only_a_split_by_game_keeps_winners_unknown():
    by_position, by_game = data.held_back(False), data.held_back(True)
    assert by_position.sum() == by_game.sum() == data.GAMES * data.POSITIONS // 10
    assert data.leaks(by_position) > 0 == data.leaks(by_game)


def test_intervals_shrink_by_the_root(pictures):
    text = texts(pictures["interval_of_a_match"])
    assert "39% to 81%" in text and "49% to 71%" in text  # 0.6 +- 1.96 sqrt(0.24 / n)


def test_zobrist_key_of_the_last_board_is_that_of_its_stone(pictures):
    assert texts(pictures["zobrist_keys"]).endswith(f"{board.STONES['white D4']:04b}")


def test_liberties(pictures):
    assert texts(pictures["liberties"]) == "4 liberties 1 2 3 4 1 liberty 1 captured"


def test_sizes_are_those_of_the_shipped_networks(pictures):
    text = texts(pictures["alphago_pipeline"])
    file = MODELS / "connect4-alphago/supervised/card.json"
    card = json.loads(file.read_text(encoding="utf-8"))
    assert "here: 92,161" in text
    assert f"{card['accuracy']['test']['accuracy']:.0%}" in text
    assert "40 simulations" in texts(pictures["alphazero_loop"])


def test_gtp_answers():
    (_, played), (_, answer) = systems.gtp_lines()
    assert played == "=" and re.fullmatch(r"= [A-E][1-5]", answer)
