"""Boards in a browser: ES modules and a style sheet, sent by a server or written into a page.

`boards/` draws what `dlgo/display.py` describes. The studio serves these files. A page in a single
file contains them as `data:` addresses; an import map gives them their names.
"""

from __future__ import annotations

import base64
import json
import posixpath
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
_IMPORT = re.compile(r'(\bfrom\s+|\bimport\s+)"(\.[^"]+)"')


def source(name: str, *folders: Path) -> str:
    """The text of a file of `folders`, or else of this one, by its path there."""
    path = next(path for folder in (*folders, FOLDER) if (path := folder / name).is_file())
    return path.read_text(encoding="utf-8")


def scripts(entry: str, name: str, data: Any, *folders: Path) -> str:
    """Script elements for a page: its `data` as JSON, in an element called `name`, and a module.

    The module `entry` runs. What it imports comes with it, from this folder and from `folders`.
    """
    modules: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        path = waiting.pop()
        if f"dlgo/{path}" in modules:
            continue

        def named(match: re.Match[str], folder: str = posixpath.dirname(path)) -> str:
            target = posixpath.normpath(posixpath.join(folder, match[2]))
            waiting.append(target)
            return f"{match[1]}{json.dumps(f'dlgo/{target}')}"

        code = base64.b64encode(_IMPORT.sub(named, source(path, *folders)).encode()).decode()
        modules[f"dlgo/{path}"] = f"data:text/javascript;base64,{code}"
    return (
        f'<script type="importmap">{_inert({"imports": modules})}</script>\n'
        f'<script type="application/json" id="{name}">{_inert(data)}</script>\n'
        f'<script type="module">import "dlgo/{entry}";</script>'
    )


def _inert(value: Any) -> str:
    """JSON that can stand inside a script element: nothing in it ends the element."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
