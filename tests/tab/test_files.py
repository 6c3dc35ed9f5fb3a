"""Files of games that a tab reads and writes are those of `dlgo`."""

from __future__ import annotations

from pathlib import Path, PurePath
from random import Random
from typing import Any

import pytest

from dlgo import GameState, Player, get_game
from dlgo.game_tree import Node
from experiments.play.game_file import SavedGame, form_of, game_bytes, read_games
from experiments.studio.position import find_turn, moves_view
from experiments.tab.programs import game_view
from tests.studio.test_readers import INTERNATIONAL
from tests.tab.worker import needs_node, run_worker

pytestmark = [pytest.mark.slow, *needs_node]

GAMES = ("go:size=5", "draughts", "connect4", "hex:size=4,swap=yes", "breakthrough:rows=5,cols=4")
# Reads and writes files with only so much of a tab as that takes.
READ = """
const { Game } = await load("rules.js"), { readFile, textOfGame } = await load("files.js");
const games = {};
for (const [spec, facts] of Object.entries(data.games)) games[spec] = await Game.load(facts);
const tab = { setup: { parts: games }, game: async (spec) => games[spec] };
return Promise.all(data.files.map(async ([name, text]) => {
  try {
    const read = await readFile(tab, new TextEncoder().encode(text), name);
    return [textOfGame({ ...read, late: null }, [read.black, read.white]), read.notes];
  } catch (error) { return [null, [error.message]]; }
}));
"""


def in_tab(folder: Path, games: tuple[str, ...], files: list[tuple[str, str]]) -> Any:
    """For each file what a tab writes after it has read it, and its notes."""
    views = {str(get_game(game)): game_view(get_game(game)) for game in games}
    return run_worker(folder, READ, {"games": views, "files": files})


def annotated_game(game: str, rng: Random) -> SavedGame:
    """A random game with variations, comments and marks, which ends by a resignation."""
    root = node = Node(GameState.new_game(get_game(game)))
    for ply in range(8):
        for text in sorted({rng.choice(moves_view(node.state))["text"] for _ in range(2)}):
            child = node.add(find_turn(node.state, text))
            child.comment = rng.choice(["", f"{text}: [a] {{b}} & &#5; x \\ y", "(1. 2-3) $1 *"])
            if ply % 3 == 1:
                child.markup = {"LB": [b"aa:A", b"bc:1"], "AR": [b"aa:bb"]}
        node = node.children[0]
    state = node.state.apply_move("resign")
    return SavedGame(state, "black: a", "w\"hite\\ [b]", info={}, root=root)


def lines(node: Node) -> Any:
    """A tree as plain values, without the order of variations' moves in memory."""
    game = node.state.game
    return ([game.move_text(move) if not move.is_resign else "resign" for move in node.moves],
            " ".join(node.comment.split()), node.markup, [lines(child) for child in node.children])


def test_a_tab_keeps_what_a_file_says(tmp_path: Path) -> None:
    rng = Random(3)
    saved = {game: annotated_game(game, rng) for game in GAMES}
    files = []
    for game, one in saved.items():
        text = game_bytes(one.state, one.black, one.white, one).decode()
        files.append((f"{game}.{form_of(one.state.game)}", text))
    for (name, text), (again, notes) in zip(files, in_tab(tmp_path, GAMES, files), strict=True):
        assert notes == []
        before, after = (
            read_games(one.encode(), PurePath(name.replace(":", "")), get_game)[0]
            for one in (text, again))
        assert (after.black, after.white) == (before.black, before.white)
        assert after.state == before.state
        assert after.state.winner() is before.state.winner() is not None
        assert before.root is not None and after.root is not None
        assert lines(after.root) == lines(before.root)


@pytest.mark.parametrize(("name", "text", "words"), [
    ("a.txt", "hello", "a.txt: not a game record; one is SGF of Go, PDN of draughts, or moves "
     "after a first line such as 'game: connect4'"),
    ("a.sgf", "(;GM[1]SZ[5]AB[aa];B[bb])", "a.sgf: it begins with a position that is set up, "
     "which a page cannot read; `dlgo web` can"),
    ("a.txt", "game: connect4\n1 ( 2", "a.txt: a variation is not closed, ')' is missing"),
    ("a.txt", "game: connect4\n1 1 1 1 1 1 1", "a.txt: move 7: 1 is illegal: the rules forbid it "
     "here; legal are 2, 3, 4, 5, 6 …; the game is read up to there"),
    ("a.pdn", INTERNATIONAL[0], f"a.pdn: {INTERNATIONAL[1]}"),
    ("a.sgf", "(;GM[1]SZ[5]KM[3];B[bb])", "a.sgf: go:size=5,komi=3 is not part of this page; the "
     "game is read as go:size=5"),
])
def test_bad_files_get_one_line(tmp_path: Path, name: str, text: str, words: str) -> None:
    [(_, notes)] = in_tab(tmp_path, ("connect4", "go:size=5"), [(name, text)])
    assert notes == [words]


def test_files_of_other_programs(tmp_path: Path) -> None:
    pdn = ('[Event "x"]\n[White "W"]\n[Result "0-1"]\n\n1. 11-15! 23-18 2. 8\u201311 27-23 '
           '(2... 18x11 $2 {x 1. y}) 3. 11-16 18x11 0-1\n\n[Event "y"]\n\n1. 9-13 *\n')
    sgf = "(;FF[3]GM[1]SiZe[5]PB[a];B[tt]N[x];W[ab]\n(;W[cc])(;B[bb]TR[aa:bb]))"
    (played, notes), (go, _) = in_tab(
        tmp_path, ("draughts", "go:size=5"), [("x.pdn", pdn), ("x.sgf", sgf)])
    assert notes[0] == "x.pdn: the first game is read; the others are left out"
    [game] = read_games(played.encode(), PurePath("x.pdn"), get_game)
    assert [*map(str, game.state.moves())][-1] == "18-11" and game.result == "0-1"
    [game] = read_games(go.encode(), PurePath("x.sgf"), get_game)
    assert [*map(str, game.state.moves())] == ["pass", "A4", "pass", "C3"]
    assert game.root is not None and len(game.root.main_line()[2].children) == 2
    assert game.state.next_player is Player.black
