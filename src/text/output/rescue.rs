//! What the model left out of main text and belongs to it.
//!
//! Code, data tables and lists of terms are whole or not at all: they come along where they are between two chosen blocks
//! (code also with a label before or behind it), tables and terms also where the larger part of them is chosen. So are formulas
//! that are a block of their own. The summary of details comes along with their first block. In Markdown
//! a heading without its section, or a section without its heading, is no structure, so a heading that is directly over
//! chosen text of its own section comes along; in plain text that costs more than it gives. Headings among navigation,
//! advertising, comments or in a form do not. Linear, as data tables and code hold none of their kind; in lists of terms
//! times their nesting.

use super::markdown::heading_around;
use crate::blocks::class_names::Kind;
use crate::blocks::page::{Mark, Page};
use webmill_capture::cut::Cut;
use webmill_html::Tag;

/// Kinds of elements beside the text, whose headings and pictures are beside it too.
pub(super) const BESIDE: [Kind; 7] =
    [Kind::Nav, Kind::Related, Kind::Share, Kind::Advert, Kind::Comment, Kind::Footer, Kind::Modal];
/// Steps up to such a kind that still count.
const NEAR: u8 = 4;
/// Words of what may be between text and its code: a button, the title of a note.
const MAX_LABEL_UNITS: f32 = 2.0;
/// Blocks and words of a summary that comes along with its details.
const MAX_SUMMARY_BLOCKS: usize = 3;
const MAX_SUMMARY_UNITS: f32 = 40.0;
/// Blocks between a heading and the text that it is over.
const GAP: usize = 2;

/// The choice with headings that belong to it.
pub(crate) fn rescue(page: &Page, chosen: &[bool]) -> Vec<bool> {
    let mut out = chosen.to_vec();
    let framed = |i: usize| is_framed(page, page.blocks[i].container as usize);
    // From the last to the first, so that a heading over a rescued heading comes along too.
    for i in (0..page.blocks.len()).rev() {
        let block = &page.blocks[i];
        if out[i] || framed(i) {
            continue;
        }
        if heading_around(page, block.container).is_some() {
            let next = (i + 1..=i + GAP).find(|&j| out.get(j).copied().unwrap_or(false));
            let around = page.containers[block.container as usize].parent;
            out[i] = next.is_some_and(|j| {
                let section = &page.containers[around as usize];
                (j as u32) < section.end
                    || (j as u32) < page.containers[section.parent.min(around) as usize].end
            }) && block.counts.link_units <= 0.8 * block.counts.units;
        }
    }
    out
}

/// Takes code, data tables and lists of terms whole that are between two chosen blocks, tables and terms also where the
/// larger part is chosen. `code` is of `code_containers`, `data` of `data_tables`.
pub(crate) fn complete(page: &Page, chosen: &mut [bool], code: &[u32], data: &[bool]) {
    let mut whole = |index: usize, mostly: bool| {
        let it = &page.containers[index];
        let blocks = it.first as usize..it.end as usize;
        let taken = chosen[blocks.clone()].iter().filter(|chosen| **chosen).count();
        if taken == blocks.len() {
            return;
        }
        let near = |i: Option<usize>, next: Option<usize>| {
            let is_chosen = |i: Option<usize>| i.is_some_and(|i| chosen.get(i).copied().unwrap_or(false));
            let label = i.and_then(|i| page.blocks.get(i)).is_some_and(|b| b.counts.units <= MAX_LABEL_UNITS);
            is_chosen(i) || !mostly && label && is_chosen(next)
        };
        let between = near(blocks.start.checked_sub(1), blocks.start.checked_sub(2))
            && near(Some(blocks.end), Some(blocks.end + 1))
            && !is_framed(page, index);
        if between || mostly && taken * 2 > blocks.len() {
            chosen[blocks].fill(true);
        }
    };
    for (index, container) in page.containers.iter().enumerate() {
        let terms = container.tag == Tag::Dl;
        if container.counts.blocks > 0 && (code[index] == index as u32 || data[index] || terms) {
            whole(index, data[index] || terms);
        }
    }
    for i in 1..page.blocks.len().max(1) - 1 {
        chosen[i] |= chosen[i - 1] && chosen[i + 1] && is_formula(page, i);
    }
    for (index, summary) in page.containers.iter().enumerate().filter(|(_, it)| it.tag == Tag::Summary) {
        let around = &page.containers[summary.parent as usize];
        let (first, end) = (summary.first as usize, summary.end as usize);
        let short = end - first <= MAX_SUMMARY_BLOCKS && summary.counts.units <= MAX_SUMMARY_UNITS;
        let next = chosen.get(end).copied().unwrap_or(false) && end < around.end as usize;
        if around.tag == Tag::Details && short && next && !is_framed(page, index) {
            chosen[first..end].fill(true);
        }
    }
}

