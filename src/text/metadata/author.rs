//! Who wrote a page.
//!
//! Order of trust: structured data, stated metadata, elements marked up as author (`rel`, `itemprop`), elements named after
//! what they hold (`byline`, `post-author-name`), links to authors' pages, text near the title ("By …", 作者：…),
//! and reporters that a Chinese text names at its ends. Elements among comments, related articles and side bars do not
//! count. Names lose what introduces them, dates, handles, offices and what follows a separator.
//!
//! What names the site, its host, an organisation of the structured data or, by its words, a firm is no author: nobody is
//! better than the house. Editors of Chinese pages (责任编辑) are no authors.
//!
//! Cost: one walk over the body, looking at names of elements only; text is read of the few that fit.

use super::byline::{authors_in, behind_label, recased};
use super::chinese_byline::chinese_byline;
use crate::blocks::class_names::{Kind, kinds_of};
use crate::blocks::page::Page;
use crate::choice::page_type::PageType;
use crate::comparison::bare;
use crate::person_name::{is_agency, is_house, is_person};
use webmill_capture::cut::Cut;
use webmill_html::{Dom, Metadata, NodeId, Tag};

/// Words of an element that is a name.
const MAX_WORDS: usize = 10;
/// Bytes of an element that is read as a name.
const MAX_BYTES: usize = 300;
/// Blocks around the title in which a name is looked for.
const NEAR: usize = 12;
/// Elements that are read at most.
const MAX_READ: usize = 200;

/// The author of a page of a kind whose title is block `near`; several parted by `; `.
pub(crate) fn author(
    dom: &Dom<'_>,
    meta: &Metadata,
    page: &Page,
    near: usize,
    kind: PageType,
) -> Option<String> {
    let found = chosen(dom, meta, page, near, kind)?;
    Some(found.split("; ").map(recased).collect::<Vec<_>>().join("; "))
}

fn chosen(dom: &Dom<'_>, meta: &Metadata, page: &Page, near: usize, kind: PageType) -> Option<String> {
    let houses = PublisherNames::of(meta);
    let mut named: Vec<String> = Vec::new();
    let listed = || meta.about.author.iter().flat_map(|names| names.split("; "));
    let first: Vec<&str> = if meta.structured.authors.is_empty() {
        listed().collect()
    } else {
        meta.structured.authors.iter().map(String::as_str).collect()
    };
    for name in first.into_iter().flat_map(authors_in) {
        if !named.contains(&name) && !houses.has(&name) {
            named.push(name);
        }
    }
    // Pages of lists name those who wrote what they list: only one name can be the page's. Those of goods name who reviewed them.
    let lists = matches!(kind, PageType::Listing | PageType::Collection | PageType::Service);
    let shown = |alone: bool| written(dom, page, near, &houses, alone);
    let written = || match kind {
        PageType::Product => near_title(page, near).filter(|name| !houses.has(name)),
        _ => shown(lists),
    };
    match named.as_slice() {
        [] => written(),
        // A name for the public, or initials: the byline may write it in full.
        [short] if !short.contains(' ') => {
            let full = written().filter(|full| is_person(full) && is_short_for(short, full));
            full.or_else(|| Some(short.clone()).filter(|name| !is_initials(name)))
        }
        // Markup names the authors one by one, and the stated one may be the first of them.
        [one] if meta.structured.authors.is_empty() => {
            let all = shown(false).filter(|all| all.split("; ").next() == Some(one));
            Some(all.unwrap_or_else(|| one.clone()))
        }
        names => Some(names.join("; ")),
    }
}

/// Names, by letters and digits, that are not of those who write.
struct PublisherNames {
    /// What structured data call an organisation.
    said: Vec<String>,
    /// What the site and its host are called.
    site: Vec<String>,
}

