//! The words and signs of a text, as tokenizers for people who read cut them.
//!
//! [`Measurer`](super::Measurer) calls this for each text: the thresholds that are published for Gopher, C4 and FineWeb were found with such
//! tokens, in which signs count by themselves, and not with the words of Annex 29.
//!
//! **Definition.** Languages with spaces are cut at white space; of each piece, signs at its begin and end are tokens of their own, then it is
//! cut at signs between letters (`and/or`, `well-known`, `end.Begin`) unless it is an address. English contractions are two tokens (`do`,
//! `n't`), French and Italian elisions too (`l'`, `homme`). Chinese is cut by jieba with its hidden Markov model. Japanese and the scripts of Southeast Asia
//! are cut as [`webmill_text::words`] cuts them, with each sign a token. A token holds no white space.
//!
//! **Cost.** Linear. **Reference.** The rules of order (signs, contractions, addresses, signs within) are those of the tokenizers of
//! [spaCy](https://spacy.io/usage/linguistic-features#how-tokenizer-works), without their lists of abbreviations by language.

use webmill_capture::cut::Cut;
use xxhash_rust::xxh3::xxh3_64;

use super::signs::{
    is_currency, is_letter, is_lower, is_quote, is_sign, is_space, is_split_sign, is_symbol, is_upper,
};

/// A word or sign of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its bytes in the text.
    pub start: u32,
    /// Behind its last byte.
    pub end: u32,
    /// Its characters.
    pub chars: u32,
    /// Whether it is of signs alone.
    pub is_sign: bool,
    /// Whether a letter is in it.
    pub has_letter: bool,
    /// Of its bytes.
    pub hash: u64,
}

impl Token {
    /// The token itself.
    pub fn of<'a>(&self, text: &'a str) -> &'a str {
        text.cut(self.start as usize..self.end as usize)
    }
}

/// How a language is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cutting {
    /// By white space and signs.
    Spaced(Spaced),
    /// By jieba.
    Chinese,
    /// By the words of [`webmill_text::words`].
    Words,
}

/// What languages with spaces do differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Spaced {
    english: bool,
    german: bool,
    /// A vowel that is left out before another word is cut off behind its apostrophe.
    elides: bool,
    /// Compounds with hyphens are one token.
    keeps_hyphens: bool,
}

impl Cutting {
    fn of(language: Option<&str>) -> Cutting {
        let spaced = Spaced::default();
        match language.unwrap_or_default() {
            "zho" | "wuu" | "yue" => Cutting::Chinese,
            "jpn" | "tha" | "lao" | "khm" | "mya" => Cutting::Words,
            "eng" => Cutting::Spaced(Spaced { english: true, ..spaced }),
            "deu" => Cutting::Spaced(Spaced { german: true, keeps_hyphens: true, ..spaced }),
            "fra" | "ita" | "cat" => Cutting::Spaced(Spaced { elides: true, ..spaced }),
            "spa" => Cutting::Spaced(Spaced { keeps_hyphens: true, ..spaced }),
            _ => Cutting::Spaced(spaced),
        }
    }
}

/// Bytes given to a dictionary at once: texts have lines, and longer ones are cut, so that memory is bounded.
const AT_ONCE: usize = 16 << 10;

/// Puts the tokens of `text`, of this ISO 639-3 language, into `into`.
pub fn tokens(text: &str, language: Option<&str>, into: &mut Vec<Token>) {
    into.clear();
    let mut cutter = Cutter { text, into };
    match Cutting::of(language) {
        Cutting::Spaced(spaced) => cutter.spaced(spaced),
        Cutting::Chinese => cutter.by_dictionary(webmill_text::dictionary_words),
        Cutting::Words => cutter.by_words(),
    }
}

struct Cutter<'a, 'b> {
    text: &'a str,
    into: &'b mut Vec<Token>,
}

