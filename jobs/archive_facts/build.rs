//! Makes the file of facts: see [`super`].
//!
//! Layout of `KEY.facts`: a line that names the form; blocks of captures (JSON lines, zlib); the table of captures; the table of
//! blocks; a footer of fixed size with the places of these. Numbers are little-endian. `KEY.index` beside it is an inverted index
//! of the texts by numbers of captures ([`crate::mapreduce::postings`]); it is whole where the other is there.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::mapreduce::postings::IndexWriter;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result, date};
use webmill_mill::{PageRow, TextRow};
use webmill_run::Committed;
use webmill_serve::site::{CaptureFacts, ClusterFacts, PlaceFacts};
use webmill_shard::Staged;
use webmill_sort::{Budget, BytesSorter};
use webmill_table::{Reader, columns, part_files};
use xxhash_rust::xxh3::Xxh3;

use super::{StoredFacts, VERSION, terms};
use crate::current_captures::place;
use crate::dedup::tables::ClusterRow;
use crate::job::{if_any, latest};
use crate::levels::{Level, read_level};
use crate::output::covering;
use crate::rank::places::Places;
use crate::rank::tables::RankRow;

/// The first line of the file.
pub const MAGIC: &[u8; 16] = b"webmill facts 2\n";
/// Bytes of captures in a block.
const BLOCK: usize = 64 << 10;
/// Other pages of a cluster that are named.
const OTHERS: usize = 12;
/// Longest text that is kept to be shown, in bytes.
const TEXT: usize = 512 << 10;

columns! {
    struct Page from PageRow {
        url, url_key, fetch_time, title, author, published, description, content_languages, content_charset, num_links,
        warc_filename, warc_record_offset,
    }
}

columns! {
    struct Place from PageRow { warc_filename, warc_record_offset }
}

columns! {
    struct Text from TextRow { url_key, title, text, num_words, warc_filename, warc_record_offset }
}

columns! {
    struct RankColumns from RankRow { url, crawled, pagerank, indegree }
}

columns! {
    struct ClusterColumns from ClusterRow { url, url_key, cluster, representative, kind, size }
}

columns! {
    struct Score from RankRow { crawled, pagerank }
}

/// The results that the file is made of.
pub struct Sources {
    extract: Committed,
    rank: Option<Committed>,
    dedup: Option<Committed>,
}

impl Sources {
    /// The latest results in `out`; ranks and duplicates may be missing.
    pub fn latest(out: &Path) -> Result<Sources> {
        let optional = |job| if_any(latest(out, job));
        Ok(Sources { extract: latest(out, "extract")?, rank: optional("rank")?, dedup: optional("dedup")? })
    }

    /// A name for the file made of them.
    pub fn key(&self) -> String {
        let mut hash = Xxh3::new();
        hash.update(&VERSION.to_le_bytes());
        for committed in [Some(&self.extract), self.rank.as_ref(), self.dedup.as_ref()] {
            let key = committed.map(|committed| committed.manifest.key.to_string()).unwrap_or_default();
            hash.update(key.as_bytes());
            hash.update(&[0]);
        }
        format!("{:032x}", hash.digest128())
    }
}

/// Makes the file at `path`, which appears when it is whole.
pub fn build(sources: &Sources, path: &Path, budget: &Budget) -> Result<()> {
    let ranks = ranks(sources.rank.as_ref())?;
    let clusters = Clusters::read(sources.dedup.as_ref())?;
    let mut out = FactsWriter::create(path, budget)?;
    let folder = sources.extract.path("pages");
    let texts = part_files(&sources.extract.path("texts"))?;
    for part in part_files(&folder)? {
        let mut texts = TextsOfPart::open(covering(&texts, &part), &part)?;
        let mut pages = Reader::<Page>::over(vec![part]);
        while let Some(batch) = pages.next()? {
            let mut captures = Vec::with_capacity(batch.len());
            for page in batch.rows() {
                let place = (page.url_key.0, page.warc_filename, page.warc_record_offset);
                let (title, text, words) = texts.of(place)?.unwrap_or_default();
                let own = |text: Option<&str>| text.map(str::to_owned);
                let some = |n: u32| (n > 0).then_some(u64::from(n));
                let rank = ranks.get(&page.url_key.0);
                let facts = CaptureFacts {
                    title: own(page.title).or(title),
                    author: own(page.author),
                    published: own(page.published),
                    description: own(page.description),
                    languages: own(page.content_languages),
                    charset: own(page.content_charset),
                    words: some(words),
                    links: some(page.num_links),
                    pagerank: rank.map(|rank| rank.pagerank),
                    places: rank.map(|rank| rank.places),
                    in_links: rank.map(|rank| u64::from(rank.in_links)),
                    cluster: clusters.of(page.url_key.0, page.url),
                    text: (!text.is_empty()).then_some(text),
                };
                let timestamp = page.fetch_time.0.and_then(|ms| date::format_14(ms).parse().ok());
                let known =
                    StoredFacts { url: page.url.to_owned(), timestamp: timestamp.unwrap_or(0), facts };
                captures.push((page.url_key.0, known));
            }
            out.add(captures)?;
        }
        texts.ended()?;
    }
    out.finish()
}

