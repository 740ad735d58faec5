//! The language of each paragraph of a text, and of the text by its paragraphs.
//!
//! **Definition.** A paragraph is a line. Code does not count: lines inside of code blocks and lines whose words are mostly
//! names of people or of things in programs (paths, identifiers, numbers) have no language. A paragraph long enough to tell
//! ([`language`](crate::language()), twenty words or so of a script that several languages share) has its own; a
//! shorter one, or one that is recognised with doubt, goes with the text, unless its script rules that out. Neighbours of one
//! language make one run. The text's language is that of most of it, an ideograph or kana counting as three letters.
//!
//! **Cost.** Constant a paragraph (see [`language`](crate::language())), for at most [`MAX_PARAGRAPHS`] of them, spread
//! evenly; what lies between goes with the run before it.

use std::ops::Range;
use webmill_capture::cut::Cut;

use super::function_words::speaks;
use super::{DECLARED, Language, language, language_code, language_with};
use webmill_html::is_wide;

/// Paragraphs that are judged.
const MAX_PARAGRAPHS: usize = 1_000;
/// Letters from which on a paragraph in a script of several languages is judged by itself.
const MIN_LETTERS: usize = 60;
/// Confidence from which on a paragraph may differ from its text.
const SURE: f64 = 0.8;
/// What a text's language adds to the log-odds of its paragraphs' being in it.
const OF_TEXT: f32 = 2.5;
/// Bytes of prose that the text's own language is guessed from.
const MAX_PROSE: usize = 1 << 16;

/// Neighbouring paragraphs of one language.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct LanguageRun {
    /// ISO 639-3.
    pub iso639_3: &'static str,
    /// Bytes of the text, whole lines.
    pub range: Range<usize>,
}

/// The languages of a text.
#[derive(Clone, Default, PartialEq, Debug)]
#[non_exhaustive]
pub struct Languages {
    /// In order; paragraphs without words of a language belong to the run before them.
    pub runs: Vec<LanguageRun>,
    /// Each language with its share of the letters, the largest first.
    pub shares: Vec<(&'static str, f64)>,
    /// How sure the first one is, 0 to 1.
    pub confidence: f64,
}

impl Languages {
    /// The language of most of the text.
    pub fn main(&self) -> Option<Language> {
        self.shares.first().map(|&(iso639_3, _)| Language { iso639_3, confidence: self.confidence })
    }

    /// The language of each line of the text that this was found of: `zxx` for code, `und` for lines without letters and
    /// texts without a language.
    pub fn by_line(&self, text: &str, code: &[Range<usize>]) -> Vec<&'static str> {
        let (mut runs, mut code) = (self.runs.iter().peekable(), code.iter().peekable());
        let mut start = 0;
        let mut out = Vec::new();
        for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
            let at = std::mem::replace(&mut start, end + 1);
            let line = text.cut(at..end);
            while runs.next_if(|run| run.range.end < at).is_some() {}
            while code.next_if(|code| code.end <= at && at < text.len()).is_some() {}
            out.push(match runs.peek() {
                _ if code.peek().is_some_and(|code| code.start <= at && at < code.end) => "zxx",
                Some(run) if run.range.start <= at && line.chars().any(char::is_alphabetic) => run.iso639_3,
                _ => "und",
            });
        }
        out
    }
}

/// The languages of a text, whose code blocks are the ranges `code` (in order, see
/// [`MainText::code`](crate::MainText::code)).
///
/// # Examples
/// ```
/// let text = "这一段说的是中文，内容很简单。\nThis paragraph is in English, and it is long enough to be told by its words alone.";
/// let found = webmill_text::languages(text, &[]);
/// let names: Vec<_> = found.runs.iter().map(|run| run.iso639_3).collect();
/// assert_eq!(names, ["zho", "eng"]);
/// ```
pub fn languages(text: &str, code: &[Range<usize>]) -> Languages {
    languages_declared(text, code, None)
}

