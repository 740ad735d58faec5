//! Markdown: CommonMark with tables, footnotes, task lists and strikethrough, read by `pulldown-cmark`.
//!
//! **Definition.** The text is that of headings, paragraphs, items, tables, code and notes, without marks; links keep their
//! words. HTML within is passed over. A block of metadata at the beginning, between lines `---`, gives title, author, date
//! and language, if its lines name them.
//!
//! **Cost.** Linear; nothing is nested deeper than the parser's own limits. The parser takes up to a hundred bytes of memory for
//! a byte of marks, so that texts of more than a mebibyte are read as plain text, with a warning.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use webmill_html::{DateOrder, WrittenDate, read_date};

use crate::text::read_text;
use crate::{Builder, Document, Inline, Kind, Limits, Marker, Table, TitleSource};

/// Bytes of a text whose marks are read.
const MAX_BYTES: usize = 1 << 20;

/// Reads a Markdown text.
pub fn read_markdown(text: &str, limits: &Limits) -> Document {
    if text.len() > MAX_BYTES {
        let mut document = Document { kind: Kind::Markdown, ..read_text(text, limits) };
        document.warn("marks-unread");
        return document;
    }
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader::new(limits);
    for event in Parser::new_ext(text, options) {
        if reader.builder.is_full() {
            break;
        }
        reader.event(event);
    }
    reader.builder.finish()
}

/// A list that is open.
struct List {
    /// Number of its next item; none of bullets.
    next: Option<u64>,
    /// What stands before the item that is open, until its first words are out.
    marker: Option<Marker>,
}

/// What stands around the words that are read.
struct Reader {
    builder: Builder,
    words: Inline,
    lists: Vec<List>,
    /// The label of the note that is open.
    note: Option<String>,
    /// The link that is open: where its words begin, where it leads.
    link: Option<(usize, String)>,
    table: Table,
    row: Vec<String>,
}

impl Reader {
    fn new(limits: &Limits) -> Self {
        Reader {
            builder: Builder::new(Kind::Markdown, limits),
            words: Inline::default(),
            lists: Vec::new(),
            note: None,
            link: None,
            table: Table::default(),
            row: Vec::new(),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.words.text.push_str(&text),
            Event::Code(code) => self.words.text.push_str(&code),
            Event::SoftBreak => self.words.text.push(' '),
            Event::HardBreak => self.words.text.push('\n'),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Link { dest_url, .. } => self.link = Some((self.words.text.len(), dest_url.into_string())),
            Tag::FootnoteDefinition(label) => self.note = Some(label.into_string()),
            Tag::List(next) => {
                self.block();
                self.lists.push(List { next, marker: None });
            }
            Tag::Item => {
                if let Some(list) = self.lists.last_mut() {
                    let number = |next: u64| Marker::Number(u32::try_from(next).unwrap_or(u32::MAX));
                    list.marker = Some(list.next.map_or(Marker::Bullet, number));
                    list.next = list.next.map(|next| next.saturating_add(1));
                }
            }
            Tag::CodeBlock(_) | Tag::Heading { .. } | Tag::Table(_) => self.block(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link => {
                if let Some((from, target)) = self.link.take() {
                    let words = self.words.text.split_off(from.min(self.words.text.len()));
                    self.words.push_link(&words, &target);
                }
            }
            TagEnd::Heading(level) => {
                let words = std::mem::take(&mut self.words);
                self.builder.heading(level as u8, words);
            }
            TagEnd::CodeBlock => {
                let code = std::mem::take(&mut self.words.text);
                self.builder.code(&code);
            }
            TagEnd::MetadataBlock(_) => {
                let block = std::mem::take(&mut self.words.text);
                self.metadata(&block);
            }
            TagEnd::TableCell => self.row.push(std::mem::take(&mut self.words).text),
            TagEnd::TableHead => self.table.columns = std::mem::take(&mut self.row),
            TagEnd::TableRow => self.table.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => {
                let table = std::mem::take(&mut self.table);
                self.builder.table(table);
            }
            TagEnd::List(_) => {
                self.block();
                self.lists.pop();
            }
            TagEnd::FootnoteDefinition => {
                self.block();
                self.note = None;
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::HtmlBlock => self.block(),
            _ => {}
        }
    }

    /// Gives out the words that were gathered, as what they stand in.
    fn block(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.is_blank() {
            return;
        }
        let depth = self.lists.len().saturating_sub(1);
        match (&self.note, self.lists.last_mut().and_then(|list| list.marker.take())) {
            (Some(label), _) => self.builder.note(label, words),
            (None, Some(marker)) => self.builder.item(u8::try_from(depth).unwrap_or(u8::MAX), marker, words),
            (None, None) => self.builder.paragraph(words),
        }
    }

    /// Reads lines `name: value`.
    fn metadata(&mut self, block: &str) {
        for line in block.lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim().trim_matches(['"', '\'']).trim();
            if value.is_empty() || line.starts_with([' ', '\t', '-', '#']) {
                continue;
            }
            let document = &mut self.builder.document;
            match name.trim().to_ascii_lowercase().as_str() {
                "title" => document.give_title(value, TitleSource::Metadata),
                "author" | "authors" => {
                    document.about.author = Some(value.trim_matches(['[', ']']).to_owned())
                }
                "date" => document.about.published = iso(value),
                "lang" | "language" => document.about.language_declared = Some(value.to_owned()),
                _ => {}
            }
        }
    }
}

/// A date as ISO 8601; `None` if it may be either of two days.
fn iso(written: &str) -> Option<String> {
    match read_date(written, DateOrder::Undecided)? {
        WrittenDate::Certain(date) => Some(date),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_blocks() {
        let text = "---\ntitle: \"The Pier\"\nauthor: Li Hua\ndate: 2024-03-01\n---\n\n# Boats & *more*\n\nA [ferry](/ferry)\ngoes.\n\n1. first\n   - inner\n2. second\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nlet x;\n```\n\nSee[^1].\n\n[^1]: A note.\n";
        let document = read_markdown(text, &Limits::default());
        assert_eq!(
            document.text,
            "Boats & more\nA ferry goes.\n1. first\n- inner\n2. second\na | b\n1 | 2\nlet x;\nSee.\nA note.\n"
        );
        assert_eq!(document.about.title.as_deref(), Some("The Pier"));
        assert_eq!(document.about.author.as_deref(), Some("Li Hua"));
        assert_eq!(document.about.published.as_deref(), Some("2024-03-01"));
        assert_eq!(document.links[0].target, "/ferry");
        assert_eq!(document.tables[0].rows, [["1", "2"]]);
        assert_eq!(document.headings[0].text, "Boats & more");
    }

    #[test]
    fn a_long_text_keeps_its_marks() {
        let document = read_markdown(&"*tea*\n\n".repeat(MAX_BYTES / 7 + 1), &Limits::default());
        assert!(document.text.starts_with("*tea*\n*tea*\n"));
        assert_eq!((document.kind, &document.warnings[..]), (Kind::Markdown, &["marks-unread".into()][..]));
    }

    #[test]
    fn a_title_is_the_first_heading() {
        assert_eq!(read_markdown("x\n\n## Tea\n", &Limits::default()).about.title.as_deref(), Some("Tea"));
        assert_eq!(read_markdown("plain", &Limits::default()).about.title, None);
    }
}
