//! What a page says about itself.
//!
//! **Definition.** Title, language, author, dates, site and so on as *declared*: by `<title>`, `<meta>` (plain names,
//! OpenGraph, Dublin Core, Twitter cards and the names that news systems use), `<link>`, microdata and JSON-LD. Where
//! several speak, the more deliberate one wins: JSON-LD, then OpenGraph and article tags, then plain meta names, then
//! microdata and marked-up elements. Guesses from the visible page are the main text's business.
//!
//! **Algorithm.** One walk over the tree; every candidate is kept with its rank, the first of the best rank wins.
//!
//! **Cost.** Linear in the tree. Texts are cut at 2 KiB, lists at 64 entries.
//!
//! **Reference.** HTML standard, 4.2.5; ogp.me; schema.org; RFC 5988 relations.

use std::borrow::Cow;

use super::dom::{Dom, Edge, NodeId};
use super::filed::{Filed, filed_under};
use super::licence::{creative_commons, licence};
use super::moment::iso_date;
use super::robots::Robots;
use super::structured::{self, Structured};
use super::tag::Tag;
use super::text_buffer::collapse;
use super::values::{MAX_LIST, MAX_TEXT, has_token, is_feed, is_name, language_tag, push_list, squeezed};
use crate::capture::CanonicalUrl;

/// Nodes looked at for the text of one element.
const MAX_NODES: usize = 1000;

/// Bytes of the name of a category or tag.
const MAX_NAME: usize = 100;

/// What a page declares; texts with white space collapsed, dates in ISO 8601 with zone where one is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// What references on the page are resolved against; `None` where nobody knows.
    pub base: Option<CanonicalUrl>,
    /// `<title>`.
    pub title: Option<String>,
    /// The first `<h1>` with text.
    pub h1: Option<String>,
    /// Language of the page as declared: `lang` of `<html>`, else `content-language`; lower-case BCP 47.
    pub lang: Option<String>,
    /// What it asks of robots, header included.
    pub robots: Robots,
    /// `<link rel=canonical>`, else `og:url`.
    pub canonical: Option<CanonicalUrl>,
    /// Description.
    pub description: Option<String>,
    /// Keywords that it declares, in order.
    pub keywords: Vec<String>,
    /// Tags that it is filed under, in order.
    pub tags: Vec<String>,
    /// Sections or categories that it is filed under.
    pub categories: Vec<String>,
    /// Author, several with `, ` between.
    pub author: Option<String>,
    /// Name of the site.
    pub site_name: Option<String>,
    /// When it was published.
    pub published: Option<String>,
    /// When it was changed last.
    pub modified: Option<String>,
    /// `og:type`.
    pub og_type: Option<String>,
    /// `og:title`, else the title of a Twitter card.
    pub og_title: Option<String>,
    /// Licence: the short name of one of Creative Commons (`CC BY-SA 4.0`), else its address or what is said of it.
    pub licence: Option<String>,
    /// Its picture.
    pub image: Option<CanonicalUrl>,
    /// Program that made it.
    pub generator: Option<String>,
    /// Versions in other languages: language or region, address.
    pub hreflang: Vec<(String, CanonicalUrl)>,
    /// RSS and Atom feeds.
    pub feeds: Vec<CanonicalUrl>,
    /// What JSON-LD says, microdata where it is silent.
    pub structured: Structured,
}

