"""The vectorised environment: the same games as those of `GameState`, rewards, ends, seeds.

`--run-all` plays draughts as well, where a turn may have several moves, too.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from dlgo import DlgoError, GameState, IllegalMoveError, SpecError, get_game
from dlgo.encoders import get_encoder
from dlgo.vector import Episodes, VectorEnv, longest_game
from tests.command import ROOT
from tests.conftest import RUN_ALL, one_line_error

# Who fills a line plays again: turns do not alternate, and the game comes from a file.
ROWS = str(ROOT / "experiments/templates/rows.py")
BOARDS = 6
# Game, encoder, steps. `zero` looks back.
GAMES = [
    ("tictactoe", "zero", 60), ("connect4", "planes", 60), (ROWS, "planes", 40),
    ("connectn:cols=4,rows=3,n=3,gravity=no,pie=yes", "threeplane", 40),
    ("go:size=5", "simple", 150),
    *([("draughts", "turned", 130)] if RUN_ALL else []),  # cut in the middle of a game
]


def arrays_of(env: VectorEnv) -> list[np.ndarray]:
    """Copies of all that an environment shows."""
    final = (env.final_observations, env.final_masks, env.final_players, env.final_plies)
    return [array.copy() for array in (*env.time_step, *final, env.plies, env.illegal)]


def mask_of(state: GameState) -> np.ndarray:
    mask = np.zeros(state.game.num_actions, bool)
    mask[state.legal_actions()] = True
    return mask


def planes_of(state: GameState, name: str) -> np.ndarray:
    return get_encoder(name, state.game).encode(state)


@pytest.mark.parametrize(("spec", "encoder", "steps"), GAMES, ids=lambda value: str(value)[-12:])
def test_the_games_are_those_of_game_state(spec: str, encoder: str, steps: int) -> None:
    game = get_game(spec)
    longest = 60 if game.name in ("draughts", "go") else longest_game(game)
    env = VectorEnv(game, BOARDS, encoder, seed=3, episodes=Episodes(max_plies=longest))
    states = [GameState.new_game(game)] * BOARDS
    plies = [0] * BOARDS
    over = cut = again = 0
    for _ in range(steps):
        actions = env.random_actions().copy()
        step = env.step(actions)
        for i, before in enumerate(states):
            after = before.apply_move(game.move_of(int(actions[i])))
            plies[i] += 1
            result = after.result() if after.is_over() else 0
            too_long = not after.is_over() and plies[i] == longest
            assert step.movers[i] == before.next_player.index
            assert step.rewards[i].tolist() == [result, -result]
            assert step.terminated[i] == after.is_over()
            assert step.truncated[i] == too_long
            again += not after.is_over() and after.next_player is before.next_player
            if after.is_over() or too_long:
                assert (env.final_observations[i] == planes_of(after, encoder)).all()
                assert (env.final_masks[i] == mask_of(after)).all()
                assert env.final_players[i] == after.next_player.index
                assert env.final_plies[i] == plies[i]
                over, cut = over + after.is_over(), cut + too_long
                after, plies[i] = GameState.new_game(game), 0
            assert step.players[i] == after.next_player.index
            assert (step.masks[i] == mask_of(after)).all()
            assert (step.observations[i] == planes_of(after, encoder)).all()
            assert env.state(i) == after
            states[i] = after
        assert env.plies.tolist() == plies
    assert over + cut >= BOARDS
    assert cut or game.name not in ("draughts", "go")
    # The players of these move twice in a row, and did.
    assert again or spec not in ("draughts", ROWS)


def test_the_same_seed_gives_the_same_games() -> None:
    def play(count: int, seed: int, again: bool = False) -> list[np.ndarray]:
        env = VectorEnv("connect4", count, "planes", seed, episodes=Episodes(6))
        if again:
            env.step(env.random_actions())
            env.reset(seed)
        shown = []
        for _ in range(25):
            env.step(env.random_actions())
            # What ends have left behind from before a reset does not count.
            shown += arrays_of(env)[:7]
        return shown

    one = play(40, seed=5)
    for other in (play(40, 5), play(40, 5, again=True)):
        assert all(map(np.array_equal, one, other))
    # More boards beside them change nothing.
    assert all(np.array_equal(a, b[:40]) for a, b in zip(one, play(50, 5), strict=True))
    assert not all(map(np.array_equal, one, play(40, seed=6)))
    games = np.stack(one[::7], axis=1)  # the planes of each board, step by step
    assert len({game.tobytes() for game in games}) == 40


def test_random_actions_are_legal_and_uniform() -> None:
    env = VectorEnv("connect4", 7000, None, seed=1)
    counts = np.bincount(env.random_actions(), minlength=7)
    # Chi-squared with 6 degrees of freedom: above 27.9 once in 10,000.
    assert ((counts - 1000) ** 2 / 1000).sum() < 27.9
    for _ in range(60):
        actions = env.random_actions()
        assert env.time_step.masks[np.arange(7000), actions].all()
        env.step(actions)


def test_random_starts_are_unfinished_and_of_all_lengths() -> None:
    env = VectorEnv("tictactoe", 3000, "zero", seed=2, episodes=Episodes(6))
    assert not any(env.state(i).is_over() for i in range(200))
    counts = np.bincount(env.plies, minlength=7)
    # 0 to 4 plies cannot end a game of tic-tac-toe: each length is a seventh, and some more.
    assert counts.sum() == 3000 and (counts[:5] > 3000 / 7 - 100).all() and counts[6] > 0
    assert (env.time_step.players == env.plies % 2).all()  # of this game it is true
    for ago in range(7):  # the positions before stand in the planes, where there have been any
        stones = env.time_step.observations[..., 2 * ago : 2 * ago + 2].sum(axis=(1, 2, 3))
        assert (stones == np.maximum(env.plies - ago, 0)).all()
    # Every game is shorter than this: an opening that ends one is drawn again, shorter.
    assert (VectorEnv("tictactoe", 50, None, episodes=Episodes(100)).plies < 9).all()


@pytest.mark.parametrize("spec", ["tictactoe", ROWS, "go:size=5"], ids=lambda value: value[-10:])
def test_boards_may_move_alone_and_wait_at_the_end(spec: str) -> None:
    """Some boards of one environment play the games of an environment of their own."""
    count = 6
    env = VectorEnv(spec, count, "planes", seed=1, episodes=Episodes(max_plies=40, autoreset=False))
    states = [GameState.new_game(env.game)] * count
    rng = np.random.default_rng(1)
    while not env.time_step.ended.all():
        moving = ~env.time_step.ended & (rng.random(count) < 0.5)
        before = arrays_of(env)
        actions = env.random_actions()
        for i in np.flatnonzero(moving):
            states[i] = states[i].apply_move(env.game.move_of(int(actions[i])))
        step = env.step(actions, moving)
        for array, earlier in zip(arrays_of(env), before, strict=True):
            assert (array[~moving] == earlier[~moving]).all()
        for i, state in enumerate(states):
            assert env.state(i) == state and env.state(i).moves() == state.moves()
            assert step.terminated[i] == state.is_over()
            assert (step.observations[i] == planes_of(state, "planes")).all()
            assert (step.masks[i] == mask_of(state)).all()
            assert step.players[i] == state.next_player.index
    with one_line_error(DlgoError, "the game on board 0 is over"):
        env.step(np.zeros(count, np.int64))
    assert (env.random_actions()[step.terminated] == -1).all()
    last = arrays_of(env)
    env.reset(boards=np.arange(count) < 2)
    assert env.time_step.ended.tolist() == [False] * 2 + [True] * 4
    assert env.plies[:2].tolist() == [0, 0]
    assert all((a[2:] == b[2:]).all() for a, b in zip(arrays_of(env), last, strict=True))


def test_a_search_does_not_fill_its_own_eyes() -> None:
    """Black owns the corner A1: A2, B1, B2."""
    state = GameState.new_game(get_game("go:size=5"))
    env, search = (VectorEnv(state.game, 1, None, search=search) for search in (False, True))
    for point in ("A2", "E5", "B1", "D5", "B2", "C5"):
        state = state.apply_move(point)
        for each in (env, search):
            each.step([state.game.action_of(state.last_move)])
    state = state.apply_move("A1")
    eye = state.game.action_of(state.last_move)
    assert env.time_step.masks[0, eye] and not search.time_step.masks[0, eye]
    assert search.counts[0] == search.time_step.masks.sum() == env.counts[0] - 1


def test_an_illegal_action_is_named_and_nothing_moves() -> None:
    env = VectorEnv("connect4", 3, seed=1)
    for _ in range(6):
        env.step([0, 0, 1] if env.plies[0] % 2 else [0, 1, 0])
    before = arrays_of(env)
    with one_line_error(IllegalMoveError, "board 0: action 0 is illegal (1: the column is full)"):
        env.step([0, 1, 2])
    with one_line_error(IllegalMoveError, "board 2: action 7 is illegal: connect4 has the actions"):
        env.step(np.array([1, 2, 7], np.uint8))
    with one_line_error(IllegalMoveError, "board 1: action -1"):
        env.step([1, -1, 2])
    assert all(map(np.array_equal, before, arrays_of(env)))
    env.step([1, 2, 3])


def test_an_illegal_action_may_lose_instead() -> None:
    env = VectorEnv("connect4", 3, seed=1, episodes=Episodes(illegal="loss"))
    env.step([3, 3, 3])
    seen = env.time_step.observations.copy()
    step = env.step([99, 3, -5])
    assert step.terminated.tolist() == env.illegal.tolist() == [True, False, True]
    assert step.rewards.tolist() == [[1, -1], [0, 0], [1, -1]]  # white has chosen them
    assert (env.final_observations[[0, 2]] == seen[[0, 2]]).all()
    assert not env.final_masks[0].any() and env.final_plies[0] == 1
    assert env.plies.tolist() == [0, 2, 0]


@pytest.mark.parametrize(("arguments", "options", "message"), [
    (("conect4", 2), {}, "did you mean connect4"),
    (("connect4", 0), {}, "VectorEnv: count=0 is out of range (1 to 1,000,000,000)"),
    (("connect4", 10**18), {}, "count=1000000000000000000 is out of range"),
    (("connect4", 2, 5), {}, "encoder=5 is not the name of an encoder; write one of oneplane, "),
    (("connect4", "many"), {}, "count='many' is not a whole number"),
    (("connect4", 2, "zero11"), {}, "encoder 'zero11' is for go"),
    (("connect4", 2, None, 0.5), {}, "seed='0.5' is not a whole number"),
    (("connect4", 2), {"episodes": Episodes(max_plies=0)}, "max_plies=0 is out of range"),
    (("connect4", 2), {"episodes": Episodes(5, 5)}, "random_plies=5 is out of range"),
    (("connect4", 2), {"history": -1}, "history=-1 is out of range"),
    (("connect4", 2), {"episodes": Episodes(illegal="ignore")},
     "illegal='ignore' is not one of error, loss"),
    (("go19", 10**9), {}, "take fewer"),
    (("connect4", 2, get_encoder("planes", get_game("tictactoe"))), {}, "was made for tictactoe"),
])
def test_what_cannot_be_made_is_said(
    arguments: tuple[object, ...], options: dict[str, object], message: str
) -> None:
    with one_line_error(SpecError, message):
        VectorEnv(*arguments, **options)


@pytest.mark.parametrize("actions", [[1], [1.0, 2.0], [[1, 2]], ["1", "2"], [True, False], None])
def test_actions_of_another_shape_are_refused(actions: object) -> None:
    env = VectorEnv("connect4", 2)
    with one_line_error(DlgoError, "give a whole number for each board, int64[2]"):
        env.step(actions)


@pytest.mark.parametrize("boards", [
    np.array([True]), np.array([0, 1]), np.array([0, 2]), np.array([1.0, 0.0, 0.0]), "all", 1,
])
def test_boards_are_chosen_by_an_array_of_bools(boards: object) -> None:
    """Numbers of boards would be read as bools, a shorter array beyond its end."""
    env = VectorEnv("connect4", 3)
    for call in (lambda: env.step([3, 3, 3], boards), lambda: env.reset(boards=boards)):
        with one_line_error(DlgoError, "give True or False for each board, bool[3]"):
            call()
    with one_line_error(DlgoError, "random_plies are int64[1]; give a whole number for each"):
        env.reset(random_plies=np.array([3]))
    assert env.plies.tolist() == [0, 0, 0]
    assert env.step([3, 3, 3], [True, False, True]).movers.tolist() == [0, -1, 0]


def test_what_is_shown_cannot_be_overwritten() -> None:
    env = VectorEnv("connect4", 2)
    for array in (*env.time_step, env.final_masks, env.plies):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    for board, message in ((2, "2 is out of range (0 to 1)"), (1.5, "'1.5' is not a whole number")):
        with one_line_error(DlgoError, f"board={message}"):
            env.state(board)
    assert VectorEnv("connect4", 2, None).time_step.observations.shape == (2, 6, 7, 0)


def test_the_learner_of_the_document_learns(capsys: pytest.CaptureFixture[str]) -> None:
    document = (ROOT / "docs/vector.md").read_text()
    first, second = re.findall(r"^```python\n(.*?)^```", document, re.M | re.S)
    exec(compile(first, "docs/vector.md", "exec"), {})
    assert float(capsys.readouterr().out) > 0.9
    pytest.importorskip("pettingzoo")
    names: dict[str, object] = {}
    exec(compile(second, "docs/vector.md", "exec"), names)
    names["env"].reset(seed=1)
    names["env"].close()
