//! `report.html`: the numbers and pictures of a corpus on one self-contained page.
//!
//! **What.** [`render`] turns [`ReportData`] into HTML with its style and SVG pictures inside: no script, no network.
//!
//! **Safety.** Everything that comes from a crawl is escaped, and only http(s) URLs become links.
//!
//! **Determinism.** A function of the data alone; numbers are formatted without locale.
//!
//! # Examples
//! ```
//! use webmill_report::{Bars, ReportData, Share, render, thousands};
//!
//! let share = |name: &str, count| Share { name: name.into(), count };
//! let html = render(&ReportData {
//!     title: "A <small> corpus".into(),
//!     cards: vec![("pages".into(), thousands(1200))],
//!     bars: vec![Bars {
//!         title: "Languages".into(),
//!         unit: "pages".into(),
//!         bars: vec![share("eng", 900), share("zho", 300)],
//!         ..Bars::default()
//!     }],
//!     ..ReportData::default()
//! });
//! assert!(html.starts_with("<!doctype html>"));
//! assert!(html.contains("A &lt;small&gt; corpus") && html.contains("1,200"));
//! ```

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bowtie;
mod loglog;
mod page;

pub use bowtie::BowTie;
pub use loglog::{Law, LogLog, Series};
pub use page::render;

/// A named count.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// What is counted.
    pub name: String,
    /// How many.
    pub count: u64,
}

/// A bar chart of named counts, largest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// Heading.
    pub title: String,
    /// What one count is.
    pub unit: String,
    /// What the shares are of, where things are counted under several names; else the sum of the counts.
    pub of: Option<u64>,
    /// The counts.
    pub bars: Vec<Share>,
}

/// One row of a table of top pages or hosts: a name (URL or host), its title, and numbers in the order of the columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TopRow {
    /// URL or host name.
    pub name: String,
    /// A title to show before it.
    pub title: Option<String>,
    /// The numbers, formatted.
    pub cells: Vec<String>,
}

/// A table of top things.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Top {
    /// Heading.
    pub title: String,
    /// A line of explanation.
    pub note: String,
    /// Heads of the number columns.
    pub columns: Vec<String>,
    /// The rows, best first.
    pub rows: Vec<TopRow>,
}

/// A part of the report with numbers, charts and tables of its own.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// A line of explanation.
    pub note: String,
    /// Numbers at its top: label and value.
    pub cards: Vec<(String, String)>,
    /// Bar charts.
    pub bars: Vec<Bars>,
    /// Tables.
    pub tops: Vec<Top>,
}

/// Everything the report shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportData {
    /// Heading of the page.
    pub title: String,
    /// What was milled, one line.
    pub subtitle: String,
    /// Numbers at the top: label and value.
    pub cards: Vec<(String, String)>,
    /// Tables of top pages and hosts.
    pub tops: Vec<Top>,
    /// Degree plots.
    pub plots: Vec<LogLog>,
    /// The shape of the Web.
    pub bowtie: Option<BowTie>,
    /// Bar charts.
    pub bars: Vec<Bars>,
    /// Further parts, each under its heading.
    pub sections: Vec<Section>,
    /// Tables of clusters.
    pub clusters: Vec<Top>,
    /// What was dropped and why.
    pub dropped: Vec<Share>,
    /// Facts about how it was computed.
    pub facts: Vec<(String, String)>,
}

/// `1234567` as `1,234,567`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// Escapes text for HTML, in element content and double-quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Controls and bidirectional overrides would let a page's title rearrange ours.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        for (n, want) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(n), want);
        }
        assert_eq!(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
        assert_eq!(escape("a\u{202e}b\0"), "a\u{fffd}b ");
    }

    #[test]
    fn hostile_names_stay_text() {
        let data = ReportData {
            tops: vec![Top {
                rows: vec![TopRow {
                    name: "javascript:alert(1)".into(),
                    title: Some("<script>".into()),
                    cells: vec![],
                }],
                ..Top::default()
            }],
            ..ReportData::default()
        };
        let html = render(&data);
        assert!(!html.contains("<script"));
        assert!(!html.contains("href=\"javascript"));
    }

    #[test]
    fn a_section_shows_its_numbers_charts_and_tables_in_order() {
        let bars =
            Bars { title: "B".into(), bars: vec![Share { name: "x".into(), count: 1 }], ..Bars::default() };
        let top = Top { title: "T".into(), rows: vec![TopRow::default()], ..Top::default() };
        let section = Section {
            title: "The <crawl>".into(),
            note: "a note".into(),
            cards: vec![("hosts".into(), "7".into())],
            bars: vec![bars],
            tops: vec![top],
        };
        let html = render(&ReportData { sections: vec![section], ..ReportData::default() });
        let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("no {text}"));
        let order = ["<h2>The &lt;crawl&gt;</h2>", "a note", "<b>7</b>", "<h2>B</h2>", "<h2>T</h2>"];
        assert!(order.map(at).is_sorted());
    }

    #[test]
    fn an_empty_report_is_a_page() {
        let html = render(&ReportData::default());
        assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    }
}
