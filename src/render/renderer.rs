//! A browser for as long as it lives, and the next one after it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

use crate::cdp::{Cdp, CommandError, Event};
use crate::exchange::Exchange;
use crate::options::RendererOptions;
use crate::page;
use crate::process::{self, Memory, Process, Start};
use crate::program;
use crate::proxy::Proxy;
use crate::visit::{Rendered, Visit};

/// Time for a browser to start.
const START: Duration = Duration::from_secs(60);
/// Between two looks at the browser's memory.
const WATCH: Duration = Duration::from_millis(500);
/// Openings of a page, where the browser dies under it.
const ATTEMPTS: usize = 2;

/// Why a page could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The browser does not start.
    #[error("Chromium does not start: {0}")]
    NoBrowser(String),
    /// The browser died, or was ended for the memory it took, under each attempt.
    #[error("the browser died")]
    Died,
    /// The browser took no commands.
    #[error("{0}")]
    Browser(String),
    /// The page has no answer.
    #[error("the page could not be opened: {0}")]
    NotOpened(String),
}

/// Opens pages in a browser; see the crate.
pub struct Renderer {
    options: RendererOptions,
    program: PathBuf,
    user_agent: String,
    proxy: Proxy,
    tabs: Semaphore,
    browser: tokio::sync::Mutex<Option<Arc<Browser>>>,
    /// Its group of processes, for tests.
    group: AtomicU64,
    closed: AtomicBool,
    started: AtomicU64,
}

/// A running browser.
pub(crate) struct Browser {
    pub cdp: Cdp,
    pub contexts: Arc<Contexts>,
    watching: Vec<JoinHandle<()>>,
    /// None: it was ended.
    process: Mutex<Option<Process>>,
}

/// The windows of each context: the first is ours, others were opened by its page.
#[derive(Default)]
pub(crate) struct Contexts(Mutex<std::collections::HashMap<String, (bool, u64)>>);

impl Contexts {
    fn lock(&self) -> std::sync::MutexGuard<'_, std::collections::HashMap<String, (bool, u64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on windows of this context are looked at.
    pub fn add(&self, context: &str) {
        self.lock().insert(context.to_owned(), (false, 0));
    }

    /// The windows that the page of a context opened.
    pub fn remove(&self, context: &str) -> u64 {
        self.lock().remove(context).map_or(0, |(_, popups)| popups)
    }

    /// Whether a window that appears in a context is to be closed.
    fn is_popup(&self, context: &str) -> bool {
        match self.lock().get_mut(context) {
            Some((main @ false, _)) => {
                *main = true;
                false
            }
            Some((_, popups)) => {
                *popups += 1;
                true
            }
            None => false,
        }
    }
}

impl Renderer {
    /// Finds the browser and starts the proxy; the browser starts with the first page. `user_agent` is what scripts see.
    /// Within a tokio runtime, which it lives in.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Config`]: no browser on the machine;
    /// [`webmill_capture::error::Error::Io`]: no port for the proxy.
    pub async fn new(options: &RendererOptions, user_agent: &str) -> Result<Renderer> {
        Ok(Renderer {
            program: program::find(options.chromium.as_deref())?,
            options: options.clone(),
            user_agent: user_agent.to_owned(),
            proxy: Proxy::start().await?,
            tabs: Semaphore::new(options.max_pages.max(1)),
            browser: tokio::sync::Mutex::default(),
            group: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            started: AtomicU64::new(0),
        })
    }

    /// The settings.
    pub fn options(&self) -> &RendererOptions {
        &self.options
    }

    /// Browsers started so far.
    pub fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    /// Number of the process of the browser that runs, 0 before the first.
    pub fn process(&self) -> u64 {
        self.group.load(Ordering::Relaxed)
    }

