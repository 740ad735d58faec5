//! Styles of OpenDocument files, and their lists.
//!
//! **Definition.** OpenDocument 1.3 part 3, 16: a style says what differs from its parent; automatic styles stand beside the
//! text, common ones in a part of their own.
//!
//! **Bad input.** Parents are followed for [`MAX_CHAIN`] steps, so that a circle ends.

use std::collections::BTreeMap;

use crate::Marker;
use crate::office::numbering::spelled;
use crate::xml::Element;
use webmill_html::script::Position;

/// Styles that one may inherit from, one behind the other.
const MAX_CHAIN: usize = 32;
/// Levels of a list.
pub(super) const LEVELS: usize = 10;

#[derive(Debug, Clone, Default)]
struct Style {
    parent: Option<String>,
    display: Option<String>,
    level: Option<u8>,
    list: Option<String>,
    size: Option<String>,
    bold: Option<bool>,
    centred: Option<bool>,
    hidden: Option<bool>,
    position: Option<Option<Position>>,
    breaks_page: bool,
}

/// How a level of a list counts.
#[derive(Debug, Clone, Default)]
pub(super) struct ListLevel {
    /// Empty for a bullet or nothing.
    format: String,
    prefix: String,
    suffix: String,
    /// Levels whose numbers are shown.
    shown: usize,
    start: u32,
    bullet: bool,
}

/// All styles of a file.
#[derive(Debug, Default)]
pub(super) struct Styles {
    by_name: BTreeMap<String, Style>,
    lists: BTreeMap<String, [ListLevel; LEVELS]>,
    /// Of headings.
    outline: [ListLevel; LEVELS],
    default_size: Option<f32>,
    pub(super) language: Option<String>,
}

impl Styles {
    /// Adds those that a part holds.
    pub(super) fn add(&mut self, root: Element<'_>) {
        let groups = root.children().filter(|child| matches!(child.name(), "styles" | "automatic-styles"));
        for element in groups.flat_map(Element::children) {
            let name = element.attr("name").map(|name| name.into_owned());
            match (element.name(), name) {
                ("style", Some(name)) => {
                    self.by_name.insert(name, style_of(element));
                }
                ("list-style", Some(name)) => {
                    self.lists.insert(name, levels_of(element));
                }
                ("outline-style", _) => self.outline = levels_of(element),
                ("default-style", _)
                    if element.attr("family").is_some_and(|family| family == "paragraph") =>
                {
                    self.add_default(element);
                }
                _ => {}
            }
        }
    }

    fn add_default(&mut self, element: Element<'_>) {
        let Some(letters) = element.child("text-properties") else { return };
        self.default_size = letters.attr("font-size").and_then(|size| points(&size)).or(self.default_size);
        let country = letters.attr("country").filter(|country| country != "none");
        if let Some(language) = letters.attr("language").filter(|language| language != "none") {
            let country = country.map_or(String::new(), |country| format!("-{country}"));
            self.language = Some(format!("{language}{country}"));
        }
    }

    fn chain<'s>(&'s self, name: Option<&'s str>) -> impl Iterator<Item = (&'s str, &'s Style)> {
        let mut next = name;
        let steps = std::iter::from_fn(move || {
            let name = next?;
            let style = self.by_name.get(name)?;
            next = style.parent.as_deref();
            Some((name, style))
        });
        steps.take(MAX_CHAIN)
    }

    /// Whether a style is that of the title.
    pub(super) fn is_title(&self, name: Option<&str>) -> bool {
        self.is_called(name, "Title")
    }

    /// Whether a style is that of the line below the title.
    pub(super) fn is_subtitle(&self, name: Option<&str>) -> bool {
        self.is_called(name, "Subtitle")
    }

    /// Whether a style, or one that it is made from, has a name; that one need not be in the file.
    fn is_called(&self, name: Option<&str>, called: &str) -> bool {
        self.chain(name).any(|(name, style)| {
            style.display.as_deref().unwrap_or(name) == called || style.parent.as_deref() == Some(called)
        })
    }

    /// Outline level that a style gives its paragraphs.
    pub(super) fn level(&self, name: Option<&str>) -> Option<u8> {
        self.chain(name).find_map(|(_, style)| style.level).filter(|&level| level > 0)
    }

    /// Points of the letters.
    pub(super) fn size(&self, name: Option<&str>) -> f32 {
        let default = self.default_size.unwrap_or(12.0);
        let mut share = 1.0;
        for (_, style) in self.chain(name) {
            let Some(size) = &style.size else { continue };
            match size.strip_suffix('%').and_then(|percent| percent.trim().parse::<f32>().ok()) {
                Some(percent) => share *= percent / 100.0,
                None => return points(size).unwrap_or(default) * share,
            }
        }
        default * share
    }

    pub(super) fn is_bold(&self, name: Option<&str>) -> bool {
        self.chain(name).find_map(|(_, style)| style.bold).unwrap_or(false)
    }

    pub(super) fn is_centred(&self, name: Option<&str>) -> bool {
        self.chain(name).find_map(|(_, style)| style.centred).unwrap_or(false)
    }

    pub(super) fn is_hidden(&self, name: Option<&str>) -> bool {
        self.chain(name).find_map(|(_, style)| style.hidden).unwrap_or(false)
    }

    /// Whether the letters are raised or lowered, where it says so.
    pub(super) fn position(&self, name: Option<&str>) -> Option<Option<Position>> {
        self.chain(name).find_map(|(_, style)| style.position)
    }

    /// Whether a page begins or ends with a paragraph of the style.
    pub(super) fn breaks_page(&self, name: Option<&str>) -> bool {
        name.and_then(|name| self.by_name.get(name)).is_some_and(|style| style.breaks_page)
    }

    /// How a level of a list counts.
    pub(super) fn list_level(&self, list: Option<&str>, at: usize) -> Option<&ListLevel> {
        self.lists.get(list?)?.get(at)
    }

    /// The number of a heading whose levels have counted so far.
    pub(super) fn outline_label(&self, counts: &[u32], at: usize) -> Option<String> {
        let level = self.outline.get(at)?;
        label(level, counts, at, |at| self.outline.get(at))
    }

    /// What stands before an item whose levels have counted so far.
    pub(super) fn marker(&self, list: Option<&str>, counts: &[u32], at: usize) -> (Marker, Option<String>) {
        let count = counts.get(at).copied().unwrap_or(1);
        let Some(level) = self.list_level(list, at).filter(|level| !level.bullet) else {
            return (Marker::Bullet, None);
        };
        if level.format == "1" && level.shown <= 1 {
            return (Marker::Number(count), None);
        }
        (Marker::Bullet, label(level, counts, at, |at| self.list_level(list, at)))
    }

    /// The number that a level of a list begins with.
    pub(super) fn start(&self, list: Option<&str>, at: usize) -> u32 {
        self.list_level(list, at).map_or(1, |level| level.start)
    }

    /// The list that a style puts its paragraphs in.
    pub(super) fn list<'s>(&'s self, name: Option<&'s str>) -> Option<&'s str> {
        self.chain(name).find_map(|(_, style)| style.list.as_deref()).filter(|list| !list.is_empty())
    }
}

