//! Cells: what a text is as a number, a day or an address.

use webmill_capture::cut::Cut;
use webmill_html::{WrittenDate, read_date};

use crate::file::Kind;
use crate::habits::Habits;
use crate::rule::Column;

/// A cell of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing was found, or nothing that is of the column's kind.
    Null,
    /// Of columns of strings, days (ISO 8601) and addresses.
    Text(String),
    /// Of columns of numbers.
    Number(f64),
}

/// What became of a text on its way into a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is there.
    Kept,
    /// It is there, cut at the column's longest length.
    Shortened,
    /// It is nothing of the column's kind.
    Rejected,
}

impl Column {
    /// The cell of a text of a page that writes days and numbers so.
    pub fn cell(&self, text: &str, habits: Habits) -> (Cell, Fate) {
        let some = |cell: Option<Cell>| cell.map_or((Cell::Null, Fate::Rejected), |cell| (cell, Fate::Kept));
        match self.kind {
            Kind::String => {
                match self.max_length.and_then(|longest| text.char_indices().nth(longest as usize)) {
                    Some((end, _)) => (Cell::Text(text.cut(..end).to_owned()), Fate::Shortened),
                    None => (Cell::Text(text.to_owned()), Fate::Kept),
                }
            }
            Kind::Number => some(number(text, habits).map(Cell::Number)),
            Kind::Date => some(day(text, habits).map(Cell::Text)),
            Kind::Image | Kind::Url => some(address(text).map(Cell::Text)),
        }
    }
}

/// The number that a text states, as `1,299.00`, `1.299,00 €`, `US$ 5`, `12 345` or `1,23,456`: the only one in it, whatever words and
/// signs stand beside it. A letter of the Latin alphabet before its first digit makes it a name (`A4`), unless the letters are those
/// of a currency. A point or comma before three digits may be either mark (`3.350`): then `habits` decide, else it parts groups, as
/// in most prices.
///
/// # Examples
/// ```
/// use webmill_rules::{Habits, cells::number};
/// let read = |text| number(text, Habits::default());
/// assert_eq!(read(" 1,234.50 "), Some(1234.5));
/// assert_eq!(read("1.299,00 €"), Some(1299.0));
/// assert_eq!(read("3.350"), Some(3350.0));
/// assert_eq!(number("3.350", Habits { decimal_comma: Some(false), ..Habits::default() }), Some(3.35));
/// assert_eq!(read("2 for 5 €"), None);
/// ```
pub fn number(text: &str, habits: Habits) -> Option<f64> {
    let (negative, written) = written_number(text)?;
    let (groups, whole, part) = match marks(&written)? {
        Marks::Known { group, decimal } => {
            let (whole, part) = decimal.and_then(|mark| written.rsplit_once(mark)).unwrap_or((&written, ""));
            (group, whole, part)
        }
        Marks::Either(mark) if habits.decimal_comma.is_some_and(|comma| comma == (mark == ',')) => {
            let (whole, part) = written.split_once(mark)?;
            (None, whole, part)
        }
        Marks::Either(mark) => (Some(mark), written.as_str(), ""),
    };
    let whole: String = whole.chars().filter(|c| Some(*c) != groups).collect();
    let value: f64 = format!("{whole}.{part}").parse().ok()?;
    value.is_finite().then_some(if negative { -value } else { value })
}

/// The decimal mark of a number, where it can be no mark between groups.
pub(crate) fn decimal_mark_shown(text: &str) -> Option<char> {
    match marks(&written_number(text)?.1)? {
        Marks::Known { decimal: Some(mark), .. } => Some(mark),
        Marks::Known { group: Some(','), .. } => Some('.'),
        Marks::Known { group: Some('.'), .. } => Some(','),
        _ => None,
    }
}

/// Marks in the digits of a number.
enum Marks {
    Known {
        group: Option<char>,
        decimal: Option<char>,
    },
    /// A point or comma before three digits: it may part groups or be the decimal mark.
    Either(char),
}

/// Bytes of a text in which a number is looked for.
const MAX_NUMBER_TEXT: usize = 1000;
/// Abbreviations that stand close before a price; three capital letters (ISO 4217) do as well.
const CURRENCIES: [&str; 8] = ["rs", "kr", "rm", "rp", "fr", "tk", "lei", "nis"];

