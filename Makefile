# One profile and one target folder for everything, so that dependencies are compiled once.
# The cargo at hand is used; `make test` installs what the tests need beside it. Tests are built with the engine of SQL, the
# demonstration without: the two share all that is compiled but the program itself.

CARGO ?= cargo

.PHONY: demo test check lint doc bench clean

demo:
	$(CARGO) run --release -- demo

# Tests that could not run say so and are counted: a run that left some out ends with their list.
SKIPPED := $(CURDIR)/target/skipped.txt
test: tools extension
	@mkdir -p target && rm -f $(SKIPPED)
	WEBMILL_SKIPPED=$(SKIPPED) $(CARGO) test --release --workspace --features sql,tokens
	@if [ -s $(SKIPPED) ]; then echo "$$(sort -u $(SKIPPED) | wc -l) tests or parts of tests did not run here:"; sort -u $(SKIPPED); \
	 else echo "no test was skipped"; fi

# The compiled part of the Python package, where its tests look for it.
.PHONY: extension
extension:
	@[ ! -x target/python/bin/python ] || { $(CARGO) build -q --release --workspace --features sql,tokens --lib --example pagerank && \
	  for built in target/release/lib_webmill.so target/release/lib_webmill.dylib; do \
	    [ ! -f $$built ] || install -m 755 $$built python/webmill/_webmill.abi3.so; done; }

