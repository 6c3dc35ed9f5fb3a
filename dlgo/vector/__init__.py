"""`VectorEnv`: thousands of boards in parallel, stepped by compiled code. See docs/vector.md."""

from __future__ import annotations

from dlgo.vector.environment import DEFAULT, Episodes, TimeStep, VectorEnv, longest_game

__all__ = ["DEFAULT", "Episodes", "TimeStep", "VectorEnv", "longest_game"]