/// What the page declares. `base` is what its references are resolved against ([`Links::base`](super::Links), or
/// [`base_of`](super::base_of)); where it is `None`, relative references are left out. `x_robots_tag` are the values of
/// that HTTP header.
///
/// # Examples
/// ```
/// use webmill::{capture::CanonicalUrl, html};
/// let dom = html::parse("<html lang=en-GB><title> A\n page </title><meta name=author content=Ann>", &html::Limits::default());
/// let base = CanonicalUrl::parse("http://example.com/").unwrap();
/// let meta = html::metadata(&dom, &base, &[b"noarchive"]);
/// assert_eq!(meta.title.as_deref(), Some("A page"));
/// assert_eq!(meta.author.as_deref(), Some("Ann"));
/// assert!(meta.robots.all.noarchive);
/// ```
pub fn metadata<'b>(
    dom: &Dom,
    base: impl Into<Option<&'b CanonicalUrl>>,
    x_robots_tag: &[&[u8]],
) -> Metadata {
    let base = base.into();
    let mut reader = Reader {
        dom,
        base,
        out: Metadata { base: base.cloned(), ..Metadata::default() },
        best: Best::default(),
        json: Default::default(),
        label: false,
        filed: Vec::new(),
        tagged: Vec::new(),
        scopes: Vec::new(),
    };
    x_robots_tag.iter().for_each(|value| reader.out.robots.add_header(value));
    for edge in dom.walk(dom.document()) {
        match edge {
            Edge::Enter(n) if dom.is_element(n) => reader.enter(n),
            Edge::Leave(n) => {
                if reader.scopes.last().is_some_and(|&(scope, _)| scope == n) {
                    reader.scopes.pop();
                }
            }
            Edge::Enter(_) => {}
        }
    }
    reader.finish()
}

/// Candidates by rank, the smaller the better.
#[derive(Debug, Default)]
struct Slot(Option<(u8, String)>);

impl Slot {
    fn offer(&mut self, rank: u8, text: impl FnOnce() -> Option<String>) {
        if self.0.as_ref().is_none_or(|(best, _)| rank < *best)
            && let Some(text) = text()
        {
            self.0 = Some((rank, text));
        }
    }

    fn take(self) -> Option<String> {
        self.0.map(|(_, text)| text)
    }
}

#[derive(Debug, Default)]
struct Best {
    lang: Slot,
    description: Slot,
    author: Slot,
    site_name: Slot,
    published: Slot,
    modified: Slot,
    og_title: Slot,
    og_url: Slot,
    image: Slot,
    headline: Slot,
    licence: Slot,
}

/// What a microdata scope is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Subject,
    Author,
    Other,
}

struct Reader<'d, 'a> {
    dom: &'d Dom<'a>,
    base: Option<&'d CanonicalUrl>,
    out: Metadata,
    best: Best,
    json: structured::Collector,
    /// Whether the card of the page labels its first fact as the author.
    label: bool,
    /// Categories and tags by links.
    filed: Vec<String>,
    tagged: Vec<String>,
    /// Open microdata items.
    scopes: Vec<(NodeId, Scope)>,
}

impl Reader<'_, '_> {
    fn enter(&mut self, n: NodeId) {
        let dom = self.dom;
        match dom.tag(n) {
            Tag::Html => self.best.lang.offer(0, || dom.attr(n, "lang").and_then(language_tag)),
            Tag::Body => self.best.lang.offer(2, || dom.attr(n, "lang").and_then(language_tag)),
            Tag::Title if self.out.title.is_none() => self.out.title = self.text(n),
            Tag::H1 if self.out.h1.is_none() => self.out.h1 = self.text(n),
            Tag::Meta => self.meta(n),
            Tag::Link => self.link(n),
            Tag::Script => {
                let kind = dom.attr(n, "type").unwrap_or_default();
                let kind = kind.split(';').next().unwrap_or_default().trim();
                if kind.eq_ignore_ascii_case("application/ld+json") {
                    let mut script = String::new();
                    dom.text_content(n, &mut script);
                    self.json.add(&script);
                }
            }
            Tag::Time => self.time(n),
            Tag::A => self.anchor(n),
            _ => {}
        }
        if dom.attr(n, "itemprop").is_some() || dom.attr(n, "itemscope").is_some() {
            self.microdata(n);
        }
        if let Some(property) = dom.attr(n, "property").filter(|_| dom.tag(n) != Tag::Meta) {
            self.rdfa(n, property);
        }
    }

