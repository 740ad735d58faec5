//! CSS selectors, matched by the engine of browsers (the crate `selectors`).
//!
//! The elements of the scope are walked in document order and each is held against the list. Selectors of one
//! compound of names, ids and classes are matched here, all others by the engine. Classes and ids keep their case
//! whatever the doctype: a rule means the same on all pages of a site.
//!
//! Linear in the scope for most selectors; `:has()` and `:contains()` may cost more, within the counted work.

use cssparser::{ParseError, ParseErrorKind, Parser as Tokens, Token};
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::matches_selector;
use selectors::parser::{Combinator, Component, ParseRelative, SelectorParseErrorKind};
use selectors::{Element, SelectorList};
use webmill_html::{Dom, NodeId, Tag, serialize};

use super::css_element::El;
use super::css_names::{Name, Output, Page, Reader, reason};
use super::work::Work;
use super::{SelectError, Sink};

/// Characters of a selector.
const MAX_SOURCE: usize = 10_000;
/// Brackets within brackets, as `:not(:is(:not(`: the parser recurses on them.
const MAX_NESTING: usize = 24;

/// A compiled list of CSS selectors.
#[derive(Debug, Clone)]
pub(super) struct Css {
    entries: Vec<Entry>,
    /// The names of elements that can match at all, where each selector asks for a known one.
    names: Option<Tags>,
    texts: bool,
    at_scope: bool,
    /// The same through `tbody`, where it asks for rows without it.
    through_bodies: Option<Box<Css>>,
}

/// A set of names of elements.
#[derive(Debug, Clone, Copy, Default)]
struct Tags([u64; 4]);

impl Tags {
    /// The names that the selectors ask for; `None`: one of them takes elements of any name, or of one without a number.
    fn of(entries: &[Entry]) -> Option<Tags> {
        let mut tags = Tags::default();
        for entry in entries {
            let name = entry.least.name.as_ref().filter(|name| name.tag != Tag::Unknown)?;
            tags.0[name.tag as usize / 64] |= 1 << (name.tag as usize % 64);
        }
        Some(tags)
    }

    /// Whether an element of this name may match: one whose name has no number may have any.
    fn may_have(self, tag: Tag) -> bool {
        tag == Tag::Unknown || self.0[tag as usize / 64] >> (tag as usize % 64) & 1 == 1
    }
}

/// One selector of a list.
#[derive(Debug, Clone)]
struct Entry {
    selector: selectors::parser::Selector<Page>,
    /// Where the compound of the element begins in the selector, read from the right: behind the pseudo-element.
    offset: usize,
    /// Of `X *::text` and `X ::attr(a)`, where X begins: they take it of X too, as Scrapy's users expect.
    ancestor: Option<usize>,
    simple: Option<Simple>,
    /// Name, id and classes that the element itself must have, of selectors that the engine matches.
    least: Simple,
    /// Whether the scope itself may match: it is named (`:scope`), or nothing is (`::text`).
    at_scope: bool,
    output: Output,
}

/// A compound of at most a name, an id and classes.
#[derive(Debug, Clone, Default)]
struct Simple {
    name: Option<Name>,
    id: Option<Box<str>>,
    classes: Vec<Box<str>>,
}

impl Css {
    /// Reads a list of selectors.
    pub(super) fn new(source: &str) -> Result<Css, SelectError> {
        let mut css = Css::read(source)?;
        css.through_bodies = through_bodies(source).and_then(|source| Css::read(&source).ok()).map(Box::new);
        Ok(css)
    }

    fn read(source: &str) -> Result<Css, SelectError> {
        check(source)?;
        let mut tokens = Tokens::new(source);
        let lists = tokens.parse_comma_separated(one).map_err(|error| {
            let reason = match &error.kind {
                ParseErrorKind::Custom(kind) => reason(kind).to_owned(),
                ParseErrorKind::Basic(kind) => kind.to_string().to_lowercase(),
            };
            SelectError::new(reason, Some(tokens.position().byte_index()), source)
        })?;
        let entries: Vec<Entry> = lists.iter().flat_map(SelectorList::slice).map(Entry::new).collect();
        let texts = entries.iter().any(|entry| entry.output == Output::Text);
        let at_scope = entries.iter().any(|entry| entry.at_scope);
        let names = Tags::of(&entries);
        Ok(Css { entries, names, texts, at_scope, through_bodies: None })
    }

