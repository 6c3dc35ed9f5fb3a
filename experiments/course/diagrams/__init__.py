"""Pictures to project: one idea each, drawn by code, in the colours of the page around them.

    from experiments.course import diagrams
    diagrams.mcts_steps()                    # in a notebook
    python -m experiments.course.diagrams    # writes those of docs/ to docs/images/

Numbers in a picture come from the engines, learners and rules of this project.
"""

from __future__ import annotations

from collections.abc import Callable

from experiments.course.diagrams.board import liberties, zobrist_keys
from experiments.course.diagrams.kit import Diagram
from experiments.course.diagrams.learning import ppo_clip
from experiments.course.diagrams.search import alpha_beta_window, mcts_steps

# Of pages that run no code.
OF_DOCS: tuple[Callable[[], Diagram], ...] = ()

__all__ = ["alpha_beta_window", "liberties", "mcts_steps", "ppo_clip", "zobrist_keys"]
