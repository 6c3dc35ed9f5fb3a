"""The compiled Gumbel search, without noise."""

from engines.search.gumbel import GUMBEL_SCALES, Gumbel, best_child
from tests.museum.right import compiled_puct

KIND = "gumbel"


def search(state, evaluate, simulations):
    rule = Gumbel(16, *GUMBEL_SCALES)
    searcher, counts = compiled_puct.searched(state, evaluate, simulations, rule)
    return counts, int(searcher.tree.action[best_child(rule, searcher.tree)])
