"""`dlgo audit FILE.py`: is this search, is this learner, is this player right?

Each property of each part is examined in a worker process, so that a search which hangs or dies is
a finding like others. Where to look is measured: each fault of the museum was audited in the same
way (`signatures.json`), and the faults that break the same properties are named.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from dlgo.conformance.kit import rules_by_name
from dlgo.readers import read_json
from dlgo.system.watchdogs import TooSlow, watchdog
from dlgo.tracebacks import describe
from engines.jobs.processes import Processes
from engines.jobs.protocol import Amount, Task, Watch, WorkerExit, Workplace
from experiments.museum import KINDS, PARTS, learners, real_games, searches, solvers
from experiments.museum.planting import Fault, faults
from experiments.museum.subject import ASKED, UNSEEN, AuditError, Subject

# Properties whose answers are compared with wrong models.
MODELLED = {*solvers.PROPERTIES} - {"transpositions at two depths"} | {"one rule"}
PROPERTIES: dict[str, dict[str, Any]] = {
               "search": searches.PROPERTIES,
               "select_move": rules_by_name(solvers.perfect_play) | searches.PROPERTIES,
               "solve": solvers.PROPERTIES, "moves": real_games.PROPERTIES, **learners.PROPERTIES}
# What each fault of the museum breaks, as measured, and the properties that are about each kind.
SIGNATURES = Path(__file__).with_name("signatures.json")
# How the tag of a finding begins if the part gave no answer, if it raised an exception or hung, and
# if it ended its worker; after how many of the latter two the rest of the part is not examined.
_NO_ANSWER, _CRASH, _HANG, _MOST_LOSSES = "!", "!!", "!!lost: ", 3
# A part that hangs is interrupted after some CPU seconds; if it waits or does not stop, its worker
# is ended after this many times as many wall seconds, and these on a busy machine.
_PATIENCE, _WALL_SECONDS = 3, 60
# Our own code, which may be in the folder of the audited file.
_OURS = [Path(__file__).resolve().parents[2] / name for name in ("dlgo", "engines", "experiments")]
# Findings that show a kind of fault by themselves, the most specific first: the property, the end
# of the tag, the kind. Where a wrong model explains the answers, the tag is "=" with its kind.
_SHOWN = (
    ("all moves", "", "moves"), ("priors steer", "noise", "prior"),
    ("most visited is played", "", "choice"), ("exploration", "batches", "batch"),
    ("visits", "ends", "results"), ("values are means", "batches", "batch"),
    ("visits", "again", "kept"),
    ("visits", "leaf", "mean"), ("visits", "sum", "mean"), ("values are means", "visits", "mean"),
    ("targets", "number", "data"), ("targets", "policy", "target policy"), ("", "", "="),
    ("exploration", "ends", "selection"))
# A player that was asked about fewer positions was asked little.
_LITTLE = 24
_NEXT = """
Begin with the first line: the most specific or simplest properties come first, and one fault often
breaks several. Fix it and audit again.
To see a fault of the museum: python -m experiments.museum NAME"""
_TREES = """How to read a tree: in x(...) black is to move, in o(...) white; the brackets hold the
positions after the moves A, B, ... +1, 0 and -1 are results, o~.3 is a position worth .3 whatever
follows, =.5 is the evaluator's value, all for black. .1: is the prior of a move, _ an illegal move,
x?1 a large random tree."""


class Finding(NamedTuple):
    """A property that does not hold; `tag` tells how it shows."""

    part: str
    name: str
    tag: str
    text: str

    @property
    def features(self) -> tuple[str, str]:
        """What is compared with the findings about the museum's faults."""
        return self.name, f"{self.name}: {self.tag}"

    @property
    def shown(self) -> tuple[int, str]:
        """Its place among the specific findings, and the kind of fault that it shows, or ""."""
        return next(((place, self.tag[1:] if kind == "=" else kind)
                     for place, (name, ending, kind) in enumerate(_SHOWN)
                     if kind == self.tag[:1] or name == self.name and self.tag.endswith(ending)),
                    (len(_SHOWN), ""))


