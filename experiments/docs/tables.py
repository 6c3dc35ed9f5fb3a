"""Tables of the reference pages, made from what the program declares.

A comment in a page of docs/ says what the table below it is about, and `python -m
experiments.docs.fill` writes the table:

    <!-- table: settings ppo without shared -->

What a table is about:

    options ENGINE        options of a player
    settings TRAINER      settings of a trainer; `shared`: those of all learners without a search
    keys plan, class, league, staff, recipe
    encoders, networks, heads
    museum                the faults of the museum and their prices
    scales                the scales of the ladder
    anchors               the anchors of all scales
    scaling claims; families claims; families strengths
    times of pages; times of 14 weeks; times of 10 weeks

`without X` leaves out what the same kind of table shows for X.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pkgutil import resolve_name
from typing import Any

import dlgo.encoders
from dlgo.encoders import encoder_names, get_encoder
from dlgo.errors import SpecError
from dlgo.games import game_names, get_game
from dlgo.specs import Option, options_table
from engines.alphago.config import AlphaGoConfig
from engines.alphazero.config import AlphaZeroConfig
from engines.learners import learner_class
from engines.learning.networks.catalog import HEADS, NETWORKS
from engines.learning.reinforcement.config import ReinforcementConfig
from engines.registry import engine_class
from engines.supervised.config import SupervisedConfig
from experiments.arena import plan_keys
from experiments.classroom.league_plan import LeaguePlan, StaffBot
from experiments.classroom.policy import Policy
from experiments.classroom.term import TERMS, page_rows, week_rows
from experiments.datasets.options import RECIPE_OPTIONS
from experiments.ladder.baselines import anchor_rows
from experiments.ladder.scales import all_scales
from experiments.museum import __main__ as museum
from experiments.studies import families, ladder, plans

# A comment, and the table that may already be below it.
MARK = re.compile(r"^<!-- table: (.+?) -->\n(?:\n(?:\|.*\n)+)?", re.M)
_TRAINERS = {"alphago": AlphaGoConfig, "alphazero": AlphaZeroConfig,
             "shared": ReinforcementConfig, "supervised": SupervisedConfig}
_KEYS = {"plan": plan_keys.KEYS.values(), "class": Policy.options().values(),
         "league": LeaguePlan.options().values(), "staff": StaffBot.options().values(),
         "recipe": RECIPE_OPTIONS}
_STUDIES = {"families": (families.Part, families.RESULTS),
            "scaling": (ladder.Part, plans.RESULTS)}


def with_tables(markdown: str) -> str:
    """The page with its tables below their comments. Raises SpecError for an unknown one."""
    return MARK.sub(lambda match: f"<!-- table: {match[1]} -->\n\n{table(match[1])}", markdown)


def table(about: str) -> str:
    """The table of the module's docstring that `about` names, in Markdown."""
    kind, _, names = about.partition(" ")
    name, _, without = names.partition(" without ")
    if kind in ("options", "settings", "keys"):
        left_out = _declared(kind, without) if without else []
        options = [option for option in _declared(kind, name) if option not in left_out]
        text = options_table(options, kind.removesuffix("s"))
        if kind == "keys":  # of TOML files, which write these values in another way
            text = text.replace("| `yes` |", "| `true` |").replace("| `no` |", "| `false` |")
        return text
    if about == "encoders":
        return _table("encoder | games | shape (Go: 9x9) | what it shows", _encoders())
    if about == "networks":
        return _table("network | what it is",
                      [(f"`{name}`", entry.summary) for name, entry in NETWORKS.items()])
    if about == "heads":
        return _table("head | form | meaning",
                      [(f"`{name}`", head.form, head.meaning) for name, head in HEADS.items()])
    if about == "museum":
        return _table("fault | price in Elo | against random moves", [
            (f"{row.title} (`{row.Index}`)", row.text, row.random)
            for row in museum.cards().itertuples()])
    if about == "scales":
        return _table("scale | anchors | from, to (Elo) | largest step | games | digest",
                      [scale.row() for scale in all_scales().values()])
    if about == "anchors":
        return _table("scale | anchor | Elo | network, MB | CPU ms a move | training, CPU h",
                      anchor_rows())
    if name == "claims" and kind in _STUDIES or about == "families strengths":
        frame = families.published() if name == "strengths" else plans.published(
            kind, *_STUDIES[kind])
        return _table(" | ".join(frame.columns), frame.astype(str).itertuples(index=False))
    if about == "times of pages":
        return _table("page | reading | questions | graded exercises | together", page_rows())
    if about in [f"times of {weeks} weeks" for weeks in TERMS]:
        return _table("week | topic (pages) | graded exercises | read | questions | exercises | "
                      "with the lecture", week_rows(int(names.split()[1])))
    raise SpecError(f"unknown table {about!r}; see experiments/docs/tables.py")


def _declared(kind: str, name: str) -> list[Option]:
    if kind == "options":
        return list(engine_class(name).options)
    if kind == "settings":
        config: Any = _TRAINERS[name] if name in _TRAINERS else learner_class(name).config
        return list(config.options().values())
    if name not in _KEYS:
        raise SpecError(f"unknown keys {name!r}; there are {', '.join(_KEYS)}")
    return list(_KEYS[name])


def _encoders() -> list[tuple[str, ...]]:
    """Every encoder, of the first game that has it alone, or of Go."""
    games = {name: get_game(name) for name in game_names()}
    functions = dlgo.encoders._GENERIC | dlgo.encoders._TURNED
    for of_game in dlgo.encoders._OF_GAME.values():
        functions |= of_game
    rows: list[tuple[str, ...]] = []
    for name, target in functions.items():
        owners = [game for game in games if name in encoder_names(games[game])]
        shown = "all" if len(owners) == len(games) else ", ".join(owners)
        encoder = get_encoder(name, games["go" if "go" in owners else owners[0]])
        summary = resolve_name(target).__doc__.splitlines()[0]
        rows.append((f"`{name}`", shown, "x".join(map(str, encoder.shape)), summary))
    return rows


def _table(heads: str, rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {heads} |", "|" + "---|" * (heads.count("|") + 1)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"
