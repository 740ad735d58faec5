//! What of a page's text only repeats its URL: no page of a trap is new for naming itself.
//!
//! **Definition.** A word of the text is an *echo* of the URL where it
//!
//! - has digits and stands in the URL (numbers by value: `/2027/05` is echoed by 5), or is one more or one less than a
//!   number there: the links to the next and the one before;
//! - stands in a value of the query: "no results for …";
//! - is a number that follows from a *position*, a parameter or path segment called `page`, `offset`, `start` or the
//!   like: within [`NEAR_POSITION`] of it, a divisor of it, or one more than a divisor ("page 21, 401 to 420");
//! - where the URL is one of a date: a year, the name of a month or a weekday, a number up to 31 beside another echo;
//! - where the URL is one of a date or a position: a number that follows its predecessor (`1 2 3`, a month's days, a
//!   pager).
//!
//! All other numbers are words like others: a table of measurements is content.

use std::sync::LazyLock;

use super::tokens::{Token, hash_of, tokens};
use crate::traps;
use webmill_capture::CanonicalUrl;

/// How far numbers of a list may be from the position that the URL names.
const NEAR_POSITION: u64 = 200;

/// Words of a URL that are kept.
const MOST_WORDS: usize = 64;

/// Names of parameters that say where in a list a page is.
const POSITIONS: &str = "page p pg paged pagenum pageno pageindex offset start startat from skip first begin limitstart startindex \
    seite pagina cursor position";

/// Months and weekdays of the languages in which most calendars are, with their common short forms.
const DATE_WORDS: &str = "january february march april may june july august september october november december \
    jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday \
    mon tue tues wed thu thur thurs fri sat sun januar jänner februar märz mai juni juli oktober dezember mär okt dez \
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag janvier février mars avril juin juillet août \
    septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche enero febrero marzo abril \
    mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo \
    gennaio febbraio aprile maggio giugno luglio settembre ottobre novembre dicembre lunedì martedì mercoledì giovedì \
    venerdì sabato domenica janeiro fevereiro março maio junho julho setembro outubro novembro dezembro segunda terça \
    quarta quinta sexta januari februari maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag";

static DATES: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut hashes: Vec<u64> = DATE_WORDS.split_whitespace().map(hash_of).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
});

/// Whether a parameter of this name says where in a list a page is.
pub(super) fn is_position(name: &str) -> bool {
    POSITIONS.split_whitespace().any(|position| position.eq_ignore_ascii_case(name))
}

/// Whether a path segment says so of the next one; short ones say many things.
pub(super) fn is_position_segment(name: &str) -> bool {
    name.len() > 2 && is_position(name)
}

/// The words of a URL that its page may echo.
#[derive(Debug, Default)]
pub(super) struct UrlWords {
    words: Vec<u64>,
    numbers: Vec<u64>,
    positions: Vec<u64>,
    dated: bool,
}

impl UrlWords {
    pub fn new(url: &CanonicalUrl) -> UrlWords {
        let mut known = UrlWords { dated: traps::is_of_a_date(url), ..UrlWords::default() };
        let mut before = "";
        for segment in url.path().split('/') {
            known.add(segment, is_position_segment(before), false);
            before = segment;
        }
        for (name, value) in url::form_urlencoded::parse(url.query().unwrap_or_default().as_bytes()) {
            known.add(&name, false, false);
            known.add(&value, is_position(&name), true);
        }
        known
    }

    fn add(&mut self, text: &str, position: bool, all: bool) {
        tokens(text, &mut |token| {
            if self.words.len() >= MOST_WORDS || !(token.digits || all) {
                return;
            }
            self.words.push(token.hash);
            self.numbers.extend(token.number);
            if position {
                self.positions.extend(token.number);
            }
        });
    }

    /// Whether the pages of such URLs go on without an end: dates and positions.
    pub fn counts_on(&self) -> bool {
        self.dated || !self.positions.is_empty()
    }

    /// Marks in `echo` which of the words repeat the URL; both are as long.
    pub fn mark(&self, words: &[Token], echo: &mut [bool]) {
        for (word, echo) in words.iter().zip(echo.iter_mut()) {
            *echo = self.echoes(word);
        }
        if self.counts_on() {
            let follows = |a: &Token, b: &Token| a.number.zip(b.number).is_some_and(|(a, b)| a + 1 == b);
            for at in 1..words.len() {
                if follows(&words[at - 1], &words[at]) {
                    (echo[at - 1], echo[at]) = (true, true);
                }
            }
        }
        if self.dated {
            let small = |word: &Token| word.number.is_some_and(|n| n <= 31);
            for at in 1..words.len() {
                echo[at] |= echo[at - 1] && small(&words[at]);
            }
            for at in (1..words.len()).rev() {
                echo[at - 1] |= echo[at] && small(&words[at - 1]);
            }
        }
    }

    fn echoes(&self, word: &Token) -> bool {
        if let Some(n) = word.number {
            let near = |&of: &u64| n.abs_diff(of) <= 1;
            let year = self.dated && (1900..2200).contains(&n);
            return year
                || self.numbers.iter().any(near)
                || self.positions.iter().any(|&of| follows_from(n, of));
        }
        self.words.contains(&word.hash) || (self.dated && DATES.binary_search(&word.hash).is_ok())
    }
}

/// Whether a page at a position would name this number.
fn follows_from(n: u64, position: u64) -> bool {
    n.abs_diff(position) <= NEAR_POSITION
        || (n > 0 && position.is_multiple_of(n))
        || (n > 1 && position.is_multiple_of(n - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a text that do not repeat the URL.
    fn left(url: &str, text: &str) -> usize {
        let url = CanonicalUrl::parse(&format!("http://a.example{url}")).expect("a URL");
        let mut words = Vec::new();
        tokens(text, &mut |token| words.push(token));
        let mut echo = vec![false; words.len()];
        UrlWords::new(&url).mark(&words, &mut echo);
        echo.iter().filter(|echo| !**echo).count()
    }

    #[test]
    fn echoes() {
        for (url, text, want) in [
            ("/item/7919.html", "Item 7919 of the list", 4),
            ("/item/7919.html", "« 7918 | 7920 »", 0),
            ("/item/7919.html", "4711 hits", 2),
            ("/item/f1a9/", "Order F1A9", 1),
            ("/search?q=green+tea", "No results for Green Tea", 3),
            ("/calendar/2027/5.html", "May 2027 Mon Tue Wed 1 2 3 4 5 6 7", 0),
            ("/calendar/2027/5.html", "Tuesday, 12 May 2027", 0),
            ("/calendar/2027/5.html", "12 monkeys", 2),
            ("/weather/?date=2019-03-07", "Temperature 12.5, humidity 80", 5),
            ("/list?offset=400", "401 to 420 of 1234, page 21", 4),
            ("/list/page/21/", "Page 21, 18 19 20 21 22 23", 1),
            ("/station/17", "20 21 22", 3),
        ] {
            assert_eq!(left(url, text), want, "{url} {text}");
        }
    }
}
