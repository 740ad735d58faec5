//! When a page was published.
//!
//! Order of trust: structured data, stated metadata, a day in the page's address, `<time>` elements, what is written near
//! the title, bylines anywhere, a dateline at the beginning of the text, the data that scripts carry, and last any block
//! that is little more than a date. What stands among comments and related articles, or in code, does not count.
//!
//! Cost: a walk over the body and a look at short blocks; [`MAX_SCRIPT`] bytes of scripts.

use super::bylines::in_frame;
use super::dates::{find_date, find_date_at};
use crate::blocks::class_names::Kind;
use crate::blocks::page::{Block, FAR, Page};
use crate::output::render::text_of;
use webmill_capture::CanonicalUrl;
use webmill_html::{Dom, Metadata, NodeId, Tag};

/// Blocks after the title in which a date is looked for.
const NEAR_BLOCKS: usize = 12;
/// Bylines in which a date is looked for.
const MAX_DATED: usize = 40;
/// `<time>` elements that are read.
const MAX_TIMES: usize = 5;
/// Bytes of scripts that are searched.
const MAX_SCRIPT: usize = 2 << 20;
/// Bytes of a block that is little more than a date.
const MAX_BARE: usize = 120;
/// Elements around and in a block that may say that it is code.
const MAX_UP: usize = 24;
const MAX_INSIDE: usize = 100;

/// The date of a page whose title is block `near`.
pub(crate) fn date(dom: &Dom<'_>, meta: &Metadata, page: &Page, near: usize) -> Option<String> {
    let stated =
        [&meta.structured.published, &meta.published].into_iter().flatten().find_map(|d| find_date(d));
    let near_title = || {
        let range = near.saturating_sub(2)..(near + NEAR_BLOCKS).min(page.blocks.len());
        in_blocks(dom, page, &mut page.blocks[range].iter())
    };
    let bylines = || {
        let dated = |block: &&Block| {
            let container = &page.containers[block.container as usize];
            container.distance[Kind::Byline as usize] <= 1 || block.inline_kinds & Kind::Byline.bit() != 0
        };
        in_blocks(dom, page, &mut page.blocks.iter().filter(dated).take(MAX_DATED))
    };
    stated
        .or_else(|| in_address(meta))
        .or_else(|| in_times(dom))
        .or_else(near_title)
        .or_else(bylines)
        .or_else(|| in_dateline(dom, page, near))
        .or_else(|| in_scripts(dom))
        .or_else(|| {
            let bare = |block: &&Block| is_bare(text_of(page, block));
            in_blocks(dom, page, &mut page.blocks.iter().take(2_000).filter(bare))
        })
}

/// A day in the path of the page's own address: `/2019/10/22/`.
fn in_address(meta: &Metadata) -> Option<String> {
    let url: &CanonicalUrl = meta.canonical.as_ref().or(meta.base.as_ref())?;
    let path = url.path();
    let starts = path
        .char_indices()
        .filter(|&(at, c)| c.is_ascii_digit() && !path[..at].ends_with(|c: char| c.is_ascii_digit()));
    starts
        .map(|(at, _)| &path[at..])
        .filter(|rest| rest.starts_with("19") || rest.starts_with("20"))
        .find_map(|rest| {
            let end = rest
                .find(|c: char| !(c.is_ascii_digit() || c == '/' || c == '-' || c == '.'))
                .unwrap_or(rest.len());
            let day = &rest[..end];
            if day.split(['/', '-', '.']).next().is_some_and(|part| part.len() == 8) {
                // 20191022
                return find_date(&format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..8]));
            }
            find_date(day)
        })
}

fn in_times(dom: &Dom<'_>) -> Option<String> {
    let times = dom.descendants(dom.body()?).filter(|&n| dom.tag(n) == Tag::Time && !in_frame(dom, n));
    times.take(MAX_TIMES).find_map(|n| {
        dom.attr(n, "datetime").and_then(find_date).or_else(|| {
            let mut text = String::new();
            dom.text_content(n, &mut text);
            find_date(&text)
        })
    })
}

/// Whether a block stands where dates are others'.
fn beside(page: &Page, block: &Block) -> bool {
    let distance = &page.containers[block.container as usize].distance;
    [Kind::Comment, Kind::Related, Kind::Footer].iter().any(|&kind| distance[kind as usize] < FAR)
}

/// Whether a block is code, or holds some.
fn is_code(dom: &Dom<'_>, page: &Page, block: &Block) -> bool {
    let container = &page.containers[block.container as usize];
    let node = container.node;
    let code = |n: NodeId| matches!(dom.tag(n), Tag::Pre | Tag::Code | Tag::Samp | Tag::Kbd | Tag::Listing);
    let around = std::iter::once(node).chain(dom.ancestors(node));
    // What stands in an element of several blocks may be in another one of them.
    let alone = container.end - container.first == 1;
    around.take(MAX_UP).any(code) || alone && dom.descendants(node).take(MAX_INSIDE).any(code)
}

