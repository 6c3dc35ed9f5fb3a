"""The worker of a tab in node, for tests and measurements."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any

from dlgo import DlgoError
from dlgo.files import make_folder, write_file
from experiments.tab.site import worker_sources

# BigInt as numbers, maps as lists.
PLAIN = """
const plain = (_, value) => (typeof value === "bigint" ? Number(value)
  : value instanceof Map ? [...value] : value);
"""

def data_text(data: Any) -> str:
    """JavaScript that declares `data`. Bytes are those of a Uint8Array."""
    def in_base64(content: bytes) -> dict[str, str]:
        return {"base64": b64encode(content).decode()}

    return f"""
const data = JSON.parse({json.dumps(json.dumps(data, default=in_base64))}, (_, value) => (
  value?.base64 === undefined ? value
  : Uint8Array.from(atob(value.base64), (letter) => letter.charCodeAt(0))));
"""


def run_worker(folder: Path, script: str, data: Any) -> Any:
    """What a script returns. It is the body of an async function with `data`, and `load(name)` for
    the modules of the worker. Raises DlgoError with node's message if it fails."""
    for name, text in worker_sources().items():
        make_folder((folder / "worker" / name).parent)
        write_file(folder / "worker" / name, text)
    write_file(folder / "package.json", '{"type": "module"}')
    write_file(folder / "data.js", f"{data_text(data)}export {{ data }};")
    write_file(folder / "main.js", f"""
import {{ File as NodeFile }} from "buffer";
import fs from "fs";
import {{ data }} from "./data.js";
globalThis.File ??= NodeFile;  // for node 18
const load = (name) => import(`./worker/${{name}}`);
const work = async () => {{ {script} }};
{PLAIN}
const text = JSON.stringify(await work() ?? null, plain);
fs.writeFileSync(new URL("result.json", import.meta.url), text);
process.exit(0);
""")
    done = subprocess.run(["node", folder / "main.js"], capture_output=True, text=True)
    if done.returncode:
        raise DlgoError(f"node: {done.stderr}")
    return json.loads((folder / "result.json").read_text(encoding="utf-8"))
