"""The conformance kit sees when a game does not keep a rule, and names it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from dlgo import GameSpec, game_spec, get_game, kernels
from dlgo.conformance import (
    RULES,
    SECONDS_OF_RULE,
    Kind,
    RuleBroken,
    check_game,
    checking,
    draw_sample,
    networks,
    playing,
)
from dlgo.conformance.broken import explain
from dlgo.encoders import base, encode, encode_many, encoder_names, generic, get_encoder
from dlgo.games.tictactoe import kernel as tictactoe
from dlgo.games.tictactoe.state import TicTacToe
from dlgo.rng import below
from tests.conftest import RUN_ALL
from tests.test_conformance import EXAMPLES

KERNELS = (
    "reset", "copy_into", "to_move", "legal_actions", "is_legal", "play", "terminal", "result",
    "key", "piece", "rollout", "evaluate",
)
# Tic-tac-toe's kernels as plain Python: a change needs no compiling.
PLAIN = {name: getattr(tictactoe, name).py_func for name in KERNELS}
ALWAYS_SKIPPED = ("fresh process",)  # a class made in a function has no address


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What dlgo compiles over all games runs as plain Python, too."""
    compiled = [(kernels, name) for name in ("survey", "play_and_survey", "rollouts")]
    for module, name in (*compiled, (game_spec, "perft")):
        monkeypatch.setattr(module, name, getattr(module, name).py_func)
    monkeypatch.setattr(playing, "random_game", playing.random_game.py_func)
    monkeypatch.setattr(checking, "SHORTENING", 0.2)
    for module in (networks, base):
        monkeypatch.setattr(module, "encode_many", encode_many.py_func)
    for name in encoder_names(get_game("tictactoe")):
        kind = type(get_encoder(name, get_game("tictactoe")).kernel)
        monkeypatch.setitem(encode.table, kind, encode.table[kind].py_func)
    for name in ("_show_pieces", "show_stones"):
        monkeypatch.setattr(generic, name, getattr(generic, name).py_func)


def altered(face: dict[str, Any], **changes: Callable[..., Any]) -> GameSpec:
    """Tic-tac-toe with some kernels, or methods of its `GameSpec`, replaced."""

    class AlteredState(NamedTuple):
        words: np.ndarray

    # What stands in for these is compiled, and would not find functions that are not.
    standing_in = {"heavy_rollout": kernels._forced_rollout.py_func,
                   "move_features": kernels._plain_features.py_func}
    kernels.implement(AlteredState, **{**PLAIN, **standing_in, **changes})

    def new_kernel_state(self: GameSpec) -> AlteredState:
        state = AlteredState(np.zeros(5, np.int64))
        PLAIN["reset"](state)
        return state

    return type("Altered", (TicTacToe,), {
        "new_kernel_state": new_kernel_state, "examples": EXAMPLES["tictactoe"], **face
    })()


@pytest.mark.slow
def test_an_unaltered_copy_passes(interpreted: None) -> None:
    check_game(altered({}), skip=ALWAYS_SKIPPED, symmetric=True)


def copy_without_turn(target, source):
    for i in (0, 1, 3, 4):
        target.words[i] = source.words[i]


def list_a_taken_cell(state, out):
    n = PLAIN["legal_actions"](state, out)
    taken = state.words[0] | state.words[1]
    if taken & 1:
        out[n] = 0
        n += 1
    return n


def list_a_larger_board(state, out):
    out[:5] = range(9, 14)
    return 5


def write_beyond_the_end(state, action):
    PLAIN["play"](state, action)
    np.lib.stride_tricks.as_strided(state.words, (6,))[5] = 1


def keep_the_key(state, action):
    key = state.words[4]
    PLAIN["play"](state, action)
    state.words[4] = key


def key_by_path(state, action):
    key = state.words[4]
    PLAIN["play"](state, action)
    state.words[4] = (31 * int(key) + action + 1) % 2**40


def roll_without_seed(state, rng):
    below(rng, 2)
    return int(np.random.default_rng().integers(-1, 2))


def roll_for_the_mover(state, rng):
    sign = 1 if PLAIN["terminal"](state) else 1 - 2 * state.words[2]
    return sign * PLAIN["rollout"](state, rng)


def play(state, action):
    PLAIN["play"](state, action)


def roll_from_the_first(state, rng):
    while not PLAIN["terminal"](state):
        actions = np.empty(9, np.int64)
        n = PLAIN["legal_actions"](state, actions)
        play(state, int(actions[min(below(rng, n), below(rng, n))]))
    return PLAIN["result"](state)


def roll_beyond(state, rng):
    below(rng, 2)
    if not PLAIN["terminal"](state):
        play(state, 8)
        play(state, 8)
    return PLAIN["result"](state)


