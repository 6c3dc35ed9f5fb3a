"""What `dlgo.numba_internals` takes from Numba, tried in the installed release.

Each test says what depends on it. To try another release: install it, with pytest, in an
environment of its own, and run this file there.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest

from dlgo import numba_internals


def increment(x):
    return x + 1


def compiled(function=increment, **options):
    return numba.njit(no_cfunc_wrapper=True, **numba_internals.OPTIONS, **options)(function)


def test_kernels_count_no_references() -> None:
    """The option `_nrt`: the speed of rollouts. Without counts, no new array could be freed."""
    def allocate(n):
        return np.zeros(n).sum()

    assert numba.njit(allocate)(3) == 0
    with pytest.raises(numba.errors.NumbaError, match="NRT required|Only accept returning"):
        compiled(allocate)(3)


def test_events_say_when_it_compiles() -> None:
    """`event`: the clocks of budgets stop, and people read why they wait."""
    class Log(numba_internals.event.Listener):
        def __init__(self) -> None:
            self.kinds: list[str] = []

        def on_start(self, event: numba_internals.event.Event) -> None:
            self.kinds.append(event.kind)

        def on_end(self, event: numba_internals.event.Event) -> None:
            self.kinds.append(f"/{event.kind}")

    log = Log()
    for kind in ("numba:compile", "numba:compiler_lock"):
        numba_internals.event.register(kind, log)
    function = compiled()
    assert function(1) == 2
    assert log.kinds[0] == "numba:compiler_lock" and log.kinds[-1] == "/numba:compiler_lock"
    assert log.kinds.count("numba:compile") == log.kinds.count("/numba:compile") == 1
    log.kinds.clear()
    assert function(2) == 3
    assert not log.kinds


def test_machine_code_is_written_and_loaded() -> None:
    """`_cache`, `_reduce`, `_rebuild`: the cache of machine code."""
    files: dict[tuple, bytes] = {}

    def with_cache():
        function = compiled()
        numba_internals.set_cache(
            function, lambda arguments, processor: files.get((*arguments, processor)),
            lambda arguments, processor, content: files.update({(*arguments, processor): content}),
        )
        return function

    assert with_cache()(1) == 2 and with_cache()(0.5) == 1.5
    assert [key[0] for key in files] == [numba.int64, numba.float64]
    loaded = with_cache()
    assert loaded(1) == 2
    assert loaded.stats.cache_hits and not loaded.stats.cache_misses


def test_compiled_code_calls_the_inner_form() -> None:
    """`get_call_template`, `get_overload`: a quarter of the time to compile."""
    outer_form, inner_form = compiled(), compiled(no_cpython_wrapper=True)
    numba_internals.set_inner_form(outer_form, lambda: inner_form)

    @numba.njit
    def caller(x):
        return outer_form(1) + outer_form(x=x)

    assert caller(5) == 8
    assert inner_form.signatures == [(numba.int64,)]  # a constant and a variable are the same
    assert not outer_form.signatures
    assert outer_form(1) == 2
