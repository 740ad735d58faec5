//! What the proxy hands over, and gets back.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use webmill_capture::CanonicalUrl;

/// A request of a page: always a GET.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PageRequest {
    /// The URL that the page asks for.
    pub url: CanonicalUrl,
    /// Headers that the page's scripts or the browser set and that change what a server answers, names lower-case: `accept`,
    /// `authorization`, `cookie`, `origin`, `referer`, `content-type`, `x-…`. Those of the connection, of the browser's cache, ranges
    /// and hints of the client are left out.
    pub headers: Vec<(String, String)>,
    /// Whether it is the page itself that is asked for, not a part of it.
    pub document: bool,
}

/// An answer to a page.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Status line to the last byte of the body, as received.
    pub raw: Bytes,
}

/// Why a request of a page has no answer, by the name that it is counted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// It must not be made.
    Refused(&'static str),
    /// It was made, or tried, and failed.
    Failed(&'static str),
}

/// Answers the requests of one page: the rules and the client of whoever renders.
pub trait Exchange: Send + Sync {
    /// The page is opened; once more where the browser died under it.
    fn opened(&self) {}

    /// Answers one request. Several are on their way at the same time; one that the page does not wait for any more is dropped.
    fn exchange(
        &self,
        request: PageRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, NoAnswer>> + Send + '_>>;
}
