//! The index as Parquet, as the largest public crawl lays its own out: partitions `crawl=NAME/subset=NAME`, rows by
//! `url_surtkey`.

use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{CanonicalUrl, Error, Result};
use webmill_mill::{Cut, PageRow};
use webmill_serve::index::{Entry, Facts, Timestamp};
use webmill_table::{Footer, Millis, PartWriter, table};

table! {
    /// One row a capture of the index: `webmill index --format parquet`. Columns `crawl` and `subset` are folders.
    CaptureRow = "captures" {
        url_surtkey: String = "key of capture indexes: SURT as the Internet Archive's tools make it", "cn,edu,pku)/news/1.html";
        url: String = "URL as captured", "http://pku.edu.cn/news/1.html";
        url_host_name: String = "host name, lower case, IDNA ASCII form", "news.pku.edu.cn";
        url_host_tld: Option<String> = "top-level domain; this and the following host columns are null for IP addresses", "cn";
        url_host_2nd_last_part: Option<String> = "second last label of the host name", "edu";
        url_host_3rd_last_part: Option<String> = "third last label", "pku";
        url_host_4th_last_part: Option<String> = "fourth last label", "news";
        url_host_5th_last_part: Option<String> = "fifth last label", "www";
        url_host_registry_suffix: Option<String> = "suffix under which registries sell names, by the public suffix list", "edu.cn";
        url_host_registered_domain: Option<String> = "registered domain by the registries' section of the list", "pku.edu.cn";
        url_host_private_suffix: Option<String> = "suffix by both sections of the list", "github.io";
        url_host_private_domain: Option<String> = "domain by both sections of the list", "someone.github.io";
        url_host_name_reversed: Option<String> = "host name with its labels reversed", "cn.edu.pku.news";
        url_protocol: String = "scheme of the URL", "http";
        url_port: Option<i32> = "port, where it is not the scheme's own", "8080";
        url_path: String = "path of the URL", "/news/1.html";
        url_query: Option<String> = "query of the URL, without question mark; null for none", "id=1";
        fetch_time: Millis = "when it was fetched", "2003-04-15T08:13:06Z";
        fetch_status: Option<i16> = "HTTP status code", "200";
        fetch_redirect: Option<String> = "URL that a redirect leads to, as the server wrote it", "http://pku.edu.cn/";
        content_digest: Option<String> = "digest of the payload: base32 SHA-1, or another algorithm with its name", "MOH7IEN2JAEJOHYXIEPEEGHOHG5VI";
        content_mime_type: Option<String> = "media type that the server declared", "text/html";
        content_mime_detected: Option<String> = "media type that the record says was identified; table pages has what the bytes look like", "text/html";
        content_charset: Option<String> = "encoding that the server declared; table pages has what the text was decoded by", "gbk";
        content_languages: Option<String> = "null: table pages has the languages of main texts", "zho,eng";
        content_truncated: Option<Cut> = "why the body is cut: length, time, disconnect, unspecified", "length";
        warc_filename: String = "shard the record stands in", "crawl-00001.warc.gz";
        warc_record_offset: i64 = "byte offset of the stored record in the shard", "183214";
        warc_record_length: Option<i64> = "bytes of the stored record", "18410";
        warc_segment: Option<String> = "null: the segment of a crawl that has none", "1425732217.97";
    }
}

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
