//! What was done, as a manifest and in words.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::folder::OutputFile;
use super::texts::TextCounts;
use webmill_jobs::dropped::DroppedRow;

/// What the manifest says of who made it.
pub const MADE_BY: &str = "webmill dedup apply";

/// Captures that went for one reason.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct DroppedCounts {
    /// Records left out or written as revisits.
    pub records: u64,
    /// Bytes by which the output is shorter.
    pub bytes: u64,
    /// Those of the records that were superseded by other captures of their pages.
    pub superseded: u64,
    /// Those of them that became revisits.
    pub revisits: u64,
}

/// What became of a shard.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct ShardReport {
    /// Path of its copy below `shards`.
    pub name: String,
    /// What the results call it; null where they do not know it.
    pub results_name: Option<String>,
    /// Records read.
    pub records: u64,
    /// Captures that the results have of it.
    pub captures_known: u64,
    /// Captures that were to go.
    pub going: u64,
    /// Captures that were found and went.
    pub gone: u64,
    /// Captures that had gone before.
    pub gone_before: u64,
    /// Captures that the results have and the shard has not.
    pub missing: u64,
    /// Places of damage: left out.
    pub damaged: u64,
    /// Bytes of these.
    pub bytes_lost: u64,
    /// Bytes of the shard.
    pub bytes_before: u64,
    /// Bytes of its copy.
    pub bytes_after: u64,
}

/// Everything that is counted.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct Counts {
    /// Pages that go, by reason.
    pub pages: BTreeMap<&'static str, u64>,
    /// Captures of these that went, by reason.
    pub captures: BTreeMap<&'static str, DroppedCounts>,
    /// Requests, metadata and conversions that went with them.
    pub companions: u64,
    /// Bytes of these.
    pub companion_bytes: u64,
    /// Pages that stay though tables call them copies: what would stay instead is gone or unknown.
    pub unresolved: u64,
    /// Captures that were revisits of what stays already.
    pub revisits_before: u64,
    /// Revisits that stay and refer to a capture that went.
    pub dangling_revisits: u64,
    /// Captures of pages that are gone that stay: revisits that stay have their payload from there.
    pub gone_kept: u64,
    /// Records that stay and could not be written.
    pub not_written: u64,
    /// Captures that stay as they are because their revisits could not be written.
    pub revisits_not_written: u64,
    /// Shards given that the results do not know; copied as they are.
    pub unknown_shards: u64,
    /// Shards that could not be read; not copied.
    pub unreadable_shards: u64,
    /// Shards of the results that were not given.
    pub shards_not_given: u64,
    /// Captures of these.
    pub captures_not_given: u64,
    /// Captures that the results have and the shards given have not.
    pub captures_missing: u64,
    /// Captures that the results have.
    pub captures_known: u64,
}

impl Counts {
    /// Counts a capture that went.
    pub fn take(&mut self, row: &DroppedRow) {
        let gone = self.captures.entry(row.reason.as_str()).or_default();
        gone.records += 1;
        gone.bytes += row.bytes;
        gone.superseded += u64::from(row.superseded);
        gone.revisits += u64::from(row.revisit);
    }

    /// Share of the results' captures that no shard given has.
    pub fn missing_share(&self) -> f64 {
        let missing = self.captures_missing + self.captures_not_given;
        missing as f64 / self.captures_known.max(1) as f64
    }
}

/// The file that says how the output came about. Its bytes follow from settings and inputs.
#[derive(Debug, Serialize)]
pub struct Manifest<'a> {
    /// The command.
    pub made_by: &'static str,
    /// Version of this form.
    pub format: u32,
    /// Version of the program.
    pub webmill: &'static str,
    /// The settings of the call, as JSON.
    pub settings: serde_json::Value,
    /// Keys of the results that were read, by job.
    pub results: BTreeMap<&'static str, String>,
    /// Everything that is counted.
    pub counts: &'a Counts,
    /// Texts written.
    pub texts: Option<TextCounts>,
    /// Counts of each shard.
    pub shards: &'a [ShardReport],
    /// Every file.
    pub outputs: Vec<OutputFile>,
}

