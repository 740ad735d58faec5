//! What earlier results have of a corpus that has grown: parts of shards whose rows are not to be made anew.
//!
//! **What.** The rows of a capture follow from its shard, the settings and the template of its host; which captures are current,
//! which pictures stay and in which file a row stands is settled later. So the rows of a part are kept under a name that stands for
//! shard, range and settings ([`Pass::name`]), and each capture with the digest of the template that its host had.
//!
//! **How.** Where no host of a part has another template now, the part is taken over as it is. Otherwise it is walked as ever, and the
//! captures of other hosts get the rows that they had: walking costs a tenth of reading pages. A part of which another run may make more
//! (a file that could not be read, a document whose reader died) is not kept. Nor are captures that an analyzer could not do with
//! taken over from a part that is walked.
//!
//! **Cost.** The files that parts are merged from stay on disk, packed fast.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use webmill_capture::{CanonicalUrl, Capture, Result};
use webmill_mill::{Mill, Order, PageRow, Rows, Templates};
use webmill_run::{Counts, KeptUnit, digest_all, digest_bytes, hex128};
use webmill_shard::Part;
use webmill_table::{Reader, columns, read_rows};

use super::parts::{CAPTURES, Origin, PlacedRow, TABLES, tables_by_name};
use super::{Pass, UNREAD, segment};

/// Digests of the templates of hosts, by host name; 0 stands for none.
#[derive(Default)]
pub struct TemplateDigests(HashMap<String, u64>);

impl TemplateDigests {
    /// Those of all templates.
    pub fn of(templates: &Templates) -> Self {
        let digest = |(host, template): (&String, _)| {
            let bytes = postcard::to_allocvec(template).unwrap_or_default();
            (host.clone(), digest_bytes(&bytes) as u64 | 1)
        };
        TemplateDigests(templates.iter().map(digest).collect())
    }

    /// That of a host.
    pub fn of_host(&self, host: &str) -> u64 {
        self.0.get(host).copied().unwrap_or(0)
    }

    /// That of the host of a page.
    pub fn of_rows(&self, rows: &Rows) -> u64 {
        rows.of::<PageRow>().first().map_or(0, |page| self.of_host(&page.url_host_name))
    }
}

columns! {
    /// By what a part is known to be as it would be made now.
    struct OriginColumns from PlacedRow { url, template }
}

