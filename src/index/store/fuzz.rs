//! Entries for fuzzing what reads foreign bytes.

use std::path::Path;

use super::anchors::Anchors;
use super::log;
use super::model::Model;
use super::names::Names;
use super::reader::{BlockReader, Shared};
use super::run::Run;
use crate::{Entry, Timestamp};

/// Reads bytes as a block of some segment. Gives the rows that came before the first fault.
pub fn fuzz_block(bytes: &[u8]) -> usize {
    let shared = shared();
    let mut reader = BlockReader::default();
    let mut rows = 0;
    if reader.open(bytes, &shared).is_ok() {
        while let Ok(true) = reader.next_row(bytes, &shared) {
            std::hint::black_box(reader.row(&shared));
            rows += 1;
        }
    }
    rows
}

/// Reads bytes as a log. Gives the rows, where it is whole or torn.
pub fn fuzz_log(bytes: &[u8]) -> Option<usize> {
    let replayed = log::replay(bytes, Path::new("log"), true).ok()?;
    Some(replayed.runs.iter().map(|run| run.len()).sum())
}

/// What some few rows teach.
pub(super) fn shared() -> Shared {
    let mut run = Run::new();
    for n in 0..300u64 {
        let key = format!("com,example)/{n:03}");
        let entry = Entry {
            url: format!("http://www.example.com/{n:03}").into(),
            urlkey: key.into(),
            timestamp: Timestamp(20200101000000 + n % 60),
            mime: ["text/html", "warc/revisit"][(n % 2) as usize].into(),
            status: Some(200),
            digest: data_encoding::BASE32.encode(&[(n % 7) as u8; 20]).into(),
            length: Some(n * 17),
            offset: n * 1000,
            filename: format!("{}.warc.gz", n % 3).into(),
            ..Entry::default()
        };
        run.push(&entry, false);
    }
    let mut names = Names::default();
    let model = Model::learn(&[run], Anchors::default(), &mut names);
    Shared { model, names }
}
