//! Title of a page's main text.
//!
//! **Adding a rule** is a function and its line in [`RULES`]: the first that finds a title names the page. Main texts do not
//! depend on it. Raise `VERSION` in `jobs/extract.rs`.
//!
//! **Cost.** Linear in headings, but for the parts of a stated title, of which there are at most some hundred.

use super::stated_title::{MAX_TITLE, SEPARATORS, clean_title, parts, squeeze};
use crate::blocks::class_names::Kind;
use crate::blocks::elements::heading;
use crate::blocks::page::Page;
use crate::comparison::{bare, each_word};
use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;
use webmill_capture::{CanonicalUrl, cut::Cut};
use webmill_html::{Dom, Metadata, NodeId, Tag, is_placeholder_title};

/// The rules, in order.
const RULES: [fn(&Titles<'_>) -> Option<String>; 7] = [
    heading_that_repeats,
    heading_that_resembles,
    headline_of_structured_data,
    stated_without_site,
    heading_near_the_text,
    stated_whatever_it_says,
    title_element,
];

/// The title of a page whose main text begins in block `begin`.
pub(crate) fn title(dom: &Dom<'_>, page: &Page, meta: &Metadata, begin: Option<usize>) -> Option<String> {
    let titles = Titles::of(dom, page, meta, begin);
    let chosen = RULES.iter().find_map(|rule| rule(&titles));
    named_by_the_address(&titles, chosen.as_deref()).or(chosen)
}

/// Titles that pages of any site have.
const EMPTY: [&str; 8] = ["home", "homepage", "startseite", "accueil", "inicio", "index", "welcome", "首页"];

/// Blocks before the main text among which its heading is looked for where the stated title says nothing.
const NEAR: usize = 8;
/// Letters and digits, in bytes, of a stated title that a longer heading is not preferred to.
const MIN_WHOLE: usize = 12;
/// Share of words of two titles that say nearly the same.
const LEAST: f32 = 0.5;
/// Steps up to an element that makes a heading one of the frame.
const MAX_UP: u8 = 2;

/// What rules choose among.
struct Titles<'a> {
    /// What the page states: `og:title`, then `<title>`.
    stated: Vec<&'a str>,
    /// The same without the site's name.
    cleaned: Vec<String>,
    /// Headline of structured data.
    headline: Option<String>,
    /// Headings that are not the site's name.
    headings: Vec<Heading<'a>>,
    /// Letters and digits of the site's name.
    site: Option<String>,
    /// The block that the main text begins in.
    begin: Option<usize>,
    /// `<title>`, even if it is blank.
    element: Option<&'a String>,
    /// What the page's address calls it.
    names: Vec<String>,
}

/// A heading of the page.
struct Heading<'a> {
    level: u8,
    block: usize,
    text: &'a str,
    bare: String,
    /// Whether it stands in navigation, a side bar or among related pages or comments.
    framed: bool,
}

fn headings<'a>(dom: &Dom<'_>, page: &'a Page, stated: &[&str]) -> Vec<Heading<'a>> {
    const FRAME: [Kind; 5] = [Kind::Nav, Kind::Side, Kind::Related, Kind::Comment, Kind::Modal];
    let blocks = page.blocks.iter().enumerate();
    blocks
        .filter_map(|(at, block)| {
            let container = &page.containers[block.container as usize];
            let level = heading(container.tag)?;
            let whole = page.text_of(block);
            // What the page states with its kicker is called so.
            let own = |text: &str| {
                whole.len() <= MAX_TITLE && stated.iter().any(|stated| bare(stated).contains(&bare(text)))
            };
            let bared = without_kicker(dom, container.node, whole);
            let text = if bared.len() < whole.len() && own(whole) { whole } else { bared };
            let framed = FRAME.iter().any(|&kind| container.distance[kind as usize] <= MAX_UP);
            let bare = if text.len() <= MAX_TITLE { bare(text) } else { String::new() };
            (!bare.is_empty()).then_some(Heading { level, block: at, text, bare, framed })
        })
        .collect()
}

