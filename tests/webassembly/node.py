"""Calls of compiled kernels in node."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from dlgo.webassembly.compiler import RUNTIME, compile_kernels, describe
from dlgo.webassembly.memory import Image, argument_types

needs_node = [
    pytest.mark.skipif(find_spec("ziglang") is None, reason="needs ziglang: dlgo-suite[web]"),
    pytest.mark.skipif(shutil.which("node") is None, reason="needs node"),
]


def run_in_node(
    folder: Path, calls: dict[str, tuple[Any, tuple[Any, ...]]], image: Image, *names: Any
) -> tuple[list[Any], bytes]:
    """The results of calls, and the memory after them.

    `image` is made of `calls`. `names` are the functions to call, each with the parameters to
    replace. The result of a call that fails is a text.
    """
    module = compile_kernels({name: (kernel, argument_types(arguments))
                              for name, (kernel, arguments) in calls.items()})
    (folder / "module.wasm").write_bytes(module.code)
    (folder / "image.bin").write_bytes(b"".join(part for _, part in image.parts()))
    description = json.loads(describe(module, image))
    (folder / "request.json").write_text(json.dumps([str(RUNTIME), description, names]))
    subprocess.run(["node", Path(__file__).with_name("run.mjs"), folder], check=True)
    return json.loads((folder / "results.json").read_text()), (folder / "after.bin").read_bytes()
