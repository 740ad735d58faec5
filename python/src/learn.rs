//! Classifiers of texts: trained and evaluated in memory, stored as `webmill learn apply` reads them.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use polars_arrow::array::{ListArray, PrimitiveArray, Utf8Array};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::offset::{Offsets, OffsetsBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use webmill_capture::error::AtPath;
use webmill_capture::{CanonicalUrl, Error};
use webmill_learn::{
    Calibration, Counter, Evaluation, FeatureOptions, FitSettings, Labels, Method, Model, PART, PageFacts,
    Training, choose, evaluation_of, fit, folds, out_of_fold,
};
use webmill_run::Cancel;

use crate::arrow::{ArrowTable, Chunk, Strings, in_figures, values};
use crate::fault::{Result, config};
use crate::wait::apart;

/// Words that a training may hold.
pub const MAX_WORDS: usize = 20_000_000;
/// Pages that a thread predicts between two looks at whether to go on.
const WINDOW: usize = 256;

/// Texts with what else is known of them, row by row.
struct Pages {
    texts: Vec<Chunk>,
    titles: Option<Vec<Chunk>>,
    urls: Option<Vec<Chunk>>,
    languages: Option<Vec<Chunk>>,
}

impl Pages {
    fn of(
        texts: &Bound<'_, PyAny>,
        titles: Option<&Bound<'_, PyAny>>,
        urls: Option<&Bound<'_, PyAny>>,
        languages: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Pages> {
        let texts = strings(texts, "texts")?;
        let rows = length(&texts);
        let more = |object: Option<&Bound<'_, PyAny>>, name: &str| -> PyResult<Option<Vec<Chunk>>> {
            let Some(object) = object else { return Ok(None) };
            let found = strings(object, name)?;
            match length(&found) {
                same if same == rows => Ok(Some(found)),
                other => Err(config(format!("{name} are {other}, texts {rows}"))),
            }
        };
        Ok(Pages {
            titles: more(titles, "titles")?,
            urls: more(urls, "urls")?,
            languages: more(languages, "languages")?,
            texts,
        })
    }

    /// What features are made of; nothing where a text is null or no UTF-8.
    fn facts(&self) -> Vec<Option<PageFacts<'_>>> {
        let [titles, urls, languages] = [&self.titles, &self.urls, &self.languages]
            .map(|chunks| chunks.as_ref().map(|chunks| rows(chunks)));
        fn at<'a>(column: &Option<Vec<Option<&'a str>>>, row: usize) -> &'a str {
            column.as_ref().and_then(|column| column[row]).unwrap_or_default()
        }
        rows(&self.texts)
            .into_iter()
            .enumerate()
            .map(|(row, text)| {
                text.map(|text| PageFacts {
                    text,
                    title: at(&titles, row),
                    url: at(&urls, row),
                    language: at(&languages, row),
                    ..PageFacts::default()
                })
            })
            .collect()
    }
}

