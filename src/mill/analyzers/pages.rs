//! `pages`: one row per capture.

use webmill_capture::domain::{HostParts, reversed};
use webmill_capture::{CanonicalUrl, RecordType, domain, urlkey};
use webmill_html::about_fields;
use webmill_table::{Bytes16, Millis, table, text_enum};

use super::{DocumentKind, DocumentTitle, place, stated};
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

text_enum! {
    /// What a page offers to a reader, as tables say it.
    pub enum PageKind from webmill_text::PageType {
        /// One text: news, blog post, essay, encyclopaedia entry.
        Article = "article",
        /// Products or posts of one kind, with little text each.
        Collection = "collection",
        /// Reference or manual of software, a procedure, a law.
        Documentation = "documentation",
        /// A thread of posts, questions and answers.
        Forum = "forum",
        /// Entries with links to pages of their own.
        Listing = "listing",
        /// One thing on sale.
        Product = "product",
        /// What an organisation offers.
        Service = "service",
        /// No text of its own: an error, a check for robots, a page that scripts fill, one that leads elsewhere.
        Empty = "empty",
        /// A document that is no HTML: PDF, Office file, feed, plain text.
        Document = "document",
        /// None of these.
        Other = "other",
    }
}

text_enum! {
    /// Why the end of a body is missing, as tables say it.
    pub enum Cut from webmill_capture::Truncation {
        /// The crawler's limit on size.
        Length = "length",
        /// The crawler's limit on time.
        Time = "time",
        /// The connection broke.
        Disconnect = "disconnect",
        /// The archive says so, without a reason that is known.
        Unspecified = "unspecified",
        /// Longer than the record limit of the reader.
        RecordLimit = "record-limit",
        /// The decoded body is longer than the limit of the job.
        BodyLimit = "body-limit",
    }
}

text_enum! {
    /// Kind of record, as WARC names it.
    pub enum WarcType from webmill_capture::RecordType {
        /// About the shard itself.
        Warcinfo = "warcinfo",
        /// A complete HTTP response.
        Response = "response",
        /// A document without a protocol around it.
        Resource = "resource",
        /// What was sent to get a response.
        Request = "request",
        /// About another record.
        Metadata = "metadata",
        /// The same content as an earlier record.
        Revisit = "revisit",
        /// Another record's content in another form.
        Conversion = "conversion",
        /// The rest of a record cut in two.
        Continuation = "continuation",
        /// The first record of an ARC file.
        FileDesc = "filedesc",
        /// A type that has no name.
        Unknown = "unknown",
    }
}

/// Table `pages` with what a page states of itself between its other columns, and how a row gets that.
macro_rules! page_table {
    ([{ $($head:tt)* } { $($before:tt)* } { $($after:tt)* }] { $($shared:tt)* } { $($further:tt)* }) => {
        table! { $($head)* { $($before)* $($shared)* $($further)* $($after)* } }
        stated! { PageRow $($shared)* $($further)* }
    };
}

