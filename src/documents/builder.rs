//! Blocks in, text and Markdown out: the same look for every format.

mod marks;
mod table;

use std::ops::Range;
use webmill_capture::cut::Cut;
use webmill_capture::markdown::longest_run;

use crate::builder::marks::marked;
pub(crate) use crate::builder::table::MAX_COLUMNS;
use crate::{Document, Heading, Kind, Limits, Link};

/// Bytes of an anchor that are kept.
const MAX_ANCHOR: usize = 1024;

/// The words of a block, some of them links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inline {
    /// The words; `\n` is a forced line break.
    pub text: String,
    /// Ranges of the text that lead elsewhere, in order, none within another, and where to.
    pub links: Vec<(Range<usize>, String)>,
    /// Ranges of the text that are formulas in TeX, in order, and whether they stand in a line of their own.
    pub formulas: Vec<(Range<usize>, bool)>,
}

impl From<&str> for Inline {
    fn from(text: &str) -> Self {
        Inline::from(text.to_owned())
    }
}

impl From<String> for Inline {
    fn from(text: String) -> Self {
        Inline { text, ..Inline::default() }
    }
}

impl Inline {
    /// Whether there are no words.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Adds words that lead to `target`.
    pub fn push_link(&mut self, words: &str, target: &str) {
        let from = self.text.len();
        self.text.push_str(words);
        if !words.trim().is_empty() && !target.trim().is_empty() {
            self.links.push((from..self.text.len(), target.trim().to_owned()));
        }
    }

    /// Adds a formula in TeX; `display` for one in a line of its own.
    pub fn push_formula(&mut self, tex: &str, display: bool) {
        let from = self.text.len();
        self.text.push_str(tex);
        if !tex.trim().is_empty() {
            self.formulas.push((from..self.text.len(), display));
        }
    }

    /// The words behind a label, with a space between.
    pub(crate) fn behind(self, label: &str) -> Inline {
        if label.is_empty() {
            return self;
        }
        let mut all = Inline::from(format!("{label} "));
        all.append(&self);
        all
    }

    /// Where its links lead, and their words.
    pub(crate) fn anchors(&self) -> impl Iterator<Item = (String, String)> {
        let words = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default().to_owned();
        self.links.iter().map(move |(range, target)| (target.clone(), words(range)))
    }

    /// Adds other words behind these, with their links.
    pub fn append(&mut self, other: &Inline) {
        let from = self.text.len();
        self.text.push_str(&other.text);
        let moved = other.links.iter().map(|(range, to)| (range.start + from..range.end + from, to.clone()));
        self.links.extend(moved);
        let moved =
            other.formulas.iter().map(|(range, display)| (range.start + from..range.end + from, *display));
        self.formulas.extend(moved);
    }
}

/// What stands before an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A bulleted item.
    Bullet,
    /// A numbered item, with its number.
    Number(u32),
}

/// What the last block of the Markdown is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastBlock {
    Item,
    Note,
    Other,
}

/// Puts a document together, block by block, within limits.
#[derive(Debug)]
pub struct Builder {
    /// What was said so far; readers set title, author and the like.
    pub document: Document,
    limits: Limits,
    chars: usize,
    rows: usize,
    cells: usize,
    full: bool,
    last: LastBlock,
}

impl Builder {
    /// A document of a kind without blocks.
    pub fn new(kind: Kind, limits: &Limits) -> Self {
        let document = Document::new(kind);
        Builder {
            document,
            limits: limits.clone(),
            chars: 0,
            rows: 0,
            cells: 0,
            full: false,
            last: LastBlock::Other,
        }
    }

    /// Whether the text has reached its limit: what comes now is left out.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The limits that the document must keep.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Characters that the text may still take.
    pub fn room(&self) -> usize {
        self.limits.max_text_chars.saturating_sub(self.chars)
    }

    /// Whether its tables have as many rows or cells as they may: what comes now of tables is left out.
    pub fn is_full_of_rows(&self) -> bool {
        self.rows >= self.limits.max_table_rows || self.cells >= table::MAX_CELLS
    }

    /// Adds a warning, once.
    pub fn warn(&mut self, warning: &'static str) {
        self.document.warn(warning);
    }

