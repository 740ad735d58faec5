//! Languages over time: years, months or days, whichever tell something.

use std::collections::BTreeMap;

use webmill_capture::calendar::civil_of_days;

use super::corpus::{Corpus, OTHERS};

/// Periods that are drawn at most.
const MOST: i64 = 60;
/// One page in this many must have a time, and there must be a page for each period.
const LEAST_SHARE: u64 = 10;
/// Languages that are drawn by themselves.
const LANGUAGES: usize = 5;

/// Pages by period and language.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Periods {
    /// Names of the periods, without gaps.
    pub names: Vec<String>,
    /// Languages, most used first, at most five, then [`OTHERS`] where there are more; a count a period.
    pub languages: Vec<(String, Vec<u64>)>,
    /// Name of the word for what the time is of.
    pub by: Option<&'static str>,
}

impl Periods {
    /// Those of a corpus, as far as they speak for a tenth of its pages, and are not more than these: by time of fetching, or where that is one day by year of publication; empty where neither tells anything.
    pub fn of(corpus: &Corpus) -> Self {
        let periods = Self::found(corpus);
        let pages: u64 = periods.languages.iter().flat_map(|(_, counts)| counts).sum();
        if pages * LEAST_SHARE < corpus.html || pages < periods.names.len() as u64 {
            Periods::default()
        } else {
            periods
        }
    }

    fn found(corpus: &Corpus) -> Self {
        let fetched = &corpus.fetch_days;
        let days = fetched.keys().next().zip(fetched.keys().next_back());
        let Some(((first, _), (last, _))) = days else { return Periods::default() };
        let (unit, by): (fn(i64) -> i64, _) = match (year(*last) - year(*first), month(*last) - month(*first))
        {
            (years, _) if years >= 2 => (year, "by_fetch"),
            (_, months) if months >= 2 => (month, "by_fetch"),
            _ if last > first => (|day| day, "by_fetch"),
            _ => {
                return Self::from_counts(
                    &corpus.published_years,
                    |year| year,
                    i64::to_string,
                    "by_publication",
                );
            }
        };
        let name: fn(&i64) -> String = match (year(*last) - year(*first), month(*last) - month(*first)) {
            (years, _) if years >= 2 => i64::to_string,
            (_, months) if months >= 2 => {
                |month| format!("{}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1)
            }
            _ => |day| {
                let (year, month, day) = civil_of_days(*day);
                format!("{year}-{month:02}-{day:02}")
            },
        };
        Self::from_counts(fetched, unit, name, by)
    }

    fn from_counts(
        counts: &BTreeMap<(i64, String), u64>,
        unit: fn(i64) -> i64,
        name: fn(&i64) -> String,
        by: &'static str,
    ) -> Self {
        let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
        let mut found: BTreeMap<(i64, &str), u64> = BTreeMap::new();
        for ((at, language), n) in counts {
            *totals.entry(language).or_default() += n;
            *found.entry((unit(*at), language)).or_default() += n;
        }
        let bounds = found.keys().next().zip(found.keys().next_back());
        let Some(((first, _), (last, _))) = bounds.filter(|((a, _), (b, _))| a < b) else {
            return Periods::default();
        };
        // Those before the last sixty are left out: stray dates would leave the picture empty.
        let periods: Vec<i64> = ((*first).max(last - MOST + 1)..=*last).collect();
        let mut order: Vec<(&str, u64)> =
            totals.into_iter().filter(|(language, _)| *language != OTHERS).collect();
        order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let of = |language: &str| {
            let count = |period: &i64| found.get(&(*period, language)).copied().unwrap_or(0);
            periods.iter().map(count).collect::<Vec<u64>>()
        };
        let mut languages: Vec<(String, Vec<u64>)> = order
            .iter()
            .take(LANGUAGES)
            .map(|(language, _)| ((*language).to_owned(), of(language)))
            .collect();
        let mut rest = of(OTHERS);
        for (language, _) in order.iter().skip(LANGUAGES) {
            rest.iter_mut().zip(of(language)).for_each(|(sum, n)| *sum += n);
        }
        if rest.iter().any(|n| *n > 0) {
            languages.push((OTHERS.to_owned(), rest));
        }
        Periods { names: periods.iter().map(name).collect(), languages, by: Some(by) }
    }
}

fn year(day: i64) -> i64 {
    civil_of_days(day).0
}

fn month(day: i64) -> i64 {
    let (year, month, _) = civil_of_days(day);
    12 * year + i64::from(month) - 1
}

#[cfg(test)]
mod tests {
    use webmill_capture::calendar::days_of_civil;

    use super::*;

    fn corpus(dates: &[(i64, u32, u32, &str)]) -> Corpus {
        let mut corpus = Corpus::default();
        for (year, month, day, language) in dates {
            let day = days_of_civil(*year, *month, *day).unwrap();
            // As many as the longest span has periods: fewer are not drawn.
            *corpus.fetch_days.entry((day, (*language).to_owned())).or_default() += 9;
        }
        corpus
    }

    #[test]
    fn the_unit_follows_from_the_span_and_gaps_are_filled() {
        let years = Periods::of(&corpus(&[(2001, 5, 1, "eng"), (2004, 1, 1, "zho"), (2004, 2, 1, "zho")]));
        assert_eq!(years.names, ["2001", "2002", "2003", "2004"]);
        assert_eq!(
            years.languages,
            [("zho".to_owned(), vec![0, 0, 0, 18]), ("eng".to_owned(), vec![9, 0, 0, 0])]
        );
        let months = Periods::of(&corpus(&[(2001, 11, 1, "eng"), (2002, 1, 1, "eng")]));
        assert_eq!(months.names, ["2001-11", "2001-12", "2002-01"]);
        let days = Periods::of(&corpus(&[(2001, 1, 31, "eng"), (2001, 2, 1, "eng")]));
        assert_eq!(days.names, ["2001-01-31", "2001-02-01"]);
        assert_eq!(Periods::of(&corpus(&[(2001, 1, 31, "eng")])), Periods::default());
    }

    #[test]
    fn years_of_a_few_pages_say_nothing_of_the_others() {
        let mut corpus = corpus(&[(2024, 1, 1, "eng")]);
        corpus.published_years = BTreeMap::from([((2001, "eng".into()), 4), ((2004, "eng".into()), 5)]);
        for (pages, shown) in [(90, 4), (91, 0)] {
            corpus.html = pages;
            assert_eq!(Periods::of(&corpus).names.len(), shown, "of {pages}");
        }
    }

    #[test]
    fn rarer_languages_are_others_and_none_is_lost() {
        let languages = ["a", "b", "c", "d", "e", "f", "g"];
        let dates: Vec<_> = languages.iter().flat_map(|l| [(2001, 1, 1, *l), (2009, 1, 1, *l)]).collect();
        let periods = Periods::of(&corpus(&dates));
        assert_eq!(periods.languages.len(), LANGUAGES + 1);
        assert_eq!(periods.languages.iter().flat_map(|(_, n)| n).sum::<u64>(), 126);
    }

    #[test]
    fn fewer_pages_than_periods_are_not_drawn() {
        let mut corpus = Corpus { html: 4, ..corpus(&[(2024, 1, 1, "eng")]) };
        for (last, drawn) in [(2004, 4), (2005, 0)] {
            let years = [2001, 2001, 2001, last];
            corpus.published_years.clear();
            years.iter().for_each(|y| *corpus.published_years.entry((*y, "eng".into())).or_default() += 1);
            assert_eq!(Periods::of(&corpus).names.len(), drawn, "to {last}");
        }
    }
}
