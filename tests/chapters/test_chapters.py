"""Every chapter script says what to look for, and its `--quick` shows it.

Each function below is named after a script and reads what it printed: the effect must be there, and
be larger than its interval where chance has a part in it. The scripts that train the most run only
with `DLGO_FULL=1`.
"""

from __future__ import annotations

import ast
import csv
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dlgo import SpecError
from experiments.opponents.gnugo import gnugo_spec
from tests.command import ROOT, run_module_here

SCRIPTS = sorted((ROOT / "experiments/chapters").glob("ch[0-9]*.py"))
NEEDS = {"ch04_draughts_pydraughts": "draughts", "ch05": "sklearn"}
# The notebooks of chapters, which run as scripts, too.
NOTEBOOKS = [path for path in SCRIPTS if re.fullmatch(r"ch\d\d", path.stem)]
# What these show, other tests show as well: engines against each other, their speed, networks.
LONG = {"ch03", "ch04", "ch04_draughts_pydraughts", "ch05_go", "ch06_networks", "ch07_leak",
        "ch07_optimizers", "ch07_scaling", "ch08_gnugo", "ch08_resignation", "ch09",
        "ch10", "ch11", "ch12", "ch13_alphago", "ch14", "ch14_connect4",
        "ch14_go5", "ch14_tictactoe"}
NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?"


def numbers(text: str) -> list[float]:
    """All numbers of a text, in order."""
    return [float(found.replace(",", "")) for found in re.findall(NUMBER, text)]


def line(output: str, start: str) -> list[float]:
    """The numbers in the one line that begins with `start`, after it."""
    (rest,) = re.findall(rf"^ *{re.escape(start)}(.*)$", output, re.MULTILINE)
    return numbers(rest)


def matches(output: str) -> list[tuple[float, float]]:
    """The scores of the matches with half their intervals, in percent."""
    found = re.findall(r" - .*?([\d.]+)% \+-([\d.]+)%", output)
    return [(float(share), float(margin)) for share, margin in found]


def surely_better(output: str) -> int:
    """How many of the matches the first engine has won beyond the interval."""
    return sum(share - margin > 50 for share, margin in matches(output))


def ch02(output: str, folder: Path) -> None:
    assert "White has taken 3 stones" in output and "G7 takes 5 stones" in output
    assert "{'A1': False, 'C1': False, 'G7': True}" in output
    assert "recreate the position" in output and "elsewhere: True" in output
    assert "Black wins by 1.5" in output and "Black wins by 2.5" in output
    share, margin, games = line(output.replace("+-", " "), "both counts agree in")
    assert share - margin > 90 and games >= 40, "both ways of counting name the same winner"
    (first, *_), (mean, margin), (last, width) = (
        line(output.replace("+-", " "), f"legal moves {when}:")
        for when in ("at first", "on average", "at the end"))
    assert first == 362 > mean > mean - margin > 250 > last + width


def ch03(output: str, folder: Path) -> None:
    rows = ("deep copies", "sets", "Zobrist keys", "compiled rules", "compiled rollout")
    speeds = [line(output, row)[0] for row in rows]
    assert speeds[1] > 5 * speeds[0], "copies that share strings are many times faster"
    assert speeds[3] > 10 * max(speeds[1:3]), "so are compiled rules"
    assert speeds[4] > 20 * speeds[3], "and so is a game without Python between the moves"
    (moves,) = numbers(re.search(r"After (\d+) moves: \w+ \(.\) wins by", output)[1])
    assert 60 < moves < 200, "the game ends by itself"
    mean, margin = numbers(re.search(r"komi 7.5: (.*) \(", output)[1].replace("+-", " "))
    assert mean + margin < 0, "the side with komi wins more"
    assert "Without the rule about eyes 0 of 20 games end" in output


