"""Facts about the anchors as players of other libraries: OpenSpiel's and PettingZoo's own ways to
play and to test accept them, and they play there as on the scale."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dlgo
from dlgo import DlgoError, GameState, SpecError, get_game
from dlgo.digests import hex_digest
from dlgo.rng import derive_seed
from experiments.arena.referee import SIDES
from experiments.ladder.baselines import anchor_rows
from experiments.ladder.scales import all_scales
from tests.command import ROOT
from tests.conftest import RUN_ALL, one_line_error, random_game
from tests.ladder.test_scales import task_of

ANCHORS = [f"{name}/{anchor}" for name, scale in all_scales().items()
           for anchor in scale.scale.anchors]
# Those of the fast suite.
FEW = ["tictactoe-2026.12/random", "connect4-2026.12/mcts:sims=50",
       "connect4-2026.12/alphabeta:depth=2"]
# The most plies of a game in these tests, about; on larger boards it begins later, or is cut.
PLIES = 42
PLAYED = ANCHORS if RUN_ALL else FEW
# Each game of ours that OpenSpiel has.
SAME = ["tictactoe", "connect4", "connectn:cols=6,rows=5,n=4", "connectn:cols=5,gravity=no,rows=4",
        "hex", "hex:size=5", "othello", "breakthrough", "breakthrough:cols=5,rows=7", "go9"]
OWN = {"connect4": "connect_four_v3", "tictactoe": "tictactoe_v3"}


@pytest.fixture
def openspiel() -> Any:
    pytest.importorskip("pyspiel")
    from engines.adapters import openspiel

    return openspiel


@pytest.fixture
def pettingzoo(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("pettingzoo")
    if find_spec("pygame") is None:  # its own environments draw by that, but nothing is drawn
        monkeypatch.setitem(sys.modules, "pygame", ModuleType("pygame"))
    from engines.adapters import pettingzoo

    return pettingzoo


def slow_unless_few(names: list[str]) -> list[Any]:
    return [pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in names]


# The name of an anchor ---------------------------------------------------------------------


def test_an_anchor_is_the_engine_of_its_scale_or_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    scale = all_scales()["connect4-2026.12"]
    start = get_game("connect4").start()
    chosen = {dlgo.anchor(f"connect4-2026.12{version}/mcts:sims=50", seed=3).select_move(start).move
              for version in ("", f"@{scale.digest[:8]}")}
    assert chosen == {dlgo.engine("mcts:sims=50", "connect4", seed=3).select_move(start).move}
    other = "0" * 8 if scale.digest[:8] != "0" * 8 else "1" * 8
    for name, message in (
        (f"connect4-2026.12@{other}/random", "not " + other),
        ("conect4-2026.12/random", "did you mean connect4-2026.12"),
        ("connect4-2026.12/mcts:sims=51", "did you mean mcts:sims=50"),
        ("connect4-2026.12", "has no anchor"),
    ):
        with one_line_error(SpecError, message):
            dlgo.anchor(name)
    with_network = "alphazero:sims=4,temperature=0.5"
    monkeypatch.setitem(scale.networks, with_network, "sha256:of another one")
    with one_line_error(DlgoError, "connect4-2026.12 has sha256:of another one"):
        dlgo.anchor(f"connect4-2026.12/{with_network}")


# OpenSpiel ---------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SAME)
def test_actions_of_openspiel_are_the_same_moves(spec: str, openspiel: Any) -> None:
    """In random games: the same legal actions; and its text of a move names the same cells, those
    of Breakthrough upside down, as its rows are counted from the other side."""
    import pyspiel

    game = get_game(spec)
    theirs = pyspiel.load_game(openspiel.openspiel_name(game))
    numbers = openspiel.openspiel_actions(game)
    for seed in range(3):
        state = theirs.new_initial_state()
        for ours in random_game(game, seed, passes=False):
            if ours.last_move is not None:
                number = numbers[game.action_of(ours.last_move)]
                text = state.action_to_string(number).removeprefix("B ").removeprefix("W ")
                if spec.startswith(("breakthrough", "go", "hex", "othello")):
                    cells = re.split("[-x]", game.move_text(ours.last_move).lower())
                    if spec.startswith("breakthrough"):
                        cells = [f"{cell[0]}{game.board_rows + 1 - int(cell[1:])}"
                                 for cell in cells]
                    assert text.lower().rstrip("*") == "".join(cells)
                state.apply_action(number)
            if ours.is_over() or state.is_terminal():
                break
            legal = {numbers[action] for action in ours.legal_actions()}
            # A repetition ends a game of Go there, and is forbidden here.
            assert legal == set(state.legal_actions()) or spec == "go9"
            assert legal <= set(state.legal_actions())


@pytest.mark.parametrize("name", slow_unless_few(PLAYED))
def test_openspiel_lets_every_anchor_play_whole_games(name: str, openspiel: Any) -> None:
    """By both of its functions for that, with both colours; the same seed gives the same games."""
    import pyspiel
    from open_spiel.python.algorithms import evaluate_bots

    class Watched(openspiel.Bot):  # type: ignore[misc,name-defined]
        def step(self, state: Any) -> int:
            action = super().step(state)
            assert action in state.legal_actions()
            moves.append(int(action))
            return action

    engine, kept = dlgo.anchor(name), []
    if engine.game.name == "draughts":
        pytest.skip("OpenSpiel has other rules")
    theirs = openspiel.openspiel_name(engine.game)
    if theirs.startswith("go"):
        theirs = theirs.replace(")", f",max_game_length={PLIES})")
    start = pyspiel.load_game(theirs).new_initial_state()
    generator = np.random.default_rng(3)
    for _ in range(engine.game.board_rows * engine.game.board_cols - PLIES):
        after = start.child(int(generator.choice(start.legal_actions())))
        start = start if after.is_terminal() else after
    for _ in range(2 if name in FEW else 1):
        moves: list[int] = []
        bot = Watched(engine, seed=5)
        first, second = (pyspiel.make_uniform_random_bot(player, 7) for player in (0, 1))
        results = [
            pyspiel.evaluate_bots(start.clone(), [bot, second], 7),
            evaluate_bots.evaluate_bots(start.clone(), [first, bot], None),
        ]
        kept.append((results, moves))
    assert kept[0] == kept[-1]
    assert all(sum(result) == 0 for result in results)


def test_games_of_a_bot_differ_and_repeat(openspiel: Any) -> None:
    import pyspiel

    game = pyspiel.load_game("connect_four")

    def histories(seed: int) -> list[list[int]]:
        bots = [openspiel.Bot(dlgo.anchor("connect4-2026.12/mcts:sims=9"), seed + i)
                for i in (0, 100)]
        played = []
        for _ in range(6):
            state = game.new_initial_state()
            for bot in bots:
                bot.restart()
                bot.restart()  # twice before a game: no other one
            while not state.is_terminal():
                state.apply_action(bots[state.current_player()].step(state))
            played.append(state.history())
        return played

    games = histories(1)
    assert games == histories(1) and games != histories(2)
    assert len(set(map(tuple, games))) == 6


def test_a_bot_takes_over_any_position(openspiel: Any) -> None:
    """Of a game that it did not play, after `restart_at` and without; and another one at once."""
    import pyspiel

    for spec in ("connect4", "breakthrough:cols=5,rows=6", "hex:size=5"):
        game = get_game(spec)
        theirs = pyspiel.load_game(openspiel.openspiel_name(game))
        numbers = openspiel.openspiel_actions(game)
        bot = openspiel.Bot(dlgo.engine("mcts:sims=150", game), 4)
        engine = dlgo.engine("mcts:sims=150", game)
        # Of which game, up to which ply, and whether the bot is told that a game begins.
        calls = ((1, 5, False), (2, 5, False), (2, 5, True), (2, 3, False))
        for begun, (seed, plies, told) in enumerate(calls):
            position, state = random_game(game, seed)[plies], theirs.new_initial_state()
            for action in position.actions():
                state.apply_action(numbers[action])
            if told:
                bot.restart_at(state)
            engine.new_game(derive_seed(4, begun) if begun else 4)
            move = engine.select_move(position).move
            assert bot.step(state) == numbers[game.action_of(move)]
    # Three in a row at the bottom: the first player wins by either end.
    state = pyspiel.load_game("connect_four").new_initial_state()
    for action in (3, 3, 2, 2, 4, 4):
        state.apply_action(action)
    assert openspiel.Bot(dlgo.anchor("connect4-2026.12/alphabeta:depth=2")).step(state) in (1, 5)


@pytest.mark.slow
@pytest.mark.parametrize("name", [f"{game}-2026.12" for game in OWN])
def test_bots_play_the_games_of_the_scale_again(name: str, openspiel: Any) -> None:
    """Those whose digests its file has, from the seeds of the scale."""
    import pyspiel

    scale, played = all_scales()[name], 0
    game = get_game(scale.game)
    theirs = pyspiel.load_game(openspiel.openspiel_name(game))
    numbers = openspiel.openspiel_actions(game)
    for slot, digest in scale.samples.items():
        _, first, second, pair = slot.split("|")
        if {first, second} & scale.networks.keys():
            continue  # other processors may differ in the last digits
        task = task_of(scale, first, second, int(pair))
        bots = [openspiel.Bot(dlgo.anchor(f"{name}/{anchor}"), derive_seed(task.seed, side))
                for anchor, side in zip((first, second), SIDES, strict=True)]
        state = theirs.new_initial_state()
        for action in task.opening:
            state.apply_action(numbers[action])
        pyspiel.evaluate_bots(state, bots, 1)
        moves = (game.move_of(numbers.index(action)) for action in state.history())
        assert hex_digest(" ".join(map(game.move_text, moves)), 12) == digest, slot
        played += 1
    assert played >= 10


def test_what_openspiel_has_under_other_rules_gets_one_line(openspiel: Any) -> None:
    import pyspiel

    for spec in ("draughts", "hex:swap=true", "othello:size=6", "connectn:pie=true",
                 "breakthrough:rows=5"):
        with one_line_error(SpecError, f"no game with the rules of {spec}"):
            openspiel.Bot(dlgo.engine("random", spec))
    bot = openspiel.Bot(dlgo.engine("random", "go9"))
    for theirs, message in (
        ("go(board_size=9,komi=6.5)", "komi=6.5"), ("go(board_size=13)", "board_size=13"),
        ("tic_tac_toe", "tic_tac_toe()"),
    ):
        with one_line_error(SpecError, message):
            bot.step(pyspiel.load_game(theirs).new_initial_state())
    shown = "connect_four(egocentric_obs_tensor=true)"  # no rule
    bot = openspiel.Bot(dlgo.engine("random", "connect4"))
    assert bot.step(pyspiel.load_game(shown).new_initial_state()) in range(7)

    class Quitter:
        def select_move(self, state: GameState) -> str:
            return "resign"

    bot = openspiel.Bot(dlgo.engine(Quitter, "connect4"))
    with one_line_error(DlgoError, "resigned"):
        bot.step(pyspiel.load_game("connect_four").new_initial_state())


# PettingZoo --------------------------------------------------------------------------------


def chosen_by(policy: Callable[[Any], int | None], env: Any) -> Any:
    """An environment whose spaces do not draw actions at random: a policy chooses them, so that
    PettingZoo's tests play its games."""
    from gymnasium.spaces import Discrete

    class Chosen(Discrete):
        def sample(self, mask: Any = None, probability: Any = None) -> Any:
            action = policy(env)
            assert mask is None or mask[action] == 1
            return action

    env.reset()
    spaces = {agent: Chosen(int(env.action_space(agent).n)) for agent in env.possible_agents}
    env.unwrapped.action_space = spaces.__getitem__
    return env


