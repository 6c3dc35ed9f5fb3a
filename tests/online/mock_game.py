"""A game on the mock of OGS, by sgfmill's rules; the other side's moves; challenges."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sgfmill.boards import Board

BOT, ANN = 7, 42
# Main time in seconds, then three periods.
BYOYOMI = {"system": "byoyomi", "speed": "live", "main_time": 600, "period_time": 30, "periods": 3}
Opponent = Callable[["MockGame"], tuple[int, int]]
PASS = (-1, -1)
KOMI = 7.5


@dataclass
class MockGame:
    """A game. Points are (x, y) from the upper left corner."""

    id: int
    size: int = 5
    bot_is_black: bool = True
    opponent: Opponent | None = None  # what the other side plays; None: the test says
    settings: dict[str, Any] = field(default_factory=dict)
    refuses: set[tuple[int, int]] = field(default_factory=set)  # for reasons of the server's own
    moves: list[tuple[int, int]] = field(default_factory=list)
    phase: str = "play"
    removed: str = ""
    accepted: dict[int, str] = field(default_factory=dict)
    outcome: str = ""
    winner: int | None = None
    sent: int = 0  # moves of the bot that have come, accepted or not
    thinking_time: float = 600.0
    behind: float = 0.0  # milliseconds of the server's clock

    @property
    def players(self) -> tuple[int, int]:
        return (BOT, ANN) if self.bot_is_black else (ANN, BOT)

    @property
    def to_move(self) -> int:
        begun = self.settings.get("handicap", 0)
        if self.settings.get("free_handicap_placement") and begun > 1:
            turn = 0 if len(self.moves) < begun else (len(self.moves) - begun + 1) % 2
        else:
            turn = (len(self.moves) + (self.settings.get("initial_player") == "white")) % 2
        return self.players[turn]

    def board(self) -> Board:
        """The board after all moves. Raises ValueError for an illegal one."""
        board, ko = Board(self.size), None
        for number, (x, y) in enumerate(self.moves):
            colour = "bw"[number % 2]
            if (x, y) == PASS:
                ko = None
                continue
            if (x, y) == ko:
                raise ValueError("ko")
            ko_point = board.play(self.size - 1 - y, x, colour)
            if board.get(self.size - 1 - y, x) is None:
                raise ValueError("self-capture")
            ko = None if ko_point is None else (ko_point[1], self.size - 1 - ko_point[0])
        return board

    def data(self) -> dict[str, Any]:
        """The game as `gamedata`."""
        black, white = self.players
        names = {BOT: "bot", ANN: "ann"}
        return {
            "game_id": self.id, "width": self.size, "height": self.size, "rules": "chinese",
            "komi": KOMI, "handicap": 0, "phase": self.phase, "removed": self.removed,
            "initial_state": {"black": "", "white": ""}, "initial_player": "black",
            "players": {
                "black": {"id": black, "username": names[black]},
                "white": {"id": white, "username": names[white]},
            },
            "moves": [[x, y, 1000] for x, y in self.moves], "time_control": BYOYOMI,
            "clock": self.clock(), "outcome": self.outcome, "winner": self.winner, **self.settings,
        }

    def clock(self) -> dict[str, Any]:
        black, white = self.players
        side = {"thinking_time": self.thinking_time, "periods": 3, "period_time": 30}
        return {"game_id": self.id, "current_player": self.to_move, "black_player_id": black,
                "white_player_id": white, "last_move": time.time() * 1000 - self.behind,
                "black_time": side, "white_time": side}


def random_opponent(game: MockGame) -> tuple[int, int]:
    """Random legal moves outside own eyes; passes when there is none, or after a pass."""
    points = [(x, y) for x in range(game.size) for y in range(game.size)]
    random.Random(len(game.moves)).shuffle(points)
    board, colour = game.board(), "bw"[len(game.moves) % 2]
    if game.moves and game.moves[-1] == PASS and len(game.moves) > game.size**2:
        return PASS
    for x, y in points:
        row = game.size - 1 - y
        near = [board.get(r, c) for r, c in ((row + 1, x), (row - 1, x), (row, x + 1), (row, x - 1))
                if 0 <= r < game.size and 0 <= c < game.size]
        if board.get(row, x) is None and not all(stone == colour for stone in near):
            game.moves.append((x, y))
            try:
                game.board()
            except ValueError:
                continue
            else:
                return (x, y)
            finally:
                game.moves.pop()
    return PASS


def challenge(number: int, **settings: Any) -> dict[str, Any]:
    """A notification of a challenge that a bot with the usual terms accepts."""
    return {
        "id": f"n{number}", "type": "challenge", "challenge_id": number,
        "user": {"id": ANN, "username": "ann"}, "width": 5, "height": 5, "rules": "chinese",
        "ranked": False, "handicap": 0, "komi": None, "time_control": BYOYOMI, **settings,
    }
