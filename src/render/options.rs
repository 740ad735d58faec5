//! Settings of a browser and of each page in it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use webmill_capture::error::{Error, Result};

/// How pages are rendered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RendererOptions {
    /// The browser's program; default none: `WEBMILL_CHROMIUM`, or the first Chromium in `PATH`.
    pub chromium: Option<PathBuf>,
    /// Whether the browser's own sandbox is kept; default true. As root it has none whatever this says, and in containers
    /// without user namespaces it cannot start with it.
    pub sandbox: bool,
    /// Pages open at the same time, 1 to 64; default 2.
    pub max_pages: usize,
    /// Time of a page of its own, until it is taken as it is, in milliseconds: while one of its requests is on its way, or
    /// waits for its turn, this clock stands still. 100 to 600,000; default 20,000.
    pub timeout_ms: u64,
    /// Time for a page in all, in milliseconds; at least `timeout_ms`, at most 3,600,000; default 180,000.
    pub total_ms: u64,
    /// How long no request may be on its way before a loaded page counts as done, in milliseconds; 50 to 60,000; default 500.
    pub idle_ms: u64,
    /// Whether a page is scrolled to its end, so that what loads when it is seen does load; default true.
    pub scroll: bool,
    /// Longest tree that is taken, in characters (UTF-16 code units); 1,024 to 64 Mi; default 16 Mi.
    pub max_html: usize,
    /// Most requests of a page, 1 to 100,000; default 1,000.
    pub max_requests: usize,
    /// Most bytes of all answers to a page; default 256 MiB.
    pub max_bytes: u64,
    /// Memory of all processes of the browser together, in bytes, beyond which the page that takes most is ended; at least
    /// 256 MiB; default 2 GiB. Linux only.
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
            max_bytes: 256 << 20,
            max_memory: 2 << 30,
        }
    }
}

impl RendererOptions {
    /// Holds every setting against its range.
    ///
    /// # Errors
    /// [`Error::Config`] names the setting and its range.
    pub fn check(&self) -> Result<()> {
        let ranges = [
            ("max_pages", self.max_pages as u64, 1, 64),
            ("timeout_ms", self.timeout_ms, 100, 600_000),
            ("total_ms", self.total_ms, self.timeout_ms, 3_600_000),
            ("idle_ms", self.idle_ms, 50, 60_000),
            ("max_html", self.max_html as u64, 1 << 10, 64 << 20),
            ("max_requests", self.max_requests as u64, 1, 100_000),
            ("max_bytes", self.max_bytes, 1, u64::MAX),
            ("max_memory", self.max_memory, 256 << 20, u64::MAX),
        ];
        match ranges.iter().find(|(_, value, least, most)| !(least..=most).contains(&value)) {
            Some((name, value, least, most)) => {
                Err(Error::Config(format!("render.{name} {value}: {least} to {most} are possible")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        RendererOptions::default().check().unwrap();
        for (bad, name) in [
            (RendererOptions { max_pages: 0, ..Default::default() }, "max_pages"),
            (RendererOptions { total_ms: 10, ..Default::default() }, "total_ms"),
            (RendererOptions { max_html: usize::MAX, ..Default::default() }, "max_html"),
            (RendererOptions { max_memory: 1, ..Default::default() }, "max_memory"),
        ] {
            assert!(bad.check().unwrap_err().to_string().contains(name), "{name}");
        }
    }
}
