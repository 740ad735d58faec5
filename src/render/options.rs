//! Bounds of a browser and of each page in it. A crawl has the defaults, but for the sandbox; tests set others.

use std::path::PathBuf;

/// How pages are rendered.
#[derive(Debug, Clone, PartialEq)]
pub struct RendererOptions {
    /// The browser's program; default none: `WEBMILL_CHROMIUM`, or the first Chromium in `PATH`.
    pub chromium: Option<PathBuf>,
    /// Whether the browser runs in its own sandbox; default true. If webmill runs as root the browser has no
    /// sandbox in any case; in containers without user namespaces it cannot start with one.
    pub sandbox: bool,
    /// Pages open at the same time, at least one; default 2.
    pub max_pages: usize,
    /// Time of a page of its own, until it is taken as it is, in milliseconds: while one of its requests is on its way, or
    /// waits for its turn, this clock stands still. Default 20,000.
    pub timeout_ms: u64,
    /// Time for a page in all, in milliseconds; default 180,000.
    pub total_ms: u64,
    /// How long no request may be on its way before a loaded page counts as done, in milliseconds; default 500.
    pub idle_ms: u64,
    /// Whether a page is scrolled to its end, so that what loads when it is seen does load; default true.
    pub scroll: bool,
    /// Longest tree that is taken, in characters (UTF-16 code units); default 16 Mi.
    pub max_html: usize,
    /// Most requests of a page, default 1,000.
    pub max_requests: usize,
    /// Most bytes of all answers to a page; default 64 MiB.
    pub max_bytes: u64,
    /// Memory of all processes of the browser together, in bytes, beyond which the page that takes most is ended; default
    /// 2 GiB. Linux only.
    pub max_memory: u64,
}

impl Default for RendererOptions {
    fn default() -> Self {
        RendererOptions {
            chromium: None,
            sandbox: true,
            max_pages: 2,
            timeout_ms: 20_000,
            total_ms: 180_000,
            idle_ms: 500,
            scroll: true,
            max_html: 16 << 20,
            max_requests: 1_000,
            max_bytes: 64 << 20,
            max_memory: 2 << 30,
        }
    }
}
