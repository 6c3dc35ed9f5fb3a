"""ES modules as one classic script, since a page from a disk may not load modules.

It understands what modules of this project contain: imports of names, or of all as a name; and
functions, classes and constants that are declared as exports. Imports have no cycles.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping

from dlgo.errors import DlgoError

_IMPORT = re.compile(r'(?m)^import (?:\* as (\w+)|\{([^}]+)\}) from "([^"]+)";\n')
_EXPORT = re.compile(r"(?m)^export (?=(?:async )?(?:function\*?|class|const) (\w+))")
_COMMENT = re.compile(r"(?ms)^ *//[^\n]*\n|^ */\*\*.*?\*/\n")


def bundle(entry: str, sources: Mapping[str, str]) -> str:
    """The module `entry` and all that it imports, as statements. `sources`: text by path."""
    done: dict[str, str] = {}
    _add(entry, sources, done, ())
    return "\n".join(['"use strict";', "const modules = {};", *done.values()])


def _add(
    path: str, sources: Mapping[str, str], done: dict[str, str], importers: tuple[str, ...],
) -> None:
    if path in done:
        return
    if path in importers or path not in sources:
        problem = "imports itself" if path in importers else f"is missing; {importers[-1]} needs it"
        raise DlgoError(f"{path} {problem}")
    heads = []

    def named(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[3]))
        _add(target, sources, done, (*importers, path))
        names = match[1] or f"{{{re.sub(r' as ', ': ', match[2])}}}"
        heads.append(f"const {names} = modules[{json.dumps(target)}];\n")
        return ""

    body = _COMMENT.sub("", _IMPORT.sub(named, sources[path]))
    names = _EXPORT.findall(body)
    body = "".join(heads) + _EXPORT.sub("", body)
    done[path] = (f"modules[{json.dumps(path)}] = (() => {{\n{body}"
                  f"return {{ {', '.join(names)} }};\n}})();")