/// The only number in a text: whether it is negative, and its digits, as ASCII, with a mark of groups (a blank of any kind is `' '`, an
/// apostrophe `'\''`) or a decimal mark between any two of them.
fn written_number(text: &str) -> Option<(bool, String)> {
    let text = text.trim();
    if text.len() > MAX_NUMBER_TEXT {
        return None;
    }
    let mut chars: Vec<char> = text.chars().map(plain).collect();
    chars.push('\n');
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let first = (0..chars.len()).find(|at| is_digit(*at))?;
    let is_short = first > 0
        && matches!(chars[first - 1], '.' | ',')
        && (first < 2 || !chars[first - 2].is_alphanumeric());
    let mut written = String::from(if is_short { "0" } else { "" });
    let mut end = first - usize::from(is_short);
    let start = end;
    while is_digit(end) || is_digit(end + 1) && matches!(chars[end], '.' | ',' | ' ' | '\'' | '_') {
        written.push(chars[end]);
        end += 1;
    }
    if (end..chars.len()).any(is_digit) {
        return None;
    }
    let before = &chars[..start];
    let letters = before.iter().rev().take_while(|c| c.is_ascii_alphabetic()).count();
    let word: String = before[start - letters..].iter().collect();
    let is_iso = letters == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    if letters > 0 && !is_iso && !CURRENCIES.contains(&word.to_ascii_lowercase().as_str()) {
        return None;
    }
    let minus = before.iter().rposition(|c| *c == '-');
    let is_sign = |at: usize| {
        let stands_alone = at == 0 || !before[at - 1].is_alphanumeric();
        stands_alone && !before[at + 1..].iter().any(|c| c.is_whitespace())
    };
    if minus.is_some_and(|at| !is_sign(at)) && minus == start.checked_sub(1) {
        return None;
    }
    Some((minus.is_some_and(is_sign), written))
}

/// A digit of any script as ASCII, marks of numbers by one sign each.
fn plain(c: char) -> char {
    match c {
        '\u{a0}' | '\u{2009}' | '\u{202f}' | '\u{2007}' | '\u{3000}' => ' ',
        '’' | '‘' | '＇' => '\'',
        '．' | '٫' => '.',
        '，' => ',',
        '٬' => '\'',
        '\u{2212}' | '－' => '-',
        _ => digit(c).map_or(c, |digit| char::from(b'0' + digit)),
    }
}

/// The value of a decimal digit of a script that prices are written in.
fn digit(c: char) -> Option<u8> {
    let zeros = ['０', '٠', '۰', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '໐', '၀', '០'];
    let value = |zero: &char| (c as u32).checked_sub(*zero as u32).filter(|value| *value < 10);
    zeros.iter().find_map(value).map(|value| value as u8)
}

/// What the marks between digits are; `None`: the digits are no number.
fn marks(written: &str) -> Option<Marks> {
    let mut marks: Vec<char> = written.chars().filter(|c| !c.is_ascii_digit()).collect();
    let last = marks.last().copied();
    let tail = written.len() - last.and_then(|mark| written.rfind(mark)).map_or(written.len(), |at| at + 1);
    let count = marks.len();
    marks.dedup();
    let (group, decimal) = match (marks.as_slice(), last) {
        ([], _) | (_, None) => (None, None),
        (&[mark @ ('.' | ',')], _) if count == 1 => {
            let whole = written.split(mark).next().unwrap_or_default();
            if tail == 3 && whole.len() <= 3 && !whole.starts_with('0') {
                return Some(Marks::Either(mark));
            }
            (None, Some(mark))
        }
        (&[mark], _) => (Some(mark), None),
        (&[group, mark @ ('.' | ',')], _) if written.matches(mark).count() == 1 => (Some(group), Some(mark)),
        _ => return None,
    };
    let whole = decimal.and_then(|mark| written.rsplit_once(mark)).map_or(written, |(whole, _)| whole);
    let Some(mark) = group else { return Some(Marks::Known { group, decimal }) };
    // Groups of three; in India the last alone has three digits, and the others two.
    let sizes: Vec<usize> = whole.split(mark).map(str::len).collect();
    let (&first, rest) = sizes.split_first()?;
    let (&end, middle) = rest.split_last()?;
    let of = |size: usize| (1..=size).contains(&first) && middle.iter().all(|group| *group == size);
    (end == 3 && (of(3) || of(2) && mark == ',')).then_some(Marks::Known { group, decimal })
}

/// The day that a text states, ISO 8601; `None` where the order of day and month is not known either.
fn day(text: &str, habits: Habits) -> Option<String> {
    let date = read_date(text, habits.order())?;
    match date {
        WrittenDate::Certain(date) => date.get(..10).map(str::to_owned),
        WrittenDate::Ambiguous { .. } => None,
    }
}

