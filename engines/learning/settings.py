"""Settings of learners, each declared once with meaning, range, default and source.

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
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dlgo.errors import DlgoError, SpecError, VersionError
from dlgo.specs import Option, parse_settings

if TYPE_CHECKING:  # `dlgo --help` reads settings and must not load the games' kernels
    from dlgo.api import GameSpec

_META = "setting"
# A setting of a run with this value takes what the run began with.
AUTO = "auto"


def setting(default: Any, help: str, **more: Any) -> Any:
    """A field of a `Settings` dataclass; `more` is of `Option`: low, high, choices, kind, source.

    With the default None and no `kind`, a text must be given. The help is a phrase that stands
    alone.
    """
    required = default is None and "kind" not in more
    if required:
        more["kind"] = str
    option = Option("", default, help, **more)
    missing = dataclasses.MISSING
    return dataclasses.field(default=missing if required else default, metadata={_META: option})


def cpu_minutes_setting() -> Any:
    """The setting `cpu_minutes`, of learners."""
    return setting(
        0.0, "CPU minutes after which the run ends, whatever the number of iterations or epochs; "
        "0: no limit", low=0, high=1e6)


def curves_setting() -> Any:
    """The setting `curves`, of learners."""
    return setting(True, "draw the curves of the run, curves.png")


@dataclasses.dataclass(frozen=True)
class Settings:
    """Base of frozen dataclasses whose fields are made by `setting`."""

    owner: ClassVar[str]  # the command that has these settings, for messages

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
        factories: dict[str, Any] = {
            field.name: field.default_factory for field in dataclasses.fields(cls)}
        return {
            name: factory for name, factory in factories.items()
            if isinstance(factory, type) and issubclass(factory, Settings)
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
        """The settings that `to_json` gave. Raises TypeError if one is missing, VersionError for a
        name that is not one of them; to be called within `reading`."""
        inner = cls._inner()
        if unknown := data.keys() - {field.name for field in dataclasses.fields(cls)}:
            raise VersionError(f"has the setting {min(unknown)!r}, unknown to this version of dlgo")
        return cls(**{
            name: inner[name].from_json(value) if name in inner else value
            for name, value in data.items()
        })

    @classmethod
    def values_in(cls, owner: str, table: Mapping[str, Any]) -> dict[str, Any]:
        """The values in a table of a file, checked. Raises SpecError, naming the `owner`, for a
        wrong or a missing one."""
        values = parse_settings(owner, cls.options().values(), table, "key")
        for field in dataclasses.fields(cls):
            required = _META in field.metadata and field.default is dataclasses.MISSING
            if required and field.name not in values:
                raise SpecError(f"{owner} lacks the key {field.name}")
        return values

    @classmethod
    def from_table(cls, owner: str, table: Mapping[str, Any], **more: Any) -> Self:
        """The settings in a table of a file, checked; `more` are fields that are not settings.
        Raises SpecError, naming the `owner`, for a wrong or a missing one."""
        settings = cls(**cls.values_in(owner, table), **more)
        try:
            settings.check()
        except DlgoError as error:
            raise SpecError(f"{owner}: {error}") from None
        return settings

    @classmethod
    def parse(cls, texts: Iterable[str]) -> dict[str, Any]:
        """Settings from texts, "batch_size=512", "reuse=no"; all except the game.

        Returns values by name, including those of inner dataclasses. Raises SpecError for an
        unknown setting or a bad value.
        """
        options = [option for name, option in cls.options().items() if name != "game"]
        values = {name: value for name, _, value in (text.partition("=") for text in texts)}
        return parse_settings(cls.owner, options, values, "setting")


class RunConfig(Settings):
    """Settings of a run: equal settings give equal networks. Some may change while it continues."""

    # The learner's name, stored with the settings where it has one here.
    method: ClassVar[str] = ""
    iterations: int  # number after which the run is finished
    # Or a limit of time, as `cpu_minutes_setting`; the networks then depend on the machine.
    cpu_minutes = 0.0
    curves = True  # whether curves.png is drawn, as `curves_setting`

    def to_json(self) -> dict[str, Any]:
        return ({"method": self.method} if self.method else {}) | super().to_json()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return super().from_json({key: value for key, value in data.items() if key != "method"})

    def changeable(self) -> set[str]:
        """Settings that may differ when a run continues."""
        return {"iterations", "cpu_minutes", "curves"}

    def finished(self, history: Sequence[Mapping[str, float]]) -> bool:
        """Whether a run with this history is complete."""
        return self.done(history) >= 1 if self.cpu_minutes else len(history) >= self.iterations

    def done(self, history: Sequence[Mapping[str, float]]) -> float:
        """The share of a run that is done, by which schedules go: 0 before its first iteration, 1
        before the last one; with a limit of time, after it."""
        if self.cpu_minutes:
            return min(sum(row["cpu_seconds"] for row in history) / (60 * self.cpu_minutes), 1.0)
        return len(history) / max(self.iterations - 1, 1)

    def after(self, iterations: int) -> str:
        """How far a run is, in words."""
        if self.cpu_minutes:
            return f"iteration {iterations}, until {self.cpu_minutes:g} CPU minutes are spent"
        return f"iteration {iterations} of {self.iterations}"

    def resolve_auto(self, run_config: RunConfig) -> Self:
        """The same settings, with the stored values in place of `AUTO`."""
        changes = {
            field.name: getattr(run_config, field.name) for field in dataclasses.fields(self)
            if getattr(self, field.name) == AUTO
        }
        return dataclasses.replace(self, **changes)

    def differences(self, run_config: RunConfig) -> list[str]:
        """The stored settings that prevent the run from continuing: ["seed=1", ...]."""
        mine, theirs = _flat(self.to_json()), _flat(run_config.to_json())
        return [
            f"{key}={theirs.get(key)}" for key in mine
            if key not in self.changeable() and mine[key] != theirs.get(key)
        ]


def preset_of(presets: Mapping[str, dict[str, Any]], game: GameSpec) -> dict[str, Any]:
    """Settings for a game: of its size of board ("go 9x9") if there are any, else of its name."""
    size = f"{game.name} {game.board_rows}x{game.board_cols}"
    return presets.get(size, presets.get(game.name, {}))


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    """Settings with those of inner tables beside them; no two have the same name."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        flat |= _flat(value) if isinstance(value, dict) else {key: value}
    return flat
