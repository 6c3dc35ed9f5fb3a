"""How long to think: from the time settings and the time left to seconds for one move.

All times are wall seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dlgo.api import Player

# Share of a move's time that is used, and seconds taken off it: programs, networks and operating
# systems are late.
_SHARE, _LAG = 0.9, 0.05
# Seconds that an engine needs for any sensible move, even when little time is left.
_LEAST = 0.01
# The main time has to last for at least this number of own moves: near the end, the number of moves
# left is unknown.
_FEWEST_MOVES = 12
# Each player fills about a third of the empty points before the game ends.
_SHARE_OF_EMPTY_POINTS = 3


@dataclass
class Clock:
    """Main time, then overtime: `byo_stones` moves in each `byo_time` (Canadian byo-yomi). Under
    Japanese byo-yomi every move of the overtime has a period, and GTP's stones are those left.

    No time settings, or zero stones and a positive time ("no limit" in GTP), mean no limit.
    """

    main_time: float | None = None
    byo_time: float = 0.0
    byo_stones: int = 0
    japanese: bool = False
    increment: float = 0.0  # that each move adds to the main time (Fischer); without overtime
    # For each colour (seconds, stones) as in GTP's `time_left`; 0 stones: main time. Some
    # controllers send the stones of the overtime during the main time as well. More seconds than a
    # period has tell so; they may include the overtime, which is then taken off.
    left: dict[Player, tuple[float, int]] = field(default_factory=dict)

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.main_time is not None and not (self.byo_time > 0 and self.byo_stones == 0)

    def seconds_for_a_move(self, player: Player, empty_points: int) -> float | None:
        """Seconds for a move (None: no limit); the game's length is guessed by the empty points."""
        if player not in self.left and not self.limited:
            return None
        seconds, stones = self.left_of(player)
        if stones > 0:
            share = seconds if self.japanese else seconds / stones
        else:
            moves = max(empty_points // _SHARE_OF_EMPTY_POINTS, _FEWEST_MOVES)
            stones_a_period = 1 if self.japanese else self.byo_stones
            per_stone = self.byo_time / stones_a_period if self.byo_stones else 0.0
            # With overtime in reserve, the main time may be used up sooner. What a move adds comes
            # after it: it cannot be spent before.
            share = min(seconds / moves + per_stone + self.increment, seconds + per_stone)
        return max(share * _SHARE - _LAG, min(_LEAST, share / 2))

    def remaining(self, player: Player) -> float | None:
        """Seconds after which `player` has lost on time, unless they move; None: no limit."""
        if player not in self.left and not self.limited:
            return None
        time_left, stones = self.left_of(player)
        periods = stones - 1 if stones > 0 else self.byo_stones
        if not self.japanese:
            periods = int(stones == 0 and self.byo_stones > 0)
        return time_left + periods * self.byo_time

    def spend(self, player: Player, seconds: float) -> None:
        """The clock ran while `player` thought; for controllers that do not send `time_left`."""
        if player not in self.left and not self.limited:
            return
        time_left, stones = self.left_of(player)
        time_left -= seconds
        if self.japanese and (stones > 0 or (time_left < 0 and self.byo_stones)):
            lost_periods = 0
            if time_left < 0 and self.byo_time:
                lost_periods = int(-time_left // self.byo_time) + 1
            time_left = self.byo_time or time_left
            stones = max((stones or self.byo_stones + 1) - lost_periods, 1)
        elif stones > 0:
            stones -= 1
            if stones == 0 and self.byo_stones:
                time_left, stones = self.byo_time, self.byo_stones
        elif time_left <= 0 and self.byo_stones:
            time_left, stones = time_left + self.byo_time, self.byo_stones
        else:
            time_left += self.increment
        self.left[player] = (max(time_left, 0.0), stones)

    def left_of(self, player: Player) -> tuple[float, int]:
        """Seconds and stones as in `left`, also before anything was spent or sent."""
        if player in self.left:
            seconds, stones = self.left[player]
            if stones > 0 and seconds > self.byo_time > 0:
                overtime = self.byo_time * (stones if self.japanese else 1)
                return max(seconds - overtime, 0.0), 0
            return seconds, stones
        if self.main_time == 0 and self.byo_stones:
            return self.byo_time, self.byo_stones
        return self.main_time or 0.0, 0
