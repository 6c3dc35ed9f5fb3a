"""`VectorEnv`: thousands of boards in parallel, stepped by compiled code. See docs/vector.md."""

from __future__ import annotations

from dlgo.vector.environment import (
    DEFAULT,
    ERROR,
    LOSS,
    Episodes,
    TimeStep,
    VectorEnv,
    longest_game,
)

__all__ = ["DEFAULT", "ERROR", "LOSS", "Episodes", "TimeStep", "VectorEnv", "longest_game"]
