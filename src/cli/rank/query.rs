//! Hubs and authorities of a topic: the pages around the answers to a query.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::Serialize;
use webmill_capture::UrlKey;
use webmill_graph::{BaseSet, Compile, Focus};
use webmill_mill::{LinkRow, TextRow};
use webmill_run::Committed;
use webmill_table::{Reader, columns};
use webmill_text::{Query, Ranking};

use super::RankArgs;
use super::scores::{ChosenScore, MeasureInputs};
use crate::print::Rows;
use webmill_jobs::count::index::query::{TextIndex, parse};
use webmill_jobs::graph::open::OpenedGraph;
use webmill_jobs::graph::tables::NodeRow;
use webmill_jobs::job::{latest, mixed};
use webmill_jobs::levels::{Level, read_level};

columns! {
    struct Answer from TextRow { url_key, title, text, num_words }
}

columns! {
    struct NodeDomainColumns from NodeRow { url, domain }
}

columns! {
    struct NodeNameColumns from NodeRow { url }
}

columns! {
    struct LinkContextColumns from LinkRow { source_key, target_key, anchor, before, after }
}

#[derive(Serialize)]
struct AnswerRow<'a> {
    measure: &'a str,
    score: f64,
    node: &'a str,
}

/// A list of nodes with their scores, best first.
type List = Vec<(u32, f64)>;

/// Prints the lists that a query asks for.
pub fn print(
    path: &Path,
    source: &OpenedGraph,
    words: &str,
    how: &RankArgs,
    with: &MeasureInputs<'_>,
) -> Result<()> {
    let about =
        || format!("{}: --query wants the results of `webmill extract` and their pages", path.display());
    let (graph, Level::Page) = source.committed().with_context(about)? else { bail!(about()) };
    if with.rank.teleport.is_some() {
        bail!("--query ranks the pages around its answers: it goes without --teleport");
    }
    let Some(query) = Query::new(words) else { bail!("--query {words:?} holds no word") };
    let extract = latest(path, "extract").with_context(about)?;
    for warning in mixed(&[&extract, graph]) {
        webmill_jobs::say!("{warning}");
    }
    let set = if how.arc { BaseSet::two_steps() } else { BaseSet::default() };
    let answers = answering(path, &extract, words, &query, set.root.max(set.most))?;
    let (answers, domains) = nodes(graph, &answers)?;
    let whole = if with.weighted { source.graph.clone() } else { source.graph.without_weights() };
    let focus = set.run(&whole, &with.transpose(&whole)?, &answers, Some(&domains))?;
    drop(whole);
    webmill_jobs::say!(
        "{} pages answer, {} were roots; {} pages around them, {} links between domains{}",
        answers.len(),
        focus.roots.len(),
        focus.nodes.len(),
        focus.graph.targets().len(),
        if focus.full { "; the set is full, further pages were left out" } else { "" }
    );
    let most = how.top.top.unwrap_or(15);
    let lists: Vec<(String, List)> = if how.arc {
        let terms = terms(&extract, graph, &query, &focus)?;
        let found = Compile { best: most, ..Compile::default() }
            .run(&focus, |u, v| terms.get(&(u, v)).copied().unwrap_or(0))?;
        vec![("authority".into(), found.authorities), ("hub".into(), found.hubs)]
    } else {
        measured(&focus, how, with, most)?
    };
    let names = names(graph, &lists)?;
    let mut rows = Rows::new(how.format.form(), &["measure", "score", "node"]);
    for (measure, list) in &lists {
        for (node, score) in list {
            rows.put(&AnswerRow { measure, score: *score, node: &names[node] })?;
        }
    }
    rows.flush()
}

/// Keys of the pages that answer a query best, with their scores: by the index of texts where there is one.
fn answering(
    path: &Path,
    extract: &Committed,
    words: &str,
    query: &Query,
    most: usize,
) -> Result<HashMap<u128, f64>> {
    if let Some(index) = TextIndex::of(path, extract)? {
        webmill_jobs::say!("answers are those of the index: words as texts are cut, phrases in quotes");
        return indexed(&index, words, most);
    }
    webmill_jobs::say!("no index of these texts: all of them are read; webmill count index makes one");
    answers(extract, query, most)
}

/// The best pages around the answers by the measures that are asked for, hubs and authorities by default.
fn measured(
    focus: &Focus,
    how: &RankArgs,
    with: &MeasureInputs<'_>,
    most: usize,
) -> Result<Vec<(String, List)>> {
    let hubs_and_authorities = || ["authority", "hub"].into_iter().filter_map(ChosenScore::named).collect();
    let chosen = how.by.by.map_or_else(hubs_and_authorities, |by| vec![by]);
    let scores = with.scores(&chosen, &focus.graph, &focus.transpose)?;
    let list = |(chosen, scores): (&ChosenScore, Vec<f64>)| {
        let mut list = focus.best(&scores, most);
        list.retain(|(_, score)| *score > 0.0);
        (chosen.name().to_owned(), list)
    };
    Ok(chosen.iter().zip(scores).map(list).collect())
}