fn address(text: &str) -> Option<String> {
    let url = webmill_capture::CanonicalUrl::parse(text.trim())?;
    url.is_web().then(|| url.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: Kind, max_length: Option<u32>) -> Column {
        Column { name: "c".into(), tag: 0, kind, max_length }
    }

    #[test]
    fn numbers_are_read_in_every_notation() {
        // More than a double can hold.
        let digits = "9".repeat(400);
        for (text, value) in [
            ("12", Some(12.0)),
            (" 12.50\n", Some(12.5)),
            ("1,234,567.8", Some(1234567.8)),
            ("1 234", Some(1234.0)),
            ("1'234.50", Some(1234.5)),
            ("CHF 1’234.–", Some(1234.0)),
            ("-1,000", Some(-1000.0)),
            ("\u{2212}2", Some(-2.0)),
            ("-£5", Some(-5.0)),
            ("+2", Some(2.0)),
            ("1.299,00 €", Some(1299.0)),
            ("£5", Some(5.0)),
            ("US$ 1,234.50", Some(1234.5)),
            ("12,5", Some(12.5)),
            ("¥1,980（税込）", Some(1980.0)),
            ("１２３", Some(123.0)),
            ("１，２３４．５", Some(1234.5)),
            ("1 234,56 zł", Some(1234.56)),
            ("3.350", Some(3350.0)),
            ("0.350", Some(0.35)),
            (",89", Some(0.89)),
            (".5", Some(0.5)),
            ("12\u{a0}345", Some(12345.0)),
            ("1,23,456", Some(123456.0)),
            ("₹1,23,45,678.90", Some(12345678.9)),
            ("5.-", Some(5.0)),
            ("5,- Kč", Some(5.0)),
            ("5.", Some(5.0)),
            ("12 EUR", Some(12.0)),
            ("Rs.450", Some(450.0)),
            ("kr50", Some(50.0)),
            ("USD12", Some(12.0)),
            ("1.234.567", Some(1234567.0)),
            ("۱٬۲۳۴٫۵ تومان", Some(1234.5)),
            ("12.345678", Some(12.345678)),
            ("价格12元", Some(12.0)),
            ("Free", None),
            ("", None),
            ("-", None),
            (".", None),
            ("1e5", None),
            ("A4", None),
            ("F-16", None),
            ("1-2", None),
            ("2 for 5 €", None),
            ("12:30", None),
            ("14.03.2022", None),
            ("1,234 567", None),
            ("1.2.3", None),
            ("12,3456,789", None),
            (digits.as_str(), None),
        ] {
            assert_eq!(number(text, Habits::default()), value, "{text:?}");
        }
        let comma = |comma| Habits { decimal_comma: Some(comma), ..Habits::default() };
        assert_eq!(number("3.350", comma(false)), Some(3.35));
        assert_eq!(number("3,350", comma(false)), Some(3350.0));
        assert_eq!(number("3,350", comma(true)), Some(3.35));
        assert_eq!(number("1.299,00", comma(false)), Some(1299.0));
    }

    #[test]
    fn cells_tell_what_became_of_their_text() {
        let cut = column(Kind::String, Some(2)).cell("价格表", Habits::default());
        assert_eq!(cut, (Cell::Text("价格".into()), Fate::Shortened));
        assert_eq!(column(Kind::String, Some(3)).cell("价格表", Habits::default()).1, Fate::Kept);
        assert_eq!(column(Kind::Number, None).cell("a", Habits::default()), (Cell::Null, Fate::Rejected));
        assert_eq!(
            column(Kind::Date, None).cell("2024-03-05", Habits::default()).0,
            Cell::Text("2024-03-05".into())
        );
        let day_first = Habits { day_first: Some(true), ..Habits::default() };
        assert_eq!(column(Kind::Date, None).cell("04/03/2022", Habits::default()).1, Fate::Rejected);
        let day = column(Kind::Date, None).cell("04/03/2022", day_first).0;
        assert_eq!(day, Cell::Text("2022-03-04".into()));
        assert_eq!(column(Kind::Date, None).cell("soon", Habits::default()), (Cell::Null, Fate::Rejected));
        assert_eq!(column(Kind::Url, None).cell("/a", Habits::default()), (Cell::Null, Fate::Rejected));
        assert_eq!(
            column(Kind::Image, None).cell("http://A.example/b", Habits::default()).0,
            Cell::Text("http://a.example/b".into())
        );
    }
}
