"""Live analysis: `analyze`, `kata-analyze` and `lz-analyze`.

Front ends (Sabaki, Lizzie and others) send the command, read a line of `info move ...` every
so often, and end it by sending anything else, which works at once. Each line comes from one
short search; an engine that keeps its tree (`mcts`) continues where the last one ended.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dlgo.api import GameState
from dlgo.gtp import GtpError, parse_color, parse_int
from engines.base import Budget, Decision
from engines.clock import stopped_by
from experiments.gtp.session import Session

# Between two lines, in hundredths of a second: what front ends usually ask for.
_INTERVAL, _SHORTEST = 50, 5
# Keys that are no longer than the longest name of a colour; other programs' keys are longer.
_SHORT_KEYS = ("avoid", "allow")
# Maximum number of moves in a line; the search has hardly visited the others.
_MOST_MOVES = 30

# Waits for a number of seconds (0: not at all); true as soon as the next line of input is there.
Wait = Callable[[float], bool]


@dataclass(frozen=True)
class Analysis:
    """A running analysis; a command returns it instead of text."""

    session: Session
    state: GameState
    seconds: float  # between two lines
    leela: bool  # Leela Zero writes ten thousandths as whole numbers, KataGo fractions

    def lines(self, wait: Wait) -> Iterator[str]:
        """A line every `seconds`, until `wait` says that input has come."""
        engine = self.session.engine()
        repeats = "wall" in engine.budgets
        budget = Budget(wall=self.seconds) if repeats else engine.budget
        searched = 0
        while True:
            start = time.monotonic()
            with stopped_by(lambda: wait(0.0)):
                decision = engine.select_move(self.state, budget)
            searched += decision.cost.simulations or decision.cost.nodes
            yield self._line(decision, searched)
            if not repeats:  # it would say the same again and again
                while not wait(60.0):
                    pass
                return
            if wait(max(self.seconds - (time.monotonic() - start), 1e-3)):
                return

    def _line(self, decision: Decision, searched: int) -> str:
        def number(share: float) -> str:
            return str(round(10_000 * share)) if self.leela else f"{share:.4f}"

        text = self.state.game.move_text
        shares = decision.policy or {decision.move: 1.0}
        # The engine's choice first, then by visits.
        moves = [decision.move, *(move for move in shares if move != decision.move)]
        parts = []
        for order, move in enumerate(moves[:_MOST_MOVES]):
            line = decision.pv if decision.pv[:1] == (move,) else (move,)
            share = shares.get(move, 0.0)
            # What the mover may expect; 0 where the engine makes no estimate.
            value = decision.values.get(move, decision.value or 0.0)
            parts.append(
                f"info move {text(move)} visits {round(share * searched)} "
                f"winrate {number((value + 1) / 2)} prior {number(share)} order {order} "
                f"pv {' '.join(map(text, line))}"
            )
        return " ".join(parts)


def _analysis(session: Session, *arguments: str, leela: bool) -> Analysis:
    """Read `[color] [interval] [key value]...`; keys other than `interval` are ignored."""
    words = list(arguments)
    player = session.state.next_player
    first = words[0] if words else ""
    if first and not first.isdigit() and len(first) <= 5 and first not in _SHORT_KEYS:
        player = parse_color(words.pop(0))
    interval = _INTERVAL
    if words and words[0].isdigit():
        interval = parse_int(words[0], "interval")
    elif "interval" in words[:-1]:
        interval = parse_int(words[words.index("interval") + 1], "interval")
    state = session.turn_of(player)
    if state.is_over():
        raise GtpError("the game is over")
    return Analysis(session, state, max(interval, _SHORTEST) / 100, leela)


COMMANDS: dict[str, Callable[..., Any]] = {
    name: functools.partial(_analysis, leela=name == "lz-analyze")
    for name in ("analyze", "kata-analyze", "lz-analyze")
}
