//! Codes: what stands between two expressions.
//!
//! **Definition.** `start` and `end` are regular expressions. An offset `m,n` extends its code before positions are taken:
//! SC = start · `(?:[^\n]*\n){m}` · `[^\n]{n}`, EC = `[^\n]{n}` · `(?:\n[^\n]*){m}` · end. S are the positions behind the
//! matches of SC, E those of the first characters of the matches of EC; [`locate`] pairs them: each end with the nearest
//! start before it that is behind the last end used, each start and each end once.
//!
//! **Cost.** Two searches of the material, then one walk over both lists, O(k + m). At most `max` positions of each kind.
//!
//! **Reference.** The method of CN101719124A.

use regex::{Regex, RegexBuilder};

/// Bytes that a compiled expression may take.
const MAX_EXPRESSION_BYTES: usize = 8 << 20;

/// Compiled codes of a tag. Without either, all of the material is the one result.
#[derive(Debug, Clone)]
pub struct Codes {
    start: Option<Regex>,
    end: Option<Regex>,
}

/// Lines and characters that a code is extended by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offset {
    /// Ends of lines.
    pub lines: u32,
    /// Characters to skip after the line ends.
    pub characters: u32,
}

impl Offset {
    /// Reads `"m,n"`.
    ///
    /// # Errors
    /// The defect.
    pub fn parse(source: &str) -> Result<Offset, String> {
        let numbers = source.split_once(',').and_then(|(lines, characters)| {
            Some(Offset { lines: lines.trim().parse().ok()?, characters: characters.trim().parse().ok()? })
        });
        numbers.ok_or_else(|| format!("{source:?} is no offset: two numbers \"lines,characters\" are wanted"))
    }
}

impl Codes {
    /// Compiles codes with their offsets.
    ///
    /// # Errors
    /// Defects of an expression.
    pub fn new(start: Option<(&str, Offset)>, end: Option<(&str, Offset)>) -> Result<Codes, String> {
        let start = start.map(|(code, Offset { lines, characters })| {
            // Alone first: a bracket that the code leaves open would take the offset in.
            expression(code)?;
            expression(&format!(
                r"(?:{code}){}{}",
                times(r"(?:[^\n]*\n)", lines),
                times(r"[^\n]", characters)
            ))
        });
        let end = end.map(|(code, Offset { lines, characters })| {
            expression(code)?;
            expression(&format!(
                r"{}{}(?:{code})",
                times(r"[^\n]", characters),
                times(r"(?:\n[^\n]*)", lines)
            ))
        });
        Ok(Codes { start: start.transpose()?, end: end.transpose()? })
    }

    /// How often the start and the end are found in `text`, each up to `max`: what tells why there is no result.
    pub fn matches(&self, text: &str, max: usize) -> (u64, u64) {
        let count = |regex: &Option<Regex>| {
            regex.as_ref().map_or(1, |regex| regex.find_iter(text).take(max).count() as u64)
        };
        (count(&self.start), count(&self.end))
    }

    /// The results in `text`, as ranges; whether there were more than `max`.
    pub fn find(&self, text: &str, max: usize) -> (Vec<(usize, usize)>, bool) {
        let mut cut = false;
        let mut positions =
            |regex: &Option<Regex>, other: usize, of: fn(regex::Match<'_>) -> usize| match regex {
                None => vec![other],
                Some(regex) => {
                    let mut all: Vec<usize> = regex.find_iter(text).take(max + 1).map(of).collect();
                    cut |= all.len() > max;
                    all.truncate(max);
                    all
                }
            };
        let starts = positions(&self.start, 0, |found| found.end());
        let ends = positions(&self.end, text.len(), |found| found.start());
        (locate(&starts, &ends), cut)
    }
}

fn times(what: &str, count: u32) -> String {
    if count == 0 { String::new() } else { format!("{what}{{{count}}}") }
}

/// Pairs starts and ends, both ascending.
///
/// # Examples
/// ```
/// use webmill_rules::codes::locate;
/// assert_eq!(locate(&[3, 7, 20], &[5, 9, 12]), [(3, 5), (7, 9)]);
/// ```
pub fn locate(starts: &[usize], ends: &[usize]) -> Vec<(usize, usize)> {
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    while i < starts.len() && j < ends.len() {
        if starts[i] > ends[j] {
            j += 1;
            continue;
        }
        // The nearest start before this end.
        while i + 1 < starts.len() && starts[i + 1] <= ends[j] {
            i += 1;
        }
        found.push((starts[i], ends[j]));
        i += 1;
        j += 1;
    }
    found
}

