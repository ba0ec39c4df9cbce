# `make test` sets up all that the tests need and runs them; `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
DATA ?= ../shared/data
GOLDEN ?= ../shared/golden
VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := $(VENV)/bin/pip --quiet --disable-pip-version-check
LOG := target/test.log
REFERENCE := target/reference
WRITTEN := target/written
PREPARED := target/bench-data
PROGRAM := target/release/xray
BENCH := target/release/examples/time

# What tests and lints are built with. Any other set of packages, features or kinds of targets would build half of
# the tree anew: every call of cargo takes exactly these, and there is one profile for all.
CI := --profile ci
BUILT = $(CI) --workspace $(if $(HAS_MPI),--features xray-cli/mpi)
# The program as the tests built it, out of the way of later builds.
TESTED := target/tested
TESTED_PROGRAM := $(TESTED)/xray

# Scripts are told by their place, so that a package can move.
SCRIPTS := $(patsubst %/,%,bench tools $(sort $(dir $(wildcard crates/*/bench/*.py crates/*/tests/python/*.py))))
PACKAGE := crates/xray-python
WHEELS := target/wheels
RIVALS := target/venv-rivals

.PHONY: help test prepare lanes base mpi-packages browser-packages node pages venv fetch format build lint features package scripts reference rust \
	cli engines verify signals wheel python mpi mpi-full mpi-build check bench bench-python bench-large bench-rivals bench-topics bench-explore bench-mpi \
	results bench-cube clean FORCE

help:
	@echo "make test         everything that must pass: formatting, lints, docs, features, packages, all tests"
	@echo "make check        the same in small, for what you changed: formatting, lints and Rust tests"
	@echo "make verify       a hundred thousand random fits, recomputed in 32 digits (XRAY_VERIFY=number; some minutes)"
	@echo "make signals      how long each phase takes to obey a signal, on large data (some minutes)"
	@echo "make mpi          the program on many ranks, under Open MPI and MPICH (installs them)"
	@echo "make mpi-full     the same with all rules, data sets and numbers of ranks (about an hour)"
	@echo "make bench-mpi    ranks against threads: time and memory (ten minutes, 4 GB)"
	@echo "make pages        pages in a real browser, with screenshots (installs Chromium and Node)"
	@echo "make python       build the Python package, install it into .venv, run its tests"
	@echo "make package      pack every crate as for publishing, and build each from its package"
	@echo "make bench        timings on real data against SciPy, in one run (a few minutes)"
	@echo "make bench-python XRay against scikit-learn's NMF at equal objective, and what Python adds to a fit (some minutes)"
	@echo "make bench-large  the paper's large shapes: time and peak memory (some minutes, 2.5 GB)"
	@echo "make bench-topics seeds, numbers and clusters of topics, raw texts: docs/topics.md (half an hour; TEXTS='a.csv ...')"
	@echo "make bench-explore how fast changes by hand are answered, and a thousand random ones (some minutes)"
	@echo "make bench-rivals topics against scikit-learn, RcppML, gensim, topica and tomotopy (10 minutes, 14 GB)"
	@echo "make fuzz         hostile bytes for every reader, under libFuzzer (FUZZ_SECONDS=1200 for each target)"
	@echo "make wild         the random tests with new cases, 20 times (WILD=n; WILD_SEED=n repeats a run)"
	@echo "make soak         random jobs in one process for an hour: does it grow? (SOAK_SECONDS)"
	@echo "make coverage     lines of xray-nmf and xray-data that tests reach (make mutants: changes that no test notices)"
	@echo "make sanitize     the kernels under address sanitizer (make reproducible: two builds give the same bytes)"
	@echo "make dist         the program with licences, list of parts and manual, packed (target/dist)"
	@echo "make results      every figure and table of the paper into docs/results.md and docs/results (half an hour)"
	@echo "make bench-cube   a cube of 10 GB unmixed with at most 2 GB of memory (10 GB of disk)"
	@echo "make clean        remove what the build made"

# ---- all tests, in two lanes: one that compiles, one that runs ---------------------------------------------

SUBMAKE := $(MAKE) --no-print-directory --keep-going

test:
	@mkdir -p target
	@status=0; { $(SUBMAKE) -j4 prepare && $(SUBMAKE) -j2 lanes LANES=1; } 2>&1 | tee $(LOG) || status=1; \
		awk -v status=$$status -f tools/summary.awk $(LOG); exit $$status

prepare: format fetch mpi-packages browser-packages venv

# What is there now, after `prepare`. Every stage that cannot run says so.
HAS_PYTHON = $(shell [ -x $(PYTHON) ] && echo yes)
MPI_PACKAGES := libopenmpi-dev openmpi-bin libmpich-dev mpich libclang-dev iproute2
MPI_COMMANDS := mpirun.openmpi mpirun.mpich mpicc.openmpi mpicc.mpich
MPI_FOUND = $(shell which $(MPI_COMMANDS) >/dev/null 2>&1 && \
	ls $(or $(LIBCLANG_PATH),/usr/lib/llvm-*/lib)/libclang*.so* >/dev/null 2>&1 && echo yes)
HAS_MPI = $(and $(HAS_PYTHON),$(MPI_FOUND))
# A browser, and what drives it and looks at what it shows.
CHROMIUM = $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
# Node from elsewhere brings npm along, and Debian's npm does not go with it: only what is missing is installed.
BROWSER_PACKAGES = $(strip $(if $(CHROMIUM),,chromium) $(if $(shell command -v node),,nodejs) $(if $(shell command -v npm),,npm))
HAS_BROWSER = $(if $(BROWSER_PACKAGES),,yes)
lanes: lint rust $(if $(HAS_PYTHON),scripts supply offline reference features package cli engines python,no-python) \
	$(if $(HAS_MPI),mpi,no-mpi) $(if $(HAS_BROWSER),pages,no-pages)

# Two calls of cargo would wait for each other: one lane compiles, in this order, the other one runs. (Only make
# itself could make use of its flags, and rustdoc warns that it cannot.)
ifdef LANES
unexport MAKEFLAGS MFLAGS
lint: build
rust cli engines offline pages: build
cli engines offline pages: rust
features: lint
package: features
wheel: package
mpi-build: rust cli engines features
endif
ifneq ($(HAS_PYTHON),)
rust: reference
endif

.PHONY: no-python no-mpi no-pages
no-python:
	@echo "SKIPPED: the Python package, scripts, sets of features, packages, licences, SciPy's files (apt-get install python3-venv)"

no-mpi:
	@echo "SKIPPED: the program on many ranks (apt-get install python3-venv $(MPI_PACKAGES))"

no-pages:
	@echo "SKIPPED: pages in a browser, and lints of their scripts (apt-get install $(BROWSER_PACKAGES))"

# ---- what the machine must have ----------------------------------------------------------------------------

# Only root can install; others are told what is missing, and do without.
define install
if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(1) >/dev/null; \
else echo "missing, and not root on Debian or Ubuntu: $(1)"; fi
endef

base:
	@{ command -v cc && python3 -c 'import venv, ensurepip'; } >/dev/null 2>&1 || { $(call install,gcc python3-venv); }

mpi-packages: base
	@[ -n "$(MPI_FOUND)" ] || { $(call install,$(MPI_PACKAGES)); }

# After the others, since two installations at a time would not wait for each other.
browser-packages: mpi-packages
	@[ -n "$(HAS_BROWSER)" ] || { $(call install,$(BROWSER_PACKAGES)); }

venv: base
	@if python3 -c 'import venv, ensurepip' 2>/dev/null; then \
		[ -x $(PYTHON) ] || python3 -m venv $(VENV); \
		$(PYTHON) -c 'import numpy, scipy, sklearn, pandas, pyarrow, spectral, ruff, mypy, ipykernel, maturin, nbclient, pyLDAvis, pytest' \
			2>/dev/null || $(PIP) install -r bench/requirements.txt -r $(PACKAGE)/requirements-test.txt; \
	fi

fetch:
	@cargo fetch --quiet --locked

# ---- lints -------------------------------------------------------------------------------------------------

format:
	cargo fmt --all --check

build: mpi-packages
	@$(call mpi_for,openmpi)
	cargo test $(BUILT) --no-run
	@mkdir -p $(TESTED) && cp target/ci/xray target/ci/examples/time $(TESTED)/

lint:
	cargo clippy $(BUILT) --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc $(BUILT) --no-deps --quiet

# Every package by itself: what the whole workspace switches on hides what a package forgot to ask for.
features:
	python3 tools/features.py $(if $(HAS_MPI),,--without mpi) -- $(CI)

scripts: venv
	$(VENV)/bin/ruff check --quiet $(SCRIPTS) $(PACKAGE) examples
	$(VENV)/bin/ruff format --check --quiet $(SCRIPTS) $(PACKAGE) examples
	@# One folder at a time: scripts of the same name are no package.
	for folder in $(SCRIPTS); do $(VENV)/bin/mypy --strict --no-error-summary $$folder; done

# Packing only, in the tests; `make package` also builds every crate from its package.
package:
	python3 tools/publish.py $(if $(LANES),,--verify)

# What you changed (SINCE=commit: since then), as fast as it goes; DEPENDENTS=1 also tests what needs it.
check:
	python3 tools/check.py $(SINCE:%=--since %) $(if $(DEPENDENTS),--dependents)

# ---- tests -------------------------------------------------------------------------------------------------

# Files that SciPy, scikit-learn, pandas and pyarrow write, for the readers to read, and what
# scikit-learn and SciPy say of small problems, for the measures to agree with.
reference: venv
	@rm -rf $(REFERENCE)
	for script in crates/*/tests/python/make_reference.py crates/*/tests/python/make_cubes.py; do $(PYTHON) $$script $(REFERENCE) $(wildcard $(DATA)); done

FOLDERS := XRAY_GOLDEN=$(abspath $(GOLDEN)) XRAY_REFERENCE=$(abspath $(REFERENCE)) \
	XRAY_DATA=$(abspath $(DATA)) XRAY_WRITTEN=$(abspath $(WRITTEN))

rust:
	@[ -d $(GOLDEN) ] || echo "SKIPPED: 3 tests against reference answers (no folder $(GOLDEN))"
	@[ -d $(DATA) ] || echo "SKIPPED: tests of real data sets' shapes and texts (no folder $(DATA))"
	@rm -rf $(WRITTEN)
	$(FOLDERS) cargo test $(BUILT) --no-fail-fast
	@# What the tests wrote, read by SciPy, pandas and pyarrow.
	$(if $(HAS_PYTHON),$(PYTHON) crates/xray-data/tests/python/check_written.py $(WRITTEN))

# The program converts the reference files to every format and back, to the same bits.
cli: reference build
	$(PYTHON) crates/xray-cli/tests/python/convert_roundtrip.py $(TESTED_PROGRAM) $(REFERENCE)
	$(PYTHON) crates/xray-cli/tests/python/memory_peaks.py $(TESTED_PROGRAM)

# Both engines and both thread counts give the same bits on real data, where it is (`make bench` has 100 anchors).
engines: build
	@if [ -d $(DATA) ]; then \
		$(PYTHON) bench/prepare.py $(DATA) $(PREPARED) bbc; \
		for rule in greedy dist; do for mean in "" --mean-ray; do \
			$(TESTED)/time --file $(PREPARED)/bbc.npz --selection $$rule $$mean --rank 20 --same; \
		done; done; \
	else echo "SKIPPED: 4 comparisons of the engines on real data (no folder $(DATA))"; fi

# Random fits, step by step, against arithmetic of 32 digits; the tests run a few thousand of them.
XRAY_VERIFY ?= 100000
verify:
	XRAY_VERIFY=$(XRAY_VERIFY) cargo test $(CI) --package xray-nmf --test verifier random -- --nocapture

# Every signal in every phase; the tests try one of each on smaller data.
signals:
	XRAY_SIGNALS=full cargo test --release --package xray-cli --test signals -- --nocapture

# ---- pages -------------------------------------------------------------------------------------------------

# Scripts of pages are linted and their types checked; pages are opened in a browser and used. Packages that this takes
# are never part of a page. Screenshots stay in target/pages/shots.
PAGES := target/pages
NODE := target/node
node: browser-packages
	@mkdir -p $(NODE) && cmp --silent tools/page/package-lock.json $(NODE)/installed || { \
		cp tools/page/package.json tools/page/package-lock.json $(NODE)/; \
		npm ci --prefix $(NODE) --ignore-scripts --no-audit --no-fund --silent && cp tools/page/package-lock.json $(NODE)/installed; }

pages: node build
	$(NODE)/node_modules/.bin/eslint --config tools/page/eslint.config.mjs crates/xray-report/page/*.js
	$(NODE)/node_modules/.bin/tsc --project crates/xray-report/page
	@rm -rf $(PAGES) && mkdir -p $(PAGES)
	XRAY_PROGRAM=$(abspath $(TESTED_PROGRAM)) XRAY_BROWSER_WORK=$(abspath $(PAGES)) XRAY_NODE_MODULES=$(abspath $(NODE)) \
		XRAY_CHROMIUM=$(CHROMIUM) XRAY_DEMO_CORPUS=$(abspath crates/xray-cli/corpus/demo.tsv) \
		node --test --test-concurrency=1 --test-reporter=spec crates/xray-cli/tests/browser/*.test.mjs
	@echo "screenshots are in $(PAGES)/shots"

# ---- many ranks --------------------------------------------------------------------------------------------

# The program on many ranks, built for each MPI in turn, gives the bits of the program on one. (The tests' own
# program is built for Open MPI, and works alone when no launcher has started it.)
MPI_RUNS := $(dir $(firstword $(wildcard crates/*/tests/python/mpi_runs.py)))
MPI_BIN := target/mpi
MPI_WORK := $(MPI_BIN)/work
MPI_ARGUMENTS := $(TESTED_PROGRAM) $(TESTED_PROGRAM) $(MPI_BIN)/xray-mpich \
	$(or $(wildcard $(GOLDEN)),-) $(or $(wildcard $(DATA)),-) $(MPI_WORK)
