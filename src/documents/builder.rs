//! Blocks in, text and Markdown out: the same look for every format.

use std::ops::Range;

use crate::{Document, Heading, Kind, Limits, Link, Table};

/// Bytes of an anchor that are kept.
const MAX_ANCHOR: usize = 1024;

/// The words of a block, some of them links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inline {
    /// The words; `\n` is a forced line break.
    pub text: String,
    /// Ranges of the text that lead elsewhere, in order, none within another, and where to.
    pub links: Vec<(Range<usize>, String)>,
}

impl From<&str> for Inline {
    fn from(text: &str) -> Self {
        Inline { text: text.to_owned(), links: Vec::new() }
    }
}

impl From<String> for Inline {
    fn from(text: String) -> Self {
        Inline { text, links: Vec::new() }
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

    /// Adds other words behind these, with their links.
    pub fn append(&mut self, other: &Inline) {
        let from = self.text.len();
        self.text.push_str(&other.text);
        let moved = other.links.iter().map(|(range, to)| (range.start + from..range.end + from, to.clone()));
        self.links.extend(moved);
    }
}

/// What stands before an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A bullet.
    Bullet,
    /// A number.
    Number(u32),
}

/// Puts a document together, block by block, within limits.
#[derive(Debug)]
pub struct Builder {
    /// What was said so far; readers set title, author and the like.
    pub document: Document,
    limits: Limits,
    chars: usize,
    rows: usize,
    full: bool,
    in_list: bool,
}

impl Builder {
    /// A document of a kind without blocks.
    pub fn new(kind: Kind, limits: &Limits) -> Self {
        let document = Document::new(kind);
        Builder { document, limits: limits.clone(), chars: 0, rows: 0, full: false, in_list: false }
    }

