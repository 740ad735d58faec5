//! From a topic file to a topic.
//!
//! A topic file is TOML in UTF-8 ([`TopicOptions`]). Examples are files of HTML or plain text, or pages of an earlier run that are named by
//! URL; a sample of its other pages, by the hashes of their URLs, are the counter-examples.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use webmill_capture::{CanonicalUrl, UrlKey};
use webmill_crawl::focus::{Bag, Corpus, LinkTexts, Probability, Topic, TopicKind, TopicOptions, url_words};
use webmill_html::{Limits, metadata, parse};
use webmill_learn::{Model, PageFacts};
use webmill_mill::{LinkElement, LinkRow, TextRow};
use webmill_table::{Reader, columns};
use webmill_text::{TextLimits, main_text};

use crate::extract::Extract;
use crate::job::latest;
use crate::learn::{MODEL, TrainJob, open_model};
use webmill_run::Job as _;

/// Counter-examples that are read.
const MOST_OTHERS: usize = 2000;
/// Pages that a background is counted from.
const MOST_BACKGROUND: usize = 50_000;
/// Targets whose links are read, bytes of the texts of one's links, and of all.
const MOST_TARGETS: usize = 200_000;
const MOST_LINK_TEXT: usize = 1000;
const MAX_LINK_TEXTS: usize = 64 << 20;
/// Features of a model of which the words are taken.
const MOST_FEATURES: usize = 400;
/// Bytes of a topic file, and of an example.
const MAX_BYTES: u64 = 16 << 20;

columns! {
    struct Linked from LinkRow { target_url, target_key, anchor, kind }
}

columns! {
    struct PageText from TextRow { url, url_key, is_current, title, text }
}

/// Reads a topic file.
///
/// # Errors
/// A file that cannot be read, is not UTF-8, or says what cannot be, by path and reason.
pub fn read_options(path: &Path) -> Result<TopicOptions> {
    let text = read_text(path)?;
    let mut options: TopicOptions = toml::from_str(&text).with_context(|| path.display().to_string())?;
    options.check().with_context(|| path.display().to_string())?;
    // Paths in it are relative to it.
    let beside = path.parent().unwrap_or(Path::new(""));
    let resolve = |path: &mut PathBuf| *path = beside.join(&*path);
    options.examples.files.iter_mut().for_each(resolve);
    for path in [
        &mut options.background,
        &mut options.examples.results,
        &mut options.examples.urls_file,
        &mut options.model,
    ] {
        path.iter_mut().for_each(resolve);
    }
    Ok(options)
}

/// A text file in UTF-8; other encodings are named.
fn read_text(path: &Path) -> Result<String> {
    let about = std::fs::metadata(path).with_context(|| path.display().to_string())?;
    if about.len() > MAX_BYTES {
        bail!("{}: {} bytes, {MAX_BYTES} at most", path.display(), about.len());
    }
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) || bytes.contains(&0) {
        bail!("{}: it is in UTF-16 or no text; write it in UTF-8", path.display());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => bail!(
            "{}: byte {} is not UTF-8 (is it GBK or Latin-1?); write it in UTF-8",
            path.display(),
            error.utf8_error().valid_up_to()
        ),
    }
}

/// Makes the topic that a file describes.
///
/// # Errors
/// What it names cannot be read, or has no words.
pub fn topic(options: &TopicOptions) -> Result<Topic> {
    let background = options.background.as_deref().map(background).transpose()?;
    match options.kind {
        TopicKind::Words => Ok(Topic::of_words(options, background)?),
        TopicKind::Examples => of_examples(options),
        TopicKind::Model => of_model(options, background),
    }
}

/// How common words are on the pages of an earlier run.
fn background(results: &Path) -> Result<Corpus> {
    let mut corpus = Corpus::default();
    let mut reader = Reader::<PageText>::open(&latest(results, Extract::NAME)?.path("texts"))?;
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| row.is_current) {
            if corpus.pages() == MOST_BACKGROUND as u64 {
                return Ok(corpus);
            }
            corpus.add(bag(row.title, row.text).terms());
        }
    }
    if corpus.pages() == 0 {
        bail!("{}: it has no texts to tell how common words are", results.display());
    }
    Ok(corpus)
}

fn bag(title: Option<&str>, text: &str) -> Bag {
    Bag::of([(title.unwrap_or_default(), 3.0), (text, 1.0)])
}

fn of_examples(options: &TopicOptions) -> Result<Topic> {
    let examples = &options.examples;
    let mut of: Vec<Bag> = Vec::new();
    for path in &examples.files {
        let (title, text) = page_of(path)?;
        let bag = bag(Some(&title), &text);
        if bag.is_empty() {
            bail!("{}: an example without words", path.display());
        }
        of.push(bag);
    }
    let mut others = Vec::new();
    let (mut links, mut learned) = (LinkTexts::default(), None);
    if let Some(results) = &examples.results {
        let mut wanted = HashSet::new();
        let mut urls = examples.urls.clone();
        if let Some(file) = &examples.urls_file {
            urls.extend(read_urls(file)?);
        }
        for url in urls {
            let Some(parsed) = CanonicalUrl::parse(&url) else { bail!("examples: {url:?} is no URL") };
            wanted.insert(parsed.key());
        }
        let missing = of_run(results, &wanted, &mut of, &mut others)?;
        links = link_texts(results, &wanted)?;
        learned = super::links::learn(results, &wanted)?;
        if missing > 0 {
            crate::say!("{}: {missing} of {} examples have no text there", results.display(), wanted.len());
        }
    }
    Ok(Topic::of_examples(options, &of, &others, &links)?.with_links(learned))
}

