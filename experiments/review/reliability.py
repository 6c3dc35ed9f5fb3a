"""Whether an engine can judge a game: how often it agrees with itself on another seed.

Some positions are searched twice, with two seeds. An engine whose differences between moves are as
small as the noise of its values chooses another move each time; so does one to which all moves are
alike. An engine that always gives the same values agrees with itself, so this measures chance
alone: what an engine misses in every search stays unseen.

An engine that tells no values of moves, such as a GTP program, is not measured.
"""

from __future__ import annotations

from dataclasses import dataclass

from dlgo import GameSpec
from dlgo.games.go.state import Go
from engines.base import Decision

# Positions that are searched twice.
PLACES = 12
# Below this part of them an engine cannot judge: there its choices are those of chance. That an
# engine above it judges well does not follow; see docs/lab_notebook.md for what was measured.
LEAST = 0.2


@dataclass
class Reliability:
    """The agreement of pairs of searches."""

    count: int = 0  # pairs
    same: int = 0  # those that chose the same move, and saw it apart from others

    def add(self, first: Decision, second: Decision) -> None:
        """Add two searches of a position with different seeds. Proved positions do not count."""
        pair = first, second
        if any(one.proven is not None or len(one.values) < 2 for one in pair):
            return
        self.count += 1
        sees = all(max(one.values.values()) > min(one.values.values()) for one in pair)
        self.same += sees and first.move == second.move

    @property
    def agreement(self) -> float | None:
        """The part of the positions with the same choice; None if there are too few positions."""
        return self.same / self.count if self.count >= PLACES // 2 else None

    @property
    def can_judge(self) -> bool:
        """Whether values mean something; True also as long as nothing else is known."""
        return self.agreement is None or self.agreement >= LEAST

    @property
    def is_settled(self) -> bool:
        """Whether no more of `PLACES` pairs can change the answer."""
        others = self.count - self.same
        return self.same >= LEAST * PLACES or others > (1 - LEAST) * PLACES


def places_to_check(count: int) -> list[int]:
    """The numbers of the positions that are searched twice, of `count` positions of a game."""
    return sorted({(2 * number + 1) * count // (2 * PLACES) for number in range(PLACES)})


def cannot_judge(engine: str, game: GameSpec, reliability: Reliability) -> str:
    """The sentence about an engine that cannot judge a game, and what to use instead."""
    board, instead = game.title, "a stronger engine or more simulations"
    if isinstance(game, Go):
        board += f" on {game.size}x{game.size}"
        smaller = "a smaller board, or " if game.size > 9 else ""
        instead = f"{smaller}an engine over GTP, such as GNU Go or KataGo"
    others = reliability.count - reliability.same
    return (f"{engine} cannot judge {board}: with another seed, it prefers other moves in {others} "
            f"of {reliability.count} positions. Use {instead}.")