def ch04(output: str, folder: Path) -> None:
    assert all(re.search(rf"^{rule}: .* or ", output, re.MULTILINE) for rule in ("1 rule",
                                                                                  "2 rules"))
    assert "3 rules: C3\n" in output, "only the third rule sees the fork"
    perfect = matches(output)[4]
    assert sum(perfect) < 50, "perfect play beats all four rules"
    assert surely_better(output) >= 12, "each rule, ply and doubling helps"
    (minimax,), (alphabeta,) = (line(output, f"{name}: draw,")
                                for name in ("full minimax", "alpha-beta"))
    assert minimax > 5 * alphabeta, "alpha-beta visits a small part of the tree"
    plain = line(output, "plain minimax:")
    nodes = [line(output, f"depth {depth}:")[0] for depth in range(1, 6)]
    assert nodes[0] == 23 and 50 * nodes[3] < plain[3], "one node a legal move; then cuts"
    assert all(3 * b > 5 * a for a, b in zip(nodes, nodes[1:], strict=False)), "each ply costs"
    few, many = (re.search(rf"MCTS +{sims}: value (\S+) \+-(\S+),", output)
                 for sims in ("100", "10,000"))
    gap = abs(float(few[1])) - abs(float(many[1]))
    assert gap > float(few[2]) + float(many[2]), "MCTS comes to know that it is a draw"
    few, many = (int(re.search(rf"^ *{sims} simulations: .*?C3 (\d+)%", output, re.MULTILINE)[1])
                 for sims in ("1,000", "50,000"))
    assert many > few > 100 / 25, "the visits gather in the centre"


def ch04_draughts_pydraughts(output: str, folder: Path) -> None:
    assert "wins 10, draws 0, losses 0" in output
    assert line(output, "10 points of 10; wins: 95% interval")[0] > 50


def ch05(output: str, folder: Path) -> None:
    assert all(float(error) < 1e-5 for error in re.findall(r"by ([\d.e-]+) at most", output))
    tested = [float(share) for share in re.findall(r"test accuracy ([\d.]+)%", output)]
    squared, entropy = tested[:4], tested[4:]
    assert squared[-1] > 95 and entropy[-1] > 95, "both read digits they have not seen"
    assert squared[0] < 30 < entropy[0], "squared error takes a few epochs to get off the ground"


def ch05_go(output: str, folder: Path) -> None:
    losses = [float(loss) for loss in re.findall(r"loss ([\d.]+)", output)]
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0] - 0.1
    share, margin = numbers(re.search(r"with 95% interval: (.*)", output)[1].replace("+-", " "))
    assert share - margin > line(output, "always the commonest move:")[0]


def variants(output: str, folder: Path, name: str) -> dict[str, dict[str, str]]:
    """The table that a script wrote, which is the one that it printed."""
    with (folder / f"out/{name}/quick/results.csv").open(newline="") as file:
        rows = {row["variant"]: row for row in csv.DictReader(file)}
    for label, row in rows.items():
        held_out = f"{float(row['held_out_accuracy']):.1%}"
        assert re.search(rf"^{re.escape(label)} +{held_out}", output, re.MULTILINE)
        assert 0.05 < float(row["held_out_accuracy"]) < 0.5 and float(row["games"]) == 40
    return rows


def predicts_more(better: dict[str, str], worse: dict[str, str]) -> bool:
    """Whether the intervals of two variants' held-out moves do not meet."""
    (high, up), (low, down) = (
        (float(row["held_out_accuracy"]), float(row["held_out_margin"])) for row in (better, worse)
    )
    return high - up > low + down


def ch06_networks(output: str, folder: Path) -> None:
    rows = variants(output, folder, "ch06_networks")
    assert predicts_more(rows["mlp, cross-entropy, ReLU"], rows["mlp as in 6.3.4"]), "the loss"
    assert predicts_more(rows["cnn, cross-entropy, ReLU"], rows["mlp, cross-entropy, ReLU"])
    assert not predicts_more(rows["cnn as in 6.4.2"], rows["mlp as in 6.3.4"])


def ch07_leak(output: str, folder: Path) -> None:
    assert min(line(output, "known games")[2:4]) > 99
    *_, move, leaked, margin = line(output, "10% of positions")
    *_, fair, wide = line(output, "10% of games")
    assert leaked - margin > fair + wide, "positions of known games leak the winner"
    assert move < 20, "they do not leak the move"


