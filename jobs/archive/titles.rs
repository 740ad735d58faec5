//! What archives call themselves: titles and descriptions of collections.
//!
//! **Cost.** The head of sixteen shards and a small file; foreign words become one line of bounded length.

use std::collections::BTreeSet;

use webmill_serve::form;
use webmill_serve::surface::shorten;
use webmill_shard::{Input, ReadOptions, RecordType, ShardReader};

/// Bytes of a `datapackage.json` or `warcinfo` that is read for a title.
const MAX_STATED: u64 = 1 << 20;

/// Title and description of the collection that shards are part of: as the `datapackage.json` of an unpacked WACZ says, in the
/// folder of the first shard or above it; else as those of the first shards say in which a record `warcinfo` comes first, where
/// they say the same.
pub(super) fn described(inputs: &[Input]) -> (Option<String>, Option<String>) {
    /// Shards whose beginning is read, and folders above the first one.
    const SHARDS: usize = 16;
    const FOLDERS: usize = 2;
    let folders = inputs.first().into_iter().flat_map(|input| input.path.ancestors().skip(1).take(FOLDERS));
    let package = folders.map(|folder| folder.join("datapackage.json")).find_map(|path| {
        let small = std::fs::metadata(&path).is_ok_and(|file| file.len() < MAX_STATED);
        small.then(|| std::fs::read_to_string(&path).ok()).flatten()
    });
    if let Some(package) = package {
        return stated(&package, "description");
    }
    let options = ReadOptions { max_record_bytes: MAX_STATED, ..ReadOptions::default() };
    let (mut titles, mut descriptions) = (BTreeSet::new(), BTreeSet::new());
    for input in inputs.iter().take(SHARDS) {
        let Ok(mut shard) = ShardReader::open(&input.path, &options) else { continue };
        let Some(Ok(record)) = shard.next() else { continue };
        if record.kind == RecordType::Warcinfo {
            let (title, description) = informed(&String::from_utf8_lossy(&record.data));
            titles.insert(title);
            descriptions.insert(description);
        }
    }
    let agreed = |mut all: BTreeSet<_>| if all.len() == 1 { all.pop_first().flatten() } else { None };
    (agreed(titles), agreed(descriptions))
}

/// The title and the description that a record `warcinfo` states.
fn informed(info: &str) -> (Option<String>, Option<String>) {
    let field = |name: &str| {
        let mut fields = info.lines().filter_map(|field| field.split_once(':'));
        fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    };
    // Webrecorder's collections say more of themselves.
    let (title, description) = field("json-metadata").map_or((None, None), |json| stated(json, "desc"));
    let part_of = || line(&form::decode(field("isPartOf")?));
    (title.or_else(part_of), description.or_else(|| field("description").and_then(line)))
}

/// The title and the description that JSON states.
fn stated(json: &str, description: &str) -> (Option<String>, Option<String>) {
    let json: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    [json.get("title"), json.get(description)].map(|text| text.and_then(|text| line(text.as_str()?))).into()
}

/// Foreign words as one line of bounded length; `None` for nothing.
pub(super) fn line(text: &str) -> Option<String> {
    const MOST: usize = 500;
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(shorten(&words.join(" "), MOST)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warcinfo_names_collections_as_their_writers_do() {
        let some = |text: &str| Some(text.to_owned());
        for (info, title, description) in [
            (
                "software: Heritrix\r\nisPartOf: CC-MAIN-2020-34\r\ndescription: Wide crawl\r\n",
                some("CC-MAIN-2020-34"),
                some("Wide crawl"),
            ),
            (
                "isPartOf: f%C3%BCr\r\njson-metadata: {\"title\": \"für \\n uns\", \"desc\": \"\"}\r\n",
                some("für uns"),
                None,
            ),
            ("ISPARTOF: Temporary%20Collection\r\njson-metadata: {\r\n", some("Temporary Collection"), None),
            ("software: x", None, None),
        ] {
            assert_eq!(informed(info), (title, description), "{info}");
        }
    }
}