export MPICC := mpicc.openmpi

# mpi-sys does not notice that another MPI is meant.
mpi_for = mkdir -p $(MPI_BIN); [ "$$(cat $(MPI_BIN)/built-for 2>/dev/null)" = $(1) ] || \
	{ cargo clean $(CI) --quiet --package mpi-sys; echo $(1) >$(MPI_BIN)/built-for; }

mpi: mpi-build
	$(PYTHON) $(MPI_RUNS)mpi_runs.py $(MPI_ARGUMENTS) --quick
	$(PYTHON) $(MPI_RUNS)cost_model.py $(TESTED_PROGRAM) $(MPI_WORK)/synthetic.npz 20 3
	@if ip netns add xrayprobe 2>/dev/null; then ip netns delete xrayprobe; \
		$(PYTHON) $(MPI_RUNS)namespaces.py $(TESTED_PROGRAM) $(TESTED_PROGRAM) \
			$(MPI_WORK)/synthetic.npz $(MPI_WORK)/namespaces; \
	else echo "SKIPPED: ranks in network namespaces of their own (only root may make them)"; fi

mpi-full: mpi-build
	$(PYTHON) $(MPI_RUNS)mpi_runs.py $(MPI_ARGUMENTS)
	for set in bbc reuters10 tdt2; do \
		$(PYTHON) $(MPI_RUNS)cost_model.py $(TESTED_PROGRAM) $(MPI_WORK)/$$set.npz 20 2 4; \
	done

