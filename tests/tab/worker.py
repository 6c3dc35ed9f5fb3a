"""The worker of a tab in node, and in Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from dlgo import get_game
from experiments.tab.bundle import bundle
from experiments.tab.programs import entrants, game_view, program
from experiments.tab.site import worker_sources

needs_node = [
    pytest.mark.skipif(find_spec("ziglang") is None, reason="needs ziglang: dlgo-suite[web]"),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs node"),
]
# Bytes come as {base64: text}.
_DATA = """export const data = JSON.parse(%s, (_, value) => (value?.base64 === undefined ? value
  : Uint8Array.from(atob(value.base64), (letter) => letter.charCodeAt(0))));
"""
# BigInt as numbers, maps as lists.
_PLAIN = """
const plain = (_, value) => (typeof value === "bigint" ? Number(value)
  : value instanceof Map ? [...value] : value);
"""

# The begin of a script that asks the worker as pages do; its data has the `parts` of a page.
BEGIN = """
const { Tab } = await load("main.js");
const tab = await new Tab(async (name) => data.parts[name]).begin();
"""


def game_parts(*games: str, engines: Sequence[str] = ()) -> dict[str, Any]:
    """The parts of a page with these games and engines."""
    parts: dict[str, Any] = {"setup": {"parts": {}}}
    for game in map(get_game, games):
        view = parts[str(game)] = game_view(game) | {"entrants": []}
        parts["setup"]["parts"][str(game)] = str(game)
        for number, entrant in enumerate(entrants(game, engines).values()):
            name = f"{game} {number}"
            parts[name] = program(entrant.kernels.calls)
            view["entrants"].append(entrant.facts | {"part": name})
    return parts


def in_base64(content: bytes) -> dict[str, str]:
    return {"base64": b64encode(content).decode()}


def run_worker(folder: Path, script: str, data: Any) -> Any:
    """What a script returns in node. It is the body of an async function with `data`, and
    `load(name)` for the modules of the worker."""
    for name, text in worker_sources().items():
        path = folder / "worker" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "data.js").write_text(_DATA % json.dumps(json.dumps(data, default=in_base64)))
    (folder / "main.js").write_text(f"""
import fs from "fs";
const load = (name) => import(`./worker/${{name}}`);
import {{ data }} from "./data.js";
const work = async () => {{ {script} }};
{_PLAIN}
const text = JSON.stringify(await work() ?? null, plain);
fs.writeFileSync(new URL("result.json", import.meta.url), text);
process.exit(0);
""")
    done = subprocess.run(["node", folder / "main.js"], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return json.loads((folder / "result.json").read_text())


def run_in_chromium(folder: Path, script: str, data: Any) -> Any:
    """The same in Chromium, in a page from the disk."""
    from tests.studio.browser import Page

    sources = worker_sources()
    names = [name for name in sources if name != "entry.js"]
    imports = "".join(f'import * as m{i} from "./{name}";\n' for i, name in enumerate(names))
    table = ", ".join(f"{json.dumps(name)}: m{i}" for i, name in enumerate(names))
    sources["test.js"] = f"""{imports}
const load = async (name) => ({{ {table} }})[name];
{_DATA.removeprefix("export ") % json.dumps(json.dumps(data, default=in_base64))}
const work = async () => {{ {script} }};
{_PLAIN}
work().then((value) => JSON.stringify(value ?? null, plain), (error) => `error: ${{error.stack}}`)
  .then((text) => {{ document.body.dataset.result = text; }});
"""
    page = folder / "page.html"
    page.write_text("<!doctype html><meta charset=utf-8><body></body><script>(() => {\n"
                    f"{bundle('test.js', sources)}\n}})();</script>", encoding="utf-8")
    browser = Page(folder)
    try:
        browser.driver.get(page.as_uri())
        text = browser.see("document.body.dataset.result")
    finally:
        browser.driver.quit()
    assert not text.startswith("error:"), text
    return json.loads(text)
