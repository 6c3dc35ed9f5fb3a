"""Thousands of boards side by side, stepped by compiled code: `VectorEnv`. See docs/vector.md."""

from __future__ import annotations

from dlgo.vector.environment import TimeStep, VectorEnv, longest_game

__all__ = ["TimeStep", "VectorEnv", "longest_game"]
