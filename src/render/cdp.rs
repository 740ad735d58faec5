//! The debugging protocol over a pipe: messages of JSON, each ended by a zero byte.
//!
//! A command has a number and gets one answer; events come in between and go to the session that they are about. What a page can
//! make long or many is bounded: a message beyond a length is passed over, and so are events beyond [`MAX_EVENTS`]
//! that nobody took yet, and all that nobody asked for.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot, watch};

/// Events of a session that wait.
const MAX_EVENTS: usize = 1_024;
/// The events that are handed on.
const WANTED: [&str; 8] = [
    "Fetch.requestPaused",
    "Fetch.authRequired",
    "Page.javascriptDialogOpening",
    "Page.loadEventFired",
    "Inspector.targetCrashed",
    "Target.targetCrashed",
    "Target.targetCreated",
    "Target.detachedFromTarget",
];

/// Why a command has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CommandError {
    /// The browser is gone.
    #[error("the browser is gone")]
    Gone,
    /// It did not answer in time.
    #[error("the browser does not answer {0}")]
    Silent(&'static str),
    /// It said no.
    #[error("{0}: {1}")]
    Error(&'static str, String),
}

/// Something that happened in a session.
#[derive(Debug)]
pub(crate) struct Event {
    pub method: String,
    pub params: Value,
}

/// A connection to a browser.
pub(crate) struct Cdp {
    commands: mpsc::UnboundedSender<Vec<u8>>,
    next: AtomicU64,
    shared: Arc<ConnectionState>,
    gone: watch::Receiver<bool>,
}

#[derive(Default)]
struct ConnectionState {
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<Value, String>>>>,
    /// By session; the empty one is the browser.
    sessions: Mutex<HashMap<String, mpsc::Sender<Event>>>,
}

impl ConnectionState {
    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Result<Value, String>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, mpsc::Sender<Event>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cdp {
    /// Speaks over two pipes, within the runtime that this is called in; messages beyond `max_message` bytes are passed over.
    pub fn new(to: OwnedFd, from: OwnedFd, max_message: usize) -> std::io::Result<Cdp> {
        let mut to = pipe::Sender::from_owned_fd(to)?;
        let from = pipe::Receiver::from_owned_fd(from)?;
        let (commands, mut queue) = mpsc::unbounded_channel::<Vec<u8>>();
        let (ended, gone) = watch::channel(false);
        let shared = Arc::new(ConnectionState::default());
        tokio::spawn(async move {
            while let Some(command) = queue.recv().await {
                if to.write_all(&command).await.is_err() {
                    return;
                }
            }
        });
        let reading = shared.clone();
        tokio::spawn(async move {
            read(from, &reading, max_message).await;
            let _ = ended.send(true);
            // Whoever waits is told.
            reading.waiting().clear();
            reading.sessions().clear();
        });
        Ok(Cdp { commands, next: AtomicU64::new(1), shared, gone })
    }

    /// Whether the browser is gone.
    pub fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    /// The events of a session from now on.
    pub fn listen(&self, session: &str) -> mpsc::Receiver<Event> {
        let (sender, receiver) = mpsc::channel(MAX_EVENTS);
        self.shared.sessions().insert(session.to_owned(), sender);
        receiver
    }

    /// Ends [`Cdp::listen`].
    pub fn deafen(&self, session: &str) {
        self.shared.sessions().remove(session);
    }

    /// Sends a command to a session (empty: the browser) whose answer nobody waits for.
    pub fn tell(&self, session: &str, method: &'static str, params: Value) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        // The reader of the queue is gone with the browser, which is noticed elsewhere.
        let _ = self.commands.send(command(id, session, method, params));
    }

    /// Tells the browser commands for as long as it lives, without keeping it alive.
    pub fn teller(&self) -> impl Fn(&'static str, Value) + Send + 'static + use<> {
        let commands = self.commands.downgrade();
        move |method, params| {
            if let Some(commands) = commands.upgrade() {
                // Numbers of answers that nobody waits for.
                let _ = commands.send(command(0, "", method, params));
            }
        }
    }

    /// Sends a command to a session (empty: the browser) and waits for its result.
    pub async fn ask(
        &self,
        session: &str,
        method: &'static str,
        params: Value,
        within: Duration,
    ) -> Result<Value, CommandError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        self.shared.waiting().insert(id, sender);
        if self.is_gone() || self.commands.send(command(id, session, method, params)).is_err() {
            self.shared.waiting().remove(&id);
            return Err(CommandError::Gone);
        }
        match tokio::time::timeout(within, receiver).await {
            Ok(Ok(Ok(result))) => Ok(result),
            Ok(Ok(Err(message))) => Err(CommandError::Error(method, message)),
            Ok(Err(_)) => Err(CommandError::Gone),
            Err(_) => {
                self.shared.waiting().remove(&id);
                Err(CommandError::Silent(method))
            }
        }
    }
}

fn command(id: u64, session: &str, method: &str, params: Value) -> Vec<u8> {
    let mut message = json!({ "id": id, "method": method, "params": params });
    if !session.is_empty() {
        message["sessionId"] = session.into();
    }
    let mut bytes = message.to_string().into_bytes();
    bytes.push(0);
    bytes
}

/// Reads messages until the browser is gone.
async fn read(mut from: pipe::Receiver, shared: &ConnectionState, max_message: usize) {
    let mut buffer = Vec::with_capacity(64 << 10);
    let mut skipping = false;
    loop {
        let searched = buffer.len();
        match from.read_buf(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let Some(first) = memchr::memchr(0, &buffer[searched..]) else {
            if buffer.len() > max_message {
                skipping = true;
            }
            if skipping {
                buffer.clear();
            }
            continue;
        };
        let (mut start, mut end) = (0, searched + first);
        loop {
            if !std::mem::replace(&mut skipping, false) && end - start <= max_message {
                take(&buffer[start..end], shared);
            }
            start = end + 1;
            match memchr::memchr(0, &buffer[start..]) {
                Some(next) => end = start + next,
                None => break,
            }
        }
        buffer.drain(..start);
        if buffer.is_empty() && buffer.capacity() > 1 << 20 {
            buffer = Vec::with_capacity(64 << 10);
        }
    }
}

#[derive(Deserialize)]
struct Message {
    id: Option<u64>,
    method: Option<String>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<ProtocolError>,
}

#[derive(Deserialize)]
struct ProtocolError {
    message: String,
}

/// Hands one message to who waits for it.
fn take(message: &[u8], shared: &ConnectionState) {
    let Ok(message) = serde_json::from_slice::<Message>(message) else { return };
    if let Some(id) = message.id {
        if let Some(waiting) = shared.waiting().remove(&id) {
            let _ = waiting.send(match message.error {
                Some(error) => Err(error.message),
                None => Ok(message.result),
            });
        }
        return;
    }
    let Some(method) = message.method.filter(|method| WANTED.contains(&method.as_str())) else { return };
    if let Some(session) = shared.sessions().get(message.session.as_deref().unwrap_or_default()) {
        // A page that floods its session misses events of its own.
        let _ = session.try_send(Event { method, params: message.params });
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A browser made of two pipes: what it is told, and how it answers.
    fn pipes() -> (Cdp, std::io::PipeReader, std::io::PipeWriter) {
        let (told, to) = std::io::pipe().unwrap();
        let (from, say) = std::io::pipe().unwrap();
        (Cdp::new(to.into(), from.into(), 2_000).unwrap(), told, say)
    }

    #[tokio::test]
    async fn answers_find_their_commands_and_events_their_sessions() {
        let (cdp, _told, mut say) = pipes();
        let mut events = cdp.listen("S");
        let ask = cdp.ask("", "Browser.getVersion", json!({}), Duration::from_secs(60));
        let long = [b"{\"id\":1,\"result\":\"".to_vec(), vec![b'x'; 3_000], b"\"}\0".to_vec()].concat();
        let answer = async {
            say.write_all(
                b"no JSON\0{\"method\":\"Page.loadEventFired\",\"sessionId\":\"S\",\"params\":{\"a\":1}}\0",
            )
            .unwrap();
            say.write_all(&long).unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
            say.write_all(b"{\"method\":\"Other.event\",\"sessionId\":\"S\"}\0{\"id\":7,\"result\":{}}\0{\"id\":1,\"res")
                .unwrap();
            tokio::task::yield_now().await;
            say.write_all(b"ult\":{\"product\":\"P\"}}\0").unwrap();
        };
        let (version, ()) = tokio::join!(ask, answer);
        assert_eq!(version.unwrap()["product"], "P", "a message that is too long is passed over");
        let event = events.recv().await.unwrap();
        assert_eq!((event.method.as_str(), &event.params["a"]), ("Page.loadEventFired", &json!(1)));
        assert!(events.try_recv().is_err());
        let ask = cdp.ask("S", "Page.enable", json!({}), Duration::from_secs(60));
        let answer = async {
            say.write_all(b"{\"id\":2,\"error\":{\"code\":-1,\"message\":\"no\"}}\0").unwrap();
        };
        let (refused, ()) = tokio::join!(ask, answer);
        assert_eq!(refused, Err(CommandError::Error("Page.enable", "no".into())));
    }

    #[tokio::test]
    async fn who_waits_for_a_browser_that_ends_is_told() {
        let (cdp, _told, say) = pipes();
        let ask = cdp.ask("", "Browser.getVersion", json!({}), Duration::from_secs(60));
        let (answer, ()) = tokio::join!(ask, async { drop(say) });
        assert_eq!(answer, Err(CommandError::Gone));
        assert!(cdp.is_gone());
        let later = cdp.ask("", "Browser.getVersion", json!({}), Duration::from_secs(60)).await;
        assert_eq!(later, Err(CommandError::Gone));
    }
}
