"""What a run is told to do, and what of it may change while the run goes on.

Equal configurations give equal networks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Self

from engines.learning.settings import Settings

# A setting with this value takes what the run began with.
AUTO = "auto"


class RunConfig(Settings):
    """Base of configurations: frozen dataclasses of settings.

    Attributes:
        iterations: number after which the run is finished.
    """

    iterations: int

    def changeable(self) -> set[str]:
        """Settings that may differ when a run goes on."""
        return {"iterations"}

    def finished(self, history: Sequence[Mapping[str, float]]) -> bool:
        """Whether a run with this history has nothing more to do."""
        return len(history) >= self.iterations

    def adopting(self, stored: RunConfig) -> Self:
        """The same with the stored values in place of `AUTO`."""
        chosen = {
            field.name: getattr(stored, field.name) for field in dataclasses.fields(self)
            if getattr(self, field.name) == AUTO
        }
        return dataclasses.replace(self, **chosen)

    def differences(self, stored: RunConfig) -> list[str]:
        """The stored settings that stand in the way of going on: ["seed=1", ...]."""
        mine, theirs = _flat(self.to_json()), _flat(stored.to_json())
        return [
            f"{key}={theirs.get(key)}" for key in mine
            if key not in self.changeable() and mine[key] != theirs.get(key)
        ]


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    """Settings with those of inner tables beside them; no two have the same name."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        flat |= _flat(value) if isinstance(value, dict) else {key: value}
    return flat
