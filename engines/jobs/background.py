"""Portions of work that go on while whoever wants them does something else, such as to learn.

A thread of this process hands out the portions of a source, and passes their outcomes on. Other
portions may be asked for meanwhile: they are handed out first.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from engines.jobs.protocol import Amount, Jobs, Outcome, Portion, Source, Tell, failure

# Seconds between two looks of somebody who waits.
_INTERVAL = 0.2
# Seconds for the thread to end once it is to: it looks up several times a second.
_SHUTDOWN_TIMEOUT = 10.0


class _Feed(Source[Portion]):
    """What the thread hands out: portions that are asked for, then those of a source.

    Attributes:
        first: those asked for. closed: whether there is to be no more.
    """

    def __init__(self, source: Source[Portion]) -> None:
        self._source = source
        self.first: deque[Portion] = deque()
        self.closed = False

    def take(self, count: int) -> list[Portion]:
        if self.closed:
            return []
        # Another thread may add to them, but nobody else takes any.
        first = [self.first.popleft() for _ in range(min(count, len(self.first)))]
        return first + self._source.take(count - len(first))

    def wanted(self, item: Portion) -> bool:
        return not self.closed

    def remaining(self) -> int:
        return len(self.first) + self._source.remaining()

    def is_open(self) -> bool:
        return not self.closed

    def note(self) -> str:
        return self._source.note()


class Background(Jobs):
    """Does the portions of a source all the time, and others (`run`) before them.

    The thread starts when somebody waits for the first time. What fails in it is raised where
    somebody waits.

    Args:
        jobs: who does the work; closed with this. Nobody else may use it.
        source: of the portions that are done all the time. It is asked in the thread, and stays
            open as long as this is not closed.
        receive: called in the thread with the outcome of each of its portions.

    Attributes:
        amount: how much has been done in all.
    """

    def __init__(
        self, jobs: Jobs, source: Source[Portion], receive: Callable[[Outcome], None]
    ) -> None:
        self._jobs, self._feed, self._receive = jobs, _Feed(source), receive
        self._changed = threading.Condition()
        self._asked: set[str] = set()  # keys of portions that `run` waits for
        self._outcomes: deque[Outcome] = deque()
        self._error: Exception | None = None
        self._thread: threading.Thread | None = None
        self.amount = Amount()

    def wait(self, until: Callable[[], bool], tell: Tell = lambda amount: None) -> None:
        """Wait until a condition holds.

        Args:
            until: the condition. It is looked at after every outcome.
            tell: called several times a second with how much has been done in all.

        Raises:
            DlgoError: if a portion has failed.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, daemon=True)
            self._thread.start()
        while True:
            with self._changed:
                if self._error is not None:
                    raise self._error
                if until():
                    return
                self._changed.wait(_INTERVAL)
            tell(self.amount)

    def run(self, portions: Iterable[Portion], tell: Tell = lambda amount: None
            ) -> Iterator[Outcome]:
        portions = list(portions)
        self._asked.update(portion.key for portion in portions)
        self._feed.first.extend(portions)
        done = Amount()

        def tell_done(_: Amount) -> None:
            tell(done)

        for _ in portions:
            self.wait(lambda: bool(self._outcomes), tell_done)
            outcome = self._outcomes.popleft()
            done = done.plus(outcome.amount)
            yield outcome
        tell(done)

    def close(self) -> None:
        """End the work, finished or not."""
        self._feed.closed = True
        if self._thread is not None:
            self._thread.join(_SHUTDOWN_TIMEOUT)
        self._jobs.close()

    def _serve(self) -> None:
        """What the thread does."""
        done = Amount()
        try:
            with closing(self._jobs.rounds(self._feed)) as rounds:
                for outcomes in rounds:
                    for outcome in outcomes:
                        self._receive_one(outcome)
                        done = done.plus(outcome.amount)
                    self.amount = done.plus(self._jobs.under_way())
                    if self._feed.closed:
                        break
        except Exception as error:
            with self._changed:
                self._error = failure(error)
                self._changed.notify_all()

    def _receive_one(self, outcome: Outcome) -> None:
        if outcome.error is not None:
            raise outcome.error
        asked = outcome.portion.key in self._asked
        if not asked:
            self._receive(outcome)
        with self._changed:
            if asked:
                self._asked.remove(outcome.portion.key)
                self._outcomes.append(outcome)
            self._changed.notify_all()
