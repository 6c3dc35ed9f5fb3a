"""Dirichlet noise in the priors of the root: moves the network dismisses are tried now and then."""

from __future__ import annotations

from dlgo import kernels
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import gamma
from engines.treesearch.tree import ROOT


@kernel
def draw_noise(state, actions, concentration, rng, noise):
    """Draw Dirichlet noise for the sensible actions; `noise` (float64[num_actions]) sums to 1."""
    n = kernels.search_actions(state, actions)
    noise[:] = 0.0
    total = 0.0
    for i in range(n):
        drawn = gamma(rng, concentration / n)
        noise[actions[i]] = drawn
        total += drawn
    # Of a tiny shape, all draws may round to 0.
    for i in range(n):
        noise[actions[i]] = noise[actions[i]] / total if total > 0.0 else 1.0 / n


@inline_kernel
def mix_noise(rule, tree, noise, weight):
    """Replace a part of the priors of the root's children by noise."""
    first = tree.first_child[ROOT]
    for child in range(first, first + tree.n_children[ROOT]):
        tree.prior[child] = (1.0 - weight) * tree.prior[child] + weight * noise[tree.action[child]]
