"""Conformance checks of the rules: turns, legal actions, the end, moves and their notation."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move, Player, Point
from dlgo.conformance.sample import (
    Sample,
    broken,
    bytes_of,
    clone,
    difference,
    few,
    listed,
    look,
    some_actions,
)
from dlgo.errors import DlgoError, IllegalMoveError, NotationError

# Things that are moves of no game.
NON_MOVES = (
    Move("dance"), Move.play(None), Move.play("nonsense"), Move.play(-1), Move.play(10**9),
    Move.play(1.5), Move.play(()), Move.play((1, 2, 3)), Move.play((0, 10**9)),
    Move.play(Point(0, 0)), Move.play(Point(-1, 1)), Move.play(Point(10**9, 1)),
)
# A player may type anything: it is read as some move, legal or not, or refused in one line.
ODD_TEXTS = (
    "", " ", "?", "-", "0", "-1", "1.5", "nan", "zz99", "9" * 40, "a" * 400, "A0", "A²", "１",
    "pass the salt", "\x00", "1-1-1-1", "🙂",
)


def check_spec(sample: Sample) -> None:
    """The specification: sizes, names, and the pass as an action like any other."""
    game = sample.game
    if not re.fullmatch(r"[a-z][a-z0-9_]*", game.name):
        raise broken("spec", f"name {game.name!r} is not lower-case letters, digits, underscores")
    if len({symbol.lower() for symbol in game.symbols}) != 2:
        raise broken("spec", f"symbols {game.symbols} do not tell the players apart")
    if type(game)(**{k: v for k, v in game.settings.items() if v is not None}) != game:
        raise broken("spec", "a game built from the settings of another is not equal to it")
    pass_action = game.action_of(Move.pass_turn())
    if pass_action != (game.pass_action if game.pass_action >= 0 else None):
        raise broken("spec", f"action_of(pass) is {pass_action}, pass_action {game.pass_action}")
    if game.pass_action >= 0 and not game.move_of(game.pass_action).is_pass:
        raise broken("spec", f"move_of(pass_action) is {game.move_of(game.pass_action)}")


def check_turn(sample: Sample) -> None:
    """Player 0 begins; `to_move` is 0 or 1; turns alternate if the author says so."""
    for line in sample.lines:
        if line.views[0].to_move != 0:
            raise broken("turn", "player 0 moves first in every game", line.states[0])
        for ply, (state, view) in enumerate(zip(line.states, line.views, strict=True)):
            if view.to_move not in (0, 1):
                raise broken("turn", f"to_move is {view.to_move}, neither 0 nor 1", state)
            if state.next_player is not Player.from_index(view.to_move):
                raise broken("turn", f"next_player is {state.next_player}", state)
            if not sample.facts.alternating or ply == 0 or view.terminal:
                continue
            if view.to_move == line.views[ply - 1].to_move:
                text = "after an unfinished ply it is still the same player's turn"
                raise broken("turn", text, state)


def check_legality(sample: Sample) -> None:
    """`is_legal` agrees with `legal_actions`; `search_actions` are some of them."""
    for state in sample.states(40):
        legal = set(listed(state, "legal_actions"))
        extra = set(listed(state, "search_actions")) - legal
        if extra:
            raise broken("legality", f"search_actions lists illegal {few(extra)}", state)
        for action in {*some_actions(sample.game), *legal}:
            if bool(kernels.is_legal(state.kernel_state, action)) != (action in legal):
                lists = "lists" if action in legal else "does not list"
                raise broken(
                    "legality", f"legal_actions {lists} action {action}, is_legal says otherwise",
                    state,
                )
        if sorted(state.legal_actions()) != sorted(legal):
            raise broken("legality", "GameState.legal_actions differs from the kernel's", state)


def check_forced(sample: Sample) -> None:
    """`forced_actions` keeps what matters: wins at once, and what does not lose at once."""
    for state in sample.states(100):
        sensible = listed(state, "search_actions")
        forced = set(listed(state, "forced_actions"))
        if extra := forced - set(sensible):
            text = f"forced_actions lists {few(extra)}, search_actions does not"
            raise broken("forced", text, state)
        if forced == set(sensible):
            continue
        verdicts = {action: _verdict(state, action) for action in sensible}
        wins = {action for action in sensible if verdicts[action] > 0}
        if wins and not wins & forced:
            raise broken("forced", f"forced_actions leaves out the wins {few(wins)}", state)
        lacking = {action for action in sensible if verdicts[action] == 0} - forced
        if lacking and not wins:
            text = f"forced_actions leaves out {few(lacking)}, which do not lose at once"
            raise broken("forced", text, state)


def _verdict(state: GameState, action: int) -> int:
    """1 if an action wins at once, -1 if the opponent can then win at once, else 0."""
    mover = 1 - 2 * int(kernels.to_move(state.kernel_state))
    after = clone(state)
    kernels.play(after, action)
    if kernels.terminal(after):
        return mover * int(kernels.result(after))
    if (1 - 2 * kernels.to_move(after)) == mover:
        return 0
    reply = clone(state, room=2)
    for answer in listed(state, "legal_actions", after):
        kernels.copy_into(reply, after)
        kernels.play(reply, answer)
        if kernels.terminal(reply) and kernels.result(reply) == -mover:
            return -1
    return 0


def check_end(sample: Sample) -> None:
    """After the end nothing is legal; before it there is no result; resigning ends a game."""
    for state in sample.states(20):
        if state.is_over() or state.winner() is not None:
            raise broken("end", "the game has a winner, but is not terminal", state)
        try:
            state.result()
        except ValueError:
            pass
        else:
            raise broken("end", "there is a result before the end", state)
        resigned = state.apply_move(Move.resign())
        if not resigned.is_over() or resigned.winner() is not state.next_player.other:
            raise broken("end", "resigning does not give the opponent the game", state)
        _check_over(resigned)
    for state in sample.states(20, finished=True):
        _check_over(state)


def _check_over(state: GameState) -> None:
    game = state.game
    if state.legal_moves() or len(state.legal_actions()):
        raise broken("end", "there are legal moves after the end", state)
    moves = [Move.resign(), *(move for _, move in all_moves(state))]
    for move in moves:
        if state.is_valid_move(move):
            raise broken("end", f"is_valid_move allows {move} after the end", state)
    for move in moves[:3]:
        if "over" not in _refusal("end", state, move):
            raise broken("end", "a move after the end is not refused because of that", state)
    if not game.result_text(state).strip():
        raise broken("end", "result_text says nothing", state)


def check_result(sample: Sample) -> None:
    """A finished game is +1, 0 or -1 as player 0 sees it, the winner fits, examples are met."""
    for state in sample.states(100, finished=True):
        value = kernels.result(state.kernel_state)
        if not isinstance(value, (int, np.integer)) or value not in (-1, 0, 1):
            raise broken("result", f"result is {value!r}, not -1, 0 or 1", state)
        winner = {1: Player.black, -1: Player.white, 0: None}[int(value)]
        if state.result() != value or state.winner() is not winner:
            raise broken("result", f"result {value}, but winner {state.winner()}", state)
        rolled = kernels.rollout(clone(state), np.zeros(1, np.uint64))
        if rolled != value:
            text = f"result is {value}, but a rollout from this finished game returns {rolled}"
            raise broken("result", text, state)
    for moves, expected in {**sample.game.examples, **sample.facts.examples}.items():
        state = GameState.new_game(sample.game)
        for text in moves.split():
            try:
                state = state.apply_move(text)
            except DlgoError as error:
                raise broken("result", f"in the example {moves!r}: {error}", state) from error
        if not state.is_over():
            raise broken("result", "this example should be a finished game", state)
        if state.result() != expected:
            text = f"this example's result is {state.result()} and should be {expected}"
            raise broken("result", text, state)


def check_margin(sample: Sample) -> None:
    """Who is ahead by a game's `margin` has won. Only for games with one of their own."""
    if not kernels.offers(sample.game.new_kernel_state(), "margin"):
        return
    for state in sample.states(20, finished=True):
        margin = float(kernels.margin(state.kernel_state))
        result = int(kernels.result(state.kernel_state))
        if (margin > 0) - (margin < 0) != result:
            raise broken("margin", f"it is {margin:g}, but the result {result}", state)


