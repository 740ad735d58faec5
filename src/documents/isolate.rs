//! Who reads a document: this process, or a child that a hostile one may take with it.
//!
//! **What.** [`ReadDocument`] is what readers of bodies ask. [`InProcess`] reads where it is called and turns a panic into a
//! failure. A [`Pool`] has child processes read, one for each thread that asks at a time: a document that crashes, hangs or
//! eats memory ends its child and is a [`Failure`]; the child is replaced, and the memory of this process is unmoved.
//!
//! **Confinement.** A child has 1 GiB of memory and 20 s of processor time a document. It has a pipe in and a pipe out, can open no file and no connection (no descriptor is free for one,
//! and on Linux a seccomp filter refuses the calls), writes no file, starts no program, and ends with its parent.
//!
//! **Determinism.** A document whose child dies after others were read in it is given to a fresh child once more, and what
//! comes of that counts: so no row depends on which documents came before on which thread. One that took all its time is not:
//! time is counted anew for each. Limits count work; the clock is the last guard, for what [`Limits`] do not see.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use crate::{Document, Failure, Kind, Limits, read};

mod child;
mod confine;
mod frame;
mod process;

pub use child::{serve, serve_with};
use process::{Death, Process};

/// A reader of documents, in this process or in a child process.
pub trait ReadDocument: Send + Sync {
    /// The document that `bytes` are.
    ///
    /// # Errors
    /// [`Failure`] with a named reason where nothing of it can be read.
    fn read(&self, bytes: &[u8], kind: Kind, limits: &Limits) -> Result<Document, Failure>;
}

/// Reads where it is called: for documents that are trusted, and where no child can be started.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

impl ReadDocument for InProcess {
    fn read(&self, bytes: &[u8], kind: Kind, limits: &Limits) -> Result<Document, Failure> {
        catch_unwind(AssertUnwindSafe(|| read(bytes, kind, limits))).unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(Failure::new("crashed", format!("the reader of {} panicked: {said}", kind.name())))
        })
    }
}

/// Has child processes read.
#[derive(Debug)]
pub struct Pool {
    command: Vec<OsString>,
    idle: Mutex<Vec<Process>>,
}

impl Pool {
    /// A pool whose children are started by a command: a program that calls [`serve`], and its arguments. None is started
    /// before a document is there.
    pub fn new(command: Vec<OsString>) -> Self {
        Pool { command, idle: Mutex::new(Vec::new()) }
    }

    /// A child that waits, else a new one.
    fn child(&self) -> Result<Process, Failure> {
        let waiting = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        waiting.map_or_else(|| self.fresh(), Ok)
    }

    fn fresh(&self) -> Result<Process, Failure> {
        Process::start(&self.command)
            .map_err(|error| Failure::new("no-child", format!("no process to read documents in: {error}")))
    }
}

impl ReadDocument for Pool {
    fn read(&self, bytes: &[u8], kind: Kind, limits: &Limits) -> Result<Document, Failure> {
        if bytes.len() > limits.max_input_bytes {
            return read(bytes, kind, limits);
        }
        let mut child = self.child()?;
        let mut answer = child.ask(bytes, kind, limits);
        if matches!(answer, Err(Death::Memory | Death::Crash(_))) && child.has_answered() {
            child = self.fresh()?;
            answer = child.ask(bytes, kind, limits);
        }
        match answer {
            Ok(document) => {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(child);
                document
            }
            Err(death) => Err(failure(&death, kind)),
        }
    }
}

/// What the end of a child says of its document.
fn failure(death: &Death, kind: Kind) -> Failure {
    let kind = kind.name();
    match death {
        Death::Memory => Failure::new("out-of-memory", format!("its {kind} reader needs more than 1 GiB")),
        Death::Time => Failure::new("too-slow", format!("its {kind} reader needs more than 20 s")),
        Death::Crash(how) => Failure::new("crashed", format!("its {kind} reader ended: {how}")),
    }
}
