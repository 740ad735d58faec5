//! Topics of texts: clusters that need no labels.

use polars_arrow::array::{PrimitiveArray, Utf8Array};
use pyo3::prelude::*;
use rayon::prelude::*;
use webmill_capture::Error;
use webmill_jobs::learn::cluster::corpus::{by_language, common, least_pages, weights, without_stop_words};
use webmill_learn::{Counter, Draws, FeatureOptions, KMeans, PART, PageFacts, choose_k, topic_words};
use webmill_run::Cancel;

use crate::arrow::{ArrowTable, Chunk};
use crate::fault::{Result, config};
use crate::learn::{MAX_WORDS, lists, rows, strings};
use crate::wait::apart;

/// Texts that the number of topics is chosen by.
const SAMPLE: usize = 2000;
/// Words that tell what a topic is about.
const WORDS: usize = 10;

/// What was found.
struct FoundTopics {
    /// Topic of each text, and its distance from the middle; nothing for a text without words.
    texts: Vec<Option<(u32, f32)>>,
    topics: Vec<Topic>,
}

struct Topic {
    size: u64,
    language: Option<&'static str>,
    words: Vec<String>,
}

/// Topics of texts: a table with the topic of each text, and one with what each topic is about.
#[pyfunction]
#[pyo3(signature = (texts, k = None, languages = None, seed = 0))]
pub fn topics(
    py: Python<'_>,
    texts: &Bound<'_, PyAny>,
    k: Option<usize>,
    languages: Option<&Bound<'_, PyAny>>,
    seed: u64,
) -> PyResult<(ArrowTable, ArrowTable)> {
    if k.is_some_and(|k| !(1..=10_000).contains(&k)) {
        return Err(config(format!("k = {} is not within 1..=10000", k.unwrap_or_default())));
    }
    let chunks = strings(texts, "texts")?;
    let languages = languages.map(|languages| strings(languages, "languages")).transpose()?;
    let codes = languages.as_deref().map(|chunks| codes(&rows(chunks))).transpose()?;
    let texts = rows(&chunks).len();
    if codes.as_ref().is_some_and(|codes| codes.len() != texts) {
        return Err(config(format!("languages and texts are not of one length ({texts} texts)")));
    }
    let found = apart(py, move |stop| find(&rows(&chunks), codes, k, seed, stop))??;
    let numbers =
        PrimitiveArray::<u32>::from(found.texts.iter().map(|text| text.map(|t| t.0)).collect::<Vec<_>>());
    let distances =
        PrimitiveArray::<f32>::from(found.texts.iter().map(|text| text.map(|t| t.1)).collect::<Vec<_>>());
    let of_texts = ArrowTable::of(vec![("topic", numbers.boxed()), ("distance", distances.boxed())])?;
    let topics = &found.topics;
    let names = topics.iter().map(|topic| topic.words[..topic.words.len().min(3)].join(" · "));
    let columns: Vec<(&str, Chunk)> = vec![
        ("topic", PrimitiveArray::<u32>::from_vec((0..topics.len() as u32).collect()).boxed()),
        ("name", Utf8Array::<i64>::from_iter_values(names).boxed()),
        ("size", PrimitiveArray::<u64>::from_vec(topics.iter().map(|topic| topic.size).collect()).boxed()),
        ("language", topics.iter().map(|topic| topic.language).collect::<Utf8Array<i64>>().boxed()),
        ("words", lists(topics.iter().map(|topic| topic.words.as_slice()))),
    ];
    Ok((of_texts, ArrowTable::of(columns)?))
}

/// Languages by their codes; unknown ones are refused.
fn codes(given: &[Option<&str>]) -> PyResult<Vec<Option<&'static str>>> {
    let code = |(at, tag): (usize, &Option<&str>)| {
        let Some(tag) = *tag else { return Ok(None) };
        let code = webmill_text::language_code(tag);
        code.map(Some).ok_or_else(|| {
            config(format!("languages[{at}] = {tag:?} is no language: codes are as en or eng"))
        })
    };
    given.iter().enumerate().map(code).collect()
}