    /// Adds what matches within the scope; stops where the sink is full or the work is done. Selectors that find nothing and name
    /// rows without the `tbody` that trees have are tried with it.
    pub(super) fn select(&self, dom: &Dom<'_>, scope: NodeId, sink: &mut Sink) {
        self.select_as_written(dom, scope, sink);
        if let Some(through) = self.through_bodies.as_ref().filter(|_| sink.found.is_empty() && !sink.full())
        {
            through.select_as_written(dom, scope, sink);
        }
    }

    fn select_as_written(&self, dom: &Dom<'_>, scope: NodeId, sink: &mut Sink) {
        let work = Work::new();
        let mut caches = SelectorCaches::default();
        let mut matcher = Matcher {
            css: self,
            at: El { dom, node: scope, work: &work },
            scope,
            context: MatchingContext::new(
                MatchingMode::Normal,
                None,
                &mut caches,
                QuirksMode::NoQuirks,
                NeedsSelectorFlags::No,
                MatchingForInvalidation::No,
            ),
            owner: None,
        };
        if dom.is_element(scope) {
            matcher.context.scope_element = Some(matcher.at.opaque());
            if self.at_scope {
                matcher.element(scope, sink);
            }
        }
        for node in dom.descendants(scope) {
            if sink.full() {
                break;
            }
            if work.spent() {
                sink.cut();
                break;
            }
            if dom.is_element(node) {
                if self.names.is_none_or(|names| names.may_have(dom.tag(node))) {
                    matcher.element(node, sink);
                }
            } else if self.texts && dom.is_text(node) {
                matcher.text(node, sink);
            }
        }
    }
}

/// A source with `> tbody > tr` for `> tr`; `None`: it has none.
fn through_bodies(source: &str) -> Option<String> {
    let mut through = String::with_capacity(source.len() + 16);
    let mut rest = source;
    while let Some((before, after)) = rest.split_once('>') {
        let step = after.trim_start();
        let name = step.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').unwrap_or(step.len());
        let is_row = step.get(..name).is_some_and(|name| name.eq_ignore_ascii_case("tr"));
        through.push_str(before);
        through.push_str(if is_row { "> tbody >" } else { ">" });
        rest = after;
    }
    through.push_str(rest);
    (through.len() > source.len()).then_some(through)
}

/// Reads one selector of a list.
fn one(tokens: &mut Tokens<'_>) -> Result<SelectorList<Page>, ParseError<SelectorParseErrorKind>> {
    let before = tokens.state();
    let combinator = matches!(tokens.next(), Ok(Token::Delim('>' | '+' | '~')));
    tokens.reset(&before);
    // Told that selectors may begin with a combinator, the parser puts the scope before all of them.
    let relative = if combinator { ParseRelative::ForNesting } else { ParseRelative::No };
    SelectorList::parse(&Reader, tokens, relative)
}

/// Refuses what would be slow or deep to read.
fn check(source: &str) -> Result<(), SelectError> {
    if source.len() > MAX_SOURCE {
        return Err(SelectError::new("longer than 10,000 bytes", None, source));
    }
    let mut depth = 0usize;
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(SelectError::new("brackets nested too deep", Some(at), source));
        }
    }
    Ok(())
}

impl Entry {
    fn new(selector: &selectors::parser::Selector<Page>) -> Entry {
        let parts = selector.iter_raw_match_order().as_slice();
        let output = selector.pseudo_element().cloned().unwrap_or(Output::Element);
        let offset = if output == Output::Element { 0 } else { 2.min(parts.len()) };
        let compound = parts[offset..]
            .iter()
            .position(|part| matches!(part, Component::Combinator(_)))
            .map_or(parts.len(), |at| offset + at);
        let bare =
            parts[offset..compound].iter().all(|part| matches!(part, Component::ExplicitUniversalType));
        let below = matches!(parts.get(compound), Some(Component::Combinator(Combinator::Descendant)));
        let of_any = matches!(output, Output::Text | Output::Attr(_));
        let named = |part| matches!(part, &Component::Scope | &Component::ParentSelector);
        Entry {
            selector: selector.clone(),
            offset,
            ancestor: (bare && below && of_any).then_some(compound + 1),
            simple: if compound == parts.len() { Simple::new(&parts[offset..]) } else { None },
            least: Simple::least(&parts[offset..compound]),
            at_scope: parts[offset..compound].iter().any(named)
                || (bare && of_any && (compound == parts.len() || below)),
            output,
        }
    }
}

