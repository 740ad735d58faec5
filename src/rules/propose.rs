//! A first draft of a rule, from pages of a kind and a few values that stand in them.
//!
//! **Method.** A value is looked for as the text of an element, as an attribute, then in JSON-LD. Where a name has two values or more on one
//! page, the pages are lists: the elements around two such values, right below what they have in common, are the rows, and
//! values within a row become children of the row's tag. Of each element the shortest selector is taken that finds
//! it alone (of rows: those that find no other kind of element), by id, classes without digits, then its ancestors, then
//! its place among its siblings.
//!
//! **Cost.** A search of each page a candidate; a few dozen candidates a value.

use std::collections::BTreeMap;

use serde_json::Value;
use webmill_capture::CanonicalUrl;
use webmill_html::{Dom, NodeId, Tag, items};

use crate::select::{Selected, Selector, text_of};

/// A page that a rule is drafted from.
pub struct Sample<'s> {
    /// Its address.
    pub url: &'s CanonicalUrl,
    /// Its tree.
    pub dom: &'s Dom<'s>,
}

/// Ancestors that a selector may name.
const MAX_STEPS: usize = 6;
/// Attributes that values may stand in.
const ATTRIBUTES: [&str; 8] = ["href", "src", "content", "datetime", "title", "alt", "value", "data-src"];

/// Where a value stands.
#[derive(Debug, Clone)]
struct Hit {
    page: usize,
    node: NodeId,
    attribute: Option<&'static str>,
}

/// How a name is found.
enum Way {
    Css { parent: bool, selector: String, link: bool },
    JsonLd(String),
}

/// Drafts a rule with this id that finds values like the examples (name and value) on pages like the samples: TOML, with a comment for each
/// tag that says how many results it has on each page.
///
/// # Errors
/// Which value stands on none of the pages.
pub fn propose(id: &str, samples: &[Sample<'_>], examples: &[(String, String)]) -> Result<String, String> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut hits: Vec<(&str, Vec<Hit>, Option<String>)> = Vec::new();
    for (name, value) in examples {
        if !crate::is_name(name) {
            return Err(format!(
                "{name:?}: a name is lower case letters, digits and _, beginning with a letter"
            ));
        }
        let found: Vec<Hit> =
            samples.iter().enumerate().filter_map(|(page, sample)| hit(page, sample, value)).collect();
        let data = samples.iter().find_map(|sample| in_data(sample, value));
        if found.is_empty() && data.is_none() {
            return Err(format!("{name}: {value:?} stands on none of the pages"));
        }
        *names.entry(name).or_default() += 1;
        hits.push((name, found, data));
    }
    let row = hits.iter().enumerate().find_map(|(at, (name, found, _))| {
        let others = hits[at + 1..].iter().filter(|(other, ..)| other == name);
        let pairs = others
            .flat_map(|(_, others, _)| found.iter().flat_map(move |a| others.iter().map(move |b| (a, b))));
        pairs
            .into_iter()
            .find_map(|(a, b)| (a.page == b.page && a.node != b.node).then(|| rows(samples, a, b)).flatten())
    });
    let mut draft = Draft { samples, out: head(id, samples), columns: Vec::new() };
    if let Some((.., selector)) = &row {
        draft.tag("row", None, &format!("css = {}", quoted(selector)), &counts(samples, selector));
    }
    let mut done: Vec<&str> = Vec::new();
    for (name, found, data) in &hits {
        if done.contains(name) {
            continue;
        }
        done.push(name);
        let way = way(samples, found, row.as_ref()).or_else(|| data.clone().map(Way::JsonLd));
        let way = way.ok_or_else(|| format!("{name}: no selector finds it alone"))?;
        draft.way(name, &way);
    }
    Ok(draft.finish(names.len() > 1))
}

type Row = (usize, NodeId, NodeId, String);

struct Draft<'s> {
    samples: &'s [Sample<'s>],
    out: String,
    columns: Vec<String>,
}

