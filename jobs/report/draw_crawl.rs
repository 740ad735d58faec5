//! The section about the crawls that the corpus is of.

use webmill_capture::date::format_rfc3339;
use webmill_report::{Bar, Bars, Html, Lang, Panel, Part, Top, TopRow, Word, thousands};

use super::corpus::Counts;
use super::crawls::{CrawlNumbers, Troubled};
use super::draw::bars;
use crate::crawl::rows::CrawlRoundRow;

/// Top-level domains in the table of lives.
const DOMAINS: usize = 12;

/// Lives of pages: their name and the rate, changes a day, from which on a page has it; shortest first.
const LIVES: [(Word, f64); 6] = [
    (Word::Life0, 10.0),
    (Word::Life1, 1.0),
    (Word::Life2, 0.1),
    (Word::Life3, 0.01),
    (Word::Life4, 0.001),
    (Word::Life5, 0.0),
];

/// The part.
pub fn part(crawl: &CrawlNumbers, lang: Lang) -> Part {
    let word = |word| lang.word(word).to_owned();
    let [_, asked, troubled] = crawl.hosts;
    let sum = |name: &str| crawl.sums.get(name).copied().unwrap_or(0);
    let card = |label, n, of: &str| (word(label), Html::count(n, of));
    let mut cards = vec![
        card(Word::PagesStored, sum("pages-stored"), "crawl sums: pages stored"),
        card(Word::Requests, sum("requests"), "crawl sums: requests"),
        card(Word::HostsAsked, asked, "crawl hosts: hosts asked"),
        card(Word::HostsInTrouble, troubled, "crawl hosts: hosts in trouble"),
        card(Word::UrlsMissing, crawl.missing.values().sum(), "crawl sums: missing"),
        card(Word::UrlsNotReached, crawl.queued, "crawl sums: not reached"),
    ];
    let share = |label, name: &str, share: f64| (word(label), Html::number(share, &percent(share), name));
    cards.extend(crawl.freshness().map(|n| share(Word::ExpectedFresh, "freshness: expected freshness", n)));
    cards.extend(crawl.age_days().map(|age| {
        (word(Word::MeanAge), Html::number(age, &format!("{age:.1}"), "freshness: expected age"))
    }));
    cards.extend(
        crawl.unchanged().map(|n| share(Word::VisitsUnchanged, "freshness: visits that found no change", n)),
    );
    let chart = |title, unit, section: &str, counts: &Counts| {
        Panel::Bars(bars(word(title), word(unit), section, counts))
    };
    let panels = vec![
        chart(Word::MissingWhy, Word::UrlsToBeHad, "missing", &crawl.missing),
        chart(Word::LeftOutByRules, Word::Urls, "crawl left out", &crawl.left_out),
        chart(Word::LeftOutByType, Word::Urls, "crawl left out by type", &crawl.types),
        chart(Word::LeftOutAsCopies, Word::UrlsByPattern, "crawl left out as copies", &crawl.patterns),
        chart(Word::NotFollowed, Word::Links, "links not followed", &crawl.refused),
        chart(Word::WhatVisitsFound, Word::VisitsOfPages, "visits", &crawl.visits),
        Panel::Bars(lives(crawl, lang)),
        Panel::Top(troubled_hosts(crawl, lang)),
        Panel::Top(given_up(crawl, lang)),
        Panel::Top(rounds(crawl, lang)),
        Panel::Top(lives_by_domain(crawl, lang)),
    ];
    Part { id: "crawl".into(), title: word(Word::TheCrawl), note: word(Word::CrawlNote), cards, panels }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn columns(lang: Lang, names: &[Word]) -> Vec<String> {
    names.iter().map(|name| lang.word(*name).to_owned()).collect()
}

fn row(name: &str, cells: Vec<String>) -> TopRow {
    TopRow { name: name.to_owned(), title: None, cells: cells.into_iter().map(Html::from).collect() }
}

fn table(lang: Lang, [title, note, of]: [Word; 3], heads: &[Word], rows: Vec<TopRow>) -> Top {
    let word = |word| lang.word(word).to_owned();
    Top { title: word(title), note: word(note), of: word(of), columns: columns(lang, heads), rows }
}

fn troubled_hosts(crawl: &CrawlNumbers, lang: Lang) -> Top {
    let cells = |host: &Troubled| {
        vec![
            host.reason.clone(),
            host.standing.to_string(),
            thousands(host.failures.into()),
            thousands(host.queued),
        ]
    };
    let heads = [Word::LastFailure, Word::Standing, Word::FailuresInARow, Word::UrlsWaiting];
    let rows = crawl.troubled.iter().map(|host| row(&host.host, cells(host))).collect();
    table(lang, [Word::TroubledHosts, Word::TroubledNote, Word::Host], &heads, rows)
}

fn given_up(crawl: &CrawlNumbers, lang: Lang) -> Top {
    let rows = crawl.given_up.iter();
    let rows = rows.map(|(urls, host, why)| row(host, vec![why.clone(), thousands(*urls)])).collect();
    table(lang, [Word::GivenUp, Word::GivenUpNote, Word::Host], &[Word::Outcome, Word::Urls], rows)
}

fn rounds(crawl: &CrawlNumbers, lang: Lang) -> Top {
    // The date without the time.
    let day = |ms: Option<i64>| {
        ms.map_or_else(|| "–".to_owned(), |ms| format_rfc3339(ms).chars().take(10).collect())
    };
    let cells = |round: &CrawlRoundRow| {
        let counts = [
            round.requests,
            round.visits_new,
            round.visits_changed,
            round.visits_near,
            round.visits_unchanged,
            round.visits_gone,
            round.visits_error,
        ];
        let fresh = round.expected_freshness.map_or_else(|| "–".to_owned(), percent);
        let mut cells = vec![day(round.began.0)];
        cells.extend(counts.map(thousands));
        cells.extend([fresh, round.ended_by.clone()]);
        cells
    };
    let heads = [
        Word::Began,
        Word::Requests,
        Word::New,
        Word::Changed,
        Word::Near,
        Word::Unchanged,
        Word::Gone,
        Word::Error,
        Word::Fresh,
        Word::EndedBy,
    ];
    let name = |of: &Option<usize>, round: u64| {
        let name = lang.word(Word::Round).replace("{0}", &round.to_string());
        of.map_or_else(|| name.clone(), |of| format!("{name} ({of})"))
    };
    let rows =
        crawl.rounds.iter().map(|(of, round)| row(&name(of, round.round.into()), cells(round))).collect();
    table(lang, [Word::Rounds, Word::RoundsNote, Word::Rounds], &heads, rows)
}

/// Pages of each of [`LIVES`].
pub fn by_life(rates: &[(f64, u64)]) -> [u64; LIVES.len()] {
    let mut pages = [0; LIVES.len()];
    for (rate, count) in rates {
        // The decades are powers of ten: halves of a step are far from any of them.
        let at = LIVES.iter().position(|(_, from)| *rate >= from * 0.5);
        pages[at.unwrap_or(LIVES.len() - 1)] += count;
    }
    pages
}

fn lives(crawl: &CrawlNumbers, lang: Lang) -> Bars {
    let pages = crawl.lives.get(&None).map(|rates| by_life(rates)).unwrap_or_default();
    let bar = |(i, (word, _)): (usize, &(Word, f64))| Bar {
        name: lang.word(*word).to_owned(),
        count: pages[i],
        of: format!("mean life: class {i}"),
    };
    Bars {
        title: lang.word(Word::MeanLife).to_owned(),
        unit: lang.word(Word::MeanLifeUnit).to_owned(),
        of: None,
        bars: LIVES.iter().enumerate().map(bar).filter(|bar| bar.count > 0).collect(),
    }
}

fn lives_by_domain(crawl: &CrawlNumbers, lang: Lang) -> Top {
    let mut domains: Vec<(&str, [u64; LIVES.len()])> =
        crawl.lives.iter().filter_map(|(name, rates)| Some((name.as_deref()?, by_life(rates)))).collect();
    domains.sort_by_key(|(_, pages)| std::cmp::Reverse(pages.iter().sum::<u64>()));
    let cells = |pages: &[u64; LIVES.len()]| {
        let total: u64 = pages.iter().sum();
        let share = |n: &u64| percent(*n as f64 / total.max(1) as f64);
        std::iter::once(thousands(total)).chain(pages.iter().map(share)).collect()
    };
    let all =
        crawl.lives.get(&None).map(|rates| by_life(rates)).filter(|pages| pages.iter().sum::<u64>() > 0);
    let rows = all.iter().map(|pages| row(lang.word(Word::All), cells(pages)));
    let named = domains.iter().filter(|(_, pages)| pages.iter().sum::<u64>() > 0);
    let named = named.take(DOMAINS).map(|(name, pages)| row(&format!(".{name}"), cells(pages)));
    let mut heads = vec![Word::Pages];
    heads.extend(LIVES.map(|(name, _)| name));
    let rows = rows.chain(named).collect();
    table(lang, [Word::LifeByDomain, Word::LifeByDomainNote, Word::TopLevelDomain], &heads, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decade_of_rates_has_a_life() {
        let rates: Vec<(f64, u64)> =
            (0..11).map(|n| (if n == 0 { 0.0 } else { 10f64.powi(n - 6) }, 1)).collect();
        assert_eq!(by_life(&rates), [4, 1, 1, 1, 1, 3]);
    }

    #[test]
    fn an_empty_crawl_has_cards_and_nothing_else() {
        let drawn = part(&CrawlNumbers::default(), Lang::En);
        let is_empty = |panel: &Panel| match panel {
            Panel::Bars(bars) => bars.bars.is_empty(),
            Panel::Top(top) => top.rows.is_empty(),
            _ => false,
        };
        assert!(drawn.panels.iter().all(is_empty));
        assert_eq!(drawn.cards.len(), 6);
    }
}
