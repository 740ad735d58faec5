//! The section about the crawls that the corpus is of.

use webmill_capture::date::format_rfc3339;
use webmill_report::{Bars, Section, Share, Top, TopRow, thousands};

use super::crawls::{CrawlNumbers, Lives};
use super::draw::bars;
use crate::crawl::rows::CrawlRoundRow;

/// Top-level domains in the table of lives.
const DOMAINS: usize = 12;

/// Lives of pages: their name and the rate, changes a day, from which on a page has it; shortest first.
const LIVES: [(&str, f64); 6] = [
    ("up to 2.4 hours", 10.0),
    ("up to a day", 1.0),
    ("1 to 10 days", 0.1),
    ("10 to 100 days", 0.01),
    ("100 to 1,000 days", 0.001),
    ("longer", 0.0),
];

/// The section.
pub fn section(crawl: &CrawlNumbers) -> Section {
    let [_, asked, troubled] = crawl.hosts;
    let sum = |name: &str| thousands(crawl.sums.get(name).copied().unwrap_or(0));
    let missing: u64 = crawl.missing.values().sum();
    let mut cards = vec![
        ("pages stored".to_owned(), sum("pages-stored")),
        ("requests".to_owned(), sum("requests")),
        ("hosts asked".to_owned(), thousands(asked)),
        ("hosts in trouble".to_owned(), thousands(troubled)),
        ("URLs missing".to_owned(), thousands(missing)),
        ("URLs not reached yet".to_owned(), thousands(crawl.queued)),
    ];
    cards.extend(crawl.freshness().map(|share| ("expected to be fresh".to_owned(), percent(share))));
    cards.extend(crawl.age_days().map(|age| ("mean age of copies".to_owned(), format!("{age:.1} days"))));
    cards.extend(crawl.unchanged().map(|share| ("visits without change".to_owned(), percent(share))));
    let charts = [
        bars("Missing, and why", "URLs that may be had", &crawl.missing),
        bars("Left out by rules, limits and answers", "URLs", &crawl.left_out),
        bars("Left out by media type", "URLs", &crawl.types),
        bars("Left out as copies", "URLs by host and pattern", &crawl.patterns),
        bars("Links not followed", "links", &crawl.refused),
        bars("What visits found", "visits of pages", &crawl.visits),
        lives(crawl),
    ];
    Section {
        title: "The crawl".into(),
        note: "What the crawl asked for, what it did not bring home, and how fresh its copies were when its last run ended. \
               Tables crawl_hosts, missing, crawl_counts, crawl_rounds, freshness and change_rates in its folder say more."
            .into(),
        cards,
        bars: charts.into_iter().filter(|chart| !chart.bars.is_empty()).collect(),
        tops: vec![troubled_hosts(crawl), given_up(crawl), rounds(crawl), lives_by_domain(crawl)],
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn row(name: &str, cells: Vec<String>) -> TopRow {
    TopRow { name: name.to_owned(), title: None, cells }
}

fn troubled_hosts(crawl: &CrawlNumbers) -> Top {
    let cells = |host: &super::crawls::Troubled| {
        vec![
            host.reason.clone(),
            host.standing.to_string(),
            thousands(host.failures.into()),
            thousands(host.queued),
        ]
    };
    Top {
        title: "Hosts in trouble".into(),
        note: "Those with most URLs waiting. The next run of the crawl asks them again.".into(),
        columns: columns(&["last failure", "standing", "failures in a row", "URLs waiting"]),
        rows: crawl.troubled.iter().map(|host| row(&host.host, cells(host))).collect(),
    }
}

fn given_up(crawl: &CrawlNumbers) -> Top {
    let rows = crawl.given_up.iter();
    Top {
        title: "Given up".into(),
        note: "Hosts with most URLs whose every attempt failed; --retry asks for them again.".into(),
        columns: columns(&["outcome", "URLs"]),
        rows: rows.map(|(urls, host, why)| row(host, vec![why.clone(), thousands(*urls)])).collect(),
    }
}

fn rounds(crawl: &CrawlNumbers) -> Top {
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
    Top {
        title: "Rounds".into(),
        note: "Runs of the crawl and what their visits of pages found; freshness as expected at the end of each.".into(),
        columns: columns(&[
            "began", "requests", "new", "changed", "near", "unchanged", "gone", "error", "fresh", "ended by",
        ]),
        rows: crawl.rounds.iter().map(|(name, round)| row(name, cells(round))).collect(),
    }
}

/// Pages of each of [`LIVES`].
fn by_life(rates: &Lives) -> [u64; LIVES.len()] {
    let mut pages = [0; LIVES.len()];
    for (rate, count) in rates {
        // The decades are powers of ten: halves of a step are far from any of them.
        let at = LIVES.iter().position(|(_, from)| *rate >= from * 0.5);
        pages[at.unwrap_or(LIVES.len() - 1)] += count;
    }
    pages
}

fn lives(crawl: &CrawlNumbers) -> Bars {
    let pages = crawl.lives.get(&None).map(by_life).unwrap_or_default();
    let shares = LIVES.iter().zip(pages).map(|((name, _), count)| Share { name: (*name).to_owned(), count });
    Bars {
        title: "Mean life of pages".into(),
        unit: "pages, by the estimated time between two changes".into(),
        of: None,
        bars: shares.filter(|share| share.count > 0).collect(),
    }
}

fn lives_by_domain(crawl: &CrawlNumbers) -> Top {
    let mut domains: Vec<(&str, [u64; LIVES.len()])> =
        crawl.lives.iter().filter_map(|(name, rates)| Some((name.as_deref()?, by_life(rates)))).collect();
    domains.sort_by_key(|(_, pages)| std::cmp::Reverse(pages.iter().sum::<u64>()));
    let cells = |pages: &[u64; LIVES.len()]| {
        let total: u64 = pages.iter().sum();
        let share = |n: &u64| percent(*n as f64 / total.max(1) as f64);
        std::iter::once(thousands(total)).chain(pages.iter().map(share)).collect()
    };
    let all = crawl.lives.get(&None).map(by_life).filter(|pages| pages.iter().sum::<u64>() > 0);
    let rows = all.iter().map(|pages| row("all", cells(pages)));
    let named = domains.iter().filter(|(_, pages)| pages.iter().sum::<u64>() > 0);
    let named = named.take(DOMAINS).map(|(name, pages)| row(&format!(".{name}"), cells(pages)));
    let mut names = vec!["pages"];
    names.extend(LIVES.map(|(name, _)| name));
    Top {
        title: "Mean life of pages by top-level domain".into(),
        note: "Share of the pages of each domain by the estimated time between two changes.".into(),
        columns: columns(&names),
        rows: rows.chain(named).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decade_of_rates_has_a_life() {
        let rates: Lives = (0..11).map(|n| (if n == 0 { 0.0 } else { 10f64.powi(n - 6) }, 1)).collect();
        assert_eq!(by_life(&rates), [4, 1, 1, 1, 1, 3]);
    }

    #[test]
    fn an_empty_crawl_has_cards_and_nothing_else() {
        let drawn = section(&CrawlNumbers::default());
        assert!(drawn.bars.is_empty() && drawn.tops.iter().all(|top| top.rows.is_empty()));
        assert_eq!(drawn.cards.len(), 6);
    }
}
