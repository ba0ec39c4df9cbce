# `make test` sets up all that the tests need and runs them; `make help` lists the rest.

DATA ?= ../shared/data
GOLDEN ?= ../shared/golden
VENV := .venv
PYTHON := $(VENV)/bin/python
BENCH := target/release/examples/time
PROGRAM := target/release/xray
# Tests build everything once, with this profile.
CI := --profile ci
CI_BENCH := target/ci/examples/time
CI_PROGRAM := target/ci/xray
PREPARED := target/bench-data
REFERENCE := target/reference
WRITTEN := target/written
SCRIPTS := bench crates/xray-data/bench crates/xray-data/tests/python crates/xray-eval/tests/python \
	crates/xray-cli/tests/python crates/xray-mpi/tests/python

PACKAGE := crates/xray-python
WHEELS := target/wheels
RIVALS := target/venv-rivals

.PHONY: help test setup lint rust reference cli engines mpi mpi-full mpi-build python bench bench-python \
	bench-large bench-rivals bench-mpi results clean

help:
	@echo "make test         everything that must pass: formatting, lints, docs, all tests"
	@echo "make mpi          the program on many ranks, under Open MPI and MPICH (installs them)"
	@echo "make mpi-full     the same with all rules, data sets and numbers of ranks (about an hour)"
	@echo "make bench-mpi    ranks against threads: time and memory (ten minutes, 4 GB)"
	@echo "make python       build the Python package, install it into .venv, run its tests"
	@echo "make bench        timings on real data against SciPy, in one run (a few minutes)"
	@echo "make bench-python XRay against scikit-learn's NMF, and what Python adds to a fit (some minutes)"
	@echo "make bench-large  the paper's large shapes: time and peak memory (some minutes, 2.5 GB)"
	@echo "make bench-rivals topics against scikit-learn, gensim, topica and tomotopy (10 minutes, 14 GB)"
	@echo "make results      every figure and table of the paper into docs/results (about half an hour)"
	@echo "make clean        remove what the build made"

test: setup lint reference rust cli engines python mpi
	@echo "all tests passed"

# A C linker and Python come with any development machine; install them where they are missing.
setup:
	@command -v cc >/dev/null && python3 -c 'import venv, ensurepip' 2>/dev/null \
		|| (apt-get update -qq && apt-get install -y -qq gcc python3-venv)
	@test -x $(PYTHON) || python3 -m venv $(VENV)
	@$(PYTHON) -c 'import numpy, scipy, sklearn, pandas, pyarrow, ruff, mypy' 2>/dev/null \
		|| $(VENV)/bin/pip install --quiet --disable-pip-version-check -r bench/requirements.txt

lint:
	cargo fmt --all --check
	cargo clippy $(CI) --workspace --all-targets --quiet -- -D warnings
	cargo clippy $(CI) --package xray-nmf --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc $(CI) --workspace --no-deps --quiet
	$(VENV)/bin/ruff check --quiet $(SCRIPTS)
	$(VENV)/bin/ruff format --check --quiet $(SCRIPTS)
	@# One folder at a time: scripts of the same name are no package.
	for folder in $(SCRIPTS); do $(VENV)/bin/mypy --strict --no-error-summary $$folder || exit 1; done

# Files that SciPy, scikit-learn, pandas and pyarrow write, for the readers to read, and what
# scikit-learn and SciPy say of small problems, for the measures to agree with.
reference:
	@rm -rf $(REFERENCE)
	$(PYTHON) crates/xray-data/tests/python/make_reference.py $(REFERENCE) $(wildcard $(DATA))
	$(PYTHON) crates/xray-eval/tests/python/make_reference.py $(REFERENCE)

