"""Tasks: handed out, done anywhere, in any order, each counted exactly once.

`protocol.py` says what a task is, and does tasks in this process; `processes.py` does them in
worker processes (the inside of one is `worker.py`). Many machines keep to the same protocol
(`experiments/cluster`).
"""

from engines.jobs.processes import Processes
from engines.jobs.protocol import Amount, Executor, Inline, Outcome, Source, Task, WorkerError

__all__ = ["Amount", "Inline", "Executor", "Outcome", "Task", "Processes", "Source", "WorkerError"]
