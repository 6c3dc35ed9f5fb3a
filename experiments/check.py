"""Checks a game or an engine of one's own: `dlgo check FILE`.

A game runs as plain Python first, in a process of its own: there an index out of range names its
line, where compiled code would read other memory or crash, and a loop without end can be stopped.
A rule compares that with the compiled game. An engine plays a few games.
"""

from __future__ import annotations

import json
import linecache
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dlgo import GameSpec, get_game
from dlgo.conformance import RULES, RuleBroken, check_game, draw_sample
from dlgo.errors import DlgoError, PluginError, SpecError
from dlgo.games import GAMES
from dlgo.plugins import PluginGroup
from dlgo.specs import split_version
from engines import conformance as engine_rules
from engines.registry import ENGINES, EngineSpec

# CPU seconds for one rule before it counts as a loop without end; of the largest games here,
# 46,656 actions, none takes 20.
SECONDS = 60.0
_CHILD = "from experiments.check import _child; _child()"
# These play games by the thousand, so they are looked at in compiled code.
_COMPILED_RULES = ("rollout chances", "side of evaluate")

# What to do, by the first pattern that a finding's rule and text match.
_ADVICE = (
    (r"IndexError.*legal_actions", "Every action must be below `num_actions`: raise it in the "
     "class, or write fewer actions; list no action twice."),
    (r"IndexError", "Compare the index with the size of the array, or make the array larger in "
     "`new_kernel_state`."),
    (r"NameError", "The name is not defined: look for a misspelling."),
    (r"returns nothing", "Write `return` before the value, in every branch."),
    (r"^endless", "Make sure that the loop ends: that `play` changes what the loop waits for."),
    (r"^end:.*plies", "Every game must end: count plies in the state, and end the game in a draw "
     "after some number of them or when a position comes back."),
    (r"^reset: new_kernel_state", "Call `reset(state)` in `new_kernel_state` before you return the "
     "state, and let `reset` set every element of every field."),
    (r"^(legality|bounds): .*num_actions", "Every action must be below `num_actions`: raise it in "
     "the class, or correct the numbers of the actions."),
    (r"^copies|^batches|^reset", "Copy every element of every field in `copy_into`, and set every "
     "one in `reset`; keep nothing outside of the state."),
    (r"^keys: .*same key", "Put into the key all that tells positions apart: the pieces, whose "
     "turn it is, and what decides how the game goes on."),
    (r"^keys|^rebuilding", "Equal positions need equal keys: update the key in `play` for every "
     "piece that comes, goes or changes, and for nothing else."),
    (r"^all is seen", "Write what is missing in the kernel `extra_planes`, and describe it in the "
     "class, one line a plane."),
    (r"^legality|^forced", "`legal_actions` and `is_legal` must agree on every action, and neither "
     "may depend on what was asked before."),
    (r"^images", "Take the symmetry out of `symmetry_names`, or correct the rule, or write "
     "`map_move`: a turned or mirrored game must be the same game."),
    (r"^result|^margin", "+1: the first player has won, -1: the second, 0: nobody; whose turn it "
     "is plays no part."),
    (r"^evaluate: .*not (between|an int)", "Return a whole number whose size is below 10,000."),
    (r"^evaluate", "A value is good for the player to move: turn its sign for the second player."),
    (r"^rollout|^heavy rollout", "A rollout plays random legal actions until `terminal`, draws "
     "from `rng` alone, and returns `result`."),
    (r"^moves|^notation|^spec", "`move_of` and `action_of` must undo each other, and so must "
     "`move_text` and `parse_move`; an action means the same move whoever is to move."),
    (r"^pieces|^colours", "`piece` returns -1, or player + 2 * kind, the kinds numbered as in "
     "`piece_kinds`."),
    (r"^fresh process: .*plain Python", "NumPy adds truth values to a truth value, and its small "
     "integers overflow: write `int(...)` around comparisons that you add, and around elements of "
     "arrays of the module."),
    (r"^fresh process", "Compiled code needs one type for each name: no None, no mixture of "
     "numbers and tuples, and no new arrays in a kernel; see docs/compiling.md."),
    (r"^seeds", "Draw from the seed that `new_game` is given, and forget the last game there."),
    (r"^budgets", "Stop when the budget is spent, or leave its kind out of `budgets`."),
    (r"^states", "Play on a copy: `state.apply_move(move)` leaves the state as it is."),
)


@dataclass(frozen=True)
class Finding:
    """A rule that is broken.

    Attributes:
        rule: its name.
        text: what is wrong, and after which moves.
        place: file, line and source of the line that is to blame, where that is known.
    """

    rule: str
    text: str
    place: str = ""

    @property
    def advice(self) -> str:
        """What to do; "" where nothing general can be said."""
        whole = f"{self.rule}: {self.text}"
        return next((text for pattern, text in _ADVICE if re.search(pattern, whole, re.S)), "")

    def __str__(self) -> str:
        lines = [f"{self.rule}: {self.text}", *filter(None, [self.place, self.advice])]
        return "\n".join(textwrap.indent(line, "  ") for line in lines)


