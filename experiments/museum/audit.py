"""`dlgo audit FILE.py`: is this search, is this learner, is this player right?

Each property of each part is examined in a worker process, so that a search which hangs or dies is
a finding like others. What a finding smells of is measured: each fault of the museum was audited in
the same way (`signatures.json`), and the faults that break the same properties are named.
"""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from dlgo.errors import DlgoError
from dlgo.text import describe_error
from engines.jobs.processes import Processes
from engines.jobs.protocol import Amount, Task, Watch, WorkerExit, Workplace
from experiments.museum import learners, real_games, searches, solvers
from experiments.museum.planting import KINDS, Fault, faults
from experiments.museum.subject import FUNCTIONS, UNSEEN, AuditError, Subject

PROPERTIES = {"search": searches.PROPERTIES, "select_move": searches.PROPERTIES,
               "solve": solvers.PROPERTIES, "moves": real_games.PROPERTIES, **learners.PROPERTIES}
_KINDS = searches.KINDS | solvers.KINDS | learners.KINDS
# What each fault of the museum breaks.
SIGNATURES = Path(__file__).with_name("signatures.json")
# The tag of a property that has lost its worker; a part that has lost more is not examined further.
_LOST, _MOST_LOSSES = "lost", 3
_NEXT = """
Begin with the first line: the simplest properties come first, and a fault often breaks several.
Mend one and audit again. This command shows a fault: python -m experiments.museum NAME"""
_TREES = """In a tree, x(...) is a position with black to move, o(...) one with white to move; their
moves are A, B, ... +1, 0 and -1 are results, ~.3 is a value that does not change any more, =.5 what
the evaluator says, all for black. .1: is a prior. x?1 is a large random tree."""


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


class Suspect(NamedTuple):
    """A kind of fault, its likeness (0 to 1), and the museum's most similar fault of this kind."""

    kind: str
    likeness: float
    fault: Fault | None


class Report(NamedTuple):
    """The result of an audit; `print(report)` is for people."""

    file: str
    kind: str
    examined: list[tuple[str, str]]  # parts and properties
    findings: list[Finding]
    unseen: list[Finding]

    def suspects(self, part: str = "") -> list[Suspect]:
        """The kinds of fault by likeness: what is broken (of a part) is compared with what each
        fault of the museum breaks, and with the properties that are about a kind.

        What few faults break counts more; properties that were not examined do not count.
        """
        examined, known = {name for _, name in self.examined}, signatures()
        own = {feature for finding in self.findings if part in ("", finding.part)
               for feature in finding.features}
        frequency = Counter(chain.from_iterable(known.values()))

        def weight(features: set[str]) -> float:
            return sum(math.log(1 + len(known) / (1 + frequency[one])) for one in features
                       if one.partition(":")[0] in examined)

        def likeness(broken: set[str], features: set[str]) -> float:
            return weight(broken & features) / math.sqrt(weight(broken) * weight(features) or 1)

        found = [Suspect(one.kind, likeness(own, set(known.get(one.name, ()))), one)
                 for one in faults().values()]
        found += [Suspect(kind, likeness(own & examined, {
            name for name in _KINDS if kind in _KINDS[name].split(", ")}), None) for kind in KINDS]
        best: dict[str, Suspect] = {}
        for one in sorted(found, key=lambda one: -one.likeness):
            first = best.setdefault(one.kind, one)
            best[one.kind] = first._replace(fault=first.fault or one.likeness and one.fault)
        others = {"gumbel"} - {self.kind}
        others |= {"window", "horizon"} if ("search", "reply") in self.examined else set()
        return [one for one in best.values() if one.likeness and one.kind not in others]

    def __str__(self) -> str:
        broken, number = {finding[:2] for finding in self.findings}, len(self.examined)
        parts = dict.fromkeys(finding.part for finding in self.findings)
        lines = [f"{self.file}: " + (f"{len(broken)} of {number} properties do not hold" if broken
                                     else f"all {number} properties hold")]
        for part in parts:
            lines += ["", f"{part} ({self.kind}):" if part in ("search", "moves") else f"{part}:"]
            lines += _by_text(finding for finding in self.findings if finding.part == part)
            lines += ["  This smells of:", *(
                f"    {KINDS[kind]}" + (f", as in {fault.name} ({fault.title})" if fault else "")
                for kind, _, fault in self.suspects(part)[:3])]
        lines += [_NEXT] * bool(parts)
        lines += [_TREES] * bool(parts.keys() & {"search", "select_move", "solve"})
        missing = {*FUNCTIONS, "select_move"} - {part for part, _ in self.examined}
        return "\n".join([*lines, "", "Not examined:", *_by_text(self.unseen),
                          f"  the file has no {', '.join(sorted(missing))}"])


