//! Pages: equal stretches of the lines of a key range, so that many clients share a large query.

use std::ops::ControlFlow;

use webmill_capture::{Error, Result};

use super::Query;
use crate::index::{CaptureSource, Timestamp};

/// Lines of a block: what compressed indexes of the field have.
pub const BLOCK_LINES: u64 = 3000;

/// Which lines of its range a query looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Number of the first.
    pub first: u64,
    /// How many.
    pub lines: u64,
}

impl Page {
    /// The lines of the page that a query asks for.
    pub fn of(query: &Query) -> Option<Page> {
        let lines = query.page_size.saturating_mul(BLOCK_LINES);
        query.page.map(|page| Page { first: page.saturating_mul(lines), lines })
    }
}

/// How many pages an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pages {
    /// Number of pages of the answer.
    pub pages: u64,
    /// Blocks a page.
    pub page_size: u64,
    /// Blocks of the index that the query covers.
    pub blocks: u64,
    /// Lines in these blocks.
    pub lines: u64,
}

impl Pages {
    pub(super) fn of(lines: u64, page_size: u64) -> Pages {
        let blocks = lines.div_ceil(BLOCK_LINES);
        Pages { pages: blocks.div_ceil(page_size), page_size, blocks, lines }
    }
}

/// Where a block begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLine<'a> {
    /// Key of its first line.
    pub urlkey: &'a str,
    /// Time of its first line.
    pub timestamp: Timestamp,
    /// Number of its first line in the range.
    pub line: u64,
    /// Number of the block.
    pub block: u64,
}

pub(super) fn pages(
    query: &Query,
    source: &dyn CaptureSource,
    visit: &mut dyn FnMut(&PageLine<'_>) -> ControlFlow<()>,
) -> Result<Pages> {
    let page = Page::of(query).unwrap_or(Page { first: 0, lines: u64::MAX });
    let most = query.limits().max_scanned;
    let (mut lines, mut wanted) = (0_u64, true);
    source.scan(&query.range, &mut |entry| {
        if lines >= most {
            lines += 1;
            return ControlFlow::Break(());
        }
        if wanted && lines % BLOCK_LINES == 0 && lines >= page.first && lines - page.first < page.lines {
            let (urlkey, timestamp) = (&*entry.urlkey, entry.timestamp);
            let line = PageLine { urlkey, timestamp, line: lines, block: lines / BLOCK_LINES };
            wanted = visit(&line).is_continue();
        }
        lines += 1;
        ControlFlow::Continue(())
    })?;
    if lines > most {
        return Err(Error::Limit(format!("more than {most} lines of the index: ask for a part of them")));
    }
    Ok(Pages::of(lines, query.page_size))
}
