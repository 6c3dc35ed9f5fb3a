"""Students' hand-ins become entrants of the league: copied, tried in the sandbox, named.

An entrant's name has the digest of its files: `student:alice@3f9a1c22`. Different files make a new
entrant, whose games are played; handing in the same files again needs no new games.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dlgo.digests import hex_digest
from dlgo.errors import DlgoError
from dlgo.files import make_folder
from dlgo.games import get_game
from dlgo.jit import shared_cache
from dlgo.records.ledger import Ledger
from dlgo.specs import with_version
from dlgo.system.folders import private_folder
from dlgo.text import excerpt
from engines.isolation.engine import IsolatedEngine
from engines.programs.sandbox import (
    Allowance,
    Sandbox,
    check_sandbox,
    check_trust,
    let_other_user_in,
    other_user,
)
from experiments.arena.entrants import Launch, compile_rules
from experiments.classroom.collecting import collect
from experiments.classroom.gradebooks import extended
from experiments.classroom.hand_ins import Source, Submission, submissions
from experiments.classroom.league_plan import LeaguePlan

# CPU seconds beyond those of a game: for Python to start and a file to be loaded.
_START_SECONDS = 60.0
# Hand-ins of a student that are tried: one that hangs takes a minute, each time.
_MOST_TRIALS = 10
# Characters of the message that says why a bot cannot play.
_LONGEST = 300


@dataclass(frozen=True)
class Bot:
    """The bot of a student."""

    student: str  # as the class's folder calls them
    name: str  # as the ledger calls all versions, `student:alice`
    entrant: str  # as the ledger does; "" if none of their hand-ins can play
    folder: Path | None  # the copies of its files; None without an entrant
    hand_in: str = ""  # number or date of the one that counts; "" if there is only one
    late: bool = False
    notes: list[str] = field(default_factory=list)  # hand-ins that cannot play, and why

    @property
    def hand_in_text(self) -> str:
        """The hand-in that counts, in words."""
        return (self.hand_in or "only one") if self.entrant else "none can play"


class Entry:
    """Takes students in: `out`, the league's folder, gets copies of what was handed in.

    Entrants with a game in `ledger` need no trial. Raises SandboxError if there is no working
    sandbox here; with `trust`, none is used, but bots must not run as root.
    """

    def __init__(self, plan: LeaguePlan, out: Path, trust: bool, ledger: Path) -> None:
        if ":" in os.path.splitdrive(out.resolve())[1]:
            raise DlgoError(f"--out {out}: the path must not contain a colon; choose another")
        (check_trust if trust else check_sandbox)()
        self._plan, self._trust = plan, trust
        self._copies = make_folder(out / "bots")
        self._copies.chmod(0o700)
        self._played: set[str] = set()
        if ledger.exists():
            with Ledger(ledger, read_only=True) as games:
                self._played = {entrant for game in games.games() if game.game == plan.game
                                for entrant in (game.first, game.second)}
        self._allowance = Allowance(
            memory_mb=plan.memory_mb, processes=32,
            cpu_seconds=2 * plan.game_seconds + _START_SECONDS,
        )
        self._start = compile_rules(get_game(plan.game), plan.allow)  # here, once
        self._code = shared_cache()
        if trust and other_user():
            self._let_in()
        package = type(self._start.game).__module__.partition(".")[0]
        self._packages = () if package == "dlgo" else (package,)

    def _let_in(self) -> None:
        """Let the other user, as whom trusted bots run, read the copies and our machine code."""
        for folder in self._copies.resolve().parents:
            status = folder.stat()
            if not status.st_mode & 0o001 and status.st_gid != other_user():
                raise DlgoError(f"--out {self._copies.parent}: --trust runs bots as another user, "
                                f"who cannot enter {folder}; choose a folder such as /srv/league")
        let_other_user_in(self._copies)
        self._code = Path(shutil.copytree(
            self._code, self._copies / "machine-code", dirs_exist_ok=True))

    def bot_of(self, student: str, source: Source, log: Callable[[str], None]) -> Bot:
        """The bot of a student: of the last hand-in in `source` that can play; `log` prints
        notes."""
        roster, notes = self._plan.roster, list[str]()
        # A student who has a new name on the platform, but the old number, is the same one.
        name = entrant_name(roster.folder_of(student) if roster else student)
        due = extended(self._plan.due, roster, student)
        handed_in = submissions(source)
        if older := handed_in[:-_MOST_TRIALS]:
            notes.append(f"hand-ins up to {older[-1].name} were not tried, only the last "
                         f"{_MOST_TRIALS}")
        for submission in reversed(handed_in[-_MOST_TRIALS:]):
            title = f"hand-in {submission.name}" if submission.name else "the hand-in"
            late = submission.is_late(due)
            entrant, folder, left_out, problem = self._collect(name, submission)
            notes += left_out
            if not problem:
                log(f"{student}: {title} plays{', late' if late else ''}")
                return Bot(student, name, entrant, folder, submission.name, late, notes)
            notes.append(f"{title} cannot play: {problem}")
        for note in notes:
            log(f"{student}: {note}")
        return Bot(student, name, "", None, notes=notes)

    def _collect(
        self, name: str, submission: Submission
    ) -> tuple[str, Path, list[str], str]:
        """The entrant, its folder, what was left out, and why it cannot play."""
        home = make_folder(self._copies / name.partition(":")[2])
        home.chmod(0o755)
        with private_folder("hand-in-") as place:
            bot = self._plan.bot.partition(":")[0]
            collected = collect(
                submission.parts, make_folder(place / "files"), [bot.removesuffix(".py")])
            entrant, folder = with_version(name, collected.digest), home / collected.digest[:8]
            path = collected.exercises.get(bot.removesuffix(".py"))
            if path is None:
                return entrant, folder, collected.notes, f"there is no {bot}"
            inside = path.relative_to(collected.folder).parent  # where the bot lies in the hand-in
            if not folder.exists():
                new = home / "new"  # whole, even if we are killed now
                shutil.rmtree(new, ignore_errors=True)
                shutil.copytree(collected.folder, new).replace(folder)
                folder.chmod(0o755)
        folder = folder / inside
        return entrant, folder, collected.notes, (
            "" if entrant in self._played else self._problem(folder))

    def launch(self, folder: Path) -> Launch:
        """The command that starts a bot."""
        place = folder.resolve()
        sandbox = Sandbox([place], self._allowance, self._code, self._plan.allow, self._packages,
                          trusted=self._trust)
        return Launch(str(place / self._plan.bot), sandbox)

    def _problem(self, folder: Path) -> str:
        """Why a bot cannot make its first move; "" if it can."""
        launch, engine = self.launch(folder), None
        try:
            engine = IsolatedEngine(
                launch.spec, self._start.game, self._plan.move_seconds, sandbox=launch.sandbox,
            )
            engine.new_game(1)
            self._start.apply_move(engine.select_move(self._start).move).is_over()
        except DlgoError as error:
            # Wherever its file is: that says nothing to its author.
            return excerpt(re.sub(r"\S+/(?=[\w.-]+\.py)", "", str(error)), _LONGEST)
        except Exception as error:  # a move that is none
            return f"its first move is not a move ({type(error).__name__})"
        finally:
            if engine is not None:
                engine.close()
        return ""


def entrant_name(student: str) -> str:
    """A student as specifications can call them; two students never have one name."""
    word = re.sub(r"\W", "_", student)
    if word != student or word[:1].isdigit():
        word = f"_{word[:40]}_{hex_digest(student, 8)}"
    return f"student:{word}"
