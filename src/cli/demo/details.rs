//! Posts, records and structured data of pages, in words.

use std::collections::BTreeMap;

use webmill_capture::Result;
use webmill_mill::{PostRow, RecordRow, StructuredRow};
use webmill_run::Committed;
use webmill_table::{Table, read_rows};

/// What a table holds of each URL, in order.
type OfPages = BTreeMap<String, Vec<String>>;

/// Name and content of the tables `posts`, `records` and `structured` of `extract`.
pub fn read(extract: &Committed) -> Result<[(&'static str, OfPages); 3]> {
    let post = |row: PostRow| {
        let [author, date] = [row.author, row.published].map(Option::unwrap_or_default);
        (row.url, format!("{author}, {date}: {}", row.text))
    };
    let record = |row: RecordRow| {
        let pairs = row.columns.iter().zip(&row.cells).map(|(name, cell)| format!("{name}={cell}"));
        (row.url, pairs.collect::<Vec<_>>().join(", "))
    };
    let item = |row: StructuredRow| (row.url, format!("{} {}", row.syntax, row.types.join(" ")));
    Ok([
        ("posts", gathered(extract, post)?),
        ("records", gathered(extract, record)?),
        ("structured", gathered(extract, item)?),
    ])
}

fn gathered<T: Table>(extract: &Committed, words: impl Fn(T) -> (String, String)) -> Result<OfPages> {
    let mut of_pages = OfPages::new();
    for row in read_rows::<T>(&extract.path(T::NAME))? {
        let (url, words) = words(row);
        of_pages.entry(url).or_default().push(words);
    }
    Ok(of_pages)
}
