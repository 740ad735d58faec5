//! Laws of tables: rows that are written can be read again, whatever the types of the cells.

use std::path::Path;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use webmill_capture::Error;

use crate::merge::{MergeTo, Piece, merge};
use crate::{
    Bytes16, Footer, Millis, PartWriter, Reader, Table, TableInWords, columns, read_rows, table, text_enum,
    write_part,
};

text_enum! {
    /// Level of a graph.
    pub enum Level {
        /// One URL.
        Page = "page",
        /// One host.
        Host = "host",
        /// One registrable domain.
        Domain = "domain",
    }
}

table! {
    /// One row with a cell of every type.
    AnyRow = "any" {
        text: String = "text", "a";
        shared: Arc<str> = "text", "a";
        word: &'static str = "word", "a";
        level: Level = "level", "page";
        key: Bytes16 = "key", "00";
        time: Millis = "time", "2003-04-15T08:13:06Z";
        flag: bool = "flag", "true";
        n8: u8 = "number", "1";
        n16: i16 = "number", "1";
        n32: u32 = "number", "1";
        n64: u64 = "number", "1";
        i64: i64 = "number", "1";
        f32: f32 = "number", "1";
        f64: f64 = "number", "1";
        maybe_text: Option<String> = "text", "a";
        maybe_word: Option<&'static str> = "word", "a";
        maybe_level: Option<Level> = "level", "page";
        maybe_key: Option<Bytes16> = "key", "00";
        maybe_flag: Option<bool> = "flag", "true";
        maybe_n8: Option<u8> = "number", "1";
        maybe_n16: Option<i16> = "number", "1";
        maybe_n32: Option<u32> = "number", "1";
        maybe_n64: Option<u64> = "number", "1";
        maybe_i64: Option<i64> = "number", "1";
        maybe_f32: Option<f32> = "number", "1";
        maybe_f64: Option<f64> = "number", "1";
        texts: Vec<String> = "texts", "['a']";
        floats: Vec<f32> = "numbers", "[1]";
        list32: Vec<u32> = "numbers", "[1]";
        list64: Vec<u64> = "numbers", "[1]";
        signed: Vec<i64> = "numbers", "[1]";
    }
}

columns! {
    /// Some columns in another order.
    struct SomeColumns from AnyRow { signed, texts, text, maybe_level, key, maybe_n64 }
}

prop_compose! {
    fn values()(
        text in ".{0,40}", level in 0..3usize, key: u128, time: Option<i64>, flag: bool,
        numbers: (u8, i16, u32, u64, i64), f in -1e30f32..1e30, texts in vec(".{0,20}", 0..4), list in vec(any::<u64>(), 0..5),
    ) -> AnyRow {
        AnyRow {
            shared: text.as_str().into(),
            text,
            word: ["", "a", "a longer word than views hold"][level],
            level: [Level::Page, Level::Host, Level::Domain][level],
            key: Bytes16(key),
            time: Millis(time),
            flag,
            n8: numbers.0,
            n16: numbers.1,
            n32: numbers.2,
            n64: numbers.3,
            i64: numbers.4,
            f32: f,
            f64: f64::from(f) * 1e200,
            texts,
            floats: list.iter().map(|&n| n as f32).collect(),
            list32: list.iter().map(|&n| n as u32).collect(),
            signed: list.iter().map(|&n| n as i64).collect(),
            list64: list,
            ..AnyRow::default()
        }
    }
}

prop_compose! {
    fn row()(row in values(), given: u16) -> AnyRow {
        let given = |bit: u32| given >> bit & 1 == 1;
        AnyRow {
            maybe_text: given(0).then(|| row.text.clone()),
            maybe_word: given(1).then_some(row.word),
            maybe_level: given(2).then_some(row.level),
            maybe_key: given(3).then_some(row.key),
            maybe_flag: given(4).then_some(row.flag),
            maybe_n8: given(5).then_some(row.n8),
            maybe_n16: given(6).then_some(row.n16),
            maybe_n32: given(7).then_some(row.n32),
            maybe_n64: given(8).then_some(row.n64),
            maybe_i64: given(9).then_some(row.i64),
            maybe_f32: given(10).then_some(row.f32),
            maybe_f64: given(11).then_some(row.f64),
            ..row
        }
    }
}

fn footer() -> Footer {
    Footer { job_key: "k".into() }
}

pub(crate) fn written(folder: &Path, rows: &[AnyRow]) -> std::path::PathBuf {
    let path = folder.join("part-0.parquet");
    write_part(&path, rows, &footer()).unwrap();
    path
}