impl PublisherNames {
    fn of(meta: &Metadata) -> PublisherNames {
        let said = meta.structured.organisations.iter().map(|name| bare(name)).collect();
        let mut site: Vec<String> = [&meta.about.site_name, &meta.structured.site_name]
            .into_iter()
            .flatten()
            .map(|name| bare(name))
            .collect();
        if let Some(url) = meta.canonical.as_ref().or(meta.base.as_ref()) {
            let domain = url.registrable_domain();
            site.push(bare(domain));
            site.extend(domain.split('.').next().map(bare));
        }
        site.retain(|name| !name.is_empty());
        PublisherNames { said, site }
    }

    /// Whether a name is one of a house. A blog may be called by the name of who writes it.
    fn has(&self, name: &str) -> bool {
        if is_agency(name) {
            return false;
        }
        let own = bare(name);
        let known = |names: &[String]| names.contains(&own) || names.contains(&format!("the{own}"));
        let words = name.split_whitespace();
        let person = (2..=3).contains(&words.clone().count())
            && words.clone().all(|word| word.chars().skip(1).any(char::is_lowercase))
            && !own.starts_with("the");
        is_house(name) || known(&self.said) || known(&self.site) && !person
    }
}

/// Whether a name of one word may stand for a longer one: a word of it, or its initials.
fn is_short_for(short: &str, full: &str) -> bool {
    let short = bare(short);
    let initials: String = full.split_whitespace().filter_map(|word| word.chars().next()).collect();
    full.split_whitespace().any(|word| bare(word) == short) || bare(&initials) == short
}

/// Whether a name is two or three capitals, or less.
fn is_initials(name: &str) -> bool {
    name.is_ascii() && name.len() <= 3 && !name.bytes().skip(1).any(|b| b.is_ascii_lowercase())
        || name.len() < 2
}

/// Whether the names of an element, or of one around it, put it outside of the text.
pub(crate) fn in_frame(dom: &Dom<'_>, node: NodeId) -> bool {
    const FRAME: u64 = Kind::Comment.bit() | Kind::Related.bit() | Kind::Nav.bit();
    std::iter::once(node).chain(dom.ancestors(node)).take(24).any(|n| {
        let tag = dom.tag(n);
        if matches!(tag, Tag::Body | Tag::Html | Tag::Article | Tag::Main) {
            return false;
        }
        let kinds = ["class", "id"]
            .iter()
            .filter_map(|name| dom.attr(n, name))
            .fold(0, |bits, name| bits | kinds_of(name));
        matches!(tag, Tag::Nav | Tag::Aside) || kinds & FRAME != 0
    })
}

/// Whether an element, or one around it, has the attribute `hidden`.
fn is_hidden(dom: &Dom<'_>, node: NodeId) -> bool {
    let hides = |n| dom.attr(n, "hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found"));
    std::iter::once(node).chain(dom.ancestors(node)).take(24).any(hides)
}

/// The text of an element, or its `content`, if it is short enough for a name.
fn name_in(dom: &Dom<'_>, node: NodeId) -> Option<String> {
    let mut text = String::new();
    match dom.attr(node, "content") {
        Some(content) => text.push_str(content),
        None => {
            for n in dom.descendants(node).take(60) {
                if dom.is_text(n)
                    && !dom
                        .parent(n)
                        .is_some_and(|p| matches!(dom.tag(p), Tag::Script | Tag::Style | Tag::Time))
                {
                    text.push_str(dom.text(n));
                    text.push(' ');
                    if text.len() > MAX_BYTES {
                        break;
                    }
                }
            }
        }
    }
    let short = text.len() <= MAX_BYTES && text.split_whitespace().count() <= MAX_WORDS;
    let names = if short { authors_in(&text) } else { Vec::new() };
    let few = names.iter().all(|name| name.split_whitespace().count() <= 8);
    (few && !names.is_empty()).then(|| names.join("; "))
}