impl<'a> Cutter<'a, '_> {
    /// Adds a part of the text.
    fn put(&mut self, token: &'a str) {
        if token.is_empty() {
            return;
        }
        let start = (token.as_ptr() as usize - self.text.as_ptr() as usize) as u32;
        let bytes = token.as_bytes();
        let (chars, has_letter, is_sign) = if token.is_ascii() {
            let letter = bytes.iter().any(u8::is_ascii_alphabetic);
            (bytes.len() as u32, letter, !letter && bytes.iter().all(|b| is_sign(char::from(*b))))
        } else {
            let letter = token.chars().any(is_letter);
            (token.chars().count() as u32, letter, !letter && token.chars().all(is_sign))
        };
        let hash = xxh3_64(bytes);
        self.into.push(Token { start, end: start + bytes.len() as u32, chars, is_sign, has_letter, hash });
    }

    fn by_dictionary(&mut self, cut: impl Fn(&'a str, &mut dyn FnMut(&'a str))) {
        for line in self.text.split('\n') {
            let mut rest = line;
            while !rest.is_empty() {
                let end = if rest.len() > AT_ONCE { rest.floor_char_boundary(AT_ONCE) } else { rest.len() };
                let (piece, behind) = rest.split_at(end);
                cut(piece, &mut |word| ascii_pieces(word.trim(), |piece| self.put(piece)));
                rest = behind;
            }
        }
    }

    fn by_words(&mut self) {
        let text = self.text;
        let mut at = 0;
        let signs = |cutter: &mut Self, between: &'a str| {
            for (i, c) in between.char_indices().filter(|(_, c)| !c.is_whitespace()) {
                cutter.put(between.cut(i..i + c.len_utf8()));
            }
        };
        webmill_text::words(text, |word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            signs(self, text.cut(at..start));
            self.put(word);
            at = start + word.len();
        });
        signs(self, text.cut(at..));
    }

    fn spaced(&mut self, how: Spaced) {
        let mut ends = Vec::new();
        for piece in self.text.split(is_space).filter(|piece| !piece.is_empty()) {
            if piece.bytes().all(|b| b.is_ascii_alphabetic()) {
                let at = contraction(piece).filter(|_| how.english).unwrap_or_default();
                self.put(piece.cut(..at));
                self.put(piece.cut(at..));
            } else {
                self.piece(piece, how, &mut ends);
            }
        }
    }

    /// A piece between white space: signs at its begin, the word itself, signs at its end. `ends` is room for these.
    fn piece(&mut self, piece: &'a str, how: Spaced, ends: &mut Vec<&'a str>) {
        ends.clear();
        let mut rest = piece;
        let is_whole = |rest: &str| is_one(rest, how) || how.english && contraction(rest).is_some();
        while !rest.is_empty() && !is_whole(rest) {
            let begin = signs_at_begin(rest);
            let behind = rest.cut(begin..);
            let end = signs_at_end(behind, how);
            if begin + end == 0 {
                break;
            }
            self.put(rest.cut(..begin));
            rest = behind.cut(..behind.len() - end);
            if end > 0 {
                ends.push(behind.cut(behind.len() - end..));
            }
        }
        match contraction(rest).filter(|_| how.english) {
            Some(at) => {
                self.put(rest.cut(..at));
                self.put(rest.cut(at..));
            }
            None if is_one(rest, how) || is_address(rest) => self.put(rest),
            None => self.within(rest, how),
        }
        ends.iter().rev().for_each(|end| self.put(end));
    }

    /// Cuts at signs within a word.
    fn within(&mut self, word: &'a str, how: Spaced) {
        let (mut start, mut at, mut before) = (0, 0, None);
        while let Some(c) = word.cut(at..).chars().next() {
            let length = before.map_or(0, |before| sign_within(before, word.cut(at..), how));
            if length > 0 && at > start {
                self.put(word.cut(start..at));
                self.put(word.cut(at..at + length));
                at += length;
                start = at;
                before = word.cut(..at).chars().next_back();
                continue;
            }
            let next = at + c.len_utf8();
            let is_elision = how.elides && is_apostrophe(c) && before.is_some_and(is_letter);
            if is_elision && word.cut(next..).starts_with(is_letter) {
                self.put(word.cut(start..next));
                start = next;
            }
            (at, before) = (next, Some(c));
        }
        self.put(word.cut(start..));
    }
}

