//! The store against entries in memory.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;

use super::record::tests::any_entry;
use super::*;
use crate::{MemoryIndex, Timestamp};

/// What tells entries apart, owned.
type Key = (String, Timestamp, String, u64);

fn key_of(entry: &Entry<'_>) -> Key {
    (entry.urlkey.to_string(), entry.timestamp, entry.filename.to_string(), entry.offset)
}

fn gather(source: &dyn CaptureSource, range: &KeyRange, back: bool) -> Result<Vec<Entry<'static>>> {
    let mut all = Vec::new();
    let mut visit = |entry: &Entry<'_>| {
        all.push(entry.clone().into_owned());
        ControlFlow::Continue(())
    };
    match back {
        false => source.scan(range, &mut visit)?,
        true => source.scan_back(range, &mut visit)?,
    }
    Ok(all)
}

fn small() -> StoreOptions {
    StoreOptions { memory: 3000, level: 3, durable: false, ..StoreOptions::default() }
}

fn ranges() -> Vec<KeyRange> {
    let mut ranges = vec![
        KeyRange::default(),
        KeyRange::exact("com,a)/"),
        KeyRange::exact("com,a)/ab"),
        KeyRange::exact("zzz"),
        KeyRange { from: "d".into(), to: Some("b".into()) },
    ];
    ranges.extend(["com,", "com,a)/", "com,b)/a", "org,c)", "x", "A", "é"].map(KeyRange::prefix));
    ranges
}

fn check(store: &dyn CaptureSource, truth: &BTreeMap<Key, Entry<'static>>) {
    let memory = MemoryIndex::new(truth.values().cloned().collect());
    for range in ranges() {
        for back in [false, true] {
            let (got, want) = (gather(store, &range, back), gather(&memory, &range, back));
            assert_eq!(got.unwrap(), want.unwrap(), "{range:?} {back}");
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Add(Vec<Entry<'static>>),
    Delete(Vec<usize>, Vec<Entry<'static>>),
    DeleteKey(usize),
    Flush,
    Compact,
    Reopen,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => proptest::collection::vec(any_entry(), 1..40).prop_map(Step::Add),
        2 => (proptest::collection::vec(any::<usize>(), 0..9), proptest::collection::vec(any_entry(), 0..3))
            .prop_map(|(known, other)| Step::Delete(known, other)),
        1 => any::<usize>().prop_map(Step::DeleteKey),
        2 => Just(Step::Flush),
        1 => Just(Step::Compact),
        2 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn a_store_answers_as_entries_in_memory_do(steps in proptest::collection::vec(any_step(), 1..25)) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), &small()).unwrap();
        let mut truth: BTreeMap<Key, Entry<'static>> = BTreeMap::new();
        for step in &steps {
            match step {
                Step::Add(entries) => {
                    store.add(entries).unwrap();
                    truth.extend(entries.iter().map(|entry| (key_of(entry), entry.clone())));
                }
                Step::Delete(known, other) => {
                    let at = |&n: &usize| truth.values().nth(n % truth.len().max(1)).cloned();
                    let gone: Vec<_> = known.iter().filter_map(at).chain(other.iter().cloned()).collect();
                    store.delete(&gone).unwrap();
                    gone.iter().for_each(|entry| drop(truth.remove(&key_of(entry))));
                }
                Step::DeleteKey(n) => {
                    let Some(key) = truth.keys().nth(n % truth.len().max(1)).cloned() else { continue };
                    let time = (n % 2 == 0).then_some(key.1);
                    let before = truth.len();
                    truth.retain(|k, _| k.0 != key.0 || time.is_some_and(|time| time != k.1));
                    prop_assert_eq!(store.delete_key(&key.0, time).unwrap() as usize, before - truth.len());
                }
                Step::Flush => store.flush().unwrap(),
                Step::Compact => {
                    store.compact().unwrap();
                    let stats = store.stats();
                    prop_assert_eq!((stats.rows as usize, stats.marks, stats.fresh), (truth.len(), 0, 0));
                    prop_assert!(stats.segments <= 1);
                }
                Step::Reopen => {
                    drop(store);
                    store = Store::open(folder.path(), &small()).unwrap();
                }
            }
            prop_assert_eq!(store.len().unwrap() as usize, truth.len());
            prop_assert_eq!(store.is_empty().unwrap(), truth.is_empty());
        }
        check(&store, &truth);
        drop(store);
        check(&Store::open(folder.path(), &small()).unwrap(), &truth);
    }

    #[test]
    fn a_store_written_in_order_holds_its_entries(entries in proptest::collection::vec(any_entry(), 0..700)) {
        let folder = tempfile::tempdir().unwrap();
        let mut truth = BTreeMap::new();
        for entry in &entries {
            truth.entry(key_of(entry)).or_insert_with(|| entry.clone());
        }
        let sorted = MemoryIndex::new(entries.clone());
        let mut writer = StoreWriter::create(folder.path(), &small()).unwrap();
        sorted.entries().iter().for_each(|entry| writer.push(entry).unwrap());
        let repeated = (entries.len() - truth.len()) as u64;
        prop_assert_eq!(writer.finish().unwrap(), (truth.len() as u64, repeated));
        let truth = truth.keys().map(|key| {
            let entry = sorted.entries().iter().find(|entry| key_of(entry) == *key);
            (key.clone(), entry.unwrap().clone())
        });
        check(&Store::open(folder.path(), &small()).unwrap(), &truth.collect());
    }
}

/// Captures like those of an archive, in order.
pub(super) fn captures(count: u64) -> Vec<Entry<'static>> {
    let entries = (0..count).map(|n| {
        let (host, page, visit) = (n / 60 % 40, n / 3 % 20, n % 3);
        let digest = xxhash_rust::xxh3::xxh3_128((n / 2 * 2).to_le_bytes().as_slice()).to_le_bytes();
        let digest = [&digest[..], &n.to_le_bytes()[..4]].concat();
        Entry {
            urlkey: format!("com,host{host:02})/a/{page}").into(),
            timestamp: Timestamp(20200101000000 + visit * 10_000_000_000 + n % 60),
            url: format!("http://www.host{host:02}.com/A/{page}").into(),
            mime: "text/html".into(),
            status: Some(200),
            digest: data_encoding::BASE32.encode(&digest).into(),
            length: Some(3000 + n * 7919 % 5000),
            offset: n * 9000,
            filename: format!("{visit}.warc.gz").into(),
            redirect: if n % 50 == 0 { "http://elsewhere.org/".into() } else { "".into() },
            ..Entry::default()
        }
    });
    MemoryIndex::new(entries.collect()).entries().to_vec()
}

