//! The markup of sampled pages, out of the shards that hold their captures.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::PoisonError;

use anyhow::Result;
use webmill_html::Dom;
use webmill_mill::{Buffers, Mill, Page};
use webmill_shard::{ReadOptions, RecordFile, discover};

use super::sample::SampledPage;

/// Files that are no shards, of which so many are named.
const NAMED: usize = 20;

/// Shards by the names that tables call them.
pub(super) struct Trees {
    shards: BTreeMap<String, RecordFile>,
    mill: Mill,
    /// Pages without a tree, by reason.
    lost: Mutex<BTreeMap<&'static str, u64>>,
}

impl Trees {
    /// The shards among these files, folders and globs; `None` where none are given.
    pub(super) fn discover(arguments: &[String]) -> Result<Option<Self>> {
        if arguments.is_empty() {
            return Ok(None);
        }
        // A folder of `webmill crawl` holds its shards in one.
        let within = |argument: &String| match std::path::Path::new(argument).join("crawl.toml").is_file() {
            true => format!("{argument}/shards"),
            false => argument.clone(),
        };
        let (inputs, unknown) = discover(&arguments.iter().map(within).collect::<Vec<_>>())?;
        for error in unknown.iter().take(NAMED) {
            crate::say!("not read: {error}");
        }
        if unknown.len() > NAMED {
            crate::say!("not read: {} more", unknown.len() - NAMED);
        }
        let file = |path: &std::path::Path| RecordFile::new(path, &ReadOptions::default());
        let shards = inputs.iter().map(|input| (input.name.to_string(), file(&input.path))).collect();
        Ok(Some(Trees { shards, mill: Mill::default(), lost: Mutex::default() }))
    }

    /// Calls `sign` with the tree of a page, or without where there is none to be had.
    pub(super) fn with_tree<T>(&self, page: &SampledPage, sign: impl FnOnce(Option<&Dom<'_>>) -> T) -> T {
        let Some(shard) = self.shards.get(&page.shard) else { return self.without("shard not given", sign) };
        let Ok(record) = shard.read(page.offset, Some(page.length)) else {
            return self.without("record not readable", sign);
        };
        let record = record.record();
        let capture = record.to_capture();
        let buffers = Buffers::default();
        let read = capture.as_ref().and_then(|capture| Page::new(capture, &self.mill, &buffers));
        match read.filter(|read| read.url().key().0 == page.key) {
            Some(read) => match read.dom() {
                Some(tree) => sign(Some(tree)),
                None => self.without("no markup", sign),
            },
            None => self.without("another page at that place", sign),
        }
    }

    fn without<T>(&self, why: &'static str, sign: impl FnOnce(Option<&Dom<'_>>) -> T) -> T {
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner).entry(why).or_default() += 1;
        sign(None)
    }

    /// Says of how many pages there was no tree, and why; returns their number.
    pub(super) fn say_lost(&self) -> u64 {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        for (why, pages) in lost.iter() {
            crate::say!("{pages} pages without structure: {why}");
        }
        lost.values().sum()
    }
}
