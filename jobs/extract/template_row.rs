//! `templates`: hosts whose pages were compared, and the texts that they share.

use webmill_table::{table, text_enum};

text_enum! {
    /// Whether a host has a template, or why not.
    pub enum TemplateVerdict from webmill_text::Verdict {
        /// It has one.
        On = "on",
        /// Too few pages that are no copies of one another.
        FewPages = "few-pages",
        /// Its pages share no text.
        NoneShared = "none-shared",
        /// Its pages are copies of one text.
        Copies = "copies",
    }
}

table! {
    /// One row per text that at least half of the compared pages of a host show, the most shared and longest first, up to 64 per host; one row for a host without any. The columns about the host, up to other_content, are the same on each of its rows.
    TemplateRow = "templates" {
        url_host_name: String = "host name, lower case, IDNA ASCII form", "news.pku.edu.cn";
        pages: u64 = "HTML captures of the host with status 2xx", "812";
        sampled: u32 = "pages that were compared: half of them, 10 to 32, of the smallest URL hashes, but for those that turn out to be no HTML; of those whose prose is equal one", "32";
        verdict: TemplateVerdict = "on, or why there is no template: few-pages (fewer than eight), none-shared, copies (of one text: more than half of the pages would keep less than a fifth of their prose, and more than half of all prose is shared)", "on";
        texts: u32 = "texts in the template", "14";
        share: f64 = "share that they have in the prose of the compared pages (words that are neither links nor labels nor headings), 0 to 1", "0.29";
        compared: u32 = "pages of the sample that were compared each with each by structure (tags and texts in order, the first 2,000) and main text (its first 8 KiB): one in 25, at most 8", "8";
        one_template: Option<f64> = "share of the compared pairs whose structures are more than 0.9 alike (2 LCS / (n1 + n2)), 0 to 1; null where no two pages were compared", "0.93";
        other_content: Option<f64> = "share of the compared pairs of one template with other content: structures more than 0.9 alike, resemblance of the main texts below 0.3; 0 to 1, null as before", "0.86";
        path: Option<String> = "tags with classes from body down to the text, of the innermost twelve elements; this and all that follows is null of a host whose pages share nothing", "body > div.main > p";
        depth: Option<u32> = "elements above it", "2";
        shown: Option<u32> = "compared pages that show it there", "31";
        styles: Option<u32> = "different texts that the compared pages show at this path", "3";
        path_importance: Option<f64> = "composite importance in the style tree of the element at this path, its texts as its styles: 0 where all pages show one text there, near 1 where each has its own", "0.31";
        words: Option<u32> = "words in the text", "14";
        importance: Option<f64> = "0 of what all pages show, 1 of what one shows: that of a leaf of a style tree, 1 − ln shown / ln sampled", "0.009";
        is_template: Option<bool> = "whether main texts leave it out: its importance is at most 0.1 and the verdict on. A label (six words at most, no sentence) stays where it stands over a text of the page's own", "true";
    }
}
