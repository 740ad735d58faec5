//! Chosen blocks as Markdown (CommonMark with the tables of GFM).
//!
//! Headings, nested lists, quotes, code blocks with their white space, data tables, links, emphasis, images with their
//! alternative text. Targets stand as the page has them. Linear in the text and its inline elements.

use std::collections::HashMap;

use super::class_names::Kind;
use super::elements::heading;
use super::page::{Block, Container, FAR, Mark, NONE, Page};
use super::render::text_of;
use crate::html::{Dom, NodeId, Tag};

/// The chosen blocks as Markdown.
pub(crate) fn markdown(dom: &Dom<'_>, page: &Page, chosen: &[bool], data: &[bool]) -> String {
    let mut out = String::new();
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut item = NONE;
    let mut in_list = false;
    let mut pictures = page.pictures.iter().peekable();
    let mut i = 0;
    while i < page.blocks.len() {
        while let Some(picture) = pictures.next_if(|p| p.block as usize <= i) {
            if picture.block as usize == i
                && wanted(page, chosen, i, picture.container)
                && let Some(image) = image(dom, picture.node)
            {
                blank_line(&mut out);
                out.push_str(&image);
                in_list = false;
            }
        }
        if !chosen[i] {
            i += 1;
            continue;
        }
        let block = &page.blocks[i];
        let container = &page.containers[block.container as usize];
        if container.table != NONE && container.row != NONE && data[container.table as usize] {
            blank_line(&mut out);
            i = table(dom, page, chosen, i, &mut out);
            (item, in_list) = (NONE, false);
            continue;
        }
        let quoted = container.distance[Kind::QuoteTag as usize] < FAR;
        let before = out.len();
        if let Some(level) = heading(container.tag) {
            blank_line(&mut out);
            out.extend(std::iter::repeat_n('#', usize::from(level)));
            out.push(' ');
            inline(dom, page, block, true, &mut out);
            (item, in_list) = (NONE, false);
        } else if container.tag == Tag::Pre {
            blank_line(&mut out);
            fence(text_of(page, block), &mut out);
            in_list = false;
        } else if container.item != NONE && container.list_depth > 0 {
            let indent = usize::from(container.list_depth.min(8) - 1) * 2;
            if container.item == item {
                // A further paragraph of the same item.
                out.push_str("\n\n");
                out.extend(std::iter::repeat_n(' ', indent + 2));
            } else {
                if in_list {
                    out.push('\n')
                } else {
                    blank_line(&mut out)
                }
                out.extend(std::iter::repeat_n(' ', indent));
                marker(page, container, &mut numbers, &mut out);
            }
            inline(dom, page, block, true, &mut out);
            (item, in_list) = (container.item, true);
        } else {
            blank_line(&mut out);
            inline(dom, page, block, false, &mut out);
            (item, in_list) = (NONE, false);
        }
        if quoted {
            quote(&mut out, before);
        }
        i += 1;
    }
    out
}

fn blank_line(out: &mut String) {
    if !out.is_empty() {
        out.push_str("\n\n");
    }
}

fn marker(page: &Page, container: &Container, numbers: &mut HashMap<u32, u32>, out: &mut String) {
    let list = container.list;
    if list != NONE && page.containers[list as usize].tag == Tag::Ol {
        let number = numbers.entry(list).or_insert(0);
        *number += 1;
        out.push_str(&number.to_string());
        out.push_str(". ");
    } else {
        out.push_str("- ");
    }
}

/// Puts `> ` before the lines written since `from`.
fn quote(out: &mut String, from: usize) {
    let body = out.split_off(from);
    let start = body.len() - body.trim_start_matches('\n').len();
    out.push_str(&body[..start]);
    out.push_str("> ");
    out.push_str(&body[start..].replace('\n', "\n> "));
}

fn fence(text: &str, out: &mut String) {
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let ticks = "`".repeat(longest + 1);
    out.push_str(&ticks);
    out.push('\n');
    out.push_str(text.trim_end());
    out.push('\n');
    out.push_str(&ticks);
}

/// An image between blocks is wanted if the text around it is, or its own container's.
fn wanted(page: &Page, chosen: &[bool], at: usize, container: u32) -> bool {
    let before = at > 0 && chosen[at - 1];
    let after = chosen.get(at).copied().unwrap_or(false);
    if before && after {
        return true;
    }
    let around = &page.containers[container as usize];
    let range = around.first as usize..(around.end as usize).min(chosen.len());
    (before || after) && !range.is_empty() && range.len() < 16 && range.into_iter().all(|i| chosen[i])
}

fn image(dom: &Dom<'_>, node: NodeId) -> Option<String> {
    let source = ["src", "data-src", "data-original", "data-lazy-src"]
        .iter()
        .filter_map(|name| dom.attr(node, name))
        .map(str::trim)
        .find(|s| !s.is_empty() && !s.starts_with("data:"))?;
    if matches!(
        (dom.attr(node, "width"), dom.attr(node, "height")),
        (Some("0" | "1"), _) | (_, Some("0" | "1"))
    ) {
        return None;
    }
    let alt = dom.attr(node, "alt").unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("![{}]({})", alt.replace(['[', ']'], ""), target(source)))
}

