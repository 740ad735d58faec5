//! What the pages of a host share: read before main texts are extracted, where the job is asked to.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use webmill::extract::{Extractor, Templates};
use webmill::run::{Measure, Stage};
use webmill::shard::Part;
use webmill::table::{Footer, Table, TemplateRow, write_part};
use webmill::text::{Sample, Template};
use webmill::{Error, Result};

use crate::extract::Extract;
use crate::rejects::columns;

/// Captures of a host, and its sampled pages.
type Hosts = BTreeMap<String, (u64, Mutex<Sample>)>;

impl Extract {
    /// Learns the templates of the largest hosts and writes table `templates`; none where none are asked for. Damage is
    /// passed over here: extraction meets it again and counts it.
    pub fn learn_templates(&self, stage: &Stage<'_>, parts: &[Part]) -> Result<Templates> {
        if self.template_hosts == 0 {
            return Ok(Templates::new());
        }
        let learnt: Vec<(String, Template)> = stage.unit("templates", |unit| {
            let hosts = self.sample(stage, parts)?;
            let (mut rows, mut out) = (Vec::with_capacity(hosts.len()), Vec::new());
            for (host, (pages, sample)) in hosts {
                let sample = sample.into_inner().unwrap_or_else(PoisonError::into_inner);
                let (template, learnt) = Template::learn(&sample);
                rows.push(TemplateRow {
                    url_host_name: host.clone(),
                    pages,
                    sampled: learnt.pages as u32,
                    verdict: learnt.verdict.name(),
                    texts: template.as_ref().map_or(0, Template::len) as u32,
                    pages_hit: learnt.hit as u32,
                    share: learnt.share,
                    agreement: learnt.agreement,
                });
                out.extend(template.map(|template| (host, template)));
            }
            let relative = format!("{}/part-000000.parquet", TemplateRow::NAME);
            let footer = Footer { job_key: unit.stage().key().to_string() };
            let written = write_part(&unit.create(&relative)?, &rows, &footer)?;
            unit.wrote(&relative, TemplateRow::NAME, columns::<TemplateRow>(), written);
            Ok(out)
        })?;
        Ok(learnt.into_iter().collect())
    }

    fn sample(&self, stage: &Stage<'_>, parts: &[Part]) -> Result<Hosts> {
        stage.progress.begin("count hosts", parts.len() as u64, Measure::Items);
        let counts = Mutex::new(BTreeMap::<String, u64>::new());
        self.each_page(stage, parts, |host, _, _| {
            *lock(&counts)?.entry(host.to_owned()).or_default() += 1;
            Ok(())
        })?;
        stage.progress.end();
        let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut largest: Vec<(String, u64)> = counts.into_iter().collect();
        largest.sort_by_key(|(_, pages)| Reverse(*pages));
        largest.truncate(self.template_hosts);
        let hosts: Hosts = largest.into_iter().map(|(host, n)| (host, (n, Mutex::default()))).collect();

        stage.progress.begin("compare pages", parts.len() as u64, Measure::Items);
        let extractor = Extractor::new(self.limits.clone());
        self.each_page(stage, parts, |host, key, capture| {
            let Some((_, sample)) = hosts.get(host) else { return Ok(()) };
            // Which pages are parsed depends on the order of threads; which are kept does not.
            if lock(sample)?.wants(key)
                && let Some(page) = extractor.footprint(capture)
            {
                lock(sample)?.add(key, page);
            }
            Ok(())
        })?;
        stage.progress.end();
        Ok(hosts)
    }

    /// Calls `f` with host, hash of the URL and capture of everything that was answered with 2xx, on all threads.
    fn each_page(
        &self,
        stage: &Stage<'_>,
        parts: &[Part],
        f: impl Fn(&str, u64, &webmill::capture::Capture<'_>) -> Result<()> + Sync,
    ) -> Result<()> {
        parts.par_iter().with_max_len(1).try_for_each(|part| {
            let mut reader = self.open(part, None)?;
            while let Some(record) = reader.next() {
                stage.cancel.check()?;
                let record = match record {
                    Ok(record) => record,
                    Err(Error::Corrupt { .. } | Error::Limit(_)) => continue,
                    Err(error) => return Err(error),
                };
                let Some(capture) = record.to_capture() else { continue };
                if matches!(capture.response.status, None | Some(200..=299))
                    && let Some(url) = capture.canonical_url()
                {
                    f(url.host(), (url.key().0 >> 64) as u64, &capture)?;
                }
            }
            stage.progress.advance(1);
            Ok(())
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> Result<std::sync::MutexGuard<'_, T>> {
    mutex.lock().map_err(|_| Error::Internal("another thread failed".into()))
}