rust:
	@test -d $(GOLDEN) || echo "SKIPPED: 3 tests against reference answers (no folder $(GOLDEN))"
	@test -d $(DATA) || echo "SKIPPED: tests of real data sets' shapes and texts (no folder $(DATA))"
	@rm -rf $(WRITTEN)
	XRAY_GOLDEN=$(abspath $(GOLDEN)) XRAY_REFERENCE=$(abspath $(REFERENCE)) XRAY_EVAL_REFERENCE=$(abspath $(REFERENCE)) \
		XRAY_DATA=$(abspath $(DATA)) XRAY_WRITTEN=$(abspath $(WRITTEN)) cargo test $(CI) --workspace
	@# What the tests wrote, read by SciPy, pandas and pyarrow.
	$(PYTHON) crates/xray-data/tests/python/check_written.py $(WRITTEN)

# The program converts the reference files to every format and back, to the same bits.
cli:
	cargo build $(CI) --workspace --bins --quiet
	$(PYTHON) crates/xray-cli/tests/python/convert_roundtrip.py $(CI_PROGRAM) $(REFERENCE)

# Both engines and both thread counts give the same bits on real data, where it is.
engines:
	cargo build $(CI) --package xray-experiments --example time --quiet
	@if [ -d $(DATA) ]; then \
		$(PYTHON) bench/prepare.py $(DATA) $(PREPARED) bbc && \
		for rule in greedy dist; do for mean in "" --mean-ray; do \
			$(CI_BENCH) --file $(PREPARED)/bbc.npz --selection $$rule $$mean --same || exit 1; \
		done; done; \
	else echo "SKIPPED: 4 comparisons of the engines on real data (no folder $(DATA))"; fi

# The program on many ranks, built for each MPI in turn, gives the bits of the program on one.
MPI_RUNS := crates/xray-mpi/tests/python
MPI_PACKAGES := libopenmpi-dev openmpi-bin libmpich-dev mpich libclang-dev iproute2
MPI_BIN := target/mpi
MPI_WORK := $(MPI_BIN)/work
MPI_ARGUMENTS := $(MPI_BIN)/xray $(MPI_BIN)/openmpi/xray-mpi $(MPI_BIN)/mpich/xray-mpi \
	$(or $(wildcard $(GOLDEN)),-) $(or $(wildcard $(DATA)),-) $(MPI_WORK)

mpi: mpi-build
	cargo clippy $(CI) --workspace --all-targets --features xray-mpi/mpi --quiet -- -D warnings
	$(PYTHON) $(MPI_RUNS)/mpi_runs.py $(MPI_ARGUMENTS) --quick
	$(PYTHON) $(MPI_RUNS)/cost_model.py $(MPI_BIN)/openmpi/xray-mpi $(MPI_WORK)/synthetic.npz 20 3
	@if ip netns add xrayprobe 2>/dev/null; then ip netns delete xrayprobe; \
		$(PYTHON) $(MPI_RUNS)/namespaces.py $(MPI_BIN)/xray $(MPI_BIN)/openmpi/xray-mpi \
			$(MPI_WORK)/synthetic.npz $(MPI_WORK)/namespaces; \
	else echo "SKIPPED: ranks in network namespaces of their own (only root may make them)"; fi

mpi-full: mpi-build
	$(PYTHON) $(MPI_RUNS)/mpi_runs.py $(MPI_ARGUMENTS)
	for set in bbc reuters10 tdt2; do \
		$(PYTHON) $(MPI_RUNS)/cost_model.py $(MPI_BIN)/openmpi/xray-mpi $(MPI_WORK)/$$set.npz 20 2 4 \
			|| exit 1; \
	done

# Both MPIs share the rest of the build; only what has seen the other MPI's headers is built anew.
mpi-build: setup
	@which mpirun.openmpi mpirun.mpich mpicc.openmpi mpicc.mpich ip >/dev/null \
		&& ls /usr/lib/llvm-*/lib/libclang*.so* >/dev/null 2>&1 \
		|| (apt-get update -qq && apt-get install -y -qq $(MPI_PACKAGES))
	for kind in openmpi mpich; do \
		cargo clean $(CI) --quiet --package mpi-sys && \
		MPICC=mpicc.$$kind cargo build $(CI) --quiet --workspace --bins --features xray-mpi/mpi && \
		mkdir -p $(MPI_BIN)/$$kind && cp target/ci/xray-mpi $(MPI_BIN)/$$kind/ && \
		cp $(CI_PROGRAM) $(MPI_BIN)/ || exit 1; \
	done