about_fields! {
    page_table! {
        /// One row per record about a URL (for a crawl also per answer that is in no shard), sorted by `url_sortkey`
        /// within a part. The columns of the largest public crawl index carry its names and types.
        PageRow = "pages" sorted by [url_sortkey, url, fetch_time]
    } {
        url_surtkey: String = "key of capture indexes: SURT as the Internet Archive's tools make it, by which captures of one page under www or not, http or https come together", "cn,edu,pku)/news/1.html";
        url_sortkey: String = "SURT form of the canonical URL, nothing folded: what rows are sorted by, so that neighbours on the Web are neighbours here", "cn,edu,pku,www)/news/1.html";
        url: String = "canonical URL finally fetched, after redirects", "http://pku.edu.cn/news/1.html";
        url_key: Bytes16 = "xxh3-128 of the canonical URL, 32 hexadecimal digits: the key that tables are joined by", "9f…";
        is_current: bool = "whether this is the current row of its URL, of which each URL has exactly one: the latest answer of status 2xx that is HTML or was read as a document, else the latest text that came with the archive as a conversion (WET), else the latest answer of status 2xx, else the latest answer, else the latest row", "true";
        warc_type: Option<WarcType> = "kind of record: response, revisit (the same as an earlier capture), resource, conversion; request and metadata on demand; null for answers that no shard holds", "response";
        warc_record_id: Option<String> = "identifier of the record, without brackets; null in formats that have none", "urn:uuid:2aabeff2-67f5-4608-8466-e87c6296e2b6";
        refers_to_id: Option<String> = "identifier of the record that a revisit repeats or a conversion was made of, where stated: its warc_record_id", "urn:uuid:2aabeff2-67f5-4608-8466-e87c6296e2b6";
        refers_to_url: Option<String> = "canonical URL of the capture that a revisit repeats, where stated", "http://pku.edu.cn/news/1.html";
        refers_to_time: Millis = "when the capture that a revisit repeats was fetched; null where not stated", "2003-04-15T08:13:06Z";
        refers_to_digest: Option<String> = "digest of the payload that a revisit repeats: base32 SHA-1, or another algorithm with its name and a colon", "MOH7IEN2JAEJOHYXIEPEEGHOHG5VI";
        url_host_name: String = "host name, lower case, IDNA ASCII form", "news.pku.edu.cn";
        url_host_tld: Option<String> = "top-level domain; this and the following host columns are null for IP addresses", "cn";
        url_host_2nd_last_part: Option<String> = "second last label of the host name", "edu";
        url_host_3rd_last_part: Option<String> = "third last label", "pku";
        url_host_4th_last_part: Option<String> = "fourth last label", "news";
        url_host_5th_last_part: Option<String> = "fifth last label", "www";
        url_host_registry_suffix: Option<String> = "suffix under which registries sell names, by the public suffix list", "edu.cn";
        url_host_registered_domain: Option<String> = "registered domain by the registries' section of the public suffix list; null for IP addresses and bare suffixes", "pku.edu.cn";
        url_host_private_suffix: Option<String> = "suffix by both sections of the list: also those of owners who let others use names below theirs", "github.io";
        url_host_private_domain: Option<String> = "domain by both sections of the list; null for IP addresses and bare suffixes", "someone.github.io";
        url_host_name_reversed: Option<String> = "host name with its labels reversed", "cn.edu.pku.news";
        url_protocol: String = "scheme of the URL", "http";
        url_port: Option<i32> = "port, where it is not the scheme's own", "8080";
        url_path: String = "path of the URL", "/news/1.html";
        url_query: Option<String> = "query of the URL, without question mark; null for none", "id=1";
        url_origin: Option<String> = "canonical URL first asked for, where a redirect led here", "http://pku.edu/";
        fetch_time: Millis = "when it was fetched; null where the record does not say", "2003-04-15T08:13:06Z";
        fetch_status: Option<i16> = "HTTP status code; null where there is no status line", "200";
        fetch_redirect: Option<String> = "absolute URL that an answer of status 3xx leads to", "http://pku.edu.cn/";
        fetch_ip: Option<String> = "server address as stored", "162.105.129.12";
        content_digest: Option<String> = "base32 SHA-1 of the body after transfer decoding, before content decoding; of a revisit that of the payload it repeats; null where a limit cut the body", "MOH7IEN2JAEJOHYXIEPEEGHOHG5VI";
        content_mime_type: Option<String> = "media type the server declared, lower case, without parameters", "text/html";
        content_mime_detected: Option<String> = "media type the bytes look like", "text/html";
        content_charset: Option<String> = "encoding the text was decoded by, WHATWG name; beyond that standard: UTF-32LE, UTF-32BE, ISO-2022-KR, HZ-GB-2312, Johab, EUC-TW, IBM855", "GBK";
        content_charset_declared: Option<String> = "encoding that HTTP, byte order mark or meta named, WHATWG name", "GBK";
        content_charset_detected: Option<String> = "encoding the bytes look like; null where the text is plain ASCII", "GBK";
        content_charset_doubled: Option<String> = "encoding that UTF-8 was mistaken for when the text was encoded as UTF-8 a second time, throughout the page: that was undone; null for text encoded once", "windows-1252";
        content_languages: Option<String> = "languages of the main text, ISO 639-3, comma-joined, most used first", "zho,eng";
        content_truncated: Option<Cut> = "why the body is cut: length, time, disconnect, unspecified, record-limit, body-limit", "length";
        content_length: u64 = "bytes of the body after transfer decoding, before content decoding", "30233";
        warc_filename: String = "shard the record stands in: the end of its path that tells it from the others", "crawl-00001.raw";
        warc_record_offset: i64 = "byte offset of the stored record in the shard", "183214";
        warc_record_length: i64 = "bytes of the stored record", "18410";
        warc_is_inflated: bool = "whether offset and length are those in the unpacked file, since the shard is compressed as a whole", "false";
        warc_segment: Option<String> = "segment of the crawl, where the shard lies below a folder segments/NAME; else null", "1425732217.97";
        crawl: String = "name of the crawl, from the recipe; a partition of the public index", "CC-MAIN-2018-26";
        subset: String = "part of the crawl, a partition of the public index: warc (status 2xx), robotstxt, crawldiagnostics (all else)", "warc";
        http_defects: Vec<String> = "defects of the HTTP message; empty for a good one", "['no-blank-line']";
        is_html: bool = "whether it was parsed as HTML", "true";
        document: Option<DocumentKind> = "format of a document that is no HTML, by its bytes: pdf, docx, doc, odt, rtf, pptx, ppt, odp, xlsx, xls, xlsb, ods, epub, feed, markdown, csv, text", "pdf";
        document_failure: Option<String> = "why the document could not be read: encrypted, damaged, too-large, crashed, too-slow, out-of-memory and the like; null where it was", "encrypted";
        document_warnings: Vec<String> = "defects of the document, and parts left out: needs-ocr, text-cut, pages-cut and the like", "['needs-ocr']";
        title_source: Option<DocumentTitle> = "where the title of a document was found: metadata, style, type (size of letters), heading, line; null for HTML", "type";
        num_pages: Option<u32> = "pages, slides or sheets of a document; null where it has none", "12";
    } {
        robots_noindex: bool = "meta robots or X-Robots-Tag ask not to index the page: reports leave it out", "false";
        robots_nofollow: bool = "meta robots or X-Robots-Tag ask not to follow its links", "false";
        page_type: Option<PageKind> = "kind of page, of every answer that was read: article, forum, product, collection, listing, documentation, service, empty (an error, a check for robots, a page that scripts fill: no text), document (no HTML), other", "article";
        num_links: u32 = "links that stand in table links", "48";
        num_words: u32 = "words of the main text (UAX 29, jieba for Chinese)", "812";
        text_digest: Option<Bytes16> = "xxh3-128 of the normalised main text (case, width, white space); null without text", "51…";
        simhash: u64 = "64-bit SimHash of the main text over word shingles, as the signed integer of the same bits; 0 without words (num_words is 0), for pandas rounds long integers of a column with nulls", "-4611686018427387904";
        dom_nodes: u32 = "nodes of the parsed tree", "1204";
        cuts: Option<String> = "limits that cut the page off (bytes, depth, nodes, attributes, work), and how many links, blocks and bytes of text were left out, comma-joined", "depth,blocks:10000";
    }
}

