//! Named counts as bars: a table whose second column is drawn.

use std::fmt::Write;

use super::html::{Html, escape, folded_table, percent, shorten};
use super::{Lang, Word};

/// Bars shown before the rest is summed up, and rows of the folded table.
const MAX_BARS: usize = 10;
const MAX_ROWS: usize = 100;

/// A named count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bar {
    /// What is counted.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Section and name in table `summary`.
    pub of: String,
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
    pub bars: Vec<Bar>,
}

impl Bars {
    /// The chart; nothing where nothing was counted.
    pub(crate) fn html(&self, lang: Lang) -> String {
        let total = self.of.unwrap_or_else(|| self.bars.iter().map(|b| b.count).sum());
        if total == 0 {
            return String::new();
        }
        let mut html = format!(
            "<section class=panel><h3>{}</h3><p class=note>{}</p><table class=bars><tbody>\n",
            escape(&self.title),
            escape(&self.unit)
        );
        let rest: u64 = self.bars.iter().skip(MAX_BARS).map(|b| b.count).sum();
        let rest = if self.of.is_none() { rest } else { 0 };
        let largest = self.bars.iter().map(|b| b.count).max().unwrap_or(1).max(rest).max(1);
        let mut row = |name: &str, count: u64, number: &Html| {
            let share = percent(count, total);
            let _ = writeln!(
                html,
                "<tr title=\"{0}: {count} ({share})\"><th scope=row>{0}<td aria-hidden=true><i style=\"width:{1:.1}%\"></i><td class=n>{2}<td class=n>{share}",
                escape(&shorten(name, 40)),
                (100.0 * count as f64 / largest as f64).clamp(0.5, 100.0),
                number.as_str(),
            );
        };
        for bar in self.bars.iter().take(MAX_BARS) {
            row(&bar.name, bar.count, &Html::count(bar.count, &bar.of));
        }
        if rest > 0 {
            row(lang.word(Word::Others), rest, &Html::text(&super::thousands(rest)));
        }
        html.push_str("</table>");
        if self.bars.len() > MAX_BARS {
            let heads = ["", self.unit.as_str(), "%"].map(String::from);
            let cells = |bar: &Bar| {
                vec![
                    Html::text(&shorten(&bar.name, 80)),
                    Html::count(bar.count, &bar.of),
                    percent(bar.count, total).into(),
                ]
            };
            let rows: Vec<Vec<Html>> = self.bars.iter().take(MAX_ROWS).map(cells).collect();
            html.push_str(&folded_table(lang.word(Word::AsTable), &heads, &rows));
        }
        html.push_str("</section>\n");
        html
    }
}
