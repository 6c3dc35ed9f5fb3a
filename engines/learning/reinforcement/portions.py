"""An iteration's games in portions, which other processes and machines play.

A portion has its games' seeds in it and is always played in batches of the same size, by ONNX
Runtime on one thread. So the games are the same, whoever plays which portion.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dlgo.api import GameSpec
from dlgo.games import get_game
from engines.jobs import Amount, Jobs, Portion
from engines.learning.data.experience import Experience, merged
from engines.learning.selfplay.network_side import network_side
from engines.learning.selfplay.policy_games import PolicyGames, Side, counted
from engines.learning.selfplay.schedule import Schedule

# Portions of an iteration where others than the learning process play.
PORTIONS = 16
_RUNTIME = "onnx"
_ARRAYS = ("plies", "results", "actions", "flags", "probabilities", "values")


@dataclass(frozen=True)
class Share:
    """A portion of an iteration's games.

    Attributes:
        game: its canonical specification.
        sides: how they play; their networks come besides.
        schedule: the games.
        rows: how many are played at once, at most.
    """

    game: str
    sides: tuple[Side, ...]
    schedule: Schedule
    rows: int


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


def play_share(share: Share, *networks: Path) -> Generator[Amount, None, PlayedShare]:
    """Play a portion.

    Args:
        networks: folders of the models, one for each side.
    """
    start, game = time.process_time(), get_game(share.game)
    sides = [
        network_side(str(network), game, _RUNTIME, side)
        for side, network in zip(share.sides, networks, strict=True)
    ]
    games = PolicyGames(game, min(share.rows, len(share.schedule)))
    played = yield from counted(games.steps(sides, share.schedule))
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
        jobs: who plays.
        sides: without scorers. networks: the folder of the model of each.
        rows: how many games of a portion are played at once, at most.
        count: of portions; fewer if there are fewer games.
        progress: called with the number of games that have ended, and of how many.

    Raises:
        DlgoError: as `Jobs.run`.
    """
    sides = [replace(side, scorer=None, encoder=None) for side in sides]
    games = len(schedule)
    ends = [games * k // count for k in range(count + 1)]
    portions = []
    for first, last in zip(ends, ends[1:], strict=False):
        if first == last:
            continue
        part = schedule.part(first, last)
        used = 1 + int(part.sides.max())
        portions.append(Portion(
            f"games {first}-{last - 1}", play_share,
            (Share(str(game), tuple(sides[:used]), part, rows),), tuple(networks[:used]),
        ))
    played: dict[str, PlayedShare] = {}
    with closing(jobs.run(portions, lambda done: progress(done.items, games))) as outcomes:
        for outcome in outcomes:
            played[outcome.portion.key] = outcome.value
    parts = [played[portion.key] for portion in portions]
    return (merged([part.experience(game) for part in parts]),
            sum(part.cpu_seconds for part in parts))
