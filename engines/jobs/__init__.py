"""Tasks: handed out, done anywhere, in any order, each counted exactly once.

`protocol.py` defines tasks, and an executor in this process; `processes.py` uses worker processes
(`worker.py` runs inside one). Clusters use the same protocol (`experiments/cluster.py`).
"""

from engines.jobs.processes import Processes
from engines.jobs.protocol import Amount, Executor, Inline, Outcome, Source, Task, WorkerError

__all__ = ["Amount", "Inline", "Executor", "Outcome", "Task", "Processes", "Source", "WorkerError"]
