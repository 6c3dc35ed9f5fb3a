"""Checks a user's game or engine: `dlgo check FILE`.

A game first runs as plain Python, in another process: there, an index out of range is reported with
its line, where compiled code would read other memory or crash, and an endless loop can be stopped.
One rule compares plain Python with the compiled game. An engine plays a few games.
"""

from __future__ import annotations

import json
import linecache
import os
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from dlgo.api import GameSpec
from dlgo.conformance import RULES, SECONDS, Kind, RuleBroken, check_game
from dlgo.conformance.broken import explain
from dlgo.conformance.plain import use_plain_integers
from dlgo.errors import DlgoError, LoadError, PluginError, SpecError, UnreadableError
from dlgo.files import relative_path
from dlgo.games import GAMES, get_game
from dlgo.plugins import PluginGroup, import_path, lack_of, load_file
from engines import conformance as engine_rules
from engines.registry import ENGINES, EngineSpec

_CHILD = "from experiments.check import _child; _child()"
# These play thousands of games, so they are checked in compiled code.
_COMPILED_RULES = ("many games", "keys", "all is seen", "rollout chances", "side of evaluate",
                   "fresh process")
_MODES = {
    "plain": [name for name in RULES if name not in _COMPILED_RULES],
    "compiled": _COMPILED_RULES, "all": RULES, "games": ["many games"],
    "here": [name for name in RULES if name != "fresh process"],
}

# Advice, by the kind of a finding, or else by its rule.
_ADVICE: dict[str, str] = {
    Kind.INDEX: "Compare the index with the size of the array, or make the array larger in "
                "`new_kernel_state`; or `legal_actions` offers a move that does not exist.",
    Kind.NAME: "The name is not defined: look for a misspelling.",
    Kind.NO_VALUE: "Write `return` before the value, in every branch.",
    Kind.NO_ACTION: "Let `terminal` end the game when a player cannot move, or offer a pass.",
    Kind.ACTION_RANGE: "Every action must be below `num_actions`: raise it in the class, or "
                       "correct the numbers of the actions.",
    Kind.ENDLESS: "Make sure that the loop ends: that `play` changes what the loop waits for. In a "
                  "notebook it may still run: restart the kernel.",
    Kind.LENGTH: "Every game must end: count plies in the state, and end the game in a draw after "
                 "some number of them or when a position comes back.",
    Kind.NEW_STATE: "Call `reset(state)` in `new_kernel_state` before you return the state, and "
                    "let `reset` set every element of every field.",
    Kind.SAME_KEY: "Put everything that distinguishes positions into the key: the pieces, the "
                   "player to move, and all else that affects later moves.",
    Kind.ARITHMETIC: "NumPy adds truth values to a truth value, and its small integers overflow: "
                     "write `int(...)` around comparisons that you add, and around elements of "
                     "arrays of the module.",
    Kind.UNEVEN: "Choose each of the `search_actions` with the same chance: count them and draw an "
                 "index, or draw among all actions until one is legal. Or set `uniform_rollouts = "
                 "False` in the class.",
    Kind.ROLLOUT_ACTION: "A rollout may play what `search_actions` lists, for the player whose "
                         "turn it is, and nothing once `terminal` is true.",
    Kind.CHANGED_STATE: "Play on a copy: `state.apply_move(move)` leaves the state as it is.",
    **dict.fromkeys(("copies", "reset"),
        "Copy every element of every field in `copy_into`, and set every one in `reset`; keep "
        "nothing outside of the state."),
    "keys": "Equal positions need equal keys: in `play`, update the key for every piece that is "
            "added, removed or changed, and for nothing else.",
    **dict.fromkeys(("queries", "bounds"),
        "A kernel that answers about a position must leave its arrays as they are, and none may "
        "write beyond them."),
    "turn": "`to_move` returns 0 or 1; player 0 moves first.",
    "perft": "`is_legal`, `legal_actions`, `play` and `terminal` must agree in every position.",
    "end": "`terminal` must stay true, and `result_text` say something, after the end.",
    "render": "Let `render` show what stands on each cell, by symbols, numbers or words, and mark "
              "the last play: begin with `super().render(state)`, or leave the mark out and write "
              "the whole board in your own way.",
    "hints": "Write `visits` and `wins` for each action that is given, 0 <= wins <= visits.",
    "move features": "Write a whole number for each slot of `feature_slots`, 0 to its size - 1.",
    "planes": "`extra_planes` writes finite numbers, of about 0 to 1, into its own planes only.",
    "all is seen": "Write the missing facts in the kernel `extra_planes`, and describe them in the "
                   "class, one line a plane.",
    **dict.fromkeys(("legality", "forced"),
        "`legal_actions` and `is_legal` must agree on every action, and neither may depend on "
        "earlier calls."),
    "images": "Take the symmetry out of `symmetry_names`, or correct the rule, or write "
              "`map_move`: a turned or mirrored game must be the same game.",
    "result": "+1: the first player has won, -1: the second, 0: a draw; the player to move does "
              "not matter.",
    "evaluate": "Return a whole number whose size is below 10,000.",
    "side of evaluate": "A value is good for the player to move: turn its sign for the second "
                        "player; or the sign of `result` is wrong.",
    "rollout chances": "Play on until `terminal` and return `result`, which is that of the first "
                       "player, and choose each of the `search_actions` with the same chance; or "
                       "set `uniform_rollouts = False` in the class.",
    **dict.fromkeys(("rollout", "rollout seeds", "heavy rollout"),
        "A rollout plays random legal actions until `terminal`, draws from `rng` alone, and "
        "returns `result`."),
    **dict.fromkeys(("moves", "notation", "spec"),
        "`move_of` and `action_of` must undo each other, and so must `move_text` and "
        "`parse_move`; an action is the same move for both players."),
    **dict.fromkeys(("pieces", "colours"),
        "`piece` returns -1, or player + 2 * kind, the kinds numbered as in `piece_kinds`."),
    "fresh process": "Compiled code needs one type for each name: no None, no mixture of numbers "
                     "and tuples, and no new arrays in a kernel.",
    "seeds": "Draw from the seed that `new_game` is given, and forget the last game there.",
    "budgets": "Stop when the budget is spent, or leave its kind out of `budgets`.",
}


