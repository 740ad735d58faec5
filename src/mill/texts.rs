//! `texts`: the main text of HTML pages.

use webmill_table::{Bytes16, table};

table! {
    /// One row an HTML page that has main text.
    TextRow = "texts" {
        url_surtkey: String = "SURT form of the URL", "cn,edu,pku)/news/1.html";
        url: String = "canonical URL", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "key of the page in table pages", "0x9f…";
        title: Option<String> = "title of the text, site name removed", "Campus opens new library";
        text: String = "main text, a line a paragraph", "The library opened on Monday. …";
        markdown: String = "main text as Markdown, with headings, lists, tables, links and code", "# Campus opens …";
        language: Option<String> = "language of the text, ISO 639-3", "zho";
        language_confidence: Option<f32> = "how sure the language is, 0 to 1", "0.97";
        paragraph_languages: Vec<String> = "language of each line of the text, ISO 639-3; zxx for code, und where there are no words; empty where all lines are in the text's language", "['zho', 'zho', 'eng']";
        page_type: &'static str = "kind of page, see pages.page_type", "article";
        confidence: f32 = "how sure the extraction is, 0 to 1", "0.83";
        num_words: u32 = "words of the text", "812";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
    }
}