@dataclass(frozen=True, repr=False)
class Report:
    """What a check has found; `print(report)` is for people.

    Attributes:
        name: of what was checked, as specifications call it.
        noun: "game" or "engine"; "" if that did not become clear.
        findings: the first rule that is broken; those after it often follow from it.
        rules: how many rules were looked at.
        notes: what was not checked.
    """

    name: str
    noun: str = ""
    findings: tuple[Finding, ...] = ()
    rules: int = 0
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no broken rule was found."""
        return not self.findings

    def __str__(self) -> str:
        if self.ok:
            head = f"{self.name}: the {self.noun} keeps all {self.rules} rules"
        else:
            head = f"{self.name}: a rule is broken"
        return "\n".join([head, *map(str, self.findings), *(f"  note: {n}" for n in self.notes)])

    __repr__ = __str__


def check(
    thing: Any, games: Sequence[str] = (), on_progress: Callable[[str], None] = lambda text: None,
    seconds: float = SECONDS,
) -> Report:
    """Check a game or an engine against every rule that it can be seen to break.

    Args:
        thing: a file or specification as a text; a `GameSpec` or its class; an engine class or
            anything else that plays.
        games: on which games an engine is checked; by default several small ones.
        on_progress: called with the name of each rule before it is looked at.
        seconds: of CPU time for one rule of a game.

    Raises:
        SpecError: if there is no such game or engine.
    """
    spec, group = (str(thing), None) if isinstance(thing, str | Path) else _named(thing)
    name = GAMES.split(split_version(spec)[0])[0]
    for known in (GAMES, ENGINES):
        # What is built in, and what was made in a notebook: no other process can load that.
        if name in known.built_in or known is group and not (
            known.is_file(name) or name in known.names()
        ):
            return _report(spec, known, partial(_check_here, spec, known, games))
    report = _in_child(spec, games, on_progress, seconds, "plain")
    if report.ok:
        rest = _in_child(spec, games, on_progress, seconds, "compiled")
        return replace(rest, rules=report.rules + rest.rules)
    if "OverflowError" not in report.findings[0].text:
        return report
    # NumPy refuses what compiled code wraps around: then only compiled code can tell.
    rest = _in_child(spec, games, on_progress, seconds, "all")
    note = f"checked in compiled code only; Python's numbers do not fit: {report.findings[0].text}"
    return replace(rest, notes=(*rest.notes, note))


def _named(thing: Any) -> tuple[str, PluginGroup]:
    """The specification of an object, and the group that knows it."""
    if isinstance(thing, GameSpec) or isinstance(thing, type) and issubclass(thing, GameSpec):
        return str(get_game(thing)), GAMES
    return EngineSpec.of(thing).text, ENGINES


def _check_here(spec: str, group: PluginGroup, games: Sequence[str]) -> int:
    """Check what no other process can import; return the number of rules."""
    if group is GAMES:
        check_game(get_game(spec), skip=("fresh process", "pickling"))
        return len(RULES) - 2
    engine_rules.check_engine(spec, games or engine_rules.GAMES)
    return len(engine_rules.RULES)


def _report(
    name: str, group: PluginGroup, work: Callable[[], int], origin: Path | None = None
) -> Report:
    """What comes out when `work` checks the rules; it returns how many."""
    notes, built = [], False
    try:
        if group is GAMES and not get_game(name).examples:
            notes.append("the class has no `examples` of finished games, and nothing else can tell "
                         "a win from a loss")
        built = True
        return Report(name, group.noun, (), work(), tuple(notes))
    except RuleBroken as error:
        rule, _, text = str(error).partition(": ")
        finding = Finding(rule, text, _place_of(error, origin, rule))
    except (DlgoError, _Endless) as error:
        if isinstance(error, SpecError) and not built:  # the game refuses a setting
            raise
        rule = "endless" if isinstance(error, _Endless) else "playing"
        finding = Finding(rule, str(error), _place_of(error, origin))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        finding = Finding("playing", text, _place_of(error, origin))
    return Report(name, group.noun, (finding,), 0, tuple(notes))


def _place_of(error: BaseException, origin: Path | None, rule: str = "") -> str:
    """File, line and source of the line of the user's file where an exception arose."""
    if origin is None:
        return ""
    line = 0
    cause: BaseException | None = error
    while cause is not None:
        frames = traceback.extract_tb(cause.__traceback__)
        line = next((f.lineno or 0 for f in reversed(frames) if f.filename == str(origin)), line)
        cause = cause.__cause__ or cause.__context__
    for file, number in re.findall(r"(\S+\.py), line (\d+)", str(error)):
        if Path(file).name == origin.name:
            line = int(number)
    if not line and "returns nothing" in str(error):
        line = _last_line_of(rule, origin)
    source = linecache.getline(str(origin), line).strip()
    return f"{os.path.relpath(origin)}, line {line}: {source}" if line else ""


