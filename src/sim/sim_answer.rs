//! What the server of a URL sends.

use std::borrow::Cow;
use std::io::Write as _;
use std::sync::Arc;

use super::draw::{below, purpose};
use super::sim::SimWeb;
use super::sim_config::RobotsKind;
use super::sim_extras::{Deed, Slot};
use super::sim_hosts::Health;
use super::sim_locate::Place;
use super::{Kind, SynthPage};

/// An answer: bytes to send at once, what comes after them, and how it ends.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Status; 0 where none is sent.
    pub status: u16,
    /// Head and the beginning of the body, as they are to be sent.
    pub message: Vec<u8>,
    /// Bytes of the head with its blank line: all that HEAD gets.
    pub head_len: usize,
    /// Body after `message`.
    pub rest: Rest,
    /// What happens to the connection then.
    pub ending: Ending,
    /// Wait before the first byte, in ms.
    pub delay_ms: u32,
    /// Whether it comes from the proxy, which could not reach the server.
    pub by_proxy: bool,
}

/// Body that is not held in memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Rest {
    /// Nothing follows the first bytes.
    #[default]
    None,
    /// A piece again and again.
    Repeat {
        /// Bytes of the piece.
        piece: Arc<[u8]>,
        /// How often; `None` for ever.
        times: Option<u64>,
        /// What comes after it.
        end: Vec<u8>,
    },
    /// Pieces with waits between them.
    Drip {
        /// Bytes of each piece, in order.
        pieces: Vec<Vec<u8>>,
        /// Wait before each, in ms.
        every_ms: u32,
        /// Whether they come again and again.
        endless: bool,
    },
}

/// What happens to a connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// It is kept, if the client likes.
    #[default]
    Keep,
    /// It is closed.
    Close,
    /// The connection is reset.
    Reset,
    /// It stays open and silent until the client leaves.
    Hang,
}

impl Answer {
    /// Empties it, but keeps the memory.
    fn clear(&mut self) {
        self.message.clear();
        (self.status, self.head_len, self.delay_ms) = (0, 0, 0);
        (self.rest, self.ending, self.by_proxy) = (Rest::None, Ending::Keep, false);
    }

    /// No answer at all.
    pub(super) fn nothing(&mut self, ending: Ending) {
        self.clear();
        self.ending = ending;
    }

    /// A head: its beginning, more headers, the blank line.
    pub(super) fn begin(&mut self, head: &[u8], more: &str) {
        self.message.clear();
        self.message.extend_from_slice(head);
        self.message.extend_from_slice(more.as_bytes());
        self.message.extend_from_slice(b"\r\n");
        self.head_len = self.message.len();
    }

    /// Head and body with its length.
    pub(super) fn whole(&mut self, head: &[u8], more: &str, body: &[u8]) {
        self.begin(head, &format!("{more}Content-Length: {}\r\n", body.len()));
        self.message.extend_from_slice(body);
    }

    /// A short answer of our own.
    pub(super) fn plain(&mut self, status: u16, headers: &str, media_type: &str, body: &[u8]) {
        self.status = status;
        let mut head = Vec::with_capacity(256);
        let _ = write!(head, "HTTP/1.1 {status} {}\r\nServer: synth\r\n{headers}", reason(status));
        if !media_type.is_empty() {
            let _ = write!(head, "Content-Type: {media_type}\r\n");
        }
        self.whole(&head, "", body);
    }

    /// An error page.
    pub(super) fn error(&mut self, status: u16, headers: &str) {
        let page = format!(
            "<html><head><title>{0}</title></head><body><h1>{status} {0}</h1></body></html>\n",
            reason(status)
        );
        self.plain(status, headers, "text/html", page.as_bytes());
    }

    /// What a proxy says when it cannot reach a server.
    fn by_proxy(&mut self, why: &str, status: u16) {
        self.error(status, &format!("X-Proxy-Error: {why}\r\n"));
        self.by_proxy = true;
    }

    fn redirect(&mut self, status: u16, to: &str) {
        self.plain(status, &format!("Location: {to}\r\n"), "", b"");
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        410 => "Gone",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Internal Server Error",
    }
}

const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

