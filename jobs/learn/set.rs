//! Labelled pages as rows of counts.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rayon::prelude::*;
use webmill_capture::{Error, Result};
use webmill_learn::{Counter, Extractor, FeatureOptions, Labels, PageFacts, SparseRows, Vocabulary};
use webmill_run::{Measure, Stage, Unit};

use super::labels::LabelFile;
use super::page::{LearnPage, NeededFacts};
use super::settings::{MAX_WORDS, TrainSettings};
use super::source::{BATCH, LeftOut, PageSource, ReadAs};

/// What counts labels of pages that there are not.
pub const UNMATCHED: &str = "label-of-no-page";
/// What counts labels that a page was found for.
pub const MATCHED: &str = "labels-of-pages";

/// Labelled pages.
pub struct Set {
    /// Their words.
    pub vocabulary: Vocabulary,
    /// How often each page has each.
    pub counts: SparseRows,
    /// Their classes.
    pub labels: Labels,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Numbers of their registrable domains, where folds are to keep these together.
    pub groups: Option<Vec<u32>>,
}

/// Calls `with` with what features of the pages are made of.
pub fn with_facts<T>(pages: &[LearnPage], with: impl FnOnce(&[PageFacts<'_>]) -> T) -> T {
    let anchors: Vec<Vec<&str>> =
        pages.iter().map(|page| page.anchors.iter().map(String::as_str).collect()).collect();
    let facts: Vec<PageFacts<'_>> =
        pages.iter().zip(&anchors).map(|(page, anchors)| page.facts(anchors)).collect();
    with(&facts)
}

/// Numbers of names in the order in which they came.
#[derive(Default)]
struct Names(HashMap<String, u32>);

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.0.get(name) {
            return *number;
        }
        let number = self.0.len() as u32;
        self.0.insert(name.to_owned(), number);
        number
    }
}

/// How a job reads pages.
pub fn read_as(settings: &TrainSettings, options: &FeatureOptions, memory: u64) -> ReadAs {
    let wanted = NeededFacts { language: options.language, url: options.url };
    ReadAs {
        reading: settings.reading(),
        wanted,
        columns: settings.columns(),
        anchors: options.anchors,
        memory,
    }
}

/// Reads the labels of the settings, if they name a file.
///
/// # Errors
/// Where it cannot be read.
pub fn label_file(settings: &TrainSettings, memory: u64) -> Result<Option<LabelFile>> {
    let named = (!settings.labels.is_empty()).then(|| Path::new(&settings.labels));
    named.map(|path| LabelFile::read(path, memory / 4)).transpose()
}

/// Gives pages the labels of a file, and drops those without any.
struct Labeller<'a> {
    file: Option<&'a LabelFile>,
    matched: std::collections::HashSet<&'a str>,
    multi: bool,
    left_out: LeftOut,
}

impl<'a> Labeller<'a> {
    fn new(file: Option<&'a LabelFile>, multi: bool) -> Self {
        Labeller { file, matched: std::collections::HashSet::new(), multi, left_out: LeftOut::new() }
    }

    fn keep(&mut self, page: &mut LearnPage) -> bool {
        if let Some(file) = self.file {
            page.labels = match file.labels.get_key_value(page.url.as_str()) {
                Some((url, labels)) => {
                    self.matched.insert(url);
                    labels.clone()
                }
                None => Vec::new(),
            };
        }
        let reason = match page.labels.len() {
            0 => "page-without-label",
            1 => return true,
            _ if self.multi => return true,
            _ => "page-of-several-labels",
        };
        *self.left_out.entry(reason.into()).or_default() += 1;
        false
    }

    fn finish(self, unit: &mut Unit<'_>) {
        self.left_out.iter().for_each(|(reason, count)| unit.dropped(reason, *count));
        if let Some(file) = self.file {
            file.left_out.iter().for_each(|(reason, count)| unit.dropped(reason, *count));
            let missing: Vec<&String> =
                file.labels.keys().filter(|url| !self.matched.contains(url.as_str())).collect();
            unit.kept(MATCHED, self.matched.len() as u64);
            if !missing.is_empty() {
                unit.dropped(UNMATCHED, missing.len() as u64);
                unit.stage().progress.note(&format!(
                    "{} of {} labelled URLs are those of no page, such as {}",
                    missing.len(),
                    file.labels.len(),
                    crate::inputs::clip(missing[0], 200)
                ));
            }
        }
    }
}

