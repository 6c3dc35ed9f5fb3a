"""One list of commands for every operating system, and what they must print.

    python -m tests.platforms.commands OUT [NAME ...] -- PYTHON [ARGUMENT ...]

runs them, or those named, with that Python: in OUT/work, where later ones use files of earlier ones
(scenarios have folders of their own). It prints a line for each, writes OUT/NAME.txt and the table
OUT/commands.csv, and ends with status 1 if one is wrong. DLGO_SCENARIOS is the path of scenarios.py
for a Python that sees other paths.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.platforms.scenarios import SCENARIOS

SCRIPT = os.environ.get("DLGO_SCENARIOS", str(Path(__file__).with_name("scenarios.py").resolve()))
# What is refused in one line where the system, or a package, is missing.
NO_SANDBOX = ("untrusted code needs",)
NO_PACKAGES = ("needs packages that are not installed",)
SCRIPTS = {
    "snippet.py": '''import dlgo
game = dlgo.game("go", size=5, komi=0.5)
engine = dlgo.engine("mcts:sims=50", game, seed=1)
print(engine.analyse(game.start().play("C3")).to_frame().head(3))
if __name__ == "__main__":
    t = dlgo.tournament(game, ["random", "mcts:sims=20"], pairs=2, ledger="snippet.sqlite")
    print(t.ratings)
''',
    "bare.py": '''import dlgo
t = dlgo.tournament("tictactoe", ["random", "mcts:sims=20"], pairs=2, ledger="bare.sqlite")
print(t.ratings)
''',
}
GTP = ("boardsize 5\nclear_board\nkomi 0.5\nplay b c3\ngenmove w\nfinal_score\nfrobnicate\n"
       "quit\n")
TOURNAMENT = ("tournament --ledger t.sqlite --game tictactoe --pairs 3 --engine random "
              "--engine mcts:sims=20 --engine alphabeta:depth=2")


class Command(NamedTuple):
    """A command: its words after the interpreter, and what is in its output."""

    name: str
    words: str
    part: str
    stdin: str | None = None
    refusals: tuple[str, ...] = ()  # it may also end with status 2 and one line with one of these


def _dlgo(name: str, words: str, part: str, **more: object) -> Command:
    return Command(name, f"-m dlgo {words}", part, **more)


def _of_chapters() -> Iterator[Command]:
    for number in range(2, 15):
        yield Command(f"ch{number:02}", f"-m experiments.chapters.ch{number:02} --quick",
                      "CPU seconds", refusals=NO_PACKAGES)


COMMANDS = (
    _dlgo("help", "--help", "tournament"),
    _dlgo("games", "games", "connect4"),
    _dlgo("engines", "engines", "alphabeta"),
    _dlgo("models", "models", "connect4"),
    _dlgo("encoders", "encoders go9", "planes"),
    _dlgo("play", "play tictactoe --first random --second mcts:sims=50 --delay 0", "Game over"),
    _dlgo("play-person", "play tictactoe --delay 0", "> ", stdin="b2\nhint\nquit\n"),
    _dlgo("play-network", "play connect4 --first random --second alphazero:sims=20 --delay 0",
          "Game over"),
    _dlgo("watch", "watch tictactoe --tree tree.svg", "tree.svg"),
    _dlgo("perft", "perft tictactoe --depth 4", "3,024"),
    _dlgo("tournament", TOURNAMENT, "18 played"),
    _dlgo("resume", TOURNAMENT, "18 found, 0 played"),
    _dlgo("report", "report t.sqlite --out rep", "report.html"),
    _dlgo("list", "ledger t.sqlite list", "18 of 18 games"),
    _dlgo("export", "ledger t.sqlite export --csv games.csv", "18 games"),
    _dlgo("rate", "rate games.csv", "random"),
    _dlgo("compare", "compare t.sqlite mcts:sims=20 random", "LLR"),
    _dlgo("show", "show t.sqlite --slot 1 --out g.gif", "g.gif"),
    _dlgo("new-engine", "new engine greedy", "greedy.py"),
    _dlgo("new-game", "new game my_game", "my_game.py"),
    _dlgo("check-engine", "check greedy.py --game tictactoe", "keeps all"),
    _dlgo("check-game", "check my_game.py", "keeps all"),
    _dlgo("play-own-bot", "play connect4 --first random --second greedy.py --delay 0",
          "Game over"),
    _dlgo("play-own-game", "play my_game.py --first random --second mcts:sims=20 --delay 0",
          "Game over"),
    _dlgo("tournament-own", "tournament --ledger own.sqlite --game tictactoe --pairs 2 "
          "--engine random --engine greedy.py", "4 played"),
    _dlgo("audit", "audit greedy.py --game tictactoe", "properties"),
    _dlgo("gtp-server", "gtp --engine mcts:sims=50 --game go:size=5", "unknown command",
          stdin=GTP),
    _dlgo("gtp-engine", "play go:size=5 --first random --delay 0 --second "
          "'gtp:{python} -m dlgo gtp --engine random --game go:size=5'", "Game over"),
    _dlgo("generate", "generate tictactoe --engine mcts:sims=10 --games 12 --workers 2 "
          "--out data", "data"),
    _dlgo("data-show", "data show data", "CPU time"),
    _dlgo("train-ntuple", "train ntuple --game tictactoe --iterations 1 --games 20 --out nt",
          "play against it"),
    _dlgo("train-supervised", "train supervised --data data --out sup --net cnn --epochs 1",
          "play against it", refusals=NO_PACKAGES),
    _dlgo("puzzles", "puzzles tictactoe --out puz.json --count 3", "3 puzzles"),
    _dlgo("power", "power --elo 50", "50"),
    _dlgo("export-web", "export web page --game tictactoe --engine mcts:sims=20", "index.html",
          refusals=NO_PACKAGES),
    Command("snippet", "snippet.py", "2 rows x"),
    Command("snippet-bare", "bare.py", "2 rows x"),
    _dlgo("class-list", "class list", "minimax"),
    _dlgo("class-new", "class new minimax ko --out week1", "week1"),
    _dlgo("class-solution", "class new ko --solution --out hand/alice", "alice"),
    Command("solution-run", "hand/alice/ko.py", ""),
    Command("class-make", "-m experiments.classroom.make_class demo --students 3", "3 students"),
    _dlgo("class-try", "class try demo/hand-ins/good01/bot.py --plan demo/league.toml --trust",
          ""),
    _dlgo("grade-trust", "class grade hand --out marks --trust --exercise ko", "grades.csv"),
    _dlgo("grade", "class grade hand --out marks2 --exercise ko", "grades.csv",
          refusals=NO_SANDBOX),
    _dlgo("league", "class league demo/hand-ins --plan demo/league.toml --out demo/league",
          "league", refusals=NO_SANDBOX),
    *_of_chapters(),
    Command("microzero", "-m experiments.chapters.microzero 1", "lines lost",
            stdin="".join(f"{cell}\n" for cell in range(9)) * 9),
    *(Command(name, f"{{scenarios}} {name}", "ok: ") for name in SCENARIOS),
)
# For each full run of the tests, under simulations of other systems.
SHORT = ("new-engine", "tournament", "resume", "play-own-bot", "gtp-engine", "generate",
         "class-solution", "grade-trust", "grade", "studio", "one_ledger", "ctrl_c")


class Row(NamedTuple):
    """What a command did; `wrong` is "" if that is right."""

    name: str
    status: int | str
    seconds: float
    last: str
    wrong: str


def run(command: Command, python: Sequence[str], out: Path, limit: float = 900) -> Row:
    """Run a command, keep its output, and judge it."""
    place = out / (command.name if command.name in SCENARIOS else "work")
    if command.name in SCENARIOS:
        shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True, exist_ok=True)
    for name, text in SCRIPTS.items():
        (place / name).write_text(text, encoding="utf-8")
    inner = os.environ.get("DLGO_INNER_PYTHON", python[-1])
    words = [word.strip("'").replace("{python}", inner).replace("{scenarios}", SCRIPT)
             for word in _split(command.words)]
    began, status = time.perf_counter(), "timeout"
    log = out / f"{command.name}.txt"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*python, *words], cwd=place, stdout=file, stderr=subprocess.STDOUT,
            stdin=subprocess.PIPE if command.stdin else subprocess.DEVNULL,
        )
        try:
            process.communicate(command.stdin.encode() if command.stdin else None, limit)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
    seconds = time.perf_counter() - began
    text = log.read_text(encoding="utf-8", errors="replace")
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    errors = [line for line in lines if line.startswith("dlgo: ")]
    if status == 2 and any(part in text for part in command.refusals):
        wrong = "" if len(errors) == 1 else "not refused in one line"
    elif "Traceback" in text or "internal error" in text:
        wrong = "a traceback"
    elif status != 0:
        wrong = f"status {status}"
    else:
        wrong = "" if command.part in text else f"no {command.part!r}"
    return Row(command.name, status, round(seconds, 1), lines[-1][:160], wrong)


def _split(words: str) -> list[str]:
    parts = words.split("'")
    return [word for number, part in enumerate(parts)
            for word in ([part] if number % 2 else part.split())]


def main() -> None:
    """Run the list."""
    at = sys.argv.index("--")
    out, names, python = Path(sys.argv[1]).resolve(), sys.argv[2:at], sys.argv[at + 1:]
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for command in COMMANDS:
        if not names or command.name in names:
            rows.append(run(command, python, out))
            print(*rows[-1], sep="\t", flush=True)
    with (out / "commands.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([Row._fields, *rows])
    wrong = [row.name for row in rows if row.wrong]
    print(f"{len(rows) - len(wrong)} of {len(rows)} are right", *wrong)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