/// The languages of a text of a page that declares to be in the language of a BCP 47 tag (`pt-BR`): weak evidence, see
/// [`language_declared`](crate::language_declared).
pub fn languages_declared(text: &str, code: &[Range<usize>], declared: Option<&str>) -> Languages {
    let declared = declared.and_then(language_code);
    let mut lines = lines(text, code, true);
    if lines.is_empty() {
        // Nothing but names: better recognised by these than not at all.
        lines = self::lines(text, code, false);
    }
    let latin = lines.iter().map(|(_, l)| l.latin).sum::<usize>() >= lines.iter().map(|(_, l)| l.other).sum();
    let whole = whole(text, &lines, latin, declared);
    let step = lines.len().div_ceil(MAX_PARAGRAPHS).max(1);
    let mut before = None;
    let mut named: Vec<Option<&'static str>> = Vec::with_capacity(lines.len());
    for (n, (range, letters)) in lines.iter().enumerate() {
        if n % step == 0 {
            before = of_line(text.cut(range.clone()), letters, whole, latin);
        }
        named.push(before);
    }
    drop_stragglers(&lines, &mut named, whole);
    let mut out = Languages::default();
    let mut shares: Vec<(&'static str, usize)> = Vec::new();
    for ((range, letters), name) in lines.iter().zip(&named) {
        let Some(name) = *name else { continue };
        match out.runs.last_mut().filter(|run| run.iso639_3 == name) {
            Some(run) => run.range.end = range.end,
            None => {
                // Runs follow one another with a line's end between.
                let start = match out.runs.last_mut() {
                    Some(run) => {
                        run.range.end = range.start - 1;
                        range.start
                    }
                    None => 0,
                };
                out.runs.push(LanguageRun { iso639_3: name, range: start..range.end });
            }
        }
        match shares.iter_mut().find(|share| share.0 == name) {
            Some(share) => share.1 += letters.weight(),
            None => shares.push((name, letters.weight())),
        }
    }
    if let Some(last) = out.runs.last_mut() {
        last.range.end = text.len();
    }
    let total: usize = shares.iter().map(|share| share.1).sum();
    shares.sort_by_key(|share| std::cmp::Reverse(share.1));
    out.shares = shares.into_iter().map(|(name, n)| (name, n as f64 / total as f64)).collect();
    let sure = whole.filter(|whole| out.shares.first().is_some_and(|share| share.0 == whole.iso639_3));
    out.confidence =
        sure.map_or_else(|| out.shares.first().map_or(0.0, |share| share.1 * SURE), |whole| whole.confidence);
    out
}

/// The lines that have letters outside of code; `prose` leaves out those of nothing but names.
fn lines(text: &str, code: &[Range<usize>], prose: bool) -> Vec<(Range<usize>, Letters)> {
    let mut code = code.iter().peekable();
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        let range = std::mem::replace(&mut start, end + 1)..end;
        while code.next_if(|code| code.end <= range.start && code.end < text.len()).is_some() {}
        if code.peek().is_some_and(|code| code.start <= range.start && range.start < code.end) {
            continue;
        }
        let letters = Letters::of(text.cut(range.clone()), prose);
        if letters.weight() > 0 {
            lines.push((range, letters));
        }
    }
    lines
}

