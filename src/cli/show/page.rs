//! What tables say of the page itself: captures, main text, what it is made of.

use anyhow::Result;
use webmill_capture::cut::Cut;
use webmill_capture::date::format_rfc3339;
use webmill_html::{About, about_fields};
use webmill_mill::{PageRow, PostRow, RecordRow, StructuredRow, TextRow};
use webmill_run::Committed;
use webmill_table::{Cell, Reader, columns};

use super::shown::{Capture, Host, Keywords, List, Page, PageReport, Reject, Template, Text};
use super::tables::{LookupKeys, Tables};
use webmill_jobs::extract::template_row::TemplateRow;
use webmill_jobs::keywords::tables::KeywordRow;
use webmill_jobs::rejects::RejectRow;
use webmill_jobs::report::tables::HostRow;

columns! {
    struct CaptureColumns from PageRow {
        url_key, is_current, warc_type, fetch_time, fetch_status, fetch_redirect, content_mime_type, content_mime_detected,
        content_digest, content_length, warc_filename, warc_record_offset, warc_record_length
    }
}

/// The columns by which a page is described: what it states of itself, and what was found out about it.
macro_rules! described {
    ([] { $($shared:tt)* } { $($further:tt)* }) => { described! { $($shared)* $($further)* } };
    ($($field:ident: $ty:ty = $description:literal, $example:literal;)+) => {
        columns! {
            struct DescriptionColumns from PageRow {
                url_key, is_current, is_html, content_languages, content_charset, page_type, num_words, $($field),+
            }
        }

        impl DescriptionColumns<'_> {
            fn about(&self) -> Result<About, String> {
                Ok(About { $($field: <$ty as Cell>::own(self.$field)?),+ })
            }
        }
    };
}

about_fields! { described! }

columns! {
    struct TextColumns from TextRow {
        url_key, text, language, confidence, num_words, warc_filename, warc_record_offset
    }
}

columns! {
    struct Words from KeywordRow { url_key, tfidf_words, textrank_words }
}

columns! {
    struct OfHost from TemplateRow { url_host_name, verdict, pages, sampled, texts, share }
}

columns! {
    struct HostLine from HostRow {
        url_host_name, url_host_registered_domain, captures, html_pages, errors, words, links, duplicates, hosts_in,
        hosts_out, pagerank, top_language
    }
}

columns! {
    struct RejectColumns from RejectRow { reason, shard, offset, detail }
}

columns! {
    struct Post from PostRow { url_key, warc_filename, warc_record_offset }
}

columns! {
    struct Record from RecordRow { url_key, warc_filename, warc_record_offset }
}

columns! {
    struct Item from StructuredRow { url_key, warc_filename, warc_record_offset }
}

/// Captures that are kept while more are met: what memory is bounded by.
const HELD: usize = 4096;

/// Bytes of a line of the text that are shown.
const LINE_BYTES: usize = 400;

/// Captures of the page, the latest first, and where they stand; the current one is always among them.
pub fn captures(
    tables: &mut Tables,
    page: &LookupKeys,
    most: usize,
    shown: &mut PageReport,
) -> Result<Vec<(String, i64)>> {
    let mut all: Vec<Capture> = Vec::new();
    let by = "url_sortkey";
    let Some(mut reader) = tables.reader::<CaptureColumns>("extract", "pages", by, &page.surt)? else {
        return Ok(Vec::new());
    };
    let order = |all: &mut Vec<Capture>| {
        // The current one first, so that it stays; then the latest.
        all.sort_unstable_by(|a, b| b.is_current.cmp(&a.is_current).then_with(|| b.cmp(a)));
    };
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| row.url_key.0 == page.key) {
            shown.captures.total += 1;
            all.push(capture(row));
            if all.len() >= 2 * HELD {
                order(&mut all);
                all.truncate(HELD);
            }
        }
    }
    tables.note("pages", Some(by), reader.groups());
    order(&mut all);
    let places = all.iter().map(|capture| (capture.shard.clone(), capture.offset)).collect();
    all.truncate(most.max(1));
    all.sort_unstable_by(|a, b| b.cmp(a));
    shown.captures.listed = all;
    Ok(places)
}

fn capture(row: CaptureColumns<'_>) -> Capture {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Capture {
        time: row.fetch_time.0.map(format_rfc3339),
        status: row.fetch_status,
        warc_type: row.warc_type.map(|kind| kind.as_str()),
        media_type: owned(row.content_mime_detected.or(row.content_mime_type)),
        bytes: row.content_length,
        digest: owned(row.content_digest),
        redirect: owned(row.fetch_redirect),
        shard: row.warc_filename.to_owned(),
        offset: row.warc_record_offset,
        length: row.warc_record_length,
        is_current: row.is_current,
    }
}

/// What the current capture says of itself.
pub fn page(tables: &mut Tables, page: &LookupKeys, shown: &mut PageReport) -> Result<()> {
    let Some(mut reader) =
        tables.reader::<DescriptionColumns>("extract", "pages", "url_sortkey", &page.surt)?
    else {
        return Ok(());
    };
    while let Some(batch) = reader.next()? {
        if let Some(row) = batch.rows().find(|row| row.url_key.0 == page.key && row.is_current) {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            shown.page = Some(Page {
                about: row.about().map_err(anyhow::Error::msg)?,
                languages: owned(row.content_languages),
                charset: owned(row.content_charset),
                page_type: row.page_type.map(|kind| kind.as_str()),
                is_html: row.is_html,
                words: row.num_words,
            });
            return Ok(());
        }
    }
    Ok(())
}