impl Pass<'_> {
    /// The name under which something about a part is kept; `None` where the content of its shard is not known by a digest.
    pub(super) fn name(&self, of: &str, part: &Part) -> Option<String> {
        let input = &self.walk.shards.inputs[part.input];
        let range = format!("{}-{}", part.range.start, part.range.end);
        let segment = segment(&input.path).unwrap_or_default();
        let digest = self.walk.shards.digest_of(part.input)?;
        Some(self.name_of(&[of, digest, &input.name, &segment, &range]))
    }

    /// The name of what follows from these words and the settings.
    pub(super) fn name_of(&self, words: &[&str]) -> String {
        let base = [self.base.as_str()];
        hex128(digest_all(words.iter().chain(&base).map(|word| word.as_bytes())))
    }

    /// Takes parts over that are as they would be made now; says of each whether it was.
    pub(super) fn take_over(&self, parts: &[Part]) -> Result<Vec<bool>> {
        let stage = self.walk.stage;
        let take = |(index, part): (usize, &Part)| {
            let unit = self.walk.unit_name(index);
            if stage.is_done(&unit) {
                return Ok(false);
            }
            let kept = self.name("rows", part).and_then(|name| stage.kept_unit(&name));
            let Some(kept) = kept.filter(|kept| self.is_as_now(kept).unwrap_or(false)) else {
                return Ok(false);
            };
            stage.take_over(&unit, kept)
        };
        parts.par_iter().enumerate().with_max_len(1).map(take).collect()
    }

    /// Whether the hosts of a part have the templates that they had.
    fn is_as_now(&self, kept: &KeptUnit) -> Result<bool> {
        for (_, file) in kept.files().filter(|(path, _)| path.starts_with(CAPTURES)) {
            let mut reader = Reader::<OriginColumns>::open(&file)?;
            while let Some(batch) = reader.next()? {
                for capture in batch.rows() {
                    let url = CanonicalUrl::parse_stored(capture.url);
                    let now = url.map_or(0, |url| self.digests.of_host(url.host()));
                    if now != capture.template {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Keeps the parts that were not taken over, and says how many were.
    pub(super) fn keep(&self, parts: &[Part], taken: &[bool]) -> Result<()> {
        let stage = self.walk.stage;
        parts.par_iter().enumerate().filter(|(index, _)| !taken[*index]).try_for_each(|(index, part)| {
            let name = self.name("rows", part);
            name.map_or(Ok(()), |name| stage.keep_unit(&self.walk.unit_name(index), &name, lasts))
        })?;
        let whole = taken.iter().filter(|taken| **taken).count();
        let captures = self.taken_rows.load(Ordering::Relaxed);
        stage.fact("parts", parts.len() as u64);
        stage.fact("parts_taken_over", whole as u64);
        stage.fact("captures_taken_over", captures);
        if whole > 0 || captures > 0 {
            stage.progress.note(&format!(
                "extract: {whole} of {} parts as earlier results have them, and {captures} captures of the others",
                parts.len()
            ));
        }
        Ok(())
    }

    /// The rows that earlier results have of a part.
    pub(super) fn earlier<'m>(&self, part: &Part, mill: &'m Mill) -> Option<EarlierRows<'m>> {
        let kept = self.walk.stage.kept_unit(&self.name("rows", part)?)?;
        let paths: HashMap<String, PathBuf> =
            kept.files().map(|(path, file)| (path.to_owned(), file)).collect();
        let captures = kept.files().filter_map(|(path, _)| path.strip_prefix(CAPTURES));
        let files = captures.map(|file| file.trim_start_matches('/').to_owned()).collect::<Vec<_>>();
        Some(EarlierRows { mill, paths, files: files.into_iter(), held: HashMap::new(), last: -1 })
    }
}

/// Whether a part is worth keeping: another run would come to the same.
fn lasts(counts: &Counts) -> bool {
    counts.unreadable.is_empty()
        && !counts.left_out.contains_key("over-memory")
        && !UNREAD.iter().any(|reason| counts.dropped.contains_key(*reason))
}

/// Rows of a kept part, in the order of its captures; those of a file are in memory at a time.
pub struct EarlierRows<'a> {
    mill: &'a Mill,
    paths: HashMap<String, PathBuf>,
    files: std::vec::IntoIter<String>,
    /// By offset; `None` of several records that share a compressed member, and so an offset.
    held: HashMap<i64, Option<(PlacedRow, Rows)>>,
    /// Offset of the last capture in memory.
    last: i64,
}

impl EarlierRows<'_> {
    /// The rows of a capture, if its host has the template that it had.
    pub fn take(
        &mut self,
        capture: &Capture<'_>,
        digests: &TemplateDigests,
    ) -> Option<(Order, Rows, Origin)> {
        let offset = capture.place.offset as i64;
        while self.last < offset {
            let file = self.files.next()?;
            // What cannot be read is made anew.
            self.held = self.load(&file).unwrap_or_default();
            self.last = self.held.keys().copied().max().unwrap_or(self.last);
        }
        let (placed, rows) = self.held.remove(&offset)??;
        // A record that has no rows may share its offset with one that has.
        if placed.url != capture.canonical_url()?.as_str() || placed.time.0 != capture.date_ms {
            return None;
        }
        let origin = Origin { template: placed.template, rejected: placed.rejected };
        let is_as_now = !origin.rejected && digests.of_rows(&rows) == origin.template;
        let PlacedRow { surt, url, time, shard, offset, .. } = placed;
        is_as_now.then_some((Order { surt, url, time_ms: time.0, shard, offset }, rows, origin))
    }

    fn load(&self, file: &str) -> Result<HashMap<i64, Option<(PlacedRow, Rows)>>> {
        let mut tables = tables_by_name(self.mill);
        for (name, rows) in &mut tables {
            if let Some(path) = self.paths.get(&format!("{TABLES}/{name}/{file}")) {
                rows.read_aside(path)?;
            }
        }
        let captures = self.paths.get(&format!("{CAPTURES}/{file}")).map(|path| read_rows::<PlacedRow>(path));
        let mut held = HashMap::<i64, Option<(PlacedRow, Rows)>>::new();
        // From behind, since rows are taken from the end.
        for placed in captures.transpose()?.unwrap_or_default().into_iter().rev() {
            let mut rows = Rows::default();
            for (table, number) in tables.values_mut().zip(&placed.rows) {
                table.move_last(*number as usize, &mut rows);
            }
            placed.kept.iter().for_each(|what| rows.count(what.clone()));
            held.entry(placed.offset).and_modify(|known| *known = None).or_insert(Some((placed, rows)));
        }
        Ok(held)
    }
}
