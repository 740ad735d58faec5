//! The language that a text is written in.
//!
//! **Definition.** One ISO 639-3 code a text, with a confidence in 0..1. Chinese of any script form is `zho` and the
//! macrolanguage stands for its commonest member elsewhere too (`fas`, `est`, `nor` for bokmål, `kur` for Kurmanji), as in
//! the columnar index of the largest public crawl, so that columns join. The table: [`table`]; which languages
//! it has: `datasets/languages/README.md`.
//!
//! **Algorithm.** Letters are counted by script over a sample. Where ideographs, kana or Hangul prevail (one of them
//! carries as much text as three letters), the scripts decide: kana make a text Japanese from one in twenty of the
//! ideographs and kana on, Hangul from one to five ideographs on Korean, else Chinese; a few ideographs without kana may be
//! Japanese as well, and are told by those that only one of the two languages has. Elsewhere the words of the commonest
//! script are judged by their character n-grams, among the languages written in it.
//!
//! **A declared language** (of a page's `lang`) is weak evidence: it adds [`DECLARED`] to the log-odds of its language, which
//! decides between neighbours on short texts and never against clear ones.
//!
//! **Confidence** is the probability that the name is right, calibrated on texts that nothing was learnt from, among them
//! some in languages that the table does not have and some in none. Under a bound
//! that rises with the length of the text ([`BOUNDS`]) it is left unnamed.
//!
//! **Cost.** Constant: a text of more than 2 KiB is judged by eight stretches of 256 bytes spread over it evenly, so that
//! a foreign navigation bar at its head decides nothing. The table is unpacked at its first use.
//!
//! **Determinism.** The same text and declaration give the same answer.

pub(crate) mod function_words;
pub(crate) mod languages;
pub mod ngrams;
pub mod script;
pub mod table;

use std::borrow::Cow;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};
use webmill_capture::cut::Cut;

use encoding_rs::Encoding;
use table::Table;
use unicode_normalization::UnicodeNormalization;

/// Bytes of a text that are looked at.
const SAMPLE: usize = 2048;

/// Stretches that the sample of a long text is made of.
const STRETCHES: usize = 8;

/// Confidence under which a text is left unnamed: of a few words, and of many. Low, since sister languages share what
/// confidence there is: whoever wants sure names asks for more.
const BOUNDS: [f32; 2] = [0.1, 0.12];

/// N-grams from which on the bound rises to the second one, and where it gets there.
const BOUND_RISES: [f32; 2] = [150.0, 1000.0];

/// Letters under which nothing is named in a script of several languages.
const MIN_LETTERS: u32 = 6;

/// What a declared language adds to the log-odds of its own.
pub const DECLARED: f32 = 2.0;

/// Ideographs up to which a text without kana that is declared Japanese is.
const FEW_IDEOGRAPHS: usize = 24;

/// The shipped table, as it stands in the repository.
pub(crate) const TABLE: &[u8] = include_bytes!("models/languages.bin");

static LANGUAGES: LazyLock<Table> =
    LazyLock::new(|| Table::read(TABLE).expect("the shipped table is sound: a test reads it"));

/// Reads the table, if nobody did.
pub(crate) fn load() {
    LazyLock::force(&LANGUAGES);
}

/// Codes of two letters and what they are called here.
const ISO_639_1: &str = include_str!("iso639_1.txt");

/// What [`language`] found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Language {
    /// ISO 639-3, lower-case.
    pub iso639_3: &'static str,
    /// 0 (a guess) to 1 (sure).
    pub confidence: f64,
}

impl Language {
    /// The code of two letters by ISO 639-1, where there is one.
    pub fn iso639_1(&self) -> Option<&'static str> {
        let (two, _) =
            ISO_639_1.lines().filter_map(|line| line.split_once(' ')).find(|l| l.1 == self.iso639_3)?;
        Some(two)
    }
}

/// The language of `text`; `None` where there are too few letters to tell, and of a language that is not known.
///
/// # Examples
/// ```
/// let found = webmill_text::language("这是一个关于网页的句子。").map(|l| l.iso639_3);
/// assert_eq!(found, Some("zho"));
/// ```
pub fn language(text: &str) -> Option<Language> {
    language_declared(text, None)
}

