//! What the model leaves out of lists whose rest is main text: links under their lead-in, headings and dates of entries.
//!
//! `main_text` calls it before the chosen blocks are written.
//!
//! **Definition.** A list belongs to the text if the chosen block before it ends in a colon, and it holds chosen blocks itself or
//! one follows it. *Entries* are at least [`MIN_ENTRIES`] elements marked up alike that begin with a heading each, most of which
//! hold chosen text: posts of an index. Each entry with chosen text gets its heading and its date. Nothing is taken from
//! navigation, advertising, comments and the like.
//!
//! **Cost.** Linear in the page; lists and entries have at most [`MAX_BLOCKS`] blocks.

use super::markdown::heading_around;
use super::rescue::is_framed;
use crate::blocks::page::{Container, Page};
use webmill_html::{DateOrder, Tag, read_date};

/// Elements alike that are entries.
const MIN_ENTRIES: u32 = 3;
/// Blocks of a list or an entry.
const MAX_BLOCKS: usize = 40;
/// Blocks before the heading of an entry, and words of its date.
const MAX_BEFORE: usize = 2;
const MAX_DATE_UNITS: f32 = 8.0;

/// Takes what belongs to chosen text of lists.
pub(crate) fn complete_lists(page: &Page, chosen: &mut [bool]) {
    for (index, it) in page.containers.iter().enumerate() {
        let blocks = it.first as usize..it.end as usize;
        let led = || {
            let before = blocks.start.checked_sub(1);
            before.is_some_and(|before| chosen[before] && page.blocks[before].ends_colon)
        };
        if matches!(it.tag, Tag::Ul | Tag::Ol) && (1..=MAX_BLOCKS).contains(&blocks.len()) && led() {
            let behind = chosen.get(blocks.end).copied().unwrap_or(false);
            if (behind || chosen[blocks.clone()].contains(&true)) && !is_framed(page, index) {
                chosen[blocks].fill(true);
            }
        }
    }
    let entries: Vec<Option<Entry>> = page.containers.iter().map(|it| Entry::of(page, it, chosen)).collect();
    let mut told = vec![0; page.containers.iter().map(|it| it.group as usize + 1).max().unwrap_or(0)];
    for (it, _) in page.containers.iter().zip(&entries).filter(|(_, entry)| entry.is_some()) {
        told[it.group as usize] += 1;
    }
    for (index, entry) in entries.into_iter().enumerate() {
        let it = &page.containers[index];
        if let Some(entry) = entry.filter(|_| 3 * told[it.group as usize] >= 2 * it.twins)
            && !is_framed(page, index)
        {
            chosen[entry.heading] = true;
            entry.dates.into_iter().for_each(|i| chosen[i] = true);
        }
    }
}

/// An entry with chosen text.
struct Entry {
    heading: usize,
    dates: Vec<usize>,
}

impl Entry {
    fn of(page: &Page, it: &Container, chosen: &[bool]) -> Option<Entry> {
        let blocks = it.first as usize..it.end as usize;
        if it.twins < MIN_ENTRIES || it.counts.headings == 0 || blocks.len() > MAX_BLOCKS {
            return None;
        }
        let is_heading = |&i: &usize| heading_around(page, page.blocks[i].container).is_some();
        let heading = blocks.clone().take(MAX_BEFORE + 1).find(is_heading)?;
        let text = (heading + 1..blocks.end).any(|i| chosen[i] && !is_heading(&i));
        let is_date = |&i: &usize| {
            let block = &page.blocks[i];
            block.counts.digits > 0
                && block.counts.units <= MAX_DATE_UNITS
                && read_date(page.text_of(block), DateOrder::Undecided).is_some()
        };
        text.then(|| Entry { heading, dates: blocks.filter(is_date).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    /// The blocks of a page that are chosen in the end; at first those with an `x`.
    fn completed(html: &str) -> String {
        let dom = parse(html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let mut chosen: Vec<bool> =
            page.blocks.iter().map(|block| page.text_of(block).contains('x')).collect();
        complete_lists(&page, &mut chosen);
        let kept = page.blocks.iter().zip(chosen).filter(|(_, chosen)| *chosen);
        kept.map(|(block, _)| page.text_of(block)).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn links_stay_under_their_lead_in() {
        let list = "<ul><li><a href=a>a</a><li><a href=b>b</a></ul>";
        for (html, want) in [
            (format!("<p>x1:{list}<p>x2"), "x1:|a|b|x2"),
            (format!("<p>x1：{}", list.replace(">a<", ">ax<")), "x1：|ax|b"),
            (format!("<p>x1:{list}<p>y"), "x1:"),
            (format!("<p>x1.{list}<p>x2"), "x1.|x2"),
            (format!("<p>x1:<div class=related-posts>{list}</div><p>x2"), "x1:|x2"),
        ] {
            assert_eq!(completed(&html), want, "{html}");
        }
    }

    #[test]
    fn entries_keep_their_headings_and_dates() {
        let entry = |heading: &str, text: &str| {
            format!(
                "<li class=post><a href=a><h2>{heading}</h2></a><time>6 Apr 2026</time><p>{text}</p><p>more</p></li>"
            )
        };
        let index = format!("<ul>{}{}{}</ul>", entry("a", "x1"), entry("bx", "x2"), entry("c", "x3"));
        let want = "a|6 Apr 2026|x1|bx|6 Apr 2026|x2|c|6 Apr 2026|x3";
        assert_eq!(completed(&index), want);
        assert_eq!(completed(&format!("<aside>{index}</aside>")), "x1|bx|x2|x3");
        let few = format!("<ul>{}{}{}</ul>", entry("a", "x1"), entry("b", "y"), entry("c", "y"));
        assert_eq!(completed(&few), "x1");
    }
}
