//! Diagrams of Office files (SmartArt): their words as items, in the order of their tree.
//!
//! **Definition.** ECMA-376-1, 21.4: points, and connections from parents to children with their order.
//!
//! **Bad input.** Every point is visited once, so that a circle of connections ends.

use std::collections::{BTreeMap, BTreeSet};

use crate::Marker;
use crate::blocks::Block;
use crate::xml::Element;

/// What the data of a diagram say.
pub(crate) fn blocks(root: Element<'_>) -> Vec<Block> {
    let mut points = BTreeMap::new();
    let mut starts = Vec::new();
    for point in root.child("ptLst").into_iter().flat_map(Element::children) {
        let Some(id) = point.attr("modelId") else { continue };
        match point.attr("type").as_deref() {
            Some("doc") => starts.insert(0, id.clone()),
            Some("pres" | "parTrans" | "sibTrans") => continue,
            _ => starts.push(id.clone()),
        }
        points.insert(id, point);
    }
    let mut children = BTreeMap::<_, Vec<_>>::new();
    for link in root.child("cxnLst").into_iter().flat_map(Element::children) {
        let of_parent = link.attr("type").is_none_or(|kind| kind == "parOf");
        if let (true, Some(from), Some(to)) = (of_parent, link.attr("srcId"), link.attr("destId")) {
            children.entry(from).or_default().push((link.number::<u32>("srcOrd").unwrap_or(0), to));
        }
    }
    children.values_mut().for_each(|under| under.sort());
    let mut blocks = Vec::new();
    let mut seen = BTreeSet::new();
    // The last one is next.
    let mut waiting = starts.into_iter().rev().map(|id| (0_u8, id)).collect::<Vec<_>>();
    while let Some((depth, id)) = waiting.pop() {
        let Some(point) = points.get(&id).filter(|_| seen.insert(id.clone())) else { continue };
        let words = words(*point);
        if !words.trim().is_empty() {
            blocks.push(Block::Item(depth.saturating_sub(1), Marker::Bullet, words.into()));
        }
        let under = children.get(&id).into_iter().flatten().rev();
        waiting.extend(under.map(|(_, id)| (depth.saturating_add(1), id.clone())));
    }
    blocks
}

/// Words of a point, paragraphs with spaces between.
fn words(point: Element<'_>) -> String {
    let paragraphs =
        point.child("t").into_iter().flat_map(Element::children).filter(|child| child.name() == "p");
    let texts = paragraphs.map(|paragraph| {
        paragraph.descendants().filter(|one| one.name() == "t").map(|one| one.text()).collect::<String>()
    });
    texts.collect::<Vec<_>>().join(" ")
}
