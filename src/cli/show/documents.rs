//! What a URL is that is no HTML page: a document, a picture, a sound, a video.

use anyhow::Result;
use webmill_mill::{MediaRow, MediaSource, PageRow};
use webmill_table::columns;

use super::shown::{Document, Medium, PageReport};
use super::tables::{LookupKeys, Tables};

columns! {
    struct OfDocument from PageRow {
        url_key, is_current, document, document_failure, document_warnings, title_source, num_pages
    }
}

columns! {
    struct OfMedium from MediaRow {
        url_key, is_current, source, page_url, kind, format, width, height, duration_ms, title, artist, album, year, camera,
        alt, warnings
    }
}

/// Known facts about the current capture as a document.
///
/// # Errors
/// Where a table cannot be read.
pub fn document(tables: &mut Tables, page: &LookupKeys, shown: &mut PageReport) -> Result<()> {
    let Some(mut reader) = tables.reader::<OfDocument>("extract", "pages", "url_sortkey", &page.surt)? else {
        return Ok(());
    };
    while let Some(batch) = reader.next()? {
        if let Some(row) = batch.rows().find(|row| row.url_key.0 == page.key && row.is_current) {
            shown.document = row.document.map(|format| Document {
                format: format.as_str(),
                failure: row.document_failure.map(str::to_owned),
                warnings: row.document_warnings.to_vec(),
                pages: row.num_pages,
                title_source: row.title_source.map(|source| source.as_str()),
            });
            return Ok(());
        }
    }
    Ok(())
}

/// Known facts about the URL as a picture, a sound or a video: by its own bytes, else by the element that shows it.
///
/// # Errors
/// Where a table cannot be read.
pub fn medium(tables: &mut Tables, page: &LookupKeys, shown: &mut PageReport) -> Result<()> {
    let by = "url";
    let Some(mut reader) = tables.reader::<OfMedium>("extract", "media", by, page.url.as_str())? else {
        return Ok(());
    };
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| row.url_key.0 == page.key && row.is_current) {
            if row.source == MediaSource::File || shown.medium.is_none() {
                shown.medium = Some(told(&row));
            }
        }
    }
    tables.note("media", Some(by), reader.groups());
    Ok(())
}

fn told(row: &OfMedium<'_>) -> Medium {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Medium {
        source: row.source.as_str(),
        shown_by: owned(row.page_url),
        kind: row.kind.as_str(),
        format: owned(row.format),
        width: row.width,
        height: row.height,
        duration_ms: row.duration_ms,
        title: owned(row.title),
        artist: owned(row.artist),
        album: owned(row.album),
        year: row.year,
        camera: owned(row.camera),
        alt: owned(row.alt),
        warnings: row.warnings.to_vec(),
    }
}
