//! Topics of texts: clusters that need no labels.

use polars_arrow::array::{PrimitiveArray, Utf8Array};
use pyo3::prelude::*;
use rayon::prelude::*;
use webmill_capture::Error;
use webmill_jobs::learn::cluster::corpus::{common, least_pages, weights, without_stop_words};
use webmill_learn::{Counter, FeatureOptions, KMeans, PART, PageFacts, Vocabulary, choose_k, topic_words};
use webmill_run::Cancel;

use crate::arrow::{ArrowTable, Chunk};
use crate::fault::{Result, config};
use crate::learn::{MAX_WORDS, lists, rows, strings};
use crate::wait::wait;

/// Texts that the number of topics is chosen by.
const SAMPLE: usize = 2000;
/// Words that tell what a topic is about.
const WORDS: usize = 10;

/// What was found.
struct Found {
    /// Topic of each text, and its distance from the middle; nothing for a text without words.
    texts: Vec<Option<(u32, f32)>>,
    sizes: Vec<u64>,
    words: Vec<Vec<String>>,
}

/// Topics of texts: a table with the topic of each text, and one with what each topic is about.
#[pyfunction]
#[pyo3(signature = (texts, k = None, seed = 0))]
pub fn topics(
    py: Python<'_>,
    texts: &Bound<'_, PyAny>,
    k: Option<usize>,
    seed: u64,
) -> PyResult<(ArrowTable, ArrowTable)> {
    if k.is_some_and(|k| !(1..=10_000).contains(&k)) {
        return Err(config(format!("k = {} is not within 1..=10000", k.unwrap_or_default())));
    }
    let chunks = strings(texts, "texts")?;
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let found = wait(py, &cancel, |_| Ok(()), move || find(&rows(&chunks), k, seed, &stop))??;
    let numbers =
        PrimitiveArray::<u32>::from(found.texts.iter().map(|text| text.map(|t| t.0)).collect::<Vec<_>>());
    let distances =
        PrimitiveArray::<f32>::from(found.texts.iter().map(|text| text.map(|t| t.1)).collect::<Vec<_>>());
    let of_texts = ArrowTable::of(vec![("topic", numbers.boxed()), ("distance", distances.boxed())])?;
    let names = found.words.iter().map(|words| words[..words.len().min(3)].join(" · "));
    let topics = (0..found.sizes.len() as u32).collect();
    let columns: Vec<(&str, Chunk)> = vec![
        ("topic", PrimitiveArray::<u32>::from_vec(topics).boxed()),
        ("name", Utf8Array::<i64>::from_iter_values(names).boxed()),
        ("size", PrimitiveArray::<u64>::from_vec(found.sizes).boxed()),
        ("words", lists(found.words.iter().map(Vec::as_slice))),
    ];
    Ok((of_texts, ArrowTable::of(columns)?))
}

fn find(texts: &[Option<&str>], k: Option<usize>, seed: u64, stop: &Cancel) -> Result<Found> {
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
    let languages: Vec<Option<&str>> =
        facts.par_iter().map(|page| webmill_text::language(page.text).map(|found| found.iso639_3)).collect();
    stop.check()?;
    let counts = without_stop_words(&counts, &vocabulary, &common(languages.into_iter()));
    let worded: Vec<usize> = (0..counts.len()).filter(|&row| !counts.row(row).0.is_empty()).collect();
    if worded.is_empty() {
        return Err(
            Error::Config("no text has words that another one has too: there are no topics".into()).into()
        );
    }
    let weighed = weights(&counts.select(&worded)).0;
    stop.check()?;
    let k = k.unwrap_or_else(|| {
        let mut draws = webmill_learn::Draws::new(seed);
        let mut sample = draws.sample(weighed.len(), SAMPLE.min(weighed.len()));
        sample.sort_unstable();
        choose_k(&weighed.select(&sample), 128, seed).k
    });
    stop.check()?;
    let clusters = KMeans::new(k).seed(seed).restarts(5).run(&weighed);
    Ok(by_size(&clusters, &weighed, &worded, texts.len(), &vocabulary))
}

/// Topics numbered by their sizes, the largest first.
fn by_size(
    clusters: &webmill_learn::Clustering,
    weighed: &webmill_learn::SparseRows,
    worded: &[usize],
    texts: usize,
    vocabulary: &Vocabulary,
) -> Found {
    let k = clusters.centroids.len();
    let mut sizes = vec![0u64; k];
    clusters.assignment.iter().for_each(|&cluster| sizes[cluster as usize] += 1);
    let mut order: Vec<usize> = (0..k).filter(|&cluster| sizes[cluster] > 0).collect();
    order.sort_by_key(|&cluster| (std::cmp::Reverse(sizes[cluster]), cluster));
    let mut number = vec![0u32; k];
    order.iter().zip(0..).for_each(|(&cluster, topic)| number[cluster] = topic);
    let words = topic_words(weighed, &clusters.assignment, k, WORDS);
    let in_words = |cluster: &usize| -> Vec<String> {
        words[*cluster].iter().map(|word| vocabulary.word(word.word).to_owned()).collect()
    };
    let mut of_texts = vec![None; texts];
    for ((&row, &cluster), &similarity) in worded.iter().zip(&clusters.assignment).zip(&clusters.similarity) {
        of_texts[row] = Some((number[cluster as usize], 1.0 - similarity));
    }
    Found {
        texts: of_texts,
        sizes: order.iter().map(|&cluster| sizes[cluster]).collect(),
        words: order.iter().map(in_words).collect(),
    }
}
