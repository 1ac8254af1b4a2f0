# Everything that these targets download or build goes into .venv and .cache (or MOIM_CACHE_DIR).
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.set-up

export MOIM_CACHE_DIR ?= $(CURDIR)/.cache
export UV_CACHE_DIR := $(MOIM_CACHE_DIR)/uv
export UV_NO_CONFIG := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MYPY_CACHE_DIR := $(MOIM_CACHE_DIR)/mypy
export RUFF_CACHE_DIR := $(MOIM_CACHE_DIR)/ruff
export HYPOTHESIS_STORAGE_DIRECTORY := $(MOIM_CACHE_DIR)/hypothesis
# Else both processes of the tests would compile a thousand modules of tests anew in each run, for half a minute each.
unexport PYTHONDONTWRITEBYTECODE
export HF_HOME ?= $(MOIM_CACHE_DIR)/huggingface
export npm_config_cache ?= $(MOIM_CACHE_DIR)/npm
ARGS ?=

.PHONY: help setup livekit demo dev test test-long check format lint types contracts spelling dependencies fmt load bench bench-context bench-answers bench-model chaos release lock env-example dashboard clean

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv with everything that the demo and the tests need

# Only a changed lock, project file or installer sets it up again.
$(STAMP): deploy/requirements.lock deploy/uv.txt pyproject.toml
	@deploy/setup.sh "$(PYTHON)" "$(VENV)"
	@touch $(STAMP)

# The LiveKit server: from MOIM_LIVEKIT_SERVER, PATH or the cache, else built there once. Where that
# fails (offline) the reason is said, and whoever needs a room says what is missing without it.
livekit: setup
	@$(BIN)/python -m worker.embedded.livekit_server --ensure >/dev/null || true

demo: setup livekit ## a scripted Korean meeting in a real room, live on this terminal
	@$(BIN)/moim demo $(ARGS)

dev: setup livekit ## everything on this machine, on loopback, until Ctrl-C
	@$(BIN)/moim dev $(ARGS)

# Two processes, each with servers of its own; what belongs together stays together (tests/conftest.py).
PARALLEL := -n 2 --dist loadgroup --no-loadscope-reorder --durations=20
PYTEST = $(BIN)/python -m pytest -o cache_dir=$(MOIM_CACHE_DIR)/pytest

test: setup livekit ## all tests but the long ones; ARGS="-k name" for some
	@$(PYTEST) $(PARALLEL) -m "not long" $(ARGS)

test-long: setup livekit ## the long ones: image, chart, many meetings, kills and outages on purpose
	@$(PYTEST) $(PARALLEL) -m long $(ARGS)

check: setup format lint types contracts spelling dependencies test ## what CI runs: all of these

format: setup ## is everything formatted?
	@$(BIN)/ruff format --check .

lint: setup ## ruff, and radon: no function above complexity 20
	@$(BIN)/ruff check .
	@complex=$$($(BIN)/radon cc -n D -s worker context stt tests/bench tests/training); \
	  [ -z "$$complex" ] || { printf 'Functions above complexity 20:\n%s\n' "$$complex"; exit 1; }

types: setup ## mypy, strict
	@$(BIN)/mypy

contracts: setup ## who may import whom
	@$(BIN)/lint-imports --cache-dir $(MOIM_CACHE_DIR)/import-linter

spelling: setup ## codespell
	@$(BIN)/codespell

dependencies: setup ## is what is imported declared, and the other way round?
	@$(BIN)/deptry .

fmt: setup ## format, and mend what ruff can mend
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

load: setup livekit ## how cost grows: text meetings, then rooms beside LiveKit's example; ARGS="text --meetings 50"
	@if [ -n '$(ARGS)' ]; then $(BIN)/python -m tests.load $(ARGS); else \
	  failed=0; $(BIN)/python -m tests.load text || failed=1; $(BIN)/python -m tests.load rooms || failed=1; exit $$failed; fi

bench: setup livekit ## measure; the baseline stands beside each figure; ARGS=--record writes docs/measurements.md
	@$(BIN)/python -m tests.bench $(ARGS)

bench-context: setup ## quality on real meetings, beside plain methods: DATA=DIR
	@$(BIN)/python -m tests.bench learnt topics ko-topics evidence decisions llm-tokens budgets --data $(DATA) $(ARGS)

bench-answers: setup ## answers, sources, cache and ablation on real meetings: DATA=DIR
	@$(BIN)/python -m tests.bench learnt answers needed answer-steps answer-cache ablation trials --data $(DATA) $(ARGS)

bench-model: setup ## try a language model: BASE_URL=… MODEL=…, its key from LLM_API_KEY; without them, recorded replies
	@$(BIN)/python -m tests.bench model $(if $(BASE_URL),--base-url '$(BASE_URL)' --model '$(MODEL)',$(if $(findstring --recorded,$(ARGS)),,--recorded tests/data/bench_model/recorded)) $(ARGS)

chaos: setup livekit ## break it on purpose; ARGS="kills --count 200", or one of takeover consent paused outages soak sigterm injections tenancy doors
	@name="$(firstword $(ARGS))"; case "$$name" in \
	  injections|tenancy|doors) $(BIN)/python -m tests.security $(ARGS) ;; \
	  "") missed=0; \
	      for each in kills "kills --room" takeover "takeover --standby" consent paused outages soak sigterm; do \
	        $(BIN)/python -m tests.chaos $$each || missed=1; done; \
	      for each in injections tenancy doors; do $(BIN)/python -m tests.security $$each || missed=1; done; \
	      exit $$missed ;; \
	  *) $(BIN)/python -m tests.chaos $(ARGS) ;; esac

release: setup livekit ## build the wheel and the image, and try both
	@deploy/release.sh $(BIN)

lock: ## resolve the dependencies again; ARGS=--upgrade for newer ones
	@test -x $(BIN)/uv || $(MAKE) setup
	@$(BIN)/uv pip compile pyproject.toml --quiet --universal --all-extras --group dev --generate-hashes --no-header -o deploy/requirements.lock $(ARGS)

env-example: setup ## write .env.example anew from the settings, and the table of flags in docs/how-to/settings.md
	@$(BIN)/python -m tests.env_example > .env.example
	@$(BIN)/python -m tests.feature_table

dashboard: setup ## write Grafana's dashboard anew from its table, tests/grafana_dashboard.py
	@$(BIN)/python -m tests.grafana_dashboard > deploy/grafana/moim.json

clean: ## remove .venv and .cache
	@rm -rf $(VENV) .cache
