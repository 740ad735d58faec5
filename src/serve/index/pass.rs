//! Many shards indexed at once.
//!
//! Shards are cut into parts ([`webmill_shard::split`]), which are indexed on the threads of the surrounding pool, a
//! window of parts at a time, and delivered in their order: what comes out does not depend on the number of threads. A
//! part whose guessed start is not where the part before it ended is indexed again. Where entries need more than one
//! record ([`Indexer::with_post`]), a shard is one part.

use rayon::prelude::*;
use webmill_capture::{Error, Result};
use webmill_shard::{Input, Part, ReadOptions, Resume, ShardReader, follows, split};

use crate::index::Entry;
use crate::index::indexer::{Counts, Facts, Indexer};

/// Stored bytes of a part.
const PART_BYTES: u64 = 4 << 20;

/// A pass over shards.
#[derive(Debug, Clone)]
pub struct Pass<'a> {
    indexer: &'a Indexer,
    read: &'a ReadOptions,
}

/// What came of a part.
struct Done<T> {
    made: T,
    damage: Vec<Error>,
    counts: Counts,
    first: Option<u64>,
    resume: Resume,
}

impl<'a> Pass<'a> {
    /// A pass that reads by `read`.
    pub fn new(indexer: &'a Indexer, read: &'a ReadOptions) -> Self {
        Pass { indexer, read }
    }

    /// Indexes `inputs`. `visit` adds each entry to the result of its part; `deliver` gets that, part by part in
    /// order, with the errors of damaged records.
    ///
    /// # Errors
    /// Those of `visit` and `deliver`, and [`Error::Io`] of a shard.
    pub fn run<T: Default + Send>(
        &self,
        inputs: &[Input],
        visit: &(dyn Fn(&mut T, &Entry<'_>, &Facts<'_>) -> Result<()> + Sync),
        deliver: &mut dyn FnMut(T, Vec<Error>) -> Result<()>,
    ) -> Result<Counts> {
        let part_bytes = if self.indexer.is_of_single_records() { PART_BYTES } else { u64::MAX };
        let parts = split(inputs, part_bytes);
        let mut counts = Counts::default();
        let mut before: Option<(usize, Resume)> = None;
        for window in parts.chunks(2 * rayon::current_num_threads()) {
            let done: Vec<Result<Done<T>>> =
                window.par_iter().map(|part| self.part(inputs, part, None, visit)).collect();
            for (part, done) in window.iter().zip(done) {
                let mut done = done?;
                if let Some((input, resume)) = before
                    && input == part.input
                {
                    if !follows(&resume, &part.range, done.first) {
                        done = self.part(inputs, part, Some(resume), visit)?;
                    } else if done.first.is_none() {
                        done.resume = resume;
                    }
                }
                before = Some((part.input, done.resume));
                counts.add(&done.counts);
                deliver(done.made, done.damage)?;
            }
        }
        Ok(counts)
    }

    fn part<T: Default>(
        &self,
        inputs: &[Input],
        part: &Part,
        from: Option<Resume>,
        visit: &(dyn Fn(&mut T, &Entry<'_>, &Facts<'_>) -> Result<()> + Sync),
    ) -> Result<Done<T>> {
        let input = &inputs[part.input];
        let options = ReadOptions { exact_start: from, ..self.read.clone() };
        let kind = (input.format, input.container);
        let mut reader =
            ShardReader::open_as(&input.path, input.name.clone(), kind, part.range.clone(), &options)?;
        let (mut made, mut damage) = (T::default(), Vec::new());
        let counts = self.indexer.of_file(&input.path).index(
            &mut reader,
            &mut |entry, facts| visit(&mut made, entry, facts),
            &mut |error| damage.push(error),
        )?;
        Ok(Done { made, damage, counts, first: reader.first_offset(), resume: reader.resume() })
    }
}
