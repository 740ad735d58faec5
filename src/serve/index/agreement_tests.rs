//! Our entries against the indexes that other tools made of the same archives.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use webmill_shard::{ReadOptions, ShardReader};

use crate::index::cdx::Reader;
use crate::index::{Entry, Indexer};

/// Entries of an index file, by file name and offset.
fn theirs(path: &Path) -> Vec<Entry<'static>> {
    let mut reader = Reader::open(path).unwrap();
    let mut all = Vec::new();
    while let Some(next) = reader.next() {
        all.push(next.unwrap().into_owned());
    }
    assert!(!all.is_empty(), "{}", path.display());
    all
}

/// Our entries of a shard, by offset.
fn ours(path: &Path, post: bool) -> BTreeMap<u64, Entry<'static>> {
    let mut reader = ShardReader::open(path, &ReadOptions::default()).unwrap();
    let mut all = BTreeMap::new();
    let keep = &mut |entry: &Entry<'_>, _: &crate::index::Facts<'_>| {
        all.insert(entry.offset, entry.clone().into_owned());
        Ok(())
    };
    Indexer::new().with_post(post).index(&mut reader, keep, &mut |_| {}).unwrap();
    all
}

/// Fields in which an entry of ours differs from theirs, but for what has a reason:
///
/// - a revisit whose record has a head has a status in ours (and in those of cdxj-indexer); pywb leaves it out;
/// - an unknown media type is `unk` in theirs, nothing in ours;
/// - the record of a plain file ends with its blank lines in ours, before them in theirs.
fn differences(ours: &Entry<'_>, theirs: &Entry<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |name: &str, ours: String, theirs: String| {
        if ours != theirs {
            found.push(format!("{name}: ours {ours}, theirs {theirs}"));
        }
    };
    compare("key", ours.urlkey.to_string(), theirs.urlkey.to_string());
    compare("time", ours.timestamp.to_string(), theirs.timestamp.to_string());
    compare("url", ours.url.to_string(), theirs.url.to_string());
    compare("mime", ours.mime.to_string(), theirs.mime.replace("unk", ""));
    if !(ours.is_revisit() && theirs.status.is_none()) {
        compare("status", format!("{:?}", ours.status), format!("{:?}", theirs.status));
    }
    compare("digest", ours.digest.to_string(), theirs.digest.to_string());
    let blank_lines = ours.length.unwrap_or(0).checked_sub(theirs.length.unwrap_or(0));
    if ours.filename.ends_with(".gz") || blank_lines.is_none_or(|n| n > 8) {
        compare("length", format!("{:?}", ours.length), format!("{:?}", theirs.length));
    }
    found
}

#[test]
fn indexes_of_other_tools_have_our_entries() {
    let Some(folder) = webmill_evaluation::archive("archives") else { return };
    let root = find(folder.path(), "pywb").expect("the folder of this tool");
    let mut seen = 0;
    let mut other = Vec::new();
    for index in [
        "cdx/dupes.cdx",
        "cdx/example.cdx",
        "cdx/iana.cdx",
        "cdx/post-test.cdx",
        "cdx/httpbin-resource.cdxj",
        "cdx/missing-status-text.cdxj",
        "cdx/url-agnost-example.cdx",
        "cdx/example-extra.cdx",
        "cdxj/dupes.cdxj",
        "cdxj/example2.cdxj",
        "cdxj/iana.cdxj",
        "cdxj/post-test.cdxj",
        "cdxj/url-agnost-example.cdxj",
    ] {
        let mut shards: BTreeMap<String, BTreeMap<u64, Entry<'static>>> = BTreeMap::new();
        for entry in theirs(&root.join(index)) {
            let name = entry.filename.to_string();
            let shard = shards
                .entry(name)
                .or_insert_with_key(|name| ours(&root.join("warcs").join(name), index.contains("post")));
            seen += 1;
            match shard.get(&entry.offset) {
                None => other.push(format!("{index}: none of ours at {}", entry.offset)),
                Some(found) => {
                    other.extend(
                        differences(found, &entry)
                            .into_iter()
                            .map(|d| format!("{index} {}: {d}", entry.offset)),
                    );
                }
            }
        }
    }
    assert!(seen >= 380, "{seen}");
    assert_eq!(other, [""; 0]);
}

fn find(root: &Path, name: &str) -> Option<PathBuf> {
    [root.join(name), root.join("archives").join(name)].into_iter().find(|path| path.is_dir())
}
