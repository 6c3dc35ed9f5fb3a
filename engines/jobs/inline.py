"""Portions of work done in this process, one after the other."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any

from engines.jobs.protocol import Amount, Jobs, Outcome, Portion, Tell, failure


def steps(portion: Portion) -> Generator[Amount, None, Any]:
    """The work of a portion where its files are."""
    return portion.work(*portion.arguments, *portion.needs)


class Inline(Jobs):
    """Does portions here."""

    def run(self, portions: Iterable[Portion], tell: Tell = lambda amount: None
            ) -> Iterator[Outcome]:
        done = Amount()
        for portion in portions:
            work = steps(portion)
            while True:
                try:
                    done = done.plus(next(work))
                except StopIteration as end:
                    yield Outcome(portion, end.value)
                    break
                except Exception as error:
                    raise failure(error) from error
                tell(done)
            tell(done)
