//! The socket of a running crawl: a line of JSON in, a line of JSON out.
//!
//! `OUT/control/socket`, for the owner alone. Where that path is longer than a socket's may be, the socket is in a folder of its
//! own below the folder of temporary files, and `OUT/control/socket.path` names it. A command is appended to the file of
//! commands before it is answered, so that an answer outlives the process; then the answer waits a while for the
//! engine to obey. A client that is slow, silent or says too much is cut off; so are more than a few at once.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::control::command::{Command, MAX_LINE_BYTES, Request};
use crate::control::file::{append, control_folder};
use crate::control::{Outcome, Shared, wall_clock_ms};
use webmill_capture::error::{AtPath, Result};

/// Longest path of a socket that all systems take.
const MAX_PATH_BYTES: usize = 100;
/// Clients at once.
const MOST_CLIENTS: usize = 16;
/// How long a client may be silent.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long an answer waits for the engine.
const OBEYED_WITHIN: Duration = Duration::from_secs(5);
/// Between two looks for clients.
const LOOK: Duration = Duration::from_millis(50);
/// Longest answer, bytes.
const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// The socket of a crawl and its thread.
pub(super) struct Server {
    path: PathBuf,
    _elsewhere: Option<tempfile::TempDir>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    /// Listens; what a dead process left is taken away.
    pub fn start(crawl: &Path, shared: Arc<Shared>) -> Result<Server> {
        let folder = control_folder(crawl);
        remove_stale(&folder);
        let (mut path, mut elsewhere) = (folder.join("socket"), None);
        if path.as_os_str().len() > MAX_PATH_BYTES {
            // Made for its owner alone, under a name that nobody can foresee.
            let short = tempfile::Builder::new().prefix("webmill-").tempdir().at(&path)?;
            path = short.path().join("socket");
            let named = path.to_string_lossy().into_owned();
            super::state::replace(&folder.join("socket.path"), named.as_bytes())?;
            elsewhere = Some(short);
        }
        let listener = UnixListener::bind(&path).at(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).at(&path)?;
        listener.set_nonblocking(true).at(&path)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, crawl) = (stop.clone(), crawl.to_path_buf());
        let thread = std::thread::Builder::new()
            .name("control".into())
            .spawn(move || listen(&listener, &crawl, &shared, &stopped))
            .at(&path)?;
        Ok(Server { path, _elsewhere: elsewhere, stop, thread: Some(thread) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // A dead socket is found to be one by whoever meets it.
        let _ = std::fs::remove_file(&self.path);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn remove_stale(folder: &Path) {
    let is_socket =
        |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
    let own = folder.join("socket");
    if is_socket(&own) {
        let _ = std::fs::remove_file(&own);
    }
    if let Some(path) = elsewhere(folder) {
        if is_socket(&path) && path.file_name().is_some_and(|name| name == "socket") {
            let _ = std::fs::remove_file(&path);
            let _ = path.parent().map(std::fs::remove_dir);
        }
        let _ = std::fs::remove_file(folder.join("socket.path"));
    }
}

fn elsewhere(folder: &Path) -> Option<PathBuf> {
    let mut named = String::new();
    let file = std::fs::File::open(folder.join("socket.path")).ok()?;
    file.take(4096).read_to_string(&mut named).ok()?;
    Some(PathBuf::from(named))
}

fn listen(listener: &UnixListener, crawl: &Path, shared: &Arc<Shared>, stop: &Arc<AtomicBool>) {
    let clients = Arc::new(AtomicUsize::new(0));
    while !stop.load(Ordering::Relaxed) {
        let Ok((stream, _)) = listener.accept() else {
            std::thread::sleep(LOOK);
            continue;
        };
        if clients.fetch_add(1, Ordering::Relaxed) >= MOST_CLIENTS {
            clients.fetch_sub(1, Ordering::Relaxed);
            let _ = answer(&stream, &refusal("too many clients at once"));
            continue;
        }
        let (crawl, shared, count) = (crawl.to_path_buf(), shared.clone(), clients.clone());
        let spawned = std::thread::Builder::new().name("control client".into()).spawn(move || {
            // A client that goes away is its own affair.
            let _ = serve(&stream, &crawl, &shared);
            count.fetch_sub(1, Ordering::Relaxed);
        });
        if spawned.is_err() {
            clients.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn serve(stream: &UnixStream, crawl: &Path, shared: &Shared) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        (&mut reader).take(MAX_LINE_BYTES as u64 + 2).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        let whole = line.last() == Some(&b'\n');
        let said = respond(line.trim_ascii(), crawl, shared);
        answer(stream, &said)?;
        if !whole {
            return Ok(());
        }
    }
}

fn respond(line: &[u8], crawl: &Path, shared: &Shared) -> Value {
    let request = match Request::parse(line) {
        Ok(request) => request,
        Err(error) => return refusal(&error.to_string()),
    };
    let number = match request {
        Request::Status => {
            return match shared.status() {
                Some(status) => json!({"ok": true, "status": status}),
                None => refusal("the crawl has only begun; ask again"),
            };
        }
        Request::Obey { number } => Ok(number),
        Request::Command(command) => append(crawl, &command, wall_clock_ms()),
    };
    match number {
        Err(error) => refusal(&error.to_string()),
        Ok(number) => {
            shared.wake();
            match shared.result(number, OBEYED_WITHIN) {
                Some(Ok(said)) => json!({"ok": true, "number": number, "obeyed": true, "said": said}),
                Some(Err(said)) => json!({"ok": false, "number": number, "obeyed": true, "error": said}),
                None => json!({"ok": true, "number": number, "obeyed": false}),
            }
        }
    }
}

fn refusal(reason: &str) -> Value {
    json!({"ok": false, "error": reason})
}

fn answer(mut stream: &UnixStream, said: &Value) -> std::io::Result<()> {
    stream.write_all(format!("{said}\n").as_bytes())
}

/// How the crawl in a folder goes, as it says itself; none where none runs.
pub fn ask_status(crawl: &Path) -> Option<Value> {
    let said = ask(crawl, &json!({"command": "status"}))?;
    said.get("status").cloned()
}

/// Gives a command to the crawl in a folder, running or not: its number, and what became of it where that is known already.
///
/// # Errors
/// Those of [`append`].
pub fn give(crawl: &Path, command: &Command) -> Result<(u64, Option<Outcome>)> {
    let number = append(crawl, command, wall_clock_ms())?;
    let said = ask(crawl, &json!({"command": "obey", "number": number}));
    let words = |said: &Value, key: &str| said[key].as_str().unwrap_or_default().to_owned();
    let outcome = said.filter(|said| said["obeyed"] == true).map(|said| match said["ok"] == true {
        true => Ok(words(&said, "said")),
        false => Err(words(&said, "error")),
    });
    Ok((number, outcome))
}

/// Asks a running crawl; none where none runs, or it ends at this moment.
fn ask(crawl: &Path, request: &Value) -> Option<Value> {
    let folder = control_folder(crawl);
    let path = elsewhere(&folder).unwrap_or_else(|| folder.join("socket"));
    if path.as_os_str().len() > MAX_PATH_BYTES {
        return None;
    }
    let mut stream = UnixStream::connect(&path).ok()?;
    stream.set_read_timeout(Some(OBEYED_WITHIN + PATIENCE)).ok()?;
    stream.write_all(format!("{request}\n").as_bytes()).ok()?;
    let mut said = Vec::new();
    BufReader::new(&stream).take(MAX_ANSWER_BYTES).read_until(b'\n', &mut said).ok()?;
    serde_json::from_slice(&said).ok()
}
