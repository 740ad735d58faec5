//! The pages that stand for themselves, numbered by earliest fetch, length of the URL and URL.
//!
//! Of the current captures those that have a text of enough words and are no copies: the page that is kept of each cluster,
//! and every page that is in none.

use std::path::Path;

use webmill_capture::error::Result;
use webmill_dedup::KeepPolicy;
use webmill_run::{Cancel, Unit};
use webmill_sort::{Budget, RowSorter, SortedRows, look_up};
use webmill_table::{Reader, columns, part_files};

use crate::current_captures;
use crate::dedup::order::Order;
use crate::dedup::pages::Pages;
use crate::dedup::tables::ClusterRow;

columns! {
    struct Member from ClusterRow { url, keep }
}

/// Reads and numbers the pages of table `pages` that `clusters` does not call copies; texts of fewer than `min_words` words
/// are left out and counted.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn read(
    pages: &Path,
    clusters: &Path,
    min_words: u32,
    budget: &Budget,
    unit: &mut Unit<'_>,
) -> Result<Pages> {
    let cancel = unit.stage().cancel;
    let mut copies = copies(clusters, &budget.share(4), cancel)?.peekable();
    let mut captures = current_captures::read(&part_files(pages)?, &budget.share(4))?;
    let (mut without_text, mut short, mut left) = (0, 0, 0);
    let next = || {
        while let Some(page) = captures.next_current(|_| ())? {
            cancel.check()?;
            if look_up(&mut copies, |url| url.cmp(&page.url))?.is_some() {
                left += 1;
            } else if page.text == 0 {
                without_text += 1;
            } else if page.words < min_words {
                short += 1;
            } else {
                return Ok(Some(page));
            }
        }
        Ok(None)
    };
    let order = Order::of_rows(KeepPolicy::Earliest)?;
    let found = Pages::gather(next, |_| 0, &order, min_words, &budget.share(2))?;
    for (reason, n) in [
        ("passages-page-is-a-copy", left),
        ("passages-page-without-text", without_text),
        ("passages-page-of-few-words", short),
    ] {
        if n > 0 {
            unit.dropped(reason, n);
        }
    }
    Ok(found)
}

/// The URLs of pages that another one of their cluster stands for, ascending.
fn copies(clusters: &Path, budget: &Budget, cancel: &Cancel) -> Result<SortedRows<String, ()>> {
    let mut sorter = RowSorter::new(budget).with_unique_keys();
    let mut reader = Reader::<Member>::open(clusters)?;
    while let Some(batch) = reader.next()? {
        cancel.check()?;
        for member in batch.rows().filter(|member| !member.keep) {
            sorter.push(&member.url, &())?;
        }
    }
    sorter.finish()
}
