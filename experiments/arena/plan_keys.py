"""The keys of a tournament's plan: name, type, range, default and meaning, each in one place.

The reader of plan files, the options of `dlgo tournament` and the checks of `Plan` and `Limits`
are all made from this table. It imports nothing of dlgo, so that `dlgo --help` need not wait.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

# How entrants meet.
KINDS = ("round-robin", "gauntlet", "ladder", "match", "mirror")
# How many pairs: the same for all matches, or more where the ratings are least certain.
PAIRINGS = ("even", "adaptive")

# More pairs, or seconds, than anybody can wait for.
_MANY = 1_000_000
_LONG = 1e7


@dataclass(frozen=True)
class Key:
    """A key of the plan.

    Args:
        name: in the plan file; the option is called the same, with dashes.
        type: of its value; `list` stands for specifications, `tuple` for two numbers.
        help: what it means, one line.
        default: its value where it is not given.
        low, high: inclusive bounds of a number.
        choices: the words it can be.
        option: what the option is called, where that differs.
        metavar: how the help names the option's value.
    """

    name: str
    type: type
    help: str
    default: Any = None
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    option: str = ""
    metavar: str | None = None

    def type_problem(self, value: Any) -> str:
        """What the value should be and is not; "" if it is."""
        wanted, fits = {
            list: ("a list of texts or tables",
                   lambda: isinstance(value, list)
                   and all(isinstance(item, str | dict) for item in value)),
            tuple: ("a list of two numbers",
                    lambda: isinstance(value, list | tuple) and len(value) == 2
                    and all(type(item) in (int, float) for item in value)),
            str: ("a text", lambda: isinstance(value, str)),
            bool: ("true or false", lambda: isinstance(value, bool)),
            datetime: ("a date, such as 2026-11-20T23:59:00", lambda: isinstance(value, date)),
            int: ("a whole number", lambda: type(value) is int),
            float: ("a number", lambda: type(value) in (int, float)),
        }[self.type]
        return "" if fits() else f"{self.name} = {value!r} is not {wanted}"

    def range_problem(self, value: Any) -> str:
        """Why the value, of the right type, cannot be used; "" if it can. None means not set."""
        if value is None or self.type in (list, bool, datetime):
            return ""
        if self.choices and value not in self.choices:
            return f"{self.name}={value!r} is not one of {', '.join(self.choices)}"
        numbers = {tuple: value, str: ()}.get(self.type, (value,))
        if all(self.low <= number <= self.high for number in numbers):  # false for nan
            return ""
        shown = " ".join(f"{n:g}" if type(n) is float else str(n) for n in numbers)
        return f"{self.name}={shown} is out of range ({self.range_text})"

    @property
    def range_text(self) -> str:
        """The bounds in words: `0.001 to 10,000,000`."""
        return f"{_number(self.low)} to {_number(self.high)}"

    @property
    def option_help(self) -> str:
        """The help of the option: meaning, range and default."""
        bounded = self.type in (int, float) and self.high < 2**62
        remarks = [self.range_text] if bounded else []
        remarks += [] if self.default is None else [f"default {self.default}"]
        return f"{self.help} ({', '.join(remarks)})." if remarks else f"{self.help}."


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


PLAN_KEYS = (
    Key("games", list, "A game; may be repeated", option="game"),
    Key("engines", list, "An entrant; may be repeated", option="engine"),
    Key("kind", str, f"Who meets whom: {', '.join(KINDS)}", "round-robin", choices=KINDS),
    Key("challengers", list, "Who runs the gauntlet; may be repeated", option="challenger"),
    Key("pairs", int, "Openings a match, each played with both colours", 10, 1, _MANY),
    Key("opening_plies", int, "Random plies of an opening; by default each game's own number",
        low=0, high=1000),
    Key("seed", int, "Seed of openings and engines", 1, -(2**63), 2**63 - 1),
    Key("target_elo", float, "Play on until no rating's 95% interval is wider", low=1, high=1000),
    Key("max_pairs", int, "Most pairs a match, with a target or a test", 1000, 1,
        _MANY),
    Key("pairing", str, "With a target: even, or adaptive: where ratings are least certain",
        "even", choices=PAIRINGS),
    Key("sprt", tuple, "Play a match until a sequential test tells these differences apart",
        low=-10_000, high=10_000, metavar="ELO0 ELO1"),
    Key("alpha", float, "Chance of wrongly accepting ELO1, with --sprt", 0.05, 1e-9, 0.5),
    Key("beta", float, "Chance of wrongly accepting ELO0, with --sprt", 0.05, 1e-9, 0.5),
)

LIMIT_KEYS = (
    Key("move_timeout", float, "Wall seconds for one move, whatever the budget: it ends a hang",
        600.0, 0.001, _LONG),
    Key("game_cpu", float, "CPU seconds for all moves of one player in one game", low=0.001,
        high=_LONG),
    Key("game_wall", float, "Wall seconds for all moves of one player in one game", low=0.001,
        high=_LONG),
    Key("memory_mb", int, "Megabytes a worker process may grow by", low=64, high=_MANY),
    Key("max_failures", int, "Stop an entrant after this many failures in a row; 0: never", 10, 0,
        _MANY),
)

KEYS = {key.name: key for key in (*PLAN_KEYS, *LIMIT_KEYS)}


def defaults(keys: tuple[Key, ...]) -> dict[str, Any]:
    """The defaults of those keys that have one."""
    return {key.name: key.default for key in keys if key.default is not None}


def range_problem(values: Mapping[str, Any]) -> str:
    """Why some value, of the right type, cannot be used; "" if all can."""
    problems = (KEYS[name].range_problem(value) for name, value in values.items() if name in KEYS)
    return next(filter(None, problems), "")
