//! Degree distributions on logarithmic axes, as SVG.

use std::fmt::Write;

use super::html::{Html, escape, folded_table, thousands};
use super::{Lang, Word};

/// Width and height of the picture, and the room for axes.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 52.0;
const BOTTOM: f64 = 38.0;
/// Fewer different degrees make no picture.
const LEAST_POINTS: usize = 8;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;

/// A fitted power law: drawn as a line from `x_min` on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Exponent γ of p(x) ∝ x^−γ.
    pub exponent: f64,
    /// Its standard error.
    pub error: f64,
    /// Smallest x of the fit.
    pub x_min: u64,
}

/// One set of points: (degree, number of nodes).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Section of table `summary` and start of the name of its binned counts, which ends with the first degree of the bin.
    pub of: String,
    /// The points, x ascending.
    pub points: Vec<(u64, u64)>,
    /// The fitted law.
    pub law: Option<Law>,
}

/// A plot on two logarithmic axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogLog {
    /// Heading.
    pub title: String,
    /// Label of the x axis.
    pub x: String,
    /// Label of the y axis.
    pub y: String,
    /// What is drawn.
    pub series: Vec<Series>,
    /// A line of explanation.
    pub note: String,
}

/// Nodes whose degrees are from a power of two to the next: first and last degree, and how many.
pub type Binned = Vec<(u64, u64, u64)>;

impl Series {
    /// The points in bins that double, degree 0 by itself.
    pub fn binned(&self) -> Binned {
        let mut bins: Binned = Vec::new();
        for (x, n) in &self.points {
            let (from, to) = match x {
                0 => (0, 0),
                x => (1 << x.ilog2(), (1 << x.ilog2()) * 2 - 1),
            };
            match bins.iter_mut().find(|bin| bin.0 == from) {
                Some(bin) => bin.2 += n,
                None => bins.push((from, to, *n)),
            }
        }
        bins.sort_unstable();
        bins
    }
}

/// A bin in words.
pub(crate) fn range(from: u64, to: u64) -> String {
    if from == to { thousands(from) } else { format!("{}–{}", thousands(from), thousands(to)) }
}

impl LogLog {
    /// Picture, legend and table; nothing where there are too few different degrees.
    pub(crate) fn html(&self, lang: Lang) -> String {
        let mut degrees: Vec<u64> =
            self.series.iter().flat_map(|s| &s.points).map(|p| p.0).filter(|x| *x > 0).collect();
        degrees.sort_unstable();
        degrees.dedup();
        let svg = self.svg();
        if degrees.len() < LEAST_POINTS || svg.is_empty() {
            return String::new();
        }
        let mut html = format!(
            "<section class=panel><h3>{}</h3><p class=note>{}</p>{svg}<ul class=legend>",
            escape(&self.title),
            escape(&self.note)
        );
        for (i, series) in self.series.iter().enumerate() {
            let _ = write!(html, "<li><i class=f{i}></i>{}", escape(&legend(series)));
        }
        html.push_str("</ul>");
        let bins: Vec<Binned> = self.series.iter().map(Series::binned).collect();
        let mut ranges: Vec<(u64, u64)> = bins.iter().flatten().map(|bin| (bin.0, bin.1)).collect();
        ranges.sort_unstable();
        ranges.dedup();
        let heads: Vec<String> =
            std::iter::once(self.x.clone()).chain(self.series.iter().map(|s| s.name.clone())).collect();
        let row = |&(from, to): &(u64, u64)| {
            let cell = |(series, bins): (&Series, &Binned)| {
                let count = bins.iter().find(|bin| bin.0 == from).map_or(0, |bin| bin.2);
                match count {
                    0 => Html::text("0"),
                    n => Html::count(n, &format!("{} {from}", series.of)),
                }
            };
            std::iter::once(Html::text(&range(from, to)))
                .chain(self.series.iter().zip(&bins).map(cell))
                .collect()
        };
        let rows: Vec<Vec<Html>> = ranges.iter().map(row).collect();
        html.push_str(&folded_table(lang.word(Word::AsTable), &heads, &rows));
        html.push_str("</section>\n");
        html
    }

