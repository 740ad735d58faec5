//! JSON-LD: what a page says about itself in a script of its own.
//!
//! **Definition.** The items of every `<script type=application/ld+json>` (schema.org, in arrays, `@graph` and nested
//! properties). The item that the page is about is the first of an article-like type, else of any other type of work or
//! thing, else of a page; sites and organisations give the site's name only. References by `@id` are resolved for names.
//!
//! **Cost.** 512 KiB a script and 2 MiB a page are read, 10,000 values looked at; the JSON parser refuses nesting beyond
//! 128. Strings that break off in a raw newline, the commonest fault, are mended; what is broken otherwise is counted.
//!
//! **Reference.** W3C JSON-LD 1.1; schema.org.

use std::collections::HashMap;

use serde_json::Value;

use super::moment::iso_date;
use super::text_buffer::collapse;
use super::values::MAX_TEXT;

/// Bytes of one script.
const MAX_SCRIPT: usize = 512 << 10;

/// Bytes of all scripts of a page.
const MAX_PAGE: usize = 2 << 20;

/// Values of a page that are looked at.
const MAX_VALUES: usize = 10_000;

/// What structured data say of the page's subject.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Structured {
    /// Types of all items, in order, without repetition, at most 32: `NewsArticle`, `BreadcrumbList`, ….
    pub types: Vec<String>,
    /// Type of the item that the other fields are of.
    pub main_type: Option<String>,
    /// Headline, else name.
    pub headline: Option<String>,
    /// Names of authors, in order.
    pub authors: Vec<String>,
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
    /// Address of the licence, or what is said of it.
    pub licence: Option<String>,
    /// URL of the first image, as written.
    pub image: Option<String>,
    /// Publisher, else the name of the site.
    pub site_name: Option<String>,
    /// Scripts that are no JSON.
    pub broken: u32,
}

/// The scripts of a page, read one after another.
#[derive(Debug, Default)]
pub(super) struct Collector {
    scripts: Vec<Value>,
    bytes: usize,
    broken: u32,
}

impl Collector {
    pub(super) fn add(&mut self, script: &str) {
        let script = bare(script);
        self.bytes += script.len();
        if script.is_empty() {
            return;
        }
        match if self.bytes > MAX_PAGE { None } else { parsed(script) } {
            Some(value) => self.scripts.push(value),
            None => self.broken += 1,
        }
    }

    pub(super) fn finish(self) -> Structured {
        let mut out = Structured { broken: self.broken, ..Structured::default() };
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
                    item.get(key).into_iter().for_each(|value| people(value, &names, &mut out.authors));
                }
            }
            let date = |keys: &[&str]| keys.iter().find_map(|key| iso_date(&text(item.get(key)?)?));
            out.published = date(&["datePublished", "dateCreated", "uploadDate", "datePosted"]);
            out.modified = date(&["dateModified"]);
            out.description = ["description", "abstract"].iter().find_map(|key| text(item.get(key)?));
            out.section = ["articleSection", "category"].iter().find_map(|key| text(first(item.get(key)?)));
            out.keywords = item.get("keywords").map(keywords).unwrap_or_default();
            out.licence = item.get("license").and_then(url);
            out.image = item.get("image").and_then(url).or_else(|| item.get("thumbnailUrl").and_then(url));
            let publisher = item.get("publisher").map(|value| resolve(first(value), &names));
            out.site_name = publisher.and_then(|value| text(value).or_else(|| named(value)));
        }
        out.site_name = out.site_name.or_else(|| {
            ["WebSite", "Organization", "NewsMediaOrganization"].iter().find_map(|wanted| {
                items.iter().find(|item| types(item).any(|name| name == *wanted)).and_then(|item| named(item))
            })
        });
        out
    }
}

/// A script without the comments and section marks that hide it from old browsers.
pub(super) fn bare(script: &str) -> &str {
    let script = script.trim();
    let script = script.strip_prefix("<!--").unwrap_or(script).trim_end_matches("-->");
    let script = script.trim().trim_start_matches("//<![CDATA[").trim_start_matches("<![CDATA[");
    script.trim_end_matches("//]]>").trim_end_matches("]]>").trim().trim_end_matches(';')
}

/// The value of a [`bare`] script; `None` for one that is too long or no JSON.
pub(super) fn parsed(script: &str) -> Option<Value> {
    if script.len() > MAX_SCRIPT {
        return None;
    }
    let mended = |_| {
        // Raw control characters stand in strings only by mistake; elsewhere they are white space anyway.
        serde_json::from_str(&script.replace(|c: char| c.is_ascii_control(), " "))
    };
    serde_json::from_str(script).or_else(mended).ok()
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
                // Only where other items of the page's own rank stand: comments and related works are not its subject.
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

fn people(value: &Value, names: &HashMap<&str, &Value>, out: &mut Vec<String>) {
    let many = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    for value in many.iter().take(20) {
        let value = match resolve(value, names) {
            Value::Object(fields) => fields.get("name").map(first),
            other => Some(other),
        };
        if let Some(name) = value.and_then(text).filter(|name| !name.contains("://") && !out.contains(name)) {
            out.push(name);
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
    use proptest::prelude::*;

    fn read(scripts: &[&str]) -> Structured {
        let mut collector = Collector::default();
        scripts.iter().for_each(|script| collector.add(script));
        collector.finish()
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
            published: Some("2024-05-31T08:00:00Z".into()),
            modified: Some("2024-06-01".into()),
            description: Some("d".into()),
            section: Some("Food".into()),
            keywords: vec!["a".into(), "b".into()],
            licence: Some("https://creativecommons.org/licenses/by/4.0/".into()),
            image: Some("/i.png".into()),
            site_name: Some("The Paper".into()),
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

    proptest! {
        #[test]
        fn any_script(script in "([{}\\[\\],:]|\"(@type|@graph|name|author|Article|@id|x)\"|null|1){0,30}") {
            read(&[&script]);
        }
    }
}
