# What is checked beyond the tests' answers; docs/trust.md tells what each shows.

.PHONY: supply deny sbom licences offline dist reproducible
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
