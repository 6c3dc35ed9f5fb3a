"""bfloat16 is taken where training is faster with it, which is measured once a machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engines.learning.networks import measured, precision
from engines.learning.networks.precision import training_precision

pytest.importorskip("keras")


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    from engines.learning.networks import backend

    monkeypatch.setattr(backend, "gpu_name", lambda: None)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is remembered."""
    monkeypatch.setattr(measured, "base_folder", lambda: tmp_path)
    return tmp_path / "precision"


@pytest.fixture
def tried(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Says what is measured on which processor; a list that is longer after each measurement."""
    def set_rates(mixed: float, flags: str = "sse2 avx512_bf16") -> list[str]:
        times: list[str] = []

        def measure() -> dict[str, float]:
            times.append(flags)
            return {"float32": 10.0, "mixed": mixed}

        monkeypatch.setattr(precision, "processor", lambda: ("a processor", flags))
        monkeypatch.setattr(precision, "_try_both", measure)
        return times

    return set_rates


@pytest.mark.parametrize(("mixed", "wanted"), [
    (5.6, "float32"), (10.0, "float32"), (10.9, "float32"), (11.1, "mixed"), (20.0, "mixed"),
])
def test_bfloat16_must_be_a_tenth_faster_and_is_tried_once(tried, mixed, wanted) -> None:
    times = tried(mixed)
    assert [training_precision() for _ in range(3)] == [wanted] * 3
    assert len(times) == 1


def test_without_instructions_for_it_nothing_is_tried(tried) -> None:
    assert not tried(20.0, "sse2 avx2") and training_precision() == "float32"