def ch07_optimizers(output: str, folder: Path) -> None:
    rows = variants(output, folder, "ch07_optimizers")
    assert predicts_more(rows["momentum"], rows["SGD"]) and predicts_more(rows["Adam"], rows["SGD"])


def ch07_scaling(output: str, folder: Path) -> None:
    rows = variants(output, folder, "ch07_scaling")
    assert predicts_more(rows["340 games"], rows["42 games"])
    assert int(rows["42 games"]["positions"]) * 7 < int(rows["symmetries"]["positions"])


def ch08_gnugo(output: str, folder: Path) -> None:
    *_, most = line(output, "score")
    assert most < 50, "uniform rollouts lose"
    assert "0 lost by failures" in output
    assert len(list(folder.glob("out/gnugo/quick/game*.sgf"))) == 12
    assert len(re.findall(r"s CPU, [\d.]+ s wall a move", output)) == 2


def ch08_resignation(output: str, folder: Path) -> None:
    rows = [numbers(row) for row in re.findall(r"^ +0\.\d.*$", output, re.MULTILINE)]
    assert rows[1][0] == 0.05 and rows[1][3] + rows[1][4] < 5 < rows[1][5], "0.05 is safe"
    for column in (0, 1, 2, 5):
        values = [row[column] for row in rows]
        assert values == sorted(values), "who resigns sooner resigns, errs and saves more"


def ch09(output: str, folder: Path) -> None:
    assert ": equal True; " in output and line(output, "entropy of the untrained policy:")[0] > 90
    (of_best, _), (of_drawn, _) = (line(output, f"{name}:")
                                   for name in ("the likeliest move", "moves drawn"))
    assert of_best == 1 and of_drawn > 990, "who never varies plays one game"
    share, low, high, _ = line(output, "new against old:")
    assert 50 < low < share < high < 60, "a small difference, but beyond its interval"
    seen = [line(output, f"{games} games:")[0] for games in ("100", "1,000")]
    assert seen[0] < 20 < seen[1], "a hundred games do not show it"
    assert "p = 0.617 for either side, 0.309 for 53 or more" in output


def ch10(output: str, folder: Path) -> None:
    for name in ("the book's", "REINFORCE", "ties for player 2"):
        games, mean, least, half = line(output, name)[-4:]
        assert (games, half < games) == (2000, True) and 1 >= mean >= least > 0.9, name
    assert line(output, "REINFORCE")[-1] < line(output, "the book's")[-1]
    book, bounded = (line(output, f"500 steps from one batch, {name}: the largest logit")
                     for name in ("the book's", "bounded"))
    assert book[0] == bounded[0] and book[1] > 1000 > 20 > bounded[1], "the logits run away"
    untrained, learned = (line(output, name)[0] for name in ("untrained", "as in the book"))
    assert learned > untrained, "it learns"


def ch11(output: str, folder: Path) -> None:
    never, half, falling = (line(re.sub(" +mistakes", ": mistakes", output), f"{name}:")[0]
                            for name in ("none", "always 0.5", "0.5 falling to 0.1"))
    assert half < never - 10, "chance is needed"
    assert falling < never - 5


def ch12(output: str, folder: Path) -> None:
    first, margin, last, width = numbers(
        re.search(r"first tenth (.*)$", output, re.MULTILINE)[1].replace("+-", " "))
    assert first - margin > last + width, "late moves have little to decide"
    best, plain, critic = (line(output, name)[0] for name in ("PPO (has both)", "REINFORCE ",
                                                              "critic  "))
    assert best < min(plain, critic) - 10, "PPO makes the most of a game"


def ch13_alphago(output: str, folder: Path) -> None:
    network = float(re.search(r"the value network errs by ([\d.]+)", output)[1])
    for name in ("random", "fast policy", "heavy"):
        rows = re.findall(rf"^{name} +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)$", output, re.MULTILINE)
        (_, alone, mixed, share), (_, many, many_mixed, many_share) = (
            [float(number) for number in row] for row in rows)
        assert alone > many, "one rollout says less than thirty-two"
        assert many_mixed <= mixed <= network and many_mixed < many, "the mixture is the best"
        assert 0 < share < many_share <= 1


