"""Arrays in a file with a header and a checksum: written whole or not at all, read without code.

Shards of games and experience are such files: NumPy archives (`.npz`) whose member `header` is JSON
and whose member `checksum` is a SHA-256 of all the others.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from dlgo.errors import DataError, ForeignFileError
from dlgo.files import open_output
from dlgo.readers import check_archive, check_format, read_json

# Far above any file of this project; a small file can claim to unpack to anything.
MAX_BYTES = 2**31


def digest_of(arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of arrays with their names, types and shapes, in hexadecimal."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape};".encode())
        digest.update(array.data)
    return digest.hexdigest()


def save_arrays(
    file: IO[bytes], header: Mapping[str, Any], arrays: Mapping[str, np.ndarray],
    compressed: bool = True,
) -> None:
    """Write header (JSON values; `format` identifies the file) and arrays into an open file.

    Compressed, it takes half the room and about ten times the time.
    """
    text = json.dumps(dict(header), sort_keys=True)
    members: dict[str, Any] = {**arrays, "header": np.frombuffer(text.encode(), np.uint8)}
    members["checksum"] = np.frombuffer(bytes.fromhex(digest_of(members)), np.uint8)
    (np.savez_compressed if compressed else np.savez)(file, **members)


def write_arrays(
    path: Path, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray],
    compressed: bool = True,
) -> Path:
    """Write a file, whole or not at all. Raises DataError that names it and why it cannot be."""
    with open_output(
        path, error=DataError, remedy="make room, and run the same command again"
    ) as file:
        save_arrays(file, header, arrays, compressed)
    return path


def read_arrays(
    path: Path, form: str, names: Sequence[str], verify: bool = True
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file; to be called within `reading`, whatever it raises.

    Args:
        form: the format that its header must name.
        names: of the arrays it must have; others are left alone.
        verify: compare the checksum; a file that has just been checked needs no second time.
    """
    check_archive(path)
    with zipfile.ZipFile(path) as container:
        if sum(member.file_size for member in container.infolist()) > MAX_BYTES:
            raise ValueError(f"it unpacks to more than {MAX_BYTES >> 30} GiB")
    with np.load(path, allow_pickle=False) as file:
        expected = {*names, "header", "checksum"}
        if not expected & set(file.files):
            raise ForeignFileError(f"it has none of the arrays {', '.join(sorted(expected))}")
        if "header" in file.files:  # before the arrays, which another format may lack
            check_format(read_json(file["header"].tobytes(), "its header").get("format"), form)
        missing = sorted(expected - set(file.files))
        if missing:
            raise ValueError(f"it has no array {', '.join(missing)}")
        # A zip member is checked against its CRC only when it is read to the end.
        arrays = {name: file[name] for name in (*names, "header", "checksum")}
    checksum = arrays.pop("checksum").tobytes().hex()
    if verify and checksum != digest_of(arrays):
        raise ValueError("its content does not match its checksum")
    header = read_json(arrays.pop("header").tobytes(), "its header")
    if not isinstance(header["provenance"], dict):
        raise ValueError("its provenance is not a table")
    return header, arrays


def check_arrays(
    arrays: Mapping[str, np.ndarray], lengths: Mapping[str, int], kinds: str = "iu"
) -> None:
    """Raise ValueError unless each array is a row of that length, of numbers of these kinds."""
    for name, length in lengths.items():
        array = arrays[name]
        if array.shape != (length,) or array.dtype.kind not in kinds:
            raise ValueError(
                f"array {name} is {array.dtype}{list(array.shape)}, not of length {length}")
        if kinds == "f" and not np.isfinite(array).all():
            raise ValueError(f"array {name} holds a number that is not finite")


def check_range(
    name: str, numbers: np.ndarray, limits: tuple[float, float], description: str
) -> None:
    """Raise ValueError with the description if a number of the array is outside the limits."""
    if numbers.size and not limits[0] <= numbers.min() <= numbers.max() <= limits[1]:
        raise ValueError(f"array {name} holds {description}")


def smallest(numbers: np.ndarray, highest: int) -> np.ndarray:
    """Numbers from 0 in as few bytes as the highest possible one takes."""
    return numbers.astype(np.min_scalar_type(max(highest, 0)))
