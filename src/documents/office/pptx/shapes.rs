//! Shapes of a slide: what each says, and the order in which they are read.
//!
//! **Definition.** ECMA-376-1, 19.3.1: shapes, groups, frames with tables, charts and diagrams. A placeholder without a place
//! of its own stands where that of the layout stands.
//!
//! **Algorithm.** The title first; the others by rows from top to bottom, and within a row from left to right. A row is made of
//! shapes that begin within a fortieth of the slide's height below its first one. A group is read as one.

use std::collections::BTreeMap;

use crate::Table;
use crate::blocks::{Block, flattened};
use crate::grid::Grid;
use crate::office::package::Relationships;
use crate::office::pptx::text;
use crate::office::reading_order::by_rows;
use crate::xml::Element;

/// Columns that a table may have; further ones are left out.
const MAX_COLUMNS: usize = 1024;

/// What the shapes of a slide depend on.
#[derive(Debug)]
pub(crate) struct Slide<'x> {
    pub(crate) relationships: &'x Relationships,
    /// Trees of shapes of the layout and of the master.
    pub(crate) above: Vec<Element<'x>>,
    /// What charts and diagrams say, by their relationships.
    pub(crate) pictures: BTreeMap<String, Vec<Block>>,
    /// Height of the slide.
    pub(crate) height: i64,
}

/// A shape that says something.
#[derive(Debug)]
pub(crate) struct Shape {
    top: i64,
    left: i64,
    pub(crate) role: Role,
    pub(crate) blocks: Vec<Block>,
}

/// What a shape is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Title,
    /// Text with bullets.
    Body,
    /// Date, number and foot of the slide.
    Furniture,
    Other,
}

impl<'x> Slide<'x> {
    /// Shapes of a tree in reading order, the title first.
    pub(crate) fn shapes(&mut self, tree: Element<'x>) -> Vec<Shape> {
        let mut shapes = Vec::new();
        self.gather(tree, &mut shapes);
        let mut shapes = self.in_order(shapes);
        // Stable: the others keep their order.
        shapes.sort_by_key(|shape| shape.role != Role::Title);
        shapes
    }

    fn gather(&mut self, parent: Element<'x>, shapes: &mut Vec<Shape>) {
        for element in parent.children() {
            match element.name() {
                "sp" | "cxnSp" => {
                    let role = role(element);
                    let body = element.child("txBody").or_else(|| element.child("txbx"));
                    let Some(body) = body else { continue };
                    let mut blocks = Vec::new();
                    let styles = self.styles(element, body);
                    text::blocks(body, &styles, role == Role::Body, self.relationships, &mut blocks);
                    self.keep(element, role, blocks, shapes);
                }
                "graphicFrame" => {
                    let blocks = self.frame(element);
                    self.keep(element, Role::Other, blocks, shapes);
                }
                "grpSp" => {
                    let mut within = Vec::new();
                    self.gather(element, &mut within);
                    let within = self.in_order(within);
                    let blocks = within.into_iter().flat_map(|shape| shape.blocks).collect();
                    self.keep(element, Role::Other, blocks, shapes);
                }
                "AlternateContent" => {
                    if let Some(chosen) = element.child("Choice").or_else(|| element.child("Fallback")) {
                        self.gather(chosen, shapes);
                    }
                }
                _ => {}
            }
        }
    }

    fn keep(&self, element: Element<'x>, role: Role, blocks: Vec<Block>, shapes: &mut Vec<Shape>) {
        if !blocks.is_empty() {
            let before = shapes.last().map(|shape| (shape.top, shape.left)).unwrap_or_default();
            let (top, left) = self.place(element).unwrap_or(before);
            shapes.push(Shape { top, left, role, blocks });
        }
    }

    /// Top and left of a shape, or of the placeholder that it fills.
    fn place(&self, element: Element<'x>) -> Option<(i64, i64)> {
        place_of(element).or_else(|| self.filled(element).find_map(place_of))
    }

    /// Placeholders of layout and master that a shape fills, nearest first.
    fn filled(&self, element: Element<'x>) -> impl Iterator<Item = Element<'x>> {
        let own = placeholder(element);
        let trees = self.above.iter().filter(move |_| own.is_some());
        trees.filter_map(move |tree| {
            let own = own?;
            let kind = own.attr("type");
            let all = || tree.children().filter_map(|shape| Some((shape, placeholder(shape)?)));
            let same_number =
                || all().find(|(_, other)| own.attr("idx").is_some() && other.attr("idx") == own.attr("idx"));
            let same_kind = || {
                all().find(|(_, other)| {
                    plain_kind(other.attr("type").as_deref()) == plain_kind(kind.as_deref())
                })
            };
            same_number().or_else(same_kind).map(|(shape, _)| shape)
        })
    }

    /// List styles that count for a shape's text.
    fn styles(&self, element: Element<'x>, body: Element<'x>) -> Vec<Element<'x>> {
        let own = body.child("lstStyle");
        let above = self.filled(element).filter_map(|shape| shape.path(&["txBody", "lstStyle"]));
        own.into_iter().chain(above).collect()
    }

    /// What a frame holds: a table, a chart, a diagram.
    fn frame(&mut self, element: Element<'x>) -> Vec<Block> {
        let Some(data) = element.path(&["graphic", "graphicData"]) else { return Vec::new() };
        let mut blocks = Vec::new();
        for child in data.children() {
            let picture = match child.name() {
                "tbl" => {
                    self.table(child, &mut blocks);
                    None
                }
                "chart" => child.prefixed_attr("id"),
                "relIds" => child.prefixed_attr("dm"),
                _ => None,
            };
            blocks.extend(picture.and_then(|id| self.pictures.remove(&*id)).unwrap_or_default());
        }
        blocks
    }

    fn table(&self, element: Element<'x>, out: &mut Vec<Block>) {
        let mut table = Table::default();
        let mut links = Vec::new();
        let mut grid = Grid::default();
        for row in element.children().filter(|child| child.name() == "tr") {
            let mut shown = Vec::new();
            for cell in row.children().filter(|child| child.name() == "tc").take(MAX_COLUMNS) {
                let mut blocks = Vec::new();
                let covered = cell.is_on("hMerge") || cell.is_on("vMerge");
                if let Some(body) = cell.child("txBody").filter(|_| !covered) {
                    text::blocks(body, &[], false, self.relationships, &mut blocks);
                }
                let lower = cell.is_on("vMerge");
                let words = if lower { grid.again(shown.len()).into() } else { flattened(blocks) };
                links.extend(words.anchors().map(|(target, anchor)| Block::Link(target, anchor)));
                shown.push(words.text);
            }
            grid.end(&mut shown);
            table.rows.push(shown);
        }
        let header = element.child("tblPr").is_some_and(|properties| properties.is_on("firstRow"));
        if header && table.rows.len() > 1 {
            table.columns = table.rows.remove(0);
        }
        out.push(Block::Table(table));
        out.extend(links);
    }

    fn in_order(&self, shapes: Vec<Shape>) -> Vec<Shape> {
        by_rows(shapes, (self.height / 40).max(1), |shape| (shape.top, shape.left))
    }
}

fn place_of(element: Element<'_>) -> Option<(i64, i64)> {
    let own = element.child("xfrm");
    let properties = || element.child("spPr").or_else(|| element.child("grpSpPr"));
    let at = own.or_else(|| properties()?.child("xfrm"))?.child("off")?;
    Some((at.number("y")?, at.number("x")?))
}

fn placeholder(element: Element<'_>) -> Option<Element<'_>> {
    let properties = element.children().find(|child| child.name().starts_with("nv"))?;
    properties.path(&["nvPr", "ph"])
}

/// Kinds of placeholders that stand for each other.
fn plain_kind(kind: Option<&str>) -> &str {
    match kind {
        Some("ctrTitle") => "title",
        None | Some("obj") => "body",
        Some(kind) => kind,
    }
}

fn role(element: Element<'_>) -> Role {
    let Some(own) = placeholder(element) else { return Role::Other };
    match own.attr("type").as_deref() {
        Some("title" | "ctrTitle") => Role::Title,
        Some("dt" | "ftr" | "sldNum" | "hdr") => Role::Furniture,
        Some("subTitle") => Role::Other,
        None | Some("body" | "obj") => Role::Body,
        Some(_) => Role::Other,
    }
}