/// Whether a class or id says that its element holds an author: the last word of it does.
fn says_author(names: &str) -> bool {
    names.split_ascii_whitespace().take(12).any(|name| {
        let name = unhashed(name.get(..60).unwrap_or(name)).trim_end_matches(['-', '_']);
        let part = ["name", "names", "link", "header", "s"]
            .iter()
            .find_map(|end| ends_with(name, end).then(|| name.cut(..name.len() - end.len())))
            .unwrap_or(name);
        let part = part.trim_end_matches(['-', '_']);
        // A part of what is about an author: `author-box__name`, `author-meta--name`.
        let about = || {
            let boxes = ["box", "meta", "card", "info", "bio", "block", "details"];
            let inner = boxes.iter().find(|end| ends_with(part, end) && part.len() < name.len());
            let outer = inner.map(|end| part.cut(..part.len() - end.len()).trim_end_matches(['-', '_']));
            outer.is_some_and(|outer| ends_with(outer, "author")) && ends_with(name, "name")
        };
        let is_writer = || name.eq_ignore_ascii_case("writer");
        about()
            || ["author", "autor", "autorenzeile", "byline", "writer"]
                .iter()
                .any(|word| ends_with(part, word))
                && !is_writer()
            || name.eq_ignore_ascii_case("vcard")
    })
}

/// A class without what a bundler put behind it to make it unique: `post_authorName__N6j3Y`.
fn unhashed(name: &str) -> &str {
    const HASH: usize = 5;
    let parts = name.len().checked_sub(HASH).and_then(|at| name.split_at_checked(at));
    match parts {
        Some((first, hash))
            if first.ends_with("__")
                && hash.bytes().any(|b| b.is_ascii_digit())
                && !hash.starts_with('_')
                && !hash.contains("__") =>
        {
            first.cut(..first.len() - 2)
        }
        _ => name,
    }
}