/// URLs of a file, one a line.
pub fn read_urls(path: &Path) -> Result<Vec<String>> {
    let text = read_text(path)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// Reads the wanted pages of a run, and others; how many are missing.
fn of_run(
    results: &Path,
    wanted: &HashSet<UrlKey>,
    of: &mut Vec<Bag>,
    others: &mut Vec<Bag>,
) -> Result<usize> {
    let texts = latest(results, Extract::NAME)?.path("texts");
    let mut missing = wanted.len();
    let mut drawn: Vec<(u128, Bag)> = Vec::new();
    let mut below = u128::MAX;
    let mut reader = Reader::<PageText>::open(&texts)?;
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| row.is_current) {
            let key = UrlKey(row.url_key.0);
            if wanted.contains(&key) {
                missing -= 1;
                of.push(bag(row.title, row.text));
            } else if key.0 < below {
                drawn.push((key.0, bag(row.title, row.text)));
                if drawn.len() >= 2 * MOST_OTHERS {
                    drawn.sort_by_key(|(key, _)| *key);
                    drawn.truncate(MOST_OTHERS);
                    below = drawn.last().map_or(below, |(key, _)| *key);
                }
            }
        }
    }
    drawn.sort_by_key(|(key, _)| *key);
    drawn.truncate(MOST_OTHERS);
    others.extend(drawn.into_iter().map(|(_, bag)| bag));
    Ok(missing)
}

/// What links say of the pages of a run.
fn link_texts(results: &Path, wanted: &HashSet<UrlKey>) -> Result<LinkTexts> {
    let mut texts: BTreeMap<u128, (bool, String)> = BTreeMap::new();
    let mut reader = Reader::<Linked>::open(&latest(results, Extract::NAME)?.path("links"))?;
    let mut held = 0;
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| row.kind == LinkElement::A || row.kind == LinkElement::Area) {
            let known = texts.len();
            let text = match texts.entry(row.target_key.0) {
                Entry::Vacant(_) if known >= MOST_TARGETS => continue,
                Entry::Vacant(vacant) => {
                    let Some(url) = CanonicalUrl::parse_stored(row.target_url) else { continue };
                    &mut vacant.insert((wanted.contains(&url.key()), url_words(&url))).1
                }
                Entry::Occupied(known) => &mut known.into_mut().1,
            };
            if text.len() < MOST_LINK_TEXT && held < MAX_LINK_TEXTS {
                held += row.anchor.len();
                text.push('\n');
                text.push_str(row.anchor);
            }
        }
    }
    let mut links = LinkTexts::default();
    for (relevant, text) in texts.values() {
        links.add(&Bag::of([(text.as_str(), 1.0)]), *relevant);
    }
    Ok(links)
}

/// Title and main text of a file of HTML or plain text.
fn page_of(path: &Path) -> Result<(String, String)> {
    let about = std::fs::metadata(path).with_context(|| path.display().to_string())?;
    if about.len() > MAX_BYTES {
        bail!("{}: {} bytes, {MAX_BYTES} at most", path.display(), about.len());
    }
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let text = webmill_html::decode(&bytes, None, None).text;
    if !text.trim_start().starts_with('<') {
        return Ok((String::new(), text.into_owned()));
    }
    let dom = parse(&text, &Limits::default());
    let about = metadata(&dom, None, &[]);
    let limits = TextLimits { markdown: false, details: false, ..TextLimits::default() };
    let main = main_text(&dom, &about, &limits);
    Ok((main.about.title.unwrap_or_default(), main.text))
}

/// A class of a model.
struct OfModel {
    model: Model,
    class: usize,
    digest: u64,
}

impl std::fmt::Debug for OfModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "class {} of model {:x}", self.class, self.digest)
    }
}

impl Probability for OfModel {
    fn of(&self, url: &str, title: &str, text: &str) -> f32 {
        let facts = PageFacts { url, title, text, ..PageFacts::default() };
        self.model.predict(&facts).probabilities.get(self.class).map_or(0.0, |p| *p as f32)
    }

    fn digest(&self) -> u64 {
        self.digest
    }
}

/// The class of a model that is the topic; links are held against its words of highest weight.
fn of_model(options: &TopicOptions, background: Option<Corpus>) -> Result<Topic> {
    let named = options.model.as_deref().unwrap_or(Path::new(""));
    let path = if named.is_dir() { latest(named, TrainJob::NAME)?.path(MODEL) } else { named.to_path_buf() };
    let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
    let model = open_model(&path, &bytes)?;
    let classes = model.classes();
    let class = match &options.class {
        Some(name) => classes.iter().position(|class| class == name),
        None if classes.len() == 1 => Some(0),
        None => None,
    };
    let Some(class) = class else {
        bail!("{}: name one of its classes as class: {}", path.display(), classes.join(", "));
    };
    let words = model.top_features(class, MOST_FEATURES).into_iter().filter_map(|(feature, weight)| {
        // Words of every source are words of links too.
        let word = feature.rsplit_once('/').map_or(feature.as_str(), |(_, word)| word);
        let spoken = !feature.starts_with("language/") && !feature.starts_with("type/");
        spoken.then(|| (word.to_owned(), weight as f32))
    });
    let words: Vec<(String, f32)> = words.collect();
    let digest = xxhash_rust::xxh3::xxh3_64(&bytes);
    Ok(Topic::of_model(options, Arc::new(OfModel { model, class, digest }), &words, background)?)
}
