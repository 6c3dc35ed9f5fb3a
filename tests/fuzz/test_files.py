"""Files of every kind that is read, damaged at random: refused in one line, or read."""

from __future__ import annotations

import functools
import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.games.go.state import Go
from dlgo.records.sgf import read_sgf, replay, write_sgf
from experiments.play.game_file import game_bytes, read_game_file
from tests.conftest import random_game
from tests.fuzz.harness import attempt, command, mutated, tries
from tests.sample_ledger import write_sample

SAMPLES = Path(__file__).parents[1] / "samples"
GAMES = ("connect4", "connectn", "draughts", "go:size=5", "tictactoe")
MODELS = Path(__file__).parents[2] / "engines" / "models"


@functools.cache
def game_states(game: str, seed: int) -> list[GameState]:
    return random_game(get_game(game), seed=seed, max_plies=30)


def last_state(game: str, seed: int) -> GameState:
    return game_states(game, seed)[-1]


def sgf(seed: int) -> bytes:
    return write_sgf(last_state("go:size=5", seed % 3), black="A", white="B")


def damaged(folder: Path, name: str, data: bytes, rng: np.random.Generator) -> Path:
    path = folder / name
    path.write_bytes(mutated(data, rng))
    return path


SGF = (
    b"(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]PB[a]PW[b]RE[B+R];B[aa];W[bb](;B[];W[tt])(;B[cc]C[x\\]y]))",
    b"(;SZ[13]HA[2]AB[aa][bb:cc]AW[dd]AE[aa]PL[W];W[ee];B[ff])",
)


def test_sgf(tmp_path: Path):
    for number in tries(300):
        data = [*SGF, sgf(number)][number % 3]
        path = damaged(tmp_path, "game.sgf", data, np.random.default_rng(number))

        def read(path: Path = path) -> None:
            for _ in replay(read_sgf(path)):
                pass

        attempt(f"try {number}", read)
        attempt(f"try {number}", functools.partial(read_game_file, path))


@pytest.mark.parametrize("game", ["draughts", "connect4", "tictactoe"])
def test_saved_games(tmp_path: Path, game: str):
    data = game_bytes(last_state(game, 1), "A", "B")
    for number in tries(100):
        path = damaged(tmp_path, "game.txt", data, np.random.default_rng(number))
        attempt(f"try {number}", functools.partial(read_game_file, path))


PDN = (
    b'[Event "x"] [Result "0-1"]\n1. 11-15 23-19 2. 8-11 22-17 {a comment} (2. 4-8 ; or\n) 0-1\n',
    b'[SetUp "1"]\n[FEN "W:WK5,18,21:BK30,12,7"]\n1... 18-14! $3 2. 12-16 5-1 *\n',
    *((SAMPLES / "saved" / f"{name}.pdn").read_bytes() for name in (
        "draughts", "resigned_draughts", "unfinished_draughts")),
)


def test_pdn():
    """What is read is the same after it has been written and read again."""
    from dlgo.games.draughts import pdn

    for number in tries(200):
        rng = np.random.default_rng(number)
        data = PDN[number % len(PDN)] + PDN[0] * int(rng.integers(2))
        text = mutated(data, rng).decode("utf-8", "replace")
        for game in attempt(f"try {number}", functools.partial(pdn.read_games, text)) or ():
            again = pdn.read_games(pdn.write_game(game.state, game.tags, game.result))[0]
            assert again.state == game.state, f"try {number}"


@pytest.mark.parametrize("name", ["connectn:gravity=false", *GAMES])
def test_texts_of_moves(name: str):
    """A text denotes legal moves, or is refused in one line."""
    game = get_game(name)
    for number in tries(100):
        rng = np.random.default_rng(number)
        states = game_states(name, number % 5)
        state = states[int(rng.integers(len(states) - 1))]
        moves = state.legal_moves()
        text = game.move_text(moves[int(rng.integers(len(moves)))])
        text = mutated(text.encode(), rng).decode("utf-8", "replace")

        def read(state: GameState = state, text: str = text) -> None:
            for move in game.parse_moves(state, text):
                state = state.apply_move(move)

        attempt(f"try {number}: {text[:60]!r}", read)


def test_gtp():
    from engines.registry import EngineSpec
    from experiments.gtp.server import Server
    from experiments.gtp.session import Session

    server = Server(Session(Go(size=5), EngineSpec.parse("random"), 1))
    names = server.answer("list_commands")
    words = "".join(names).removeprefix("= ").split()
    words = [word for word in words if word not in ("quit", "lz-analyze", "kata-analyze")]
    values = ["b", "w", "C3", "pass", "resign", "5", "-1", "1e999", "nan", "99999999999999999999",
              "Z99", "\x1b[2J", "ü", "", "'", '"', "9" * 400, "0", "7.5", "game.sgf", "/dev/null/x"]
    for number in tries(300):
        rng = np.random.default_rng(number)
        line = " ".join([str(rng.choice(words)), *rng.choice(values, int(rng.integers(4)))])
        if "printsgf" in line or "loadsgf" in line:
            continue  # these name files, the first one an output
        if rng.random() < 0.3:
            line = mutated(line.encode(), rng).decode("utf-8", "replace")
        answer = attempt(f"try {number}: {line[:60]!r}",
                         lambda line=line: "".join(server.answer(line)))
        assert "internal error" not in answer, (number, line[:60], answer[:200])
        assert not answer or (answer[0] in "=?" and answer.endswith("\n\n")), (number, answer[:80])