/// A heading without the line above the headline that an element of its own in it holds, called so by its class.
fn without_kicker<'a>(dom: &Dom<'_>, heading: NodeId, text: &'a str) -> &'a str {
    const NAMES: [&str; 12] = [
        "kicker",
        "eyebrow",
        "overline",
        "topline",
        "roofline",
        "dachzeile",
        "spitzmarke",
        "supertitle",
        "suptitle",
        "pretitle",
        "antetitulo",
        "catchline",
    ];
    const MAX_CHILDREN: usize = 8;
    let named = |n: &NodeId| {
        let class = dom.attr(*n, "class").unwrap_or_default().to_ascii_lowercase();
        !matches!(dom.tag(*n), Tag::Script | Tag::Style) && NAMES.iter().any(|name| class.contains(name))
    };
    let inside = dom.descendants(heading).filter(|&n| dom.is_element(n)).take(MAX_CHILDREN);
    let Some(kicker) = inside.into_iter().find(named) else { return text };
    let mut words = String::new();
    dom.text_content(kicker, &mut words);
    let words = squeeze(&words);
    let rest = text.strip_prefix(words.as_str()).filter(|_| !words.is_empty());
    let rest = rest.map(|rest| rest.trim_start_matches([' ', ':', '|', '-', '–', '—', '·', '/']));
    rest.filter(|rest| bare(rest).len() >= MIN_WHOLE).unwrap_or(text)
}

impl<'a> Titles<'a> {
    fn of(dom: &Dom<'_>, page: &'a Page, meta: &'a Metadata, begin: Option<usize>) -> Self {
        let stated = [&meta.og_title, &meta.about.title].into_iter().flatten().map(String::as_str);
        let stated: Vec<&str> = stated.filter(|title| !title.trim().is_empty()).collect();
        let name = meta.about.site_name.as_deref();
        let site = name.map(bare).filter(|site| !site.is_empty());
        // A script's headline may be the site's name, which titles end with.
        let is_tail = |headline: &String| {
            let own = bare(headline);
            let last = |title: &str, separator| {
                title.rsplit_once(separator).is_some_and(|(_, last)| bare(last) == own)
            };
            stated.iter().any(|title| SEPARATORS.iter().any(|separator| last(title, *separator)))
        };
        let headline = meta.structured.headline.as_deref().map(squeeze);
        Titles {
            cleaned: stated.iter().map(|title| clean_title(title, name)).collect(),
            headline: headline.filter(|headline| !headline.is_empty() && !is_tail(headline)),
            headings: headings(dom, page, &stated)
                .into_iter()
                .filter(|h| site.as_ref() != Some(&h.bare))
                .collect(),
            stated,
            site,
            begin,
            element: meta.about.title.as_ref(),
            names: meta.own_address().map(names_in).unwrap_or_default(),
        }
    }

    /// Whether a title says no more than which site it is of, or nothing at all.
    fn says_nothing(&self, stated: &str) -> bool {
        let title = bare(stated);
        title.is_empty()
            || self.site.as_ref() == Some(&title)
            || EMPTY.contains(&title.as_str())
            || is_placeholder_title(stated)
    }

    /// The stated title, headline included, if it says something.
    fn telling(&self) -> Vec<&str> {
        let all = self.stated.iter().copied().chain(self.headline.as_deref());
        all.filter(|title| !self.says_nothing(title)).collect()
    }

    /// The first heading of the first level outside of the frame.
    fn main_heading(&self) -> Option<&Heading<'a>> {
        self.headings.iter().find(|h| h.level == 1 && !h.framed)
    }
}

/// The heading that the page's address is made of (`/archives/vibe-coding-4312.html`), where what rules chose is shown nowhere on the page;
/// and any title that the address is made of, where the chosen one has a kicker before it.
fn named_by_the_address(titles: &Titles<'_>, chosen: Option<&str>) -> Option<String> {
    let chosen = chosen.unwrap_or_default();
    let is_named =
        |text: &&str| text.len() <= MAX_TITLE && slugs(text).iter().any(|slug| titles.names.contains(slug));
    if titles.names.is_empty() || is_named(&chosen) {
        return None;
    }
    let own = bare(chosen);
    let shown = titles.headings.iter().any(|h| !h.framed && h.bare == own);
    let has_kicker = |text: &&str| {
        let text = bare(text);
        (MIN_WHOLE..own.len()).contains(&text.len()) && own.ends_with(&text)
    };
    // What a title goes on with may be the half of it that addresses leave out; a site's name is not.
    let goes_on = |text: &&str| {
        let rest = chosen
            .get(..text.len())
            .filter(|start| bare(start) == bare(text))
            .map(|_| chosen.cut(text.len()..));
        rest.map_or(own.starts_with(&bare(text)), |rest| {
            !SEPARATORS.iter().any(|mark| rest.starts_with(mark))
        })
    };
    let headings = titles.headings.iter().filter(|h| h.level <= 3 && !h.framed).map(|h| h.text);
    let headings = headings.filter(|text| has_kicker(text) || !shown && !goes_on(text));
    let stated = titles.headline.as_deref().into_iter().chain(titles.cleaned.iter().map(String::as_str));
    headings.chain(stated.filter(has_kicker)).find(is_named).map(squeeze)
}

