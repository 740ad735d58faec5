//! Links and requisites of a page of markup.

use super::pieces::pieces;
use super::{Body, Gather, PageReader};
use crate::page_text::page_fingerprint;
use webmill_capture::{CanonicalUrl, Response};
use webmill_html::links::{Link, LinkKind, LinkLimits, each_link};
use webmill_html::sniff::is_markup;
use webmill_html::{Dom, RequisiteLimits, Robots, Tag, base_of, decode, each_requisite};

/// Bytes of the texts of links that focused crawls read, as table `links` has them.
const CONTEXT_BYTES: usize = 50;
const ANCHOR_BYTES: usize = 1024;

impl PageReader {
    pub(super) fn is_markup(&self, body: &Body<'_>) -> bool {
        is_markup(body.media_type.as_deref(), body.sniffed)
    }

    /// Reads a page; its links only where `follow` says so and nothing forbids it. `robots` has what the head says.
    pub(super) fn read_markup(
        &self,
        body: &Body<'_>,
        response: &Response<'_>,
        robots: Robots,
        follow: bool,
        gather: &mut Gather<'_>,
    ) {
        let tld = gather.url.host().rsplit('.').next().map(str::as_bytes);
        let text = decode(&body.bytes, response.charset_label(), tld);
        let limits = LinkLimits {
            context_bytes: if gather.is_focused() { CONTEXT_BYTES } else { 0 },
            max_anchor_bytes: if gather.is_focused() { ANCHOR_BYTES } else { 0 },
            max_links: usize::MAX,
            images: self.images && !self.requisites,
            hidden: true,
            scripts: true,
            ..LinkLimits::default()
        };
        let mut robots = Some(robots);
        let mut base = gather.url.clone();
        pieces(&text.text, self.budget.piece_bytes, &mut |dom| {
            if let Some(robots) = robots.take() {
                base = base_of(dom, Some(gather.url)).unwrap_or_else(|| gather.url.clone());
                gather.reading.fingerprint = page_fingerprint(gather.url, dom);
                gather.read_text(dom);
                gather.reading.nofollow = self.forbids_following(dom, robots);
            }
            let cut = dom.cut();
            if cut.nodes || cut.work {
                gather.reading.refused.add("tree-beyond-limit");
            }
            if self.requisites {
                self.requisites_of(dom, &base, gather);
            }
            if follow && !gather.reading.nofollow {
                let mut take = |link| self.take_link(link, gather);
                let (_, skipped, _) = each_link(dom, &base, text.used, &limits, &mut take);
                gather.drop_links(u64::from(skipped.limit));
            }
        });
    }

    fn forbids_following(&self, dom: &Dom<'_>, mut robots: Robots) -> bool {
        for node in dom.descendants(dom.document()).filter(|n| dom.tag(*n) == Tag::Meta) {
            if let (Some(name), Some(content)) = (dom.attr(node, "name"), dom.attr(node, "content")) {
                robots.add_meta(name, content);
            }
        }
        robots.for_agent(&self.agent).nofollow
    }

    fn take_link(&self, link: Link, gather: &mut Gather<'_>) {
        use LinkKind::{Canonical, Embed, Frame, Hreflang, Iframe, Object, Script};
        // The first two name a page by another URL and in another language; they are noted, not followed.
        if matches!(link.kind, Canonical | Hreflang) {
            return;
        }
        // What is shown inside the page was taken as its requisite.
        if self.requisites && matches!(link.kind, Frame | Iframe | Object | Embed) {
            return;
        }
        if link.nofollow {
            gather.forbidden_link(&link.target);
            return;
        }
        if link.kind == Script && !self.script_links && !gather.reading.rendered {
            gather.link_of_script(link.target);
            return;
        }
        gather.link_of_markup(link);
    }

    /// What a tree needs to be shown.
    pub(super) fn requisites_of(&self, dom: &Dom<'_>, base: &CanonicalUrl, gather: &mut Gather<'_>) {
        let dropped =
            each_requisite(dom, base, &RequisiteLimits::default(), &mut |of| gather.requisite(of.url));
        gather.drop_requisites(dropped);
    }
}
