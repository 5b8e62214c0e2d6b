# Every target installs what it needs. Start with `make demo` and `make test`.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST := $(BIN)/pytest -q
# Choose any Python from 3.11 on: make PYTHON=/usr/bin/python3.12 test
export PYTHON

.DEFAULT_GOAL := help
# Often a test waits for git, or an agent for its model, so that one more test than there are processors can run.
WORKERS = $$($(BIN)/python -c 'import os; print(1 + os.cpu_count())')

.PHONY: help demo test lint format types floors tests instructions faults kills mutants e2e agents agents-latest bench \
	docs build clean

help:  ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /  make \1@/p' $(MAKEFILE_LIST) | column -t -s @ 2>/dev/null || grep '##' $(MAKEFILE_LIST)

demo: $(READY)  ## demonstrate the main workflow in a scratch repository
	@$(BIN)/python -m entire_demo_agent.story

test: lint types floors tests instructions  ## run all checks and tests, except those with real agents

lint: $(READY)  ## check the style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(READY)  ## fix the style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(READY)  ## check the types
	$(BIN)/mypy

floors: $(READY)  ## check the imports between rooms
	PYTHONUTF8=1 $(BIN)/lint-imports --no-logo
	PYTHONUTF8=1 $(BIN)/lint-imports --no-logo --config tests/architecture/hooks.toml

tests: $(READY)  ## run the tests without the real agents
	$(PYTEST) -n $(WORKERS) --dist worksteal -m "not e2e" $(ARGS)

# Without valgrind nothing is counted, and nothing fails: scripts/valgrind says so.
instructions: $(READY)  ## count the instructions of each hook, and compare them with its budget (ALL=1: in more places)
	@if scripts/valgrind; then $(BIN)/python -m bench.instructions $(if $(ALL),--all); fi

faults: $(READY)  ## inject faults into every hook and command, at each system call (ARGS=--quick for a sample)
	$(BIN)/python -m tests.campaign $(ARGS)

kills: $(READY)  ## kill git with its hooks at random moments (ARGS="--kills 300 --seed 2"), ten minutes or more
	$(BIN)/python -m tests.campaign.kills $(ARGS)

mutants: $(READY)  ## break one behaviour at a time, and see whether a test notices (ARGS=--changed for your own changes)
	$(BIN)/python -m tests.mutants $(ARGS)

e2e: agents  ## run the end-to-end tests with the real agents
	ENTIRE_E2E_REQUIRED=1 $(PYTEST) -n $(WORKERS) --dist worksteal -m e2e tests/e2e $(ARGS)

agents: $(READY)  ## install the agents of the end-to-end tests
	scripts/agents

agents-latest: agents  ## play the stories with the agents that npm serves today, and print what differs
	$(BIN)/python scripts/agents-latest $(ARGS)

bench: $(READY)  ## measure what hooks and commands cost
	$(BIN)/python -m bench $(ARGS)

docs: $(READY)  ## generate the reference pages
	$(BIN)/python scripts/reference

build: $(READY)  ## build the wheel and the source archive in dist/
	$(BIN)/python -m build --no-isolation

clean:  ## remove everything that the targets created
	rm -rf $(VENV) .cache dist build tests/e2e/agents/node_modules .mypy_cache .pytest_cache .ruff_cache \
		.import_linter_cache .hypothesis

$(READY): pyproject.toml constraints.txt scripts/bootstrap src/launcher/entire
	scripts/bootstrap
