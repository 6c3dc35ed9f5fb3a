"""Work in portions: handed out, done anywhere, in any order, each counted exactly once.

`protocol.py` says what a portion is; `inline.py` does portions in this process, `processes.py` in
several. Whoever starts a learner or makes data may pass something else that keeps to the protocol,
such as many machines (`experiments/cluster`).
"""

from engines.jobs.inline import Inline
from engines.jobs.processes import Processes
from engines.jobs.protocol import Amount, Jobs, Outcome, Portion, WorkerError

__all__ = ["Amount", "Inline", "Jobs", "Outcome", "Portion", "Processes", "WorkerError"]
