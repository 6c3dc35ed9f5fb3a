"""mctx 0.0.71: the policy of Gumbel MuZero with its defaults, without noise."""

import functools

import jax
import mctx
import numpy as np

from experiments.museum.adapters import for_mctx

KIND = "gumbel"


@functools.partial(jax.jit, static_argnums=(2, 3))
def run(root, invalid, step, simulations):
    output = mctx.gumbel_muzero_policy((), jax.random.PRNGKey(0), root, step, simulations, invalid,
                                       gumbel_scale=0.0)
    return output.search_tree.summary().visit_counts, output.action


def search(state, evaluate, simulations):
    root, step, invalid = for_mctx(state, evaluate)
    visits, action = run(root, invalid, step, simulations)
    return {action: int(count) for action, count in enumerate(np.asarray(visits)[0]) if count}, \
        int(action[0])