/// The language of `text`, which is said to be in the language of a BCP 47 tag (`pt-BR`): weak evidence.
///
/// # Examples
/// ```
/// let text = "Die Würde des Menschen steht am Anfang dieses Buches.";
/// let found = webmill_text::language_declared(text, Some("en-GB")).map(|l| l.iso639_3);
/// assert_eq!(found, Some("deu"));
/// ```
pub fn language_declared(text: &str, declared: Option<&str>) -> Option<Language> {
    language_with(text, declared.and_then(language_code), DECLARED)
}

/// The language of `text`, to whose log-odds of being in language `known` (by ISO 639-3) `prior` is added.
fn language_with(text: &str, known: Option<&str>, prior: f32) -> Option<Language> {
    let mut pieces = String::new();
    let sample = if text.len() <= SAMPLE { text } else { sample(text, &mut pieces) };
    let counts = Letters::count(sample);
    let wide = counts.han + counts.kana + counts.hangul;
    if 3 * wide > counts.other {
        let east = counts.east_asian(sample, known);
        let share = 3.0 * wide as f64 / (3 * wide + counts.other) as f64;
        return Some(Language { confidence: east.confidence * share, ..east });
    }
    let scores = LANGUAGES.scores(&composed(sample))?;
    let prior = known.and_then(|known| LANGUAGES.index(known)).map(|known| (known, prior));
    let best = LANGUAGES.best(&scores, prior)?;
    if scores.letters < MIN_LETTERS && LANGUAGES.scripts[scores.script as usize].len() > 1 {
        return None;
    }
    let share = f64::from(scores.letters) / f64::from(scores.letters + scores.others);
    let confidence = LANGUAGES.confidence(&best);
    (confidence >= bound(best.ngrams)).then(|| Language {
        iso639_3: LANGUAGES.languages[usize::from(best.language)].code,
        confidence: f64::from(confidence) * share,
    })
}

/// The confidence below which the language of a text of `ngrams` n-grams is left unnamed.
fn bound(ngrams: u32) -> f32 {
    let [from, to] = BOUND_RISES.map(f32::ln);
    let share = (((ngrams.max(1) as f32).ln() - from) / (to - from)).clamp(0.0, 1.0);
    BOUNDS[0] + (BOUNDS[1] - BOUNDS[0]) * share
}

/// Members of macrolanguages, and what texts in them are called.
const MEMBERS: &str = "als sqi\narb ara\nazj aze\ncmn zho\nekk est\ngug grn\nkhk mon\nkmr kur\nlvs lav\nnob nor\nnpi nep\nory ori\npes fas\nplt mlg\nquz que\nswh swa\ntwi aka\nuzn uzb\nydd yid\nzsm msa";

/// Languages that are told by their scripts.
const BY_SCRIPT: [&str; 3] = ["jpn", "kor", "zho"];

/// What texts in the language of a BCP 47 tag or an ISO 639 code are called by [`language`]; `None` of a language that is never
/// found.
///
/// # Examples
/// ```
/// use webmill_text::language_code;
/// assert_eq!([language_code("pt-BR"), language_code("cmn"), language_code("tlh")], [Some("por"), Some("zho"), None]);
/// ```
pub fn language_code(tag: &str) -> Option<&'static str> {
    let bare = tag.trim().split(['-', '_']).next()?;
    let same = |code: &str| code.eq_ignore_ascii_case(bare);
    let mut pairs = ISO_639_1.lines().chain(MEMBERS.lines()).filter_map(|line| line.split_once(' '));
    let called = pairs.find(|pair| same(pair.0)).map(|pair| pair.1);
    let mut known = LANGUAGES.languages.iter().map(|entry| entry.code).chain(BY_SCRIPT);
    known.find(|code| called.map_or_else(|| same(code), |called| called == *code))
}

/// The text with letters and their accents as one character, as nearly all text is written.
fn composed(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| matches!(c, '\u{300}'..='\u{36F}')) {
        return Cow::Owned(text.nfc().collect());
    }
    Cow::Borrowed(text)
}

/// Stretches spread evenly over `text`, end to end with a space between.
fn sample<'p>(text: &str, pieces: &'p mut String) -> &'p str {
    let stretch = SAMPLE / STRETCHES;
    for i in 0..STRETCHES {
        let from = (text.len() - stretch) / (STRETCHES - 1) * i;
        let (start, end) = (text.floor_char_boundary(from), text.floor_char_boundary(from + stretch));
        pieces.push_str(text.cut(start..end));
        pieces.push(' ');
    }
    pieces
}