/// Bytes of a name in an address from which on it tells a title from the sections of a site.
const MIN_NAME: usize = 8;

/// What the last part of an address's path calls the page, as [`slugs`]: whole, and without the numbers around it.
fn names_in(address: &CanonicalUrl) -> Vec<String> {
    let path = percent_decode_str(address.path()).decode_utf8_lossy();
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let extension = last.rsplit_once('.').filter(|(_, extension)| extension.len() <= 5);
    let stem = extension.map_or(last, |(stem, _)| stem);
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    let [whole, bare] = [stem, stem.trim_matches(is_number)].map(|name| slugs(name)[0].clone());
    [whole, bare].into_iter().filter(|name| name.len() >= MIN_NAME).collect()
}

/// A title as addresses have it: its letters and digits, in lower case, without accents; and the same with umlauts as two letters.
fn slugs(text: &str) -> [String; 2] {
    let plain = |text: &str| -> String {
        let letters = text.nfkd().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
        letters.collect::<String>().replace('ß', "ss")
    };
    let umlauts = [('ä', "ae"), ('ö', "oe"), ('ü', "ue")];
    let mut other: String = text.nfc().flat_map(char::to_lowercase).collect();
    umlauts.iter().for_each(|(letter, two)| other = other.replace(*letter, two));
    [plain(text), plain(&other)]
}

/// The longest heading that is a part of a stated title between its separators; one of the frame only if it is all that is
/// stated.
fn heading_that_repeats(titles: &Titles<'_>) -> Option<String> {
    let telling = titles.telling();
    let (parts, begins) = parts(&telling);
    let cleaned = titles.cleaned.first().map(String::as_str);
    let whole = cleaned.into_iter().chain(titles.headline.as_deref()).chain(telling.iter().copied());
    let whole: Vec<String> = whole.map(bare).collect();
    // A part that is much shorter than the stated title is as likely a section or the site, unless it comes first.
    let least = whole.first().map_or(0, |whole| whole.len() / 2);
    let fits = |h: &&Heading<'_>| {
        whole.contains(&h.bare)
            || !h.framed
                && (begins.contains(&h.bare) || h.bare.len() >= least && parts.contains(&h.bare))
                && !EMPTY.contains(&h.bare.as_str())
    };
    let rank = |h: &Heading<'_>| (whole.contains(&h.bare), h.bare.len(), h.level == 1);
    titles.headings.iter().filter(fits).rev().max_by_key(|h| rank(h)).map(|h| squeeze(h.text))
}

/// The first heading of the first level, if it shares half of its words with a stated title. Where it is no more than that
/// with a kicker before or a date behind, the stated title is better.
fn heading_that_resembles(titles: &Titles<'_>) -> Option<String> {
    let main = titles.main_heading()?;
    let within = |title: &&str| {
        let title = bare(title);
        title.len() >= MIN_WHOLE && (main.bare.starts_with(&title) || main.bare.ends_with(&title))
    };
    let telling = titles.telling();
    let whole = telling.iter().copied().chain(titles.cleaned.iter().map(String::as_str)).filter(within);
    if let Some(title) = whole.max_by_key(|title| title.len()) {
        return Some(squeeze(title));
    }
    let near = |title: &&str| shared_words(main.text, title) >= LEAST;
    telling.iter().any(near).then(|| squeeze(main.text))
}

