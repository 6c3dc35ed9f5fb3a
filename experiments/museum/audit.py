"""`dlgo audit FILE.py`: is this search, is this learner, is this player right?

    report = audit("my_search.py")
    print(report)

Each property of each part is examined in a worker process, so that a search which hangs or dies is
a finding like others. What a finding smells of is measured: each fault of the museum was audited in
the same way (`signatures.json`), and the faults that break the same properties are named.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.records.failures import Failure
from dlgo.text import describe_error
from engines.jobs.processes import Processes
from engines.jobs.protocol import Amount, Task, Watch, WorkerExit, Workplace
from experiments.museum import learners, real_games, searches, solvers
from experiments.museum.planting import KINDS, Fault, faults, get_fault
from experiments.museum.subject import FUNCTIONS, UNSEEN, Subject, WrongAnswer

SECONDS = 60.0
# Seconds for a worker to start, and megabytes that it may use.
_START, _MEGABYTES = 120.0, 4096
# A part that has hung or died this often is not examined further.
_MOST_LOSSES = 3
SIGNATURES = Path(__file__).with_name("signatures.json")
# How much a broken property itself says about the kind of a fault.
_OWN_KIND = 0.5
_KINDS = {name: kind.split(", ") for module in (searches, solvers, learners)
          for name, kind in module.KINDS.items()}
_PROPERTIES = {"search": searches.PROPERTIES, "select_move": searches.PROPERTIES,
               "moves": real_games.PROPERTIES, "solve": solvers.PROPERTIES, **learners.PROPERTIES}


@dataclass(frozen=True)
class Finding:
    """A property that does not hold; `tag` tells how it shows."""

    part: str
    name: str
    tag: str
    text: str

    @property
    def features(self) -> tuple[str, str]:
        """What is compared with the findings about the museum's faults."""
        return self.name, f"{self.name}: {self.tag}"


@dataclass(frozen=True)
class Suspect:
    """A kind of fault, and the museum's fault that breaks the most similar properties, if any does.

    `likeness` is 0 to 1.
    """

    kind: str
    likeness: float
    fault: Fault | None = None


