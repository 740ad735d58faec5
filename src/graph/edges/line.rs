//! Reads one line of a list of arcs.
//!
//! The module above calls it for each line.
//!
//! Foreign lists are written in many ways, and a wrong guess is silent: a pair of URLs taken for one name makes
//! isolated nodes, a number at the end of a URL with blanks becomes a weight. So only an unambiguous line is an arc here,
//! and what was guessed is said, for the reader to count.

use super::table::{cells, empty, separator};
use std::borrow::Cow;

/// A line of a list of names.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// A name alone: an isolated node.
    Node(&'a str),
    Arc(Arc<'a>),
}

/// An arc between names.
#[derive(Debug, PartialEq)]
pub(super) struct Arc<'a> {
    pub source: Cow<'a, str>,
    pub target: Cow<'a, str>,
    pub weight: Option<&'a str>,
    /// Were target and weight, if there is one, told apart only by what a name may hold, a blank or a comma?
    pub loose: bool,
    /// Were source and target told apart by a comma or the like only, which URLs may hold?
    pub cut: bool,
}

/// What stands between the fields of a line instead of blanks or tabs.
pub(super) const SEPARATORS: [char; 3] = [',', ';', '|'];

/// Reads a line of names, trimmed and not empty.
///
/// # Errors
/// The defect, in words, of a line that is meant as an arc and is none.
pub(super) fn named(line: &str) -> Result<Line<'_>, String> {
    // What is in quotes is a name, whatever it holds.
    if !line.starts_with('\t')
        && !line.ends_with('\t')
        && let Some(arc) = quoted(line)
    {
        return arc.map(Line::Arc);
    }
    if let Some((source, rest)) = arrow(line) {
        let tabs = source.ends_with('\t') && rest.starts_with('\t');
        let (source, rest) = (source.trim(), rest.trim());
        if source.is_empty() || rest.is_empty() {
            return Err(format!("{line:?} lacks an end"));
        }
        let arc = match rest.rsplit_once('\t') {
            Some((target, weight)) => {
                let (source, target) = (source.into(), target.trim_end().into());
                Arc { source, target, weight: Some(weight), loose: false, cut: false }
            }
            None if tabs => {
                Arc { source: source.into(), target: rest.into(), weight: None, loose: false, cut: false }
            }
            None => loose(source, rest),
        };
        return Ok(Line::Arc(arc));
    }
    if line.contains('\t') {
        return between_tabs(line);
    }
    pair(line)
}

/// Two names in quotes and perhaps a weight, as tables write them; two quotes inside are one.
fn quoted(line: &str) -> Option<Result<Arc<'_>, String>> {
    fn field(text: &str) -> Option<(Cow<'_, str>, &str)> {
        let text = text.trim_start().strip_prefix('"')?;
        let mut end = text.find('"')?;
        while text[end + 1..].starts_with('"') {
            end += 2 + text[end + 2..].find('"')?;
        }
        let cell = text[..end].trim();
        let cell = if cell.contains('"') { cell.replace("\"\"", "\"").into() } else { cell.into() };
        Some((cell, &text[end + 1..]))
    }
    fn between(text: &str) -> Option<&str> {
        text.trim_start_matches(' ').strip_prefix(|c| c == '\t' || SEPARATORS.contains(&c))
    }
    let (source, rest) = field(line)?;
    let (target, rest) = field(between(rest)?)?;
    let weight = match rest.trim_end() {
        "" => None,
        rest => {
            let word = between(rest)?.trim();
            Some(word.strip_prefix('"').and_then(|word| word.strip_suffix('"')).unwrap_or(word))
        }
    };
    if let Some(column) = [&source, &target].iter().position(|name| name.is_empty()) {
        return Some(Err(format!("{line:?}: {}", empty(column))));
    }
    weight.is_none_or(is_number).then_some(Ok(Arc { source, target, weight, loose: false, cut: false }))
}

/// Both sides of the arrow: one with blanks around it, since URLs may hold `->`; else, where no tabs tell names apart,
/// any.
fn arrow(line: &str) -> Option<(&str, &str)> {
    let sides = |at: usize| (&line[..at], &line[at + 2..]);
    let mut arrows = line.match_indices("->").map(|(at, _)| sides(at));
    let blank = |side: Option<char>| side.is_none_or(char::is_whitespace);
    let clear = arrows.find(|(a, b)| blank(a.chars().next_back()) && blank(b.chars().next()));
    let mut fields = line.split('\t');
    let pair = match (fields.next(), fields.next(), fields.next()) {
        (Some(_), None, _) => true,
        (Some(_), Some(weight), None) => is_number(weight.trim()),
        _ => false,
    };
    clear.or_else(|| line.find("->").filter(|_| pair).map(sides))
}