/// Languages that one short paragraph alone seems to be in are mistakes of the trigrams.
fn drop_stragglers(
    lines: &[(Range<usize>, Letters)],
    named: &mut [Option<&'static str>],
    whole: Option<Language>,
) {
    let Some(main) = whole.map(|whole| whole.iso639_3) else { return };
    let total: usize = lines.iter().map(|(_, letters)| letters.weight()).sum();
    let mut tally: Vec<(&str, usize, usize)> = Vec::new();
    for ((_, letters), name) in lines.iter().zip(named.iter()) {
        let Some(name) = *name else { continue };
        match tally.iter_mut().find(|entry| entry.0 == name) {
            Some(entry) => (entry.1, entry.2) = (entry.1 + letters.weight(), entry.2 + 1),
            None => tally.push((name, letters.weight(), 1)),
        }
    }
    let east = matches!(main, "zho" | "jpn" | "kor");
    for ((_, letters), name) in lines.iter().zip(named.iter_mut()) {
        let Some(entry) = name.and_then(|name| tally.iter().find(|entry| entry.0 == name)) else { continue };
        let rare = entry.1 * 8 < total && (entry.2 < 2 || entry.1 * 50 < total);
        if entry.0 != main && entry.0 != "eng" && rare && !letters.is_wide() {
            // In a text of another script they are most often English.
            *name = if east { Some("eng") } else { Some(main) };
        }
    }
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
/// Makes a word the name of a thing in programs.
const ODD: u8 = 8;
/// Does so between letters or digits.
const SIGN: u8 = 16;

/// What ASCII characters are.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut b = 0;
    while b < 128 {
        classes[b] = match b as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'.' | b':' | b'(' => SIGN,
            b'_' | b'/' | b'\\' | b'=' | b'<' | b'>' | b'{' | b'}' | b'#' | b'@' | b'$' | b'|' | b'*'
            | b'+' => ODD,
            _ => 0,
        };
        b += 1;
    }
    classes
};

/// Letters of words that prose may hold.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
struct Letters {
    wide: usize,
    /// Of Latin script.
    latin: usize,
    other: usize,
    /// Words that are no names of things in programs.
    words: usize,
}

impl Letters {
    fn of(line: &str, prose: bool) -> Letters {
        if line.is_ascii() { Letters::of_ascii(line.as_bytes(), prose) } else { Letters::of_any(line, prose) }
    }

    fn of_any(line: &str, prose: bool) -> Letters {
        let mut out = Letters::default();
        let (mut names, mut capitals) = (0, 0);
        for word in line.split_whitespace() {
            let (mut latin, mut other, mut wide, mut odd) = (0, 0, 0, false);
            let mut before_lower = false;
            for c in word.chars() {
                match c {
                    'a'..='z' => latin += 1,
                    'A'..='Z' => {
                        latin += 1;
                        odd |= before_lower;
                    }
                    c if c.is_ascii() => odd |= CLASSES[c as usize] & (DIGIT | ODD) != 0,
                    c if is_wide(c) => wide += 1,
                    '\u{ac00}'..='\u{d7a3}' => wide += 1,
                    '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' if c.is_alphabetic() => latin += 1,
                    c if c.is_alphabetic() => other += 1,
                    _ => {}
                }
                before_lower = c.is_ascii_lowercase();
            }
            let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
            odd |= inner.contains(['.', ':', '('])
                || word.starts_with('-') && word.len() > 1
                || word.ends_with("()");
            out.wide += wide;
            if odd {
                // `函数kfree()` is a name among ideographs, whose own letters count all the same.
                names += usize::from(latin > 0);
                continue;
            }
            out.latin += latin;
            out.other += other;
            out.words += usize::from(latin + other > 0);
            capitals += usize::from(latin > 1 && word.starts_with(|c: char| c.is_ascii_uppercase()));
        }
        out.unless_named(names, capitals, prose)
    }

    /// The same of ASCII.
    fn of_ascii(line: &[u8], prose: bool) -> Letters {
        let mut out = Letters::default();
        let (mut names, mut capitals) = (0, 0);
        for word in line.split(|b| b.is_ascii_whitespace() || *b == 0x0B).filter(|word| !word.is_empty()) {
            // `before`: UPPER behind a small letter; `inside`: SIGN behind a letter or digit.
            let (mut latin, mut odd, mut before, mut inside) = (0, 0, 0, 0);
            // Signs between letters or digits make a name: `a.b`, not `a.`.
            let mut signs = 0;
            for &b in word {
                let class = CLASSES[usize::from(b)];
                latin += usize::from(class & (LOWER | UPPER) != 0);
                odd |= class & (DIGIT | ODD) | class & before;
                signs |= class & inside;
                if class & (LOWER | UPPER | DIGIT) != 0 {
                    inside = SIGN;
                    odd |= signs;
                }
                before = if class & LOWER != 0 { UPPER } else { 0 };
            }
            if odd != 0 || word[0] == b'-' && word.len() > 1 || word.ends_with(b"()") {
                names += usize::from(latin > 0);
                continue;
            }
            out.latin += latin;
            out.words += usize::from(latin > 0);
            capitals += usize::from(latin > 1 && word[0].is_ascii_uppercase());
        }
        out.unless_named(names, capitals, prose)
    }