class Report(NamedTuple):
    """The result of an audit; `print(report)` is for people."""

    file: str
    kind: str
    answers: list[Finding]  # and those that are none: `UNSEEN`, `ASKED`
    examined: list[tuple[str, str]]  # parts and properties
    misspelt: str = ""  # names in the file that are almost those of parts

    @property
    def findings(self) -> list[Finding]:
        """The properties that do not hold."""
        return [answer for answer in self.answers if answer.tag not in (UNSEEN, ASKED)]

    def suspects(self, part: str = "") -> dict[str, Fault | None]:
        """The kinds of fault, the most probable first, each with the museum's most similar fault.

        Compares the properties that do not hold (of a part) with the signatures. Properties that
        few signatures have weigh more; those that were not examined are ignored. A crash comes
        first: its line is known. Kinds follow that findings show by themselves, if half of what is
        compared with wrong models agrees.
        """
        examined, features_of = {name for _, name in self.examined}, signatures()
        findings = [finding for finding in self.findings if part in ("", finding.part)]
        broken = {feature for finding in findings for feature in finding.features}
        frequency = Counter(chain.from_iterable(features_of.values()))

        def weight(features: set[str]) -> float:
            return sum(math.log(1 + len(features_of) / (1 + frequency[feature]))
                       for feature in features if feature.partition(":")[0] in examined)

        def likeness(name: str) -> float:
            observed = broken & examined if name in KINDS else broken
            features = set(features_of[name])
            return weight(observed & features) / math.sqrt(weight(observed) * weight(features) or 1)

        unrelated = {"gumbel"} - {self.kind}
        if {name for name, _ in self.examined} & {"search", "solve"} == {"search"}:
            unrelated |= {"window", "horizon"}
        best: dict[str, Fault | None] = dict.fromkeys(
            ["crash"] if any(finding.tag.startswith(_CRASH) for finding in findings) else [])
        compared = {finding.name for finding in findings if finding.name in MODELLED}
        agreed = Counter(kind for _, kind in {
            (finding.name, finding.shown[1]) for finding in findings if finding.name in MODELLED})
        for _, kind in sorted(finding.shown for finding in findings):
            if kind and 2 * agreed.get(kind, 99) >= len(compared) and not (
                kind == "selection" and "reply" in broken and "one rule" not in broken) and not (
                kind == "mean" and {"value: black, proof", "value: white, proof"} & broken):
                best.setdefault(kind)
        ranks = sorted((likeness(name), name in faults(), name) for name in features_of)
        for value, _, name in reversed(ranks):
            fault = faults().get(name)
            kind = fault.kind if fault else name
            if value and kind not in unrelated:
                best[kind] = best.get(kind) or fault
        return best

    def __str__(self) -> str:
        broken, number = {finding[:2] for finding in self.findings}, len(self.examined)
        queries = {answer.name: int(answer.text) for answer in self.answers if answer.tag == ASKED}
        lines = [f"{self.file}: " + (
            f"{len(broken)} of {number} properties do not hold" if broken else
            f"all properties hold ({number} examined)" if number else "nothing was examined")]
        if queries:
            little = "; these are few, and say little" if sum(queries.values()) < _LITTLE else ""
            counts = ", ".join(f"{name} {count}" for name, count in queries.items())
            lines.append(f"Positions asked about: {counts}{little}")
        parts = dict.fromkeys(finding.part for finding in self.findings)
        for part in parts:
            kinds = list(self.suspects(part))
            findings = sorted((finding for finding in self.findings if finding.part == part),
                              key=lambda finding: (kinds[:1] != [finding.shown[1]],
                                                   finding.tag.endswith("breadth")))
            lines += ["", f"{part} ({self.kind}):" if part == "search" else f"{part}:",
                      *_together(findings, "tag" if part in learners.PROPERTIES else "name")]
            answers = [finding.tag for finding in findings if not finding.tag.startswith(_CRASH)]
            if answers and not answers[0].startswith(_NO_ANSWER):
                lines += ["  Look at:", *(
                    f"    {KINDS[kind]}" + (fault and f", as in {fault.name} ({fault.title})" or "")
                    for kind, fault in list(self.suspects(part).items())[:3])]
        lines += [_NEXT] * bool(parts)
        lines += [_TREES] * bool(parts.keys() & {"search", "select_move"})
        missing = {*PARTS, "select_move"} - {part for part, _ in self.examined}
        unseen = [finding for finding in self.answers if finding.tag == UNSEEN]
        return "\n".join([*lines, "", "Not examined:", *_together(unseen),
                          f"  the file has no {', '.join(sorted(missing))}{self.misspelt}"])


