//! `records`, `comments`, `structured`: what HTML pages hold beside their main text.

use webmill_table::{Bytes16, table};

table! {
    /// One row a row of a data table in the main text of a page; rows that name the columns are not among them.
    RecordRow = "records" {
        url: String = "canonical URL of the page", "http://shop.example.com/kettles";
        url_key: Bytes16 = "key of the page in table pages", "0x9f…";
        table: u32 = "ordinal of the data table on its page, from 0", "0";
        row: u32 = "ordinal of the row in its table, from 0", "3";
        caption: Option<String> = "what the table's caption says", "Kettles by price";
        columns: Vec<String> = "names of the columns, no two alike; empty where the table names none", "['Model', 'Price']";
        cells: Vec<String> = "texts of the cells, one a column; a cell that spans several stands in each", "['K 200', '12.50']";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
    }
}

table! {
    /// One row a reader's comment that is not part of the main text of its page.
    CommentRow = "comments" {
        url: String = "canonical URL of the page", "http://blog.example.com/2003/04/rain";
        url_key: Bytes16 = "key of the page in table pages", "0x9f…";
        position: u32 = "ordinal of the comment on its page, from 0", "0";
        author: Option<String> = "who wrote it", "Li Hua";
        published: Option<String> = "when, ISO 8601", "2003-04-16T10:00:00+08:00";
        text: String = "what it says, a line a paragraph", "We had snow instead.";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
    }
}

table! {
    /// One row an item of structured data of a page: JSON-LD, microdata, RDFa Lite, OpenGraph.
    StructuredRow = "structured" {
        url: String = "canonical URL of the page", "http://shop.example.com/kettles/k200";
        url_key: Bytes16 = "key of the page in table pages", "0x9f…";
        position: u32 = "ordinal of the item on its page, from 0", "0";
        syntax: &'static str = "how it is written: json-ld, microdata, rdfa, opengraph", "json-ld";
        types: Vec<String> = "its types without their vocabulary, of a graph those of its members; of OpenGraph og:type", "['Product']";
        data: String = "the item as JSON; microdata and RDFa in the form of the HTML standard (type, id, properties)", "{\"@type\":\"Product\",\"name\":\"K 200\"}";
        warc_record_offset: i64 = "offset of the page's record in its shard", "183214";
        warc_filename: String = "shard of the page's record", "crawl-00001.raw";
    }
}