impl Simple {
    /// A compound of nothing else.
    fn new(parts: &[Component<Page>]) -> Option<Simple> {
        let mut simple = Simple::default();
        parts.iter().all(|part| simple.take(part)).then_some(simple)
    }

    /// What of a compound can be asked of an element before the engine is.
    fn least(parts: &[Component<Page>]) -> Simple {
        let mut simple = Simple::default();
        parts.iter().for_each(|part| {
            simple.take(part);
        });
        simple
    }

    /// Adds a part of a compound; `false`: it is of another kind.
    fn take(&mut self, part: &Component<Page>) -> bool {
        match part {
            Component::ExplicitUniversalType => {}
            Component::LocalName(name) if self.name.is_none() && name.name == name.lower_name => {
                self.name = Some(name.name.clone());
            }
            Component::ID(id) if self.id.is_none() => self.id = Some(id.text.clone()),
            Component::Class(class) => self.classes.push(class.text.clone()),
            _ => return false,
        }
        true
    }

    fn matches(&self, el: El<'_>) -> bool {
        self.name.as_ref().is_none_or(|name| el.named(name))
            && self.id.as_ref().is_none_or(|id| el.dom.attr(el.node, "id") == Some(&**id))
            && self.classes.iter().all(|class| el.classed(class))
    }
}

/// A call of [`Css::select`].
struct Matcher<'d, 'c> {
    css: &'d Css,
    at: El<'d>,
    scope: NodeId,
    context: MatchingContext<'c, Page>,
    /// The element whose text was last met, and whether it is wanted.
    owner: Option<(NodeId, bool)>,
}

impl Matcher<'_, '_> {
    fn matches(&mut self, entry: &Entry, node: NodeId) -> bool {
        if node == self.scope && !entry.at_scope {
            return false;
        }
        let el = El { node, ..self.at };
        if !el.work.take(1) {
            return false;
        }
        if let Some(simple) = &entry.simple {
            return simple.matches(el);
        }
        if entry.ancestor.is_none() && !entry.least.matches(el) {
            return false;
        }
        let ancestor = entry.ancestor.unwrap_or(entry.offset);
        matches_selector(&entry.selector, ancestor, None, el, &mut self.context)
            || entry.ancestor.is_some()
                && matches_selector(&entry.selector, entry.offset, None, el, &mut self.context)
    }

    /// Takes of an element anything that is no text.
    fn element(&mut self, node: NodeId, sink: &mut Sink) {
        let dom = self.at.dom;
        let mut taken = false;
        for entry in &self.css.entries {
            let wanted = match &entry.output {
                Output::Text => false,
                Output::Element => !taken,
                Output::Attr(name) => dom.attr(node, name).is_some(),
                Output::Inner | Output::Outer => true,
            };
            if !wanted || !self.matches(entry, node) {
                continue;
            }
            match &entry.output {
                Output::Attr(name) => sink.text(dom.attr(node, name).unwrap_or_default()),
                Output::Inner => sink.text(serialize(dom, node, false)),
                Output::Outer => sink.text(serialize(dom, node, true)),
                Output::Element | Output::Text => {
                    taken = true;
                    sink.node(node);
                }
            }
        }
    }

    /// Takes a text node if what it stands in matches.
    fn text(&mut self, text: NodeId, sink: &mut Sink) {
        let Some(parent) = self.at.dom.parent(text).filter(|&parent| self.at.dom.is_element(parent)) else {
            return;
        };
        let wanted = match self.owner {
            Some((owner, wanted)) if owner == parent => wanted,
            _ => {
                let css = self.css;
                css.entries.iter().any(|entry| entry.output == Output::Text && self.matches(entry, parent))
            }
        };
        self.owner = Some((parent, wanted));
        if wanted {
            sink.text(self.at.dom.text(text));
        }
    }
}
