# One profile and one target folder for everything, so that dependencies are compiled once.
# The cargo at hand is used; `make test` installs what the tests need beside it.

CARGO ?= cargo

.PHONY: demo test check lint doc bench clean

demo:
	$(CARGO) run --release -- demo

test: tools
	$(CARGO) test --release

# What the tests use beside Rust: only where it is missing, and only where Debian's package tool is at hand.
.PHONY: tools
tools:
	@command -v cc >/dev/null 2>&1 || { \
	  if command -v apt-get >/dev/null 2>&1; then apt-get update -qq && apt-get install -y -qq build-essential; \
	  else echo "webmill needs a C compiler (cc) to build zstd and mimalloc" >&2; exit 1; fi; }

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --no-deps

check: lint doc test

bench:
	$(CARGO) bench

clean:
	$(CARGO) clean