def own_env(game: str) -> Any:
    """PettingZoo's own environment of a game."""
    return import_module(f"pettingzoo.classic.{OWN[game]}").env()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", slow_unless_few(PLAYED))
def test_pettingzoo_lets_every_anchor_play_whole_games(
    name: str, pettingzoo: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its own tests of environments, in ours and in its own of the game."""
    from pettingzoo.test import api_test, seed_test

    from dlgo.adapters import pettingzoo_env

    engine = dlgo.anchor(name)
    game = str(engine.game)
    makers: list[Callable[[], Any]] = [lambda: pettingzoo_env.env(game, max_plies=PLIES)]
    if game in OWN:
        makers.append(lambda: own_env(game))
    for make in makers:
        api_test(chosen_by(pettingzoo.Policy(engine, 3), make()), num_cycles=PLIES)
        if name in FEW:
            seed_test(lambda make=make: chosen_by(pettingzoo.Policy(dlgo.anchor(name), 3), make()),
                      num_cycles=PLIES)
    assert capsys.readouterr().out.count("Passed") == len(makers)


def whole_game(env: Any, policies: dict[str, Any]) -> list[int]:
    """The actions of a game by policies."""
    env.reset(seed=1)
    played = []
    for agent in env.agent_iter():
        action = policies[agent](env)
        if action is not None:
            played.append(int(action))
        env.step(action)
    return played


@pytest.mark.parametrize("game", OWN)
def test_policies_play_the_same_games_from_moves_and_from_boards(
    game: str, pettingzoo: Any
) -> None:
    """Two games in a row: in our environment, by the moves, and in PettingZoo's own, where the
    board alone is shown; and the policies play them as the engines do."""
    from dlgo.adapters import pettingzoo_env

    name = {"connect4": "connect4-2026.12/mcts:sims=50",
            "tictactoe": "tictactoe-2026.12/mcts:sims=20"}[game]
    games = []
    for make in (lambda: pettingzoo_env.env(game), lambda: own_env(game)):
        env = make()
        first, second = (pettingzoo.Policy(dlgo.anchor(name), seed) for seed in (1, 2))
        agents = dict(zip(env.possible_agents, (first, second), strict=True))
        games.append([whole_game(env, agents) for _ in range(2)])
    assert games[0] == games[1]
    assert games[0][0] != games[0][1]
    engines = [dlgo.anchor(name, seed) for seed in (1, 2)]
    state = get_game(game).start()
    while not state.is_over():
        state = state.apply_move(engines[state.next_player.index].select_move(state).move)
    assert state.actions() == games[0][0]


def test_a_policy_takes_over_a_board_that_others_played(pettingzoo: Any) -> None:
    """Whatever the order of the moves was: a full game is found that leads to the board."""
    env = own_env("connect4")
    policy = pettingzoo.Policy(dlgo.anchor("connect4-2026.12/alphabeta:depth=4"))
    for seed in range(20):
        generator = np.random.default_rng(seed)
        env.reset()
        for _ in range(seed + 8):
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(int(generator.choice(np.flatnonzero(mask))))
            if any(env.terminations.values()):
                break
        action = policy(env)
        if any(env.terminations.values()):
            assert action is None
        else:
            assert env.observe(env.agent_selection)["action_mask"][action]
    env.reset()
    for action in (3, 3, 2, 2, 4, 4):
        env.step(action)
    assert policy(env) in (1, 5)


def test_a_policy_sees_random_starts_and_two_moves_in_a_row(pettingzoo: Any) -> None:
    from dlgo.adapters import pettingzoo_env

    env = pettingzoo_env.env("draughts", random_plies=6, max_plies=60)
    policies = {agent: pettingzoo.Policy(dlgo.engine("mcts:sims=5", "draughts"), i)
                for i, agent in enumerate(env.possible_agents)}
    for _ in range(2):
        assert len(whole_game(env, policies)) >= 20


def test_environments_of_other_games_get_one_line(pettingzoo: Any) -> None:
    from dlgo.adapters import pettingzoo_env

    policy = pettingzoo.Policy(dlgo.engine("random", "tictactoe"))
    for env in (own_env("connect4"), pettingzoo_env.env("connect4")):
        env.reset()
        with one_line_error(SpecError, "plays tictactoe, and not"):
            policy(env)
    env = own_env("tictactoe")
    env.reset()
    env.unwrapped.board.squares[:2] = [2, 2]  # two more than the first player has
    with one_line_error(DlgoError, "no game of tictactoe leads to the board"):
        policy(env)


# The page ----------------------------------------------------------------------------------


def test_the_page_runs(openspiel: Any, pettingzoo: Any) -> None:
    page = (ROOT / "docs/baselines.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(compile(block, "docs/baselines.md", "exec"), names)
    assert not names["env"].agents  # the game was played to its end


def test_the_page_lists_all_anchors() -> None:
    shown = [row[:2] for row in anchor_rows()]
    assert sorted(shown) == sorted((name.split("/")[0], f"`{name.split('/', 1)[1]}`")
                                   for name in ANCHORS)
