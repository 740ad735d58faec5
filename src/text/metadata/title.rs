//! Title of a page's main text.
//!
//! The title is a heading that the page's stated title repeats, else one that says nearly the same, else what structured
//! data or the page state; it loses the site's name.
//!
//! Cost: linear in headings, but for the parts of a stated title, of which there are at most some hundred.

use crate::blocks::class_names::Kind;
use crate::blocks::elements::heading;
use crate::blocks::page::Page;
use crate::comparison::{bare, each_word};
use webmill_html::Metadata;

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const SEPARATORS: [&str; 13] =
    [" | ", " - ", " – ", " — ", " » ", " « ", " :: ", " · ", " • ", " / ", "_", "｜", "|"];

/// A page title without its site's name.
pub(crate) fn clean_title(title: &str, site: Option<&str>) -> String {
    let title = squeeze(title);
    let site = site.map(bare).filter(|s| !s.is_empty());
    let mut best = title.as_str();
    // A stated site name at either end goes first, then the last part if it is the shorter one.
    for separator in SEPARATORS {
        if let (Some(site), Some((rest, last))) = (&site, best.rsplit_once(separator))
            && bare(last) == *site
            && !rest.trim().is_empty()
        {
            best = rest;
        }
        if let (Some(site), Some((first, rest))) = (&site, best.split_once(separator))
            && bare(first) == *site
            && !rest.trim().is_empty()
        {
            best = rest;
        }
    }
    if best.len() == title.len() {
        for separator in SEPARATORS {
            if let Some((rest, last)) = best.rsplit_once(separator)
                && rest.chars().count() >= 8
                && last.chars().count() < rest.chars().count()
            {
                best = rest;
                break;
            }
        }
    }
    best.trim().to_string()
}

/// The titles that a page states, for matching blocks against them: whole and in parts.
pub(crate) fn title_variants(stated: &[Option<&str>]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for title in stated.iter().flatten() {
        let title = squeeze(title);
        let title: String = title.chars().take(300).collect();
        for separator in SEPARATORS {
            if let Some((first, _)) = title.rsplit_once(separator) {
                out.push(first.to_string());
            }
            if let Some((first, _)) = title.split_once(separator).filter(|p| p.0.chars().count() > 8) {
                out.push(first.to_string());
            }
        }
        out.push(title);
    }
    out.retain(|t| !t.trim().is_empty());
    out.sort_unstable();
    out.dedup();
    out
}

/// What parts a stated title beyond [`SEPARATORS`], where a heading tells which part is meant.
const MORE_SEPARATORS: [&str; 9] = [" : ", ": ", " › ", " ‹ ", " > ", " < ", " -- ", " ~ ", " ("];

/// Titles that pages of any site have.
const EMPTY: [&str; 9] =
    ["home", "homepage", "startseite", "accueil", "inicio", "index", "welcome", "untitled", "首页"];

/// Blocks before the main text among which its heading is looked for where the stated title says nothing.
const NEAR: usize = 8;
/// Longest heading that is taken for a title, in bytes.
const MAX_HEADING: usize = 400;
/// Letters and digits, in bytes, of a stated title that a longer heading is not preferred to.
const MIN_WHOLE: usize = 12;
/// Share of words of two titles that say nearly the same.
const LEAST: f32 = 0.5;
/// Steps up to an element that makes a heading one of the frame.
const MAX_UP: u8 = 2;

/// A heading of the page.
struct Heading<'a> {
    level: u8,
    block: usize,
    text: &'a str,
    bare: String,
    /// Whether it stands in navigation, a side bar or among related pages or comments.
    framed: bool,
}

fn headings(page: &Page) -> Vec<Heading<'_>> {
    const FRAME: [Kind; 5] = [Kind::Nav, Kind::Side, Kind::Related, Kind::Comment, Kind::Modal];
    let blocks = page.blocks.iter().enumerate();
    blocks
        .filter_map(|(at, block)| {
            let container = &page.containers[block.container as usize];
            let level = heading(container.tag)?;
            let text = page.text_of(block);
            let framed = FRAME.iter().any(|&kind| container.distance[kind as usize] <= MAX_UP);
            let bare = if text.len() <= MAX_HEADING { bare(text) } else { String::new() };
            (!bare.is_empty()).then_some(Heading { level, block: at, text, bare, framed })
        })
        .collect()
}

