//! Replay: captures as pages in a browser, with links that point into the archive and cannot leave it.
//!
//! [`answer`] makes of a captured response the one that is sent: the media type decides whether pages, style sheets or
//! scripts are rewritten (`References` tells how), headers that would act on the server's own origin are set aside,
//! and a policy goes with every answer. [`frame_page`] is the page around it, with the banner. Nothing here reads an
//! index or a network; the router does.
//!
//! # What holds a captured page in
//!
//! Captured pages are hostile. Rewriting makes them work; it protects nobody, since a script can build any address. What
//! protects is sent as headers and obeyed by the browser:
//!
//! 1. `Content-Security-Policy: sandbox allow-scripts allow-forms` on each answer gives it an origin of its own that equals
//!    no other (also when it is opened without the frame): no cookies, storage or service workers of the server's
//!    host, no reading of other windows; no popups, downloads or top-level navigation.
//! 2. The same header restricts every kind of fetching to `ORIGIN/COLLECTION/`: the live Web, the server's other paths and
//!    other collections cannot be asked at all. Redirects, of which the policy compares the host only, are made by the
//!    server alone, and stay in the collection.
//! 3. The frame's own page has `frame-src ORIGIN/COLLECTION/`, so that the page in the frame cannot leave the archive by
//!    navigating itself: the request is stopped before it is made. The page's script says so, and shows again what it showed.
//! 4. Pages of an origin that equals none need `Access-Control-Allow-Origin: null` for fonts, modules and `fetch`. Any website
//!    could make such an origin, and would read a private archive on its visitor's machine. So the header is sent
//!    only to requests whose address carries the [token](Tokens) of the collection, which replayed pages get from
//!    the frame's page and pass on in all their references. A page of one collection does not know the token of another.
//! 5. Hints that resolve or connect without fetching (`preconnect`, `dns-prefetch`) and WebRTC are outside of what the policy
//!    rules. `Connection-Allowlist` forbids both where it is known (Chromium); for other browsers hints are taken out of
//!    the source and of what scripts write, `X-DNS-Prefetch-Control: off` is sent, and the client script takes the
//!    constructors away. A page written to evade that script could there still tell a stranger that it is looked at.
//!
//! The router has its own part: it leads everything that [`is_top_level`] to the frame's page, since a page in a tab of its
//! own may navigate itself anywhere; it redirects URLs without a path (`http://example.com`) to those with one, or what is
//! relative there would take the place of the host; requests that change something must refuse [`is_foreign`] ones; and
//! answers of the other services (CDX, Memento, raw bytes) must not allow the origin `null`.
//!
//! # Where a page is
//!
//! Scripts see the address, origin and windows of the captured page: `location`, `top`, `parent`, `origin`, `document.URL`,
//! `history`, the senders of messages. What they go to leads into the archive. The server gives scripts other names for the two that
//! browsers let nobody redefine (`script` says how); the client script (`runtime.js`) defines these and all others, and asks the server
//! for the same change of text that a page runs (`eval`, handlers, scripts that it writes).
//!
//! # Limits
//!
//! A page and the frames in it have origins of their own, so they talk by messages alone: what reads another frame's document, or calls its
//! functions, fails as between sites. Names of `location` that are put together at run time are seen on `window`, `document`
//! and `self` alone. Pictures of other documents (`<use href="sprite.svg#a">`) and reading canvases with pictures are refused by
//! browsers to pages without an origin. Sounds, pictures and fetched data are sent as they are. Workers of modules see
//! the archive's address.
//!
//! # Cost and determinism
//!
//! Rewriting is linear in the body, in memory as in time; bodies beyond [`MAX_REWRITTEN`] are sent as they are, and a header says so. Equal
//! captures and contexts give equal answers.
//!
//! Reference: Content Security Policy Level 3, <https://www.w3.org/TR/CSP3/>; HTML, sandboxing,
//! <https://html.spec.whatwg.org/multipage/browsers.html#sandboxing>; Fetch Metadata, <https://www.w3.org/TR/fetch-metadata/>.

mod answer;
mod banner;
mod css;
mod headers;
mod html;
mod place;
mod request;
mod script;
mod tags;
mod token;

pub use answer::{MAX_REWRITTEN, answer, preflight, script_text};
pub use banner::{Frame, Missing, frame_page, not_archived_page};
pub use place::{Modifier, Place};
pub use request::{Destination, by_referer, is_foreign, is_top_level};
pub use token::Tokens;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

/// The script that replayed pages run first: leads into the archive what scripts ask for, and stands in for what an
/// origin of one's own forbids.
pub const RUNTIME_JS: &str = include_str!("runtime.js");

/// The folder of a collection that holds what the frame and the pages need: [`asset`].
pub const ASSETS: &str = "_replay/";

/// The capture that is asked for, and the address of the archive.
#[derive(Copy, Clone, Debug)]
pub struct Context<'a> {
    /// Scheme, host and port of the server as the browser knows them: `http://127.0.0.1:8080`.
    pub origin: &'a str,
    /// Path of the collection, with slashes at both ends, of characters that need no escaping: `/news/`.
    pub prefix: &'a str,
    /// The collection's token, where the request's own address carried it; `None` for all other requests. Of
    /// [`frame_page`] always the token: it is a page of the server's own.
    pub token: Option<&'a str>,
    /// 14 digits: of the capture, and what its references lead to the neighbourhood of.
    pub timestamp: &'a str,
    /// How it is to be answered.
    pub modifier: Modifier,
    /// The captured URL, absolute.
    pub url: &'a str,
    /// What the browser wants it for: [`Destination::of`].
    pub destination: Option<Destination>,
}

/// An answer to be sent.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// As captured, but for those that mean something between a browser and its own server.
    pub status: StatusCode,
    /// All headers but those of Memento, caching and length.
    pub headers: HeaderMap,
    /// The body, without codings.
    pub body: Bytes,
}

/// Media type and bytes of a file in [`ASSETS`].
///
/// # Examples
/// ```
/// let (kind, script) = webmill_serve::replay::asset("runtime.js").unwrap();
/// assert_eq!(kind, "text/javascript; charset=utf-8");
/// assert!(!script.is_empty());
/// ```
pub fn asset(name: &str) -> Option<(&'static str, &'static [u8])> {
    Some(match name {
        "runtime.js" => ("text/javascript; charset=utf-8", RUNTIME_JS.as_bytes()),
        "frame.js" => ("text/javascript; charset=utf-8", include_bytes!("frame.js")),
        "frame.css" => ("text/css; charset=utf-8", include_bytes!("frame.css")),
        _ => return None,
    })
}

/// For fuzzing: whatever the bytes are, they are rewritten as a page, a style sheet and a script, without a panic, and
/// in bounded space.
pub fn fuzz_replay(data: &[u8]) {
    for (kind, destination) in [
        ("text/html", Destination::Document),
        ("text/css", Destination::Style),
        ("text/javascript", Destination::Script),
    ] {
        let context = Context {
            origin: "http://127.0.0.1:8080",
            prefix: "/c/",
            token: Some("0123456789abcdef"),
            timestamp: "20240615060000",
            modifier: Modifier::Inner,
            url: "http://example.com/a/b?c",
            destination: Some(destination),
        };
        let mut headers = HeaderMap::new();
        headers.insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static(kind));
        let replayed = answer(&context, StatusCode::OK, &headers, Bytes::copy_from_slice(data));
        // A tag of six bytes can hold an address that becomes one of ninety; characters become references of nine.
        assert!(replayed.body.len() <= 64 * data.len() + 4096, "{} of {}", replayed.body.len(), data.len());
    }
}
