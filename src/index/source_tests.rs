//! Every source of captures against the one in memory.

use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;

use crate::cdx::{Form, write_line};
use crate::{CaptureSource, Entry, KeyRange, MemoryIndex, SortedFile, Timestamp, ZipNum, ZipNumWriter};

fn some(source: &dyn CaptureSource, range: &KeyRange, back: bool, most: usize) -> Vec<Entry<'static>> {
    let mut all = Vec::new();
    let mut visit = |entry: &Entry<'_>| {
        all.push(entry.clone().into_owned());
        if all.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    match back {
        true => source.scan_back(range, &mut visit),
        false => source.scan(range, &mut visit),
    }
    .unwrap();
    all
}

fn sorted_lines(form: Form, entries: &[Entry<'_>]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = entries
        .iter()
        .map(|entry| {
            let mut line = Vec::new();
            write_line(form, entry, &mut line);
            line
        })
        .collect();
    lines.sort();
    lines
}

fn write(path: &Path, form: Form, lines: &[Vec<u8>]) {
    let header = form.header().map(|header| format!("{header}\n")).unwrap_or_default();
    std::fs::write(path, [header.into_bytes(), lines.concat()].concat()).unwrap();
}

fn entries() -> impl Strategy<Value = Vec<Entry<'static>>> {
    let entry = ("[ab]\\)/[!~a]{0,2}", 0_u64..4, "[x-z]", 0_u64..5, "http://[ab]/").prop_map(
        |(urlkey, second, filename, offset, url)| Entry {
            urlkey: urlkey.into(),
            timestamp: Timestamp(20_200_101_000_000 + second),
            url: url.into(),
            offset,
            filename: filename.into(),
            ..Entry::default()
        },
    );
    prop::collection::vec(entry, 0..40)
}

proptest! {
    #[test]
    fn files_answer_as_memory_does(
        mut entries in entries(), from in "|[ab]\\)/[!~a]{0,2}", to in prop::option::of("[ab]\\)/[!~a]{0,2}"),
        lines_a_block in 1_usize..5, most in 1_usize..60,
    ) {
        // Two lines of one place would have no order of their own.
        entries.sort_by_key(|e| (e.urlkey.clone(), e.timestamp, e.filename.clone(), e.offset));
        entries.dedup_by_key(|e| (e.urlkey.clone(), e.timestamp, e.filename.clone(), e.offset));
        let folder = tempfile::tempdir().unwrap();
        let memory = MemoryIndex::new(entries.clone());
        let range = KeyRange { from, to };
        let mut sources: Vec<Box<dyn CaptureSource>> = Vec::new();
        for (form, name) in [(Form::Cdxj, "a.cdxj"), (Form::Cdx11, "a.cdx"), (Form::Cdx9, "b.cdx")] {
            let path = folder.path().join(name);
            write(&path, form, &sorted_lines(form, &entries));
            sources.push(Box::new(SortedFile::open(&path).unwrap()));
        }
        let path = folder.path().join("z.idx");
        let mut writer = ZipNumWriter::create(&path, lines_a_block).unwrap();
        for line in sorted_lines(Form::Cdxj, &entries) {
            writer.push(&line).unwrap();
        }
        writer.finish().unwrap();
        sources.push(Box::new(ZipNum::open(&path).unwrap()));
        for (n, source) in sources.iter().enumerate() {
            for back in [false, true] {
                prop_assert_eq!(
                    some(&**source, &range, back, most),
                    some(&memory, &range, back, most),
                    "source {}, back {}", n, back
                );
            }
        }
    }
}

#[test]
fn lines_that_are_none_are_counted_and_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cdx");
    std::fs::write(
        &path,
        " CDX N b a m s k r M S V g\na)/ 2020 http://a/ - - - - - - 1 f\na)/b\nb)/ 2020 http://b/ - - - - - 1 f\nc)/ 2020 http://c/ - - - - - -1 2 f\r\n",
    )
    .unwrap();
    let file = SortedFile::open(&path).unwrap();
    let all = some(&file, &KeyRange::default(), false, 9);
    assert_eq!(all.iter().map(|e| &*e.urlkey).collect::<Vec<_>>(), ["a)/", "c)/"]);
    assert_eq!((all[1].length, all[1].offset, file.faults()), (None, 2, 2));
    // Not keyed.
    std::fs::write(&path, " CDX b N a g\n2020 a f\n").unwrap();
    assert!(SortedFile::open(&path).is_err());
    std::fs::write(&path, "").unwrap();
    assert_eq!(some(&SortedFile::open(&path).unwrap(), &KeyRange::default(), true, 9), []);
}

#[test]
fn members_that_are_wrong_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("z.idx");
    let fails = |idx: &str, why: &str| {
        std::fs::write(&path, idx).unwrap();
        std::fs::write(folder.path().join("p.cdx.gz"), b"no gzip").unwrap();
        let found =
            ZipNum::open(&path).unwrap().scan(&KeyRange::default(), &mut |_| ControlFlow::Continue(()));
        let error = found.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    };
    fails("a 2020\tp\t0\t7\t1\n", "cannot be unpacked");
    fails("a 2020\tp\t0\t8\t1\n", "ends before the member");
    fails("a 2020\tp\t18446744073709551615\t8\t1\n", "ends before the member");
    fails("a 2020\tp\t0\t99999999999\t1\n", "longer than a member may be");
    fails("a 2020\tq\t0\t7\t1\n", "the part is nowhere");
    fails("a 2020\tq\n", "no part, offset and length");
    fails("a 2020 {\"offset\": 1, \"length\": 1}\n", "the part is nowhere");
}

#[test]
fn an_index_of_members_in_json_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let writer_path = folder.path().join("w.idx");
    let mut writer = ZipNumWriter::create(&writer_path, 1).unwrap();
    writer.push(b"a)/ 2020 {\"url\": \"http://a/\"}\n").unwrap();
    writer.push(b"b)/ 2020 {\"url\": \"http://b/\"}\n").unwrap();
    writer.finish().unwrap();
    let idx = std::fs::read_to_string(&writer_path).unwrap();
    let mut json = "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"w.cdx.gz\"}\n".to_owned();
    for line in idx.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        json += &format!("{} {{\"offset\": {}, \"length\": {}}}\n", words[0], words[2], words[3]);
    }
    let path = folder.path().join("j.idx");
    std::fs::write(&path, json).unwrap();
    let zipnum = ZipNum::open(&path).unwrap();
    assert_eq!(zipnum.blocks(), 2);
    let all = some(&zipnum, &KeyRange::exact("b)/"), false, 9);
    assert_eq!(all.iter().map(|e| &*e.url).collect::<Vec<_>>(), ["http://b/"]);
}
