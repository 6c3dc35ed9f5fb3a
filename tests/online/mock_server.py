"""A small OGS on this machine: its WebSocket and its REST requests on one port, on real sockets.

It keeps the boards by sgfmill's rules, not by ours, and refuses what those forbid. Tests watch what
it has heard, and make it cut connections, repeat itself and talk nonsense.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections.abc import Callable
from typing import Any

from websockets.frames import Opcode
from websockets.server import ServerProtocol

from tests.online.mock_game import ANN, BOT, KOMI, PASS, MockGame, random_opponent

KEY = "key-0123456789abcdef"


class MockServer:
    """The server, in a thread of its own."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, str, Any]] = []  # number of the connection, command, data
        self.posts: list[tuple[str, dict[str, Any]]] = []  # path and data of requests by REST
        self.challenges: list[dict[str, Any]] = []  # sent to a bot that comes
        self.games: dict[int, MockGame] = {}
        # Before a move of the bot is taken; true: the message is lost. After it, before it is told.
        self.on_move: Callable[[MockGame], bool] = lambda game: False
        self.after_move: Callable[[MockGame], None] = lambda game: None
        # Before the other side moves; true: it waits.
        self.hold: Callable[[MockGame], bool] = lambda game: False
        self.echo = 1  # how often a move is told
        self.connections = 0
        self.refuse_key = self.refuse_posts = False
        self.behind = 0.0  # milliseconds of its clock
        self._open: dict[int, tuple[ServerProtocol, asyncio.StreamWriter]] = {}
        self._random = random.Random(1)
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        assert ready.wait(120)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._server = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        ready.set()
        self._loop.run_forever()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call it in the server's thread; what it returns."""
        async def work() -> Any:
            return function(*arguments)
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(60)

    def close(self) -> None:
        self.call(self.cut)
        self.call(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)

    # --- what tests do with it ---

    def wait(self, condition: Callable[[], Any], what: str = "", seconds: float = 120.0) -> Any:
        """Wait until a condition holds; its value."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < end, f"{what}; heard {self.heard[-8:]}"
            time.sleep(0.005)
        return value

    def said(self, command: str, game: int | None = None) -> list[Any]:
        """The data of all messages with this command."""
        return [data for _, name, data in list(self.heard)
                if name == command and (game is None or data.get("game_id") == game)]

    def begin(self, game: MockGame) -> MockGame:
        """A game begins; the other side moves if it is Black."""
        def work() -> None:
            self.games[game.id] = game
            self.send("active_game", {"id": game.id, "phase": game.phase})
            self._reply(game)
        self.call(work)
        return game

    def go_on(self) -> None:
        """The other side no longer waits, and messages arrive."""
        self.hold = self.on_move = lambda game: False
        for game in self.games.values():
            self.call(self._reply, game)

    def play(self, game: MockGame, x: int, y: int) -> None:
        """The other side moves."""
        self.call(self._add, game, (x, y))

    def cut(self) -> None:
        """All connections break, without a word."""
        for _, writer in self._open.values():
            writer.transport.abort()
        self._open.clear()

    def send(self, command: str, data: Any) -> None:
        """Tell everybody something."""
        self.raw(json.dumps([command, data]).encode())

    def raw(self, data: bytes) -> None:
        """Send any text."""
        for protocol, writer in self._open.values():
            protocol.send_text(data)
            _flush(protocol, writer)

    # --- connections ---

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"POST"):
                await self._rest(head, reader, writer)
            else:
                await self._talk(head, reader, writer)
        except (OSError, EOFError):
            pass
        finally:
            writer.close()

    async def _rest(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        lines = head.decode().split("\r\n")
        length = next(int(line[15:]) for line in lines if line.lower().startswith("content-length"))
        path, data = lines[0].split()[1], json.loads(await reader.readexactly(length))
        self.posts.append((path, data))
        good = data.pop("apikey", "") == KEY and not self.refuse_posts
        status = "200 OK" if good else "403 Forbidden"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
                     .encode())
        await writer.drain()
        if good and path.endswith("/accept"):
            number = int(path.split("/")[-2])
            found = next(c for c in self.challenges if c["challenge_id"] == number)
            self.challenges.remove(found)
            game = self.games[number] = MockGame(number, found["width"], False, random_opponent)
            self.send("active_game", {"id": number, "phase": "play"})
            self._reply(game)

    async def _talk(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        protocol, data = ServerProtocol(), head
        self.connections += 1
        number, text = self.connections, b""
        while data:
            protocol.receive_data(data)
            for event in protocol.events_received():
                if not hasattr(event, "opcode"):
                    protocol.send_response(protocol.accept(event))
                    self._open[number] = protocol, writer
                elif event.opcode in (Opcode.TEXT, Opcode.CONT):
                    text += event.data
                    if event.fin:
                        self._hear(number, *json.loads(text))
                        text = b""
            if number in self._open:
                _flush(protocol, writer)
            data = await reader.read(1 << 16)
        self._open.pop(number, None)

    def _hear(self, connection: int, command: str, data: Any, request: int = 0) -> None:
        self.heard.append((connection, command, data))
        if command == "authenticate":
            good = data.get("bot_apikey") == KEY and not self.refuse_key
            answer = {"id": BOT, "username": "bot"} if good else None
            self.raw(json.dumps([request, answer]).encode())
            if good:
                for game in self.games.values():
                    if game.phase != "finished":  # a clock may be told before all else
                        self.send(f"game/{game.id}/clock", game.clock())
                        self.send("active_game", {"id": game.id, "phase": game.phase})
                for challenge in self.challenges:
                    self.send("notification", challenge)
        elif command == "net/ping":
            now = time.time() * 1000 - self.behind
            self.send("net/pong", {"client": data["client"], "server": now})
        elif command.startswith("game/") and isinstance(data, dict):
            game = self.games.get(data.get("game_id", 0))
            if game is not None:
                self._hear_of(game, command, data)

    # --- games ---

    def _hear_of(self, game: MockGame, command: str, data: dict[str, Any]) -> None:
        if command == "game/connect":
            self.send(f"game/{game.id}/gamedata", game.data())
        elif command == "game/move":
            game.sent += 1
            if self.on_move(game):
                return
            move = data["move"]
            point = PASS if move == ".." else (ord(move[0]) - 97, ord(move[1]) - 97)
            if game.to_move != BOT or game.phase != "play" or point in game.refuses:
                self.send(f"game/{game.id}/error", "that move is not possible")
                return
            self._add(game, point)
            self._reply(game)
        elif command == "game/resign":
            self._finish(game, ANN, "Resignation")
        elif command == "game/removed_stones/set":
            stones = {game.removed[i : i + 2] for i in range(0, len(game.removed), 2)}
            given = {data["stones"][i : i + 2] for i in range(0, len(data["stones"]), 2)}
            self.mark(game, "".join(sorted(stones | given if data["removed"] else stones - given)))
        elif command == "game/removed_stones/accept":
            game.accepted[BOT] = data["stones"]
            if data["stones"] == game.removed and game.opponent is not None:
                self._finish(game, *self._count(game))

    def mark(self, game: MockGame, stones: str) -> None:
        """Somebody marks these stones as dead."""
        game.removed, game.accepted = stones, {}
        self.send(f"game/{game.id}/removed_stones", {"all_removed": stones})

    def _add(self, game: MockGame, point: tuple[int, int]) -> None:
        mover = game.to_move
        game.moves.append(point)
        if "handicap" not in game.settings:
            try:
                game.board()
            except ValueError:
                game.moves.pop()
                assert mover == BOT, f"the test's own move {point} is illegal"
                self.send(f"game/{game.id}/error", "that move is illegal")
                return
        if mover == BOT:
            self.after_move(game)
        for _ in range(self.echo):
            self.send(f"game/{game.id}/move", {
                "game_id": game.id, "move_number": len(game.moves), "move": [*point, 1000]})
            self.send(f"game/{game.id}/clock", game.clock())
        if game.moves[-2:] == [PASS, PASS]:
            game.phase = "stone removal"
            self.send(f"game/{game.id}/phase", game.phase)

    def _reply(self, game: MockGame) -> None:
        while game.opponent is not None and game.phase == "play" and game.to_move == ANN:
            if self.hold(game):
                return
            self._add(game, game.opponent(game))

    def _count(self, game: MockGame) -> tuple[int, str]:
        board = game.board()
        for i in range(0, len(game.removed), 2):
            x, y = (ord(letter) - 97 for letter in game.removed[i : i + 2])
            board.board[game.size - 1 - y][x] = None
        margin = board.area_score() - game.settings.get("komi", KOMI)
        return game.players[margin < 0], f"{abs(margin)} points"

    def _finish(self, game: MockGame, winner: int, outcome: str) -> None:
        game.phase, game.winner, game.outcome = "finished", winner, outcome
        self.send(f"game/{game.id}/phase", "finished")
        self.send(f"game/{game.id}/gamedata", game.data())


def _flush(protocol: ServerProtocol, writer: asyncio.StreamWriter) -> None:
    for data in protocol.data_to_send():
        if writer.transport.is_closing():
            return
        if data:
            writer.write(data)
        else:  # both sides have said that they close
            writer.close()
