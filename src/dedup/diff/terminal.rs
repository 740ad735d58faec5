//! A comparison in two columns of a terminal.
//!
//! Own words are red on the left and green on the right, moved ones yellow with the number of the passage; without colours
//! they stand in `[-` `-]`, `{+` `+}` and `[1>` `<1]`. Controls are shown as pictures, so a text cannot move the cursor,
//! change colours or turn the direction of writing. Lines break at blanks by the width that characters take.

use std::ffi::OsStr;
use std::io::{Result, Write};

use unicode_width::UnicodeWidthChar;

use crate::diff::layout::{DiffView, Kind, Row, Span, visible};

/// The least width of a column.
const MIN_COLUMN: usize = 16;

/// The greatest width of a column.
const MAX_COLUMN: usize = 1000;

/// Between the columns.
const BETWEEN: &str = " | ";

/// Whether to write colours: on a terminal, unless the variable `NO_COLOR` is set to anything but nothing.
///
/// # Examples
/// ```
/// use webmill_dedup::use_color;
/// assert!(use_color(None, true) && use_color(Some("".as_ref()), true));
/// assert!(!use_color(Some("1".as_ref()), true) && !use_color(None, false));
/// ```
///
/// **Reference.** <https://no-color.org>.
pub fn use_color(no_color: Option<&OsStr>, is_terminal: bool) -> bool {
    is_terminal && no_color.is_none_or(OsStr::is_empty)
}

