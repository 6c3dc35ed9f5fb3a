"""Names of a report's files."""

from __future__ import annotations

import re


def file_slug(game: str) -> str:
    """A game specification as part of a file name: `go:size=9,komi=7` is `go-size9-komi7`.

    Whatever else a ledger may call a game, the result is neither a path nor a hidden file.
    """
    slug = game.replace(":", "-").replace("=", "").replace(",", "-")
    return re.sub(r"[^A-Za-z0-9._-]", "_", slug).lstrip(".")