impl Draft<'_> {
    fn tag(&mut self, name: &str, parent: Option<&str>, find: &str, about: &str) {
        let parent = parent.map_or(String::new(), |parent| format!("parent = \"{parent}\"\n"));
        self.out.push_str(&format!("[[tag]]\nid = \"{name}\"\nlayer = \"page\"\n{parent}{find}{about}\n\n"));
    }

    fn way(&mut self, name: &str, way: &Way) {
        match way {
            Way::JsonLd(path) => self.tag(name, None, &format!("jsonld = {}", quoted(path)), ""),
            Way::Css { parent, selector, link } => {
                let about = if *parent { String::new() } else { counts(self.samples, selector) };
                let link = if *link { "\nlink = true" } else { "" };
                self.tag(
                    name,
                    parent.then_some("row"),
                    &format!("css = {}{about}{link}", quoted(selector)),
                    "",
                );
            }
        }
        let kind = if matches!(way, Way::Css { link: true, .. }) { ", type = \"url\"" } else { "" };
        self.columns.push(format!("  {{ name = \"{name}\", tag = \"{name}\"{kind} }},\n"));
    }

    fn finish(mut self, outer: bool) -> String {
        let outer = if outer { "outer = true # rows come where cells are missing\n" } else { "" };
        self.out.push_str(&format!(
            "[[group]]\nname = \"rows\"\n{outer}columns = [\n{}]\n",
            self.columns.concat()
        ));
        self.out
    }
}