def force_the_first(state, out):
    PLAIN["legal_actions"](state, out)
    return 1


def look_and_touch(state):
    state.words[2] ^= 1
    return 0


def a_king_in_the_corner(state, cell):
    piece = PLAIN["piece"](state, cell)
    return piece + 2 if cell == 0 and piece == 1 else piece


def likes_more(state):
    """Lines of two with the third cell empty: the mover's, less the other player's."""
    own, other = int(state.words[state.words[2]]), int(state.words[1 - state.words[2]])
    return sum(
        bin(a & line).count("1") ** 2 * sign
        for a, b, sign in ((own, other, 3), (other, own, -2))
        for line in tictactoe.LINES if not b & line
    )


def divide_by_zero(state, out, first):
    out[0, 0, first] = np.nan


def touch_the_winner(state, out, first):
    state.words[3] = 0


def show_a_corner(state, out, first):
    out[0, 0, first] = 1


def own_a_corner(state, out):
    out[...] = 0
    out[0, 0] = 1


def reset_but_the_winner(state):
    winner = state.words[3]
    PLAIN["reset"](state)
    state.words[3] = winner


def number_the_moves(state, actions, n, scratch, out):
    out[:n, 0], out[:n, 1] = range(n), 0


def write_a_row_too_far(state, actions, n, scratch, out):
    out[:n] = 0
    np.lib.stride_tricks.as_strided(out, (len(out) + 1, 2))[-1] = 0


def touch_the_key(state, actions, n, scratch, out):
    out[:n] = 0
    state.words[4] ^= 1


BROKEN: list[tuple[str, GameSpec]] = [
    ("copies: ", altered({}, copy_into=copy_without_turn)),
    ("copies: .*shares memory", altered({"scratch_state": lambda self, like, room=1: like})),
    ("copies: scratch_state must", altered({
        "scratch_state": lambda self, like, room=1: type(like)(*map(np.zeros_like, like))
    })),
    ("forced: .*leaves out", altered({}, forced_actions=force_the_first)),
    ("legality: .*is_legal forbids it", altered({}, legal_actions=list_a_taken_cell)),
    ("legality: legal_actions does not list", altered({}, is_legal=lambda state, action: True)),
    ("legality: search_actions lists 9, 10, 11 and 2 more, but num_actions is 9", altered(
        {}, legal_actions=list_a_larger_board
    )),
    ("bounds: play.*after the end of the array `words`", altered({}, play=write_beyond_the_end)),
    ("turn: player 0 moves first", altered({}, to_move=lambda state: 1 - state.words[2])),
    ("queries: ", altered({}, evaluate=look_and_touch)),
    ("reset: ", altered({}, reset=reset_but_the_winner)),
    ("result: .*a rollout from this", altered({}, result=lambda s: -PLAIN["result"](s))),
    ("result: this example", altered(
        {}, result=lambda s: -PLAIN["result"](s), rollout=lambda s, r: -PLAIN["rollout"](s, r)
    )),
    ("keys: a different position has the same key", altered({}, play=keep_the_key)),
    ("keys: an equal position.*another key", altered({}, play=key_by_path)),
    ("rollout seeds: the same seeds", altered({}, rollout=roll_without_seed)),
    ("rollout seeds: .*draws nothing", altered({}, rollout=lambda state, rng: 0)),
    ("rollout chances: ", altered({}, rollout=roll_for_the_mover)),
    ("rollout choices: .* of 9 search_actions: 11.1% should .*at the start", altered(
        {}, rollout=roll_from_the_first, play=play
    )),
    ("rollout: plays action 8, which is illegal, as its action 2", altered(
        {}, rollout=roll_beyond, play=play
    )),
    ("evaluate: .*not between", altered({}, evaluate=lambda state: 10_000)),
    # After as few moves as show it.
    (r"evaluate: .*, after A1 \S+ B2\)", altered(
        {}, evaluate=lambda state: 10_000 * int(state.words[0] & 17 == 17)
    )),
    ("evaluate: .*not an int", altered({}, evaluate=lambda state: 0.5)),
    ("side of evaluate: player 0", altered({}, evaluate=lambda state: -likes_more(state))),
    ("side of evaluate: player 1", altered(
        {}, evaluate=lambda state: (1 - 2 * int(state.words[2])) * likes_more(state)
    )),
    ("images: .*evaluate", altered({}, evaluate=lambda state: int(state.words[0] & 1))),
    ("result: margin is 1, but the result -1", altered({}, margin=lambda state: 1.0)),
    ("images: .*`ownership` is not mirrored", altered({}, ownership=own_a_corner)),
    ("result: ownership: some cells", altered({}, ownership=lambda state, out: None)),
    ("move features: slot 'action' is not between 0 and 4", altered(
        {"feature_slots": (("action", 5), ("forced", 2))}
    )),
    ("move features: .*have other values", altered({}, move_features=number_the_moves)),
    ("move features: .*end of `out`", altered({}, move_features=write_a_row_too_far)),
    ("move features: .*changes the position", altered({}, move_features=touch_the_key)),
    ("moves: action 1 is", altered({"action_of": lambda self, move: 0 if move.point else None})),
    ("moves: .*without a reason", altered({"why_illegal": lambda self, state, move: ""})),
    ("notation: .*ValueError", altered({"parse_move": lambda self, state, text: int(text)})),
    ("render: does not mark", altered({"last_cell": lambda self, state: None})),
    ("render: looks the same before and after A1", altered(
        {"render": lambda self, state: "a board"}
    )),
    ("spec: name", altered({"name": "Tic Tac Toe"})),
    ("pieces: .*not -1 or 0 to 1", altered({}, piece=a_king_in_the_corner)),
    ("planes: .*not a finite", altered({"extra_planes": ("",)}, extra_planes=divide_by_zero)),
    ("planes: planes changes", altered({"extra_planes": ("",)}, extra_planes=touch_the_winner)),
    ("images: .*must begin with", altered({"symmetry_names": ("mirror",)})),
    ("images: .*not mirrored", altered({"extra_planes": ("",)}, extra_planes=show_a_corner)),
    ("images: under mirror, ", altered({"map_move": lambda self, move, to: move})),
]


