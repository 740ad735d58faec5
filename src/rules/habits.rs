//! How a page writes days and numbers: what `04/03/2022` and `3.350` are there.
//!
//! [`groups::rows`](crate::groups::rows) asks for it where the text of a cell alone does not tell.
//!
//! **Definition.** The values of the column on the page count first: `14/03/2022` among them shows that days stand before months,
//! `1.299,00` that the comma is the decimal mark. Where none shows it, or some show the one and some the other, the order of
//! days is that of the site ([`DateOrder::of_page`]), and the decimal mark is that of the language of `<html>`.
//!
//! **Cost.** Linear in the texts of the column.
//!
//! **Reference.** Unicode CLDR, *Numbers*, symbols `decimal` and `group`.

use serde::{Deserialize, Serialize};
use webmill_capture::CanonicalUrl;
use webmill_html::{DateOrder, Dom};

use crate::cells::decimal_mark_shown;
use crate::file::Kind;

/// Languages whose decimal mark is the comma.
const COMMA: [&str; 44] = [
    "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fo", "fr", "gl",
    "hr", "hu", "hy", "id", "is", "it", "ka", "kk", "ky", "lb", "lt", "lv", "mk", "nb", "nl", "nn", "no",
    "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "tr", "uk",
];
/// Regions where the decimal mark is the point in languages that have the comma elsewhere.
const POINT_REGIONS: [&str; 12] = ["ch", "li", "mx", "us", "gt", "hn", "ni", "pa", "pe", "pr", "sv", "do"];

/// How a page, or a column of it, writes days and numbers; `None`: not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Habits {
    /// Whether the first number of `04/03/2022` is the day.
    pub day_first: Option<bool>,
    /// Whether dates begin with the year as a rule.
    pub year_first: bool,
    /// Whether the comma is the decimal mark.
    pub decimal_comma: Option<bool>,
}

impl Habits {
    /// Those of a page, by its address and its language.
    pub fn of_page(dom: &Dom<'_>, url: &CanonicalUrl) -> Habits {
        let language = dom.html().and_then(|html| dom.attr(html, "lang")).unwrap_or_default();
        let language = language.trim().to_ascii_lowercase().replace('_', "-");
        let order = DateOrder::of_page(Some(&language), Some(url));
        let day_first = match order {
            DateOrder::DayFirst => Some(true),
            DateOrder::MonthFirst | DateOrder::YearFirst => Some(false),
            DateOrder::Undecided => None,
        };
        let year_first = order == DateOrder::YearFirst;
        let mut subtags = language.split('-');
        let primary = subtags.next().unwrap_or_default();
        let is_point = subtags.any(|subtag| POINT_REGIONS.contains(&subtag));
        let decimal_comma = (!primary.is_empty()).then(|| COMMA.contains(&primary) && !is_point);
        Habits { day_first, year_first, decimal_comma }
    }

    /// Those of a column of the page, by its texts.
    pub fn of_column<'t>(self, kind: Kind, texts: impl Iterator<Item = &'t str>) -> Habits {
        match kind {
            Kind::Date => {
                let texts: Vec<&str> = texts.collect();
                let year_last =
                    texts.iter().any(|text| order_of(text).is_some_and(|(_, year)| year.len() == 4));
                let shown = texts.iter().filter_map(|text| order_shown(text, year_last));
                let day_first = agreed(shown).or(self.day_first);
                Habits { day_first, ..self }
            }
            Kind::Number => {
                let shown = agreed(texts.filter_map(decimal_mark_shown));
                Habits { decimal_comma: shown.map(|mark| mark == ',').or(self.decimal_comma), ..self }
            }
            _ => self,
        }
    }

    pub(crate) fn order(self) -> DateOrder {
        match self.day_first {
            Some(true) => DateOrder::DayFirst,
            Some(false) if self.year_first => DateOrder::YearFirst,
            Some(false) => DateOrder::MonthFirst,
            None => DateOrder::Undecided,
        }
    }
}

/// The one value that all are.
fn agreed<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// The numbers of a date of three whose last one is the year, or may be.
fn order_of(text: &str) -> Option<((u8, u8), &str)> {
    let mut parts = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let mut number = || parts.next().filter(|part| part.len() <= 2)?.parse::<u8>().ok();
    let numbers = (number()?, number()?);
    let year = parts.next().filter(|year| matches!(year.len(), 2 | 4))?;
    (!text.contains(|c: char| c.is_alphabetic() || c == ':')).then_some((numbers, year))
}

/// Whether the day comes first in a date of three numbers of which one can be no month. Where the first of them may be a year as well,
/// and no other text of the column has its year last, nothing is shown.
fn order_shown(text: &str, year_last: bool) -> Option<bool> {
    let ((first, second), year) = order_of(text)?;
    let is_year = year_last || year.len() == 4 || second > 12 || year > "31";
    match (first, second) {
        _ if !is_year => None,
        (13..=31, 1..=12) => Some(true),
        (1..=12, 13..=31) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_columns_tell_how_they_write() {
        let page = |lang: &str, url: &str| {
            let html = format!("<html lang='{lang}'>");
            let dom = webmill_html::parse(&html, &Default::default());
            let habits = Habits::of_page(&dom, &CanonicalUrl::parse(url).unwrap());
            (habits.day_first, habits.decimal_comma)
        };
        assert_eq!(page("de-AT", "http://a.example/"), (Some(true), Some(true)));
        assert_eq!(page("de-CH", "http://a.example/"), (Some(true), Some(false)));
        assert_eq!(page("en_US", "http://a.co.uk/"), (Some(true), Some(false)));
        assert_eq!(page("", "http://a.example/"), (None, None));
        let column = |kind, texts: &[&str]| Habits::default().of_column(kind, texts.iter().copied());
        assert_eq!(column(Kind::Date, &["04/03/2022", "14/03/22"]).day_first, Some(true));
        assert_eq!(column(Kind::Date, &["04/03/2022", "03-14-2022"]).day_first, Some(false));
        assert_eq!(column(Kind::Date, &["13/03/2022", "03/14/2022"]).day_first, None);
        assert_eq!(column(Kind::Date, &["2022-03-14", "14. March 22 2022", "12:30:22"]).day_first, None);
        assert_eq!(column(Kind::Number, &["3.350", "1.299,00 €"]).decimal_comma, Some(true));
        assert_eq!(column(Kind::Number, &["3.350", "0.5"]).decimal_comma, Some(false));
        assert_eq!(column(Kind::Number, &["0,5", "0.5"]).decimal_comma, None);
        assert_eq!(column(Kind::Number, &["3.350"]).decimal_comma, None);
    }
}
