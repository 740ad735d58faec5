//! Plain text.
//!
//! **Definition.** Lines between empty ones are a paragraph. Lines of a paragraph that were broken to fill a width are
//! joined again: all but the last are about as long as the longest, and none is indented or set in columns. Other lines stay
//! as they are. A line underlined by `=` or `-` is a heading. Form feeds part pages. The title is what a first line
//! `Title:` or `Subject:` says, else a short first line that stands alone.
//!
//! **Cost.** Linear.

use crate::{Builder, Document, Kind, Limits, TitleSource};

/// Characters of a line from which it may have been broken at a width, and up to which.
const WRAPPED: std::ops::RangeInclusive<usize> = 40..=110;

/// Characters by which broken lines may be shorter than the longest one.
const RAGGED: usize = 22;

/// Characters of a title at most.
const MAX_TITLE: usize = 120;

/// Lines at the beginning among which a stated title is sought.
const HEAD_LINES: usize = 40;

/// Reads plain text.
pub fn read_text(text: &str, limits: &Limits) -> Document {
    let mut builder = Builder::new(Kind::Text, limits);
    let pages = memchr::memchr_iter(b'\x0c', text.trim_end().as_bytes()).count();
    builder.document.pages = (pages > 0).then(|| u32::try_from(pages + 1).unwrap_or(u32::MAX));
    if let Some(title) = stated_title(text) {
        builder.document.give_title(title, TitleSource::Metadata);
    }
    let mut lines: Vec<&str> = Vec::new();
    let all = text.split(['\n', '\x0c', '\u{2028}']).map(|line| line.trim_end());
    for line in all.chain([""]) {
        if builder.is_full() {
            break;
        }
        if line.is_empty() {
            paragraph(&mut builder, &mut lines);
        } else if let Some(level) = underline(line, &lines) {
            let heading = lines.pop().unwrap_or_default();
            paragraph(&mut builder, &mut lines);
            builder.heading(level, heading.trim());
        } else {
            lines.push(line);
        }
    }
    builder.finish()
}

/// Adds the lines of a paragraph.
fn paragraph(builder: &mut Builder, lines: &mut Vec<&str>) {
    if let [only] = lines[..]
        && builder.document.text.is_empty()
        && only.trim().chars().count() <= MAX_TITLE
        && only.contains(char::is_alphabetic)
    {
        builder.document.give_title(only, TitleSource::Line);
    }
    let joined = if is_wrapped(lines) { unwrapped(lines) } else { lines.join("\n") };
    builder.paragraph(joined);
    lines.clear();
}

/// Whether lines were broken to fill a width.
fn is_wrapped(lines: &[&str]) -> bool {
    let [before @ .., _] = lines else { return false };
    let width = |line: &&str| line.chars().count();
    let longest = before.iter().map(width).max().unwrap_or_default();
    WRAPPED.contains(&longest)
        && before.iter().all(|line| width(line) + RAGGED >= longest)
        && lines.iter().skip(1).all(|line| !line.starts_with([' ', '\t', '-', '*', '|']))
        && lines.iter().all(|line| !line.trim_start().contains("   ") && !line.contains('\t'))
}

/// Broken lines as one: with a space between, but none between characters that are written without.
fn unwrapped(lines: &[&str]) -> String {
    lines.iter().fold(String::new(), |mut all, line| {
        let line = line.trim();
        let tight = all.ends_with(is_wide) && line.starts_with(is_wide);
        if !all.is_empty() && !tight {
            all.push(' ');
        }
        all.push_str(line);
        all
    })
}

/// Whether a character is of a script that puts no spaces between words.
pub(crate) fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

/// The level of the heading that a line underlines, if it does.
fn underline(line: &str, before: &[&str]) -> Option<u8> {
    let heading = before.last()?.trim();
    let fits =
        line.len() >= 3 && line.len() + 3 >= heading.chars().count() && heading.chars().count() <= MAX_TITLE;
    let of = |mark: u8| line.bytes().all(|byte| byte == mark);
    match heading.contains(char::is_alphabetic) && fits {
        true if of(b'=') => Some(1),
        true if of(b'-') || of(b'~') => Some(2),
        _ => None,
    }
}

/// What a line of the head calls the title.
fn stated_title(text: &str) -> Option<&str> {
    text.lines().take(HEAD_LINES).find_map(|line| {
        let (name, title) = line.split_once(':')?;
        let is_title =
            name.eq_ignore_ascii_case("title") || name.eq_ignore_ascii_case("subject") || name == "标题";
        let title = title.trim();
        (is_title && !title.is_empty() && title.chars().count() <= MAX_TITLE).then_some(title)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_paragraphs() {
        let wrapped = "The ferry leaves the pier at seven in the morning,\nand whoever comes late waits for the next one until\nnoon.";
        let joined = "The ferry leaves the pier at seven in the morning, and whoever comes late waits for the next one until noon.";
        let chinese = "渡船早上七点离开码头，来得晚的人要等到中午才有下一班船，所以大家都提前到，有的人甚至天不亮就来排队了，\n带着干粮。";
        let table: &[(&str, &str, Option<&str>)] = &[
            ("Ferries\n\nThey leave.\n", "Ferries\nThey leave.\n", Some("Ferries")),
            (wrapped, joined, None),
            (
                chinese,
                "渡船早上七点离开码头，来得晚的人要等到中午才有下一班船，所以大家都提前到，有的人甚至天不亮就来排队了，带着干粮。",
                None,
            ),
            ("one\ntwo\nthree", "one\ntwo\nthree\n", None),
            ("Pier\n====\n\nx\n", "Pier\nx\n", Some("Pier")),
            ("Title: The Pier\nAuthor: Li\n\nx", "Title: The Pier\nAuthor: Li\nx\n", Some("The Pier")),
            (
                "7:00   13:00   19:00\n8:00   14:00   20:00",
                "7:00   13:00   19:00\n8:00   14:00   20:00\n",
                None,
            ),
            ("", "", None),
        ];
        for (text, expected, title) in table {
            let document = read_text(text, &Limits::default());
            assert_eq!(document.text.trim_end(), expected.trim_end());
            assert_eq!(document.about.title.as_deref(), *title, "{text}");
        }
        assert_eq!(read_text("a\x0cb\x0c", &Limits::default()).pages, Some(2));
    }
}
