"""Runs of training: folders, checkpoints, records and progress of all learners.

    with open_run(folder, config) as run:
        run.train(MyLearner(run.config))

    run.py         the folder: lock, configuration, iterations, checkpoints; `Learner`
    checkpoint.py  the state after an iteration, written whole or not at all
    records.py     history.csv and curves.png

Beside them, `engines/learning/run_status.py`: where a run stands, its rate and the time left.

A learner says what it consists of (`state`) and how it gets better (`iterate`). Killed at any
moment, the same command continues after the last whole iteration, and ends with the same weights as
an unbroken run.
"""

from engines.learning.run_status import Progress, Status
from engines.learning.runs.records import Curve
from engines.learning.runs.run import Learner, Run, open_run
from engines.learning.settings import AUTO, RunConfig

__all__ = [
    "AUTO", "Curve", "Learner", "Progress", "Run", "RunConfig", "Status",
    "open_run",
]
