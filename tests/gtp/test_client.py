"""The engine that plays by another program: it never hangs, lies about cost or leaves litter.

Nine programs misbehave; with `--run-all` all twenty.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from dlgo import DlgoError, GameState, Move, Player, Point, SpecError, get_game
from dlgo.gtp import GtpError
from dlgo.records.ledger import Ledger
from engines.registry import EngineSpec, build_engine
from experiments.arena.reporter import Reporter
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from tests.conftest import RUN_ALL, one_line_error
from tests.gtp.programs import GNUGO, GNUGO_OPTIONS, at_genmove, living, mock, needs_gnugo

GO5 = get_game("go:size=5,komi=0.5")


# --- specifications -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("gtp:gnugo --mode gtp --level 10", "gnugo --mode gtp --level 10"),
        ("gtp:command=gnugo --mode gtp", "gnugo --mode gtp"),
        ("gtp:timeout=3,command=gnugo", "gnugo"),
        ("gtp:engine --visits=7,timeout=5", "engine --visits=7"),
        ('gtp:"engine --list a,b",timeout=5', "engine --list a,b"),
        ('gtp:engine --list "a,b"', 'engine --list "a,b"'),
        (r'gtp:command="a \"b, c\" \\ d"', r'a "b, c" \ d'),
        ('gtp:"x" --y "z"', '"x" --y "z"'),
        ("gtp:engine 'it is'", "engine 'it is'"),
    ],
)
def test_a_command_line_survives_the_specification(text: str, command: str) -> None:
    spec = EngineSpec.parse(text)
    assert dict(spec.settings)["command"] == command
    assert EngineSpec.parse(spec.text) == spec
    assert dict(EngineSpec.parse(spec.family).settings)["command"] == command


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("gtp:gnugo --list a,b", "'b' is not key=value"),
        ('gtp:gnugo "a', "is not closed"),
        ("gtp:gnugo,timeout=0", "out of range"),
        ("gtp:gnugo,sims=3", "cannot limit itself by sims"),
        ("gtp:gnugo,command=pachi", "sets command twice"),
        ("mcts:800", "'800' is not key=value"),
    ],
)
def test_a_bad_specification_is_one_line(text: str, part: str) -> None:
    with one_line_error(SpecError, part):
        EngineSpec.parse(text)


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("gtp", "needs the command line"),
        ("gtp:no-such-program --mode gtp", "there is no program 'no-such-program'"),
        ("gtp:/no/such/program", "'/no/such/program'"),
        ("gtp:sh -c 'open", "no closing quotation"),
    ],
)
def test_a_program_that_is_not_there_is_named(spec: str, part: str) -> None:
    with one_line_error(SpecError, part):
        build_engine(spec, GO5)


# --- programs that misbehave ----------------------------------------------------------------

# An hour, written so that the tests find the process by it, and no other run's.
NAP = f"3600.25{os.getpid()}"
GRANDCHILD = f"subprocess.Popen(['sleep', '{NAP}'])"
MISBEHAVIOUR = {
    "dies": ("os._exit(3)", "died (exit code 3)"),
    "is killed": ("os.kill(os.getpid(), signal.SIGKILL)", "died (signal 9)"),
    "says why it dies": ("sys.exit('out of\\nmemory')", "last words: 'out of / memory'"),
    "hangs": ("time.sleep(3600)", "no answer within 3 s"),
    "hangs and ignores signals": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)", "no answer within 3 s"
    ),
    "leaves a child behind": (f"{GRANDCHILD}; os._exit(1)", "exit code 1"),
    "hangs with a child": (f"{GRANDCHILD}; time.sleep(3600)", "no answer within 3 s"),
    "closes its output": ("os.close(1); time.sleep(3600)", "closed its output"),
    "answers half": ("sys.stdout.write('=' + number + ' A1\\n'); sys.stdout.flush()",
                     "no answer within 3 s"),
    "prints garbage": ("print('Segmentation fault', flush=True)", "'Segmentation fault'"),
    "prints bytes": ("os.write(1, b'\\xff\\xfe\\x00\\n\\n')", "begin with = or ?"),
    "prints without end": ("\n    while True: os.write(1, b'= x\\n' * 1000)", "longer than"),
    "prints no line end": ("\n    while True: os.write(1, b'x' * 1000)", "begin with = or ?"),
    "answers late": ("time.sleep(6); say('A1', number)", "no answer within 3 s"),
    "answers another question": ("say('A1', 77777)", "has the number 77777"),
    "answers without number": ("say('A1')", "has no number; it must repeat that"),
    "refuses": ("say('I am tired', number, '?')", "refused 'genmove black': I am tired"),
    "moves off the board": ("say('Z99', number)", "'Z99'"),
    "moves nowhere": ("say('', number)", "answered genmove with ''"),
    "answers in prose": ("say('my move is\\nA1', number)", "answered genmove with"),
}


# One of each kind: death, silence, children, no end, what is not GTP, what is not a move.
SOME = ("says why it dies", "hangs and ignores signals", "leaves a child behind",
        "closes its output", "prints without end", "prints bytes", "answers another question",
        "refuses", "moves off the board")


@pytest.mark.parametrize("name", MISBEHAVIOUR if RUN_ALL else SOME)
def test_misbehaviour_ends_in_one_line_and_leaves_no_process(name: str, tmp_path: Path) -> None:
    action, part = MISBEHAVIOUR[name]
    seconds = 3 if "within 3 s" in part else 60  # the start of the program is included
    engine = build_engine(mock(tmp_path, at_genmove(action), f",timeout={seconds}"), GO5)
    with one_line_error(DlgoError, part):
        engine.select_move(GameState.new_game(GO5))
    engine.close()
    assert living(str(tmp_path)) == []
    assert living(NAP) == []


def test_a_program_that_reads_nothing_does_not_hang_us(tmp_path: Path) -> None:
    engine = build_engine(
        mock(tmp_path, "def odd(name, words, number):\n    if name == 'play': time.sleep(3600)",
             ",timeout=3"), GO5,
    )
    state = GameState.new_game(GO5).apply_move(Move.play(Point(1, 1)))
    with pytest.raises(GtpError, match="asked 'play black A1': no answer"):
        engine.select_move(state)
    engine.close()


def test_much_text_on_standard_error_holds_nobody_up(tmp_path: Path) -> None:
    code = "def odd(name, words, number): sys.stderr.write('thinking\\n' * 100_000)"
    engine = build_engine(mock(tmp_path, code, ",timeout=100"), GO5)
    assert engine.select_move(GameState.new_game(GO5)).move == Move.play(Point(1, 2))
    engine.close()


def test_line_ends_of_other_systems_and_control_characters_are_read(tmp_path: Path) -> None:
    code = at_genmove("os.write(1, b'\\r\\n=' + number.encode() + b'\\tc\\x073 \\r\\n\\r\\n')")
    engine = build_engine(mock(tmp_path, code), GO5)
    assert engine.select_move(GameState.new_game(GO5)).move == Move.play(Point(3, 3))
    engine.close()


def test_after_an_accident_the_next_move_starts_the_program_again(tmp_path: Path) -> None:
    flag = tmp_path / "crashed"
    code = at_genmove(
        f"if os.path.exists({str(flag)!r}): return False\n"
        f"    open({str(flag)!r}, 'w').close(); os._exit(1)"
    )
    engine = build_engine(mock(tmp_path, code), GO5)
    state = GameState.new_game(GO5)
    with pytest.raises(GtpError):
        engine.select_move(state)
    assert engine.select_move(state).move == Move.play(Point(1, 2))
    engine.close()


def test_a_program_that_nobody_closes_ends_with_the_engine(tmp_path: Path) -> None:
    engine = build_engine(mock(tmp_path, "signal.signal(signal.SIGTERM, signal.SIG_IGN)"), GO5)
    assert len(living(str(tmp_path))) == 2  # the program and its reaper
    del engine
    assert living(str(tmp_path)) == []


# --- what is said to the program ------------------------------------------------------------


def told(engine_log: Path) -> list[str]:
    """The commands a logging mock got since the last call."""
    lines = engine_log.read_text().splitlines()
    engine_log.write_text("")
    return lines


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def logging(log: Path, more: str = "") -> str:
    return f"""