# Only what has seen the other MPI's headers is built anew. (A test is named so that the features are those of
# the tests' build.)
mpi-build: venv build
	@$(call mpi_for,mpich)
	MPICC=mpicc.mpich cargo build $(BUILT) --quiet --bin xray --test pages
	@cp target/ci/xray $(MPI_BIN)/xray-mpich

# Ranks against threads: time and memory, under both MPIs, with the program as users build it.
bench-mpi: venv mpi-packages $(PROGRAM)
	@mkdir -p $(TESTED) && cp $(PROGRAM) $(TESTED)/xray-release
	for kind in openmpi mpich; do \
		cargo clean --release --quiet --package mpi-sys; \
		MPICC=mpicc.$$kind cargo build --release --quiet --package xray-cli --features mpi; \
		$(PYTHON) bench/cluster.py $(TESTED)/xray-release $(PROGRAM) $(DATA) $(PREPARED) --mpi $$kind; \
	done

# ---- Python ------------------------------------------------------------------------------------------------

# The wheel is built from the source package, as on a user's machine: what is missing there shows. `make python` builds
# it for release, as users get it; among all tests it has the tests' profile, which takes half the time and also
# checks for overflow. (Unpacked files are new, so that cargo builds what has changed.)
WHEEL_OPTIONS ?= $(if $(LANES),--config-settings=build-args="$(CI)")
wheel: venv fetch
	@rm -rf target/sdist $(WHEELS) && mkdir -p target/sdist
	$(PYTHON) tools/licences.py xray-python THIRD-PARTY-LICENSES
	$(VENV)/bin/maturin sdist --out target/sdist
	@tar --extract --touch --gzip --file target/sdist/*.tar.gz --directory target/sdist
	CARGO_TARGET_DIR=$(abspath target/sdist-build) $(PIP) wheel --no-deps $(WHEEL_OPTIONS) \
		--wheel-dir $(WHEELS) target/sdist/*/
	@ls -l $(WHEELS) | awk 'NR > 1 {printf "wheel %s: %.2f MB\n", $$NF, $$5 / 1e6}'
	@# What goes with the code of others: their licences, and the list of them.
	$(PYTHON) -m zipfile --list $(WHEELS)/*.whl >target/wheel.txt
	for name in licenses/THIRD-PARTY-LICENSES sboms/; do grep --quiet $$name target/wheel.txt; done
	$(PIP) install --force-reinstall --no-deps $(WHEELS)/*.whl

# The program it is compared with is the tests' own.
# SCIPY_ARRAY_API lets scikit-learn's checks try all kinds of arrays instead of skipping some.
python: wheel build
	$(VENV)/bin/mypy --strict --no-error-summary $(PACKAGE)/python $(PACKAGE)/tests
	$(PYTHON) -m mypy.stubtest --concise xray_nmf._xray_nmf
	SCIPY_ARRAY_API=1 XRAY_PROGRAM=$(abspath $(TESTED_PROGRAM)) XRAY_DATA=$(abspath $(DATA)) \
		$(PYTHON) -m pytest --quiet -rs

# ---- measurements ------------------------------------------------------------------------------------------

bench-python: venv $(BENCH) $(PROGRAM)
	$(PYTHON) bench/prepare.py $(DATA) $(PREPARED) tdt2
	$(PYTHON) bench/python_overhead.py $(BENCH) $(PREPARED)
	$(PYTHON) bench/python_nmf.py $(DATA) --page docs/nmf.md
	$(PYTHON) bench/clusters.py $(PROGRAM) $(DATA) --sets bbc reuters10 tdt2

# TEXTS are tables of one's own, with columns label and text.
bench-topics: venv $(PROGRAM)
	$(PYTHON) bench/topics_page.py $(PROGRAM) $(DATA) --texts $(TEXTS)

bench-explore: venv $(PROGRAM)
	$(PYTHON) bench/explore.py $(PROGRAM) $(DATA)

$(BENCH): FORCE
	cargo build --release --quiet --package xray-experiments --example time

$(PROGRAM): FORCE
	cargo build --release --quiet --package xray-cli

bench: venv $(BENCH) $(PROGRAM)
	$(PYTHON) bench/prepare.py $(DATA) $(PREPARED)
	$(PYTHON) bench/engine.py $(BENCH) $(PREPARED) --direct
	$(PYTHON) bench/spa.py $(BENCH) $(PREPARED)
	$(PYTHON) bench/tweets.py $(PROGRAM) $(DATA)
	for set in bbc reuters10 tdt2; do for rule in greedy dist; do for mean in "" --mean-ray; do \
		echo "$$set $$rule $$mean"; \
		$(BENCH) --file $(PREPARED)/$$set.npz --selection $$rule $$mean --same; \
	done; done; done

bench-large: $(BENCH)
	$(BENCH) --corpus ibmt --threads 2
	$(BENCH) --corpus ibmt --threads 2 --method hottopixx --epochs 3
	$(BENCH) --corpus rcv1 --threads 2
	$(BENCH) --corpus ppl2 --threads 2 --memory 1000000000
	$(BENCH) --dense 200x1000000 --selection max --rank 20 --threads 2

# The other libraries have an environment of their own: the tests do without them.
# RIVALS_OPTIONS=--quick takes one turn on BBC only, and leaves the page as it is.
RIVALS_OPTIONS ?= --output docs/rivals.md
bench-rivals: $(PROGRAM)
	@[ -x $(RIVALS)/bin/python ] || python3 -m venv $(RIVALS)
	$(RIVALS)/bin/pip install --quiet --disable-pip-version-check -r bench/requirements-rivals.txt
	$(RIVALS)/bin/python bench/rivals.py $(PROGRAM) $(DATA) $(RIVALS_OPTIONS)

# Every figure and table of the paper, half an hour on two cores. What an earlier run has left is replaced when all is done;
# of the pages those stay that stand for themselves: what steps cost, and noise.
RESULTS := target/results
results: $(PROGRAM)
	rm -rf $(RESULTS) $(RESULTS).md
	XRAY_DATA=$(abspath $(DATA)) $(PROGRAM) reproduce all -o $(RESULTS)
	find $(RESULTS) -name '*.md' ! -name growth.md ! -name noise.md -delete
	rm -f $(RESULTS)/*.html $(RESULTS)/*.svg $(RESULTS)/.xray.json
	rm -rf docs/results
	mv $(RESULTS) $(RESULTS).md docs/

# 10 GB of disk, and 2 GB of memory at most.
bench-cube: $(PROGRAM)
	python3 bench/large_cube.py $(PROGRAM) --folder target

include tools/trust.mk

clean:
	cargo clean
	rm -rf $(VENV)

FORCE:
