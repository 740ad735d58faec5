//! From references as they stand on a page to links, one at a time.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use webmill_capture::cut::Cut;

use encoding_rs::Encoding;

use super::collector::{Collected, Reference, collect};
use super::script::{Literal, Place, each_literal, is_code, is_markup, is_page};
use super::{Link, LinkKind, LinkLimits, MAX_NESTED, Skipped};
use crate::dom::Dom;
use crate::{Limits, parse};
use webmill_capture::{CanonicalUrl, UrlKey};

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
        scripted: HashSet::new(),
        empty: "".into(),
        heading: "".into(),
        take,
    };
    let base = resolver.document(dom, url, (0, false));
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
    /// Sources of documents inside those that were read, with their level and whether a script writes them.
    nested: VecDeque<(String, (u8, bool))>,
    /// Targets that scripts named.
    scripted: HashSet<UrlKey>,
    /// What links without a text share.
    empty: Arc<str>,
    /// The heading of the last link, which most links share with the next one.
    heading: Arc<str>,
    take: &'t mut dyn FnMut(Link),
}

impl Resolver<'_> {
    /// Hands on the links of one document; what they were resolved against.
    fn document(&mut self, dom: &Dom, url: &CanonicalUrl, (level, written): (u8, bool)) -> CanonicalUrl {
        let collected = collect(dom, self.limits, &mut self.skipped);
        self.images = self.images.saturating_add(collected.images);
        let base = collected.base.and_then(|href| url.join(href)).filter(CanonicalUrl::is_web);
        let base = base.unwrap_or_else(|| url.clone());
        for reference in &collected.found {
            if written && !is_written_link(reference) {
                continue;
            }
            if let Some(target) = self.target(reference.href, &base, written) {
                let mut link = self.link(dom, &collected, reference, target);
                if written {
                    link.kind = LinkKind::Script;
                }
                (self.take)(link);
            }
        }
        for (source, place) in &collected.scripts {
            self.script(source, *place, &base, level);
        }
        for source in &collected.nested {
            self.nest((*source).to_owned(), level, written);
        }
        base
    }

    /// Puts a document that stands inside one of `level` off, if it is not too deep.
    fn nest(&mut self, source: String, level: u8, written: bool) {
        if level < MAX_NESTED {
            self.nested.push_back((source, (level + 1, written)));
        } else {
            self.skipped.nested = self.skipped.nested.saturating_add(1);
        }
    }

    /// Hands on the links of a script; the markup that it holds is put off.
    fn script(&mut self, source: &str, plain: Place, base: &CanonicalUrl, level: u8) {
        each_literal(source, plain, &mut |Literal { text, place }| {
            if is_markup(&text) {
                self.nest(text.into_owned(), level, true);
            } else if is_code(&text) && text.len() < source.len() {
                // Each level of quotes is shorter than the one around it by its escapes, and there are few.
                if level < MAX_NESTED {
                    self.script(&text, plain, base, level + 1);
                } else {
                    self.skipped.nested = self.skipped.nested.saturating_add(1);
                }
            } else if is_page(&text, place)
                && let Some(target) = self.target(text.trim(), base, true)
            {
                let link = Link {
                    position: self.position(),
                    ..Link::sharing(target, LinkKind::Script, &self.empty)
                };
                (self.take)(link);
            }
        });
    }

    /// The ordinal of the link that was counted last.
    fn position(&self) -> u32 {
        u32::try_from(self.given.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Where a reference leads, counted as given; `None` for none that is followed, and for one that scripts named before.
    fn target(&mut self, href: &str, base: &CanonicalUrl, scripted: bool) -> Option<CanonicalUrl> {
        if self.given >= self.limits.max_links || self.target_bytes >= self.limits.max_target_bytes {
            self.skipped.limit += 1;
            return None;
        }
        match base.join_encoded(href, self.encoding) {
            Some(target) if target.is_web() => {
                // Also of one that is dropped: it was made.
                self.target_bytes += target.as_str().len();
                if scripted && !self.scripted.insert(target.key()) {
                    return None;
                }
                self.given += 1;
                Some(target)
            }
            Some(_) => {
                self.skipped.scheme += 1;
                None
            }
            None => {
                self.skipped.invalid += 1;
                None
            }
        }
    }

    /// A link with its texts.
    fn link(
        &mut self,
        dom: &Dom,
        collected: &Collected<'_>,
        reference: &Reference<'_>,
        target: CanonicalUrl,
    ) -> Link {
        let (page, limits) = (collected.page.text(), self.limits);
        let (start, end) = (reference.start as usize, reference.end as usize);
        let text = page.cut(start..end).trim_matches(' ');
        let anchor = if text.is_empty() { collected.alt(reference) } else { text };
        let (mut before, mut after) = ("", "");
        if reference.in_text {
            before = page.cut(page.ceil_char_boundary(start.saturating_sub(limits.context_bytes))..start);
            after = page.cut(end..page.floor_char_boundary(end + limits.context_bytes));
        }
        let heading = collected.heading(reference);
        let heading = heading.cut(..heading.floor_char_boundary(limits.heading_bytes)).trim_end();
        if *self.heading != *heading {
            self.heading = heading.into();
        }
        let written = dom.attr(reference.node, "rel");
        let rel = written.map(rel_tokens).filter(|rel| !rel.is_empty());
        let nofollow = written.is_some_and(|rel| {
            rel.split_ascii_whitespace().any(|token| {
                ["nofollow", "ugc", "sponsored"].iter().any(|word| token.eq_ignore_ascii_case(word))
            })
        });
        let shared = |text: &str| if text.is_empty() { Arc::clone(&self.empty) } else { text.into() };
        Link {
            target,
            anchor: shared(anchor.cut(..anchor.floor_char_boundary(limits.max_anchor_bytes)).trim_end()),
            before: shared(before.trim_matches(' ')),
            after: shared(after.trim_matches(' ')),
            heading: Arc::clone(&self.heading),
            rel,
            kind: reference.kind,
            position: self.position(),
            nofollow,
        }
    }
}

/// Whether what a script writes leads somewhere: frames for advertisements, pictures and style sheets do not.
fn is_written_link(reference: &Reference<'_>) -> bool {
    use LinkKind::{A, Area, Form, Frame, MetaRefresh};
    matches!(reference.kind, A | Area | Form | Frame | MetaRefresh) && is_page(reference.href, Place::Target)
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
