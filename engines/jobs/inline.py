"""Portions of work done in this process, one after the other."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from typing import Any

from engines.jobs.protocol import Amount, Jobs, Outcome, Portion, Source, Tell, failure

# Seconds between two questions to a source that has nothing yet.
_PAUSE = 0.05


def steps(portion: Portion) -> Generator[Amount, None, Any]:
    """The work of a portion where its files are."""
    return portion.work(*portion.arguments, *portion.needs)


class Inline(Jobs):
    """Does portions here."""

    def run_source(
        self, source: Source[Portion], tell: Tell = lambda amount: None
    ) -> Iterator[Outcome]:
        done = Amount()
        while (taken := source.take(1)) or source.is_open():
            for portion in taken:
                work = steps(portion)
                while True:
                    try:
                        done = done.plus(next(work))
                    except StopIteration as end:
                        outcome = Outcome(portion, end.value)
                        break
                    except Exception as error:
                        raise failure(error) from error
                    tell(done)
                source.finished([outcome])
                yield outcome
            if not taken:
                time.sleep(_PAUSE)
            tell(done)
