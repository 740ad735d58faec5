//! Lines of the index of shards on the standard output: what `benches/peers/index.py` measures.
//!
//! `index_lines [--post] [--digest declared|stored|entity] [--cdx11|--cdx9] [--count] SHARD…`
use std::io::Write;
use std::path::Path;

use webmill_serve::index::cdx::{Form, write_line};
use webmill_serve::index::{DigestOf, Indexer};
use webmill_shard::{ReadOptions, ShardReader};

fn main() -> webmill_capture::Result<()> {
    let (mut indexer, mut form, mut digest) = (Indexer::new(), Form::Cdxj, false);
    let mut out = std::io::BufWriter::with_capacity(1 << 18, std::io::stdout().lock());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--post" => indexer = indexer.with_post(true),
            "--digest" => digest = true,
            "declared" if digest => indexer = indexer.with_digest(DigestOf::Declared),
            "stored" if digest => indexer = indexer.with_digest(DigestOf::Stored),
            "entity" if digest => indexer = indexer.with_digest(DigestOf::Entity),
            "--cdx11" => form = Form::Cdx11,
            "--cdx9" => form = Form::Cdx9,
            path => {
                let mut reader = ShardReader::open(Path::new(path), &ReadOptions::default())?;
                let mut line = Vec::new();
                let counts = indexer.index(
                    &mut reader,
                    &mut |entry, _| {
                        line.clear();
                        write_line(form, entry, &mut line);
                        out.write_all(&line).map_err(|e| webmill_capture::Error::io("stdout", e))
                    },
                    &mut |error| eprintln!("{error}"),
                )?;
                eprintln!("{path}: {counts:?}");
            }
        }
    }
    out.flush().map_err(|e| webmill_capture::Error::io("stdout", e))
}