def _by_text(findings: Iterable[Finding]) -> Iterator[str]:
    """A line for each text: the first of each property, and of each tag of a learner's part."""
    texts: dict[str, str] = {}
    for part, name, tag, text in findings:
        texts.setdefault(tag or name if name == part else name, text)
    for text in dict.fromkeys(texts.values()):
        names = [name for name in texts if texts[name] == text]
        more = f" and {len(names) - 3} others" if len(names) > 3 else ""
        yield f"  {', '.join(names[:3])}{more}: {text}"


def signatures() -> dict[str, list[str]]:
    """What each fault of the museum breaks."""
    return json.loads(SIGNATURES.read_text(encoding="utf-8"))


def _parts(subject: Subject) -> tuple[list[str], str]:
    return subject.parts, str(subject.game) if subject.parts == ["moves"] else subject.kind


def examine(subject: Subject, part: str, name: str) -> dict[str, str]:
    """The findings about a property, {tag: text}."""
    found: dict[str, str] = {}
    try:
        for tag, text in PROPERTIES[part][name](subject, part):
            found.setdefault(tag, text)
    except NotImplementedError as error:
        found[UNSEEN] = str(error) or "it is not implemented"
    except DlgoError as error:
        found[getattr(error, "tag", type(error).__name__)] = str(error)
    except Exception as error:
        where = describe_error(error, subject.path.absolute())
        found[type(error).__name__] = f"it raises an exception{where}"
    return found


class _Room(Workplace, Watch):
    """A worker that examines a file, and its watch: if it is lost, that is the finding."""

    memory_mb = 4096

    def __init__(self, seconds: float, *source: str) -> None:
        self._seconds, self._source = seconds, source

    def do(self, task: Task) -> Generator[Amount, None, Any]:
        yield Amount()
        return task.work(_subject(*self._source), *task.arguments)

    def watch(self, board: Any) -> Watch:
        return self

    def deadline(self, task: Any | None, since: float) -> tuple[float, float]:
        limit = math.inf if task is None else self._seconds
        return since + limit, limit

    def value_of_lost(self, task: Any, worker_exit: WorkerExit, times: int) -> Any:
        return {_LOST: f"it hangs or ends the program: {worker_exit.text}"}


_subject = functools.cache(Subject)


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
        seconds: wall seconds for one property.
    """
    def ask(work: Callable[..., Any], *arguments: str) -> Any:
        with closing(jobs.run([Task(" ".join(arguments), work, arguments)])) as outcomes:
            return next(outcomes).value

    with Processes(1, _Room(seconds, str(file), game)) as jobs:
        loaded = ask(_parts)
        if isinstance(loaded, dict):
            raise AuditError("load", f"cannot load {file}: {loaded[_LOST]}")
        report = Report(str(file), loaded[1], [], [], [])
        for part in loaded[0]:
            for name in PROPERTIES[part]:
                losses = sum(one.tag == _LOST and one.part == part for one in report.findings)
                on_progress(f"{part}: {name}")
                found = ask(examine, part, name) if losses < _MOST_LOSSES else {
                    UNSEEN: f"{part} has hung or ended the program {losses} times"}
                report.examined.append((part, name))
                for tag, text in found.items():
                    (report.unseen if tag == UNSEEN else report.findings).append(
                        Finding(part, name, tag, text))
    return report
