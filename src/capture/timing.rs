//! Where the time of a run goes, by parts of the work that its threads do.
//!
//! A thread is in one [`Part`] at a time: [`span`] enters one and goes back to the one before when it is dropped. So the seconds of all parts are those
//! that threads spent, none of them twice. They are added up in the [`Ledger`] that a thread [works for](work_for): jobs that run side by side have
//! theirs apart. What threads without one do is not added up.
//!
//! **Cost.** Two looks at the clock a span, some 50 ns: spans are for work of microseconds at least.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
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
    /// Features of blocks and pages, for the choice.
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

/// What all threads that work for one job spent, in nanoseconds by part.
#[derive(Debug, Default)]
pub struct Ledger([AtomicU64; PARTS]);

impl Ledger {
    /// Seconds of threads by part, of those that took any, in the order of the work.
    pub fn seconds(&self) -> Vec<(&'static str, f64)> {
        let seconds = self.0.iter().map(|total| total.load(Ordering::Relaxed) as f64 / 1e9);
        NAMES.iter().copied().zip(seconds).filter(|(_, seconds)| *seconds > 0.0).collect()
    }
}

/// From now on the time of this thread is added up there.
pub fn work_for(ledger: &Arc<Ledger>) {
    LEDGER.set(Some(Arc::clone(ledger)));
}

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

thread_local! {
    /// The part that the thread is in, and since when.
    static NOW: Cell<(usize, u64)> = const { Cell::new((NONE, 0)) };
    /// Where its time is added up.
    static LEDGER: RefCell<Option<Arc<Ledger>>> = const { RefCell::new(None) };
    /// What the thread spent and did not add up yet.
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
                LEDGER.with_borrow(|ledger| {
                    let spent = spent.iter().map(Cell::take);
                    for (total, spent) in ledger.iter().flat_map(|ledger| &ledger.0).zip(spent) {
                        total.fetch_add(spent, Ordering::Relaxed);
                    }
                });
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn no_time_counts_twice() {
        let begin = Instant::now();
        let sleep = || std::thread::sleep(Duration::from_millis(10));
        let (here, beside) = (Arc::<Ledger>::default(), Arc::<Ledger>::default());
        std::thread::scope(|scope| {
            for ledger in [Some(&here), Some(&here), Some(&beside), None] {
                scope.spawn(move || {
                    ledger.into_iter().for_each(work_for);
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
        let most = begin.elapsed().as_secs_f64();
        for (ledger, threads) in [(&here, 2.0), (&beside, 1.0)] {
            let parts = ledger.seconds();
            assert_eq!(parts.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["trees", "links"]);
            assert!(parts.iter().all(|(_, seconds)| *seconds >= 0.02 * threads), "{parts:?}");
            let all: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
            assert!(all <= threads * most, "{parts:?} {most}");
        }
    }
}