/// The parts of the stated titles that a heading may repeat, compared by letters and digits: all that begins or ends at a
/// separator; and those of them that a title begins with.
fn parts(stated: &[&str]) -> (Vec<String>, Vec<String>) {
    const MAX_CUTS: usize = 12;
    let (mut all, mut first) = (Vec::new(), Vec::new());
    for title in stated {
        let title = squeeze(title);
        let title = &title[..title.floor_char_boundary(MAX_HEADING)];
        let mut cuts: Vec<(usize, usize)> = SEPARATORS
            .iter()
            .chain(&MORE_SEPARATORS)
            .flat_map(|separator| title.match_indices(separator))
            .map(|(at, separator)| (at, at + separator.len()))
            .collect();
        let weak = |end: usize| title[end..].starts_with([':', '(']) || title[end..].starts_with(" :");
        cuts.sort_unstable();
        cuts.truncate(MAX_CUTS);
        for start in std::iter::once(0).chain(cuts.iter().map(|cut| cut.1)) {
            for end in cuts.iter().map(|cut| cut.0).chain([title.len()]).filter(|&end| end > start) {
                let part = bare(&title[start..end]);
                if part.is_empty() {
                    continue;
                }
                if start == 0 && !weak(end) {
                    first.push(part.clone());
                }
                all.push(part);
            }
        }
    }
    (all, first)
}

/// The share of the words of the shorter of two texts that the other one has too; nothing where they are of very
/// different length.
fn shared_words(one: &str, other: &str) -> f32 {
    const MOST_TIMES: usize = 4;
    let words = |text: &str| {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word));
        words.sort_unstable();
        words.dedup();
        words
    };
    let (one, other) = (words(one), words(other));
    let shared = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
    let (fewer, more) = (one.len().min(other.len()), one.len().max(other.len()));
    if fewer == 0 || shared * MOST_TIMES < more { 0.0 } else { shared as f32 / fewer as f32 }
}

/// The title of a page whose main text begins in block `begin`.
///
/// A heading that is a part of the stated title between its separators, the longest one; else the page's first heading of
/// the first level, if it shares half of its words with the stated title; else the headline of structured data, else the
/// stated title without the site's name. Where the page states no more than the site's name, the heading before the main
/// text is its title.
pub(crate) fn title(page: &Page, meta: &Metadata, begin: Option<usize>) -> Option<String> {
    let stated = [&meta.og_title, &meta.about.title].into_iter().flatten().map(String::as_str);
    let stated: Vec<&str> = stated.filter(|title| !title.trim().is_empty()).collect();
    let site = meta.about.site_name.as_deref();
    let site_name = site.map(bare).filter(|site| !site.is_empty());
    // A script's headline may be the site's name, which titles end with.
    let is_tail = |headline: &String| {
        let own = bare(headline);
        stated.iter().any(|title| {
            SEPARATORS
                .iter()
                .any(|separator| title.rsplit_once(separator).is_some_and(|(_, last)| bare(last) == own))
        })
    };
    let headline = meta
        .structured
        .headline
        .as_deref()
        .map(squeeze)
        .filter(|headline| !headline.is_empty() && !is_tail(headline));
    let cleaned: Vec<String> = stated.iter().map(|t| clean_title(t, site)).collect();
    let says_nothing = |title: &str| {
        let title = bare(title);
        title.is_empty() || site_name.as_ref() == Some(&title) || EMPTY.contains(&title.as_str())
    };
    let headings: Vec<Heading<'_>> =
        headings(page).into_iter().filter(|h| site_name.as_ref() != Some(&h.bare)).collect();
    let telling: Vec<&str> =
        stated.iter().copied().chain(headline.as_deref()).filter(|title| !says_nothing(title)).collect();
    if let Some(found) = repeated(&headings, &telling, cleaned.first(), headline.as_deref()) {
        return Some(squeeze(found));
    }
    if let Some(found) = alike(&headings, &telling, &cleaned) {
        return Some(found);
    }
    // The headline of a script that is about something else is none of the page.
    let own = |headline: &String| {
        stated.is_empty() || stated.iter().any(|title| shared_words(headline, title) >= LEAST)
    };
    let headline = headline.filter(own);
    let said = headline.into_iter().chain(cleaned.iter().cloned()).find(|title| !says_nothing(title));
    said.or_else(|| {
        let over = begin.and_then(|begin| {
            headings
                .iter()
                .rev()
                .find(|h| !h.framed && (begin.saturating_sub(NEAR)..=begin).contains(&h.block))
        });
        let first = || headings.iter().find(|h| h.level == 1 && !h.framed);
        over.or_else(first).map(|found| squeeze(found.text))
    })
    .or_else(|| cleaned.into_iter().find(|title| !title.is_empty()))
    .or_else(|| meta.about.title.clone())
}

