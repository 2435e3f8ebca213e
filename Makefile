# Every target starts from a fresh clone: .venv is made when it is missing, and again when a lock file changes.
PYTHON ?= python3
BIN := .venv/bin
ENGINE ?= $(firstword $(foreach engine,docker podman buildah,$(if $(shell command -v $(engine)),$(engine))))
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' exporter/sglang_exporter/__init__.py)
UV := uv==0.13.9
CYCLONEDX := cyclonedx-bom==7.5.0
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --custom-compile-command "make lock"

# $(call debian,COMMAND,PACKAGES): install Debian's PACKAGES where COMMAND fails; where we may not, say what to install.
define debian
	@$(1) >/dev/null 2>&1 || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends $(2) >/dev/null; \
	else echo "missing, and not ours to install: apt-get install $(2)" >&2; fi
endef

.PHONY: help test newcomer faults soak fleet fuzz bench demo dashboards manifests lock dist sbom wheels image

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

test: .venv/ready ## Check formatting, lint, types and known weaknesses, then run all tests; as root, installs Debian's Prometheus, systemd and Chromium for them
	$(call debian,command -v promtool && command -v amtool && command -v systemd-analyze && test -x /bin/kill,prometheus prometheus-alertmanager systemd procps)
	-$(call debian,command -v chromium,chromium) # not every system packages it; its tests are skipped then
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/bandit --quiet --recursive exporter deploy grafana
	PYTHONPATH=tests $(BIN)/python -m support.advisories requirements.lock
	$(BIN)/pytest -n 2 --dist worksteal

newcomer: .venv/ready ## As root, type the README's commands on a plain Debian that debootstrap makes, make test included
	$(call debian,command -v debootstrap,debootstrap)
	PYTHONPATH=tests $(BIN)/python -m support.newcomer

faults: .venv/ready ## Check that each line is counted once: 10,000 random histories, and 300 kill -9 of the daemon; SEED=1
	SEED=$(or $(SEED),$$(date +%s)) SEQUENCES=$(or $(SEQUENCES),10000) KILLS=$(or $(KILLS),300) $(BIN)/pytest -s --timeout 0 tests/follow/test_campaign.py tests/daemon/test_killed.py

soak: .venv/ready ## Follow 200 logs that rotate each minute: exact counts, flat memory and descriptors; MINUTES=20
	MINUTES=$(or $(MINUTES),20) $(BIN)/pytest -s tests/daemon/test_soak.py

fleet: .venv/ready ## Have a real Prometheus scrape 500 simulated exporters with the shipped rules for MINUTES=5: evaluation under 1 s
	$(call debian,command -v promtool && command -v amtool,prometheus prometheus-alertmanager)
	EXPORTERS=$(or $(EXPORTERS),500) MINUTES=$(or $(MINUTES),5) $(BIN)/pytest -s tests/prometheus/test_fleet.py -k fleet

fuzz: .venv/ready ## Read 240,000 damaged log lines: no value that no whole line said; FUZZ_PORTIONS=12
	FUZZ_PORTIONS=$(or $(FUZZ_PORTIONS),12) $(BIN)/pytest -n 2 tests/serverlog/test_fuzz.py

bench: .venv/ready ## Measure beside mtail and grep, and keep the figures in tests/bench/results.csv; ONLY="log=300 idle"
	$(call debian,command -v mtail,mtail)
	PYTHONPATH=tests $(BIN)/python -m bench.run $(ONLY)

demo: .venv/ready ## Replay a recorded SGLang server beside the exporter until Ctrl-C; PORT=17461
	@deploy/demo.sh

dashboards: .venv/ready ## Write the Grafana dashboards again from their source
	$(BIN)/python grafana/generate.py

manifests: .venv/ready ## Write the rules again as resources of the Prometheus operator
	$(BIN)/python deploy/kubernetes/generate.py

lock: .venv/ready ## Resolve the dependencies again; a version stays until its line is deleted
	$(BIN)/pip install --quiet $(UV)
	$(COMPILE) -o requirements.lock pyproject.toml
	printf 'hatchling\neditables\n' | $(COMPILE) -o requirements-build.lock -
	$(COMPILE) -o requirements-dev.lock --extra dev -c requirements.lock pyproject.toml requirements-build.lock

dist: .venv/ready ## Build the wheel and the sdist into dist/, the same bytes from the same commit
	rm -rf dist
	SOURCE_DATE_EPOCH=$(shell git log -1 --format=%ct) $(BIN)/python -m hatchling build

sbom: .venv/ready ## Write dist/sbom.json, a CycloneDX bill of materials of what requirements.lock pins
	$(BIN)/pip install --quiet $(CYCLONEDX)
	mkdir -p dist
	$(BIN)/cyclonedx-py requirements --output-reproducible --pyproject pyproject.toml --output-file dist/sbom.json requirements.lock

wheels: .venv/ready ## Check that each locked dependency has a wheel for amd64 and arm64, hashes included
	for machine in x86_64 aarch64; do for python in 3.11 3.12 3.13; do \
	  $(BIN)/pip download --quiet --no-deps --only-binary :all: --require-hashes --requirement requirements.lock \
	    --platform manylinux_2_28_$$machine --platform manylinux_2_17_$$machine --platform manylinux2014_$$machine \
	    --python-version $$python --dest dist/wheelhouse/$$machine-$$python || exit 1; \
	  echo "$$machine, Python $$python: $$(ls dist/wheelhouse/$$machine-$$python | wc -l) wheels"; done; done

image: ## Build the container image with docker, podman or buildah
	BUILDAH_FORMAT=docker $(or $(ENGINE),$(error docker, podman or buildah is needed)) build -t sglang-exporter:$(VERSION) \
	  --build-arg VERSION=$(VERSION) \
	  --build-arg REVISION=$(shell git rev-parse HEAD) \
	  --build-arg CREATED=$(shell git log -1 --format=%cI) .

.venv/ready: requirements-dev.lock pyproject.toml
	$(call debian,$(PYTHON) -c 'import ensurepip',python3-venv)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.13")'
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --require-hashes -r requirements-dev.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
