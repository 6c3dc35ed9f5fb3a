"""An iteration's games in portions, which other processes and machines play.

A portion has its games' seeds in it and is always played in batches of the same size, by ONNX
Runtime on one thread. So the games are the same, whoever plays which portion.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dlgo.api import GameSpec
from dlgo.games import get_game
from engines.jobs import Amount, Jobs, Portion
from engines.learning.data.experience import Experience, merged
from engines.learning.selfplay.policy_games import PolicyGames, Side, network_side
from engines.learning.selfplay.schedule import Schedule

# Portions of an iteration where others than the learning process play.
PORTIONS = 16
_RUNTIME = "onnx"
_ARRAYS = ("plies", "results", "actions", "flags", "probabilities", "values")


@dataclass(frozen=True)
class PlayedShare:
    """The games of a portion.

    Attributes:
        encoder: what the learner saw.
        arrays: of `Experience`, without returns.
        digest: of these arrays: equal games, equal digest.
        cpu_seconds: CPU time of the process for them.
    """

    encoder: str
    arrays: dict[str, np.ndarray]
    digest: str
    cpu_seconds: float

    def experience(self, game: GameSpec) -> Experience:
        """The games as experience."""
        returns = np.zeros_like(self.arrays["values"])
        return Experience(game, self.encoder, **self.arrays, returns=returns)


def play_share(
    game: str, sides: Sequence[Side], schedule: Schedule, rows: int, *networks: Path
) -> Generator[Amount, None, PlayedShare]:
    """Play a portion.

    Args:
        game: its canonical specification.
        sides: how they play, without scorers. networks: the folder of the model of each.
        schedule: the games. rows: how many are played at once, at most.
    """
    start, spec = time.process_time(), get_game(game)
    sides = [
        network_side(str(network), spec, _RUNTIME, side)
        for side, network in zip(sides, networks, strict=True)
    ]
    played = yield from PolicyGames(spec, min(rows, len(schedule))).steps(sides, schedule)
    arrays = {name: getattr(played, name) for name in _ARRAYS}
    digest = hashlib.sha256(b"".join(array.tobytes() for array in arrays.values())).hexdigest()
    return PlayedShare(played.encoder, arrays, digest, time.process_time() - start)


def play_in_portions(
    jobs: Jobs, game: GameSpec, sides: Sequence[Side], networks: Sequence[Path],
    schedule: Schedule, rows: int, count: int,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[Experience, float]:
    """Play a schedule's games in portions: (the games without returns, CPU seconds).

    Args:
        sides, networks, schedule, rows: as of `play_share`.
        count: of portions; fewer if there are fewer games.
        progress: called with the number of games that have ended, and of how many.
    """
    games = len(schedule)
    ends = np.unique([games * k // count for k in range(count + 1)]).tolist()
    portions = []
    for first, last in itertools.pairwise(ends):
        part = schedule.part(first, last)
        used = 1 + int(part.sides.max())
        portions.append(Portion(
            f"games {first}-{last - 1}", play_share, (str(game), sides[:used], part, rows),
            tuple(networks[:used]),
        ))
    played: dict[str, PlayedShare] = {}
    with closing(jobs.run(portions, lambda done: progress(done.items, games))) as outcomes:
        for outcome in outcomes:
            played[outcome.portion.key] = outcome.value
    parts = [played[portion.key] for portion in portions]
    return (merged([part.experience(game) for part in parts]),
            sum(part.cpu_seconds for part in parts))
