"""From a clock of OGS to the seconds for a move, by the same rule as `dlgo gtp`.

The server says what was left when the last move was made, and when that was, in milliseconds of
its own time. Durations are seconds.
"""

from __future__ import annotations

from typing import Any

from dlgo.api import Player
from experiments.gtp.clock import Clock
from experiments.online.protocol import GameData, ProtocolError, number

# Seconds that a move needs on its way: network, server, starting a search.
_WAY = 0.4
# Seconds for a move where the clock cannot be read.
_UNREADABLE = 1.0


def clock_at_start(time_control: dict[str, Any]) -> Clock:
    """The clock that both players have at the start; one without limit for `none`. Raises
    ProtocolError if a number is missing, or the system is unknown."""
    def time(key: str) -> float:
        return max(number(time_control, key), 0.0)

    system = time_control.get("system") or time_control.get("time_control")
    match system:
        case "fischer":
            return Clock(time("initial_time"), increment=time("time_increment"))
        case "byoyomi":
            periods = int(number(time_control, "periods"))
            return Clock(time("main_time"), time("period_time"), periods, japanese=True)
        case "simple":
            return Clock(0.0, time("per_move"), 1, japanese=True)
        case "absolute":
            return Clock(time("total_time"))
        case "none":
            return Clock()
        case _:
            raise ProtocolError(f"the time system {str(system)[:40]!r} is unknown")


def seconds_for_a_move(
    data: GameData, player: Player, empty_points: int, now: float
) -> float | None:
    """Wall seconds that `player`, whose turn it is, should take; None if there is no limit. `now`
    is the server's time in milliseconds."""
    pause = data.clock.get("pause")
    paused = isinstance(pause, dict) and bool(pause.get("paused"))
    try:
        clock = clock_at_start(data.time_control)
        if not clock.limited:
            return None
        last = number(data.clock, "last_move", now)
        until = now
        if paused:
            until = number(data.clock, "paused_since", pause.get("paused_since") or last)
        gone = max(until - last, 0.0) / 1000 + _WAY
        clock.left[player] = _left(clock, data.clock.get(f"{player.name}_time"), gone)
    except ProtocolError:
        return _UNREADABLE
    seconds = clock.seconds_for_a_move(player, empty_points)
    expires = data.clock.get("expiration")
    if seconds is not None and isinstance(expires, int | float) and not paused:
        # By then the game is lost, whatever the parts of the clock say.
        seconds = min(seconds, max((expires - now) / 1000 - _WAY, 0.0) * 0.9)
    return seconds


def _left(clock: Clock, sent: Any, gone: float) -> tuple[float, int]:
    """Seconds and periods as in GTP's `time_left`, `gone` seconds after the move."""
    if not isinstance(sent, dict):  # `simple` sends a number of another meaning
        sent = {}
    if clock.main_time == 0 and clock.byo_stones == 1 and not sent:
        return max(clock.byo_time - gone, 0.0), 1
    thinking = number(sent, "thinking_time", clock.main_time)
    if thinking > gone or not clock.byo_stones:
        return max(thinking - gone, 0.0), 0
    over = gone - max(thinking, 0.0)
    periods = max(int(number(sent, "periods", clock.byo_stones)), 1)
    length = number(sent, "period_time", clock.byo_time) or clock.byo_time
    lost = min(int(over // length), periods - 1) if length > 0 else 0
    return max(length - (over - lost * length), 0.0), periods - lost
