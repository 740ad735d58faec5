//! Words as Markdown: their marks escaped, their links named, lines kept from beginning other blocks.

use crate::Inline;
use crate::builder::one_line;
use webmill_capture::cut::Cut;

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
        marked.push_str(&escaped(before));
        if within.starts_with(char::is_whitespace) {
            marked.push(' ');
        }
        match mark {
            Mark::Link(target) => {
                marked.push_str(&format!("[{}]({})", escaped(within.trim()), address(target)));
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
    marked.push_str(&escaped(words.text.get(at..).unwrap_or_default()));
    if flat { one_line(&marked) } else { lines_of(&marked) }
}

/// How a range of words is marked.
enum Mark<'w> {
    Link(&'w str),
    Formula(bool),
}

/// A target as Markdown can hold it.
fn address(target: &str) -> String {
    let plain = target.chars().all(|c| !c.is_whitespace() && !matches!(c, '(' | ')' | '<' | '>'));
    if plain { target.to_owned() } else { format!("<{}>", target.replace(['<', '>', '\n', '\r'], "")) }
}

/// Lines of a paragraph, with hard breaks between.
fn lines_of(words: &str) -> String {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty()).map(guarded);
    let first = lines.next().unwrap_or_default();
    lines.fold(first, |mut all, line| {
        all.push_str("\\\n");
        all.push_str(&line);
        all
    })
}

/// A line that would begin another block of Markdown, kept from it.
fn guarded(line: &str) -> String {
    let mut chars = line.chars();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let opens = match chars.next() {
        Some('#' | '>' | '+') => true,
        Some('-') => chars.next().is_none_or(|next| next == ' ' || next == '-'),
        Some('=') => true,
        _ => false,
    };
    if opens {
        format!("\\{line}")
    } else if digits > 0 && digits < 10 && line.cut(digits..).starts_with(['.', ')']) {
        format!("{}\\{}", line.cut(..digits), line.cut(digits..))
    } else {
        line.to_owned()
    }
}

/// Characters that Markdown would read as marks.
pub(super) fn escaped(words: &str) -> String {
    let mut escaped = String::with_capacity(words.len());
    for c in words.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Length of the longest run of a character.
pub(super) fn longest_run(text: &str, of: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