/// Whether a text is little more than a date: at most a label before it and a time of the day behind it.
fn is_bare(text: &str) -> bool {
    if text.len() > MAX_BARE {
        return false;
    }
    let Some((at, _)) = find_date_at(text) else { return false };
    let words = |text: &str| text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).count();
    words(&text[..at]) <= 4 && words(&text[at..]) <= 10 && !text[..at].contains(['=', '/', '_', '$', '#'])
}

/// The first date in short blocks.
fn in_blocks(dom: &Dom<'_>, page: &Page, blocks: &mut dyn Iterator<Item = &Block>) -> Option<String> {
    blocks
        .filter(|block| block.counts.units < 30.0 && block.counts.digits >= 3 && !beside(page, block))
        .filter_map(|block| Some((block, find_date(text_of(page, block))?)))
        .find_map(|(block, date)| (!is_code(dom, page, block)).then_some(date))
}

/// A date at the beginning of a long block near the title: `Berlin, 3. Mai 2020 – …`.
fn in_dateline(dom: &Dom<'_>, page: &Page, near: usize) -> Option<String> {
    page.blocks[near.min(page.blocks.len())..].iter().take(NEAR_BLOCKS).find_map(|block| {
        let text = text_of(page, block);
        let date = find_date(&text[..text.floor_char_boundary(60)])?;
        (!beside(page, block) && !is_code(dom, page, block)).then_some(date)
    })
}

/// A date of publication in data that a script carries.
fn in_scripts(dom: &Dom<'_>) -> Option<String> {
    const KEYS: [&str; 6] =
        ["datePublished", "published_at", "publishedAt", "publishedDate", "date_published", "publishDate"];
    let mut budget = MAX_SCRIPT;
    for node in dom.descendants(dom.document()).filter(|&n| dom.tag(n) == Tag::Script) {
        let mut text = String::new();
        dom.text_content(node, &mut text);
        if text.len() > budget {
            break;
        }
        budget -= text.len();
        for key in KEYS {
            let Some(at) = memchr::memmem::find(text.as_bytes(), key.as_bytes()) else { continue };
            let rest = &text[at + key.len()..];
            let value = rest.trim_start_matches(['"', '\\', ':', ' ', '\'']);
            let value = &value[..value.floor_char_boundary(40)];
            if value.starts_with("19") || value.starts_with("20") {
                let date = find_date(value);
                if date.is_some() {
                    return date;
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
        let base = webmill_html::base_of(&dom, None);
        date(&dom, &metadata(&dom, base.as_ref(), &[]), &page, 0)
    }

    #[test]
    fn places_of_dates() {
        for (source, want) in [
            (
                "<link rel=canonical href=http://e.org/2019/10/22/x><h1>T</h1><time datetime=2009-04-11>x</time>",
                Some("2019-10-22"),
            ),
            ("<link rel=canonical href=http://e.org/news-20191022.html><p>x", Some("2019-10-22")),
            ("<link rel=canonical href=http://e.org/2019/10/x><p>x", None),
            ("<link rel=canonical href=http://e.org/p/123456789><p>x", None),
            (
                "<h1>T</h1><div class=comment><time datetime=2009-04-11>x</time></div><p>15 августа 2016, 13:43</p>",
                Some("2016-08-15"),
            ),
            (
                "<h1>T</h1><p>Pressemitteilung vom 25. Januar 2022 | Berlin – Die künftige Zusammenarbeit wird, wie man hört, in den nächsten Jahren noch enger werden, als sie es schon immer gewesen ist, und alle freuen sich darauf.",
                Some("2022-01-25"),
            ),
            (
                "<h1>T</h1><script>x={\"published_at\":\"2019-03-02T06:22:28+01:00\"}</script>",
                Some("2019-03-02T06:22:28+01:00"),
            ),
            ("<h1>T</h1><p>23.09.22</p>", Some("2022-09-23")),
            ("<h1>T</h1><p>Included at version 2.4.52 of the server</p>", None),
            ("<h1>T</h1><p><code>-rw-r--r-- 1 root root 5120 Apr 20 2007 a</code></p>", None),
            ("<h1>T</h1><pre>Apr 20 2007</pre>", None),
            ("<h1>T</h1><footer>© 19.12.2019</footer>", None),
        ] {
            assert_eq!(read(source).as_deref(), want, "{source}");
        }
    }
    #[test]
    fn far_from_the_title_only_bare_dates_count() {
        let far = |block: &str| read(&format!("<h1>T</h1>{}{block}", "<p>Words of a text.</p>".repeat(20)));
        assert_eq!(far("<p>Updated on: 6 May 2020, 12:30</p>").as_deref(), Some("2020-05-06"));
        assert_eq!(far("<p>2020年5月6日 10:00</p>").as_deref(), Some("2020-05-06"));
        assert_eq!(far("<p>The ships of the fleet arrived in the harbour on 6 May 2020.</p>"), None);
        assert_eq!(far("<p>-rw-r--r-- 1 root root 5120 Apr 20 2007 a</p>"), None);
        assert_eq!(far("<p>Updated: <kbd>6 May 2020</kbd></p>"), None);
    }
}
