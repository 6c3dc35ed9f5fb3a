"""Work in portions: handed out, done anywhere, in any order, each counted exactly once.

`protocol.py` says what a portion is; `inline.py` does portions in this process, `processes.py` in
several, `background.py` while whoever wants them does something else. Whoever starts a learner or
makes data may pass something else that keeps to the protocol, such as many machines
(`experiments/cluster`).
"""

from engines.jobs.background import Background
from engines.jobs.inline import Inline
from engines.jobs.processes import Processes
from engines.jobs.protocol import Amount, Jobs, Outcome, Portion, Source, WorkerError

__all__ = ["Amount", "Background", "Inline", "Jobs", "Outcome", "Portion", "Processes", "Source",
           "WorkerError"]
