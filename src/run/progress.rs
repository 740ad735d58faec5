//! How a job speaks to whoever runs it: progress, a wish to stop, and rejects. The library has no terminal.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use webmill_capture::error::{Error, Result};

/// What a line of progress counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Bytes, shown with binary prefixes.
    Bytes,
    /// Things.
    Items,
}

/// Receives progress; implementations must not slow the caller down.
pub trait Progress: Sync {
    /// A phase begins; `total` is 0 where it is not known.
    fn begin(&self, phase: &str, total: u64, measure: Measure);
    /// Some of it is done.
    fn advance(&self, amount: u64);
    /// The phase is over.
    fn end(&self);
    /// Something that the user should read.
    fn note(&self, text: &str);
    /// A step or a number that only those read who look into a job: keys, residuals, times of parts.
    fn detail(&self, _text: &str) {}
    /// What a job would do, where that was all that was asked for.
    fn plan(&self, text: &str) {
        self.note(text);
    }
    /// Where a job that runs beside another one speaks to the same reader; `None`: only its notes reach that.
    fn beside(&self) -> Option<Box<dyn Progress + '_>> {
        None
    }
}

/// Passes on what the user should read, and no phases: for a reader that follows one job at a time.
pub struct Notes<'a>(pub &'a dyn Progress);

impl Progress for Notes<'_> {
    fn begin(&self, _: &str, _: u64, _: Measure) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
    fn note(&self, text: &str) {
        self.0.note(text);
    }
    fn detail(&self, text: &str) {
        self.0.detail(text);
    }
}

/// Says nothing.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str, _: u64, _: Measure) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
    fn note(&self, _: &str) {}
}

/// A wish to stop, set from a signal handler and looked at between records.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks all who hold a copy to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked.
    pub fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    /// [`Error::Interrupted`] where someone asked to stop.
    pub fn check(&self) -> Result<()> {
        if self.stopped() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// A record that was not taken, with its address.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reject {
    /// Named reason; the manifest counts by it.
    pub reason: String,
    /// File.
    pub shard: String,
    /// Byte offset in the file.
    pub offset: u64,
    /// Stored bytes that gave no record because of it; 0 for a record that was read and dropped.
    #[serde(default)]
    pub bytes_lost: u64,
    /// What exactly was wrong.
    pub detail: String,
}

/// Writes the sample of rejects in the form that users read.
pub trait RejectSink: Sync {
    /// Writes `rejects` to a new file at `path`; returns the number of rows.
    ///
    /// # Errors
    /// Whatever the writing meets.
    fn write(&self, path: &Path, rejects: &[Reject], key: &str) -> Result<u64>;
    /// Name and columns of the table that [`write`](Self::write) makes.
    fn table(&self) -> (&'static str, Vec<String>);
}