    /// Prose is not made of names: of things in programs, or of people.
    fn unless_named(self, names: usize, capitals: usize, prose: bool) -> Letters {
        let named = names > self.words || prose && capitals > 1 && capitals * 5 >= self.words * 4;
        if self.wide == 0 && named { Letters::default() } else { self }
    }

    fn weight(&self) -> usize {
        3 * self.wide + self.latin + self.other
    }

    fn is_wide(&self) -> bool {
        4 * self.wide > self.latin + self.other
    }
}

/// The language of the text without its code, by its lines in the script of most of it.
fn whole(
    text: &str,
    lines: &[(Range<usize>, Letters)],
    latin: bool,
    declared: Option<&str>,
) -> Option<Language> {
    let bytes: usize = lines.iter().map(|(range, _)| range.len()).sum();
    let step = bytes.div_ceil(MAX_PROSE).max(1);
    let (wide, all): (usize, usize) =
        lines.iter().fold((0, 0), |sum, (_, l)| (sum.0 + 3 * l.wide, sum.1 + l.weight()));
    // Of a page in Chinese with many names in Latin script, only the lines with Chinese tell its language.
    let in_wide = 3 * wide > all;
    let mut prose = String::new();
    for (range, _) in lines
        .iter()
        .filter(|(_, l)| l.is_wide() == in_wide && (in_wide || latin == (l.latin >= l.other)))
        .step_by(step)
    {
        if prose.len() > 2 * MAX_PROSE {
            break;
        }
        if in_wide {
            prose.extend(text.cut(range.clone()).chars().filter(|c| !c.is_ascii_alphabetic()));
        } else {
            prose.push_str(text.cut(range.clone()));
        }
        prose.push('\n');
    }
    language_with(&prose, declared, DECLARED)
}