    /// The picture; nothing where there is no point with positive coordinates.
    fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| &s.points).filter(|(x, y)| *x > 0 && *y > 0);
        let (Some(x_max), Some(y_max)) = (points().map(|p| p.0).max(), points().map(|p| p.1).max()) else {
            return String::new();
        };
        let decades = |max: u64| (max as f64).log10().ceil().max(1.0);
        let (x_decades, y_decades) = (decades(x_max), decades(y_max));
        let px = |x: f64| LEFT + x.log10() / x_decades * (WIDTH - LEFT - RIGHT);
        let py = |y: f64| HEIGHT - BOTTOM - y.log10() / y_decades * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            escape(&self.title)
        );
        for d in 0..=x_decades as u32 {
            let x = px(10f64.powi(d as i32));
            let _ = write!(
                svg,
                "<line class=grid x1={x:.1} x2={x:.1} y1={TOP} y2={:.1} /><text class=tick x={x:.1} y={:.1} text-anchor=middle>{}</text>",
                HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 16.0,
                power(d)
            );
        }
        for d in 0..=y_decades as u32 {
            let y = py(10f64.powi(d as i32));
            let _ = write!(
                svg,
                "<line class=grid x1={LEFT} x2={:.1} y1={y:.1} y2={y:.1} /><text class=tick x={:.1} y={:.1} text-anchor=end>{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                power(d)
            );
        }
        let _ = write!(
            svg,
            "<text class=axis x={:.1} y={:.1} text-anchor=middle>{}</text><text class=axis transform=\"translate(13 {:.1}) rotate(-90)\" text-anchor=middle>{}</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 8.0,
            escape(&self.x),
            (TOP + HEIGHT - BOTTOM) / 2.0,
            escape(&self.y)
        );
        for (i, series) in self.series.iter().enumerate() {
            for (x, y) in drawn(&series.points) {
                let _ = write!(
                    svg,
                    "<circle class=\"dot f{i}\" cx={:.1} cy={:.1} r=2.6><title>{} {x}: {}</title></circle>",
                    px(x as f64),
                    py(y as f64),
                    escape(&series.name),
                    thousands(y)
                );
            }
            if let Some(line) = series.law.and_then(|law| law_line(series, law)) {
                let ((x1, y1), (x2, y2)) = line;
                let _ = write!(
                    svg,
                    "<line class=\"law l{i}\" x1={:.1} y1={:.1} x2={:.1} y2={:.1} />",
                    px(x1),
                    py(y1.max(1.0)),
                    px(x2),
                    py(y2.max(1.0))
                );
            }
        }
        svg.push_str("</svg>");
        svg
    }
}

/// Points drawn of a series.
const MOST_POINTS: usize = 160;

/// The points with positive coordinates; of more than are told apart, one for each place of a grid of 24 a decade.
fn drawn(points: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let positive = || points.iter().copied().filter(|(x, y)| *x > 0 && *y > 0);
    if positive().count() <= MOST_POINTS {
        return positive().collect();
    }
    let mut kept: std::collections::BTreeMap<(i64, i64), (u64, u64)> = std::collections::BTreeMap::new();
    for (x, y) in positive() {
        let cell = |n: u64| ((n as f64).log10() * 24.0).round() as i64;
        kept.entry((cell(x), cell(y))).or_insert((x, y));
    }
    kept.into_values().collect()
}

fn legend(series: &Series) -> String {
    match series.law {
        Some(law) => {
            format!("{}: γ = {:.2} ± {:.2} from {}", series.name, law.exponent, law.error, law.x_min)
        }
        None => series.name.clone(),
    }
}

/// End points of the fitted line: the law scaled to the nodes in its tail, ending where it predicts one node or the data end.
fn law_line(series: &Series, law: Law) -> Option<((f64, f64), (f64, f64))> {
    let tail: u64 = series.points.iter().filter(|p| p.0 >= law.x_min).map(|p| p.1).sum();
    let last = series.points.iter().map(|p| p.0).max()? as f64;
    let first = law.x_min.max(1) as f64;
    if tail == 0 || last <= first || law.exponent <= 1.0 {
        return None;
    }
    // n(x) ≈ tail · (γ−1)/x_min · (x/x_min)^−γ
    let scale = tail as f64 * (law.exponent - 1.0) / first;
    let at = |x: f64| scale * (x / first).powf(-law.exponent);
    let one = first * scale.powf(1.0 / law.exponent);
    let end = last.min(one);
    (end > first).then(|| ((first, at(first)), (end, at(end))))
}

fn power(exponent: u32) -> String {
    match exponent {
        0 => "1".into(),
        1 => "10".into(),
        e => format!("10<tspan dy=-5 class=sup>{e}</tspan>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_degrees_are_left_out_and_one_point_is_drawn() {
        let plot = |points: Vec<(u64, u64)>| LogLog {
            series: vec![Series { name: "in".into(), points, ..Series::default() }],
            ..LogLog::default()
        };
        assert_eq!(plot(vec![(0, 7)]).svg(), "");
        assert_eq!(plot(vec![(1, 1)]).svg().matches("<circle").count(), 1);
        assert_eq!(plot(vec![(1, 1)]).html(Lang::En), "", "one point says nothing");
    }

    #[test]
    fn bins_double_and_hold_every_node() {
        let points: Vec<(u64, u64)> = (0..20).map(|x| (x, 1)).collect();
        let bins = Series { points, ..Series::default() }.binned();
        assert_eq!(bins, [(0, 0, 1), (1, 1, 1), (2, 3, 2), (4, 7, 4), (8, 15, 8), (16, 31, 4)]);
    }

    #[test]
    fn many_points_are_thinned_where_they_would_cover_each_other() {
        let points: Vec<(u64, u64)> = (1..5000u64).map(|x| (x, 1)).collect();
        let kept = drawn(&points);
        assert!(kept.len() < 120 && kept[0] == (1, 1) && kept.len() > 60, "{}", kept.len());
    }

    #[test]
    fn the_line_starts_at_x_min_and_stays_in_the_picture() {
        let points: Vec<(u64, u64)> = (1..200u64).map(|x| (x, 100_000 / (x * x) + 1)).collect();
        let series = Series { name: "in".into(), points, ..Series::default() };
        let ((x1, _), (x2, y2)) = law_line(&series, Law { exponent: 2.0, error: 0.1, x_min: 2 }).unwrap();
        assert_eq!(x1, 2.0);
        assert!(x2 <= 199.0 && y2 >= 0.99);
    }
}