impl DiffView<'_> {
    /// Writes two columns that take `width` together (35 to 2,003), with colours or without.
    ///
    /// # Errors
    /// Those of `out`.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{DiffOptions, DiffView, TextDiff};
    /// let (a, b) = ("The old mill grinds.", "The new mill grinds!");
    /// let diff = TextDiff::of(a, b, &DiffOptions::default())?;
    /// let mut out = Vec::new();
    /// DiffView::new(&diff, a, b).write_terminal(&mut out, 60, false).expect("a vector takes all");
    /// assert!(String::from_utf8_lossy(&out).contains("The [-old-] mill grinds.     | The {+new+} mill grinds!"));
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn write_terminal(&self, out: &mut dyn Write, width: usize, color: bool) -> Result<()> {
        let column = (width.saturating_sub(BETWEEN.len()) / 2).clamp(MIN_COLUMN, MAX_COLUMN);
        let name = |name| [Span { kind: Kind::Shared, text: name }];
        let names = (name(self.names.0), name(self.names.1));
        beside(
            out,
            &cells(&names.0, Side::Left, column, color),
            &cells(&names.1, Side::Right, column, color),
            column,
        )?;
        writeln!(out, "{}", self.summary())?;
        writeln!(out)?;
        self.rows(|row| match row {
            Row::Texts(left, right) => {
                let left = cells(&left, Side::Left, column, color);
                let right = cells(&right, Side::Right, column, color);
                beside(out, &left, &right, column)
            }
            Row::Folded(words) if color => writeln!(out, "\x1b[2m… {words} shared words …\x1b[0m"),
            Row::Folded(words) => writeln!(out, "… {words} shared words …"),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// A line of one column with its width.
#[derive(Default)]
struct Cell {
    text: String,
    width: usize,
}

/// Writes lines of both columns beside each other.
fn beside(out: &mut dyn Write, left: &[Cell], right: &[Cell], column: usize) -> Result<()> {
    for i in 0..left.len().max(right.len()) {
        let empty = Cell::default();
        let (a, b) = (left.get(i).unwrap_or(&empty), right.get(i).unwrap_or(&empty));
        let pad = column.saturating_sub(a.width);
        match b.text.is_empty() {
            true => writeln!(out, "{}{:pad$}{}", a.text, "", BETWEEN.trim_end())?,
            false => writeln!(out, "{}{:pad$}{BETWEEN}{}", a.text, "", b.text)?,
        }
    }
    Ok(())
}

/// What stands before and after a stretch: ends of colours take no width, marks do.
fn marks(kind: Kind, side: Side, color: bool) -> (String, String) {
    let code = match (kind, side) {
        (Kind::Shared, _) => return (String::new(), String::new()),
        (Kind::Own, Side::Left) => "31",
        (Kind::Own, Side::Right) => "32",
        (Kind::Moved(_), _) => "33",
    };
    match (kind, side, color) {
        (Kind::Moved(number), _, true) => (format!("\x1b[{code}m{number}>"), format!("<{number}\x1b[0m")),
        (_, _, true) => (format!("\x1b[{code}m"), "\x1b[0m".to_owned()),
        (Kind::Moved(number), ..) => (format!("[{number}>"), format!("<{number}]")),
        (_, Side::Left, false) => ("[-".to_owned(), "-]".to_owned()),
        (_, Side::Right, false) => ("{+".to_owned(), "+}".to_owned()),
    }
}

/// Lines of one column.
fn cells(spans: &[Span<'_>], side: Side, column: usize, color: bool) -> Vec<Cell> {
    let mut wrap = Wrap { column, cells: vec![Cell::default()], blank: false, style: String::new() };
    for span in spans {
        let (before, after) = marks(span.kind, side, color);
        let text = span.text.trim_matches([' ', '\t', '\n', '\r']);
        let begin = span.text.len() - span.text.trim_start_matches([' ', '\t', '\n', '\r']).len();
        wrap.gap(&span.text[..begin]);
        if !text.is_empty() {
            let word = if color { code(&before) } else { ("", &before[..]) };
            wrap.style = word.0.to_owned();
            let mut first = true;
            let mut rest = text;
            while !rest.is_empty() {
                let end = rest.find([' ', '\t', '\n', '\r']).unwrap_or(rest.len());
                let last = end == rest.len();
                let closing = if color { after.trim_end_matches("\x1b[0m") } else { &after[..] };
                let (open, close) = (if first { word.1 } else { "" }, if last { closing } else { "" });
                wrap.word(open, &rest[..end], close);
                first = false;
                let next = rest[end..].trim_start_matches([' ', '\t', '\n', '\r']);
                wrap.gap(&rest[end..rest.len() - next.len()]);
                rest = next;
            }
            wrap.style.clear();
        }
        wrap.gap(&span.text[begin + text.len()..]);
    }
    let mut cells = wrap.cells;
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.text.is_empty()) {
        cells.pop();
    }
    cells
}

/// The code that a mark begins with, and the rest of it.
fn code(mark: &str) -> (&str, &str) {
    mark.split_at(mark.find('m').filter(|_| mark.starts_with('\x1b')).map_or(0, |end| end + 1))
}

/// Breaks words into lines.
struct Wrap {
    column: usize,
    cells: Vec<Cell>,
    /// A blank is due before the next word.
    blank: bool,
    /// The code of the colour of the words; empty for none.
    style: String,
}

impl Wrap {
    /// White space: line feeds end the line, at most one after the other stays empty.
    fn gap(&mut self, white: &str) {
        let lines = white.matches('\n').count().min(2);
        for _ in 0..lines {
            self.end_line();
        }
        self.blank = lines == 0 && (self.blank || !white.is_empty());
    }

    fn end_line(&mut self) {
        self.cells.push(Cell::default());
        self.blank = false;
    }

    /// A word with its marks, on the next line if it does not fit; longer ones are cut.
    fn word(&mut self, open: &str, word: &str, close: &str) {
        let shown: Vec<(char, usize)> = open
            .chars()
            .chain(word.chars().map(visible))
            .chain(close.chars())
            .map(|c| (c, c.width().unwrap_or(1)))
            .collect();
        let width: usize = shown.iter().map(|&(_, width)| width).sum();
        let used = self.line().width;
        if used > 0 && used + usize::from(self.blank) + width > self.column {
            self.end_line();
        }
        if std::mem::take(&mut self.blank) && self.line().width > 0 {
            let line = self.line();
            line.text.push(' ');
            line.width += 1;
        }
        self.switch(true);
        for (c, width) in shown {
            if self.line().width + width > self.column {
                self.switch(false);
                self.end_line();
                self.switch(true);
            }
            let line = self.line();
            line.text.push(c);
            line.width += width;
        }
        self.switch(false);
    }

    /// Begins or ends the colour, which no line leaves on.
    fn switch(&mut self, on: bool) {
        if !self.style.is_empty() {
            let code = if on { self.style.clone() } else { "\x1b[0m".to_owned() };
            self.line().text.push_str(&code);
        }
    }

    fn line(&mut self) -> &mut Cell {
        if self.cells.is_empty() {
            self.cells.push(Cell::default());
        }
        let last = self.cells.len() - 1;
        &mut self.cells[last]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{DiffOptions, TextDiff};
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    fn show(a: &str, b: &str, width: usize, color: bool, context: Option<usize>) -> String {
        let diff = TextDiff::of(a, b, &DiffOptions::default()).unwrap();
        let mut view = DiffView::new(&diff, a, b).named("http://a.com/", "http://b.com/");
        view.context_words = context;
        let mut out = Vec::new();
        view.write_terminal(&mut out, width, color).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn words(from: usize, count: usize) -> String {
        (from..from + count).map(|i| format!("w{i} ")).collect()
    }

    #[test]
    fn own_words_are_marked_in_their_column() {
        let shown = show("one two three\nnext line", "one 2 three\nnext line", 60, false, None);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines,
            [
                "http://a.com/                | http://b.com/",
                "5 and 5 words, 4 shared in order in 2 passages, 0 moved; resemblance 0.200, first in second 0.333, second in first 0.333",
                "",
                "one [-two-] three            | one {+2+} three",
                "next line                    | next line",
            ]
        );
    }

    #[test]
    fn colours_end_on_every_line() {
        let shown =
            show(&format!("same words here {}", words(0, 60)), "same words here other", 60, true, None);
        assert!(shown.contains("\x1b[31mw0\x1b[0m") && shown.contains("\x1b[32mother\x1b[0m"), "{shown}");
        for line in shown.lines() {
            assert_eq!(line.matches("\x1b[3").count(), line.matches("\x1b[0m").count(), "{line:?}");
        }
    }

    #[test]
    fn moved_passages_have_their_number_on_both_sides() {
        let (p, q) = (words(0, 30), words(100, 6));
        let shown = show(&format!("{p}{q}"), &format!("{q}{p}"), 80, false, None);
        assert_eq!((shown.matches("[1>w100").count(), shown.matches("w105<1]").count()), (2, 2), "{shown}");
    }

    #[test]
    fn long_shared_stretches_are_folded() {
        let (a, b) = (
            format!("{}x y z {}", words(0, 500), words(500, 40)),
            format!("{}u v w {}", words(0, 500), words(500, 40)),
        );
        let shown = show(&a, &b, 80, false, Some(10));
        assert!(
            !shown.contains("w489 ") && shown.contains("w490") && shown.contains("… 490 shared words …"),
            "{shown}"
        );
        assert!(show(&a, &b, 80, false, None).contains("w300"));
    }

    #[test]
    fn hostile_texts_cannot_steer_the_terminal() {
        let evil = "\x1b[31mred\x1b]0;title\x07 \u{9b}2J \u{202E}turned\u{2066} nul\0 back\u{8} \r over";
        let shown = show(evil, &format!("{evil} more"), 80, false, None);
        let allowed = |c: char| c == '\n' || visible(c) == c && !c.is_control();
        assert!(shown.chars().all(allowed), "{shown:?}");
        assert!(shown.contains('␛') && shown.contains('␀'));
    }

    #[test]
    fn wide_letters_and_narrow_terminals_keep_the_columns() {
        for (a, b) in [
            ("我们去北京，他们去南京".repeat(9), "我们去北京，她们去东京".repeat(9)),
            ("x".repeat(5000), "y".repeat(300)),
            (String::new(), "one".to_owned()),
        ] {
            for width in [0, 40, 81, usize::MAX] {
                let shown = show(&a, &b, width, false, None);
                let column = (width.saturating_sub(3) / 2).clamp(MIN_COLUMN, MAX_COLUMN);
                for line in shown.lines().skip(3) {
                    let left = line.split(" |").next().unwrap();
                    assert_eq!(left.width(), column, "{line:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn every_word_is_shown(a in "([a-c]{1,3}[ \n.]|[一-三]){0,40}", b in "([a-c]{1,3}[ \n.]|[一-三]){0,40}", p in "([a-z]{2} ){0,20}") {
            let shown = show(&format!("{a}{p}"), &format!("{p}{b}"), 70, false, None);
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
            let body: String = shown.lines().skip(3).collect();
            prop_assert_eq!(letters(&body), letters(&a) + letters(&b) + 2 * letters(&p));
        }
    }
}
