//! A page that a rule is tried on: a file, or one of results.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use webmill_capture::{CanonicalUrl, Capture};
use webmill_shard::{ReadOptions, RecordFile, ShardReader, discover};
use webmill_table::{Reader, columns};

use webmill_jobs::job::latest;

/// Bytes of a page.
const MAX_BYTES: u64 = 64 << 20;

/// Where pages are looked for.
#[derive(Debug)]
pub struct Pages<'a> {
    /// Address of a page that is a file, against which links are resolved.
    pub url: Option<&'a str>,
    /// Results that addresses are looked up in.
    pub results: Option<PathBuf>,
    /// The shards that the results are of, where they lie elsewhere than when they were read; without results those that the
    /// page is looked for in.
    pub shards: &'a [String],
}

columns! {
    struct CaptureColumns from webmill_mill::PageRow {
        url_key, is_current, warc_filename, warc_record_offset, warc_record_length
    }
}

/// The bytes of a page, and its address.
pub struct PageBytes {
    /// Its address.
    pub url: CanonicalUrl,
    /// Its content, as the server has it.
    pub body: Vec<u8>,
    /// The encoding that the server named.
    pub label: Option<Vec<u8>>,
}

impl PageBytes {
    fn of(url: CanonicalUrl, capture: &Capture<'_>) -> PageBytes {
        let payload = capture.response.payload(MAX_BYTES as usize);
        let body = webmill_capture::decode_content(&capture.response, &payload.bytes, MAX_BYTES as usize);
        let label = capture.response.charset_label().map(<[u8]>::to_vec);
        PageBytes { url, body: body.bytes.into_owned(), label }
    }
}

impl Pages<'_> {
    /// A page: a file, or an address.
    ///
    /// # Errors
    /// Where there is no such page.
    pub fn read(&self, page: &str) -> Result<PageBytes> {
        let path = Path::new(page);
        if path.is_file() {
            let size = std::fs::metadata(path)?.len();
            ensure!(size <= MAX_BYTES, "{page}: {size} bytes; a page has at most {MAX_BYTES}");
            let body = std::fs::read(path).with_context(|| page.to_owned())?;
            return Ok(PageBytes {
                url: canonical(self.url.unwrap_or("http://localhost/"))?,
                body,
                label: None,
            });
        }
        ensure!(page.contains("://"), "{page}: neither a file nor an address");
        let url = canonical(page)?;
        let Some(results) = &self.results else {
            ensure!(
                !self.shards.is_empty(),
                "{page}: name the results that hold it, or its shards (--shards)"
            );
            let found = self.of_shards(&url)?;
            return found.with_context(|| format!("{page}: no page of {}", self.shards.join(", ")));
        };
        let stored = self.stored(&url, results)?;
        stored.with_context(|| format!("{page}: no page of {}", results.display()))
    }

    /// The latest capture of a page in the shards that were named, one with status 2xx before others.
    fn of_shards(&self, url: &CanonicalUrl) -> Result<Option<PageBytes>> {
        let mut best: Option<((bool, i64), PageBytes)> = None;
        let (inputs, refused) = discover(self.shards)?;
        for error in refused {
            webmill_jobs::say!("{error}");
        }
        for input in &inputs {
            let mut reader = ShardReader::open(&input.path, &ReadOptions::default())?;
            while let Some(record) = reader.next() {
                let record = match record {
                    Ok(record) => record,
                    Err(error) => {
                        webmill_jobs::say!("{error}");
                        continue;
                    }
                };
                let Some(capture) = record.to_mention() else { continue };
                if capture.canonical_url().is_none_or(|found| found.key() != url.key()) {
                    continue;
                }
                let good = (200..300).contains(&capture.response.status.unwrap_or_default());
                let rank = (good, capture.date_ms.unwrap_or(i64::MIN));
                if best.as_ref().is_none_or(|best| best.0 <= rank) {
                    best = Some((rank, PageBytes::of(url.clone(), &capture)));
                }
            }
        }
        Ok(best.map(|best| best.1))
    }

    /// A page of results.
    fn stored(&self, url: &CanonicalUrl, results: &Path) -> Result<Option<PageBytes>> {
        let extract = latest(results, "extract").with_context(|| results.display().to_string())?;
        let key = url.key().0;
        let mut reader = Reader::<CaptureColumns>::open(&extract.path("pages"))?;
        while let Some(batch) = reader.next()? {
            let Some(row) = batch.rows().find(|row| row.url_key.0 == key && row.is_current) else { continue };
            let lay = if self.shards.is_empty() {
                webmill_jobs::archive::shards_of(results)?
            } else {
                self.shards.to_vec()
            };
            let (inputs, _) = discover(&lay)?;
            let named = inputs
                .iter()
                .find(|input| &*input.name == row.warc_filename || input.path.ends_with(row.warc_filename));
            let input =
                named.with_context(|| format!("the shard {} is not where it was", row.warc_filename))?;
            let file = RecordFile::new(&input.path, &ReadOptions::default());
            let record = file.read(row.warc_record_offset as u64, Some(row.warc_record_length as u64))?;
            let record = record.record();
            let capture = record.to_mention().context("the record is no capture")?;
            return Ok(Some(PageBytes::of(url.clone(), &capture)));
        }
        Ok(None)
    }
}

fn canonical(url: &str) -> Result<CanonicalUrl> {
    match CanonicalUrl::parse(url) {
        Some(url) => Ok(url),
        None => bail!("{url}: no URL"),
    }
}
