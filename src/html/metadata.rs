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

use super::about::About;
use super::dom::{Dom, NodeId};
use super::filed::{Filed, filed_under};
use super::json_ld::Script;
use super::licence::{creative_commons, licence};
use super::markup::Markup;
use super::metadata_items::Scope;
use super::robots::Robots;
use super::structured::{self, Structured};
use super::tag::Tag;
use super::text_buffer::collapse;
use super::values::{MAX_LIST, MAX_TEXT, has_token, is_name, labels, language_tag, plain, squeezed};
use super::written_date::{DateOrder, read_date};
use webmill_capture::CanonicalUrl;
use webmill_capture::cut::Cut;

/// Nodes looked at for the text of one element.
const MAX_NODES: usize = 1000;

/// Bytes of the name of a category or tag.
const MAX_NAME: usize = 240;

/// What a page declares, with what its readers need beside that.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// What references on the page are resolved against; `None` where nobody knows.
    pub base: Option<CanonicalUrl>,
    /// Address that the page was found at. No page says it: who knows it sets it, and it stands in for `canonical` where what
    /// the path of an address tells (sections, dates) is asked for.
    pub address: Option<CanonicalUrl>,
    /// What the page states of itself, by its list of fields. Keywords that it declares are not among its tags.
    pub about: About,
    /// What it asks of robots, header included.
    pub robots: Robots,
    /// `<link rel=canonical>`, else `og:url`.
    pub canonical: Option<CanonicalUrl>,
    /// Keywords that it declares, in order.
    pub keywords: Vec<String>,
    /// Content of `og:type`, such as `article`.
    pub og_type: Option<String>,
    /// `og:title`, else the title of a Twitter card.
    pub og_title: Option<String>,
    /// Program that made it.
    pub generator: Option<String>,
    /// How the page's dates of numbers are read, by its site and the language of `<html>`.
    pub date_order: DateOrder,
    /// What JSON-LD says, microdata where it is silent.
    pub structured: Structured,
}

impl Metadata {
    /// The same of a page that was found at `address`.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::CanonicalUrl;
    /// use webmill_html::{Limits, metadata, parse};
    /// let url = CanonicalUrl::parse("http://example.com/forum/12").unwrap();
    /// let meta = metadata(&parse("<p>x", &Limits::default()), &url, &[]).found_at(Some(&url));
    /// assert_eq!(meta.own_address().map(CanonicalUrl::path), Some("/forum/12"));
    /// ```
    pub fn found_at(self, address: Option<&CanonicalUrl>) -> Metadata {
        Metadata { address: address.cloned(), ..self }
    }

    /// The address that the page states, else the one that it was found at.
    pub fn own_address(&self) -> Option<&CanonicalUrl> {
        self.canonical.as_ref().or(self.address.as_ref())
    }
}

/// Candidates by rank, the smaller the better.
#[derive(Debug, Default)]
pub(super) struct Slot(pub(super) Option<(u8, String)>);

impl Slot {
    pub(super) fn offer(&mut self, rank: u8, text: impl FnOnce() -> Option<String>) {
        if self.0.as_ref().is_none_or(|(best, _)| rank < *best)
            && let Some(text) = text()
        {
            self.0 = Some((rank, text));
        }
    }

    /// Adds to what was offered by the same source before: a further author.
    pub(super) fn append(&mut self, rank: u8, text: impl FnOnce() -> Option<String>) {
        let Some((best, known)) = &mut self.0 else { return };
        if *best == rank
            && known.len() < MAX_TEXT
            && let Some(text) = text()
            && !known.split("; ").any(|one| one == text)
        {
            known.push_str("; ");
            known.push_str(&text);
        }
    }

    fn take(self) -> Option<String> {
        self.0.map(|(_, text)| text)
    }
}

#[derive(Debug, Default)]
pub(super) struct Best {
    pub(super) lang: Slot,
    pub(super) description: Slot,
    pub(super) author: Slot,
    /// The `<meta>` name, or the microdata item, that the author is of: others of the same are further authors.
    pub(super) author_name: String,
    pub(super) author_item: Option<Option<NodeId>>,
    pub(super) site_name: Slot,
    pub(super) published: Slot,
    pub(super) modified: Slot,
    pub(super) og_title: Slot,
    pub(super) og_url: Slot,
    pub(super) image: Slot,
    pub(super) headline: Slot,
    pub(super) licence: Slot,
}

/// Known facts about the page so far.
pub(super) struct Reader<'d, 'a> {
    pub(super) dom: &'d Dom<'a>,
    base: Option<&'d CanonicalUrl>,
    pub(super) out: Metadata,
    pub(super) best: Best,
    json: structured::Collector,
    /// Whether the card of the page labels its first fact as the author.
    pub(super) label: bool,
    /// Categories and tags by links.
    filed: Vec<String>,
    tagged: Vec<String>,
    /// Links to licences whose surroundings were looked at.
    credits: u32,
    /// Open microdata items.
    pub(super) scopes: Vec<(NodeId, Scope)>,
}

