"""Digests: names for contents that are the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

# Hexadecimal digits of an identity: no two contents of this project will ever share one.
IDENTITY = 32


def hex_digest(parts: bytes | str | Iterable[bytes], digits: int = IDENTITY) -> str:
    """The first digits of SHA-256, in hexadecimal, of bytes, a text (as UTF-8) or bytes in a row.

    Args:
        digits: 64 are all of them; fewer than `IDENTITY` only where people read them, or where
            stored values have fewer.
    """
    parts = parts.encode() if isinstance(parts, str) else parts
    digest = hashlib.sha256()
    for part in [parts] if isinstance(parts, bytes) else parts:
        digest.update(part)
    return digest.hexdigest()[:digits]
