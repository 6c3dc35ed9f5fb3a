"""Checks of a network: does it agree with the search, from every side of the board?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dlgo.api import GameSpec
from dlgo.encoders import Encoder
from dlgo.symmetry import symmetries
from engines.learning.data.replay import Replayer
from engines.learning.diagnostics.findings import ILL, WATCH, Diagnosis, Finding, judge
from engines.learning.diagnostics.game_checks import value_sign
from engines.learning.diagnostics.positions import (
    Calibration,
    Positions,
    calibrate,
    distance,
    divergence,
)
from engines.learning.networks.leaf_evaluator import softmax

# Positions the network is asked about: enough for a percent or two.
MOST_POSITIONS = 1000
# A symmetry says something where enough positions are not the same after it.
_ENOUGH_TELLING = 20

# planes float32[n, ...] -> the answer of each head, float32[n, ...].
Evaluate = Callable[[np.ndarray], dict[str, np.ndarray]]


def check_network(
    diagnosis: Diagnosis, positions: Positions, evaluate: Evaluate, encoder: Encoder,
    trained: bool = True,
) -> None:
    """Findings about the network's answers for positions with known search and result; `trained`:
    whether it has had the time to learn anything."""
    rows = np.flatnonzero(positions.full)
    if not len(rows):
        return
    rows = rows[np.linspace(0, len(rows) - 1, min(MOST_POSITIONS, len(rows))).astype(int)]
    planes, players = Replayer(encoder, positions.games).encode(rows)
    answers = evaluate(planes)
    raw = softmax(encoder.to_network_order(answers["policy"], players).astype(float))
    legal, search = positions.legal[rows], positions.shares[rows].astype(float)
    policies = raw * legal + 1e-12 * legal
    policies /= policies.sum(axis=1, keepdims=True)
    if "value" in answers:
        # A network never proves a result, however sure it is.
        values = answers["value"][:, 0].astype(float)
        calibration = calibrate(values * 0.998, positions.outcomes[rows])
        diagnosis.calibrations["network"] = calibration
        diagnosis.add(value_sign("network value", "the network", calibration))
        if trained:
            diagnosis.add(value_error(calibration))
    diagnosis.add(
        policy_learned(policies, search, legal, trained),
        symmetric(positions.game, evaluate, planes, raw, search, legal, trained),
    )


def value_error(calibration: Calibration) -> Finding | None:
    """Is the value better than always expecting the mean result?"""
    if calibration.positions < 50:
        return None
    return judge(
        "value error",
        f"the squared error of the network's value is {calibration.error:.2f}, that of always "
        f"expecting the mean result {calibration.spread:.2f}",
        (calibration.error > 1.02 * calibration.spread, WATCH,
         "it has learned nothing, or it overfits"),
    )


def policy_learned(
    policies: np.ndarray, search: np.ndarray, legal: np.ndarray, trained: bool
) -> Finding:
    """How far is the network from the search, in favourites and in nats?"""
    even = legal / legal.sum(axis=1, keepdims=True)
    agree = float((policies.argmax(axis=1) == search.argmax(axis=1)).mean())
    chance = float((1 / np.maximum(legal.sum(axis=1), 1)).mean())
    apart = float(divergence(search, policies).mean())
    uniform = float(divergence(search, even).mean())
    return judge(
        "policy learned",
        f"network and search favour the same move in {agree:.0%} of the positions (chance: "
        f"{chance:.0%}); the search is {apart:.2f} nats away from the network, {uniform:.2f} from "
        "knowing nothing",
        (trained and (agree < 1.3 * chance or apart > 1.1 * uniform + 0.02), ILL,
         "the network does not learn the policies of the search"),
        (apart < 0.01, WATCH,
         "the search adds nothing: use more simulations, unless all is learned"),
    )


def symmetric(
    game: GameSpec, evaluate: Evaluate, planes: np.ndarray, policies: np.ndarray,
    search: np.ndarray, legal: np.ndarray, trained: bool,
) -> Finding | None:
    """Does the policy turn with the board?

    A network that was shown turned planes with unturned policies answers alike from all sides. One
    that was shown turned policies with unturned planes has a policy that looks the same from all
    sides, though the search's does not.

    Args:
        planes: of the positions.
        policies: float[n, num_actions], the network's policies, not symmetrised.
        search: the search's policies.
    """
    sides = symmetries(game)
    even = 1 / np.maximum(legal.sum(axis=1), 1)
    from_policy, from_turned, asymmetry, gains = [], [], [], []
    for k in range(1, len(sides)):
        answer = evaluate(np.ascontiguousarray(sides.planes(k, planes)))["policy"]
        answer = softmax(answer.astype(float))
        from_policy.append(distance(answer, policies))
        from_turned.append(distance(answer, sides.policy(k, policies)))
        image = sides.policy(k, search)
        asymmetry.append(distance(image, search))
        gains.append([(policies * target).sum(axis=1) - even for target in (search, image)])
    # Only positions whose search is not the same from that side have something to say.
    telling = np.stack(asymmetry) > 0.3 if asymmetry else np.zeros(0, bool)
    if telling.sum() < _ENOUGH_TELLING:
        return None
    alike, with_board = (
        float(np.stack(each)[telling].mean()) for each in (from_policy, from_turned)
    )
    # Where search and image have little in common, the policy should have more of the search: its
    # similarity to each, beyond that of a uniform policy.
    apart = np.stack(asymmetry) > 0.6
    own, mirrored = (
        np.stack(gains, axis=1)[:, apart].mean(axis=1) if apart.sum() >= _ENOUGH_TELLING else (0, 0)
    )
    return judge(
        "symmetries",
        f"on a turned board, the policy is {with_board:.2f} away from its turned self and "
        f"{alike:.2f} from its former self (0 same, 1 all different)",
        (trained and with_board > 0.1 and alike < 0.6 * with_board, ILL,
         "the network was shown turned planes with policies that were not turned"),
        (trained and own > 0.1 and mirrored > 0.7 * own, ILL,
         "it has as much of the search's image as of the search itself; policies were turned and "
         "planes were not"),
    )
