"""Settings of learners: each is declared once, with its meaning, range, default and source.

    @dataclass(frozen=True)
    class MyConfig(Settings):
        owner = "train mine"
        batch_size: int = setting(256, "positions in a step of training", low=1)

The declaration checks values, reads them from the command line and from stored JSON, and makes
the table in the docs. A dataclass may hold another one (`field(default_factory=Inner)`); all names
must differ, so that `--set name=value` finds each.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dlgo.specs import Option, parse_settings

if TYPE_CHECKING:  # `dlgo --help` reads settings and must not load the games' kernels
    from dlgo.api import GameSpec

_META = "setting"


def setting(default: Any, help: str, **more: Any) -> Any:
    """A field of a `Settings` dataclass.

    Args:
        default: its value where none is given; None without a `kind`: a text that must be given.
        help: what it is, a phrase that stands alone.
        more: of `Option`, such as low, high, choices, kind and source.
    """
    required = default is None and "kind" not in more
    option = Option("", default, help, **({"kind": str} if required else {}), **more)
    missing = dataclasses.MISSING
    return dataclasses.field(default=missing if required else default, metadata={_META: option})


class Settings:
    """Base of frozen dataclasses whose fields are made by `setting`.

    Attributes:
        owner: whose settings these are, for messages.
    """

    owner: ClassVar[str]

    @classmethod
    def options(cls) -> dict[str, Option]:
        """The settings by name, those of inner dataclasses included."""
        options = {
            field.name: dataclasses.replace(field.metadata[_META], name=field.name)
            for field in dataclasses.fields(cls) if _META in field.metadata
        }
        for inner in cls._inner().values():
            options |= inner.options()
        return options

    @classmethod
    def _inner(cls) -> dict[str, type[Settings]]:
        return {
            f.name: f.default_factory for f in dataclasses.fields(cls)
            if isinstance(f.default_factory, type) and issubclass(f.default_factory, Settings)
        }

    def check(self) -> None:
        """Raise SpecError for a value of the wrong type or out of range."""
        options = self.options()
        own = {name: getattr(self, name, None) for name in options}
        parse_settings(self.owner, options.values(),
                       {name: value for name, value in own.items() if value is not None})
        for name in self._inner():
            getattr(self, name).check()

    def to_json(self) -> dict[str, Any]:
        """As plain JSON data."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The settings that `to_json` gave.

        Raises:
            KeyError: if a setting is missing.
            TypeError: for a name that is not one of these settings'.
        """
        inner = cls._inner()
        return cls(**{
            name: inner[name].from_json(value) if name in inner else value
            for name, value in data.items()
        })

    @classmethod
    def parse(cls, texts: Iterable[str]) -> dict[str, Any]:
        """Settings as they are typed, "batch_size=512", "reuse=no"; all but the game.

        Returns:
            Values by name, those of inner dataclasses among the others.

        Raises:
            SpecError: for a setting that does not exist or has no such value.
        """
        options = [option for name, option in cls.options().items() if name != "game"]
        given = {name: value for name, _, value in (text.partition("=") for text in texts)}
        return parse_settings(cls.owner, options, given, "setting")


def preset_of(presets: Mapping[str, dict[str, Any]], game: GameSpec) -> dict[str, Any]:
    """Settings for a game: of its size of board ("go 9x9") if there are any, else of its name."""
    size = f"{game.name} {game.board_rows}x{game.board_cols}"
    return presets.get(size, presets.get(game.name, {}))
