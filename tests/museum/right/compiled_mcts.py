"""The compiled UCT, as it plays."""

from engines.mcts.engine import MCTSEngine as Player

KIND = "uct"
__all__ = ["Player"]
