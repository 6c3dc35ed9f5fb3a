"""Specifications of external engines, read and built without loading them in this process.

To know its options, an engine's file has to be loaded, and loading may hang, exit or worse. So
whatever takes a specification from a user reads it by `read_spec`, and builds from that.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlgo.api import GameSpec
from dlgo.errors import SpecError
from dlgo.games import GAMES
from engines.base import Budget
from engines.isolation.channel import SHOW_OUTPUT, Host, nonsense
from engines.isolation.engine import IsolatedEngine
from engines.programs.program import ProgramError
from engines.registry import EngineSpec, is_outside

# Wall seconds for a file to be loaded, so that its options are known.
_LOAD_TIMEOUT = 30.0
# Wall seconds for a move, unless the user says otherwise.
MOVE_TIMEOUT = 600.0

# The process that has described an engine, which can build it next; its working folder.
_spare: list[tuple[Path, str, Host]] = []


def _spare_host(text: str) -> Host | None:
    while _spare:
        folder, loaded, host = _spare.pop()
        # What a file prints when it is loaded is shown by the process that plays.
        if (folder, loaded) == (Path.cwd(), text) and not os.environ.get(SHOW_OUTPUT):
            return host
        host.kill()
    return None


@dataclass(frozen=True, repr=False)
class OutsideSpec(EngineSpec):
    """Builds its engine in a process of its own; `timeout` wall seconds for that and each move."""

    timeout: float = field(default=MOVE_TIMEOUT, compare=False)

    def build(self, game: GameSpec, seed: int = 0) -> Any:
        """The engine, ready to play `game`; in this process, if no other has the game. Raises
        ProgramError if that fails."""
        if GAMES.is_given(game.called):
            return super().build(game, seed)
        engine = IsolatedEngine(
            self.text, game, self.timeout, details=True, host=_spare_host(self.text))
        try:
            engine.new_game(seed)
        except BaseException:
            engine.close()
            raise
        return engine


class LoadingError(SpecError):
    """The file of an engine cannot be loaded."""


def read_spec(text: str, timeout: float = MOVE_TIMEOUT) -> EngineSpec:
    """Like `EngineSpec.parse`, but no external code is loaded in this process,
    and such an engine has `timeout` wall seconds for a move."""
    if not is_outside(text):
        return EngineSpec.parse(text)
    return dataclasses.replace(_described(text, _LOAD_TIMEOUT), timeout=timeout)


def describe(specs: Iterable[str], timeout: float = _LOAD_TIMEOUT) -> dict[str, OutsideSpec | None]:
    """Read specifications of external engines; None for a file that cannot be loaded. Raises
    SpecError for a file or class that does not exist, or options it does not have."""
    described: dict[str, OutsideSpec | None] = {}
    for spec in specs:
        described[spec] = None
        with contextlib.suppress(LoadingError):
            described[spec] = _described(spec, timeout)
    return described


def _described(text: str, timeout: float) -> OutsideSpec:
    host = _spare_host(text) or Host()
    try:
        answer = host.ask("describe", text, timeout=timeout)
    except ProgramError as error:
        answer = {"problem": f"cannot load {text}: {error}"}
    finally:
        if not host.ended:
            _spare.append((Path.cwd(), text, host))
    if "wrong" in answer:
        raise SpecError(str(answer["wrong"]))
    if "spec" not in answer:
        raise LoadingError(str(answer.get("problem")))
    facts = answer["spec"]
    try:
        budget, settings = Budget(**facts.pop("budget")), facts.pop("settings")
        return OutsideSpec(budget=budget, settings=tuple(map(tuple, settings)), **facts)
    except (TypeError, KeyError, AttributeError):
        raise nonsense() from None
