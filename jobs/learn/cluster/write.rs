//! The tables of topics.

use std::collections::{BTreeMap, HashMap};

use webmill_capture::Result;
use webmill_learn::{Agreement, NOISE, mean_silhouette};
use webmill_run::Unit;
use webmill_table::Bytes16;

use super::pages::About;
use super::tables::{TopicMeasureRow, TopicRow, TopicTreeRow, TopicWordsRow};
use super::topics::{Topic, Topics};
use crate::output::{TableFile, first_part, write_rows};

/// The columns about pages, in memory or on disk.
pub trait Abouts {
    /// One more than the number of the last page.
    fn len(&self) -> usize;

    /// Calls `each` with pages and their numbers, ascending; all that were clustered are among them.
    ///
    /// # Errors
    /// Where the disk fails; what `each` meets.
    fn each(&self, each: &mut dyn FnMut(usize, &About) -> Result<()>) -> Result<()>;
}

impl Abouts for Vec<About> {
    fn len(&self) -> usize {
        self.len()
    }

    fn each(&self, each: &mut dyn FnMut(usize, &About) -> Result<()>) -> Result<()> {
        self.iter().enumerate().try_for_each(|(page, about)| each(page, about))
    }
}

/// Words that pages were told apart by.
#[derive(Clone, Copy)]
pub struct Words {
    pub counted: usize,
    pub dropped: u64,
}

/// Writes all tables.
///
/// # Errors
/// Where the disk refuses.
pub fn write(abouts: &dyn Abouts, words: Words, found: &[Topics], unit: &mut Unit<'_>) -> Result<()> {
    let written = TopicWriter::of(abouts, words, found)?;
    let mut file = TableFile::create(unit, first_part::<TopicRow>())?;
    abouts.each(&mut |page, about| written.topic(page, about).map_or(Ok(()), |row| file.push(row)))?;
    file.finish(unit)?;
    write_rows(unit, first_part::<TopicWordsRow>(), written.words())?;
    write_rows(unit, first_part::<TopicTreeRow>(), written.tree())?;
    write_rows(unit, first_part::<TopicMeasureRow>(), written.measures())?;
    Ok(())
}

/// Few words that many pages have.
struct SharedWords {
    names: Vec<String>,
    /// Number of each page's word, or that there is none.
    of: Vec<u32>,
}

impl SharedWords {
    fn of(pages: usize) -> Self {
        SharedWords { names: Vec::new(), of: vec![u32::MAX; pages] }
    }

    fn set(&mut self, page: usize, name: Option<&String>, numbers: &mut HashMap<String, u32>) {
        let Some(name) = name else { return };
        let number = numbers.get(name).copied().unwrap_or_else(|| {
            let next = self.names.len() as u32;
            numbers.insert(name.clone(), next);
            self.names.push(name.clone());
            next
        });
        self.of[page] = number;
    }

    fn get(&self, page: usize) -> Option<&str> {
        self.names.get(self.of[page] as usize).map(String::as_str)
    }
}

struct TopicWriter<'a> {
    words: Words,
    found: &'a [Topics],
    /// Groups and topics of them, the largest first.
    order: Vec<(usize, usize)>,
    /// The number of each topic of each group.
    numbers: Vec<Vec<u32>>,
    /// Group and row of each page of the corpus that was clustered.
    places: Vec<Option<(u32, u32)>>,
    languages: SharedWords,
    labels: SharedWords,
    /// URLs of pages that are named.
    urls: BTreeMap<usize, String>,
}

