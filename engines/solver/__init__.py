"""The exact Connect Four solver: perfect play and scores. See docs/engines/solver.md."""
