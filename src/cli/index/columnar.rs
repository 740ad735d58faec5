//! The index as Parquet, as the largest public crawl lays its own out: partitions `crawl=NAME/subset=NAME`, rows by
//! `url_surtkey`.

use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{CanonicalUrl, Error, Result};
use webmill_jobs::index_row::CaptureRow;
use webmill_mill::PageRow;
use webmill_serve::index::{Entry, Facts, Timestamp};
use webmill_table::{Footer, Millis, PartWriter};

/// Names by which facts that no CDX has travel in a sorted line.
const CHARSET: &str = "charset";
const TRUNCATED: &str = "truncated";
const IDENTIFIED: &str = "mime-detected";

/// The entry with the facts that the table has beyond CDX.
pub fn with_facts<'a>(entry: &Entry<'a>, facts: &Facts<'_>) -> Entry<'a> {
    let mut entry = entry.clone();
    let mut put = |name: &'static str, value: Option<&str>| {
        let Some(value) = value else { return };
        entry.extra.retain(|(other, _)| other != name);
        entry.extra.push((name.into(), serde_json::Value::from(value).to_string().into()));
    };
    put(CHARSET, facts.charset.as_deref());
    put(TRUNCATED, facts.truncated.map(|truncation| truncation.name()));
    put(IDENTIFIED, facts.identified.as_deref());
    entry
}

/// Parts of the table, one a partition.
pub struct Partitions {
    folder: PathBuf,
    open: [Option<PartWriter<CaptureRow>>; 3],
    /// Entries whose URL is none: they have no host to be found by.
    pub without_url: u64,
}

/// The partitions in the order of [`Partitions::open`].
const SUBSETS: [&str; 3] = ["warc", "robotstxt", "crawldiagnostics"];

impl Partitions {
    /// Partitions in `folder/crawl=CRAWL`, which must not exist.
    pub fn create(folder: &Path, crawl: &str) -> Result<Self> {
        let plain =
            !crawl.is_empty() && crawl.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        if !plain {
            return Err(Error::Config(format!(
                "--crawl {crawl:?}: letters, digits, '-', '_' and '.' make a name"
            )));
        }
        let folder = folder.join(format!("crawl={crawl}"));
        if folder.exists() {
            return Err(Error::Config(format!(
                "{}: is there already; remove it or name another",
                folder.display()
            )));
        }
        Ok(Partitions { folder, open: [None, None, None], without_url: 0 })
    }

    /// Adds an entry; they come in the order of the index.
    pub fn push(&mut self, entry: &Entry<'_>) -> Result<()> {
        let Some(url) = CanonicalUrl::parse_stored(&entry.url) else {
            self.without_url += 1;
            return Ok(());
        };
        let partition = match entry.status {
            _ if url.path() == "/robots.txt" && url.query().is_none() => 1,
            None | Some(200..=299) => 0,
            Some(_) => 2,
        };
        let row = row(entry, &url);
        if self.open[partition].is_none() {
            let folder = self.folder.join(format!("subset={}", SUBSETS[partition]));
            std::fs::create_dir_all(&folder).at(&folder)?;
            let path = folder.join("part-00000.parquet");
            self.open[partition] = Some(PartWriter::create(&path, &Footer { job_key: String::new() })?);
        }
        self.open[partition].as_mut().map_or(Ok(()), |part| part.push(row))
    }

    /// Completes the files.
    pub fn finish(self) -> Result<()> {
        self.open.into_iter().flatten().try_for_each(|part| part.finish().map(drop))
    }
}

fn row(entry: &Entry<'_>, url: &CanonicalUrl) -> CaptureRow {
    let parts = PageRow::of_url(url);
    let some = |text: &str| (!text.is_empty() && text != "-").then(|| text.to_owned());
    let extra = |name: &str| {
        let (_, value) = entry.extra.iter().find(|(other, _)| other == name)?;
        serde_json::from_str::<String>(value).ok()
    };
    CaptureRow {
        url_surtkey: entry.urlkey.to_string(),
        url: entry.url.to_string(),
        url_host_name: parts.url_host_name,
        url_host_tld: parts.url_host_tld,
        url_host_2nd_last_part: parts.url_host_2nd_last_part,
        url_host_3rd_last_part: parts.url_host_3rd_last_part,
        url_host_4th_last_part: parts.url_host_4th_last_part,
        url_host_5th_last_part: parts.url_host_5th_last_part,
        url_host_registry_suffix: parts.url_host_registry_suffix,
        url_host_registered_domain: parts.url_host_registered_domain,
        url_host_private_suffix: parts.url_host_private_suffix,
        url_host_private_domain: parts.url_host_private_domain,
        url_host_name_reversed: parts.url_host_name_reversed,
        url_protocol: parts.url_protocol,
        url_port: parts.url_port,
        url_path: parts.url_path,
        url_query: parts.url_query,
        fetch_time: Millis(milliseconds(entry.timestamp)),
        fetch_status: entry.status.and_then(|status| i16::try_from(status).ok()),
        fetch_redirect: some(&entry.redirect),
        content_digest: some(&entry.digest),
        content_mime_type: some(&entry.mime),
        content_mime_detected: extra(IDENTIFIED),
        content_charset: extra(CHARSET),
        content_languages: None,
        content_truncated: extra(TRUNCATED).and_then(|word| word.parse().ok()),
        warc_filename: entry.filename.to_string(),
        warc_record_offset: i64::try_from(entry.offset).unwrap_or(i64::MAX),
        warc_record_length: entry.length.and_then(|length| i64::try_from(length).ok()),
        warc_segment: None,
    }
}

fn milliseconds(time: Timestamp) -> Option<i64> {
    webmill_capture::date::parse_14(&time.to_string())
}
