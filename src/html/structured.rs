//! JSON-LD: what a page says about itself in a script of its own.
//!
//! **Definition.** The items of every `<script type=application/ld+json>` (schema.org, in arrays, `@graph` and nested
//! properties). The item that the page is about is the first of an article-like type, else of any other type of work or
//! thing, else of a page; sites and organisations give the site's name only. References by `@id` are resolved for names.
//!
//! **Cost.** Linear in what the reader of scripts lets through; 10,000 values are looked at for items.
//!
//! **Reference.** W3C JSON-LD 1.1; schema.org.

use std::collections::HashMap;

use serde_json::Value;

use super::json_ld::Script;
use super::text_buffer::collapse;
use super::values::MAX_TEXT;
use super::written_date::{DateOrder, read_date};

/// Values of a page that are looked at.
const MAX_VALUES: usize = 10_000;

/// A customer's review as a page states it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatedReview {
    /// Who wrote it.
    pub author: Option<String>,
    /// When, ISO 8601.
    pub published: Option<String>,
    /// What it says.
    pub text: String,
}

/// What structured data say of the page's subject.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Structured {
    /// Types of all items, in order, without repetition, at most 32: `NewsArticle`, `BreadcrumbList`, ….
    pub types: Vec<String>,
    /// Type of the item that the other fields are of.
    pub main_type: Option<String>,
    /// Headline, else name.
    pub headline: Option<String>,
    /// Names of authors, in order.
    pub authors: Vec<String>,
    /// Those of the authors that are said to be organisations.
    pub organisations: Vec<String>,
    /// ISO 8601.
    pub published: Option<String>,
    /// ISO 8601.
    pub modified: Option<String>,
    /// Description, else abstract.
    pub description: Option<String>,
    /// Section of the paper or category of the thing.
    pub section: Option<String>,
    /// Keywords, in order.
    pub keywords: Vec<String>,
    /// Address of the licence, or a text about it.
    pub licence: Option<String>,
    /// URL of the first image, as written.
    pub image: Option<String>,
    /// Publisher, else the name of the site.
    pub site_name: Option<String>,
    /// Text of the article, the longest `articleBody` anywhere in the scripts; as written.
    pub article_body: Option<String>,
    /// Reviews of what the page is about.
    pub reviews: Vec<StatedReview>,
    /// Scripts that are no JSON.
    pub broken: u32,
}

/// The scripts of a page, gathered one after another.
#[derive(Debug, Default)]
pub(super) struct Collector {
    scripts: Vec<Value>,
    has_body: bool,
    broken: u32,
}

impl Collector {
    pub(super) fn add(&mut self, script: Script) {
        match script {
            Script::Json(value, has_body) => {
                self.scripts.push(value);
                self.has_body |= has_body;
            }
            Script::Broken => self.broken += 1,
        }
    }

    /// What the scripts say, numbers in dates in the given order.
    pub(super) fn finish(self, order: DateOrder) -> Structured {
        let article_body = if self.has_body { article_body(&self.scripts) } else { None };
        let mut out = Structured { article_body, broken: self.broken, ..Structured::default() };
        let items = items(&self.scripts);
        let names: HashMap<&str, &Value> =
            items.iter().filter_map(|item| Some((item.get("@id")?.as_str()?, *item))).rev().collect();
        let mut main: Option<(u8, &Value, &str)> = None;
        for item in &items {
            for name in types(item) {
                if out.types.len() < 32 && !out.types.iter().any(|known| known == name) {
                    out.types.push(name.chars().take(64).collect());
                }
                let rank = rank(name);
                if rank > 0 && main.is_none_or(|(best, ..)| rank > best) {
                    main = Some((rank, item, name));
                }
            }
        }
        let named = |item: &Value| text(item.get("name")?);
        if let Some((_, item, name)) = main {
            out.main_type = Some(name.chars().take(64).collect());
            out.headline = item.get("headline").and_then(text).or_else(|| named(item));
            for key in ["author", "creator"] {
                if out.authors.is_empty() {
                    item.get(key).into_iter().for_each(|value| people(value, &names, &mut out));
                }
            }
            let date = |keys: &[&str]| {
                keys.iter().find_map(|key| read_date(&text(item.get(key)?)?, order)?.certain())
            };
            out.published = date(&["datePublished", "dateCreated", "uploadDate", "datePosted"]);
            out.modified = date(&["dateModified"]);
            out.description = ["description", "abstract"].iter().find_map(|key| text(item.get(key)?));
            out.section = ["articleSection", "category"].iter().find_map(|key| text(first(item.get(key)?)));
            out.keywords = item.get("keywords").map(keywords).unwrap_or_default();
            out.licence = item.get("license").and_then(|value| url(value).or_else(|| named(first(value))));
            out.image = item.get("image").and_then(url).or_else(|| item.get("thumbnailUrl").and_then(url));
            let publisher = item.get("publisher").map(|value| resolve(first(value), &names));
            out.site_name = publisher.and_then(|value| text(value).or_else(|| named(value)));
        }
        // What the main item does not say the item of the page may.
        let pages = || items.iter().filter(|item| types(item).any(|name| name.ends_with("WebPage")));
        out.description = out.description.or_else(|| pages().find_map(|item| text(item.get("description")?)));
        out.licence = out.licence.or_else(|| pages().find_map(|item| url(item.get("license")?)));
        out.published = out.published.or_else(|| {
            pages().find_map(|item| read_date(&text(item.get("datePublished")?)?, order)?.certain())
        });
        out.reviews = reviews(&items, out.main_type.as_deref() == Some("Review"), &names, order);
        out.site_name = out.site_name.or_else(|| {
            ["WebSite", "Organization", "NewsMediaOrganization"].iter().find_map(|wanted| {
                items.iter().find(|item| types(item).any(|name| name == *wanted)).and_then(|item| named(item))
            })
        });
        out
    }
}