# Ranks against threads: time and memory, under both MPIs, with the program as users build it.
bench-mpi: setup $(PROGRAM)
	for kind in openmpi mpich; do \
		cargo clean --release --quiet --package mpi-sys && \
		MPICC=mpicc.$$kind cargo build --release --quiet --package xray-mpi --features mpi && \
		$(PYTHON) bench/cluster.py $(PROGRAM) target/release/xray-mpi $(DATA) $(PREPARED) --mpi $$kind \
			|| exit 1; \
	done

# What `pip install .` does, in two steps so that the wheel can be weighed. Its engine is the one that
# users get, built for release; the program it is compared with is the tests' own.
# SCIPY_ARRAY_API lets scikit-learn's checks try all kinds of arrays instead of skipping some.
python: setup
	@$(PYTHON) -c 'import ipykernel, maturin, nbclient, pyLDAvis, pytest, pandas, scipy' 2>/dev/null \
		|| $(VENV)/bin/pip install --quiet --disable-pip-version-check -r $(PACKAGE)/requirements-test.txt
	cargo build $(CI) --workspace --bins --quiet
	@rm -rf $(WHEELS)
	$(VENV)/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEELS) .
	@ls -l $(WHEELS) | awk 'NR > 1 {printf "wheel %s: %.2f MB\n", $$NF, $$5 / 1e6}'
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(WHEELS)/*.whl
	$(VENV)/bin/ruff check --quiet $(PACKAGE) examples
	$(VENV)/bin/ruff format --check --quiet $(PACKAGE) examples
	$(VENV)/bin/mypy --strict --no-error-summary $(PACKAGE)/python $(PACKAGE)/tests
	$(PYTHON) -m mypy.stubtest --concise xray_nmf._xray_nmf
	SCIPY_ARRAY_API=1 XRAY_PROGRAM=$(abspath $(CI_PROGRAM)) XRAY_DATA=$(abspath $(DATA)) \
		$(PYTHON) -m pytest --quiet -rs

bench-python: $(BENCH)
	$(PYTHON) bench/prepare.py $(DATA) $(PREPARED) tdt2
	$(PYTHON) bench/python_overhead.py $(BENCH) $(PREPARED)
	$(PYTHON) bench/python_nmf.py $(DATA)

$(BENCH): FORCE
	cargo build --release --quiet --package xray-experiments --example time

$(PROGRAM): FORCE
	cargo build --release --quiet --package xray-cli

bench: setup $(BENCH) $(PROGRAM)
	$(PYTHON) bench/prepare.py $(DATA) $(PREPARED)
	$(PYTHON) bench/engine.py $(BENCH) $(PREPARED) --direct
	$(PYTHON) bench/spa.py $(BENCH) $(PREPARED)
	$(PYTHON) bench/tweets.py $(PROGRAM) $(DATA)
	for set in bbc reuters10 tdt2; do for rule in greedy dist; do for mean in "" --mean-ray; do \
		echo "$$set $$rule $$mean"; \
		$(BENCH) --file $(PREPARED)/$$set.npz --selection $$rule $$mean --same || exit 1; \
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
	@test -x $(RIVALS)/bin/python || python3 -m venv $(RIVALS)
	$(RIVALS)/bin/pip install --quiet --disable-pip-version-check -r bench/requirements-rivals.txt
	$(RIVALS)/bin/python bench/rivals.py $(PROGRAM) $(DATA) $(RIVALS_OPTIONS)

results: $(PROGRAM)
	XRAY_DATA=$(abspath $(DATA)) $(PROGRAM) reproduce all -o docs/results

clean:
	cargo clean
	rm -rf $(VENV)

.PHONY: FORCE
FORCE:
