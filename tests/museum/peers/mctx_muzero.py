"""mctx 0.0.71: the policy of MuZero with its defaults, without noise."""

import functools

import jax
import mctx
import numpy as np

from experiments.museum.adapters import for_mctx

KIND = "puct"


@functools.partial(jax.jit, static_argnums=(2, 3))
def run(root, invalid, step, simulations):
    output = mctx.muzero_policy((), jax.random.PRNGKey(0), root, step, simulations, invalid,
                                dirichlet_fraction=0.0)
    return output.search_tree.summary().visit_counts


def search(state, evaluate, simulations):
    root, step, invalid = for_mctx(state, evaluate)
    visits = np.asarray(run(root, invalid, step, simulations))[0]
    return {action: int(count) for action, count in enumerate(visits) if count}