impl<'a> Manifest<'a> {
    /// One of these counts.
    pub fn new(settings: serde_json::Value, counts: &'a Counts, shards: &'a [ShardReport]) -> Self {
        Manifest {
            made_by: MADE_BY,
            format: 1,
            webmill: env!("CARGO_PKG_VERSION"),
            settings,
            results: BTreeMap::new(),
            counts,
            texts: None,
            shards,
            outputs: Vec::new(),
        }
    }
}

/// Says on stderr what went, what did not, and why; `shards`: those that were given, if any were.
pub fn say(counts: &Counts, shards: Option<&[ShardReport]>, texts: Option<&TextCounts>) {
    say_gone(counts, shards.is_some());
    let shards = shards.unwrap_or_default();
    for (n, what) in exceptions(counts, shards) {
        if n > 0 {
            webmill_jobs::say!("{n} {what}");
        }
    }
    if let Some(texts) = texts {
        say_texts(texts);
    }
}

/// Pages and captures by reason; without shards nothing is copied, so that nothing went.
fn say_gone(counts: &Counts, from_shards: bool) {
    let listed = |numbers: Vec<(&str, u64)>| {
        let parts: Vec<String> = numbers.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    };
    let pages: u64 = counts.pages.values().sum();
    let sum = |of: fn(&DroppedCounts) -> u64| counts.captures.values().map(of).sum::<u64>();
    webmill_jobs::say!(
        "{pages} pages go{}",
        listed(counts.pages.iter().map(|(reason, pages)| (*reason, *pages)).collect())
    );
    let (captures, bytes) = (sum(|gone| gone.records), sum(|gone| gone.bytes));
    let why = listed(counts.captures.iter().map(|(reason, gone)| (*reason, gone.records)).collect());
    if from_shards {
        let revisits = sum(|gone| gone.revisits);
        webmill_jobs::say!(
            "{captures} captures went{why}, {bytes} bytes; {revisits} of them became revisits"
        );
    } else {
        webmill_jobs::say!(
            "{captures} captures are of these pages{why}, see table dropped; no shards were given to copy without them"
        );
    }
}

/// What went with them, what stays though it should go, and what was not found: numbers and words.
fn exceptions(counts: &Counts, shards: &[ShardReport]) -> [(u64, Cow<'static, str>); 13] {
    let superseded: u64 = counts.captures.values().map(|gone| gone.superseded).sum();
    let gone_before: u64 = shards.iter().map(|shard| shard.gone_before).sum();
    let unknown: Vec<&str> =
        shards.iter().filter(|s| s.results_name.is_none()).map(|shard| shard.name.as_str()).take(3).collect();
    [
        (superseded, "of these were other captures of pages that go".into()),
        (
            counts.companions,
            format!("requests, metadata and conversions went with them, {} bytes", counts.companion_bytes)
                .into(),
        ),
        (gone_before, "captures had gone before".into()),
        (counts.revisits_before, "captures were revisits before".into()),
        (
            counts.revisits_not_written,
            "captures stay as they are because their revisits could not be written".into(),
        ),
        (counts.dangling_revisits, "revisits stay whose original went: they cannot be replayed".into()),
        (
            counts.gone_kept,
            "captures of pages that are gone stay: revisits of other pages have their payload from there".into(),
        ),
        (
            counts.unresolved,
            "pages stay though tables call them copies: the page to stay instead goes, or is not in table pages"
                .into(),
        ),
        (counts.not_written, "records could not be written".into()),
        (
            counts.unknown_shards,
            format!("shards are not in the results, nothing goes from them: {}", unknown.join(", ")).into(),
        ),
        (counts.unreadable_shards, "shards could not be read and were left out".into()),
        (
            counts.shards_not_given,
            format!("shards of the results were not given, with {} captures", counts.captures_not_given)
                .into(),
        ),
        (counts.captures_missing, "captures of the results are not in the shards given".into()),
    ]
}

fn say_texts(texts: &TextCounts) {
    webmill_jobs::say!(
        "{} texts written, {} bytes; left out: {} of pages that go, {} of superseded captures, {} without own lines",
        texts.texts,
        texts.bytes,
        texts.dropped,
        texts.superseded,
        texts.emptied
    );
    if texts.repeated_bytes > 0 {
        webmill_jobs::say!(
            "{} repeated lines and {} paragraphs left out, {} bytes",
            texts.repeated_lines,
            texts.repeated_paragraphs,
            texts.repeated_bytes
        );
    }
}
