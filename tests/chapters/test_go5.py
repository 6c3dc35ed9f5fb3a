"""Chapter 14's Go on 5x5: Black takes the whole board from every engine."""

from __future__ import annotations

from engines.learners import LEARNERS
from engines.registry import EngineSpec, engine_class, engine_names
from experiments.chapters import ch14_go5


def test_every_engine_that_plays_go_is_an_opponent() -> None:
    names = {EngineSpec.parse(one).name for one in ch14_go5.opponents("go5-alphazero")}
    ours = {
        name for name in engine_names() if engine_class(name).__module__.startswith("engines.")
    }
    # GNU Go may be absent; the solver knows no Go; the textbook's are searches that are there; of
    # some learners no network comes with the package, nor an AlphaGo.
    absent = {"gtp", "solver", "alphago", "fast_policy", *LEARNERS}
    assert names >= {name for name in ours - absent if "textbook" not in name}


def test_black_takes_the_whole_board() -> None:
    """The network that comes with the package, with little search, against weak players."""
    rows = list(ch14_go5.play_black(
        "alphazero:model=go5-alphazero,sims=50", ["random", "mcts:sims=50"], games=1, seed=2,
    ))
    assert [(row["opening"], row["margin"], row["won"]) for row in rows] == [("C3", 25, True)] * 2
