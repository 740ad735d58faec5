//! URLs whose page is gone from the Web.
//!
//! **Definition.** A URL is gone where the last that was heard of it is an answer 404 or 410; since when, says the first of those
//! after which no other answer of status below 400 came. Failures (5xx, 403, no answer) say nothing. Its age is counted
//! to the newest row of table `pages`, not to today: equal results give equal output. Rows of event logs count: a
//! RAW DB shard does not hold such answers.
//!
//! **Errors.** A page that stands in a row without a date is never gone: nothing says that it is older.
//!
//! **Cost.** One pass over three columns of `pages` and a sort of 48 bytes a row.

use std::path::{Path, PathBuf};

use webmill_capture::error::Result;
use webmill_mill::{PageRow, WarcType};
use webmill_sort::{Budget, Sorter};
use webmill_table::{Reader, columns};

use crate::mapped::{Mapped, MappedWriter};

columns! {
    struct Answer from PageRow { url_key, warc_type, fetch_time, fetch_status }
}

/// Two answers of one time: that which is there counts, being the later one in the sort.
const GONE: u128 = 0;
const THERE: u128 = 1;

/// Keys of the URLs that have been gone for `least_ms` or longer, ascending. `parts` are those of table `pages`.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn find(parts: &[PathBuf], least_ms: u64, budget: &Budget, folder: &Path) -> Result<Mapped<u128>> {
    let mut answers = Sorter::<[u128; 3]>::new(budget);
    let mut newest = i64::MIN;
    let mut reader = Reader::<Answer>::over(parts.to_vec());
    while let Some(batch) = reader.next()? {
        for row in batch.rows() {
            newest = newest.max(row.fetch_time.0.unwrap_or(i64::MIN));
            let time = row.fetch_time.0.map_or(u128::MAX, ordered);
            let about = matches!(row.warc_type, Some(WarcType::Request | WarcType::Metadata));
            match row.fetch_status {
                _ if about => {}
                Some(404 | 410) if time == u128::MAX => {}
                Some(404 | 410) => answers.push([row.url_key.0, time, GONE])?,
                Some(..400) => answers.push([row.url_key.0, time, THERE])?,
                None if row.warc_type.is_some() => answers.push([row.url_key.0, time, THERE])?,
                _ => {}
            }
        }
    }
    let least = ordered(newest).saturating_sub(u128::from(least_ms));
    let mut gone = MappedWriter::create(folder)?;
    let mut last: Option<(u128, Option<u128>)> = None;
    let is_gone = |(key, since): (u128, Option<u128>)| since.filter(|since| *since <= least).map(|_| key);
    for answer in answers.finish()? {
        let [key, time, state] = answer?;
        let before = match last {
            Some((of, since)) if of == key => since,
            Some(other) => {
                is_gone(other).map_or(Ok(()), |key| gone.push(key))?;
                None
            }
            None => None,
        };
        last = Some((key, if state == THERE { None } else { before.or(Some(time)) }));
    }
    last.and_then(is_gone).map_or(Ok(()), |key| gone.push(key))?;
    gone.finish()
}

/// Times as numbers of their order.
fn ordered(ms: i64) -> u128 {
    (i128::from(ms) - i128::from(i64::MIN)) as u128
}
