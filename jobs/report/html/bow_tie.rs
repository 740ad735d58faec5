//! The bow-tie of the Web (Broder et al., 2000), with areas to scale.

use std::f64::consts::PI;

use serde::Serialize;

use super::picture::Pixels;

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 240.0;
/// Height of the middle of core and wings.
const MIDDLE: f64 = 88.0;
/// Area of the whole graph in square pixels.
const AREA: f64 = 16_000.0;

/// Names of the parts in table `summary`, in the order of [`BowTie::of`], and their colours in the style sheet.
const PARTS: [(&str, u8); 6] =
    [("in", 2), ("core", 0), ("out", 1), ("tendril", 4), ("tube", 3), ("disconnected", 5)];

/// The picture: a circle, wings, a tube, tendrils and islands, each with an area in proportion to its nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BowTie {
    total: u64,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Part {
    name: &'static str,
    colour: u8,
    nodes: u64,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Shape {
    /// Centre and radius.
    Circle([Pixels; 3]),
    /// Corners.
    Polygon([[Pixels; 2]; 3]),
    /// Corner, width and height.
    Rect([Pixels; 4]),
}

impl BowTie {
    /// Of the nodes that lead to the core, are it, are led to by it, hang on those, lead past the core, and are not connected with
    /// any; `None` where no two nodes lead to each other.
    pub fn of(nodes: [u64; 6]) -> Option<Self> {
        let total: u64 = nodes.iter().sum();
        let core_nodes = nodes[1];
        if core_nodes < 2 {
            return None;
        }
        let area = |n: u64| AREA * n as f64 / total as f64;
        let radius = |n: u64| (area(n) / PI).sqrt();
        let (cx, cy, core) = (WIDTH / 2.0, MIDDLE, radius(core_nodes).max(3.0));
        let circle = |x, y, r| Shape::Circle([x, y, r].map(Pixels));
        let shape = |name: &str, n: u64| {
            let r = radius(n).max(2.0);
            match name {
                "core" => circle(cx, cy, core),
                "in" => wing(area(n), cx - core - 5.0, cy, -1.0),
                "out" => wing(area(n), cx + core + 5.0, cy, 1.0),
                "tendril" => circle(r + 8.0, HEIGHT - r - 4.0, r),
                "disconnected" => circle(WIDTH - r - 8.0, HEIGHT - r - 4.0, r),
                _ => {
                    // A band under the core, as wide as the core and both gaps.
                    let width = 2.0 * core + 80.0;
                    let height = (area(n) / width).max(1.5);
                    let (x, y) = (cx - width / 2.0, (cy + core + 9.0).min(HEIGHT - height));
                    Shape::Rect([x, y, width, height].map(Pixels))
                }
            }
        };
        let part = |((name, colour), nodes)| Part { name, colour, nodes, shape: shape(name, nodes) };
        Some(BowTie { total, parts: PARTS.into_iter().zip(nodes).map(part).collect() })
    }
}

/// A triangle of the given area whose tip touches the core at (x, y); `side` is −1 for left, 1 for right.
fn wing(area: f64, x: f64, y: f64, side: f64) -> Shape {
    // Height h (along x) and base 2 · 0.65 h, so that the area is 0.65 h²; flatter where that would leave the picture.
    let half = (area * 0.65).sqrt().min(MIDDLE - 4.0);
    let far = x + side * area / half.max(f64::MIN_POSITIVE);
    Shape::Polygon([[x, y], [far, y - half], [far, y + half]].map(|corner| corner.map(Pixels)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wings_are_to_scale_and_stay_in_the_picture() {
        for nodes in
            [[500, 2, 498, 0, 0, 0], [0, 2, 998, 0, 0, 0], [998, 2, 0, 0, 0, 0], [0, 1000, 0, 0, 0, 0]]
        {
            let tie = BowTie::of(nodes).unwrap();
            let mut wings = 0;
            for part in &tie.parts {
                let Shape::Polygon(points) = &part.shape else { continue };
                let points = points.map(|point| point.map(|pixels| pixels.0));
                let within = |[x, y]: &[f64; 2]| (0.0..=WIDTH).contains(x) && (0.0..=HEIGHT).contains(y);
                assert!(points.iter().all(within), "{points:?}");
                let area = (points[1][0] - points[0][0]).abs() * (points[2][1] - points[1][1]) / 2.0;
                assert!((area / AREA - part.nodes as f64 / 1000.0).abs() < 0.01, "to scale: {area}");
                wings += 1;
            }
            assert_eq!(wings, 2);
        }
        assert_eq!(BowTie::of([5, 1, 5, 0, 0, 0]), None);
    }
}