impl Weigh for PageRow {
    fn weight(&self) -> usize {
        size_of::<Self>() + 900
    }
}

impl PageRow {
    /// A row that knows of its page no more than the URL.
    pub fn of_url(url: &CanonicalUrl) -> Self {
        let host = url.host();
        let parts = HostParts::of(host);
        let own = |part: Option<&str>| part.map(str::to_owned);
        let [tld, second, third, fourth, fifth] = parts.labels;
        PageRow {
            url_surtkey: urlkey::url_key(url.as_str()),
            url_sortkey: url.surt(),
            url: url.as_str().to_owned(),
            url_key: Bytes16(url.key().0),
            url_host_name: host.to_owned(),
            url_host_tld: own(tld),
            url_host_2nd_last_part: own(second),
            url_host_3rd_last_part: own(third),
            url_host_4th_last_part: own(fourth),
            url_host_5th_last_part: own(fifth),
            url_host_registry_suffix: own(parts.registry_suffix),
            url_host_registered_domain: own(parts.registered_domain),
            url_host_private_suffix: own(parts.private_suffix),
            url_host_private_domain: own(parts.private_domain),
            url_host_name_reversed: (!host.is_empty() && !domain::is_ip(host)).then(|| reversed(host)),
            url_protocol: url.scheme().to_owned(),
            url_port: url.port().map(i32::from),
            url_path: url.path().to_owned(),
            url_query: own(url.query()),
            ..PageRow::default()
        }
    }
}

