//! What rules find on a page, in place of its links.

use std::cell::OnceCell;

use super::{Body, PageReader, Reading, Refusal};
use crate::Purpose;
use crate::scope::Standing;
use crate::steering::{Lead, NO_RULE, RuleResults};
use webmill_capture::{CanonicalUrl, Response};
use webmill_html::{decode, parse};
use webmill_rules::{Answer, Markup, PAGE_BYTES, tree_limits};

impl PageReader {
    /// What rules find on a page; nothing where none of them wants it.
    pub(super) fn look(
        &self,
        url: &CanonicalUrl,
        body: &Body<'_>,
        response: &Response<'_>,
        leads: &[Lead],
    ) -> Option<RuleResults> {
        let steering = self.steering.as_ref().filter(|_| !leads.is_empty())?;
        let bytes = &body.bytes[..body.bytes.len().min(PAGE_BYTES)];
        let charset = response.charset_label();
        let answer = Answer { url, body: bytes, charset, markup: None };
        if !self.is_markup(body) {
            return Some(steering.look(&answer, leads));
        }
        let tld = url.host().rsplit('.').next().map(str::as_bytes);
        let decoded = decode(bytes, charset, tld);
        let text: &str = &decoded.text;
        let dom = OnceCell::new();
        let tree = || Some(dom.get_or_init(|| parse(text, &tree_limits())));
        let markup = Some(Markup { text, encoding: decoded.used, tree: &tree });
        Some(steering.look(&Answer { markup, ..answer }, leads))
    }

    /// What rules find on a page that was read before, and nothing else of it.
    pub(crate) fn look_again(&self, url: &CanonicalUrl, at: Standing, raw: &[u8], leads: &[Lead]) -> Reading {
        let read = self.read_by(url, Purpose::Page, at, raw, leads);
        Reading { led: read.led, looked: read.looked, trapped: read.trapped, ..Reading::default() }
    }

    /// Whether a page that a sitemap or a feed lists is followed: always, but where rules steer and none of them enters it.
    ///
    /// # Errors
    /// The reason.
    pub(super) fn asks_for(&self, url: &CanonicalUrl) -> Result<(), Refusal<'static>> {
        match &self.steering {
            Some(steering) if !steering.enters(url) => Err(Refusal::Scope(NO_RULE)),
            _ => Ok(()),
        }
    }
}
