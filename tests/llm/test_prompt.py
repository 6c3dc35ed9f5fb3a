"""What the engine `llm` tells a language model: prompts, templates, disguises, settings."""

from __future__ import annotations

import json
import random

import pytest

import dlgo
from dlgo.errors import SpecError
from engines.llm.answers import Unusable
from engines.llm.prompt import Prompt
from engines.registry import build_engine

START = dlgo.game("tictactoe").start()


def prompt(game: str = "tictactoe", template: str = "line", disguise: str = "",
           board: str = "drawing", legal: bool = True) -> Prompt:
    return Prompt(dlgo.game(game), template, disguise, board, legal)


def test_the_prompt_has_what_was_asked_for() -> None:
    state = START.play("B2", "A1")
    text = prompt().first(state)
    assert str(state) in text and "Moves so far: B2 A1" in text
    assert "Legal moves: B1, C1, A2, C2, A3, B3, C3" in text and "You are X (x)" in text
    text = prompt(board="list", legal=False).first(state)
    assert "x: B2\no: A1" in text and "Legal" not in text and str(state) not in text


@pytest.mark.parametrize("game", ["connect4", "draughts", "go:size=5", "hex:size=4"])
def test_every_legal_move_can_be_answered_in_every_game(game: str) -> None:
    state = dlgo.game(game).start()
    rng = random.Random(1)
    while not state.is_over() and len(state.moves()) < 40:
        for form in (prompt(game), prompt(game, board="list")):
            assert form.first(state)
            for move in state.legal_moves():
                answer = f"Well.\nmove: {state.game.move_text(move)}\n"
                assert form.read(state, answer) == (move, True)
        state = state.apply_move(rng.choice(state.legal_moves()))


def test_a_disguised_game_is_the_same_game_and_shows_nothing_of_the_board() -> None:
    disguised = prompt(disguise="numbers")
    state = START.play("B2", "A1")
    text = disguised.first(state)
    assert "Player 1 has: 5\nPlayer 2 has: 8" in text and "Moves so far: 5 8" in text
    for word in ("A1", "B2", "tic", "row", "board, "):
        assert word not in text
    assert disguised.read(state, "move: 1")[0] == state.read_move("B1")
    for answer in ("move: 5", "move: B1", "move: 10"):
        with pytest.raises(Unusable):
            disguised.read(state, answer)
    # Three numbers sum to 15 exactly where three cells are a row.
    names = {move: int(disguised._text(START, move)) for move in START.legal_moves()}
    for line in ("A1 A2 B1 B2 C1", "A1 A3 B1 B2 C1", "A1 C3 B2 C2 A3", "A1 B3 A2 C3 A3"):
        end = START.play(*line.split())
        mine = [names[move] for move in end.moves()[::2]]
        assert end.is_over() == (sum(mine) == 15), line


@pytest.mark.parametrize(("options", "part"), [
    ("", "needs url"), (",url=ftp://x", "not an address"), (",url=http://c:x", "not an address"),
    (",url=http://c/ü", "not an address"),
    (",url=http://a:b@c/v1", "must not contain"), (",url=ftp://a:b@c/v1", r"//\[hidden\]c/v1"),
    (",url=http://c,key_env=sk-1234", r"key_env=\[hidden\] has no key"),
    (",url=http://c/v1?key=1", "must not contain"),
    (",url=http://c,template=no/such", "cannot be read"),
    (",url=http://c,template=~nobody-here/t", "No such file"),
    (",url=http://c,extra=a b", "name:value"),
    (",url=http://c,extra=a:{b:c}", "a:{b:c} is not JSON.*single quotes"),
    (",url=http://c,extra=a:[1", "is not JSON"), (',url=http://c,extra=a:"b"c', "is not JSON"),
    (",url=http://c,extra=a:NaN", "is not JSON"), (",url=http://c,extra=a:-1e999", "is not JSON"),
    (",url=http://c,extra=a:[Infinity]", "is not JSON"),
    (",url=http://c,extra=a:1 a:2", "extra has a twice"),
    (",url=http://c,disguise=no/such", "cannot be read"),
    (",url=http://c,key_env=NO_SUCH_KEY", "NO_SUCH_KEY"),
    (",url=http://c,board=ours", "not one of"),
])
def test_settings_that_cannot_be_used_have_one_line(options: str, part: str, monkeypatch) -> None:
    monkeypatch.delenv("DLGO_LLM_URL", raising=False)
    with pytest.raises(SpecError, match=part) as error:
        build_engine(f"llm:m{options}", "tictactoe")
    assert "\n" not in str(error.value)


def test_a_template_and_a_disguise_of_ones_own(tmp_path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("$board costs $$5. Go, $player!\n")
    assert prompt(template=str(file)).first(START).endswith("costs $5. Go, X (x)!\n")
    assert "move: <your move>" in prompt(template=str(file)).again("it is late")
    assert prompt(template=str(file)).digest != prompt().digest
    for text, part in (("$bord", "bord"), ("costs $5", r"\$\$")):
        file.write_text(text)
        with pytest.raises(SpecError, match=part):
            prompt(template=str(file))
    for ending in ("", "\n", " \n"):
        file.write_text(f"$board\n=== again ==={ending}")
        assert "again" not in prompt(template=str(file)).first(START)
        assert "move: <your move>" in prompt(template=str(file)).again("it is late")
    file.write_text("$board === again ===\n=== again ===\nNo: $why.")
    assert prompt(template=str(file)).first(START).endswith(" === again ===")
    assert prompt(template=str(file)).again("it is late") == "No: it is late."
    words = tmp_path / "words.toml"
    for text, part in (('game = "tictactoe"', "not a TOML file"), ("=", "not a TOML file"), (
            'game = "tictactoe"\ntitle = "t"\nrules = "r"\n[moves]\nA1 = "x"', "each move"), (
            'game = "go5"\ntitle = "t"\nrules = "r"\n[moves]\nA1 = "x"', "is for go5")):
        words.write_text(text)
        with pytest.raises(SpecError, match=part):
            prompt(disguise=str(words))


def disguise(game: str, names: dict[str, str]) -> str:
    """The text of a disguise."""
    moves = "\n".join(f"{json.dumps(move)} = {json.dumps(name)}" for move, name in names.items())
    return f'game = "{game}"\ntitle = "t"\nrules = "r"\n[moves]\n{moves}\n'


@pytest.mark.parametrize(("name", "named"), [
    ("", "A2"), (" \n", "A2"), ("x\ny", "A2"), ("\u202ex", "A2"), ("x" * 101, "A2"),
    ("name of B1", "A2, B1"), (" name of B1 ", "A2, B1")])
def test_a_name_that_cannot_be_answered_is_not_accepted(name: str, named: str, tmp_path) -> None:
    names = {str(move): f"name of {move}" for move in START.legal_moves()}
    (tmp_path / "d.toml").write_text(disguise("tictactoe", names | {"A2": name}))
    with pytest.raises(SpecError, match=f"correct {named}$"):
        prompt(disguise=str(tmp_path / "d.toml"))
    (tmp_path / "d.toml").write_text(disguise("tictactoe", names | {"A2": " 4 "}))
    move = prompt(disguise=str(tmp_path / "d.toml")).read(START, "move: 4")[0]
    assert move == START.read_move("A2")
