//! Words to lines: one baseline, read in the direction of the script.

use super::words::Word;
use crate::Inline;
use crate::pdf::scripts::{is_rtl, is_spaceless, rtl_logical};

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::pdf) struct Line {
    /// Words in reading order.
    pub(in crate::pdf) words: Vec<Word>,
    pub(in crate::pdf) u0: f64,
    pub(in crate::pdf) u1: f64,
    pub(in crate::pdf) v: f64,
    /// Size of most of its characters.
    pub(in crate::pdf) size: f64,
    pub(in crate::pdf) bold: bool,
    pub(in crate::pdf) rtl: bool,
}

impl Line {
    /// A line of words in any order.
    pub(in crate::pdf) fn new(mut words: Vec<Word>) -> Option<Line> {
        words.sort_by(|a, b| a.u0.total_cmp(&b.u0));
        words = without_letter_spacing(words);
        let rtl_chars = words.iter().flat_map(|word| word.text.chars()).filter(|c| is_rtl(*c)).count();
        let letters = words.iter().flat_map(|word| word.text.chars()).filter(|c| c.is_alphabetic()).count();
        let rtl = rtl_chars * 2 > letters;
        if rtl {
            words.iter_mut().for_each(turn_brackets);
            words = from_right(words);
        }
        let size = common_size(&words)?;
        let level: Vec<f64> =
            words.iter().filter(|word| (word.size - size).abs() < 0.1 * size).map(|word| word.v).collect();
        Some(Line {
            u0: words.iter().map(|word| word.u0).fold(f64::INFINITY, f64::min),
            u1: words.iter().map(|word| word.u1).fold(f64::NEG_INFINITY, f64::max),
            v: level.first().copied().or_else(|| words.first().map(|word| word.v))?,
            size,
            bold: words.iter().all(|word| word.bold),
            rtl,
            words,
        })
    }

    pub(in crate::pdf) fn text(&self) -> String {
        self.inline(&[], false).text
    }

    /// Its words with their links: of annotations, whose targets are given, and addresses that are written out. Of these one
    /// that may go on in the next line is none, unless the line is the `last` of its paragraph.
    pub(in crate::pdf) fn inline(&self, targets: &[String], last: bool) -> Inline {
        let mut all = Inline::default();
        let mut before: Option<&Word> = None;
        for (at, word) in self.words.iter().enumerate() {
            let apart = before.is_some_and(|before| {
                before.spaced || (word.u0 - before.u1).max(before.u0 - word.u1) > 0.7 * self.size
            });
            let from = all.text.len();
            if apart {
                all.text.push(' ');
                all.text.push_str(&word.text);
            } else {
                join(&mut all.text, &word.text);
            }
            let begins = all.text.len() - word.text.len();
            let target = word.link.and_then(|link| targets.get(link as usize));
            match (target, all.links.last_mut()) {
                (Some(target), Some((range, known))) if range.end == from && known == target => {
                    range.end = all.text.len();
                }
                (Some(target), _) => all.links.push((begins..all.text.len(), target.clone())),
                (None, _) => {
                    let may_go_on = !last && at + 1 == self.words.len();
                    let address = address(&word.text).filter(|(end, _)| !may_go_on || *end < word.text.len());
                    all.links.extend(address.map(|(end, target)| (begins..begins + end, target)));
                }
            }
            before = Some(word);
        }
        all
    }

    /// Characters of its words.
    pub(in crate::pdf) fn chars(&self) -> usize {
        self.words.iter().map(|word| word.text.chars().count()).sum()
    }
}

