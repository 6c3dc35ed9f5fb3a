"""Checks of a network: does it know what the search knows, from every side of the board?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dlgo.encoders import Encoder
from dlgo.symmetry import symmetries
from engines.learning.data.replay import Replayer
from engines.learning.diagnostics.findings import ILL, WATCH, Check, Diagnosis, Measure, Threshold
from engines.learning.diagnostics.game_checks import value_check, value_measure
from engines.learning.diagnostics.positions import (
    Calibration,
    Positions,
    calibrate,
    distance,
    divergence,
    entropy,
)
from engines.learning.networks.leaf_evaluator import softmax

# Positions the network is asked about: enough for a percent or two.
MOST_POSITIONS = 1000

# planes float32[n, ...] -> the answer of each head, float32[n, ...].
Evaluate = Callable[[np.ndarray], dict[str, np.ndarray]]


@dataclass(frozen=True)
class NetworkEvidence:
    """What a network answers about positions whose search and result are known.

    Attributes:
        positions: the positions. evaluate: the network.
        planes: of the positions. raw: float[n, num_actions], its policies as they are.
        policies: the same, of legal moves only. search: the search's policies. legal: bool.
        calibration: of its values; None if it has no value head.
        trained: whether it has had the time to learn anything.
    """

    positions: Positions
    evaluate: Evaluate
    planes: np.ndarray
    raw: np.ndarray
    policies: np.ndarray
    search: np.ndarray
    legal: np.ndarray
    calibration: Calibration | None
    trained: bool


def check_network(
    diagnosis: Diagnosis, positions: Positions, evaluate: Evaluate, encoder: Encoder,
    trained: bool = True,
) -> None:
    """What the network makes of positions; see `NetworkEvidence` for the arguments."""
    rows = np.flatnonzero(positions.full)
    if not len(rows):
        return
    rows = rows[np.linspace(0, len(rows) - 1, min(MOST_POSITIONS, len(rows))).astype(int)]
    replayed = [(game.actions, game.start) for game in positions.games]
    planes, players = Replayer(encoder).encode(
        replayed, positions.which[rows], positions.ply[rows]
    )
    answers = evaluate(planes)
    raw = softmax(encoder.as_seen(answers["policy"], players).astype(float))
    calibration = None
    if "value" in answers:
        # A network never proves a result, however sure it is.
        values = answers["value"][:, 0].astype(float)
        calibration = calibrate(values * 0.998, positions.results[rows])
        diagnosis.calibrations["network"] = calibration
    legal = positions.legal[rows]
    diagnosis.add(NETWORK_CHECKS, NetworkEvidence(
        positions, evaluate, planes, raw, _among(raw, legal), legal=legal,
        search=positions.policies[rows].astype(float), calibration=calibration, trained=trained,
    ))


def _among(policies: np.ndarray, legal: np.ndarray) -> np.ndarray:
    policies = policies * legal + 1e-12 * legal
    return policies / policies.sum(axis=1, keepdims=True)


def _values(evidence: NetworkEvidence) -> Measure | None:
    return None if evidence.calibration is None else value_measure(evidence.calibration)


def _value_error(evidence: NetworkEvidence) -> Measure | None:
    calibration = evidence.calibration
    if calibration is None or not evidence.trained or calibration.positions < 50:
        return None
    return Measure(error=calibration.error, spread=calibration.spread)


def _learned(evidence: NetworkEvidence) -> Measure:
    """agree: same favourite as the search. apart, uniform: nats from the search."""
    search, policies, legal = evidence.search, evidence.policies, evidence.legal
    even = legal / legal.sum(axis=1, keepdims=True)
    return Measure(
        agree=float((policies.argmax(axis=1) == search.argmax(axis=1)).mean()),
        chance=float((1 / np.maximum(legal.sum(axis=1), 1)).mean()),
        apart=float(divergence(search, policies).mean()),
        uniform=float(divergence(search, even).mean()), trained=evidence.trained,
    )


def _policy_entropy(evidence: NetworkEvidence) -> Measure:
    most = np.log(np.maximum(evidence.legal.sum(axis=1), 1))
    return Measure(nats=float(entropy(evidence.policies).mean()), most=float(most.mean()))


def _symmetries(evidence: NetworkEvidence) -> Measure | None:
    """Does the policy turn with the board?

    A network that was shown turned planes with policies left as they were answers alike from all
    sides. One that was shown turned policies with planes left as they were has a policy that
    looks the same from all sides, though the search's does not.

    Returns:
        with_board: distance of the policy of a turned board from the turned policy. alike: from
        the policy. own, mirrored: what the policy has in common with the search's, and with the
        search's turned, beyond a policy that knows nothing.
    """
    sides = symmetries(evidence.positions.game)
    policies, search = evidence.raw, evidence.search
    even = 1 / np.maximum(evidence.legal.sum(axis=1), 1)
    moved, turned, asymmetry, gains = [], [], [], []
    for k in range(1, len(sides)):
        planes = np.ascontiguousarray(sides.planes(k, evidence.planes))
        answer = softmax(evidence.evaluate(planes)["policy"].astype(float))
        moved.append(distance(answer, policies))
        turned.append(distance(answer, sides.policy(k, policies)))
        image = sides.policy(k, search)
        asymmetry.append(distance(image, search))
        gains.append([(policies * target).sum(axis=1) - even for target in (search, image)])
    # Only positions whose search is not the same from that side have something to say.
    telling = np.stack(asymmetry) > 0.3 if asymmetry else np.zeros(0, bool)
    if telling.sum() < 20:
        return None
    alike, with_board = (float(np.stack(each)[telling].mean()) for each in (moved, turned))
    # Where search and image have little in common, the policy should have more of the search.
    apart = np.stack(asymmetry) > 0.6
    own, mirrored = np.stack(gains, axis=1)[:, apart].mean(axis=1) if apart.sum() >= 20 else (0, 0)
    return Measure(
        with_board=with_board, alike=alike, own=own, mirrored=mirrored, trained=evidence.trained
    )


NETWORK_CHECKS = (
    value_check("network value", "the network", _values),
    Check(
        "value error", _value_error,
        "the squared error of the network's value is {error:.2f}, that of always expecting the "
        "mean result {spread:.2f}",
        Threshold(WATCH, lambda m: m.error > 1.02 * m.spread,
                  "it has learned nothing, or too much by heart"),
    ),
    Check(
        "policy learned", _learned,
        "network and search favour the same move in {agree:.0%} of the positions (chance: "
        "{chance:.0%}); the search is {apart:.2f} nats away from the network, {uniform:.2f} from "
        "knowing nothing",
        Threshold(ILL, lambda m: m.trained and (
            m.agree < 1.3 * m.chance or m.apart > 1.1 * m.uniform + 0.02
        ), "the network does not learn what the search says of the same position"),
        Threshold(WATCH, lambda m: m.apart < 0.01,
                  "the search adds nothing; more simulations, or all is learned"),
    ),
    Check(
        "policy entropy", _policy_entropy,
        "the network's policy has {nats:.2f} nats of at most {most:.2f}",
        Threshold(WATCH, lambda m: m.nats < 0.05 * m.most,
                  "it is so sure that it will hardly discover anything new"),
    ),
    Check(
        "symmetries", _symmetries,
        "on a turned board, the policy is {with_board:.2f} away from its turned self and "
        "{alike:.2f} from its former self (0 same, 1 all different)",
        Threshold(ILL, lambda m: m.trained and m.with_board > 0.1 and m.alike < 0.6 * m.with_board,
                  "the network was shown turned planes with policies that were not turned"),
        Threshold(ILL, lambda m: m.trained and m.own > 0.1 and m.mirrored > 0.7 * m.own,
                  "it has as much of the search's image as of the search itself; policies were "
                  "turned and planes were not"),
    ),
)
