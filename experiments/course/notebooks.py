"""The notebooks of the course: experiments/chapters/chNN.py in, run notebooks and pages out.

A notebook is a Python file in cells (jupytext's py:percent format), so that it can be read,
compared and checked like any other; `.ipynb` files are made from it. Here all run in this process,
one after the other, each with names of its own: a start of Jupyter for each would cost more than
most of them compute. What a cell shows is kept as Jupyter keeps it.

A new notebook is a new file: menus, tests, and the page of docs/ or docs/chapters/ that has the
same name find it by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import jupytext
import nbformat.v4 as nbf
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.pylabtools import select_figure_formats
from nbconvert import MarkdownExporter
from nbformat import NotebookNode
from traitlets.config import Config

from dlgo.errors import DlgoError
from dlgo.files import make_folder, write_file

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "experiments/chapters"


def sources() -> list[Path]:
    """The notebooks that there are: those of chapters first, by their numbers."""
    return [*sorted(SOURCES.glob("ch??.py")), SOURCES / "python.py"]


class Results(DisplayHook):
    """Keeps the value that a cell ends with among what it shows, instead of printing it."""

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        self.shell.display_pub.publish(format_dict, md_dict)

    def finish_displayhook(self) -> None:
        self._is_active = False


class Shell(InteractiveShell):
    """Runs cells and keeps what they show."""

    displayhook_class, display_pub_class = Results, CapturingDisplayPublisher

    def enable_gui(self, gui: str | None = None) -> None:
        """Nothing: there is no window whose events it would have to wait for."""


@contextmanager
def new_shell() -> Iterator[InteractiveShell]:
    """What runs cells; it leaves no history behind and shows figures as pictures."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = Shell.instance(config=config)
    shell.enable_matplotlib("inline")
    select_figure_formats(shell, {"png"})  # which the line above does for the first shell only
    try:
        yield shell
    finally:
        Shell.clear_instance()


def read_notebook(source: Path) -> NotebookNode:
    """The notebook as it is written."""
    notebook = jupytext.read(source)
    notebook.metadata |= {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    return notebook


def run_notebook(source: Path) -> NotebookNode:
    """The notebook with what its cells show.

    Raises:
        DlgoError: if a cell fails; it names the notebook and the cell's first line.
    """
    notebook = read_notebook(source)
    with new_shell() as shell:
        for cell in notebook.cells:
            if cell.cell_type == "code":
                _run_cell(cell, source, shell)
    return notebook


def _run_cell(cell: NotebookNode, source: Path, shell: InteractiveShell) -> None:
    shell.display_pub.outputs.clear()
    with redirect_stdout(StringIO()) as printed, redirect_stderr(StringIO()):
        outcome = shell.run_cell(cell.source, store_history=True)
    error = outcome.error_before_exec or outcome.error_in_exec
    if error is not None:
        first = cell.source.partition("\n")[0]
        raise DlgoError(f"{source.name}, the cell that begins `{first}`: "
                        f"{type(error).__name__}: {error}")
    cell.execution_count = outcome.execution_count
    text = printed.getvalue()
    cell.outputs = [nbf.new_output("stream", text=text)] if text else []
    cell.outputs += [
        nbf.new_output("display_data", output["data"], metadata=output["metadata"] or {})
        for output in shell.display_pub.outputs
    ]


def write_ipynb(notebook: NotebookNode, folder: Path, name: str) -> Path:
    """Save it for Jupyter."""
    return write_file(make_folder(folder) / f"{name}.ipynb", jupytext.writes(notebook, "ipynb"))


def as_page(notebook: NotebookNode, name: str) -> tuple[str, dict[str, bytes]]:
    """A page of Markdown, and the pictures in it by their paths beside it."""
    resources: dict[str, Any] = {"output_files_dir": f"{name}_files", "unique_key": name}
    text, resources = MarkdownExporter().from_notebook_node(notebook, resources)
    # A board as one line of SVG is a picture like the others.
    return re.sub(r"!\[(svg|png)\]", "![what the cell shows]", text), resources["outputs"]