    /// Whether the text has reached its limit: what comes now is left out.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
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
        self.block(false);
        let marked = marked(&words, true);
        self.document.markdown.push_str(&"######"[..level.into()]);
        self.document.markdown.push(' ');
        self.document.markdown.push_str(&marked);
        self.document.markdown.push('\n');
        self.document.headings.push(Heading { level, text: flat });
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, words: impl Into<Inline>) {
        let Some(words) = self.admit(words.into()) else { return };
        self.line(&words.text);
        self.block(false);
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
        self.line(&format!("{marker}{}", one_line(&words.text)));
        self.block(true);
        for _ in 0..depth.min(8) {
            self.document.markdown.push_str("    ");
        }
        self.document.markdown.push_str(&marker);
        let marked = marked(&words, true);
        self.document.markdown.push_str(&marked);
        self.document.markdown.push('\n');
    }

    /// Adds a table. One of a single column is paragraphs; one without words is left out.
    pub fn table(&mut self, mut table: Table) {
        let filled = |row: &Vec<String>| row.iter().any(|cell| !cell.trim().is_empty());
        table.rows.retain(filled);
        if !filled(&table.columns) {
            table.columns.clear();
        }
        let width = table.rows.iter().map(Vec::len).max().unwrap_or(0).max(table.columns.len());
        if width == 0 || self.full {
            return;
        }
        if width == 1 {
            for cell in table.columns.into_iter().chain(table.rows.into_iter().flatten()) {
                self.paragraph(cell);
            }
            return;
        }
        let room = self.limits.max_table_rows - self.rows.min(self.limits.max_table_rows);
        if table.rows.len() > room {
            table.rows.truncate(room);
            self.warn("rows-cut");
        }
        self.rows += table.rows.len();
        for row in &mut table.rows {
            row.iter_mut().for_each(|cell| *cell = one_line(cell));
            row.resize(width, String::new());
        }
        table.columns.iter_mut().for_each(|cell| *cell = one_line(cell));
        if !table.columns.is_empty() {
            table.columns.resize(width, String::new());
        }
        self.block(false);
        let mut head = true;
        let mut kept = 0;
        let all = (!table.columns.is_empty()).then_some(&table.columns).into_iter().chain(&table.rows);
        for row in all {
            let line = joined(row);
            if self.admit(Inline::from(line.as_str())).is_none() {
                break;
            }
            kept += 1;
            self.line(&line);
            let markdown = &mut self.document.markdown;
            for cell in row {
                markdown.push_str("| ");
                markdown.push_str(&escaped(cell).replace('|', "\\|"));
                markdown.push(' ');
            }
            markdown.push_str("|\n");
            if std::mem::take(&mut head) {
                markdown.push_str(&"| --- ".repeat(width));
                markdown.push_str("|\n");
            }
        }
        table.rows.truncate(kept - usize::from(!table.columns.is_empty()).min(kept));
        if !table.rows.is_empty() {
            name_apart(&mut table.columns);
            self.document.tables.push(table);
        }
    }

    /// Adds lines that stand as they are: code, plain text of a fixed pitch.
    pub fn code(&mut self, lines: &str) {
        let Some(words) = self.admit(Inline::from(lines.trim_end())) else { return };
        self.line(&words.text);
        self.block(false);
        let fence = "`".repeat(3.max(longest_run(&words.text, '`') + 1));
        self.document.markdown.push_str(&format!("{fence}\n{}\n{fence}\n", words.text));
    }

    /// Adds a note at the foot or the end, with its number or sign.
    pub fn note(&mut self, label: &str, words: impl Into<Inline>) {
        let Some(words) = self.admit(words.into()) else { return };
        self.line(&one_line(&words.text));
        self.block(true);
        let marked = marked(&words, true);
        self.document.markdown.push_str(&format!("[^{}]: {marked}\n", label.trim()));
    }

    /// Adds running heads, page numbers and the like: a comment of the Markdown where the limits ask for it.
    pub fn furniture(&mut self, words: &str) {
        if self.limits.furniture && !words.trim().is_empty() && !self.full {
            self.block(false);
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

    /// Counts words in; cuts what is beyond the limit. `None` for blank ones and where nothing more is taken.
    fn admit(&mut self, mut words: Inline) -> Option<Inline> {
        if self.full || words.is_blank() {
            return None;
        }
        let chars = words.text.chars().count();
        let room = self.limits.max_text_chars.saturating_sub(self.chars);
        if chars > room {
            self.full = true;
            let end = words.text.char_indices().nth(room).map_or(words.text.len(), |(at, _)| at);
            words.text.truncate(end);
            words.links.retain(|(range, _)| range.end <= end);
        }
        self.chars += chars.min(room);
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

    /// Begins a block of the Markdown: behind an empty line, unless item follows item.
    fn block(&mut self, item: bool) {
        if !(self.document.markdown.is_empty() || item && self.in_list) {
            self.document.markdown.push('\n');
        }
        self.in_list = item;
    }
}

/// White space and line breaks as single spaces.
fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cells of a row, as tables of HTML pages have them in texts.
fn joined(row: &[String]) -> String {
    let last = row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |at| at + 1);
    row[..last].join(" | ")
}

/// Names of columns with no two alike: later ones get a number.
fn name_apart(columns: &mut [String]) {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for (at, column) in columns.iter_mut().enumerate() {
        if column.is_empty() {
            *column = format!("column {}", at + 1);
        }
        let times = seen.entry(column.clone()).or_default();
        *times += 1;
        if *times > 1 {
            *column = format!("{column} {times}");
        }
    }
}

/// The words as Markdown, their links named.
fn marked(words: &Inline, flat: bool) -> String {
    let mut marked = String::with_capacity(words.text.len() + 16);
    let mut at = 0;
    for (range, target) in &words.links {
        let (Some(before), Some(anchor)) = (words.text.get(at..range.start), words.text.get(range.clone()))
        else {
            continue;
        };
        marked.push_str(&escaped(before));
        marked.push_str(&format!("[{}]({})", escaped(anchor.trim()), address(target)));
        if anchor.ends_with(char::is_whitespace) {
            marked.push(' ');
        }
        at = range.end;
    }
    marked.push_str(&escaped(words.text.get(at..).unwrap_or_default()));
    if flat { one_line(&marked) } else { lines_of(&marked) }
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
    } else if digits > 0 && digits < 10 && line[digits..].starts_with(['.', ')']) {
        format!("{}\\{}", &line[..digits], &line[digits..])
    } else {
        line.to_owned()
    }
}

/// Characters that Markdown would read as marks.
fn escaped(words: &str) -> String {
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
fn longest_run(text: &str, of: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "# Tea\n\nRead [this](http://a.example/x) first.\n\n- green\n    2. black\\_tea\n\n| Kind | Kind |\n| --- | --- |\n| a\\|b |  |\n\n1\\. no list\\\n\\# no heading\n"
        );
        assert_eq!(document.title.as_deref(), Some("Tea"));
        assert_eq!(document.links, [Link { target: "http://a.example/x".into(), anchor: "this".into() }]);
        assert_eq!(document.tables[0].columns, ["Kind", "Kind 2"]);
        assert_eq!(document.tables[0].rows, [["a|b", ""]]);
    }

    #[test]
    fn what_is_beyond_the_limit_is_left_out() {
        let limits = Limits { max_text_chars: 5, ..Limits::default() };
        let mut builder = Builder::new(Kind::Text, &limits);
        builder.paragraph("好好好");
        builder.paragraph("abcdef");
        builder.paragraph("more");
        let document = builder.finish();
        assert_eq!(document.text, "好好好\nab\n");
        assert_eq!(document.warnings, ["text-cut"]);
    }
}
