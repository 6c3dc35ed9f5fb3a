"""The engines that pages offer: what they are called, a list from weak to strong, levels."""

from __future__ import annotations

import functools
import re
from pathlib import PurePath
from typing import Any

from engines.registry import is_outside
from experiments.studio.levels import levels
from experiments.studio.specs import HUMAN

View = dict[str, Any]

_FAMILIES = {
    "random": "Random moves", "heuristic": "Rules of thumb", "alphabeta": "Alpha-beta",
    "mcts": "MCTS", "puct": "PUCT", "alphazero": "AlphaZero", "alphago": "AlphaGo",
    "supervised": "Supervised network", "policy_gradient": "Policy gradient",
    "actor_critic": "Actor-critic", "q_learning": "Q-learning", "ppo": "PPO",
    "fast_policy": "Fast policy", "solver": "Perfect play", "gtp": "GTP program",
}


@functools.lru_cache(maxsize=1000)
def name_of(spec: str, game: str = "") -> str:
    """What people call an engine, in a game by its level: `MCTS, level 4`. Loads no code."""
    if spec == HUMAN:
        return spec
    if named := re.search(r"[:,]name=([^,]+)", spec):
        return named[1]
    family, colon, rest = spec.partition(":")
    if family not in _FAMILIES and is_outside(spec):  # its class, or else its file
        word = rest.partition(":")[0]
        return word if colon and word.isidentifier() else PurePath(family).stem
    title = _FAMILIES.get(family, family.replace("_", " ").capitalize())
    if level := level_of(spec, game):
        return f"{title}, level {level['level']}"
    return next((preset["title"] for preset in presets() if preset["spec"] == spec), title)


def level_of(spec: str, game: str) -> View | None:
    """The level that an engine is in a game, of how many, and its Elo; None if it is none."""
    rows = levels().get(game, ())
    for row in rows:
        if row.engine == spec:
            return {"level": row.level, "of": len(rows), "elo": row.elo}
    return None


def levels_view(game: str) -> list[View]:
    """The levels of a game, the weakest first."""
    return [
        {"spec": row.engine, "name": name_of(row.engine), "elo": row.elo, "low": row.low,
         "high": row.high}
        for row in levels().get(game, ())
    ]


@functools.cache
def presets() -> list[View]:
    """Engines of the list, from weak to strong; `games`: for these games only."""
    from engines.learning.networks.store import shipped_models

    def trained(kind: str) -> list[str]:
        """The games for which a network of that kind comes with the package."""
        names = (model.rpartition("-") for model in shipped_models())
        games = {game.rstrip("0123456789") for game, _, how in names if how == kind}
        return sorted(games | ({"connect4"} if "connect" in games else set()))

    sizes = "in Go on 5x5 and 9x9"
    rollouts = "tree search with random games"
    own_games = f"tree search with a network that learned from its own games; {sizes}"
    supervised = f"plays what a network learned from games, without a search; {sizes}"
    alphazero = trained("alphazero")
    presets = (
        ("Random moves", "random", "any sensible move", None),
        ("Rules of thumb", "heuristic", "wins, blocks, forks; else random", None),
        ("Alpha-beta, easy", "alphabeta:depth=2", "looks two plies ahead", None),
        ("Alpha-beta, medium", "alphabeta:depth=6", "looks six plies ahead", None),
        ("Supervised network", "supervised", supervised, trained("supervised")),
        ("MCTS, easy", "mcts:sims=100", rollouts, None),
        ("MCTS, medium", "mcts:sims=1000", rollouts, None),
        ("MCTS, hard", "mcts:sims=20000", rollouts, None),
        ("AlphaZero, medium", "alphazero:sims=50", own_games, alphazero),
        ("AlphaZero, hard", "alphazero:sims=400", own_games, alphazero),
        ("Perfect play", "solver", "exact, with a book of the first nine plies", ["connect4"]),
    )
    keys = ("title", "spec", "note", "games")
    return [dict(zip(keys, preset, strict=True)) for preset in presets]
