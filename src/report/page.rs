//! The page itself.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::html::{Html, escape};
use super::{Lang, Panel, Part, ReportData, Word};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Greatest size of a page.
pub const MAX_BYTES: usize = 200_000;

/// Where [`with_times`] puts the head of the column, and the start of what stands for a job.
const TIME_HEAD: &str = "<!--time-->";

/// The report as one HTML document of at most [`MAX_BYTES`]: where tables make it longer, they lose rows from their ends.
pub fn render(data: &ReportData) -> String {
    let mut most = 10_000;
    loop {
        let html = document(data, most);
        if html.len() <= MAX_BYTES || most == 1 {
            return html;
        }
        most = (most / 2).max(1);
    }
}

/// A copy of a rendered page with the seconds that jobs took, by job.
pub fn with_times(html: &str, lang: Lang, seconds: &BTreeMap<String, f64>) -> String {
    let head = format!("<th scope=col class=n>{}", escape(lang.word(Word::Seconds)));
    let mut page = html.replacen(TIME_HEAD, &head, 1);
    for (job, seconds) in seconds {
        page = page.replacen(&time_of(job), &format!("<td class=n>{seconds:.1}"), 1);
    }
    page
}

/// What stands in the row of a job until [`with_times`] replaces it.
fn time_of(job: &str) -> String {
    format!("<!--time {}-->", escape(job))
}

fn document(data: &ReportData, most: usize) -> String {
    let word = |word| escape(data.lang.word(word));
    let mut html = format!(
        "<!doctype html>\n<html lang={}>\n<head>\n<meta charset=utf-8>\n<meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=color-scheme content=\"light dark\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=skip href=#main>{}</a>\n<header><h1>{}</h1><p>{}</p></header>\n",
        data.lang.code(),
        escape(&data.title),
        word(Word::SkipToContent),
        escape(&data.title),
        data.subtitle.as_str()
    );
    if !data.parts.is_empty() {
        let _ = write!(html, "<nav aria-label=\"{}\"><ul>", word(Word::Contents));
        for part in &data.parts {
            let _ = write!(html, "<li><a href=\"#{}\">{}</a>", escape(&part.id), escape(&part.title));
        }
        html.push_str("</ul></nav>\n");
    }
    let _ = writeln!(html, "<main id=main>\n<section aria-label=\"{}\">", word(Word::Overview));
    if !data.findings.is_empty() {
        html.push_str("<ol class=findings>");
        for finding in &data.findings {
            let _ = write!(html, "<li>{}", finding.as_str());
        }
        html.push_str("</ol>\n");
    }
    html.push_str(&inside(&data.overview, data.lang, most));
    html.push_str("</section>\n");
    for part in &data.parts {
        let _ = writeln!(
            html,
            "<section id=\"{0}\" aria-labelledby=\"h-{0}\"><h2 id=\"h-{0}\">{1}</h2>",
            escape(&part.id),
            escape(&part.title)
        );
        if !part.note.is_empty() {
            let _ = writeln!(html, "<p class=note>{}</p>", escape(&part.note));
        }
        html.push_str(&inside(part, data.lang, most));
        html.push_str("</section>\n");
    }
    let _ = write!(
        html,
        "</main>\n<footer><p>{}</p></footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        word(Word::Footer)
    );
    html
}

fn inside(part: &Part, lang: Lang, most: usize) -> String {
    let mut html = String::new();
    if !part.cards.is_empty() {
        html.push_str("<dl class=numbers>\n");
        for (label, value) in &part.cards {
            let _ = writeln!(html, "<div><dt>{}</dt><dd>{}</dd></div>", escape(label), value.as_str());
        }
        html.push_str("</dl>\n");
    }
    html.push_str("<div class=panels>\n");
    for panel in &part.panels {
        html.push_str(&drawn(panel, lang, most));
    }
    html.push_str("</div>\n");
    html
}

fn drawn(panel: &Panel, lang: Lang, most: usize) -> String {
    match panel {
        Panel::Bars(bars) => bars.html(lang),
        Panel::BowTie(tie) => tie.html(lang),
        Panel::LogLog(plot) => plot.html(lang),
        Panel::OverTime(over) => over.html(lang),
        Panel::Top(top) => top.html(lang, most),
        Panel::Ranking(ranking) => ranking.html(lang, most),
        Panel::Facts(title, facts) => {
            format!("<section class=panel><h3>{}</h3>{}</section>\n", escape(title), list(facts))
        }
        Panel::Folded(title, lists) => {
            let mut html =
                format!("<section class=\"panel wide fold\"><details><summary>{}</summary>", escape(title));
            for (name, facts) in lists {
                let _ = write!(html, "<h3>{}</h3>{}", escape(name), list(facts));
            }
            html.push_str("</details></section>\n");
            html
        }
        Panel::Jobs(jobs) => {
            let rows = jobs.rows.iter().map(|(job, cells)| (job.as_str(), cells));
            let mut html = format!(
                "<section class=\"panel wide\"><h3>{}</h3><p class=note>{}</p><div class=flow><table class=plain><thead><tr>",
                escape(&jobs.title),
                escape(&jobs.note)
            );
            for head in &jobs.heads {
                let _ = write!(html, "<th scope=col>{}", escape(head));
            }
            html.push_str(TIME_HEAD);
            html.push_str("</thead><tbody>\n");
            for (job, cells) in rows {
                let _ = write!(html, "<tr><th scope=row>{}", escape(job));
                cells.iter().for_each(|cell| {
                    let _ = write!(html, "<td>{}", cell.as_str());
                });
                html.push_str(&time_of(job));
                html.push('\n');
            }
            html.push_str("</table></div></section>\n");
            html
        }
    }
}

fn list(facts: &[(String, Html)]) -> String {
    let mut html = String::from("<dl class=facts>\n");
    for (name, value) in facts {
        let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), value.as_str());
    }
    html.push_str("</dl>\n");
    html
}