impl<'d, 'a> Reader<'d, 'a> {
    pub(super) fn new(dom: &'d Dom<'a>, base: Option<&'d CanonicalUrl>, x_robots_tag: &[&[u8]]) -> Self {
        let language = dom.html().and_then(|n| dom.attr(n, "lang")).and_then(language_tag);
        let date_order = DateOrder::of_page(language.as_deref(), base);
        let mut out = Metadata { base: base.cloned(), date_order, ..Metadata::default() };
        x_robots_tag.iter().for_each(|value| out.robots.add_header(value));
        Reader {
            dom,
            base,
            out,
            best: Best::default(),
            json: Default::default(),
            label: false,
            filed: Vec::new(),
            tagged: Vec::new(),
            credits: 0,
            scopes: Vec::new(),
        }
    }

    pub(super) fn enter(&mut self, n: NodeId, markup: Option<&Markup<'_>>, script: Option<Script>) {
        let dom = self.dom;
        match dom.tag(n) {
            Tag::Html => self.best.lang.offer(0, || dom.attr(n, "lang").and_then(language_tag)),
            Tag::Body => self.best.lang.offer(2, || dom.attr(n, "lang").and_then(language_tag)),
            Tag::Title if self.out.about.title.is_none() => self.out.about.title = self.text(n),
            Tag::Meta => self.meta(n),
            Tag::Link => self.link(n),
            Tag::Time => self.time(n),
            Tag::A => self.anchor(n),
            _ => {}
        }
        if let Some(script) = script {
            self.json.add(script);
        }
        let Some(markup) = markup else { return };
        if markup.microdata.opens || markup.microdata.property.is_some() {
            self.microdata(n, &markup.microdata);
        }
        if dom.tag(n) != Tag::Meta {
            self.rdfa(n, &markup.rdfa);
        }
    }

