"""What a page needs to search by itself, in a worker: a part of what `dlgo export web` writes.

A process of low priority compiles it for a game and an engine when a page first asks; it is kept
with the machine code. Until then, and where an engine needs Python, the server searches.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from dlgo import GameSpec, GameState
from dlgo.digests import hex_digest
from dlgo.games import GAMES
from dlgo.jit import cache_folder
from engines.registry import EngineSpec, is_outside
from experiments.play.cell_moves import turn_text, turns_played

# Pairs of a game and an engine that a server compiles for pages.
_MOST = 200
# In a process of its own, because Numba compiles for any processor there.
COMPILE = ("import sys; from experiments import tab; tab.compile_for_any_processor(); "
           "from experiments.tab import site; site.write_scripts(*sys.argv[1:])")


class Programs:
    """Scripts for pages that search. There are none unless they are `wanted` and the extra `web` is
    installed."""

    def __init__(self, wanted: bool = False) -> None:
        self.scripts: dict[str, str] = {}  # by address
        self._homes: dict[str, str | None] = {}  # None: without scripts, perhaps not compiled yet
        self._lock, self._on = threading.Lock(), wanted and find_spec("ziglang") is not None

    def place(self, state: GameState, spec: str) -> dict[str, str]:
        """Where a page searches a position by an engine: `home`, the folder of the addresses of its
        scripts, with `game`, `moves` and `engine`. Empty if the server searches."""
        game = state.game
        if state.history()[0] != GameState.new_game(game) or not (home := self.home(game, spec)):
            return {}
        moves = " ".join(turn_text(game, moves) for _, moves in turns_played(state))
        return {"home": home, "game": str(game), "moves": moves, "engine": spec}

    def home(self, game: GameSpec, spec: str) -> str | None:
        """The folder of the addresses for an engine with any budget, or None."""
        is_built_in = GAMES.split(str(game))[0] in GAMES.built_in
        has_quotes = '"' in spec  # which pages do not read
        if not self._on or not is_built_in or is_outside(spec) or has_quotes:
            return None
        words = str(game), EngineSpec.parse(spec).family
        home = home_of(*words)
        if home not in self._homes and len(self._homes) < _MOST:
            self._homes[home] = None
            finding = threading.Thread(target=self._find, args=(home, *words), daemon=True)
            finding.start()
            if (cache_folder() / home).exists():
                finding.join()
        return self._homes.get(home)

    def _find(self, home: str, *words: str) -> None:
        file = cache_folder() / home
        if not file.exists():
            with self._lock:
                subprocess.run([sys.executable, "-c", COMPILE, home, *words], check=False,
                               stdin=subprocess.DEVNULL, capture_output=True)
        with suppress(OSError):
            scripts = json.loads(file.read_text(encoding="utf-8"))
            self.scripts |= {f"{home}{name}.js": text for name, text in scripts.items()}
            self._homes[home] = home if scripts else None


def home_of(game: str, family: str) -> str:
    """The folder of the addresses, and the name of the file with the scripts. It depends on all
    files of this project."""
    return f"{hex_digest(f'{_version()} {game} {family}')}.scripts/"


@functools.cache
def _version() -> str:
    root = Path(__file__).parents[2]
    files = [path for package in ("dlgo", "engines", "experiments")
             for path in sorted((root / package).rglob("*.*")) if path.suffix != ".pyc"]
    return hex_digest(f"{path} {path.stat().st_mtime_ns}".encode() for path in files)
