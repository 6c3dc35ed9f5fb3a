"""The compiled alpha-beta, as it plays; the textbook's functions solve."""

from engines.minimax.engine import AlphaBetaEngine as Player
from engines.minimax.textbook import minimax as solve

__all__ = ["Player", "solve"]
