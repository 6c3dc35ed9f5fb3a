"""Tasks done in this process, one after the other.

Only Ctrl-C can end a task that takes for ever.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from engines.jobs.protocol import Amount, Jobs, Outcome, Source, failure

# Seconds between two questions to a source that has nothing yet.
_PAUSE = 0.05


class Inline(Jobs):
    """Does tasks here."""

    _amount = Amount()

    def rounds(self, source: Source[Any]) -> Iterator[list[Outcome]]:
        self.workplace.open(None)
        try:
            while (taken := source.take(1)) or source.is_open():
                for task in taken:
                    work, done = self.workplace.do(task), Amount()
                    while True:
                        try:
                            self._amount = done = done.plus(next(work))
                        except StopIteration as end:
                            outcome = Outcome(task, end.value, amount=done)
                            break
                        except Exception as error:
                            outcome = Outcome(task, error=failure(error), amount=done)
                            break
                        yield []
                    self._amount = Amount()
                    if outcome.error is None:
                        source.finished([outcome.value])
                    yield [outcome]
                if not taken:
                    time.sleep(_PAUSE)
                    yield []
        finally:
            self.workplace.close()

    def under_way(self) -> Amount:
        return self._amount