/// The reviews of items, and items that are reviews unless the page `is_review` itself.
fn reviews(
    items: &[&Value],
    is_review: bool,
    names: &HashMap<&str, &Value>,
    order: DateOrder,
) -> Vec<StatedReview> {
    let of = items.iter().filter_map(|item| item.get("review").or_else(|| item.get("reviews")));
    let of = of.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    let alone = items.iter().copied().filter(|item| !is_review && types(item).any(|name| name == "Review"));
    let read = |item: &Value| {
        let by = item.get("author").map(|value| resolve(first(value), names));
        Some(StatedReview {
            author: by.and_then(|value| text(value).or_else(|| text(value.get("name")?))),
            published: item.get("datePublished").and_then(|value| read_date(&text(value)?, order)?.certain()),
            text: text(item.get("reviewBody").or_else(|| item.get("description"))?)?,
        })
    };
    of.chain(alone).filter_map(read).collect()
}

/// The longest text of an article in the values.
fn article_body(scripts: &[Value]) -> Option<String> {
    let mut best: Option<&str> = None;
    for script in scripts {
        let mut pending = vec![script];
        while let Some(value) = pending.pop() {
            match value {
                Value::Array(values) => pending.extend(values),
                Value::Object(fields) => {
                    if let Some(body) = fields.get("articleBody").and_then(Value::as_str)
                        && best.is_none_or(|best| best.len() < body.len())
                    {
                        best = Some(body);
                    }
                    pending.extend(fields.values());
                }
                _ => {}
            }
        }
    }
    best.map(str::to_owned)
}

/// Objects with a type, outermost first, in document order.
fn items(scripts: &[Value]) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut pending: Vec<&Value> = scripts.iter().rev().collect();
    let mut looked_at = 0;
    while let Some(value) = pending.pop() {
        looked_at += 1;
        if looked_at > MAX_VALUES {
            break;
        }
        match value {
            Value::Array(values) => pending.extend(values.iter().rev().take(MAX_VALUES)),
            Value::Object(fields) => {
                if fields.contains_key("@type") {
                    found.push(value);
                }
                // Only where other items of the page's own rank are: comments and related works are not its subject.
                for key in ["mainEntityOfPage", "mainEntity", "@graph"] {
                    pending.extend(fields.get(key));
                }
            }
            _ => {}
        }
    }
    found
}

fn types(item: &Value) -> impl Iterator<Item = &str> {
    let value = item.get("@type");
    let many = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let one = value.and_then(Value::as_str).into_iter();
    // Full addresses (`https://schema.org/Article`) name the same types.
    one.chain(many.iter().filter_map(Value::as_str))
        .map(|name| name.rsplit(['/', '#', ':']).next().unwrap_or(name))
}

