//! The drawing of a neighbourhood: rings around the middle, a ring a hop, labels along the rays.
//!
//! Each node hangs on one a ring further in. The angle that it needs is that of its label, or that of all that hangs on it; the
//! rings grow until all angles fit a circle. So labels of one ring do not overlap, and a label ends before the next ring
//! begins. Arcs between rings run like branches of a tree, the others bend towards the middle. Colours follow the reader's
//! choice of light or dark; all styles are in the file.

mod words;

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt::Write;

use self::words::{escape, host_of, label, shorten, width_of};
use super::path::plain;

/// What is drawn.
pub struct Drawing {
    /// Name of the middle.
    pub title: String,
    /// What graph it is of.
    pub about: String,
    /// The nodes.
    pub nodes: Vec<DrawnNode>,
    /// Which of them is the middle.
    pub centre: usize,
    /// The arcs among them.
    pub arcs: Vec<(usize, usize, f64)>,
    /// Nodes at each number of hops, drawn or not.
    pub found: Vec<u64>,
    /// Those that are not drawn.
    pub left_out: Vec<u64>,
}

/// A node of a drawing.
pub struct DrawnNode {
    pub name: String,
    pub hops: u32,
    pub score: f64,
}

/// Height of a label, pixels.
const LINE: f64 = 13.0;
/// Mean width of a letter, pixels.
const LETTER: f64 = 5.6;
/// Letters of a label on an inner ring, and on the outermost.
const LETTERS: (usize, usize) = (28, 44);
/// Distance of rings, and radius of the first at least.
const RING: f64 = LETTERS.0 as f64 * LETTER + 34.0;
const FIRST_RING: f64 = 120.0;
/// Arcs that do not lead one ring on: most that are drawn.
const MOST_ACROSS: usize = 1500;
/// Hosts that have a colour of their own.
const COLOURS: usize = 8;

