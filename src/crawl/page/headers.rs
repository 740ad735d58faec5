//! What the head of a response says of its links.

use super::{Gather, PageReader};
use webmill_capture::Response;
use webmill_html::links::LinkKind;
use webmill_html::requisites::kind_of_rel;
use webmill_html::{Robots, link_header, refresh_url};

/// The directives of `X-Robots-Tag`.
pub(super) fn robots(response: &Response<'_>) -> Robots {
    let mut robots = Robots::default();
    for (name, value) in response.headers() {
        if name.eq_ignore_ascii_case(b"x-robots-tag") {
            robots.add_header(value);
        }
    }
    robots
}

impl PageReader {
    /// Links and requisites of the headers `Link` and `Refresh`; links only where `follow` says so and nothing forbids it.
    pub(super) fn read_headers(&self, response: &Response<'_>, follow: bool, gather: &mut Gather<'_>) {
        let follow = follow && !gather.reading.nofollow;
        for (name, value) in response.headers() {
            let text = || webmill_capture::url_text(value);
            if follow && name.eq_ignore_ascii_case(b"refresh") {
                let target = refresh_url(&text()).and_then(|href| gather.url.join(href));
                if let Some(target) = target.filter(|url| url.is_web()) {
                    gather.link(target, None);
                }
            } else if name.eq_ignore_ascii_case(b"link") {
                self.read_link_header(&text(), follow, gather);
            }
        }
    }

    fn read_link_header(&self, value: &str, follow: bool, gather: &mut Gather<'_>) {
        for link in link_header(value) {
            // A link of something else is none of this page's.
            if link.get("anchor").is_some_and(|of| !of.is_empty()) {
                continue;
            }
            let rel = link.get("rel").unwrap_or_default();
            let Some(target) = gather.url.join(link.target).filter(|url| url.is_web()) else { continue };
            if kind_of_rel(rel, link.get("as")).is_some() {
                if self.requisites {
                    gather.requisite(target);
                }
                continue;
            }
            let kind = LinkKind::of_rel(rel, link.get("hreflang").is_some());
            if !follow || kind != Some(LinkKind::Link) {
                continue;
            }
            if rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("nofollow")) {
                gather.forbidden_link(&target);
                continue;
            }
            gather.link(target, None);
        }
    }
}
