//! From references as they stand on a page to links, one at a time.

use std::collections::VecDeque;

use encoding_rs::Encoding;

use super::collector::{Collected, Reference, collect};
use super::{Link, LinkLimits, MAX_NESTED, Skipped};
use crate::dom::Dom;
use crate::parse::{Limits, parse};
use webmill_capture::CanonicalUrl;

/// Hands each link of the page to `take`, in the order of [`links`](super::links); never more than one is in memory.
/// What references were resolved against, what was passed over, and the number of images come back.
pub fn each_link(
    dom: &Dom,
    url: &CanonicalUrl,
    encoding: &'static Encoding,
    limits: &LinkLimits,
    take: &mut dyn FnMut(Link),
) -> (CanonicalUrl, Skipped, u32) {
    let mut resolver = Resolver {
        encoding,
        limits,
        given: 0,
        target_bytes: 0,
        skipped: Skipped::default(),
        images: 0,
        nested: VecDeque::new(),
        take,
    };
    let base = resolver.document(dom, url, 0);
    while let Some((source, level)) = resolver.nested.pop_front() {
        let inner = parse(&source, &Limits::default());
        resolver.document(&inner, &base, level);
    }
    (base, resolver.skipped, resolver.images)
}

struct Resolver<'t> {
    encoding: &'static Encoding,
    limits: &'t LinkLimits,
    given: usize,
    target_bytes: usize,
    skipped: Skipped,
    images: u32,
    /// Sources of documents inside those that were read, with their level.
    nested: VecDeque<(String, u8)>,
    take: &'t mut dyn FnMut(Link),
}

impl Resolver<'_> {
    /// Hands on the links of one document; what they were resolved against.
    fn document(&mut self, dom: &Dom, url: &CanonicalUrl, level: u8) -> CanonicalUrl {
        let collected = collect(dom, self.limits, &mut self.skipped);
        self.images = self.images.saturating_add(collected.images);
        let base = collected.base.and_then(|href| url.join(href)).filter(CanonicalUrl::is_web);
        let base = base.unwrap_or_else(|| url.clone());
        for reference in &collected.found {
            self.reference(dom, &collected, reference, &base);
        }
        if level < MAX_NESTED {
            self.nested.extend(collected.nested.iter().map(|source| ((*source).to_owned(), level + 1)));
        } else {
            let beyond = u32::try_from(collected.nested.len()).unwrap_or(u32::MAX);
            self.skipped.nested = self.skipped.nested.saturating_add(beyond);
        }
        base
    }

    fn reference(
        &mut self,
        dom: &Dom,
        collected: &Collected<'_>,
        reference: &Reference<'_>,
        base: &CanonicalUrl,
    ) {
        if self.given >= self.limits.max_links || self.target_bytes >= self.limits.max_target_bytes {
            self.skipped.limit += 1;
            return;
        }
        match base.join_encoded(reference.href, self.encoding) {
            Some(target) if target.is_web() => {
                self.target_bytes += target.as_str().len();
                let position = u32::try_from(self.given).unwrap_or(u32::MAX);
                self.given += 1;
                (self.take)(link(dom, collected, reference, target, self.limits, position));
            }
            Some(_) => self.skipped.scheme += 1,
            None => self.skipped.invalid += 1,
        }
    }
}

fn link(
    dom: &Dom,
    collected: &Collected<'_>,
    reference: &Reference<'_>,
    target: CanonicalUrl,
    limits: &LinkLimits,
    position: u32,
) -> Link {
    let page = collected.page.text();
    let (start, end) = (reference.start as usize, reference.end as usize);
    let text = page[start..end].trim_matches(' ');
    let anchor = if text.is_empty() { collected.alt(reference) } else { text };
    let (mut before, mut after) = ("", "");
    if reference.in_text {
        before = &page[page.ceil_char_boundary(start.saturating_sub(limits.context_bytes))..start];
        after = &page[end..page.floor_char_boundary(end + limits.context_bytes)];
    }
    let heading = collected.heading(reference);
    let written = dom.attr(reference.node, "rel");
    let rel = written.map(rel_tokens).filter(|rel| !rel.is_empty());
    let nofollow = written.is_some_and(|rel| {
        rel.split_ascii_whitespace()
            .any(|token| ["nofollow", "ugc", "sponsored"].iter().any(|word| token.eq_ignore_ascii_case(word)))
    });
    Link {
        target,
        anchor: anchor[..anchor.floor_char_boundary(limits.max_anchor_bytes)].trim_end().to_owned(),
        before: before.trim_matches(' ').to_owned(),
        after: after.trim_matches(' ').to_owned(),
        heading: heading[..heading.floor_char_boundary(limits.heading_bytes)].trim_end().to_owned(),
        rel,
        kind: reference.kind,
        position,
        nofollow,
    }
}

fn rel_tokens(rel: &str) -> String {
    let mut out = String::new();
    for token in rel.split_ascii_whitespace() {
        if out.len() + token.len() >= 256 {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(token);
    }
    out.make_ascii_lowercase();
    out
}