/// The first lines of the text of the current capture.
pub fn text(
    tables: &mut Tables,
    page: &LookupKeys,
    current: &(String, i64),
    lines: usize,
    shown: &mut PageReport,
) -> Result<()> {
    let by = "url_sortkey";
    let Some(mut reader) = tables.reader::<TextColumns>("extract", "texts", by, &page.surt)? else {
        return Ok(());
    };
    while let Some(batch) = reader.next()? {
        let is_it = |row: &TextColumns<'_>| {
            row.url_key.0 == page.key && row.warc_filename == current.0 && row.warc_record_offset == current.1
        };
        if let Some(row) = batch.rows().find(is_it) {
            shown.text = Some(Text {
                language: row.language.map(str::to_owned),
                confidence: row.confidence,
                words: row.num_words,
                lines: row.text.lines().count(),
                first_lines: row.text.lines().take(lines).map(cut).collect(),
            });
        }
    }
    tables.note("texts", Some(by), reader.groups());
    Ok(())
}

/// A line, cut to the length that is shown.
fn cut(line: &str) -> String {
    match line.char_indices().find(|(at, _)| *at >= LINE_BYTES) {
        Some((at, _)) => format!("{}…", line.cut(..at)),
        None => line.to_owned(),
    }
}

/// Keywords of the page.
pub fn keywords(tables: &mut Tables, page: &LookupKeys, shown: &mut PageReport) -> Result<()> {
    let by = "url";
    let Some(mut reader) = tables.reader::<Words>("keywords", "keywords", by, page.url.as_str())? else {
        return Ok(());
    };
    while let Some(batch) = reader.next()? {
        if let Some(row) = batch.rows().find(|row| row.url_key.0 == page.key) {
            shown.keywords = Some(Keywords {
                tfidf: row.tfidf_words.iter().map(str::to_owned).collect(),
                textrank: row.textrank_words.iter().map(str::to_owned).collect(),
            });
        }
    }
    tables.note("keywords", Some(by), reader.groups());
    Ok(())
}

macro_rules! count_rows {
    ($tables:ident, $columns:ty, $name:literal, $page:ident, $current:ident) => {
        match $tables.reader::<$columns>("extract", $name, "url", $page.url.as_str())? {
            None => None,
            Some(mut reader) => {
                let mut count = 0u64;
                while let Some(batch) = reader.next()? {
                    let of_it = batch.rows().filter(|row| {
                        row.url_key.0 == $page.key
                            && row.warc_filename == $current.0
                            && row.warc_record_offset == $current.1
                    });
                    count += of_it.count() as u64;
                }
                $tables.note($name, Some("url"), reader.groups());
                Some(count)
            }
        }
    };
}

/// How many posts, rows of data tables and items of structured data the current capture has.
pub fn details(
    tables: &mut Tables,
    page: &LookupKeys,
    current: &(String, i64),
    shown: &mut PageReport,
) -> Result<()> {
    shown.posts = count_rows!(tables, Post<'static>, "posts", page, current);
    shown.records = count_rows!(tables, Record<'static>, "records", page, current);
    shown.structured = count_rows!(tables, Item<'static>, "structured", page, current);
    Ok(())
}

/// What was learnt of the host: its template, and its line.
pub fn host(tables: &mut Tables, page: &LookupKeys, shown: &mut PageReport) -> Result<()> {
    let (by, name) = ("url_host_name", page.url.host());
    if let Some(mut reader) = tables.reader::<OfHost>("extract", "templates", by, name)? {
        while let Some(batch) = reader.next()? {
            if let Some(row) = batch.rows().find(|row| row.url_host_name == name) {
                shown.template = Some(Template {
                    verdict: row.verdict.as_str(),
                    pages: row.pages,
                    sampled: row.sampled,
                    texts: row.texts,
                    share: row.share,
                });
            }
        }
        tables.note("templates", Some(by), reader.groups());
    }
    if let Some(mut reader) = tables.reader::<HostLine>("report", "hosts", by, name)? {
        while let Some(batch) = reader.next()? {
            if let Some(row) = batch.rows().find(|row| row.url_host_name == name) {
                shown.host = Some(host_line(row));
            }
        }
        tables.note("hosts", Some(by), reader.groups());
    }
    Ok(())
}

fn host_line(row: HostLine<'_>) -> Host {
    Host {
        name: row.url_host_name.to_owned(),
        domain: row.url_host_registered_domain.map(str::to_owned),
        captures: row.captures,
        html_pages: row.html_pages,
        errors: row.errors,
        words: row.words,
        links: row.links,
        duplicates: row.duplicates,
        hosts_in: row.hosts_in,
        hosts_out: row.hosts_out,
        pagerank: row.pagerank,
        top_language: row.top_language.map(str::to_owned),
    }
}

/// What was refused of the records at these places. The table exists only where something was.
pub fn rejects(
    tables: &mut Tables,
    extract: &Committed,
    places: &[(String, i64)],
    most: usize,
    shown: &mut PageReport,
) -> Result<()> {
    let mut found = List::default();
    let path = extract.path("rejects.parquet");
    if path.is_file() {
        let mut places: Vec<(&str, u64)> = places
            .iter()
            .filter_map(|(shard, at)| Some((shard.as_str(), u64::try_from(*at).ok()?)))
            .collect();
        places.sort_unstable();
        let mut reader = Reader::<RejectColumns>::open(&path)?;
        while let Some(batch) = reader.next()? {
            for row in batch.rows().filter(|row| places.binary_search(&(row.shard, row.offset)).is_ok()) {
                found.total += 1;
                if found.listed.len() < most {
                    found.listed.push(Reject {
                        reason: row.reason.to_owned(),
                        shard: row.shard.to_owned(),
                        offset: row.offset,
                        detail: row.detail.to_owned(),
                    });
                }
            }
        }
        tables.note("rejects", None, reader.groups());
    }
    shown.rejects = Some(found);
    Ok(())
}