def _together(findings: list[Finding], by: str = "name") -> Iterator[str]:
    """A line for each property (or tag of a learner's part), but one for all that fail alike."""
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(getattr(finding, by).strip(_NO_ANSWER) or finding.name, finding)
    alike: dict[str, list[str]] = {}
    for label, finding in first.items():
        reason = finding.tag if finding.tag.startswith(_NO_ANSWER) else finding.text
        alike.setdefault(reason, []).append(label)
    for labels in alike.values():
        ending = f" and {len(labels) - 3} others" if len(labels) > 3 else ""
        yield f"  {', '.join(labels[:3])}{ending}: {first[labels[0]].text}"


def signatures() -> dict[str, list[str]]:
    """The properties and tags of `SIGNATURES`, by fault or kind."""
    return read_json(SIGNATURES)


def examine(subject: Subject, part: str, name: str) -> dict[str, str]:
    """The findings about a property, {tag: text}."""
    findings: dict[str, str] = {}
    queries = subject.asked
    try:
        for tag, text in PROPERTIES[part][name](subject, part):
            findings.setdefault(tag, text)
    except NotImplementedError as error:
        findings[UNSEEN] = str(error) or "it is not implemented"
    except AuditError as error:
        findings[_NO_ANSWER] = str(error)
    except Exception as error:
        text = f"it raises an exception{_place(error, subject.path)}"
        findings[_CRASH + type(error).__name__] = text
    if not findings and subject.asked == queries:
        findings[UNSEEN] = f"it is about another kind of {part}"
    return findings


def _place(error: BaseException, path: Path) -> str:
    """Where it arose: in the file, or deeper in another one of its folder, but not in our code."""
    folder = path.resolve().parent
    ours = [place for place in _OURS if folder in place.parents]

    def is_own(file: str) -> bool:
        parents = Path(file).resolve().parents
        return folder in parents and "site-packages" not in file and not any(
            place in parents for place in ours)

    fault = describe(error, is_own)
    place = f" in {Path(fault.file).name}{fault.where}" if fault.file else ""
    return f"{place}: {fault}"


class _Room(Workplace, Watch):
    """A worker that examines a file, and its watch: if it is lost, that is the finding."""

    memory_mb = 4096

    def __init__(self, seconds: float, *source: str) -> None:
        self._seconds, self._source = seconds, source

    def do(self, task: Task) -> Generator[Amount, None, Any]:
        yield Amount()
        try:
            with watchdog(self._seconds):
                self._subject = getattr(self, "_subject", None) or Subject(*self._source)
                return task.work(self._subject, *task.arguments)
        except TooSlow as error:
            return {f"{_HANG}{error}": f"it hangs{_place(error, Path(self._source[0]))}"}

    def watch(self, memory: Any) -> Watch:
        return self

    def deadline(self, task: Any | None, since: float) -> tuple[float, float]:
        limit = math.inf if task is None else _PATIENCE * self._seconds + _WALL_SECONDS
        return since + limit, limit

    def value_of_lost(self, task: Any, worker_exit: WorkerExit, times: int) -> Any:
        return {_HANG + worker_exit.text: f"it hangs or ends the program: {worker_exit.text}"}


def audit(
    file: str | Path, on_progress: Callable[[str], None] = lambda text: None,
    seconds: float = 60.0, game: str = "",
) -> Report:
    """Examine all parts of a file, or an engine. Raises DlgoError if it cannot be loaded or has no
    parts.

    Args:
        file: the file, or the specification of an engine.
        game: the game in which a player is asked for its moves; without it, it plays trees.
        on_progress: called with the name of each property before it is examined.
        seconds: CPU seconds for one property.
    """
    def ask(work: Callable[..., Any], *arguments: str) -> Any:
        with closing(jobs.run([Task(" ".join(arguments), work, arguments)])) as outcomes:
            return next(outcomes).value

    with Processes(1, _Room(seconds, str(file), game)) as jobs:
        loaded = ask(operator.attrgetter("parts", "kind", "misspelt"))
        if isinstance(loaded, dict):
            raise AuditError(f"cannot load {file}: {next(iter(loaded.values()))}")
        report = Report(str(file), loaded[1], [], [], loaded[2])
        for part in loaded[0]:
            losses = 0
            for name in PROPERTIES[part]:
                on_progress(f"{part}: {name}")
                findings = ask(examine, part, name) if losses < _MOST_LOSSES else {
                    UNSEEN: f"{part} has hung or ended the program {losses} times"}
                losses += any(tag.startswith(_HANG) for tag in findings)
                report.examined.extend([(part, name)] if findings.keys() != {UNSEEN} else [])
                report.answers.extend(Finding(part, name, *item) for item in findings.items())
    return report
