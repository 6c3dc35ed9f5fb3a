"""Where and when a game was played: machine, its speed, version of the code, time."""

from __future__ import annotations

import functools
import platform
import statistics
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from dlgo import GameState, __version__, get_game, kernels
from dlgo.fingerprint import source_digest
from dlgo.rng import make_rng
from engines.programs.processes import core_count

# Half a second of random games: rounds, seconds of each, and games between two looks at the clock.
_ROUNDS, _SECONDS, _BATCH = 5, 0.1, 2000


@functools.cache
def machine_text() -> str:
    """The computer in a few words: `AMD EPYC, 2 cores`."""
    model = platform.processor() or platform.machine()
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    cores = core_count()
    return f"{model}, {cores} core{'' if cores == 1 else 's'}"


@functools.cache
def version_text() -> str:
    """The version of the code: its number, and a digest of the sources of games and engines."""
    return f"{__version__}+{source_digest()[:8]}"


def time_text(seconds: float) -> str:
    """A time (as of `time.time`) as the ledger writes it: UTC, ISO 8601, milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def measured_rate() -> float:
    """Random games a CPU second on one thread: the median of five measurements of 0.1 s."""
    game = get_game("connect4")
    start = GameState.new_game(game).kernel_state
    work, rng = game.scratch_state(start), make_rng(1)
    kernels.rollouts(start, work, rng, 1)  # compiled
    rates = []
    for _ in range(_ROUNDS):
        played, begun = 0, time.thread_time()
        while (spent := time.thread_time() - begun) < _SECONDS:
            kernels.rollouts(start, work, rng, _BATCH)
            played += _BATCH
        rates.append(played / spent)
    return statistics.median(rates)
