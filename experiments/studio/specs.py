"""Which games and engines a browser may name.

A specification over the web comes from anywhere. One that would run a file, a module or a
command line is refused, unless the server was started with it (`--allow`); so is a model that
did not come with the package, since its name is a path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from dlgo import GameSpec, get_game
from dlgo.errors import DlgoError, SpecError
from dlgo.games import GAMES
from dlgo.plugins import PluginGroup
from dlgo.specs import split_settings
from dlgo.text import one_line
from engines.registry import ENGINES, EngineSpec, engine_class, is_outside
from experiments.studio.replies import StudioError

HUMAN = "human"
# Characters of a specification.
_LONGEST = 400
# Engines that ask engines that ask engines.
_DEEPEST = 3


class Allowed:
    """The specifications that pages may use; external ones only from `--allow`.

    Each is a file, a class in it (`my_bot.py:Greedy`), or a whole specification
    (`gtp:command=gnugo --mode gtp`).
    """

    def __init__(self, specs: Iterable[str] = ()) -> None:
        self.specs = tuple(spec.strip() for spec in specs)

    def games(self) -> list[str]:
        """The files with games, judged by their text: no code is run for this."""
        return [spec for spec in self.specs if _holds_game(Path(f"{spec.partition('.py')[0]}.py"))]

    def game(self, text: object) -> GameSpec:
        """The game that a browser names. Raises StudioError or SpecError."""
        text = _checked(text, "game")
        name, _ = GAMES.split(text)
        self._refuse_outside(GAMES, name, text)
        return get_game(text)

    def player(self, text: object) -> str:
        """`human`, or an engine as `engine` returns it."""
        text = _checked(text, "player")
        return HUMAN if text.lower() == HUMAN else self.engine(text)

    def player_or_human(self, text: object) -> str:
        """The player of a file, if it may be started without asking; else a person."""
        try:
            return self.player(text)
        except DlgoError:
            return HUMAN

    def engine(self, text: object, depth: int = 0) -> str:
        """The specification of an engine that a browser names, in its canonical form.

        An external one is returned unchanged: its file is loaded in another process. Raises
        StudioError or SpecError.
        """
        text = _checked(text, "engine")
        name, options = ENGINES.split(text)
        installed = name in ENGINES.names() and name not in ENGINES.built_in
        if self._refuse_outside(ENGINES, name, text) or installed:
            return text
        if text not in self.specs:
            self._check_options(name, options, text, depth)
        return text if is_outside(text) else EngineSpec.parse(text).text

    def _check_options(self, name: str, options: str | None, text: str, depth: int) -> None:
        """Refuse settings that make our engines start programs or read files; loads no code for
        this."""
        from engines.learning.networks.store import shipped_models

        engine = engine_class(name)
        given = split_settings(options, f"engine {text!r}", engine.bare_option)
        for option in engine.options:
            if option.type is not str:
                continue
            value = given.get(option.name)
            if value is None or value in option.choices or (option.choices and not option.function):
                continue
            if option.nests and depth < _DEEPEST:
                self.engine(value, depth + 1)
            elif option.name not in ("model", "prior") or value not in shipped_models():
                raise _refusal(f"engine {name}: {option.name}={value!r}", text)

    def _refuse_outside(self, group: PluginGroup, name: str, text: str) -> bool:
        """Whether it is a file. Raises StudioError if the file is not allowed."""
        if not group.is_file(name):
            return False
        allowed = {os.path.normpath(spec) for spec in self.specs}
        whole, file = os.path.normpath(name), os.path.normpath(name.partition(":")[0])
        if whole in allowed or (file in allowed and file.endswith(".py")) or text in self.specs:
            return True
        raise _refusal(f"{group.noun} {name!r}", text)


def _holds_game(path: Path) -> bool:
    try:
        return bool(re.search(r"(?m)^class .*\bGameSpec\b", path.read_text(errors="replace")))
    except OSError:
        return False


def _refusal(message: str, text: str) -> StudioError:
    return StudioError(one_line(
        f"{message} would run or read files outside dlgo; start the server with "
        f"--allow {text!r} to permit it"
    ), 403)


def _checked(text: object, label: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise StudioError(f"name a {label}")
    if len(text) > _LONGEST:
        raise SpecError(f"the {label} has {len(text)} characters; {_LONGEST} are allowed")
    return text.strip()