/// How likely an item of this type is what the page is about; 0: not at all.
pub(super) fn rank(name: &str) -> u8 {
    match name {
        _ if name.ends_with("Article") || name.ends_with("Posting") => 4,
        "Report" | "Review" | "Recipe" | "HowTo" | "QAPage" | "Question" | "Product" | "Book" | "Event"
        | "Course" => 3,
        "VideoObject"
        | "PodcastEpisode"
        | "CreativeWork"
        | "SoftwareApplication"
        | "Movie"
        | "Dataset"
        | "Thesis" => 3,
        "ItemPage" | "AboutPage" | "FAQPage" | "CollectionPage" | "ProfilePage" | "WebPage" => 1,
        _ => 0,
    }
}

fn first(value: &Value) -> &Value {
    value.as_array().and_then(|values| values.first()).unwrap_or(value)
}

fn resolve<'v>(value: &'v Value, names: &HashMap<&str, &'v Value>) -> &'v Value {
    let reference = value.as_object().filter(|fields| !fields.contains_key("name"));
    let target = reference.and_then(|fields| fields.get("@id")).and_then(Value::as_str);
    target.and_then(|id| names.get(id).copied()).unwrap_or(value)
}

fn people(value: &Value, names: &HashMap<&str, &Value>, out: &mut Structured) {
    let many = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    for value in many.iter().take(20) {
        let item = resolve(value, names);
        let value = match item {
            Value::Object(fields) => fields.get("name").map(first),
            other => Some(other),
        };
        let name = value.and_then(text);
        if let Some(name) = name.filter(|name| !name.contains("://") && !out.authors.contains(name)) {
            let organised = |name: &str| name.ends_with("Organization") || name == "Corporation";
            if types(item).any(organised) {
                out.organisations.push(name.clone());
            }
            out.authors.push(name);
        }
    }
}

fn keywords(value: &Value) -> Vec<String> {
    let mut out = Vec::new();
    match value {
        Value::String(list) => {
            out.extend(
                list.split([',', ';', '，', '、'])
                    .map(str::trim)
                    .filter(|w| !w.is_empty())
                    .map(str::to_owned),
            );
        }
        Value::Array(list) => out.extend(list.iter().filter_map(text)),
        _ => {}
    }
    out.truncate(64);
    out
}

fn url(value: &Value) -> Option<String> {
    let value = first(value);
    let value =
        value.get("url").or_else(|| value.get("contentUrl")).or_else(|| value.get("@id")).unwrap_or(value);
    first(value)
        .as_str()
        .map(str::trim)
        .filter(|url| !url.is_empty() && url.len() <= MAX_TEXT)
        .map(str::to_owned)
}

