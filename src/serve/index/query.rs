//! Queries over a capture index, as three families of clients ask them.
//!
//! **What.** A [`Query`] is read from the pairs of a query string ([`Query::parse`]) in the words of one [`Dialect`], and
//! run over any [`CaptureSource`] ([`Query::run`]), which hands out [`Row`]s: an entry, and what the query adds to it.
//!
//! **Definition.** The rows of a query are the entries of its key range in the order of the index, of which these steps, in
//! this order, leave some out or change them:
//! 1. revisits get the place and media type of the earlier capture with their digest and key (`resolveRevisits`);
//! 2. `from`, `to` and every `filter` must hold; redirects to the same key go, where that is asked for;
//! 3. `showDupeCount` numbers the captures of one key and digest from 0;
//! 4. of neighbours whose `collapse` fields agree, the first stays;
//! 5. what comes up to `resumeKey` goes;
//! 6. `sort` and `limit` choose: the first, the last (negative limit), in reverse, or by distance in time to `closest`
//!    (ties: the order of the index);
//! 7. `offset` passes over rows.
//!
//! A page is a range of lines of the index, before any step: page *i* of *p* blocks is the lines from *i·p·*[`BLOCK_LINES`]
//! of the key range. Steps that look back (1, 3, 4) begin anew with a page, and are exact after a resume key: the walk
//! goes back to the start of its key.
//!
//! **Cost.** One pass over the key range, `O(limit)` memory, or the reverse range where the last rows are asked for. Every
//! part is bounded by [`Limits`]; they count lines and bytes, and a clock of the caller may only end a walk.
//!
//! **Errors.** [`BadRequest`]: what the client has to change. Regular expressions are those of the `regex` crate, linear in
//! their input: no look-around, no back-references.
//!
//! **Reference.** pywb, "CDXJ Server API"; Internet Archive, "Wayback CDX Server API"; National Library of Australia,
//! "OutbackCDX".

use std::fmt;
use std::ops::ControlFlow;

use webmill_capture::Result;

use crate::index::{CaptureSource, Entry, KeyRange, Timestamp};

#[path = "query/collapse.rs"]
mod collapse;
#[path = "query/field.rs"]
mod field;
#[path = "query/filter.rs"]
mod filter;
#[cfg(test)]
#[path = "query/oracle_tests.rs"]
mod oracle_tests;
#[path = "query/page.rs"]
mod page;
#[path = "query/parse.rs"]
mod parse;
#[path = "query/resume.rs"]
mod resume;
#[path = "query/revisit.rs"]
mod revisit;
#[path = "query/run.rs"]
mod run;
#[path = "query/scope.rs"]
mod scope;
#[path = "query/select.rs"]
mod select;

pub use collapse::Collapse;
pub use field::{Field, FieldKind};
pub use filter::{Filter, FilterKind};
pub use page::{BLOCK_LINES, Page, PageLine, Pages};
pub use parse::KeyOf;
pub use resume::ResumeKey;
pub use revisit::OriginalCapture;
pub use run::{EarlyEnd, QueryEnd};
pub use scope::{MatchType, key_range};
pub use select::seconds_of;

/// Whose words a query is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// pywb and the index server of Common Crawl.
    Pywb,
    /// The Internet Archive's Wayback CDX server.
    Wayback,
    /// OutbackCDX.
    Outback,
}

/// In which order rows come out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SortOrder {
    /// That of the index: by key, then time.
    #[default]
    Index,
    /// That of the index, backwards.
    Reverse,
    /// By distance in time to this.
    Closest(Timestamp),
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// CDXJ: key, timestamp, JSON object.
    Cdxj,
    /// JSON: one object a line (pywb), an array of arrays (the others).
    Json,
    /// Fields separated by spaces.
    Text,
    /// Links as Memento writes them.
    Link,
}

/// What bounds a query, however it is worded.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Most rows of an answer; a larger `limit` is lowered to it.
    pub max_rows: u64,
    /// Most lines of the index that are looked at for one answer.
    pub max_scanned: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_rows: 150_000, max_scanned: 50_000_000 }
    }
}

