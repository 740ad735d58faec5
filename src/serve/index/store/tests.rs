//! The store against entries in memory.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::record::tests::any_entry;
use super::*;
use crate::index::{MemoryIndex, Timestamp};

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

/// With tables that are written often.
fn open(folder: &Path) -> Result<Store> {
    Store::open_with(folder, 3000)
}

fn build(folder: &Path, entries: &[Entry<'_>]) -> Result<Built> {
    Store::build(folder, |push| entries.iter().try_for_each(push))
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
    Reopen,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => proptest::collection::vec(any_entry(), 1..40).prop_map(Step::Add),
        2 => (proptest::collection::vec(any::<usize>(), 0..9), proptest::collection::vec(any_entry(), 0..3))
            .prop_map(|(known, other)| Step::Delete(known, other)),
        2 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn a_store_answers_as_entries_in_memory_do(steps in proptest::collection::vec(any_step(), 1..25)) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(folder.path()).unwrap();
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
                Step::Reopen => {
                    drop(store);
                    store = open(folder.path()).unwrap();
                }
            }
        }
        check(&store, &truth);
        drop(store);
        check(&open(folder.path()).unwrap(), &truth);
    }

    #[test]
    fn a_store_written_in_order_holds_its_entries(entries in proptest::collection::vec(any_entry(), 0..700)) {
        let folder = tempfile::tempdir().unwrap();
        let mut truth = BTreeMap::new();
        for entry in &entries {
            truth.entry(key_of(entry)).or_insert_with(|| entry.clone());
        }
        let sorted = MemoryIndex::new(entries.clone());
        let repeated = (entries.len() - truth.len()) as u64;
        let built = build(folder.path(), sorted.entries()).unwrap();
        prop_assert_eq!(built, Built { captures: truth.len() as u64, repeated, too_long: 0 });
        let truth = truth.keys().map(|key| {
            let entry = sorted.entries().iter().find(|entry| key_of(entry) == *key);
            (key.clone(), entry.unwrap().clone())
        });
        check(&open(folder.path()).unwrap(), &truth.collect());
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

#[test]
fn a_store_has_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    assert!(matches!(open(folder.path()), Err(Error::Config(_))));
    drop(store);
    open(folder.path()).unwrap();
    assert!(matches!(build(folder.path(), &[]), Err(Error::Config(_))));
}

#[test]
fn entries_out_of_order_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let entries = captures(10);
    let entries = [entries[5].clone(), entries[4].clone()];
    assert!(matches!(build(folder.path(), &entries), Err(Error::Config(_))));
}

#[test]
fn readers_see_what_was_there_when_they_began() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let entries = captures(2000);
    let (first, second) = entries.split_at(1000);
    store.add(first).unwrap();
    let mut seen = Vec::new();
    let mut visit = |entry: &Entry<'_>| {
        if seen.len() == 10 {
            store.add(second).unwrap();
            store.delete(first).unwrap();
        }
        seen.push(entry.clone().into_owned());
        ControlFlow::Continue(())
    };
    store.scan(&KeyRange::default(), &mut visit).unwrap();
    assert_eq!(seen, first);
    assert_eq!(gather(&store, &KeyRange::default(), false).unwrap(), second);
}

#[test]
fn many_threads_add_while_others_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_with(folder.path(), 100_000).unwrap();
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
    let store = open(folder.path()).unwrap();
    let big = |key: usize, redirect: usize| Entry {
        urlkey: format!("com,a)/{}", "k".repeat(key)).into(),
        redirect: "x".repeat(redirect).into(),
        ..Entry::default()
    };
    let (large, zero) = (big(60_000, 15 << 20), Entry { urlkey: "com,\0".into(), ..Entry::default() });
    for refused in [big(1, 17 << 20), big(66_000, 1), zero] {
        assert!(matches!(store.add([&large, &refused]), Err(Error::Limit(_))));
    }
    assert_eq!(gather(&store, &KeyRange::default(), false).unwrap(), []);
    store.add([&large]).unwrap();
    drop(store);
    let found = gather(&open(folder.path()).unwrap(), &KeyRange::default(), false).unwrap();
    assert_eq!(found, std::slice::from_ref(&large));
    let built = tempfile::tempdir().unwrap();
    assert_eq!(
        build(built.path(), &[large, big(66_000, 1)]).unwrap(),
        Built { captures: 1, repeated: 0, too_long: 1 }
    );
}

#[test]
fn a_changed_byte_is_an_error_or_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let entries = captures(1500);
    build(folder.path(), &entries).unwrap();
    let files = files(folder.path());
    let (mut errors, mut same) = (0, 0);
    for (damaged, whole) in &files {
        for at in (0..whole.len()).step_by((whole.len() / 60).max(1)) {
            let copy = tempfile::tempdir().unwrap();
            for (name, bytes) in &files {
                let path = copy.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, bytes).unwrap();
            }
            let mut changed = whole.clone();
            changed[at] ^= 1 << (at % 8);
            std::fs::write(copy.path().join(damaged), &changed).unwrap();
            match open(copy.path()).and_then(|store| gather(&store, &KeyRange::default(), false)) {
                Err(Error::Corrupt { path: named, .. }) => {
                    assert_eq!(named, copy.path());
                    errors += 1;
                }
                Ok(found) => {
                    assert!(found == entries, "{} {at}: {} entries", damaged.display(), found.len());
                    same += 1;
                }
                Err(other) => panic!("{} {at}: {other}", damaged.display()),
            }
        }
    }
    assert!(errors > 60, "{errors} errors, {same} without effect");
}

/// Names and bytes of the files of a folder, without bytes that are only reserved.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for file in std::fs::read_dir(next).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = std::fs::read(&path).unwrap();
            let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            bytes.truncate(used);
            files.push((path.strip_prefix(folder).unwrap().to_path_buf(), bytes));
        }
    }
    files.sort();
    files
}
