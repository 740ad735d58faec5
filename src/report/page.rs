//! The page itself.

use std::fmt::Write;

use super::{Bars, ReportData, Section, Top, escape, thousands};

const STYLE: &str = include_str!("style.css");

/// Bars shown before the rest is summed up.
const MAX_BARS: usize = 12;

/// The report as one HTML document.
pub fn render(data: &ReportData) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport content=\"width=device-width\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header><h1>{}</h1><p>{}</p></header>\n<main>\n",
        escape(&data.title),
        escape(&data.title),
        escape(&data.subtitle)
    );
    html.push_str(&cards(&data.cards));
    for top in &data.tops {
        html.push_str(&table(top));
    }
    if let Some(tie) = &data.bowtie {
        let _ = writeln!(
            html,
            "<section class=wide><h2>The shape of this Web</h2><p>Pages and link targets as a bow-tie; areas are in proportion to the number of nodes.</p>{}</section>",
            tie.svg()
        );
    }
    html.push_str("<div class=grid2>\n");
    for plot in &data.plots {
        let svg = plot.svg();
        if !svg.is_empty() {
            let _ = writeln!(
                html,
                "<section><h2>{}</h2><p>{}</p>{svg}</section>",
                escape(&plot.title),
                escape(&plot.note)
            );
        }
    }
    for bars in &data.bars {
        html.push_str(&bar_chart(bars));
    }
    html.push_str("</div>\n");
    for part in &data.sections {
        html.push_str(&section(part));
    }
    for top in &data.clusters {
        html.push_str(&table(top));
    }
    if !data.dropped.is_empty() {
        html.push_str(&bar_chart(&Bars {
            title: "Left out, and why".into(),
            unit: "records".into(),
            of: None,
            bars: data.dropped.clone(),
        }));
    }
    if !data.facts.is_empty() {
        html.push_str("<section class=wide><h2>How it was computed</h2><dl>\n");
        for (name, value) in &data.facts {
            let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
        }
        html.push_str("</dl></section>\n");
    }
    html.push_str("</main>\n</body>\n</html>\n");
    html
}

fn cards(cards: &[(String, String)]) -> String {
    let mut html = String::from("<section class=cards>\n");
    for (label, value) in cards {
        let _ =
            writeln!(html, "<div class=card><b>{}</b><span>{}</span></div>", escape(value), escape(label));
    }
    html.push_str("</section>\n");
    html
}

fn section(part: &Section) -> String {
    let mut html = format!(
        "<section class=wide><h2>{}</h2><p>{}</p></section>\n",
        escape(&part.title),
        escape(&part.note)
    );
    html.push_str(&cards(&part.cards));
    html.push_str("<div class=grid2>\n");
    part.bars.iter().for_each(|bars| html.push_str(&bar_chart(bars)));
    html.push_str("</div>\n");
    part.tops.iter().for_each(|top| html.push_str(&table(top)));
    html
}

fn table(top: &Top) -> String {
    if top.rows.is_empty() {
        return String::new();
    }
    let mut html = format!(
        "<section class=wide><h2>{}</h2><p>{}</p><table><thead><tr><th>#</th><th></th>",
        escape(&top.title),
        escape(&top.note)
    );
    for column in &top.columns {
        let _ = write!(html, "<th class=n>{}</th>", escape(column));
    }
    html.push_str("</tr></thead><tbody>\n");
    for (i, row) in top.rows.iter().enumerate() {
        let _ = write!(html, "<tr><td class=n>{}</td><td>", i + 1);
        if let Some(title) = row.title.as_deref().filter(|t| !t.trim().is_empty()) {
            let _ = write!(html, "<span class=t>{}</span> ", escape(&shorten(title, 90)));
        }
        let shown = escape(&shorten(&row.name, 110));
        if row.name.starts_with("http://") || row.name.starts_with("https://") {
            let _ = write!(html, "<a rel=\"noreferrer noopener\" href=\"{}\">{shown}</a>", escape(&row.name));
        } else {
            let _ = write!(html, "<code>{shown}</code>");
        }
        html.push_str("</td>");
        for cell in &row.cells {
            let _ = write!(html, "<td class=n>{}</td>", escape(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></section>\n");
    html
}

fn bar_chart(bars: &Bars) -> String {
    let total = bars.of.unwrap_or_else(|| bars.bars.iter().map(|b| b.count).sum());
    if total == 0 {
        return String::new();
    }
    let mut html = format!(
        "<section><h2>{}</h2><p>{} {}</p><div class=bars>\n",
        escape(&bars.title),
        thousands(total),
        escape(&bars.unit)
    );
    let largest = bars.bars.iter().map(|b| b.count).max().unwrap_or(1).max(1);
    let mut row = |name: &str, count: u64| {
        let _ = writeln!(
            html,
            "<span>{}</span><i style=\"width:{:.2}%\"></i><em>{} · {:.1} %</em>",
            escape(&shorten(name, 40)),
            (100.0 * count as f64 / largest as f64).clamp(0.4, 100.0),
            thousands(count),
            100.0 * count as f64 / total as f64
        );
    };
    for bar in bars.bars.iter().take(MAX_BARS) {
        row(&bar.name, bar.count);
    }
    let rest: u64 = bars.bars.iter().skip(MAX_BARS).map(|b| b.count).sum();
    if rest > 0 && bars.of.is_none() {
        row("others", rest);
    }
    html.push_str("</div></section>\n");
    html
}

fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most - 1).collect();
    short.push('…');
    short
}
