//! Titles of documents whose metadata names none: the line of most weight; and what in metadata is no title.
//!
//! **What.** [`best`] chooses among the first lines of a document; [`cleaned`] takes the words of a title out of metadata, or
//! says that they are a file name or a program's stamp.
//!
//! **Definition.** A candidate weighs w = (1 + 0.2·m) · ∛(L·S·P) · C, × 1.1 if bold. m counts the merged lines that fill the
//! page's width; L is 1 for 6 to 40 characters and falls linearly to 0.2 at 2 and at 120; S = size / largest size;
//! P = 1 / (1 + position / 5), position in lines from the first candidate; C = 0.1 + 0.9 · cosine of the word counts of
//! candidate and document.
//!
//! **Algorithm.** Adjacent lines of equal look merge unless one starts a list or a salutation. Lines of the body's own size
//! that are neither bold nor centred are paragraphs and stay apart, and so does what ends a sentence; long sentences among them
//! are no titles. Of the rest, those centred or of the largest type are weighed; the first of equal weight wins.
//!
//! **Cost.** Linear in the candidates and in the words of the document, of which the first 200,000 characters are counted.
//!
//! **Bad input.** Sizes that are no positive numbers count as the smallest.

use std::collections::BTreeMap;

mod stamps;

pub(crate) use stamps::cleaned;

/// Characters of a document whose words are counted.
const MAX_COUNTED_CHARS: usize = 200_000;
/// Characters of a title.
const TITLE_CHARS: std::ops::RangeInclusive<usize> = 2..=300;
/// Characters up to which lines merge: from there on L no longer falls.
const MAX_MERGED_CHARS: usize = 120;
/// Letters of a line that looks like the body and ends like a sentence, from which on it is one; square letters count twice.
const LONGEST_PLAIN: f32 = 60.0;
/// Sizes that differ by no more points than this are equal.
const SAME_SIZE: f32 = 0.26;

/// A line, or a paragraph, of a document's first page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Candidate {
    /// Its words.
    pub text: String,
    /// Size of most of its type, in points.
    pub size: f32,
    /// Whether most of it is bold.
    pub bold: bool,
    /// Whether it stands in the middle of the page's width.
    pub centred: bool,
    /// Whether it reaches from margin to margin.
    pub fills_width: bool,
    /// Whether it is an item of a list.
    pub list_item: bool,
}

/// Lines that were merged.
struct MergedLines {
    line: Candidate,
    /// Line that it began at.
    position: usize,
    lines: u32,
    filling: u32,
}

/// The candidate that weighs most, or `None` where none can be a title. `document` is the text of the whole.
pub(crate) fn best(candidates: &[Candidate], document: &str) -> Option<String> {
    let merged = merged(candidates);
    let body = body_size(candidates);
    let fit = |line: &&MergedLines| {
        is_title_like(&line.line.text) && !line.line.list_item && !is_sentence(&line.line, body)
    };
    let largest = merged.iter().filter(fit).map(|line| size_of(&line.line)).fold(0.0, f32::max);
    let counts = word_counts(document.chars().take(MAX_COUNTED_CHARS));
    let norm = norm_of(&counts);
    let mut best: Option<(f64, &MergedLines)> = None;
    for line in merged.iter().filter(fit) {
        let size = size_of(&line.line);
        if !line.line.centred && size + SAME_SIZE < largest {
            continue;
        }
        let own = word_counts(line.line.text.chars());
        let shared: f64 = own.iter().map(|(word, times)| times * counts.get(word).unwrap_or(&0.0)).sum();
        let cosine = if shared > 0.0 { shared / (norm_of(&own) * norm) } else { 0.0 };
        let length = length_factor(line.line.text.chars().count());
        let place = 1.0 / (1.0 + line.position as f64 / 5.0);
        let factors = [length, f64::from(size / largest), place];
        let filling = if line.lines > 1 { line.filling } else { 0 };
        let weight = weight(filling, factors, 0.1 + 0.9 * cosine, line.line.bold);
        if best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, line));
        }
    }
    best.map(|(_, line)| line.line.text.clone())
}

/// Weight of a candidate: `factors` are L, S and P.
fn weight(filling: u32, factors: [f64; 3], likeness: f64, bold: bool) -> f64 {
    let look = factors.iter().product::<f64>().cbrt();
    (1.0 + 0.2 * f64::from(filling)) * look * likeness * if bold { 1.1 } else { 1.0 }
}

/// L: 1 for 6 to 40 characters, falling to 0.2 at 2 and at 120.
fn length_factor(chars: usize) -> f64 {
    match chars {
        0..=2 => 0.2,
        3..=5 => 0.2 + 0.8 * (chars - 2) as f64 / 4.0,
        6..=40 => 1.0,
        41..=119 => 1.0 - 0.8 * (chars - 40) as f64 / 80.0,
        _ => 0.2,
    }
}

