//! Items of feeds and entries of sitemaps, as they are written.

use webmill_capture::{CanonicalUrl, date};
use webmill_crawl::sitemap::{self, Sitemap, SitemapLimits};
use webmill_html::feed::{FeedItem, FeedKind, FeedLimits, feed};
use webmill_html::{About, Limits, Metadata, decode, parse};
use webmill_text::{escape_xml, fragment_text, plain_text};

use super::facts::PageFacts;
use super::kind::{PageBytes, Refusal};
use super::source::PageSource;
use super::{TextForm, xml};

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// Where a sitemap of unknown address is thought to be; its URLs are absolute.
const NOWHERE: &str = "http://sitemap.invalid/";

/// Why a feed that holds nothing is not read.
pub const NO_ITEMS: &str = "a feed without items";

/// What a feed or a sitemap became.
pub struct Listed<T> {
    pub entries: T,
    /// Its defects, and the parts left out because of them.
    pub faults: Vec<String>,
}

/// The items of a feed, numbered from 1.
pub fn items(source: &PageSource<'_>, bytes: &PageBytes) -> Result<Listed<Vec<PageFacts>>, Refusal> {
    let decoded = decode(&bytes.bytes, None, None);
    let Some(found) = feed(&decoded.text, source.url, &FeedLimits::default()) else {
        return Err(Refusal::new("no feed of RSS, Atom, JSON Feed or XSPF"));
    };
    if found.items.is_empty() {
        return Err(match found.defects.is_empty() {
            true => Refusal::new(NO_ITEMS),
            false => Refusal::new(format!("{NO_ITEMS}: {}", found.defects.join(", "))),
        });
    }
    let mut faults: Vec<String> = found.defects.iter().map(|what| (*what).to_owned()).collect();
    if found.dropped > 0 {
        faults.push(format!("{} items left out", found.dropped));
    }
    if bytes.cut {
        faults.push("more bytes than are read".to_owned());
    }
    // Who put songs in a list did not make them.
    let is_playlist = found.kind == FeedKind::Xspf;
    let mut entries = Vec::with_capacity(found.items.len());
    for (number, item) in (1..).zip(found.items) {
        let one = PageSource { id: format!("{}/{number}", source.id), url: item.link.as_ref(), ..*source };
        let about = About {
            title: item.title.clone(),
            author: item.author.clone().or_else(|| found.author.clone().filter(|_| !is_playlist)),
            published: item.published.clone(),
            modified: item.modified.clone(),
            description: item.summary.clone(),
            categories: item.categories.clone(),
            site_name: found.title.clone(),
            language_declared: found.language.clone(),
            ..About::default()
        };
        entries.push(self::item(&one, &item, about).read_as(&decoded));
    }
    Ok(Listed { entries, faults })
}

fn item(source: &PageSource<'_>, item: &FeedItem, about: About) -> PageFacts {
    let mut meta = Metadata::default();
    meta.base = item.base.clone().or_else(|| item.link.clone());
    let mut cuts: Vec<String> = Vec::new();
    let mut main = if item.is_html {
        let dom = parse(&item.content, &Limits::default());
        cuts.extend(dom.cut().names().map(str::to_owned));
        fragment_text(&dom, &meta, &source.limits())
    } else {
        plain_text(&item.content, &source.limits())
    };
    if item.cut {
        cuts.push("bytes".to_owned());
    }
    main.about = about;
    PageFacts { kind: "item", ..source.facts(main, meta).cut_by(cuts) }
}

/// The URLs of a sitemap, with the days of their last changes: an object a URL in JSON, else a list.
pub fn urls(source: &PageSource<'_>, bytes: &PageBytes) -> Result<Listed<String>, Refusal> {
    let nowhere = CanonicalUrl::parse(NOWHERE);
    let base = source.url.or(nowhere.as_ref()).ok_or_else(|| Refusal::new("no address"))?;
    let limits = SitemapLimits { max_bytes: super::kind::MAX_BYTES as usize, ..SitemapLimits::default() };
    let found = sitemap::read(&bytes.bytes, base, &limits);
    if found.urls.is_empty() && found.sitemaps.is_empty() && found.kind == sitemap::SitemapKind::Unknown {
        return Err(Refusal::new("no sitemap"));
    }
    let mut faults: Vec<String> = found.defects.iter().map(|what| (*what).to_owned()).collect();
    for (count, what) in
        [(u64::from(found.skipped), "entries without a URL"), (found.dropped, "entries beyond the limit")]
    {
        if count > 0 {
            faults.push(format!("{count} {what} left out"));
        }
    }
    if bytes.cut {
        faults.push("more bytes than are read".to_owned());
    }
    Ok(Listed { entries: listed(source, &found), faults })
}

fn listed(source: &PageSource<'_>, found: &Sitemap) -> String {
    let pages = found.urls.iter().map(|entry| ("sitemap-url", &entry.url, entry.lastmod_ms.map(day)));
    let further = found.sitemaps.iter().map(|url| ("sitemap", url, None));
    let mut out = String::new();
    for (number, (kind, url, modified)) in (1..).zip(pages.chain(further)) {
        let url = url.as_str();
        match source.options.format {
            TextForm::Json | TextForm::Csv => {
                let facts = PageFacts {
                    id: format!("{}/{number}", source.id),
                    file: source.file.to_string_lossy().into_owned(),
                    kind,
                    url: Some(url.to_owned()),
                    about: About { modified, ..About::default() },
                    page_type: "other",
                    encoding: "UTF-8",
                    markdown: source.options.with_markdown.then(String::new),
                    ..PageFacts::default()
                };
                out.push_str(facts.written(source.options).trim_end_matches('\n'));
            }
            TextForm::Text => {
                out.push_str(url);
                modified.iter().for_each(|date| out.push_str(&format!("\t{date}")));
            }
            TextForm::Md | TextForm::Html => {
                out.push_str(&format!("- <{url}>"));
                modified.iter().for_each(|date| out.push_str(&format!(" ({date})")));
            }
            TextForm::Xml | TextForm::Tei => {
                out.push_str("<item><ref target=\"");
                escape_xml(url, &mut out);
                out.push_str("\">");
                escape_xml(url, &mut out);
                out.push_str("</ref>");
                modified
                    .iter()
                    .for_each(|date| out.push_str(&format!(" <date when=\"{date}\">{date}</date>")));
                out.push_str("</item>");
            }
        }
        out.push('\n');
    }
    if source.options.format == TextForm::Html {
        return PageFacts { markdown: Some(out), ..PageFacts::default() }.written(source.options);
    }
    if !matches!(source.options.format, TextForm::Xml | TextForm::Tei) || out.is_empty() {
        return out;
    }
    let facts = PageFacts {
        id: source.id.clone(),
        file: source.file.to_string_lossy().into_owned(),
        kind: "sitemap",
        url: source.url.map(|url| url.as_str().to_owned()),
        page_type: "other",
        xml: format!("<list>\n{out}</list>\n"),
        ..PageFacts::default()
    };
    if source.options.format == TextForm::Tei { xml::tei(&facts) } else { xml::document(&facts) }
}

/// A moment as a day, with its time where it has one.
fn day(ms: i64) -> String {
    let text = date::format_rfc3339(ms);
    if ms.rem_euclid(DAY_MS) == 0 { text.chars().take_while(|c| *c != 'T').collect() } else { text }
}