# The long form shows besides that no rule before it is broken, too.
@pytest.mark.parametrize(("message", "game"), BROKEN, ids=[rule for rule, _ in BROKEN])
def test_a_broken_rule_is_named(interpreted: None, message: str, game: GameSpec) -> None:
    rule = message.partition(":")[0]
    others = ALWAYS_SKIPPED if RUN_ALL else [name for name in RULES if rule not in name]
    with pytest.raises(RuleBroken, match=message):
        check_game(game, skip=others, games=2, symmetric=True)


def never_end(state, rng):
    while True:
        below(rng, 2)


def test_a_rollout_that_never_ends_is_named_with_its_line(
    interpreted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SECONDS_OF_RULE, "rollout seeds", 0.5)
    with pytest.raises(RuleBroken, match="rollout seeds: .* has not ended after 0.5 s") as caught:
        check_game(altered({}, rollout=never_end), skip=ALWAYS_SKIPPED)
    assert caught.value.kind == Kind.ENDLESS and caught.value.__cause__
    _, line = explain(caught.value.__cause__, lambda file: file == __file__)
    assert line in range(never_end.__code__.co_firstlineno, never_end.__code__.co_firstlineno + 4)


def test_a_loop_that_waits_for_a_core_does_not_count_as_endless() -> None:
    assert checking.in_time("rule", "a wait", lambda: time.sleep(0.3) or "ended", 0.2) == "ended"


@pytest.mark.slow
def test_endless_compiled_code_in_this_process_ends_with_a_finding() -> None:
    done = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, text=True,
                          timeout=300, check=False)
    assert "spin: a loop has not ended after 0.2 s of CPU time" in done.stdout, done.stderr


ENDLESS = """
import os
import numpy as np
from dlgo.conformance import RuleBroken, checking
from dlgo.jit import kernel

@kernel
def spin(numbers):
    while numbers[0] >= 0:
        numbers[0] = (numbers[0] + 1) % 7
    return 0

try:
    checking.in_time("spin", "a loop", lambda: spin(np.zeros(1, np.int64)), 0.2)
except RuleBroken as error:
    print(error, flush=True)
os._exit(0)
"""


# A board that is drawn wrongly breaks other rules before these.
@pytest.mark.parametrize(("message", "game"), [
    ("pieces: cell .*piece is [01], cell None", altered({"cell": lambda *args: None})),
    ("colours: .*shown as the other player's", altered(
        {}, piece=lambda state, cell: PLAIN["piece"](state, cell) ^ 1
        if PLAIN["piece"](state, cell) >= 0 else -1
    )),
    ("all is seen: ", altered({}, piece=lambda state, cell: -1)),
])
def test_a_rule_about_pieces_is_named(interpreted: None, message: str, game: GameSpec) -> None:
    rule = message.partition(":")[0]
    with pytest.raises(RuleBroken, match=message):
        checking.look_at(rule, RULES[rule], draw_sample(game))


def test_a_misspelt_rule_is_not_skipped_in_silence() -> None:
    with pytest.raises(ValueError, match="no such rules.*copys"):
        check_game(get_game("tictactoe"), skip=("copys",))
