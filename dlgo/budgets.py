"""The kinds of budget: limits of an engine for one move, as specifications write them.

Engines obey them, the arena checks them, and reports use them to group entrants that are one engine
at several strengths.
"""

from __future__ import annotations

from dlgo.specs import Option

# In the order in which they are printed. Each is a limit per move.
BUDGET_OPTIONS: tuple[Option, ...] = (
    Option("sims", None, "simulations (descents of a search tree)", low=1, high=1e9, kind=int),
    Option("depth", None, "plies looked ahead", low=1, high=100, kind=int),
    Option("nodes", None, "positions visited", low=1, high=1e12, kind=int),
    Option("evals", None, "evaluations of positions by a network, or by an engine in its place",
           low=1, high=1e12, kind=int),
    Option("cpu", None, "CPU seconds", low=1e-4, high=1e5, kind=float),
    Option("wall", None, "wall-clock seconds", low=1e-4, high=1e5, kind=float),
)
BUDGET_NAMES = tuple(option.name for option in BUDGET_OPTIONS)
