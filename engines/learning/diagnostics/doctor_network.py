"""What the doctor asks of the network: does it know what the search found, from every side?

Called by `doctor.py` with the network that played the games examined.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dlgo.api import GameSpec
from dlgo.encoders import Encoder
from dlgo.symmetry import symmetries
from engines.learning.data.replay import Replayer
from engines.learning.diagnostics.checkup import FINE, ILL, WATCH, CheckUp, judge_values
from engines.learning.diagnostics.survey import Survey, calibrate, distance, divergence, entropy
from engines.learning.networks.leaf_evaluator import softmax

# Positions it is asked about: enough for a percent or two.
MOST_POSITIONS = 1000

# planes float32[n, ...] -> logits float32[n, num_actions], values float32[n] or None.
Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray | None]]


def look_at_network(
    found: CheckUp, seen: Survey, evaluate: Evaluate, encoder: Encoder, trained: bool = True
) -> None:
    """What the network makes of positions whose search and result are known.

    Args:
        evaluate: the network.
        trained: whether it has had the time to learn anything.
    """
    rows = np.flatnonzero(seen.full)
    if not len(rows):
        return
    rows = rows[np.linspace(0, len(rows) - 1, min(MOST_POSITIONS, len(rows))).astype(int)]
    replayed = [(one.actions, one.start) for one in seen.games]
    planes, players = Replayer(encoder).encode(replayed, seen.which[rows], seen.ply[rows])
    logits, values = evaluate(planes)
    raw = softmax(encoder.as_seen(logits, players).astype(float))
    legal, search = seen.legal[rows], seen.policies[rows].astype(float)
    policies = _among(raw, legal)

    if values is not None:
        calibration = calibrate(values.astype(float) * 0.998, seen.results[rows])
        found.calibrations["network"] = calibration
        judge_values(found, "network value", "the network", calibration)
        if trained and calibration.positions >= 50:
            worse = calibration.error > 1.02 * calibration.spread
            found.say(
                "value error", WATCH if worse else FINE,
                f"the network's value is off by {calibration.error:.2f} (squared), always "
                f"expecting the mean result by {calibration.spread:.2f}"
                + ("; it has learned nothing, or too much by heart" if worse else ""),
            )

    apart = float(divergence(search, policies).mean())
    agree = float((policies.argmax(axis=1) == search.argmax(axis=1)).mean())
    chance = float((1 / np.maximum(legal.sum(axis=1), 1)).mean())
    uniform = float(divergence(search, legal / legal.sum(axis=1, keepdims=True)).mean())
    text = (
        f"network and search favour the same move in {agree:.0%} of the positions (chance: "
        f"{chance:.0%}); the search is {apart:.2f} nats away from the network, {uniform:.2f} from "
        "knowing nothing"
    )
    if trained and (agree < 1.3 * chance or apart > 1.1 * uniform + 0.02):
        found.say("policy learned", ILL, text + ": the network does not learn what the search says "
                  "of the same position")
    elif apart < 0.01:
        found.say("policy learned", WATCH, text + ": the search adds nothing; more simulations, or "
                  "all is learned")
    else:
        found.say("policy learned", FINE, text)

    sure = float(entropy(policies).mean())
    most = float(np.log(np.maximum(legal.sum(axis=1), 1)).mean())
    flat = sure < 0.05 * most
    found.say(
        "policy entropy", WATCH if flat else FINE,
        f"the network's policy has {sure:.2f} nats of at most {most:.2f}"
        + ("; it is so sure that it will hardly find anything new" if flat else ""),
    )
    even = 1 / np.maximum(legal.sum(axis=1), 1)
    _look_from_sides(found, seen.game, evaluate, planes, raw, search, even, trained)


def _among(policies: np.ndarray, legal: np.ndarray) -> np.ndarray:
    policies = policies * legal + 1e-12 * legal
    return policies / policies.sum(axis=1, keepdims=True)


def _look_from_sides(
    found: CheckUp, game: GameSpec, evaluate: Evaluate, planes: np.ndarray, policies: np.ndarray,
    search: np.ndarray, even: np.ndarray, trained: bool,
) -> None:
    """Does the policy turn with the board?

    A network that was shown turned planes with policies left as they were answers alike from all
    sides. One that was shown turned policies of planes left as they were has a policy that
    looks the same from all sides, though the search's does not.

    Args:
        planes, policies: of the positions, and what the network says of them.
        search: the search's policies. even: float[n], what they have in common with a policy that
            knows nothing.
    """
    known = symmetries(game)
    if len(known) < 2:
        return
    moved, turned, wanted, gains = [], [], [], []
    for k in range(1, len(known)):
        logits, _ = evaluate(np.ascontiguousarray(known.planes(k, planes)))
        answer = softmax(logits.astype(float))
        image = known.policy(k, policies)
        moved.append(distance(answer, policies))
        turned.append(distance(answer, image))
        other = known.policy(k, search)
        wanted.append(distance(other, search))
        gains.append([(policies * one).sum(axis=1) - even for one in (search, other)])
    # Only positions whose search is not the same from that side have something to say.
    tells = np.stack(wanted) > 0.3
    if tells.sum() < 20:
        return
    alike, with_board = (float(np.stack(each)[tells].mean()) for each in (moved, turned))
    # Where search and image have little in common, the policy should have more of the search.
    apart = np.stack(wanted) > 0.6
    mine, mirrored = np.stack(gains, axis=1)[:, apart].mean(axis=1) if apart.sum() >= 20 else (0, 0)
    text = (
        f"turned by a symmetry, the board's policy moves by {with_board:.2f} from its image and by "
        f"{alike:.2f} from itself (0 same, 1 all different)"
    )
    if trained and with_board > 0.1 and alike < 0.6 * with_board:
        found.say("symmetries", ILL, text + ": the network was shown turned planes with policies "
                  "that were not turned")
    elif trained and mine > 0.1 and mirrored > 0.7 * mine:
        found.say("symmetries", ILL, text + ": its policy has as much of the search's image as of "
                  "the search itself; policies were turned and planes were not")
    else:
        found.say("symmetries", FINE, text)
