//! The table of ranks.

use std::collections::BTreeSet;

use webmill_report::{Html, Lang, Panel, Part, Ranked, Ranking, Scope, Word, thousands};

use super::draw::Found;
use super::tops::{Lists, MEASURES, Scored};
use crate::rank::Rank;
use crate::rank::settings::DanglingRank;

/// Rows that the measures beside PageRank bring in, and that are marked as best.
const BEST: usize = 10;

/// The part; empty without ranks.
pub fn part(found: &Found<'_>, lang: Lang, most: usize) -> Part {
    let word = |word| lang.word(word).to_owned();
    let rank = &found.numbers.rank;
    let (tops, hosts) = (found.tops, found.hosts);
    let nothing = |_: &Scored| [String::new(), String::new()];
    let title = |r: &Scored| tops.titles.get(&r.url).filter(|title| !title.is_empty()).cloned();
    let of_host = |r: &Scored| match hosts.asked.get(&r.url) {
        Some(host) => [thousands(host.html_pages + host.documents), thousands(host.duplicates)],
        None => [String::new(), String::new()],
    };
    let weighted = if rank.weighted_hosts { lang.word(Word::Weighted) } else { "" };
    let plain = |template, with: &str| lang.word(template).replace("{0}", with);
    let mut scopes = vec![Scope {
        name: word(Word::Pages),
        note: format!("{} {}", word(Word::RankingNote), rank_note(rank, lang)),
        rows: rows(&tops.pages, most, title, nothing),
    }];
    // A single host or domain is first of itself.
    if hosts.count > 1 {
        scopes.push(Scope {
            name: word(Word::Hosts),
            note: plain(Word::HostsNote, weighted),
            rows: rows(&tops.hosts, most, |_| None, of_host),
        });
        let names = |lists: &Lists| lists[0].iter().map(|r| r.url.clone()).collect::<BTreeSet<_>>();
        if tops.domains[0].len() > 1 && names(&tops.domains) != names(&tops.hosts) {
            scopes.push(Scope {
                name: word(Word::Domains),
                note: word(Word::DomainsNote),
                rows: rows(&tops.domains, most, |_| None, nothing),
            });
        }
    }
    let mut wanted = Lists::default();
    wanted[0] = tops.wanted[..tops.wanted.len().min(most)].to_vec();
    scopes.push(Scope {
        name: word(Word::Wanted),
        note: word(Word::WantedNote),
        rows: rows(&wanted, most, |_| None, nothing),
    });
    let columns = [
        (Html::text("PageRank"), Word::PageRankMeaning),
        (word(Word::Authority).into(), Word::AuthorityMeaning),
        (word(Word::Hub).into(), Word::HubMeaning),
        ("SALSA".into(), Word::SalsaMeaning),
        (word(Word::Harmonic).into(), Word::HarmonicMeaning),
        (word(Word::LinksIn).into(), Word::LinksInMeaning),
        (word(Word::LinksOut).into(), Word::LinksOutMeaning),
        (word(Word::Pages).into(), Word::PagesMeaning),
        (word(Word::Duplicates).into(), Word::DuplicatesMeaning),
    ];
    let columns =
        columns.into_iter().map(|(name, meaning)| (name.as_str().to_owned(), word(meaning))).collect();
    Part {
        id: "ranking".into(),
        title: word(Word::Ranking),
        note: String::new(),
        cards: Vec::new(),
        panels: vec![Panel::Ranking(Ranking { columns, scopes })],
    }
}

/// What PageRank and HITS were computed with, in words.
fn rank_note(rank: &Rank, lang: Lang) -> String {
    let word = |word| lang.word(word);
    let dangling = word(match (rank.dangling, &rank.teleport) {
        (DanglingRank::Lost, _) => Word::DampingLost,
        (DanglingRank::Teleport, Some(_)) => Word::DampingTeleport,
        _ => Word::DampingUniform,
    });
    let teleport =
        rank.teleport.as_ref().map_or_else(String::new, |_| format!(", {}", word(Word::GivenTeleport)));
    let weights = if rank.weighted_pages { word(Word::Weighted) } else { "" };
    let sum = word(match rank.dangling {
        DanglingRank::Lost => Word::SumBelow,
        _ => Word::SumOne,
    });
    let hits = match rank.hits_variant.as_str() {
        "hits" => format!("HITS {}", word(Word::HitsFact)),
        variant => format!("HITS ({variant}) {}", word(Word::HitsFact)),
    };
    let noindex = word(Word::NoindexLeftOut);
    format!("PageRank: d = {}, {dangling}{teleport}{weights}; {sum}. {hits}. {noindex}", rank.damping)
}

/// A score as it is written.
fn number(x: f64) -> String {
    if x == 0.0 {
        "0".into()
    } else if x >= 10.0 {
        format!("{x:.1}")
    } else if x >= 0.001 {
        format!("{x:.4}")
    } else {
        format!("{x:.1e}")
    }
}

/// Everything that is among the best by one of the measures, in the order of PageRank.
fn rows(
    lists: &Lists,
    most: usize,
    title: impl Fn(&Scored) -> Option<String>,
    more: impl Fn(&Scored) -> [String; 2],
) -> Vec<Ranked> {
    let mut named = BTreeSet::new();
    let shown = |(i, list): (usize, &'_ Vec<Scored>)| {
        list.iter().take(if i == 0 { most } else { most.min(BEST) }).cloned().collect::<Vec<_>>()
    };
    let mut all: Vec<Scored> =
        lists.iter().enumerate().flat_map(shown).filter(|row| named.insert(row.url.clone())).collect();
    all.sort_by(|a, b| b.pagerank.total_cmp(&a.pagerank).then_with(|| a.url.cmp(&b.url)));
    let best = |measure: usize, url: &str| lists[measure].iter().take(BEST).any(|row| row.url == url);
    let ranked = |row: Scored| {
        let mut cells: Vec<String> = MEASURES.iter().map(|(_, measure)| number(measure(&row))).collect();
        cells.extend([thousands(row.indegree.into()), thousands(row.outdegree.into())]);
        cells.extend(more(&row));
        Ranked {
            title: title(&row),
            best: (0..MEASURES.len()).map(|measure| best(measure, &row.url)).collect(),
            name: row.url,
            cells,
        }
    };
    all.into_iter().map(ranked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stands_once_however_many_lists_it_is_in() {
        let row = |url: &str, pagerank| Scored { url: url.into(), pagerank, ..Scored::default() };
        let mut lists = Lists::default();
        lists[0] = vec![row("a", 0.5), row("b", 0.3)];
        lists[2] = vec![row("c", 0.4), row("a", 0.5)];
        let rows = rows(&lists, 10, |_| None, |_| [String::new(), String::new()]);
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["a", "c", "b"]);
        assert_eq!(rows[0].best, [true, false, true, false, false]);
        assert_eq!(rows[1].cells[0], "0.4000");
    }

    #[test]
    fn scores_are_short() {
        for (x, want) in [(0.0, "0"), (123.456, "123.5"), (0.0123, "0.0123"), (0.000_012, "1.2e-5")] {
            assert_eq!(number(x), want);
        }
    }
}