def all_moves(state: GameState) -> Iterator[tuple[int, Move]]:
    """Actions of the game with their moves, leaving out those that `move_of` refuses."""
    for action in sorted({*some_actions(state.game), *state.legal_actions().tolist()}):
        try:
            yield action, state.game.move_of(action)
        except (LookupError, ValueError):
            continue


def check_moves(sample: Sample) -> None:
    """Actions and moves translate both ways; what is not a move is refused without a crash."""
    game = sample.game
    moves = dict(itertools.chain.from_iterable(map(all_moves, sample.states(40))))
    for action, move in moves.items():
        back = game.action_of(move)
        if back != action or not isinstance(back, (int, np.integer)):
            raise broken("moves", f"action {action} is {move}, and that is action {back!r}")
    for state in sample.states(40):
        legal = set(listed(state, "legal_actions"))
        if not legal <= set(moves):
            raise broken("moves", f"move_of refuses legal {sorted(legal - set(moves))}", state)
        if state.legal_moves() != [moves[int(action)] for action in state.legal_actions()]:
            raise broken("moves", "legal_moves differs from legal_actions", state)
        for action, move in moves.items():
            if state.is_valid_move(move) != (action in legal):
                raise broken("moves", f"is_valid_move({move}) differs from is_legal", state)
        _check_apply(state, moves)
        illegal = [moves[action] for action in sorted(set(moves) - legal)]
        for move in illegal[:: max(1, len(illegal) // 8)]:
            _refusal("moves", state, move)
    known = set(moves.values())
    non_moves = [*NON_MOVES, *([] if game.pass_action >= 0 else [Move.pass_turn()])]
    for move in non_moves:
        if (action := game.action_of(move)) is not None and move not in known:
            raise broken("moves", f"{move} is not a move, but action_of says {action}")
    for state in sample.states(3):
        for move in non_moves:
            if move not in known:
                if state.is_valid_move(move):
                    raise broken("moves", f"is_valid_move allows {move}", state)
                _refusal("moves", state, move)


def _check_apply(state: GameState, moves: dict[int, Move]) -> None:
    """`apply_move` does what `play` does, and leaves its own state alone."""
    before, view = bytes_of(state.kernel_state), look(state)
    for action in listed(state, "legal_actions")[::4]:
        after, arrays = state.apply_move(moves[action]), clone(state)
        kernels.play(arrays, action)
        if wrong := difference(look(after), look(after, arrays)):
            raise broken("moves", f"apply_move leads elsewhere than play: {wrong}", after)
    if bytes_of(state.kernel_state) != before or look(state) != view:
        raise broken("moves", "apply_move changed the state it was called on", state)


def _refusal(rule: str, state: GameState, move: Move) -> str:
    """The reason for which an illegal move is refused."""
    try:
        state.apply_move(move)
    except IllegalMoveError as error:
        reason = str(error).partition(" is illegal: ")[2]
        if not reason.strip() or "\n" in str(error):
            text = f"{move} is refused without a reason in one line: {error}"
            raise broken(rule, text, state) from error
        return reason
    raise broken(rule, f"apply_move plays {move}, which is illegal", state)


def check_notation(sample: Sample) -> None:
    """`parse_move` reads what `move_text` writes, in any case, and refuses the rest politely."""
    game = sample.game
    for state in sample.states(40):
        texts = {}
        for move in state.legal_moves():
            text = game.move_text(move)
            if texts.setdefault(text, move) != move:
                raise broken("notation", f"{text!r} stands for two legal moves", state)
            for written in (text, text.lower(), f" {text} "):
                try:
                    read = game.parse_move(state, written)
                except NotationError as error:
                    text = f"parse_move refuses {written!r}, which move_text wrote: {error}"
                    raise broken("notation", text, state) from error
                if read != move:
                    raise broken("notation", f"{written!r} is read as {read}, not {move}", state)
    for state in sample.states(2):
        for text in ODD_TEXTS:
            try:
                move = game.parse_move(state, text)
            except NotationError as error:
                if "\n" in str(error) or not str(error).strip():
                    raise broken("notation", f"{text!r} is not refused in one line") from error
            except Exception as error:
                name = type(error).__name__
                raise broken("notation", f"{text!r} raises {name}, not NotationError") from error
            else:
                state.is_valid_move(move)


def check_perft(sample: Sample) -> None:
    """Sequences of moves, counted by the kernels and by playing `GameState`s, are as many."""
    for state in sample.states(4):
        depth, expected = 1, _count(state, 1)
        while expected < 300 and depth < 5:
            depth += 1
            expected = _count(state, depth)
        count = state.game.count_sequences(state.kernel_state, depth)
        if count != expected:
            raise broken("perft", f"{count} sequences of {depth} plies, not {expected}", state)


def _count(state: GameState, depth: int) -> int:
    moves = state.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(_count(state.apply_move(move), depth - 1) for move in moves)
