"""Promises of masked policies."""

from __future__ import annotations

import numpy as np

from tests.classroom.promises import Call, Promise


def _mask(call: Call) -> bool:
    return call.name == "mask"


def _kept(call: Call) -> np.ndarray:
    """The probabilities of legal moves, before they are scaled."""
    policy, legal = call.arguments
    return policy[legal]


def _softmax(call: Call) -> bool:
    return call.name == "mask_logits"


def _large(call: Call) -> tuple[bool, bool]:
    """Whether a legal logit is large, and an illegal one."""
    logits, legal = call.arguments
    return bool((logits[legal] > 750).any()), bool((logits[~legal] > 750).any())


PROMISES = [
    *(Promise(text, lambda call, name=name, sizes=sizes: call.name == name
              and len(call.arguments[1]) in sizes)
      for name, text in (("mask", "The policy of the legal moves"),
                         ("mask_logits", "the softmax of the legal moves"))
      for sizes in ((1,), (2,), (3, 4, 5), range(300, 2000))),
    Promise("with a sum of 1", lambda call: _mask(call) and 0.2 < _kept(call).sum() < 0.8, least=4),
    Promise("with a sum of 1", lambda call: _mask(call) and 0 < _kept(call).sum() < 1e-5),
    Promise("with a sum of 1", lambda call: _mask(call) and call.arguments[1].all()),
    Promise("at least one of them True",
            lambda call: _mask(call) and call.arguments[1].sum() == 1, least=2),
    Promise("at least one of them True", lambda call: _softmax(call)
            and call.arguments[1].sum() == 1 < len(call.arguments[1])),
    # Some legal moves, but not all, have probability 0.
    Promise("If all legal moves have probability 0", lambda call: _mask(call)
            and _kept(call).sum() > 0 and 0 in _kept(call), least=3),
    Promise("all legal moves become equally likely", lambda call: _mask(call)
            and not _kept(call).any() and call.arguments[1].sum() > 1, least=3),
    Promise("which can be from -1,000 to 1,000", lambda call: _softmax(call)
            and all(_large(call))),
    Promise("which can be from -1,000 to 1,000", lambda call: _softmax(call)
            and _large(call) == (True, False)),
    Promise("which can be from -1,000 to 1,000", lambda call: _softmax(call)
            and call.arguments[0][call.arguments[1]].max() < -750
            and call.arguments[1].sum() > 1),
    Promise("which can be from -1,000 to 1,000", lambda call: _softmax(call)
            and _large(call) == (False, True)),
]


def valid(call: Call) -> None:
    """The shapes, and the range of logits; probabilities of all moves sum to 1."""
    numbers, legal = call.arguments
    assert numbers.shape == legal.shape and legal.dtype == bool and legal.any()
    assert numbers.dtype == float
    if call.name == "mask":
        assert numbers.min() >= 0 and abs(numbers.sum() - 1) < 1e-9
    else:
        assert abs(numbers).max() <= 1000
