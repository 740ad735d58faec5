//! The language that a text is written in.
//!
//! **Definition.** One ISO 639-3 code a text, with a confidence in 0..1. Chinese of any script form is `zho` and the
//! macrolanguage stands for its commonest member elsewhere too (`fas`, `nor`), as in the columnar index of the largest
//! public crawl, so that columns join.
//!
//! **Algorithm.** Letters are counted by script over a sample. Where ideographs, kana or Hangul prevail (one of them
//! carries as much text as three letters), the scripts decide: kana make a text Japanese from one in twenty of the
//! ideographs and kana on, Hangul from one to five ideographs on Korean, else Chinese. Elsewhere a language whose
//! function words fill the text is taken at once, and what is left goes to whatlang (script, alphabet, trigrams), which
//! takes several times as long.
//!
//! **Cost.** Constant: a text of more than 4 KiB is judged by eight stretches of 512 bytes spread over it evenly, so that
//! a foreign navigation bar at its head decides nothing.
//!
//! **Error.** Latin, Cyrillic, Arabic, Devanagari and Hebrew texts of fewer than 20 letters are left unnamed, and short
//! ones that the trigrams are in doubt about where function words do not help: trigrams guess on those.

pub(crate) mod function_words;
pub(crate) mod languages;

use whatlang::Lang;

use function_words::{likely_language, plain_language};

/// Bytes of a text that are looked at.
const SAMPLE: usize = 4096;

/// Stretches that the sample of a long text is made of.
const STRETCHES: usize = 8;

/// Letters of a script shared by several languages from which on it is named.
const MIN_LETTERS: usize = 20;

/// Trigrams less sure than this are guesses: of English titles of 20 to 40 letters a third is named wrongly by them.
const DOUBT: f64 = 0.2;

/// What [`language`] found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Language {
    /// ISO 639-3, lower-case.
    pub iso639_3: &'static str,
    /// 0 (a guess) to 1 (sure).
    pub confidence: f64,
}

/// The language of `text`; `None` where there are too few letters to tell.
///
/// # Examples
/// ```
/// let found = webmill_text::language("这是一个关于网页的句子。").map(|l| l.iso639_3);
/// assert_eq!(found, Some("zho"));
/// ```
pub fn language(text: &str) -> Option<Language> {
    let mut pieces = String::new();
    let sample = if text.len() <= SAMPLE { text } else { sample(text, &mut pieces) };
    let counts = Letters::count(sample);
    let wide = counts.han + counts.kana + counts.hangul;
    if 3 * wide > counts.other {
        let east = counts.east_asian();
        let share = 3.0 * wide as f64 / (3 * wide + counts.other) as f64;
        return Some(Language { confidence: east.confidence * share, ..east });
    }
    if let Some(iso639_3) = plain_language(sample) {
        return Some(Language { iso639_3, confidence: 1.0 });
    }
    let info = whatlang::detect(sample)?;
    let shared = matches!(info.script().langs(), [_, _, ..]);
    if shared && counts.other < MIN_LETTERS {
        return None;
    }
    if shared && info.confidence() < DOUBT {
        return likely_language(sample).map(|iso639_3| Language { iso639_3, confidence: DOUBT });
    }
    Some(Language { iso639_3: code(info.lang()), confidence: info.confidence() })
}

/// Stretches spread evenly over `text`, end to end with a space between.
fn sample<'p>(text: &str, pieces: &'p mut String) -> &'p str {
    let stretch = SAMPLE / STRETCHES;
    for i in 0..STRETCHES {
        let from = (text.len() - stretch) / (STRETCHES - 1) * i;
        let (start, end) = (text.floor_char_boundary(from), text.floor_char_boundary(from + stretch));
        pieces.push_str(&text[start..end]);
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

    fn east_asian(&self) -> Language {
        if self.hangul >= self.kana && 5 * self.hangul > self.han {
            let all = (self.hangul + self.kana) as f64;
            return Language { iso639_3: "kor", confidence: self.hangul as f64 / all };
        }
        // Kana are about half of Japanese prose and a quarter of its headlines; Chinese pages name a product or two.
        let share = self.kana as f64 / (self.kana + self.han).max(1) as f64;
        if share >= 0.05 {
            Language { iso639_3: "jpn", confidence: (0.5 + (share - 0.05) * 3.0).min(1.0) }
        } else {
            Language { iso639_3: "zho", confidence: 1.0 - share * 10.0 }
        }
    }
}

/// ISO 639-3, macrolanguages for their commonest members.
fn code(lang: Lang) -> &'static str {
    match lang {
        Lang::Cmn => "zho",
        Lang::Pes => "fas",
        Lang::Nob => "nor",
        other => other.code(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("Home", None),
            ("Points Shop Items Available", None),
            ("Supervised/Unsupervised Learning", None),
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