/// A column of strings.
pub fn strings(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Chunk>> {
    let chunks = values(object, name)?;
    match chunks.iter().find(|chunk| !Strings::of(&***chunk).is_some_and(Strings::is_text)) {
        None => Ok(chunks),
        Some(other) => Err(PyTypeError::new_err(format!("{name} are strings, not {:?}", other.dtype()))),
    }
}

/// A column of labels: strings, or whole numbers, which are written as such.
fn labels(object: &Bound<'_, PyAny>) -> PyResult<Vec<Chunk>> {
    let written = |chunk: Chunk| in_figures(&*chunk).unwrap_or(chunk);
    let chunks: Vec<Chunk> = values(object, "labels")?.into_iter().map(written).collect();
    match chunks.iter().find(|chunk| !Strings::of(&***chunk).is_some_and(Strings::is_text)) {
        None => Ok(chunks),
        Some(other) => {
            Err(PyTypeError::new_err(format!("labels are strings or whole numbers, not {:?}", other.dtype())))
        }
    }
}

fn length(chunks: &[Chunk]) -> usize {
    chunks.iter().map(|chunk| chunk.len()).sum()
}

/// The strings of a column; nothing where one is null.
pub fn rows(chunks: &[Chunk]) -> Vec<Option<&str>> {
    let mut all = Vec::with_capacity(length(chunks));
    for chunk in chunks {
        let Some(strings) = Strings::of(&**chunk) else { continue };
        all.extend(
            (0..chunk.len()).map(|row| strings.get(row).and_then(|bytes| std::str::from_utf8(bytes).ok())),
        );
    }
    all
}

/// A classifier of texts.
#[pyclass(frozen, module = "webmill")]
pub struct Classifier {
    model: std::sync::Arc<Model>,
    evaluation: Option<Evaluation>,
    left_out: BTreeMap<String, u64>,
}

#[pymethods]
impl Classifier {
    /// Trains on texts and their labels.
    #[staticmethod]
    #[pyo3(signature = (texts, labels, titles = None, urls = None, languages = None, method = "auto", folds = 5, seed = 1))]
    #[expect(clippy::too_many_arguments, reason = "they are named where they are given")]
    fn train(
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        labels: &Bound<'_, PyAny>,
        titles: Option<&Bound<'_, PyAny>>,
        urls: Option<&Bound<'_, PyAny>>,
        languages: Option<&Bound<'_, PyAny>>,
        method: &str,
        folds: usize,
        seed: u64,
    ) -> PyResult<Self> {
        let pages = Pages::of(texts, titles, urls, languages)?;
        let labels = self::labels(labels)?;
        if length(&labels) != length(&pages.texts) {
            return Err(config(format!("labels are {}, texts {}", length(&labels), length(&pages.texts))));
        }
        if !(2..=100).contains(&folds) {
            return Err(config(format!("folds = {folds} is not within 2..=100")));
        }
        let method = method_of(method)?;
        Ok(apart(py, move |stop| trained(&pages, &labels, method, folds, seed, stop))??)
    }

    /// Reads a model that [`save`](Self::save) or `webmill learn train` wrote.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = || -> Result<Model> {
            let bytes = std::fs::read(&path).at(&path)?;
            Ok(Model::open(&bytes).map_err(|e| Error::Config(format!("{}: {e}", path.display())))?)
        };
        let model = std::sync::Arc::new(py.detach(read)?);
        Ok(Classifier { model, evaluation: None, left_out: BTreeMap::new() })
    }

    /// Writes the model, aside and then under its name.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || -> Result<()> {
            let mut aside = path.clone().into_os_string();
            aside.push(".partial");
            std::fs::write(&aside, self.model.bytes()).at(&path)?;
            Ok(std::fs::rename(&aside, &path).at(&path)?)
        };
        Ok(py.detach(write)?)
    }

    /// Pickled by its bytes, without the evaluation.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = PyBytes::new(py, &self.model.bytes());
        Ok((py.import("webmill._webmill")?.getattr("classifier_of")?, (bytes,)))
    }

    /// Names of the classes, in order.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.model.classes().to_vec()
    }

    /// The method that was trained.
    #[getter]
    fn method(&self) -> String {
        name_of(self.model.settings().method)
    }

    /// Share of held-out texts that were told rightly; `None` of a model that was opened.
    #[getter]
    fn accuracy(&self) -> Option<f64> {
        self.evaluation.as_ref().map(Evaluation::accuracy)
    }

    /// Mean F1 of the classes on held-out texts; `None` of a model that was opened.
    #[getter]
    fn macro_f1(&self) -> Option<f64> {
        self.evaluation.as_ref().map(|evaluation| evaluation.macro_mean()[2])
    }

    /// Texts that were not trained on, by reason.
    #[getter]
    fn left_out(&self) -> BTreeMap<String, u64> {
        self.left_out.clone()
    }

    /// Of each class: texts, precision, recall and F1 on held-out texts.
    fn evaluation(&self) -> PyResult<ArrowTable> {
        let evaluation = self.evaluated()?;
        let classes = self.model.classes();
        let of = |at: usize| -> Chunk {
            let values = (0..classes.len()).map(|class| evaluation.of_class(class)[at]).collect();
            PrimitiveArray::<f64>::from_vec(values).boxed()
        };
        let texts = (0..classes.len()).map(|class| evaluation.support(class)).collect();
        ArrowTable::of(vec![
            ("class", Utf8Array::<i64>::from_iter_values(classes.iter()).boxed()),
            ("texts", PrimitiveArray::<u64>::from_vec(texts).boxed()),
            ("precision", of(0)),
            ("recall", of(1)),
            ("f1", of(2)),
        ])
    }

    /// Of each pair of classes: how many held-out texts of the one were told to be of the other; pairs without any are left out.
    fn confusion(&self) -> PyResult<ArrowTable> {
        let evaluation = self.evaluated()?;
        let classes = self.model.classes();
        let pairs: Vec<(usize, usize, u64)> = (0..classes.len() * classes.len())
            .map(|pair| (pair / classes.len(), pair % classes.len()))
            .map(|(is, told)| (is, told, evaluation.confused(is, told)))
            .filter(|(.., texts)| *texts > 0)
            .collect();
        let names = |get: &dyn Fn(&(usize, usize, u64)) -> usize| -> Chunk {
            Utf8Array::<i64>::from_iter_values(pairs.iter().map(|pair| &classes[get(pair)])).boxed()
        };
        ArrowTable::of(vec![
            ("class", names(&|pair| pair.0)),
            ("told", names(&|pair| pair.1)),
            ("texts", PrimitiveArray::<u64>::from_vec(pairs.iter().map(|pair| pair.2).collect()).boxed()),
        ])
    }

    /// What the model says of texts, on all cores.
    #[pyo3(signature = (texts, titles = None, urls = None, languages = None, words = 5))]
    fn predict(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        titles: Option<&Bound<'_, PyAny>>,
        urls: Option<&Bound<'_, PyAny>>,
        languages: Option<&Bound<'_, PyAny>>,
        words: usize,
    ) -> PyResult<ArrowTable> {
        let pages = Pages::of(texts, titles, urls, languages)?;
        let model = std::sync::Arc::clone(&self.model);
        let told = apart(py, move |stop| predicted(&model, &pages, words, stop))??;
        let strings = |get: &dyn Fn(&TextPrediction) -> &str| -> Chunk {
            told.iter().map(|told| told.as_ref().map(get)).collect::<Utf8Array<i64>>().boxed()
        };
        let numbers = |get: &dyn Fn(&TextPrediction) -> f64| -> Chunk {
            told.iter().map(|told| told.as_ref().map(get)).collect::<PrimitiveArray<f64>>().boxed()
        };
        ArrowTable::of(vec![
            ("label", strings(&|told| &told.label)),
            ("probability", numbers(&|told| told.probability)),
            ("second", strings(&|told| &told.second)),
            ("margin", numbers(&|told| told.margin)),
            ("words", lists(told.iter().map(|told| told.as_ref().map_or(&[][..], |told| &told.words)))),
        ])
    }

    /// The features that speak most for a class, and how much.
    #[pyo3(signature = (label, most = 20))]
    fn top_features(&self, label: &str, most: usize) -> PyResult<Vec<(String, f64)>> {
        let class = self.model.classes().iter().position(|class| class == label);
        let class = class.ok_or_else(|| {
            config(format!("no class is called {label:?}; classes: {}", self.model.classes().join(", ")))
        })?;
        Ok(self.model.top_features(class, most))
    }

    fn __repr__(&self) -> String {
        let measured = self.evaluation.as_ref().map_or(String::new(), |evaluation| {
            format!(", accuracy {:.3}, macro F1 {:.3}", evaluation.accuracy(), evaluation.macro_mean()[2])
        });
        format!("Classifier({} of {} classes{measured})", self.method(), self.model.classes().len())
    }
}