fn head(id: &str, samples: &[Sample<'_>]) -> String {
    let urls: Vec<&str> = samples.iter().map(|sample| sample.url.as_str()).collect();
    let first = urls.first().copied().unwrap_or_default();
    let mut common = first.len();
    for url in &urls {
        common = first.bytes().zip(url.bytes()).take(common).take_while(|(a, b)| a == b).count();
    }
    // What all pages begin with, up to the last slash, so that others of the kind match too.
    let prefix = first.get(..common).unwrap_or_default();
    let prefix = prefix.rfind('/').map_or(prefix, |slash| &prefix[..=slash]);
    let pattern = format!("^{}", regex::escape(prefix));
    format!(
        "[rule]\nid = \"{id}\"\nname = \"{id}\"\nsite_url = {}\n\n[[layer]]\nid = \"page\"\npages = [{}]\n\n",
        quoted(prefix),
        quoted(&pattern)
    )
}

fn quoted(text: &str) -> String {
    match text.contains('\'') || text.contains(char::is_control) {
        false => format!("'{text}'"),
        true => toml::Value::String(text.to_owned()).to_string(),
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The deepest element whose text is the value, else one with an attribute of that value.
fn hit(page: usize, sample: &Sample<'_>, value: &str) -> Option<Hit> {
    let (dom, wanted) = (sample.dom, words(value));
    let mut best: Option<NodeId> = None;
    for node in dom.descendants(dom.document()).filter(|node| dom.is_element(*node)) {
        let is_within = |outer: NodeId| dom.ancestors(node).any(|ancestor| ancestor == outer);
        if best.is_some_and(|best| !is_within(best)) {
            break;
        }
        if text_of(dom, node) == wanted && !matches!(dom.tag(node), Tag::Title | Tag::Script) {
            best = Some(node);
        }
    }
    if let Some(node) = best {
        return Some(Hit { page, node, attribute: None });
    }
    let absolute = |text: &str| sample.url.join(text).is_some_and(|url| url.as_str() == value);
    dom.descendants(dom.document()).filter(|node| dom.is_element(*node)).find_map(|node| {
        let attribute = ATTRIBUTES.into_iter().find(|name| {
            dom.attr(node, name).is_some_and(|text| {
                text.trim() == value || (matches!(*name, "href" | "src") && absolute(text))
            })
        })?;
        Some(Hit { page, node, attribute: Some(attribute) })
    })
}

/// The path of a value in JSON-LD.
fn in_data(sample: &Sample<'_>, value: &str) -> Option<String> {
    let found = items(sample.dom, Some(sample.url));
    found.iter().filter(|item| item.syntax == "json-ld").find_map(|item| {
        let data: Value = serde_json::from_str(&item.data).ok()?;
        let mut open: Vec<(&Value, Vec<String>)> = vec![(&data, Vec::new())];
        while let Some((at, path)) = open.pop() {
            match at {
                Value::Array(values) => open.extend(values.iter().map(|value| (value, path.clone()))),
                Value::Object(object) => {
                    let kind = object.get("@type").and_then(Value::as_str);
                    let path =
                        if path.is_empty() { kind.map_or(path, |kind| vec![kind.to_owned()]) } else { path };
                    if path.len() > 8 {
                        continue;
                    }
                    open.extend(
                        object
                            .iter()
                            .filter(|(key, _)| !key.starts_with('@'))
                            .map(|(key, value)| (value, path.iter().cloned().chain([key.clone()]).collect())),
                    );
                }
                Value::String(text) if text.trim() == value && path.len() > 1 => return Some(path.join(".")),
                Value::Number(number) if number.to_string() == value && path.len() > 1 => {
                    return Some(path.join("."));
                }
                _ => {}
            }
        }
        None
    })
}

/// The elements around two values right below what both are in, and a selector of such elements.
fn rows(samples: &[Sample<'_>], a: &Hit, b: &Hit) -> Option<Row> {
    let dom = samples[a.page].dom;
    let chain = |node: NodeId| -> Vec<NodeId> {
        let mut chain: Vec<NodeId> = std::iter::once(node).chain(dom.ancestors(node)).collect();
        chain.reverse();
        chain
    };
    let (of_a, of_b) = (chain(a.node), chain(b.node));
    let apart = of_a.iter().zip(&of_b).position(|(x, y)| x != y)?;
    let (row_a, row_b, around) = (of_a[apart], of_b[apart], of_a[apart - 1]);
    let classes = |node: NodeId| -> Vec<&str> { plain_classes(dom, node) };
    let shared: Vec<&str> =
        classes(row_a).into_iter().filter(|class| classes(row_b).contains(class)).collect();
    if dom.name(row_a) != dom.name(row_b) {
        return None;
    }
    let own = std::iter::once(dom.name(row_a)).chain(shared).collect::<Vec<_>>().join(".");
    let mut selector = own;
    let mut above = Some(around);
    for _ in 0..=MAX_STEPS {
        let found = select(dom, dom.document(), &selector);
        let inside = found.iter().all(|node| dom.parent(*node) == Some(around));
        if inside && found.contains(&row_a) && found.contains(&row_b) {
            return Some((a.page, row_a, row_b, selector));
        }
        let ancestor = above?;
        selector = format!("{} > {selector}", simple(dom, ancestor));
        above = dom.parent(ancestor).filter(|node| dom.is_element(*node));
    }
    None
}

fn way(samples: &[Sample<'_>], hits: &[Hit], row: Option<&Row>) -> Option<Way> {
    for hit in hits {
        let dom = samples[hit.page].dom;
        let within = row.filter(|row| row.0 == hit.page).and_then(|row| {
            [row.1, row.2].into_iter().find(|row| dom.ancestors(hit.node).any(|node| node == *row))
        });
        let is_row = row.is_some_and(|row| row.0 == hit.page && (row.1 == hit.node || row.2 == hit.node));
        let scope = within.unwrap_or_else(|| dom.document());
        let selector = match is_row {
            true => Some(":scope".to_owned()),
            false => alone(dom, scope, hit.node),
        };
        let Some(selector) = selector else { continue };
        let link = matches!(hit.attribute, Some("href" | "src"));
        let selector = hit.attribute.map_or(selector.clone(), |name| format!("{selector}::attr({name})"));
        return Some(Way::Css { parent: within.is_some() || is_row, selector, link });
    }
    None
}

/// The shortest selector that finds one element alone.
fn alone(dom: &Dom<'_>, scope: NodeId, node: NodeId) -> Option<String> {
    let mut selector = simple(dom, node);
    let mut placed = nth(dom, node);
    let mut above = dom.parent(node);
    for _ in 0..=MAX_STEPS {
        for candidate in [&selector, &placed] {
            if select(dom, scope, candidate) == [node] {
                return Some(candidate.clone());
            }
        }
        let ancestor = above.filter(|above| *above != scope && dom.is_element(*above))?;
        selector = format!("{} > {selector}", simple(dom, ancestor));
        placed = format!("{} > {placed}", nth(dom, ancestor));
        above = dom.parent(ancestor);
    }
    None
}

fn select(dom: &Dom<'_>, scope: NodeId, selector: &str) -> Vec<NodeId> {
    let Ok(selector) = Selector::css(selector) else { return Vec::new() };
    let (found, _) = selector.select(dom, scope, 10_000);
    found
        .into_iter()
        .filter_map(|one| if let Selected::Node(node) = one { Some(node) } else { None })
        .collect()
}

/// Classes that are likely to be the same on other pages: short, without digits.
fn plain_classes<'d>(dom: &'d Dom<'_>, node: NodeId) -> Vec<&'d str> {
    let classes = dom.attr(node, "class").unwrap_or_default().split_ascii_whitespace();
    classes.filter(|class| is_plain(class)).take(3).collect()
}

fn is_plain(name: &str) -> bool {
    name.len() <= 40
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
}

fn simple(dom: &Dom<'_>, node: NodeId) -> String {
    if let Some(id) = dom.attr(node, "id").filter(|id| is_plain(id)) {
        return format!("#{id}");
    }
    let mut parts = vec![dom.name(node)];
    parts.extend(plain_classes(dom, node));
    parts.join(".")
}

/// The same with its place among siblings of its name.
fn nth(dom: &Dom<'_>, node: NodeId) -> String {
    let name = dom.name(node);
    let before = std::iter::successors(dom.prev_sibling(node), |sibling| dom.prev_sibling(*sibling));
    let place = 1 + before.filter(|sibling| dom.is_element(*sibling) && dom.name(*sibling) == name).count();
    format!("{}:nth-of-type({place})", simple(dom, node))
}

/// How many results a selector has on each page, as a comment.
fn counts(samples: &[Sample<'_>], selector: &str) -> String {
    let Ok(selector) = Selector::css(selector) else { return String::new() };
    let counts: Vec<String> = samples
        .iter()
        .map(|sample| selector.select(sample.dom, sample.dom.document(), 10_000).0.len().to_string())
        .collect();
    format!(" # finds {}", counts.join(", "))
}

#[cfg(test)]
mod tests {
    use webmill_html::{Limits, parse};

    use super::*;
    use crate::{ApplyLimits, Rule, RulePage};

    /// The rows of the draft's only table, as it finds them on a page.
    fn drafted(pages: &[&str], examples: &[(&str, &str)], on: &str) -> (String, Vec<Vec<String>>) {
        let url = CanonicalUrl::parse("http://a.example/list/1").unwrap();
        let doms: Vec<Dom<'_>> = pages.iter().map(|page| parse(page, &Limits::default())).collect();
        let samples: Vec<Sample<'_>> = doms.iter().map(|dom| Sample { url: &url, dom }).collect();
        let examples: Vec<(String, String)> =
            examples.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let draft = propose("t", &samples, &examples).unwrap();
        let rule = Rule::parse(&draft).unwrap_or_else(|mistakes| panic!("{draft}\n{mistakes:#?}"));
        assert!(rule.enters(0, "http://a.example/list/2"));
        let dom = parse(on, &Limits::default());
        let results = RulePage::new(&url, on, &dom, encoding_rs::UTF_8)
            .apply(&rule, 0, &ApplyLimits::default())
            .results;
        let group = &rule.groups[0];
        let cells = group.columns.iter().map(|column| {
            let tag = &rule.tags[column.tag];
            match tag.parent {
                None => crate::groups::of(&results, column.tag)
                    .iter()
                    .map(|found| found.text.clone())
                    .collect::<Vec<_>>(),
                Some(parent) => {
                    let rows = crate::groups::of(&results, parent).iter();
                    rows.flat_map(|row| crate::groups::of(&row.results, column.tag))
                        .map(|found| found.text.clone())
                        .collect()
                }
            }
        });
        (draft.clone(), cells.collect())
    }

    #[test]
    fn a_page_of_one_record() {
        let page = |title: &str, price: &str| {
            format!(
                "<div id=head><b>Shop</b></div><main><h1>{title}</h1><p>Text</p><p class='price x9'>{price}</p><a href='/buy/{price}'>Buy</a></main>"
            )
        };
        let (one, two) = (page("Kettle", "10"), page("Pot", "7"));
        let (draft, cells) = drafted(
            &[&one, &two],
            &[("title", "Kettle"), ("price", "10"), ("buy", "http://a.example/buy/10")],
            &two,
        );
        assert_eq!(
            cells,
            [vec!["Pot".to_owned()], vec!["7".into()], vec!["http://a.example/buy/7".into()]],
            "{draft}"
        );
        assert!(draft.contains("# finds 1, 1"), "{draft}");
    }

    #[test]
    fn a_list_by_two_of_its_values() {
        let row = |n: u32| format!("<li class=item><h3>Kettle {n}</h3><span>{n} EUR</span>");
        let page = format!("<ul><li>Menu</ul><ul class=list>{}</ul>", (1..6).map(row).collect::<String>());
        let (draft, cells) =
            drafted(&[&page], &[("title", "Kettle 1"), ("title", "Kettle 2"), ("price", "2 EUR")], &page);
        let titles: Vec<String> = (1..6).map(|n| format!("Kettle {n}")).collect();
        let prices: Vec<String> = (1..6).map(|n| format!("{n} EUR")).collect();
        assert_eq!(cells, [titles, prices], "{draft}");
    }

    #[test]
    fn a_value_of_structured_data() {
        let page = r#"<script type="application/ld+json">{"@type":"Product","offers":{"price":12.5}}</script><p>Text"#;
        let (draft, cells) = drafted(&[page], &[("price", "12.5")], page);
        assert_eq!(cells, [["12.5"]], "{draft}");
        let dom = parse(page, &Limits::default());
        let url = CanonicalUrl::parse("http://a.example/").unwrap();
        let refused = propose("t", &[Sample { url: &url, dom: &dom }], &[("a".into(), "nowhere".into())]);
        assert_eq!(refused.unwrap_err(), "a: \"nowhere\" stands on none of the pages");
    }
}
