"""Monte Carlo tree search with random rollouts, compiled (chapter 4.5 of the book).

One simulation: walk down the tree by UCT, add the children of the leaf, play one of them,
finish the game at random, and count the result for every node on the way.
"""

from __future__ import annotations

from dlgo import kernels
from dlgo.jit import kernel
from engines.treesearch.rules import select_uct
from engines.treesearch.tree import DEEPEST, MAX_DEPTH, ROOT, UNPROVEN, back_up, expand


@kernel
def run(tree, root, work, actions, path, rng, simulations, c, expand_at):
    """Run simulations from `root` until their number or a proof of the root is reached.

    Args:
        tree: planted at `root` or advanced to it.
        root: the position; unchanged. work: scratch state with room for the deepest line.
        actions: int64[num_actions], scratch. path: int32[MAX_DEPTH + 2], scratch.
        rng: generator state.
        simulations: how many at most.
        c: weight of exploration, for wins on a scale of 0 to 1.
        expand_at: a leaf gets children when it has been visited so often before.

    Returns:
        How many simulations were run.
    """
    for done in range(simulations):
        if tree.proven[ROOT] != UNPROVEN:
            return done
        kernels.copy_into(work, root)
        node = ROOT
        path[0] = ROOT
        length = 1
        while True:
            if tree.n_children[node] == 0:
                if tree.visits[node] < expand_at and node != ROOT:
                    break
                if length > MAX_DEPTH or not expand(tree, node, work, actions, rng):
                    break
            child = select_uct(tree, node, c)
            kernels.play(work, tree.action[child])
            path[length] = child
            length += 1
            node = child
            tree.mover[child] = kernels.to_move(work)
            if tree.proven[child] != UNPROVEN:
                break
            if tree.visits[child] == 0:
                if kernels.terminal(work):
                    tree.proven[child] = kernels.result(work)
                break
        if tree.proven[node] != UNPROVEN:
            value = tree.proven[node]
        else:
            value = kernels.rollout(work, rng)
        back_up(tree, path, length, value)
        if length - 1 > tree.info[DEEPEST]:
            tree.info[DEEPEST] = length - 1
    return simulations
