//! Words to blocks in reading order, by cuts along white space.
//!
//! **Definition.** A gutter of a run of rows is a gap that no word of the run crosses. A run is cut along its widest gutter
//! where both sides read as columns of text: lines that fill their side, or lines that do not stand level with those
//! beside them. Rows of a table stand level and are short, and stay together.
//!
//! **Algorithm.** A recursive cut: the longest run of rows with such a gutter is found; what stands above it, its columns
//! from the reading side, and what stands below it are cut in turn.
//!
//! **Cost.** O(rows² · words of a row) a block; blocks of more rows than a bound are not cut.

use super::lines::rows;
use super::words::Word;

/// Depth of cuts.
const MAX_DEPTH: usize = 24;
/// Rows of a block that is cut.
const MAX_ROWS: usize = 600;

/// Blocks of words in reading order.
pub(in crate::pdf) fn blocks(words: Vec<Word>, rtl: bool) -> Vec<Vec<Word>> {
    let mut out = Vec::new();
    cut(words, rtl, 0, &mut out);
    out
}

fn cut(words: Vec<Word>, rtl: bool, depth: usize, out: &mut Vec<Vec<Word>>) {
    let found = if depth < MAX_DEPTH { columns(&words) } else { None };
    let Some((top, bottom, gutter)) = found else {
        if !words.is_empty() {
            out.push(words);
        }
        return;
    };
    let (mut above, mut left, mut right, mut below) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for word in words {
        if word.v < top {
            above.push(word);
        } else if word.v > bottom {
            below.push(word);
        } else if (word.u0 + word.u1) / 2.0 < gutter {
            left.push(word);
        } else {
            right.push(word);
        }
    }
    let (first, second) = if rtl { (right, left) } else { (left, right) };
    for part in [above, first, second, below] {
        cut(part, rtl, depth + 1, out);
    }
}

/// The longest run of rows with a gutter between columns: its first and last baseline, and the middle of the gutter.
fn columns(words: &[Word]) -> Option<(f64, f64, f64)> {
    let rows = rows(words);
    if rows.len() < 2 || rows.len() > MAX_ROWS {
        return None;
    }
    let spans: Vec<Vec<(f64, f64)>> = rows
        .iter()
        .map(|row| row.iter().filter_map(|place| words.get(*place)).map(|word| (word.u0, word.u1)).collect())
        .collect();
    let size = median(words.iter().map(|word| word.size))?;
    let mut best: Option<(usize, usize, f64)> = None;
    for from in 0..rows.len() {
        let longest = best.map_or(1, |(from, to, _)| to - from + 1);
        if rows.len() - from <= longest {
            break;
        }
        let mut covered: Vec<(f64, f64)> = Vec::new();
        let mut to = None;
        for (at, row) in spans.iter().enumerate().skip(from) {
            row.iter().for_each(|span| cover(&mut covered, *span));
            let enough = if at - from < 4 { 1.2 } else { 0.8 };
            // A run may begin with rows of one side only.
            if covered.len() < 2 && at > from {
                break;
            }
            if covered.len() >= 2 {
                if widest(&covered).0 < enough * size {
                    break;
                }
                to = Some((at, covered.clone()));
            }
        }
        let Some((to, covered)) = to else { continue };
        if to - from < longest {
            continue;
        }
        let mut gutters = gaps(&covered, 0.8 * size);
        gutters.sort_by(|a, b| b.0.total_cmp(&a.0));
        let run: Vec<&Word> = rows
            .get(from..=to)
            .unwrap_or_default()
            .iter()
            .flatten()
            .filter_map(|place| words.get(*place))
            .collect();
        if let Some((_, middle)) =
            gutters.into_iter().take(4).find(|(_, middle)| reads_as_columns(&run, *middle, size))
        {
            best = Some((from, to, middle));
        }
    }
    let (from, to, gutter) = best?;
    let from = extended(words, &rows, from, gutter);
    let baselines = |row: usize| {
        rows.get(row).into_iter().flatten().filter_map(|place| words.get(*place)).map(|word| word.v)
    };
    let top = baselines(from).fold(f64::INFINITY, f64::min);
    let bottom = baselines(to).fold(f64::NEG_INFINITY, f64::max);
    Some((top, bottom, gutter))
}

/// The first row of a run once those above belong to it that stand on one side of its gutter and go on with the lines there:
/// one column may begin higher than the other.
fn extended(words: &[Word], rows: &[Vec<usize>], mut from: usize, gutter: f64) -> usize {
    let side_of = |row: usize| {
        let on = |right: bool| {
            let mut of = rows.get(row).into_iter().flatten().filter_map(|place| words.get(*place));
            of.all(|word| if right { word.u0 > gutter } else { word.u1 < gutter })
        };
        [false, true].into_iter().find(|right| on(*right))
    };
    let of_side = |row: usize, right: bool| {
        let of = rows.get(row).into_iter().flatten().filter_map(|place| words.get(*place));
        of.filter(|word| ((word.u0 + word.u1) / 2.0 > gutter) == right).map(|word| (word.v, word.size)).next()
    };
    while let Some(above) = from.checked_sub(1) {
        let Some(right) = side_of(above) else { break };
        let next = (from..rows.len().min(from + 4)).find_map(|row| of_side(row, right));
        let (Some((v, size)), Some((next, _))) = (of_side(above, right), next) else { break };
        if next - v > 1.9 * size {
            break;
        }
        from = above;
    }
    from
}

