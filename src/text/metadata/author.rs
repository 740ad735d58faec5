//! Who wrote a page.
//!
//! Order of trust: structured data, stated metadata unless it only repeats the site's name, elements marked up as author
//! (`rel`, `itemprop`), elements named after what they hold (`byline`, `post-author-name`), links to authors' pages, and
//! what is written near the title ("By …", 作者：…). Elements among comments, related articles and side bars do not count.
//! Names lose what introduces them, dates, handles and what follows a separator.
//!
//! Cost: one walk over the body, looking at names of elements only; text is read of the few that fit.

use crate::blocks::class_names::{Kind, kinds_of};
use crate::blocks::page::Page;
use crate::comparison::bare;
use crate::person_name::{clean_author, is_person};
use webmill_html::{Dom, Metadata, NodeId, Tag};

/// Words of an element that is a name.
const MAX_WORDS: usize = 10;
/// Bytes of an element that is read as a name.
const MAX_BYTES: usize = 300;
/// Blocks around the title in which a name is looked for.
const NEAR: usize = 12;
/// Elements that are read at most.
const MAX_READ: usize = 200;

/// The author of a page whose title is block `near`.
pub(crate) fn author(dom: &Dom<'_>, meta: &Metadata, page: &Page, near: usize) -> Option<String> {
    let site = meta.site_name.as_deref().map(bare).filter(|site| !site.is_empty());
    let is_site = |name: &String| site.as_ref().is_some_and(|site| bare(name) == *site);
    let mut named: Vec<String> = Vec::new();
    for name in meta.structured.authors.iter().filter_map(|name| clean_author(name)) {
        if !named.contains(&name) {
            named.push(name);
        }
    }
    let stated = Some(named.join("; "))
        .filter(|names| !names.is_empty())
        .or_else(|| meta.author.as_deref().and_then(clean_author));
    match stated {
        Some(name) if !is_site(&name) => Some(name),
        house => written(dom, page, near).filter(|name| !is_site(name)).or(house),
    }
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
    let name = if short { clean_author(&text) } else { None };
    name.filter(|name| name.split_whitespace().count() <= 8)
}

/// Whether a class or id says that its element holds an author: the last word of it does.
fn says_author(names: &str) -> bool {
    names.split_ascii_whitespace().take(12).any(|name| {
        let name = name.get(..60).unwrap_or(name).to_ascii_lowercase();
        let name = name.trim_end_matches(['-', '_']);
        let part = ["name", "names", "link", "header", "s"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(name);
        let part = part.trim_end_matches(['-', '_']);
        ["author", "autor", "byline", "writer"].iter().any(|word| part.ends_with(word)) && name != "writer"
            || name == "vcard"
    })
}

/// Whether a name looks like one of a person or, in scripts without capitals, is short.
fn is_name_like(name: &str) -> bool {
    let cased = name.chars().any(|c| c.is_uppercase() || c.is_lowercase());
    if cased { is_person(name) && name.contains(' ') } else { name.chars().count() <= 12 }
}

/// The author written on the page.
fn written(dom: &Dom<'_>, page: &Page, near: usize) -> Option<String> {
    let mut named: Option<String> = None;
    let mut linked: Option<String> = None;
    let mut read = 0;
    for node in dom.descendants(dom.body()?) {
        if !dom.is_element(node) || read > MAX_READ {
            continue;
        }
        let token = |name: &str, word: &str| {
            dom.attr(node, name).is_some_and(|list| list.split_ascii_whitespace().any(|token| token == word))
        };
        let marked = token("rel", "author") || token("itemprop", "author");
        let called = || ["class", "id"].iter().filter_map(|name| dom.attr(node, name)).any(says_author);
        let profile = || {
            dom.tag(node) == Tag::A
                && dom.attr(node, "href").is_some_and(|href| {
                    ["/author/", "/authors/", "/autor/", "/autoren/", "/auteur/", "/auteurs/"]
                        .iter()
                        .any(|part| href.contains(part))
                })
        };
        let writer = token("class", "writer") || token("id", "writer");
        let wanted = marked || named.is_none() && (writer || called()) || linked.is_none() && profile();
        if !wanted || in_frame(dom, node) || is_hidden(dom, node) {
            continue;
        }
        read += 1;
        let Some(name) = name_in(dom, node) else { continue };
        if marked {
            return Some(name);
        }
        if called() || writer && is_name_like(&name) {
            named = named.or(Some(name));
        } else if profile() {
            linked = linked.or(Some(name));
        }
    }
    named.or(linked).or_else(|| near_title(page, near))
}

/// A byline in the blocks around the title.
fn near_title(page: &Page, near: usize) -> Option<String> {
    let range = near.saturating_sub(3)..(near + NEAR).min(page.blocks.len());
    for block in &page.blocks[range] {
        let text = page.text_of(block);
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
            let name = clean_author(text).filter(|name| is_person(name));
            if name.is_some() {
                return name;
            }
        }
        for mark in ["作者：", "作者:", "责任编辑：", "编辑：", "Author:", "Autor:", "Автор:"]
        {
            if let Some((_, rest)) = text.split_once(mark) {
                let wide = mark.starts_with(|c: char| !c.is_ascii() && c != 'А');
                let name: String = rest
                    .trim_start()
                    .chars()
                    .take_while(|&c| !(wide && c.is_whitespace() || "，,；;（(【[|".contains(c)))
                    .collect();
                if let Some(name) = clean_author(&name) {
                    return Some(name);
                }
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
        author(&dom, &metadata(&dom, None, &[]), &page, 0)
    }

    #[test]
    fn marked_named_linked_written() {
        for (source, want) in [
            ("<h1>T</h1><a class=herald-author-name href=/x>Ann Lee</a>", Some("Ann Lee")),
            ("<h1>T</h1><p class=byline__author>von <a href=/a>Bo Li</a> am 3. Mai 2020</p>", Some("Bo Li")),
            ("<h1>T</h1><p>x <a href=/author/ann-lee>Ann Lee</a></p>", Some("Ann Lee")),
            ("<h1>T</h1><p>Von Claudia Lindner</p>", Some("Claudia Lindner")),
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
                Some("The Site"),
            ),
        ] {
            assert_eq!(read(source).as_deref(), want, "{source}");
        }
    }
}
