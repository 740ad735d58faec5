//! Words: titles and main texts, with known words replaced.

use super::draw::{Draws, below, purpose, tail_3_8, unit};
use super::layout::Content;
use super::phrases::{self, Phrases};
use super::vocabulary::{CHINESE, ENGLISH, Vocabulary};
use super::{Language, Web};
use webmill_capture::cut::Cut;

/// Receives the main text as it is and notes the anchors of the links in it.
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) text: String,
    pub(super) anchors: Vec<String>,
}

/// How a main text is set.
#[derive(Copy, Clone, Debug)]
pub(super) struct Shape {
    pub(super) language: Language,
    /// Words that are anchors, spread evenly.
    pub(super) links: u32,
    /// Whether paragraphs get an end tag.
    pub(super) closed: bool,
}

pub(super) fn vocabulary(language: Language) -> &'static Vocabulary {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

pub(super) fn phrases_of(language: Language) -> &'static Phrases {
    match language {
        Language::English => &phrases::ENGLISH,
        Language::Chinese => &phrases::CHINESE,
    }
}

/// Appends an English word as a sentence or a name begins.
pub(super) fn push_capital(word: &str, out: &mut String) {
    let mut chars = word.chars();
    if let Some(first) = chars.next() {
        out.push(first.to_ascii_uppercase());
        out.push_str(chars.as_str());
    }
}

impl Web {
    /// Number of words of the main text of a page whose text is its own.
    pub(super) fn text_words(&self, text: u64) -> u32 {
        let mean = f64::from(self.config.words);
        let length = tail_3_8(mean * 0.6, unit(self.hash(text, purpose::TEXT)));
        length.min(mean * 20.0).max(8.0) as u32
    }

    /// Appends the title that goes with a text.
    pub(super) fn push_title(&self, text: u64, language: Language, out: &mut String) {
        let mut draws = Draws::new(self.config.seed, text, purpose::TITLE);
        let words = vocabulary(language);
        let mut planted = self.title_topic(text, language);
        let count = if language == Language::English { 3 + draws.below(4) } else { 2 + draws.below(3) };
        for i in 0..count {
            let mut word = words.draw_content(draws.next());
            if let Some(of_topic) = planted.as_mut().and_then(|draw| draw()) {
                word = of_topic;
            }
            let word = words.word(word);
            if i == 0 {
                push_capital(word, out);
            } else {
                out.push_str(phrases_of(language).space);
                out.push_str(word);
            }
        }
    }

    /// Appends the name of the site of a host.
    pub(super) fn push_site_name(&self, host: u64, language: Language, out: &mut String) {
        let mut draws = Draws::new(self.config.seed, host, purpose::TITLE ^ purpose::HOST << 8);
        let words = vocabulary(language);
        for i in 0..2 {
            if i > 0 {
                out.push_str(phrases_of(language).space);
            }
            push_capital(words.word(words.draw_content(draws.next())), out);
        }
    }

    /// Positions of the replaced words, ascending.
    fn edited(&self, content: &Content, words: u32) -> Vec<u32> {
        let mut positions = Vec::with_capacity(content.edits as usize);
        let mut draws = Draws::new(self.config.seed, content.body, purpose::EDITS);
        while positions.len() < content.edits.min(words / 2) as usize {
            let position = draws.below(u64::from(words)) as u32;
            if let Err(at) = positions.binary_search(&position) {
                positions.insert(at, position);
            }
        }
        positions
    }

    /// The words of a main text, in order.
    fn words_of<'w>(&'w self, content: &'w Content, language: Language) -> impl Iterator<Item = u16> + 'w {
        let words = vocabulary(language);
        let count = self.text_words(content.text);
        let mut edits = self.edited(content, count).into_iter().peekable();
        let mut draws = Draws::new(self.config.seed, content.text, purpose::TEXT);
        let mut planted = self.text_topic(content.text, language);
        (0..count).map(move |at| {
            let mut word = words.draw(draws.next());
            if let Some(of_topic) = planted.as_mut().and_then(|draw| draw()) {
                word = of_topic;
            }
            if edits.next_if_eq(&at).is_some() {
                // Another word at any draw: the next ranks around the vocabulary that are not this one.
                let draw = self.hash(content.body ^ u64::from(at) << 40, purpose::EDITS);
                let other = below(draw, words.len() as u64 - 1);
                word = ((u64::from(word) + 1 + other) % words.len() as u64) as u16;
            }
            word
        })
    }

    /// Appends the paragraphs of a main text as HTML; `open` appends the start tag of a link.
    pub(super) fn push_text(
        &self,
        content: &Content,
        shape: Shape,
        mut open: impl FnMut(u32, &mut String),
        out: &mut String,
        mut record: Option<&mut Recorder>,
    ) {
        let Shape { language, links, closed } = shape;
        let (words, phrases) = (vocabulary(language), phrases_of(language));
        let count = self.text_words(content.text);
        let mut form = Draws::new(self.config.seed, content.text, purpose::FORM);
        let both = |piece: &str, out: &mut String, record: &mut Option<&mut Recorder>| {
            out.push_str(piece);
            if let Some(record) = record {
                record.text.push_str(piece);
            }
        };
        let (mut sentences, mut left, mut comma, mut link) = (0, 0, 0, 0);
        let step = (count / (links + 1)).max(1);
        for (at, word) in (0..).zip(self.words_of(content, language)) {
            let starts = left == 0;
            if starts && sentences == 0 {
                sentences = 2 + form.below(4);
                if at > 0 {
                    out.push_str(if closed { "</p>\n" } else { "\n" });
                    if let Some(record) = &mut record {
                        record.text.push('\n');
                    }
                }
                out.push_str("<p>");
            } else {
                both(phrases.space, out, &mut record);
            }
            if starts {
                left = 6 + form.below(10);
                comma = if left > 9 { left / 2 } else { 0 };
            }
            let anchor = link < links && at == (link + 1) * step;
            let from = record.as_ref().map_or(0, |record| record.text.len());
            if anchor {
                open(link, out);
            }
            if starts {
                let mut capital = String::new();
                push_capital(words.word(word), &mut capital);
                both(&capital, out, &mut record);
            } else {
                both(words.word(word), out, &mut record);
            }
            if anchor {
                out.push_str("</a>");
                link += 1;
                if let Some(record) = &mut record {
                    let anchor = record.text.cut(from..).to_owned();
                    record.anchors.push(anchor);
                }
            }
            left -= 1;
            if left == 0 || at + 1 == count {
                let asks = form.below(12) == 0;
                both(if asks { phrases.question } else { phrases.stop }, out, &mut record);
                left = 0;
                sentences -= 1;
            } else if left == comma {
                both(phrases.comma, out, &mut record);
            }
        }
        out.push_str(if closed { "</p>\n" } else { "\n" });
    }
}
