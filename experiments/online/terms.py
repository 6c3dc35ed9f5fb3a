"""Which challenges the bot accepts, and what it answers to the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from dlgo.api import Player
from experiments.online.clocks import clock_at_start
from experiments.online.position import RULES
from experiments.online.protocol import SPEEDS, Challenge, ProtocolError, board_size, get, number

# The server writes a handicap that it will choose itself as -1.
_AUTOMATIC = -1
_MOST_STONES = 9
_MOST_KOMI = 100.0
# Seconds and periods as the server's pages show them: no limit of ours, we look at each challenge.
_ANY_TIME, _ANY_NUMBER = [0, 28 * 86400], [1, 300]
_ANY_CLOCK = {
    "simple": {"per_move_time_range": _ANY_TIME},
    "byoyomi": {"main_time_range": _ANY_TIME, "period_time_range": _ANY_TIME,
                "periods_range": _ANY_NUMBER},
    "fischer": {"max_time_range": _ANY_TIME, "time_increment_range": _ANY_TIME},
}


class Refusal(NamedTuple):
    """Why a challenge is declined."""

    message: str  # for the one who asks
    code: str = ""  # the server's word for it, by which its pages translate the message


@dataclass(frozen=True)
class Terms:
    """What the bot plays."""

    sizes: tuple[int, ...] = (9,)  # boards
    challenges: str = "any"  # or ranked, unranked, none
    speeds: tuple[str, ...] = ("rapid", "live")  # as the server calls them
    most_games: int = 1  # at a time
    most_handicap: int = 9  # stones
    # For a move, by the time settings as they are at the start of a game.
    least_seconds: float = 1.0
    players: tuple[str, ...] = ()  # accounts that may challenge; none: all
    hidden: bool = False  # whether the server's lists of bots leave it out

    def refusal(self, challenge: Challenge, games: int, closing: bool = False) -> Refusal | None:
        """Why a challenge is declined; None if it is accepted. `games` are played at present."""
        try:
            return (
                self._who_and_when(challenge, games, closing)
                or self._board(challenge.settings)
                or self._kind(challenge.settings)
                or self._time(challenge)
            )
        except ProtocolError as error:
            return Refusal(f"This bot cannot play these settings: {error}.")

    def _who_and_when(self, challenge: Challenge, games: int, closing: bool) -> Refusal | None:
        if closing or self.challenges == "none":
            return Refusal("This bot takes no new games now.", "not_accepting_new_challenges")
        names = {str(part).lower() for part in challenge.player}
        if self.players and not names & {player.lower() for player in self.players}:
            return Refusal("This bot plays chosen accounts only at present.", "blacklisted")
        if games >= self.most_games:
            speed = challenge.time_control.get("speed")
            code = f"too_many_{speed}_games" if speed in SPEEDS else ""
            return Refusal(f"This bot plays {self.most_games} games at a time; try later.", code)
        return None

    def _board(self, settings: dict[str, Any]) -> Refusal | None:
        width, height = (number(settings, key) for key in ("width", "height"))
        if width != height:
            return Refusal("This bot plays on square boards only.", "board_size_not_square")
        if width not in self.sizes:
            sizes = ", ".join(f"{size}x{size}" for size in self.sizes)
            return Refusal(f"This bot plays on {sizes} only.", "board_size_not_allowed")
        return None

    def _kind(self, settings: dict[str, Any]) -> Refusal | None:
        rules = get(settings, "rules", str, "japanese").lower()
        if rules not in RULES:
            return Refusal(f"This bot counts by area: by {' or '.join(RULES)} rules, not "
                           f"{rules[:20]}.")
        if settings.get("rengo"):
            return Refusal("This bot does not play in teams.")
        kind, other = ("ranked", "unranked")[:: 1 if settings.get("ranked") else -1]
        if self.challenges == other:
            return Refusal(f"This bot plays {other} games only.", f"{kind}_not_allowed")
        stones = int(number(settings, "handicap", _AUTOMATIC))
        if (_MOST_STONES if stones == _AUTOMATIC else stones) > self.most_handicap:
            few = f"up to {self.most_handicap}" if self.most_handicap else "no"
            return Refusal(f"This bot plays with {few} handicap stones.", "handicap_not_allowed")
        if abs(number(settings, "komi", 0)) > _MOST_KOMI:
            return Refusal(f"This bot plays with a komi of up to {_MOST_KOMI:g}.",
                           "komi_out_of_range")
        return None

    def _time(self, challenge: Challenge) -> Refusal | None:
        speed = challenge.time_control.get("speed")
        if speed not in self.speeds:
            code = f"{speed}_not_allowed" if speed in SPEEDS else ""
            return Refusal(f"This bot plays {' and '.join(self.speeds)} games only.", code)
        try:
            clock = clock_at_start(challenge.time_control)
        except ProtocolError as error:
            return Refusal(f"This bot cannot play so: {error}.", "time_control_system_not_allowed")
        seconds = clock.seconds_for_a_move(Player.black, board_size(challenge.settings) ** 2)
        if seconds is not None and seconds < self.least_seconds:
            return Refusal(
                f"This bot needs {self.least_seconds:g} s a move; your settings leave "
                f"{seconds:.1f} s.", "per_move_time_out_of_range",
            )
        return None

    def as_config(self, bot: tuple[int, str], closing: bool) -> dict[str, Any]:
        """What the server shows of the bot to those who look for an opponent."""
        handicap = self.most_handicap > 0
        settings = {
            f"allowed_{speed}_settings": {**_ANY_CLOCK, "concurrent_games": self.most_games}
            for speed in self.speeds
        }
        return {
            "_config_version": 2, "hidden": self.hidden or closing,
            "bot_id": bot[0], "username": bot[1],
            "allowed_time_control_systems": ["simple", "byoyomi", "fischer"],
            "allowed_board_sizes": list(self.sizes), **settings,
            "allow_ranked": self.challenges in ("any", "ranked"),
            "allow_unranked": self.challenges in ("any", "unranked"),
            "allowed_rank_range": ["30k", "9p"],
            "allow_ranked_handicap": handicap, "allow_unranked_handicap": handicap,
            "allowed_komi_range": [-_MOST_KOMI, _MOST_KOMI],
            "decline_new_challenges": closing or self.challenges == "none",
            "min_move_time": 0, "max_games_per_player": self.most_games,
        }
