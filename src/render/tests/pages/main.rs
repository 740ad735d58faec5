//! Pages in the browser of this machine; their sites are tables in memory, and nothing is asked of a network.

mod hostile;
mod network;
mod pages;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use webmill_capture::CanonicalUrl;
use webmill_render::{
    Answer, Exchange, NoAnswer, PageRequest, RenderError, Rendered, Renderer, RendererOptions,
};

/// One browser at a time: each takes as many processors as there are.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A Web in memory.
#[derive(Default)]
pub(crate) struct Web {
    /// By URL: headers and body.
    pages: BTreeMap<String, (String, Vec<u8>)>,
    /// What was asked for, in order.
    pub asked: Mutex<Vec<PageRequest>>,
    /// Answers take so long.
    pub slow: Duration,
}

impl Web {
    pub(crate) fn with(mut self, url: &str, media_type: &str, body: &str) -> Web {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nConnection: close\r\n\r\n");
        self.pages.insert(url.to_owned(), (head, body.as_bytes().to_vec()));
        self
    }

    pub(crate) fn html(self, url: &str, body: &str) -> Web {
        self.with(url, "text/html; charset=utf-8", body)
    }

    pub(crate) fn raw(mut self, url: &str, head: &str) -> Web {
        self.pages.insert(url.to_owned(), (head.to_owned(), Vec::new()));
        self
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|asked| asked.url.as_str().to_owned()).collect()
    }
}

impl Exchange for Web {
    fn exchange(
        &self,
        request: PageRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, NoAnswer>> + Send + '_>> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(request.clone());
            tokio::time::sleep(self.slow).await;
            let url = request.url.as_str();
            if url.contains("forbidden") {
                return Err(NoAnswer::Refused("robots-denied"));
            }
            let path = url.split('?').next().unwrap_or(url);
            let Some((head, body)) = self.pages.get(url).or_else(|| self.pages.get(path)) else {
                return Err(NoAnswer::Failed("no-such-host"));
            };
            Ok(Answer { raw: [head.as_bytes(), body].concat().into() })
        })
    }
}

/// Settings for tests: the machine may be slow, pages are small.
pub(crate) fn options() -> RendererOptions {
    RendererOptions { idle_ms: 300, ..RendererOptions::default() }
}

/// Runs `test` with a renderer, if there is a browser.
pub(crate) fn with_browser<F: Future<Output = ()>>(
    options: RendererOptions,
    test: impl FnOnce(Arc<Renderer>) -> F,
) {
    if let Err(missing) = webmill_render::find(None) {
        assert!(!webmill_evaluation::in_ci(), "{missing} (`make tools` installs it)");
        webmill_evaluation::skip("no Chromium: pages are not rendered");
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let _turn = TURN.lock().await;
        let renderer = Renderer::new(&options, "webmill-test/1 (+http://bot.example/)").await.unwrap();
        test(Arc::new(renderer)).await;
    });
}

pub(crate) async fn render(renderer: &Renderer, web: &Arc<Web>, url: &str) -> Result<Rendered, RenderError> {
    renderer.render(&CanonicalUrl::parse(url).unwrap(), web.clone()).await
}

pub(crate) fn html(rendered: &Rendered) -> String {
    String::from_utf8(rendered.html.clone()).unwrap()
}
