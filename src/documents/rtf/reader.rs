//! The machine that takes tokens, keeps states and gathers text.

use super::state::{Closing, Destination, State};
use super::tables::Tables;
use super::tokens::{Token, Tokens};
use super::words;
use crate::builder::one_line;
use crate::code_pages::{CodePage, Pictures, symbol};
use crate::languages::{LanguageShares, script_of};
use crate::prose::{Flow, Role, Story};
use crate::{Document, Kind, Limits};

/// Groups that may be open, in depths of the limits: they are no calls, and cost little.
const GROUPS_PER_DEPTH: usize = 8;
/// Bytes of a title, an author, a field's code, a marker.
const MAX_FACT: usize = 4096;

/// Reads the tokens of one document.
pub(super) struct Reader<'a> {
    pub(super) tokens: Tokens<'a>,
    pub(super) state: State,
    /// States of the groups around, and what the end of each group does.
    pub(super) groups: Vec<(State, Closing)>,
    /// Groups that are open and left out, for they are too deep.
    left_out: usize,
    /// Whether `\*` stands before the word that comes.
    pub(super) starred: bool,
    /// Characters to leave out behind `\u`.
    pub(super) fallback: u32,
    /// First half of a character of two UTF-16 units.
    high: Option<u16>,
    bytes: Bytes,
    pub(super) document_page: Option<CodePage>,
    pub(super) document_font: Option<i32>,
    pub(super) languages: [u16; 3],
    /// Words by language.
    spoken: LanguageShares,
    pub(super) tables: Tables,
    pub(super) flow: Flow,
    pub(super) stories: Vec<Story>,
    pub(super) notes: u32,
    pub(super) comments: u32,
    pub(super) row_is_header: bool,
    pub(super) title: String,
    pub(super) author: String,
    pub(super) date: [i32; 6],
}

/// Bytes that are not decoded yet.
struct Bytes {
    bytes: Vec<u8>,
    page: CodePage,
    /// Whether the page is that of a font whose charset may say nothing.
    western: bool,
    /// Whether the last byte is the first of two.
    waiting: bool,
}

impl<'a> Reader<'a> {
    /// A reader at the beginning.
    pub(super) fn new(bytes: &'a [u8], limits: &Limits) -> Self {
        Reader {
            tokens: Tokens::new(bytes),
            state: State::new(),
            groups: Vec::new(),
            left_out: 0,
            starred: false,
            fallback: 0,
            high: None,
            bytes: Bytes { bytes: Vec::new(), page: CodePage::WESTERN, western: false, waiting: false },
            document_page: None,
            document_font: None,
            languages: [0; 3],
            spoken: LanguageShares::default(),
            tables: Tables::default(),
            flow: Flow::new(Kind::Rtf, limits),
            stories: vec![Story::new(Role::Body)],
            notes: 0,
            comments: 0,
            row_is_header: false,
            title: String::new(),
            author: String::new(),
            date: [0; 6],
        }
    }

    pub(super) fn read(mut self) -> Document {
        let max_steps = self.flow.builder.limits().max_steps;
        let mut steps = 0_u64;
        while let Some(token) = self.tokens.next() {
            steps += 1;
            if steps > max_steps || self.flow.builder.is_full() {
                if steps > max_steps {
                    self.flow.builder.warn("too-much-work");
                }
                return self.finish();
            }
            self.take(token);
            if token == Token::Close && self.groups.is_empty() {
                return self.finish();
            }
        }
        self.flow.builder.warn("cut-off");
        self.finish()
    }

    fn take(&mut self, token: Token<'_>) {
        match token {
            Token::Open => self.open(),
            Token::Close => self.close(),
            _ if self.left_out > 0 => {}
            Token::Word("bin", number) => {
                self.tokens.skip_binary(number.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(0));
            }
            Token::Word(word, number) => self.word(word, number),
            _ if self.state.destination == Destination::Nowhere => {
                self.starred &= token == Token::Symbol(b'*')
            }
            Token::Symbol(b'*') => self.starred = true,
            Token::Symbol(symbol) => self.symbol(symbol),
            Token::Hex(byte) => self.byte(byte),
            Token::Text(text) => self.text(text),
        }
    }

    fn open(&mut self) {
        (self.fallback, self.starred) = (0, false);
        let most = self.flow.builder.limits().max_depth.saturating_mul(GROUPS_PER_DEPTH);
        if self.left_out > 0 || self.groups.len() >= most {
            self.left_out += 1;
            self.flow.builder.warn("too-deep");
            return;
        }
        self.flush_whole();
        self.groups.push((self.state, Closing::Nothing));
    }