def _last_line_of(function: str, origin: Path) -> int:
    """The last line of a function of a file; 0 without one."""
    import ast

    for node in ast.walk(ast.parse(origin.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return node.body[-1].lineno
    return 0


# In a process of its own -------------------------------------------------------------------------


class _Endless(BaseException):
    """A rule has taken more time than any should."""


def _in_child(
    spec: str, games: Sequence[str], on_progress: Callable[[str], None], seconds: float,
    which: str,
) -> Report:
    """The report of another process on the rules of a kind: "plain", "compiled" or "all"."""
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "NUMBA_DISABLE_JIT": str(int(which == "plain")),
    }
    with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(
        [sys.executable, "-c", _CHILD, which, spec, str(seconds), *games], stdout=subprocess.PIPE,
        stderr=errors, text=True, env=environment,
    ) as child:
        try:
            rule, data = "loading", None
            for line in child.stdout or ():
                data = json.loads(line)
                if "rule" in data:
                    rule = data["rule"]
                    on_progress(rule)
            child.wait()
        finally:
            child.kill()
        if data is None or "name" not in data:
            errors.seek(0)
            last = " ".join(errors.read().split())[-300:]
            text = f"the process ended with status {child.returncode}: {last}"
            return Report(spec, "", (Finding(rule, text),))
    if "refused" in data:
        raise SpecError(data["refused"])
    findings = tuple(Finding(**finding) for finding in data["findings"])
    return Report(data["name"], data["noun"], findings, data["rules"], tuple(data["notes"]))


def _child() -> None:
    """Check what the command line names, and print the report as lines of JSON."""
    _, which, spec, seconds, *games = sys.argv
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the file prints is not part of the answer

    def tell(**data: Any) -> None:
        print(json.dumps(data), file=answers, flush=True)

    try:
        group = _group_of(spec)
        plugin = group.find(group.split(split_version(spec)[0])[0])
        if group is GAMES:
            def work() -> int:
                return _check_rules(get_game(spec), which, float(seconds), lambda r: tell(rule=r))
        else:
            def work() -> int:
                if which == "plain":  # what an engine plays on is compiled
                    return 0
                tell(rule="playing")
                return _check_here(spec, group, games)
        tell(**asdict(_report(spec, group, work, plugin.origin)))
    except SpecError as error:
        if "cannot load" not in str(error):
            tell(name=spec, refused=str(error))
            return
        path, _, text = str(error).removeprefix("cannot load ").partition(": ")
        tell(**asdict(Report(spec, "", (Finding("loading", text, path),))))
        return
    answers.flush()
    os._exit(0)  # a thread may still be in an endless loop


def _group_of(spec: str) -> PluginGroup:
    """Whether a specification means a game or an engine."""
    name = GAMES.split(split_version(spec)[0])[0]
    if name.endswith(".py"):
        if GAMES.offered(Path(name)):
            return GAMES
        if not ENGINES.offered(Path(name)):
            raise PluginError(f"{name} holds neither a game nor an engine; a game is a complete "
                              "subclass of dlgo.GameSpec, an engine has select_move(state)")
        return ENGINES
    try:
        GAMES.find(name)
    except PluginError:
        return ENGINES
    return GAMES


def _check_rules(
    game: GameSpec, which: str, seconds: float, on_rule: Callable[[str], None]
) -> int:
    """Look at the rules of a kind, each for a limited time; return how many they are."""
    wanted = {"plain": set(RULES) - set(_COMPILED_RULES), "compiled": set(_COMPILED_RULES)}
    names = [name for name in RULES if name in wanted.get(which, RULES)]
    if which == "plain":
        warnings.simplefilter("ignore")
        make = game.new_kernel_state
        game.new_kernel_state = lambda: _with_plain_integers(make())  # type: ignore[method-assign]
    on_rule("random games")
    with _limited(seconds, "a random game"):
        sample = draw_sample(game)
    for name in names:
        on_rule(name)
        with _limited(seconds, f"rule {name!r}"):
            RULES[name](sample)
    return len(names)


@contextmanager
def _limited(seconds: float, what: str) -> Iterator[None]:
    """Raise _Endless, in the line that runs then, when the block has taken so much CPU time."""
    def stop(*_: Any) -> None:
        raise _Endless(f"{what} has not ended after {seconds:g} CPU seconds")

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


class _PlainIntegers(np.ndarray):
    """An array whose elements are numbers of Python.

    Compiled code computes with 64 bits, and so do they; NumPy's int8 would overflow, and the sum
    of two of its truth values is a truth value. What is stored wraps around, as in compiled code.
    """

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            super().__setitem__(index, value)
        except OverflowError:
            word = np.array(int(value) & 2**64 - 1, np.uint64)
            super().__setitem__(index, word.astype(self.dtype))

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int and self.ndim == 1:
            return self.item(index)
        value = super().__getitem__(index)
        return value.item() if isinstance(value, np.generic) else value


def _with_plain_integers(arrays: Any) -> Any:
    return type(arrays)(*(array.view(_PlainIntegers) for array in arrays))
