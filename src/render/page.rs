//! One page in one browser context: opened, watched until it is at rest, written out.
//!
//! **Stopping rule.** The page is at rest when its load event has fired, it has been scrolled to its end, and no request of it
//! was on its way for `idle_ms`. It is taken as it is when its own time is over: what passes while no request is on its way, so
//! that a crawl's politeness is not held against it; or when the time in all is over, or its process died.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, timeout};

use webmill_capture::CanonicalUrl;

use crate::cdp::{CommandError, Event};
use crate::options::RendererOptions;
use crate::proxy::Credentials;
use crate::renderer::Browser;
use crate::visit::{Rendered, Visit};

/// Name of the world that is ours.
const WORLD: &str = "webmill";
/// Time for a command that waits for no page.
const COMMAND: Duration = Duration::from_secs(30);
/// Time for a page to write out its tree.
const WRITE_OUT: Duration = Duration::from_secs(15);
/// Time for a page whose script was just stopped.
const AFTER_STOP: Duration = Duration::from_secs(5);
/// Between two looks at a page.
const LOOK: Duration = Duration::from_millis(50);
/// How often a page may load itself again, as those do that set a cookie first.
const RELOADS: u32 = 2;
/// Addresses that a page may want to go on to.
const MAX_ONWARD: usize = 100;
/// Screens that a page is scrolled.
const MAX_SCREENS: u32 = 30;
/// Redirects of the page itself that are followed.
const MAX_REDIRECTS: u32 = 10;

/// Why there is no page.
#[derive(Debug)]
pub(crate) enum OpenError {
    Browser(CommandError),
    Page(String),
}

impl From<CommandError> for OpenError {
    fn from(broken: CommandError) -> OpenError {
        OpenError::Browser(broken)
    }
}

/// A context with its page, closed when dropped.
struct Page<'a> {
    browser: &'a Browser,
    visit: &'a Visit,
    credentials: &'a Credentials,
    options: &'a RendererOptions,
    context: String,
    session: String,
    frame: String,
    events: Receiver<Event>,
    loaded: bool,
    crashed: bool,
    navigations: u32,
    redirects: u32,
    rendered: Rendered,
}

/// Opens the page of `visit` and gives what became of it.
pub(crate) async fn open(
    browser: &Browser,
    visit: &Visit,
    credentials: &Credentials,
    options: &RendererOptions,
) -> Result<Rendered, OpenError> {
    let begun = Instant::now();
    let mut page = Page::new(browser, visit, credentials, options).await?;
    page.navigate(begun).await?;
    if !page.crashed && page.loaded && options.scroll {
        page.scroll(begun).await?;
    }
    page.rest(begun).await?;
    page.write_out().await?;
    let mut rendered = std::mem::take(&mut page.rendered);
    rendered.crashed = page.crashed;
    rendered.popups = browser.contexts.remove(&page.context);
    visit.sum_up(&mut rendered);
    Ok(rendered)
}