/// The longest heading that is a part of a stated title; one of the frame only if it is all that is stated.
fn repeated<'a>(
    headings: &[Heading<'a>],
    stated: &[&str],
    cleaned: Option<&String>,
    headline: Option<&str>,
) -> Option<&'a str> {
    let (parts, begins) = parts(stated);
    let whole: Vec<String> = cleaned
        .into_iter()
        .map(String::as_str)
        .chain(headline)
        .chain(stated.iter().copied())
        .map(bare)
        .collect();
    // A part that is much shorter than what is stated is as likely a section or the site, unless it comes first.
    let least = whole.first().map_or(0, |whole| whole.len() / 2);
    let fits = |h: &&Heading<'_>| {
        whole.contains(&h.bare)
            || !h.framed
                && (begins.contains(&h.bare) || h.bare.len() >= least && parts.contains(&h.bare))
                && !EMPTY.contains(&h.bare.as_str())
    };
    let rank = |h: &Heading<'_>| (whole.contains(&h.bare), h.bare.len(), h.level == 1);
    headings.iter().filter(fits).rev().max_by_key(|h| rank(h)).map(|h| h.text)
}

/// The first heading of the first level, if it says nearly the stated title. Where it is no more than that with a kicker
/// before or a date behind, the stated title is better.
fn alike(headings: &[Heading<'_>], stated: &[&str], cleaned: &[String]) -> Option<String> {
    let main = headings.iter().find(|h| h.level == 1 && !h.framed)?;
    let within = |title: &&str| {
        let title = bare(title);
        title.len() >= MIN_WHOLE && (main.bare.starts_with(&title) || main.bare.ends_with(&title))
    };
    let whole = stated.iter().copied().chain(cleaned.iter().map(String::as_str)).filter(within);
    if let Some(title) = whole.max_by_key(|title| title.len()) {
        return Some(squeeze(title));
    }
    let near = |title: &&str| shared_words(main.text, title) >= LEAST;
    stated.iter().any(near).then(|| squeeze(main.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, metadata, parse};

    fn read(source: &str) -> Option<String> {
        let dom = parse(source, &Limits::default());
        let page = blocks(&dom, dom.body().expect("a body"));
        let meta = metadata(&dom, None, &[]);
        let begin = page.blocks.iter().position(|block| page.text_of(block).starts_with("Text"));
        title(&page, &meta, begin)
    }

    #[test]
    fn headings_that_repeat_or_resemble_what_is_stated() {
        for (source, want) in [
            // A heading of the navigation that is a piece of the title, but none of its parts.
            (
                "<title>take_all in crate::parts - Manual</title><nav><h2>In crate::parts</h2></nav><h1>Function crate::parts::take_all</h1>",
                "Function crate::parts::take_all",
            ),
            ("<title>Boats — The Manual of Ships</title><h1>The Manual</h1><h1>Boats</h1>", "Boats"),
            ("<title>Ferry (Ship Edition 7)</title><h1>Class Ferry</h1>", "Class Ferry"),
            // A heading that says nearly the same is what readers see.
            (
                "<title>Nine boats for 2025: our guide</title><h1>The nine best boats for rivers</h1>",
                "The nine best boats for rivers",
            ),
            (
                "<title>Nine boats for 2025: our guide</title><h1>Subscribe today</h1>",
                "Nine boats for 2025: our guide",
            ),
            // A kicker in the heading is none of the title.
            (
                "<meta property=og:title content='The ferry sails again'><h1><span>Harbour news</span> The ferry sails again</h1>",
                "The ferry sails again",
            ),
            // What is stated is the site's name only.
            ("<title>Home</title><h1>All about boats</h1><p>Text", "All about boats"),
            (
                "<title>River Portal</title><meta property=og:site_name content='River Portal'><h1>River Portal</h1><h2>Boats of the week</h2><p>Text",
                "Boats of the week",
            ),
            (
                "<title>River Portal</title><meta property=og:site_name content='River Portal'><p>Text",
                "River Portal",
            ),
            (
                "<title>The ferries sail again | River Portal</title><h1>River Portal</h1><h2>The ferries sail again</h2><script type=application/ld+json>{\"@type\":\"WebPage\",\"name\":\"River Portal\"}</script>",
                "The ferries sail again",
            ),
        ] {
            assert_eq!(read(source).as_deref(), Some(want), "{source}");
        }
    }

    #[test]
    fn titles_lose_the_site() {
        for (title, site, want) in [
            ("A long headline here | The Site", Some("The Site"), "A long headline here"),
            ("The Site - A headline", Some("the site"), "A headline"),
            ("A long headline here - Site", None, "A long headline here"),
            ("短标题_新闻频道", None, "短标题_新闻频道"),
            ("国务院办公厅印发关于假期的通知_新闻频道", None, "国务院办公厅印发关于假期的通知"),
            ("C++", None, "C++"),
        ] {
            assert_eq!(clean_title(title, site), want);
        }
    }
}