const STYLE: &str = "\
text{font:11px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans CJK SC',sans-serif;fill:#333}
.bg{fill:#fff}.ring{fill:none;stroke:#eee}.title{font-size:19px;font-weight:600;fill:#111}.sub{font-size:12.5px;fill:#666}
.n circle{stroke:#fff;stroke-width:1.2}.n:hover text{font-weight:700;fill:#000}.c text{font-size:14px;font-weight:700;fill:#111}
.halo{stroke:#fff;stroke-width:3.5;stroke-linejoin:round;paint-order:stroke}
.a{fill:none;stroke-width:1.1;stroke-opacity:.55}.in{stroke:#1f6fb4}.out{stroke:#d4731c}.two{stroke:#8446a0}.x{stroke:#777;stroke-width:.8}
.hin{fill:#1f6fb4}.hout{fill:#d4731c}.htwo{fill:#8446a0}.hx{fill:#777}
.k0{fill:#222}.k1{fill:#1b9e77}.k2{fill:#e7298a}.k3{fill:#66a61e}.k4{fill:#e6ab02}.k5{fill:#7570b3}.k6{fill:#a6761d}.k7{fill:#17a2b8}.k8{fill:#999}
.n .mark{fill:none;stroke:#222;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#ccc}.bg{fill:#14161a}.ring{stroke:#262a31}.title{fill:#f2f2f2}.sub{fill:#9aa0a8}
.n circle{stroke:#14161a}.n:hover text{fill:#fff}.c text{fill:#fff}.halo{stroke:#14161a}
.in{stroke:#5aa7e6}.out{stroke:#f0a050}.two{stroke:#c08be0}.x{stroke:#8a9099}.hin{fill:#5aa7e6}.hout{fill:#f0a050}.htwo{fill:#c08be0}.hx{fill:#8a9099}
.k0{fill:#f2f2f2}.k1{fill:#3cc79c}.k2{fill:#ff6ab5}.k3{fill:#8fd03f}.k4{fill:#f5c832}.k5{fill:#a09be0}.k6{fill:#d0a050}.k7{fill:#40c8dd}.n .mark{stroke:#f2f2f2}}
";

/// Where things are.
struct Layout {
    /// Radius of each ring.
    rings: Vec<f64>,
    /// Angle of each node, from the right, clockwise.
    angles: Vec<f64>,
    /// Half the side of the square that holds the rings and their labels.
    half: f64,
}

impl Layout {
    fn point(&self, node: &DrawnNode, angle: f64) -> (f64, f64) {
        let radius = self.rings[node.hops as usize];
        (radius * angle.cos(), radius * angle.sin())
    }
}

impl Drawing {
    /// The drawing as SVG.
    pub fn svg(&self) -> String {
        let labels = self.labels();
        let layout = self.layout(&labels);
        let hosts = self.hosts();
        let key_lines = hosts.named.len().div_ceil(4) as f64;
        let head = 96.0 + 18.0 * key_lines;
        let width = (2.0 * layout.half).max(760.0);
        let height = head + 2.0 * layout.half;
        let (x, y) = (width / 2.0, head + layout.half);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" \
             aria-labelledby=\"t d\" style=\"max-width:100%;height:auto\">\n<title id=\"t\">Neighbourhood of {}</title>\n<desc id=\"d\">{}</desc>\n<style>\n{STYLE}</style>\n",
            escape(&self.title),
            escape(&self.in_words()),
        );
        out += &markers();
        out += "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n";
        self.head(&hosts, width, &mut out);
        let _ = writeln!(out, "<g transform=\"translate({x:.1} {y:.1})\">");
        for ring in &layout.rings[1..] {
            let _ = writeln!(out, "<circle class=\"ring\" r=\"{ring:.1}\"/>");
        }
        self.draw_arcs(&layout, &mut out);
        for node in (0..self.nodes.len()).filter(|node| *node != self.centre).chain([self.centre]) {
            self.draw_node(node, &labels[node], &layout, &hosts, &mut out);
        }
        out + "</g>\n</svg>\n"
    }

    /// How much there is and how much is drawn, in words.
    fn in_words(&self) -> String {
        let drawn = self.nodes.len();
        let mut words = format!("{drawn} nodes and {} arcs", self.arcs.len());
        let left: u64 = self.left_out.iter().sum();
        if left > 0 {
            let all: u64 = self.found.iter().sum();
            let by_hop: Vec<String> = (0..)
                .zip(&self.left_out)
                .filter(|(_, left)| **left > 0)
                .map(|(hops, left)| format!("{left} at {hops} {}", if hops == 1 { "hop" } else { "hops" }))
                .collect();
            let _ =
                write!(words, "; left out {left} of {all} nodes, of lower PageRank ({})", by_hop.join(", "));
        }
        let hidden = self.across().len().saturating_sub(MOST_ACROSS);
        if hidden > 0 {
            let _ = write!(words, "; {hidden} links within rings not drawn");
        }
        format!("{words}; {}", self.about)
    }

    fn head(&self, hosts: &Hosts, width: f64, out: &mut String) {
        let most = (width / 10.5) as usize;
        let _ = writeln!(
            out,
            "<text class=\"title\" x=\"20\" y=\"32\">{}</text>",
            escape(&shorten(&plain(&self.title), most))
        );
        let words = shorten(&self.in_words(), (width / 6.2) as usize);
        let _ = writeln!(out, "<text class=\"sub\" x=\"20\" y=\"54\">{}</text>", escape(&words));
        let keys = [
            ("in", "towards the middle"),
            ("out", "away from it"),
            ("two", "both ways"),
            ("x", "within a ring"),
        ];
        for (at, (class, said)) in (0..).zip(keys) {
            let x = 20.0 + 165.0 * f64::from(at);
            let start =
                if class == "two" { format!(" marker-start=\"url(#{class})\"") } else { String::new() };
            let _ = writeln!(
                out,
                "<path class=\"a {class}\" style=\"stroke-opacity:1\" d=\"M{:.0} 74h26\" marker-end=\"url(#{class})\"{start}/><text x=\"{:.0}\" y=\"78\">{said}</text>",
                x + 4.0,
                x + 38.0
            );
        }
        for (at, (name, class)) in hosts.named.iter().enumerate() {
            let (x, y) = (20.0 + 180.0 * (at % 4) as f64, 98.0 + 18.0 * (at / 4) as f64);
            let name = escape(&shorten(name, 26));
            let _ = writeln!(
                out,
                "<circle class=\"k{class}\" cx=\"{:.0}\" cy=\"{:.0}\" r=\"5\"/><text x=\"{:.0}\" y=\"{y:.0}\">{name}</text>",
                x + 5.0,
                y - 4.0,
                x + 15.0
            );
        }
    }

    /// The label of each node: on the middle's own host the path alone.
    fn labels(&self) -> Vec<String> {
        let own = host_of(&self.title);
        let last = self.nodes.iter().map(|node| node.hops).max().unwrap_or(0);
        self.nodes
            .iter()
            .map(|node| {
                let most = if node.hops == last { LETTERS.1 } else { LETTERS.0 };
                let own = own.as_deref().filter(|_| node.hops > 0);
                shorten(&label(&node.name, own), most)
            })
            .collect()
    }

    /// On which node each hangs: of those a ring further in that an arc joins it with one of its own host, else the best.
    fn parents(&self) -> Vec<Option<usize>> {
        let hosts: Vec<Option<String>> = self.nodes.iter().map(|node| host_of(&node.name)).collect();
        let mut parents: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut offer = |child: usize, parent: usize| {
            if self.nodes[child].hops != self.nodes[parent].hops + 1 {
                return;
            }
            let rank = |p: usize| (hosts[p] == hosts[child], self.nodes[p].score, std::cmp::Reverse(p));
            let better = |now: usize| rank(parent).partial_cmp(&rank(now)).is_some_and(|order| order.is_gt());
            if parents[child].is_none_or(better) {
                parents[child] = Some(parent);
            }
        };
        for (u, v, _) in &self.arcs {
            offer(*u, *v);
            offer(*v, *u);
        }
        parents
    }

    fn layout(&self, labels: &[String]) -> Layout {
        let last = self.nodes.iter().map(|node| node.hops).max().unwrap_or(0) as usize;
        let mut counts = vec![0usize; last + 1];
        self.nodes.iter().for_each(|node| counts[node.hops as usize] += 1);
        let parents = self.parents();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (node, parent) in parents.iter().enumerate() {
            children[parent.unwrap_or(self.centre)].extend((node != self.centre).then_some(node));
        }
        let mut grow = 1.0;
        let (rings, needs) = loop {
            let mut rings = vec![0.0];
            for (ring, count) in counts.iter().enumerate().skip(1) {
                let next = if ring == 1 { FIRST_RING } else { rings[ring - 1] + RING };
                rings.push((*count as f64 * LINE * grow / TAU).max(next));
            }
            let needs = self.angles_needed(&children, &rings);
            if needs[self.centre] <= TAU || grow > 64.0 {
                break (rings, needs);
            }
            grow *= 1.05;
        };
        let mut angles = vec![0.0; self.nodes.len()];
        let mut open = vec![(self.centre, -TAU / 4.0, TAU)];
        while let Some((node, start, width)) = open.pop() {
            angles[node] = start + width / 2.0;
            let need: f64 = children[node].iter().map(|child| needs[*child]).sum();
            let share = if need > 0.0 { width / need } else { 0.0 };
            // What hangs on the middle fills the circle; all else stays near where it hangs.
            let share = if node == self.centre { share } else { share.min(1.6) };
            let mut at = start + (width - need * share) / 2.0;
            for child in &children[node] {
                open.push((*child, at, needs[*child] * share));
                at += needs[*child] * share;
            }
        }
        let reach = |(node, label): (&DrawnNode, &String)| {
            rings[node.hops as usize] + 24.0 + LETTER * width_of(label)
        };
        let half = self.nodes.iter().zip(labels).map(reach).fold(FIRST_RING, f64::max);
        Layout { rings, angles, half }
    }

    /// The angle that each node needs: that of its label, or of all that hangs on it.
    fn angles_needed(&self, children: &[Vec<usize>], rings: &[f64]) -> Vec<f64> {
        let mut needs = vec![0.0f64; self.nodes.len()];
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|node| (std::cmp::Reverse(self.nodes[*node].hops), *node));
        for node in order {
            let below: f64 = children[node].iter().map(|child| needs[*child]).sum();
            let radius = rings[self.nodes[node].hops as usize];
            needs[node] = if node == self.centre { below } else { below.max(LINE / radius) };
        }
        needs
    }

    /// Arcs inside a ring, the heaviest first. (No arc skips a ring; where links were followed one way, one may lead back.)
    fn across(&self) -> Vec<(usize, usize, f64)> {
        let ring = |node: usize| self.nodes[node].hops;
        let mut across: Vec<_> = self
            .arcs
            .iter()
            .copied()
            .filter(|(u, v, _)| u != v && ring(*u).abs_diff(ring(*v)) != 1)
            .collect();
        across.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        across
    }

    fn draw_arcs(&self, layout: &Layout, out: &mut String) {
        let across = self.across();
        let drawn = &across[..across.len().min(MOST_ACROSS)];
        let faint = (60.0 / (drawn.len() as f64 + 1.0)).clamp(0.2, 0.7);
        let _ = writeln!(out, "<g style=\"opacity:{faint:.2}\">");
        for (u, v, _) in drawn {
            self.draw_arc((*u, *v), "x", false, layout, out);
        }
        *out += "</g>\n";
        // Arcs between neighbouring rings, both ways as one line.
        let mut pairs: BTreeMap<(usize, usize), (bool, bool)> = BTreeMap::new();
        for (u, v, _) in &self.arcs {
            let (ring_u, ring_v) = (self.nodes[*u].hops, self.nodes[*v].hops);
            if ring_u.abs_diff(ring_v) == 1 {
                let (near, far) = if ring_u < ring_v { (*u, *v) } else { (*v, *u) };
                let ways = pairs.entry((near, far)).or_default();
                *ways = (ways.0 | (ring_u < ring_v), ways.1 | (ring_u > ring_v));
            }
        }
        for ((near, far), ways) in pairs {
            match ways {
                (true, true) => self.draw_arc((near, far), "two", true, layout, out),
                (true, false) => self.draw_arc((near, far), "out", false, layout, out),
                _ => self.draw_arc((far, near), "in", false, layout, out),
            }
        }
    }

    fn draw_arc(&self, (u, v): (usize, usize), class: &str, both: bool, layout: &Layout, out: &mut String) {
        let (from, to) = (&self.nodes[u], &self.nodes[v]);
        let (a, b) = (layout.point(from, layout.angles[u]), layout.point(to, layout.angles[v]));
        let (ra, rb) = (layout.rings[from.hops as usize], layout.rings[to.hops as usize]);
        let polar = |radius: f64, angle: f64| (radius * angle.cos(), radius * angle.sin());
        let (c, d) = if from.hops.abs_diff(to.hops) == 1 && ra > 0.0 && rb > 0.0 {
            let middle = (ra + rb) / 2.0;
            (polar(middle, layout.angles[u]), polar(middle, layout.angles[v]))
        } else if ra > 0.0 && rb > 0.0 {
            // The nearer to each other, the flatter.
            let apart = ((a.0 - b.0).hypot(a.1 - b.1) / (ra + rb)).clamp(0.0, 1.0);
            let pull = 1.0 - 0.75 * apart.sqrt();
            ((a.0 * pull, a.1 * pull), (b.0 * pull, b.1 * pull))
        } else {
            let third = |s: f64| (a.0 + (b.0 - a.0) * s, a.1 + (b.1 - a.1) * s);
            (third(1.0 / 3.0), third(2.0 / 3.0))
        };
        // The middle has a mark around it.
        let reach = |node: usize| self.radius(node) + if node == self.centre { 6.0 } else { 0.0 };
        let a = off(a, c, reach(u) + if both { 6.0 } else { 1.0 });
        let b = off(b, d, reach(v) + 6.0);
        let start = if both { format!(" marker-start=\"url(#{class})\"") } else { String::new() };
        let _ = writeln!(
            out,
            "<path class=\"a {class}\" d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\" marker-end=\"url(#{class})\"{start}/>",
            a.0, a.1, c.0, c.1, d.0, d.1, b.0, b.1
        );
    }

    /// The greater the score, the larger.
    fn radius(&self, node: usize) -> f64 {
        let most = self.nodes.iter().map(|node| node.score).fold(f64::MIN_POSITIVE, f64::max);
        let share = (self.nodes[node].score / most).clamp(0.0, 1.0);
        (if node == self.centre { 7.0 } else { 2.8 }) + 5.0 * share.sqrt()
    }

    fn draw_node(&self, at: usize, label: &str, layout: &Layout, hosts: &Hosts, out: &mut String) {
        let (node, angle, radius) = (&self.nodes[at], layout.angles[at], self.radius(at));
        let (x, y) = layout.point(node, angle);
        let tip = format!("{}\nPageRank {:.3e}, {} hops", plain(&node.name), node.score, node.hops);
        let (tip, label, colour) = (escape(&tip), escape(label), hosts.of[at]);
        if at == self.centre {
            let _ = writeln!(
                out,
                "<g class=\"n c\"><title>{tip}</title><circle class=\"k{colour}\" r=\"{radius:.1}\"/><circle class=\"mark\" r=\"{:.1}\"/>\
                 <text class=\"halo\" text-anchor=\"middle\" y=\"{:.1}\">{label}</text></g>",
                radius + 4.0,
                radius + 21.0
            );
            return;
        }
        let turned = angle.cos() < 0.0;
        let degrees = angle.to_degrees() + if turned { 180.0 } else { 0.0 };
        let (gap, anchor) = if turned { (-radius - 5.0, "end") } else { (radius + 5.0, "start") };
        let _ = writeln!(
            out,
            "<g class=\"n\"><title>{tip}</title><circle class=\"k{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>\
             <text class=\"halo\" text-anchor=\"{anchor}\" transform=\"translate({x:.1} {y:.1}) rotate({degrees:.1})\" x=\"{gap:.1}\" y=\"3.8\">{label}</text></g>",
        );
    }

    /// Colours of hosts: the middle's own, then those with the most nodes.
    fn hosts(&self) -> Hosts {
        let names: Vec<String> =
            self.nodes.iter().map(|node| host_of(&node.name).unwrap_or_default()).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        let own = names[self.centre].as_str();
        let mut order: Vec<(&str, usize)> = counts.into_iter().filter(|(name, _)| *name != own).collect();
        order.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let mut class: BTreeMap<&str, usize> = BTreeMap::from([(own, 0)]);
        class.extend(order.iter().take(COLOURS - 1).zip(1..).map(|((name, _), class)| (*name, class)));
        let of = names.iter().map(|name| class.get(name.as_str()).copied().unwrap_or(COLOURS)).collect();
        let mut named: Vec<(String, usize)> =
            class.iter().map(|(name, class)| ((*name).to_owned(), *class)).collect();
        named.sort_by_key(|(_, class)| *class);
        if order.len() >= COLOURS {
            named.push((format!("{} other hosts", order.len() - (COLOURS - 1)), COLOURS));
        }
        if own.is_empty() && order.is_empty() {
            named.clear();
        }
        Hosts { of, named }
    }
}

/// Which colour is whose.
struct Hosts {
    /// Colour of each node.
    of: Vec<usize>,
    /// Names of the colours.
    named: Vec<(String, usize)>,
}

/// A point moved from `point` towards `towards`.
fn off(point: (f64, f64), towards: (f64, f64), by: f64) -> (f64, f64) {
    let (dx, dy) = (towards.0 - point.0, towards.1 - point.1);
    let length = dx.hypot(dy);
    if length <= by { point } else { (point.0 + dx * by / length, point.1 + dy * by / length) }
}

fn markers() -> String {
    let mut out = String::from("<defs>\n");
    for class in ["in", "out", "two", "x"] {
        let _ = writeln!(
            out,
            "<marker id=\"{class}\" viewBox=\"0 0 8 8\" refX=\"2\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" \
             orient=\"auto-start-reverse\"><path class=\"h{class}\" d=\"M0 .8L8 4L0 7.2z\"/></marker>"
        );
    }
    out + "</defs>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_a_ring_do_not_overlap_and_end_before_the_next() {
        let node = |name: String, hops, score| DrawnNode { name, hops, score };
        let mut nodes = vec![node("http://a.org/".into(), 0, 1.0)];
        let mut arcs = Vec::new();
        for i in 0..60 {
            nodes.push(node(format!("http://h{}.org/{}", i % 12, "page".repeat(9)), 1, 0.5));
            arcs.push((0, 1 + i, 1.0));
        }
        for i in 0..139 {
            nodes.push(node(format!("http://b.org/{i}/{}", "deep".repeat(20)), 2, 0.1));
            arcs.push((1 + (i * i) % 23, 61 + i, 1.0));
        }
        let drawing = Drawing {
            title: "http://a.org/".into(),
            about: "a test".into(),
            nodes,
            centre: 0,
            arcs,
            found: vec![1, 60, 339],
            left_out: vec![0, 0, 200],
        };
        let labels = drawing.labels();
        let layout = drawing.layout(&labels);
        for ring in 1..=2u32 {
            let mut angles: Vec<f64> = (0..200)
                .filter(|i| drawing.nodes[*i].hops == ring)
                .map(|i| layout.angles[i].rem_euclid(TAU))
                .collect();
            angles.sort_by(f64::total_cmp);
            angles.push(angles[0] + TAU);
            let least = angles.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
            assert!(least * layout.rings[ring as usize] > 0.9 * LINE, "ring {ring}: {least}");
        }
        assert!(layout.rings[2] - layout.rings[1] > LETTERS.0 as f64 * LETTER + 10.0);
        assert!(drawing.svg().contains("left out 200 of 400 nodes, of lower PageRank (200 at 2 hops)"));
    }
}
