//! Tables that are ruled: words between lines that were drawn.
//!
//! **Algorithm.** Lines that cross belong together; the places where they stand part the plane into rows and columns. A cell
//! without a line towards its neighbour is one with it. What has fewer than two rows or columns, or but one cell with words
//! to speak of, is a frame and no table.
//!
//! **Cost.** Lines down times lines across, both bounded.

use super::words::Word;
use crate::pdf::geometry::Area;

/// Lines of one direction that are looked at.
const MAX_LINES: usize = 2_000;
/// Cells of a table.
const MAX_CELLS: usize = 20_000;
/// Points by which ends of lines may miss each other.
const SLACK: f64 = 3.0;
/// Thickest line.
const THICK: f64 = 3.0;

/// A line along an axis: where it stands across, from where to where it goes along.
#[derive(Debug, Clone, Copy)]
struct Rule {
    at: f64,
    from: f64,
    to: f64,
}

/// A ruled table: its words by row and column.
#[derive(Debug)]
pub(in crate::pdf) struct Grid {
    pub(in crate::pdf) area: Area,
    pub(in crate::pdf) rows: Vec<Vec<Vec<Word>>>,
}

/// Takes the words of ruled tables out of a page's words.
pub(super) fn taken(rules: &[Area], words: &mut Vec<Word>) -> Vec<Grid> {
    let (across, down) = axes(rules);
    let mut grids = Vec::new();
    if across.len() > MAX_LINES || down.len() > MAX_LINES {
        return grids;
    }
    for (across, down) in crossing(across, down) {
        let Some(lattice) = Lattice::new(across, down) else { continue };
        if let Some(grid) = lattice.filled(words) {
            words.retain(|word| !lattice.holds(word));
            grids.push(grid);
        }
    }
    grids
}

/// Lines across and down, pieces of one line together.
fn axes(rules: &[Area]) -> (Vec<Rule>, Vec<Rule>) {
    let (mut across, mut down) = (Vec::new(), Vec::new());
    for area in rules {
        let (flat, thin) = (area.height() < THICK, area.width() < THICK);
        if !thin {
            let edges = if flat { vec![(area.y0 + area.y1) / 2.0] } else { vec![area.y0, area.y1] };
            across.extend(edges.into_iter().map(|at| Rule { at, from: area.x0, to: area.x1 }));
        }
        if !flat {
            let edges = if thin { vec![(area.x0 + area.x1) / 2.0] } else { vec![area.x0, area.x1] };
            down.extend(edges.into_iter().map(|at| Rule { at, from: area.y0, to: area.y1 }));
        }
    }
    (joined(across), joined(down))
}

/// Pieces of one line as one.
fn joined(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut groups: Vec<Vec<Rule>> = Vec::new();
    for rule in rules {
        match groups.last_mut() {
            Some(group) if group.first().is_some_and(|first| rule.at - first.at <= 1.5) => group.push(rule),
            _ => groups.push(vec![rule]),
        }
    }
    let mut out: Vec<Rule> = Vec::new();
    for mut group in groups {
        group.sort_by(|a, b| a.from.total_cmp(&b.from));
        let mut last: Option<Rule> = None;
        for rule in group {
            match &mut last {
                Some(last) if rule.from <= last.to + SLACK => last.to = last.to.max(rule.to),
                _ => out.extend(last.replace(rule)),
            }
        }
        out.extend(last);
    }
    out
}

/// Lines that cross, together.
fn crossing(across: Vec<Rule>, down: Vec<Rule>) -> Vec<(Vec<Rule>, Vec<Rule>)> {
    let mut parent: Vec<usize> = (0..across.len() + down.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while let Some(&up) = parent.get(at)
            && up != at
        {
            let above = parent.get(up).copied().unwrap_or(up);
            if let Some(place) = parent.get_mut(at) {
                *place = above;
            }
            at = above;
        }
        at
    }
    for (a, h) in across.iter().enumerate() {
        for (d, v) in down.iter().enumerate() {
            let meets = (h.from - SLACK..=h.to + SLACK).contains(&v.at)
                && (v.from - SLACK..=v.to + SLACK).contains(&h.at);
            if meets {
                let (one, other) = (root(&mut parent, a), root(&mut parent, across.len() + d));
                if let Some(place) = parent.get_mut(one.max(other)) {
                    *place = one.min(other);
                }
            }
        }
    }
    let mut groups: std::collections::BTreeMap<usize, (Vec<Rule>, Vec<Rule>)> =
        std::collections::BTreeMap::new();
    for (a, rule) in across.iter().enumerate() {
        groups.entry(root(&mut parent, a)).or_default().0.push(*rule);
    }
    for (d, rule) in down.iter().enumerate() {
        groups.entry(root(&mut parent, across.len() + d)).or_default().1.push(*rule);
    }
    groups.into_values().collect()
}

/// Lines that part a piece of the page into cells.
struct Lattice {
    across: Vec<Rule>,
    down: Vec<Rule>,
    xs: Vec<f64>,
    ys: Vec<f64>,
}

impl Lattice {
    fn new(across: Vec<Rule>, down: Vec<Rule>) -> Option<Lattice> {
        // A table may be open at its sides.
        let xs = places(&down, &across);
        let ys = places(&across, &down);
        let cells = xs.len().saturating_sub(1).saturating_mul(ys.len().saturating_sub(1));
        (xs.len() >= 3 && ys.len() >= 3 && cells <= MAX_CELLS).then_some(Lattice { across, down, xs, ys })
    }

