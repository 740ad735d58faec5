//! Where the cells of a group stand: a chain of levels, each within the one above.
//!
//! Tags without a parent stand beside each other in a page; children of a tag stand beside each other within each of its
//! results; tags of a layer stand in the pages that a link tag leads to. Two columns can stand in one row only where the level of
//! one is above that of the other.

use crate::rule::{Column, Layer, LayerNumber, Level, Tag, TagNumber};

/// Where a tag stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Page(LayerNumber),
    Within(TagNumber),
}

fn position(tag: TagNumber, tags: &[Tag]) -> Position {
    tags[tag].parent.map_or(Position::Page(tags[tag].layer), Position::Within)
}

/// The position above, and the tag that leads down from it.
fn above(position: Position, tags: &[Tag], layers: &[Layer]) -> Option<(Position, TagNumber)> {
    let down = match position {
        Position::Within(parent) => parent,
        Position::Page(layer) => layers[layer].from?,
    };
    Some((self::position(down, tags), down))
}

/// From a position up to the first page; layers that open each other end where one comes again.
fn chain(from: Position, tags: &[Tag], layers: &[Layer]) -> Vec<(Position, Option<TagNumber>)> {
    let mut chain = vec![(from, None)];
    let mut at = from;
    while let Some((next, down)) = above(at, tags, layers) {
        if chain.iter().any(|(known, _)| *known == next) {
            break;
        }
        chain.push((next, Some(down)));
        at = next;
    }
    chain
}

/// The levels of a group with these columns, the first first.
///
/// # Errors
/// That its columns can never meet in a row, and which.
pub(crate) fn levels(columns: &[Column], tags: &[Tag], layers: &[Layer]) -> Result<Vec<Level>, String> {
    let chains: Vec<_> =
        columns.iter().map(|column| chain(position(column.tag, tags), tags, layers)).collect();
    // The last of the longest, so that the message names the columns in their order.
    let longest = (0..chains.len())
        .max_by_key(|number| (chains[*number].len(), usize::MAX - number))
        .unwrap_or_default();
    let Some(deepest) = chains.get(longest) else { return Err("it has no columns".into()) };
    let stands_at = |position: Position| deepest.iter().position(|(known, _)| *known == position);
    let mut standing = vec![Vec::new(); deepest.len()];
    for (number, column) in columns.iter().enumerate() {
        match stands_at(position(column.tag, tags)) {
            Some(at) => standing[at].push(number),
            None => {
                return Err(format!(
                    "its columns can never meet: {} and {} stand neither beside nor within each other",
                    columns[longest].name, column.name
                ));
            }
        }
    }
    let top = standing.iter().rposition(|columns| !columns.is_empty()).unwrap_or_default();
    let is_page = |position: &Position| matches!(position, Position::Page(_));
    let first = (top..deepest.len()).find(|at| is_page(&deepest[*at].0)).unwrap_or(deepest.len() - 1);
    let level = |at: usize| {
        let (position, down) = deepest[at];
        let layer = match position {
            Position::Page(layer) => layer,
            Position::Within(tag) => tags[tag].layer,
        };
        Level {
            layer,
            columns: standing[at].clone(),
            down: down.filter(|_| at > 0),
            is_page: is_page(&position),
        }
    };
    Ok((0..=first).rev().map(level).collect())
}
