"""Portions on their way to machines: each file is packed once."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.jobs import Portion
from experiments.cluster import parcels
from experiments.cluster.jobs import Packer
from tests.jobs.test_jobs import read


@pytest.fixture
def networks(tmp_path: Path) -> list[Path]:
    """Three folders with a file each."""
    folders = []
    for number in range(3):
        folder = tmp_path / f"{number:04d}"
        folder.mkdir()
        (folder / "weights").write_text(f"weights {number}")
        folders.append(folder)
    return folders


def test_a_network_is_packed_once(networks: list[Path]) -> None:
    used = (0, 0, 1, 0, 1, 2, 2, 0)
    given = [Portion(f"p{n}", read, ("x",), (networks[i],)) for n, i in enumerate(used)]
    put: list[bytes] = []
    packer = Packer(lambda parcel: put.append(parcel) or len(put))
    sent = [packer.sent(portion) for portion in given]
    assert [item.task for item in sent] == given
    assert len(put) == 3
    for item, number in zip(sent, used, strict=True):
        ((digest, reference),) = item.parcels
        parcel = put[reference - 1]
        assert digest == parcels.digest_of(parcel) and f"weights {number}".encode() in parcel
