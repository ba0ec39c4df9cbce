# What is checked beyond the tests' answers; docs/trust.md tells what each shows.

.PHONY: supply deny sbom licences offline dist
DIST := target/dist
TRIPLE = $(shell rustc --version --verbose | sed -n 's/^host: //p')
VERSION = $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml)

# ---- what we take from others ------------------------------------------------------------------------------

supply: venv fetch
	$(PYTHON) tools/test_supply.py
	$(PYTHON) tools/supply.py

# The same policy, asked by a tool that others trust; it takes minutes to build: cargo install --locked cargo-deny
deny:
	cargo deny --offline check licenses bans sources

sbom: venv fetch
	$(PYTHON) tools/sbom.py xray-cli $(DIST)/xray.cdx.json

# Texts of others are collected when something is packed, never kept here.
licences: venv fetch
	$(PYTHON) tools/licences.py xray-cli $(DIST)/THIRD-PARTY-LICENSES

# ---- what others take from us ------------------------------------------------------------------------------

# No network: nothing can be asked for, nothing is.
offline: build
	$(PYTHON) tools/offline.py $(TESTED_PROGRAM)

# The program with all that must go with it, in one archive that has the same bytes for the same contents.
PACKED = xray-$(VERSION)-$(TRIPLE)
dist: $(PROGRAM) sbom licences
	@rm -rf $(DIST)/$(PACKED) && mkdir -p $(DIST)/$(PACKED)/man
	cp $(PROGRAM) README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE $(DIST)/THIRD-PARTY-LICENSES $(DIST)/xray.cdx.json \
		$(DIST)/$(PACKED)/
	$(PROGRAM) man $(DIST)/$(PACKED)/man
	tar --sort=name --mode=u=rwX,go=rX --owner=0 --group=0 --numeric-owner --mtime=@0 --directory $(DIST) --create $(PACKED) \
		| gzip --no-name >$(DIST)/$(PACKED).tar.gz
	@ls -l $(DIST)/$(PACKED).tar.gz | awk '{printf "%s: %.2f MB\n", $$NF, $$5 / 1e6}'

# ---- hostile bytes -----------------------------------------------------------------------------------------

# libFuzzer: FUZZ_SECONDS of processor time for each target, or ten million inputs, FUZZ_JOBS targets at a time. Our code has
# all checks on (fuzz/Cargo.toml), and new paths are looked for in what meets input first: looking at all of it takes longer
# than to run it. What it rests on is as fast as in a release. FUZZ_SANITIZER=address also watches the memory of all. Flags
# that only nightly Rust has are let through; gcc is all that is needed besides.
FUZZ_SECONDS ?= 1200
FUZZ_JOBS ?= 1
FUZZ_SANITIZER ?=
FUZZ_TARGETS ?= $(shell sed -n 's/.*Target { name: "\([a-z]*\)".*/\1/p' crates/xray-fuzz/src/lib.rs)
FUZZ_PROGRAM = fuzz/target/$(TRIPLE)/release/xray-fuzz-runner
FUZZ_WATCHED := xray_data xray_pipeline xray_cli xray_fuzz
FUZZ_FLAGS := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares

.PHONY: fuzz fuzz-build fuzz-quick $(FUZZ_TARGETS:%=fuzz-of-%)
# Of all packages it takes the versions that the program has.
fuzz-build:
	cp Cargo.lock fuzz/
	cd fuzz && INSTRUMENTED="$(FUZZ_WATCHED)" INSTRUMENT="$(FUZZ_FLAGS)" RUSTC_WRAPPER=$(abspath tools/instrument.sh) RUSTC_BOOTSTRAP=1 \
		RUSTFLAGS="--cfg fuzzing $(FUZZ_SANITIZER:%=-Zsanitizer=%)" cargo build --release --target $(TRIPLE)

fuzz: fuzz-build
	$(SUBMAKE) -j$(FUZZ_JOBS) $(FUZZ_TARGETS:%=fuzz-of-%)

