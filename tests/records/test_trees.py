"""Variations, comments and marks: what is written to a file is read again, in every format."""

from __future__ import annotations

import random
from pathlib import PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlgo import GameState, get_game
from dlgo.game_tree import Node, clean_comment, text_value
from experiments.play.cell_moves import turns
from experiments.play.game_file import SavedGame, form_of, game_bytes, read_games

GAMES = ("go:size=5", "draughts", "connect4", "connectn:cols=5,rows=4,n=3,pie=yes")
# What formats write in their own ways, besides any other text.
ODD = st.one_of(
    st.text(max_size=30), st.text("{}[]()\\;:&#%12 \n\t!?$*ab\u00a0\u2028", max_size=30),
    st.sampled_from(["&#125;", "[%LB aa:A] x", "a  b\n\n c", "{}", "1. 9-13 *", "# game: go"]),
)


def shape(root: Node) -> list[tuple]:
    """All that a tree holds, as a list in the order of `walk`."""
    return [
        (node.moves, node.comment, node.markup, len(node.children)) for node in root.walk()
    ]


def grown(game: str, size: int, draw: random.Random, say) -> Node:
    """A random tree of about `size` turns, of which each node may branch."""
    root = Node(GameState.new_game(get_game(game)))
    nodes = [root]
    while len(nodes) < size:
        node = draw.choice(nodes[-3:] if draw.random() < 0.7 else nodes)
        made = [*turns(node.state)] if not node.state.is_over() else []
        if made:
            child = node.add([step.move for step in draw.choice(made)])
            nodes += [child] if child not in nodes else []
    for node in nodes:
        say(node)
    return root


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
@pytest.mark.parametrize("game", GAMES)
def test_random_trees_with_odd_comments_are_read_as_they_were_written(game: str, data) -> None:
    def say(node: Node) -> None:
        if data.draw(st.booleans()):
            node.comment = clean_comment(data.draw(ODD))
        if data.draw(st.integers(0, 3)) == 0:
            label = clean_comment(data.draw(st.text(min_size=1, max_size=4))).replace("\n", "")
            node.markup["LB"] = [b"cc:" + text_value(label), b"aa:1"]
            node.markup["AR"] = [b"aa:cc"]

    draw = random.Random(data.draw(st.integers(0, 10**6)))
    root = grown(game, data.draw(st.integers(1, 14)), draw, say)
    state = root.main_line()[-1].state
    written = game_bytes(state, "A", "B", read=SavedGame(state, root=root))
    (again,) = read_games(written, PurePath(f"x.{form_of(state.game)}"), get_game)
    assert again.notes == () and again.state == state
    assert again.root is not None and shape(again.root) == shape(root)


def test_other_programs_keep_their_variations() -> None:
    data = (b"(;GM[1]FF[4]SZ[5];B[cc](;W[bb]C[main];B[dd])"
            b"(;W[dd]N[better]C[or so];B[bb](;W[bc])(;W[cb]TR[cb]))(;W[cc])(;AB[aa];W[bb]))")
    (saved,) = read_games(data, PurePath("x.sgf"), get_game)
    assert saved.notes == ("x.sgf: variations that cannot be read to their ends: 2",)
    written = game_bytes(saved.state, read=saved)
    for part in (b"(;C[or so]N[better]W[dd];B[bb]", b"(;TR[cb]W[cb])", b"C[main]"):
        assert part in written.replace(b"\n", b""), written
    (again,) = read_games(written, PurePath("x.sgf"), get_game)
    assert shape(again.root) == shape(saved.root) and again.notes == ()

    text = ('1. 11-15! {first} (1. 9-13?! $2 22-18 {a {brace} (1... 24-20 {or} 5-9)) 23-19 '
            '(23-18 15-15) 2. 8-11 *')
    (saved,) = read_games(text.encode(), PurePath("x.pdn"), get_game)
    assert saved.notes == ("x.pdn: variations that end before an illegal move: 1",)
    written = game_bytes(saved.state, read=saved).decode()
    assert ("1. 11-15 ! {first} ( 1. 9-13 ?! $2 22-18 {a &#123;brace} ( 1... 24-20 {or} 2. 5-9 ) ) "
            "1... 23-19 ( 1... 23-18 ) 2. 8-11 *") in " ".join(written.split())
    (again,) = read_games(written.encode(), PurePath("x.pdn"), get_game)
    assert shape(again.root) == shape(saved.root) and again.notes == ()


def test_a_text_of_moves_says_where_a_variation_goes_wrong() -> None:
    text = b"game: tictactoe\nB2 {the middle} ( A1 B2 ) # a side\nC3 ( A3 {#3} C1 ) A1\n"
    (saved,) = read_games(text, PurePath("x.txt"), get_game)
    assert saved.notes == ()
    assert [*map(str, saved.state.moves())] == ["B2", "C3", "A1"]
    assert [node.comment for node in saved.root.walk() if node.comment] == ["the middle", "#3"]
    (cut,) = read_games(b"game: tictactoe\nB2 ( A1 A1 ) C3 C3\n", PurePath("x.txt"), get_game)
    assert [note.split(": ", 1)[1] for note in cut.notes] == [
        "variations that end before an illegal move: 1",
        "line 2: C3 is illegal: the cell is taken; the game is read up to there",
    ]
