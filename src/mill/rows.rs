//! Rows of what a page holds, with the place of its capture.

use crate::page::ANCHOR_BYTES;
use crate::{CommentRow, LinkRow, PageRow, RecordRow, StructuredRow};
use webmill_capture::CanonicalUrl;
use webmill_html::{Item, Link, LinkKind};
use webmill_table::Bytes16;
use webmill_text::{Comment, DataTable};

pub(super) fn link_row(link: Link, nofollow_page: bool, page: &PageRow) -> LinkRow {
    debug_assert!(link.anchor.len() <= ANCHOR_BYTES);
    LinkRow {
        source_key: page.url_key,
        target_key: Bytes16(link.target.key().0),
        target_url: link.target.into_string(),
        anchor: link.anchor,
        before: link.before,
        after: link.after,
        rel: link.rel,
        kind: link.kind.name(),
        position: link.position,
        nofollow: link.nofollow || nofollow_page,
        warc_record_offset: page.warc_record_offset,
        warc_filename: page.warc_filename.clone(),
    }
}

pub(super) fn structured_row(item: Item, position: u32, page: &PageRow) -> StructuredRow {
    StructuredRow {
        url: page.url.clone(),
        url_key: page.url_key,
        position,
        syntax: item.syntax,
        types: item.types,
        data: item.data,
        warc_record_offset: page.warc_record_offset,
        warc_filename: page.warc_filename.clone(),
    }
}

pub(super) fn comment_row(said: Comment, position: u32, page: &PageRow) -> CommentRow {
    CommentRow {
        url: page.url.clone(),
        url_key: page.url_key,
        position,
        author: said.author,
        published: said.date,
        text: said.text,
        warc_record_offset: page.warc_record_offset,
        warc_filename: page.warc_filename.clone(),
    }
}

pub(super) fn record_rows(table: DataTable, number: u32, page: &PageRow) -> impl Iterator<Item = RecordRow> {
    let DataTable { caption, columns, rows } = table;
    rows.into_iter().zip(0..).map(move |(cells, row)| RecordRow {
        url: page.url.clone(),
        url_key: page.url_key,
        table: number,
        row,
        caption: caption.clone(),
        columns: columns.clone(),
        cells,
        warc_record_offset: page.warc_record_offset,
        warc_filename: page.warc_filename.clone(),
    })
}

pub(super) fn redirect_row(from: &CanonicalUrl, to: &CanonicalUrl, page: &PageRow) -> LinkRow {
    LinkRow {
        source_key: Bytes16(from.key().0),
        target_url: to.as_str().to_owned(),
        target_key: Bytes16(to.key().0),
        kind: LinkKind::HttpRedirect.name(),
        warc_record_offset: page.warc_record_offset,
        warc_filename: page.warc_filename.clone(),
        ..LinkRow::default()
    }
}