# What the tests use beside Rust: only where it is missing, and only where Debian's package tool is at hand.
.PHONY: tools
tools:
	@command -v cc >/dev/null 2>&1 || { \
	  if command -v apt-get >/dev/null 2>&1; then apt-get update -qq && apt-get install -y -qq build-essential; \
	  else echo "webmill needs a C compiler (cc) to build zstd and mimalloc" >&2; exit 1; fi; }
	@target/readers/bin/python -c 'import duckdb, pandas, polars, pyarrow' 2>/dev/null || { \
	  mkdir -p target && rm -rf target/readers && python3 -m venv target/readers 2>/dev/null && \
	  target/readers/bin/pip install -q --disable-pip-version-check -r tests/readers/requirements.txt; } || \
	  { rm -rf target/readers; echo "no Python with pandas, pyarrow, polars and duckdb: the test of the tables' readers will be skipped"; }
	@target/archives/bin/python -c 'import pywb, cdx_toolkit, fastwarc, wacz, warcio' 2>/dev/null || { \
	  mkdir -p target && rm -rf target/archives && python3 -m venv target/archives 2>/dev/null && \
	  target/archives/bin/pip install -q --disable-pip-version-check -r tests/archives/requirements.txt; } || \
	  { rm -rf target/archives; echo "no Python with pywb, cdx-toolkit, FastWARC and py-wacz: the tests of clients and readers of archives will be skipped"; }
	@target/python/bin/python -c 'import duckdb, mypy, networkx, pyright, pytest, trafilatura, warcio' 2>/dev/null || { \
	  mkdir -p target && rm -rf target/python && python3 -m venv target/python 2>/dev/null && \
	  target/python/bin/pip install -q --disable-pip-version-check -r python/tests/requirements.txt; } || \
	  { rm -rf target/python; echo "no Python for the package: its tests will be skipped"; }
	@command -v java >/dev/null 2>&1 || { command -v apt-get >/dev/null 2>&1 && apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless >/dev/null; } || \
	  echo "no Java: webmill.spark will not be tried"
	@! command -v java >/dev/null 2>&1 || target/spark/bin/python -c 'import pandas, pyarrow, pyspark, pytest' 2>/dev/null || { \
	  mkdir -p target && rm -rf target/spark && python3 -m venv target/spark 2>/dev/null && \
	  target/spark/bin/pip install -q --disable-pip-version-check -r python/tests/spark_requirements.txt; } || \
	  { rm -rf target/spark; echo "no Python with PySpark: webmill.spark will not be tried"; }
	@target/clean/bin/python -c 'import polars' 2>/dev/null || { \
	  mkdir -p target && rm -rf target/clean && python3 -m venv target/clean 2>/dev/null && \
	  target/clean/bin/pip install -q --disable-pip-version-check polars==$$(sed -n 's/^dependencies = \["polars>=\([0-9.]*\)"\]$$/\1/p' pyproject.toml); } || \
	  { rm -rf target/clean; echo "no Python with polars alone: the package will not be tried in a clean environment"; }
	@target/notebooks/bin/python -c 'import altair, duckdb, ipykernel, nbclient, networkx, PIL, polars, vl_convert' 2>/dev/null || { \
	  mkdir -p target && rm -rf target/notebooks && python3 -m venv target/notebooks 2>/dev/null && \
	  grep -v '^jupyterlab' notebooks/requirements.txt >target/notebooks/requirements.txt && \
	  target/notebooks/bin/pip install -q --disable-pip-version-check -r target/notebooks/requirements.txt; } || \
	  { rm -rf target/notebooks; echo "no Python with Jupyter, polars and Altair: the notebooks will not be run"; }
	@command -v wget >/dev/null 2>&1 || { command -v apt-get >/dev/null 2>&1 && apt-get install -y -qq wget; } || \
	  echo "no wget: the test of its --warc-dedup will be skipped"
	@command -v chromium >/dev/null 2>&1 || { command -v apt-get >/dev/null 2>&1 && apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk >/dev/null; } || \
	  echo "no Chromium: replay and the report will not be looked at in a browser"
	@[ -d target/documentation/usr/share/doc/sphinx-doc/html ] || { command -v apt-get >/dev/null 2>&1 && \
	  mkdir -p target/documentation && cd target/documentation && \
	  apt-get download -qq sphinx-doc libjs-jquery libjs-underscore libjs-sphinxdoc && \
	  for deb in *.deb; do dpkg-deb -x $$deb .; done && rm -f *.deb; } || echo "no documentation site to replay"
	@[ -f target/replaywebpage/package/ui.js ] || { command -v npm >/dev/null 2>&1 && \
	  mkdir -p target/replaywebpage && cd target/replaywebpage && \
	  npm pack --silent replaywebpage@2.4.6 >/dev/null 2>&1 && tar -xzf replaywebpage-*.tgz; } || \
	  echo "no replaywebpage from npm: WACZ files will not be played by it"
	@[ -f target/frameworks/lit-html/lit-html.js ] || { command -v npm >/dev/null 2>&1 && \
	  mkdir -p target/frameworks && cd target/frameworks && \
	  for package in react@18.3.1 react-dom@18.3.1 vue@3.5.13 vue-router@4.5.0 jquery@3.7.1 lit-html@3.2.1; do \
	    npm pack --silent $$package >/dev/null 2>&1 && mkdir -p $${package%@*} && \
	    tar -xzf $${package%@*}-*.tgz -C $${package%@*} --strip-components 1 || exit 1; done; } || \
	  echo "no React, Vue, jQuery and lit from npm: replay will not be tried on sites made with them"
	@[ -f target/axe/package/axe.min.js ] || { command -v npm >/dev/null 2>&1 && \
	  mkdir -p target/axe && cd target/axe && \
	  npm pack --silent axe-core@4.10.3 >/dev/null 2>&1 && tar -xzf axe-core-*.tgz; } || \
	  echo "no axe-core from npm: the report will not be checked for accessibility"

# The wheel, built as `pip install .` builds it, and tried in a new environment of each Python that PYTHONS names: by default
# every one from 3.10 to 3.14 that is on the PATH. For the others, no symbol may be outside of the stable interface of 3.10.
.PHONY: wheel
PYTHONS ?= $(or $(shell for minor in 10 11 12 13 14; do command -v python3.$$minor; done),python3)
wheel:
	@[ -x target/wheel/bin/abi3audit ] || { python3 -m venv target/wheel && target/wheel/bin/pip install -q --disable-pip-version-check 'maturin>=1.9,<2' abi3audit; }
	rm -rf target/wheels && target/wheel/bin/maturin build --release --locked --out target/wheels
	target/wheel/bin/abi3audit --strict target/wheels/*.whl
	$(CARGO) run --release -q -- demo --out target/wheels/demo >/dev/null
	for python in $(PYTHONS); do rm -rf target/wheels/env && $$python -m venv target/wheels/env && \
	  target/wheels/env/bin/pip install -q --disable-pip-version-check target/wheels/*.whl && \
	  target/wheels/env/bin/python python/tests/clean.py target/wheels/demo || exit 1; done

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --workspace --features sql,tokens --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --workspace --features sql,tokens --no-deps

check: lint doc test

bench:
	$(CARGO) bench

clean:
	$(CARGO) clean