    fn close(&mut self) {
        (self.fallback, self.starred) = (0, false);
        if self.left_out > 0 {
            self.left_out -= 1;
            return;
        }
        self.flush_whole();
        let Some((outer, closing)) = self.groups.pop() else { return };
        self.end_group(closing);
        self.state = outer;
    }

    /// A control symbol.
    fn symbol(&mut self, symbol: u8) {
        self.starred = false;
        match symbol {
            // Letters behind a backslash for they would be marks; they may be the second byte of a character.
            b'\\' | b'{' | b'}' => self.byte(symbol),
            b'~' => self.sign('\u{A0}'),
            b'_' => self.sign('-'),
            b'\t' => self.sign('\t'),
            b'\r' | b'\n' => self.end_paragraph(),
            // An optional hyphen is a character to leave out like any other.
            b'-' => self.fallback = self.fallback.saturating_sub(1),
            _ => {}
        }
    }

    /// A character that a symbol or a word stands for.
    pub(super) fn sign(&mut self, c: char) {
        if self.fallback > 0 {
            self.fallback -= 1;
        } else {
            self.char(c);
        }
    }

    /// Plain bytes.
    fn text(&mut self, text: &[u8]) {
        self.starred = false;
        let left_out = (self.fallback as usize).min(text.len());
        self.fallback -= left_out as u32;
        let text = text.get(left_out..).unwrap_or_default();
        if text.is_empty() {
            return;
        }
        let plain = text.is_ascii() && self.bytes.bytes.is_empty() && !self.is_pictures();
        if let (true, Ok(text)) = (plain, std::str::from_utf8(text)) {
            self.high = None;
            self.say(text);
            return;
        }
        text.iter().for_each(|&byte| self.byte(byte));
        // A mark may be the second byte of a character that began with a plain byte.
        if self.bytes.waiting
            && let Some(byte) = self.tokens.raw()
        {
            self.byte(byte);
        }
    }

    /// Code page of the font, and whether its charset may say nothing.
    fn page(&self) -> (CodePage, bool) {
        let font = self.tables.font(self.state.font.or(self.document_font));
        let of_document = || match self.document_page {
            Some(page) => page,
            None => CodePage::of_language(self.languages.first().copied().unwrap_or(0)),
        };
        match font.page {
            Some(_) if font.western && self.document_page == CodePage::of_number(65001) => {
                (of_document(), false)
            }
            Some(page) => (page, font.western),
            None => (of_document(), false),
        }
    }

    fn is_pictures(&self) -> bool {
        matches!(self.page().0, CodePage::Pictures(_))
    }

    /// A byte of text.
    fn byte(&mut self, byte: u8) {
        self.starred = false;
        if self.fallback > 0 {
            self.fallback -= 1;
            return;
        }
        let (page, western) = self.page();
        // The second byte of a character belongs to the first, whatever font it stands in.
        if !self.bytes.waiting && (page, western) != (self.bytes.page, self.bytes.western) {
            self.flush();
            (self.bytes.page, self.bytes.western) = (page, western);
        }
        self.bytes.waiting = !self.bytes.waiting && self.bytes.page.leads(byte);
        self.bytes.bytes.push(byte);
        if self.bytes.bytes.len() >= MAX_FACT && !self.bytes.waiting {
            self.flush();
        }
    }

