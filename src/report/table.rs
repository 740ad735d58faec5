//! Tables of named rows.

use std::fmt::Write;

use super::html::{Html, escape, shorten};
use super::{Lang, Word};

/// One row of a table: a name (URL or host), its title, and cells in the order of the columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TopRow {
    /// URL or host name.
    pub name: String,
    /// A title to show before it.
    pub title: Option<String>,
    /// The cells.
    pub cells: Vec<Html>,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Top {
    /// Heading.
    pub title: String,
    /// A line of explanation.
    pub note: String,
    /// Head of the first column.
    pub of: String,
    /// Heads of the further columns.
    pub columns: Vec<String>,
    /// The rows, best first.
    pub rows: Vec<TopRow>,
}

impl Top {
    /// The table with at most `most` rows; nothing where it has none.
    pub(crate) fn html(&self, lang: Lang, most: usize) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let mut html = format!(
            "<section class=\"panel wide\"><h3>{}</h3><p class=note>{}</p><table class=cards role=table><thead role=rowgroup><tr role=row><th role=columnheader scope=col>{}",
            escape(&self.title),
            escape(&self.note),
            escape(&self.of)
        );
        for column in &self.columns {
            let _ = write!(html, "<th role=columnheader scope=col class=n>{}", escape(column));
        }
        html.push_str("</thead><tbody role=rowgroup>\n");
        for row in self.rows.iter().take(most) {
            let _ = write!(
                html,
                "<tr role=row><th role=rowheader scope=row>{}",
                named(&row.name, row.title.as_deref())
            );
            for (cell, column) in row.cells.iter().zip(&self.columns) {
                if cell.as_str().is_empty() {
                    html.push_str("<td role=cell class=\"n e\">");
                    continue;
                }
                let _ = write!(
                    html,
                    "<td role=cell class=n data-l=\"{}\"><span>{}</span>",
                    escape(column),
                    cell.as_str()
                );
            }
            html.push('\n');
        }
        html.push_str("</table>");
        html.push_str(&left_off(lang, self.rows.len(), most));
        html.push_str("</section>\n");
        html
    }
}

/// Title and name of a row.
pub(crate) fn named(name: &str, title: Option<&str>) -> String {
    let title = title.filter(|t| !t.trim().is_empty());
    let title =
        title.map_or_else(String::new, |t| format!("<span class=t>{}</span> ", escape(&shorten(t, 80))));
    title + Html::name(name).as_str()
}

/// How many rows were left off, where some were.
pub(crate) fn left_off(lang: Lang, rows: usize, most: usize) -> String {
    if rows <= most {
        return String::new();
    }
    let rest = Html::text(&super::thousands((rows - most) as u64));
    format!("<p class=note>{}</p>", Html::fill(lang.word(Word::RowsLeftOff), &[rest]).as_str())
}
