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
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dlgo.errors import SpecError
from dlgo.specs import Option, suggest

if TYPE_CHECKING:  # `dlgo --help` reads settings and must not load the games' kernels
    from dlgo.api import GameSpec

_META = "setting"


def setting(
    default: Any, help: str, *, low: float = -math.inf, high: float = math.inf,
    choices: tuple[str, ...] = (), kind: type | None = None, source: str = "",
) -> Any:
    """A field of a `Settings` dataclass.

    Args:
        default: its value where none is given; None without a `kind`: a text that must be given.
        help: what it is, a phrase that stands alone.
        low, high: inclusive bounds of a number.
        choices: the allowed values of a text.
        kind: of its values, where the default is None.
        source: the paper it comes from.
    """
    required = default is None and kind is None
    meta = {"source": source, _META: {
        "default": default, "help": help, "low": low, "high": high, "choices": choices,
        "kind": str if required else kind,
    }}
    missing = dataclasses.MISSING
    return dataclasses.field(default=missing if required else default, metadata=meta)


class Settings:
    """Base of frozen dataclasses whose fields are made by `setting`.

    Attributes:
        owner: whose settings these are, for messages.
    """

    owner: ClassVar[str]

    @classmethod
    def options(cls) -> dict[str, Option]:
        """The settings by name, those of inner dataclasses included."""
        return {field.name: Option(field.name, **field.metadata[_META]) for field in cls._fields()}

    @classmethod
    def _fields(cls) -> Iterator[dataclasses.Field]:
        for field in dataclasses.fields(cls):
            if _META in field.metadata:
                yield field
        for inner in cls._inner().values():
            yield from inner._fields()

    @classmethod
    def _inner(cls) -> dict[str, type[Settings]]:
        return {
            f.name: f.default_factory for f in dataclasses.fields(cls)
            if isinstance(f.default_factory, type) and issubclass(f.default_factory, Settings)
        }

    def check(self) -> None:
        """Raise SpecError for a value of the wrong type or out of range."""
        inner = self._inner()
        for name, option in self.options().items():
            if getattr(self, name, None) is not None:
                option.parse(setting_text(getattr(self, name)), self.owner)
        for name in inner:
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
    def parse(cls, texts: Iterable[str], without: Iterable[str] = ()) -> dict[str, Any]:
        """Settings as they are typed: "batch_size=512", "reuse=no".

        Args:
            without: names that cannot be set in this way.

        Returns:
            Values by name, those of inner dataclasses among the others.

        Raises:
            SpecError: for a setting that does not exist or has no such value.
        """
        options = {
            name: option for name, option in cls.options().items() if name not in without
        }
        values: dict[str, Any] = {}
        for text in texts:
            name, _, value = text.partition("=")
            if name not in options:
                raise SpecError(
                    f"{cls.owner} has no setting {name!r}{suggest(name, options)}; it has "
                    f"{', '.join(sorted(options))}"
                )
            values[name] = options[name].parse(value, cls.owner)
        return values

    @classmethod
    def rows(cls) -> Iterator[tuple[str, str, str, str, str]]:
        """For listings: (name, default, range, meaning, source) of each setting."""
        for field, option in zip(cls._fields(), cls.options().values(), strict=True):
            default = "" if option.default is None else setting_text(option.default)
            yield (field.name, default, option.range_text(), option.help,
                   field.metadata["source"])


def setting_text(value: Any) -> str:
    """A value as `Settings.parse` reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def markdown_table(config: type[Settings], base: type[Settings] | None = None) -> str:
    """The settings as a table for the docs.

    Args:
        base: a class whose settings stand in another table; only what differs is listed.
    """
    lines = ["| setting | default | range | meaning |", "|---|---|---|---|"]
    elsewhere = set(base.rows()) if base else set()
    for row in config.rows():
        if row in elsewhere:
            continue
        name, default, limits, meaning, source = row
        shown = f"`{default}`" if default else ""
        lines.append(f"| `{name}` | {shown} | {limits} | {meaning}"
                     f"{f' ({source})' if source else ''} |")
    return "\n".join(lines) + "\n"


def preset_of(presets: Mapping[str, dict[str, Any]], game: GameSpec) -> dict[str, Any]:
    """Settings for a game: of its size of board ("go 9x9") if there are any, else of its name."""
    size = f"{game.name} {game.board_rows}x{game.board_cols}"
    return presets.get(size, presets.get(game.name, {}))
