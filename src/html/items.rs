//! Structured data as they stand in a page: JSON-LD, microdata, RDFa and OpenGraph, each as JSON.
//!
//! **Definition.** Every JSON-LD script gives its value, an array each of its elements. Every outermost microdata item gives
//! `{"type": […], "id": …, "properties": {name: [value, …]}}`, the standard's JSON form; an RDFa Lite item (`typeof`, `property`,
//! `resource`) the same. `<meta property>` (or `name`) of OpenGraph, its article, book, product and profile vocabularies and
//! Twitter cards give one object `{property: [content, …]}`. Addresses are resolved, texts have their white space
//! collapsed; an element of microdata without a value of its own by the standard has its attribute `content`. `itemref` and prefixes of RDFa are not followed.
//!
//! **Cost.** Linear in nodes; [`MAX_ITEMS`] items and [`MAX_BYTES`] of JSON a page, [`MAX_VALUE`] bytes a text. A value over
//! a limit is left out whole, so that the result is always valid JSON.
//!
//! **Reference.** HTML Living Standard, *Microdata*; W3C RDFa Lite 1.1; JSON-LD 1.1; The Open Graph protocol.

use serde_json::{Map, Value, json};

use super::dom::{Dom, NodeId};
use super::json_ld::Script;
use super::markup::{self, Markup};
use super::tag::Tag;
use super::text_buffer::collapse;
use webmill_capture::CanonicalUrl;

/// Items of a page.
const MAX_ITEMS: usize = 200;
/// Bytes of JSON of a page.
const MAX_BYTES: usize = 256 << 10;
/// Bytes of a text in an item.
const MAX_VALUE: usize = 8 << 10;
/// Bytes of text that are read for the values of a page.
const MAX_READ: usize = 4 << 20;
/// Items inside of one another.
const MAX_NESTED: usize = 32;

/// One item of structured data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// `json-ld`, `microdata`, `rdfa` or `opengraph`.
    pub syntax: &'static str,
    /// Its types without the vocabulary's address (`NewsArticle`), of a graph those of its members; of OpenGraph `og:type`.
    pub types: Vec<String>,
    /// The item as JSON.
    pub data: String,
}

/// An item that has begun.
struct Open {
    node: NodeId,
    syntax: &'static str,
    /// Names that it has in the item around it.
    property: String,
    types: Vec<String>,
    id: Option<String>,
    properties: Map<String, Value>,
}

/// Gathers the items of a page while it is walked.
pub(super) struct Reader<'d, 'a, 'b> {
    dom: &'d Dom<'a>,
    base: Option<&'b CanonicalUrl>,
    out: Vec<Item>,
    bytes: usize,
    read: usize,
    open: Vec<Open>,
    graph: Map<String, Value>,
}

impl<'d, 'a, 'b> Reader<'d, 'a, 'b> {
    pub(super) fn new(dom: &'d Dom<'a>, base: Option<&'b CanonicalUrl>) -> Self {
        Reader { dom, base, out: Vec::new(), bytes: 0, read: 0, open: Vec::new(), graph: Map::new() }
    }

    pub(super) fn finish(mut self) -> Vec<Item> {
        let graph = std::mem::take(&mut self.graph);
        if !graph.is_empty() {
            let types = graph.get("og:type").map(strings).unwrap_or_default();
            self.keep("opengraph", types, &Value::Object(graph));
        }
        self.out
    }

