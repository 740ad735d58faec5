//! What the pages of a host share, learnt before main texts are extracted: by default of hosts of 200 captures and more.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use webmill_capture::{Error, Result};
use webmill_mill::{Likeness, Mill, Templates};
use webmill_run::Measure;
use webmill_shard::Part;
use webmill_text::{ElementImportance, MAX_PAGES, Sample, StyleTree, Template, TemplateMethod};

use super::Pass;
use super::template_row::{TemplateElementRow, TemplateRow};
use crate::output::{first_part, write_rows};

/// Hosts by name.
type Hosts = BTreeMap<String, SampledHost>;

/// A host of enough captures.
#[derive(Default)]
struct SampledHost {
    captures: u64,
    /// Hashes of the URLs that are looked at.
    keys: Smallest,
    /// The pages found there.
    sample: Mutex<Sample>,
    /// Those that are compared with one another, by the same hashes.
    compared: Mutex<BTreeMap<u64, Likeness>>,
}

/// The smallest [`MAX_PAGES`] of the hashes pushed, each once, in order.
#[derive(Default)]
struct Smallest(Vec<u64>);

impl Smallest {
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
    /// Learns the templates of the largest hosts and writes table `templates`; none where none are asked for. Damage is
    /// passed over here: extraction meets it again and counts it.
    pub fn learn_templates(&self, parts: &[Part]) -> Result<Templates> {
        if self.settings.template_pages == 0 || self.settings.template_hosts == 0 {
            return Ok(Templates::new());
        }
        let learnt: Vec<(String, Template)> = self.walk.stage.unit("templates", |unit| {
            let hosts = self.sample(parts)?;
            let (mut rows, mut out) = (Vec::with_capacity(hosts.len()), Vec::new());
            let mut elements = Vec::new();
            for (host, sampled) in hosts {
                let sample = sampled.sample.into_inner().unwrap_or_else(PoisonError::into_inner);
                let compared = sampled.compared.into_inner().unwrap_or_else(PoisonError::into_inner);
                let likeness = Likeness::share(compared.values());
                let of_pairs = |pairs: u32| f64::from(pairs) / f64::from(likeness.pairs);
                let (template, learnt) = Template::learn_by(self.settings.template_method, &sample);
                elements.extend(importances(&host, self.settings.template_method, &sample));
                rows.push(TemplateRow {
                    url_host_name: host.clone(),
                    pages: sampled.captures,
                    sampled: learnt.pages as u32,
                    verdict: learnt.verdict.into(),
                    texts: template.as_ref().map_or(0, Template::len) as u32,
                    pages_hit: learnt.hit as u32,
                    share: learnt.share,
                    agreement: learnt.agreement,
                    compared: likeness.pages,
                    one_template: (likeness.pairs > 0).then(|| of_pairs(likeness.alike)),
                    other_content: likeness.share(),
                });
                out.extend(template.map(|template| (host, template)));
            }
            write_rows(unit, first_part::<TemplateRow>(), rows)?;
            if self.settings.template_method == TemplateMethod::StyleTree {
                write_rows(unit, first_part::<TemplateElementRow>(), elements)?;
            }
            Ok(out)
        })?;
        Ok(learnt.into_iter().collect())
    }

    fn sample(&self, parts: &[Part]) -> Result<Hosts> {
        let stage = self.walk.stage;
        stage.progress.begin("count hosts", parts.len() as u64, Measure::Items);
        let counts = Mutex::new(BTreeMap::<String, (u64, Smallest)>::new());
        self.each_page(parts, |host, key, _| {
            let mut counts = lock(&counts)?;
            if !counts.contains_key(host) {
                counts.insert(host.to_owned(), Default::default());
            }
            if let Some((pages, keys)) = counts.get_mut(host) {
                *pages += 1;
                keys.push(key);
            }
            Ok(())
        })?;
        stage.progress.end();
        let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut largest: Vec<(String, (u64, Smallest))> =
            counts.into_iter().filter(|(_, (pages, _))| *pages >= self.settings.template_pages).collect();
        largest.sort_by_key(|(_, (pages, _))| Reverse(*pages));
        largest.truncate(self.settings.template_hosts);
        let host = |(name, (captures, keys)): (String, (u64, Smallest))| {
            (name, SampledHost { captures, keys, ..SampledHost::default() })
        };
        let hosts: Hosts = largest.into_iter().map(host).collect();
        if hosts.is_empty() {
            return Ok(hosts);
        }

        stage.progress.begin("compare pages", parts.len() as u64, Measure::Items);
        let mill = Mill::new(self.settings.limits.clone());
        self.each_page(parts, |host, key, capture| {
            let Some(host) = hosts.get(host) else { return Ok(()) };
            let Ok(at) = host.keys.0.binary_search(&key) else { return Ok(()) };
            let compared = at < self.settings.template_compared;
            if let Some((page, likeness)) = mill.sampled(capture, self.settings.template_method, compared) {
                lock(&host.sample)?.add(key, page);
                if let Some(likeness) = likeness {
                    let mut compared = lock(&host.compared)?;
                    let kept = compared.entry(key).or_default();
                    *kept = std::mem::take(kept).max(likeness);
                }
            }
            Ok(())
        })?;
        stage.progress.end();
        Ok(hosts)
    }

    /// Calls `f` with host, hash of the URL and capture of everything that may be a page, on all threads.
    fn each_page(
        &self,
        parts: &[Part],
        f: impl Fn(&str, u64, &webmill_capture::Capture<'_>) -> Result<()> + Sync,
    ) -> Result<()> {
        let mill = Mill::new(self.settings.limits.clone());
        parts.par_iter().with_max_len(1).try_for_each(|part| {
            // A file that cannot be read is met again by extraction, which counts it.
            let mut reader = match self.walk.open(part, None) {
                Ok(reader) => reader,
                Err(Error::Internal(reason)) => return Err(Error::Internal(reason)),
                Err(_) => return Ok(()),
            };
            while let Some(record) = reader.next() {
                self.walk.stage.cancel.check()?;
                let record = match record {
                    Ok(record) => record,
                    Err(Error::Corrupt { .. } | Error::Limit(_)) => continue,
                    Err(Error::Io { .. }) => break,
                    Err(error) => return Err(error),
                };
                let Some(capture) = record.to_capture() else { continue };
                if mill.may_be_page(&capture)
                    && let Some(url) = capture.canonical_url()
                {
                    f(url.host(), (url.key().0 >> 64) as u64, &capture)?;
                }
            }
            self.walk.stage.progress.advance(1);
            Ok(())
        })
    }
}

/// What the style tree of a host holds of its elements.
fn importances(host: &str, method: TemplateMethod, sample: &Sample) -> Vec<TemplateElementRow> {
    if method != TemplateMethod::StyleTree {
        return Vec::new();
    }
    let row = |element: ElementImportance| TemplateElementRow {
        url_host_name: host.to_owned(),
        path: element.path,
        depth: element.depth,
        pages: element.pages,
        styles: element.styles,
        words: element.words,
        importance: element.importance,
        is_template: element.is_template,
    };
    StyleTree::of_sample(sample).elements().into_iter().map(row).collect()
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
}