/// A query that cannot be answered, and what the client has to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRequest(pub String);

impl fmt::Display for BadRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadRequest {}

/// A question to a capture index.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Query {
    /// Whose words it was in.
    pub dialect: Dialect,
    /// The URL asked for, without wildcards.
    pub url: String,
    /// How far around it.
    pub match_type: MatchType,
    /// The keys that this means.
    pub range: KeyRange,
    /// Earliest time, inclusive.
    pub from: Option<Timestamp>,
    /// Latest time, inclusive.
    pub to: Option<Timestamp>,
    /// What must hold of a row.
    pub filters: Vec<Filter>,
    /// Whereby neighbours are the same.
    pub collapse: Vec<Collapse>,
    /// Whether redirects to the same key are left out.
    pub omit_self_redirects: bool,
    /// Whether revisits get the place of their original.
    pub resolve_revisits: bool,
    /// Whether captures of one key and digest are numbered.
    pub show_dupe_count: bool,
    /// Order of the rows.
    pub sort: SortOrder,
    /// Most rows.
    pub limit: Option<u64>,
    /// The last rows instead of the first (a negative limit).
    pub last: bool,
    /// Rows passed over.
    pub offset: u64,
    /// Which page.
    pub page: Option<u64>,
    /// Blocks a page.
    pub page_size: u64,
    /// Whether the answer is how many pages there are.
    pub show_num_pages: bool,
    /// Whether the answer is where the blocks begin.
    pub show_paged_index: bool,
    /// Where an earlier answer ended.
    pub resume: Option<ResumeKey>,
    /// Whether the answer ends with a resume key where there is more.
    pub show_resume_key: bool,
    /// The form of the answer.
    pub output: Output,
    /// The fields asked for; `None`: those usual.
    pub fields: Option<Vec<Field>>,
    /// Whether the answer may be compressed (Wayback: `gzip=false` says no).
    pub gzip: bool,
    key: KeyOf,
    limits: Limits,
}

/// A row of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Row<'r, 'e> {
    /// The capture.
    pub entry: &'r Entry<'e>,
    /// The capture that a revisit stands for, where it was asked for and found.
    pub original: Option<&'r OriginalCapture>,
    /// Number of earlier captures with its key and digest, where it was asked for.
    pub dupes: Option<u64>,
}

impl Row<'_, '_> {
    /// Its media type: a revisit's original's, where it was found.
    pub fn mime(&self) -> &str {
        match self.original {
            Some(original) if !original.mime.is_empty() => &original.mime,
            _ => &self.entry.mime,
        }
    }
}

/// What a row is handed to; it breaks when it has enough.
pub type Visit<'a> = &'a mut dyn FnMut(&Row<'_, '_>) -> ControlFlow<()>;

impl Query {
    /// Hands out the rows in order.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn run(&self, source: &dyn CaptureSource, visit: Visit<'_>) -> Result<QueryEnd> {
        run::run(self, source, visit)
    }

    /// How many pages the answer has.
    ///
    /// # Errors
    /// Where the index cannot be read, or has more lines than may be looked at.
    pub fn pages(&self, source: &dyn CaptureSource) -> Result<Pages> {
        page::pages(self, source, &mut |_| ControlFlow::Continue(()))
    }

    /// The first line of every block of the range, or of the page that is asked for.
    ///
    /// # Errors
    /// As [`Query::pages`].
    pub fn paged_index(
        &self,
        source: &dyn CaptureSource,
        visit: &mut dyn FnMut(&PageLine<'_>) -> ControlFlow<()>,
    ) -> Result<Pages> {
        page::pages(self, source, visit)
    }

    /// Most rows that an answer has.
    pub fn most_rows(&self) -> u64 {
        self.limit.map_or(self.limits.max_rows, |limit| limit.min(self.limits.max_rows))
    }

    /// The bounds it was read with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The same query that looks at no more than `lines` lines.
    pub fn scanning_at_most(mut self, lines: u64) -> Self {
        self.limits.max_scanned = lines;
        self
    }
}