    pub(super) fn leave(&mut self, n: NodeId) {
        if self.scopes.last().is_some_and(|&(scope, _)| scope == n) {
            self.scopes.pop();
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
        let labelled = has_token(rel, "license");
        let names_licence = memchr::memmem::find(href.as_bytes(), b"creativecommons").is_some();
        if names_licence && self.is_of_picture(n) {
            return;
        }
        if labelled {
            self.best.licence.offer(1, || licence(href));
        } else if self.best.licence.0.is_none() || names_licence {
            // Whether a link without a word on its meaning is the page's is not certain; the first is as good as any.
            self.best.licence.offer(6, || creative_commons(href));
        }
    }

    /// Whether a link stands in a picture's caption or credits.
    fn is_of_picture(&mut self, n: NodeId) -> bool {
        const NEAR: usize = 4;
        const MAX_CREDIT: usize = 200;
        const MAX_LINKS: u32 = 200;
        self.credits += 1;
        if self.credits > MAX_LINKS {
            return true;
        }
        const WORDS: [&str; 12] = [
            "photo",
            "foto",
            "image",
            "bild",
            "picture",
            "flickr",
            "pixabay",
            "wikimedia",
            "grafik",
            "via ",
            "illustration",
            "图片",
        ];
        let dom = self.dom;
        let mut around = dom.ancestors(n).take(NEAR);
        let caption = around.any(|a| {
            let class = dom.attr(a, "class").unwrap_or_default();
            let class = class.cut(..class.floor_char_boundary(MAX_CREDIT));
            matches!(dom.tag(a), Tag::Figure | Tag::Figcaption)
                || class.contains("caption")
                || class.contains("credit")
        });
        if caption {
            return true;
        }
        let text = dom.parent(n).and_then(|parent| self.text(parent)).unwrap_or_default();
        // A button's own picture is no credit: only words count.
        let lower = text.to_lowercase();
        text.len() <= MAX_CREDIT && WORDS.iter().any(|word| lower.contains(word))
    }

    /// Text of an element, white space collapsed, bounded.
    pub(super) fn text(&self, n: NodeId) -> Option<String> {
        let mut out = String::new();
        for d in self.dom.descendants(n).take(MAX_NODES) {
            if out.len() + 1 >= MAX_TEXT {
                break;
            }
            if self.dom.is_text(d) {
                // Inline elements do not part words; a piece that starts without a space goes on with the last one.
                let piece = self.dom.text(d);
                let glue = !out.is_empty() && !piece.starts_with(char::is_whitespace) && !out.ends_with(' ');
                if glue {
                    let (head, tail) = piece.split_at(piece.find(char::is_whitespace).unwrap_or(piece.len()));
                    let room = MAX_TEXT.saturating_sub(out.len());
                    out.push_str(head.cut(..head.floor_char_boundary(room)));
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

    fn link(&mut self, n: NodeId) {
        let dom = self.dom;
        let (Some(href), Some(rel)) = (dom.attr(n, "href"), dom.attr(n, "rel")) else { return };
        if has_token(rel, "canonical") && self.out.canonical.is_none() && !href.trim().is_empty() {
            self.out.canonical = resolved(self.base, href);
        }
        if has_token(rel, "license") {
            self.best.licence.offer(1, || licence(href));
        }
        if has_token(rel, "image_src") {
            self.best.image.offer(3, || squeezed(href));
        }
    }

    fn time(&mut self, n: NodeId) {
        let dom = self.dom;
        let Some(when) = dom.attr(n, "datetime") else { return };
        let class = dom.attr(n, "class").unwrap_or_default().to_ascii_lowercase();
        if class.contains("updated") || class.contains("modified") {
            let date = read_date(when, self.out.date_order);
            self.best.modified.offer(5, || date?.certain());
        }
        let marked = dom.attr(n, "pubdate").is_some()
            || ["publish", "entry-date", "dt-published", "post-date", "article-date"]
                .iter()
                .any(|c| class.contains(c));
        if marked && !is_of_other_page(dom, n) {
            let date = read_date(when, self.out.date_order);
            self.best.published.offer(5, || date?.certain());
        }
    }

    pub(super) fn finish(self) -> Metadata {
        let (mut out, mut best) = (self.out, self.best);
        let mut data = self.json.finish(out.date_order);
        let works = data.main_type.as_deref().is_some_and(|name| structured::rank(name) > 1);
        // A page's own description and date are vaguer than an article's.
        let rank = if works { 0 } else { 3 };
        best.author.offer(rank, || (!data.authors.is_empty()).then(|| data.authors.join("; ")));
        best.published.offer(rank, || data.published.clone());
        best.modified.offer(rank, || data.modified.clone());
        best.description.offer(3, || data.description.clone());
        best.site_name.offer(1, || data.site_name.clone());
        best.image.offer(1, || data.image.clone());
        best.licence.offer(0, || licence(data.licence.as_deref()?));
        data.headline = data.headline.or(best.headline.take());
        if let Some(section) = data.section.as_ref().filter(|_| out.about.categories.is_empty()) {
            out.about.categories.push(section.clone());
        }
        if out.keywords.is_empty() {
            out.keywords.clone_from(&data.keywords);
        }
        // What readers see is what the page is filed under; a declared list is often the site's.
        if !self.filed.is_empty() {
            out.about.categories = self.filed;
        }
        if !self.tagged.is_empty() {
            out.about.tags = self.tagged;
        }
        out.about.categories = labels(&out.about.categories);
        out.about.tags = labels(&out.about.tags);
        out.about.title = out.about.title.and_then(plain);
        data.headline = data.headline.and_then(plain);
        let join = |reference: String| resolved(self.base, &reference);
        out.canonical = out.canonical.or_else(|| best.og_url.take().and_then(join));
        out.about.language_declared = best.lang.take();
        out.about.description = best.description.take().and_then(plain);
        out.about.author = best.author.take();
        out.about.site_name = best.site_name.take().or_else(|| {
            let url = out.canonical.as_ref().or(self.base)?;
            site_in_title(out.about.title.as_deref()?, url)
        });
        out.about.published = best.published.take();
        out.about.modified = best.modified.take();
        out.about.licence = best.licence.take();
        out.og_title = best.og_title.take().and_then(plain);
        out.about.image = best.image.take().and_then(join).map(CanonicalUrl::into_string);
        out.about.canonical_url = out.canonical.as_ref().map(|url| url.as_str().to_owned());
        out.structured = data;
        out
    }
}

/// Whether a `<time>` stands in a link that says more than times, as the teaser of another page does. A link of times alone is the page's own.
pub fn is_of_other_page(dom: &Dom<'_>, time: NodeId) -> bool {
    const NEAR: usize = 8;
    let Some(link) = dom.ancestors(time).take(NEAR).find(|&n| dom.tag(n) == Tag::A) else { return false };
    let inside = || dom.descendants(link).take(MAX_NODES).filter(|&d| dom.is_text(d));
    let is_time = |d: NodeId| dom.ancestors(d).take(NEAR).any(|n| dom.tag(n) == Tag::Time);
    inside().filter(|&d| !is_time(d)).map(|d| dom.text(d).split_whitespace().count()).sum::<usize>() > 2
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

/// A reference as the address of a page.
fn resolved(base: Option<&CanonicalUrl>, reference: &str) -> Option<CanonicalUrl> {
    let url = match base {
        Some(base) => base.join(reference),
        None => CanonicalUrl::parse(reference.trim()),
    };
    url.filter(CanonicalUrl::is_web)
}

#[cfg(test)]
#[path = "metadata_tests.rs"]
mod tests;