/// A string of the data as text: references resolved (they come escaped twice), white space collapsed.
fn text(value: &Value) -> Option<String> {
    let written = first(value).as_str().or_else(|| value.get("@value")?.as_str())?;
    let mut out = String::new();
    collapse(&super::values::unescape(written), MAX_TEXT, &mut out);
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_ld::{MAX_SCRIPT, Scripts};

    fn read(scripts: &[&str]) -> Structured {
        let (mut reader, mut collector) = (Scripts::default(), Collector::default());
        scripts.iter().filter_map(|script| reader.parse(script)).for_each(|script| collector.add(script));
        collector.finish(DateOrder::Undecided)
    }

    #[test]
    fn an_article_with_its_publisher() {
        let found = read(&[
            r#"{"@context":"https://schema.org","@type":"NewsArticle","headline":" Fish &amp; chips ",
            "author":[{"@type":"Person","name":"Ann"},{"name":["Bo"]},"Ann","https://x.org/cy"],
            "datePublished":"2024-05-31T08:00:00Z","dateModified":"2024-06-01","description":"d",
            "articleSection":["Food","UK"],"keywords":"a, b","license":"https://creativecommons.org/licenses/by/4.0/","image":[{"url":"/i.png"}],
            "publisher":{"@type":"Organization","name":"The Paper"}}"#,
        ]);
        let expected = Structured {
            types: vec!["NewsArticle".into()],
            main_type: Some("NewsArticle".into()),
            headline: Some("Fish & chips".into()),
            authors: vec!["Ann".into(), "Bo".into()],
            organisations: Vec::new(),
            published: Some("2024-05-31T08:00:00Z".into()),
            modified: Some("2024-06-01".into()),
            description: Some("d".into()),
            section: Some("Food".into()),
            keywords: vec!["a".into(), "b".into()],
            licence: Some("https://creativecommons.org/licenses/by/4.0/".into()),
            image: Some("/i.png".into()),
            site_name: Some("The Paper".into()),
            article_body: None,
            reviews: Vec::new(),
            broken: 0,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_subject_is_chosen_among_items_and_references_are_resolved() {
        let found = read(&[
            r##"{"@graph":[{"@type":"WebSite","@id":"#s","name":"Site"},{"@type":"WebPage","name":"Page","datePublished":"2020-01-01"},
            {"@type":["Article","BlogPosting"],"headline":"Post","author":{"@id":"#p"},"publisher":{"@id":"#s"}},
            {"@type":"Person","@id":"#p","name":"Ann"}]}"##,
        ]);
        assert_eq!(found.main_type.as_deref(), Some("Article"));
        assert_eq!(found.headline.as_deref(), Some("Post"));
        assert_eq!((found.authors, found.site_name.as_deref()), (vec!["Ann".to_owned()], Some("Site")));
        assert_eq!(found.types, ["WebSite", "WebPage", "Article", "BlogPosting", "Person"]);
    }

    #[test]
    fn organisations_among_authors_are_told_apart() {
        let found = read(&[
            r##"{"@graph":[{"@type":"Article","author":[{"@type":"Person","name":"Ann"},{"@id":"#o"},"Bo"]},
            {"@type":["NewsMediaOrganization"],"@id":"#o","name":"The Paper"}]}"##,
        ]);
        assert_eq!((found.authors.len(), found.organisations), (3, vec!["The Paper".to_owned()]));
    }

    #[test]
    fn the_page_says_what_its_article_does_not() {
        let found = read(&[
            r#"{"@graph":[{"@type":"BlogPosting","headline":"Post"},{"@type":"WebPage","description":"d",
            "datePublished":"2020-01-02","license":{"@type":"CreativeWork","name":"CC BY 4.0"}}]}"#,
            r#"{"@type":"WebPage","license":"https://creativecommons.org/licenses/by/4.0/"}"#,
        ]);
        assert_eq!(
            (found.description.as_deref(), found.published.as_deref()),
            (Some("d"), Some("2020-01-02"))
        );
        assert_eq!(found.licence.as_deref(), Some("https://creativecommons.org/licenses/by/4.0/"));
    }

    #[test]
    fn faults_are_mended_or_counted() {
        let deep = "[".repeat(100_000);
        let huge = format!("{{\"@type\":\"Article\",\"name\":\"{}\"}}", "x".repeat(MAX_SCRIPT));
        let found = read(&[
            "<!-- {\"@type\":\"http://schema.org/Product\",\"name\":\"a\nb\"} -->",
            "{\"@type\":",
            &deep,
            &huge,
            "",
            "//<![CDATA[\n[1, null, \"x\"]\n//]]>",
        ]);
        assert_eq!((found.main_type.as_deref(), found.headline.as_deref()), (Some("Product"), Some("a b")));
        assert_eq!(found.broken, 3);
    }

    #[test]
    fn reviews_of_a_product() {
        let found = read(&[r##"{"@graph":[{"@type":"Product","name":"Lamp","review":[
            {"@type":"Review","author":{"@id":"#a"},"datePublished":"3 May 2020","reviewBody":"Bright  enough."},
            {"@type":"Review","author":"Mats","description":"It broke."},{"@type":"Review","author":"Bo"}]},
            {"@type":"Person","@id":"#a","name":"Anna"},{"@type":"Review","author":"Cy","reviewBody":"Heavy."}]}"##]);
        let said = |review: &StatedReview| {
            [review.author.clone(), review.published.clone(), Some(review.text.clone())]
                .map(Option::unwrap_or_default)
                .join("|")
        };
        let all: Vec<String> = found.reviews.iter().map(said).collect();
        assert_eq!(all, ["Anna|2020-05-03|Bright enough.", "Mats||It broke.", "Cy||Heavy."]);
        let own = read(&[r#"{"@type":"Review","author":"Cy","reviewBody":"All of a page."}"#]);
        assert_eq!(own.reviews, []);
    }

    #[test]
    fn the_longest_article_body() {
        let found = read(&[
            r#"{"@type":"Article","articleBody":"short"}"#,
            "//<![CDATA[\n{\"a\":[{\"articleBody\":\"the longer\none\"}]};\n//]]>",
            r#"{"articleBody":["a list"]}"#,
        ]);
        assert_eq!(found.article_body.as_deref(), Some("the longer one"));
        assert_eq!(read(&[r#"{"name":"articleBody"}"#]).article_body, None);
    }
}
