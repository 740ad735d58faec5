//! The references of one document, and its text.

use super::refresh::refresh_url;
use std::borrow::Cow;
use webmill_capture::cut::Cut;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

use super::script::{Place, is_script};
use super::{LinkKind, LinkLimits, Skipped};
use crate::dom::{Dom, Edge, NodeId};
use crate::srcset::largest;
use crate::tag::Tag;
use crate::text_buffer::{TextBuffer, collapse, is_block, is_no_text};

/// A reference as it stands on the page. There may be as many as elements, so it is small.
pub(super) struct Reference<'d> {
    pub href: &'d str,
    /// The element, for its `rel`.
    pub node: NodeId,
    /// Place of the anchor in the page's text; the same twice where there is none.
    pub start: u32,
    pub end: u32,
    /// Words for an anchor without text: their place among the labels, counted from 1; 0 where there are none.
    label: u32,
    /// The last heading that ended before it, counted from 1; 0 where there is none.
    heading: u32,
    pub kind: LinkKind,
    /// Whether it stands among the page's text.
    pub in_text: bool,
}

/// What one document holds.
pub(super) struct Collected<'d> {
    pub page: TextBuffer,
    pub found: Vec<Reference<'d>>,
    labels: Vec<String>,
    /// Places of headings in the page's text.
    headings: Vec<(u32, u32)>,
    pub base: Option<&'d str>,
    pub images: u32,
    /// Sources of the documents inside it.
    pub nested: Vec<&'d str>,
    /// Its scripts, where they are wanted, and what most of their literals are.
    pub scripts: Vec<(Cow<'d, str>, Place)>,
}

impl Collected<'_> {
    /// Words for an anchor without text.
    pub fn alt(&self, reference: &Reference<'_>) -> &str {
        let at = (reference.label as usize).checked_sub(1);
        at.and_then(|at| self.labels.get(at)).map_or("", String::as_str)
    }

    /// The heading above it; empty for links outside of the page's text.
    pub fn heading(&self, reference: &Reference<'_>) -> &str {
        let at = (reference.heading as usize).checked_sub(1).filter(|_| reference.in_text);
        let place = at.and_then(|at| self.headings.get(at));
        place
            .and_then(|(start, end)| self.page.text().get(*start as usize..*end as usize))
            .map_or("", |text| text.trim_matches(' '))
    }
}

/// Walks over a document.
pub(super) fn collect<'d>(dom: &'d Dom<'_>, limits: &LinkLimits, skipped: &mut Skipped) -> Collected<'d> {
    let collected = Collected {
        page: TextBuffer::default(),
        found: Vec::new(),
        labels: Vec::new(),
        headings: Vec::new(),
        base: None,
        images: 0,
        nested: Vec::new(),
        scripts: Vec::new(),
    };
    let words = limits.max_anchor_bytes > 0 || limits.context_bytes > 0;
    let (open, heading) = (Vec::new(), None);
    let mut walk =
        Collector { dom, limits, skipped, words, open, heading, post: None, template: None, collected };
    walk.run();
    walk.collected
}

/// The counter of references that need no resolving to be passed over.
fn unfollowable<'s>(href: &str, skipped: &'s mut Skipped) -> Option<&'s mut u32> {
    let href = href.trim_matches(|c: char| c <= ' ');
    let scheme = |name: &str| href.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    match href.as_bytes().first().map(u8::to_ascii_lowercase) {
        None | Some(b'#') => Some(&mut skipped.fragment),
        Some(b'j') if scheme("javascript:") => Some(&mut skipped.script),
        Some(b'm') if scheme("mailto:") => Some(&mut skipped.mail),
        Some(b'd') if scheme("data:") => Some(&mut skipped.data),
        _ => None,
    }
}

/// The script of a `javascript:` URL, its percent escapes decoded; where they are not UTF-8, those of ASCII.
fn script_of(href: &str) -> Option<Cow<'_, str>> {
    const NAME: &str = "javascript:";
    let href = href.trim_start_matches(|c: char| c <= ' ');
    let source = href
        .get(..NAME.len())
        .filter(|name| name.eq_ignore_ascii_case(NAME))
        .map(|_| href.cut(NAME.len()..))?;
    const OTHERS: &AsciiSet = &CONTROLS.remove(b'\t').remove(b'\n').remove(b'\r');
    let decoded: Cow<[u8]> = percent_decode_str(source).into();
    Some(match std::str::from_utf8(&decoded) {
        Ok(text) if text == source => Cow::Borrowed(source),
        Ok(text) => Cow::Owned(text.to_owned()),
        Err(_) => Cow::Owned(percent_encode(&decoded, OTHERS).to_string()),
    })
}

