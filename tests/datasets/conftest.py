"""A single worker's tasks are done in the process of the tests: another takes a second to start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from engines.jobs import Inline, Outcome, Processes, Task
from engines.jobs.protocol import Tell


class _OneIsHere(Processes):
    def run(self, tasks: Iterable[Task], tell: Tell = lambda amount: None
            ) -> Iterator[Outcome]:
        return Inline().run(tasks, tell) if self.count == 1 else super().run(tasks, tell)


@pytest.fixture(scope="module", autouse=True)
def _one_worker_is_here() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("generate", "sgf_import"):
            patch.setattr(f"experiments.datasets.{module}.Processes", _OneIsHere)
        yield
