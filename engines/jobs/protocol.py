"""What a portion of work is, and what all who do such work have in common.

A portion is a call of a generator function at the top level of a module. What the call yields is
progress: it may be shown, and is forgotten. What it returns is the result, and only that counts. So
a portion that is done twice, because a machine was lost or seemed to be, counts once.

A portion has its seeds in it and depends on no other and on nobody who does it: the same portions
have the same results, in this process or on a hundred machines. It writes no files; whoever asked
for the work writes what comes back.

Games under a referee (`experiments/arena`) are handed out in the same way: a `Source` gives what is
to be done, and is told of the results.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from dlgo.errors import DlgoError
from dlgo.text import error_text

Item = TypeVar("Item")


class WorkerError(DlgoError):
    """Work cannot be done: a worker was lost, or what it did failed."""


class Amount(NamedTuple):
    """How much has been done: games (or files), and positions."""

    items: int = 0
    positions: int = 0

    def plus(self, other: Amount) -> Amount:
        """Both together."""
        return Amount(self.items + other.items, self.positions + other.positions)


# Told a few times a second how much of the portions has been done.
Tell = Callable[[Amount], None]
Work = Callable[..., Generator[Amount, None, Any]]


@dataclass(frozen=True)
class Portion:
    """Some work.

    Attributes:
        key: its name, unlike all others that are handed out together.
        work: a generator function, found by its module and name wherever it is done; see above.
        arguments: its first arguments; they can be pickled.
        needs: files and folders that it reads. After its arguments, `work` is given the paths where
            they lie where it is done: these, or copies.
    """

    key: str
    work: Work
    arguments: tuple[Any, ...] = ()
    needs: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What has become of a portion.

    Attributes:
        portion: which.
        value: what the work returned.
        error: why there is no value; None if there is.
        amount: how much it was, where that is known.
        worker: who did it; "" for this machine.
    """

    portion: Portion
    value: Any = None
    error: DlgoError | None = None
    amount: Amount = Amount()
    worker: str = ""


class Source(Protocol[Item]):
    """Where work comes from. What comes next may depend on results so far."""

    def take(self, count: int) -> list[Item]:
        """Up to `count` items; fewer if the next ones depend on results that are not there yet."""

    def finished(self, results: list[Any]) -> None:
        """Results have come."""

    def wanted(self, item: Item) -> bool:
        """Whether an item that was taken is still to be done."""

    def remaining(self) -> int:
        """About how many items are still to be taken."""

    def is_open(self) -> bool:
        """Whether items may still come when there is nothing to take and nothing under way."""

    def note(self) -> str:
        """What people are told of the work in lines about its progress; "": nothing."""
        return ""


class ListSource(Source[Item]):
    """Items that are known beforehand."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = deque(items)

    def take(self, count: int) -> list[Item]:
        return [self._items.popleft() for _ in range(min(count, len(self._items)))]

    def finished(self, results: list[Any]) -> None:
        pass

    def wanted(self, item: Item) -> bool:
        return True

    def remaining(self) -> int:
        return len(self._items)

    def is_open(self) -> bool:
        return False


class Jobs:
    """Does portions of work. It may be asked again and again; used as a context, it is closed."""

    def run(self, portions: Iterable[Portion], tell: Tell = lambda amount: None
            ) -> Iterator[Outcome]:
        """Do all portions; yield their outcomes in the order in which they end, each once.

        Closing the generator, or Ctrl-C while it waits, ends what is under way. Use it inside
        `contextlib.closing`.

        Args:
            portions: handed out in this order.
            tell: called a few times a second, also when nothing has happened.

        Raises:
            DlgoError: the error of the first portion that fails; the others are given up.
        """
        return self.run_source(ListSource(portions), tell)

    def run_source(
        self, source: Source[Portion], tell: Tell = lambda amount: None
    ) -> Iterator[Outcome]:
        """As `run`, for portions that are made when somebody is free to do them.

        Args:
            source: asked whenever there are idle workers, until it is neither open nor has more.

        Raises:
            DlgoError: as `run`.
        """
        raise NotImplementedError

    def close(self) -> None:
        """End all workers."""

    def __enter__(self) -> Jobs:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def results(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """The outcomes, up to the first that is an error. Raises it."""
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
        yield outcome


def failure(error: BaseException) -> DlgoError:
    """What an exception of a portion's work is for those who wait for it: one line."""
    if isinstance(error, DlgoError):
        return error
    return WorkerError(f"a worker failed: {error_text(error)}")
