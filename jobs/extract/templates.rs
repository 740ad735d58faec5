//! Learns the text that the pages of a host share, by default for hosts with ten captures or more.
//!
//! `webmill extract` calls it before main texts are extracted; the extractor of every part gets the templates.
//!
//! **Cost.** Heads of records are read once more to count hosts; then half of the pages of a host, ten at least and
//! [`MAX_PAGES`] at most, are parsed and divided into blocks once more, without a model.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webmill_capture::timing::{self, Part as Work};
use webmill_capture::{Error, Result};
use webmill_mill::{Likeness, Mill, PageLimits, Templates};
use webmill_run::{Measure, Unit, digest_bytes};
use webmill_shard::Part;
use webmill_text::{Footprint, LearntTemplate, MAX_PAGES, Sample, SharedText, Template};

use super::Pass;
use super::template_row::TemplateRow;
use crate::output::{first_part, write_rows};
use crate::walk::is_packed;

/// Takes the host of a sampled page, the hash of its URL, and what it adds to the known facts about the host.
pub(super) type EachSample<'a> = dyn FnMut(&str, u64, Footprint, Option<Likeness>) -> Result<()> + 'a;

/// Hosts by name.
type Hosts = BTreeMap<String, SampledHost>;

/// A host of enough captures.
#[derive(Default)]
struct SampledHost {
    captures: u64,
    /// Hashes of the URLs that are looked at.
    keys: Smallest,
    /// What stands for these pages.
    pages: Option<u128>,
    /// The pages found there.
    sample: Mutex<Sample>,
    /// Those that are compared with one another, by the same hashes.
    compared: Mutex<BTreeMap<u64, Likeness>>,
}

/// Hosts whose pages are held at a time to be compared; each takes up to 3 MiB, 30 to 150 KiB as a rule. Counting takes some
/// 150 bytes per host of the corpus, 600 for one of many pages. Shards packed as a whole are read once more for each such
/// number of hosts.
const HELD_HOSTS: usize = 1000;

/// Most pages of a host that are compared each with each by structure and text.
const COMPARED: usize = 8;
/// Of how many pages one is.
const COMPARED_OF: u64 = 25;

/// The smallest [`MAX_PAGES`] of the hashes pushed, each once, in order.
#[derive(Default, Serialize, Deserialize)]
pub struct Smallest(Vec<u64>);

impl Smallest {
    /// Those of the hashes in the bytes of several: eight, big-endian, a hash.
    pub fn of_bytes<'a>(bytes: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut smallest = Smallest::default();
        for bytes in bytes {
            bytes.as_chunks().0.iter().for_each(|key| smallest.push(u64::from_be_bytes(*key)));
        }
        smallest
    }

    /// The hashes that are looked at of a host with `captures` captures: half as many as captures, but at least ten.
    pub fn of_host(mut self, captures: u64) -> Self {
        self.0.truncate((captures / 2).clamp(10, MAX_PAGES as u64) as usize);
        self
    }

    fn has(&self, key: u64) -> bool {
        self.0.binary_search(&key).is_ok()
    }

    /// Their bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|key| key.to_be_bytes()).collect()
    }

    fn push(&mut self, key: u64) {
        if self.0.len() == MAX_PAGES && self.0.last().is_some_and(|&last| key >= last) {
            return;
        }
        if let Err(at) = self.0.binary_search(&key) {
            self.0.insert(at, key);
            self.0.truncate(MAX_PAGES);
        }
    }
}

