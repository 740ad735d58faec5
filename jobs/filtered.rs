//! Tables of `webmill filter`: the texts that it left out, and how many by host, language and rule.

use webmill_table::{Bytes16, table};

table! {
    /// One row per text that `webmill filter` left out.
    FilteredRow = "filtered" {
        url: String = "canonical URL", "http://a.com/1";
        url_key: Bytes16 = "its key in table pages", "9f…";
        host: String = "host name of the page", "a.com";
        language: Option<String> = "language of the text, as texts.language", "eng";
        filter: String = "name of the filter; where for a condition of --where, duplicates for --policy, without for items of benchmarks, repeated for --drop-repeated", "gopher-quality";
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
        words: u64 = "their words, as texts.num_words", "812";
    }
}
