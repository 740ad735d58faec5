//! A layer's tags on a page.
//!
//! **Definition.** A tag takes, in this order: what its way of finding gives in the material; `rematch`; `include`; `exclude`;
//! treatments; `merge`; `link`. Then each child tag runs on each result as it stands. The material of a tag without a parent is
//! the page; that of a child of a selector's result is the element, as long as the result is not changed by `rematch`,
//! treatments, `merge` or `link`; else it is the result's text. Codes read the source of a page and the markup of an element;
//! selectors parse a text that they are given.
//!
//! **Cost.** One parse a page whatever the number of rules; each tag one search of its material. [`ApplyLimits`] bound
//! results and bytes of a page; everything over them is left out and reported.

use std::borrow::Cow;
use std::cell::OnceCell;
use webmill_capture::cut::Cut;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use webmill_capture::CanonicalUrl;
use webmill_html::{Dom, Limits, NodeId, Tag as Element, base_of, items, parse, serialize};

use crate::habits::Habits;
use crate::rule::{Find, LayerNumber, Rule, TagNumber};
use crate::select::{SelectorResult, text_of};

/// One result of a tag, and the results of its child tags within it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TagResult {
    /// The text or address.
    pub text: String,
    /// Results of child tags, in the order of tags.
    pub results: Vec<(TagNumber, Vec<TagResult>)>,
}

/// What the tags of a layer found on a page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PageResults {
    /// Results of the tags without a parent, in the order of tags.
    pub results: Vec<(TagNumber, Vec<TagResult>)>,
    /// How the page writes days and numbers.
    pub habits: Habits,
    /// Counts of each tag that ran: number, results, results that were no address, whether a limit cut.
    pub counts: Vec<TagCounts>,
}

/// What a tag did on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TagCounts {
    /// Number of the tag in its rule.
    pub tag: TagNumber,
    /// Results that stay.
    pub results: u64,
    /// Results of a link tag that are no address.
    pub no_address: u64,
    /// Whether a limit left results out.
    pub cut: bool,
}

/// How many results a tag had after each of its steps, over all materials of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagSteps {
    /// Materials that it looked in.
    pub materials: u64,
    /// Matches of the start and the end code, where it has codes.
    pub codes: Option<(u64, u64)>,
    /// What its way of finding gave.
    pub found: u64,
    /// After `rematch`.
    pub rematched: u64,
    /// After `include`.
    pub included: u64,
    /// After `exclude`.
    pub kept: u64,
    /// After `link`.
    pub addresses: u64,
}

/// What a page may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApplyLimits {
    /// Results of one tag in one material.
    pub matches: usize,
    /// Results of all tags of a layer on a page.
    pub results: usize,
    /// Bytes of all results of a layer on a page.
    pub bytes: usize,
}

impl Default for ApplyLimits {
    fn default() -> Self {
        ApplyLimits { matches: 100_000, results: 200_000, bytes: 64 << 20 }
    }
}

/// A page to which rules are applied: its source, its tree and the data read from it once, when first asked for.
pub struct RulePage<'p> {
    url: &'p CanonicalUrl,
    source: Cow<'p, str>,
    dom: &'p Dom<'p>,
    encoding: &'static encoding_rs::Encoding,
    base: OnceCell<CanonicalUrl>,
    data: OnceCell<Vec<(&'static str, Value)>>,
}

impl<'p> RulePage<'p> {
    /// A page of this address, with these characters and the tree that was made of them; its links are in `encoding`.
    pub fn new(
        url: &'p CanonicalUrl,
        text: &'p str,
        dom: &'p Dom<'p>,
        encoding: &'static encoding_rs::Encoding,
    ) -> Self {
        RulePage::of_lines(url, lines(text), dom, encoding)
    }

    /// The same, where [`lines`] were made before.
    pub(crate) fn of_lines(
        url: &'p CanonicalUrl,
        source: Cow<'p, str>,
        dom: &'p Dom<'p>,
        encoding: &'static encoding_rs::Encoding,
    ) -> Self {
        RulePage { url, source, dom, encoding, base: OnceCell::new(), data: OnceCell::new() }
    }

    /// Its address.
    pub fn url(&self) -> &CanonicalUrl {
        self.url
    }

    /// Its characters; ends of lines are LF.
    pub fn source(&self) -> &str {
        &self.source
    }

    fn base(&self) -> &CanonicalUrl {
        self.base.get_or_init(|| base_of(self.dom, Some(self.url)).unwrap_or_else(|| self.url.clone()))
    }