/// What pages are counted as in the manifest whose body is a document that was read.
pub const DOCUMENTS: &str = "documents";

/// Fills table `pages`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pages;

impl Analyzer for Pages {
    fn id(&self) -> PartId {
        PartId::new("pages", 8)
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<PageRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        let mut row = captured(page);
        if page.is_read() {
            read(page, &mut row);
        }
        row.num_links = (page.redirects().len() + page.links().len()) as u32;
        count(&row, out);
        for (what, yes) in [
            ("pruned-by-template", page.document().is_some_and(|document| document.main.pruned > 0)),
            (
                "meta-refresh-stub",
                page.document().is_some_and(|document| document.main.redirects_to.is_some()),
            ),
            ("empty-page", row.page_type == Some(PageKind::Empty)),
            ("ambiguous-date", !row.published_ambiguous.is_empty()),
            ("utf-8-twice", row.content_charset_doubled.is_some()),
            ("label-overruled", overruled(&row)),
        ] {
            if yes {
                out.count(what);
            }
        }
        if let Some(format) = page.refused_html() {
            out.count(refusal(format));
        }
        out.push(row);
        Ok(())
    }
}

/// Whether the text was read in another encoding than the one declared.
fn overruled(row: &PageRow) -> bool {
    row.content_charset_declared.is_some() && row.content_charset_declared != row.content_charset
}

/// What an answer is counted as that the server called HTML and that is none.
fn refusal(format: &str) -> &'static str {
    match format.split_once('/') {
        None => "html-that-is-empty",
        Some(("image", _)) => "html-that-is-an-image",
        Some(("audio" | "video", _)) => "html-that-is-audio-or-video",
        Some(("application", "pdf")) => "html-that-is-pdf",
        Some(("application", "gzip" | "zip" | "x-rar-compressed")) => "html-that-is-an-archive",
        Some(_) => "html-that-is-binary",
    }
}

/// Known facts about any capture.
fn captured(page: &Page<'_>) -> PageRow {
    let (capture, body) = (page.capture(), page.body());
    let (warc_record_offset, warc_filename) = place(page);
    let (answer, refers) = (capture.is_answer(), &capture.refers_to);
    PageRow {
        warc_type: Some(capture.record_type.into()),
        warc_record_id: capture.record_id.as_deref().map(str::to_owned),
        refers_to_id: refers.id.as_deref().map(str::to_owned),
        refers_to_url: refers
            .url
            .as_deref()
            .and_then(CanonicalUrl::parse_stored)
            .map(CanonicalUrl::into_string),
        refers_to_time: Millis(refers.date_ms),
        refers_to_digest: refers.digest.as_deref().map(str::to_owned),
        fetch_redirect: page.redirect().map(CanonicalUrl::into_string),
        subset: subset(page).to_owned(),
        url_origin: page.origin().map(CanonicalUrl::into_string),
        fetch_time: Millis(capture.date_ms),
        fetch_status: capture.response.status.and_then(|s| i16::try_from(s).ok()),
        fetch_ip: capture.ip.as_deref().map(str::to_owned),
        content_digest: match capture.record_type {
            RecordType::Revisit => refers.digest.as_deref().map(str::to_owned),
            _ => page.content_digest(),
        },
        content_mime_detected: body.sniffed_type.map(str::to_owned),
        content_mime_type: body.declared_type.clone(),
        content_truncated: body.truncated.map(Cut::from),
        content_length: body.payload.len() as u64,
        warc_filename,
        warc_record_offset,
        warc_record_length: capture.place.length as i64,
        http_defects: body.defects.iter().map(|defect| (*defect).to_owned()).collect(),
        is_html: answer && page.is_html(),
        document: page.kind().map(DocumentKind::from),
        ..PageRow::of_url(page.url())
    }
}

