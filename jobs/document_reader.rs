//! Who reads documents that are no HTML for the jobs and commands of this process: children of it, where the program says how
//! they are started, else the process itself.

use std::ffi::OsString;
use std::sync::{Arc, OnceLock};

use webmill_documents::isolate::{InProcess, Pool, ReadDocument};

/// Name of the hidden subcommand by which the program is a child that reads documents.
pub const SUBCOMMAND: &str = "read-documents";

static COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();
static READER: OnceLock<Arc<dyn ReadDocument>> = OnceLock::new();

/// Has documents read in children that `command` starts: a program that calls
/// [`serve`](webmill_documents::isolate::serve). Said once, before the first document; later calls change nothing.
pub fn start_by(command: Vec<OsString>) {
    let _ = COMMAND.set(command);
}

/// The reader of this process: one pool for all jobs, so that children outlive them.
pub fn reader() -> Arc<dyn ReadDocument> {
    let reader = READER.get_or_init(|| match COMMAND.get() {
        Some(command) => Arc::new(Pool::new(command.clone())),
        None => Arc::new(InProcess),
    });
    Arc::clone(reader)
}