/// A classifier of its bytes.
#[pyfunction]
pub fn classifier_of(bytes: &[u8]) -> PyResult<Classifier> {
    let model = Model::open(bytes).map_err(|e| config(format!("no classifier: {e}")))?;
    Ok(Classifier { model: std::sync::Arc::new(model), evaluation: None, left_out: BTreeMap::new() })
}

impl Classifier {
    fn evaluated(&self) -> PyResult<&Evaluation> {
        let none = "a model that was opened has no evaluation: webmill learn train wrote it as a table";
        self.evaluation.as_ref().ok_or_else(|| config(none))
    }
}

/// What a model says of a text.
struct TextPrediction {
    label: String,
    probability: f64,
    second: String,
    margin: f64,
    words: Vec<String>,
}

fn predicted(
    model: &Model,
    pages: &Pages,
    words: usize,
    stop: &Cancel,
) -> Result<Vec<Option<TextPrediction>>> {
    let facts = pages.facts();
    let parts: Vec<Result<Vec<Option<TextPrediction>>>> = facts
        .par_chunks(WINDOW)
        .map(|pages| {
            stop.check()?;
            let mut predictor = model.predictor();
            let mut tell = |page: &PageFacts<'_>| {
                let said = predictor.predict(page);
                let name = |class: u32| model.classes()[class as usize].clone();
                let spoke = predictor.because(&said, said.first, words);
                TextPrediction {
                    label: name(said.first),
                    probability: said.probabilities[said.first as usize],
                    second: name(said.second),
                    margin: said.margin(),
                    words: spoke.into_iter().map(str::to_owned).collect(),
                }
            };
            Ok(pages.iter().map(|page| page.as_ref().map(&mut tell)).collect())
        })
        .collect();
    parts.into_iter().collect::<Result<Vec<_>>>().map(|parts| parts.into_iter().flatten().collect())
}