impl SimWeb {
    /// What the server of an absolute URL sends to a method, when asked for it the n-th time, from 0.
    ///
    /// A method other than GET and HEAD gets 405, a name that does not exist what a proxy says: 502. The server sends only
    /// the head of an answer to HEAD.
    pub fn answer(&self, method: &str, url: &str, attempt: u32) -> Answer {
        let mut answer = Answer::default();
        self.answer_into(method, url, attempt, &mut SynthPage::default(), &mut answer);
        answer
    }

    /// Whether the answer to a URL depends on the attempt.
    pub fn depends_on_attempt(&self, url: &str) -> bool {
        let shares = &self.config.pages;
        if shares.passing + shares.busy + self.config.robots.passing == 0.0 {
            return false;
        }
        match self.locate(url).0 {
            Place::Page(page) => self.failures(page) > 0,
            Place::Robots(host, _) => self.robots_kind(host) == RobotsKind::Passing,
            _ => false,
        }
    }

    /// As [`SimWeb::answer`], into buffers that are used again.
    pub fn answer_into(
        &self,
        method: &str,
        url: &str,
        attempt: u32,
        scratch: &mut SynthPage,
        out: &mut Answer,
    ) {
        out.clear();
        if !matches!(method, "GET" | "HEAD") {
            out.error(405, "Allow: GET, HEAD\r\n");
            return;
        }
        let (place, _) = self.locate(url);
        let Some(host) = self.place_host(place) else {
            out.by_proxy("dns", 502);
            return;
        };
        let delay_ms = match self.health(host) {
            Health::Sound => 0,
            Health::Slow(ms) => ms,
            Health::Down => return out.error(500, ""),
            Health::Refused => return out.by_proxy("connect", 502),
            Health::Unresolved => return out.by_proxy("dns", 502),
            Health::Reset => return out.nothing(Ending::Reset),
            Health::Closed => return out.nothing(Ending::Close),
            Health::Silent => return out.nothing(Ending::Hang),
            Health::TimedOut => {
                out.by_proxy("timeout", 504);
                out.delay_ms = self.config.time_out_ms;
                return;
            }
        };
        match place {
            Place::Page(page) => self.answer_page(host, page, attempt, scratch, out),
            Place::Extra(host, slot) => self.answer_extra(host, slot, out),
            Place::Trap(host) => {
                let path = Self::split(url).map_or("/", |(_, path)| path);
                let bare = self.without_session(host, path);
                let path = bare.as_deref().unwrap_or(path);
                match self.trap(host).and_then(|trap| trap.html(path)) {
                    Some(html) => out.plain(200, "", "text/html; charset=utf-8", html.as_bytes()),
                    None => out.error(404, ""),
                }
            }
            Place::Robots(host, hop) => self.answer_robots(host, hop, attempt, out),
            Place::Sitemap(host, part) => {
                let xml = self.sitemap_xml(host, part);
                if part == 2 {
                    out.plain(200, "", "application/gzip", &gzip(xml.as_bytes()));
                } else {
                    out.plain(200, "", "application/xml", xml.as_bytes());
                }
            }
            Place::Nothing(_) | Place::Nowhere => out.error(404, ""),
        }
        out.delay_ms = delay_ms.max(self.config.delay_ms);
    }

    /// Where a redirect of the Web ends at last: one hop here, whatever there.
    pub(super) fn last_target(&self, mut to: u64) -> u64 {
        while let Kind::Redirect { to: next } = self.web.content(to).kind {
            to = next;
        }
        to
    }

