//! Names in a byline: what stands in an element, a label's value or a declaration that says who wrote.
//!
//! Markup and what a template left unfilled are taken off; what stands behind a label (作者：, Автор:, بقلم:) is read as far as the next
//! label, of pictures or editors, and parted at commas, semicolons and the words for "and". Every part then loses what
//! [`clean_author`] takes off. The lists are in `person_name.txt`.
//!
//! Cost: linear in at most [`MAX_BYTES`] bytes.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::chinese_byline::{chinese_names, in_text};
use crate::person_name::{LISTS, clean_author, is_agency, is_house};
use crate::word_list::entries;
use webmill_capture::cut::Cut;
use webmill_html::is_wide;

/// Bytes of a byline that are read.
const MAX_BYTES: usize = 600;
/// Names of one byline.
const MAX_NAMES: usize = 20;
/// Words of a name.
const MAX_WORDS: usize = 6;

/// Labels of authors.
static LABELS: LazyLock<AhoCorasick> = LazyLock::new(|| automaton("labels"));
/// What bylines begin with that name others: editors, sources, photographers.
static OTHERS: LazyLock<Vec<&str>> = LazyLock::new(|| entries(LISTS, "others"));
/// What ends the names of authors.
static BEHIND: LazyLock<AhoCorasick> = LazyLock::new(|| automaton("behind_bylines"));

fn automaton(list: &str) -> AhoCorasick {
    AhoCorasick::new(entries(LISTS, list)).expect("the labels are few and short")
}

/// Words for "and" between names.
const AND: [&str; 22] = [
    " and ", " und ", " et ", " y ", " e ", " og ", " och ", " en ", " i ", " и ", " и ", " та ", " ve ",
    " və ", " và ", " & ", " dan ", " ja ", " és ", " και ", " și ", " u. ",
];

/// The names in a byline, in order.
pub(crate) fn authors_in(text: &str) -> Vec<String> {
    let text = text.cut(..text.floor_char_boundary(MAX_BYTES));
    let Some(text) = unfilled(text) else { return Vec::new() };
    let text = text.trim();
    let labelled = behind_label(text);
    let lower = text.to_lowercase();
    if labelled.is_none() && OTHERS.iter().any(|other| lower.starts_with(other)) {
        return Vec::new();
    }
    let names = before_others(labelled.unwrap_or(text));
    let mut found: Vec<String> = Vec::new();
    let wide = if labelled.is_some() { Some(chinese_names(names)) } else { in_text(names) };
    let wide = wide.filter(|_| names.contains(is_wide)).filter(|names| !names.is_empty());
    let parts: Vec<Cow<'_, str>> = match &wide {
        Some(names) => names.iter().map(|name| Cow::Borrowed(name.as_str())).collect(),
        None => vec![Cow::Borrowed(names)],
    };
    for part in parts {
        for name in parted(without_office(&part)) {
            if found.len() < MAX_NAMES && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// A text without markup; `None` where it is what a template should have filled.
fn unfilled(text: &str) -> Option<Cow<'_, str>> {
    let holds = |marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
    if text.contains(['{', '}', '$', '<', '%', '['])
        && holds(&["{{", "}}", "{%", "${", "<?", "<%", "%%", "[[", "[%"])
    {
        return None;
    }
    if !text.contains(['<', '>']) {
        return Some(Cow::Borrowed(text));
    }
    // Of a tag whose first bracket is gone its attributes are left.
    let mut rest = text;
    if let Some(end) =
        rest.find('>').filter(|&end| end < rest.find('<').unwrap_or(rest.len()) && rest.contains('='))
    {
        rest = rest.cut(end + 1..);
    }
    let mut out = String::new();
    while let Some((before, tag)) = rest.split_once('<') {
        out.push_str(before);
        out.push(' ');
        rest = tag.split_once('>').map_or("", |(_, behind)| behind);
    }
    out.push_str(rest);
    Some(Cow::Owned(out))
}

/// Where the labels of a list stand first in a text in lower case, each that does not go on a word.
fn places(labels: &AhoCorasick, text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut seen = Vec::new();
    let found = labels.find_overlapping_iter(text).filter(move |it| {
        let is_first = !seen.contains(&it.pattern());
        seen.extend(is_first.then_some(it.pattern()));
        is_first
    });
    let places = found.map(|it| (it.start(), it.end()));
    places.filter(|&(at, _)| {
        text.cut(at..).starts_with(is_wide) || !text.cut(..at).ends_with(char::is_alphabetic)
    })
}

/// What follows the first label of an author in a text.
pub(crate) fn behind_label(text: &str) -> Option<&str> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let (_, behind) = places(&LABELS, &lower).min_by_key(|&(at, end)| (at, std::cmp::Reverse(end)))?;
    Some(text.cut(behind..).trim_start_matches([' ', ':', '：', '\u{a0}', '　']))
}

/// What stands before the label of somebody else.
fn before_others(text: &str) -> &str {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return text;
    }
    let ends = places(&BEHIND, &lower).map(|(at, _)| at).filter(|&at| at > 0);
    text.cut(..ends.min().unwrap_or(text.len())).trim_end_matches([' ', ',', '，', '|', '·', '/', '　', '('])
}

