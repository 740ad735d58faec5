//! Cells: what a text is as a number, a day or an address.

use webmill_capture::cut::Cut;
use webmill_html::{DateOrder, WrittenDate, read_date};

use crate::file::Kind;
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
    /// The cell of a text.
    pub fn cell(&self, text: &str) -> (Cell, Fate) {
        let some = |cell: Option<Cell>| cell.map_or((Cell::Null, Fate::Rejected), |cell| (cell, Fate::Kept));
        match self.kind {
            Kind::String => {
                match self.max_length.and_then(|longest| text.char_indices().nth(longest as usize)) {
                    Some((end, _)) => (Cell::Text(text.cut(..end).to_owned()), Fate::Shortened),
                    None => (Cell::Text(text.to_owned()), Fate::Kept),
                }
            }
            Kind::Number => some(number(text).map(Cell::Number)),
            Kind::Date => some(day(text).map(Cell::Text)),
            Kind::Image | Kind::Url => some(address(text).map(Cell::Text)),
        }
    }
}

/// A decimal number: digits with at most one point; groups of three may be parted by commas, blanks, `'` or `_`, all alike; a sign
/// may stand before. White space around it is passed over.
///
/// # Examples
/// ```
/// use webmill_rules::cells::number;
/// assert_eq!(number(" 1,234.50 "), Some(1234.5));
/// assert_eq!(number("-3"), Some(-3.0));
/// assert_eq!(number("12,5"), None);
/// assert_eq!(number("£5"), None);
/// ```
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').map_or((digits, None), |(whole, part)| (whole, Some(part)));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if part.is_some_and(|part| part.is_empty() || !all_digits(part)) {
        return None;
    }
    let mark = whole.chars().find(|c| !c.is_ascii_digit());
    let plain = match mark {
        None => whole.to_owned(),
        Some(mark @ (',' | ' ' | '\'' | '_' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '’')) => {
            let groups: Vec<&str> = whole.split(mark).collect();
            let rest = groups[1..].iter().all(|group| group.len() == 3 && all_digits(group));
            if !rest || !(1..=3).contains(&groups[0].len()) || !all_digits(groups[0]) {
                return None;
            }
            groups.concat()
        }
        Some(_) => return None,
    };
    if plain.is_empty() && part.is_none() {
        return None;
    }
    let value: f64 = format!("{plain}.{}", part.unwrap_or("0")).parse().ok()?;
    value.is_finite().then_some(if negative { -value } else { value })
}

/// The day that a text states, ISO 8601; `None` where the order of day and month is not known either.
fn day(text: &str) -> Option<String> {
    let date = read_date(text, DateOrder::Undecided)?;
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
    fn numbers_are_read_without_a_country() {
        // More than a double can hold.
        let digits = "9".repeat(400);
        for (text, value) in [
            ("12", Some(12.0)),
            (" 12.50\n", Some(12.5)),
            ("1,234,567.8", Some(1234567.8)),
            ("1 234", Some(1234.0)),
            ("1'234", Some(1234.0)),
            (".5", Some(0.5)),
            ("-1,000", Some(-1000.0)),
            ("\u{2212}2", Some(-2.0)),
            ("+2", Some(2.0)),
            ("12,34", None),
            ("1,23,456", None),
            ("1.234,5", None),
            ("", None),
            ("-", None),
            ("5.", None),
            ("1e5", None),
            ("12 EUR", None),
            ("1,234 567", None),
            ("１２", None),
            (".", None),
            ("1.2.3", None),
            (",123", None),
            (digits.as_str(), None),
        ] {
            assert_eq!(number(text), value, "{text:?}");
        }
    }

    #[test]
    fn cells_tell_what_became_of_their_text() {
        let cut = column(Kind::String, Some(2)).cell("价格表");
        assert_eq!(cut, (Cell::Text("价格".into()), Fate::Shortened));
        assert_eq!(column(Kind::String, Some(3)).cell("价格表").1, Fate::Kept);
        assert_eq!(column(Kind::Number, None).cell("a"), (Cell::Null, Fate::Rejected));
        assert_eq!(column(Kind::Date, None).cell("2024-03-05").0, Cell::Text("2024-03-05".into()));
        assert_eq!(column(Kind::Date, None).cell("soon"), (Cell::Null, Fate::Rejected));
        assert_eq!(column(Kind::Url, None).cell("/a"), (Cell::Null, Fate::Rejected));
        assert_eq!(
            column(Kind::Image, None).cell("http://A.example/b").0,
            Cell::Text("http://a.example/b".into())
        );
    }
}