/// The partition of the public index that a capture is in.
fn subset(page: &Page<'_>) -> &'static str {
    let url = page.url();
    match page.capture().response.status {
        _ if url.path() == "/robots.txt" && url.query().is_none() => "robotstxt",
        None | Some(200..=299) => "warc",
        Some(_) => "crawldiagnostics",
    }
}

/// What a document says.
fn read(page: &Page<'_>, row: &mut PageRow) {
    if let Some(characters) = page.characters() {
        row.content_charset = Some(characters.name.to_owned());
        row.content_charset_declared = characters.declared.map(str::to_owned);
        row.content_charset_detected = characters.detected.map(str::to_owned);
        row.content_charset_doubled = characters.doubled.map(str::to_owned);
    }
    if let (Some(dom), Some(found)) = (page.dom(), page.found_links()) {
        row.dom_nodes = dom.len() as u32;
        let mut cuts: Vec<String> = dom.cut().names().map(str::to_owned).collect();
        if found.skipped.limit > 0 {
            cuts.push(format!("links:{}", found.skipped.limit));
        }
        cuts.extend(page.document().into_iter().flat_map(|document| document.main.left_out.words()));
        row.cuts = (!cuts.is_empty()).then(|| cuts.join(","));
    }
    let about = page.document().map(|document| &document.main.about);
    about.into_iter().for_each(|about| row.state(about));
    if let Some(metadata) = page.metadata() {
        for word in &metadata.keywords {
            if !row.tags.contains(word) {
                row.tags.push(word.clone());
            }
        }
        row.robots_noindex = metadata.robots.all.noindex;
        row.robots_nofollow = metadata.robots.all.nofollow;
    }
    if let Some(document) = page.document() {
        row.page_type = Some(document.main.page_type.into());
        if let Some(found) = &document.found {
            row.title_source = found.title_source.map(DocumentTitle::from);
            row.num_pages = found.pages;
            row.document_warnings = found.warnings.iter().map(|warning| warning.to_string()).collect();
        }
    } else if let (Some(_), Some(rejected)) = (page.kind(), page.rejected()) {
        row.document_failure = Some(rejected.reason.trim_start_matches("document-").to_owned());
    }
    if let Some(reading) = page.reading() {
        row.num_words = reading.num_words;
        row.content_languages = (!reading.languages.is_empty()).then(|| reading.languages.join(","));
        row.text_digest = reading.digest.map(Bytes16);
        row.simhash = reading.simhash.unwrap_or_default();
    }
}

fn count(row: &PageRow, out: &mut Rows) {
    out.count("captures");
    for (name, yes) in [
        ("html", row.is_html),
        (DOCUMENTS, row.document.is_some() && row.page_type.is_some()),
        ("documents-cut", row.document_warnings.iter().any(|warning| warning.ends_with("-cut"))),
        ("documents-without-text", row.document_warnings.iter().any(|warning| warning == "needs-ocr")),
        ("revisits", row.warc_type == Some(WarcType::Revisit)),
        ("truncated", row.content_truncated.is_some()),
        ("broken-http", !row.http_defects.is_empty()),
        ("cut-by-limits", row.cuts.is_some()),
    ] {
        if yes {
            out.count(name);
        }
    }
}