    fn anchor(&mut self, n: NodeId) {
        let dom = self.dom;
        let rel = dom.attr(n, "rel").unwrap_or_default();
        if has_token(rel, "author") {
            let name = self.text(n);
            self.best.author.offer(6, || name.filter(|name| is_name(name)));
        }
        let Some(href) = dom.attr(n, "href") else { return };
        if let Some(filed) = filed_under(dom, n) {
            let name = self.text(n).map(|name| name.trim_start_matches('#').trim().to_owned());
            let list = match filed {
                Filed::Category => &mut self.filed,
                Filed::Tag => &mut self.tagged,
            };
            if let Some(name) = name.filter(|name| !name.is_empty() && name.len() <= MAX_NAME)
                && list.len() < MAX_LIST
                && !list.contains(&name)
            {
                list.push(name);
            }
        }
        if has_token(rel, "license") {
            self.best.licence.offer(1, || licence(href));
        } else if self.best.licence.0.is_none() || href.contains("creativecommons") {
            // Whether a link without a word on its meaning is the page's is not certain; the first is as good as any.
            self.best.licence.offer(6, || creative_commons(href));
        }
    }

    /// RDFa Lite of the page's own vocabulary: properties of schema.org and Dublin Core on any element.
    fn rdfa(&mut self, n: NodeId, properties: &str) {
        const KNOWN: [&str; 13] = [
            "datePublished",
            "published_time",
            "issued",
            "dateCreated",
            "created",
            "date",
            "dateModified",
            "modified",
            "modified_time",
            "author",
            "creator",
            "headline",
            "articleSection",
        ];
        let dom = self.dom;
        for property in properties.split_ascii_whitespace().take(8) {
            let name = property.rsplit(['/', '#', ':']).next().unwrap_or_default();
            if name == "license" {
                let given = dom.attr(n, "href").or(dom.attr(n, "content"));
                self.best.licence.offer(2, || licence(given?));
            }
            if !KNOWN.contains(&name) {
                continue;
            }
            let stated = ["content", "datetime"].iter().find_map(|name| dom.attr(n, name));
            let value = stated.and_then(squeezed).or_else(|| self.text(n));
            let best = &mut self.best;
            match name {
                "datePublished" | "published_time" | "issued" => {
                    best.published.offer(5, || iso_date(&value?))
                }
                "dateCreated" | "created" | "date" => best.published.offer(6, || iso_date(&value?)),
                "dateModified" | "modified" | "modified_time" => best.modified.offer(5, || iso_date(&value?)),
                "author" | "creator" => best.author.offer(5, || value.filter(|name| is_name(name))),
                "headline" => best.headline.offer(1, || value),
                _ if self.out.categories.len() < MAX_LIST => {
                    self.out.categories.extend(value.filter(|text| text.len() < 100));
                }
                _ => {}
            }
        }
    }

    /// Text of an element, white space collapsed, bounded.
    fn text(&self, n: NodeId) -> Option<String> {
        let mut out = String::new();
        for d in self.dom.descendants(n).take(MAX_NODES) {
            if self.dom.is_text(d) {
                // Inline elements do not part words; a piece that starts without a space goes on with the last one.
                let piece = self.dom.text(d);
                let glue = !out.is_empty() && !piece.starts_with(char::is_whitespace) && !out.ends_with(' ');
                if glue {
                    let (head, tail) = piece.split_at(piece.find(char::is_whitespace).unwrap_or(piece.len()));
                    let room = MAX_TEXT.saturating_sub(out.len());
                    out.push_str(&head[..head.floor_char_boundary(room)]);
                    collapse(tail, MAX_TEXT, &mut out);
                } else {
                    out.truncate(out.trim_end().len());
                    collapse(piece, MAX_TEXT, &mut out);
                }
                if piece.ends_with(char::is_whitespace) && !out.is_empty() && out.len() < MAX_TEXT {
                    out.push(' ');
                }
            } else if self.dom.tag(d) == Tag::Br && !out.ends_with(' ') && !out.is_empty() {
                out.push(' ');
            }
        }
        out.truncate(out.trim_end().len());
        (!out.is_empty()).then_some(out)
    }

