//! Who reads documents that are no HTML for the jobs and commands of this process: children of it, where the program says how
//! they are started, else the process itself.
//!
//! What a child costs that hangs, crashes or eats memory is a matter of tests: where the environment variable
//! `WEBMILL_TEST_DOCUMENTS` holds a mark, a document does what stands behind that mark in its bytes (`hang`, `crash`, `panic`,
//! `eat`). No document can say so by itself.

use std::ffi::OsString;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use memchr::memmem;
use webmill_documents::isolate::{self, InProcess, Pool, ReadDocument};
use webmill_documents::{Document, Failure, Kind, Limits};

/// Name of the hidden subcommand by which the program is a child that reads documents.
pub const SUBCOMMAND: &str = "read-documents";

/// Bytes that a document takes at a time that eats memory.
const BITE: usize = 16 << 20;

static COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();
/// The reader of the process with this number: children of one process answer no other.
static READER: Mutex<Option<(u32, Arc<dyn ReadDocument>)>> = Mutex::new(None);

/// Has documents read in children that `command` starts: a program that calls [`serve`]. Said once, before the first
/// document; later calls change nothing.
pub fn start_by(command: Vec<OsString>) {
    let _ = COMMAND.set(command);
}

/// The reader of this process: one pool for all jobs, so that children outlive them.
pub fn reader() -> Arc<dyn ReadDocument> {
    let mut shared = READER.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*shared {
        Some((of, reader)) if *of == process => Arc::clone(reader),
        _ => {
            let reader: Arc<dyn ReadDocument> = match COMMAND.get() {
                Some(command) => Arc::new(Pool::new(command.clone())),
                None => Arc::new(InProcess),
            };
            // After a fork: the children of the parent are not ours to end.
            std::mem::forget(shared.replace((process, Arc::clone(&reader))));
            reader
        }
    }
}

/// Is such a child, until its input ends.
///
/// # Errors
/// Where the process cannot be confined, or a pipe breaks.
pub fn serve() -> io::Result<()> {
    match std::env::var("WEBMILL_TEST_DOCUMENTS") {
        Ok(mark) if !mark.is_empty() => isolate::serve_with(ObedientReader { mark: mark.into_bytes() }),
        _ => isolate::serve(),
    }
}

/// Does what documents say behind a mark; reads those without it.
struct ObedientReader {
    mark: Vec<u8>,
}

impl ReadDocument for ObedientReader {
    fn read(&self, bytes: &[u8], kind: Kind, limits: &Limits) -> Result<Document, Failure> {
        let behind = memmem::find(bytes, &self.mark).and_then(|at| bytes.get(at + self.mark.len()..));
        let told = behind.unwrap_or_default();
        if told.starts_with(b"hang") {
            loop {
                std::hint::spin_loop();
            }
        } else if told.starts_with(b"crash") {
            std::process::abort()
        } else if told.starts_with(b"panic") {
            panic!("as told")
        } else if told.starts_with(b"eat") {
            let mut held: Vec<Vec<u8>> = Vec::new();
            loop {
                held.push(vec![1; BITE]);
                std::hint::black_box(&held);
            }
        }
        InProcess.read(bytes, kind, limits)
    }
}
