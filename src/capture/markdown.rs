//! What of a text CommonMark (and GFM) would take for markup, escaped; nothing more, so that prose stays readable.
//!
//! Pages and documents are written by it alike. Linear.
//!
//! **Reference.** CommonMark 0.31.2, 2.4 and 6; GFM 0.29, 4.10 and 6.5.

use crate::cut::Cut;

/// A forced break of a line.
pub const HARD_BREAK: &str = "  \n";

/// Appends a text with its white space as it is.
///
/// # Examples
/// ```
/// let mut out = String::new();
/// webmill_capture::markdown::escape_text("*a*  b_c", &mut out);
/// assert_eq!(out, "\\*a\\*  b_c");
/// ```
pub fn escape_text(text: &str, out: &mut String) {
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        escape(word, false, out);
        out.push_str(piece.cut(word.len()..));
    }
}

/// Appends a word without white space; inside of a link's text, brackets are escaped too.
pub fn escape(word: &str, in_link: bool, out: &mut String) {
    let plain =
        !word.bytes().any(|b| matches!(b, b'\\' | b'*' | b'`' | b'_' | b'[' | b']' | b'<' | b'&' | b'~'));
    if plain {
        out.push_str(word);
        return;
    }
    let mut before = out.chars().next_back().unwrap_or(' ');
    let mut rest = word.chars();
    while let Some(c) = rest.next() {
        let after = rest.as_str();
        let marked = match c {
            '\\' => after.is_empty() || after.starts_with(|c: char| c.is_ascii_punctuation()),
            '*' | '`' => true,
            '[' => in_link || before.is_whitespace() || before == '!',
            ']' => in_link || after.starts_with(['(', '[', ':']) || after.is_empty(),
            '<' => after.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
            '_' => !(before.is_alphanumeric() && after.starts_with(char::is_alphanumeric)),
            // Strike-through ends only behind a letter.
            '~' => !before.is_whitespace() || after.starts_with('~'),
            '&' => is_reference(after),
            _ => false,
        };
        if marked {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
}

/// Length of the longest run of a character: a fence of code is longer.
pub fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Whether what follows an ampersand makes it a character reference: `amp;`, `#39;`.
fn is_reference(after: &str) -> bool {
    let body = after.strip_prefix('#').unwrap_or(after);
    let end = body.bytes().take(33).take_while(u8::is_ascii_alphanumeric).count();
    end > 0 && body.cut(end..).starts_with(';')
}

/// Escapes what would be a heading, quote, item, rule, fence, table or definition at the start of a line.
pub fn escape_line_starts(out: &mut String, start: usize) {
    if !out.cut(start..).contains('\n') {
        if let Some(at) = line_start(out.cut(start..)) {
            out.insert(start + at, '\\');
        }
        return;
    }
    let body = out.split_off(start);
    for (n, line) in body.split('\n').enumerate() {
        if n > 0 {
            out.push('\n');
        }
        match line_start(line) {
            Some(at) => {
                out.push_str(line.cut(..at));
                out.push('\\');
                out.push_str(line.cut(at..));
            }
            None => out.push_str(line),
        }
    }
}

/// Where a backslash belongs in a line, if its start is markup.
fn line_start(line: &str) -> Option<usize> {
    let first = *line.as_bytes().first()?;
    let after = |n: usize| line.len() == n || line.cut(n..).starts_with([' ', '\t']);
    let only = |c: char| line.chars().all(|x| x == c || x == ' ');
    match first {
        b'#' => {
            let signs = line.bytes().take_while(|&b| b == b'#').count();
            (signs <= 6 && after(signs)).then_some(0)
        }
        b'>' | b'|' => Some(0),
        b'+' => after(1).then_some(0),
        b'-' => (after(1) || only('-') || line.starts_with("-|") || line.starts_with("-:")).then_some(0),
        b'=' => only('=').then_some(0),
        b':' => line.cut(1..).starts_with('-').then_some(0),
        b'0'..=b'9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let ends = line.cut(digits..).starts_with(['.', ')']);
            (digits <= 9 && ends && after(digits + 1)).then_some(digits)
        }
        _ => None,
    }
}

/// An address as a link's target: white space and controls encoded, parentheses where they do not pair.
pub fn escape_target(url: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_graphic() && !matches!(b, b'\\' | b'(' | b')' | b'<' | b'>');
    if url.bytes().all(is_plain) {
        return url.to_owned();
    }
    let mut depth = 0i32;
    let mut paired = true;
    for b in url.bytes() {
        depth += i32::from(b == b'(') - i32::from(b == b')');
        paired &= (0..8).contains(&depth);
    }
    paired &= depth == 0;
    let mut out = String::with_capacity(url.len() + 8);
    for c in url.chars() {
        match c {
            '(' | ')' if paired => out.push(c),
            '\\' | '(' | ')' | '<' | '>' | ' ' | '\u{7f}' => out.push_str(&format!("%{:02X}", c as u32)),
            // An asterisk or underscore in a target is no emphasis, but an ampersand may be a reference.
            '\0'..='\u{1f}' => {}
            c if c.is_whitespace() => out.push_str("%20"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (word, want) in [
            ("a*b", "a\\*b"),
            ("snake_case", "snake_case"),
            ("_x_", "\\_x\\_"),
            ("[1]", "\\[1\\]"),
            ("f[0]x", "f[0]x"),
            ("a[b](c)", "a[b\\](c)"),
            ("<b>", "\\<b>"),
            ("<3", "<3"),
            ("a<b", "a\\<b"),
            ("AT&T", "AT&T"),
            ("&amp;", "\\&amp;"),
            ("&#39;", "\\&#39;"),
            ("~5", "~5"),
            ("a~b", "a\\~b"),
            ("C:\\dir", "C:\\dir"),
            ("\\*", "\\\\\\*"),
            ("`x`", "\\`x\\`"),
        ] {
            let mut out = String::new();
            escape(word, false, &mut out);
            assert_eq!(out, want, "{word}");
        }
        let mut out = String::new();
        escape("f[0]", true, &mut out);
        assert_eq!(out, "f\\[0\\]");
    }

    #[test]
    fn starts_of_lines() {
        for (text, want) in [
            ("# a", "\\# a"),
            ("#tag", "#tag"),
            ("> a", "\\> a"),
            ("- a", "\\- a"),
            ("-5 degrees", "-5 degrees"),
            ("---", "\\---"),
            ("- - -", "\\- - -"),
            ("===", "\\==="),
            ("= a", "= a"),
            ("+ a", "\\+ a"),
            ("+1", "+1"),
            ("1986. A year", "1986\\. A year"),
            ("1.5 litres", "1.5 litres"),
            ("2) b", "2\\) b"),
            ("|a|", "\\|a|"),
            ("a  \n# b\n- c", "a  \n\\# b\n\\- c"),
            ("", ""),
        ] {
            let mut out = text.to_string();
            escape_line_starts(&mut out, 0);
            assert_eq!(out, want);
        }
    }

    #[test]
    fn targets() {
        for (url, want) in [
            ("http://e.org/a_(b)", "http://e.org/a_(b)"),
            ("/a)b(", "/a%29b%28"),
            ("/a b\n<c>", "/a%20b%3Cc%3E"),
            ("/日本", "/日本"),
        ] {
            assert_eq!(escape_target(url), want);
        }
    }
}