@dataclass(frozen=True, repr=False)
class Report:
    """The result of an audit; `print(report)` is for people."""

    file: str
    parts: tuple[str, ...]
    kind: str
    examined: tuple[tuple[str, str], ...]  # parts and properties
    findings: tuple[Finding, ...]
    unseen: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all properties hold."""
        return not self.findings

    @property
    def suspects(self) -> list[Suspect]:
        """The kinds of fault by likeness, without those of other searches."""
        skipped = {"window", "horizon"} if "search" in self.parts else set()
        skipped |= set() if self.kind == "gumbel" else {"gumbel"}
        named = suspects(self.findings, {name for _, name in self.examined})
        return [suspect for suspect in named if suspect.kind not in skipped]

    def __str__(self) -> str:
        broken = {(finding.part, finding.name): finding for finding in reversed(self.findings)}
        count = len(self.examined)
        lines = [f"{self.file} ({', '.join(self.parts)}; {self.kind}): " + (
            f"{len(broken)} of {count} properties do not hold" if broken else
            f"all {count} properties hold")]
        for (part, name), finding in reversed(broken.items()):
            lines += [f"  {part}, {name}: {finding.text}"]
        if broken:
            lines.append("  this smells of:")
            lines += [f"    {KINDS[one.kind]}" + (
                f"; like {one.fault.title!r} ({one.fault.name}, {one.likeness:.0%})"
                if one.fault else "") for one in self.suspects[:3]]
        lines += [f"  not seen: {text}" for text in self.unseen]
        return "\n".join(lines)

    __repr__ = __str__


def suspects(findings: Iterable[Finding], examined: set[str]) -> list[Suspect]:
    """The faults whose signatures are like these findings, the best of each kind.

    Features that few faults have count more; properties that were not examined do not count. A
    broken property says something about its own kind, too.
    """
    known = {name: {feature for feature in features if feature.partition(":")[0] in examined}
             for name, features in signatures().items() if name in faults()}
    frequency = Counter(feature for features in known.values() for feature in features)
    own = {feature for finding in findings for feature in finding.features}

    def weight(features: set[str]) -> float:
        return sum(math.log(1 + len(known) / (1 + frequency[one])) for one in features)

    best: dict[str, Suspect] = {}
    for name, features in known.items():
        norm = math.sqrt(weight(own) * weight(features))
        likeness = weight(own & features) / norm if norm else 0.0
        kind = get_fault(name).kind
        if likeness > 0 and (kind not in best or likeness > best[kind].likeness):
            best[kind] = Suspect(kind, likeness, get_fault(name))
    for name in {finding.name for finding in findings}:
        for kind in _KINDS.get(name, ()):
            likeness = _OWN_KIND * weight({name}) / weight({one.partition(":")[0] for one in own})
            if kind not in best or likeness > best[kind].likeness:
                best[kind] = Suspect(kind, likeness)
    return sorted(best.values(), key=lambda one: -one.likeness)


@functools.cache
def signatures() -> dict[str, list[str]]:
    """What each fault of the museum breaks."""
    return json.loads(SIGNATURES.read_text(encoding="utf-8")) if SIGNATURES.exists() else {}


# In the worker ----------------------------------------------------------------------------------


@functools.cache
def _subject(file: str, game: str) -> Subject:
    return Subject(file, game)


def _parts(file: str, game: str) -> Generator[Amount, None, tuple[list[str], str]]:
    """The parts of a file, and its kind of search, or the game that a player is asked for."""
    yield Amount()
    subject = _subject(file, game)
    return subject.parts, str(subject.game) if subject.parts == ["moves"] else subject.kind


def _examine(
    file: str, game: str, part: str, name: str
) -> Generator[Amount, None, list[tuple[str, str]]]:
    """The findings about a property."""
    yield Amount()
    found = []
    try:
        found.extend(_PROPERTIES[part][name](_subject(file, game), part))
    except WrongAnswer as error:
        found.append((error.tag, str(error)))
    except NotImplementedError as error:
        found.append((UNSEEN, f"{name}: {error or 'it is not implemented'}"))
    except DlgoError as error:
        found.append((type(error).__name__, str(error)))
    except Exception as error:
        where = describe_error(error, _subject(file, game).path.absolute())
        found.append((type(error).__name__, f"it raises an exception{where}"))
    return found


# Outside ----------------------------------------------------------------------------------------


@dataclass
class _Room(Workplace):
    """Where properties are examined."""

    seconds: float
    memory_mb: int = _MEGABYTES

    def watch(self, board: Any) -> Watch:
        return _Watch(self.seconds)


class _Watch(Watch):
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def deadline(self, task: Any | None, since: float) -> tuple[float, float]:
        limit = _START if task is None else self._seconds
        return since + limit, limit

    def value_of_lost(self, task: Any, worker_exit: WorkerExit, times: int) -> Any:
        if worker_exit.failure is Failure.TIMEOUT:
            return [("hangs", f"it has not answered after {self._seconds:g} seconds")]
        return [("dies", f"it ends the program: {worker_exit.text}")]


def audit(
    file: str | Path, on_progress: Callable[[str], None] = lambda text: None,
    seconds: float = SECONDS, game: str = "",
) -> Report:
    """Examine all parts of a file, or an engine. Raises DlgoError if it cannot be loaded or has no
    parts.

    Args:
        file: the file, or the specification of an engine.
        game: the game in which a player is asked for its moves; without it, it plays trees.
        on_progress: called with the name of each property before it is examined.
        seconds: wall seconds for one property.
    """
    where = (str(file), game)
    examined, findings, unseen = [], [], []
    with Processes(1, _Room(seconds)) as jobs:
        answer = _do(jobs, Task("parts", _parts, where))
        if isinstance(answer, list):
            raise DlgoError(f"cannot load {file}: {answer[0][1]}")
        parts, kind = answer
        for part in parts:
            losses = 0
            for name in _PROPERTIES.get(part, {}):
                if losses >= _MOST_LOSSES:
                    unseen.append(f"{part}, {name}: it has hung or died before")
                    continue
                on_progress(f"{part}: {name}")
                found = _do(jobs, Task(f"{part} {name}", _examine, (*where, part, name)))
                examined.append((part, name))
                losses += any(tag in ("hangs", "dies") for tag, _ in found)
                findings += [Finding(part, name, *one) for one in found if one[0] != UNSEEN]
                unseen += [f"{part}: {text}" for tag, text in found if tag == UNSEEN]
    missing = ", ".join(name for name in FUNCTIONS if name not in parts)
    unseen.append("all but its moves" if parts == ["moves"] else
                  f"parts that the file does not have: {missing}")
    return Report(str(file), tuple(parts), kind, tuple(examined), tuple(findings),
                  tuple(dict.fromkeys(unseen)))


def _do(jobs: Processes, task: Task) -> Any:
    with contextlib.closing(jobs.run([task])) as outcomes:
        return next(outcomes).value
