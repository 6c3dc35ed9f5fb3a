"""Bots and games in files: the next game plays what the files hold now; errors name no folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.studio.client import OWN_GAME, ROOT, Studio

BOT = """import my_help
class Mine:
    def select_move(self, state):
        return state.legal_moves()[%s]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edited")
    (folder / "my_help.py").write_text("PLACE = 0")
    (folder / "my_bot.py").write_text(BOT % 0)
    (folder / "my_rows.py").write_text((ROOT / OWN_GAME).read_text())
    (folder / "notes.sqlite").write_text("not a ledger")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Studio]:
    server = Studio("--allow", f"{folder}/my_bot.py", "--allow", f"{folder}/my_rows.py",
                    "--ledger", f"{folder}/notes.sqlite")
    yield server
    server.close()


def answer(server: Studio, game: str, engine: str) -> str:
    """The engine's answer to a first move in a new game, or what is wrong with it."""
    name = server.new(game, white=engine)
    first, last = (server.view(name)["position"]["moves"][place]["text"] for place in (0, -1))
    assert server.move(name, first) == (200, {})
    with server.watching(name) as watcher:
        view = watcher.until(lambda view: view["plies"] == 2 or view["problem"])
    return view["problem"] or ("last" if view["history"][1]["text"] == last else "first")


@pytest.mark.slow
def test_an_edited_bot_plays_the_next_game(server: Studio, folder: Path) -> None:
    path = folder / "my_bot.py"
    engine = f"{path}:Mine"
    assert answer(server, "tictactoe", engine) == "first"
    path.write_text(BOT % -1)
    assert answer(server, "tictactoe", engine) == "last"
    path.write_text(BOT.replace("state)", "state") % 0)
    assert answer(server, "tictactoe", engine).startswith(
        "my_bot.py:Mine: cannot load my_bot.py, line 3: ")
    path.write_text(BOT % "my_help.PLACE")
    assert answer(server, "tictactoe", engine) == "first"
    (folder / "my_help.py").write_text("PLACE = -1")  # a file that the bot uses
    assert answer(server, "tictactoe", engine) == "last"


def fourth(server: Studio, game: str) -> str:
    """The move of an engine that may fill a row, or what is wrong with it."""
    for move in ("A1", "A3", "B1"):
        assert server.move(game, move) == (200, {})
    assert server.ask(f"/api/games/{game}/players", {"white": "alphabeta:depth=6"})[0] == 200
    with server.watching(game) as watcher:
        view = watcher.until(lambda view: view["plies"] > 3 or view["problem"])
    return view["problem"] or view["history"][3]["text"].split()[0]


@pytest.mark.slow
def test_an_edited_game_is_played_by_its_new_rules(server: Studio, folder: Path) -> None:
    path = folder / "my_rows.py"
    rules, wins = path.read_text(), "words[LEAD] += 1 - 2 * player"
    assert wins in rules
    games = [server.new(str(path)) for _ in range(2)]
    assert fourth(server, games[0]) in ("A2", "C1")
    path.write_text(rules.replace(wins, "words[LEAD] -= 1 - 2 * player").replace(
        'title = "Rows', 'title = "Avoid Rows'))  # now a row is a loss
    new = server.new(str(path))
    assert server.view(new)["title"] == "Avoid Rows and Columns"
    assert fourth(server, new) not in ("A2", "C1")
    assert "my_rows.py:RowsAndColumns was edited" in fourth(server, games[1])
    path.write_text(rules.replace("CELLS = 9", "CELLS = = 9"))
    status, refused = server.ask("/api/games", {"game": str(path)})
    assert status == 400 and refused["error"] == "cannot load my_rows.py, line 26: invalid syntax"
    path.write_text(rules)
    assert fourth(server, server.new(str(path))) in ("A2", "C1")


def test_errors_name_no_folder(server: Studio, folder: Path) -> None:
    answers = [server.ask(path)[1] for path in ("/api/ledgers", "/api/ledgers/notes.sqlite/games")]
    for spec in ("my_rows.py:None", "my_rows.py:size=3", "none.py"):
        answers.append(server.ask("/api/games", {"game": f"{folder}/{spec}"})[1])
    for spec in ("my_bot.py:None", "my_bot.py:Mine:depth=3"):
        answers.append(answer(server, "tictactoe", f"{folder}/{spec}"))
    for text in map(str, answers):
        assert str(folder) not in text and folder.name not in text, text
