# `make report`, `make course`, `make test` and `make test-all` do all. Each sets up .venv first, once:
# the report what plays and rates, the course also what makes its site, the tests also what
# trains (TensorFlow) and what they compare with.
#   PYTHON=python3.12 make report    to choose the interpreter (3.11 or later)

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
OUT    ?= out/report

.PHONY: report course course-pdf test test-all lint bench clean

report: $(VENV)/.playing
	$(BIN)/dlgo tournament experiments/plans/report.toml --ledger $(OUT)/games.sqlite --report $(OUT)

course: $(VENV)/.teaching
	$(BIN)/python -m experiments.course.build

course-pdf: course
	$(BIN)/python -m experiments.course.pdf

# The tests start some hundred processes; without Python's bytecode each would compile our sources.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 2 --dist loadfile \
	--no-loadscope-reorder -o faulthandler_timeout=600 --durations=20

# For every edit: what finds most faults in five minutes.
test: lint
	$(PYTEST)

# Before a change lands: everything, in about an hour.
test-all: lint
	$(PYTEST) --run-all

lint: $(VENV)/.testing
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy

bench: $(VENV)/.testing
	$(BIN)/dlgo bench

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit("dlgo needs Python 3.11 or later, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Python's own compiler uses all cores here, unlike pip's; and libraries' tests need not be compiled.
# Up to version 0.1.0 the distribution was called `dlgo`, which would come before this one.
FORMER  = $(BIN)/python -m pip uninstall --quiet --yes dlgo 2>/dev/null
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable
COMPILE = @$(BIN)/python -m compileall -q -j 0 -x '/tests?/' $(VENV)/lib >/dev/null 2>&1 || true

$(VENV)/.playing: $(VENV)/.made setup.py pyproject.toml
	@$(FORMER)
	$(INSTALL) .
	$(COMPILE)
	@touch $@

$(VENV)/.teaching: $(VENV)/.made setup.py pyproject.toml
	@echo "installing what the course needs: MkDocs, Jupytext, scikit-learn"
	@$(FORMER)
	$(INSTALL) '.[course]'
	$(COMPILE)
	@touch $(VENV)/.playing $@

$(VENV)/.testing: $(VENV)/.made setup.py pyproject.toml
	@$(FORMER)
	$(INSTALL) '.[test]'
	$(COMPILE)
	@touch $(VENV)/.playing $@

clean:
	rm -rf $(VENV) out build *.egg-info