    fn meta(&mut self, n: NodeId) {
        let dom = self.dom;
        let Some(content) = dom.attr(n, "content") else { return };
        if dom.attr(n, "http-equiv").is_some_and(|of| of.trim().eq_ignore_ascii_case("content-language")) {
            self.best.lang.offer(3, || language_tag(content));
        }
        let best = &mut self.best;
        let names = [dom.attr(n, "property"), dom.attr(n, "name")].into_iter().flatten();
        for name in names.flat_map(str::split_ascii_whitespace).take(8) {
            self.out.robots.add_meta(name, content);
            let text = || squeezed(content);
            let person = || squeezed(content).filter(|name| is_name(name));
            let date = || iso_date(content);
            let mut name = name.to_ascii_lowercase();
            for (prefix, plain) in [("dcterms:", "dcterms."), ("dcterm:", "dcterms."), ("dc:", "dc.")] {
                if let Some(rest) = name.strip_prefix(prefix) {
                    name = format!("{plain}{rest}");
                }
            }
            match name.as_str() {
                "description" => best.description.offer(1, text),
                "og:description" => best.description.offer(2, text),
                "dc.description" | "dcterms.description" | "twitter:description" => {
                    best.description.offer(4, text)
                }
                "keywords" | "news_keywords" | "dc.subject" => push_list(&mut self.out.keywords, content),
                "article:tag" | "parsely-tags" => push_list(&mut self.out.tags, content),
                "article:section" | "category" | "parsely-section" | "og:category" => {
                    push_list(&mut self.out.categories, content);
                }
                "author"
                | "article:author"
                | "og:author"
                | "dc.creator"
                | "dcterms.creator"
                | "parsely-author"
                | "sailthru.author"
                | "citation_author"
                | "byl"
                | "article:author_name"
                | "mediaid" => {
                    best.author.offer(2, person);
                }
                "og:site_name" => best.site_name.offer(0, text),
                "application-name"
                | "publisher"
                | "dc.publisher"
                | "al:android:app_name"
                | "citation_journal_title" => {
                    best.site_name.offer(3, text);
                }
                "article:published_time"
                | "og:published_time"
                | "og:article:published_time"
                | "weibo:article:create_at"
                | "bt:pubdate" => best.published.offer(1, date),
                "date"
                | "pubdate"
                | "publishdate"
                | "publish_date"
                | "publish-date"
                | "publication_date"
                | "originalpublicationdate"
                | "article_date_original"
                | "dc.date"
                | "dc.date.issued"
                | "dc.date.created"
                | "dcterms.created"
                | "dcterms.issued"
                | "dcterms.date"
                | "dc.created"
                | "parsely-pub-date"
                | "sailthru.date"
                | "citation_publication_date"
                | "citation_date"
                | "cxenseparse:recs:publishtime"
                | "datepublished"
                | "apub:time"
                | "article.published"
                | "created" => {
                    best.published.offer(2, date);
                }
                "article:modified_time" | "og:modified_time" => best.modified.offer(1, date),
                "og:updated_time" | "last-modified" | "lastmod" | "dcterms.modified" | "dc.date.modified"
                | "datemodified" | "revised" | "utime" => best.modified.offer(2, date),
                "og:type" => self.out.og_type = self.out.og_type.take().or_else(text),
                "dc.rights" | "dcterms.rights" | "dcterms.license" | "dc.rights.license" | "license"
                | "cc:license" => {
                    best.licence.offer(4, || licence(content));
                }
                "og:title" => best.og_title.offer(0, text),
                "parsely-title" | "twitter:title" | "dc.title" | "dcterms.title" | "sailthru.title" => {
                    best.og_title.offer(1, text)
                }
                "og:url" => best.og_url.offer(0, text),
                "og:image" | "og:image:url" | "og:image:secure_url" => best.image.offer(0, text),
                "twitter:image" | "twitter:image:src" | "thumbnail" => best.image.offer(2, text),
                "og:locale" => best.lang.offer(4, || language_tag(&content.replace('_', "-"))),
                "language" | "dc.language" => best.lang.offer(5, || language_tag(content)),
                "twitter:label1" => self.label = is_byline_label(content),
                "twitter:data1" if self.label => best.author.offer(3, person),
                "generator" => self.out.generator = self.out.generator.take().or_else(text),
                _ => {}
            }
        }
    }

