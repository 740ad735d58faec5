//! Filters by their names, and the tables of `webmill filter`: the texts that it left out, and how many by host, language and rule.

use std::path::Path;

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_learn::quality::{FilterFile, SHIPPED};
use webmill_table::{Bytes16, table};

/// Bytes of a file of rules that are read.
const MOST_BYTES: u64 = 1 << 20;

/// The filters of a name, each with its own: one that comes with webmill, `gopher` for both of Gopher, or a file of rules.
///
/// # Errors
/// [`Error::Config`] where there is none of this name, or the file is no filter.
pub fn files(name: &str) -> Result<Vec<(String, FilterFile)>> {
    let is_meant = |known: &str| known == name || name == "gopher" && known.starts_with("gopher-");
    let mut texts: Vec<(String, String)> = SHIPPED
        .iter()
        .filter(|(known, _)| is_meant(known))
        .map(|(known, text)| ((*known).to_owned(), (*text).to_owned()))
        .collect();
    let path = Path::new(name);
    if texts.is_empty() && path.is_file() {
        let length = std::fs::metadata(path).at(path)?.len();
        if length > MOST_BYTES {
            return Err(Error::Config(format!(
                "{name}: a filter of {length} bytes: at most {MOST_BYTES} are read"
            )));
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        texts.push((stem, std::fs::read_to_string(path).at(path)?));
    }
    if texts.is_empty() {
        let known: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
        return Err(Error::Config(format!(
            "{name}: no file of this name, and no filter; filters: gopher, {}",
            known.join(", ")
        )));
    }
    let parse = |(name, text): (String, String)| {
        let file = toml::from_str(&text)
            .map_err(|e| Error::Config(format!("filter {name}: {}", e.to_string().trim())))?;
        Ok((name, file))
    };
    texts.into_iter().map(parse).collect()
}

table! {
    /// One row per text that `webmill filter` left out.
    FilteredRow = "filtered" {
        url: String = "canonical URL", "http://a.com/1";
        url_key: Bytes16 = "its key in table pages", "9f…";
        host: String = "host name of the page", "a.com";
        language: Option<String> = "language of the text, as texts.language", "eng";
        filter: String = "name of the filter; where for a condition of --where, duplicates for --duplicates, without for items of benchmarks, repeated for --drop-repeated", "gopher-quality";
        rule: String = "name of its rule; the condition; what the page shares with the one that stays; the file of the benchmark", "short";
        value: String = "values of the columns that the rule asks for; key of the page that stays; the item and the share of it that stands in the text", "plain_words = 12";
        num_words: u32 = "words of the text, as texts.num_words", "9";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
    }
}

table! {
    /// One row per host, language and rule of the texts that `webmill filter` read: how many stay and how many went.
    FilterSummaryRow = "filter_summary" sorted by [host, language, filter, rule] {
        host: String = "host name of the pages", "a.com";
        language: Option<String> = "language of the texts", "eng";
        filter: Option<String> = "filter by which they went, as filtered.filter; null of those that stay", "gopher-quality";
        rule: Option<String> = "its rule; null of those that stay", "short";
        texts: u64 = "number of texts", "31";
        words: u64 = "their words, as texts.num_words; of those that stay as they were written", "812";
    }
}
