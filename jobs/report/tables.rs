//! `hosts` and `summary`: what the report shows.

use webmill_table::table;

table! {
    /// One row per host, in SURT order; URLs without a host, such as `urn:`, belong to no row.
    HostRow = "hosts" {
        url_host_name: String = "host name, lower case, IDNA ASCII form", "news.pku.edu.cn";
        url_host_registered_domain: Option<String> = "registrable domain; null for IP addresses", "pku.edu.cn";
        captures: u64 = "captures of its URLs", "1204";
        html_pages: u64 = "pages of HTML with status 2xx, one a URL", "1011";
        documents: u64 = "documents that are no HTML and were read, one a URL", "17";
        errors: u64 = "captures with status 4xx or 5xx", "12";
        bytes: u64 = "bytes of all bodies", "48310221";
        words: u64 = "words of all main texts", "812345";
        links: u64 = "links on its pages", "38120";
        duplicates: u64 = "pages that a cluster represents by another page", "82";
        hosts_in: u32 = "hosts that link to it", "14";
        hosts_out: u32 = "hosts it links to", "9";
        pagerank: f64 = "PageRank of the host in the graph of hosts", "0.013";
        page_rank_sum: f64 = "sum of the PageRank of its pages", "0.021";
        top_language: Option<String> = "most frequent language of its pages, ISO 639-3", "zho";
    }
}

table! {
    /// One row per figure in the report.
    SummaryRow = "summary" {
        section: String = "what it is about: captures, status, charset, language, graph, bowtie, duplicates, …", "status";
        name: String = "the thing counted; of media types past 10,000 the rest together, as (others)", "200";
        value: f64 = "the number itself", "31204";
        unit: String = "unit of the number; empty for pure numbers", "captures";
    }
}

impl SummaryRow {
    /// A figure.
    pub fn new(section: &str, name: &str, value: f64, unit: &str) -> Self {
        SummaryRow { section: section.into(), name: name.into(), value, unit: unit.into() }
    }
}
