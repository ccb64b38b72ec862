# agentloop: one command for each thing. `make` alone lists them.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
RUNS ?= $(CURDIR)/build/runs
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help setup check test test-slow attacks docs demo try-local bench clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /	/' | expand -t 10

$(BIN)/agentloop: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

setup: $(BIN)/agentloop  ## make .venv with agentloop and its tools, versions as locked

check: setup  ## format, lint, types and import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup  ## the everyday tests, in parallel, offline
	$(BIN)/python -m pytest -n $(WORKERS) -m 'not slow'

test-slow: setup  ## the long sweeps, which CI runs too
	$(BIN)/python -m pytest -n $(WORKERS) -m slow

attacks: setup  ## try every attack of docs/attacks.md, and print the table
	$(BIN)/python -m pytest -n $(WORKERS) tests/attacks
	$(BIN)/python -m tests.attacks.table

docs: setup  ## write the tables of README and docs anew
	$(BIN)/python -m agentloop.cli.tables README.md docs/*.md

demo: setup  ## a real bug found and fixed with no model, no key and no network
	$(BIN)/agentloop run tasks/pagination/goal.yaml --runs $(RUNS)

try-local: setup  ## the example goals with a real small model: make try-local MODEL=model.gguf (or an address)
	@test -n "$(MODEL)" || { echo "say which: make try-local MODEL=/path/to/model.gguf"; exit 2; }
	$(BIN)/pip install --quiet 'xllamacpp>=2026.10'
	$(BIN)/python bench/try_local.py $(MODEL) $(ARGS)

bench: setup  ## timings, as ratios within one run
	for file in bench/bench_*.py; do $(BIN)/python $$file || exit 1; done

clean:  ## remove what was built
	rm -rf build dist .venv .mypy_cache .ruff_cache .hypothesis