/// Source, target and perhaps a weight between tabs.
fn between_tabs(line: &str) -> Result<Line<'_>, String> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    if let Some(column) = fields.iter().position(|field| field.is_empty()) {
        return Err(format!("{line:?}: {}", empty(column)));
    }
    let arc = |weight| {
        let (source, target) = (fields[0].into(), fields[1].into());
        Line::Arc(Arc { source, target, weight, loose: false, cut: false })
    };
    match fields[..] {
        [name, number] if is_url(name) && is_number(number) => {
            Err(format!("{line:?} is one URL and a number, no arc"))
        }
        [_, _] => Ok(arc(None)),
        [_, _, weight] => Ok(arc(Some(weight))),
        _ => Err(format!(
            "{} fields between tabs: an arc has source, target and a weight; which of them they are --columns says",
            fields.len()
        )),
    }
}

/// Two URLs or two host names with a blank or a comma between, and perhaps a weight; else a name alone.
fn pair(line: &str) -> Result<Line<'_>, String> {
    let mut urls = words(line).filter(|(_, word)| is_url(word));
    if let (Some((0, _)), Some((second, _))) = (urls.next(), urls.next()) {
        return match urls.count() {
            0 => {
                let source = line[..second].trim_end();
                let bare = source.trim_end_matches(SEPARATORS).trim_end();
                let cut = bare.len() < source.len();
                let arc = loose(bare, &line[second..]);
                // No URL holds a blank.
                if arc.target.contains(char::is_whitespace) {
                    return Err(format!(
                        "{line:?} has more than two URLs and a weight: which columns they are --columns says; where names \
                         hold blanks, a tab between them does"
                    ));
                }
                Ok(Line::Arc(Arc { cut, ..arc }))
            }
            more => Err(format!("{} URLs: a line holds two", more + 2)),
        };
    }
    Ok(cut(line).or_else(|| hosts(line)).map_or(Line::Node(line), Line::Arc))
}

/// Two URLs with a comma between, if there is one place only where one can end and another begin.
fn cut(line: &str) -> Option<Arc<'_>> {
    if !is_url(line) {
        return None;
    }
    let mut places = line.match_indices(SEPARATORS).filter(|(at, _)| is_url(&line[at + 1..]));
    let (Some((at, _)), None) = (places.next(), places.next()) else { return None };
    let (source, rest) = (&line[..at], &line[at + 1..]);
    let (target, weight) = match rest.rsplit_once(SEPARATORS) {
        Some((target, weight)) if is_number(weight) => (target, Some(weight)),
        _ => (rest, None),
    };
    Some(Arc { source: source.into(), target: target.into(), weight, loose: true, cut: true })
}

/// Two host names and perhaps a weight.
fn hosts(line: &str) -> Option<Arc<'_>> {
    let mut words = fields(line);
    let (source, target, weight) = (words.next()?, words.next()?, words.next());
    let hosts = is_host(source) && is_host(target) && weight.is_none_or(is_number);
    (hosts && words.next().is_none()).then_some(Arc {
        source: source.into(),
        target: target.into(),
        weight,
        loose: true,
        cut: false,
    })
}

/// A target with blanks, or a target, a blank and a weight.
fn loose<'a>(source: &'a str, rest: &'a str) -> Arc<'a> {
    let (target, weight) = match rest.rsplit_once(char::is_whitespace) {
        Some((target, weight)) if is_number(weight) => (target.trim_end(), Some(weight)),
        _ => (rest, None),
    };
    Arc { source: source.into(), target: target.into(), weight, loose: true, cut: false }
}

/// Words with their places.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = line.as_ptr() as usize;
    line.split_whitespace().map(move |word| (word.as_ptr() as usize - start, word))
}

pub(super) fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok()
}

