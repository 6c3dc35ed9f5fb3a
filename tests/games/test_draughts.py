"""English draughts against published perft counts, pydraughts, and its rule book."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dlgo.api import GameState, Move, Player
from dlgo.errors import IllegalMoveError, NotationError
from dlgo.games.draughts import board, notation, pdn
from dlgo.games.draughts.state import Draughts
from dlgo.rng import below, make_rng
from tests.conftest import RUN_ALL

GAME = Draughts()


def play(state: GameState, *turns: str) -> GameState:
    for turn in turns:
        for move in GAME.parse_moves(state, turn):
            state = state.apply_move(move)
    return state


def turn_texts(state: GameState) -> list[str]:
    return sorted(GAME.whole_moves(moves)[0] for moves in notation.turns(state))


def random_game(rng: np.ndarray) -> list[GameState]:
    """All states of a random game, from the start to the end."""
    states = [GameState.new_game(GAME)]
    while not states[-1].is_over():
        moves = states[-1].legal_moves()
        states.append(states[-1].apply_move(moves[below(rng, len(moves))]))
    return states


def at_turn_start(state: GameState) -> bool:
    return state.kernel_state.words[board.JUMPER] == 0


@pytest.mark.parametrize(("depth", "leaves"), [(6, 36768), (7, 179255), (8, 838248)])
def test_perft_of_single_jumps_is_that_of_openspiel(depth, leaves):
    assert GAME.count_sequences(GAME.new_kernel_state(), depth) == leaves


def test_legal_moves_are_those_of_pydraughts():
    """Positions of random games; each set of whole moves, jump squares included."""
    draughts = pytest.importorskip("draughts")
    rng = make_rng(1)
    checked = captures = 0
    while checked < (2000 if RUN_ALL else 400):
        for state in random_game(rng):
            if at_turn_start(state) and not state.is_over() and below(rng, 5) == 0:
                moves = draughts.Board("english", GAME.fen(state)).legal_moves()
                theirs = sorted(tuple(move.steps_move) for move in moves)
                ours = sorted(tuple(notation.path_of(turn)) for turn in notation.turns(state))
                assert ours == theirs, GAME.fen(state)
                checked += 1
                captures += len(ours[0]) > 2
    assert captures > checked / 40  # multiple ones among them


def test_positions_and_ends_are_those_of_pydraughts():
    draughts = pytest.importorskip("draughts")
    rng = make_rng(2)
    for _ in range(6):
        theirs = draughts.Board("english")
        game = random_game(rng)
        path: list[int] = []
        for before, state in zip(game, game[1:], strict=False):
            path = [*(path or [state.last_move.place[0]]), state.last_move.place[1]]
            if at_turn_start(state):
                assert not theirs.is_over(), GAME.fen(before)
                theirs.push(draughts.Move(theirs, steps_move=path))
                path = []
                assert notation.fen_text(notation.parse_fen(theirs.fen)) == GAME.fen(state)
        assert theirs.winner() == {None: 0, Player.black: 1, Player.white: 2}[game[-1].winner()]


def test_captures_are_compulsory():
    state = Draughts.from_fen("B:W18,27:B9,15")
    assert turn_texts(state) == ["15x22"]


def test_multiple_jump_keeps_the_turn_and_the_piece():
    state = Draughts.from_fen("B:W15,22,24:B11,20")
    assert turn_texts(state) == ["11x18x25", "20x27"]
    middle = state.apply_move(Move.play((11, 18)))
    assert middle.next_player is Player.black
    assert middle.legal_moves() == [Move.play((18, 25))]
    with pytest.raises(IllegalMoveError, match="must go on with the same piece: 18x25"):
        middle.apply_move(Move.play((20, 27)))
    assert "black must go on" in str(middle)
    after = middle.apply_move(Move.play((18, 25)))
    assert after.next_player is Player.white
    assert GAME.fen(after) == "W:W24:B20,25"


def test_crowning_ends_a_capture():
    man, king = Draughts.from_fen("B:W26,27:B22"), Draughts.from_fen("B:W26,27:BK22")
    assert turn_texts(man) == ["22x31"]
    assert turn_texts(king) == ["22x31x24"]
    assert GAME.fen(play(man, "22x31")) == "W:W27:BK31"


def test_men_move_and_capture_forward_only_kings_one_step_both_ways():
    assert turn_texts(Draughts.from_fen("B:W5:B18")) == ["18-22", "18-23"]
    assert turn_texts(Draughts.from_fen("W:W18:B23")) == ["18-14", "18-15"]
    assert turn_texts(Draughts.from_fen("B:W5:BK18")) == ["18-14", "18-15", "18-22", "18-23"]
    assert turn_texts(Draughts.from_fen("W:WK18:B23")) == ["18x27"]


def test_a_king_may_return_to_where_it_began():
    state = Draughts.from_fen("B:W9,10,17,18:BK6")
    assert turn_texts(state) == ["6x13x22x15x6", "6x15x22x13x6"]
    assert GAME.fen(play(state, "6x6")) == "W:W:BK6"


def test_who_cannot_move_loses():
    blocked = play(Draughts.from_fen("W:W21,22:B13"), "21-17")
    assert blocked.is_over() and blocked.winner() is Player.white and blocked.result() == -1
    assert GAME.result_text(blocked) == "white (o) wins: black cannot move"
    bare = play(Draughts.from_fen("B:W18:B14,1"), "14x23")
    assert bare.is_over() and bare.winner() is Player.black and bare.result() == 1
    assert GAME.result_text(bare) == "black (x) wins: white has no pieces left"


def test_third_repetition_draws():
    there_and_back = ("1-6", "32-28", "6-1", "28-32")
    state = Draughts.from_fen("B:WK32:BK1")
    state = play(state, *there_and_back, *there_and_back[:3])
    assert not state.is_over()
    state = play(state, there_and_back[3])
    assert state.is_over() and state.winner() is None
    assert GAME.result_text(state) == "draw: the position has come up three times"


def test_a_mans_move_begins_the_count_anew():
    state = play(Draughts.from_fen("B:WK32:BK1,5"), "1-6", "32-28", "6-1", "28-32", "5-9")
    state = play(state, "32-28", "1-6", "28-32", "6-1", "32-28", "1-6", "28-32")
    assert not state.is_over()
    assert play(state, "6-1").is_over()


def test_forty_moves_each_without_capture_or_mans_move_draw():
    state = Draughts.from_fen("B:WK29,K30,K31,K32,25:BK1,K2,K3,K4,8")
    rng = make_rng(5)
    for ply in range(80):
        assert not state.is_over() and state.kernel_state.words[board.QUIET] == ply
        choices = []
        for move in state.legal_moves():
            after = state.apply_move(move)
            quiet = after.kernel_state.words[board.QUIET] == ply + 1
            calm = not any(map(notation.is_jump, after.legal_moves()))
            if quiet and (ply == 79 or calm and after.kernel_state.words[board.SEEN] == 1):
                choices.append(after)
        state = choices[below(rng, len(choices))]
    assert state.is_over() and state.winner() is None
    assert GAME.result_text(state).startswith("draw: 40 moves")


def test_short_forms_of_captures():
    state = Draughts.from_fen("B:W15,22:B11")
    whole = [Move.play((11, 18)), Move.play((18, 25))]
    for text in ("11x18x25", "11x25", "11-25", "11:18:25", " 11 x 25 "):
        assert GAME.parse_moves(state, text) == whole
    assert GAME.parse_moves(state, "11x18") == whole[:1]
    fork = Draughts.from_fen("B:W9,10,17,18:B6")
    with pytest.raises(NotationError, match="ambiguous: write one of 6x13x22, 6x15x22"):
        GAME.parse_moves(fork, "6x22")
    assert len(GAME.parse_moves(fork, "6x15x22")) == 2


@pytest.mark.parametrize(("fen", "text", "why"), [
    ("B:W15,22:B11,1", "1-5", "a capture must be made: 11x18"),
    ("B:W32:B11", "11-7", "a man cannot move backwards"),
    ("B:W32:B11,15", "11-15", "square 15 is occupied"),
    ("B:W32:B11", "11-24", "24 is neither diagonally next to 11 nor one jump away"),
    ("B:W32:B11", "12-16", "there is no piece on 12"),
    ("B:W32:B11", "32-28", "the piece on 32 is not black's"),
    ("B:W32:B11", "11x18", "there is no opposing piece to jump over"),
])
def test_illegal_moves_name_the_rule(fen, text, why):
    state = Draughts.from_fen(fen)
    move = GAME.parse_move(state, text)
    assert not state.is_valid_move(move)
    with pytest.raises(IllegalMoveError, match=why):
        state.apply_move(move)
    with pytest.raises(IllegalMoveError, match=why):
        GAME.parse_moves(state, text)


@pytest.mark.parametrize("text", ["", "11", "11-", "a3-b4", "11-33", "0-5", "11x18x25", "11 18"])
def test_what_is_no_single_move(text):
    with pytest.raises(NotationError):
        GAME.parse_move(GameState.new_game(GAME), text)


def test_texts_of_random_games_lead_to_the_same_positions():
    rng = make_rng(11)
    for _ in range(10):
        game = random_game(rng)
        state = GameState.new_game(GAME)
        for text in GAME.whole_moves(game[-1].moves()):
            state = play(state, text)
        assert state == game[-1] and state.moves() == game[-1].moves()
        for state in filter(at_turn_start, game):
            again = Draughts.from_fen(GAME.fen(state))
            assert again.key() == state.key() and GAME.fen(again) == GAME.fen(state)
    assert Draughts.from_fen("b:b1-12 : w21-32.") == GameState.new_game(GAME)


@pytest.mark.parametrize("text", [
    "", "B", "B:W1:W2", "X:W21:B1", "B:W21:B33", "B:W21:B0", "B:W21:B21", "B:W21:Bx", "B:W1:B9",
    "B:W21:B32", "B:W21:B5-3", "B:W21",
])
def test_positions_that_are_none(text):
    with pytest.raises(NotationError, match="position"):
        Draughts.from_fen(text)


def test_pdn_of_random_games_comes_back():
    rng = make_rng(12)
    games = [random_game(rng)[-1] for _ in range(20)]
    text = "\n".join(pdn.write_game(game, {"Event": 'a "quoted" \\ name'}) for game in games)
    assert max(map(len, text.splitlines())) <= 80
    for game, read in zip(games, pdn.read_games(text), strict=True):
        assert read.state == game and read.state.moves() == game.moves()
        assert read.tags["Event"] == 'a "quoted" \\ name' and read.tags["GameType"] == "21"
        assert read.result == {1: "0-1", 0: "1/2-1/2", -1: "1-0"}[game.result()]


def test_pdn_of_a_set_up_position_and_a_resignation():
    state = play(Draughts.from_fen("W:W21,K30:B1,K5"), "21-17", "1-6").apply_move(Move.resign())
    text = pdn.write_game(state, {"White": "A", "Black": "B"})
    assert text.splitlines() == [
        '[Event "?"]', '[White "A"]', '[Black "B"]', '[Result "0-1"]', '[GameType "21"]',
        '[SetUp "1"]', '[FEN "W:W21,K30:B1,K5"]', "", "1... 21-17 2. 1-6 0-1",
    ]
    read = pdn.read_games(text)[0]
    assert read.result == "0-1" and read.state == state.previous_state


def test_pdn_as_others_write_it():
    text = """
    [Event "x"] [GameType "21,B,8,8,N1,0"]
    % a line to skip
    {first} 1. 11-15! 23x19 $1 (1... 22-18? (23-18 {1-2 } 8-11) 15x22) 2.8-11 22-17 ; 3-7 ...
    3. 11-16 24-20(?) 4. 15x24 20x11 11... 7x16 27x11* 1/2-1/2
    [Event "jump by jump"] [FEN "B:W15,22,32:B11"]
    1. 11x18 18x25 1... 32-28 *
    """
    assert pdn.read_games('[Result "Black wins"] 1. 11-15')[0].result == "*"
    first, second = pdn.read_games(text)
    assert GAME.whole_moves(first.state.moves())[-4:] == ["15x24", "20x11", "7x16", "27x20x11"]
    assert first.result == "1/2-1/2" and first.tags["Event"] == "x"
    assert GAME.whole_moves(second.state.moves()) == ["11x18x25", "32-28"] and second.result == "*"


@pytest.mark.parametrize(("text", "why"), [
    ("1. 11-15 * 1. 11-15 e4", "game 2: after 1 move, 'e4': no move"),
    ("1. 11-15 {never ends 23-19", "comment is not closed"),
    ("1. 11-15 (22-18 {never ends 23-19", "comment is not closed"),
    ("1. 11-15 (22-18 23-19", "variation is not closed"),
    ("1. 11-15 ) 23-19", "'\\)': no move"),
    ('[GameType "20"] 1. 32-28 *', "GameType '20' is not English draughts"),
    ('[FEN "B:W1:B2"] *', "position 'B:W1:B2': the man on 1 would have been crowned"),
    ('[Result "1-0"] 1. 11-15 0-1', "Result says '1-0', the moves end with '0-1'"),
    ("1. 11-40", "move 1 of black: '11-40': there is no square 40"),
    ('[FEN "B:W9,10,17,18:B6"] 1. 6x22', "ambiguous"),
    ("[Event 1. 11-15", "'\\[Event': no move"),
])
def test_bad_pdn_is_told_in_one_line(text, why):
    with pytest.raises(NotationError, match=why) as caught:
        pdn.read_games(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "plies", "why"), [
    ("1. 11-15 22-18 2. 12-16", 2, "game 1: move 2 of black: '12-16' is illegal: .*must be made"),
    ("1. 11-15 11-16 *", 1, "move 1 of white: '11-16' is illegal: there is no piece on 11"),
    ('[FEN "W:W21,22:B13"] 1... 21-17 13-9', 1, "black: '13-9' is illegal: the game is over"),
])
def test_an_illegal_move_ends_its_game(text, plies, why):
    first, second = pdn.read_games(text + "\n[Event \"next\"] 1. 9-13 *")
    assert len(first.state.moves()) == plies and re.search(why, first.problem)
    assert "\n" not in first.problem
    assert len(second.state.moves()) == 1 and not second.problem