def odd(name, words, number):
    with open({str(log)!r}, "a") as file:
        file.write(" ".join([name, *words]) + "\\n")
    {more}
"""


def test_only_what_is_new_is_told(tmp_path: Path, log: Path) -> None:
    engine = build_engine(mock(tmp_path, logging(log)), GO5)
    assert told(log) == ["boardsize 5", "komi 0.5", "clear_board"]
    state = GameState.new_game(GO5)
    first = engine.select_move(state).move
    assert told(log) == ["clear_board", "genmove black"]
    after = state.apply_move(first).apply_move(Move.play(Point(5, 5)))
    engine.select_move(after)
    assert told(log) == ["play white E5", "genmove black"]
    # Another line of play: everything is told again.
    other = state.apply_move(Move.pass_turn())
    engine.select_move(other)
    assert told(log) == ["clear_board", "play black pass", "genmove white"]
    engine.new_game(2)
    assert told(log) == []
    engine.close()
    assert told(log) == ["quit"]


def test_stones_that_stand_at_the_start_are_placed(tmp_path: Path, log: Path) -> None:
    engine = build_engine(mock(tmp_path, logging(log)), get_game("go:size=9,handicap=2"))
    told(log)
    engine.select_move(GameState.new_game(engine.game))
    assert told(log) == ["clear_board", "play black C3", "play black G7", "genmove white"]
    position = engine.game.position([Point(1, 1)], [Point(2, 2)], Player.white)
    engine.select_move(position)
    assert told(log)[1:] == ["play black A1", "play white B2", "genmove white"]


def test_seconds_a_move_become_time_settings(tmp_path: Path, log: Path) -> None:
    engine = build_engine(mock(tmp_path, logging(log), ",wall=1.5"), GO5)
    told(log)
    engine.select_move(GameState.new_game(GO5))
    assert told(log) == [
        "clear_board", "time_settings 0 2 1", "time_left black 2 1", "genmove black"
    ]


def test_the_seed_reaches_the_command_line(tmp_path: Path) -> None:
    code = at_genmove("say('ABCDE'[int(sys.argv[1]) % 5] + '1', number)")
    engine = build_engine(mock(tmp_path, code) + " {seed}", GO5)
    columns = set()
    for seed in range(5):
        engine.new_game(seed)
        columns.add(engine.select_move(GameState.new_game(GO5)).move)
    assert len(columns) == 5
    engine.close()


def test_resign_and_pass_are_moves(tmp_path: Path) -> None:
    for word, move in (("RESIGN", Move.resign()), ("Pass", Move.pass_turn())):
        engine = build_engine(mock(tmp_path, at_genmove(f"say('{word}', number)")), GO5)
        assert engine.select_move(GameState.new_game(GO5)).move == move
        engine.close()


def test_other_games_need_a_program_that_knows_them(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="plays only Go, not connect4"):
        build_engine(mock(tmp_path, ""), get_game("connect4"))
    assert living(str(tmp_path)) == []


def test_the_cost_contains_the_programs_cpu_time(tmp_path: Path) -> None:
    burn = "t = time.process_time()\n    while time.process_time() < t + 0.3: pass"
    sleep = "time.sleep(0.3)"
    # Burns in a process of its own, which is gone when the answer comes.
    script = tmp_path / "burn"
    script.write_text("import time\nwhile time.process_time() < 0.3: pass")
    child = f"subprocess.run([sys.executable, '-S', {str(script)!r}])"
    for action, low, high in ((burn, 0.3, 1.5), (sleep, 0, 0.25), (child, 0.28, 1.5)):
        code = at_genmove(f"{action}\n    say('A1', number)")
        engine = build_engine(mock(tmp_path, code), GO5)
        cost = engine.select_move(GameState.new_game(GO5)).cost
        assert low <= cost.cpu_seconds < high
        assert cost.wall_seconds >= 0.3
        engine.close()


# --- GNU Go ---------------------------------------------------------------------------------


@needs_gnugo
def test_gnu_go_plays_itself_by_our_rules() -> None:
    """Every move is legal here, the same seed gives the same game, and both costs are there."""
    game = get_game("go:size=7,komi=9")
    engine = build_engine(f"gtp:{GNUGO} {GNUGO_OPTIONS} --level 1 --seed {{seed}}", game)

    def play(seed: int) -> GameState:
        engine.new_game(seed)
        state = GameState.new_game(game)
        while not state.is_over():
            decision = engine.select_move(state)
            assert decision.cost.cpu_seconds > 0
            state = state.apply_move(decision.move)
        return state

    first = play(1)
    assert len(first.moves()) > 15
    assert play(1).moves() == first.moves()
    assert any(play(seed).moves() != first.moves() for seed in (2, 3, 4))
    engine.close()


# --- in the arena ---------------------------------------------------------------------------


@pytest.mark.slow
def test_a_tournament_with_a_cheat_a_crasher_and_a_sound_program(tmp_path: Path) -> None:
    """Faults lose the game with the reason stored, nobody waits, and no process is left."""
    sound = mock(tmp_path, at_genmove("say('resign', number)"))
    cheat = mock(tmp_path, at_genmove("say('A1', number)"))
    crasher = mock(tmp_path, at_genmove("os._exit(5)"))
    plan = Plan(
        ("go:size=5",), (sound, cheat, crasher), pairs=1, seed=3, opening_plies=0).canonical()
    ledger = tmp_path / "games.sqlite"
    summary = run_tournament(plan, ledger, workers=1, progress=Reporter(io.StringIO()))
    assert summary.played == 6
    with Ledger(ledger, read_only=True) as games:
        records = list(games.games())
    for record in records:
        assert {record.first, record.second} < set(plan.entrants)
        sides = [record.first[len("gtp:command=") :], record.second[len("gtp:command=") :]]
        if crasher[4:] in sides:
            assert record.result == sides.index(crasher[4:])
            assert "exit code 5" in record.reason
        elif sides[0] == sound[4:]:
            assert record.reason == "white (o) wins by resignation"
        else:  # A1 by Black, then the other one resigns
            assert record.reason == "black (x) wins by resignation"
    assert living(str(tmp_path)) == []