/// Does it start like a URL?
fn is_url(word: &str) -> bool {
    word.split_once("://").is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// Is it like a host name: labels of letters, digits and hyphens with dots between, the last with a letter?
fn is_host(word: &str) -> bool {
    let label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    word.rsplit_once('.').is_some_and(|(rest, last)| {
        rest.split('.').all(label) && label(last) && last.chars().any(char::is_alphabetic)
    })
}

/// May a line that was read as a name alone have been meant as more?
pub(super) fn suspect(name: &str) -> bool {
    // A URL may hold commas, and URLs behind them.
    name.contains(char::is_whitespace)
        || name.contains(SEPARATORS) && (!is_url(name) || name.matches("://").count() > 1)
}

/// A first line that names columns: `source,target,weight`, `FromNodeId ToNodeId`, `Source URL⇥Target URL`.
pub(super) fn is_header(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let between = |c: char| c.is_whitespace() || "_-\"".contains(c) || SEPARATORS.contains(&c);
    let words = || lower.split(between).filter(|word| !word.is_empty());
    let ends = words().filter(|word| is_end(word)).count();
    ends > 1 && !line.contains("->") && words().all(|word| is_end(word) || KINDS.contains(&word))
}

/// Words for sources in names of columns.
pub(super) const SOURCES: [&str; 6] = ["source", "from", "src", "origin", "fromnodeid", "sourceid"];
/// Words for targets.
pub(super) const TARGETS: [&str; 7] = ["target", "to", "dst", "dest", "destination", "tonodeid", "targetid"];
const KINDS: [&str; 11] =
    ["id", "node", "url", "uri", "page", "host", "domain", "name", "weight", "count", "type"];

fn is_end(word: &str) -> bool {
    SOURCES.contains(&word) || TARGETS.contains(&word)
}

/// Does the name of a column say one of these things, and nothing that is unknown?
pub(super) fn column_says(name: &str, words: &[&str]) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut parts =
        lower.split(|c: char| c.is_whitespace() || "_-".contains(c)).filter(|part| !part.is_empty());
    let mut says = false;
    parts.all(|part| {
        says |= words.contains(&part);
        is_end(part) || KINDS.contains(&part)
    }) && says
}