/// A word of jieba's that is ASCII alone falls into letters and digits, which may end with decimals and a percent sign, and what stands between them.
fn ascii_pieces<'a>(word: &'a str, mut each: impl FnMut(&'a str)) {
    let bytes = word.as_bytes();
    if !word.is_ascii() || bytes.iter().all(u8::is_ascii_alphanumeric) {
        return each(word);
    }
    let run = |from: usize, of: fn(&u8) -> bool| from + bytes[from..].iter().take_while(|b| of(b)).count();
    let mut at = 0;
    while at < bytes.len() {
        let mut end = run(at, u8::is_ascii_alphanumeric);
        if end == at {
            end = run(at, |b| !b.is_ascii_alphanumeric());
        } else {
            let decimals =
                if bytes.get(end) == Some(&b'.') { run(end + 1, u8::is_ascii_digit) } else { end + 1 };
            end = if decimals > end + 1 { decimals } else { end };
            end += usize::from(bytes.get(end) == Some(&b'%'));
        }
        each(word.cut(at..end));
        at = end;
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// Length of the same ASCII character at the begin of a text.
fn run(text: &str, of: u8) -> usize {
    text.bytes().take_while(|b| *b == of).count()
}

/// Length of the sign at the begin, 0 if there is none.
fn signs_at_begin(text: &str) -> usize {
    let Some(c) = text.chars().next() else { return 0 };
    match c {
        '.' => Some(run(text, b'.')).filter(|dots| *dots > 1).unwrap_or_default(),
        '+' => usize::from(!text.cut(1..).starts_with(|c: char| c.is_ascii_digit())),
        'U' if text.starts_with("US$") => 3,
        'C' | 'A' if text.cut(1..).starts_with('$') => 2,
        '§' | '%' | '=' => c.len_utf8(),
        _ if is_split_sign(c) || is_currency(c) || is_symbol(c) => c.len_utf8(),
        _ => 0,
    }
}

/// Units behind numbers.
const UNITS: &[&str] = &[
    "km", "km²", "km³", "m", "m²", "m³", "dm", "dm²", "dm³", "cm", "cm²", "cm³", "mm", "mm²", "mm³", "ha",
    "µm", "nm", "yd", "in", "ft", "kg", "g", "mg", "µg", "t", "lb", "oz", "m/s", "km/h", "kmh", "mph", "hPa",
    "Pa", "mbar", "mb", "MB", "kb", "KB", "gb", "GB", "tb", "TB", "T", "G", "M", "K", "%", "км", "м", "см",
    "мм", "кг", "г", "мг",
];

/// Length of the sign at the end, 0 if there is none.
fn signs_at_end(text: &str, how: Spaced) -> usize {
    let mut chars = text.chars();
    let Some(c) = chars.next_back() else { return 0 };
    let before = chars.as_str().chars().next_back();
    match c {
        '.' => {
            let dots = text.bytes().rev().take_while(|b| *b == b'.').count();
            if dots > 1 {
                return dots;
            }
            let of_two_capitals =
                || chars.as_str().chars().rev().take(2).filter(|c| is_upper(*c)).count() == 2;
            usize::from(before.is_some_and(|b| is_word_end(b, how)) || of_two_capitals())
        }
        '+' => usize::from(before.is_some_and(|b| b.is_ascii_digit())),
        's' | 'S' if !how.german && !how.elides && before.is_some_and(is_apostrophe) => {
            1 + before.map_or(0, char::len_utf8)
        }
        '/' if how.german => 1,
        '…' if before == Some('…') => 2 * c.len_utf8(),
        _ if is_split_sign(c) || is_symbol(c) => c.len_utf8(),
        _ if is_currency(c) && before.is_some_and(|b| b.is_ascii_digit()) => c.len_utf8(),
        _ => {
            // Longer than the longest unit it cannot be.
            let from = text.floor_char_boundary(text.len().saturating_sub(8));
            let digit = text.as_bytes()[from..].iter().rposition(u8::is_ascii_digit);
            digit.map(|at| text.cut(from + at + 1..)).filter(|unit| UNITS.contains(unit)).map_or(0, str::len)
        }
    }
}

/// Whether a full stop behind this character is a token of its own.
fn is_word_end(c: char, how: Spaced) -> bool {
    c.is_ascii_digit() && !how.german
        || is_lower(c)
        || matches!(c, '%' | '²' | '-' | '+' | '|')
        || is_split_sign(c)
}

/// Length of the sign between two letters at the begin of `rest`, which stands behind `before`; 0 if there is none.
fn sign_within(before: char, rest: &str, how: Spaced) -> usize {
    let mut chars = rest.chars();
    let Some(c) = chars.next() else { return 0 };
    let after = chars.next();
    let is_between = |left: bool, right: fn(char) -> bool| left && after.is_some_and(right);
    let is_digit = before.is_ascii_digit();
    let found = match c {
        '.' if after == Some('.') => return run(rest, b'.'),
        '.' if how.german => is_between(is_lower(before), is_upper),
        '.' => is_between(is_lower(before) || is_quote(before), |c| is_upper(c) || is_quote(c)),
        ',' => is_between(is_letter(before), is_letter),
        '!' | '?' if how.german => is_between(is_letter(before), is_letter),
        '+' | '*' | '^' => is_between(is_digit && !how.german, |c| c.is_ascii_digit() || c == '-'),
        '/' if how.german => {
            is_between(is_digit || is_letter(before), |c| c.is_ascii_digit() || is_letter(c))
        }
        ':' | '<' | '>' | '=' | '/' => is_between(is_digit && !how.german || is_letter(before), is_letter),
        '-' | '–' | '—' | '~' => {
            // A run of more is no sign between words; it is not counted to its end for each of its signs.
            let count = rest.chars().take_while(|sign| *sign == c).take(4).count();
            let hyphens = count * c.len_utf8();
            let is_run = matches!((c, count), ('-', 1..=3) | ('–' | '~', 1) | ('—', 1..=2));
            let of_words = if how.german { hyphens == 2 } else { !how.keeps_hyphens && is_run };
            let left = is_letter(before) || how.english && is_digit;
            if of_words && left && rest.cut(hyphens..).starts_with(is_letter) {
                return hyphens;
            }
            c == '-'
                && is_between(is_digit && (how.german || !how.keeps_hyphens), |c| {
                    c.is_ascii_digit() || c == '-'
                })
        }
        '(' | ')' | '[' | ']' if how.german => is_between(is_letter(before), is_letter),
        '\'' => false,
        _ if how.german && is_quote(c) => is_between(is_letter(before), is_letter),
        _ => c == '…' || is_symbol(c),
    };
    if found { c.len_utf8() } else { 0 }
}

/// Abbreviations and faces that are one token with their signs. Longer than eight bytes is none.
fn is_one(text: &str, how: Spaced) -> bool {
    const FACES: &[&str] = &[
        ":)", ":-)", ";)", ";-)", ":(", ":-(", ":D", ":-D", ":P", ":-P", ":p", ":/", ":|", ":o", ":O", ":*",
        ":3", "<3", "=)", "=(", "^_^", "-_-", "o_o", "O_O", "._.", ">.<", "xD", "XD", "C++", "''",
    ];
    const ENGLISH: &[&str] = &[
        "a.m.", "p.m.", "Mr.", "Mrs.", "Ms.", "Dr.", "St.", "Jr.", "Sr.", "vs.", "v.s.", "e.g.", "E.g.",
        "i.e.", "I.e.", "Inc.", "Ltd.", "Co.", "co.", "Corp.", "Bros.", "Prof.", "Gen.", "Gov.", "Rep.",
        "Rev.", "Sen.", "Adm.", "Mt.", "Ph.D.", "D.C.", "Jan.", "Feb.", "Mar.", "Apr.", "Jun.", "Jul.",
        "Aug.", "Sep.", "Sept.", "Oct.", "Nov.", "Dec.",
    ];
    match text.as_bytes() {
        [b'a'..=b'z', b'.'] => true,
        [_, _, ..] if text.len() <= 8 => FACES.contains(&text) || how.english && ENGLISH.contains(&text),
        _ => false,
    }
}

/// Where an English contraction falls in two, with or without its apostrophe; also numbers with the half of the day.
fn contraction(text: &str) -> Option<usize> {
    if !(2..=12).contains(&text.len()) {
        return None;
    }
    let bytes = text.as_bytes();
    // Few words end so, and have to be looked at.
    let may_be = matches!(
        bytes,
        [.., b'n' | b'o', b't']
            | [.., b'r' | b'v', b'e']
            | [.., b'l', b'l']
            | [.., b'n' | b't', b'a']
            | [.., b'e' | b'o' | b'w' | b't', b's']
            | [.., b'u' | b'y', b'd']
            | [_, b'm']
            | [.., b'\'' | 0x99, _]
            | [.., b'\'' | 0x99, _, _]
            | [.., b'.' | b'a' | b'p', b'm' | b'.']
    );
    if !may_be {
        return None;
    }
    if bytes[0].is_ascii_digit() {
        let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
        return (digits < 3 && matches!(text.cut(digits..), "am" | "pm" | "a.m." | "p.m.")).then_some(digits);
    }
    let mut lower = [0; 12];
    lower[..bytes.len()].copy_from_slice(bytes);
    // A capital may stand at the begin.
    lower[0] = lower[0].to_ascii_lowercase();
    let word = std::str::from_utf8(&lower[..bytes.len()]).ok()?;
    match word {
        "im" => return Some(1),
        "youd" | "theyd" | "hes" | "shes" | "whos" | "hows" | "thats" | "whats" | "wheres" | "theres"
        | "heres" => return Some(word.len() - 1),
        "dont" | "cant" | "didnt" | "doesnt" | "isnt" | "arent" | "wasnt" | "werent" | "wont" | "wouldnt"
        | "couldnt" | "shouldnt" | "hasnt" | "havent" | "hadnt" | "youre" | "theyre" | "youve" | "weve"
        | "theyve" | "youll" | "itll" | "theyll" => return Some(word.len() - 2),
        "cannot" | "gonna" | "gotta" => return Some(3),
        _ => {}
    }
    let end = word.char_indices().rev().find(|(_, c)| is_apostrophe(*c))?.0;
    let (stem, rest) = word.split_at(end);
    let behind = rest.trim_start_matches(is_apostrophe);
    if behind == "t" {
        const VERBS: &[&str] = &[
            "ai", "are", "ca", "could", "did", "do", "does", "had", "has", "have", "is", "might", "must",
            "need", "ought", "sha", "should", "was", "were", "wo", "would", "dare", "may",
        ];
        let verb = stem.strip_suffix('n')?;
        return VERBS.contains(&verb).then_some(verb.len());
    }
    const WORDS: &[&str] = &[
        "i", "you", "he", "she", "it", "we", "they", "who", "what", "when", "where", "why", "how", "there",
        "that", "this", "those", "these",
    ];
    let is_known = WORDS.contains(&stem) && matches!(behind, "m" | "ll" | "d" | "ve" | "re" | "s");
    (is_known || stem == "let" && behind == "s").then_some(end)
}

/// Whether a piece is an address: of a page, with or without its scheme, or of electronic mail.
fn is_address(piece: &str) -> bool {
    if !piece.contains('.') {
        return false;
    }
    let is_scheme = |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '.');
    let rest = match piece.split_once("://") {
        Some((scheme, rest)) if scheme.len() >= 2 && scheme.chars().all(is_scheme) => rest,
        _ => piece,
    };
    let host = |rest: &str| {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, port) = rest
            .cut(..end)
            .rsplit_once(':')
            .map_or((rest.cut(..end), None), |(host, port)| (host, Some(port)));
        if port
            .is_some_and(|port| !(2..=5).contains(&port.len()) || !port.bytes().all(|b| b.is_ascii_digit()))
        {
            return false;
        }
        let is_label = |c: char| c.is_ascii_alphanumeric() || c >= '\u{A1}';
        let within = |c: char| is_label(c) || matches!(c, '-' | '_');
        let Some((labels, last)) = host.rsplit_once('.') else { return false };
        let is_last =
            |label: &str| label.chars().nth(1).is_some() && label.len() <= 128 && label.chars().all(is_lower);
        is_last(last)
            && labels
                .split('.')
                .all(|l| l.starts_with(is_label) && l.ends_with(is_label) && l.chars().all(within))
    };
    host(rest) || rest.rsplit_once('@').is_some_and(|(user, behind)| !user.is_empty() && host(behind))
}