/// Letters of a sample by script.
#[derive(Default)]
struct Letters {
    han: usize,
    kana: usize,
    hangul: usize,
    other: usize,
}

impl Letters {
    fn count(text: &str) -> Self {
        let mut counts = Letters::default();
        for c in text.chars() {
            match c {
                'a'..='z' | 'A'..='Z' => counts.other += 1,
                '\0'..='\u{BF}' => {}
                '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{FF66}'..='\u{FF9D}' => {
                    counts.kana += 1
                }
                '\u{3400}'..='\u{4DBF}'
                | '\u{4E00}'..='\u{9FFF}'
                | '\u{F900}'..='\u{FAFF}'
                | '\u{20000}'..='\u{3FFFD}' => {
                    counts.han += 1;
                }
                '\u{AC00}'..='\u{D7A3}' | '\u{1100}'..='\u{11FF}' | '\u{3131}'..='\u{318E}' => {
                    counts.hangul += 1
                }
                c if c.is_alphabetic() => counts.other += 1,
                _ => {}
            }
        }
        counts
    }

    fn east_asian(&self, text: &str, known: Option<&str>) -> Language {
        if self.hangul >= self.kana && 5 * self.hangul > self.han {
            let all = (self.hangul + self.kana) as f64;
            return Language { iso639_3: "kor", confidence: self.hangul as f64 / all };
        }
        // Kana are about half of Japanese prose and a quarter of its headlines; Chinese pages name a product or two.
        let share = self.kana as f64 / (self.kana + self.han).max(1) as f64;
        if share >= 0.05 {
            Language { iso639_3: "jpn", confidence: (0.5 + (share - 0.05) * 3.0).min(1.0) }
        } else if known == Some("jpn") && self.han <= FEW_IDEOGRAPHS {
            // Headings of Japanese pages often have no kana.
            Language { iso639_3: "jpn", confidence: 0.6 }
        } else if known != Some("zho") && self.han < 2 * FEW_IDEOGRAPHS {
            few_ideographs(text, self.han)
        } else {
            Language { iso639_3: "zho", confidence: 1.0 - share * 10.0 }
        }
    }
}

/// Words of Chinese that Japanese does not write with these ideographs.
const CHINESE_WORDS: &str = "的是我你她們也就都很吗呢";

/// What an ideograph says: that its text is Chinese, that it is Japanese, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Chinese,
    Japanese,
    Neither,
}

impl Said {
    const ALL: [Said; 3] = [Said::Chinese, Said::Japanese, Said::Neither];

    fn of(c: char) -> Said {
        let mut buffer = [0; 4];
        let letter = &*c.encode_utf8(&mut buffer);
        let has = |encoding: &'static Encoding| !encoding.encode(letter).2;
        let in_gb2312 = || matches!(*encoding_rs::GBK.encode(letter).0, [0xA1..=0xFF, 0xA1..=0xFF]);
        if !has(encoding_rs::SHIFT_JIS) || CHINESE_WORDS.contains(c) {
            Said::Chinese
        } else if !in_gb2312() && !has(encoding_rs::BIG5) {
            Said::Japanese
        } else {
            Said::Neither
        }
    }

    /// The same, worked out once for each of the common ideographs: encoders look through their whole table.
    fn remembered(c: char) -> Said {
        const FIRST: u32 = 0x4E00;
        /// One more than the number in `ALL`; 0 where it was not worked out.
        static KNOWN: [AtomicU8; 0x5200] = [const { AtomicU8::new(0) }; 0x5200];
        let Some(known) = (c as u32).checked_sub(FIRST).and_then(|at| KNOWN.get(at as usize)) else {
            return Said::of(c);
        };
        let number = known.load(Ordering::Relaxed).checked_sub(1);
        number.and_then(|number| Said::ALL.get(usize::from(number)).copied()).unwrap_or_else(|| {
            let said = Said::of(c);
            known.store(1 + said as u8, Ordering::Relaxed);
            said
        })
    }
}