/// Size in points; hostile numbers are small type.
fn size_of(line: &Candidate) -> f32 {
    if line.size.is_finite() { line.size.clamp(1.0, 2000.0) } else { 1.0 }
}

/// Merges adjacent lines of equal look.
fn merged(candidates: &[Candidate]) -> Vec<MergedLines> {
    let body = body_size(candidates);
    let mut all: Vec<MergedLines> = Vec::new();
    // Blank lines keep lines apart and count as positions once there was a line.
    let mut blank = true;
    let mut position = 0;
    for line in candidates {
        let text = one_line(&line.text);
        if text.is_empty() {
            position += usize::from(!all.is_empty());
            blank = true;
            continue;
        }
        let filling = u32::from(line.fills_width);
        match all.last_mut().filter(|last| !blank && goes_on(&last.line, line, &text, body)) {
            Some(last) => {
                let spaced = !(ends_unspaced(&last.line.text) && text.starts_with(is_unspaced));
                last.line.text.push_str(if spaced { " " } else { "" });
                last.line.text.push_str(&text);
                last.lines += 1;
                last.filling += filling;
            }
            None => {
                let line = Candidate { text, ..line.clone() };
                all.push(MergedLines { line, position, lines: 1, filling });
            }
        }
        position += 1;
        blank = false;
    }
    all
}

/// Whether a line is one with the next.
fn goes_on(line: &Candidate, next: &Candidate, next_text: &str, body: f32) -> bool {
    let same = (size_of(line) - size_of(next)).abs() < SAME_SIZE
        && line.bold == next.bold
        && line.centred == next.centred;
    let marked = line.bold || line.centred || size_of(line) > body + SAME_SIZE;
    same && marked
        && !(line.list_item || next.list_item || starts_item(next_text))
        && !(starts_salutation(&line.text) || starts_salutation(next_text))
        && !line.text.ends_with(['.', '。', '!', '！', '?', '？', ':', '：', ';', '；'])
        && line.text.chars().count() + next_text.chars().count() < MAX_MERGED_CHARS
}

/// The size that most characters have.
fn body_size(candidates: &[Candidate]) -> f32 {
    let mut chars = BTreeMap::<u32, usize>::new();
    for line in candidates {
        *chars.entry((size_of(line) * 4.0).round() as u32).or_default() += line.text.chars().count();
    }
    chars.into_iter().max_by_key(|&(size, chars)| (chars, size)).map_or(0.0, |(size, _)| size as f32 / 4.0)
}

/// Whether words can be a title: 2 to 300 characters with a letter.
pub(crate) fn is_title_like(text: &str) -> bool {
    TITLE_CHARS.contains(&text.trim().chars().count()) && text.chars().any(char::is_alphabetic)
}

/// Whether a line in the look of the body is a sentence of the text: long, and with the mark of an end.
fn is_sentence(line: &Candidate, body: f32) -> bool {
    let plain = !line.bold && !line.centred && size_of(line) < body + SAME_SIZE;
    let ends = line.text.trim_end().ends_with(['.', '!', '?', '。', '！', '？', '…', '।', '؟', '።']);
    plain && ends && set_width(&line.text, 2.0) > LONGEST_PLAIN
}

/// Whether a line looks like an item of a list: a bullet, or a number of at most three digits with a mark behind.
fn starts_item(text: &str) -> bool {
    const BULLETS: &[char] = &['•', '·', '●', '○', '■', '□', '▪', '◦', '‣', '–', '—', '*', '-', '\u{F0B7}'];
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let behind = text.get(digits..).unwrap_or_default();
    text.starts_with(BULLETS)
        || (1..=3).contains(&digits) && behind.starts_with([')', '.', '、', '）', '．'])
        || text.starts_with(['(', '（']) && text.chars().take(6).any(|c| matches!(c, ')' | '）'))
}

/// Whether a line addresses its reader.
fn starts_salutation(text: &str) -> bool {
    // Some end with a space, which belongs to them.
    const WORDS: &str = "\
        dear |hello|hi |to whom |ladies and gentlemen|sehr geehrte|liebe |lieber |cher |chère |\
        chers |madame|monsieur|estimad|querid|gentile |egregi|caro |cara |prezad|geachte|beste |\
        szanown|уважаем|дорог|sayın |尊敬的|亲爱的|親愛的|敬爱的|敬愛的|各位|拝啓|前略|السيد|عزيزي|عزيزتي|حضرة";
    let lower: String = text.chars().take(24).flat_map(char::to_lowercase).collect();
    WORDS.split('|').any(|word| lower.starts_with(word))
}

