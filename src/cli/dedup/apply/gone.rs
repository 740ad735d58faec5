//! URLs whose page is gone from the Web.
//!
//! **Definition.** A URL is gone where the last that was heard of it is an answer 404 or 410; since when, says the first of those
//! after which no other answer of status below 400 came. Failures (5xx, 403, no answer) say nothing. Its age is counted
//! to the newest row of table `pages`, not to today: equal results give equal output. Rows dated after today, by a wrong clock, are
//! not taken for the newest. Rows of event logs count: a RAW DB shard does not hold such answers.
//!
//! **Errors.** A page that stands in a row without a date is never gone: nothing says that it is older.
//!
//! **Cost.** One pass over three columns of `pages` and a sort of 48 bytes a row.

use std::path::PathBuf;

use webmill_capture::error::{Error, Result};
use webmill_mill::{PageRow, WarcType};
use webmill_sort::{Budget, Mapped, MappedWriter, Sorter, group};
use webmill_table::{Reader, columns};

columns! {
    struct Answer from PageRow { url_key, warc_type, fetch_time, fetch_status }
}

/// Of two answers of one time the one with the page counts, because it sorts later.
const GONE: u128 = 0;
const THERE: u128 = 1;

/// What was found.
pub struct GonePages {
    /// Keys of the URLs, ascending.
    pub keys: Mapped<u128>,
    /// Date up to which ages are counted: milliseconds since 1970; `None` if no row has a date.
    pub newest_ms: Option<i64>,
    /// Rows with a later date.
    pub from_future: u64,
}

/// The URLs that have been gone for `least_ms` or longer at the date of the newest row, `now_ms` at the latest. `parts` are those of table
/// `pages`.
///
/// # Errors
/// Where a table cannot be read or the disk refuses.
pub fn find(parts: &[PathBuf], (least_ms, now_ms): (u64, i64), budget: &Budget) -> Result<GonePages> {
    let mut answers = Sorter::<[u128; 3]>::new(budget);
    let (mut newest_ms, mut from_future) = (None, 0);
    let mut reader = Reader::<Answer>::over(parts.to_vec());
    while let Some(batch) = reader.next()? {
        for row in batch.rows() {
            match row.fetch_time.0 {
                Some(later) if later > now_ms => from_future += 1,
                known => newest_ms = newest_ms.max(known),
            }
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
    let least = newest_ms.map_or(0, ordered).saturating_sub(u128::from(least_ms));
    let mut gone = MappedWriter::create(&budget.temp_dir)?;
    group(
        answers.finish()?,
        |a, b| a[0] == b[0],
        |first, others| {
            let gone_since = |[_, time, state]: [u128; 3]| (state == GONE).then_some(time);
            let since = others.try_fold(gone_since(*first), |since, answer| {
                let next = gone_since(answer?);
                Ok::<_, Error>(next.map(|next| since.unwrap_or(next)))
            })?;
            if since.is_some_and(|since| since <= least) { gone.push(first[0]) } else { Ok(()) }
        },
    )?;
    Ok(GonePages { keys: gone.finish()?, newest_ms, from_future })
}

/// Times as numbers of their order.
fn ordered(ms: i64) -> u128 {
    (i128::from(ms) - i128::from(i64::MIN)) as u128
}

#[cfg(test)]
mod tests {
    use webmill_capture::UrlKey;
    use webmill_table::{Bytes16, Footer, Millis, write_part};

    use super::*;

    #[test]
    fn one_wrong_clock_makes_nothing_old() {
        const DAY: i64 = 86_400_000;
        let row = |url: &str, day: i64, status| PageRow {
            url: url.into(),
            url_key: Bytes16(UrlKey::of(url).0),
            warc_type: Some(WarcType::Response),
            fetch_time: Millis(Some(day * DAY)),
            fetch_status: Some(status),
            ..PageRow::default()
        };
        let rows = [row("old", 1, 404), row("young", 90, 404), row("now", 100, 200), row("wrong", 9000, 200)];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-0.parquet");
        write_part(&path, &rows, &Footer { job_key: "k".into() }).unwrap();
        let budget = Budget::new(1 << 20).in_dir(folder.path());
        let find =
            |now: i64| find(std::slice::from_ref(&path), (30 * DAY as u64, now * DAY), &budget).unwrap();
        let found = find(200);
        assert_eq!((&found.keys[..], found.newest_ms), (&[UrlKey::of("old").0][..], Some(100 * DAY)));
        assert_eq!(found.from_future, 1);
        let found = find(0);
        assert_eq!((found.keys.len(), found.newest_ms, found.from_future), (0, None, 4));
    }
}
