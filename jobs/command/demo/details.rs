//! Comments, records and structured data of pages, in words.

use std::collections::BTreeMap;

use webmill_capture::Result;
use webmill_run::Committed;
use webmill_table::TableReader;

/// What table `table` of `extract` holds of each URL, in order.
pub fn read(extract: &Committed, table: &str) -> Result<BTreeMap<String, Vec<String>>> {
    let columns: &[&str] = match table {
        "comments" => &["url", "author", "published", "text"],
        "records" => &["url", "columns", "cells"],
        _ => &["url", "syntax", "types"],
    };
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut reader = TableReader::open(&extract.path(table), columns)?;
    while let Some(batch) = reader.next()? {
        let words: Vec<String> = match table {
            "comments" => {
                let (author, date) = (batch.str("author")?, batch.str("published")?);
                let said = batch.str("text")?.iter().zip(author.iter().zip(date.iter()));
                said.map(|(text, (author, date))| {
                    let [author, date, text] = [author, date, text].map(Option::unwrap_or_default);
                    format!("{author}, {date}: {text}")
                })
                .collect()
            }
            "records" => {
                let rows = batch.lists("columns")?.into_iter().zip(batch.lists("cells")?);
                let pair = |(name, cell): (String, String)| format!("{name}={cell}");
                rows.map(|(names, cells)| {
                    names.into_iter().zip(cells).map(pair).collect::<Vec<_>>().join(", ")
                })
                .collect()
            }
            _ => {
                let items = batch.str("syntax")?.iter().zip(batch.lists("types")?);
                items
                    .map(|(syntax, types)| format!("{} {}", syntax.unwrap_or_default(), types.join(" ")))
                    .collect()
            }
        };
        for (url, words) in batch.str("url")?.iter().zip(words) {
            out.entry(url.unwrap_or_default().to_owned()).or_default().push(words);
        }
    }
    Ok(out)
}