@dataclass(frozen=True)
class Finding:
    """A rule that is broken."""

    rule: str
    text: str  # the fault, and the moves that lead to it
    place: str = ""  # file, line and source of the line that causes it, if known
    kind: Kind | None = None  # what is wrong, where the rule does not say it

    def __str__(self) -> str:
        advice = _ADVICE.get(self.kind or self.rule) or _ADVICE.get(self.rule, "")
        lines = [f"{self.rule}: {self.text}", *filter(None, [self.place, advice])]
        return "\n".join(textwrap.indent(line, "  ") for line in lines)


@dataclass(frozen=True, repr=False)
class Report:
    """The result of a check; `print(report)` is for people."""

    name: str  # the name of the game or engine in specifications
    noun: str = ""  # "game" or "engine"; "" if unknown
    findings: tuple[Finding, ...] = ()  # the first broken rule: others often follow from it
    rules: int = 0  # number of rules that were checked
    notes: tuple[str, ...] = ()  # parts that were not checked

    @property
    def ok(self) -> bool:
        """Whether no broken rule was found."""
        return not self.findings

    def __str__(self) -> str:
        head = f"{self.name}: a rule is broken"
        if self.ok:
            head = f"{self.name}: the {self.noun} keeps all {self.rules} rules"
        return "\n".join([head, *map(str, self.findings), *(f"  note: {n}" for n in self.notes)])

    __repr__ = __str__


def check(
    thing: Any, games: Sequence[str] = (), on_progress: Callable[[str], None] = lambda text: None,
    seconds: float = SECONDS,
) -> Report:
    """Check a game or an engine against every rule that can be checked.

    Args:
        thing: a file or specification; a `GameSpec` or its class; an engine class or any object
            that plays; a module with one of these.
        games: the games on which an engine is checked; by default several small ones.
        on_progress: called with the name of each rule before it is checked.
        seconds: of CPU time for one rule of a game.

    Raises SpecError if there is no such game or engine.
    """
    is_game = isinstance(thing, GameSpec) or isinstance(thing, type) and issubclass(thing, GameSpec)
    if is_game or isinstance(thing, ModuleType) and GAMES.offers(thing):
        spec = str(get_game(thing))
    else:
        spec = str(thing) if isinstance(thing, str | Path) else EngineSpec.of(thing).text
    name = _name_in(spec)
    if name.endswith(".py") and not Path(name).exists():
        raise SpecError(f"{name} does not exist; check the name")
    for group in (GAMES, ENGINES):
        # Built-in ones, and those made in a notebook, which no other process can load.
        if name in group.built_in or group.is_given(name):
            return _report(spec, group, partial(_check_here, spec, group, games))
    report = _in_child(spec, games, on_progress, seconds, "plain")
    if report.ok:
        rest = _in_child(spec, games, on_progress, seconds, "compiled")
        return replace(rest, rules=report.rules + rest.rules)
    if report.findings[0].kind in (Kind.ENDLESS, Kind.INDEX):  # of a player without actions?
        rest = _in_child(spec, games, on_progress, seconds, "games")
        if rest.findings and rest.findings[0].kind == Kind.NO_ACTION:
            return rest
    if report.findings[0].kind != Kind.OVERFLOW:
        return report
    # NumPy rejects numbers that compiled code wraps around: then only compiled code can be checked.
    rest = _in_child(spec, games, on_progress, seconds, "all")
    note = f"checked in compiled code only; Python's numbers do not fit: {report.findings[0].text}"
    return replace(rest, notes=(*rest.notes, note))


def _name_in(spec: str) -> str:
    return GAMES.split(GAMES.split_version(spec)[0])[0]


def _check_here(spec: str, group: PluginGroup, games: Sequence[str]) -> int:
    """Check a game or engine that no other process can import; return the number of rules."""
    if group is GAMES:
        return _check_game(spec, "here")
    engine_rules.check_engine(spec, games or engine_rules.GAMES)
    return len(engine_rules.RULES)


