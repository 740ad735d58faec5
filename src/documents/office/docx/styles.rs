//! Styles of a DOCX file: what a paragraph inherits from them.
//!
//! **Definition.** ECMA-376-1, 17.7: a style is based on another; what it does not say, that one does.
//!
//! **Bad input.** Chains are followed for [`MAX_CHAIN`] steps, so that a circle ends.

use std::collections::BTreeMap;

use crate::xml::{Element, Xml};
use webmill_html::script::Position;

/// Styles that one may be based on, one behind the other.
const MAX_CHAIN: usize = 32;

/// What a style says itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    list: Option<i64>,
    list_level: Option<u8>,
    pub(crate) look: TextLook,
}

/// How letters and lines look; `None` where it is not said.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct TextLook {
    /// Half points.
    pub(crate) size: Option<u32>,
    pub(crate) bold: Option<bool>,
    pub(crate) hidden: Option<bool>,
    pub(crate) centred: Option<bool>,
    /// Raised or lowered characters, or neither.
    pub(crate) position: Option<Option<Position>>,
}

impl TextLook {
    /// What run properties say.
    pub(crate) fn of_run(properties: Option<Element<'_>>) -> Self {
        let Some(properties) = properties else { return TextLook::default() };
        TextLook {
            size: properties.val("sz").and_then(|size| size.trim().parse().ok()),
            bold: switch(properties, "b"),
            hidden: switch(properties, "vanish"),
            centred: None,
            position: properties.val("vertAlign").map(|to| match &*to {
                "superscript" => Some(Position::Super),
                "subscript" => Some(Position::Sub),
                _ => None,
            }),
        }
    }

    /// This, and what it leaves open as `other` says.
    pub(crate) fn or(self, other: TextLook) -> TextLook {
        TextLook {
            size: self.size.or(other.size),
            bold: self.bold.or(other.bold),
            hidden: self.hidden.or(other.hidden),
            centred: self.centred.or(other.centred),
            position: self.position.or(other.position),
        }
    }
}

/// Whether paragraph properties centre the lines.
pub(crate) fn centred(properties: Option<Element<'_>>) -> Option<bool> {
    properties?.val("jc").map(|to| to == "center")
}

/// A property that is on by standing there, unless its value says off.
pub(crate) fn switch(properties: Element<'_>, name: &str) -> Option<bool> {
    let property = properties.child(name)?;
    Some(!property.attr("val").is_some_and(|val| matches!(&*val, "0" | "false" | "off" | "none")))
}

/// All styles of a file.
#[derive(Debug, Default)]
pub(crate) struct Styles {
    by_id: BTreeMap<String, Style>,
    /// Of paragraphs that name none.
    default: Option<String>,
    defaults: TextLook,
}

impl Styles {
    /// Reads the part.
    pub(crate) fn read(xml: &Xml) -> Self {
        let mut styles = Styles::default();
        let Some(root) = xml.root() else { return styles };
        styles.defaults = TextLook::of_run(root.path(&["docDefaults", "rPrDefault", "rPr"]));
        for element in root.children().filter(|element| element.name() == "style") {
            let Some(id) = element.attr("styleId").map(|id| id.into_owned()) else { continue };
            let properties = element.child("pPr");
            let list = properties.and_then(|properties| properties.child("numPr"));
            let mut look = TextLook::of_run(element.child("rPr"));
            look.centred = centred(properties);
            let style = Style {
                name: element.val("name").unwrap_or_default().to_lowercase(),
                based_on: element.val("basedOn").map(|id| id.into_owned()),
                outline: properties.and_then(outline),
                list: list.and_then(|list| list.val("numId")?.trim().parse().ok()),
                list_level: list.and_then(|list| list.val("ilvl")?.trim().parse().ok()),
                look,
            };
            let is_default = element.is_on("default");
            if is_default && element.attr("type").is_some_and(|kind| kind == "paragraph") {
                styles.default = Some(id.clone());
            }
            styles.by_id.insert(id, style);
        }
        styles
    }

    /// A style and those it is based on, nearest first.
    fn chain<'s>(&'s self, id: Option<&'s str>) -> impl Iterator<Item = (&'s str, &'s Style)> {
        let mut next = id.or(self.default.as_deref());
        let steps = std::iter::from_fn(move || {
            let id = next?;
            let style = self.by_id.get(id)?;
            next = style.based_on.as_deref();
            Some((id, style))
        });
        steps.take(MAX_CHAIN)
    }

    /// Level of the heading that paragraphs of a style are: by outline, else by name.
    pub(crate) fn heading(&self, id: Option<&str>) -> Option<u8> {
        let mut chain = self.chain(id);
        let level = chain.find_map(|(id, style)| {
            let named = heading_of_name(&style.name).or_else(|| heading_of_name(&id.to_lowercase()));
            // Level 10 of the outline is that of the body.
            style.outline.or_else(|| named.map(|level| level - 1))
        })?;
        (level < 9).then_some(level + 1)
    }

    /// Whether a style is that of the title.
    pub(crate) fn is_title(&self, id: Option<&str>) -> bool {
        const NAMES: [&str; 16] = [
            "title",
            "titel",
            "titre",
            "título",
            "titolo",
            "titlu",
            "tytuł",
            "название",
            "标题",
            "標題",
            "表題",
            "タイトル",
            "제목",
            "otsikko",
            "rubrik",
            "τίτλος",
        ];
        let known = |name: &str| NAMES.contains(&name) || name == "document title" || name == "doctitle";
        self.chain(id).any(|(id, style)| known(&style.name) || known(&id.to_lowercase()))
    }

    /// List and level that a style puts its paragraphs in.
    pub(crate) fn list(&self, id: Option<&str>) -> Option<(i64, Option<u8>, String)> {
        let level = self.chain(id).find_map(|(_, style)| style.list_level);
        let (id, list) = self.chain(id).find_map(|(id, style)| Some((id, style.list?)))?;
        Some((list, level, id.to_owned()))
    }

    /// How a style has letters and lines look, with the defaults of the file.
    pub(crate) fn look(&self, id: Option<&str>) -> TextLook {
        self.chain(id).fold(TextLook::default(), |look, (_, style)| look.or(style.look)).or(self.defaults)
    }

    /// How a style of runs has letters look, without the defaults.
    pub(crate) fn run_look(&self, id: &str) -> TextLook {
        self.chain(Some(id)).fold(TextLook::default(), |look, (_, style)| look.or(style.look))
    }
}

/// Outline level that paragraph properties say, 0 for the highest.
pub(crate) fn outline(properties: Element<'_>) -> Option<u8> {
    properties.val("outlineLvl")?.trim().parse().ok()
}

/// Level by a name as `heading 2`, in the languages in which programs write it.
fn heading_of_name(name: &str) -> Option<u8> {
    const NAMES: [&str; 21] = [
        "heading",
        "überschrift",
        "berschrift",
        "titre",
        "título",
        "ttulo",
        "titolo",
        "titolo",
        "kop",
        "nagłówek",
        "nagwek",
        "заголовок",
        "标题",
        "標題",
        "見出し",
        "제목",
        "nadpis",
        "rubrik",
        "otsikko",
        "başlık",
        "επικεφαλίδα",
    ];
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let level = name.get(stem.len()..)?.parse::<u8>().ok().filter(|level| (1..=9).contains(level))?;
    NAMES.contains(&stem.trim_end()).then_some(level)
}