/// What foreign bytes do to a reader is the matter of fuzz target `table`; here: every cut is an error that names the file.
#[test]
fn truncated_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<AnyRow> = (0..300).map(|n32| AnyRow { n32, ..AnyRow::default() }).collect();
    let path = written(folder.path(), &rows);
    let bytes = std::fs::read(&path).unwrap();
    for length in (0..bytes.len()).step_by(bytes.len() / 97) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let errors = [read_rows::<AnyRow>(&path).map(drop), TableInWords::read(&path).map(drop)];
        assert!(errors.iter().all(|read| matches!(read, Err(e) if e.to_string().contains("part-0.parquet"))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn merging_columns_is_merging_rows(
        rows in vec(row(), 0..40), of in vec((0..3u32, 1..4u32, any::<bool>()), 0..40), group_bytes in 1..4000usize
    ) {
        // Rows go to three sources in runs, and come back in the order in which they went there, marked anew.
        let mut sources: [Vec<AnyRow>; 3] = Default::default();
        let (mut pieces, mut wanted, mut left) = (Vec::new(), Vec::new(), rows.iter());
        for (source, rows, mark) in of {
            let taken: Vec<AnyRow> = left.by_ref().take(rows as usize).cloned().collect();
            pieces.push(Piece { source, rows: taken.len() as u32, mark });
            wanted.extend(taken.iter().map(|row| AnyRow { flag: mark, ..row.clone() }));
            sources[source as usize].extend(taken);
        }
        let folder = tempfile::tempdir().unwrap();
        let footer = Footer { job_key: "k".into() };
        let paths = [0, 1, 2].map(|n| folder.path().join(format!("source-{n}.parquet")));
        for (path, rows) in paths.iter().zip(&sources) {
            let mut writer = PartWriter::<AnyRow>::create_aside(path, &footer).unwrap();
            rows.chunks(5).for_each(|rows| writer.write_group(rows).unwrap());
            writer.finish().unwrap();
        }
        let path = folder.path().join("merged.parquet");
        for aside in [false, true] {
            let to = MergeTo { path: &path, footer: &footer, group_bytes, together: 3, aside, mark: Option::Some("flag") };
            let written = merge::<AnyRow>(&paths, &mut pieces.iter().copied(), &to).unwrap();
            prop_assert_eq!(written, wanted.len() as u64);
            prop_assert_eq!(&read_rows::<AnyRow>(&path).unwrap(), &wanted);
        }
        // Where row groups of the sources end changes no byte.
        let to =
            MergeTo { path: &path, footer: &footer, group_bytes, together: 1, aside: false, mark: Option::Some("flag") };
        let [five, two] = [5, 2].map(|most| {
            for (path, rows) in paths.iter().zip(&sources) {
                let mut writer = PartWriter::<AnyRow>::create_aside(path, &footer).unwrap();
                rows.chunks(most).for_each(|rows| writer.write_group(rows).unwrap());
                writer.finish().unwrap();
            }
            merge::<AnyRow>(&paths, &mut pieces.iter().copied(), &to).unwrap();
            std::fs::read(&path).unwrap()
        });
        prop_assert_eq!(&five, &two);
        // Nor does it how many are merged at once.
        for together in [0, 7] {
            merge::<AnyRow>(&paths, &mut pieces.iter().copied(), &MergeTo { together, ..to }).unwrap();
            prop_assert_eq!(&five, &std::fs::read(&path).unwrap());
        }
        let to = MergeTo { path: &path, footer: &footer, group_bytes, together: 0, aside: false, mark: None };
        for source in [0, 3] {
            let beyond = Piece { source, rows: 1 + sources[0].len() as u32, mark: false };
            let found = merge::<AnyRow>(&paths, &mut [beyond].into_iter(), &to);
            prop_assert!(matches!(found, Err(Error::Internal(_))));
        }
    }

    #[test]
    fn write_then_read_is_identity(rows in vec(row(), 0..40)) {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), &rows);
        prop_assert_eq!(&read_rows::<AnyRow>(folder.path()).unwrap(), &rows);

        let mut reader = Reader::<SomeColumns>::open(&path).unwrap();
        let mut at = 0;
        while let Option::Some(batch) = reader.next().unwrap() {
            for some in batch.rows() {
                let row = &rows[at];
                prop_assert_eq!(some.text, &row.text);
                prop_assert_eq!(some.signed, &row.signed);
                prop_assert_eq!(some.texts.to_vec(), row.texts.clone());
                prop_assert_eq!((some.maybe_level, some.key, some.maybe_n64), (row.maybe_level, row.key, row.maybe_n64));
                at += 1;
            }
        }
        prop_assert_eq!(at, rows.len());
    }
}

#[test]
fn texts_that_rows_share_are_written_as_texts() {
    let long: Vec<Arc<str>> =
        ["", "of 12 bytes.", "of 13 bytes..", "a longer word than views hold"].map(Into::into).into();
    let columns = |shares: bool| {
        let rows: Vec<AnyRow> = (0..40)
            .map(|at| {
                let text = &long[at / 5 % 4];
                let shared = if shares && at % 7 != 0 { Arc::clone(text) } else { (**text).into() };
                AnyRow { shared, text: text.to_string(), ..AnyRow::default() }
            })
            .collect();
        let columns = AnyRow::columns(&rows);
        [columns[0].clone(), columns[1].clone()]
    };
    let ([text, shared], [_, alone]) = (columns(true), columns(false));
    assert!(text == shared && shared == alone);
}

