"""Pictures to project: one idea each, drawn by code, in the colours of the page around them.

    from experiments.course import diagrams
    diagrams.mcts_steps()                    # in a notebook
    python -m experiments.course.diagrams    # writes those of docs/ to docs/images/

Numbers in a picture come from the engines, learners and rules of this project.
"""

from __future__ import annotations

from collections.abc import Callable

from experiments.course.diagrams.board import liberties, zobrist_keys
from experiments.course.diagrams.data import interval_of_a_match, leaking_split
from experiments.course.diagrams.kit import Diagram
from experiments.course.diagrams.learning import gae_sum, policy_gradient_loop, ppo_clip, q_targets
from experiments.course.diagrams.networks import convolution, dense_network, residual_block
from experiments.course.diagrams.search import alpha_beta_window, mcts_steps
from experiments.course.diagrams.systems import (
    alphago_pipeline,
    alphazero_loop,
    engine_contract,
    map_of_ideas,
    program_between_programs,
)

# Of pages that run no code.
OF_DOCS: tuple[Callable[[], Diagram], ...] = (
    map_of_ideas, interval_of_a_match, engine_contract)

__all__ = [
    "alpha_beta_window", "alphago_pipeline", "alphazero_loop", "convolution", "dense_network",
    "engine_contract", "gae_sum", "interval_of_a_match", "leaking_split", "liberties",
    "map_of_ideas", "mcts_steps", "policy_gradient_loop", "ppo_clip", "program_between_programs",
    "q_targets", "residual_block", "zobrist_keys",
]