fn label<'s>(
    level: &ListLevel,
    counts: &[u32],
    at: usize,
    other: impl Fn(usize) -> Option<&'s ListLevel>,
) -> Option<String> {
    if level.format.is_empty() {
        return None;
    }
    let first = (at + 1).saturating_sub(level.shown.max(1));
    let numbers = (first..=at).filter_map(|at| {
        let format = other(at).map(|level| level.format.as_str()).filter(|format| !format.is_empty())?;
        Some(shown(counts.get(at).copied().unwrap_or(1), format))
    });
    let numbers = numbers.collect::<Vec<_>>().join(".");
    Some(format!("{}{numbers}{}", level.prefix, level.suffix).trim().to_owned())
}

fn shown(number: u32, format: &str) -> String {
    let name = match format {
        "a" => "lowerLetter",
        "A" => "upperLetter",
        "i" => "lowerRoman",
        "I" => "upperRoman",
        "①" => "decimalEnclosedCircle",
        format if format.starts_with('一') || format.starts_with('壹') => "chineseCounting",
        _ => "decimal",
    };
    spelled(number, name)
}

fn style_of(element: Element<'_>) -> Style {
    let letters = element.child("text-properties");
    let lines = element.child("paragraph-properties");
    let breaks = |name: &str| lines.and_then(|lines| lines.attr(name)).is_some_and(|value| value == "page");
    Style {
        parent: element.attr("parent-style-name").map(|name| name.into_owned()),
        display: element.attr("display-name").map(|name| name.into_owned()),
        level: element.number("default-outline-level"),
        list: element.attr("list-style-name").map(|name| name.into_owned()),
        size: letters.and_then(|letters| letters.attr("font-size")).map(|size| size.into_owned()),
        bold: letters.and_then(|letters| letters.attr("font-weight")).map(|weight| is_bold(&weight)),
        centred: lines.and_then(|lines| lines.attr("text-align")).map(|to| to == "center"),
        hidden: letters.and_then(|letters| letters.attr("display")).map(|display| display == "none"),
        position: letters.and_then(|letters| letters.attr("text-position")).map(|to| position(&to)),
        breaks_page: breaks("break-before") || breaks("break-after"),
    }
}

/// `super`, `sub` or a share of the size, then perhaps the size of the letters.
fn position(said: &str) -> Option<Position> {
    /// Shares of less set lines right.
    const LEAST: i32 = 10;
    let rise = match said.split_whitespace().next()? {
        "super" => LEAST,
        "sub" => -LEAST,
        share => share.trim_end_matches('%').parse::<f32>().ok()?.clamp(-100.0, 100.0) as i32,
    };
    Position::of_rise(rise, LEAST)
}

fn is_bold(weight: &str) -> bool {
    weight == "bold" || weight.parse::<u32>().is_ok_and(|weight| weight >= 600)
}

fn levels_of(element: Element<'_>) -> [ListLevel; LEVELS] {
    let mut levels: [ListLevel; LEVELS] = Default::default();
    for child in element.children() {
        let at = child.number::<usize>("level").and_then(|level| level.checked_sub(1));
        let Some(level) = at.and_then(|at| levels.get_mut(at)) else { continue };
        let said = |name: &str| child.attr(name).unwrap_or_default().into_owned();
        *level = ListLevel {
            format: said("num-format"),
            prefix: said("num-prefix"),
            suffix: said("num-suffix"),
            shown: child.number("display-levels").unwrap_or(1),
            start: child.number("start-value").unwrap_or(1),
            bullet: matches!(child.name(), "list-level-style-bullet" | "list-level-style-image"),
        };
    }
    levels
}

/// A length in points; lengths without a unit are in points.
pub(super) fn points(length: &str) -> Option<f32> {
    let length = length.trim();
    let unit = length.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
    let number = length.get(..length.len() - unit.len())?.parse::<f32>().ok()?;
    Some(
        number
            * match unit {
                "cm" => 72.0 / 2.54,
                "mm" => 72.0 / 25.4,
                "in" => 72.0,
                "pc" => 12.0,
                "pt" | "" => 1.0,
                "px" => 0.75,
                _ => return None,
            },
    )
}