    /// The row and column of a word.
    fn cell(&self, word: &Word) -> Option<(usize, usize)> {
        let (x, y) = ((word.u0 + word.u1) / 2.0, word.v - 0.3 * word.size);
        let at = |places: &[f64], value: f64| {
            let at = places.partition_point(|place| *place <= value);
            (1..places.len()).contains(&at).then(|| at - 1)
        };
        Some((at(&self.ys, y)?, at(&self.xs, x)?))
    }

    fn holds(&self, word: &Word) -> bool {
        self.cell(word).is_some()
    }

    /// Whether a line parts two places.
    fn parted(rules: &[Rule], at: f64, from: f64, to: f64) -> bool {
        let middle = (from + to) / 2.0;
        rules.iter().any(|rule| (rule.at - at).abs() <= SLACK && rule.from <= middle && rule.to >= middle)
    }

    /// The cell that a cell is one with: the first one above and to the left of it without a line between.
    fn origin(&self, (mut row, mut column): (usize, usize)) -> (usize, usize) {
        let place = |places: &[f64], at: usize| places.get(at).copied().unwrap_or_default();
        while column > 0
            && !Lattice::parted(
                &self.down,
                place(&self.xs, column),
                place(&self.ys, row),
                place(&self.ys, row + 1),
            )
        {
            column -= 1;
        }
        while row > 0
            && !Lattice::parted(
                &self.across,
                place(&self.ys, row),
                place(&self.xs, column),
                place(&self.xs, column + 1),
            )
        {
            row -= 1;
        }
        (row, column)
    }

    /// The table, if these lines are one.
    fn filled(&self, words: &[Word]) -> Option<Grid> {
        let (height, width) = (self.ys.len() - 1, self.xs.len() - 1);
        let mut rows: Vec<Vec<Vec<Word>>> = vec![vec![Vec::new(); width]; height];
        let mut count = 0usize;
        for word in words {
            let Some(cell) = self.cell(word) else { continue };
            let (row, column) = self.origin(cell);
            if let Some(cell) = rows.get_mut(row).and_then(|row| row.get_mut(column)) {
                cell.push(word.clone());
                count += 1;
            }
        }
        let filled = rows.iter().flatten().filter(|cell| !cell.is_empty()).count();
        let largest = rows.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let columns = (0..width)
            .filter(|column| rows.iter().any(|row| row.get(*column).is_some_and(|cell| !cell.is_empty())))
            .count();
        let lines = rows.iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).count();
        if filled < 3 || columns < 2 || lines < 2 || largest > 60 && largest * 2 > count {
            return None;
        }
        let area =
            Area { x0: *self.xs.first()?, y0: *self.ys.first()?, x1: *self.xs.last()?, y1: *self.ys.last()? };
        Some(Grid { area, rows })
    }
}

/// Places of lines, and of the ends of those that they cross where these go on.
fn places(rules: &[Rule], crossed: &[Rule]) -> Vec<f64> {
    let mut places: Vec<f64> = rules.iter().map(|rule| rule.at).collect();
    places.sort_by(f64::total_cmp);
    places.dedup_by(|next, before| *next - *before <= SLACK);
    let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return places };
    let from = crossed.iter().map(|rule| rule.from).fold(f64::INFINITY, f64::min);
    let to = crossed.iter().map(|rule| rule.to).fold(f64::NEG_INFINITY, f64::max);
    if from.is_finite() && first - from > 2.0 * SLACK {
        places.insert(0, from);
    }
    if to.is_finite() && to - last > 2.0 * SLACK {
        places.push(to);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, u0: f64, v: f64) -> Word {
        Word { text: text.into(), u0, u1: u0 + 20.0, v, size: 10.0, space: 2.5, ..Word::default() }
    }

    fn line(x0: f64, y0: f64, x1: f64, y1: f64) -> Area {
        Area { x0, y0, x1, y1 }
    }

    #[test]
    fn words_between_lines_are_cells() {
        let mut rules =
            vec![line(0.0, 0.0, 100.0, 0.0), line(0.0, 20.0, 100.0, 20.0), line(0.0, 40.0, 100.0, 40.0)];
        rules.extend([0.0, 50.0, 100.0].map(|x| line(x, 0.0, x, 40.0)));
        let mut words = vec![
            word("before", 10.0, -5.0),
            word("a", 10.0, 15.0),
            word("b", 60.0, 15.0),
            word("c", 10.0, 35.0),
        ];
        let grids = taken(&rules, &mut words);
        assert_eq!(words.len(), 1);
        let told: Vec<Vec<usize>> =
            grids[0].rows.iter().map(|row| row.iter().map(Vec::len).collect()).collect();
        assert_eq!(told, [[1, 1], [1, 0]]);
        // A frame around it all is none.
        let mut words = vec![word("a", 10.0, 15.0)];
        assert!(taken(&[line(0.0, 0.0, 100.0, 40.0)], &mut words).is_empty());
    }

    #[test]
    fn cells_without_a_line_between_are_one() {
        let mut rules =
            vec![line(0.0, 0.0, 100.0, 0.0), line(0.0, 20.0, 100.0, 20.0), line(0.0, 40.0, 100.0, 40.0)];
        rules.extend([
            line(0.0, 0.0, 0.0, 40.0),
            line(50.0, 20.0, 50.0, 40.0),
            line(100.0, 0.0, 100.0, 40.0),
        ]);
        let mut words = vec![word("a", 60.0, 15.0), word("b", 10.0, 35.0), word("c", 60.0, 35.0)];
        let grids = taken(&rules, &mut words);
        assert_eq!(grids[0].rows[0][0][0].text, "a");
    }
}
