"""Tasks: handed out, done anywhere, in any order, each counted exactly once.

`protocol.py` says what a task is; `inline.py` does tasks in this process, `processes.py` in worker
processes (the inside of one is `worker.py`). Many machines keep to the same protocol
(`experiments/cluster`).
"""

from engines.jobs.inline import Inline
from engines.jobs.processes import Processes
from engines.jobs.protocol import Amount, Jobs, Outcome, Portion, Source, WorkerError

__all__ = ["Amount", "Inline", "Jobs", "Outcome", "Portion", "Processes", "Source", "WorkerError"]