/// The address that a word is, and where it ends.
fn address(word: &str) -> Option<(usize, String)> {
    let bare = word.trim_end_matches([
        '.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '"', '\'', '”', '’', '。', '，', '）',
    ]);
    let is_web = bare.starts_with("http://") || bare.starts_with("https://");
    let rest = bare.split_once("://").map_or(bare, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next()?;
    let named = host.contains('.') && !host.ends_with('.') && host.is_ascii();
    match (is_web, bare.starts_with("www.")) {
        (true, _) if named => Some((bare.len(), bare.to_owned())),
        (false, true) if named => Some((bare.len(), format!("http://{bare}"))),
        _ => None,
    }
}

/// Adds a word to a text, behind a space unless both are of a script without.
pub(in crate::pdf) fn join(text: &mut String, word: &str) {
    let tight = match (text.chars().next_back(), word.chars().next()) {
        (Some(last), Some(first)) => is_spaceless(last) && is_spaceless(first),
        _ => true,
    };
    if !tight {
        text.push(' ');
    }
    text.push_str(word);
}

/// Letters of a word that is set with space between its letters, at least.
const MIN_SPACED: usize = 5;

/// Words of a line that is set in letters with space between them, as headings are: where a space was painted, or where the gap is much
/// wider than most, a word ends. Other lines stay as they are.
fn without_letter_spacing(words: Vec<Word>) -> Vec<Word> {
    let is_letter =
        |word: &Word| word.text.chars().count() == 1 && word.text.chars().all(char::is_alphabetic);
    let is_spaceless = |word: &Word| word.text.chars().any(|c| is_spaceless(c) || is_rtl(c));
    let mut gaps: Vec<f64> =
        words.windows(2).filter_map(|pair| Some(pair.get(1)?.u0 - pair.first()?.u1)).collect();
    let is_set_so =
        words.len() >= MIN_SPACED && words.iter().all(|word| is_letter(word) && !is_spaceless(word));
    // Of letters that stand apart as words, a space was painted behind each.
    let painted = words.iter().filter(|word| word.spaced).count();
    if !is_set_so || painted * 2 > words.len() {
        return words;
    }
    gaps.sort_by(f64::total_cmp);
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or_default();
    if usual > words.first().map_or(0.0, |word| word.size) {
        return words;
    }
    let mut joined: Vec<Word> = Vec::new();
    for word in words {
        match joined.last_mut().filter(|last| !last.spaced && word.u0 - last.u1 < 1.8 * usual) {
            Some(last) => {
                last.text.push_str(&word.text);
                (last.u1, last.spaced) = (word.u1, word.spaced);
            }
            None => joined.push(word),
        }
    }
    joined
}

/// Turns the brackets of a word without letters, as a number in brackets, which stands among words from right to left.
fn turn_brackets(word: &mut Word) {
    let has_brackets = word.text.contains(['(', ')', '[', ']', '{', '}', '«', '»']);
    if has_brackets && !word.text.contains(char::is_alphabetic) {
        let mut letters = [0; 4];
        let pieces: Vec<String> =
            word.text.chars().rev().map(|c| c.encode_utf8(&mut letters).to_owned()).collect();
        word.text = rtl_logical(&pieces.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// Words from right to left; those of other scripts keep their order among themselves.
fn from_right(words: Vec<Word>) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::with_capacity(words.len());
    let mut run: Vec<Word> = Vec::new();
    for word in words.into_iter().rev() {
        let latin = word.text.chars().any(|c| c.is_alphabetic() && !is_rtl(c));
        if latin {
            run.push(word);
        } else {
            out.extend(run.drain(..).rev());
            out.push(word);
        }
    }
    out.extend(run.drain(..).rev());
    out
}

/// The size of most characters.
fn common_size(words: &[Word]) -> Option<f64> {
    let mut sizes: Vec<(f64, usize)> =
        words.iter().map(|word| (word.size, word.text.chars().count())).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = sizes.iter().map(|(_, count)| count).sum::<usize>() / 2;
    let mut passed = 0;
    sizes
        .iter()
        .find(|(_, count)| {
            passed += count;
            passed > half
        })
        .or(sizes.last())
        .map(|(size, _)| *size)
}

/// Rows of words by their baselines, from the top. Each holds places in the list of words.
pub(in crate::pdf) fn rows(words: &[Word]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..words.len()).collect();
    let at = |place: &usize| words.get(*place);
    order.sort_by(|a, b| match (at(a), at(b)) {
        (Some(a), Some(b)) => a.v.total_cmp(&b.v),
        _ => std::cmp::Ordering::Equal,
    });
    let mut rows: Vec<Vec<usize>> = Vec::new();
    // The baseline of the row's largest word, and its size.
    let mut level = (f64::NEG_INFINITY, 0.0f64);
    for place in order {
        let Some(word) = words.get(place) else { continue };
        let near = 0.5 * word.size.min(level.1).max(0.35 * word.size.max(level.1));
        match rows.last_mut() {
            Some(row) if word.v - level.0 <= near => {
                row.push(place);
                if word.size > level.1 * 1.1 {
                    level = (word.v, word.size);
                }
            }
            _ => {
                rows.push(vec![place]);
                level = (word.v, word.size);
            }
        }
    }
    rows
}

/// The lines of a block of words.
pub(in crate::pdf) fn lines(words: Vec<Word>) -> Vec<Line> {
    let rows = rows(&words);
    let mut slots: Vec<Option<Word>> = words.into_iter().map(Some).collect();
    let taken = rows.into_iter().map(|row| {
        row.into_iter().filter_map(|place| slots.get_mut(place).and_then(Option::take)).collect::<Vec<_>>()
    });
    taken.filter_map(Line::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[(&str, f64, bool)]) -> String {
        let word = |&(text, u0, spaced): &(&str, f64, bool)| Word {
            text: text.into(),
            u0,
            u1: u0 + 5.0 * text.chars().count() as f64,
            size: 10.0,
            space: 2.5,
            spaced,
            ..Word::default()
        };
        Line::new(words.iter().map(word).collect()).unwrap().text()
    }

    #[test]
    fn letters_with_space_between_are_words() {
        let spaced = |text: &str, painted: bool| {
            let mut at = 0.0;
            let mut words = Vec::new();
            let mut letters = text.chars().peekable();
            while let Some(letter) = letters.next() {
                let ends = letters.next_if_eq(&' ').is_some();
                words.push((letter.to_string(), at, ends && painted));
                at += if ends { 16.0 } else { 8.0 };
            }
            let words: Vec<(&str, f64, bool)> =
                words.iter().map(|(word, at, end)| (word.as_str(), *at, *end)).collect();
            line(&words)
        };
        assert_eq!(spaced("HARBOUR NEWS", true), "HARBOUR NEWS");
        assert_eq!(spaced("HARBOUR NEWS", false), "HARBOUR NEWS");
        assert_eq!(spaced("A B C D E F", true), "A B C D E F");
        assert_eq!(spaced("1234567", false), "1 2 3 4 5 6 7");
        let far: Vec<(&str, f64, bool)> = ["A", "B", "C", "D", "E"]
            .iter()
            .zip(0..)
            .map(|(c, at)| (*c, f64::from(at) * 40.0, false))
            .collect();
        assert_eq!(line(&far), "A B C D E");
    }

    #[test]
    fn brackets_of_numbers_turn_with_their_line() {
        assert_eq!(line(&[("(3", 0.0, true), ("דומע(", 20.0, true), ("חוד", 50.0, true)]), "חוד דומע( 3)");
        assert_eq!(line(&[("[2021]", 0.0, true), ("דומע", 40.0, true)]), "דומע [2021]");
        assert_eq!(line(&[("(3", 0.0, true), ("page", 20.0, true)]), "(3 page");
    }
}
