//! The table of ranks.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};
use webmill_serve::surface::thousands;

use super::page::ReportParts;
use super::tops::{Lists, Scored, listed};
use crate::rank::places::Place;
use crate::rank::settings::DanglingRank;

/// Rows that the measures beside PageRank bring in, and that are marked as best.
const BEST: usize = 10;

/// A page, host or domain with its numbers.
#[derive(Debug, Default, Serialize)]
struct RankedNode {
    /// URL or name.
    name: String,
    title: String,
    /// A number for each column, as written; empty where there is none.
    cells: Vec<String>,
    /// Columns of which it is among the best.
    best: Vec<usize>,
}

/// Pages, hosts or domains.
#[derive(Debug, Serialize)]
struct Scope {
    /// Name of the word for them.
    name: &'static str,
    /// Columns that have something.
    columns: BTreeSet<usize>,
    /// In the order of PageRank.
    rows: Vec<RankedNode>,
}

impl Scope {
    fn new(name: &'static str, rows: Vec<RankedNode>) -> Self {
        let filled =
            |row: &RankedNode| (0..row.cells.len()).filter(|i| !row.cells[*i].is_empty()).collect::<Vec<_>>();
        Scope { name, columns: rows.iter().flat_map(filled).collect(), rows }
    }
}

/// What template `ranking.html` reads.
pub fn data(found: &ReportParts<'_>, most: usize) -> Value {
    let (tops, hosts, rank) = (found.tops, found.hosts, &found.numbers.rank);
    let nothing = |_: &Scored| [String::new(), String::new()];
    let untitled = |_: &Scored| String::new();
    let title = |row: &Scored| tops.titles.get(&row.url).cloned().unwrap_or_default();
    let of_host = |row: &Scored| match hosts.asked.get(&row.url) {
        Some(host) => [thousands(host.html_pages + host.documents), thousands(host.duplicates)],
        None => [String::new(), String::new()],
    };
    let mut scopes = vec![Scope::new("pages", rows(&tops.pages, most, title, nothing))];
    // A single host or domain is first of itself.
    if hosts.count > 1 {
        scopes.push(Scope::new("hosts", rows(&tops.hosts, most, untitled, of_host)));
        let names = |lists: &Lists| lists[0].iter().map(|row| row.url.clone()).collect::<BTreeSet<_>>();
        if tops.domains[0].len() > 1 && names(&tops.domains) != names(&tops.hosts) {
            scopes.push(Scope::new("domains", rows(&tops.domains, most, untitled, nothing)));
        }
    }
    let mut wanted: Lists = vec![Vec::new(); tops.pages.len()];
    wanted[0] = tops.wanted[..tops.wanted.len().min(most)].to_vec();
    scopes.push(Scope::new("wanted", rows(&wanted, most, untitled, nothing)));
    scopes.retain(|scope| !scope.rows.is_empty());
    let dangling = match (rank.dangling, &rank.teleport) {
        (DanglingRank::Lost, _) => "lost",
        (DanglingRank::Teleport, Some(_)) => "teleport",
        _ => "uniform",
    };
    json!({
        "columns": scopes.iter().flat_map(|scope| &scope.columns).collect::<BTreeSet<_>>(),
        "scopes": scopes,
        "scores": listed().map(|score| json!([score.column(), score.label, score.about])).collect::<Vec<_>>(),
        "rank": {
            "damping": rank.damping.to_string(),
            "dangling": dangling,
            "teleport": rank.teleport.is_some(),
            "hits_variant": rank.hits_variant.as_str(),
        },
    })
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
    title: impl Fn(&Scored) -> String,
    more: impl Fn(&Scored) -> [String; 2],
) -> Vec<RankedNode> {
    let mut named = BTreeSet::new();
    let shown = |(i, list): (usize, &'_ Vec<Scored>)| {
        list.iter().take(if i == 0 { most } else { most.min(BEST) }).cloned().collect::<Vec<_>>()
    };
    let mut all: Vec<Scored> =
        lists.iter().enumerate().flat_map(shown).filter(|row| named.insert(row.url.clone())).collect();
    all.sort_by(|a, b| b.pagerank.total_cmp(&a.pagerank).then_with(|| a.url.cmp(&b.url)));
    let best = |measure: usize, url: &str| lists[measure].iter().take(BEST).any(|row| row.url == url);
    let ranked = |row: Scored| {
        let mut cells: Vec<String> = row.scores.iter().map(|score| number(*score)).collect();
        cells.extend([thousands(row.indegree.into()), thousands(row.outdegree.into())]);
        cells.extend(more(&row));
        let place = |Place { position, of, percentile }: Place| {
            format!("{} / {} ({percentile:.2}\u{a0}%)", thousands(position), thousands(of))
        };
        cells.extend(row.places.map_or_else(Default::default, |places| places.map(place)));
        RankedNode {
            title: title(&row),
            best: (0..lists.len()).filter(|measure| best(*measure, &row.url)).collect(),
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
        let row = |url: &str, pagerank| Scored {
            url: url.into(),
            pagerank,
            scores: vec![pagerank, 0.0, 0.0],
            ..Scored::default()
        };
        let mut lists: Lists = vec![Vec::new(); 3];
        lists[0] = vec![row("a", 0.5), row("b", 0.3)];
        lists[2] = vec![row("c", 0.4), row("a", 0.5)];
        let rows = rows(&lists, 10, |_| String::new(), |_| [String::new(), String::new()]);
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["a", "c", "b"]);
        assert_eq!(rows[0].best, [0, 2]);
        assert_eq!(rows[1].cells[0], "0.4000");
    }

    #[test]
    fn scores_are_short() {
        for (x, want) in [(0.0, "0"), (123.456, "123.5"), (0.0123, "0.0123"), (0.000_012, "1.2e-5")] {
            assert_eq!(number(x), want);
        }
    }
}
