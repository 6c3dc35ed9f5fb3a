"""Which challenges the bot accepts, and what it answers to the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dlgo.api import Player
from dlgo.text import number_of
from experiments.online.clocks import clock_at_start
from experiments.online.position import RULES
from experiments.online.protocol import Challenge, ProtocolError, board_size, get, number

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


@dataclass(frozen=True)
class Terms:
    """The conditions of the bot."""

    sizes: tuple[int, ...] = (9,)  # boards
    challenges: str = "any"  # or ranked, unranked, none
    speeds: tuple[str, ...] = ("rapid", "live")  # as the server calls them
    most_games: int = 1  # at a time
    most_handicap: int = 9  # stones
    # For a move, by the time settings as they are at the start of a game.
    least_seconds: float = 1.0
    players: tuple[str, ...] = ()  # accounts that may challenge; none: all
    hidden: bool = False  # whether the server's lists of bots leave it out

    def refusal(self, challenge: Challenge, games: int, closing: bool = False) -> str:
        """Why a challenge is declined; "" if it is accepted. `games`: number of running games."""
        try:
            return self._reason(challenge, games, closing)
        except ProtocolError as error:
            return f"This bot cannot play these settings: {error}."

    def _reason(self, challenge: Challenge, games: int, closing: bool) -> str:
        settings, speed = challenge.settings, challenge.time_control.get("speed")
        names = {str(part).lower() for part in challenge.player}
        width, height = (number(settings, key) for key in ("width", "height"))
        rules = get(settings, "rules", str, "japanese").lower()
        other = "unranked" if settings.get("ranked") else "ranked"
        stones = int(number(settings, "handicap", _AUTOMATIC))
        stones = _MOST_STONES if stones == _AUTOMATIC else stones
        few = f"up to {self.most_handicap}" if self.most_handicap else "no"
        sizes = ", ".join(f"{size}x{size}" for size in self.sizes)
        for refused, reason in (
            (closing or self.challenges == "none", "takes no new games now"),
            (self.players and not names & {player.lower() for player in self.players},
             "plays chosen accounts only at present"),
            (games >= self.most_games,
             f"plays {number_of(self.most_games, 'game')} at a time; try later"),
            (width != height, "plays on square boards only"),
            (width not in self.sizes, f"plays on {sizes} only"),
            (rules not in RULES,
             f"counts by area: by {' or '.join(RULES)} rules, not {rules[:20]}"),
            (settings.get("rengo"), "does not play in teams"),
            (self.challenges == other, f"plays {other} games only"),
            (stones > self.most_handicap, f"plays with {few} handicap stones"),
            (abs(number(settings, "komi", 0)) > _MOST_KOMI,
             f"plays with a komi of up to {_MOST_KOMI:g}"),
            (speed not in self.speeds, f"plays {' and '.join(self.speeds)} games only"),
        ):
            if refused:
                return f"This bot {reason}."
        clock = clock_at_start(challenge.time_control)
        seconds = clock.seconds_for_a_move(Player.black, board_size(settings) ** 2)
        if seconds is not None and seconds < self.least_seconds:
            return (f"This bot needs {self.least_seconds:g} s a move; your settings leave "
                    f"{seconds:.1f} s.")
        return ""

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