    fn data(&self) -> &[(&'static str, Value)] {
        self.data.get_or_init(|| {
            let items = items(self.dom, Some(self.base()));
            items
                .into_iter()
                .filter_map(|item| Some((item.syntax, serde_json::from_str(&item.data).ok()?)))
                .collect()
        })
    }

    /// Whether a page is of a layer, by what must be found in it.
    pub fn is_of(&self, rule: &Rule, layer: LayerNumber) -> bool {
        rule.layers[layer].when.as_ref().is_none_or(|when| when.is_match(&self.source))
    }

    /// What the tags of a layer find.
    pub fn apply(&self, rule: &Rule, layer: LayerNumber, limits: &ApplyLimits) -> PageResults {
        self.trace(rule, layer, limits).0
    }

    /// The same, with the steps of each tag of the rule.
    pub fn trace(
        &self,
        rule: &Rule,
        layer: LayerNumber,
        limits: &ApplyLimits,
    ) -> (PageResults, Vec<TagSteps>) {
        let counts: Vec<TagCounts> =
            (0..rule.tags.len()).map(|tag| TagCounts { tag, ..TagCounts::default() }).collect();
        let steps = vec![TagSteps::default(); rule.tags.len()];
        let mut run = Run { page: self, rule, limits, counts, steps, results: 0, bytes: 0 };
        let material = Material::Element(self.dom, self.dom.document());
        let roots = &rule.layers[layer].roots;
        let results = run.all(roots, &material);
        let counts = run.counts.into_iter().filter(|count| rule.tags[count.tag].layer == layer).collect();
        (PageResults { results, habits: Habits::of_page(self.dom, self.url), counts }, run.steps)
    }
}

/// Characters of a page whose ends of lines are LF.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// What a tag looks in.
enum Material<'m> {
    /// An element of a tree; the document is the page.
    Element(&'m Dom<'m>, NodeId),
    Text(&'m str),
}

/// A result before its children ran.
struct Piece {
    text: String,
    /// The element that it is, while nothing has changed it.
    element: Option<NodeId>,
}

struct Run<'r, 'p> {
    page: &'r RulePage<'p>,
    rule: &'r Rule,
    limits: &'r ApplyLimits,
    counts: Vec<TagCounts>,
    steps: Vec<TagSteps>,
    results: usize,
    bytes: usize,
}

impl Run<'_, '_> {
    fn all(&mut self, tags: &[TagNumber], material: &Material<'_>) -> Vec<(TagNumber, Vec<TagResult>)> {
        tags.iter().map(|tag| (*tag, self.tag(*tag, material))).collect()
    }

    /// A tag and its children; as deep as a rule's tags are inside of one another.
    fn tag(&mut self, number: TagNumber, material: &Material<'_>) -> Vec<TagResult> {
        let tag = &self.rule.tags[number];
        match (&tag.find, material) {
            (Find::Select(_), Material::Text(text)) => {
                let dom = parse(text, &Limits::default());
                let root = dom.document();
                let within = Material::Element(&dom, root);
                self.finish(number, &within)
            }
            _ => self.finish(number, material),
        }
    }

    fn finish(&mut self, number: TagNumber, material: &Material<'_>) -> Vec<TagResult> {
        let tag = &self.rule.tags[number];
        let (pieces, mut cut) = self.find(number, material);
        self.steps[number].materials += 1;
        self.steps[number].found += pieces.len() as u64;
        let pieces = self.treat(number, pieces);
        let mut found = Vec::with_capacity(pieces.len());
        for piece in pieces {
            self.results += 1;
            self.bytes += piece.text.len() + size_of::<TagResult>();
            if self.results > self.limits.results || self.bytes > self.limits.bytes {
                cut = true;
                break;
            }
            let results = match (tag.children.as_slice(), piece.element, material) {
                ([], ..) => Vec::new(),
                (children, Some(node), Material::Element(dom, _)) => {
                    self.all(children, &Material::Element(dom, node))
                }
                (children, ..) => self.all(children, &Material::Text(&piece.text)),
            };
            found.push(TagResult { text: piece.text, results });
        }
        self.counts[number].results += found.len() as u64;
        self.counts[number].cut |= cut;
        found
    }

    fn find(&mut self, number: TagNumber, material: &Material<'_>) -> (Vec<Piece>, bool) {
        let tag = &self.rule.tags[number];
        let max = self.limits.matches;
        let texts = |(texts, cut): (Vec<String>, bool)| {
            (texts.into_iter().map(|text| Piece { text, element: None }).collect(), cut)
        };
        match (&tag.find, material) {
            (Find::Codes(codes), _) => {
                let markup;
                let text = match material {
                    Material::Text(text) => text,
                    Material::Element(dom, node) if *node == dom.document() => self.page.source(),
                    Material::Element(dom, node) => {
                        markup = serialize(dom, *node, true);
                        markup.as_str()
                    }
                };
                let (ranges, cut) = codes.find(text, max);
                if ranges.is_empty() {
                    let (starts, ends) = codes.matches(text, max);
                    let (a, b) = self.steps[number].codes.unwrap_or_default();
                    self.steps[number].codes = Some((a + starts, b + ends));
                }
                texts((ranges.into_iter().map(|(from, to)| text.cut(from..to).to_owned()).collect(), cut))
            }
            (Find::Select(selector), Material::Element(dom, node)) => {
                let (found, cut) = selector.select(dom, *node, max);
                let pieces = found.into_iter().map(|found| match found {
                    SelectorResult::Text(text) => Piece { text, element: None },
                    SelectorResult::Node(node) => {
                        Piece { text: value(dom, node, tag.link), element: Some(node) }
                    }
                });
                (pieces.collect(), cut)
            }
            (Find::Select(_), Material::Text(_)) => (Vec::new(), false),
            (Find::Data(syntax, path), Material::Element(..)) => {
                let items = self.page.data().iter().filter(|(name, _)| syntax.wants(name));
                texts(path.in_items(items.map(|(_, data)| data), max))
            }
            (Find::Data(_, path), Material::Text(text)) => match serde_json::from_str(text) {
                Ok(object) => texts(path.in_object(&object, max)),
                Err(_) => (Vec::new(), false),
            },
            (Find::Meta(name), Material::Element(dom, node)) => texts(meta(dom, *node, name, max)),
            (Find::Meta(_), Material::Text(_)) => (Vec::new(), false),
        }
    }