    fn link(&mut self, n: NodeId) {
        let dom = self.dom;
        let (Some(href), Some(rel)) = (dom.attr(n, "href"), dom.attr(n, "rel")) else { return };
        let target = || resolved(self.base, href);
        if has_token(rel, "canonical") && self.out.canonical.is_none() && !href.trim().is_empty() {
            self.out.canonical = target();
        }
        if has_token(rel, "license") {
            self.best.licence.offer(1, || licence(href));
        }
        if has_token(rel, "image_src") {
            self.best.image.offer(3, || squeezed(href));
        }
        if !has_token(rel, "alternate") {
            return;
        }
        if let Some(language) = dom.attr(n, "hreflang").and_then(language_tag) {
            if self.out.hreflang.len() < MAX_LIST
                && let Some(target) = target()
            {
                self.out.hreflang.push((language, target));
            }
        } else if dom.attr(n, "type").is_some_and(is_feed) && self.out.feeds.len() < MAX_LIST {
            self.out.feeds.extend(target());
        }
    }

    fn time(&mut self, n: NodeId) {
        let dom = self.dom;
        let Some(when) = dom.attr(n, "datetime") else { return };
        let class = dom.attr(n, "class").unwrap_or_default().to_ascii_lowercase();
        if class.contains("updated") || class.contains("modified") {
            self.best.modified.offer(5, || iso_date(when));
        }
        let marked = dom.attr(n, "pubdate").is_some()
            || ["publish", "entry-date", "dt-published", "post-date", "article-date"]
                .iter()
                .any(|c| class.contains(c));
        if marked {
            self.best.published.offer(5, || iso_date(when));
        }
    }

    /// Properties of the item that the page is about; those of comments, offers and the like are others'.
    fn microdata(&mut self, n: NodeId) {
        let dom = self.dom;
        // Outside of all items a property can only be the page's.
        let lone = self.scopes.is_empty();
        let scope = self.scopes.last().map_or(Scope::Subject, |&(_, scope)| scope);
        let later = if lone { 3 } else { 0 };
        let property = dom.attr(n, "itemprop").unwrap_or_default();
        let has = |name: &str| has_token(property, name);
        let opens = dom.attr(n, "itemscope").is_some();
        if scope == Scope::Subject && !opens {
            let value = |names: &[&str]| names.iter().find_map(|name| dom.attr(n, name));
            if has("datePublished") {
                let when = value(&["content", "datetime"])
                    .map(Cow::Borrowed)
                    .or_else(|| self.text(n).map(Cow::Owned));
                self.best.published.offer(4 + later, || iso_date(&when?));
            }
            if has("dateModified") {
                let when = value(&["content", "datetime"])
                    .map(Cow::Borrowed)
                    .or_else(|| self.text(n).map(Cow::Owned));
                self.best.modified.offer(4 + later, || iso_date(&when?));
            }
            if has("headline") && self.best.headline.0.is_none() {
                let text = self.text(n).or_else(|| squeezed(value(&["content"])?));
                self.best.headline.offer(0, || text);
            }
            if has("description") {
                let text = value(&["content"]).and_then(squeezed);
                self.best.description.offer(5 + later, || text);
            }
            if has("license") {
                let given =
                    value(&["href", "content"]).map(Cow::Borrowed).or_else(|| self.text(n).map(Cow::Owned));
                self.best.licence.offer(3, || licence(&given?));
            }
            if has("keywords") {
                let list = value(&["content"]).map(Cow::Borrowed).or_else(|| self.text(n).map(Cow::Owned));
                push_list(&mut self.out.keywords, &list.unwrap_or_default());
            }
            if has("articleSection") && self.out.categories.len() < MAX_LIST {
                let text = value(&["content"]).and_then(squeezed).or_else(|| self.text(n));
                self.out.categories.extend(text.filter(|text| text.len() < 100));
            }
        }
        if !opens && ((scope == Scope::Subject && has("author")) || (scope == Scope::Author && has("name"))) {
            let text = dom.attr(n, "content").and_then(squeezed).or_else(|| self.text(n));
            self.best.author.offer(4 + later, || text.filter(|name| is_name(name)));
        }
        if opens {
            let kind = dom.attr(n, "itemtype").unwrap_or_default().trim();
            let kind = kind.rsplit('/').next().unwrap_or_default();
            let inner = match scope {
                Scope::Subject if has("author") || has("creator") => Scope::Author,
                // The name of the author's employer is not the author's.
                Scope::Author => Scope::Other,
                _ if structured::rank(kind) > 0 => Scope::Subject,
                _ => Scope::Other,
            };
            self.scopes.push((n, inner));
        }
    }