fn write(folder: &Path, entries: &[Entry<'_>]) {
    let mut writer = StoreWriter::create(folder, &small()).unwrap();
    entries.iter().for_each(|entry| writer.push(entry).unwrap());
    writer.finish().unwrap();
}

#[test]
fn equal_entries_give_equal_bytes() {
    let entries = captures(3000);
    let bytes = || {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &entries);
        std::fs::read(segment_path(folder.path(), 2)).unwrap()
    };
    assert!(bytes() == bytes());
}

#[test]
fn a_changed_byte_is_an_error_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let entries = captures(1500);
    write(folder.path(), &entries);
    let path = segment_path(folder.path(), 2);
    let whole = std::fs::read(&path).unwrap();
    let mut errors = [0, 0];
    for at in (0..whole.len()).step_by(23).chain(whole.len() - 100..whole.len()) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(&path, &changed).unwrap();
        let read = Segment::open(&path).map(|segment| {
            let view = View { segments: vec![Arc::new(segment)], ..View::default() };
            let mut all = Vec::new();
            let scanned = view.scan(&KeyRange::default(), false, &mut |entry| {
                all.push(entry.clone().into_owned());
                ControlFlow::Continue(())
            });
            assert!(entries.starts_with(&all), "{at}");
            scanned
        });
        match read {
            Err(Error::Corrupt { path: named, .. }) => {
                assert_eq!(named, path);
                errors[0] += 1;
            }
            Ok(Err(Error::Corrupt { path: named, offset, .. })) => {
                assert_eq!(named, path);
                assert!(offset as usize <= at);
                errors[1] += 1;
            }
            Ok(Ok(())) => panic!("the byte {at} is read by nobody"),
            Err(other) | Ok(Err(other)) => panic!("{other}"),
        }
    }
    assert!(errors[0] > 100 && errors[1] > 500, "{errors:?}");
    for length in (0..whole.len()).step_by(97) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(Segment::open(&path), Err(Error::Corrupt { .. })), "{length}");
    }
}

#[test]
fn a_store_has_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), &small()).unwrap();
    assert!(matches!(Store::open(folder.path(), &small()), Err(Error::Config(_))));
    assert!(matches!(StoreWriter::create(folder.path(), &small()), Err(Error::Config(_))));
    drop(store);
    Store::open(folder.path(), &small()).unwrap();
    assert!(matches!(StoreWriter::create(folder.path(), &small()), Err(Error::Config(_))));
}

#[test]
fn entries_out_of_order_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let entries = captures(10);
    let mut writer = StoreWriter::create(folder.path(), &small()).unwrap();
    writer.push(&entries[5]).unwrap();
    assert!(matches!(writer.push(&entries[4]), Err(Error::Config(_))));
}

