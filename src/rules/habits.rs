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
    /// Whether the comma is the decimal mark.
    pub decimal_comma: Option<bool>,
}

impl Habits {
    /// Those of a page, by its address and its language.
    pub fn of_page(dom: &Dom<'_>, url: &CanonicalUrl) -> Habits {
        let language = dom.html().and_then(|html| dom.attr(html, "lang")).unwrap_or_default();
        let language = language.trim().to_ascii_lowercase().replace('_', "-");
        let day_first = match DateOrder::of_page(Some(&language), Some(url)) {
            DateOrder::DayFirst => Some(true),
            DateOrder::MonthFirst => Some(false),
            DateOrder::Undecided => None,
        };
        let mut subtags = language.split('-');
        let primary = subtags.next().unwrap_or_default();
        let is_point = subtags.any(|subtag| POINT_REGIONS.contains(&subtag));
        let decimal_comma = (!primary.is_empty()).then(|| COMMA.contains(&primary) && !is_point);
        Habits { day_first, decimal_comma }
    }

    /// Those of a column of the page, by its texts.
    pub fn of_column<'t>(self, kind: Kind, texts: impl Iterator<Item = &'t str>) -> Habits {
        match kind {
            Kind::Date => {
                let shown = texts.filter_map(order_shown);
                // A year of two digits may stand first where months do.
                let shown = shown.filter(|(_, long)| *long || self.day_first != Some(false));
                Habits { day_first: agreed(shown.map(|(first, _)| first)).or(self.day_first), ..self }
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

/// Whether the day comes first in a date of three numbers of which one can be no month, and whether its year has four digits.
fn order_shown(text: &str) -> Option<(bool, bool)> {
    let mut parts = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let mut number = || parts.next().filter(|part| part.len() <= 2)?.parse::<u8>().ok();
    let (first, second) = (number()?, number()?);
    let year = parts.next()?.len();
    match (first, second) {
        _ if !matches!(year, 2 | 4) || text.contains(|c: char| c.is_alphabetic() || c == ':') => None,
        (13..=31, 1..=12) => Some((true, year == 4)),
        (1..=12, 13..=31) => Some((false, year == 4)),
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
