//! Degree distributions on logarithmic axes, as SVG.

use std::fmt::Write;

/// Width and height of the picture, and the room for axes.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 58.0;
const BOTTOM: f64 = 44.0;
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
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
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

impl LogLog {
    /// The picture; nothing where there is no point with positive coordinates.
    pub fn svg(&self) -> String {
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
            super::escape(&self.title)
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
            super::escape(&self.x),
            (TOP + HEIGHT - BOTTOM) / 2.0,
            super::escape(&self.y)
        );
        for (i, series) in self.series.iter().enumerate() {
            for (x, y) in series.points.iter().filter(|(x, y)| *x > 0 && *y > 0) {
                let _ = write!(
                    svg,
                    "<circle class=s{i} cx={:.1} cy={:.1} r=2.6 />",
                    px(*x as f64),
                    py(*y as f64)
                );
            }
            if let Some(line) = series.law.and_then(|law| law_line(series, law)) {
                let ((x1, y1), (x2, y2)) = line;
                let _ = write!(
                    svg,
                    "<line class=\"law s{i}\" x1={:.1} y1={:.1} x2={:.1} y2={:.1} />",
                    px(x1),
                    py(y1.max(1.0)),
                    px(x2),
                    py(y2.max(1.0))
                );
            }
            let _ = write!(
                svg,
                "<circle class=s{i} cx={:.1} cy={:.1} r=4 /><text class=legend x={:.1} y={:.1} text-anchor=end>{}</text>",
                WIDTH - RIGHT - 8.0,
                TOP + 12.0 + 18.0 * i as f64,
                WIDTH - RIGHT - 18.0,
                TOP + 16.0 + 18.0 * i as f64,
                super::escape(&legend(series))
            );
        }
        svg.push_str("</svg>");
        svg
    }
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
            series: vec![Series { name: "in".into(), points, law: None }],
            ..LogLog::default()
        };
        assert_eq!(plot(vec![(0, 7)]).svg(), "");
        assert_eq!(plot(vec![(1, 1)]).svg().matches("<circle").count(), 2);
    }

    #[test]
    fn the_line_starts_at_x_min_and_stays_in_the_picture() {
        let points: Vec<(u64, u64)> = (1..200u64).map(|x| (x, 100_000 / (x * x) + 1)).collect();
        let series = Series { name: "in".into(), points, law: None };
        let ((x1, _), (x2, y2)) = law_line(&series, Law { exponent: 2.0, error: 0.1, x_min: 2 }).unwrap();
        assert_eq!(x1, 2.0);
        assert!(x2 <= 199.0 && y2 >= 0.99);
    }
}
