//! Counts over time, stacked, as SVG.

use std::fmt::Write;

use super::html::{Html, escape, folded_table, thousands};
use super::{Lang, Word};

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 46.0;
const BOTTOM: f64 = 26.0;
const TOP: f64 = 10.0;
const RIGHT: f64 = 8.0;
/// Colours of the style sheet.
const COLOURS: usize = 6;

/// What is counted under one name, a count a period.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// Counts, in the order of the periods.
    pub counts: Vec<u64>,
    /// Section and name in table `summary` of each count; empty for sums of others.
    pub of: Vec<String>,
}

/// Counts by period and name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OverTime {
    /// Heading.
    pub title: String,
    /// A line of explanation.
    pub note: String,
    /// The periods, without gaps.
    pub periods: Vec<String>,
    /// The layers, at most six, lowest first.
    pub layers: Vec<Layer>,
}

impl OverTime {
    fn total(&self, period: usize) -> u64 {
        self.layers.iter().filter_map(|layer| layer.counts.get(period)).sum()
    }

    /// Picture, legend and table; nothing where there is nothing to compare.
    pub(crate) fn html(&self, lang: Lang) -> String {
        let most = (0..self.periods.len()).map(|i| self.total(i)).max().unwrap_or(0);
        if self.periods.len() < 2 || most == 0 {
            return String::new();
        }
        let mut html = format!(
            "<section class=panel><h3>{}</h3><p class=note>{}</p>{}<ul class=legend>",
            escape(&self.title),
            escape(&self.note),
            self.svg(most)
        );
        for (i, layer) in self.layers.iter().enumerate() {
            let _ = write!(html, "<li><i class=f{}></i>{}", i % COLOURS, escape(&layer.name));
        }
        html.push_str("</ul>");
        let mut heads = vec![String::new()];
        heads.extend(self.layers.iter().map(|layer| layer.name.clone()));
        let cell = |layer: &Layer, period: usize| {
            let count = layer.counts.get(period).copied().unwrap_or(0);
            match layer.of.get(period) {
                Some(of) if count > 0 => Html::count(count, of),
                _ => Html::text(&thousands(count)),
            }
        };
        let rows: Vec<Vec<Html>> = (0..self.periods.len())
            .map(|i| {
                let cells = self.layers.iter().map(|layer| cell(layer, i));
                std::iter::once(Html::text(&self.periods[i])).chain(cells).collect()
            })
            .collect();
        html.push_str(&folded_table(lang.word(Word::AsTable), &heads, &rows));
        html.push_str("</section>\n");
        html
    }

    fn svg(&self, most: u64) -> String {
        let (top, step) = nice(most);
        let y = |n: u64| HEIGHT - BOTTOM - n as f64 / top as f64 * (HEIGHT - TOP - BOTTOM);
        let slot = (WIDTH - LEFT - RIGHT) / self.periods.len() as f64;
        let mut svg =
            format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"{}\">", escape(&self.title));
        for tick in (0..=top / step).map(|i| i * step) {
            let at = y(tick);
            let _ = write!(
                svg,
                "<path class=grid d=\"M{LEFT} {at:.1}H{:.1}\"/><text class=tick x={:.1} y={:.1} text-anchor=end>{}</text>",
                WIDTH - RIGHT,
                LEFT - 5.0,
                at + 4.0,
                thousands(tick)
            );
        }
        // As many labels as there is room for.
        let every = (self.periods.len() as f64 * 52.0 / (WIDTH - LEFT)).ceil().max(1.0) as usize;
        for (i, period) in self.periods.iter().enumerate() {
            let x = LEFT + slot * i as f64;
            let mut below = 0;
            for (colour, layer) in self.layers.iter().enumerate() {
                let count = layer.counts.get(i).copied().unwrap_or(0);
                if count > 0 {
                    let _ = write!(
                        svg,
                        "<rect class=f{} x={:.1} y={:.1} width={:.1} height={:.1}><title>{} · {}: {}</title></rect>",
                        colour % COLOURS,
                        x + 0.1 * slot,
                        y(below + count),
                        (0.8 * slot).max(0.5),
                        y(below) - y(below + count),
                        escape(period),
                        escape(&layer.name),
                        thousands(count)
                    );
                }
                below += count;
            }
            if i % every == 0 {
                let _ = write!(
                    svg,
                    "<text class=tick x={:.1} y={:.1} text-anchor=middle>{}</text>",
                    x + slot / 2.0,
                    HEIGHT - 8.0,
                    escape(period)
                );
            }
        }
        svg.push_str("</svg>");
        svg
    }
}

/// A round number not below `most`, and the round step that divides it.
fn nice(most: u64) -> (u64, u64) {
    let mut step = 1u64;
    loop {
        for factor in [1, 2, 5] {
            let step = step.saturating_mul(factor);
            if most.div_ceil(step) <= 5 {
                return (most.div_ceil(step) * step, step);
            }
        }
        step = step.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (most, want) in [(1, (1, 1)), (5, (5, 1)), (6, (6, 2)), (11, (15, 5)), (99, (100, 20))] {
            assert_eq!(nice(most), want, "{most}");
        }
    }

    #[test]
    fn one_period_is_no_picture() {
        let layer = |counts| Layer { name: "a".into(), counts, of: Vec::new() };
        let drawn = |periods: usize, counts: Vec<u64>| {
            let periods = (0..periods).map(|n| n.to_string()).collect();
            OverTime { periods, layers: vec![layer(counts)], ..OverTime::default() }.html(Lang::En)
        };
        assert_eq!(drawn(1, vec![9]), "");
        assert_eq!(drawn(2, vec![9, 0]).matches("<rect").count(), 1);
    }
}