/// The language of a few ideographs: Chinese where one is no Japanese one or a common word of Chinese, Japanese where one is in no
/// set of Chinese characters (GB 2312, Big5), else a guess at Chinese, the surer the more there are.
fn few_ideographs(text: &str, count: usize) -> Language {
    let (mut chinese, mut japanese) = (0, 0);
    for c in text.chars().filter(|&c| crate::terms::words::is_han(c)) {
        match Said::remembered(c) {
            Said::Chinese => chinese += 1,
            Said::Japanese => japanese += 1,
            Said::Neither => {}
        }
    }
    match (chinese, japanese) {
        (0, 0) => {
            let confidence = (count as f64 / (2 * FEW_IDEOGRAPHS) as f64).clamp(0.4, 1.0);
            Language { iso639_3: "zho", confidence }
        }
        (0, _) => Language { iso639_3: "jpn", confidence: 0.6 },
        _ => Language { iso639_3: "zho", confidence: f64::from(chinese) / f64::from(chinese + japanese) },
    }
}

#[cfg(test)]
mod sentences;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ideographs_say_is_remembered() {
        for c in "今東的本書閉㐀𠀀".chars() {
            assert_eq!((Said::remembered(c), Said::remembered(c)), (Said::of(c), Said::of(c)), "{c}");
        }
        assert!(Said::ALL.into_iter().enumerate().all(|(number, said)| said as usize == number));
    }

    #[test]
    fn a_few_ideographs_are_no_sure_chinese() {
        let of = |text| language(text).map(|found| (found.iso639_3, found.confidence)).unwrap();
        assert_eq!(of("本日休館"), ("zho", 0.4));
        assert_eq!(of("東京駅前"), ("jpn", 0.6));
        assert_eq!(of("今天闭馆"), ("zho", 1.0));
        assert_eq!(of("我的書"), ("zho", 1.0));
        let long = of("春眠不覺曉處處聞啼鳥夜來風雨聲花落知多少白日依山盡黃河入海流欲窮千里目更上一層樓");
        assert!(long.0 == "zho" && long.1 > 0.8, "{long:?}");
    }

    #[test]
    fn names_languages_of_many_scripts() {
        let cases = [
            ("The quick brown fox jumps over the lazy dog while nobody is looking at it.", Some("eng")),
            ("Der schnelle braune Fuchs springt über den faulen Hund, während niemand zusieht.", Some("deu")),
            (
                "Le renard brun et rapide saute par-dessus le chien paresseux sans que personne ne le voie.",
                Some("fra"),
            ),
            ("Съешь же ещё этих мягких французских булок, да выпей чаю.", Some("rus")),
            ("这是一个关于网页去重的简单例子，我们用它来测试语言的识别。", Some("zho")),
            ("這是一個關於網頁的簡單例子。", Some("zho")),
            ("日本語の文章を判定するための短い例です。", Some("jpn")),
            ("東京証券取引所の株価指数が大幅に続落", Some("jpn")),
            ("이것은 한국어 문장입니다.", Some("kor")),
            ("大韓民國 헌법 第一條", Some("kor")),
            ("Η γρήγορη αλεπού πηδάει", Some("ell")),
            ("สวัสดีชาวโลก", Some("tha")),
            ("这款 iPhone 手机支持 5G 网络", Some("zho")),
            (
                "中文商品：日本のお茶，来自静冈县的高级绿茶，味道清香，包装精美，适合送礼，欢迎选购，数量有限，售完为止，不再补货，请尽快下单购买",
                Some("zho"),
            ),
            ("Free delivery above forty crowns, and the reel is for you.", Some("eng")),
            ("12345 !!!", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(language(text).map(|l| l.iso639_3), expected, "{text:?}");
        }
    }

    #[test]
    fn a_foreign_head_does_not_decide_a_long_text() {
        let head = "Home About Contact Products Services News Imprint Privacy Login ".repeat(20);
        let body = "这是一个关于网页去重的简单例子。".repeat(2000);
        let found = language(&(head + &body)).expect("letters enough");
        assert_eq!(found.iso639_3, "zho");
        assert!(found.confidence > 0.8, "{found:?}");
    }

    #[test]
    fn any_length_is_cut_at_characters() {
        for n in 4000..4200 {
            assert_eq!(language(&"é字".repeat(n)).map(|l| l.iso639_3), Some("zho"));
        }
    }
}
