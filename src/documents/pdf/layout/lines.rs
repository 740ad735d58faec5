//! Words to lines: one baseline, read in the direction of the script.

use super::words::Word;
use crate::Inline;
use crate::pdf::scripts::{is_rtl, is_spaceless};

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
        let rtl_chars = words.iter().flat_map(|word| word.text.chars()).filter(|c| is_rtl(*c)).count();
        let letters = words.iter().flat_map(|word| word.text.chars()).filter(|c| c.is_alphabetic()).count();
        let rtl = rtl_chars * 2 > letters;
        if rtl {
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