/// Where a crawled page stands.
#[derive(Default)]
struct Rank {
    pagerank: f64,
    /// Among the crawled pages and among all nodes.
    places: [PlaceFacts; 2],
    in_links: u32,
}

/// Score, places and in-links of the crawled pages.
fn ranks(rank: Option<&Committed>) -> Result<HashMap<u128, Rank>> {
    let mut ranks: HashMap<u128, Rank> = HashMap::new();
    let Some(rank) = rank else { return Ok(HashMap::new()) };
    let mut reader = read_level::<RankColumns>(rank, Level::Page);
    while let Some(batch) = reader.next()? {
        for page in batch.rows().filter(|page| page.crawled) {
            let rank = Rank { pagerank: page.pagerank, in_links: page.indegree, ..Rank::default() };
            ranks.insert(webmill_capture::UrlKey::of(page.url).0, rank);
        }
    }
    let mut places = Places::of(ranks.values().map(|rank| rank.pagerank).collect());
    let mut reader = read_level::<Score>(rank, Level::Page);
    while let Some(batch) = reader.next()? {
        batch.rows().for_each(|node| places.see(node.pagerank, node.crawled));
    }
    let places = places.counted();
    ranks.values_mut().for_each(|rank| rank.places = places.get(rank.pagerank));
    Ok(ranks)
}

/// Clusters by the pages in them.
#[derive(Default)]
struct Clusters {
    of: HashMap<u128, (u32, String)>,
    clusters: HashMap<u32, ClusterFacts>,
}

impl Clusters {
    fn read(dedup: Option<&Committed>) -> Result<Clusters> {
        let mut all = Clusters::default();
        let Some(dedup) = dedup else { return Ok(all) };
        let mut reader = Reader::<ClusterColumns>::open(&dedup.path("clusters"))?;
        while let Some(batch) = reader.next()? {
            for page in batch.rows() {
                all.of.insert(page.url_key.0, (page.cluster, page.kind.to_string()));
                let cluster = all.clusters.entry(page.cluster).or_insert_with(|| ClusterFacts {
                    number: u64::from(page.cluster),
                    size: u64::from(page.size),
                    representative: page.representative.to_owned(),
                    ..ClusterFacts::default()
                });
                // One more than is shown, as a page is not shown among its own others.
                if cluster.others.len() <= OTHERS && page.url != page.representative {
                    cluster.others.push(page.url.to_owned());
                }
            }
        }
        Ok(all)
    }

    fn of(&self, key: u128, url: &str) -> Option<ClusterFacts> {
        let (number, kind) = self.of.get(&key)?;
        let cluster = self.clusters.get(number)?;
        let others = cluster.others.iter().filter(|other| *other != url).take(OTHERS).cloned().collect();
        Some(ClusterFacts { kind: kind.clone(), others, ..cluster.clone() })
    }
}

/// The texts of a part of table `pages`, which stand in the order of its pages, among those of other parts perhaps.
struct TextsOfPart {
    /// Places of the pages of the part.
    places: HashSet<u64>,
    reader: Option<Reader<Text<'static>>>,
    waiting: VecDeque<(u128, String, i64, Option<String>, String, u32)>,
}

type TextOfPage = (Option<String>, String, u32);

impl TextsOfPart {
    fn open(texts: Option<&PathBuf>, pages: &Path) -> Result<TextsOfPart> {
        let mut places = HashSet::new();
        let mut reader = Reader::<Place>::open(pages)?;
        while let Some(batch) = reader.next()? {
            places.extend(batch.rows().map(|page| place(page.warc_filename, page.warc_record_offset)));
        }
        let reader = texts.map(|path| Reader::over(vec![path.clone()]));
        Ok(TextsOfPart { places, reader, waiting: VecDeque::new() })
    }

    fn of(&mut self, place: (u128, &str, i64)) -> Result<Option<TextOfPage>> {
        while self.waiting.is_empty() {
            let Some(reader) = &mut self.reader else { return Ok(None) };
            let Some(batch) = reader.next()? else {
                self.reader = None;
                return Ok(None);
            };
            let places = &self.places;
            let of_part = batch
                .rows()
                .filter(|text| places.contains(&self::place(text.warc_filename, text.warc_record_offset)));
            self.waiting.extend(of_part.map(|text| {
                let title = text.title.map(str::to_owned);
                let place = (text.url_key.0, text.warc_filename.to_owned(), text.warc_record_offset);
                (place.0, place.1, place.2, title, text.text.to_owned(), text.num_words)
            }));
        }
        let here = self.waiting.front().is_some_and(|text| (text.0, text.1.as_str(), text.2) == place);
        Ok(self.waiting.pop_front_if(|_| here).map(|text| (text.3, text.4, text.5)))
    }

    fn ended(&mut self) -> Result<()> {
        if self.waiting.is_empty() && self.of((0, "", -1))?.is_none() && self.waiting.is_empty() {
            return Ok(());
        }
        Err(Error::Internal("texts do not stand in the order of their pages".into()))
    }
}