    /// What stands against the browser's own sandbox, for the operator to know.
    pub fn unsafe_because(&self) -> Option<&'static str> {
        if process::is_root() {
            Some("as root, Chromium runs without its sandbox")
        } else if !self.options.sandbox {
            Some("Chromium runs without its sandbox, as render.sandbox says")
        } else {
            None
        }
    }

    /// Opens `url`, lets it run and gives its tree. Waits while as many pages are open as may be. All requests go to `exchange`,
    /// the page's own among them; where the browser dies, they are made again.
    ///
    /// # Errors
    /// [`RenderError`].
    pub async fn render(
        &self,
        url: &CanonicalUrl,
        exchange: Arc<dyn Exchange>,
    ) -> std::result::Result<Rendered, RenderError> {
        let Ok(_tab) = self.tabs.acquire().await else { return Err(RenderError::Died) };
        for _ in 0..ATTEMPTS {
            let browser = self.browser().await?;
            let (requests, bytes) = (self.options.max_requests, self.options.max_bytes);
            exchange.opened();
            let visit = Arc::new(Visit::new(url.clone(), exchange.clone(), requests, bytes));
            let credentials =
                self.proxy.admit(visit.clone()).map_err(|e| RenderError::Browser(e.to_string()))?;
            match page::open(&browser, &visit, &credentials, &self.options).await {
                Ok(rendered) => return Ok(rendered),
                Err(page::OpenError::Browser(CommandError::Gone)) => {}
                Err(page::OpenError::Browser(broken)) => {
                    // A browser that takes no commands is of no use to other pages either.
                    if matches!(broken, CommandError::Silent(_)) {
                        self.discard(&browser).await;
                    }
                    return Err(RenderError::Browser(broken.to_string()));
                }
                Err(page::OpenError::Page(why)) => return Err(RenderError::NotOpened(why)),
            }
        }
        Err(RenderError::Died)
    }

    /// Ends the browser, and lets no other begin: pages that are open come to an error. Not from within the runtime.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        if let Some(browser) = self.browser.blocking_lock().take() {
            browser.end();
        }
    }

    async fn discard(&self, browser: &Arc<Browser>) {
        let mut slot = self.browser.lock().await;
        if slot.as_ref().is_some_and(|current| Arc::ptr_eq(current, browser)) {
            *slot = None;
            browser.end();
        }
    }

    /// The browser that runs, or another one.
    async fn browser(&self) -> std::result::Result<Arc<Browser>, RenderError> {
        let mut slot = self.browser.lock().await;
        if let Some(browser) = slot.as_ref().filter(|browser| !browser.cdp.is_gone()) {
            return Ok(browser.clone());
        }
        *slot = None;
        if self.closed.load(Ordering::Relaxed) {
            return Err(RenderError::Died);
        }
        let browser = Arc::new(self.start().await?);
        *slot = Some(browser.clone());
        Ok(browser)
    }

    async fn start(&self) -> std::result::Result<Browser, RenderError> {
        let no = |e: &dyn std::fmt::Display| RenderError::NoBrowser(e.to_string());
        let (process, pipes) = Process::start(&Start {
            program: &self.program,
            sandbox: self.options.sandbox,
            proxy: self.proxy.port(),
            key_hash: self.proxy.key_hash(),
            user_agent: &self.user_agent,
            max_memory: self.options.max_memory,
        })
        .map_err(|e| no(&format!("{}: {e}", self.program.display())))?;
        let group = process.group();
        self.group.store(group.into(), Ordering::Relaxed);
        self.started.fetch_add(1, Ordering::Relaxed);
        // Each character may be an escape of six bytes.
        let max_message = self.options.max_html * 6 + (1 << 20);
        let cdp = Cdp::new(pipes.to, pipes.from, max_message).map_err(|e| no(&e))?;
        let contexts = Arc::new(Contexts::default());
        let events = cdp.listen("");
        let mut browser = Browser { cdp, contexts, watching: Vec::new(), process: Mutex::new(Some(process)) };
        let hint = if self.options.sandbox && !process::is_root() {
            " (in a container without user namespaces it starts with render.sandbox = false alone)"
        } else {
            ""
        };
        let ask = |method, params| browser.cdp.ask("", method, params, START);
        let begun = match ask("Browser.getVersion", json!({})).await {
            Ok(_) => ask("Target.setDiscoverTargets", json!({ "discover": true })).await,
            broken => broken,
        };
        begun.map_err(|e| no(&format!("{}: {e}{hint}", self.program.display())))?;
        browser.watching = vec![
            tokio::spawn(close_popups(events, browser.contexts.clone(), browser.cdp.teller())),
            tokio::spawn(watch_memory(group, self.options.max_memory)),
        ];
        Ok(browser)
    }
}

impl Browser {
    /// Ends it, though pages may still hold it.
    fn end(&self) {
        self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.watching.iter().for_each(JoinHandle::abort);
    }
}

/// Closes the windows that pages open.
async fn close_popups(
    mut events: tokio::sync::mpsc::Receiver<Event>,
    contexts: Arc<Contexts>,
    tell: impl Fn(&'static str, Value),
) {
    while let Some(event) = events.recv().await {
        let target = &event.params["targetInfo"];
        if event.method != "Target.targetCreated" || target["type"] != "page" {
            continue;
        }
        let (Some(id), Some(context)) = (target["targetId"].as_str(), target["browserContextId"].as_str())
        else {
            continue;
        };
        if contexts.is_popup(context) {
            tell("Target.closeTarget", json!({ "targetId": id }));
        }
    }
}

/// Ends the page that takes most, when the browser takes too much memory.
async fn watch_memory(group: u32, max_memory: u64) {
    loop {
        tokio::time::sleep(WATCH).await;
        let look = move || {
            let memory = Memory::of_group(group)?;
            if memory.bytes > max_memory {
                memory.relieve(group);
            }
            Some(())
        };
        if !matches!(tokio::task::spawn_blocking(look).await, Ok(Some(()))) {
            return;
        }
    }
}
