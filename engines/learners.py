"""Learners from their own games by name: `learner_class("policy_gradient")`.

A new one is a folder in `engines/`, a line here, and a line in `engines/registry.py` for its
player. Modules load on demand.
"""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING

from dlgo.errors import ModelError, SpecError
from dlgo.specs import suggest

if TYPE_CHECKING:
    from engines.learning.diagnostics.findings import Diagnosis
    from engines.learning.reinforcement.learner import ReinforcementLearner
    from engines.learning.settings import Settings

# name -> ("module:class", one line for listings)
LEARNERS = {
    "policy_gradient": ("engines.policy_gradient.trainer:PolicyGradientLearner",
                        "Train a policy by REINFORCE, by playing against itself (chapter 10)."),
    "actor_critic": ("engines.actor_critic.trainer:ActorCriticLearner",
                     "Train a policy and a value by playing against itself (chapter 12)."),
    "q_learning": ("engines.q_learning.trainer:QLearner",
                   "Train values of moves by playing against itself (chapter 11)."),
    "ppo": ("engines.ppo.trainer:PPOLearner",
            "Train a policy by PPO, against itself and earlier networks."),
    "descent": ("engines.descent.trainer:DescentLearner",
                "Train values by best-first minimax, from its search trees."),
    "ntuple": ("engines.ntuple.trainer:NTupleLearner",
               "Train an n-tuple network by TD(lambda), by playing against itself."),
}


def learner_class(name: str) -> type[ReinforcementLearner]:
    """The learner called `name`; its `config` is the class of its settings. Raises SpecError."""
    if name not in LEARNERS:
        raise SpecError(f"unknown learner {name!r}{suggest(name, LEARNERS)}; learners are "
                        f"{', '.join(LEARNERS)}")
    return pkgutil.resolve_name(LEARNERS[name][0])


def config_class(name: str) -> type[Settings]:
    """The class of the settings of a learner: one of those above, alphazero or alphago."""
    if name == "alphazero":
        from engines.alphazero.config import AlphaZeroConfig

        return AlphaZeroConfig
    if name == "alphago":
        from engines.alphago.config import AlphaGoConfig

        return AlphaGoConfig
    return learner_class(name).config


def examine(folder: Path) -> Diagnosis:
    """The doctor's findings for the folder of a run, of AlphaZero or of a learner above. Raises
    ModelError if there is none."""
    from engines.learning.diagnostics.run_files import plan_of

    method = plan_of(folder).get("method", "alphazero")
    if method in LEARNERS:
        from engines.learning.reinforcement.doctor import examine_run

        return examine_run(folder, learner_class(method).config)
    if method != "alphazero":
        raise ModelError(f"{folder} holds a run of {method!r}; the doctor examines alphazero, "
                         f"{', '.join(LEARNERS)}")
    from engines.alphazero.doctor import examine_run as examine_alphazero

    return examine_alphazero(folder)
