"""A GTP server in this process, to be talked to. Used by the tests of the server."""

from __future__ import annotations

from dlgo import get_game
from engines.registry import EngineSpec
from experiments.gtp.server import Server
from experiments.gtp.session import Session


class Talk:
    """A server in this process."""

    def __init__(self, game: str = "go:size=5,komi=0.5", engine: str = "random") -> None:
        self.server = Server(Session(get_game(game), EngineSpec.parse(engine), seed=1))

    def raw(self, line: str) -> str:
        return "".join(self.server.answer(line))

    def __call__(self, line: str) -> str:
        """The result of a command that works."""
        response = self.raw(line)
        assert response.startswith("="), response
        return response[1:].strip()

    def fails(self, line: str, message: str) -> None:
        response = self.raw(line)
        assert response.startswith("? " + message), response
        assert response.count("\n") == 2

    @property
    def stones(self) -> str:
        """The stones as `b A1 w B2`."""
        state = self.server.session.state
        return " ".join(
            f"{player.name[0]} {'ABCDE'[col - 1]}{row}"
            for row in range(1, 6) for col in range(1, 6)
            if (player := state.game.cell(state, row, col)) is not None
        )