def test_plans(tmp_path: Path):
    from experiments.arena.planfile import read_plan

    data = (SAMPLES / "plan.toml").read_bytes()
    data += b'\ntarget_elo = 50\nmove_timeout = 3\nmemory_mb = 500\nsprt = [0, 20]\n'
    for number in tries(200):
        path = damaged(tmp_path, "plan.toml", data, np.random.default_rng(number))
        attempt(f"try {number}", functools.partial(read_plan, path, {}))


def test_lists_of_games(tmp_path: Path):
    data = b"game,first,second,result,pair,moves\n" + b"".join(
        b"go,a,b,%s,%d,C3 D4\ngo,b,c,%s,%d,\n" % (one, i, one, i)
        for i, one in enumerate((b"1", b"0.5", b"0", b"1.0"))
    )
    for number in tries(40):
        path = damaged(tmp_path, "games.csv", data, np.random.default_rng(number))
        command(f"try {number}", "rate", path, "--los", folder=tmp_path)
        command(f"try {number}", "compare", path, "a", "b", folder=tmp_path)


# What may be wrong in a column of a ledger that SQLite itself has nothing against.
_WRONG = (
    None, "", "x", "\x1b[2J", "[x](javascript:1)", "a\nb", -1, 2, 0.3, 1e308, 2**62,
    float("inf"), b"\xff\x00", "9" * 400, "{", '{"first": 1}', "null", "4 4 4 4 4 4 4 4",
)


def wrong_ledger(path: Path, rng: np.random.Generator) -> None:
    """Change a value or two of a ledger, or bytes of the file."""
    path.unlink(missing_ok=True)
    write_sample(path)
    if rng.random() < 0.3:
        path.write_bytes(mutated(path.read_bytes(), rng))
        return
    database = sqlite3.connect(path)
    for _ in range(int(rng.integers(1, 4))):
        table = str(rng.choice(["games", "games", "games", "meta"]))
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        column = columns[int(rng.integers(len(columns)))]
        value = _WRONG[int(rng.integers(len(_WRONG)))]
        which = "" if rng.random() < 0.3 else " WHERE rowid % 3 = 0"
        if isinstance(value, str) and rng.random() < 0.2:
            value = value.encode("utf-16")
            change = f"UPDATE {table} SET {column} = CAST(? AS TEXT){which}"
        else:
            change = f"UPDATE {table} SET {column} = ?{which}"
        try:
            database.execute(change, (value,))
        except sqlite3.Error:
            continue  # a rule of the table forbids it
    database.commit()
    database.close()


def beside(ledger: Path) -> list[Path]:
    """What SQLite itself keeps beside a database."""
    return [Path(f"{ledger}{end}") for end in ("-wal", "-shm")]


def test_ledgers(tmp_path: Path):
    for number in tries(40):
        rng = np.random.default_rng(number)
        path = tmp_path / "games.sqlite"
        wrong_ledger(path, rng)
        out = tmp_path / "out"
        for arguments in (
            ("ledger", path, "list"), ("ledger", path, "check"),
            ("ledger", path, "export", "--csv", out / "x.csv"), ("rate", path),
        ):
            out.mkdir(exist_ok=True)
            command(f"try {number}: {' '.join(map(str, arguments[2:] or arguments[:1]))}",
                    *arguments, folder=tmp_path, outputs=[out, *beside(path)])
        for file in tmp_path.glob("games.sqlite*"):
            file.unlink()


def test_reports_of_damaged_ledgers(tmp_path: Path):
    for number in tries(1):
        path = tmp_path / "games.sqlite"
        wrong_ledger(path, np.random.default_rng(10_000 + number))
        out = tmp_path / "out"
        command(f"try {number}", "report", path, "--out", out, "--bootstrap", "0",
                folder=tmp_path, outputs=[out, *beside(path)], patience=15)
        for file in tmp_path.glob("games.sqlite*"):
            file.unlink()


def test_cards(tmp_path: Path):
    from engines.learning.networks.card import read_card

    card = next(MODELS.glob("*/card.json")).read_bytes()
    deep = (b"[" * 100_000, b'{"a":' * 100_000, b'{"format": ' + b"9" * 5000 + b"}")
    for number in tries(100):
        rng = np.random.default_rng(number)
        path = damaged(tmp_path, "card.json", card, rng)
        if number % 1000 < len(deep):
            path.write_bytes(deep[number % 1000])
        elif number % 3 == 0:  # sound JSON, another value
            fields = json.loads(card)
            values = (None, [], {}, "x", -1, 1e308)
            fields[str(rng.choice(list(fields)))] = values[int(rng.integers(len(values)))]
            path.write_text(json.dumps(fields))
        attempt(f"try {number}", functools.partial(read_card, tmp_path))
