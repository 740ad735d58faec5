//! The bow-tie of the Web (Broder et al., 2000), with areas to scale.

use std::f64::consts::PI;

use serde::Serialize;

use super::picture::Pixels;

const WIDTH: f64 = 440.0;
/// Greatest half height of a wing.
const HALF: f64 = 84.0;
/// Between parts that lie beside or below each other, and around all of them.
const GAP: f64 = 8.0;
/// Area of the whole graph in square pixels.
const AREA: f64 = 16_000.0;

/// Names of the parts in table `summary`, in the order of [`BowTie::of`], and their colours in the style sheet.
const PARTS: [(&str, u8); 6] =
    [("in", 2), ("core", 0), ("out", 1), ("tendril", 4), ("tube", 3), ("disconnected", 5)];

/// The picture: a circle, wings, a tube, tendrils and islands, each with an area in proportion to its nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BowTie {
    total: u64,
    /// Of the picture, as its parts need.
    height: Pixels,
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
        let circle = |x, y, r| Shape::Circle([x, y, r].map(Pixels));
        // First row: the core between its wings, all of them in the middle of the width.
        let core = radius(core_nodes).max(3.0);
        let [leads, led] = [nodes[0], nodes[2]].map(|n| Wing::of(area(n)));
        let half = core.max(leads.half).max(led.half);
        let left = (WIDTH - leads.length - led.length) / 2.0 - core - GAP;
        let (x, y) = (left + leads.length + GAP + core, half + GAP);
        let mut bottom = y + half;
        // Second row: a flat band past the core.
        let wide = (2.0 * core + 80.0).max((3.0 * area(nodes[4])).sqrt());
        let tube = [(WIDTH - wide) / 2.0, bottom + GAP, wide, (area(nodes[4]) / wide).max(1.5)];
        if nodes[4] > 0 {
            bottom = tube[1] + tube[3];
        }
        // Third row: nodes that hang on the others, and those connected with none.
        let [hanging, apart] = [nodes[3], nodes[5]].map(|n| if n > 0 { radius(n).max(2.0) } else { 0.0 });
        let (from, under) = (WIDTH / 2.0 - hanging - apart - GAP, bottom + GAP + hanging.max(apart));
        if hanging + apart > 0.0 {
            bottom = under + hanging.max(apart);
        }
        let shape = |name: &str| match name {
            "core" => circle(x, y, core),
            "in" => leads.shape(x - core - GAP, y, -1.0),
            "out" => led.shape(x + core + GAP, y, 1.0),
            "tendril" => circle(from + hanging, under, hanging),
            "disconnected" => circle(from + 2.0 * (hanging + GAP) + apart, under, apart),
            _ => Shape::Rect(tube.map(Pixels)),
        };
        let part = |((name, colour), nodes)| Part { name, colour, nodes, shape: shape(name) };
        let parts = PARTS.into_iter().zip(nodes).map(part).collect();
        Some(BowTie { total, height: Pixels(bottom + GAP), parts })
    }
}

/// A triangle whose tip touches the core.
struct Wing {
    length: f64,
    half: f64,
}

impl Wing {
    /// Of an area: length h and half height 0.65 h, so that the area is 0.65 h²; longer where that would be too high.
    fn of(area: f64) -> Self {
        let half = (area * 0.65).sqrt().min(HALF);
        Wing { length: area / half.max(f64::MIN_POSITIVE), half }
    }

    /// With its tip at (x, y); `side` is −1 for left, 1 for right.
    fn shape(&self, x: f64, y: f64, side: f64) -> Shape {
        let far = x + side * self.length;
        Shape::Polygon([[x, y], [far, y - self.half], [far, y + self.half]].map(|corner| corner.map(Pixels)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Left, top, right and bottom of a shape, and its area.
    fn bounds(shape: &Shape) -> ([f64; 4], f64) {
        match shape {
            Shape::Circle(circle) => {
                let [x, y, r] = circle.map(|pixels| pixels.0);
                ([x - r, y - r, x + r, y + r], PI * r * r)
            }
            Shape::Polygon(points) => {
                let [[x, _], [far, top], [_, bottom]] = points.map(|p| p.map(|pixels| pixels.0));
                ([x.min(far), top, x.max(far), bottom], (far - x).abs() * (bottom - top) / 2.0)
            }
            Shape::Rect(rect) => {
                let [x, y, width, height] = rect.map(|pixels| pixels.0);
                ([x, y, x + width, y + height], width * height)
            }
        }
    }

    #[test]
    fn parts_of_any_shares_are_to_scale_stay_in_the_picture_and_apart() {
        // All shares in steps of an eighth, and beside the core next to nothing.
        for shares in 0..9_u64.pow(6) {
            let eighths: [u64; 6] = std::array::from_fn(|part| shares / 9_u64.pow(part as u32) % 9);
            if eighths.iter().sum::<u64>() != 8 {
                continue;
            }
            let mut nodes = eighths.map(|n| n * 1000);
            nodes[1] += 2;
            let tie = BowTie::of(nodes).unwrap();
            let drawn: Vec<_> = tie.parts.iter().filter(|part| part.nodes > 0).collect();
            for (number, part) in drawn.iter().enumerate() {
                let ([left, top, right, bottom], area) = bounds(&part.shape);
                assert!(left >= 0.0 && right <= WIDTH && top >= 0.0 && bottom <= tie.height.0, "{tie:?}");
                let share = part.nodes as f64 / tie.total as f64;
                assert!((area / AREA - share).abs() < 0.002, "{} of {nodes:?}: {area}", part.name);
                let is_apart = |other: &&&Part| {
                    let ([l, t, r, b], _) = bounds(&other.shape);
                    right < l || r < left || bottom < t || b < top
                };
                assert!(drawn[number + 1..].iter().all(|other| is_apart(&other)), "{tie:?}");
            }
            assert!(tie.height.0 < 330.0, "{nodes:?}: {:?}", tie.height);
        }
        assert_eq!(BowTie::of([5, 1, 5, 0, 0, 0]), None);
    }
}