#[test]
fn readers_see_what_was_there_when_they_began() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), &small()).unwrap();
    let entries = captures(2000);
    let (first, second) = entries.split_at(1000);
    store.add(first).unwrap();
    let mut seen = Vec::new();
    let mut visit = |entry: &Entry<'_>| {
        if seen.len() == 10 {
            store.add(second).unwrap();
            store.delete(first).unwrap();
            store.compact().unwrap();
        }
        seen.push(entry.clone().into_owned());
        ControlFlow::Continue(())
    };
    store.scan(&KeyRange::default(), &mut visit).unwrap();
    assert_eq!(seen, first);
    assert_eq!(gather(&store, &KeyRange::default(), false).unwrap(), second);
    assert_eq!(store.len().unwrap(), 1000);
}

#[test]
fn many_threads_add_while_others_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), &StoreOptions { memory: 100_000, ..small() }).unwrap();
    let entries = captures(8000);
    let (first, rest) = entries.split_at(4000);
    store.add(first).unwrap();
    std::thread::scope(|scope| {
        for part in rest.chunks(1000) {
            let store = &store;
            scope.spawn(move || part.chunks(17).for_each(|some| store.add(some).unwrap()));
        }
        for n in 0..2 {
            let (store, first) = (&store, first);
            scope.spawn(move || {
                for entry in first.iter().skip(n).step_by(40) {
                    let found = gather(store, &KeyRange::exact(&entry.urlkey), n == 0).unwrap();
                    assert!(found.contains(entry));
                }
            });
        }
    });
    assert_eq!(gather(&store, &KeyRange::default(), false).unwrap(), entries);
}

#[test]
fn an_entry_too_large_is_refused_and_harms_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), &small()).unwrap();
    let big = |bytes: usize| Entry {
        urlkey: "com,a)/".into(),
        redirect: "x".repeat(bytes).into(),
        ..Entry::default()
    };
    assert!(matches!(store.add([&big(17 << 20)]), Err(Error::Limit(_))));
    assert!(store.is_empty().unwrap());
    let large = big(15 << 20);
    store.add([&large]).unwrap();
    store.compact().unwrap();
    assert_eq!(gather(&store, &KeyRange::default(), false).unwrap(), [large]);
}

#[test]
fn what_a_dead_writer_left_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let entries = captures(500);
    write(path, &entries);
    for name in ["00000009.segment", "00000008.segment.part", "MANIFEST.part"] {
        std::fs::write(path.join(name), b"x").unwrap();
    }
    let store = Store::open(path, &small()).unwrap();
    assert_eq!(gather(&store, &KeyRange::default(), false).unwrap(), entries);
    let mut names: Vec<_> = std::fs::read_dir(path)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["00000002.segment", "00000003.log", "LOCK", "MANIFEST"]);
}

#[test]
fn a_damaged_log_is_an_error_unless_it_may_be_cut() {
    let folder = tempfile::tempdir().unwrap();
    let entries = captures(30);
    let open = |cut_damaged_log| Store::open(folder.path(), &StoreOptions { cut_damaged_log, ..small() });
    let store = Store::open(folder.path(), &StoreOptions::default()).unwrap();
    entries.chunks(10).for_each(|some| store.add(some).unwrap());
    drop(store);
    let path = log_path(folder.path(), 1);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(open(false), Err(Error::Corrupt { path: named, .. }) if named == path));
    let store = open(true).unwrap();
    assert_eq!(gather(&store, &KeyRange::default(), false).unwrap(), entries[..10]);
    assert!(store.stats().cut > 0);
}

proptest! {
    #[test]
    fn foreign_bytes_are_read_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        fuzz_block(&bytes);
        fuzz_log(&bytes);
        fuzz_log(&[b"WMCLOG01", &bytes[..]].concat());
    }

    #[test]
    fn a_block_with_changed_bytes_is_read_to_an_end(
        entries in proptest::collection::vec(any_entry(), 1..block::BLOCK_ROWS),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut shared = fuzz::shared();
        let mut run = run::Run::new();
        let memory = MemoryIndex::new(entries);
        memory.entries().iter().for_each(|entry| run.push(entry, false));
        let mut gatherer = block::Gatherer::default();
        gatherer.gather(&run, 0..run.len(), &shared.model, &mut shared.names).unwrap();
        let mut bytes = Vec::new();
        block::Packer::new(&shared.model, 3).unwrap().pack(&gatherer, &shared.model, &mut bytes).unwrap();
        let whole = bytes.clone();
        for (at, change) in &changes {
            bytes[at.index(whole.len())] ^= change;
        }
        let mut reader = reader::BlockReader::default();
        let mut rows = 0;
        if reader.open(&bytes, &shared).is_ok() {
            while let Ok(true) = reader.next_row(&bytes, &shared) {
                let row = reader.row(&shared);
                prop_assert!(bytes != whole || row.entry == memory.entries()[rows]);
                rows += 1;
            }
        }
        prop_assert!(bytes != whole || rows == memory.entries().len());
    }
}