    /// Says the bytes that are waiting to be decoded.
    pub(super) fn flush(&mut self) {
        if self.bytes.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes.bytes);
        self.bytes.waiting = false;
        let page = match self.document_page {
            Some(page) if self.bytes.western && page.is_double() && looks_double(&bytes) => page,
            _ => self.bytes.page,
        };
        let text = match std::str::from_utf8(&bytes) {
            // Some writers forget code pages and write UTF-8; what is that by chance is hardly ever.
            Ok(text) if !text.is_ascii() && matches!(page, CodePage::Web(_)) && !page.is_double() => {
                text.to_owned()
            }
            _ => page.decode(&bytes),
        };
        self.high = None;
        self.say(&text);
    }

    /// Says the bytes that are whole; a first byte goes on waiting.
    pub(super) fn flush_whole(&mut self) {
        let first = if self.bytes.waiting { self.bytes.bytes.pop() } else { None };
        self.flush();
        if let Some(first) = first {
            self.bytes.bytes.push(first);
            self.bytes.waiting = true;
        }
    }

    /// A UTF-16 unit.
    pub(super) fn unit(&mut self, unit: u16) {
        self.flush();
        self.fallback = self.state.fallback;
        let high = self.high.take();
        match (high, unit) {
            (_, 0xD800..=0xDBFF) => self.high = Some(unit),
            (Some(high), 0xDC00..=0xDFFF) => {
                let pair = char::decode_utf16([high, unit]).next().and_then(Result::ok);
                pair.into_iter().for_each(|c| self.say(c.encode_utf8(&mut [0; 4])));
            }
            // Letters of fonts of pictures are written so.
            (_, 0xF020..=0xF0FF) => {
                let font = match self.page().0 {
                    CodePage::Pictures(font) => font,
                    _ => Pictures::Symbol,
                };
                let c = symbol((unit & 0xFF) as u8, font);
                c.into_iter().for_each(|c| self.say(c.encode_utf8(&mut [0; 4])));
            }
            _ => char::from_u32(unit.into()).into_iter().for_each(|c| self.say(c.encode_utf8(&mut [0; 4]))),
        }
    }

    /// A character.
    pub(super) fn char(&mut self, c: char) {
        self.flush();
        self.say(c.encode_utf8(&mut [0; 4]));
    }

    /// Text, to where the destination says.
    fn say(&mut self, text: &str) {
        let room = |known: &str| known.len() + text.len() <= MAX_FACT;
        match self.state.destination {
            Destination::Story if self.state.hidden || self.state.deleted => {}
            Destination::Story => self.say_in_story(text),
            Destination::Title if room(&self.title) => self.title.push_str(text),
            Destination::Author if room(&self.author) => self.author.push_str(text),
            Destination::Fonts | Destination::Styles => self.name_entry(text),
            Destination::Instruction => {
                let field = self.stories.last_mut().and_then(|story| story.fields.last_mut());
                if let Some(field) = field.filter(|field| room(&field.code)) {
                    field.code.push_str(text);
                }
            }
            Destination::Marker => {
                if let Some(story) = self.stories.last_mut().filter(|story| room(&story.marker)) {
                    story.marker.push_str(text);
                }
            }
            _ => {}
        }
    }

    fn say_in_story(&mut self, text: &str) {
        let script = text.chars().find(|c| c.is_alphabetic()).map(script_of);
        let of = |languages: &[u16; 3]| languages.get(script?).copied().filter(|&language| language != 0);
        if let Some(language) = of(&self.state.languages).or_else(|| of(&self.languages)) {
            self.spoken.add(language, text.len());
        }
        if let Some(story) = self.stories.last_mut() {
            story.push(text, self.state.size, self.state.bold, self.state.position);
        }
    }

    /// Names a font or a style; `;` ends it.
    fn name_entry(&mut self, text: &str) {
        for c in text.chars() {
            if c == ';' {
                self.end_entry();
            } else if self.tables.name.len() < 256 {
                self.tables.name.push(c);
            }
        }
    }

    /// Closes all open elements and makes the document.
    fn finish(mut self) -> Document {
        // A file that is cut within a picture ends the paragraph around it.
        self.left_out = 0;
        while self.state.destination != Destination::Story && !self.groups.is_empty() {
            self.close();
        }
        self.flush();
        while self.stories.len() > 1 {
            self.end_story();
        }
        if self.stories.last().is_some_and(|story| !story.words.is_blank()) {
            self.end_paragraph();
        }
        let document = &mut self.flow.builder.document;
        document.about.language_declared = self.spoken.tag(self.languages.first().copied());
        let author = one_line(&self.author);
        document.about.author = (!author.is_empty()).then_some(author);
        self.flow.finish(Some(&self.title))
    }

    /// A control word: of a destination, a character, or a property.
    fn word(&mut self, word: &str, number: Option<i32>) {
        let starred = std::mem::take(&mut self.starred);
        if self.state.destination == Destination::Nowhere {
            if word == "ud" {
                self.state.destination = self.state.outer;
            }
            return;
        }
        if let Some(c) = words::character(word) {
            return self.sign(c);
        }
        if word == "u" {
            return self.unit(number.unwrap_or(0) as u16);
        }
        self.fallback = 0;
        self.flush_whole();
        if !self.begin(word) {
            if starred {
                self.state.destination = Destination::Nowhere;
            } else {
                self.set(word, number);
            }
        }
    }
}

/// Whether bytes that a font calls western are of two-byte characters: runs of high bytes are even.
fn looks_double(bytes: &[u8]) -> bool {
    let mut runs = bytes.split(u8::is_ascii).filter(|run| !run.is_empty()).peekable();
    runs.peek().is_some()
        && runs.all(|run| run.len() % 2 == 0 && run.iter().all(|&byte| byte > 0xA0 && byte < 0xFF))
}
