//! Pages that do nothing but lead to another one.
//!
//! **Definition.** A stub has `<meta http-equiv=refresh>` with the address of another page in its head, a delay of at most
//! [`MAX_DELAY`] seconds, and in its body hardly more than the sentence that says so: at most [`MAX_UNITS`] words,
//! [`MAX_BLOCKS`] blocks, [`MAX_LINKS`] links, no form's controls. Linear in the head's children.

use super::page::Page;
use webmill_capture::cut::Cut;
use webmill_html::{Dom, Metadata, Tag, refresh_url};

const MAX_UNITS: f32 = 40.0;
const MAX_BLOCKS: u32 = 6;
const MAX_LINKS: u32 = 3;
const MAX_DELAY: f32 = 30.0;

/// Where a page leads that is a stub: as the page states it, absolute where its base is known.
pub(crate) fn redirects_to(dom: &Dom<'_>, meta: &Metadata, page: &Page) -> Option<String> {
    let head = dom.head()?;
    let refresh = dom.children(head).take(500).find(|&n| {
        dom.tag(n) == Tag::Meta
            && dom.attr(n, "http-equiv").is_some_and(|of| of.trim().eq_ignore_ascii_case("refresh"))
    })?;
    let content = dom.attr(refresh, "content")?;
    let delay = content.trim_start();
    let delay = delay.cut(..delay.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count());
    if delay.parse().is_ok_and(|seconds: f32| seconds > MAX_DELAY) {
        return None;
    }
    let target = refresh_url(content).filter(|target| !target.starts_with('#'))?;
    let empty = page.containers.first().is_none_or(|body| {
        let counts = &body.counts;
        counts.units <= MAX_UNITS
            && counts.blocks <= MAX_BLOCKS
            && counts.links <= MAX_LINKS
            && counts.controls == 0
    });
    let absolute = meta.base.as_ref().and_then(|base| base.join(target));
    let other = absolute.is_none() || absolute != meta.base;
    (empty && other).then(|| absolute.map_or_else(|| target.to_string(), |url| url.as_str().to_string()))
}