fn trained(
    pages: &Pages,
    labels: &[Chunk],
    method: Method,
    k: usize,
    seed: u64,
    stop: &Cancel,
) -> Result<Classifier> {
    let (facts, names, left_out) = labelled(pages, labels);
    let mut classes: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() < 2 {
        let found = classes.first().map_or("none".to_owned(), |class| format!("only {class:?}"));
        return Err(
            Error::Config(format!("two classes of two texts each are needed, {found} is there")).into()
        );
    }
    let numbers: HashMap<&str, u32> = classes.iter().map(String::as_str).zip(0..).collect();
    let labels = Labels::single(names.iter().map(|name| numbers[name]));
    let auto = method == Method::Auto;
    let mut options =
        FeatureOptions { bigrams: auto, han_pairs: auto, url: auto, ..FeatureOptions::default() };
    let mut counter = Counter::new(&options, MAX_WORDS);
    for pages in facts.chunks(16 * PART) {
        stop.check()?;
        counter.add(pages);
    }
    let (vocabulary, counts) = counter.finish(2);
    let sources = vocabulary.sources();
    let groups = domains(&facts);
    let training = Training {
        counts: &counts,
        labels: &labels,
        classes: classes.len(),
        sources: &sources,
        groups: groups.as_deref(),
    };
    let mut settings = FitSettings { seed, features: 0, ..FitSettings::of(method) };
    if auto {
        let choice = choose(&training, &options, &settings).map_err(Error::Config)?;
        options.bigrams &= choice.sources.contains(&webmill_learn::FeatureOrigin::Bigram);
        options.han_pairs &= choice.sources.contains(&webmill_learn::FeatureOrigin::HanPair);
        options.url &= choice.sources.contains(&webmill_learn::FeatureOrigin::Url);
        settings = choice.settings;
    }
    let allowed: Vec<bool> = sources.iter().map(|source| source.is_in(&options)).collect();
    stop.check()?;
    let fold_of = folds(&labels, classes.len(), groups.as_deref(), k, seed);
    let scores = out_of_fold(&settings, &counts, &labels, classes.len(), &allowed, &fold_of, k)
        .map_err(Error::Config)?;
    let calibration = Calibration::learn(&scores, &labels, classes.len(), false);
    let evaluation = evaluation_of(&scores, &labels, classes.len(), &calibration);
    stop.check()?;
    let fitted = fit(&settings, &counts, &labels, classes.len(), &allowed).map_err(Error::Config)?;
    let digest = format!("{} texts", labels.len());
    let model = Model::new(classes, options, settings, &vocabulary, fitted, calibration, digest);
    Ok(Classifier { model: std::sync::Arc::new(model), evaluation: Some(evaluation), left_out })
}