impl Pass<'_> {
    /// Learns the templates of hosts of enough captures, a number of them at a time, and writes table `templates`; learns
    /// nothing if no templates are asked for. Damage is skipped here: extraction meets it again and counts it.
    pub fn learn_templates(&self, parts: &[Part]) -> Result<Templates> {
        if self.settings.template_pages == 0 {
            return Ok(Templates::new());
        }
        let name = self.name_of(&["templates"]);
        // A run that goes on finds the unit done and asks for nothing: rows kept for later runs stay all the same.
        self.walk.stage.still_wants(&name);
        let hosts = parts.iter().filter_map(|part| self.name("hosts", part));
        hosts.for_each(|name| self.walk.stage.still_wants(&name));
        let learnt: Vec<(String, Template)> = self.walk.stage.unit("templates", |unit| {
            let earlier = self.walk.stage.recall(&name).and_then(|bytes| postcard::from_bytes(&bytes).ok());
            let mut earlier: BTreeMap<u128, LearntHost> = earlier.unwrap_or_default();
            let (mut hosts, mut learnt) = (self.count(parts)?, Vec::new());
            hosts.retain_mut(|(host, counted)| {
                counted.pages = self.pages_id(host, counted, parts);
                let same = counted.pages.and_then(|pages| earlier.remove(&pages));
                let is_new = same.is_none();
                learnt.extend(same.map(|host| (counted.pages, host)));
                is_new
            });
            while !hosts.is_empty() {
                let rest = hosts.split_off(hosts.len().min(HELD_HOSTS));
                for (host, sampled) in self.sample(parts, std::mem::replace(&mut hosts, rest))? {
                    let _span = timing::span(Work::Templates);
                    let sample = sampled.sample.into_inner().unwrap_or_else(PoisonError::into_inner);
                    let compared = sampled.compared.into_inner().unwrap_or_else(PoisonError::into_inner);
                    learnt.push((sampled.pages, LearntHost::of(host, sampled.captures, &sample, &compared)));
                }
            }
            // Extraction may fare better: then templates lack what it found.
            let unread = std::mem::take(&mut *lock(&self.unread)?);
            unread.iter().for_each(|name| unit.unreadable(name));
            if unread.is_empty() {
                let known: BTreeMap<u128, &LearntHost> =
                    learnt.iter().filter_map(|(pages, host)| Some(((*pages)?, host))).collect();
                self.walk.stage.remember(&name, &packed(&known)?)?;
            }
            write_learnt(learnt.into_iter().map(|(_, host)| host).collect(), unit)
        })?;
        Ok(learnt.into_iter().collect())
    }

    /// What one part holds of hosts.
    pub(super) fn hosts_of(&self, part: &Part) -> Result<BTreeMap<String, HostCounts>> {
        let mut counts = BTreeMap::<String, HostCounts>::new();
        let mill = Mill::new(PageLimits::default());
        self.pages_of(&mill, part, &mut |host, key, capture| {
            if !counts.contains_key(host) {
                counts.insert(host.to_owned(), HostCounts::default());
            }
            if let Some(counted) = counts.get_mut(host) {
                let (offset, length) = (capture.place.offset, capture.place.length);
                counted.push(key, CapturePlace { part: 0, offset, length });
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// The same, as earlier results have it if they do.
    fn hosts_once(&self, part: &Part) -> Result<BTreeMap<String, HostCounts>> {
        let (name, stage) = (self.name("hosts", part), self.walk.stage);
        let known = name.as_ref().and_then(|name| stage.recall(name));
        if let Some(known) = known.and_then(|bytes| postcard::from_bytes(&bytes).ok()) {
            return Ok(known);
        }
        let hosts = self.hosts_of(part)?;
        let is_unread = lock(&self.unread)?.contains(&*self.walk.shards.inputs[part.input].name);
        if let Some(name) = name.filter(|_| !is_unread) {
            stage.remember(&name, &packed(&hosts)?)?;
        }
        Ok(hosts)
    }

    /// Stands for the pages that a host's template is learnt from; `None` where their places are not known.
    fn pages_id(&self, host: &str, counted: &HostCounts, parts: &[Part]) -> Option<u128> {
        let mut pages: Vec<(&str, u64)> = counted
            .wanted()?
            .map(|place| Some((self.walk.shards.digest_of(parts[place.part as usize].input)?, place.offset)))
            .collect::<Option<_>>()?;
        pages.sort_unstable();
        Some(digest_bytes(&packed(&(host, counted.captures, pages)).ok()?))
    }

    /// Hands over the pages of one part whose hashes are those that are looked at of their hosts.
    pub(super) fn samples_of(
        &self,
        part: &Part,
        hosts: &BTreeMap<String, Smallest>,
        each: &mut EachSample<'_>,
    ) -> Result<()> {
        let mill = Mill::new(PageLimits::default());
        self.pages_of(&mill, part, &mut |host, key, capture| {
            let Some((page, likeness)) = self.sampled(&mill, hosts.get(host), key, capture) else {
                return Ok(());
            };
            each(host, key, page, likeness)
        })
    }

    /// What a page adds to the sample of its host, where its hash is among those that are looked at.
    fn sampled(
        &self,
        mill: &Mill,
        keys: Option<&Smallest>,
        key: u64,
        capture: &webmill_capture::Capture<'_>,
    ) -> Option<(Footprint, Option<Likeness>)> {
        let at = keys?.0.binary_search(&key).ok()?;
        // Likeness takes the page's whole main text, which costs several times as much.
        mill.sampled(capture, at < COMPARED && key <= u64::MAX / COMPARED_OF)
    }

    /// The hosts of enough captures, those of most first.
    fn count(&self, parts: &[Part]) -> Result<Vec<(String, HostCounts)>> {
        let stage = self.walk.stage;
        stage.progress.begin("count hosts", parts.len() as u64, Measure::Items);
        let counts = Mutex::new(AllCounted::within(stage.memory));
        parts.par_iter().enumerate().with_max_len(1).try_for_each(|(number, part)| {
            let hosts = self.hosts_once(part)?;
            let mut counts = lock(&counts)?;
            hosts.into_iter().for_each(|(host, counted)| counts.add(host, number as u32, counted));
            stage.progress.advance(1);
            Ok::<_, Error>(())
        })?;
        stage.progress.end();
        let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner).hosts;
        let mut largest: Vec<(String, HostCounts)> = counts
            .into_iter()
            .filter(|(_, counted)| counted.captures >= self.settings.template_pages)
            .collect();
        largest.sort_by_key(|(_, counted)| Reverse(counted.captures));
        for (_, counted) in &mut largest {
            counted.keys = std::mem::take(&mut counted.keys).of_host(counted.captures);
        }
        Ok(largest)
    }

    /// The sampled pages of hosts.
    fn sample(&self, parts: &[Part], counted: Vec<(String, HostCounts)>) -> Result<Hosts> {
        let stage = self.walk.stage;
        let mut places: Option<Vec<CapturePlace>> = Some(Vec::new());
        let host = |(name, counted): (String, HostCounts)| {
            places = places.take().zip(counted.wanted()).map(|(mut places, wanted)| {
                places.extend(wanted);
                places
            });
            let HostCounts { captures, keys, pages, .. } = counted;
            (name, SampledHost { captures, keys, pages, ..SampledHost::default() })
        };
        let hosts: Hosts = counted.into_iter().map(host).collect();
        let mill = Mill::new(PageLimits::default());
        let add = |host: &str, key: u64, capture: &webmill_capture::Capture<'_>| {
            let Some(host) = hosts.get(host) else { return Ok(()) };
            if let Some((page, likeness)) = self.sampled(&mill, Some(&host.keys), key, capture) {
                lock(&host.sample)?.add(key, page);
                if let Some(likeness) = likeness {
                    let mut compared = lock(&host.compared)?;
                    let kept = compared.entry(key).or_default();
                    *kept = std::mem::take(kept).max(likeness);
                }
            }
            Ok(())
        };
        match places {
            Some(places) => {
                stage.progress.begin("compare pages", places.len() as u64, Measure::Items);
                self.each_place(parts, places, |_, host, key, capture| add(host, key, capture))?;
            }
            None => {
                stage.progress.begin("compare pages", parts.len() as u64, Measure::Items);
                self.each_page(parts, |_, host, key, capture| add(host, key, capture))?;
            }
        }
        stage.progress.end();
        Ok(hosts)
    }

    /// Calls `f` as [`each_page`](Self::each_page) does with what stands at these places.
    fn each_place(&self, parts: &[Part], mut places: Vec<CapturePlace>, f: impl EachPage) -> Result<()> {
        places.sort_unstable();
        let mill = Mill::new(PageLimits::default());
        places.par_chunk_by(|a, b| a.part == b.part).try_for_each(|places| {
            let _span = timing::span(Work::Templates);
            let part = places[0].part as usize;
            let input = &self.walk.shards.inputs[parts[part].input];
            // Records of a file that is packed as a whole have no places of their own.
            if is_packed(input) {
                self.walk.stage.progress.advance(places.len() as u64);
                return self.pages_of(&mill, &parts[part], &mut |host, key, page| f(part, host, key, page));
            }
            let file = self.walk.file(input);
            places.iter().try_for_each(|place| {
                self.walk.stage.cancel.check()?;
                self.walk.stage.progress.advance(1);
                let found = match file.read(place.offset, Some(place.length)) {
                    Ok(found) => found,
                    Err(Error::Io { .. }) => return self.is_unread(&parts[part]),
                    // Damage is met again by extraction, which counts it.
                    Err(_) => return Ok(()),
                };
                let record = found.record();
                let Some(capture) = record.to_capture() else { return Ok(()) };
                if_page(&mill, &capture, &mut |host, key, capture| f(part, host, key, capture))
            })
        })
    }

    /// Calls `f` with part, host, hash of the URL and capture of everything that may be a page, on all threads.
    fn each_page(&self, parts: &[Part], f: impl EachPage) -> Result<()> {
        let mill = Mill::new(PageLimits::default());
        parts.par_iter().enumerate().with_max_len(1).try_for_each(|(number, part)| {
            self.pages_of(&mill, part, &mut |host, key, capture| f(number, host, key, capture))?;
            self.walk.stage.progress.advance(1);
            Ok(())
        })
    }

    /// The same of one part.
    fn pages_of(
        &self,
        mill: &Mill,
        part: &Part,
        f: &mut dyn FnMut(&str, u64, &webmill_capture::Capture<'_>) -> Result<()>,
    ) -> Result<()> {
        let _span = timing::span(Work::Templates);
        let mut reader = match self.walk.open(part, None) {
            Ok(reader) => reader,
            Err(Error::Internal(reason)) => return Err(Error::Internal(reason)),
            Err(_) => return self.is_unread(part),
        };
        while let Some(record) = reader.next() {
            self.walk.stage.cancel.check()?;
            let record = match record {
                Ok(record) => record,
                Err(Error::Corrupt { .. } | Error::Limit(_)) => continue,
                Err(Error::Io { .. }) => return self.is_unread(part),
                Err(error) => return Err(error),
            };
            let Some(capture) = record.to_capture() else { continue };
            if_page(mill, &capture, f)?;
        }
        Ok(())
    }

    /// Notes that the file of a part could not be read to its end.
    fn is_unread(&self, part: &Part) -> Result<()> {
        lock(&self.unread)?.insert(self.walk.shards.inputs[part.input].name.to_string());
        Ok(())
    }
}

/// Calls `f` with host, hash of the URL and capture of what may be a page.
fn if_page(
    mill: &Mill,
    capture: &webmill_capture::Capture<'_>,
    f: &mut dyn FnMut(&str, u64, &webmill_capture::Capture<'_>) -> Result<()>,
) -> Result<()> {
    let url = mill.may_be_page(capture).then(|| capture.canonical_url()).flatten();
    url.map_or(Ok(()), |url| f(url.host(), (url.key().0 >> 64) as u64, capture))
}

/// Takes part, host, hash of the URL and capture of a page.
trait EachPage: Fn(usize, &str, u64, &webmill_capture::Capture<'_>) -> Result<()> + Sync {}

impl<F: Fn(usize, &str, u64, &webmill_capture::Capture<'_>) -> Result<()> + Sync> EachPage for F {}

/// Where a capture stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct CapturePlace {
    part: u32,
    offset: u64,
    length: u64,
}

/// Counts of all hosts.
struct AllCounted {
    hosts: BTreeMap<String, HostCounts>,
    /// Places that are kept, and how many may be.
    kept: usize,
    most: usize,
    /// Whether there were more, so that none are kept.
    overfull: bool,
}

impl AllCounted {
    /// With places in a sixteenth of the memory: where there are more, all shards are read once more.
    fn within(memory: u64) -> Self {
        let most = memory / 16 / size_of::<(u64, CapturePlace)>() as u64;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        AllCounted { hosts: BTreeMap::new(), kept: 0, most, overfull: false }
    }

    /// Adds what a part holds of a host.
    fn add(&mut self, host: String, part: u32, found: HostCounts) {
        let counted = self.hosts.entry(host).or_default();
        counted.overfull |= self.overfull;
        let before = counted.places.len();
        counted.add(part, found);
        self.kept = (self.kept + counted.places.len()).saturating_sub(before);
        if self.kept > self.most {
            self.hosts.values_mut().for_each(HostCounts::drop_places);
            (self.kept, self.overfull) = (0, true);
        }
    }
}

/// Counts of a host.
#[derive(Default, Serialize, Deserialize)]
pub struct HostCounts {
    /// Captures that may be pages.
    pub captures: u64,
    /// The smallest hashes of their URLs.
    pub keys: Smallest,
    /// What stands for the pages that are looked at, once it is known which these are.
    #[serde(skip)]
    pages: Option<u128>,
    /// Where captures stand whose hashes were among the smallest, by these.
    places: Vec<(u64, CapturePlace)>,
    /// Whether that are too many to be kept.
    overfull: bool,
}

impl HostCounts {
    /// Captures of one host whose places are kept: of each URL as many as are seldom there.
    const MOST: usize = 64 * MAX_PAGES;

    fn push(&mut self, key: u64, place: CapturePlace) {
        self.captures += 1;
        self.keys.push(key);
        self.put(key, place);
    }

    /// Adds what another part holds of the host.
    fn add(&mut self, part: u32, found: HostCounts) {
        self.captures += found.captures;
        found.keys.0.iter().for_each(|key| self.keys.push(*key));
        if found.overfull || self.overfull {
            return self.drop_places();
        }
        found.places.into_iter().for_each(|(key, place)| self.put(key, CapturePlace { part, ..place }));
    }

    fn put(&mut self, key: u64, place: CapturePlace) {
        if self.overfull || !self.keys.has(key) {
            return;
        }
        if self.places.len() == Self::MOST {
            self.places.retain(|(key, _)| self.keys.has(*key));
            if self.places.len() > Self::MOST / 2 {
                return self.drop_places();
            }
        }
        self.places.push((key, place));
    }

    fn drop_places(&mut self) {
        (self.overfull, self.places) = (true, Vec::new());
    }

    /// The places of the captures that are looked at; `None` where they were too many.
    fn wanted(&self) -> Option<impl Iterator<Item = CapturePlace>> {
        let wanted = self.places.iter().filter(|(key, _)| self.keys.has(*key));
        (!self.overfull).then(|| wanted.map(|(_, place)| *place))
    }
}

/// What was learnt of a host.
#[derive(Serialize, Deserialize)]
pub struct LearntHost {
    host: String,
    captures: u64,
    learnt: LearntTemplate,
    template: Option<Template>,
    /// Pages compared, share of one template, share of other content.
    likeness: (u32, Option<f64>, Option<f64>),
}

impl LearntHost {
    /// Learns from the sampled pages of a host.
    pub(super) fn of(
        host: String,
        captures: u64,
        sample: &Sample,
        compared: &BTreeMap<u64, Likeness>,
    ) -> Self {
        let likeness = Likeness::share(compared.values());
        let of_pairs = |pairs: u32| f64::from(pairs) / f64::from(likeness.pairs);
        let one_template = (likeness.pairs > 0).then(|| of_pairs(likeness.alike));
        let (template, learnt) = Template::learn(sample);
        let likeness = (likeness.pages, one_template, likeness.share());
        LearntHost { host, captures, learnt, template, likeness }
    }

    /// Its template, if it has one.
    pub(super) fn into_template(self) -> Option<(String, Template)> {
        Some((self.host, self.template?))
    }

    fn rows(&self) -> impl Iterator<Item = TemplateRow> {
        let texts = &self.learnt.texts;
        let none = texts.is_empty().then(|| self.row(None));
        none.into_iter().chain(texts.iter().map(|text| self.row(Some(text))))
    }

    fn row(&self, text: Option<&SharedText>) -> TemplateRow {
        let LearntHost { learnt, likeness, .. } = self;
        TemplateRow {
            url_host_name: self.host.clone(),
            pages: self.captures,
            sampled: learnt.pages as u32,
            verdict: learnt.verdict.into(),
            texts: self.template.as_ref().map_or(0, Template::len) as u32,
            share: learnt.share,
            compared: likeness.0,
            one_template: likeness.1,
            other_content: likeness.2,
            path: text.map(|text| text.path.clone()),
            depth: text.map(|text| u32::from(text.depth)),
            shown: text.map(|text| text.pages as u32),
            styles: text.map(|text| text.styles as u32),
            path_importance: text.map(|text| text.path_importance),
            words: text.map(|text| u32::from(text.words)),
            importance: text.map(|text| text.importance),
            is_template: text.map(|text| text.is_template),
        }
    }
}

/// Writes table `templates`; gives the templates by host.
pub(super) fn write_learnt(
    mut learnt: Vec<LearntHost>,
    unit: &mut Unit<'_>,
) -> Result<Vec<(String, Template)>> {
    learnt.sort_by(|a, b| a.host.cmp(&b.host));
    write_rows(unit, first_part::<TemplateRow>(), learnt.iter().flat_map(LearntHost::rows))?;
    Ok(learnt.into_iter().filter_map(LearntHost::into_template).collect())
}

fn packed(value: &impl Serialize) -> Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(|e| Error::Internal(e.to_string()))
}

fn lock<T>(mutex: &Mutex<T>) -> Result<std::sync::MutexGuard<'_, T>> {
    mutex.lock().map_err(|_| Error::Internal("another thread failed".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_stay_whatever_the_order() {
        let (mut up, mut down) = (Smallest::default(), Smallest::default());
        (0..500).for_each(|key| up.push(key * 7 % 500));
        (0..500).rev().chain(0..500).for_each(|key| down.push(key));
        assert_eq!(up.0, (0..MAX_PAGES as u64).collect::<Vec<_>>());
        assert_eq!(up.0, down.0);
    }

    #[test]
    fn places_of_the_smallest_are_kept_within_the_memory() {
        let place = |offset| CapturePlace { part: 0, offset, length: 1 };
        let push = |all: &mut AllCounted, host: &str, key, place| {
            let mut found = HostCounts::default();
            found.push(key, place);
            all.add(host.to_owned(), 0, found);
        };
        let fill = |memory| {
            let mut all = AllCounted::within(memory);
            for n in 0..50_000u64 {
                // Each URL twice, the smallest hashes last.
                push(&mut all, "a.example", (50_000 - n) / 2, place(n));
            }
            push(&mut all, "b.example", 1, place(9));
            all
        };
        let all = fill(1 << 30);
        let mut found: Vec<CapturePlace> = all.hosts["a.example"].wanted().unwrap().collect();
        found.sort_unstable();
        // Hashes 0 to 31; 0 is that of one capture.
        assert_eq!(found, (49_937..50_000).map(place).collect::<Vec<_>>());
        assert_eq!(all.hosts["b.example"].wanted().unwrap().collect::<Vec<_>>(), [place(9)]);
        assert!(all.kept <= HostCounts::MOST + 1);
        let all = fill(16 * 32 * 100);
        assert!(all.hosts.values().all(|host| host.wanted().is_none() && host.places.is_empty()));
        assert_eq!(all.hosts["a.example"].captures, 50_000);
        // One URL over and over.
        let mut all = AllCounted::within(1 << 30);
        (0..10_000).for_each(|n| push(&mut all, "a.example", 7, place(n)));
        assert!(all.hosts["a.example"].wanted().is_none() && all.kept == 0);
    }
}