struct Collector<'d, 'a, 'l> {
    dom: &'d Dom<'a>,
    limits: &'l LinkLimits,
    skipped: &'l mut Skipped,
    /// Whether anybody asks for words.
    words: bool,
    /// Anchors being read: their nodes, and their places among what was found, if they are.
    open: Vec<(NodeId, Option<usize>)>,
    /// A heading being read, and where it began; one inside another is part of it.
    heading: Option<(NodeId, u32)>,
    /// A form being read, and whether it is sent otherwise than by GET.
    post: Option<(NodeId, bool)>,
    /// The outermost template being read: its words are not on the page.
    template: Option<NodeId>,
    collected: Collected<'d>,
}

impl<'d> Collector<'d, '_, '_> {
    fn run(&mut self) {
        let dom = self.dom;
        let mut walk = dom.walk(dom.document());
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(n) => {
                    let tag = dom.tag(n);
                    if tag == Tag::Text {
                        if self.words && self.template.is_none() {
                            self.collected.page.push(dom.text(n));
                        }
                        continue;
                    }
                    if is_block(tag) {
                        self.collected.page.gap();
                    }
                    self.enter(n, tag);
                    let walked = tag == Tag::Template && (self.limits.hidden || dom.is_shadow_root(n));
                    if is_no_text(tag) && !walked {
                        walk.skip_children();
                    }
                }
                Edge::Leave(n) => self.leave(n),
            }
        }
    }

    fn leave(&mut self, n: NodeId) {
        if is_block(self.dom.tag(n)) {
            self.collected.page.gap();
        }
        if let Some(&(open, index)) = self.open.last()
            && open == n
        {
            self.open.pop();
            let end = self.here();
            if let Some(reference) = index.and_then(|index| self.collected.found.get_mut(index)) {
                reference.end = end;
            }
        }
        if let Some((_, start)) = self.heading.filter(|(heading, _)| *heading == n) {
            self.heading = None;
            // One without words, of a picture say, leaves the one before it in place.
            let end = self.here();
            let text = self.collected.page.text().get(start as usize..end as usize);
            if text.is_some_and(|text| !text.trim_matches(' ').is_empty()) {
                self.collected.headings.push((start, end));
            }
        }
        if self.template == Some(n) {
            self.template = None;
        }
        if self.post.is_some_and(|(form, _)| form == n) {
            self.post = None;
        }
    }

    fn here(&self) -> u32 {
        u32::try_from(self.collected.page.len()).unwrap_or(u32::MAX)
    }

    fn enter(&mut self, n: NodeId, tag: Tag) {
        let dom = self.dom;
        if self.limits.scripts {
            self.scripts(n, tag);
        }
        match tag {
            Tag::A => self.anchor(n, "href"),
            Tag::Unknown if dom.name(n) == "a" => {
                // An anchor in a drawing.
                self.anchor(n, if dom.attr(n, "href").is_some() { "href" } else { "xlink:href" });
            }
            Tag::Area => self.labelled(n, LinkKind::Area, "href", "alt"),
            Tag::Frame => self.labelled(n, LinkKind::Frame, "src", "title"),
            Tag::Iframe => {
                self.labelled(n, LinkKind::Iframe, "src", "title");
                if self.limits.hidden {
                    self.collected.nested.extend(dom.attr(n, "srcdoc").filter(|source| !source.is_empty()));
                }
            }
            Tag::Img => self.image(n),
            Tag::Form => {
                // Invalid methods are GET, as is none; a form without action comes back to its page.
                let post = dom.attr(n, "method").is_some_and(is_post);
                self.post = Some((n, post));
                if post {
                    self.skipped.post += 1;
                } else {
                    self.labelled(n, LinkKind::Form, "action", "title");
                }
            }
            Tag::Base if self.collected.base.is_none() => self.collected.base = dom.attr(n, "href"),
            Tag::Link => self.link_element(n),
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 | Tag::Dt
                if self.words && self.heading.is_none() && self.template.is_none() =>
            {
                self.heading = Some((n, self.here()));
            }
            Tag::Meta => self.refresh(n),
            _ if self.limits.hidden => self.hidden(n, tag),
            _ => {}
        }
    }

    /// The scripts of an element: its handlers and its content.
    fn scripts(&mut self, n: NodeId, tag: Tag) {
        let dom = self.dom;
        let scripts = &mut self.collected.scripts;
        for (name, source) in dom.attrs(n) {
            if name.starts_with("on") {
                scripts.push((Cow::Borrowed(source), Place::Handler));
            }
        }
        if tag == Tag::Script
            && is_script(dom.attr(n, "type"), dom.attr(n, "language"))
            && dom.attr(n, "src").is_none()
        {
            let texts = dom.children(n).filter(|child| dom.is_text(*child));
            scripts.extend(texts.map(|child| (Cow::Borrowed(dom.text(child)), Place::Script)));
        }
    }

    /// What most readers never see.
    fn hidden(&mut self, n: NodeId, tag: Tag) {
        let dom = self.dom;
        match tag {
            Tag::Object => self.labelled(n, LinkKind::Object, "data", "title"),
            Tag::Embed => self.labelled(n, LinkKind::Embed, "src", "title"),
            Tag::Button | Tag::Input if dom.attr(n, "formaction").is_some() => {
                let of_form = self.post.is_some_and(|(_, post)| post);
                if dom.attr(n, "formmethod").map_or(of_form, is_post) {
                    self.skipped.post += 1;
                } else {
                    self.labelled(n, LinkKind::Form, "formaction", "title");
                }
            }
            Tag::Template if self.template.is_none() && !dom.is_shadow_root(n) => self.template = Some(n),
            Tag::Noframes => {
                let texts = dom.children(n).filter(|child| dom.is_text(*child));
                self.collected.nested.extend(texts.map(|child| dom.text(child)));
            }
            _ => {}
        }
    }

    fn refresh(&mut self, n: NodeId) {
        let dom = self.dom;
        // Inside noscript it says where readers without scripts go, not where the page leads.
        let scriptless = || dom.parent(n).is_some_and(|p| dom.tag(p) == Tag::Noscript);
        if dom.attr(n, "http-equiv").is_some_and(|of| of.trim().eq_ignore_ascii_case("refresh"))
            && !scriptless()
            && let Some(href) = dom.attr(n, "content").and_then(refresh_url)
        {
            self.note(n, href, LinkKind::MetaRefresh, false);
        }
    }

    /// Its place among what was found; `None` where it is nothing to follow.
    fn note(&mut self, n: NodeId, href: &'d str, kind: LinkKind, in_text: bool) -> Option<usize> {
        if let Some(reason) = unfollowable(href, self.skipped) {
            *reason = reason.saturating_add(1);
            if let Some(source) = script_of(href).filter(|_| self.limits.scripts) {
                self.collected.scripts.push((source, Place::Handler));
            }
            return None;
        }
        let at = self.here();
        let in_text = in_text && self.template.is_none();
        let heading = u32::try_from(self.collected.headings.len()).unwrap_or(u32::MAX);
        self.collected.found.push(Reference {
            href,
            node: n,
            start: at,
            end: at,
            label: 0,
            heading,
            kind,
            in_text,
        });
        Some(self.collected.found.len() - 1)
    }

    fn anchor(&mut self, n: NodeId, name: &str) {
        if let Some(href) = self.dom.attr(n, name) {
            let place = self.note(n, href, LinkKind::A, true);
            self.open.push((n, place));
        }
    }

    /// A link whose words are an attribute.
    fn labelled(&mut self, n: NodeId, kind: LinkKind, name: &str, label: &str) {
        if let Some(href) = self.dom.attr(n, name)
            && let Some(place) = self.note(n, href, kind, true)
            && let Some(label) = self.dom.attr(n, label)
        {
            self.say(place, label);
        }
    }

    /// Adds words to a reference.
    fn say(&mut self, place: usize, words: &str) {
        let Some(reference) = self.collected.found.get_mut(place) else { return };
        if words.is_empty() || self.limits.max_anchor_bytes == 0 {
            return;
        }
        let labels = &mut self.collected.labels;
        if reference.label == 0 {
            labels.push(String::new());
            reference.label = u32::try_from(labels.len()).unwrap_or(0);
        }
        if let Some(said) = (reference.label as usize).checked_sub(1).and_then(|at| labels.get_mut(at)) {
            collapse(words, self.limits.max_anchor_bytes, said);
        }
    }

    fn image(&mut self, n: NodeId) {
        if let (Some(&(_, Some(place))), Some(alt)) = (self.open.last(), self.dom.attr(n, "alt")) {
            self.say(place, alt);
        }
        if self.dom.attr(n, "src").is_some_and(|src| !src.is_empty()) {
            self.collected.images += 1;
            if self.limits.images {
                self.labelled(n, LinkKind::Img, "src", "alt");
            }
        }
        if self.limits.images {
            self.largest_image(n);
        }
    }

    /// The largest picture of `srcset`, where it is another one than `src`.
    fn largest_image(&mut self, n: NodeId) {
        let src = self.dom.attr(n, "src").map(str::trim);
        let best = self.dom.attr(n, "srcset").and_then(largest).filter(|best| src != Some(best));
        if let Some(place) = best.and_then(|best| self.note(n, best, LinkKind::Img, true))
            && let Some(alt) = self.dom.attr(n, "alt")
        {
            self.say(place, alt);
        }
    }

    fn link_element(&mut self, n: NodeId) {
        let Some(href) = self.dom.attr(n, "href") else { return };
        let rel = self.dom.attr(n, "rel").unwrap_or_default();
        match LinkKind::of_rel(rel, self.dom.attr(n, "hreflang").is_some()) {
            Some(kind) => {
                self.note(n, href, kind, false);
            }
            None => self.skipped.resource += 1,
        }
    }
}

/// Whether a form of this method is sent otherwise than by GET.
fn is_post(method: &str) -> bool {
    let method = method.trim();
    method.eq_ignore_ascii_case("post") || method.eq_ignore_ascii_case("dialog")
}
