# The program alone, without SQL over results:
#   docker build -t webmill .
#   docker run --rm -v "$PWD:/data" webmill run pages.warc.gz --out results
FROM rust:1.95-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends build-essential
WORKDIR /webmill
COPY . .
RUN cargo build --release --locked

# The libraries of Debian 12 and the certificates of servers; no shell, no package tool.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /webmill/target/release/webmill /usr/local/bin/webmill
WORKDIR /data
USER nonroot
ENTRYPOINT ["/usr/local/bin/webmill"]
