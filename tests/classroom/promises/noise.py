"""Promises of noise and temperature."""

from __future__ import annotations

from tests.classroom.promises import Call, Promise


def _mix(call: Call) -> bool:
    return call.name == "mix"


def _cold(call: Call) -> bool:
    return call.name == "tempered" and call.arguments[1] == 0


def _warm(call: Call, low: float = 0.0, high: float = 100.0) -> bool:
    return call.name == "tempered" and low < call.arguments[1] < high


def _best(call: Call) -> int:
    """How many moves have the most visits."""
    return int((call.arguments[0] == call.arguments[0].max()).sum())


PROMISES = [
    Promise("0 gives the priors", lambda call: _mix(call) and call.arguments[3] == 0),
    Promise("1 the noise", lambda call: _mix(call) and call.arguments[3] == 1, least=2),
    Promise("Priors with a share of noise", lambda call:
            _mix(call) and 0 < call.arguments[3] < 0.5, least=2),
    Promise("Priors with a share of noise", lambda call:
            _mix(call) and 0.5 < call.arguments[3] < 1, least=2),
    Promise("their noise may not be", lambda call:
            _mix(call) and call.arguments[1][~call.arguments[2]].sum() > 0, least=4),
    Promise("their noise may not be", lambda call:
            _mix(call) and not call.arguments[1][~call.arguments[2]].any()),
    # Legal moves without a prior, and without noise.
    Promise("Noise is scaled among legal moves first", lambda call:
            _mix(call) and (call.arguments[0][call.arguments[2]] == 0).any(), least=2),
    Promise("Noise is scaled among legal moves first", lambda call:
            _mix(call) and (call.arguments[1][call.arguments[2]] == 0).any(), least=2),
    Promise("Noise is scaled among legal moves first", lambda call:
            _mix(call) and call.arguments[1][call.arguments[2]].sum() < 1e-5),
    *(Promise("float [moves]", lambda call, sizes=sizes: _mix(call)
              and len(call.arguments[0]) in sizes) for sizes in ((1,), (2,), range(300, 999))),
    *(Promise("only the most visited moves are drawn, all equally likely", lambda call, best=best:
              _cold(call) and _best(call) == best and len(call.arguments[0]) > best)
      for best in (1, 2, 3)),
    Promise("only the most visited moves are drawn, all equally likely", lambda call:
            _cold(call) and _best(call) == len(call.arguments[0]) > 2),
    Promise("only the most visited moves are drawn", lambda call: _cold(call)
            and call.arguments[0].max() > 1e5 and _best(call) == 1),
    Promise("the temperature as small as 0.01", lambda call: _warm(call, 0, 0.011)
            and call.arguments[0].max() > 900_000 and (call.arguments[0] > 900_000).sum() > 1, 2),
    Promise("Visits may be 1,000,000", lambda call: _warm(call, 0.9, 1.1)
            and call.arguments[0].max() > 900_000),
    Promise("to the power of 1 / temperature", lambda call: _warm(call, 0.1, 1), least=4),
    Promise("to the power of 1 / temperature", lambda call: _warm(call, 1), least=4),
    Promise("in proportion to visits", lambda call:
            _warm(call) and 0 in call.arguments[0], least=3),
    Promise("in proportion to visits", lambda call: _warm(call) and len(call.arguments[0]) == 1),
    Promise("in proportion to visits", lambda call: _warm(call) and len(call.arguments[0]) > 300),
]


def valid(call: Call) -> None:
    """Priors are probabilities of legal moves, some legal move has noise; a move has visits."""
    if call.name == "mix":
        priors, noise, legal, share = call.arguments
        assert priors.shape == noise.shape == legal.shape and legal.dtype == bool
        assert not priors[~legal].any() and min(priors.min(), noise.min()) >= 0
        assert abs(priors.sum() - 1) < 1e-9 and abs(noise.sum() - 1) < 1e-9
        assert noise[legal].sum() > 0 and 0 <= share <= 1
    else:
        visits, temperature = call.arguments
        assert visits.dtype.kind == "i" and visits.min() >= 0 and 0 < visits.max() <= 1_000_000
        assert temperature == 0 or temperature >= 0.01