/// The texts that can be trained on, their labels, and what was left out.
fn labelled<'a>(
    pages: &'a Pages,
    labels: &'a [Chunk],
) -> (Vec<PageFacts<'a>>, Vec<&'a str>, BTreeMap<String, u64>) {
    let mut left_out: BTreeMap<String, u64> = BTreeMap::new();
    let mut leave = |why: &str| *left_out.entry(why.to_owned()).or_default() += 1;
    let mut kept: Vec<(PageFacts<'a>, &'a str)> = Vec::new();
    let mut sizes: HashMap<&str, u64> = HashMap::new();
    for (page, label) in pages.facts().into_iter().zip(rows(labels)) {
        match (page, label.filter(|label| !label.is_empty())) {
            (None, _) => leave("no-text"),
            (_, None) => leave("no-label"),
            (Some(page), Some(label)) => {
                *sizes.entry(label).or_default() += 1;
                kept.push((page, label));
            }
        }
    }
    kept.retain(|(_, label)| {
        let enough = sizes[label] > 1;
        if !enough {
            leave("class-of-one-text");
        }
        enough
    });
    let (facts, names) = kept.into_iter().unzip();
    (facts, names, left_out)
}

/// Numbers of the registrable domains of texts, where there are enough of them to part texts by.
fn domains(facts: &[PageFacts<'_>]) -> Option<Vec<u32>> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut groups = Vec::with_capacity(facts.len());
    for (row, page) in facts.iter().enumerate() {
        let name = CanonicalUrl::parse(page.url)
            .map_or_else(|| format!(" {row}"), |url| url.registrable_domain().to_owned());
        let next = numbers.len() as u32;
        groups.push(*numbers.entry(name).or_insert(next));
    }
    (numbers.len() >= 10 && numbers.len() < facts.len()).then_some(groups)
}

fn method_of(name: &str) -> PyResult<Method> {
    match serde_json::from_value(serde_json::Value::String(name.to_owned())) {
        Ok(Method::Blend) => Err(config("method blend: auto makes one where it is best")),
        Ok(method) => Ok(method),
        Err(_) => Err(config(format!(
            "method {name:?}: there are auto, naive-bayes, complement-bayes, svm, logistic, neighbours, adaboost"
        ))),
    }
}

fn name_of(method: Method) -> String {
    serde_json::to_value(method).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A column of lists of strings.
pub fn lists<'a>(lists: impl Iterator<Item = &'a [String]>) -> Chunk {
    let lists: Vec<&[String]> = lists.collect();
    let values = lists.iter().flat_map(|list| list.iter()).map(Some).collect::<Utf8Array<i64>>();
    let offsets = Offsets::<i64>::try_from_lengths(lists.iter().map(|list| list.len())).unwrap_or_default();
    let item = Field::new("item".into(), ArrowDataType::LargeUtf8, true);
    let dtype = ArrowDataType::LargeList(Box::new(item));
    ListArray::<i64>::new(dtype, OffsetsBuffer::from(offsets), values.boxed(), None).boxed()
}
