//! Damaged files are errors that name the file: never a panic, never more memory than the bounds.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use webmill_capture::Error;

use crate::laws::{AnyRow, written};
use crate::{TableInWords, read_rows};

fn file(folder: &Path) -> Vec<u8> {
    let row = |n: u32| AnyRow {
        text: format!("http://host-{}.cn/{n}", n % 7),
        n32: n,
        maybe_text: n.is_multiple_of(3).then(|| "a text that is longer than a view".repeat(n as usize % 4)),
        texts: vec!["word".into(); n as usize % 5],
        list64: (0..u64::from(n % 4)).collect(),
        maybe_f64: n.is_multiple_of(2).then_some(f64::from(n)),
        ..AnyRow::default()
    };
    let rows: Vec<AnyRow> = (0..300).map(row).collect();
    std::fs::read(written(folder, &rows)).unwrap()
}

/// Reads all columns both ways: each must end, with rows or with an error that names the file.
fn read(path: &Path) -> Result<(), TestCaseError> {
    let named = |error: Error| {
        prop_assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        Ok(())
    };
    let rows = read_rows::<AnyRow>(path).map(drop);
    let in_words = TableInWords::read(path).map(drop);
    rows.or_else(named)?;
    in_words.or_else(named)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes(flips in vec((any::<prop::sample::Index>(), 1..=255u8), 1..6), in_footer: bool) {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = file(folder.path());
        let footer = u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap()) as usize + 8;
        let start = if in_footer { bytes.len() - footer } else { 0 };
        for (at, flip) in flips {
            let at = start + at.index(bytes.len() - start);
            bytes[at] ^= flip;
        }
        let path = folder.path().join("damaged.parquet");
        std::fs::write(&path, &bytes).unwrap();
        read(&path)?;
    }

    #[test]
    fn truncated_files(length: prop::sample::Index) {
        let folder = tempfile::tempdir().unwrap();
        let bytes = file(folder.path());
        let path = folder.path().join("damaged.parquet");
        std::fs::write(&path, &bytes[..length.index(bytes.len())]).unwrap();
        prop_assert!(read_rows::<AnyRow>(&path).is_err());
        read(&path)?;
    }
}
