"""Build the course: run the notebooks, then make a site of docs/ and them.

    python -m experiments.course.build [--quick] [--out out/course]

The result opens from any folder, even a USB stick, without a network: OUT/site/index.html. The
notebooks with their outputs are in OUT/site/notebooks/, for Jupyter. A broken link, an anchor that
does not exist or a cell that fails stops the build.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from io import StringIO
from pathlib import Path

import click

from dlgo.errors import DlgoError
from dlgo.extras import require_extra
from dlgo.files import make_folder, write_file
from experiments.command import run
from experiments.options import out_option, quick_option

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@quick_option("Use the notebooks without running them")
@out_option("out/course")
def main(quick: bool, out: Path) -> None:
    """Run the notebooks and build the site."""
    require_extra("course", "building the course", "jupytext", "material")
    start = time.perf_counter()
    out = out.resolve()
    pages = out / "notebooks"
    shutil.rmtree(pages, ignore_errors=True)  # notebooks that no longer exist
    run_notebooks(make_folder(pages), quick)
    print("site:", end=" ", flush=True)
    number = build_site(out / "site", pages)
    print(f"{number} pages\n\n{time.perf_counter() - start:.0f} s; open {out / 'site/index.html'}")


def run_notebooks(folder: Path, quick: bool = False) -> None:
    """Run all notebooks, unless `quick`; write pages, pictures and .ipynb files into `folder`."""
    import jupytext

    from experiments.course.notebooks import as_page, read_notebook, run_notebook, sources

    os.environ.setdefault("IPYTHONDIR", str(folder.parent / ".ipython"))
    for source in sources():
        print(f"notebook {source.stem}:", end=" ", flush=True)
        start = time.perf_counter()
        notebook = read_notebook(source) if quick else run_notebook(source)
        write_file(folder / f"{source.stem}.ipynb", jupytext.writes(notebook, "ipynb"))
        text, pictures = as_page(notebook, source.stem)
        write_file(folder / f"{source.stem}.md", text)
        for name, content in pictures.items():
            make_folder((folder / name).parent)
            (folder / name).write_bytes(content)
        print(f"{time.perf_counter() - start:.1f} s")


def build_site(site: Path, notebooks: Path, docs: Path = ROOT / "docs") -> int:
    """Build the site; return its number of pages. Raises DlgoError for all warnings of MkDocs."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException
    from pymdownx.snippets import SnippetMissingError

    warnings = StringIO()
    handler = logging.StreamHandler(warnings)
    handler.setLevel(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        config = load_config(
            str(ROOT / "mkdocs.yml"), docs_dir=str(docs), site_dir=str(site), strict=True
        )
        config.extra["notebooks"] = str(notebooks)
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
    except (MkDocsException, SnippetMissingError) as error:
        raise DlgoError(f"{error}\n{warnings.getvalue()}") from None
    finally:
        logger.removeHandler(handler)
    return len(list(site.rglob("*.html")))


if __name__ == "__main__":
    run(main)