/// Compiles an expression: linear time, without look-around and back-references, of bounded size.
///
/// # Errors
/// The defect, in one line.
pub fn expression(source: &str) -> Result<Regex, String> {
    RegexBuilder::new(source).size_limit(MAX_EXPRESSION_BYTES).nest_limit(100).build().map_err(|error| {
        match error {
            regex::Error::CompiledTooBig(limit) => {
                format!("the expression {} is larger than {limit} bytes when compiled", shown(source))
            }
            other => {
                let text = other.to_string();
                let why = text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
                format!("the expression {} cannot be read: {why}", shown(source))
            }
        }
    })
}

/// A text of a rule in messages: quoted, its first 60 characters.
pub fn shown(source: &str) -> String {
    let short: String = source.chars().take(60).collect();
    if short.len() < source.len() { format!("{short:?}…") } else { format!("{short:?}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use webmill_capture::cut::Cut;

    fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
        offset(text, (start, ""), (end, ""))
    }

    fn offset<'a>(text: &'a str, start: (&str, &str), end: (&str, &str)) -> Vec<&'a str> {
        let code = |(code, offset): (&'static str, &str)| {
            let offset = if offset.is_empty() { Offset::default() } else { Offset::parse(offset).unwrap() };
            (!code.is_empty()).then_some((code, offset))
        };
        let own = |(a, b): (&str, &str)| (&*a.to_owned().leak(), b.to_owned());
        let (start, end) = (own(start), own(end));
        let codes = Codes::new(code((start.0, &start.1)), code((end.0, &end.1))).unwrap();
        codes.find(text, 1000).0.into_iter().map(|(from, to)| text.cut(from..to)).collect()
    }

    #[test]
    fn nearest_start_before_each_end() {
        assert_eq!(between("<a>…<a><c><b>…<b>", "<a>", "<b>"), ["<c>"]);
        assert_eq!(between("<a>1<a>2</a>3</a><a>4</a>", "<a>", "</a>"), ["2", "4"]);
        assert_eq!(between("x</a><a></a><a>5", "<a>", "</a>"), [""]);
        assert_eq!(between("<li>1<li>2<li>3</ul>", "<li>", "<li>|</ul>"), ["1", "2", "3"]);
        assert_eq!(between("a: b", "a: ", ""), ["b"]);
        assert_eq!(between("a: b", "", ": b"), ["a"]);
        assert_eq!(between("a: b", "", ""), ["a: b"]);
        assert_eq!(between("", "<a>", "</a>"), [""; 0]);
    }

    #[test]
    fn offsets_are_part_of_the_codes() {
        let text = "T:\nskip\n..price 10 EUR\nend";
        assert_eq!(offset(text, ("T:", "2,2"), ("\nend", "")), ["price 10 EUR"]);
        assert_eq!(offset(text, ("price ", ""), ("\nend", "0,4")), ["10"]);
        assert_eq!(offset(text, ("", ""), ("end", "2,0")), ["T:\nskip"]);
        assert_eq!(offset("a1b", ("a|b", "0,1"), ("", "")), ["b"]);
        assert_eq!(Offset::parse(" 3 , 4"), Ok(Offset { lines: 3, characters: 4 }));
        for wrong in ["", "1", "a,b", "1,-2", "1,2,3"] {
            assert!(Offset::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn more_matches_than_allowed_are_told() {
        let codes = Codes::new(Some(("a", Offset::default())), Some(("b", Offset::default()))).unwrap();
        assert_eq!(codes.find(&"ab".repeat(5), 3), (vec![(1, 1), (3, 3), (5, 5)], true));
        assert!(!codes.find(&"ab".repeat(3), 3).1);
    }

    /// The definition: for each end, the nearest unused start not behind it and behind the last end used.
    fn by_definition(starts: &[usize], ends: &[usize]) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let mut used = vec![false; starts.len()];
        for end in ends {
            let last = found.last().map(|pair| pair.1);
            let fits =
                |i: &usize| !used[*i] && starts[*i] <= *end && last.is_none_or(|last| starts[*i] > last);
            if let Some(i) = (0..starts.len()).rev().find(fits) {
                used[i] = true;
                found.push((starts[i], *end));
            }
        }
        found
    }

    proptest! {
        #[test]
        fn locating_is_its_definition(
            starts in proptest::collection::btree_set(0..60usize, 0..20),
            ends in proptest::collection::btree_set(0..60usize, 0..20),
        ) {
            let (starts, ends): (Vec<_>, Vec<_>) = (starts.into_iter().collect(), ends.into_iter().collect());
            prop_assert_eq!(locate(&starts, &ends), by_definition(&starts, &ends));
        }
    }
}
