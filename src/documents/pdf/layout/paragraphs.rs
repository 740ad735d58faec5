//! Lines to paragraphs.

use super::lines::Line;

/// Places where paragraphs begin among the lines of a block.
pub(in crate::pdf) fn beginnings(lines: &[Line]) -> Vec<usize> {
    let mut pitches: Vec<f64> = lines
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] if (a.size - b.size).abs() < 0.15 * a.size => Some(b.v - a.v),
            _ => None,
        })
        .collect();
    pitches.sort_by(f64::total_cmp);
    let pitch = pitches.get(pitches.len() / 4).copied();
    let margins = margins(lines);
    let mut begins = vec![0];
    for (at, pair) in lines.windows(2).enumerate() {
        let ([before, line], Some(margins)) = (pair, margins.get(at)) else { continue };
        if divides(before, line, pitch.unwrap_or(line.size * 1.2), *margins) {
            begins.push(at + 1);
        }
    }
    begins
}

/// The left and right margin of each line: those of its neighbours in type of the same size. A title above may be wider.
fn margins(lines: &[Line]) -> Vec<(f64, f64)> {
    let mut margins = Vec::with_capacity(lines.len());
    let mut from = 0;
    while let Some(first) = lines.get(from) {
        let alike =
            lines.iter().skip(from).take_while(|line| (line.size - first.size).abs() <= 0.12 * first.size);
        let to = from + alike.count();
        let run = lines.get(from..to).unwrap_or_default();
        let left = run.iter().map(|line| line.u0).fold(f64::INFINITY, f64::min);
        let right = run.iter().map(|line| line.u1).fold(f64::NEG_INFINITY, f64::max);
        margins.resize(to, (left, right));
        from = to;
    }
    margins
}

fn divides(before: &Line, line: &Line, pitch: f64, (left, right): (f64, f64)) -> bool {
    let size = line.size.max(before.size);
    let step = line.v - before.v;
    if (line.size - before.size).abs() > 0.12 * size || step > pitch * 1.3 + 0.1 * size || step > 2.5 * size {
        return true;
    }
    if line.bold != before.bold || super::super::lists::marker(&line.text()).is_some() {
        return true;
    }
    // Short lines that are no end of a paragraph: titles, verses, addresses.
    let width = right - left;
    let first = line.words.first().map_or(0.0, |word| word.u1 - word.u0);
    let (rest, indent) =
        if line.rtl { (before.u0 - left, right - line.u1) } else { (right - before.u1, line.u0 - left) };
    let before_indent = if line.rtl { right - before.u1 } else { before.u0 - left };
    // The raised number of a note.
    if line
        .words
        .first()
        .is_some_and(|word| word.size < 0.85 * line.size && word.text.chars().all(char::is_numeric))
    {
        return true;
    }
    // A word that was parted goes on.
    if before.words.last().is_some_and(|word| word.text.ends_with(['-', '\u{2010}', '\u{AD}']))
        && line
            .words
            .first()
            .is_some_and(|word| word.text.starts_with(|c: char| c.is_alphabetic() && !c.is_uppercase()))
    {
        return false;
    }
    // The first word would have had room on the line before.
    if rest > first + 1.5 * size && rest > 0.12 * width {
        return true;
    }
    indent > 0.8 * size && before_indent < 0.4 * size && indent < 0.3 * width
}
