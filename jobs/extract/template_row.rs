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
    }
}