impl<'a> TopicWriter<'a> {
    fn of(abouts: &dyn Abouts, words: Words, found: &'a [Topics]) -> Result<Self> {
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (group, topics) in found.iter().enumerate() {
            order.extend((0..topics.topics.len()).map(|topic| (group, topic)));
        }
        // Stable: of equal sizes the topic whose first page comes first.
        order.sort_by_key(|(group, topic)| std::cmp::Reverse(found[*group].topics[*topic].size));
        let mut numbers: Vec<Vec<u32>> = found.iter().map(|topics| vec![0; topics.topics.len()]).collect();
        for (number, (group, topic)) in (0u32..).zip(&order) {
            numbers[*group][*topic] = number;
        }
        let mut places = vec![None; abouts.len()];
        for (group, topics) in (0u32..).zip(found) {
            for (row, page) in (0u32..).zip(&topics.pages) {
                places[*page] = Some((group, row));
            }
        }
        let mut urls: BTreeMap<usize, String> = BTreeMap::new();
        for topics in found {
            let nearest = topics.topics.iter().flat_map(|topic| &topic.nearest);
            let leaves = topics.found.tree.as_ref().filter(|tree| tree.of_rows).map(|_| &topics.pages);
            urls.extend(nearest.chain(leaves.into_iter().flatten()).map(|page| (*page, String::new())));
        }
        let (mut languages, mut labels) = (SharedWords::of(abouts.len()), SharedWords::of(abouts.len()));
        let (mut known_languages, mut known_labels) = (HashMap::new(), HashMap::new());
        abouts.each(&mut |page, about| {
            languages.set(page, about.language.as_ref(), &mut known_languages);
            labels.set(page, about.label.as_ref(), &mut known_labels);
            if let Some(url) = urls.get_mut(&page) {
                url.clone_from(&about.url);
            }
            Ok(())
        })?;
        Ok(TopicWriter { words, found, order, numbers, places, languages, labels, urls })
    }

    fn url(&self, page: usize) -> String {
        self.urls.get(&page).cloned().unwrap_or_default()
    }

    /// The row of a page that was clustered.
    fn topic(&self, page: usize, about: &About) -> Option<TopicRow> {
        let (group, row) = self.places[page]?;
        let (topics, row) = (&self.found[group as usize], row as usize);
        let topic = Some(topics.assignment[row]).filter(|topic| *topic != NOISE).map(|topic| topic as usize);
        Some(TopicRow {
            url: about.url.clone(),
            url_key: Bytes16(about.key),
            host: about.host.clone(),
            domain: about.domain.clone(),
            language: about.language.clone(),
            topic: topic.map(|topic| self.numbers[group as usize][topic]),
            topic_name: topic.map(|topic| topics.topics[topic].name.clone()),
            distance: topics.distances[row],
            silhouette: topics.silhouettes[row],
            label: about.label.clone(),
        })
    }

    fn words(&self) -> Vec<TopicWordsRow> {
        let clustered = self.places.iter().flatten().count();
        let members: Vec<Vec<Vec<usize>>> = self.found.iter().map(members).collect();
        let row = |(number, (group, at)): (u32, &(usize, usize))| {
            let topic: &Topic = &self.found[*group].topics[*at];
            let pages = &members[*group][*at];
            let language = commonest(pages.iter().map(|page| self.languages.get(*page)));
            let label = commonest(pages.iter().map(|page| self.labels.get(*page)));
            TopicWordsRow {
                topic: number,
                name: topic.name.clone(),
                size: topic.size,
                share: topic.size as f64 / clustered.max(1) as f64,
                words: topic.words.clone(),
                scores: topic.scores.clone(),
                language: language.map(|(language, _)| language.to_owned()),
                language_share: language.map_or(0.0, |(_, share)| share),
                nearest: topic.nearest.iter().map(|page| self.url(*page)).collect(),
                distance: topic.distance,
                silhouette: topic.silhouette,
                label: label.map(|(label, _)| label.to_owned()),
                label_share: label.map(|(_, share)| share),
            }
        };
        (0..).zip(&self.order).map(row).collect()
    }

    fn tree(&self) -> Vec<TopicTreeRow> {
        let mut rows = Vec::new();
        for (group, topics) in self.found.iter().enumerate() {
            // Topics have numbers of all groups; within a tree leaves are numbered from 0 on.
            let by_topic = |leaf: usize| Some(topics.topics[leaf].name.clone());
            if let Some(tree) = &topics.tree {
                let leaves = topics.topics.len();
                rows.extend(tree.merges.iter().zip(leaves as u32..).map(|(merge, number)| {
                    let name =
                        |side: u32| ((side as usize) < leaves).then(|| by_topic(side as usize)).flatten();
                    tree_row("topics", topics, (merge, number), name)
                }));
            }
            if let Some(tree) = &topics.found.tree {
                let leaves = tree.merges.len() + 1;
                let url = |side: u32| {
                    let leaf =
                        topics.pages.get(side as usize).filter(|_| tree.of_rows && (side as usize) < leaves);
                    leaf.map(|page| self.url(*page))
                };
                let of = if tree.of_rows { "pages" } else { "parts" };
                rows.extend(
                    tree.merges
                        .iter()
                        .zip(leaves as u32..)
                        .map(|(merge, number)| tree_row(of, topics, (merge, number), url)),
                );
            }
            debug_assert_eq!(self.numbers[group].len(), topics.topics.len());
        }
        rows
    }