impl<'a> Page<'a> {
    async fn new(
        browser: &'a Browser,
        visit: &'a Visit,
        credentials: &'a Credentials,
        options: &'a RendererOptions,
    ) -> Result<Page<'a>, CommandError> {
        let cdp = &browser.cdp;
        let made =
            cdp.ask("", "Target.createBrowserContext", json!({ "disposeOnDetach": true }), COMMAND).await?;
        let context = text(&made, "browserContextId");
        browser.contexts.add(&context);
        // From here on it is closed whatever happens.
        let (_, none) = tokio::sync::mpsc::channel(1);
        let mut page = Page {
            browser,
            visit,
            credentials,
            options,
            context,
            session: String::new(),
            frame: String::new(),
            events: none,
            loaded: false,
            crashed: false,
            navigations: 0,
            redirects: 0,
            rendered: Rendered::default(),
        };
        let context = &page.context;
        let deny = json!({ "behavior": "deny", "browserContextId": context });
        cdp.ask("", "Browser.setDownloadBehavior", deny, COMMAND).await?;
        let blank = json!({ "url": "about:blank", "browserContextId": context });
        let target = text(&cdp.ask("", "Target.createTarget", blank, COMMAND).await?, "targetId");
        let attach = json!({ "targetId": target, "flatten": true });
        page.session = text(&cdp.ask("", "Target.attachToTarget", attach, COMMAND).await?, "sessionId");
        page.events = cdp.listen(&page.session);
        page.ask("Page.enable", json!({})).await?;
        let tree = page.ask("Page.getFrameTree", json!({})).await?;
        page.frame = text(&tree["frameTree"]["frame"], "id");
        // Documents alone are held up: to see where the page goes, and to say who it is to the proxy, which counts for the context.
        let documents = json!([{ "urlPattern": "*", "resourceType": "Document" }]);
        page.ask("Fetch.enable", json!({ "handleAuthRequests": true, "patterns": documents })).await?;
        let watch = json!({ "source": include_str!("watch.js") });
        page.ask("Page.addScriptToEvaluateOnNewDocument", watch).await?;
        Ok(page)
    }

    async fn ask(&self, method: &'static str, params: Value) -> Result<Value, CommandError> {
        self.browser.cdp.ask(&self.session, method, params, COMMAND).await
    }

    fn tell(&self, method: &'static str, params: Value) {
        self.browser.cdp.tell(&self.session, method, params);
    }

    /// Goes to the page and waits for its load event, or until its time is over.
    async fn navigate(&mut self, begun: Instant) -> Result<(), OpenError> {
        let (browser, session) = (self.browser, self.session.clone());
        let url = json!({ "url": self.visit.url.as_str() });
        let limit = Duration::from_millis(self.options.total_ms);
        let navigation = browser.cdp.ask(&session, "Page.navigate", url, limit + COMMAND);
        tokio::pin!(navigation);
        let mut open = false;
        loop {
            tokio::select! {
                answer = &mut navigation, if !open => {
                    open = true;
                    if let Some(why) = answer?["errorText"].as_str() {
                        return Err(OpenError::Page(why.to_owned()));
                    }
                }
                event = self.events.recv() => self.handle(event)?,
                () = tokio::time::sleep(LOOK) => {}
            }
            if self.over(begun) {
                self.rendered.timed_out = true;
                return Ok(());
            }
            if open && (self.loaded || self.crashed) {
                return Ok(());
            }
        }
    }

    /// Waits until the page is at rest, or its time is over.
    async fn rest(&mut self, begun: Instant) -> Result<(), CommandError> {
        let idle = Duration::from_millis(self.options.idle_ms);
        loop {
            let quiet = self.visit.quiet().is_some_and(|quiet| quiet >= idle);
            if self.rendered.timed_out || self.crashed || quiet {
                return Ok(());
            }
            if self.over(begun) {
                self.rendered.timed_out = true;
                return Ok(());
            }
            if let Ok(event) = timeout(LOOK, self.events.recv()).await {
                self.handle(event)?;
            }
        }
    }

    /// Scrolls through the page.
    async fn scroll(&mut self, begun: Instant) -> Result<(), CommandError> {
        let Some(world) = self.world(COMMAND).await? else { return Ok(()) };
        let script = include_str!("scroll.js").replace("SCREENS", &MAX_SCREENS.to_string());
        let params = json!({ "expression": script, "contextId": world, "awaitPromise": true });
        let (browser, session) = (self.browser, self.session.clone());
        // Waiting for the load of what is scrolled over is not part of it.
        let limit = Duration::from_millis(u64::from(MAX_SCREENS) * 200) + COMMAND;
        let scrolling = browser.cdp.ask(&session, "Runtime.evaluate", params, limit);
        tokio::pin!(scrolling);
        loop {
            tokio::select! {
                done = &mut scrolling => match done {
                    Err(CommandError::Gone) => return Err(CommandError::Gone),
                    // A page that cannot be scrolled is taken as it is.
                    _ => return Ok(()),
                },
                event = self.events.recv() => self.handle(event)?,
                () = tokio::time::sleep(LOOK) => {}
            }
            if self.over(begun) || self.crashed {
                return Ok(());
            }
        }
    }

    /// Whether the time of the page is over.
    fn over(&self, begun: Instant) -> bool {
        begun.elapsed() >= Duration::from_millis(self.options.total_ms)
            || self.visit.own_time() >= Duration::from_millis(self.options.timeout_ms)
    }

    fn handle(&mut self, event: Option<Event>) -> Result<(), CommandError> {
        let Some(Event { method, params }) = event else { return Err(CommandError::Gone) };
        match method.as_str() {
            "Page.loadEventFired" => self.loaded |= self.navigations > 0,
            "Page.javascriptDialogOpening" => {
                self.rendered.dialogs += 1;
                self.tell("Page.handleJavaScriptDialog", json!({ "accept": false }));
            }
            "Fetch.authRequired" => {
                let proxy = params["authChallenge"]["source"] == "Proxy";
                let response = match proxy {
                    true => json!({
                        "response": "ProvideCredentials",
                        "username": self.credentials.user,
                        "password": self.credentials.password,
                    }),
                    false => json!({ "response": "CancelAuth" }),
                };
                self.tell(
                    "Fetch.continueWithAuth",
                    json!({ "requestId": params["requestId"], "authChallengeResponse": response }),
                );
            }
            "Fetch.requestPaused" => self.decide(&params),
            "Inspector.targetCrashed" | "Target.targetCrashed" | "Target.detachedFromTarget" => {
                self.crashed = true
            }
            _ => {}
        }
        Ok(())
    }

    /// Lets a document load, or not: the page stays where it is.
    fn decide(&mut self, params: &Value) {
        let go_on =
            |page: &Self| page.tell("Fetch.continueRequest", json!({ "requestId": params["requestId"] }));
        let stop = |page: &Self| {
            let aborted = json!({ "requestId": params["requestId"], "errorReason": "Aborted" });
            page.tell("Fetch.failRequest", aborted);
        };
        if params["frameId"] != self.frame.as_str() {
            return go_on(self);
        }
        let url = params["request"]["url"].as_str().unwrap_or_default();
        if params["redirectedRequestId"].is_string() {
            self.redirects += 1;
            return if self.redirects <= MAX_REDIRECTS { go_on(self) } else { stop(self) };
        }
        self.navigations += 1;
        let itself = || CanonicalUrl::parse(url).is_some_and(|url| url == self.visit.url);
        if self.navigations == 1 || (self.navigations <= 1 + RELOADS && itself()) {
            // The tree that counts is that of the document that comes.
            self.loaded = false;
            return go_on(self);
        }
        let onward = &mut self.rendered.onward;
        if onward.len() < MAX_ONWARD && !onward.iter().any(|known| known == url) {
            onward.push(url.to_owned());
        }
        stop(self);
    }

    /// The number of our world in the page; `None`: it does not answer.
    async fn world(&mut self, within: Duration) -> Result<Option<Value>, CommandError> {
        let params = json!({ "frameId": self.frame, "worldName": WORLD });
        let made = self.while_handling("Page.createIsolatedWorld", params, within).await?;
        Ok(made.map(|made| made["executionContextId"].clone()))
    }

    /// Asks the page while its dialogs are dismissed; `None`: it does not answer, or says no.
    async fn while_handling(
        &mut self,
        method: &'static str,
        params: Value,
        within: Duration,
    ) -> Result<Option<Value>, CommandError> {
        let (browser, session) = (self.browser, self.session.clone());
        let asking = browser.cdp.ask(&session, method, params, within);
        tokio::pin!(asking);
        loop {
            tokio::select! {
                answer = &mut asking => return match answer {
                    Ok(value) => Ok(Some(value)),
                    Err(CommandError::Gone) => Err(CommandError::Gone),
                    Err(_) => Ok(None),
                },
                event = self.events.recv() => self.handle(event)?,
            }
            if self.crashed {
                return Ok(None);
            }
        }
    }

    /// The tree, as far as the page can be brought to give it.
    async fn write_out(&mut self) -> Result<(), CommandError> {
        self.rendered.final_url = self.visit.url.as_str().to_owned();
        if self.crashed {
            return Ok(());
        }
        let mut within = WRITE_OUT;
        if self.rendered.timed_out {
            // A script that runs without end leaves no turn to ours.
            self.tell("Runtime.terminateExecution", json!({}));
            self.tell("Page.stopLoading", json!({}));
            within = AFTER_STOP;
        }
        let mut written = self.try_write_out(within).await?;
        if written.is_none() && !self.crashed {
            self.rendered.timed_out = true;
            self.tell("Runtime.terminateExecution", json!({}));
            written = self.try_write_out(AFTER_STOP).await?;
        }
        if let Some(written) = written {
            let rendered = &mut self.rendered;
            if let Some(url) = written["url"].as_str().filter(|url| url.starts_with("http")) {
                rendered.final_url = url.to_owned();
            }
            rendered.html = text(&written, "html").into_bytes();
            rendered.cut = written["cut"] == true;
            // A page may say anything here; it is no more than a number.
            let count = json!({ "expression": "globalThis.webmillErrors", "returnByValue": true });
            let errors = self.while_handling("Runtime.evaluate", count, AFTER_STOP).await?;
            self.rendered.script_errors = errors.and_then(|e| e["result"]["value"].as_u64()).unwrap_or(0);
        }
        Ok(())
    }

    async fn try_write_out(&mut self, within: Duration) -> Result<Option<Value>, CommandError> {
        let Some(world) = self.world(within).await? else { return Ok(None) };
        let script = include_str!("serialise.js").replace("LIMIT", &self.options.max_html.to_string());
        let params = json!({ "expression": script, "contextId": world, "returnByValue": true });
        let answer = self.while_handling("Runtime.evaluate", params, within).await?;
        Ok(answer.map(|mut answer| answer["result"]["value"].take()).filter(Value::is_object))
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        self.browser.cdp.deafen(&self.session);
        self.browser.contexts.remove(&self.context);
        self.browser.cdp.tell(
            "",
            "Target.disposeBrowserContext",
            json!({ "browserContextId": self.context }),
        );
    }
}

/// A member of an object that is a text.
fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}
