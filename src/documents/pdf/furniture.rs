//! Running heads, running feet and page numbers: what pages have in common at their edges.
//!
//! **Definition.** A row among the three outermost at the top or the bottom of a page is a running head or foot where rows at
//! the same height of at least three pages say the same, figures aside, or begin or end with a number that counts the pages.
//! What the document itself marks as such is one too.
//!
//! **Cost.** Linear in the pages.

use std::collections::BTreeMap;

use super::layout::lines::Line;
use super::layout::words::Frame;
use super::page::Sheet;

/// Rows at each edge that are looked at.
const ROWS: usize = 3;
/// Pages that have to agree.
const PAGES: usize = 3;
/// Points by which the heights of rows may differ.
const SAME_HEIGHT: f64 = 4.0;
/// Share of the page's height, from its edge, in which rows may be running heads.
const EDGE: f64 = 0.2;
/// Least distance between running heads and the text, in sizes of the type.
const GAP: f64 = 1.45;
/// How large the type of a running head may be beside the body's.
const LARGER: f64 = 1.3;
/// Characters of a running head.
const MAX_CHARS: usize = 200;

/// A row at an edge of a page.
struct Row {
    page: usize,
    height: f64,
    text: String,
    /// Blocks and lines that it is of.
    places: Vec<(usize, usize)>,
}

/// Takes running heads out of the pages; gives them page by page. `body` is the size of most type.
pub(super) fn taken(sheets: &mut [Sheet], body: f64) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<(usize, usize)>> = sheets.iter().map(marked).collect();
    if sheets.len() >= PAGES {
        for bottom in [false, true] {
            let rows: Vec<Row> = sheets
                .iter()
                .enumerate()
                .flat_map(|(page, sheet)| edge_rows(page, sheet, bottom, body))
                .collect();
            for row in repeated(&rows).into_iter().chain(counting(&rows)) {
                if let (Some(row), Some(found)) =
                    (rows.get(row), rows.get(row).and_then(|row| found.get_mut(row.page)))
                {
                    found.extend(row.places.iter().copied());
                }
            }
        }
    }
    sheets.iter_mut().zip(found).map(|(sheet, places)| remove(sheet, places)).collect()
}

/// Lines that are marked as running heads.
fn marked(sheet: &Sheet) -> Vec<(usize, usize)> {
    let lines = sheet
        .blocks
        .iter()
        .enumerate()
        .flat_map(|(block, of)| of.lines.iter().enumerate().map(move |(line, of)| ((block, line), of)));
    lines.filter(|(_, line)| line.words.iter().all(|word| word.furniture)).map(|(place, _)| place).collect()
}

/// The outermost rows of a page.
fn edge_rows(page: usize, sheet: &Sheet, bottom: bool, body: f64) -> Vec<Row> {
    let mut lines: Vec<(f64, f64, (usize, usize), &Line)> = Vec::new();
    for (block, of) in sheet.blocks.iter().enumerate().filter(|(_, of)| of.frame == Frame::UPRIGHT) {
        for (line, of) in of.lines.iter().enumerate() {
            let height = if bottom { sheet.height - of.v } else { of.v };
            lines.push((height, of.u0, (block, line), of));
        }
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut rows: Vec<(Row, Vec<(f64, &Line)>)> = Vec::new();
    let mut apart = 0;
    for (height, u0, place, line) in lines {
        let count = rows.len();
        match rows.last_mut() {
            Some((row, of)) if height - row.height < 0.4 * line.size => {
                row.places.push(place);
                of.push((u0, line));
                continue;
            }
            Some((row, of))
                if height - row.height
                    > GAP * of.iter().map(|(_, line)| line.size).fold(line.size, f64::max) =>
            {
                apart = count;
            }
            _ => {}
        }
        if count > ROWS || height > sheet.height * EDGE {
            break;
        }
        rows.push((Row { page, height, text: String::new(), places: vec![place] }, vec![(u0, line)]));
    }
    // Text stands apart from its running heads.
    rows.truncate(apart);
    rows.retain(|(_, lines)| lines.iter().all(|(_, line)| line.size <= body * LARGER));
    let told = rows.into_iter().map(|(mut row, mut lines)| {
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        row.text = lines.iter().map(|(_, line)| line.text()).collect::<Vec<_>>().join(" ");
        row
    });
    told.filter(|row| row.text.chars().count() <= MAX_CHARS).collect()
}

/// Rows that say the same at the same height of enough pages.
fn repeated(rows: &[Row]) -> Vec<usize> {
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let shape = shape(&row.text);
        // Numbers alone have to count.
        if row.text.chars().any(char::is_alphabetic) {
            alike.entry(shape).or_default().push(at);
        }
    }
    alike.into_values().flat_map(|group| level(rows, group)).collect()
}