/// How many of `k` topics each group of texts gets: at least one, and by their sizes, with the largest remainders rounded up.
fn shares(k: usize, sizes: &[usize]) -> Vec<usize> {
    let all: usize = sizes.iter().sum::<usize>().max(1);
    let spare = k.saturating_sub(sizes.len());
    let mut shares: Vec<usize> = sizes.iter().map(|size| 1 + spare * size / all).collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&group| (std::cmp::Reverse(spare * sizes[group] % all), group));
    let left = k.saturating_sub(shares.iter().sum());
    order.into_iter().take(left).for_each(|group| shares[group] += 1);
    shares
}

fn find(
    texts: &[Option<&str>],
    codes: Option<Vec<Option<&'static str>>>,
    k: Option<usize>,
    seed: u64,
    stop: &Cancel,
) -> Result<FoundTopics> {
    let facts: Vec<PageFacts<'_>> = texts
        .iter()
        .map(|text| PageFacts { text: text.unwrap_or_default(), ..PageFacts::default() })
        .collect();
    let options = FeatureOptions { url: false, anchors: false, ..FeatureOptions::default() };
    let mut counter = Counter::new(&options, MAX_WORDS);
    for pages in facts.chunks(16 * PART) {
        stop.check()?;
        counter.add(pages);
    }
    let (vocabulary, counts) = counter.finish(least_pages(2, facts.len()));
    let languages: Vec<Option<&str>> = match codes {
        Some(codes) => codes,
        None => {
            let language =
                |page: &PageFacts<'_>| webmill_text::language(page.text).map(|found| found.iso639_3);
            facts.par_iter().map(language).collect()
        }
    };
    stop.check()?;
    let common = common(languages.iter().copied());
    let counts = without_stop_words(&counts, &vocabulary, &common);
    let worded: Vec<usize> = (0..counts.len()).filter(|&row| !counts.row(row).0.is_empty()).collect();
    if worded.is_empty() {
        return Err(
            Error::Config("no text has words that another one has too: there are no topics".into()).into()
        );
    }
    let (mut topics, mut of_texts) = (Vec::new(), vec![None; texts.len()]);
    let all = worded.clone();
    let mut groups = by_language(worded, &common, |row| languages[row]);
    if k.is_some_and(|k| k < groups.len()) {
        groups = vec![(None, all)];
    }
    let sizes: Vec<usize> = groups.iter().map(|(_, group)| group.len()).collect();
    let shares = k.map(|k| shares(k, &sizes));
    for (number, (language, group)) in groups.into_iter().enumerate() {
        stop.check()?;
        let language = language.or(common.first().copied().filter(|_| common.len() == 1));
        let k = shares.as_ref().map(|shares| shares[number]);
        let weighed = weights(&counts.select(&group)).0;
        let k = k.unwrap_or_else(|| {
            let sample = Draws::new(seed).sample(weighed.len(), SAMPLE);
            choose_k(&weighed.select(&sample), weighed.len(), 128, seed).k
        });
        let clusters = KMeans::new(k).seed(seed).restarts(5).run(&weighed);
        let first = topics.len();
        for words in topic_words(&weighed, &clusters.assignment, clusters.centroids.len(), WORDS) {
            let words = words.iter().map(|word| vocabulary.word(word.word).to_owned()).collect();
            topics.push(Topic { size: 0, language, words });
        }
        for ((&row, &cluster), &similarity) in
            group.iter().zip(&clusters.assignment).zip(&clusters.similarity)
        {
            topics[first + cluster as usize].size += 1;
            of_texts[row] = Some((first + cluster as usize, 1.0 - similarity));
        }
    }
    Ok(by_size(topics, &of_texts))
}

/// Topics numbered by their sizes, the largest first; ties as they came.
fn by_size(topics: Vec<Topic>, of_texts: &[Option<(usize, f32)>]) -> FoundTopics {
    let mut order: Vec<usize> = (0..topics.len()).filter(|&topic| topics[topic].size > 0).collect();
    order.sort_by_key(|&topic| (std::cmp::Reverse(topics[topic].size), topic));
    let mut number = vec![0u32; topics.len()];
    order.iter().zip(0..).for_each(|(&topic, place)| number[topic] = place);
    let texts = of_texts.iter().map(|text| text.map(|(topic, distance)| (number[topic], distance))).collect();
    let mut topics: Vec<Option<Topic>> = topics.into_iter().map(Some).collect();
    FoundTopics { texts, topics: order.into_iter().filter_map(|topic| topics[topic].take()).collect() }
}
