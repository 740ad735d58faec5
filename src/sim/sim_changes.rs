//! A simulated Web that changes: when each page does is planted, and the time is what the test sets.
//!
//! **What.** With [`SimConfig::changes`](super::SimConfig::changes) a share of the pages changes at equal distances of time, each from a day
//! of its own on. A host's validators (`ETag`, `Last-Modified`) tell of it, or it has none. The time of the Web is [`SimWeb::set_time`],
//! which all clones share, so that a year passes in a moment. Requests with conditions get 304 where what they name is what would be sent.
//!
//! **Definition.** A change replaces a text of its own at the top of the main text. Pages that share a body (mirrors, copies) change
//! together.
//!
//! **Determinism.** A function of configuration, URL and time.

use super::draw::{below, purpose};
use super::layout::Content;
use super::prose::Shape;
use super::sim::SimWeb;
use super::sim_answer::Answer;
use super::vocabulary::to_gbk;
use super::{Kind, RequestHead};
use webmill_capture::date::{format_rfc822, parse_rfc822};

/// A page at a time, as its head and body show it.
pub(super) struct Revision {
    now_ms: i64,
    /// Changes so far.
    version: u64,
    changed_ms: i64,
    has_validators: bool,
}

impl SimWeb {
    /// A page at the time of the Web; `None`: nothing ever changes.
    pub(super) fn revision(&self, host: u64, page: u64) -> Option<Revision> {
        let config = self.config.changes.as_ref()?;
        let body = self.web.content(page).body;
        let now_ms = self.time();
        let (mut version, mut changed_ms) = (0, config.start_ms);
        if self.draw(body, purpose::CHANGES) < config.share && now_ms > config.start_ms {
            let period_ms = u64::from(config.every_days) * 86_400_000;
            let ahead_ms = below(self.web.hash(body, purpose::CHANGES + (1 << 32)), period_ms);
            version = (now_ms.abs_diff(config.start_ms) + ahead_ms) / period_ms;
            changed_ms += (version * period_ms).saturating_sub(ahead_ms) as i64;
        }
        let has_validators = self.draw(host, purpose::CHANGES + (5 << 32)) >= config.without;
        Some(Revision { now_ms, version, changed_ms, has_validators })
    }

    /// The body of a page as it is now.
    pub(super) fn revise(&self, host: u64, page: u64, revision: &Revision, html: &[u8]) -> Vec<u8> {
        let site = self.web.site(host);
        let mut text = String::new();
        if revision.version > 0 {
            let draw = self.web.hash(page ^ revision.version << 40, purpose::CHANGES + (8 << 32));
            let content = Content { body: page, text: draw, edits: 0, kind: Kind::Original, mirror_of: None };
            let shape = Shape { language: site.language, links: 0, closed: true };
            self.web.push_text(&content, shape, |_, _| {}, &mut text, None);
        }
        let mut encoded = Vec::new();
        if site.gbk {
            to_gbk(&text, &mut encoded)
        } else {
            encoded = text.into_bytes()
        }
        let top = memchr::memmem::find(html, b"</h1>\n").map_or(html.len(), |at| at + 6);
        [&html[..top], &encoded, &html[top..]].concat()
    }

    /// Answers 304 where a condition of the request is met by the answer's own validators.
    pub(super) fn condition(asking: &RequestHead<'_>, out: &mut Answer) {
        if out.status != 200 || (asking.if_none_match.is_none() && asking.if_modified_since.is_none()) {
            return;
        }
        let head = String::from_utf8_lossy(&out.message[..out.head_len]).into_owned();
        let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let (etag, modified) = (value("ETag:"), value("Last-Modified:"));
        let met = match (asking.if_none_match, etag) {
            // RFC 9110, 13.2.2: the date counts only where there is no tag.
            (Some(tags), etag) => etag.is_some_and(|etag| tags.split(',').any(|tag| tag.trim() == etag)),
            (None, _) => {
                let date = |text: Option<&str>| text.and_then(parse_rfc822);
                date(modified).zip(date(asking.if_modified_since)).is_some_and(|(is, known)| is <= known)
            }
        };
        if met {
            let kept = |line: &&str| {
                ["Date:", "Server:", "ETag:", "Last-Modified:"].iter().any(|name| line.starts_with(name))
            };
            let lines: String = head.lines().filter(kept).map(|line| format!("{line}\r\n")).collect();
            let delay_ms = out.delay_ms;
            *out = Answer { status: 304, delay_ms, ..Answer::default() };
            out.begin(format!("HTTP/1.1 304 Not Modified\r\n{lines}").as_bytes(), "");
        }
    }
}

impl Revision {
    /// The head of a page up to the fields about the body, with the date of now and the validators.
    pub(super) fn head(&self, head: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(head);
        let mut lines = String::with_capacity(text.len() + 128);
        for line in text.split_inclusive("\r\n") {
            if line.starts_with("Date: ") {
                lines.push_str(&format!("Date: {}\r\n", format_rfc822(self.now_ms)));
            } else {
                lines.push_str(line);
            }
        }
        if self.has_validators {
            let changed = format_rfc822(self.changed_ms);
            lines.push_str(&format!("ETag: \"v{}\"\r\nLast-Modified: {changed}\r\n", self.version));
        }
        lines.into_bytes()
    }
}

#[cfg(test)]
#[path = "sim_changes_tests.rs"]
mod tests;
