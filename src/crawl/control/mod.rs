//! The operator's hand: commands to a crawl, while it runs and while it does not.
//!
//! **What.** A [`Command`] is appended to a file in the crawl's folder ([`mod@file`]) and obeyed by the engine, at once or when the
//! crawl runs next. A running crawl listens at a socket ([`ask_status`]), where it also says how it goes ([`Status`]).
//!
//! **Exactly once.** The engine keeps the place behind the last command that it obeyed in the commit of its frontier, with
//! what the command did there: a crash leaves both or none. A command that was answered is in the file and will be
//! obeyed. Only `stop` is forgotten by the run that begins after it: it was meant for the one before.

pub mod command;
pub mod file;
#[cfg(unix)]
mod socket;
pub mod state;
mod status;
#[cfg(all(test, unix))]
mod tests;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

pub use command::{Command, Pattern, Request};
pub use file::{Line, Numbered, Obeyed};
#[cfg(unix)]
pub use socket::{ask_status, give};
pub use status::Status;

use webmill_capture::error::Result;

/// Results of commands that are remembered for whoever asked.
const RESULTS: usize = 1_000;
/// Between two looks at the file that nobody announced.
const LOOK: Duration = Duration::from_millis(500);

/// What became of a command, in words.
pub type Outcome = std::result::Result<String, String>;

/// What the engine and the thread at the socket share.
#[derive(Default)]
struct Shared {
    /// The file may hold more.
    changed: AtomicBool,
    told: Mutex<Told>,
    obeyed: Condvar,
}

#[derive(Default)]
struct Told {
    status: Option<Value>,
    results: VecDeque<(u64, Outcome)>,
}

impl Shared {
    fn told(&self) -> MutexGuard<'_, Told> {
        // What is in it is whole, whatever became of a thread that held it.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(unix)]
    fn wake(&self) {
        self.changed.store(true, Ordering::Release);
    }

    #[cfg(unix)]
    fn status(&self) -> Option<Value> {
        self.told().status.clone()
    }

    /// What became of a command, if that is known in time.
    #[cfg(unix)]
    fn result(&self, number: u64, within: Duration) -> Option<Outcome> {
        let missing = |told: &mut Told| !told.results.iter().any(|(n, _)| *n == number);
        let waited = self.obeyed.wait_timeout_while(self.told(), within, missing);
        let (told, _) = waited.unwrap_or_else(PoisonError::into_inner);
        told.results.iter().find(|(n, _)| *n == number).map(|(_, outcome)| outcome.clone())
    }
}

/// The engine's end of the control of its crawl.
pub struct Control {
    crawl: PathBuf,
    shared: Arc<Shared>,
    #[cfg(unix)]
    server: Option<socket::Server>,
    looked: Option<Instant>,
    saved: Option<Instant>,
    length: u64,
}

impl Control {
    /// Takes the control of the crawl in a folder.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Io`] where the folder cannot be made.
    pub fn open(crawl: &Path) -> Result<Control> {
        file::make_folder(crawl)?;
        Ok(Control {
            crawl: crawl.to_path_buf(),
            shared: Arc::default(),
            #[cfg(unix)]
            server: None,
            looked: None,
            saved: None,
            length: u64::MAX,
        })
    }

    /// Listens at the socket; why not, where that does not work: the file does all the same.
    pub fn listen(&mut self) -> Option<String> {
        #[cfg(unix)]
        if self.server.is_none() {
            match socket::Server::start(&self.crawl, self.shared.clone()) {
                Ok(server) => self.server = Some(server),
                Err(error) => return Some(error.to_string()),
            }
        }
        None
    }

    /// The lines behind `obeyed`, which is moved behind them; looks into the file when it was told to or now and then.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Io`].
    pub fn poll(&mut self, obeyed: &mut Obeyed) -> Result<Vec<Line>> {
        let told = self.shared.changed.swap(false, Ordering::Acquire);
        if !told && self.looked.is_some_and(|at| at.elapsed() < LOOK) {
            return Ok(Vec::new());
        }
        self.looked = Some(Instant::now());
        let length = file::length(&self.crawl);
        if !told && length == self.length {
            return Ok(Vec::new());
        }
        let lines = file::read(&self.crawl, obeyed)?;
        // What was too much for one look is taken by the next.
        self.length = if lines.is_empty() { length } else { u64::MAX };
        if !lines.is_empty() {
            self.looked = None;
        }
        Ok(lines)
    }

    /// Tells whoever waits what became of commands, which must be committed.
    pub fn tell(&self, results: Vec<(u64, Outcome)>) {
        let mut told = self.shared.told();
        for result in results {
            if told.results.len() == RESULTS {
                told.results.pop_front();
            }
            told.results.push_back(result);
        }
        drop(told);
        self.shared.obeyed.notify_all();
    }

    /// How it goes, for whoever asks; now and then it is left in the folder too, for whoever asks when the crawl is over.
    pub fn publish(&mut self, status: &Status, last: bool) {
        let Ok(value) = serde_json::to_value(status) else { return };
        if last || self.saved.is_none_or(|at| at.elapsed() >= Duration::from_secs(10)) {
            self.saved = Some(Instant::now());
            // A full disk is met elsewhere, and said.
            let _ = state::replace(&status_path(&self.crawl), value.to_string().as_bytes());
        }
        self.shared.told().status = Some(value);
    }
}

fn status_path(crawl: &Path) -> PathBuf {
    file::control_folder(crawl).join("status.json")
}

/// What the crawl in a folder said of itself last, when it does not run.
pub fn last_status(crawl: &Path) -> Option<Status> {
    serde_json::from_slice(&std::fs::read(status_path(crawl)).ok()?).ok()
}

pub(crate) fn wall_clock_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
