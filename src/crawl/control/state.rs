//! What commands have made of a crawl: it outlives the process.
//!
//! It is a part of the frontier's commit, so that what a command did and how far the commands were obeyed are one. A copy
//! lies in `OUT/control/state.json`, for the case that the frontier is lost.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::control::file::{Obeyed, control_folder};
use webmill_capture::error::{AtPath, Error, Result};

/// Most patterns, parked hosts, added hosts.
pub const MOST: usize = 10_000;

/// A setting that was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed<T> {
    /// What the settings said then; when they say something else, the change is over.
    pub from: T,
    /// What holds instead.
    pub to: T,
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// How far the file of commands was obeyed.
    pub obeyed: Obeyed,
    /// Nothing is asked for.
    pub paused: bool,
    /// Patterns of dropped URLs.
    pub drops: Vec<String>,
    /// Hosts that are left alone.
    pub parked: BTreeSet<String>,
    /// A URL of each host that was added, as a seed is.
    pub added: BTreeSet<String>,
    /// Least pause between two requests to a host, ms.
    pub delay_ms: Option<Changed<u64>>,
    /// Limit of pages.
    pub pages: Option<Changed<Option<u64>>>,
}

impl State {
    /// As it is written.
    ///
    /// # Errors
    /// [`Error::Internal`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|e| Error::Internal(format!("control state: {e}")))
    }

    /// The state of [`State::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Option<State> {
        serde_json::from_slice(bytes).ok()
    }

    /// The copy in the folder of a crawl; the default where there is none.
    pub fn load(crawl: &Path) -> State {
        let bytes = std::fs::read(control_folder(crawl).join("state.json"));
        bytes.ok().and_then(|bytes| State::from_bytes(&bytes)).unwrap_or_default()
    }

    /// Leaves the copy.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn save(&self, crawl: &Path) -> Result<()> {
        replace(&control_folder(crawl).join("state.json"), &self.to_bytes()?)
    }
}

/// Writes a file as a whole or not at all.
///
/// # Errors
/// [`Error::Io`].
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).at(folder)?;
    file.write_all(bytes).at(path)?;
    file.persist(path).map_err(|e| Error::io(path, e.error))?;
    Ok(())
}