    fn measures(&self) -> Vec<TopicMeasureRow> {
        let mut rows = Vec::new();
        let mut push = |measure: &str, language: Option<&String>, k: Option<u32>, value: f64| {
            rows.push(TopicMeasureRow { measure: measure.to_owned(), language: language.cloned(), k, value });
        };
        let pages: usize = self.found.iter().map(|topics| topics.pages.len()).sum();
        let noise =
            self.found.iter().flat_map(|topics| &topics.assignment).filter(|topic| **topic == NOISE).count();
        push("pages", None, None, pages as f64);
        push("topics", None, None, self.order.len() as f64);
        push("noise", None, None, noise as f64);
        push("words", None, None, self.words.counted as f64);
        push("words_dropped", None, None, self.words.dropped as f64);
        let all: Vec<Option<f32>> =
            self.found.iter().flat_map(|topics| topics.silhouettes.iter().copied()).collect();
        if let Some(silhouette) = mean_silhouette(&all) {
            push("silhouette", None, None, silhouette);
        }
        for topics in self.found {
            let language = topics.language.as_ref();
            if language.is_some() {
                push("pages", language, None, topics.pages.len() as f64);
                push("topics", language, None, topics.topics.len() as f64);
            }
            topics.found.measures.iter().for_each(|(measure, value)| push(measure, language, None, *value));
            for (k, silhouette) in topics.found.choice.iter().flat_map(|choice| &choice.tried) {
                push("silhouette_of_k", language, Some(*k as u32), *silhouette);
            }
        }
        if let Some((agreement, unlabelled)) = self.agreement() {
            let v = agreement.nmi();
            push("labelled", None, None, (pages - unlabelled) as f64);
            push("unlabelled", None, None, unlabelled as f64);
            push("nmi", None, None, agreement.nmi());
            push("ari", None, None, agreement.ari());
            push("purity", None, None, agreement.purity());
            push("homogeneity", None, None, agreement.homogeneity());
            push("completeness", None, None, agreement.completeness());
            push("v_measure", None, None, v);
        }
        rows
    }

    /// Labels against topics, noise as one more, and how many pages have no label.
    fn agreement(&self) -> Option<(Agreement, usize)> {
        if self.labels.names.is_empty() {
            return None;
        }
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let (mut labels, mut topics, mut unlabelled) = (Vec::new(), Vec::new(), 0);
        for (page, place) in self.places.iter().enumerate() {
            let Some((group, row)) = place else { continue };
            let Some(label) = self.labels.get(page) else {
                unlabelled += 1;
                continue;
            };
            let next = numbers.len() as u32;
            labels.push(*numbers.entry(label).or_insert(next));
            let topic = self.found[*group as usize].assignment[*row as usize];
            let number = if topic == NOISE { NOISE } else { self.numbers[*group as usize][topic as usize] };
            topics.push(number);
        }
        Some((Agreement::of(&labels, &topics), unlabelled))
    }
}

fn tree_row(
    of: &str,
    topics: &Topics,
    (merge, number): (&webmill_learn::Merge, u32),
    name: impl Fn(u32) -> Option<String>,
) -> TopicTreeRow {
    TopicTreeRow {
        of: of.to_owned(),
        language: topics.language.clone(),
        merge: number,
        left: merge.left,
        right: merge.right,
        left_name: name(merge.left),
        right_name: name(merge.right),
        distance: merge.distance,
        pages: merge.size as u64,
    }
}

/// Pages of the corpus by topic.
fn members(topics: &Topics) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); topics.topics.len()];
    for (page, topic) in topics.pages.iter().zip(&topics.assignment).filter(|(_, topic)| **topic != NOISE) {
        members[*topic as usize].push(*page);
    }
    members
}

/// The commonest word that there is, and its share of all; of equally common ones the first in the alphabet.
fn commonest<'w>(words: impl Iterator<Item = Option<&'w str>>) -> Option<(&'w str, f64)> {
    let (mut counts, mut all) = (BTreeMap::<&str, u64>::new(), 0u64);
    for word in words {
        all += 1;
        if let Some(word) = word {
            *counts.entry(word).or_default() += 1;
        }
    }
    let (word, count) = counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)))?;
    Some((word, count as f64 / all as f64))
}