/// A Korean name without the place before and the office behind it: `[서울=뉴스] 김철수 기자 =`.
fn without_office(text: &str) -> &str {
    let mut name = text.trim();
    if let Some((place, rest)) = name.split_once(']')
        && (name.starts_with('[') || place.contains('='))
    {
        name = rest.trim_start();
    }
    for office in [" 기자", " 특파원", " 선임기자", " 논설위원", " 記者", " 记者"] {
        if let Some((before, _)) = name.split_once(office) {
            name = before;
        }
    }
    name
}

/// The names of a text that may be a list of names; one where a part is none.
fn parted(text: &str) -> Vec<String> {
    let Some(mut whole) = clean_author(text) else { return Vec::new() };
    if let Some((before, agency)) = whole.rsplit_once(" / ")
        && is_agency(agency)
    {
        whole = before.to_owned();
    }
    let mut marked = whole.clone();
    for and in AND {
        marked = marked.replace(and, ";");
    }
    marked = marked.replace(" / ", ";");
    let list: Vec<&str> = marked
        .split([';', ',', '，', '、', '；', '|'])
        .map(|part| part.trim_start_matches(" and ").trim())
        .collect();
    let list = list.iter().map(|part| part.strip_prefix("and ").unwrap_or(part));
    let list: Vec<&str> = list.filter(|part| !part.is_empty()).collect();
    let wide = whole.chars().all(|c| is_wide(c) || c.is_whitespace() || "，、；;,".contains(c));
    // A family name before a comma, a degree behind one and a firm with "and" in it are no names of their own.
    let is_name = |part: &&str| {
        let words = part.split_whitespace().count();
        let capital =
            part.split_whitespace().next().is_some_and(|word| !word.starts_with(char::is_lowercase));
        is_agency(part) || (2..=MAX_WORDS).contains(&words) && capital && !is_house(part)
    };
    if list.len() > 1 && (wide || list.iter().all(is_name)) {
        return list.into_iter().filter_map(clean_author).collect();
    }
    vec![whole]
}

/// A name in capitals with small letters: `INGRID SOLBERG`.
pub(crate) fn recased(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let capitals = !name.chars().any(char::is_lowercase) && name.is_ascii();
    if !capitals || letters < 8 || name.split(' ').count() < 2 || name.contains(['.', '&']) {
        return name.to_owned();
    }
    let word = |word: &str| {
        let mut out = String::new();
        for c in word.chars() {
            let begins = out.chars().next_back().is_none_or(|before| !before.is_alphabetic());
            out.push(if begins { c } else { c.to_ascii_lowercase() });
        }
        out
    };
    name.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bylines_of_many_languages() {
        for (text, want) in [
            (
                "Von Jürgen Müller-Lüdenscheidt und Anna van der Berg",
                "Jürgen Müller-Lüdenscheidt; Anna van der Berg",
            ),
            ("Text: Ann Lee, Foto: Bo Li", "Ann Lee"),
            ("By Ann Lee, Bo Li, and Cy Poe", "Ann Lee; Bo Li; Cy Poe"),
            ("By ANN LINDQVIST, Staff Writer", "ANN LINDQVIST"),
            ("Ann Lee and Bo Li / AP", "Ann Lee; Bo Li"),
            ("Ann Lee and AFP", "Ann Lee; AFP"),
            ("Discuz! Team and Comsenz UI Team", ""),
            ("記者：佐藤花子", "佐藤花子"),
            ("文・佐藤花子　写真・鈴木一郎", "佐藤花子"),
            ("記者王小明／台北報導", "王小明"),
            ("文／王小明　圖／李大江", "王小明"),
            ("本报记者 王小明 通讯员 李大江", "王小明; 李大江"),
            ("来源：湖滨报 作者：王小明 李大江", "王小明; 李大江"),
            ("王小明、李大江", "王小明; 李大江"),
            ("责任编辑：孙八", ""),
            ("김철수 기자", "김철수"),
            ("[서울=호수뉴스] 김철수 기자 = ", "김철수"),
            ("بقلم: ليلى حداد", "ليلى حداد"),
            ("نویسنده: مریم احمدی", "مریم احمدی"),
            ("מאת: דנה לוי", "דנה לוי"),
            ("Yazan: Ayşe Yılmaz", "Ayşe Yılmaz"),
            ("Tác giả: Nguyễn Văn An", "Nguyễn Văn An"),
            ("di Giulia Bianchi", "Giulia Bianchi"),
            ("Av Astrid Lindqvist", "Astrid Lindqvist"),
            ("Автор: Ирина Соловьёва", "Ирина Соловьёва"),
            ("Lee, Ann", "Lee, Ann"),
            ("Ann Lee, MD", "Ann Lee, MD"),
            ("Di Stefano", "Di Stefano"),
            ("{{ author.name }}", ""),
            ("a href=\"/en/ann\" hreflang=\"en\">Ann Berg</a>", "Ann Berg"),
            ("<b>Ann</b> <i>Berg</i>", "Ann Berg"),
            ("WordPress", ""),
        ] {
            assert_eq!(authors_in(text).join("; "), want, "{text}");
        }
        assert_eq!(
            [recased("ANN LINDQVIST"), recased("BBC News"), recased("ANN LEE")],
            ["Ann Lindqvist", "BBC News", "ANN LEE"]
        );
    }
}