    /// What becomes of results before they are kept.
    fn treat(&mut self, number: TagNumber, mut pieces: Vec<Piece>) -> Vec<Piece> {
        let tag = &self.rule.tags[number];
        if let Some(rematch) = &tag.rematch {
            let mut matches = Vec::new();
            for piece in &pieces {
                let left = self.limits.matches.saturating_sub(matches.len());
                let found =
                    rematch.captures_iter(&piece.text).filter_map(|found| found.get(1).or(found.get(0)));
                matches.extend(
                    found.take(left).map(|found| Piece { text: found.as_str().to_owned(), element: None }),
                );
            }
            self.counts[number].cut |= matches.len() >= self.limits.matches;
            pieces = matches;
        }
        let steps = &mut self.steps[number];
        steps.rematched += pieces.len() as u64;
        if let Some(include) = &tag.include {
            pieces.retain(|piece| include.is_match(&piece.text));
        }
        steps.included += pieces.len() as u64;
        if let Some(exclude) = &tag.exclude {
            pieces.retain(|piece| !exclude.is_match(&piece.text));
        }
        steps.kept += pieces.len() as u64;
        for treatment in &tag.treatments {
            let mut bytes = 0;
            for piece in &mut pieces {
                // A pattern may make much of little: all made so far counts.
                if bytes > self.limits.bytes {
                    self.counts[number].cut = true;
                    piece.text.clear();
                    continue;
                }
                piece.text = treatment.apply(&piece.text);
                piece.element = None;
                bytes += piece.text.len();
            }
        }
        if tag.merge && !pieces.is_empty() {
            let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
            pieces = vec![Piece { text: texts.join(&tag.separator), element: None }];
        }
        if tag.link { self.addresses(number, pieces) } else { pieces }
    }

    fn addresses(&mut self, number: TagNumber, pieces: Vec<Piece>) -> Vec<Piece> {
        let mut addresses = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let url = self.page.base().join_encoded(piece.text.trim(), self.page.encoding);
            match url.filter(CanonicalUrl::is_web) {
                Some(url) => addresses.push(Piece { text: url.as_str().to_owned(), element: None }),
                None => self.counts[number].no_address += 1,
            }
        }
        self.steps[number].addresses += addresses.len() as u64;
        addresses
    }
}

/// What an element says: its text; where an address is wanted, the one that it names.
fn value(dom: &Dom<'_>, node: NodeId, link: bool) -> String {
    let named = match dom.tag(node) {
        Element::A | Element::Area | Element::Link | Element::Base => "href",
        Element::Form => "action",
        Element::Object => "data",
        Element::Img
        | Element::Iframe
        | Element::Frame
        | Element::Video
        | Element::Audio
        | Element::Source
        | Element::Embed => "src",
        Element::Script if link => "src",
        Element::Meta => return dom.attr(node, "content").unwrap_or_default().to_owned(),
        _ => return text_of(dom, node),
    };
    match dom.attr(node, named).filter(|_| link) {
        Some(address) => address.to_owned(),
        None => text_of(dom, node),
    }
}

/// Contents of the meta elements of a name.
fn meta(dom: &Dom<'_>, node: NodeId, name: &str, max: usize) -> (Vec<String>, bool) {
    let mut found = Vec::new();
    let is_named = |n: NodeId| {
        ["name", "property", "itemprop", "http-equiv"]
            .iter()
            .filter_map(|attribute| dom.attr(n, attribute))
            .any(|value| value.split_ascii_whitespace().any(|part| part.eq_ignore_ascii_case(name)))
    };
    for n in dom.descendants(node).filter(|n| dom.tag(*n) == Element::Meta) {
        if let Some(content) = dom.attr(n, "content").filter(|_| is_named(n)) {
            if found.len() == max {
                return (found, true);
            }
            found.push(content.trim().to_owned());
        }
    }
    (found, false)
}
