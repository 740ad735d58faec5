//! What a page is filed under, by links on it: sections and tags of blogs and papers.
//!
//! A link counts by its relation (microformats `rel=tag`, `rel="category tag"`), by its address (`/category/…`) or by what
//! the elements around it are called (`cat-links`, `post-tags`). Links in navigation, side bars and clouds do not.

use std::sync::LazyLock;

use super::dom::{Dom, NodeId};
use super::tag::Tag;
use super::values::has_token;

/// Elements around a link that are looked at.
const MAX_UP: usize = 10;
/// Elements, the link first, whose names may say what it is.
const MAX_NAMED: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filed {
    Category,
    Tag,
}

const CATEGORIES: &str = "cat-links categories-links category-links post-categories post-category entry-categories \
    entry-category entry-cats post-cat post-cats postcat posted-in categories category \
    meta-category meta-cat meta-categories article-category rubrik kategorie kategorien \
    td-category thecategory post-meta-category meta_categories post_category article-section \
    entry-meta-category field-name-field-category post-info-category";

const TAGS: &str = "tags-links tag-links post-tags post-tag posttags entry-tags entry-tag article-tags \
    article__tags article-tag tags taglist tag-list tags-list meta-tags meta-tag tagged td-tags \
    schlagworte schlagwort post__tags entry-meta-tags tag-links-list single-tags themetags \
    td-post-source-tags blog-tags field-name-field-tags";

const FRAME: &str = "widget sidebar cloud menu navigation navbar breadcrumb related recent comment teaser \
    footer-widget";

/// What the page is filed under by a link, if it is by it.
pub(super) fn filed_under(dom: &Dom, link: NodeId) -> Option<Filed> {
    let rel = dom.attr(link, "rel").unwrap_or_default();
    let href = dom.attr(link, "href")?;
    let mut found = match (has_token(rel, "category"), has_token(rel, "tag")) {
        (true, _) => Some(Filed::Category),
        (_, true)
            if ["/category/", "/categories/", "/kategorie/", "/rubrik/"]
                .iter()
                .any(|part| href.contains(part)) =>
        {
            Some(Filed::Category)
        }
        (_, true) => Some(Filed::Tag),
        _ => None,
    };
    let related = found.is_some();
    let mut around = [link; MAX_UP];
    let mut count = 0;
    for (step, n) in std::iter::once(link).chain(dom.ancestors(link)).take(MAX_UP).enumerate() {
        match dom.tag(n) {
            Tag::Nav | Tag::Aside | Tag::Header if step > 0 && !related => return None,
            Tag::Nav | Tag::Aside => return None,
            Tag::Article | Tag::Main | Tag::Body => break,
            _ => {}
        }
        around[count] = n;
        count += 1;
        if found.is_none() && step < MAX_NAMED {
            found = names(dom, n).find_map(by_name);
        }
        // Most links are filed nowhere: their frame need not be looked at.
        if found.is_none() && step + 1 >= MAX_NAMED {
            return None;
        }
    }
    let framed = |name: &str| {
        let name = name.get(..300).unwrap_or(name).to_ascii_lowercase();
        FRAME.split(' ').any(|word| name.contains(word))
    };
    found.filter(|_| !around[..count].iter().any(|&n| names(dom, n).any(framed)))
}

/// Class and id.
fn names<'d>(dom: &'d Dom, n: NodeId) -> impl Iterator<Item = &'d str> {
    let mut found = [None; 2];
    for attr in dom.attr_spans(n.0) {
        let place = match dom.bytes(attr.name) {
            b"class" => &mut found[0],
            b"id" => &mut found[1],
            _ => continue,
        };
        *place = place.or(Some(attr.value));
    }
    found.into_iter().flatten().map(|value| dom.str(value))
}

/// Names by their first letter.
static KNOWN: LazyLock<[Vec<(&str, Filed)>; 32]> = LazyLock::new(|| {
    let mut known = [const { Vec::new() }; 32];
    for (names, filed) in [(CATEGORIES, Filed::Category), (TAGS, Filed::Tag)] {
        names.split(' ').for_each(|name| known[usize::from(name.as_bytes()[0] % 32)].push((name, filed)));
    }
    known
});

/// What the names of an element say of the links in it; nothing if they say both.
fn by_name(name: &str) -> Option<Filed> {
    let name = name.get(..300).unwrap_or(name);
    let (mut category, mut tag) = (false, false);
    for word in name.split_ascii_whitespace() {
        let alike = &KNOWN[usize::from(word.as_bytes()[0] % 32)];
        for (_, filed) in alike.iter().filter(|(known, _)| known.eq_ignore_ascii_case(word)) {
            category |= *filed == Filed::Category;
            tag |= *filed == Filed::Tag;
        }
    }
    match (category, tag) {
        (true, false) => Some(Filed::Category),
        (false, true) => Some(Filed::Tag),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, parse};

    #[test]
    fn relations_addresses_and_names() {
        for (source, want) in [
            ("<a rel='category tag' href=/c>x</a>", Some(Filed::Category)),
            ("<a rel=tag href=/category/x>x</a>", Some(Filed::Category)),
            ("<a rel=tag href=/tag/x>x</a>", Some(Filed::Tag)),
            ("<span class=cat-links>In <a href=/c>x</a></span>", Some(Filed::Category)),
            ("<ul class='list tags'><li><a href=/c>x</a></ul>", Some(Filed::Tag)),
            ("<article class='post category category-x'><a href=/c>x</a></article>", None),
            ("<div class=tagcloud><a rel=tag href=/c>x</a></div>", None),
            ("<nav><a rel=tag href=/c>x</a></nav>", None),
            ("<a href=/c>x</a>", None),
        ] {
            let dom = parse(source, &Limits::default());
            let link = dom.descendants(dom.document()).find(|&n| dom.tag(n) == Tag::A).expect("a link");
            assert_eq!(filed_under(&dom, link), want, "{source}");
        }
    }
}
