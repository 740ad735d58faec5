//! `keywords`: what pages are about, in single words.

use webmill_table::{Bytes16, table};

table! {
    /// One row per page with main text: its keywords by two measures, the best first.
    KeywordRow = "keywords" {
        url: String = "canonical URL", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "key of the page in table pages", "9f…";
        host: String = "host name of the page, as pages.url_host_name", "news.pku.edu.cn";
        domain: String = "registrable domain of the host by both sections of the Public Suffix List; the host itself where it is an IP address or has none", "pku.edu.cn";
        is_current: bool = "whether the row is of the current capture of its URL, as pages.is_current: joined by it and the URL, no page comes twice", "true";
        language: Option<String> = "language of the text, ISO 639-3", "zho";
        tfidf_words: Vec<String> = "words frequent here and rare in the corpus, as written most often here", "['library', 'reading']";
        tfidf_scores: Vec<f32> = "(1 + ln tf) · idf of each, idf by the corpus", "[11.2, 7.9]";
        textrank_words: Vec<String> = "words that stand near many other such words (TextRank), without regard to the corpus", "['library', 'students']";
        textrank_scores: Vec<f32> = "TextRank of each, as a share of the highest", "[1.0, 0.82]";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
    }
}
