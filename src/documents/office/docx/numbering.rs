//! Numbers of list items and headings in DOCX files.
//!
//! **Definition.** ECMA-376-1, 17.9: a list (`num`) is an instance of an abstract one, whose nine levels say format, first
//! number and a text with `%1` to `%9` for the numbers of levels. Instances of one abstract list count on from each other
//! unless they override a start.
//!
//! **Cost.** Constant a paragraph.

use std::collections::{BTreeMap, BTreeSet};

use crate::Marker;
use crate::office::numbering::spelled;
use crate::xml::{Element, Xml};

/// Levels of a list.
const LEVELS: usize = 9;

#[derive(Debug, Clone, Default)]
struct Level {
    format: String,
    text: String,
    start: u32,
    /// Level of whose items a new one lets this begin anew; 0 for never.
    restart: Option<usize>,
    style: Option<String>,
    legal: bool,
}

#[derive(Debug, Clone, Default)]
struct Instance {
    list: String,
    starts: BTreeMap<usize, u32>,
    levels: BTreeMap<usize, Level>,
}

/// The lists of a file, and how far each has counted.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    lists: BTreeMap<String, BTreeMap<usize, Level>>,
    instances: BTreeMap<i64, Instance>,
    counts: BTreeMap<String, [Option<u32>; LEVELS]>,
    begun: BTreeSet<(i64, usize)>,
}

/// What stands before a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Label {
    Mark(Marker),
    /// A number that is more than digits: `2.1.`, `(a)`, `§ 3`.
    Text(String),
    Nothing,
}

impl Numbering {
    /// Reads the part.
    pub(crate) fn read(xml: &Xml) -> Self {
        let mut numbering = Numbering::default();
        let Some(root) = xml.root() else { return numbering };
        // Lists that name a style instead of levels have those of the list that defines the style.
        let mut by_style = BTreeMap::<String, String>::new();
        let mut linked = Vec::new();
        for element in root.children().filter(|element| element.name() == "abstractNum") {
            let Some(id) = element.attr("abstractNumId").map(|id| id.into_owned()) else { continue };
            if let Some(style) = element.val("styleLink") {
                by_style.insert(style.into_owned(), id.clone());
            }
            if let Some(style) = element.val("numStyleLink") {
                linked.push((id.clone(), style.into_owned()));
            }
            numbering.lists.insert(id, levels_of(element));
        }
        for (id, style) in linked {
            let levels = by_style.get(&style).and_then(|other| numbering.lists.get(other)).cloned();
            numbering.lists.insert(id, levels.unwrap_or_default());
        }
        for element in root.children().filter(|element| element.name() == "num") {
            let Some(id) = element.number("numId") else { continue };
            let list = element.val("abstractNumId").unwrap_or_default().into_owned();
            let mut instance = Instance { list, ..Instance::default() };
            for over in element.children().filter(|child| child.name() == "lvlOverride") {
                let Some(at) = over.number::<usize>("ilvl").filter(|&at| at < LEVELS) else { continue };
                if let Some(start) = over.val("startOverride").and_then(|start| start.trim().parse().ok()) {
                    instance.starts.insert(at, start);
                }
                if let Some(level) = over.child("lvl") {
                    instance.levels.insert(at, level_of(level));
                }
            }
            numbering.instances.insert(id, instance);
        }
        numbering
    }

    /// The level of a list that a style is bound to.
    pub(crate) fn level_of_style(&self, list: i64, style: &str) -> Option<usize> {
        let levels = self.lists.get(&self.instances.get(&list)?.list)?;
        levels.iter().find(|(_, level)| level.style.as_deref() == Some(style)).map(|(&at, _)| at)
    }

    /// Counts a paragraph of a list and says what stands before it.
    pub(crate) fn next(&mut self, list: i64, at: usize) -> Option<Label> {
        let at = at.min(LEVELS - 1);
        let instance = self.instances.get(&list)?;
        let levels = self.lists.get(&instance.list)?;
        let level = |at: usize| instance.levels.get(&at).or_else(|| levels.get(&at));
        let start =
            |at: usize| instance.starts.get(&at).copied().or(level(at).map(|level| level.start)).unwrap_or(1);
        let counts = self.counts.entry(instance.list.clone()).or_default();
        if self.begun.insert((list, at)) && instance.starts.contains_key(&at) {
            *counts.get_mut(at)? = None;
        }
        let count = counts.get(at)?.map_or(start(at), |count| count.saturating_add(1));
        *counts.get_mut(at)? = Some(count);
        for (deeper, count) in counts.iter_mut().enumerate().skip(at + 1) {
            match level(deeper).and_then(|level| level.restart) {
                Some(0) => {}
                Some(upper) if upper <= at => {}
                _ => *count = None,
            }
        }
        for (upper, count) in counts.iter_mut().enumerate().take(at) {
            count.get_or_insert(start(upper));
        }
        let Some(own) = level(at) else { return Some(Label::Mark(Marker::Bullet)) };
        Some(label(
            own,
            at,
            |upper| {
                let count = counts.get(upper).copied().flatten().unwrap_or_else(|| start(upper));
                let format = level(upper).map_or("decimal", |level| &level.format);
                spelled(count, if own.legal { "decimal" } else { format })
            },
            count,
        ))
    }
}

fn label(level: &Level, at: usize, number: impl Fn(usize) -> String, count: u32) -> Label {
    if level.format == "bullet" || level.format.is_empty() {
        return Label::Mark(Marker::Bullet);
    }
    let text = level.text.trim();
    if text.is_empty() || level.format == "none" && !text.contains('%') {
        return if text.is_empty() { Label::Nothing } else { Label::Text(text.to_owned()) };
    }
    let own = format!("%{}", at + 1);
    let plain = text.trim_end_matches(['.', ')']).trim_start_matches('(') == own;
    if plain && (level.format == "decimal" || level.legal) {
        return Label::Mark(Marker::Number(count));
    }
    let mut shown = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek().and_then(|next| next.to_digit(10)).filter(|digit| c == '%' && *digit > 0) {
            Some(digit) => {
                chars.next();
                shown.push_str(&number(digit as usize - 1));
            }
            None => shown.push(c),
        }
    }
    if shown.trim().is_empty() { Label::Nothing } else { Label::Text(shown.trim().to_owned()) }
}

fn levels_of(list: Element<'_>) -> BTreeMap<usize, Level> {
    let levels = list.children().filter(|child| child.name() == "lvl");
    let numbered = levels.filter_map(|element| {
        let at = element.number::<usize>("ilvl").filter(|&at| at < LEVELS)?;
        Some((at, level_of(element)))
    });
    numbered.collect()
}

fn level_of(element: Element<'_>) -> Level {
    Level {
        format: element.val("numFmt").unwrap_or_else(|| "decimal".into()).into_owned(),
        text: element.val("lvlText").unwrap_or_default().into_owned(),
        start: element.val("start").and_then(|start| start.trim().parse().ok()).unwrap_or(0),
        restart: element.val("lvlRestart").and_then(|at| at.trim().parse().ok()),
        style: element.val("pStyle").map(|style| style.into_owned()),
        legal: element.child("isLgl").is_some(),
    }
}
