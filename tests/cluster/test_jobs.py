"""Portions on their way to machines: each file is packed once, and kept as long as it is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.jobs.protocol import ListSource, Portion
from experiments.cluster import parcels
from experiments.cluster.jobs import _Away
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


def test_a_network_is_packed_once_and_dropped_when_no_portion_needs_it(
    networks: list[Path]
) -> None:
    used = (0, 0, 1, 0, 1, 2, 2, 0)
    given = [Portion(f"p{n}", read, ("x",), (networks[i],)) for n, i in enumerate(used)]
    put: list[bytes] = []
    kept: dict[str, bytes] = {}

    def keep(parcel: bytes) -> bytes:
        put.append(parcel)
        return parcel

    away = _Away(ListSource(given), keep, kept)
    under_way: list[Portion] = []
    away.under_way = lambda: under_way

    def send(count: int) -> list[Portion]:
        sent = away.take(count)
        for portion in sent:
            (need,) = portion.needs
            assert str(need.parent) in kept  # whoever is given it can be given the parcel
        return sent

    under_way += send(3)
    assert len(put) == len(kept) == 2
    assert [away.brought(f"p{n}") for n in range(3)] == given[:3]
    # The first is still to be done by a second machine; nothing new: nothing is packed or dropped.
    del under_way[1:]
    under_way += send(2)
    assert len(put) == len(kept) == 2
    under_way[:] = [portion for portion in under_way if portion.needs[0].name != "0001"]
    under_way += send(1)  # the third network comes; nobody needs the second any more
    assert len(put) == 3
    assert {parcels.digest_of(parcel) for parcel in (put[0], put[2])} == kept.keys()
    under_way.clear()
    assert send(1) and len(put) == 3 and len(kept) == 2
    kept.clear()  # as another run may leave it
    under_way += send(1)
    assert len(put) == 4 and put[3] == put[0]
