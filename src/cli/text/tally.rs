//! How a run went: what was written, and what was not, by reason.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::process::ExitCode;

use webmill_jobs::page_text::{FileTexts, Refusal};
use xxhash_rust::xxh3::xxh3_64;

use super::TextArgs;
use super::out::Sink;
use super::pages::{FoundFile, Pages};
use super::urls::Urls;

/// How it went so far.
#[derive(Default)]
pub struct Tally {
    /// Texts written.
    written: u64,
    /// Pages of folders that could not be read, and files or items with a part missing.
    lost: u64,
    /// Inputs named on the command line that could not be used.
    unusable: u64,
    /// Texts left out, by language.
    foreign: BTreeMap<&'static str, u64>,
    /// Digests of the ids so far, where two pages may have one.
    ids: Option<HashSet<u64>>,
    /// Texts with the id of another.
    shared: u64,
}

impl Tally {
    /// With a count of ids that several pages have, where they may.
    pub fn new(may_share: bool) -> Tally {
        Tally { ids: may_share.then(HashSet::new), ..Tally::default() }
    }

    /// Takes what became of a file, and writes it.
    pub fn take(
        &mut self,
        found: &FoundFile,
        done: Result<FileTexts, Refusal>,
        sink: &mut Sink<'_>,
        pages: &mut Pages,
    ) -> io::Result<()> {
        let (written, foreign, faults) = match done {
            Ok(FileTexts::Texts { written, foreign, faults }) => (written, foreign, faults),
            Ok(FileTexts::PassedOver(reason)) => {
                pages.passed_over(found, &reason);
                return Ok(());
            }
            Err(refusal) => return self.lose(found, &refusal.to_string(), sink),
        };
        if !faults.is_empty() {
            self.lose(found, &format!("not all of it: {}", faults.join(", ")), sink)?;
        }
        for language in foreign {
            *self.foreign.entry(language).or_default() += 1;
        }
        let name = found.name();
        for page in &written {
            if let Some(ids) = &mut self.ids {
                self.shared += u64::from(!ids.insert(xxh3_64(page.id.as_bytes())));
            }
            match sink.write(&name, page)? {
                Ok(()) => self.written += 1,
                Err(reason) => self.lose(found, &reason, sink)?,
            }
        }
        Ok(())
    }

    /// Says why a file, or a part of it, is missing, and counts it.
    fn lose(&mut self, found: &FoundFile, reason: &str, sink: &mut Sink<'_>) -> io::Result<()> {
        sink.flush()?;
        let at = found.stored.as_ref().map_or(String::new(), |page| format!(" ({})", page.name()));
        webmill_jobs::say!("webmill: {}{at}: {reason}", found.path.display());
        if found.named {
            self.unusable += 1;
        } else {
            self.lost += 1;
        }
        Ok(())
    }

    /// Says what was passed over, left out or shared.
    pub fn end(&mut self, args: &TextArgs, pages: &Pages, urls: Option<&Urls>) {
        for (folder, what, reasons, all) in pages.reasons() {
            let files: u64 = reasons.values().sum();
            if all {
                webmill_jobs::say!(
                    "webmill: {}: no page among its {files} {what}{}",
                    folder.display(),
                    listed(reasons)
                );
                self.unusable += 1;
            } else {
                webmill_jobs::say!(
                    "webmill: {}: {files} {what} passed over{}",
                    folder.display(),
                    listed(reasons)
                );
            }
        }
        let foreign: u64 = self.foreign.values().sum();
        if foreign > 0 {
            let codes = args.language.join(",");
            webmill_jobs::say!(
                "webmill: --language {codes}: {foreign} texts left out{}",
                listed(&self.foreign)
            );
        }
        if self.shared > 0 {
            webmill_jobs::say!(
                "webmill: {} texts have the id of another: --id path gives each its own",
                self.shared
            );
        }
        for complaint in urls.map(Urls::complaints).unwrap_or_default() {
            webmill_jobs::say!("webmill: --urls: {complaint}");
        }
        if let Some(folder) = &args.out.out {
            webmill_jobs::say!("webmill: {} files written to {}", self.written, folder.display());
        }
    }

    /// The exit code.
    pub fn code(&self) -> ExitCode {
        let left_out = !self.foreign.is_empty();
        match self {
            Tally { unusable: 1.., .. } => ExitCode::from(2),
            Tally { written: 0, .. } if !left_out => ExitCode::from(2),
            Tally { lost: 1.., .. } | Tally { written: 0, .. } => ExitCode::from(1),
            _ => ExitCode::SUCCESS,
        }
    }
}

/// `: 3 empty file, 2 text without HTML`.
fn listed<K: std::fmt::Display>(counts: &BTreeMap<K, u64>) -> String {
    let parts: Vec<String> = counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
}
