"""Parts of a learner: right ones have no finding, and each change of a line has the right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo.text import replace_once
from experiments.museum.audit import examine
from experiments.museum.learners import PROPERTIES
from experiments.museum.subject import Subject

# A learner of tic-tac-toe; its loss has 32 bits, as that of a library.
LEARNER = """
import numpy as np

RNG = np.random.default_rng(1)


def targets(states, moves, visits, result):
    return [(counts / counts.sum(), result if state.next_player.name == "black" else -result)
            for state, counts in zip(states, visits)]


def encode(state):
    planes = np.zeros((3, 3, 2))
    for point, player in state.game.stones(state).items():
        planes[point.row - 1, point.col - 1, int(player is state.next_player)] = 1
    return planes


def augment(planes, policy):
    policy = policy.reshape(3, 3)
    images = [(np.rot90(planes, k), np.rot90(policy, k)) for k in range(4)]
    images += [(image[::-1], turned[::-1]) for image, turned in images]
    return [(image, turned.ravel()) for image, turned in images]


def priors(logits, legal):
    powers = np.where(legal, np.exp(np.minimum(logits - logits[legal].max(), 0)), 0)
    return powers / powers.sum()


def noise(priors, is_root):
    mixed = priors.copy()
    if is_root:
        legal = priors > 0
        mixed[legal] = 0.75 * priors[legal] + 0.25 * RNG.dirichlet([0.3] * legal.sum())
    return mixed


def pick(visits, temperature):
    if temperature == 0:
        return visits.argmax()
    shares = (visits / visits.max()) ** (1 / temperature)
    return RNG.choice(len(visits), p=shares / shares.sum())


def loss(logits, values, policies, results):
    logits, values = np.float32(logits), np.float32(values)
    shares = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    errors = (values - results) ** 2
    return np.float32(-(policies * shares).sum(axis=1).mean() + errors.mean())


def gradient(logits, values, policies, results):
    powers = np.exp(logits)
    shares = powers / powers.sum(axis=1, keepdims=True)
    return (shares - policies) / len(values), 2 * (values - results) / len(values)


def epoch_loss(losses, size):
    return sum(len(batch) * np.mean(batch) for batch in batches(losses, size)) / len(losses)


def batches(examples, size):
    return [examples[start : start + size] for start in range(0, len(examples), size)]


def window(old, new, size):
    return (old + new)[-size:]


def match(play, games):
    return sum((1 + play(game % 2 == 0)) / 2 for game in range(games)) / games
"""
FAULTS = [
    ("else -result", "else result", "targets", "white to move, target of the value: 1; it should"),
    ("counts / counts.sum()", "counts == counts.max()", "targets", "target of the policy: "),
    ("zip(states, visits)]", "zip(states[1:], visits)]", "targets", "number of examples"),
    ("int(player is state.next_player)", "0", "encode", "look alike"),
    ("planes = np.zeros", "planes = RNG.random", "encode", "looks different the second time"),
    ("np.rot90(policy, k))", "np.rot90(policy, -k))", "augment", "of the policy 0.01 0.02"),
    ("(image[::-1],", "(image[::-1] + 1,", "augment", "none of the 8 that tictactoe allows"),
    ("range(4)]", "range(3)]", "augment", "different images of tictactoe: 6; it should be 8"),
    ("np.where(legal, np.exp(", "np.where(logits < 9, np.exp(", "priors", "1 3 4 8 are legal"),
    ("powers / powers.sum()\n", "powers\n", "priors", "it should be 0 "),
    ("powers / powers.sum()\n", "powers * np.nan\n", "priors", "must be finite numbers"),
    ("if is_root:", "if True:", "noise", "below the root, where there is no noise"),
    ("0.75 * priors", "0.7 * priors", "noise", "sums of priors with noise: 0.95 0.95"),
    ("legal = priors > 0", "legal = priors >= 0", "noise", "the prior 0 of an illegal move"),
    ("RNG.dirichlet([0.3] * legal.sum())", "priors[legal]", "noise", "nearly the same"),
    ("0.75 * priors[legal] + 0.25", "0.2 * priors[legal] + 0.8", "noise",
     "of a prior; the papers leave 75%"),
    ("visits.argmax()", "visits.argmin()", "pick", "temperature 0: shares of moves: 0 0 1 0"),
    ("visits.argmax()", "-1", "pick", "ValueError"),
    ("(1 / temperature)", "temperature", "pick", "temperature 0.5: shares of moves"),
    ("shares = (visits", "shares = 0.01 + (visits", "pick", "temperature 1: shares of moves"),
    ("(values - results) ** 2", "(values + results) ** 2", "loss", "the value of row 0 nears"),
    ("(values - results) ** 2", "(values - results[:, None]) ** 2", "loss", "together: "),
    ("np.float32(-(", "np.float32((", "loss", "the policy of row 0 nears"),
    ("errors.mean()", "errors.sum()", "loss", "together: "),
    (" - np.log(", " - 0 * np.log(", "loss", "when all logits of a row grow alike"),
    ("2 * (values", "(values", "gradient", "the gradient of the value: "),
    ("len(examples), size)]", "len(examples) - 1, size)]", "batches", "3 examples in batches"),
    ("/ len(losses)", "", "epoch_loss", "together: 12; it should be 3"),
    ("sum(len(batch) * np.mean(batch) for batch in batches(losses, size)) / len(losses)",
     "np.mean([np.mean(batch) for batch in batches(losses, size)])", "epoch_loss",
     "losses [1.0, 2.0, 6.0], in batches of 2, together: 3.75; it should be 3"),
    ("[-size:]", "[:size]", "window", "1 2 3 4; it should be 2 3 4 5"),
    ("(1 + play(game % 2 == 0)) / 2", "(play(game % 2 == 0) == 1)", "match", "0; it should be 0.5"),
    ("play(game % 2 == 0)", "play(True)", "match", "moves first: 8; it should be 4"),
]


def findings(folder: Path, text: str, part: str) -> dict[str, str]:
    (folder / "learner.py").write_text(text)
    return examine(Subject(str(folder / "learner.py")), part, *PROPERTIES[part])


def test_a_right_learner_has_no_findings(tmp_path: Path) -> None:
    for part in PROPERTIES:
        assert findings(tmp_path, LEARNER, part) == {}


@pytest.mark.parametrize(("before", "after", "part", "wanted"), FAULTS)
def test_a_fault_is_found(
    tmp_path: Path, before: str, after: str, part: str, wanted: str
) -> None:
    found = findings(tmp_path, replace_once(LEARNER, before, after), part)
    assert any(wanted in text for text in found.values()), found


def test_what_is_missing_is_not_examined(tmp_path: Path) -> None:
    text = LEARNER.replace("def loss(", "def error(")
    assert findings(tmp_path, text, "gradient") == {"unseen": "the file has no loss"}


@pytest.mark.parametrize("fill", ["policy[action] = count", "policy[action % 9] = count"])
def test_targets_for_tic_tac_toe_only_are_right(tmp_path: Path, fill: str) -> None:
    """If the file names no game, draughts are tried, too; that they fail there is no finding."""
    text = LEARNER.replace("counts / counts.sum()", "policy_of(counts)") + f"""

def policy_of(counts):
    policy = np.zeros(9)
    for action, count in enumerate(counts):
        {fill}
    return policy / policy.sum()
"""
    assert findings(tmp_path, text, "targets") == {}
