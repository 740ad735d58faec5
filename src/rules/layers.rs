//! Layers on a page: what they find, and where that leads. One and the same for pages of shards and for pages of a crawl.

use std::borrow::Cow;
use std::cell::OnceCell;

use encoding_rs::Encoding;
use webmill_capture::CanonicalUrl;
use webmill_html::{Dom, Limits, decode, parse};

use crate::apply::{ApplyLimits, PageResults, RulePage, TagResult, lines};
use crate::entered::RuleNumber;
use crate::rule::{LayerNumber, Rule, TagNumber};

/// Bytes of a page's body that rules read, its codings undone.
pub const PAGE_BYTES: usize = 16 << 20;

/// Bounds of the tree of a page of markup.
pub fn tree_limits() -> Limits {
    Limits { max_nodes: 1_000_000, ..Limits::default() }
}

/// A page of markup as it was read.
#[derive(Clone, Copy)]
pub struct Markup<'a> {
    /// Its characters.
    pub text: &'a str,
    /// Their encoding.
    pub encoding: &'static Encoding,
    /// Makes their tree, or gives the one that there is: called at most once, and only where a layer's tags are applied.
    pub tree: &'a dyn Fn() -> Option<&'a Dom<'a>>,
}

/// The answer that brought a page.
#[derive(Clone, Copy)]
pub struct Answer<'a> {
    /// Address of the page.
    pub url: &'a CanonicalUrl,
    /// Its body, the codings undone, of at most [`PAGE_BYTES`].
    pub body: &'a [u8],
    /// The encoding that its head names.
    pub charset: Option<&'a [u8]>,
    /// What it was read as; `None` for anything that is no page of markup.
    pub markup: Option<Markup<'a>>,
}

impl Answer<'_> {
    /// What each of these layers finds, in their order; `None`: the page is not of the layer. A rule with an encoding of its own
    /// reads the body in it.
    ///
    /// # Panics
    /// With a number that no rule or layer has.
    pub fn find(
        &self,
        rules: &[Rule],
        layers: &[(RuleNumber, LayerNumber)],
        limits: &ApplyLimits,
    ) -> Vec<Option<PageResults>> {
        let mut results = vec![None; layers.len()];
        let (own, usual): (Vec<usize>, Vec<usize>) =
            (0..layers.len()).partition(|at| rules[layers[*at].0].encoding.is_some());
        // Most pages are of no layer of a rule: no tree is made of them.
        let mut apply = |wanted: &[usize], markup: &Markup<'_>| {
            let source = lines(markup.text);
            let is_of = |at: &usize| {
                let when = &rules[layers[*at].0].layers[layers[*at].1].when;
                when.as_ref().is_none_or(|when| when.is_match(&source))
            };
            let of: Vec<usize> = wanted.iter().copied().filter(is_of).collect();
            let Some(dom) = (!of.is_empty()).then(|| (markup.tree)()).flatten() else { return };
            let page = RulePage::of_lines(self.url, source, dom, markup.encoding);
            for at in of {
                results[at] = Some(page.apply(&rules[layers[at].0], layers[at].1, limits));
            }
        };
        let mut decoded = |wanted: &[usize], text: &str, encoding| {
            let dom = OnceCell::new();
            let tree = || Some(dom.get_or_init(|| parse(text, &Limits::default())));
            apply(wanted, &Markup { text, encoding, tree: &tree });
        };
        for at in own {
            let Some(encoding) = rules[layers[at].0].encoding else { continue };
            let (text, _): (Cow<'_, str>, _) = encoding.decode_with_bom_removal(self.body);
            decoded(&[at], &text, encoding);
        }
        match &self.markup {
            _ if usual.is_empty() => {}
            Some(markup) => apply(&usual, markup),
            None => {
                let read = decode(self.body, self.charset, None);
                decoded(&usual, &read.text, read.used);
            }
        }
        results
    }
}

/// Where a result leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadsTo<'f> {
    /// The layer that the page behind it is read by.
    pub layer: LayerNumber,
    /// Whether that page goes on what this one began (a paging tag), instead of being entered (a link tag).
    pub continues: bool,
    /// Address of the page, as the tag gives it.
    pub address: &'f str,
}

impl Rule {
    /// Visits where the results of a layer lead, outer results before inner ones.
    pub fn each_lead(
        &self,
        layer: LayerNumber,
        results: &[(TagNumber, Vec<TagResult>)],
        visit: &mut dyn FnMut(LeadsTo<'_>),
    ) {
        let paging = self.layers[layer].paging;
        each_found(results, &mut |tag, found| {
            if let Some(layer) = self.tags[tag].opens {
                visit(LeadsTo { layer, continues: false, address: &found.text });
            }
            if paging == Some(tag) {
                visit(LeadsTo { layer, continues: true, address: &found.text });
            }
        });
    }
}

/// Visits all results of a page, outer before inner; as deep as tags are inside of one another.
pub fn each_found<'f>(
    results: &'f [(TagNumber, Vec<TagResult>)],
    visit: &mut dyn FnMut(TagNumber, &'f TagResult),
) {
    for (tag, found) in results {
        for found in found {
            visit(*tag, found);
            each_found(&found.results, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = r#"
[rule]
id = "shop"
name = "A shop"

[[layer]]
id = "list"
paging = "next"
entries = ["http://shop.example/"]

[[layer]]
id = "item"
from = "link"
when = "item"

[[tag]]
id = "row"
layer = "list"
css = "li"

[[tag]]
id = "link"
layer = "list"
parent = "row"
css = "a"
link = true

[[tag]]
id = "next"
layer = "list"
css = "a.next"
link = true

[[tag]]
id = "name"
layer = "item"
css = "h1"

[[group]]
name = "items"
columns = [{ name = "name", tag = "name" }]
"#;

    #[test]
    fn links_open_layers_and_paging_goes_on() {
        let rules = [Rule::parse(RULE).unwrap()];
        let url = CanonicalUrl::parse("http://shop.example/").unwrap();
        let text = "<ul><li><a href=/1>x</a><li><a href=/2>y</a></ul><a class=next href='?p=2'>";
        let dom = parse(text, &tree_limits());
        let tree = || Some(&dom);
        let markup = Markup { text, encoding: encoding_rs::UTF_8, tree: &tree };
        let answer = Answer { url: &url, body: text.as_bytes(), charset: None, markup: Some(markup) };
        for answer in [answer, Answer { markup: None, ..answer }] {
            let found = answer.find(&rules, &[(0, 0), (0, 1)], &ApplyLimits::default());
            assert_eq!(found[1], None, "nothing in it says item");
            let mut leads = Vec::new();
            rules[0].each_lead(0, &found[0].as_ref().unwrap().results, &mut |to| {
                leads.push((to.layer, to.continues, to.address.to_owned()));
            });
            let address = |path: &str| format!("http://shop.example/{path}");
            assert_eq!(
                leads,
                [(1, false, address("1")), (1, false, address("2")), (0, true, address("?p=2"))]
            );
        }
    }
}
