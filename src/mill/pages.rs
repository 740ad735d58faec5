//! `pages`: one row a capture.

use webmill_table::{Bytes16, Millis, table};

table! {
    /// One row a capture of any media type and status, sorted by SURT key within a part.
    PageRow = "pages" {
        url_surtkey: String = "SURT form of the URL: host reversed, so that neighbours on the Web are neighbours here", "cn,edu,pku)/news/1.html";
        url: String = "canonical URL finally fetched, after redirects", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "xxh3-128 of the canonical URL, big-endian: the key that tables are joined by", "0x9f…";
        url_host_name: String = "host name, lower case, IDNA ASCII form", "news.pku.edu.cn";
        url_host_registered_domain: Option<String> = "registrable domain by the public suffix list; null for IP addresses and bare suffixes", "pku.edu.cn";
        url_origin: Option<String> = "canonical URL first asked for, where a redirect led here", "http://pku.edu/";
        fetch_time: Millis = "when it was fetched; null where the record does not say", "2003-04-15T08:13:06Z";
        fetch_status: Option<i16> = "HTTP status code; null where there is no status line", "200";
        fetch_ip: Option<String> = "server address as stored", "162.105.129.12";
        content_digest: Option<String> = "base32 SHA-1 of the body after transfer decoding, before content decoding; null where a limit cut the body", "MOH7IEN2JAEJOHYXIEPEEGHOHG5VI";
        content_mime_type: Option<String> = "media type the server declared, lower case, without parameters", "text/html";
        content_mime_detected: Option<String> = "media type the bytes look like", "text/html";
        content_charset: Option<String> = "encoding the text was decoded by, WHATWG name; beyond that standard: UTF-32LE, UTF-32BE, ISO-2022-KR, HZ-GB-2312, Johab, EUC-TW, IBM855", "GBK";
        content_charset_declared: Option<String> = "encoding that HTTP, byte order mark or meta named, WHATWG name", "GBK";
        content_charset_detected: Option<String> = "encoding the bytes look like; null where the text is plain ASCII", "GBK";
        content_languages: Option<String> = "languages of the main text, ISO 639-3, comma-joined, most used first", "zho,eng";
        content_truncated: Option<&'static str> = "why the body is cut: length, time, disconnect, unspecified, record-limit, body-limit", "length";
        content_length: u64 = "bytes of the body after transfer decoding, before content decoding", "30233";
        warc_filename: String = "shard the record stands in, as named on the command line", "crawl-00001.raw";
        warc_record_offset: i64 = "byte offset of the stored record in the shard", "183214";
        warc_record_length: i64 = "bytes of the stored record", "18410";
        http_defects: Option<String> = "what is wrong with the HTTP message, comma-joined; null for a good one", "no-blank-line";
        is_html: bool = "whether it was parsed as HTML", "true";
        title: Option<String> = "title of the page, white space collapsed", "北京大学新闻网";
        description: Option<String> = "description from meta, OpenGraph or JSON-LD", "Campus news";
        author: Option<String> = "author the page names", "Li Hua";
        published: Option<String> = "date of publication as ISO 8601, with its zone where given", "2003-04-15";
        modified: Option<String> = "date of the last change the page states, as ISO 8601", "2003-04-16T08:00:00+08:00";
        site_name: Option<String> = "name of the site the page states", "PKU News";
        licence: Option<String> = "address or name of the licence the page states", "https://creativecommons.org/licenses/by/4.0/";
        categories: Vec<String> = "what the page is filed under: section, category", "['News', 'Campus']";
        tags: Vec<String> = "tags and declared keywords, in order, each once", "['library', 'opening']";
        image: Option<String> = "address of the page's picture, from OpenGraph, a Twitter card or JSON-LD", "http://pku.edu.cn/library.jpg";
        language_declared: Option<String> = "language the page declares, BCP 47", "zh-cn";
        canonical_url: Option<String> = "target of link rel=canonical, canonical form", "http://pku.edu.cn/news/1.html";
        robots_noindex: bool = "meta robots or X-Robots-Tag ask not to index the page: reports leave it out", "false";
        robots_nofollow: bool = "meta robots or X-Robots-Tag ask not to follow its links", "false";
        page_type: Option<&'static str> = "kind of page: article, forum, product, collection, listing, documentation, service, other", "article";
        num_links: u32 = "links that stand in table links", "48";
        num_words: u32 = "words of the main text (UAX 29, jieba for Chinese)", "812";
        text_digest: Option<Bytes16> = "xxh3-128 of the normalised main text (case, width, white space); null without text", "0x51…";
        simhash: Option<u64> = "64-bit SimHash of the main text over word shingles; null without words", "13835058055282163712";
        dom_nodes: u32 = "nodes of the parsed tree", "1204";
        cuts: Option<String> = "limits that cut the page off (bytes, depth, nodes, attributes, links, work), comma-joined", "depth";
    }
}