/// Whether a block is a formula and nothing else.
fn is_formula(page: &Page, block: usize) -> bool {
    let block = &page.blocks[block];
    let [open, close, ..] = page.events[block.events.0 as usize..block.events.1 as usize] else {
        return false;
    };
    (open.mark, open.at, close.mark) == (Mark::Open(Tag::Math), block.start, Mark::Close(Tag::Math))
        && page.text.cut(close.at as usize..block.end as usize).trim_matches(['.', ',', ' ']).is_empty()
}

/// Whether an element is in what makes up the frame.
pub(super) fn is_framed(page: &Page, index: usize) -> bool {
    let mut kinds = BESIDE.into_iter().chain([Kind::Side, Kind::Form, Kind::Hidden]);
    kinds.any(|kind| page.containers[index].distance[kind as usize] < NEAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use crate::blocks::code::code_containers;
    use crate::output::render::data_tables;
    use webmill_html::{Limits, parse};

    /// The blocks of a page that are chosen in the end; at first those with an `x`.
    fn completed(html: &str) -> String {
        let dom = parse(html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let mut chosen: Vec<bool> =
            page.blocks.iter().map(|block| page.text_of(block).contains('x')).collect();
        complete(&page, &mut chosen, &code_containers(&page), &data_tables(&page));
        let kept = page.blocks.iter().zip(chosen).filter(|(_, chosen)| *chosen);
        kept.map(|(block, _)| page.text_of(block)).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn code_tables_and_terms_are_whole_or_nothing() {
        let table = "<table><tr><th>a<th>b<tr><td>c<td>d</table>";
        let cases = [
            (format!("<p>x1{table}<p>x2"), "x1|a|b|c|d|x2"),
            (format!("<p>x1{table}<p>y"), "x1"),
            (format!("<p>x1<nav>{table}</nav><p>x2"), "x1|x2"),
            ("<table><tr><th>ax<th>b<tr><td>cx<td>dx</table><p>y".into(), "ax|b|cx|dx"),
            ("<table><tr><th>a<th>b<tr><td>cx<td>dx</table><p>y".into(), "cx|dx"),
            ("<p>x1<pre>code</pre><p>x2<pre>more</pre>".into(), "x1|code|x2"),
            ("<p>x1<div>Copy</div><pre>code</pre><div>Note</div><p>x2".into(), "x1|code|x2"),
            ("<p>x1<div>one two three</div><pre>code</pre><p>x2".into(), "x1|x2"),
            ("<p>x1<dl><dt>t<dd>d</dl><p>x2".into(), "x1|t|d|x2"),
            ("<p>x1<p><math><mi>a</mi></math>,<p>x2<p><math><mi>b</mi></math> c<p>x3".into(), "x1|a,|x2|x3"),
            ("<dl><dt>t<dd>dx<dt>ux<dd>ex</dl><p>y".into(), "t|dx|ux|ex"),
            ("<p>x1<ul><li>i<li>j</ul><p>x2".into(), "x1|x2"),
            ("<details><summary>more</summary><p>x1<p>y</details>".into(), "more|x1"),
            ("<details><summary>more</summary><p>y</details><p>x1".into(), "x1"),
            ("<nav><details><summary>more</summary><p>x1</details></nav>".into(), "x1"),
        ];
        for (html, want) in cases {
            assert_eq!(completed(&html), want, "{html}");
        }
    }

    #[test]
    fn nested_terms_end() {
        let deep = format!("<p>x{}{}<p>x", "<dl><dt>t<dd>".repeat(300), "</dl>".repeat(300));
        assert!(completed(&deep).starts_with("x|t"));
    }
}