/// Labelled pages, counted as they come.
struct CountedPages {
    words: Counter,
    classes: Names,
    domains: Names,
    of_pages: Vec<Vec<u32>>,
    groups: Vec<u32>,
}

impl CountedPages {
    fn add(&mut self, pages: &[LearnPage], stage: &Stage<'_>) -> Result<()> {
        with_facts(pages, |facts| self.words.add(facts));
        for page in pages {
            self.of_pages.push(page.labels.iter().map(|label| self.classes.number(label)).collect());
            let group = if page.domain.is_empty() { &page.file } else { &page.domain };
            self.groups.push(self.domains.number(group));
        }
        stage.progress.advance(pages.len() as u64);
        // Rows are sorted and weighed beside those that are counted.
        if 3 * self.words.weight() as u64 > stage.memory {
            return Err(Error::Limit(format!(
                "the words of {} labelled pages take {} MiB, and training thrice that; --memory leaves {} MiB: give fewer labels or sources",
                self.words.pages(),
                self.words.weight() >> 20,
                stage.memory >> 20
            )));
        }
        Ok(())
    }
}

/// Reads and counts labelled pages.
///
/// # Errors
/// Where pages cannot be read, or are of fewer than two classes.
pub fn gather(
    source: &PageSource,
    file: Option<&LabelFile>,
    settings: &TrainSettings,
    options: &FeatureOptions,
    unit: &mut Unit<'_>,
) -> Result<Set> {
    let stage = unit.stage();
    if !source.is_labelled() && file.is_none() {
        return Err(Error::Config("labels are needed: --labels FILE, with lines of url,label".into()));
    }
    let mut counted = CountedPages {
        words: Counter::new(options, MAX_WORDS),
        classes: Names::default(),
        domains: Names::default(),
        of_pages: Vec::new(),
        groups: Vec::new(),
    };
    let mut labeller = Labeller::new(file, settings.multi);
    let mut waiting: Vec<LearnPage> = Vec::new();
    let mut read = 0;
    stage.progress.begin("count words", 0, Measure::Items);
    let left_out = source.each(&read_as(settings, options, stage.memory), stage.cancel, |mut pages| {
        read += pages.len() as u64;
        pages.retain_mut(|page| labeller.keep(page));
        waiting.append(&mut pages);
        while waiting.len() >= BATCH {
            counted.add(&waiting.drain(..BATCH).collect::<Vec<_>>(), stage)?;
        }
        Ok(())
    })?;
    counted.add(&waiting, stage)?;
    stage.progress.end();
    unit.read(read);
    left_out.iter().for_each(|(reason, count)| unit.dropped(reason, *count));
    labeller.finish(unit);
    let CountedPages { words, classes, domains, of_pages, groups } = counted;
    if let (PageSource::Lines(path), None, true) = (source, file, of_pages.is_empty()) {
        return Err(Error::Config(format!(
            "{}: none of its {read} lines has a label in column {}: its first line names the columns (text_column, label_column), or \
             each is a text, a comma and a label",
            path.display(),
            settings.label_column
        )));
    }
    let (vocabulary, counts) = words.finish(settings.min_pages);
    unit.dropped("word-beyond-max-words", vocabulary.dropped());
    let has_domains = settings.by_domain && domains.0.len() < of_pages.len();
    let raw = RawPages { counts, of_pages, names: classes.0, groups: has_domains.then_some(groups) };
    let (counts, labels, classes, groups) = raw.sorted(settings, unit)?;
    unit.kept("pages-trained-on", counts.len() as u64);
    Ok(Set { vocabulary, counts, labels, classes, groups })
}

/// Rows, their classes, the names of these, and groups of rows.
type SortedSet = (SparseRows, Labels, Vec<String>, Option<Vec<u32>>);

/// Pages with numbers of classes as they came.
struct RawPages {
    counts: SparseRows,
    of_pages: Vec<Vec<u32>>,
    names: HashMap<String, u32>,
    groups: Option<Vec<u32>>,
}