# One target, with the program that `fuzz-build` left.
$(FUZZ_TARGETS:%=fuzz-of-%): fuzz-of-%:
	@python3 tools/fuzz.py $(FUZZ_PROGRAM) $* --seconds $(FUZZ_SECONDS)

# Random jobs in one Python process, which may not grow.
SOAK_SECONDS ?= 3600
.PHONY: soak
soak: wheel
	$(PYTHON) tools/soak.py --seconds $(SOAK_SECONDS)

# The same targets on the same few thousand inputs in every run; part of the tests.
fuzz-quick:
	XRAY_FUZZ=$(or $(XRAY_FUZZ),1500) cargo test $(CI) --package xray-fuzz

# The random tests with other cases, WILD times; WILD_SEED repeats a run that found something.
WILD ?= 20
WILD_SEED ?= $(shell date +%s)
WILD_TESTS := no_panic oracle synth
.PHONY: wild
wild:
	for seed in $$(seq $(WILD_SEED) $$(($(WILD_SEED) + $(WILD) - 1))); do \
		echo "seed $$seed"; \
		PROPTEST_RNG_SEED=$$seed cargo test $(CI) --quiet --package xray-nmf --test suite -- $(WILD_TESTS); \
		PROPTEST_RNG_SEED=$$seed cargo test $(CI) --quiet --package xray-data --test suite; \
	done

# ---- are the tests any good? -------------------------------------------------------------------------------

.PHONY: coverage mutants sanitize reproducible
# Lines of the two libraries that everything else rests on.
coverage:
	python3 tools/coverage.py --least 90 xray-nmf xray-data

# Changes the code, and looks whether a test notices: hours, so MUTANTS narrows it, as in MUTANTS="--shard 1/20" (every
# twentieth), or MUTANTS="-f crates/xray-nmf/src/select/norms.rs". A change is done with when the first test notices it;
# tests of what does not rest on this code are left out. Packages of others are compiled once, in target/mutants.
# It takes minutes to build: cargo install --locked cargo-mutants cargo-nextest
MUTANTS ?=
READERS := crates/xray-data/src
MUTATED := crates/xray-nmf/src/select/** crates/xray-nmf/src/project/** crates/xray-nmf/src/gram/** \
	crates/xray-nmf/src/refine/** $(READERS)/columns.rs $(READERS)/encoding.rs $(READERS)/read/names.rs \
	$(READERS)/formats/mod.rs $(READERS)/formats/detect.rs $(READERS)/formats/delimited.rs \
	$(READERS)/formats/delimited/numbers.rs $(READERS)/formats/delimited/sample.rs $(READERS)/formats/delimited/texts.rs
mutants:
	$(FOLDERS) XRAY_VERIFY=342 XRAY_ROBUST=120 PROPTEST_MAX_SHRINK_ITERS=0 CARGO_TARGET_DIR=$(abspath target/mutants) \
		cargo mutants --workspace --output target --profile mutants --test-tool nextest --timeout 300 --jobs 1 \
		$(if $(findstring --shard,$(MUTANTS)),--sharding round-robin) \
		$(if $(findstring -f ,$(MUTANTS)),,$(foreach file,$(MUTATED),-f '$(file)')) $(MUTANTS) \
		-- --lib --tests -E 'not test(/^(recovery|rivals|synth|unmix)/)'

# The kernels, which alone may use unsafe code, under address sanitizer: those of this processor, and the portable ones.
sanitize:
	for plain in "" 1; do \
		$${plain:+env XRAY_PLAIN_KERNELS=$$plain} env RUSTC_BOOTSTRAP=1 INSTRUMENT=-Zsanitizer=address ASAN_OPTIONS=detect_leaks=0 \
			RUSTC_WORKSPACE_WRAPPER=$(abspath tools/instrument.sh) cargo test --package xray-nmf --lib --test suite; \
	done

# Two builds in different folders are the same program to the last byte (ten minutes).
reproducible:
	python3 tools/reproducible.py
