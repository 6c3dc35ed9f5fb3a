"""Packaging of dlgo. `make` sets up a virtual environment with all of it; see the README.

The distribution is called `dlgo-suite`, because `dlgo` on the Python Package Index belongs to
another project. The modules and the command are called `dlgo`.
"""

import atexit
import os
import re
import tempfile
import zipfile
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build import build

here = Path(__file__).parent
version = re.search(r'__version__ = "(.+?)"', (here / "dlgo/version.py").read_text("utf-8"))[1]

# Training networks, and writing them as ONNX. Keras computes with TensorFlow or with JAX: JAX where
# TensorFlow has no stable packages, on Python 3.14. Neither has packages for Intel Macs and for
# Windows on ARM.
jax = ["keras>=3.8", "onnx>=1.16", "jax>=0.5"]
HAS_WHEELS = ("(platform_system != 'Darwin' or platform_machine == 'arm64') and "
              "(platform_system != 'Windows' or platform_machine == 'AMD64')")
train = [
    "keras>=3.8",
    "onnx>=1.16",
    f"tensorflow>=2.17; python_version < '3.14' and {HAS_WHEELS}",
    f"jax>=0.5; python_version >= '3.14' and {HAS_WHEELS}",
]

# The games as environments of other libraries: docs/vector.md.
rl = ["gymnasium>=1.0", "pettingzoo>=1.25"]

# Engines as bots of OpenSpiel: docs/baselines.md.
openspiel = ["open_spiel>=1.5"]

# The same commands on many machines: docs/cluster.md.
cluster = ["ray>=2.40"]

# Kernels as WebAssembly: its `wasm-ld` links them.
web = ["ziglang>=0.13", "onnx>=1.16"]

# The site of the course, with the notebooks run: `make course`.
course = [
    *web,  # for its searches to try
    "beautifulsoup4>=4.12",
    "ipykernel>=6.29",
    "jupytext>=1.16",
    "latex2mathml>=3.77",
    "mkdocs-material>=9.6,<10",
    "nbconvert>=7.16",
    "scikit-learn>=1.3",
]

# Built with DLGO_STUDENT=1, the package has no exercises, since they hold the solutions, and no
# questions for exams.
STUDENT = bool(os.environ.get("DLGO_STUDENT"))
SECRET = ("exercises", "questions")  # folders of experiments/classroom
HIDDEN = [f"experiments.classroom.{name}" for name in SECRET] if STUDENT else []
SOLUTION = re.compile(rb"^ *### (BEGIN|END) (SOLUTION|HIDDEN TESTS)\r?$", re.MULTILINE)


class CleanBuild(build):
    """Builds for students in a new folder: `build/` may hold the solutions of an earlier build."""

    def initialize_options(self) -> None:
        super().initialize_options()
        if STUDENT:
            folder = tempfile.TemporaryDirectory()
            atexit.register(folder.cleanup)
            self.build_base = folder.name


def refuse_solutions(path: Path) -> None:
    """Delete a package for students, and end, if it holds an exercise with its solution."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            found = [name for name in archive.namelist()
                     if any(f"classroom/{folder}/" in name for folder in SECRET)
                     or SOLUTION.search(archive.read(name))]
    else:
        found = ["all sources"]
    if found:
        path.unlink()
        raise SystemExit(f"{path.name} for students would contain solutions ({found[0]}); "
                         "build a wheel from a clean clone")

# What only training reads, and a second copy of weights: the networks play without these files.
MODELS = here / "engines/models"
LEFT_OUT = ["models/*/*.keras", "models/*/*/*.keras"] + [
    f"models/{file.parent.name}/network.onnx" for file in MODELS.glob("*/network-dense.npz")
]

distribution = setup(
    name="dlgo-suite",
    cmdclass={"build": CleanBuild},
    version=version,
    description="Compare ways of playing board games: rules, engines, arena, ratings, plots",
    long_description=(here / "README.md").read_text("utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    python_requires=">=3.11",
    # An editable install then adds this folder to Python's path. The import hook that it adds
    # otherwise loses to the clone itself, a folder called `dlgo`, if that is in the working folder.
    package_dir={"": "."},
    packages=find_packages(include=[
        f"{name}{rest}" for name in ("dlgo", "engines", "experiments", "reports")
        for rest in ("", ".*")
    ], exclude=HIDDEN),
    package_data={
        "dlgo": ["py.typed", "records/*.sql", "browser/*.js", "browser/*.css", "browser/boards/*",
                 "webassembly/*.mjs"],
        "reports": ["py.typed", "templates/*"],
        "experiments": [
            "py.typed",
            "chapters/results/*.csv", "measures/*.json", "classroom/templates/*",
            "ladder/*.toml", "ladder/scales/*.json", "ladder/templates/*.html",
            "course/*.toml", "course/assets/*", "course/theme/*", "museum/faults/*.toml",
            "museum/*.toml", "museum/*.json", "museum/*.csv",
            "tab/static/*", "tab/static/*/*", "tab/static/*/*/*",
            "plans/*.toml", "studies/*.toml", "studies/results/*.csv", "studies/results/*/*.csv",
            "studies/results/*/*/*.csv",
            "studio/*.csv", "studio/*.toml", "studio/static/*", "studio/static/inside/*",
            *([] if STUDENT else [f"classroom/{folder}/*.toml" for folder in SECRET]),
        ],
        "engines": ["py.typed", "models/*/*", "models/*/*/*", "learning/diagnostics/templates/*",
                    "llm/disguises/*", "llm/templates/*", "solver/*.book"],
    },
    exclude_package_data={"engines": LEFT_OUT},
    # What plays, rates, reports and runs the networks that come with the package.
    install_requires=[
        "click>=8.2",
        "filelock>=3.30",
        "jinja2>=3.1",
        "matplotlib>=3.8",
        # It uses names that are not public: dlgo/numba_internals.py, tried with 0.61.0 and 0.68.1.
        "numba>=0.61,<0.69",
        "numpy>=1.26",
        "onnxruntime>=1.18",
        "pandas>=2.1",
        "platformdirs>=4",
        "psutil>=5.9",
        "rich>=13",
        "scipy>=1.11",
        "sgfmill>=1.1.1",
        # The studio: docs/studio.md. Nothing to compile.
        "starlette>=0.40",
        "uvicorn>=0.30",
        "websockets>=13",
    ],
    extras_require={
        "train": train,
        "jax": jax,
        "rl": rl,
        "openspiel": openspiel,
        "course": course,
        "cluster": cluster,
        "web": web,
        # With independent programs that the tests compare with. A test skips where one is absent.
        "test": [
            *train,
            *rl,
            *openspiel,
            *course,
            *cluster,
            *web,
            "axe-core-python>=0.1",
            "bitbully>=0.0.70",
            "choix>=0.3.5",
            "cosmic-ray>=8.4",
            "cvxpy>=1.5",
            "hypothesis>=6.90",
            "import-linter>=2.16",
            "jsonschema>=4",
            "mypy>=1.15",
            "pydraughts>=0.6.7",
            "pytest>=8",
            "pytest-xdist>=3.5",
            "ruff>=0.6",
            "selenium>=4.20",
        ],
    },
    entry_points={"console_scripts": ["dlgo = experiments.cli.__main__:main"]},
)

if STUDENT:
    for _, _, file in distribution.dist_files:
        refuse_solutions(Path(file))
