"""The worker of a tab in node, and in Chromium."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from experiments.tab.bundle import bundle
from experiments.tab.node import PLAIN, data_text, run_worker
from experiments.tab.programs import game_parts
from experiments.tab.site import worker_sources

__all__ = ["BEGIN", "game_parts", "needs_node", "run_in_chromium", "run_worker"]

needs_node = [
    pytest.mark.skipif(find_spec("ziglang") is None, reason="needs ziglang: dlgo-suite[web]"),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs node"),
]

# The begin of a script that asks the worker as pages do; its data has the `parts` of a page.
BEGIN = """
const { Tab } = await load("main.js");
const tab = await new Tab(async (name) => data.parts[name]).begin();
"""


def run_in_chromium(folder: Path, script: str, data: Any) -> Any:
    """As `run_worker`, in Chromium, in a page from the disk."""
    from tests.studio.browser import Page

    sources = worker_sources()
    names = [name for name in sources if name != "entry.js"]
    imports = "".join(f'import * as m{i} from "./{name}";\n' for i, name in enumerate(names))
    table = ", ".join(f"{json.dumps(name)}: m{i}" for i, name in enumerate(names))
    sources["test.js"] = f"""{imports}
const load = async (name) => ({{ {table} }})[name];
{data_text(data)}
const work = async () => {{ {script} }};
{PLAIN}
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