/// Letters of scripts that are written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{312F}' | '\u{31A0}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Width of words set in type of a size, in points: letters of scripts without spaces are square, others half of that.
pub(crate) fn set_width(text: &str, size: f32) -> f32 {
    text.chars().map(|c| if is_unspaced(c) { size } else { size / 2.0 }).sum()
}

fn ends_unspaced(text: &str) -> bool {
    text.ends_with(is_unspaced)
}

/// Words in lower case, in order: letters of scripts without spaces one by one.
pub(crate) fn words(chars: impl IntoIterator<Item = char>) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in chars {
        let inside = c.is_alphanumeric() && !is_unspaced(c);
        if !inside && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if inside {
            word.extend(c.to_lowercase());
        } else if is_unspaced(c) && c.is_alphanumeric() {
            words.push(c.to_string());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn word_counts(chars: impl IntoIterator<Item = char>) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for word in words(chars) {
        *counts.entry(word).or_insert(0.0) += 1.0;
    }
    counts
}

fn norm_of(counts: &BTreeMap<String, f64>) -> f64 {
    counts.values().map(|times| times * times).sum::<f64>().sqrt()
}

pub(crate) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether more than half of a title's words are not in a text, such as that of the first page.
pub(crate) fn is_absent(title: &str, text: &str) -> bool {
    let known = word_counts(text.chars().take(MAX_COUNTED_CHARS));
    let words = words(title.chars());
    let missing = words.iter().filter(|word| !known.contains_key(*word)).count();
    missing * 2 > words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(size: f32, text: &str) -> Candidate {
        Candidate { text: text.into(), size, ..Candidate::default() }
    }

    #[test]
    fn weight_is_what_the_definition_says() {
        assert!((weight(0, [0.8, 1.0, 0.5], 0.6, false) - 0.442_084).abs() < 1e-6);
        assert!((weight(2, [0.8, 1.0, 0.5], 0.6, true) - 0.442_084 * 1.4 * 1.1).abs() < 1e-5);
    }

    #[test]
    fn length_falls_on_both_sides() {
        for (chars, factor) in
            [(0, 0.2), (2, 0.2), (4, 0.6), (6, 1.0), (40, 1.0), (80, 0.6), (120, 0.2), (500, 0.2)]
        {
            assert!((length_factor(chars) - factor).abs() < 1e-9, "{chars}");
        }
    }

    #[test]
    fn title_is_the_line_of_most_weight() {
        let body = "The lake is cold in spring. Ducks swim in the lake and eat leaves of the trees that stand there.";
        let centred = |text: &str, bold| Candidate { centred: true, bold, ..line(12.0, text) };
        let cases: &[(&[Candidate], Option<&str>)] = &[
            (&[], None),
            (&[line(12.0, "1"), line(12.0, "--")], None),
            // Larger type wins, in two lines as in one.
            (
                &[line(10.0, "Vol. 3"), line(24.0, "Ducks of"), line(24.0, "the lake"), line(12.0, body)],
                Some("Ducks of the lake"),
            ),
            // Without a difference in type, the first short line.
            (
                &[line(12.0, "Ducks of the lake"), line(12.0, body), line(12.0, body)],
                Some("Ducks of the lake"),
            ),
            (
                &[line(12.0, body), centred("Ducks of the lake", true), line(12.0, body)],
                Some("Ducks of the lake"),
            ),
            // A sentence of a letter is none, however much of the text it is.
            (
                &[
                    line(12.0, "Ducks Board"),
                    line(12.0, "Lake Street 1"),
                    line(12.0, "Dear ducks,"),
                    line(12.0, body),
                ],
                Some("Ducks Board"),
            ),
            (&[line(12.0, body)], None),
            // A salutation starts anew, and so does an item.
            (&[centred("The lake", true), centred("Dear ducks,", true), line(12.0, body)], Some("The lake")),
            (&[line(20.0, "The lake"), line(20.0, "1. Ducks"), line(12.0, body)], Some("The lake")),
            // No space between letters that have none.
            (
                &[line(22.0, "关于湖泊"), line(22.0, "保护的通知"), line(12.0, "湖泊保护关系到每一只鸭子。")],
                Some("关于湖泊保护的通知"),
            ),
            // Sizes that are none.
            (
                &[line(f32::NAN, "Nothing of size"), line(f32::INFINITY, "Endless of size")],
                Some("Nothing of size"),
            ),
        ];
        for (lines, title) in cases {
            let text = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
            assert_eq!(best(lines, &text).as_deref(), *title, "{text}");
        }
    }

    #[test]
    fn absent_titles_are_known() {
        assert!(!is_absent("Ducks of the lake", "On the lake: ducks of all kinds"));
        assert!(is_absent("Quarterly report", "On the lake: ducks of all kinds"));
        assert!(!is_absent("湖泊保护", "湖泊的保护"));
    }
}