impl RawPages {
    /// Numbers classes by their names, and leaves out pages without words and classes of one page.
    fn sorted(self, settings: &TrainSettings, unit: &mut Unit<'_>) -> Result<SortedSet> {
        let mut pages_of: BTreeMap<u32, u64> = BTreeMap::new();
        let has_words = |page: usize| !self.counts.row(page).0.is_empty();
        let empty = (0..self.counts.len()).filter(|&page| !has_words(page)).count();
        unit.dropped("page-without-words", empty as u64);
        for (_, of) in self.of_pages.iter().enumerate().filter(|(page, _)| has_words(*page)) {
            of.iter().for_each(|&class| *pages_of.entry(class).or_default() += 1);
        }
        let sorted: BTreeMap<&String, u32> =
            self.names.iter().map(|(name, number)| (name, *number)).collect();
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut classes = Vec::new();
        let mut alone: Vec<&str> = Vec::new();
        for (name, number) in sorted {
            if pages_of.get(&number).copied().unwrap_or(0) < 2 {
                alone.push(name);
                continue;
            }
            numbers.insert(number, classes.len() as u32);
            classes.push(name.clone());
        }
        if !alone.is_empty() {
            unit.dropped("class-of-one-page", alone.len() as u64);
            let shown: Vec<&str> = alone.iter().take(5).copied().collect();
            unit.stage().progress.note(&format!(
                "{} classes have fewer than 2 pages with words and are left out: {}",
                alone.len(),
                crate::inputs::clip(&shown.join(", "), 200)
            ));
        }
        let least = if settings.multi { 1 } else { 2 };
        if classes.len() < least {
            return Err(Error::Config(format!(
                "{} classes of 2 pages or more are left of {} labelled pages ({}): at least {least} are needed",
                classes.len(),
                self.of_pages.len(),
                if classes.is_empty() { "none".into() } else { classes.join(", ") }
            )));
        }
        let mut kept: Vec<usize> = Vec::new();
        let mut labels = Labels::default();
        for (page, of) in self.of_pages.iter().enumerate().filter(|(page, _)| has_words(*page)) {
            let of: Vec<u32> = of.iter().filter_map(|class| numbers.get(class).copied()).collect();
            if !of.is_empty() || settings.multi {
                kept.push(page);
                labels.push(of);
            }
        }
        let groups = self.groups.map(|groups| kept.iter().map(|&page| groups[page]).collect());
        Ok((self.counts.select(&kept), labels, classes, groups))
    }
}

/// Pages to evaluate on, in the words and classes of a training set.
///
/// # Errors
/// Where pages cannot be read, or none is of a class that was trained.
pub fn gather_test(
    source: &PageSource,
    file: Option<&LabelFile>,
    set: &Set,
    settings: &TrainSettings,
    options: &FeatureOptions,
    unit: &mut Unit<'_>,
) -> Result<(SparseRows, Labels)> {
    let stage = unit.stage();
    let mut rows = SparseRows::new();
    let mut labels = Labels::default();
    let mut labeller = Labeller::new(file, settings.multi);
    let mut unknown = 0;
    let left_out = source.each(&read_as(settings, options, stage.memory), stage.cancel, |mut pages| {
        pages.retain_mut(|page| labeller.keep(page));
        let counted: Vec<Vec<(u32, u32)>> = with_facts(&pages, |facts| {
            let of = |extractor: &mut Extractor, page: &PageFacts<'_>| set.vocabulary.count(extractor, page);
            facts.par_iter().with_min_len(16).map_init(|| Extractor::new(options), of).collect()
        });
        for (page, row) in pages.iter().zip(counted) {
            let of: Vec<u32> = page
                .labels
                .iter()
                .filter_map(|label| set.classes.binary_search(label).ok().map(|class| class as u32))
                .collect();
            if of.is_empty() && !settings.multi {
                unknown += 1;
                continue;
            }
            labels.push(of);
            rows.push(row.into_iter().map(|(word, count)| (word, count as f32)));
        }
        Ok(())
    })?;
    left_out.iter().chain(&labeller.left_out).for_each(|(reason, count)| {
        unit.dropped(&format!("test-{reason}"), *count);
    });
    unit.dropped("test-page-of-unknown-class", unknown);
    if labels.is_empty() {
        return Err(Error::Config(format!(
            "no test page is of a class that was trained ({unknown} are of others): {}",
            crate::inputs::clip(&set.classes.join(", "), 300)
        )));
    }
    unit.kept("pages-tested-on", labels.len() as u64);
    Ok((rows, labels))
}