#[test]
fn any_table_is_read_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let row = AnyRow { text: "好".into(), time: Millis(Some(5)), key: Bytes16(7), ..AnyRow::default() };
    written(folder.path(), &[row, AnyRow { texts: vec!["a".into(), "b".into()], ..AnyRow::default() }]);
    let table = TableInWords::read(folder.path()).unwrap();
    let names: Vec<&str> = AnyRow::info().iter().map(|c| c.name).collect();
    assert_eq!((table.columns.iter().map(String::as_str).collect::<Vec<_>>(), table.rows.len()), (names, 2));
    let cells = |name| table.column(name).collect::<Vec<_>>();
    assert_eq!(cells("text"), ["好", ""]);
    assert_eq!(cells("time"), ["5", "null"]);
    assert_eq!(cells("key"), ["00000000000000000000000000000007", "00000000000000000000000000000000"]);
    assert_eq!(cells("texts"), ["[]", "[\"a\", \"b\"]"]);
    assert_eq!(cells("n16"), ["0", "0"]);
    assert_eq!(cells("maybe_flag"), ["null", "null"]);
    assert_eq!(table.column("absent").count(), 0);
}

#[test]
fn keys_are_32_lower_case_digits_and_long_numbers_keep_their_bits() {
    let folder = tempfile::tempdir().unwrap();
    let key = Option::Some(Bytes16(0x9f << 120 | 7));
    let rows = [
        AnyRow { maybe_key: key, n64: u64::MAX, list64: vec![1 << 63], ..AnyRow::default() },
        AnyRow::default(),
    ];
    let path = written(folder.path(), &rows);
    assert_eq!(read_rows::<AnyRow>(&path).unwrap(), rows);
    let table = TableInWords::read(&path).unwrap();
    let cells = |name| table.column(name).collect::<Vec<_>>();
    assert_eq!(cells("maybe_key"), ["9f000000000000000000000000000007", "null"]);
    assert_eq!((cells("n64"), cells("list64")), (vec!["-1", "0"], vec!["[-9223372036854775808]", "[]"]));
    for text in ["", "9F000000000000000000000000000007", "+f000000000000000000000000000007", "0x9f"] {
        let path = folder.path().join("keys.parquet");
        write_part(&path, &[other::KeyRow { key: text.into() }], &footer()).unwrap();
        let error = Reader::<Key>::open(&path).unwrap().next().err().unwrap().to_string();
        assert!(error.contains("column key") && error.contains("32 lower-case"), "{error}");
    }
}

columns! { #[allow(dead_code, reason = "only opened")] struct Key from AnyRow { key } }

mod other {
    crate::table! {
        /// A table whose columns have other types.
        OtherRow = "any" {
            text: u32 = "number", "1";
            n32: Option<u32> = "number", "1";
            level: String = "text", "x";
        }
    }
    crate::table! {
        /// A table whose keys are any texts.
        KeyRow = "any" {
            key: String = "text", "x";
        }
    }
}

columns! { #[allow(dead_code, reason = "only opened")] struct Text from AnyRow { text } }
columns! { #[allow(dead_code, reason = "only opened")] struct Number from AnyRow { n32 } }
columns! { #[allow(dead_code, reason = "only opened")] struct Missing from AnyRow { n64 } }
columns! { #[allow(dead_code, reason = "only opened")] struct Levels from AnyRow { level } }

#[test]
fn a_column_that_differs_names_file_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part-0.parquet");
    let rows = [other::OtherRow { text: 1, n32: Option::Some(2), level: "host".into() }, Default::default()];
    assert_eq!(other::OtherRow::info().len(), 3);
    write_part(&path, &rows, &footer()).unwrap();
    let error = Reader::<Text>::open(folder.path()).unwrap().next().err().unwrap();
    assert!(matches!(error, Error::Incompatible { .. }));
    assert_eq!(
        error.to_string(),
        format!("{}: found column text of type UInt32, expected String", path.display())
    );
    let error = |e: Error| e.to_string().replace(&path.display().to_string(), "FILE");
    let null = Reader::<Number>::open(&path).unwrap().next().err().map(error).unwrap();
    assert_eq!(null, "FILE at byte 0: column n32: null in row 1 of a row group, where null is no value");
    let missing = Reader::<Missing>::open(&path).unwrap().next().err().map(error).unwrap();
    assert_eq!(missing, "FILE: found no column n64, expected Int64");
    let word = Reader::<Levels>::open(&path).unwrap().next().err().map(error).unwrap();
    assert_eq!(word, "FILE at byte 0: column level: value \"\" is none of page, host, domain");
}
