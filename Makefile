# Every target sets up what it needs. `make demo` and `make test` are the two commands of the README.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST := $(BIN)/pytest -q
# Any Python from 3.11 on: make PYTHON=/usr/bin/python3.12 test
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help demo test lint format types floors tests faults e2e agents bench docs build clean

help:  ## this list
	@sed -n 's/^\([a-z0-9]*\):.*## /  make \1@/p' $(MAKEFILE_LIST) | column -t -s @ 2>/dev/null || grep '##' $(MAKEFILE_LIST)

demo: $(READY)  ## play the main job in a scratch repository
	@$(BIN)/python -m entire_demo_agent.story

test: lint types floors tests  ## everything but the real agents: style, types, import floors, tests

lint: $(READY)  ## style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(READY)  ## write the style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(READY)  ## types, strict
	$(BIN)/mypy

floors: $(READY)  ## who may import whom
	PYTHONUTF8=1 $(BIN)/lint-imports --no-logo

tests: $(READY)  ## the tests without the real agents
	$(PYTEST) -n auto -m "not e2e" $(ARGS)

faults: $(READY)  ## kill and hurt every hook and command, at each of its calls; ARGS="--quick" for a glance
	$(BIN)/python -m tests.campaign $(ARGS)

e2e: agents  ## the stories with the real agents
	ENTIRE_E2E_REQUIRED=1 $(PYTEST) -n auto -m e2e tests/e2e $(ARGS)

agents: $(READY)  ## install the agents of the end-to-end tests
	scripts/agents

bench: $(READY)  ## what hooks and commands cost
	$(BIN)/python -m bench $(ARGS)

docs: $(READY)  ## write the pages that are made from the code
	$(BIN)/python scripts/reference

build: $(READY)  ## the wheel and the source archive, in dist/
	$(BIN)/python -m build --no-isolation

clean:  ## remove what the targets made
	rm -rf $(VENV) .cache dist build tests/e2e/agents/node_modules .mypy_cache .pytest_cache .ruff_cache \
		.import_linter_cache .hypothesis

$(READY): pyproject.toml constraints.txt scripts/bootstrap src/launcher/entire
	scripts/bootstrap