    fn answer_page(&self, host: u64, page: u64, attempt: u32, scratch: &mut SynthPage, out: &mut Answer) {
        let content = self.web.content(page);
        if let Kind::Redirect { to } = content.kind {
            let status = REDIRECTS[below(self.web.hash(content.body, purpose::TROUBLE), 5) as usize];
            return out.redirect(status, &self.web.url(self.last_target(to)));
        }
        self.web.render(page, scratch);
        out.status = scratch.status;
        let revision = self.revision(host, page).filter(|_| out.status == 200);
        let more = if out.status == 200 { self.additions(host, content.body, scratch) } else { None };
        let trouble = if out.status == 200 { self.trouble(page) } else { None };
        let more = match &revision {
            Some(revision) => {
                Some(self.revise(host, content.body, revision, more.as_deref().unwrap_or(scratch.body())))
            }
            None => more,
        };
        if more.is_none() && trouble.is_none() {
            std::mem::swap(&mut out.message, &mut scratch.response);
            out.head_len = scratch.body_at;
            return;
        }
        let digits = scratch.body().len().to_string().len();
        let head = &scratch.response[..scratch.body_at - "Content-Length: \r\n\r\n".len() - digits];
        let body = more.as_deref().unwrap_or(scratch.body());
        let revised = revision.map(|revision| revision.head(head));
        let head = revised.as_deref().unwrap_or(head);
        match trouble {
            Some(trouble) => self.send(page, trouble, attempt, head, body, out),
            None => out.whole(head, "", body),
        }
    }

    /// The body with what the host adds to it: session ids, and on home pages links to what else it has.
    fn additions(&self, host: u64, body: u64, page: &SynthPage) -> Option<Vec<u8>> {
        if !self.has_extras {
            return None;
        }
        let with_ids = self.add_sessions(host, body, page.body());
        let list = if self.is_home(body) { self.home_list(host) } else { String::new() };
        if list.is_empty() {
            return with_ids;
        }
        let html: Cow<'_, [u8]> = with_ids.map_or(page.body().into(), Cow::Owned);
        let at = memchr::memmem::rfind(&html, b"<div class=\"footer\">").unwrap_or(html.len());
        Some([&html[..at], list.as_bytes(), &html[at..]].concat())
    }

    /// Whether a page is the home page of its host.
    pub(super) fn is_home(&self, page: u64) -> bool {
        self.web.host_start(self.web.host_of(page)) == page
    }

    fn answer_extra(&self, host: u64, slot: Slot, out: &mut Answer) {
        let status = REDIRECTS[slot.0 as usize % 5];
        match slot.deed() {
            Some(Deed::Page(links)) => {
                let header = match slot {
                    Slot::HEADER_NOFOLLOW => "X-Robots-Tag: nofollow\r\n",
                    Slot::HEADER_NOINDEX => "X-Robots-Tag: noarchive, noindex\r\n",
                    Slot::OTHER_NOFOLLOW => "X-Robots-Tag: otherbot: nofollow\r\n",
                    _ => "",
                };
                let html = self.extra_html(host, slot, links);
                out.plain(200, header, "text/html; charset=utf-8", html.as_bytes());
            }
            // Relative: a client resolves it.
            Some(Deed::Redirect(to)) => out.redirect(status, &to.path()),
            Some(Deed::Moved) => {
                let to = self.moved_to(host);
                out.redirect(status, &self.web.url(self.web.host_start(to)));
            }
            Some(Deed::Gone(status)) => out.error(status, ""),
            None => out.error(404, ""),
        }
    }

    fn answer_robots(&self, host: u64, hop: u32, attempt: u32, out: &mut Answer) {
        match self.robots_kind(host) {
            RobotsKind::Missing => return out.error(404, ""),
            RobotsKind::Forbidden => return out.error(403, ""),
            RobotsKind::Failing => return out.error(500, ""),
            RobotsKind::Passing if attempt == 0 => return out.error(503, ""),
            RobotsKind::Hops if hop < self.robots_hops(host) => {
                return out.redirect(REDIRECTS[hop as usize % 5], &format!("/robots/{}.txt", hop + 1));
            }
            RobotsKind::Looping => {
                return out.redirect(302, &format!("/robots/{}.txt", hop % 2 + 1));
            }
            RobotsKind::Html => {
                return out.plain(200, "", "text/html", &self.robots_text(host));
            }
            _ => {}
        }
        out.plain(200, "", "text/plain", &self.robots_text(host));
    }
}

pub(super) fn gzip(body: &[u8]) -> Vec<u8> {
    let mut packer =
        flate2::write::GzEncoder::new(Vec::with_capacity(body.len()), flate2::Compression::new(1));
    let _ = std::io::Write::write_all(&mut packer, body);
    packer.finish().unwrap_or_default()
}