/// Adds a span to spans that do not touch, in order.
pub(super) fn cover(covered: &mut Vec<(f64, f64)>, (mut from, mut to): (f64, f64)) {
    let first = covered.partition_point(|span| span.1 < from);
    let last = covered.partition_point(|span| span.0 <= to);
    if let Some(touched) = covered.get(first..last.max(first)) {
        for span in touched {
            from = from.min(span.0);
            to = to.max(span.1);
        }
    }
    covered.splice(first..last.max(first), [(from, to)]);
}

/// Gaps of a width between spans: width and middle.
pub(super) fn gaps(covered: &[(f64, f64)], least: f64) -> Vec<(f64, f64)> {
    covered
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] if b.0 - a.1 >= least => Some((b.0 - a.1, (a.1 + b.0) / 2.0)),
            _ => None,
        })
        .collect()
}

fn widest(covered: &[(f64, f64)]) -> (f64, f64) {
    gaps(covered, 0.0).into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0.0))
}

fn reads_as_columns(words: &[&Word], gutter: f64, size: f64) -> bool {
    let side = |right: bool| -> Vec<Word> {
        let on = words.iter().filter(|word| ((word.u0 + word.u1) / 2.0 > gutter) == right);
        on.map(|word| (*word).clone()).collect()
    };
    let (left, right) = (Side::of(&side(false), size), Side::of(&side(true), size));
    let fewest = left.baselines.len().min(right.baselines.len());
    if fewest < 2 {
        return false;
    }
    let level = left.level_with(&right, size);
    let texts = |fill: f64| left.is_text(fill) && right.is_text(fill);
    // Rows of a table with empty cells stand level with few others, and fill little of their side.
    let is_sparse = left.is_sparse() || right.is_sparse();
    texts(if level > 0.8 { 0.7 } else { 0.5 })
        || !is_sparse
            && fewest >= 3
            && (level < 0.5 || level < 0.8 && (left.is_text(0.5) || right.is_text(0.5)))
}

/// One side of a gutter.
struct Side {
    baselines: Vec<f64>,
    /// Share of its width that its lines fill.
    fill: f64,
    /// Characters of a piece of a line without wide gaps.
    chars: f64,
}

impl Side {
    fn of(words: &[Word], size: f64) -> Side {
        let from = words.iter().map(|word| word.u0).fold(f64::INFINITY, f64::min);
        let to = words.iter().map(|word| word.u1).fold(f64::NEG_INFINITY, f64::max);
        let rows = rows(words);
        let (mut filled, mut chars, mut pieces) = (0.0, 0usize, 0usize);
        let mut baselines = Vec::with_capacity(rows.len());
        for row in &rows {
            let mut row: Vec<&Word> = row.iter().filter_map(|place| words.get(*place)).collect();
            row.sort_by(|a, b| a.u0.total_cmp(&b.u0));
            baselines.extend(row.first().map(|word| word.v));
            filled += row.iter().map(|word| word.u1 - word.u0).sum::<f64>();
            chars += row.iter().map(|word| word.text.chars().count() + 1).sum::<usize>();
            pieces += 1;
            for pair in row.windows(2) {
                let [a, b] = pair else { continue };
                let gap = b.u0 - a.u1;
                if gap > 1.5 * size {
                    pieces += 1;
                } else {
                    filled += gap.max(0.0);
                }
            }
        }
        let fill = filled / ((to - from).max(1.0) * rows.len().max(1) as f64);
        Side { baselines, fill, chars: chars as f64 / pieces.max(1) as f64 }
    }

    fn is_text(&self, fill: f64) -> bool {
        self.chars >= 14.0 && self.fill >= fill
    }

    /// Whether it has but short cells, here and there.
    fn is_sparse(&self) -> bool {
        self.chars < 8.0 && self.fill < 0.3
    }

    /// Share of the rows of the side with fewer that stand level with one of the other.
    fn level_with(&self, other: &Side, size: f64) -> f64 {
        let (few, many) =
            if self.baselines.len() <= other.baselines.len() { (self, other) } else { (other, self) };
        let level = |v: &&f64| {
            let at = many.baselines.partition_point(|other| *other < **v - 0.15 * size);
            many.baselines.get(at).is_some_and(|other| *other <= **v + 0.15 * size)
        };
        few.baselines.iter().filter(level).count() as f64 / few.baselines.len().max(1) as f64
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_with_empty_cells_is_whole_between_lines_of_text() {
        let mut words = Vec::new();
        let mut put = |text: &str, u0: f64, v: f64| {
            let mut u0 = u0;
            for text in text.split(' ') {
                let u1 = u0 + 5.0 * text.len() as f64;
                let word = Word {
                    text: text.into(),
                    u0,
                    u1,
                    v,
                    size: 10.0,
                    space: 2.5,
                    spaced: true,
                    ..Word::default()
                };
                words.push(word);
                u0 = u1 + 2.5;
            }
        };
        put("Report of the warehouse in the east", 0.0, 0.0);
        let table = [
            "SKU-88 A-12 450 - - -",
            "- B-07 - 289 -23 -",
            "SKU-92 - 780 778 - OK",
            "- C-15 - - 15 -",
            "SKU-45 D-22 - 156 - -",
            "- - 180 - -24 -",
            "SKU-77 A-08 920 - - -",
            "- - - 935 15 OK",
        ];
        for (row, v) in table.iter().zip(1..) {
            let cells = row.split(' ').zip(0..).filter(|(cell, _)| *cell != "-");
            cells.for_each(|(cell, column)| put(cell, 72.0 * f64::from(column), 24.0 * f64::from(v)));
        }
        for v in 0..5 {
            put("Total of what is in it: 4,287", 0.0, 240.0 + 12.0 * f64::from(v));
        }
        assert_eq!(blocks(words, false).len(), 1);
    }
}