    pub(super) fn enter(&mut self, n: NodeId, markup: Option<&Markup<'_>>, script: Option<&Script>) {
        if self.dom.tag(n) == Tag::Meta {
            self.meta(n);
        }
        match script {
            Some(Script::Json(Value::Array(values), _)) => {
                values.iter().for_each(|value| self.json_ld(value))
            }
            Some(Script::Json(value, _)) => self.json_ld(value),
            Some(Script::Broken) | None => {}
        }
        let Some(markup) = markup else { return };
        for (syntax, item) in [("microdata", &markup.microdata), ("rdfa", &markup.rdfa)] {
            let name = item.property.unwrap_or_default().trim();
            // Both syntaxes may stand on one element, or within each other.
            let around = self.open.iter().rposition(|open| open.syntax == syntax);
            if item.opens {
                if self.open.len() < MAX_NESTED {
                    self.open.push(Open {
                        node: n,
                        syntax,
                        property: if around.is_some() { name.to_owned() } else { String::new() },
                        types: markup::names(item.types).map(str::to_owned).collect(),
                        id: item.id.map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned),
                        properties: Map::new(),
                    });
                }
            } else if let Some(around) = around.filter(|_| !name.is_empty() && self.read < MAX_READ) {
                let value = Value::String(self.value(n, syntax == "rdfa"));
                add(&mut self.open[around].properties, name, &value);
            }
        }
    }

    pub(super) fn leave(&mut self, n: NodeId) {
        while self.open.last().is_some_and(|open| open.node == n) {
            let Some(item) = self.open.pop() else { return };
            let mut value = Map::new();
            if !item.types.is_empty() {
                value.insert("type".into(), json!(item.types));
            }
            if let Some(id) = item.id {
                value.insert("id".into(), json!(id));
            }
            value.insert("properties".into(), Value::Object(item.properties));
            let value = Value::Object(value);
            match self.open.iter_mut().rfind(|around| around.syntax == item.syntax) {
                Some(around) if !item.property.is_empty() => {
                    add(&mut around.properties, &item.property, &value);
                }
                // An item inside of another that is none of its properties is one of its own.
                _ => {
                    let types = item.types.iter().map(|name| short(name)).collect();
                    self.keep(item.syntax, types, &value);
                }
            }
        }
    }

    fn json_ld(&mut self, value: &Value) {
        let mut types: Vec<String> = Vec::new();
        let members = value.get("@graph").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for item in std::iter::once(value).chain(members) {
            for name in item.get("@type").map(strings).unwrap_or_default() {
                let name = short(&name);
                if types.len() < 32 && !types.contains(&name) {
                    types.push(name);
                }
            }
        }
        self.keep("json-ld", types, value);
    }

    fn meta(&mut self, n: NodeId) {
        const NAMES: [&str; 6] = ["og:", "article:", "book:", "product:", "profile:", "twitter:"];
        let Some(content) = self.dom.attr(n, "content") else { return };
        let name =
            self.dom.attr(n, "property").or_else(|| self.dom.attr(n, "name")).unwrap_or_default().trim();
        let known =
            NAMES.iter().any(|p| name.get(..p.len()).is_some_and(|start| start.eq_ignore_ascii_case(p)));
        if known && name.len() < 100 && self.graph.len() < MAX_ITEMS {
            let mut text = String::new();
            collapse(content, MAX_VALUE, &mut text);
            add(&mut self.graph, &name.to_ascii_lowercase(), &Value::String(text));
        }
    }

    /// The value of a property, by the element that it stands on.
    fn value(&mut self, n: NodeId, rdfa: bool) -> String {
        let dom = self.dom;
        let given = |name: &str| dom.attr(n, name).map(|value| (value, false));
        let address = |name: &str| dom.attr(n, name).map(|value| (value, true));
        let first = given("content").filter(|_| rdfa || dom.tag(n) == Tag::Meta);
        // Not in the standard, but in schema.org's examples, and so in many shops: a price for machines beside one for people.
        let beside = || given("content").filter(|(value, _)| !value.trim().is_empty());
        let by_tag = || match dom.name(n) {
            "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => address("src"),
            "a" | "area" | "link" => address("href"),
            "object" => address("data"),
            "data" | "meter" => given("value"),
            "time" => given("datetime"),
            _ => None,
        };
        let mut out = String::new();
        match first.or_else(by_tag).or_else(beside) {
            Some((value, true)) => {
                let url = self.base.and_then(|base| base.join(value.trim()));
                collapse(url.as_ref().map_or(value, |url| url.as_str()), MAX_VALUE, &mut out);
            }
            Some((value, false)) => collapse(value, MAX_VALUE, &mut out),
            None => {
                let mut text = String::new();
                dom.text_content(n, &mut text);
                self.read += text.len();
                collapse(&text, MAX_VALUE, &mut out);
            }
        }
        out
    }

    fn keep(&mut self, syntax: &'static str, types: Vec<String>, value: &Value) {
        let data = value.to_string();
        if self.out.len() < MAX_ITEMS && self.bytes + data.len() <= MAX_BYTES {
            self.bytes += data.len();
            self.out.push(Item { syntax, types, data });
        }
    }
}

/// Adds a value under each of the names.
fn add(properties: &mut Map<String, Value>, names: &str, value: &Value) {
    for name in markup::names(names) {
        let values = properties.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        if let Some(values) = values.as_array_mut().filter(|values| values.len() < MAX_ITEMS) {
            values.push(value.clone());
        }
    }
}

/// A string, or the strings of an array.
fn strings(value: &Value) -> Vec<String> {
    let many = value.as_array().map(Vec::as_slice).unwrap_or_default();
    value.as_str().into_iter().chain(many.iter().filter_map(Value::as_str)).map(str::to_owned).collect()
}