    fn finish(self) -> Metadata {
        let (mut out, mut best) = (self.out, self.best);
        let mut data = self.json.finish();
        let works = data.main_type.as_deref().is_some_and(|name| structured::rank(name) > 1);
        // A page's own description and date are vaguer than an article's.
        let rank = if works { 0 } else { 3 };
        best.author.offer(rank, || (!data.authors.is_empty()).then(|| data.authors.join(", ")));
        best.published.offer(rank, || data.published.clone());
        best.modified.offer(rank, || data.modified.clone());
        best.description.offer(3, || data.description.clone());
        best.site_name.offer(1, || data.site_name.clone());
        best.image.offer(1, || data.image.clone());
        best.licence.offer(0, || licence(data.licence.as_deref()?));
        data.headline = data.headline.or(best.headline.take());
        if let Some(section) = data.section.as_ref().filter(|_| out.categories.is_empty()) {
            out.categories.push(section.clone());
        }
        if out.keywords.is_empty() {
            out.keywords.clone_from(&data.keywords);
        }
        // What readers see is what the page is filed under; a declared list is often the site's.
        if !self.filed.is_empty() {
            out.categories = self.filed;
        }
        if !self.tagged.is_empty() {
            out.tags = self.tagged;
        }
        let join = |reference: String| resolved(self.base, &reference);
        out.canonical = out.canonical.or_else(|| best.og_url.take().and_then(join));
        out.lang = best.lang.take();
        out.description = best.description.take();
        out.author = best.author.take();
        out.site_name = best.site_name.take().or_else(|| {
            let url = out.canonical.as_ref().or(self.base)?;
            site_in_title(out.title.as_deref()?, url)
        });
        out.published = best.published.take();
        out.modified = best.modified.take();
        out.licence = best.licence.take();
        out.og_title = best.og_title.take();
        out.image = best.image.take().and_then(join);
        out.structured = data;
        out
    }
}

/// The part of a title behind or before a separator that its host is called by: `Reuters` of `Fire | Reuters`.
fn site_in_title(title: &str, url: &CanonicalUrl) -> Option<String> {
    let plain = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let domain = url.registrable_domain();
    let label = plain(domain.split('.').next()?);
    [" | ", " - ", " – ", " — ", " · ", " :: ", " » ", ": "].iter().find_map(|separator| {
        let ends = [title.rsplit_once(separator)?.1, title.split_once(separator)?.0];
        let named = ends.into_iter().find(|part| {
            let part = plain(part);
            part.len() >= 2 && (part == label || part == plain(domain))
        });
        named.map(|part| part.trim().to_owned())
    })
}

/// Whether the label of a fact on a card says that it is the author.
fn is_byline_label(label: &str) -> bool {
    let label = label.trim().to_lowercase();
    let by = [
        "by",
        "written by",
        "verfasst von",
        "geschrieben von",
        "escrito por",
        "écrit par",
        "scritto da",
        "door",
        "author",
        "autor",
    ];
    by.contains(&label.as_str())
}

/// A reference as the address of a page.
fn resolved(base: Option<&CanonicalUrl>, reference: &str) -> Option<CanonicalUrl> {
    let url = match base {
        Some(base) => base.join(reference),
        None => CanonicalUrl::parse(reference.trim()),
    };
    url.filter(CanonicalUrl::is_web)
}

#[cfg(test)]
#[path = "meta_tests.rs"]
mod tests;