fn target(url: &str) -> String {
    if url.contains([' ', '(', ')', '<', '>', '\n', '\t']) {
        let mut out = String::with_capacity(url.len() + 8);
        for c in url.chars() {
            match c {
                ' ' => out.push_str("%20"),
                '(' => out.push_str("%28"),
                ')' => out.push_str("%29"),
                '<' => out.push_str("%3C"),
                '>' => out.push_str("%3E"),
                '\n' | '\t' | '\r' => {}
                c => out.push(c),
            }
        }
        out
    } else {
        url.to_string()
    }
}

fn escape(c: char, out: &mut String) {
    if matches!(c, '\\' | '*' | '`' | '[' | ']' | '<') {
        out.push('\\');
    }
    out.push(c);
}

/// The text of a block with its inline markup; `single` for places that hold one line only.
fn inline(dom: &Dom<'_>, page: &Page, block: &Block, single: bool, out: &mut String) {
    let text = text_of(page, block);
    let base = block.start as usize;
    let start = out.len();
    let mut at = 0;
    // What is open, with where its content begins in `out`; a kind is open once at most.
    let mut open: Vec<(Tag, NodeId, usize)> = Vec::new();
    for event in &page.events[block.events.0 as usize..block.events.1 as usize] {
        let to = (event.at as usize).saturating_sub(base).clamp(at, text.len());
        copy(&text[at..to], single, start, out);
        at = to;
        match event.mark {
            Mark::Break => {
                if single {
                    space(out, start);
                } else {
                    out.push_str("  ");
                }
            }
            Mark::Image => {
                if let Some(image) = image(dom, event.node) {
                    space(out, start);
                    out.push_str(&image);
                }
            }
            Mark::Open(tag) => {
                // Spaces go before an opening mark.
                if text[at..].starts_with(' ') {
                    space(out, start);
                    at += 1;
                }
                open.push((tag, event.node, out.len()));
                let nested = open[..open.len() - 1].iter().any(|o| mark_of(o.0) == mark_of(tag));
                if nested && let Some(last) = open.last_mut() {
                    last.2 = usize::MAX;
                }
            }
            Mark::Close(tag) => {
                let Some(place) = open.iter().rposition(|o| o.0 == tag && o.1 == event.node) else {
                    continue;
                };
                let (_, node, from) = open.remove(place);
                if from == usize::MAX || from > out.len() || out[from..].trim().is_empty() {
                    continue;
                }
                wrap(dom, tag, node, from, out);
            }
        }
    }
    copy(&text[at..], single, start, out);
    let kept = out.trim_end().len().max(start);
    out.truncate(kept);
    if out[start..].starts_with(['#', '>', '+', '-', '=']) {
        out.insert(start, '\\');
    }
}

fn mark_of(tag: Tag) -> &'static str {
    match tag {
        Tag::A => "[",
        Tag::B | Tag::Strong => "**",
        Tag::Em | Tag::I => "*",
        _ => "`",
    }
}

fn wrap(dom: &Dom<'_>, tag: Tag, node: NodeId, from: usize, out: &mut String) {
    let kept = from + out[from..].trim_end().len();
    let tail = out.split_off(kept);
    match tag {
        Tag::A => {
            let href = dom.attr(node, "href").map(str::trim).unwrap_or_default();
            let script = href.get(..11).is_some_and(|h| h.eq_ignore_ascii_case("javascript:"));
            if !(href.is_empty() || href.starts_with('#') || script) {
                out.insert(from, '[');
                out.push_str("](");
                out.push_str(&target(href));
                out.push(')');
            }
        }
        _ => {
            let mark = mark_of(tag);
            out.insert_str(from, mark);
            out.push_str(mark);
        }
    }
    if !tail.is_empty() {
        out.push(' ');
    }
}

fn space(out: &mut String, start: usize) {
    if out.len() > start && !out.ends_with([' ', '\n']) {
        out.push(' ');
    }
}

fn copy(text: &str, single: bool, start: usize, out: &mut String) {
    for c in text.chars() {
        match c {
            '\n' if single => space(out, start),
            ' ' => space(out, start),
            c => escape(c, out),
        }
    }
}

/// Writes the table that begins at block `first`; gives the block after it.
fn table(dom: &Dom<'_>, page: &Page, chosen: &[bool], first: usize, out: &mut String) -> usize {
    let number = page.containers[page.blocks[first].container as usize].table;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let (mut row, mut cell) = (NONE, NONE);
    let mut i = first;
    while i < page.blocks.len() {
        let container = &page.containers[page.blocks[i].container as usize];
        if container.table != number || container.row == NONE {
            break;
        }
        if chosen[i] {
            if container.row != row || rows.is_empty() {
                rows.push(Vec::new());
                (row, cell) = (container.row, NONE);
            }
            let cells = rows.last_mut().expect("a row was pushed");
            if container.cell != cell || cells.is_empty() {
                cells.push(String::new());
                cell = container.cell;
            }
            let target = cells.last_mut().expect("a cell was pushed");
            space(target, 0);
            let mut body = String::new();
            inline(dom, page, &page.blocks[i], true, &mut body);
            target.push_str(&body.replace('|', "\\|"));
        }
        i += 1;
    }
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    for (r, cells) in rows.iter().enumerate() {
        if r > 0 {
            out.push('\n');
        }
        out.push('|');
        for c in 0..width {
            out.push(' ');
            out.push_str(cells.get(c).map_or("", String::as_str));
            out.push_str(" |");
        }
        if r == 0 {
            out.push_str("\n|");
            out.push_str(&" --- |".repeat(width));
        }
    }
    i.max(first + 1)
}