/// What a row says but for a number at its beginning or its end.
fn shape(text: &str) -> String {
    let is_number =
        |word: &&str| word.chars().any(char::is_numeric) && !word.chars().any(char::is_alphabetic);
    let words: Vec<&str> = text.split_whitespace().collect();
    let from = usize::from(words.first().is_some_and(is_number));
    let to = words.len() - usize::from(words.len() > from && words.last().is_some_and(is_number));
    words.get(from..to).unwrap_or_default().join(" ")
}

/// Rows that begin or end with a number that counts the pages.
fn counting(rows: &[Row]) -> Vec<usize> {
    let mut alike: BTreeMap<(bool, i64), Vec<usize>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let page = row.page as i64;
        let mut words = row.text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let first = words.next();
        let ends = [first, words.next_back().or(first)].into_iter().flatten();
        let mut offsets: Vec<(bool, i64)> =
            ends.filter_map(number).map(|(roman, number)| (roman, number - page)).collect();
        offsets.dedup();
        offsets.into_iter().for_each(|offset| alike.entry(offset).or_default().push(at));
    }
    alike.into_values().flat_map(|group| level(rows, group)).collect()
}

/// Those of a group of rows that stand at the same height on enough pages.
fn level(rows: &[Row], mut group: Vec<usize>) -> Vec<usize> {
    let height = |at: &usize| rows.get(*at).map_or(0.0, |row| row.height);
    group.sort_by(|a, b| height(a).total_cmp(&height(b)));
    let mut kept = Vec::new();
    let mut run: Vec<usize> = Vec::new();
    for at in group {
        if run.last().is_some_and(|last| height(&at) - height(last) > SAME_HEIGHT) {
            kept.extend(enough(rows, std::mem::take(&mut run)));
        }
        run.push(at);
    }
    kept.extend(enough(rows, run));
    kept
}

fn enough(rows: &[Row], run: Vec<usize>) -> Vec<usize> {
    let mut pages: Vec<usize> = run.iter().filter_map(|at| rows.get(*at)).map(|row| row.page).collect();
    pages.sort_unstable();
    pages.dedup();
    if pages.len() >= PAGES { run } else { Vec::new() }
}

/// A number in figures, or in small Roman ones.
fn number(word: &str) -> Option<(bool, i64)> {
    if word.len() <= 5 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().ok().map(|number| (false, number));
    }
    let mut value = 0;
    let mut before = 0;
    for c in word.chars().rev() {
        let digit = match c.to_ascii_lowercase() {
            'i' => 1,
            'v' => 5,
            'x' => 10,
            'l' => 50,
            'c' => 100,
            _ => return None,
        };
        value += if digit < before { -digit } else { digit };
        before = before.max(digit);
    }
    (1..=400).contains(&value).then_some((true, value))
}

/// Takes lines out of a page; gives what they say.
fn remove(sheet: &mut Sheet, mut places: Vec<(usize, usize)>) -> Vec<String> {
    places.sort_unstable();
    places.dedup();
    let mut said = Vec::new();
    for (block, of) in sheet.blocks.iter_mut().enumerate() {
        if of.lines.is_empty() {
            continue;
        }
        let mut at = 0;
        of.lines.retain(|line| {
            let taken = places.binary_search(&(block, at)).is_ok();
            if taken {
                said.push(line.text());
            }
            at += 1;
            !taken
        });
    }
    sheet.blocks.retain(|block| !block.lines.is_empty() || block.grid.is_some());
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count() {
        assert_eq!(number("12"), Some((false, 12)));
        assert_eq!(number("xiv"), Some((true, 14)));
        assert_eq!(number("mild"), None);
        assert_eq!(number("tea"), None);
    }

    #[test]
    fn rows_of_three_pages_agree() {
        let row = |page, height, text: &str| Row { page, height, text: text.into(), places: vec![(0, page)] };
        let rows = [
            row(0, 30.0, "Ferries 1"),
            row(1, 31.0, "Ferries 2"),
            row(2, 30.0, "Ferries 3"),
            row(3, 90.0, "Ferries 4"),
            row(4, 30.0, "Piers"),
        ];
        assert_eq!(repeated(&rows), [0, 2, 1]);
        let rows =
            [row(3, 30.0, "tea 7"), row(4, 30.0, "8 piers"), row(5, 30.0, "rope 9"), row(6, 30.0, "rope 4")];
        assert_eq!(counting(&rows), [0, 1, 2]);
    }
}