/// The headline of structured data, unless it is of a script that is about something else.
fn headline_of_structured_data(titles: &Titles<'_>) -> Option<String> {
    let headline = titles.headline.as_ref().filter(|headline| !titles.says_nothing(headline))?;
    let near = |title: &&str| shared_words(headline, title) >= LEAST;
    (titles.stated.is_empty() || titles.stated.iter().any(near)).then(|| headline.clone())
}

/// The stated title without the site's name.
fn stated_without_site(titles: &Titles<'_>) -> Option<String> {
    titles.cleaned.iter().find(|title| !titles.says_nothing(title)).cloned()
}

/// Where the page states no more than the site's name, the heading before the main text.
fn heading_near_the_text(titles: &Titles<'_>) -> Option<String> {
    let over = titles.begin.and_then(|begin| {
        let near = begin.saturating_sub(NEAR)..=begin;
        titles.headings.iter().rev().find(|h| !h.framed && near.contains(&h.block))
    });
    over.or_else(|| titles.main_heading()).map(|found| squeeze(found.text))
}

/// A title that all pages of the site may have.
fn stated_whatever_it_says(titles: &Titles<'_>) -> Option<String> {
    titles.cleaned.iter().find(|title| !title.is_empty()).cloned()
}

/// `<title>` as it stands.
fn title_element(titles: &Titles<'_>) -> Option<String> {
    titles.element.cloned()
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
        title(&dom, &page, &meta, begin)
    }

    #[test]
    fn headings_that_addresses_are_made_of() {
        for (address, source, want) in [
            (
                "river/kleine-muehlenkunde/",
                "<title>The Mill – A Webcomic</title><h2>Kleine Mühlenkunde</h2>",
                "Kleine Mühlenkunde",
            ),
            (
                "2020/vibe_milling-4312.html",
                "<title>millriver.example</title><h3>Vibe milling</h3>",
                "Vibe milling",
            ),
            (
                "die-fahre-nach-strassburg",
                "<title>Von der Fähre</title><h1>Die Fähre nach Straßburg</h1>",
                "Die Fähre nach Straßburg",
            ),
            (
                "mill-tips-and-tales",
                "<title>Mill tips and tales | Millshack | Mills</title><h1>Mill Tips and Tales</h1>",
                "Mill Tips and Tales",
            ),
            // A kicker goes.
            (
                "threads/notes-on-mills-4-47",
                "<title>Patches</title><h1>Patches Notes on mills 4.47</h1><h2>Notes on mills 4.47</h2>",
                "Notes on mills 4.47",
            ),
            // What is shown stays, and what goes on, and what no heading says.
            (
                "what-are-mills-for",
                "<title>Mills 101</title><h1>Mills 101</h1><h2>What are mills for</h2>",
                "Mills 101",
            ),
            (
                "milling-basics",
                "<title>Milling basics: what a miller does</title><h2>Milling basics</h2>",
                "Milling basics: what a miller does",
            ),
            ("about", "<title>Millers of the river</title><h2>About</h2>", "Millers of the river"),
            ("%E6%B2%B3%E4%B8%8A%E7%9A%84%E8%88%B9", "<title>网站</title><h2>河上的船</h2>", "河上的船"),
        ] {
            let dom = parse(source, &Limits::default());
            let page = blocks(&dom, dom.body().expect("a body"));
            let url = CanonicalUrl::parse(&format!("http://mill.example/{address}"));
            let meta = metadata(&dom, url.as_ref(), &[]).found_at(url.as_ref());
            assert_eq!(title(&dom, &page, &meta, None).as_deref(), Some(want), "{source}");
        }
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
            (
                "<title>Why ferries of the harbour sail again</title><h1><span class=article-kicker>News:</span> Ferries of the harbour sail again today</h1>",
                "Ferries of the harbour sail again today",
            ),
            (
                "<title>Ferries: They sail again - River Portal</title><h1><span class=kicker>Ferries</span> They sail again</h1>",
                "Ferries They sail again",
            ),
            // The stated title is the name that the program gave the page.
            ("<title>Untitled Document</title><h1>All about boats</h1><p>Text", "All about boats"),
            ("<title>新建网页 1</title><h1>河上的船</h1><p>Text", "河上的船"),
            // The stated title is the site's name only.
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
}