    /// Adds a heading of a level, 1 for the highest; deeper ones than 6 count as 6.
    pub fn heading(&mut self, level: u8, words: impl Into<Inline>) {
        let level = level.clamp(1, 6);
        let Some(words) = self.admit(words.into()) else { return };
        let flat = one_line(&words.text);
        self.line(&flat);
        self.block(LastBlock::Other);
        let marked = marked(&words, true);
        self.document.markdown.push_str("######".cut(..usize::from(level)));
        self.document.markdown.push(' ');
        self.document.markdown.push_str(&marked);
        self.document.markdown.push('\n');
        self.document.headings.push(Heading { level, text: flat });
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, words: impl Into<Inline>) {
        let Some(words) = self.admit(words.into()) else { return };
        self.line(&words.text);
        self.block(LastBlock::Other);
        let marked = marked(&words, false);
        self.document.markdown.push_str(&marked);
        self.document.markdown.push('\n');
    }

    /// Adds an item of a list, `depth` 0 for one that is in no other item. Its marker is part of the text, as it is of HTML pages.
    pub fn item(&mut self, depth: u8, marker: Marker, words: impl Into<Inline>) {
        let Some(words) = self.admit(words.into()) else { return };
        let marker = match marker {
            Marker::Bullet => "- ".to_owned(),
            Marker::Number(number) => format!("{number}. "),
        };
        self.chars += marker.len();
        self.line(&format!("{marker}{}", one_line(&words.text)));
        self.block(LastBlock::Item);
        for _ in 0..depth.min(8) {
            self.document.markdown.push_str("    ");
        }
        self.document.markdown.push_str(&marker);
        let marked = marked(&words, true);
        self.document.markdown.push_str(&marked);
        self.document.markdown.push('\n');
    }

    /// Adds lines that stand as they are: code, plain text of a fixed pitch.
    pub fn code(&mut self, lines: &str) {
        let Some(words) = self.admit(Inline::from(lines.trim_end())) else { return };
        self.line(&words.text);
        self.block(LastBlock::Other);
        let fence = "`".repeat(3.max(longest_run(&words.text, '`') + 1));
        self.document.markdown.push_str(&format!("{fence}\n{}\n{fence}\n", words.text));
    }

    /// Adds a note at the foot or the end, with its number or sign.
    pub fn note(&mut self, label: &str, words: impl Into<Inline>) {
        let Some(words) = self.admit(words.into()) else { return };
        self.line(&one_line(&words.text));
        self.block(LastBlock::Note);
        let marked = marked(&words, true);
        self.document.markdown.push_str(&format!("[^{}]: {marked}\n", label.trim()));
    }

    /// Adds running heads, page numbers and the like: a comment of the Markdown where the limits ask for it.
    pub fn furniture(&mut self, words: &str) {
        if self.limits.furniture && !words.trim().is_empty() && !self.full {
            self.block(LastBlock::Other);
            self.document.markdown.push_str(&format!("<!-- {} -->\n", one_line(words).replace("--", "- -")));
        }
    }

    /// Adds a link whose words are no part of the text, or are there already.
    pub fn link(&mut self, target: &str, anchor: &str) {
        if self.document.links.len() >= self.limits.max_links {
            self.warn("links-cut");
        } else if !target.trim().is_empty() {
            let mut anchor = one_line(anchor);
            anchor.truncate(anchor.floor_char_boundary(MAX_ANCHOR));
            self.document.links.push(Link { target: target.trim().to_owned(), anchor });
        }
    }

    /// The document. One without a title is called by its first heading.
    pub fn finish(mut self) -> Document {
        if self.full {
            self.document.warn("text-cut");
        }
        if let Some(heading) = self.document.headings.first().map(|heading| heading.text.clone()) {
            self.document.give_title(&heading, crate::TitleSource::Heading);
        }
        self.document
    }

    /// Counts words in; cuts the part beyond the limit. `None` for blank ones and where nothing more is taken.
    fn admit(&mut self, mut words: Inline) -> Option<Inline> {
        if self.full || words.is_blank() {
            return None;
        }
        let chars = words.text.chars().count();
        let room = self.room();
        if chars > room {
            self.full = true;
            let end = words.text.char_indices().nth(room).map_or(words.text.len(), |(at, _)| at);
            words.text.truncate(end);
            words.links.retain(|(range, _)| range.end <= end);
            words.formulas.retain(|(range, _)| range.end <= end);
        }
        // A line ends with a character too.
        self.chars += chars.min(room) + 1;
        for (range, target) in &words.links {
            let anchor = words.text.get(range.clone()).unwrap_or_default().to_owned();
            self.link(target, &anchor);
        }
        (!words.is_blank()).then_some(words)
    }