/// Keys of the best pages of the index, with their scores.
fn indexed(index: &TextIndex, words: &str, most: usize) -> Result<HashMap<u128, f64>> {
    let best = index.best(&parse(words), most)?;
    let numbers: Vec<u32> = best.iter().map(|text| text.0).collect();
    let rows = index.rows(&numbers)?;
    Ok(rows.iter().zip(&best).map(|(row, text)| (row.url_key.0, text.1)).collect())
}

/// Keys of the best pages of table `texts`, with their scores.
fn answers(extract: &Committed, query: &Query, most: usize) -> Result<HashMap<u128, f64>> {
    let mut reader = Reader::<Answer>::open(&extract.path("texts"))?;
    let (mut ranking, mut keys) = (Ranking::default(), Vec::new());
    while let Some(batch) = reader.next()? {
        let counts: Vec<Vec<u32>> = (0..batch.len())
            .into_par_iter()
            .map(|i| {
                let page = batch.get(i);
                // A title need not be in its text: it counts once more.
                let title = query.count(page.title.unwrap_or_default());
                let text = query.count(page.text);
                title.iter().zip(text).map(|(a, b)| a + b).collect()
            })
            .collect();
        for (page, counts) in batch.rows().zip(&counts) {
            let number = u32::try_from(keys.len()).context("more texts than can be ranked at once")?;
            if counts.iter().any(|count| *count > 0) {
                keys.push(page.url_key.0);
            }
            ranking.add(number, counts, page.num_words);
        }
    }
    let mut best = HashMap::new();
    for (number, score) in ranking.scores() {
        if best.len() == most {
            break;
        }
        best.entry(keys[number as usize]).or_insert(score);
    }
    Ok(best)
}

/// The answers that are nodes, and the domain of every node.
fn nodes(graph: &Committed, answers: &HashMap<u128, f64>) -> Result<(List, Vec<u32>)> {
    let (mut found, mut domains) = (Vec::new(), Vec::new());
    let mut reader = read_level::<NodeDomainColumns>(graph, Level::Page);
    while let Some(batch) = reader.next()? {
        for page in batch.rows() {
            if let Some(score) = answers.get(&UrlKey::of(page.url).0) {
                found.push((domains.len() as u32, *score));
            }
            domains.push(page.domain);
        }
    }
    Ok((found, domains))
}

/// How often terms of the query stand around the links of the base set, by source and target.
fn terms(
    extract: &Committed,
    graph: &Committed,
    query: &Query,
    focus: &Focus,
) -> Result<HashMap<(u32, u32), u32>> {
    let mut wanted = HashMap::new();
    each_of(graph, &focus.nodes, |node, url| {
        wanted.insert(UrlKey::of(url).0, node);
    })?;
    let mut found: HashMap<(u32, u32), u32> = HashMap::new();
    let mut reader = Reader::<LinkContextColumns>::open(&extract.path("links"))?;
    while let Some(batch) = reader.next()? {
        for link in batch.rows() {
            let node = |key: u128| wanted.get(&key).copied();
            let (Some(source), Some(target)) = (node(link.source_key.0), node(link.target_key.0)) else {
                continue;
            };
            let around = [link.before, link.anchor, link.after].join(" ");
            let count = found.entry((source, target)).or_default();
            *count = query.count(&around).into_iter().fold(*count, u32::saturating_add);
        }
    }
    Ok(found)
}

fn names(graph: &Committed, lists: &[(String, List)]) -> Result<HashMap<u32, String>> {
    let mut nodes: Vec<u32> = lists.iter().flat_map(|(_, list)| list.iter().map(|item| item.0)).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut names = HashMap::new();
    each_of(graph, &nodes, |node, url| {
        names.insert(node, url.to_owned());
    })?;
    Ok(names)
}

/// Gives the URLs of some nodes, in ascending order.
fn each_of(graph: &Committed, nodes: &[u32], mut each: impl FnMut(u32, &str)) -> Result<()> {
    let mut wanted = nodes.iter().peekable();
    let mut number = 0u32;
    let mut reader = read_level::<NodeNameColumns>(graph, Level::Page);
    while let Some(batch) = reader.next()? {
        for page in batch.rows() {
            if wanted.next_if(|node| **node == number).is_some() {
                each(number, page.url);
            }
            number += 1;
        }
    }
    Ok(())
}
