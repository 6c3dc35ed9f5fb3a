"""PUCT with other constants: less exploration, optimistic about new moves; visits only."""

from tests.museum.glue import puct

KIND = "puct"


def search(state, evaluate, simulations):
    return puct.search(state, evaluate, simulations, c_puct=0.45, fpu_reduction=-0.1).visits
