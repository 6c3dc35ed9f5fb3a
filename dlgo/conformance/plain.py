"""Kernel states whose arrays compute in plain Python as they do in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo.api import GameSpec


class _PlainIntegers(np.ndarray):
    """An array whose elements are Python's numbers: they compute with at least 64 bits, like
    compiled code, where NumPy's int8 would overflow. Stored values wrap around, as in compiled
    code."""

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            super().__setitem__(index, value)
        except OverflowError:
            word = np.array(int(value) & 2**64 - 1, np.uint64)
            super().__setitem__(index, word.astype(self.dtype))

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int and self.ndim == 1:
            return self.item(index)
        value = super().__getitem__(index)
        return value.item() if isinstance(value, np.generic) else value


def use_plain_integers(game: GameSpec) -> None:
    """Make the states of a game compute as in compiled code where kernels run as plain Python."""
    make = game.new_kernel_state
    game.new_kernel_state = lambda: _plain(make())  # type: ignore[method-assign]


def _plain(arrays: Any) -> Any:
    return type(arrays)(*(array.view(_PlainIntegers) for array in arrays))
