//! Which pages are rendered, and how.

use regex::{RegexSet, RegexSetBuilder};

use webmill_capture::error::{Error, Result};
use webmill_capture::settings;
use webmill_render::RendererOptions;

/// Bytes that the compiled expressions of a list may take.
const MAX_REGEX_BYTES: usize = 8 << 20;
settings! {
    /// Which pages are rendered, and how.
    #[derive(PartialEq)]
    pub struct RenderOptions {
        /// Regular expressions; pages whose canonical URL one of them matches somewhere are rendered. Default none.
        pub patterns: Vec<String> = Vec::new();
        /// Regular expressions of URLs that pages are not let ask for, beside those that the scope leaves out
        /// as requisites. Default none.
        pub block: Vec<String> = Vec::new();
        /// Whether the browser's own sandbox is kept; default true. As root it has none whatever this says, and in containers
        /// without user namespaces it cannot start with it.
        pub sandbox: bool = true;
        /// The browser: pages at once, time, scrolling.
        #[serde(skip)]
        pub browser: RendererOptions = RendererOptions::default();
    }
}

impl RenderOptions {
    /// Holds every setting against its range.
    ///
    /// # Errors
    /// [`Error::Config`] names the setting.
    pub fn check(&self) -> Result<()> {
        compile("render.patterns", &self.patterns)?;
        compile("render.block", &self.block).map(drop)
    }
}

pub(super) fn compile(field: &str, expressions: &[String]) -> Result<RegexSet> {
    RegexSetBuilder::new(expressions)
        .size_limit(MAX_REGEX_BYTES)
        .build()
        .map_err(|e| Error::Config(format!("{field}: {e}")))
}
