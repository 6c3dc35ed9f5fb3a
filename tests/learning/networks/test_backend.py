"""What differs between the backends of Keras."""

from __future__ import annotations

import pytest

from engines.learning.networks import backend


@pytest.mark.parametrize(("devices", "name"), [
    (["cpu:0"], None), (["cpu:0", "gpu:0"], "gpu:0"), (["cuda:0"], "cuda:0")])
def test_jax_is_asked_for_all_devices(
    monkeypatch: pytest.MonkeyPatch, devices: list[str], name: str | None
) -> None:
    def list_devices(kind: str | None = None) -> list[str]:
        if kind and not any(device.startswith(kind) for device in devices):
            raise RuntimeError(f"Unknown backend: {kind!r} requested")  # as JAX does
        return devices

    monkeypatch.setattr(backend.keras.backend, "backend", lambda: "jax")
    monkeypatch.setattr(backend.keras.distribution, "list_devices", list_devices)
    assert backend.gpu_name() == name
