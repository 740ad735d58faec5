//! The bow-tie of the Web (Broder et al., 2000), drawn with areas to scale.

use std::f64::consts::PI;
use std::fmt::Write;

use super::html::{Html, escape, folded_table, percent, thousands};
use super::{Lang, Word};

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 240.0;
/// Area of the whole graph in square pixels.
const AREA: f64 = 16_000.0;

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

    /// Class, word, nodes and name in table `summary` of each part.
    fn parts(&self) -> [(&'static str, Word, u64, &'static str); 6] {
        [
            ("f2", Word::In, self.into, "in"),
            ("f0", Word::Core, self.core, "core"),
            ("f1", Word::Out, self.out, "out"),
            ("f4", Word::Tendrils, self.tendrils, "tendril"),
            ("f3", Word::Tubes, self.tubes, "tube"),
            ("f5", Word::Disconnected, self.disconnected, "disconnected"),
        ]
    }

    /// Picture, legend and table; nothing where no two nodes lead to each other.
    pub(crate) fn html(&self, lang: Lang) -> String {
        if self.core < 2 {
            return String::new();
        }
        let mut html = format!(
            "<section class=panel><h3>{}</h3><p class=note>{}</p>{}<ul class=legend>",
            escape(lang.word(Word::Shape)),
            escape(lang.word(Word::ShapeNote)),
            self.svg(lang)
        );
        for (class, word, nodes, _) in self.parts().into_iter().filter(|part| part.2 > 0) {
            let _ = write!(
                html,
                "<li><i class={class}></i>{} <b>{}</b>",
                escape(lang.word(word)),
                percent(nodes, self.total())
            );
        }
        html.push_str("</ul>");
        let heads = [Word::Part, Word::Pages, Word::Share].map(|word| lang.word(word).to_owned());
        let row = |(_, word, nodes, name): (&str, Word, u64, &str)| {
            vec![
                Html::text(lang.word(word)),
                Html::count(nodes, &format!("shape: bowtie page {name}")),
                percent(nodes, self.total()).into(),
            ]
        };
        let rows: Vec<Vec<Html>> = self.parts().into_iter().map(row).collect();
        html.push_str(&folded_table(lang.word(Word::AsTable), &heads, &rows));
        html.push_str("</section>\n");
        html
    }

    /// Circle, wings, tube, tendrils and islands, each with an area in proportion to its nodes.
    fn svg(&self, lang: Lang) -> String {
        let total = self.total().max(1);
        let area = |n: u64| AREA * n as f64 / total as f64;
        let radius = |n: u64| (area(n) / PI).sqrt();
        let (cx, cy) = (WIDTH / 2.0, 88.0);
        let core = radius(self.core).max(3.0);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"{}\">",
            escape(lang.word(Word::Shape))
        );
        let mut shape = |class: &str, word: Word, nodes: u64, drawn: &str| {
            let _ = write!(
                svg,
                "<g class={class}><title>{}: {} ({})</title>{drawn}</g>",
                escape(lang.word(word)),
                thousands(nodes),
                percent(nodes, total)
            );
        };
        for (class, word, nodes, name) in self.parts().into_iter().filter(|part| part.2 > 0) {
            let r = radius(nodes).max(2.0);
            let circle = |x: f64, y: f64, r: f64| format!("<circle cx={x:.1} cy={y:.1} r={r:.1} />");
            let drawn = match name {
                "core" => circle(cx, cy, core),
                "in" => wing(area(nodes), cx - core - 5.0, cy, -1.0),
                "out" => wing(area(nodes), cx + core + 5.0, cy, 1.0),
                "tendril" => circle(r + 8.0, HEIGHT - r - 4.0, r),
                "disconnected" => circle(WIDTH - r - 8.0, HEIGHT - r - 4.0, r),
                _ => {
                    // A band under the core, as wide as the core and both gaps.
                    let width = 2.0 * core + 80.0;
                    let height = (area(nodes) / width).max(1.5);
                    let (x, y) = (cx - width / 2.0, (cy + core + 9.0).min(HEIGHT - height));
                    format!("<rect x={x:.1} y={y:.1} width={width:.1} height={height:.1} rx=2 />")
                }
            };
            shape(class, word, nodes, &drawn);
        }
        svg.push_str("</svg>");
        svg
    }
}

/// A triangle of the given area whose tip touches the core at (x, y); `side` is −1 for left, 1 for right.
fn wing(area: f64, x: f64, y: f64, side: f64) -> String {
    // Height h (along x) and base 2 · 0.65 h, so that the area is 0.65 h²: of the whole graph 157 by 204 pixels.
    let h = (area / 0.65).sqrt();
    let half = 0.65 * h;
    format!(
        "<polygon points=\"{x:.1},{y:.1} {:.1},{:.1} {:.1},{:.1}\" />",
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
    fn every_part_has_its_number_and_empty_ones_are_not_drawn() {
        let tie = BowTie { core: 50, into: 20, out: 20, tendrils: 5, tubes: 0, disconnected: 5 };
        let html = tie.html(Lang::En);
        assert_eq!(html.matches("<polygon").count(), 2);
        assert!(!html.contains("<rect"), "no tubes");
        assert!(html.contains("<title>core: 50 (50.0 %)</title>"));
        assert!(html.contains("data-of=\"shape: bowtie page tube\">0</data>"), "the table has all");
        let wings = BowTie { core: 2, into: 500, out: 498, ..BowTie::default() };
        let inside = |x: f64, y: f64| (0.0..=WIDTH).contains(&x) && (0.0..=HEIGHT).contains(&y);
        for polygon in wings.html(Lang::En).split("points=\"").skip(1) {
            let points: Vec<(f64, f64)> = polygon[..polygon.find('"').unwrap()]
                .split(' ')
                .map(|point| point.split_once(',').unwrap())
                .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
                .collect();
            assert!(points.iter().all(|(x, y)| inside(*x, *y)), "{points:?}");
            let area = (points[1].0 - points[0].0).abs() * (points[2].1 - points[1].1) / 2.0;
            assert!((area / AREA - 0.5).abs() < 0.01, "to scale: {area}");
        }
        assert_eq!(BowTie::default().html(Lang::En), "");
    }
}
