//! Words as Markdown: their marks escaped, their links named, lines kept from beginning other blocks.

use crate::Inline;
use crate::builder::one_line;
use webmill_capture::markdown::{HARD_BREAK, escape, escape_line_starts, escape_target, escape_text};

/// The words as Markdown, their links named and their formulas marked.
pub(super) fn marked(words: &Inline, flat: bool) -> String {
    let mut marked = String::with_capacity(words.text.len() + 16);
    let mut at = 0;
    let links = words.links.iter().map(|(range, target)| (range, Mark::Link(target)));
    let formulas = words.formulas.iter().map(|(range, display)| (range, Mark::Formula(*display)));
    let mut marks: Vec<_> = links.chain(formulas).collect();
    marks.sort_by_key(|(range, _)| range.start);
    for (range, mark) in marks {
        let (Some(before), Some(within)) = (words.text.get(at..range.start), words.text.get(range.clone()))
        else {
            continue;
        };
        escape_text(before, &mut marked);
        if within.starts_with(char::is_whitespace) {
            marked.push(' ');
        }
        match mark {
            Mark::Link(target) => {
                marked.push('[');
                for (n, word) in within.split_whitespace().enumerate() {
                    marked.push_str(if n > 0 { " " } else { "" });
                    escape(word, true, &mut marked);
                }
                marked.push_str(&format!("]({})", escape_target(target)));
            }
            Mark::Formula(display) => {
                let sign = if display { "$$" } else { "$" };
                marked.push_str(&format!("{sign}{}{sign}", one_line(within)));
            }
        }
        if within.ends_with(char::is_whitespace) {
            marked.push(' ');
        }
        at = range.end;
    }
    escape_text(words.text.get(at..).unwrap_or_default(), &mut marked);
    if flat { one_line(&marked) } else { lines_of(&marked) }
}

/// How a range of words is marked.
enum Mark<'w> {
    Link(&'w str),
    Formula(bool),
}

/// Lines of a paragraph, with hard breaks between.
fn lines_of(words: &str) -> String {
    let mut all = String::with_capacity(words.len());
    for line in words.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !all.is_empty() {
            all.push_str(HARD_BREAK);
        }
        let start = all.len();
        all.push_str(line);
        escape_line_starts(&mut all, start);
    }
    all
}
