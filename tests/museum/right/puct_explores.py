"""PUCT with other constants: more exploration, pessimistic about new moves."""

from tests.museum.glue import puct

KIND = "puct"


def search(state, evaluate, simulations):
    return puct.search(state, evaluate, simulations, c_puct=2.5, fpu_reduction=0.3)
