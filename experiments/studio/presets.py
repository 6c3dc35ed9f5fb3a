"""Prepared examples for the chapters of the course, from `presets.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple


class Preset(NamedTuple):
    """A prepared example."""

    chapter: str  # of CHAPTERS
    name: str  # in addresses
    view: str  # `inside`, `analyse`, `play` or `review`
    title: str
    look_for: str
    game: str
    moves: str = ""
    engine: str = ""  # of the views Inside and Analyse; "exact" in Analyse: exact values
    players: tuple[str, str] = ("human", "human")
    seed: int = 1


_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
# Titles of the chapter pages with something to show, notebooks/NAME.py.
CHAPTERS = {chapter["name"]: chapter["title"] for chapter in _FILE["chapter"]}
PRESETS = tuple(
    Preset(chapter["name"], **preset)
    for chapter in _FILE["chapter"] for preset in chapter["preset"]
)
BY_NAME = {preset.name: preset for preset in PRESETS}
