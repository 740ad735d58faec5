//! Degree distributions on logarithmic axes.

use std::collections::BTreeMap;

use serde::Serialize;

use super::picture::Pixels;

/// Width and height of the picture, and the room for axes.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 52.0;
const BOTTOM: f64 = 38.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
/// Fewer different degrees make no picture.
const LEAST_POINTS: usize = 8;
/// Points drawn of a series.
const MOST_POINTS: usize = 160;

/// A fitted power law: drawn as a line from `x_min` on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Law {
    /// Exponent γ of p(x) ∝ x^−γ.
    pub exponent: f64,
    /// Its standard error.
    pub error: f64,
    /// Smallest x of the fit.
    pub x_min: u64,
}

/// A distribution: degree and nodes, degrees ascending.
pub type Degrees = Vec<(u64, u64)>;

/// The picture of several distributions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogLog {
    /// Ticks of both axes, a decade each.
    x: Vec<Pixels>,
    y: Vec<Pixels>,
    series: Vec<DrawnPlot>,
    /// First and last degree of the bins that double, of all series.
    ranges: Vec<(u64, u64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct DrawnPlot {
    points: Vec<Point>,
    law: Option<Law>,
    /// End points of the fitted line: x, y, x, y.
    line: Option<[Pixels; 4]>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Point {
    x: Pixels,
    y: Pixels,
    degree: u64,
    nodes: u64,
}

/// Points (degree, nodes) in bins that double, degree 0 by itself: first and last degree, and nodes.
pub fn binned(points: &[(u64, u64)]) -> Vec<(u64, u64, u64)> {
    let mut bins = BTreeMap::new();
    for (x, n) in points {
        let (from, to) = match x {
            0 => (0, 0),
            x => (1 << x.ilog2(), (1 << x.ilog2()) * 2 - 1),
        };
        *bins.entry((from, to)).or_default() += n;
    }
    bins.into_iter().map(|((from, to), n)| (from, to, n)).collect()
}

impl LogLog {
    /// The picture of distributions and what was fitted to them; `None` where there are too few different degrees.
    pub fn of(series: &[(Degrees, Option<Law>)]) -> Option<Self> {
        let mut degrees: Vec<u64> =
            series.iter().flat_map(|s| &s.0).map(|p| p.0).filter(|x| *x > 0).collect();
        degrees.sort_unstable();
        degrees.dedup();
        let nodes = series.iter().flat_map(|s| &s.0).filter(|(x, _)| *x > 0).map(|p| p.1).max();
        let (x_max, y_max) = (*degrees.last()?, nodes.filter(|n| *n > 0)?);
        if degrees.len() < LEAST_POINTS {
            return None;
        }
        let decades = |max: u64| (max as f64).log10().ceil().max(1.0);
        let (x_decades, y_decades) = (decades(x_max), decades(y_max));
        let px = |x: f64| Pixels(LEFT + x.log10() / x_decades * (WIDTH - LEFT - RIGHT));
        let py = |y: f64| Pixels(HEIGHT - BOTTOM - y.log10() / y_decades * (HEIGHT - TOP - BOTTOM));
        let ticks = |decades: f64, at: &dyn Fn(f64) -> Pixels| {
            (0..=decades as i32).map(|decade| at(10f64.powi(decade))).collect()
        };
        let point =
            |(degree, nodes): (u64, u64)| Point { x: px(degree as f64), y: py(nodes as f64), degree, nodes };
        let drawn = |(points, law): &(Degrees, Option<Law>)| DrawnPlot {
            points: thinned(points).into_iter().map(point).collect(),
            law: *law,
            line: law
                .and_then(|law| law_line(points, law))
                .map(|((x1, y1), (x2, y2))| [px(x1), py(y1.max(1.0)), px(x2), py(y2.max(1.0))]),
        };
        let bins = series.iter().flat_map(|s| binned(&s.0)).map(|(from, to, _)| (from, to));
        let ranges: std::collections::BTreeSet<(u64, u64)> = bins.collect();
        Some(LogLog {
            x: ticks(x_decades, &px),
            y: ticks(y_decades, &py),
            series: series.iter().map(drawn).collect(),
            ranges: ranges.into_iter().collect(),
        })
    }
}

/// The points with positive coordinates; of more than are told apart, one for each place of a grid of 24 a decade.
fn thinned(points: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let positive = || points.iter().copied().filter(|(x, y)| *x > 0 && *y > 0);
    if positive().count() <= MOST_POINTS {
        return positive().collect();
    }
    let mut kept: BTreeMap<(i64, i64), (u64, u64)> = BTreeMap::new();
    for (x, y) in positive() {
        let cell = |n: u64| ((n as f64).log10() * 24.0).round() as i64;
        kept.entry((cell(x), cell(y))).or_insert((x, y));
    }
    kept.into_values().collect()
}

/// End points of the fitted line: the law scaled to the nodes in its tail, ending where it predicts one node or the data end.
fn law_line(points: &[(u64, u64)], law: Law) -> Option<((f64, f64), (f64, f64))> {
    let tail: u64 = points.iter().filter(|p| p.0 >= law.x_min).map(|p| p.1).sum();
    let last = points.iter().map(|p| p.0).max()? as f64;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_double_and_hold_every_node() {
        let points: Vec<(u64, u64)> = (0..20).map(|x| (x, 1)).collect();
        let bins = [(0, 0, 1), (1, 1, 1), (2, 3, 2), (4, 7, 4), (8, 15, 8), (16, 31, 4)];
        assert_eq!(binned(&points), bins);
    }

    #[test]
    fn many_points_are_thinned_where_they_would_cover_each_other() {
        let points: Vec<(u64, u64)> = (1..5000u64).map(|x| (x, 1)).collect();
        let kept = thinned(&points);
        assert!(kept.len() < 120 && kept[0] == (1, 1) && kept.len() > 60, "{}", kept.len());
        assert_eq!(LogLog::of(&[(points[..7].to_vec(), None)]), None, "too few to see anything");
        assert_eq!(LogLog::of(&[((0..9).map(|x| (x, 0)).collect(), None)]), None);
    }

    #[test]
    fn the_line_starts_at_x_min_and_stays_in_the_picture() {
        let points: Vec<(u64, u64)> = (1..200u64).map(|x| (x, 100_000 / (x * x) + 1)).collect();
        let ((x1, _), (x2, y2)) = law_line(&points, Law { exponent: 2.0, error: 0.1, x_min: 2 }).unwrap();
        assert_eq!(x1, 2.0);
        assert!(x2 <= 199.0 && y2 >= 0.99);
    }
}
