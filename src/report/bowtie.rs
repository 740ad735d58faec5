//! The bow-tie of the Web (Broder et al., 2000), drawn with areas to scale.

use std::f64::consts::PI;
use std::fmt::Write;

use super::{escape, thousands};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 330.0;
/// Area of the whole graph in square pixels.
const AREA: f64 = 60_000.0;

/// Nodes in each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BowTie {
    /// The largest strongly connected component.
    pub core: u64,
    /// What reaches the core.
    pub into: u64,
    /// What the core reaches.
    pub out: u64,
    /// What hangs on IN or OUT without passing the core.
    pub tendrils: u64,
    /// What leads from IN to OUT past the core.
    pub tubes: u64,
    /// What has no connection to any of it.
    pub disconnected: u64,
}

impl BowTie {
    /// All nodes.
    pub fn total(&self) -> u64 {
        self.core + self.into + self.out + self.tendrils + self.tubes + self.disconnected
    }

    /// The picture: circle, wings, tube, tendrils and islands, each with an area in proportion to its nodes.
    pub fn svg(&self) -> String {
        let total = self.total();
        if total == 0 {
            return String::new();
        }
        let area = |n: u64| AREA * n as f64 / total as f64;
        let radius = |n: u64| (area(n) / PI).sqrt();
        let share = |n: u64| 100.0 * n as f64 / total as f64;
        let (cx, cy) = (WIDTH / 2.0, 140.0);
        let core = radius(self.core).max(if self.core > 0 { 3.0 } else { 0.0 });
        let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"bow-tie\">");
        if self.tubes > 0 {
            // A band under the core, as wide as the core and both gaps.
            let width = 2.0 * core + 120.0;
            let height = (area(self.tubes) / width).max(1.5);
            let y = cy + core + 16.0;
            let _ = write!(
                svg,
                "<rect class=tubes x={:.1} y={y:.1} width={width:.1} height={height:.1} rx=3 />",
                cx - width / 2.0
            );
        }
        for (class, nodes, side) in [("into", self.into, -1.0), ("out", self.out, 1.0)] {
            if nodes > 0 {
                svg.push_str(&wing(class, area(nodes), cx + side * (core + 8.0), cy, side));
            }
        }
        if self.core > 0 {
            let _ = write!(svg, "<circle class=core cx={cx:.1} cy={cy:.1} r={core:.1} />");
        }
        for (class, nodes, x) in
            [("tendrils", self.tendrils, 70.0), ("islands", self.disconnected, WIDTH - 70.0)]
        {
            if nodes > 0 {
                let r = radius(nodes).clamp(2.0, 66.0);
                let _ = write!(svg, "<circle class={class} cx={x:.1} cy={:.1} r={r:.1} />", HEIGHT - 130.0);
            }
        }
        let parts = [
            ("IN", "into", self.into),
            ("CORE", "core", self.core),
            ("OUT", "out", self.out),
            ("TENDRILS", "tendrils", self.tendrils),
            ("TUBES", "tubes", self.tubes),
            ("DISCONNECTED", "islands", self.disconnected),
        ];
        for (i, (label, class, nodes)) in parts.iter().enumerate() {
            let x = 66.0 + 126.0 * i as f64;
            let _ = write!(
                svg,
                "<rect class={class} x={:.1} y={:.1} width=10 height=10 rx=2 /><text class=label x={:.1} y={:.1}>{}</text><text class=tick x={:.1} y={:.1}>{} · {:.1} %</text>",
                x - 52.0,
                HEIGHT - 42.0,
                x - 38.0,
                HEIGHT - 33.0,
                escape(label),
                x - 52.0,
                HEIGHT - 14.0,
                thousands(*nodes),
                share(*nodes)
            );
        }
        svg.push_str("</svg>");
        svg
    }
}

/// A triangle of the given area whose tip touches the core at (x, y); `side` is −1 for left, 1 for right.
fn wing(class: &str, area: f64, x: f64, y: f64, side: f64) -> String {
    // height h (along x) and base b = 1.3 h, so that area = 0.65 h²; capped where it would leave the picture.
    let h = (area / 0.65).sqrt().min(if side < 0.0 { x - 6.0 } else { WIDTH - x - 6.0 });
    let half = (area / h).min(132.0);
    format!(
        "<polygon class={class} points=\"{x:.1},{y:.1} {:.1},{:.1} {:.1},{:.1}\" />",
        x + side * h,
        y - half,
        x + side * h,
        y + half
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_labelled_and_empty_ones_are_not_drawn() {
        let tie = BowTie { core: 50, into: 20, out: 20, tendrils: 5, tubes: 0, disconnected: 5 };
        let svg = tie.svg();
        assert_eq!(svg.matches("<polygon").count(), 2);
        assert_eq!(svg.matches("class=tubes").count(), 1, "the legend only");
        assert!(svg.contains("50 · 50.0 %"));
        assert_eq!(BowTie::default().svg(), "");
    }
}