/// A first line that names columns for source and target, and others in words of its own: `source,target,anchor`.
pub(super) fn is_wide_header(line: &str) -> bool {
    let separator = separator(line);
    if separator == ' ' || line.contains("->") || line.contains("://") {
        return false;
    }
    let Ok(names) = cells(line, separator) else { return false };
    let says = |words: &[&str]| names.iter().any(|name| column_says(name, words));
    names.len() > 2
        && says(&SOURCES)
        && says(&TARGETS)
        && names.iter().all(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Separator and number of cells of a line that may be a pair of names and perhaps a weight.
pub(super) fn shape(line: &str) -> Option<(char, usize)> {
    let separator = separator(line);
    let cells = cells(line, separator).ok()?;
    let names = cells.iter().all(|cell| !cell.is_empty() && !cell.contains('"'));
    let fits = (2..=3).contains(&cells.len()) && cells.get(2).is_none_or(|weight| is_number(weight));
    (names && fits).then_some((separator, cells.len()))
}

/// May a first line name columns in words of its own? It does if numbers follow.
pub(super) fn may_be_header(line: &str) -> bool {
    let mut words = fields(line);
    (2..=8).contains(&words.clone().count())
        && words.all(|word| word.starts_with(|c: char| c.is_alphabetic() || "_\"".contains(c)))
        && !line.contains("->")
        && !line.contains("://")
}

/// A line of two whole numbers and perhaps a weight.
///
/// # Errors
/// The reason, if the line has another form.
pub(super) fn numbered(line: &str) -> Result<(u64, u64, Option<&str>), String> {
    let between = SEPARATORS.into_iter().chain(['\t']).find(|separator| line.contains(*separator));
    if let Some(column) = between.and_then(|c| line.split(c).position(|cell| cell.trim().is_empty())) {
        return Err(format!("{line:?}: {}", empty(column)));
    }
    let mut words = fields(line);
    let mut number = || words.next()?.parse().ok();
    let ends = number().zip(number());
    match (ends, words.next(), words.next()) {
        (Some((source, target)), weight, None) => Ok((source, target, weight)),
        (Some(_), _, Some(_)) => Err(format!(
            "{line:?} has more than source, target and weight: which of them they are --columns says"
        )),
        _ => Err(format!("{line:?} is no pair of numbers")),
    }
}

/// What stands between blanks, tabs, commas and the like.
fn fields(line: &str) -> impl Iterator<Item = &str> + Clone {
    let between = |c: char| c.is_whitespace() || SEPARATORS.contains(&c);
    line.split(between).filter(|word| !word.is_empty())
}

/// A line that begins with two numbers, or with what was meant as such: too large, below zero, with a fraction.
pub(super) fn looks_numbered(line: &str) -> bool {
    let number = |word: &str| {
        let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
        digits.starts_with(|c: char| c.is_ascii_digit()) && word.parse::<f64>().is_ok()
    };
    let mut words = fields(line);
    matches!((words.next(), words.next()), (Some(a), Some(b)) if number(a) && number(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_in_every_way_they_are_written() {
        let (a, b) = ("http://a.org/", "http://b.org/x");
        for (line, source, target, weight) in [
            ("http://a.org/ -> http://b.org/x", a, b, None),
            ("http://a.org/->http://b.org/x", a, b, None),
            ("http://a.org/ -> http://b.org/x 0.5", a, b, Some("0.5")),
            ("http://a.org/ -> http://b.org/x\t0.5", a, b, Some("0.5")),
            ("http://a.org/->http://b.org/x\t0.5", a, b, Some("0.5")),
            ("http://a.org/\t->\thttp://b.org/x", a, b, None),
            ("http://a.org/\thttp://b.org/x", a, b, None),
            ("http://a.org/\thttp://b.org/x\t3", a, b, Some("3")),
            ("http://a.org/ http://b.org/x", a, b, None),
            ("http://a.org/   http://b.org/x  3", a, b, Some("3")),
            ("http://a.org/ my page http://b.org/x", "http://a.org/ my page", b, None),
            ("http://a.org/\thttp://b.org/page 2", a, "http://b.org/page 2", None),
            ("http://a.org/\t->\thttp://b.org/page 2", a, "http://b.org/page 2", None),
            ("http://a.org/ -> http://b.org/my page", a, "http://b.org/my page", None),
            ("http://a.org/ -> http://b.org/page 2\t7", a, "http://b.org/page 2", Some("7")),
            ("http://a.org/x->y\thttp://b.org/x", "http://a.org/x->y", b, None),
            ("http://a.org/x->y -> http://b.org/x", "http://a.org/x->y", b, None),
            ("http://a.org/?u=http://c/ http://b.org/x", "http://a.org/?u=http://c/", b, None),
            ("a.org www.b-c.org", "a.org", "www.b-c.org", None),
            ("a.org b.org 4", "a.org", "b.org", Some("4")),
            ("alice\tbob", "alice", "bob", None),
            ("http://a.org/,http://b.org/x", a, b, None),
            ("http://a.org/, http://b.org/x", a, b, None),
            ("http://a.org/ ; http://b.org/x 3", a, b, Some("3")),
            ("http://a.org/|http://b.org/x|3", a, b, Some("3")),
            ("http://a.org/?x=1,2,http://b.org/x", "http://a.org/?x=1,2", b, None),
            ("http://a.org/ -> http://b.org/x,3", a, "http://b.org/x,3", None),
            ("\"http://a.org/\",\"http://b.org/x\"", a, b, None),
            ("\"http://a.org/\"\t\"http://b.org/x\"\t2", a, b, Some("2")),
            ("\"New York\"; \"Athens, Georgia\"; \"0.5\"", "New York", "Athens, Georgia", Some("0.5")),
            ("a.org,b.org,4", "a.org", "b.org", Some("4")),
            ("\"Paris\",\"a -> b\"", "Paris", "a -> b", None),
            ("\"a \"\"x\"\"\",\"b\",2", "a \"x\"", "b", Some("2")),
            ("\"a\" -> \"b\"", "\"a\"", "\"b\"", None),
        ] {
            match named(line) {
                Ok(Line::Arc(arc)) => {
                    assert_eq!(
                        (&*arc.source, &*arc.target, arc.weight),
                        (source, target, weight),
                        "{line:?}"
                    );
                }
                other => panic!("{line:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn names_alone_and_lines_that_are_neither() {
        for name in [
            "http://a.org/",
            "apple",
            "alice bob",
            "New York 2",
            "http://a.org/ and more",
            "a.org 3.5",
            "http://a.org/?x=1,2",
            "http://a.org/x,http://b.org/,http://c.org/",
            "\"alice\"",
            "\"a\"\"b\",c",
        ] {
            assert_eq!(named(name), Ok(Line::Node(name)));
        }
        for (line, says) in [
            ("a ->", "lacks an end"),
            ("-> b", "lacks an end"),
            ("http://a http://b http://c", "3 URLs"),
            ("http://a http://b hello", "--columns"),
            ("http://a http://b hello 3", "--columns"),
            ("\"a\",\"\"", "column 2 is empty"),
            ("http://a\t5", "one URL and a number"),
            ("a\tb\t1\tx", "4 fields"),
            ("\tb\t3", "column 1 is empty"),
            ("a\t\tc", "column 2 is empty"),
            ("a\tb\t", "column 3 is empty"),
            ("\t\"a\",\"b\"", "column 1 is empty"),
        ] {
            let error = named(line).unwrap_err();
            assert!(error.contains(says), "{line:?}: {error}");
        }
        for (name, doubtful) in [
            ("alice bob", true),
            ("alice,bob", true),
            ("http://a,http://b", true),
            ("http://a/b", false),
            ("http://a/?x=1,2;s", false),
            ("http://a/http://b/", false),
        ] {
            assert_eq!(suspect(name), doubtful, "{name}");
        }
        for line in
            ["source\ttarget\tweight", "FromNodeId,ToNodeId", "Source URL\tTarget URL", "\"from\",\"to\""]
        {
            assert!(is_header(line), "{line}");
        }
        for line in ["source", "source -> target", "page1\tpage2", "from a", "1 2"] {
            assert!(!is_header(line), "{line}");
        }
    }
}
