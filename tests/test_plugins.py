"""Games and engines from anywhere: files, modules, installed packages, Python objects."""

from __future__ import annotations

import errno
import importlib.metadata
import pickle
import re
import shutil
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dlgo import GameState, Move, get_game
from dlgo.errors import BotError, PluginError, SpecError, UnreadableError
from dlgo.plugins import load_file, source_digest
from engines.base import Budget, Decision, Engine
from engines.mcts.engine import MCTSEngine
from engines.registry import ENGINES, EngineSpec, build_engine
from experiments.arena.planfile import located
from tests.conftest import one_line_error

ROOT = Path(__file__).resolve().parents[1]
CONNECT4 = get_game("connect4")
START = GameState.new_game(CONNECT4)
BOT = '''
    import random

    class Greedy:
        """Likes the middle."""

        def __init__(self, game, seed, depth=2, style="calm"):
            self.game, self.depth, self.style = game, depth, style
            self.random = random.Random(seed)

        def select_move(self, state):
            return self.random.choice(state.legal_moves())
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def write(path: Path, text: str) -> None:
    path.write_text(textwrap.dedent(text))


def moves_of(engine: Engine, seed: int) -> list[Move]:
    engine.new_game(seed)
    return [engine.select_move(START).move for _ in range(20)]


@pytest.mark.parametrize(("text", "canonical"), [
    ("my_bot.py", "my_bot.py:Greedy"),
    ("./my_bot.py:Greedy", "my_bot.py:Greedy"),
    ("my_bot.py:depth=3", "my_bot.py:Greedy:depth=3"),
    ("my_bot.py:Greedy:style=wild,depth=3", "my_bot.py:Greedy:depth=3,style=wild"),
    ("my_bot:Greedy:depth=3", "my_bot:Greedy:depth=3"),
    ("my_bot.py:Greedy:depth=2", "my_bot.py:Greedy"),
])
def test_a_bot_is_named_by_its_file_or_module(folder: Path, text: str, canonical: str) -> None:
    write(folder / "my_bot.py", BOT)
    spec = EngineSpec.parse(text)
    assert spec.text == canonical
    assert EngineSpec.parse(spec.text) == spec
    assert spec.build(CONNECT4).select_move(START).move in START.legal_moves()
    sys.modules.pop("my_bot", None)


@pytest.mark.parametrize("file", ["~bot.py", "2026-11-28T15:30:00/bot.py", "noon:0/a/bot.py"])
def test_a_path_may_have_a_tilde_and_colons(folder: Path, file: str) -> None:
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    write(folder / file, BOT)
    for text in (file, f"{file}:Greedy"):
        assert EngineSpec.parse(text).text == f"{file}:Greedy"
        assert EngineSpec.parse(f"{text}:depth=3").text == f"{file}:Greedy:depth=3"
    assert located(folder / "plan.toml", f"{file}:depth=3") == f"{file}:depth=3"
    assert ENGINES.split("puct:prior=a/my.py") == ("puct", "prior=a/my.py")
    assert ENGINES.split("gtp:./bot.py") == ("gtp", "./bot.py")


def test_a_file_that_is_named_after_it_was_imported_leaves_the_import(folder: Path) -> None:
    write(folder / "early.py", BOT)
    sys.path.append(str(folder))
    import early  # type: ignore[import-not-found]

    load_file(Path("early.py"))
    assert sys.modules.pop("early") is early


def test_a_built_bot_keeps_its_options(folder: Path) -> None:
    write(folder / "my_bot.py", BOT)
    engine = build_engine("my_bot.py:depth=3", "connect4")
    assert EngineSpec.of(engine).text == "my_bot.py:Greedy:depth=3"


def test_game_seed_and_options_go_to_the_constructor(folder: Path) -> None:
    write(folder / "my_bot.py", BOT)
    engine = build_engine("my_bot.py:depth=3,style=wild", "connect4", seed=5)
    assert (engine._bot.game, engine._bot.depth, engine._bot.style) == (CONNECT4, 3, "wild")
    assert moves_of(engine, 1) == moves_of(engine, 1) != moves_of(engine, 2)


@pytest.mark.parametrize(("text", "message"), [
    ("my_bot.py:dept=3", r"no option 'dept' \(did you mean depth\?\)"),
    ("my_bot.py:depth=deep", "depth='deep' is not a whole number"),
    ("my_bot.py:sims=3", "cannot limit itself by sims; it takes no budget"),
    ("my_bot.py:Gredy", r"my_bot.py has no Gredy \(did you mean Greedy\?\)"),
    ("my_bot.py:random", "my_bot.py: random is not an engine: it has no select_move"),
    ("nowhere.py", "cannot load nowhere.py: there is no such file"),
    ("folder.py", "cannot load folder.py: it is a folder"),
    ("syntax.py", "cannot load syntax.py, line 3: "),
    ("failing.py", "cannot load failing.py, line 3: ModuleNotFoundError: No module named 'nope'"),
    ("leaving.py", "cannot load leaving.py, line 2: SystemExit: 3"),
    ("two.py", "two.py holds 2 engines, One and Two: name one, as in two.py:One"),
    ("two.py:Other", "two.py, line 8: Other is not an engine: it has no select_move"),
    ("empty.py", "empty.py holds no engine"),
    ("listed.py", "Listed has the option depth, which its constructor does not take"),
    ("no_such_module:Greedy", "cannot load no_such_module:Greedy: ModuleNotFoundError"),
    ("mtcs:sims=3", r"unknown engine 'mtcs' \(did you mean mcts\?\)"),
])
def test_what_cannot_be_used_is_named_in_one_line(folder: Path, text: str, message: str) -> None:
    write(folder / "my_bot.py", BOT)
    write(folder / "syntax.py", "\nx = 1\ndef f(:\n")
    write(folder / "failing.py", "\nimport sys\nimport nope\n")
    write(folder / "leaving.py", "import sys\nsys.exit(3)\n")
    write(folder / "empty.py", "from engines.mcts.engine import MCTSEngine\n_Hidden = MCTSEngine\n")
    write(folder / "two.py", """
        class One:
            def select_move(self, state): ...

        class Two(One):
            pass

        class Other:
            pass
    """)
    write(folder / "listed.py", """
        from dlgo.specs import Option

        class Listed:
            options = (Option("depth", 2, "how deep"),)
            def select_move(self, state): ...
    """)
    (folder / "folder.py").mkdir()
    with pytest.raises(SpecError, match=message) as caught:
        EngineSpec.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("code", "message"), [
    ("return None", "Odd.select_move returned None, not a move"),
    ("return self", "Odd.select_move returned <Odd object at 0x"),
    ("return 3", "Odd.select_move returned 3, not a move"),
    ("return 'Z9'", "Odd.select_move returned 'Z9': 'Z9' is no"),
    ("return Decision(None)", "Odd.select_move returned None, not a move"),
    ("return 1 / 0", "odd.py, line 5: ZeroDivisionError: division by zero"),
    ("return state.no_such", "odd.py, line 5: AttributeError: "),
])
def test_a_bot_that_fails_is_told_where(folder: Path, code: str, message: str) -> None:
    write(folder / "odd.py", f"""
        from engines.base import Decision
        class Odd:
            def select_move(self, state):
                {code}
    """)
    engine = build_engine("odd.py", "connect4")
    with pytest.raises(BotError, match=message) as caught:
        engine.select_move(START)
    assert "\n" not in str(caught.value)


def test_a_constructor_that_fails_is_told_where(folder: Path) -> None:
    write(folder / "odd.py", """
        class Odd:
            def __init__(self):
                self.book = open("no such book")
            def select_move(self, state): ...
    """)
    with pytest.raises(BotError, match=r"odd.py, line 4: FileNotFoundError: .*no such book"):
        build_engine("odd.py", "connect4")


@pytest.mark.parametrize("answer", ["'4'", "Move.play(4)", "Decision(Move.play(4), value=0.5)"])
def test_a_bot_answers_with_a_move_its_text_or_a_decision(folder: Path, answer: str) -> None:
    write(folder / "middle.py", f"""
        from dlgo import Move
        from engines.base import Decision
        def select_move(state):
            return {answer}
    """)
    decision = build_engine("middle.py", "connect4").select_move(START)
    assert decision.move == Move.play(4)
    assert decision.value == (0.5 if "value" in answer else None)
    assert decision.cost.wall_seconds > 0


def test_a_bot_that_takes_a_budget_is_given_it(folder: Path) -> None:
    write(folder / "frugal.py", """
        def select_move(state, budget):
            return str(budget.depth)
    """)
    assert build_engine("frugal.py:depth=5", CONNECT4).select_move(START).move == Move.play(5)
    engine = build_engine("frugal.py", CONNECT4)
    assert engine.select_move(START, Budget(depth=6)).move == Move.play(6)


def test_a_bot_with_new_game_is_kept_and_others_are_made_anew(folder: Path) -> None:
    write(folder / "memory.py", """
        class Kept:
            made = 0
            def __init__(self): Kept.made += 1
            def new_game(self, seed): self.seed = seed
            def select_move(self, state): return str(1 + self.seed % 7)
            def close(self): Kept.closed = True

        class Anew:
            made = 0
            def __init__(self): Anew.made += 1; self.moves = 0
            def select_move(self, state): self.moves += 1; return str(self.moves)
    """)
    kept, anew = build_engine("memory.py:Kept", CONNECT4), build_engine("memory.py:Anew", CONNECT4)
    for seed in (3, 4):
        kept.new_game(seed)
        anew.new_game(seed)
        assert kept.select_move(START).move == Move.play(seed + 1)
        assert anew.select_move(START).move == Move.play(1)
    assert kept._bot.made == 1
    assert anew._bot.made == 3
    kind = type(kept._bot)
    kept.close()
    assert kind.closed


def test_the_usual_generators_are_seeded_for_a_bot_that_knows_no_seed(folder: Path) -> None:
    write(folder / "lucky.py", """
        import random
        import numpy as np
        def select_move(state):
            return str(1 + (random.randrange(7) + int(np.random.randint(7))) % 7)
    """)
    engine = build_engine("lucky.py", CONNECT4)
    assert moves_of(engine, 1) == moves_of(engine, 1) != moves_of(engine, 2)


def test_the_digest_is_that_of_the_file_and_its_neighbours(folder: Path) -> None:
    write(folder / "tool.py", "NUMBER = 3\n")
    write(folder / "user.py", "import tool\ndef select_move(state): return str(tool.NUMBER)\n")
    write(folder / "stranger.py", "x = 1\n")
    first = EngineSpec.parse("user.py")
    assert re.fullmatch(r"select_move@[0-9a-f]{4}", first.label)
    write(folder / "stranger.py", "x = 2\n")
    assert EngineSpec.parse("user.py").digest == first.digest
    write(folder / "tool.py", "NUMBER = 5 \n")
    assert EngineSpec.parse("user.py").digest != first.digest
    assert EngineSpec.parse("mcts").digest == ""
    sys.modules.pop("tool", None)


def test_an_edited_file_is_loaded_again(folder: Path) -> None:
    write(folder / "bot.py", "def select_move(state): return '1'\n")
    assert build_engine("bot.py", CONNECT4).select_move(START).move == Move.play(1)
    write(folder / "bot.py", "def select_move(state): return '22'[1:]\n")
    assert build_engine("bot.py", CONNECT4).select_move(START).move == Move.play(2)


def test_threads_that_need_a_file_load_it_once(folder: Path) -> None:
    write(folder / "slow.py", "import time\ntime.sleep(0.3)\n")
    with ThreadPoolExecutor(4) as threads:
        modules = [*threads.map(load_file, [folder / "slow.py"] * 4)]
    assert len(set(map(id, modules))) == 1


def test_any_entrant_can_be_given_a_title() -> None:
    spec = EngineSpec.parse('mcts:sims=10,name="One, two"')
    assert (spec.text, spec.title, spec.label) == ("mcts:sims=10", "One, two", "One, two")
    assert EngineSpec.parse(spec.full_text).title == "One, two"
    assert EngineSpec.parse("random").label == "random"


class Last:
    """Plays the last of the legal moves."""

    def select_move(self, state: GameState) -> Move:
        return state.legal_moves()[-1]


@pytest.mark.parametrize("engine", [
    Last, Last(), lambda state: state.legal_moves()[-1], "tests.test_plugins:Last",
])
def test_classes_objects_and_functions_play_in_python(engine) -> None:
    assert build_engine(engine, "connect4").select_move(START).move == Move.play(7)


def test_a_built_engine_and_an_engine_class_play_in_python() -> None:
    engine = build_engine("mcts:sims=7,c_uct=1", "connect4")
    assert build_engine(engine, "connect4") is engine
    assert EngineSpec.of(engine).text == "mcts:sims=7,c_uct=1"
    assert EngineSpec.of(MCTSEngine).text == "mcts:sims=1000"
    with pytest.raises(SpecError, match="built for connect4, not for tictactoe"):
        build_engine(engine, "tictactoe")
    for wrong in (3, None, object(), Decision):
        with pytest.raises(SpecError, match="is not an engine"):
            build_engine(wrong, "connect4")


def test_installed_packages_add_names(folder: Path, monkeypatch) -> None:
    write(folder / "installed_bot.py", BOT)
    monkeypatch.syspath_prepend(str(folder))
    point = importlib.metadata.EntryPoint("greedy", "installed_bot:Greedy", "dlgo.engines")
    monkeypatch.setattr(ENGINES, "_entry_points", {"greedy": [point]})
    assert "greedy" in ENGINES.names()
    assert EngineSpec.parse("greedy:depth=4").text == "greedy:depth=4"
    assert build_engine("greedy", CONNECT4).select_move(START).move in START.legal_moves()
    other = importlib.metadata.EntryPoint("greedy", "elsewhere:Greedy", "dlgo.engines")
    monkeypatch.setattr(ENGINES, "_entry_points", {"greedy": [point, other]})
    with pytest.raises(PluginError, match="both call an engine 'greedy'; remove one"):
        EngineSpec.parse("greedy")


def rows_game(folder: Path) -> None:
    """The game that docs/add_a_game.md explains."""
    shutil.copy(ROOT / "experiments/templates/rows.py", folder)


@pytest.mark.slow
def test_a_game_of_a_file_is_played_and_pickled(folder: Path) -> None:
    rows_game(folder)
    game = get_game("rows.py")
    assert str(game) == "rows.py:RowsAndColumns"
    assert get_game(str(game)) == game
    assert "/" not in get_game(str(folder / "rows.py")).slug
    state = GameState.new_game(game).apply_move(Move.play(game.move_of(4).place))
    assert pickle.loads(pickle.dumps(state)) == state
    assert build_engine("mcts:sims=20", game).select_move(state).move in state.legal_moves()


@pytest.mark.parametrize(("text", "message"), [
    ("rows.py:Nothing", "rows.py has no Nothing"),
    ("rows.py:GameSpec", "GameSpec is not a game"),
    ("chess", "unknown game 'chess'"),
    ("rows.py:size=3", "has no option 'size'"),
    ("part.py", "part.py holds no game: Part is not complete; add the methods why_illegal"),
])
def test_a_game_that_cannot_be_used_is_named(folder: Path, text: str, message: str) -> None:
    rows_game(folder)
    (folder / "part.py").write_text(
        "import dlgo\n\nclass Part(dlgo.GameSpec):\n    def new_kernel_state(self): ...\n")
    with pytest.raises(SpecError, match=message):
        get_game(text)


def test_a_size_may_stand_without_its_name() -> None:
    assert get_game("go", 9) == get_game("go9") == get_game("go:size=9")
    with pytest.raises(SpecError, match=r"game\('connectn', cols=..., rows=...,"):
        get_game("connectn", 5)
    with pytest.raises(SpecError, match="connect4 has no options"):
        get_game("connect4", 7)
    with pytest.raises(SpecError, match="3 is not a game"):
        get_game(3)


def test_a_file_that_the_system_does_not_give_is_no_fault_of_its_author(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed.py").write_text("class Bot:\n    pass\n")
    monkeypatch.setattr("importlib.machinery.SourceFileLoader.get_data", _refuse)
    with one_line_error(UnreadableError, "closed.py cannot be read: Permission denied; check its"):
        load_file(tmp_path / "closed.py")


def _refuse(loader: object, path: str) -> bytes:
    raise PermissionError(errno.EACCES, "Permission denied", path)


def test_files_of_two_folders_have_their_own_neighbours(tmp_path: Path) -> None:
    """Bots of two students, each with a `helper.py` and a package of the same name beside it."""
    bot = ("import helper\nfrom pack.inner import WHOSE\n\ndef select_move(state):\n"
           "    return state.legal_moves()[0]\n")
    for name in ("one", "two"):
        (tmp_path / name / "pack").mkdir(parents=True)
        for file, text in (("bot.py", bot), ("helper.py", f"WHOSE = {name!r}\n"),
                           ("pack/__init__.py", ""), ("pack/inner.py", f"WHOSE = {name!r}\n")):
            (tmp_path / name / file).write_text(text)
    digests = []
    for name in ("one", "two", "one"):
        module = load_file(tmp_path / name / "bot.py")
        assert module.helper.WHOSE == module.WHOSE == name
        digests.append(source_digest(module.select_move))
    assert digests[0] == digests[2] != digests[1]