def _check_game(
    spec: str, mode: str, seconds: float = SECONDS,
    on_progress: Callable[[str], None] = lambda rule: None,
) -> int:
    """Check the rules of a mode; return their number."""
    game = get_game(spec)
    if mode == "plain":
        warnings.simplefilter("ignore")
        use_plain_integers(game)
    check_game(game, skip=set(RULES) - set(_MODES[mode]), against_plain=mode == "compiled",
               seconds=seconds, on_progress=on_progress)
    return len(_MODES[mode])


def _report(
    name: str, group: PluginGroup, work: Callable[[], int], origin: Path | None = None
) -> Report:
    """The report of `work`, which checks the rules and returns their number."""
    notes: tuple[str, ...] = ()
    rule = "loading"
    try:
        if group is GAMES:
            won = {*get_game(name).examples.values()}
            notes = tuple(f"no game in `examples` is won by the {player} player, so such a result "
                          "could not be checked"
                          for player, value in (("first", 1), ("second", -1)) if value not in won)
        rule = "playing"
        return Report(name, group.noun, (), work(), notes)
    except SpecError:
        raise  # an option that the game or engine refuses
    except RuleBroken as error:
        finding = _finding(error.rule, error.text, error, origin)
    except DlgoError as error:
        finding = _finding(rule, str(error), error, origin)
    except Exception as error:
        finding = _finding(rule, f"{type(error).__name__}: {error}", error, origin)
    return Report(name, group.noun, (finding,), 0, notes)


def _finding(rule: str, text: str, error: BaseException, origin: Path | None) -> Finding:
    """A finding with its kind, and the line of the file `origin` where the exception arose."""
    kind, line = explain(error, lambda file: file == str(origin))
    if not line:
        return Finding(rule, text, kind=kind)
    source = linecache.getline(str(origin), line).strip()
    return Finding(rule, text, f"{relative_path(origin or '')}, line {line}: {source}", kind)


# In a process of its own -------------------------------------------------------------------------


def _in_child(
    spec: str, games: Sequence[str], on_progress: Callable[[str], None], seconds: float, mode: str
) -> Report:
    """The report of another process on the rules of a mode."""
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, import_path())),
        "NUMBA_DISABLE_JIT": str(int(mode == "plain")),
    }
    rule, data = "loading", {}
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors,
        subprocess.Popen(
            [sys.executable, "-P", "-c", _CHILD, mode, spec, str(seconds), *games],
            stdout=subprocess.PIPE, stderr=errors, encoding="utf-8", env=environment,
        ) as child,
    ):
        try:
            for line in child.stdout or ():
                data = json.loads(line)
                if "rule" in data:
                    rule = data["rule"]
                    on_progress(rule)
            child.wait()
        finally:
            child.kill()
        errors.seek(0)
        last = " ".join(errors.read().split())[-300:]
    if "refused" in data:
        raise SpecError(data["refused"])
    if "name" not in data:
        text = f"the process ended with status {child.returncode}: {last}"
        return Report(spec, findings=(Finding(rule, text),))
    findings = tuple(Finding(**finding | {"kind": finding["kind"] and Kind(finding["kind"])})
                     for finding in data["findings"])
    return Report(data["name"], data["noun"], findings, data["rules"], tuple(data["notes"]))


def _child() -> None:
    """Check the game or engine of the command line, and print the report as lines of JSON."""
    _, mode, spec, seconds, *games = sys.argv
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output of the file is not part of the answer

    def tell(**data: Any) -> None:
        print(json.dumps(data), file=answers, flush=True)

    def work() -> int:
        if group is GAMES:
            return _check_game(spec, mode, float(seconds), lambda rule: tell(rule=rule))
        if mode == "plain":  # engines play compiled games
            return 0
        tell(rule="playing")
        return _check_here(spec, group, games)

    try:
        group = _group_of(_name_in(spec))
        if games and group is GAMES:
            raise SpecError(f"{spec} is a game; --game is for engines, leave it out")
        tell(**asdict(_report(spec, group, work, group.find(_name_in(spec)).origin)))
    except LoadError as error:
        finding = replace(_finding("loading", error.reason, error, None), place=error.place)
        tell(**asdict(Report(spec, findings=(finding,))))
    except (SpecError, UnreadableError) as error:
        tell(refused=str(error))
    os._exit(0)  # a thread may still be in an endless loop


def _group_of(name: str) -> PluginGroup:
    """The group of a name: games or engines."""
    if name.endswith(".py"):
        groups = [group for group in (GAMES, ENGINES) if group.offered(Path(name))]
        if len(groups) > 1:
            raise PluginError(f"{name} holds a game and an engine; name one, as in {name}:NAME")
        if groups:
            return groups[0]
        wanted = "a game is a subclass of dlgo.GameSpec, an engine has select_move(state)"
        lack = lack_of(load_file(Path(name)))
        raise PluginError(f"{name} holds neither a game nor an engine; {lack or wanted}")
    try:
        GAMES.find(name)
    except PluginError:
        return ENGINES
    return GAMES