/// A type without its vocabulary.
fn short(name: &str) -> String {
    name.rsplit(['/', '#', ':']).next().unwrap_or(name).chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, items, parse};

    fn read(html: &str) -> Vec<(String, String, String)> {
        let base = CanonicalUrl::parse("http://ex.org/a/b").unwrap();
        let found = items(&parse(html, &Limits::default()), Some(&base));
        found.into_iter().map(|i| (i.syntax.to_owned(), i.types.join(","), i.data)).collect()
    }

    fn one(syntax: &str, types: &str, data: &str) -> (String, String, String) {
        (syntax.to_owned(), types.to_owned(), data.to_owned())
    }

    #[test]
    fn json_ld_by_value() {
        let html = r#"<script type="application/ld+json">[{"@type":"Recipe","name":"Soup"},{"@type":["Thing","x:Y"]}]</script>
            <script type='application/LD+json; charset=utf-8'><!-- {"@graph":[{"@type":"http://schema.org/WebPage"},{"@type":"Person"}]} --></script>
            <script type="application/ld+json">{broken</script><script>{"@type":"No"}</script>"#;
        assert_eq!(
            read(html),
            [
                one("json-ld", "Recipe", r#"{"@type":"Recipe","name":"Soup"}"#),
                one("json-ld", "Thing,Y", r#"{"@type":["Thing","x:Y"]}"#),
                one(
                    "json-ld",
                    "WebPage,Person",
                    r#"{"@graph":[{"@type":"http://schema.org/WebPage"},{"@type":"Person"}]}"#
                ),
            ]
        );
    }

    #[test]
    fn microdata_by_the_standard() {
        let html = "<div itemscope itemtype='https://schema.org/Offer http://x.org/B' itemid=urn:1><span itemprop='name alternateName'> Red
            kettle </span><meta itemprop=price content=12.50><a itemprop=url href=../k>go</a><time itemprop=validThrough datetime=2024-05-01>May</time>
            <div itemprop=seller itemscope itemtype=https://schema.org/Person><b itemprop=name>Ann</b></div>
            <div itemscope itemtype=https://schema.org/Thing><i itemprop=name>apart</i></div></div><p itemprop=name>no item</p>";
        assert_eq!(
            read(html),
            [
                one(
                    "microdata",
                    "Thing",
                    r#"{"properties":{"name":["apart"]},"type":["https://schema.org/Thing"]}"#
                ),
                one(
                    "microdata",
                    "Offer,B",
                    r#"{"id":"urn:1","properties":{"alternateName":["Red kettle"],"name":["Red kettle"],"price":["12.50"],"seller":[{"properties":{"name":["Ann"]},"type":["https://schema.org/Person"]}],"url":["http://ex.org/k"],"validThrough":["2024-05-01"]},"type":["https://schema.org/Offer","http://x.org/B"]}"#
                ),
            ]
        );
    }

    #[test]
    fn rdfa_and_open_graph() {
        let html = "<meta property=og:title content='A &amp; B'><meta name=twitter:card content=summary><meta property=OG:image content=/1.png>
            <meta property=og:image content=/2.png><meta property=og:type content=article><meta name=author content=x>
            <div vocab=http://schema.org/ typeof=Event resource=#e><p property=name content=Given>shown</p></div>";
        assert_eq!(
            read(html),
            [
                one("rdfa", "Event", r##"{"id":"#e","properties":{"name":["Given"]},"type":["Event"]}"##),
                one(
                    "opengraph",
                    "article",
                    r#"{"og:image":["/1.png","/2.png"],"og:title":["A & B"],"og:type":["article"],"twitter:card":["summary"]}"#
                ),
            ]
        );
    }

    #[test]
    fn values_for_machines_and_both_syntaxes_on_one_element() {
        let html = "<div itemscope itemtype=http://schema.org/Product typeof=Thing><h1 itemprop=name property=dc:title>Red</h1>
            <b itemprop=price content=1000.00>$1,000</b><b itemprop=sku content=' '>7</b><a itemprop=url content=x href=/k>k</a>
            <p itemprop=brand itemscope typeof=Brand><i itemprop=name>B</i><i property=label>b</i></p></div>";
        assert_eq!(
            read(html),
            [
                one("rdfa", "Brand", r#"{"properties":{"label":["b"]},"type":["Brand"]}"#),
                one("rdfa", "Thing", r#"{"properties":{"dc:title":["Red"]},"type":["Thing"]}"#),
                one(
                    "microdata",
                    "Product",
                    r#"{"properties":{"brand":[{"properties":{"name":["B"]}}],"name":["Red"],"price":["1000.00"],"sku":["7"],"url":["http://ex.org/k"]},"type":["http://schema.org/Product"]}"#
                ),
            ]
        );
    }

    #[test]
    fn hostile_pages_are_bounded() {
        let nested = "<div itemscope itemprop=x>".repeat(5000);
        assert!(read(&nested).len() <= MAX_ITEMS);
        let many = "<b itemscope itemprop=a><i itemprop=b>t</i></b>".repeat(5000);
        assert_eq!(read(&many).len(), MAX_ITEMS);
        let long = format!("<div itemscope>{}{}", "<div itemprop=a>".repeat(400), "text ".repeat(20_000));
        let found = read(&long);
        assert!(found.iter().map(|item| item.2.len()).sum::<usize>() <= MAX_BYTES, "{}", found.len());
        let deep = format!("<script type=application/ld+json>{}</script>", "[".repeat(100_000));
        assert_eq!(read(&deep), []);
    }
}
