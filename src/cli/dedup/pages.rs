//! Texts of pages by their URLs, out of the tables that `webmill extract` wrote.
//!
//! The text of a URL is that of its current capture (`pages.is_current`). Table `pages` is read once, a few columns of it;
//! of table `texts` only the parts that hold what was found. A URL that is not there is answered with those of its host that
//! are most like it.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use webmill_capture::CanonicalUrl;
use webmill_mill::{PageRow, TextRow};
use webmill_table::{Reader, columns, part_files};

use webmill_jobs::current_captures::place;
use webmill_jobs::job::latest;
use webmill_jobs::output::covering;

/// URLs that are named where the one that was asked for is not there.
const NEAR: usize = 5;

columns! {
    struct CaptureColumns from PageRow { url_key, is_current, is_html, page_type, fetch_status, warc_filename, warc_record_offset }
}

columns! {
    struct Neighbour from PageRow { url, url_host_name, url_surtkey, url_origin, is_current }
}

columns! {
    struct TextPlace from TextRow { url_key, warc_filename, warc_record_offset, text }
}

/// Where the current capture of a URL is.
struct CapturePlace {
    part: PathBuf,
    place: u64,
    about: String,
}

/// The main texts of these URLs in a folder of results, in their order.
///
/// # Errors
/// For anything that is no URL, is not in the results or has no text; where the tables cannot be read.
pub fn texts_of(results: &Path, urls: &[&str]) -> Result<Vec<String>> {
    let extract = latest(results, "extract").with_context(|| results.display().to_string())?;
    let canonical = |url: &&str| {
        CanonicalUrl::parse(url)
            .with_context(|| format!("{url}: no URL; one begins with http:// or https://"))
    };
    let urls: Vec<CanonicalUrl> = urls.iter().map(canonical).collect::<Result<_>>()?;
    let found = locate(&extract.path("pages"), &urls)?;
    if let Some(missing) = found.iter().position(Option::is_none) {
        bail!(not_there(results, &extract.path("pages"), &urls[missing])?);
    }
    let found: Vec<CapturePlace> = found.into_iter().flatten().collect();
    urls.iter().zip(&found).map(|(url, found)| read(&extract.path("texts"), url, found)).collect()
}

/// The current captures of these URLs.
fn locate(pages: &Path, urls: &[CanonicalUrl]) -> Result<Vec<Option<CapturePlace>>> {
    let keys: Vec<u128> = urls.iter().map(|url| url.key().0).collect();
    let mut found: Vec<Option<CapturePlace>> = urls.iter().map(|_| None).collect();
    let mut reader = Reader::<CaptureColumns>::open(pages)?;
    while let Some(batch) = reader.next()? {
        for page in batch.rows().filter(|page| page.is_current) {
            for (_, found) in keys.iter().zip(&mut found).filter(|(key, _)| **key == page.url_key.0) {
                let status =
                    page.fetch_status.map_or_else(|| "no status".into(), |status| format!("status {status}"));
                let kind = if page.is_html {
                    "HTML"
                } else {
                    page.page_type.map_or("no HTML", |kind| kind.as_str())
                };
                *found = Some(CapturePlace {
                    part: batch.path().to_path_buf(),
                    place: place(page.warc_filename, page.warc_record_offset),
                    about: format!("{status}, {kind}"),
                });
            }
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    Ok(found)
}

/// The text of a capture, from the file that has those of its part of table `pages`.
fn read(texts: &Path, url: &CanonicalUrl, found: &CapturePlace) -> Result<String> {
    let file = covering(&part_files(texts)?, &found.part).cloned();
    let mut reader = Reader::<TextPlace>::over(file.into_iter().collect());
    while let Some(batch) = reader.next()? {
        for text in batch.rows().filter(|text| text.url_key.0 == url.key().0) {
            if place(text.warc_filename, text.warc_record_offset) == found.place {
                return Ok(text.text.to_owned());
            }
        }
    }
    bail!("{url}: this page has no main text ({})", found.about)
}

/// How near a URL is to the one that was asked for, nearest first.
type Nearness = (u8, Reverse<usize>, usize, String);

/// That a URL is not there, and which ones are.
fn not_there(results: &Path, pages: &Path, asked: &CanonicalUrl) -> Result<String> {
    let surtkey = webmill_capture::urlkey::url_key(asked.as_str());
    let (mut near, mut of_host): (Vec<Nearness>, u64) = (Vec::new(), 0);
    let mut reader = Reader::<Neighbour>::open(pages)?;
    while let Some(batch) = reader.next()? {
        for page in batch.rows().filter(|page| page.is_current) {
            let same_host = page.url_host_name == asked.host();
            of_host += u64::from(same_host);
            let class = match () {
                () if page.url_origin == Some(asked.as_str()) => 0,
                () if page.url_surtkey == surtkey => 1,
                () if same_host => 2,
                () => continue,
            };
            let common = asked.as_str().bytes().zip(page.url.bytes()).take_while(|(a, b)| a == b).count();
            let differing = page.url.len().abs_diff(asked.as_str().len());
            near.push((class, Reverse(common), differing, page.url.to_owned()));
            if near.len() >= 64 * NEAR {
                near.sort_unstable();
                near.truncate(NEAR);
            }
        }
    }
    near.sort_unstable();
    near.truncate(NEAR);
    let mut message = format!("{asked}: no such page in {}", results.display());
    let files = results.join("extract/latest/pages/*.parquet").display().to_string().replace('\'', "''");
    if near.is_empty() {
        message += &format!(
            ", nor any other of its host; hosts that are there: duckdb -c \"SELECT url_host_name, count(*) FROM '{files}' GROUP BY ALL\""
        );
        return Ok(message);
    }
    message += ", but";
    for (class, _, _, url) in &near {
        let why = if *class == 0 { " (redirected from it)" } else { "" };
        message += &format!("\n  {url}{why}");
    }
    message += &format!(
        "\npages of {0} there: {of_host}; all of them: duckdb -c \"SELECT url FROM '{files}' WHERE is_current AND url_host_name = '{0}'\"",
        asked.host()
    );
    Ok(message)
}