/// The language of a paragraph of a text in `whole`, which is in Latin script or not.
fn of_line(line: &str, letters: &Letters, whole: Option<Language>, latin: bool) -> Option<&'static str> {
    let name = whole.map(|whole| whole.iso639_3);
    let east = matches!(name, Some("zho" | "jpn" | "kor"));
    if letters.is_wide() {
        // Short lines of Japanese may hold ideographs only.
        let own = || {
            let bare: String = line.chars().filter(|c| !c.is_ascii_alphabetic()).collect();
            language(&bare).map(|found| found.iso639_3)
        };
        return if east && letters.wide < 12 { name } else { own().or(name.filter(|_| east)) };
    }
    let long = letters.latin + letters.other >= MIN_LETTERS;
    // The script may rule out the text's language.
    let foreign = east || latin != (letters.latin >= letters.other);
    let in_english = name == Some("eng");
    // A short line of a text in English is in English, whatever its words are.
    let goes_with_text = in_english && !long && !foreign;
    if goes_with_text || name.is_some_and(|name| speaks(line, name)) {
        return name;
    }
    let named =
        if long { language_with(line, name, OF_TEXT).filter(|found| found.confidence >= SURE) } else { None };
    match named {
        Some(found) => Some(found.iso639_3),
        None if !in_english && speaks(line, "eng") => Some("eng"),
        // Latin letters in a text of another script: names, unless they are prose.
        None if foreign && long && letters.words >= 12 => language(line).map(|found| found.iso639_3),
        None if foreign => None,
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn letters_of_ascii_are_those_of_any_text(line in "([ \\-\\t\u{b}a-cA-C0-1().:_/]|[ -~]){0,40}", prose: bool) {
            prop_assert_eq!(Letters::of_ascii(line.as_bytes(), prose), Letters::of_any(&line, prose));
        }
    }

    const ENGLISH: &str = "The kernel keeps a list of the pages that are in use, and it walks over that list when memory is short.";
    const GERMAN: &str = "Der Kern führt eine Liste der Seiten, die gerade benutzt werden, und geht sie durch, wenn der Speicher knapp wird.";
    const CHINESE: &str = "内核保存着一个正在使用的页面的列表，当内存不足时会遍历这个列表。";

    fn names(text: &str, code: &[Range<usize>]) -> Vec<&'static str> {
        languages(text, code).runs.iter().map(|run| run.iso639_3).collect()
    }

    #[test]
    fn lines_have_the_languages_of_their_runs() {
        let code = "fn main() {}\n\nreturn 0;";
        let text = format!(
            "这一段说的是中文，内容很简单。\n2024\n{code}\nThis paragraph is in English, and it is long enough to be told by its words alone."
        );
        let at = text.find(code).unwrap();
        let range = at..at + code.len();
        let ranges = std::slice::from_ref(&range);
        let found = languages(&text, ranges).by_line(&text, ranges);
        assert_eq!(found, ["zho", "und", "zxx", "zxx", "zxx", "eng"]);
        assert_eq!(Languages::default().by_line("a\n", &[]), ["und", "und"]);
    }

    #[test]
    fn paragraphs_have_their_own() {
        assert_eq!(
            names(&format!("{ENGLISH}\n{ENGLISH}\n{GERMAN}\n{CHINESE}\n好的"), &[]),
            ["eng", "deu", "zho"]
        );
        assert_eq!(names("", &[]), Vec::<&str>::new());
        assert_eq!(names("12 34\n\n--", &[]), Vec::<&str>::new());
        assert_eq!(
            names(&format!("{GERMAN}\n{GERMAN}\nThe first disks of both are in use."), &[]),
            ["deu", "eng"]
        );
        let russian = "Ядро хранит список страниц, которые сейчас используются, и просматривает его, когда памяти мало.";
        let found = languages(&format!("{russian}\nSamba Share Manager tools\n{ENGLISH}\n{russian}"), &[]);
        assert_eq!(found.runs.iter().map(|r| r.iso639_3).collect::<Vec<_>>(), ["rus", "eng", "rus"]);
        // A short paragraph goes with its text.
        assert_eq!(names(&format!("{GERMAN}\nOK, super\n{GERMAN}"), &[]), ["deu"]);
        let found = languages(&format!("{GERMAN}\n{ENGLISH}\n{GERMAN}"), &[]);
        assert_eq!(found.main().map(|l| l.iso639_3), Some("deu"));
        assert!(
            (found.shares.iter().map(|s| s.1).sum::<f64>() - 1.0).abs() < 1e-9 && found.shares[0].1 > 0.6
        );
    }

    #[test]
    fn code_does_not_vote() {
        let code = "static int do_something(struct page *page) {\n    return page->index;\n}\n".repeat(20);
        let text = format!("{CHINESE}\n{code}\n{CHINESE}");
        let start = CHINESE.len() + 1;
        assert_eq!(names(&text, std::slice::from_ref(&(start..start + code.len()))), ["zho"]);
        // Nor do names of things outside of code blocks.
        let list = "kmem_cache_alloc()\n/proc/sys/vm/dirty_ratio\ninclude/linux/mm.h\nCONFIG_MEMCG_KMEM=y\n"
            .repeat(30);
        assert_eq!(names(&format!("{CHINESE}\n{list}{CHINESE}"), &[]), ["zho"]);
        assert_eq!(names(&list, &[]), Vec::<&str>::new());
        let people = "Dave Airlie\nNick Andrew\nJens Axboe\nRalf Baechle\nOhad Ben-Cohen\n".repeat(30);
        assert_eq!(names(&format!("{CHINESE}\n{people}{CHINESE}"), &[]), ["zho"]);
    }

    #[test]
    fn runs_cover_the_text() {
        let text = format!("1\n{ENGLISH}\n2\n{GERMAN}\n3");
        let runs = languages(&text, &[]).runs;
        assert_eq!((runs[0].range.start, runs[1].range.end, runs.len()), (0, text.len(), 2));
        assert_eq!(runs[0].range.end + 1, runs[1].range.start);
    }
}