def ch14(output: str, folder: Path) -> None:
    assert re.search(r"c = 1: .*-> A$", output, re.MULTILINE)
    assert re.search(r"c = 4: .*-> C$", output, re.MULTILINE)
    quiet, *noisy = [int(found) for found in re.findall(r"noise +\d+%: \[(\d+),", output)]
    assert quiet == 0 < min(noisy), "noise gives visits to a move that the network dismisses"
    assert "after 250 games" in output, "it learns in a table"
    a_call = [float(found) for found in re.findall(r"([\d.]+) a call", output)]
    assert a_call[0] == 1 < a_call[1] < a_call[2]
    puct, gumbel = (re.search(rf"{name} +\[(\d+),", output)[1] for name in ("PUCT", "Gumbel"))
    assert int(puct) == 0 < int(gumbel) and re.search(r"Gumbel .*, plays 1$", output, re.MULTILINE)


def ch14_connect4(output: str, folder: Path) -> None:
    *_, searched, low = line(output, "as shipped, 64 simulations")
    *_, alone, margin = line(output, "as shipped, 1 simulations")
    *_, mcts, high = line(output, "mcts, 64 simulations")
    assert searched + low < mcts - high, "what it learned is worth more than rollouts"
    assert alone + margin < mcts - high, "even without search"
    assert searched < alone


def ch14_go5(output: str, folder: Path) -> None:
    with (folder / "out/alphazero/go5-quick/black.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["opponent"] for row in rows}) == 4
    assert all(row["opening"] == "C3" and float(row["margin"]) == 25 for row in rows)
    assert numbers(output[output.index("interval from") :])[0] > 75


def ch14_tictactoe(output: str, folder: Path) -> None:
    mistakes = [float(share) for share in re.findall(r"4,520 positions: ([\d.]+)%", output)]
    untrained, searched, _, learned, both = mistakes
    assert untrained > 30, "the untrained policy errs"
    assert searched < untrained / 5, "the search hides what the policy has not learned"
    assert learned < untrained / 20 and both == 0, "learning makes up for the search"
    assert len(re.findall(r" 0 lost", output)) >= 5


FACTS: dict[str, Callable[[str, Path], None]] = {
    name: fact for name, fact in globals().items() if re.match(r"ch\d\d", name)
}


def test_every_script_has_its_facts() -> None:
    others = {"ch06", "ch07", "ch08"}  # notebooks beside scripts; tests/docs runs them
    assert {script.stem for script in SCRIPTS} == set(FACTS) | others


@pytest.mark.parametrize("script", sorted({*SCRIPTS} - {*NOTEBOOKS}), ids=lambda path: path.stem)
def test_a_script_is_short_and_explains_itself(script: Path) -> None:
    text = script.read_text()
    assert len(text.splitlines()) <= 130
    doc = ast.get_docstring(ast.parse(text)) or ""
    assert doc.startswith("Chapter ")
    assert f"python -m experiments.chapters.{script.stem}" in doc
    assert "look for" in doc


@pytest.mark.parametrize("name", FACTS)
def test_a_quick_run_shows_what_to_look_for(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if name in LONG and not os.environ.get("DLGO_FULL"):
        pytest.skip("minutes of training and games: DLGO_FULL=1")
    if name == "ch08_gnugo":
        try:
            gnugo_spec(0)
        except SpecError as error:
            pytest.skip(str(error))
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    done = run_module_here(capfd, f"experiments.chapters.{name}", "--quick", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # Progress; and TensorFlow's log, where another test has begun it without silencing it.
    expected = re.compile(r"(iteration|epoch) \d+ of \d+: |[EWI]\d{4} ")
    assert not [line for line in done.stderr.splitlines() if not expected.match(line)]
    FACTS[name](done.stdout, tmp_path)
    figures = re.findall(r"^figure: (.*\.png)$", done.stdout, re.MULTILINE)
    assert figures and all((tmp_path / figure).stat().st_size > 5000 for figure in figures)
