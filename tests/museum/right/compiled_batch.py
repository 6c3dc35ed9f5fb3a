"""The compiled search with four leaves in a batch: virtual losses."""

from tests.museum.right import compiled_puct

KIND = "puct"


def search(state, evaluate, simulations):
    return compiled_puct.search(state, evaluate, simulations, batch=4)
