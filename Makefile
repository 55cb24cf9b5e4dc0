# Everything here does its own set-up; scripts/ holds what is more than a line.
# From a path with spaces too: each path is relative to this folder, and make's own list has no path of yours.

VENV ?= .venv
export PYTHON VENV
BIN := "$(VENV)"/bin
DEMO_ARGS ?=
TEST_ARGS ?=
BENCH_ARGS ?=
REAL_MODEL_ARGS ?=
LEAKS_ARGS ?=
KILLS ?= 300
DB ?= sqlite

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench real-model crash leaks mutants release lock clean run-environment dev-environment chromium

help:
	@echo "make demo    deal on this machine and watch: no Redis, no Postgres, no key   (DEMO_ARGS='--port 8001')"
	@echo "make test    run every test                                                  (TEST_ARGS='tests/policy -x')"
	@echo "make check   format, lint, strict types, walls, tests, coverage"
	@echo "make format  put the format right"
	@echo "make bench   measure against peers, side by side                             (BENCH_ARGS='--help')"
	@echo "make real-model  let agents play with a real small language model on this CPU     (REAL_MODEL_ARGS='--hands 30')"
	@echo "make crash   kill the server at random instants, and look what is left       (KILLS=300 DB=sqlite|postgres)"
	@echo "make leaks   play twin worlds for ten minutes, and print who was compared where       (LEAKS_ARGS='--without-gates' takes gates out)"
	@echo "make mutants change the gates in every way, and see that their tests notice"
	@echo "make release build the wheel, a source archive and a container's context; refuses on red, and on anything skipped"
	@echo "make lock    make the locks anew with uv, after a change of the pins"
	@echo "make clean   remove the environment and what the tools left; .railbird (a demo's data) stays"
	@echo "Each sets up what it needs; PYTHON=python3.12 chooses the Python. When it does not start: docs/trouble.md"

demo: run-environment
	@$(BIN)/python -m railbird demo $(DEMO_ARGS)

test: dev-environment chromium
	@scripts/tests.sh $(TEST_ARGS)

# The gates are covered by their own tests alone, before anything else can cover them by chance.
check: dev-environment chromium
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m coverage run --source=policy -m pytest tests/policy -q
	$(BIN)/python -m coverage report --fail-under=100
	RAILBIRD_TEST_LIMIT_S=1800 scripts/tests.sh --coverage $(TEST_ARGS)
	$(BIN)/python -m coverage report

format: dev-environment
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: dev-environment
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

real-model: run-environment
	@scripts/real-model.sh $(REAL_MODEL_ARGS)

crash: dev-environment
	@$(BIN)/python -m tests.crash --kills $(KILLS) --db $(DB)

leaks: dev-environment
	@$(BIN)/python -W error -m tests.leaks $(LEAKS_ARGS)

mutants: dev-environment
	@$(BIN)/python -m tests.leaks.policy_mutants

release: dev-environment chromium
	@scripts/release.sh

lock:
	@scripts/lock.sh

clean:
	rm -rf "$(VENV)" .venv-real-model .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov mutants dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

run-environment:
	@scripts/environment.sh run

dev-environment:
	@scripts/environment.sh dev

chromium:
	@scripts/chromium.sh