    /// Adds a line of the text, or several.
    fn line(&mut self, words: &str) {
        for line in words.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()) {
            self.document.text.push_str(line);
            self.document.text.push('\n');
        }
    }

    /// Begins a block of the Markdown: behind an empty line, unless item follows item or note follows note.
    fn block(&mut self, block: LastBlock) {
        if !(self.document.markdown.is_empty() || block != LastBlock::Other && block == self.last) {
            self.document.markdown.push('\n');
        }
        self.last = block;
    }
}

/// White space and line breaks as single spaces.
pub(crate) fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;

    fn built(build: impl FnOnce(&mut Builder)) -> Document {
        let mut builder = Builder::new(Kind::Docx, &Limits::default());
        build(&mut builder);
        builder.finish()
    }

    #[test]
    fn blocks_are_text_and_markdown() {
        let document = built(|b| {
            b.heading(1, "Tea");
            let mut words = Inline::from("Read ");
            words.push_link("this", "http://a.example/x");
            words.text.push_str(" first.");
            b.paragraph(words);
            b.item(0, Marker::Bullet, "green");
            b.item(1, Marker::Number(2), "black_tea");
            b.table(Table {
                caption: None,
                columns: vec!["Kind".into(), "Kind".into()],
                rows: vec![vec!["a|b".into()], vec![" ".into()]],
            });
            b.paragraph("1. no list\n# no heading");
        });
        assert_eq!(
            document.text,
            "Tea\nRead this first.\n- green\n2. black_tea\nKind | Kind\na|b\n1. no list\n# no heading\n"
        );
        assert_eq!(
            document.markdown,
            "# Tea\n\nRead [this](http://a.example/x) first.\n\n- green\n    2. black_tea\n\n| Kind | Kind |\n| --- | --- |\n| a\\|b |  |\n\n1\\. no list  \n\\# no heading\n"
        );
        assert_eq!(document.about.title.as_deref(), Some("Tea"));
        assert_eq!(document.links, [Link { target: "http://a.example/x".into(), anchor: "this".into() }]);
        assert_eq!(document.tables[0].columns, ["Kind", "Kind 2"]);
        assert_eq!(document.tables[0].rows, [["a|b", ""]]);
    }

    #[test]
    fn notes_are_no_items() {
        let document = built(|b| {
            b.item(0, Marker::Bullet, "a");
            b.note("1", "x");
            b.note("2", "y");
            b.item(0, Marker::Bullet, "b");
        });
        assert_eq!(document.markdown, "- a\n\n[^1]: x\n[^2]: y\n\n- b\n");
    }

    #[test]
    fn white_space_around_links_stays() {
        let document = built(|b| {
            let mut words = Inline::from("1 May");
            words.push_link(" link ", "http://a.example/");
            words.text.push('x');
            b.paragraph(words);
        });
        assert_eq!(document.markdown, "1 May [link](http://a.example/) x\n");
    }

    #[test]
    fn what_is_beyond_the_limit_is_left_out() {
        let limits = Limits { max_text_chars: 5, ..Limits::default() };
        let mut builder = Builder::new(Kind::Text, &limits);
        builder.paragraph("好好好");
        builder.paragraph("abcdef");
        builder.paragraph("more");
        let document = builder.finish();
        assert_eq!(document.text, "好好好\na\n");
        assert_eq!(document.warnings, ["text-cut"]);
        let limits = Limits { max_links: 1, max_table_rows: 1, max_input_bytes: 8, ..Limits::default() };
        let mut builder = Builder::new(Kind::Csv, &limits);
        ["http://a.example/", "http://b.example/"].iter().for_each(|target| builder.link(target, ""));
        let row = || vec!["a".to_owned(), "b".to_owned()];
        builder.table(Table { caption: None, columns: Vec::new(), rows: vec![row(), row()] });
        let document = builder.finish();
        assert_eq!((document.links.len(), document.tables[0].rows.len()), (1, 1));
        assert_eq!(document.warnings, ["links-cut", "rows-cut"]);
        assert_eq!(crate::read(b"nine byte", Kind::Text, &limits).unwrap_err().reason, "too-large");
    }
}
