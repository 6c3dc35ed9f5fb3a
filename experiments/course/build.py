"""Build the course: run the notebooks, then make a site of docs/ and them, with searches to try.

    python -m experiments.course.build [--quick] [--out out/course]

The result opens from any folder, even a USB stick, without a network: OUT/site/index.html. The
notebooks with their outputs are in OUT/site/notebooks/, for Jupyter. A broken link, an anchor that
does not exist or a cell that fails stops the build.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
from io import StringIO
from pathlib import Path

import click

from dlgo.errors import DlgoError
from dlgo.extras import require_extra
from dlgo.files import make_folder, write_file
from experiments.command import run
from experiments.course.cells import cells_tab
from experiments.options import FOLDER, quick_option
from experiments.tab.site import write_folder

ROOT = Path(__file__).resolve().parents[2]


@click.command()
@quick_option("Use the notebooks without running them")
@click.option("--out", type=FOLDER, default=Path("out/course"), show_default=True,
              help="Folder for the site.")
def main(quick: bool, out: Path) -> None:
    """Run the notebooks and build the site."""
    require_extra("course", "building the course", "jupytext", "material", "onnx", "ziglang")
    start = time.perf_counter()
    site = make_folder(out.resolve()) / "site"
    if site.exists() and any(site.iterdir()) and not (site / "assets/course.css").exists():
        raise DlgoError(f"{site} holds other files, which a build deletes; choose another --out")
    with tempfile.TemporaryDirectory(prefix=".build-", dir=site.parent) as folder:
        pages = make_folder(Path(folder, "notebooks"))
        run_notebooks(pages, quick)
        print("site:", end=" ", flush=True)
        number = build_site(Path(folder, "site"), pages)
        write_folder(cells_tab(), Path(folder, "site/tab"))
        shutil.rmtree(site, ignore_errors=True)  # the last one; an interrupted build keeps it
        Path(folder, "site").rename(site)
    print(f"{number} pages\n\n{time.perf_counter() - start:.0f} s; open {site / 'index.html'}")


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
