//! The table of ranks: all measures side by side, columns and level to choose.
//!
//! Choosing is done by style sheets alone: boxes stand before the tables, and say what of them is shown.

use std::fmt::Write;

use super::html::escape;
use super::table::{left_off, named};
use super::{Lang, Word};

/// A page, host or domain with its numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranked {
    /// URL or name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// A number a column, as written.
    pub cells: Vec<String>,
    /// Whether it is among the best of the column.
    pub best: Vec<bool>,
}

/// Pages, hosts or domains.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scope {
    /// What they are.
    pub name: String,
    /// A line of explanation.
    pub note: String,
    /// The rows, in the order of the first column.
    pub rows: Vec<Ranked>,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// Heads of the columns, and what they mean.
    pub columns: Vec<(String, String)>,
    /// What is ranked, first what is shown at first.
    pub scopes: Vec<Scope>,
}

impl Scope {
    /// Whether a row has something in a column; else it is not drawn.
    fn has(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row.cells.get(column).is_some_and(|cell| !cell.is_empty()))
    }
}

impl Ranking {
    /// The tables with at most `most` rows each, and the boxes that choose.
    pub(crate) fn html(&self, lang: Lang, most: usize) -> String {
        let scopes: Vec<&Scope> = self.scopes.iter().filter(|scope| !scope.rows.is_empty()).collect();
        if scopes.is_empty() {
            return String::new();
        }
        let mut html = format!(
            "<section class=\"panel wide rank\" role=group aria-label=\"{}\">\n",
            escape(lang.word(Word::Ranking))
        );
        if scopes.len() > 1 {
            for (i, scope) in scopes.iter().enumerate() {
                let checked = if i == 0 { " checked" } else { "" };
                let _ = write!(
                    html,
                    "<input type=radio name=scope id=s{i}{checked}><label for=s{i}>{}</label>",
                    escape(&scope.name)
                );
            }
            html.push_str("<br>");
        }
        let _ = write!(html, "<span class=note>{}</span> ", escape(lang.word(Word::Columns)));
        for (i, (column, meaning)) in self.columns.iter().enumerate() {
            if !scopes.iter().any(|scope| scope.has(i)) {
                continue;
            }
            let _ = write!(
                html,
                "<input type=checkbox id=c{i} checked><label for=c{i} title=\"{}\">{}</label>",
                escape(meaning),
                escape(column)
            );
        }
        for (i, scope) in scopes.iter().enumerate() {
            self.table(&mut html, scope, i, lang, most);
        }
        html.push_str("</section>\n");
        html
    }

    fn table(&self, html: &mut String, scope: &Scope, number: usize, lang: Lang, most: usize) {
        let _ = write!(
            html,
            "<div class=\"scope v{number}\"><p class=note>{}</p><table class=cards role=table><caption class=hide>{}</caption><thead role=rowgroup><tr role=row><th role=columnheader scope=col>{}",
            escape(&scope.note),
            escape(&format!("{}: {}", lang.word(Word::Ranking), scope.name)),
            escape(&scope.name)
        );
        let columns: Vec<usize> = (0..self.columns.len()).filter(|i| scope.has(*i)).collect();
        for &i in &columns {
            let (column, meaning) = &self.columns[i];
            let _ = write!(
                html,
                "<th role=columnheader scope=col class=\"n k{i}\" title=\"{}\">{}",
                escape(meaning),
                escape(column)
            );
        }
        html.push_str("</thead><tbody role=rowgroup>\n");
        for row in scope.rows.iter().take(most) {
            let _ = write!(
                html,
                "<tr role=row><th role=rowheader scope=row>{}",
                named(&row.name, row.title.as_deref())
            );
            for &i in &columns {
                let best = if row.best.get(i).copied().unwrap_or(false) { " best" } else { "" };
                let _ = write!(
                    html,
                    "<td role=cell class=\"n k{i}{best}\" data-l=\"{}\"><span>{}</span>",
                    escape(&self.columns[i].0),
                    escape(row.cells.get(i).map_or("", String::as_str))
                );
            }
            html.push('\n');
        }
        html.push_str("</table>");
        html.push_str(&left_off(lang, scope.rows.len(), most));
        html.push_str("</div>\n");
    }
}
