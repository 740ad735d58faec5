//! The operator's hand: commands to a crawl, while it runs and while it does not.
//!
//! **What.** A [`Command`] is appended to a file in the crawl's folder ([`mod@file`]) and obeyed by the engine, within half a second
//! or when the crawl runs next. A running crawl leaves beside it how it goes, once a second ([`status`]).
//!
//! **Exactly once.** The engine keeps the place behind the last command that it obeyed in the commit of its frontier, with
//! what the command did there: a crash leaves both or none. Only `stop` is forgotten by the run that begins after it: it was meant
//! for the one before.

pub mod command;
pub mod file;
pub mod state;
mod status;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use command::{Command, Pattern};
pub use file::{Line, Numbered, Obeyed};
pub use status::Status;

use webmill_capture::error::Result;

/// Between two looks at the file.
const LOOK: Duration = Duration::from_millis(250);
/// Between two times that the status is written.
const PERIOD: Duration = Duration::from_secs(1);

/// The engine's end of the control of its crawl.
pub struct Control {
    crawl: PathBuf,
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
        Ok(Control { crawl: crawl.to_path_buf(), looked: None, saved: None, length: u64::MAX })
    }

    /// The lines behind `obeyed`, which is moved behind them; looks into the file now and then.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Io`].
    pub fn poll(&mut self, obeyed: &mut Obeyed) -> Result<Vec<Line>> {
        if self.looked.is_some_and(|at| at.elapsed() < LOOK) {
            return Ok(Vec::new());
        }
        self.looked = Some(Instant::now());
        let length = file::length(&self.crawl);
        if length == self.length {
            return Ok(Vec::new());
        }
        let lines = file::read(&self.crawl, obeyed)?;
        // What was too much for one look is taken by the next.
        self.length = if lines.is_empty() { length } else { u64::MAX };
        if !lines.is_empty() {
            (self.looked, self.saved) = (None, None);
        }
        Ok(lines)
    }

    /// Whether commands were obeyed since the status was written.
    pub fn has_news(&self) -> bool {
        self.saved.is_none()
    }

    /// Leaves in the folder how it goes, for whoever asks: once a second, after commands, and at the end.
    pub fn publish(&mut self, status: &Status) {
        if !status.running || self.saved.is_none_or(|at| at.elapsed() >= PERIOD) {
            self.saved = Some(Instant::now());
            let Ok(bytes) = serde_json::to_vec(status) else { return };
            // A full disk is met elsewhere, and said.
            let _ = state::replace(&status_path(&self.crawl), &bytes);
        }
    }
}

fn status_path(crawl: &Path) -> PathBuf {
    file::control_folder(crawl).join("status.json")
}

/// How the crawl in a folder goes, or went when it ran; `None`: it has said nothing of itself yet.
pub fn status(crawl: &Path) -> Option<Status> {
    let mut status: Status = serde_json::from_slice(&std::fs::read(status_path(crawl)).ok()?).ok()?;
    // One that was killed could not say so.
    status.running = status.running && crate::engine::is_locked(crawl);
    Some(status)
}