/// Whether a name ends with an ASCII word, whatever the case.
fn ends_with(name: &str, word: &str) -> bool {
    let at = name.len().checked_sub(word.len());
    at.is_some_and(|at| name.as_bytes()[at..].eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether an address has a folder that is called after authors.
fn is_profile(href: &str) -> bool {
    if memchr::memmem::find(href.as_bytes(), b"/au").is_none() {
        return false;
    }
    let mut parts = href.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_some()
            && matches!(part, "author" | "authors" | "autor" | "autoren" | "auteur" | "auteurs")
        {
            return true;
        }
    }
    false
}

/// Whether a name looks like one of a person or, in scripts without capitals, is short.
fn is_name_like(name: &str) -> bool {
    let cased = name.chars().any(|c| c.is_uppercase() || c.is_lowercase());
    if cased { is_person(name) && name.contains(' ') } else { name.chars().count() <= 12 }
}

/// The author written on the page; with `alone` none of elements that name several.
fn written(dom: &Dom<'_>, page: &Page, near: usize, houses: &PublisherNames, alone: bool) -> Option<String> {
    let mut all = MarkedAuthors::default();
    let mut named: Option<String> = None;
    let mut linked: Option<String> = None;
    let mut names: Vec<String> = Vec::new();
    let mut read = 0;
    for node in dom.descendants(dom.body()?) {
        if !dom.is_element(node) || read > MAX_READ {
            continue;
        }
        let (mut marked, mut writer, mut names_of, mut href) = (false, false, ["", ""], None);
        let has = |list: &str, word: &str| list.split_ascii_whitespace().any(|token| token == word);
        for (name, value) in dom.attrs(node) {
            match name {
                "rel" | "itemprop" => marked |= has(value, "author"),
                "class" | "id" => {
                    writer |= has(value, "writer");
                    names_of[usize::from(name == "id")] = value;
                }
                "href" => href = href.or(Some(value)),
                _ => {}
            }
        }
        let called = || names_of.into_iter().any(says_author);
        let profile = || dom.tag(node) == Tag::A && href.is_some_and(is_profile);
        let wanted = marked
            || (alone || named.is_none()) && (writer || called())
            || (alone || linked.is_none()) && profile();
        if !wanted || in_frame(dom, node) || is_hidden(dom, node) {
            continue;
        }
        read += 1;
        let name = name_in(dom, node).filter(|name| !houses.has(name) && !is_initials(name));
        let Some(name) = name else { continue };
        if alone && !names.contains(&name) {
            names.push(name.clone());
        }
        if marked {
            all.add(dom, node, name);
            continue;
        }
        if called() || writer && is_name_like(&name) {
            named = named.or(Some(name));
        } else if profile() {
            linked = linked.or(Some(name));
        }
    }
    let elements = if names.len() > 1 { None } else { all.names().or(named).or(linked) };
    elements
        .or_else(|| near_title(page, near).filter(|name| !houses.has(name)))
        .or_else(|| Some(chinese_byline(page, near)?.join("; ")))
}

/// Names of elements that are marked up as author: the first one, and those that stand beside it.
#[derive(Default)]
struct MarkedAuthors {
    place: Option<NodeId>,
    names: Vec<String>,
}

impl MarkedAuthors {
    /// Names of one byline.
    const MOST: usize = 20;

    fn add(&mut self, dom: &Dom<'_>, node: NodeId, name: String) {
        // Two steps up: each name may be in an item of a list.
        let above = dom.parent(node).and_then(|parent| dom.parent(parent));
        let beside = self.place.is_none() || self.place == above;
        if beside && self.names.len() < Self::MOST && !self.names.contains(&name) {
            self.place = above;
            self.names.push(name);
        }
    }

    fn names(&self) -> Option<String> {
        (!self.names.is_empty()).then(|| self.names.join("; "))
    }
}

/// Whether a text is but the label of who wrote.
fn is_label(text: &str) -> bool {
    let text = text.trim_end_matches([':', ' ']);
    const LABELS: [&str; 4] = ["written by", "posted by", "published by", "geschrieben von"];
    LABELS.iter().any(|label| text.eq_ignore_ascii_case(label))
}

/// A byline in the blocks around the title.
fn near_title(page: &Page, near: usize) -> Option<String> {
    let range = near.saturating_sub(3)..(near + NEAR).min(page.blocks.len());
    let mut behind_by = false;
    for block in &page.blocks[range] {
        let text = page.text_of(block);
        // A label that is a block of its own, and the name in the next one.
        let is_behind = std::mem::replace(&mut behind_by, is_label(text));
        if is_behind && text.len() < 60 && text.contains(' ') && text.split(' ').count() <= 4 {
            let names = authors_in(text);
            if !names.is_empty() && names.iter().all(|name| is_person(name) && name.contains(' ')) {
                return Some(names.join("; "));
            }
        }
        if text.len() > 200 {
            continue;
        }
        let container = &page.containers[block.container as usize];
        let byline =
            container.distance[Kind::Byline as usize] <= 1 || block.inline_kinds & Kind::Byline.bit() != 0;
        let lower = text.get(..12).unwrap_or(text).to_lowercase();
        let starts = ["by ", "von ", "von: ", "par ", "por ", "autor: ", "author: "]
            .iter()
            .any(|start| lower.starts_with(start));
        if starts && (byline || text.split(' ').count() <= 6) {
            let names = authors_in(text);
            if !names.is_empty() && names.iter().all(|name| is_person(name)) {
                return Some(names.join("; "));
            }
        }
        if behind_label(text).is_some() {
            let names = authors_in(text);
            if !names.is_empty() {
                return Some(names.join("; "));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, metadata, parse};

    fn read(source: &str) -> Option<String> {
        let dom = parse(source, &Limits::default());
        let page = blocks(&dom, dom.body().expect("a body"));
        author(&dom, &metadata(&dom, None, &[]), &page, 0, PageType::Article)
    }

    #[test]
    fn marked_named_linked_written() {
        for (source, want) in [
            ("<h1>T</h1><a class=herald-author-name href=/x>Ann Lee</a>", Some("Ann Lee")),
            ("<h1>T</h1><p class=byline__author>von <a href=/a>Bo Li</a> am 3. Mai 2020</p>", Some("Bo Li")),
            ("<h1>T</h1><p>x <a href=/author/ann-lee>Ann Lee</a></p>", Some("Ann Lee")),
            ("<h1>T</h1><p>Von Claudia Lindner</p>", Some("Claudia Lindner")),
            ("<h1>T</h1><p>Written by</p><p>Ann Lee</p>", Some("Ann Lee")),
            ("<h1>T</h1><p>Written by</p><p>Harbour</p>", None),
            ("<h1>T</h1><i class=post_authorName__N6j3Y>Ann Lee</i>", Some("Ann Lee")),
            ("<h1>T</h1><i class=post_author__lead>Ann Lee</i>", None),
            ("<h1>T</h1><i class=author__Posts>Ann Lee</i>", None),
            ("<h1>T</h1><p>Author</p><p>Last Post</p>", None),
            ("<h1>T</h1><h4 class=author-box__name>Ann Lee</h4>", Some("Ann Lee")),
            ("<h1>T</h1><p class=autorenzeile>Von Ann Lee, Bo Li", Some("Ann Lee; Bo Li")),
            ("<h1>T</h1><div hidden><b class=author>Ann Lee</b></div>", None),
            ("<h1>T</h1><b class=writer>write a review</b><b class=writer>Ann Lee</b>", Some("Ann Lee")),
            ("<h1>T</h1><b class=writer>홍길동</b>", Some("홍길동")),
            ("<h1>T</h1><p>von hier aus geht es weiter</p>", None),
            ("<h1>T</h1><div class=comment><span class=author>Troll</span></div>", None),
            ("<h1>T</h1><span itemprop=author>Cy</span><a class=author>Di</a>", Some("Cy")),
            (
                "<meta name=author content='The Site'><meta property=og:site_name content='The site'><b class=author>Eve Fox</b>",
                Some("Eve Fox"),
            ),
            (
                "<meta name=author content='The Site'><meta property=og:site_name content='The site'><p>x",
                None,
            ),
            (
                "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":[{\"@type\":\"Organization\",\"name\":\"Herald\"}]}</script><b class=author>Eve Fox</b>",
                Some("Eve Fox"),
            ),
            (
                "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":[{\"@type\":\"Organization\",\"name\":\"Herald\"},{\"@type\":\"Person\",\"name\":\"Bo Li\"}]}</script>",
                Some("Bo Li"),
            ),
            ("<meta name=author content='Herald Media GmbH'><p>x", None),
            (
                "<meta name=author content='Ann Lee'><meta property=og:site_name content='Ann Lee'><p>x",
                Some("Ann Lee"),
            ),
            (
                "<link rel=canonical href=http://herald.example.org/a><meta name=author content=Example><p>x",
                None,
            ),
            (
                "<meta name=citation_author content='Ann Lee'><meta name=citation_author content='Bo Li'>",
                Some("Ann Lee; Bo Li"),
            ),
            ("<meta name=author content=EF><b class=author>Eve Fox</b>", Some("Eve Fox")),
            ("<meta name=author content=EF><b class=author>Ann Lee</b>", None),
            (
                "<h1>T</h1><p><a rel=author>Ann Lee</a>, <a rel=author>Bo Li</a></p><div><p><a rel=author>Cy Poe</a></p></div>",
                Some("Ann Lee; Bo Li"),
            ),
            ("<h1>题</h1><p>责任编辑：张三</p>", None),
            ("<h1>题</h1><p>来源：某报 作者：张三 李四</p>", Some("张三; 李四")),
        ] {
            assert_eq!(read(source).as_deref(), want, "{source}");
        }
    }
}
