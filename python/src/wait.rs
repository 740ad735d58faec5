//! Work that Python waits for: on a thread of its own, the interpreter let go, ended by Ctrl-C.
//!
//! **Forks.** A child of a fork has none of its parent's threads. So work runs in a pool of this module, of which each process makes its
//! own, not in the one of the whole process that rayon makes once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::ThreadPool;
use webmill_capture::Error;
use webmill_jobs::machine::processors;
use webmill_jobs::run_options::thread_pool;
use webmill_run::Cancel;

use crate::fault::Fault;

/// Time between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);
/// Time that interrupted work gets to end in order; what takes longer ends by itself and its result is dropped.
const ORDERLY: Duration = Duration::from_millis(700);

/// The pool of the process with this number.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The pool of this process. The interpreter is held meanwhile, so that nobody forks while the lock is taken.
fn pool(_: Python<'_>) -> Result<Arc<ThreadPool>, Fault> {
    let mut shared = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*shared {
        Some((of, pool)) if *of == process => Ok(Arc::clone(pool)),
        _ => {
            let pool = Arc::new(thread_pool(processors())?);
            // Nobody is there to end the threads of the parent's.
            std::mem::forget(shared.replace((process, Arc::clone(&pool))));
            Ok(pool)
        }
    }
}

/// As [`wait`], with nothing to call meanwhile; `work` is given what tells it to stop.
pub fn apart<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> PyResult<T> {
    let cancel = Cancel::default();
    let stop = cancel.clone();
    wait(py, &cancel, |_| Ok(()), move || work(&stop))
}

/// Does `work`, which looks at `cancel`; `each` is called with the interpreter between two looks at signals, and at the end.
///
/// # Errors
/// `KeyboardInterrupt` or what else a signal handler or `each` raises; an internal error for a panic.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    mut each: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let pool = pool(py)?;
    let (send, mut receive) = channel();
    let started = std::thread::Builder::new().name("webmill".to_owned()).spawn(move || {
        // Who went away does not wait for it.
        let _ = send.send(catch_unwind(AssertUnwindSafe(|| pool.install(work))));
    });
    started.map_err(|e| Fault::from(Error::Limit(format!("no thread can be started: {e}"))))?;
    loop {
        let looked;
        (receive, looked) = py.detach(move || {
            let looked = receive.recv_timeout(LOOK);
            (receive, looked)
        });
        let done = match looked {
            Ok(Ok(done)) => Some(done),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                let why = "a panic, whose message stands on stderr".to_owned();
                return Err(Fault::from(Error::Internal(why)).into());
            }
            Err(RecvTimeoutError::Timeout) => None,
        };
        if let Err(raised) = py.check_signals().and_then(|()| each(py)) {
            cancel.stop();
            if done.is_none() {
                drop(py.detach(move || receive.recv_timeout(ORDERLY)));
            }
            return Err(raised);
        }
        if let Some(done) = done {
            return Ok(done);
        }
    }
}
