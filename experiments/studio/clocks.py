"""The clocks of a game: what they show, when time is up, and how files write them.

Only the clock of the player to move runs, from the first move on. It stops while nobody watches
or the game is paused. An engine's clock counts its thinking, not its preparation.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from dlgo import Player
from dlgo.game_tree import Node
from experiments.gtp.clock import Clock
from experiments.studio.replies import StudioError

# Minutes of main time; then seconds that each move adds, or periods and seconds of a period.
_FORM = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)(?:\+(?:(\d{1,2})x)?(\d{1,4}))?")
# The overtime of an SGF file.
_OVERTIME = re.compile(r"((?:\d+x)?\d+) (?:byo-yomi|fischer)", re.IGNORECASE)
_NUMBER = re.compile(rb"\d{1,6}(?:\.\d{1,6})?")
_LEFT = {Player.black: ("BL", "OB"), Player.white: ("WL", "OW")}  # SGF's seconds and periods


def read_clock(text: str) -> Clock:
    """The clock at the start of a game: `10` is ten minutes, `10+5` adds five seconds for each
    move, `10+3x30` gives three periods of byo-yomi, 30 seconds each; "" is no clock.

    Raises StudioError for another text.
    """
    if not text:
        return Clock()
    match = _FORM.fullmatch(text.replace(" ", ""))
    minutes, periods, seconds = match.groups(default="0") if match else ("0", "0", "0")
    main, extra = round(60 * float(minutes), 1), float(seconds)
    if (int(periods) and not extra) or not main + extra * int(periods):
        raise StudioError(f"the clock {text[:40]!r} cannot be read; write 10+5 for ten minutes and "
                          "5 seconds a move, or 10+3x30 for ten minutes, then 3 periods of 30 s")
    if int(periods):
        return Clock(main, extra, int(periods), japanese=True)
    return Clock(main, increment=extra)


def clock_in(info: Mapping[str, str]) -> str:
    """The clock of a file's `info`, as `read_clock` takes it; "" if the file sets none.

    Raises StudioError for a clock that the studio does not have.
    """
    text, over = info.get("TM", info.get("TimeControl", "")), info.get("OT", "")
    if over:
        match = _OVERTIME.fullmatch(over)
        text = f"{text or 0}+{match[1]}" if match else f"{text} and {over}".removeprefix(" and ")
    if not text:
        return ""
    seconds, plus, increment = text.partition("+")
    try:
        minutes = f"{float(seconds) / 60:.4f}".rstrip("0").rstrip(".")
        clock = f"{minutes}{plus}{increment}"
        read_clock(clock)
    except (ValueError, StudioError):
        raise StudioError(f"the clock {text[:40]!r} is left out; the studio has main time with "
                          "an increment or byo-yomi") from None
    return clock


class Clocks:
    """The clocks of both players; they belong to one event loop.

    Args:
        text: as `read_clock` takes it.
        on_late: called when somebody, now `late`, has lost on time.
    """

    def __init__(self, text: str, on_late: Callable[[], None]) -> None:
        self.text, self._on_late = text, on_late
        self._clock = read_clock(text)
        # What both players have left after each number of moves; nothing runs before the first.
        self._after: dict[int, list[tuple[float, int]]] = {}
        self.late: Player | None = None
        self._player: Player | None = None  # whose clock runs
        self._used, self._began = 0.0, 0.0  # seconds of this turn; those since `_began` come on top
        self._alarm: asyncio.TimerHandle | None = None

    def run(self, player: Player, engine: bool = False) -> None:
        """Start the clock of `player`, who is to move. That of an engine is for display only:
        its thinking is measured elsewhere."""
        remaining = self.left(player)
        if remaining is None or self._player is not None or self.late is not None:
            return
        self._player, self._began = player, time.monotonic()
        if engine:
            self._used = 0.0
        else:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(remaining - self._used, self.check, player, remaining)

    def hold(self) -> None:
        """Stop the clock that runs; the seconds of this turn so far count."""
        self._used, self._player = self.used, None
        if self._alarm is not None:
            self._alarm.cancel()

    def check(self, player: Player, elapsed: float) -> None:
        """End the game if `player` has used more seconds in this turn than there were."""
        remaining = self.left(player)
        if remaining is not None and elapsed >= remaining and self.late is None:
            self.hold()
            self._used, self.late = remaining, player
            self._on_late()

    @property
    def running(self) -> bool:
        """Whether a clock runs."""
        return self._player is not None

    @property
    def used(self) -> float:
        """Seconds of this turn so far."""
        return self._used + (0.0 if self._player is None else time.monotonic() - self._began)

    def left(self, player: Player) -> float | None:
        """Seconds until the time of `player`, whose turn it is, is up; None without a limit."""
        return self._clock.remaining(player) if self._after else None

    def share(self, player: Player, empty_cells: int) -> float | None:
        """Seconds that an engine should take for its move; None without a limit."""
        return self._clock.seconds_for_a_move(player, empty_cells)

    def end_turn(self, plies: int, player: Player, seconds: float | None = None) -> None:
        """`player` has moved, which makes `plies` moves, after `seconds`, by default those
        counted here."""
        self.hold()
        if self._after:
            self._clock.spend(player, self._used if seconds is None else seconds)
        if self._clock.limited:
            self._after[plies] = [*map(self._clock.left_of, Player)]
        self._used = 0.0

    def go_back(self, plies: int) -> None:
        """Show what was left after `plies` moves."""
        self.hold()
        self._set({at: times for at, times in self._after.items() if at <= plies})
        self._used, self.late = 0.0, None

    def _set(self, times: dict[int, list[tuple[float, int]]]) -> None:
        self._after = times
        self._clock.left = dict(zip(Player, times[max(times)], strict=True)) if times else {}

    def view(self) -> dict[str, Any] | None:
        """What the page shows: each player's seconds and periods (0: main time) when the turn
        began, the seconds used since, and whose clock runs."""
        if not self._clock.limited:
            return None
        return {
            "text": self.text, "left": [self._clock.left_of(player) for player in Player],
            "period": self._clock.byo_time, "periods": self._clock.byo_stones,
            "used": round(self.used, 2),
            "running": None if self._player is None else self._player.index,
        }

    def kept(self) -> dict[str, Any]:
        """Its state as plain values, as `restore` takes it."""
        late = None if self.late is None else self.late.index
        return {"after": [*self._after.items()], "used": self.used, "late": late}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state that was kept; nothing runs until the next turn."""
        self._set({plies: [*map(tuple, times)] for plies, times in state["after"]})
        self._used = state["used"]
        self.late = None if state["late"] is None else Player.from_index(state["late"])

    def write_left(self, root: Node) -> None:
        """Note the time left after each move in the tree of a game of Go, as SGF does; at the last
        move, also the time that the other player has left by now."""
        plies = 0
        times: Any = None

        def note(player: Player, elapsed: float) -> None:
            seconds, periods = times[player.index]
            for key, number in zip(_LEFT[player], (seconds - elapsed, periods), strict=True):
                if number > 0:
                    node.markup[key] = [f"{round(number, 1):.6g}".encode()]

        for node in root.main_line():
            plies += len(node.moves)
            if times := self._after.get(plies):
                note(node.state.next_player.other, 0.0)
        if times and not node.state.is_over():
            note(node.state.next_player, self.used)

    def read_left(self, root: Node) -> bool:
        """Set the clocks to the time left that the tree of a game notes, else to all of it. Return
        whether it has such notes."""
        plies, noted, times = 0, False, [*map(self._clock.left_of, Player)]
        times_after = {}
        for node in root.main_line():
            plies += len(node.moves)
            for player, keys in _LEFT.items():
                texts = [node.markup.get(key, [b""])[0] for key in keys]
                seconds, periods = (
                    float(text) if _NUMBER.fullmatch(text) else 0.0 for text in texts)
                if seconds:
                    times[player.index] = seconds, min(int(periods), self._clock.byo_stones)
                    noted = True
            if plies:
                times_after[plies] = [*times]
        self._set(times_after)
        return noted

    def properties(self, form: str) -> dict[str, str]:
        """The time settings as a file of that format writes them."""
        clock = self._clock
        if not clock.limited:
            return {}
        main, kind = f"{clock.main_time:g}", "byo-yomi" if clock.byo_stones else "fischer"
        over = f"{clock.byo_stones}x{clock.byo_time:g}" if clock.byo_stones else ""
        over = over or (f"{clock.increment:g}" if clock.increment else "")
        if form == "sgf":
            return {"TM": main, **({"OT": f"{over} {kind}"} if over else {})}
        return {"TimeControl": f"{main}+{over}" if over else main}
