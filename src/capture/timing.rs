//! Where the time of a run goes, by parts of the work that its threads do.
//!
//! A thread is in one [`Part`] at a time: [`span`] enters one and goes back to the one before when it is dropped. So the seconds of all parts are those
//! that threads spent, none of them twice. Totals are of the process; [`take`] gives and clears them.
//!
//! **Cost.** Two looks at the clock a span, some 50 ns: spans are for work of microseconds at least.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

macro_rules! parts {
    ($($(#[$about:meta])* $name:ident = $told:literal,)*) => {
        /// A part of the work.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Part { $($(#[$about])* $name,)* }

        /// What parts are called, in their order.
        const NAMES: &[&str] = &[$($told,)*];
    };
}

parts! {
    /// Reading shards: inflating them, and finding records.
    Shards = "shards",
    /// Bodies: transfer and content decoding, digests, kinds.
    Bodies = "bodies",
    /// Characters: which encoding, and decoding.
    Characters = "characters",
    /// HTML to trees.
    Trees = "trees",
    /// Links.
    Links = "links",
    /// What pages say of themselves.
    Stated = "stated",
    /// Trees to blocks.
    Blocks = "blocks",
    /// Comments and posts.
    Threads = "threads",
    /// What is told of blocks and pages, for the choice.
    Features = "features",
    /// The learnt trees.
    Models = "models",
    /// The choice of blocks, and templates.
    Choice = "choice",
    /// Text, Markdown, tables of what was chosen.
    Written = "written",
    /// Titles, authors, dates.
    Bylines = "bylines",
    /// Words and fingerprints.
    Words = "words",
    /// Languages.
    Languages = "languages",
    /// Documents that are no HTML.
    Documents = "documents",
    /// Pictures, sound and video.
    Media = "media",
    /// Rows of tables.
    Rows = "rows",
    /// Rows written aside.
    Aside = "aside",
    /// Rows read back and put in order.
    Merge = "merge",
    /// Tables written.
    Tables = "tables",
    /// Samples of hosts, and what they teach.
    Templates = "templates",
}

const PARTS: usize = NAMES.len();
/// Between spans.
const NONE: usize = PARTS;

static TOTALS: [AtomicU64; PARTS] = [const { AtomicU64::new(0) }; PARTS];
static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

thread_local! {
    /// The part that the thread is in, and since when.
    static NOW: Cell<(usize, u64)> = const { Cell::new((NONE, 0)) };
    /// What the thread spent and did not add to the totals yet.
    static SPENT: [Cell<u64>; PARTS] = const { [const { Cell::new(0) }; PARTS] };
}

/// A stay in a part; dropped, the thread is back in the one before.
#[must_use = "a span ends where it is dropped"]
#[derive(Debug)]
pub struct Span {
    before: usize,
    /// Spans end on the thread that they began on.
    _here: std::marker::PhantomData<*const ()>,
}

/// Enters a part.
#[inline]
pub fn span(part: Part) -> Span {
    Span { before: enter(part as usize), _here: std::marker::PhantomData }
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        enter(self.before);
        if self.before == NONE {
            SPENT.with(|spent| {
                let spent = spent.iter().map(Cell::take);
                for (total, spent) in TOTALS.iter().zip(spent).filter(|(_, spent)| *spent > 0) {
                    total.fetch_add(spent, Ordering::Relaxed);
                }
            });
        }
    }
}

/// Goes to a part; the one before.
fn enter(part: usize) -> usize {
    let now = BEGIN.elapsed().as_nanos() as u64;
    let (before, since) = NOW.replace((part, now));
    if before != NONE {
        SPENT.with(|spent| spent[before].update(|spent| spent + now - since));
    }
    before
}

/// Seconds of threads by part since the last call, of those that took any, in the order of the work.
pub fn take() -> Vec<(&'static str, f64)> {
    let seconds = TOTALS.iter().map(|total| total.swap(0, Ordering::Relaxed) as f64 / 1e9);
    NAMES.iter().copied().zip(seconds).filter(|(_, seconds)| *seconds > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn no_time_counts_twice() {
        let begin = Instant::now();
        let sleep = || std::thread::sleep(Duration::from_millis(10));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let _trees = span(Part::Trees);
                    sleep();
                    {
                        let _links = span(Part::Links);
                        sleep();
                        sleep();
                    }
                    sleep();
                });
            }
        });
        let most = 2.0 * begin.elapsed().as_secs_f64();
        let parts = take();
        assert_eq!(parts.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["trees", "links"]);
        assert!(parts.iter().all(|(_, seconds)| *seconds >= 0.04), "{parts:?}");
        assert!(parts.iter().map(|(_, seconds)| seconds).sum::<f64>() <= most, "{parts:?} {most}");
        assert!(take().is_empty());
    }
}
