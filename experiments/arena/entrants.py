"""Turns specifications into entrants, external ones with their version.

An external engine is never loaded in this process: it may hang, exit, or read our data.

A tournament knows by entrant how the process of an untrusted one is started (`Launch`). Such an
entrant has a name of its own in the ledger (`student:alice@3f9a1c22`), which does not contain the
path of its files or its sandbox: so a ledger can continue in another folder. Its process lasts for
one game, and what a game leaves behind reaches no other: the same plan plays the same games,
whatever the order.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dlgo.api import GameSpec, GameState
from dlgo.digests import hex_digest
from dlgo.errors import DlgoError, SpecError
from dlgo.files import user_path
from dlgo.specs import split_version, with_version
from engines import registry
from engines.base import Budget, Engine
from engines.isolation.describe import describe
from engines.programs.sandbox import Sandbox
from engines.registry import EngineSpec


class Entrant(NamedTuple):
    """An engine with its budget, as plans and ledgers name it."""

    text: str  # its name: the canonical specification, with the version of an external engine
    spec: str  # the same without the version
    version: str  # of an external engine; "" for others
    is_outside: bool  # whether the engine does not belong to this project
    # Its settings and budget; None for an external engine, which is not loaded here.
    engine: EngineSpec | None = None
    label: str = ""  # its name in reports, if it has another one there

    @classmethod
    @functools.lru_cache(maxsize=1000)
    def of(cls, text: str) -> Entrant:
        """The entrant that a ledger calls `text`."""
        spec, version = registry.ENGINES.split_version(text)
        if registry.is_outside(spec):
            return cls(text, spec, version, True)
        try:
            return cls(text, spec, version, False, EngineSpec.parse(spec))
        except SpecError:  # known in the workers only, or to be made in Python yet
            return cls(text, spec, version, False)

    @property
    def budget(self) -> Budget:
        """The limits of each move, as far as they are known before the engine is built."""
        return Budget() if self.engine is None else self.engine.budget

    def build(self, game: GameSpec) -> Engine:
        """The engine, in this process. Raises SpecError for an engine that does not exist."""
        return (self.engine or EngineSpec.parse(self.spec)).build(game)


def entrants_of(specs: Iterable[str]) -> dict[str, Entrant]:
    """The entrant that each specification means, with its label; one with its version stays.

    Raises SpecError for an engine that does not exist or options it does not have.
    """
    specs = list(specs)
    new = [spec for spec in specs if Entrant.of(spec).is_outside and not Entrant.of(spec).version]
    outside = describe(new) if new else {}
    entrants: dict[str, Entrant] = {}
    for spec in specs:
        text, label = spec, ""
        if (described := outside.get(spec)) is not None:
            text, label = with_version(described.text, described.digest), described.label
        elif spec in outside:  # it cannot be loaded, and loses its games, which say why
            path = user_path(spec.partition(".py")[0] + ".py")
            content = path.read_bytes() if path.is_file() else spec.encode()
            digest = hex_digest(content, 64)
            text, label = with_version(spec, digest), f"{Path(spec).name}@{digest[:4]}"
        elif not Entrant.of(spec).is_outside:
            parsed = EngineSpec.parse(spec)
            text, label = parsed.text, parsed.title
        entrants[spec] = Entrant.of(text)._replace(label=label)
    return entrants


def canonical(text: str) -> str:
    """The specification in the form of ledgers, with its version if given; any other text
    unchanged. The file of an external engine is loaded, in another process."""
    try:
        return text if split_version(text)[1] else entrants_of([text])[text].spec
    except DlgoError:  # a name from another program, or a file that has gone
        return text


@dataclass(frozen=True)
class Launch:
    """How an entrant is started."""

    spec: str  # what is built, `FILE.py` or `FILE.py:Class`
    sandbox: Sandbox | None  # its sandbox; None: none


# By entrant, as the plan calls it.
Launches = Mapping[str, Launch]


def compile_rules(game: GameSpec, engines: Iterable[str] = ()) -> GameState:
    """Compile the rules that a bot uses, and the `engines` that it may use; returns the start of
    the game. Otherwise each game would compile what it lacks."""
    for engine in engines:
        with contextlib.suppress(DlgoError):  # it does not play this game
            registry.build_engine(engine, game).warm_up()
    state = start = GameState.new_game(game)
    for _ in range(10):
        state = state if state.is_over() else state.apply_move(state.legal_moves()[0])
    state.next_player, state.winner(), state.key(), hash(state), str(state)  # noqa: B018
    return start
