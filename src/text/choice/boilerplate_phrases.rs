//! Phrases that boilerplate is made of.
//!
//! Short blocks say what they are: "All rights reserved", "Related articles", "责任编辑：…". Each known phrase is of a kind;
//! what follows from it is for the learnt tables to weigh, together with where the block is.
//!
//! Latin phrases are found in the folded text (letters lower-cased, all else one boundary) at word boundaries, those of
//! other scripts as substrings. Cost: O(characters) of blocks of at most [`MAX_PHRASE_UNITS`] words; longer ones are prose.

use std::sync::LazyLock;

use crate::phrases::{Phrases, Substrings};
use crate::word_list::sections;

/// Blocks of more words are not looked at.
pub(crate) const MAX_PHRASE_UNITS: f32 = 25.0;

/// What a phrase speaks of; the discriminant is a bit number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum PhraseKind {
    Copyright,
    Related,
    Share,
    Comments,
    Account,
    Newsletter,
    Continue,
    Byline,
    Date,
    Tags,
    Commerce,
    Legal,
    Navigate,
    Reply,
    Advert,
    Contents,
    Picture,
    Biography,
    /// That there is no text: errors, checks for robots, pages that scripts fill.
    Missing,
}

impl PhraseKind {
    /// All kinds, in order.
    pub(crate) const ALL: [PhraseKind; PHRASE_KINDS] = {
        let mut all = [PhraseKind::Copyright; PHRASE_KINDS];
        let mut at = 0;
        while at < PHRASE_KINDS {
            all[at] = KINDS[at].1;
            at += 1;
        }
        all
    };
}

/// Number of kinds.
pub(crate) const PHRASE_KINDS: usize = 19;

/// What the sections of the list name them.
const KINDS: [(&str, PhraseKind); PHRASE_KINDS] = [
    ("Copyright", PhraseKind::Copyright),
    ("Related", PhraseKind::Related),
    ("Share", PhraseKind::Share),
    ("Comments", PhraseKind::Comments),
    ("Account", PhraseKind::Account),
    ("Newsletter", PhraseKind::Newsletter),
    ("Continue", PhraseKind::Continue),
    ("Byline", PhraseKind::Byline),
    ("Date", PhraseKind::Date),
    ("Tags", PhraseKind::Tags),
    ("Commerce", PhraseKind::Commerce),
    ("Legal", PhraseKind::Legal),
    ("Navigate", PhraseKind::Navigate),
    ("Reply", PhraseKind::Reply),
    ("Advert", PhraseKind::Advert),
    ("Contents", PhraseKind::Contents),
    ("Picture", PhraseKind::Picture),
    ("Biography", PhraseKind::Biography),
    ("Missing", PhraseKind::Missing),
];

/// The phrases of a script, a kind in each section, with the bit of that.
fn phrases(script: &'static str) -> impl Iterator<Item = (&'static str, u64)> {
    let lists = sections(include_str!("boilerplate_phrases.txt"));
    let lists = lists.filter_map(move |(name, list)| Some((name.strip_prefix(script)?.trim(), list)));
    lists.flat_map(move |(kind, list)| {
        let (_, kind) = KINDS.iter().find(|(name, _)| *name == kind).expect("the list names kinds");
        let between = if script == "latin" { ' ' } else { '\n' };
        list.split(['\n', between])
            .filter(|phrase| !phrase.is_empty())
            .map(move |phrase| (phrase, 1 << *kind as u8))
    })
}

static LATIN_PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(phrases("latin")));
static CHINESE_PHRASES: LazyLock<Substrings> = LazyLock::new(|| Substrings::new(phrases("chinese")));
static OTHER_PHRASES: LazyLock<Substrings> = LazyLock::new(|| Substrings::new(phrases("others")));

/// The kinds of phrases in a text, as a bit set; `wide` says whether it holds Chinese characters.
pub(crate) fn phrase_kinds(text: &str, wide: bool) -> u32 {
    let mut kinds = LATIN_PHRASES.find(text);
    if text.is_ascii() {
        return kinds as u32;
    }
    if wide {
        kinds |= CHINESE_PHRASES.find(text);
    }
    let other = |c| matches!(c, '\u{400}'..='\u{4ff}' | '\u{ac00}'..='\u{d7a3}');
    if text.contains(other) {
        kinds |= OTHER_PHRASES.find(text);
    }
    let mut kinds = kinds as u32;
    if text.contains('©') {
        kinds |= 1 << PhraseKind::Copyright as u8;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_at_word_boundaries() {
        for (text, kind) in [
            ("All rights reserved.", Some(PhraseKind::Copyright)),
            ("You may also like:", Some(PhraseKind::Related)),
            ("责任编辑：张三", Some(PhraseKind::Byline)),
            ("相关阅读", Some(PhraseKind::Related)),
            ("Lea también: otra cosa", Some(PhraseKind::Related)),
            ("Читайте также: другое", Some(PhraseKind::Related)),
            ("Oops! That page can't be found.", Some(PhraseKind::Missing)),
            ("404 - Page not found", Some(PhraseKind::Missing)),
            ("抱歉，您访问的页面不存在", Some(PhraseKind::Missing)),
            ("Ошибка: страница не найдена", Some(PhraseKind::Missing)),
            ("Please enable JavaScript to go on.", Some(PhraseKind::Missing)),
            ("Please enable Javascript to go on.", Some(PhraseKind::Missing)),
            ("Включите JavaScript", Some(PhraseKind::Missing)),
            ("Readmorely", None),
        ] {
            let phrases = phrase_kinds(text, true);
            match kind {
                Some(kind) => assert!(phrases & 1 << kind as u8 != 0, "{text}"),
                None => assert_eq!(phrases, 0, "{text}"),
            }
        }
    }
}
