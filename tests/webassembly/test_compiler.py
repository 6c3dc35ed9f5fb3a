"""What kernels may take, return and call as WebAssembly; what they may not is one line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from dlgo import get_game, kernels
from dlgo.errors import DlgoError
from dlgo.jit import kernel
from dlgo.webassembly.compiler import compile_kernels
from dlgo.webassembly.memory import argument_types, lay_out
from tests.conftest import one_line_error
from tests.webassembly.node import needs_node, run_in_node

pytestmark = needs_node

KNIGHTTHROUGH = Path(__file__).parents[1] / "own_games/knightthrough.py"


class Pair(NamedTuple):
    rows: np.ndarray
    columns: np.ndarray  # the same memory


@kernel
def views(array, i):
    """Arrays, from a function that is too long to be pasted into its caller."""
    total = 0
    for k in range(len(array)):
        for j in range(array.shape[1]):
            total = (total * 7 + array[k, j] // 3) % 1001
            if total % 11 == 3:
                total -= i
    return array[i], total, array[:, i]


@kernel
def mix(pair, scale, half, flag, n):
    row, total, column = views(pair.rows, 0)
    next_row, more, next_column = views(pair.rows, n)
    pair.columns[n, 0] += 100
    total += more + row[3] * next_row[2] - column[1] * next_column[2]
    power = scale ** 1.5 + math.log(scale) + math.tanh(scale) + math.exp(half)
    return total, power, half * half, flag, pair.rows.reshape(12)[n]


@kernel
def small(n):
    if n > 2:
        raise ValueError("too large")
    return n


@kernel
def gamma(x):
    return math.gamma(x)


def test_arguments_and_results(tmp_path: Path) -> None:
    """Tuples, views of the same memory, numbers of all kinds; some replaced."""
    array = np.arange(12).reshape(3, 4) * 5 % 17
    arguments = (Pair(array, array.T), 0.7, np.float32(0.25), True, 1)
    calls = {"mix": (mix, arguments), "small": (small, (1,))}
    image = lay_out(calls)
    results, after = run_in_node(
        tmp_path, calls, image, ("mix", {}), ("mix", {"n": 0, "scale": 2, "flag": 0}),
        ("small", {}), ("small", {"n": 3}), ("small", {"m": 3}))
    others = arguments[0], 2.0, np.float32(0.25), False, 0
    for result, native in zip(results, (mix(*arguments), mix(*others)), strict=False):
        assert result == pytest.approx(native, rel=1e-14)
    assert after == lay_out(calls).content
    assert results[2] == 1 and "small raised" in results[3] and "no parameter m" in results[4]


def test_what_kernels_may_not_do_is_one_line(tmp_path: Path) -> None:
    """The line says where: for rules that allocate, in the file of the user's game."""
    wrong = "return np.full(1, state.words[TURN])[0]"
    head, tail = KNIGHTTHROUGH.read_text().split("return state.words[TURN]\n")
    file = tmp_path / "wrong.py"
    file.write_text(f"{head}{wrong}\n{tail}")
    state = get_game(f"{file}:size=4").new_kernel_state()

    @kernel
    def player(state):
        return kernels.to_move(state)

    line = len(head.splitlines())
    with one_line_error(DlgoError, f"player ({file}:{line}) to WebAssembly: "):
        compile_kernels({"f": (player, argument_types((state,)))})
    line = gamma.py_func.__code__.co_firstlineno
    with one_line_error(DlgoError, f"gamma ({__file__}:{line}) to WebAssembly: it calls "):
        compile_kernels({"f": (gamma, argument_types((0.5,)))})
    with one_line_error(DlgoError, "n is str"):
        lay_out({"small": (small, ("three",))})
    with one_line_error(DlgoError, "shape (2, 3) has gaps in memory or overlaps itself"):
        lay_out({"small": (small, (np.lib.stride_tricks.sliding_window_view(np.zeros(4), 3),))})


def test_a_missing_linker_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dlgo.extras.find_spec", lambda name: None)
    with one_line_error(DlgoError, 'pip install "dlgo-suite[web]"'):
        compile_kernels({})
