"""The notebooks of the course: notebooks/*.py in, notebooks with outputs and pages out.

A notebook is a Python file in cells (jupytext's py:percent format), so that it can be read,
compared and checked like any other file. The build makes the `.ipynb` file and the page from it.
A new notebook is a new file: the menu and the tests find it.

The code of a cell with the tag `hide-input` (of Jupyter Book) is folded; its output is shown. Of
a cell that shows a source, only that source is shown.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import jupytext
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert import MarkdownExporter
from nbformat import NotebookNode

from dlgo.errors import DlgoError

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "notebooks"
# Templates of nbconvert: a page with all code; slides with the code of cells tagged `slide-code`,
# and without the words that repeat an experiment's figure.
PAGE = """{% extends "markdown/index.md.j2" %}
{% block input %}
{% if "hide-input" in cell.metadata.tags %}
<details class="code" markdown="1"><summary>Code</summary>
{{ super() }}
</details>
{% elif not cell.source.startswith("Source(") %}
{{ super() }}
{% endif %}
{% endblock input %}
"""
SLIDES = """{% extends "markdown/index.md.j2" %}
{% block input %}{% if "slide-code" in cell.metadata.tags %}{{ super() }}{% endif %}{% endblock %}
{% block stream %}{% if not cell.source.endswith(".show()") %}{{ super() }}{% endif %}{% endblock %}
"""


def sources() -> list[Path]:
    """All notebooks, in the order of their names."""
    return sorted(SOURCES.glob("*.py"))


def read_notebook(source: Path) -> NotebookNode:
    """The notebook without outputs."""
    notebook = jupytext.read(source)
    notebook.metadata |= {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        if "hide-input" in cell.metadata.get("tags", ()):
            cell.metadata.jupyter = {"source_hidden": True}
    return notebook


def run_notebook(source: Path) -> NotebookNode:
    """The notebook with its outputs, without standard error. Raises DlgoError if a cell fails."""
    notebook = read_notebook(source)
    client = NotebookClient(notebook, timeout=None, extra_arguments=["--log-level=ERROR"])
    # Figures are shown in the page, for every matplotlib backend of this process.
    environment = {name: text for name, text in os.environ.items() if name != "MPLBACKEND"}
    with client.setup_kernel(env=environment):
        for number, cell in enumerate(notebook.cells):
            try:
                client.execute_cell(cell, number)
            except (CellExecutionError, DeadKernelError) as error:
                first = cell.source.partition("\n")[0]
                problem = ("it ends Python" if isinstance(error, DeadKernelError) else
                           f"{error.ename}: {error.evalue}")
                raise DlgoError(
                    f"{source.name}, the cell that begins `{first}`: {problem}") from None
            if "outputs" in cell:
                cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
    return notebook


def as_page(
    notebook: NotebookNode, name: str, template: str = PAGE
) -> tuple[str, dict[str, bytes]]:
    """A page of Markdown, and the pictures in it by their paths beside it."""
    resources: dict[str, Any] = {"output_files_dir": f"{name}_files", "unique_key": name}
    exporter = MarkdownExporter(raw_template=template)
    text, resources = exporter.from_notebook_node(notebook, resources)
    # A board in one line of SVG is a picture, too.
    return re.sub(r"!\[(svg|png)\]", "![output of the cell]", text), resources["outputs"]