/// Where a capture is in the file, and what queries need of it.
struct Row {
    key: u128,
    timestamp: u64,
    length: u32,
    block: u32,
    start: u32,
    bytes: u32,
}

/// Writes the file.
pub struct FactsWriter {
    index: PathBuf,
    out: Staged,
    at: u64,
    block: Vec<u8>,
    blocks: Vec<u64>,
    rows: Vec<Row>,
    postings: BytesSorter,
}

impl FactsWriter {
    pub fn create(path: &Path, budget: &Budget) -> Result<FactsWriter> {
        let mut writer = FactsWriter {
            index: index_of(path),
            out: Staged::create(path)?,
            at: 0,
            block: Vec::new(),
            blocks: Vec::new(),
            rows: Vec::new(),
            postings: BytesSorter::new(budget),
        };
        writer.put(MAGIC)?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.at += bytes.len() as u64;
        self.out.put(bytes)
    }

    pub fn add(&mut self, captures: Vec<(u128, StoredFacts)>) -> Result<()> {
        let prepared: Vec<_> = captures
            .into_par_iter()
            .map(|(key, mut known)| {
                // Without main text there is nothing to find.
                let mut found = Default::default();
                if let Some(text) = &mut known.facts.text {
                    found = terms::of_text(known.facts.title.as_deref().unwrap_or_default(), text);
                    text.truncate(text.floor_char_boundary(TEXT));
                }
                let json =
                    serde_json::to_vec(&known).map_err(|e| Error::Internal(format!("facts as JSON: {e}")));
                json.map(|json| (key, known.timestamp, found, json))
            })
            .collect::<Result<_>>()?;
        for (key, timestamp, (places, length), json) in prepared {
            let number = u32::try_from(self.rows.len())
                .map_err(|_| Error::Limit("more captures than a search index can number".into()))?;
            for (term, (_, places)) in places {
                let mut sorted = term.into_bytes();
                sorted.push(0);
                sorted.extend_from_slice(&number.to_be_bytes());
                self.postings.push(&sorted, &places)?;
            }
            let (start, bytes) = (self.block.len() as u32, json.len() as u32);
            self.rows.push(Row { key, timestamp, length, block: self.blocks.len() as u32, start, bytes });
            self.block.extend_from_slice(&json);
            if self.block.len() >= BLOCK {
                self.end_block()?;
            }
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        let failed = |e: std::io::Error| Error::Internal(format!("compression failed: {e}"));
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(5));
        encoder.write_all(&self.block).map_err(failed)?;
        let packed = encoder.finish().map_err(failed)?;
        self.blocks.push(self.at);
        self.block.clear();
        self.put(&packed)
    }

    pub fn finish(mut self) -> Result<()> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        self.blocks.push(self.at);
        let sorter = std::mem::replace(&mut self.postings, BytesSorter::new(&Budget::new(1 << 16)));
        self.write_index(sorter)?;
        let rows_at = self.at;
        let rows = std::mem::take(&mut self.rows);
        for row in &rows {
            let mut bytes = [0; 40];
            bytes[..16].copy_from_slice(&row.key.to_le_bytes());
            bytes[16..24].copy_from_slice(&row.timestamp.to_le_bytes());
            for (at, number) in [row.length, row.block, row.start, row.bytes].into_iter().enumerate() {
                bytes[24 + 4 * at..28 + 4 * at].copy_from_slice(&number.to_le_bytes());
            }
            self.put(&bytes)?;
        }
        let blocks_at = self.at;
        for at in std::mem::take(&mut self.blocks) {
            self.put(&at.to_le_bytes())?;
        }
        let footer = [rows_at, blocks_at];
        for number in footer {
            self.put(&number.to_le_bytes())?;
        }
        self.put(MAGIC)?;
        self.out.commit().map(drop)
    }

    /// The postings, term by term in the order of the terms.
    fn write_index(&self, postings: BytesSorter) -> Result<()> {
        let broken = || Error::Internal("a sorted posting is not what was put in".into());
        let mut sorted = postings.finish()?;
        let mut index = IndexWriter::create(&self.index)?;
        let mut term = String::new();
        while let Some((key, places)) = sorted.next().transpose()? {
            let (name, number) = key.split_at_checked(key.len().wrapping_sub(5)).ok_or_else(broken)?;
            let number = u32::from_be_bytes(number[1..].try_into().map_err(|_| broken())?);
            if name != term.as_bytes() {
                term.clear();
                term.push_str(std::str::from_utf8(name).map_err(|_| broken())?);
                index.term(&term)?;
            }
            let row = self.rows.get(number as usize).ok_or_else(broken)?;
            index.text(number, row.length, places)?;
        }
        index.finish(0, 1, self.rows.len() as u64)?;
        File::open(&self.index).and_then(|file| file.sync_all()).at(&self.index)
    }
}

/// The inverted index that belongs to a file of facts.
pub fn index_of(facts: &Path) -> PathBuf {
    facts.with_extension("index")
}
