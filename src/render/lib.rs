//! Pages through a headless Chromium, each request of theirs through a proxy of ours.
//!
//! **What.** A [`Renderer`] opens a page in a browser of this machine, lets its scripts run and gives back the tree that
//! they made, as HTML. The browser itself reaches no network: every request, of whatever part of a page, comes to a proxy
//! on loopback and from there to an [`Exchange`], which decides and fetches. So whoever renders keeps its own rules
//! (robots.txt, pace, addresses that must not be reached) and sees the bytes of every answer as the server sent them.
//!
//! **Algorithm.** One browser process (`process`), driven over a pipe by its debugging protocol (`cdp`); each page in
//! a browser context of its own, with credentials of its own for the proxy (`proxy`), which tell its requests from those of
//! other pages and keep everybody else on the machine out. https is ended in the proxy by certificates that are made at
//! run time and trusted by this browser alone. A page is done when its load event has fired and no request of it was on
//! its way for a while; its tree is then written out in an isolated world that its scripts cannot reach (`page`).
//!
//! **Bounds.** Time, requests, bytes, size of the tree, pages at once, memory of the browser. Dialogs are dismissed, popups
//! closed, downloads denied; service workers, WebSockets and requests other than GET are refused and counted. A page
//! that takes too much memory is ended; a browser that dies is replaced, and its pages are opened once more.
//!
//! **Determinism.** None: scripts see the clock. What was received is kept by the [`Exchange`].
//!
//! **Reference.** Chrome DevTools Protocol, <https://chromedevtools.github.io/devtools-protocol/>; RFC 9110, 9.3.6 (CONNECT).
//!
//! **Why.** Own client of the debugging protocol in `render`: a dozen commands over the browser's pipe. The crates of the field speak
//! it over a WebSocket, a port that pages and others on the machine can reach; the one that is kept up (chromiumoxide) generates the
//! whole protocol: 53 s of CPU for its own three crates in a debug build, 112 s with what it links, where `render` takes 2. A browser
//! whose pipe is closed ends by itself.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cdp;
mod exchange;
mod options;
mod page;
mod process;
mod program;
mod proxy;
mod renderer;
mod visit;

pub use exchange::{Answer, Exchange, NoAnswer, PageRequest};
pub use options::RendererOptions;
pub use program::{NAMES, find};
pub use renderer::{RenderError, Renderer};
pub use visit::{PageResource, Rendered};
