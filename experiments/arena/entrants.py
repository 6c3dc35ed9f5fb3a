"""Turns specifications into entrants, external ones with their version.

An external engine is never loaded in this process: it may hang, exit, or read our data.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from dlgo.digests import hex_digest
from dlgo.errors import DlgoError, SpecError
from dlgo.specs import split_version, with_version
from engines import registry
from engines.base import Budget
from engines.isolation.describe import describe
from engines.registry import EngineSpec


class Entrant(NamedTuple):
    """The parsed text of an entrant."""

    spec: str  # without a version
    version: str  # of an external engine; "" for others
    is_outside: bool  # whether the engine does not belong to this project
    budget: Budget = Budget()  # of each move, if known before the engine is built
    is_counted: bool = False  # whether no time limits it, so that it plays the same moves again

    @classmethod
    @functools.lru_cache(maxsize=1000)
    def of(cls, text: str) -> Entrant:
        """The entrant with this text."""
        spec, version = split_version(text)
        if registry.is_outside(spec):
            return cls(spec, version, True)
        try:
            parsed = EngineSpec.parse(spec)
        except SpecError:  # known in the workers only
            return cls(spec, version, False)
        budget, external = parsed.budget, registry.engine_class(parsed.name).external
        timed = (budget.cpu, budget.wall) != (None, None)
        return cls(spec, version, False, budget, not (timed or external))


def entrants_of(specs: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The entrant that each specification means, and how people see it; one with its version stays.

    Raises SpecError for an engine that does not exist or options it does not have.
    """
    specs = list(specs)
    new = [spec for spec in specs if Entrant.of(spec).is_outside and not Entrant.of(spec).version]
    outside = describe(new) if new else {}
    entrants = {}
    for spec in specs:
        if (read := outside.get(spec)) is not None:
            entrants[spec] = with_version(read.text, read.digest), read.label
        elif spec in outside:  # it cannot be loaded, and loses its games, which say why
            path = Path(spec.partition(".py")[0] + ".py").expanduser()
            content = path.read_bytes() if path.is_file() else spec.encode()
            digest = hex_digest(content, 64)
            entrants[spec] = with_version(spec, digest), f"{Path(spec).name}@{digest[:4]}"
        elif Entrant.of(spec).is_outside:
            entrants[spec] = spec, ""
        else:
            parsed = EngineSpec.parse(spec)
            entrants[spec] = parsed.text, parsed.title
    return entrants


def canonical(text: str) -> str:
    """The specification in the form of ledgers, with its version if given; any other text
    unchanged. The file of an external engine is loaded, in another process."""
    try:
        return text if split_version(text)[1] else split_version(entrants_of([text])[text][0])[0]
    except DlgoError:  # a name from another program, or a file that has gone
        return text
