"""What runs a network fastest on this machine: found by trying, and remembered.

    load_chosen("connect4-alphazero", "auto", batch=8)

`auto` asks each kind of runtime (`runtimes.py`) about the same positions, which the network met in
games against itself: how many a second, and how far its answers are from those of `onnx`. The
fastest is taken of those that hardly change the answers. What was measured is kept in the folder
of caches, a small file for each machine, model and size of batch, so that it happens once.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

import numpy as np

from dlgo.errors import ModelError
from dlgo.rates import rates_in_turns
from engines.learning.networks.measured import key_of, remembered
from engines.learning.networks.runtimes import (
    COMPILED,
    INT8_KINDS,
    KINDS,
    NetworkRuntime,
    load_runtime,
)
from engines.learning.networks.self_play_positions import difference, self_play_positions
from engines.learning.networks.store import DENSE_FILE, INT8_FILE, ONNX_FILE, load_card

AUTO = "auto"
USUAL = "usual"
# What `auto` tries for play; Keras starts in seconds, and TensorFlow may not be installed.
PLAYING_KINDS = tuple(kind for kind in KINDS if kind != "keras")
# Another kind than the simplest must be faster by a tenth: the measurements differ by as much.
_FASTER = 1.1
# How far answers may be from those in float32: a mean divergence of the policies in nats,
# and a mean difference of the values. To show a network the same position from another side of the
# board changes its answers by 0.08 nats and 0.05 to 0.1 (`docs/networks.md`): a quarter of that.
MOST_POLICY, MOST_VALUE = 0.02, 0.02
# Each kind is asked five times for `_SECONDS`, in turns; the best time counts, since other
# work on the machine makes a round slow, never fast.
_SECONDS, _ROUNDS = 0.05, 5
_POSITIONS = 256


@dataclass(frozen=True)
class Trial:
    """What one kind of runtime did with one model and size of batch.

    Attributes:
        rate: positions a CPU second.
        policy, value: how far its answers are from those of `onnx`; see `Difference`.
    """

    rate: float
    policy: float = 0.0
    value: float = 0.0

    @property
    def is_close(self) -> bool:
        """Whether its answers are near enough to those in float32."""
        return self.policy <= MOST_POLICY and self.value <= MOST_VALUE


def choose(trials: Mapping[str, Trial]) -> str:
    """The fastest kind that answers closely enough: the simplest unless one is a tenth faster.

    Args:
        trials: of the kinds that could be tried, the simplest first.
    """
    best = next(iter(trials))
    least = _FASTER * trials[best].rate
    for kind, trial in trials.items():
        if trial.is_close and trial.rate > least:
            best, least = kind, trial.rate
    return best


def load_chosen(name: str, kind: str = USUAL, batch: int = 1) -> NetworkRuntime:
    """The model `name`, run by `kind`.

    With `auto` that is what is fastest here; with `usual` it is our own code for networks of dense
    layers alone, and ONNX Runtime for all others.

    Args:
        batch: positions that are asked about at once, at most.
    """
    if kind == USUAL:
        _, card = load_card(name)
        kind = COMPILED if DENSE_FILE in card.files else KINDS[0]
    return load_runtime(name, choose(trials_of(name, batch)) if kind == AUTO else kind)


def trials_of(name: str, batch: int, again: bool = False) -> dict[str, Trial]:
    """What each kind did with a model's batches on this machine, of those that are there.

    Args:
        batch: positions at once.
        again: measure even if that has been done.

    Raises:
        ModelError: if there is no such model or it cannot be run at all.
    """
    _, card = load_card(name)
    files = [card.files.get(file) for file in (ONNX_FILE, INT8_FILE, DENSE_FILE)]
    key = key_of(("onnxruntime", "openvino"), *files, batch)

    def measure() -> dict[str, dict[str, float]]:
        return {kind: asdict(trial) for kind, trial in _try_all(name, batch).items()}

    trials = remembered("runtimes", key, measure, again, model=card.name, batch=batch)
    return {kind: Trial(**numbers) for kind, numbers in trials.items()}


def _try_all(name: str, batch: int) -> dict[str, Trial]:
    """Measure all kinds."""
    folder, card = load_card(name)
    # Networks of dense layers alone are installed without network.onnx.
    only_dense = DENSE_FILE in card.files and not (folder / ONNX_FILE).exists()
    simplest = COMPILED if only_dense else KINDS[0]
    runtimes = _runtimes(name, simplest, PLAYING_KINDS)
    positions = self_play_positions(runtimes[simplest], max(_POSITIONS, batch), seed=0)
    # All have one thread, so that CPU seconds say the same as those of a quiet machine.
    rates = best_rates(runtimes, positions.planes[:batch], clock=time.process_time)
    wanted = runtimes[simplest].evaluate(positions.planes)
    trials = {}
    for kind, runtime in runtimes.items():
        far = difference(wanted, runtime.evaluate(positions.planes), positions.legal)
        trials[kind] = Trial(rates[kind], far.policy, far.value)
    return trials


def _runtimes(name: str, simplest: str, kinds: Sequence[str]) -> dict[str, NetworkRuntime]:
    """The kinds that can run a model here; the simplest comes first, and must be able to."""
    runtimes = {simplest: load_runtime(name, simplest)}
    for kind in kinds:
        if kind != simplest:
            with suppress(ModelError):  # not installed, or not in the model
                runtimes[kind] = load_runtime(name, kind)
    return runtimes


def best_rates(
    runtimes: Mapping[str, NetworkRuntime], planes: np.ndarray, seconds: float = _SECONDS,
    rounds: int = _ROUNDS, clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Positions a second of each runtime, in its best round.

    Args:
        planes: the batch that each is asked about, again and again.
        seconds: of a measurement, by `clock`. rounds: measurements of each, in turns.
    """
    def meter(runtime: NetworkRuntime) -> int:
        runtime.evaluate(planes)
        return len(planes)

    meters = [functools.partial(meter, runtime) for runtime in runtimes.values()]
    rates = rates_in_turns(meters, seconds, rounds, clock)
    return {kind: max(measured) for kind, measured in zip(runtimes, rates, strict=True)}


def fastest_kind(name: str, batch: int, gpu: bool = False) -> str:
    """What computes a network's batches fastest in self-play here, of what is installed.

    Eight bits are not tried: a network that goes on learning has them only where that is asked
    for. Neither is anything remembered, since each run has a network of its own.

    Args:
        batch: positions at once.
        gpu: whether Keras has a GPU to run on; otherwise it is not tried.

    Returns:
        One of `KINDS`: `compiled` where the network can be, since it computes less within a search
        than for a batch; else the simplest, unless another is a tenth faster.
    """
    _, card = load_card(name)
    if DENSE_FILE in card.files:
        return COMPILED
    kinds = [kind for kind in KINDS if kind not in INT8_KINDS and (gpu or kind != "keras")]
    runtimes = _runtimes(name, KINDS[0], kinds)
    planes = np.zeros((batch, *card.shape), np.float32)
    return choose({kind: Trial(rate) for kind, rate in best_rates(runtimes, planes).items()})
