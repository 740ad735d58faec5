//! `templates`: hosts whose pages were compared, and what was learnt.

use webmill_table::{table, text_enum};

text_enum! {
    /// Whether a host has a template, or why not.
    pub enum TemplateVerdict from webmill_text::Verdict {
        /// It has one.
        On = "on",
        /// Too few pages.
        FewPages = "few-pages",
        /// No page has template in its main text.
        NoResidue = "no-residue",
        /// Too much of the main text would go.
        TooMuch = "too-much",
        /// The halves of the sample contradict each other.
        Unconfirmed = "unconfirmed",
    }
}

table! {
    /// One row a host whose pages were compared to learn its template; hosts of enough captures only.
    TemplateRow = "templates" {
        url_host_name: String = "host name, lower case, IDNA ASCII form", "news.pku.edu.cn";
        pages: u64 = "HTML captures of the host with status 2xx", "812";
        sampled: u32 = "pages that were compared: the 64 of the smallest URL hashes, but for those that turn out to be no HTML", "64";
        verdict: TemplateVerdict = "on, or why there is no template: few-pages, no-residue (nothing to take), too-much (over a quarter of the text), unconfirmed (the halves of the sample disagree)", "on";
        texts: u32 = "texts in the template", "14";
        pages_hit: u32 = "sampled pages whose main text held some of them", "5";
        share: f64 = "share of the sample's main text that they are, 0 to 1", "0.004";
        agreement: f64 = "share of what each half of the sample takes from the other that the other agrees to, 0 to 1", "0.97";
        compared: u32 = "pages of the sample that were compared each with each by structure (tags and texts in order, the first 2,000) and main text (its first 8 KiB): at most the recipe's [extract] template_compared", "8";
        one_template: Option<f64> = "share of the compared pairs whose structures are more than 0.9 alike (2 LCS / (n1 + n2)), 0 to 1; null where no two pages were compared", "0.93";
        other_content: Option<f64> = "share of the compared pairs of one template with other content: structures more than 0.9 alike, resemblance of the main texts below 0.3; 0 to 1, null as before", "0.86";
    }
}

table! {
    /// One row an element of the pages of a host, with its importance; where templates are learnt by the style tree (recipe [extract] template_method = "style-tree").
    TemplateElementRow = "template_elements" {
        url_host_name: String = "host name, lower case, IDNA ASCII form", "news.pku.edu.cn";
        path: String = "tags with classes from body down to it; #text is text between elements", "body > div.main > p";
        depth: u32 = "elements above it", "2";
        pages: u32 = "sampled pages that have it", "60";
        styles: u32 = "sequences of children that it has on these pages; 0 of one that holds text alone", "1";
        words: u32 = "distinct words that are known of one that holds text alone", "14";
        importance: f64 = "composite importance: 0 of what all pages share, 1 of what each has for itself", "0.03";
        is_template: bool = "whether it holds text and is template: enough pages have it, and it is not important", "true";
    }
}
