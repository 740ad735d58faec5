//! Comments by the items of threads.

use super::byline::{behind_date, date_in, is_dated, writer};
use super::{Post, Room};
use crate::blocks::page::Page;
use crate::threads::{Role, THREAD, Threads};
use webmill_capture::cut::Cut;
use webmill_html::{DateOrder, find_date_at};

/// Bytes in front of a text that may be its byline, where both are one block.
const MAX_HEAD: usize = 90;

/// The comments of the threads, each with its first block; their blocks are taken then.
pub(super) fn items(
    page: &Page,
    taken: &mut [bool],
    threads: &Threads,
    order: DateOrder,
    room: &mut Room,
) -> Vec<(u32, Post)> {
    let mut out: Vec<(u32, Post)> = Vec::new();
    if threads.is_empty() {
        return out;
    }
    let (mut last, mut kept) = (None, true);
    for (i, taken) in taken.iter_mut().enumerate() {
        if *taken || threads.strength(i) < THREAD {
            continue;
        }
        *taken = true;
        let Some(item) = threads.item(i) else { continue };
        if last != Some(item) {
            last = Some(item);
            kept = room.has_post();
            if kept {
                out.push((i as u32, Post::default()));
            }
        }
        let text = page.text_of(&page.blocks[i]);
        if !kept || !room.has_text(text.len()) {
            continue;
        }
        if let Some((_, comment)) = out.last_mut() {
            add(comment, text, threads.role(i), order);
        }
    }
    out
}

fn add(comment: &mut Post, text: &str, role: Role, order: DateOrder) {
    match role {
        Role::Byline | Role::Date => {
            if comment.date.is_none() {
                comment.date = date_in(text, order);
            }
            if comment.author.is_none() {
                comment.author = writer(text, order);
            }
        }
        Role::Headed => {
            let (head, rest) = parted(text, order);
            comment.date = date_in(head, order);
            comment.author = writer(head, order);
            comment.add_line(rest);
        }
        Role::Body => comment.add_line(text),
        Role::Tool | Role::Opener | Role::None => {}
    }
}

/// Byline and text of a block that holds both: up to a colon, or up to the end of a date.
fn parted(text: &str, order: DateOrder) -> (&str, &str) {
    let head = text.cut(..text.floor_char_boundary(MAX_HEAD));
    if let Some(at) = head.find('\n').filter(|&at| is_dated(head.cut(..at))) {
        return (text.cut(..at), text.cut(at + 1..));
    }
    if let Some((at, _)) = find_date_at(head, order) {
        let rest = behind_date(text.cut(at..)).trim_start_matches([':', '：', ')', ']', '-', ' ', '\n']);
        return text.split_at(text.len() - rest.len());
    }
    let colon = head.char_indices().find(|(_, c)| *c == ':' || *c == '：');
    match colon {
        Some((at, c)) => (text.cut(..at), text.cut(at + c.len_utf8()..).trim_start()),
        None => ("", text),
    }
}
