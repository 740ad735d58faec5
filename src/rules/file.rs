//! A rule as it is written: one TOML file.
//!
//! Nothing is checked here but the form; [`Rule::parse`](crate::Rule::parse) makes a rule of it. Values carry their place,
//! so that a mistake can be told with its line.

use serde::Deserialize;
pub use toml::Spanned;
use webmill_capture::words;

/// Version of the language that this program reads. A rule of a later one is refused.
pub const LANGUAGE: u32 = 1;

/// JSON Schema of a rule file, for editors that complete and check TOML.
pub const JSON_SCHEMA: &str = include_str!("rule.schema.json");

/// A whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// Whose rule it is.
    pub rule: HeadText,
    /// Kinds of pages.
    #[serde(default, rename = "layer")]
    pub layers: Vec<LayerText>,
    /// What stands in them.
    #[serde(default, rename = "tag")]
    pub tags: Vec<TagText>,
    /// The tables to be made.
    #[serde(default, rename = "group")]
    pub groups: Vec<GroupText>,
}

/// `[rule]`: what people look for in a library.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadText {
    /// Names the rule's tables: lower case letters, digits, `_`.
    pub id: Spanned<String>,
    /// What people call it.
    pub name: Spanned<String>,
    /// Name of the site that the rule is for.
    pub site_name: Option<String>,
    /// The site's address.
    pub site_url: Option<Spanned<String>>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When; free text.
    pub created: Option<toml::Value>,
    /// Free text, searched.
    pub notes: Option<String>,
    /// Name of the pages' encoding, where the automatic choice is wrong.
    pub encoding: Option<Spanned<String>>,
    /// Version of the language; [`LANGUAGE`] where absent.
    pub version: Option<Spanned<u32>>,
}

/// `[[layer]]`: a kind of page, and how pages come to be of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerText {
    /// What tags refer to.
    pub id: Spanned<String>,
    /// What people call it; the id where absent.
    pub name: Option<String>,
    /// The link tag whose results are pages of this layer.
    pub from: Option<Spanned<String>>,
    /// The link tag of this layer that leads to the next page of the same list or text.
    pub paging: Option<Spanned<String>>,
    /// The tag of this layer whose texts are joined over all pages of a chain.
    pub content: Option<Spanned<String>>,
    /// Addresses that are entered, with blocks `<start,end,step,pad>`.
    #[serde(default)]
    pub entries: Vec<Spanned<String>>,
    /// Expressions: every page of the corpus whose address one of them is found in is entered.
    #[serde(default)]
    pub pages: Vec<Spanned<String>>,
    /// An expression that must be found in the source of a page of this layer.
    pub when: Option<Spanned<String>>,
}

/// `[[tag]]`: where something stands, what to take, what to do with it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagText {
    /// What groups and other tags refer to.
    pub id: Spanned<String>,
    /// What people call it; the id where absent.
    pub name: Option<String>,
    /// The layer whose pages it is looked for in.
    pub layer: Spanned<String>,
    /// The tag within whose results it is looked for; none: the page.
    pub parent: Option<Spanned<String>>,
    /// Expression behind which results begin.
    pub start: Option<Spanned<String>>,
    /// `"m,n"`: lines and characters that are passed over behind the start.
    pub start_offset: Option<Spanned<String>>,
    /// Expression before which results end.
    pub end: Option<Spanned<String>>,
    /// `"m,n"`: lines and characters that are left out before the end.
    pub end_offset: Option<Spanned<String>>,
    /// CSS selector.
    pub css: Option<Spanned<String>>,
    /// XPath 1.0.
    pub xpath: Option<Spanned<String>>,
    /// Path into JSON-LD: `Type.property.property`.
    pub jsonld: Option<Spanned<String>>,
    /// The same into microdata and RDFa.
    pub microdata: Option<Spanned<String>>,
    /// The same into JSON-LD, microdata and RDFa alike.
    pub data: Option<Spanned<String>>,
    /// Name, property, `itemprop` or `http-equiv` of meta elements.
    pub meta: Option<Spanned<String>>,
    /// Its matches replace the results.
    pub rematch: Option<Spanned<String>>,
    /// Results in which it is found stay.
    pub include: Option<Spanned<String>>,
    /// Results in which it is found go.
    pub exclude: Option<Spanned<String>>,
    /// Changes of each result, in order.
    #[serde(default)]
    pub treatments: Vec<Spanned<TreatmentText>>,
    /// All results become one.
    #[serde(default)]
    pub merge: bool,
    /// What stands between merged results.
    pub separator: Option<String>,
    /// Results are addresses.
    #[serde(default)]
    pub link: bool,
}

/// A treatment: `{ pattern, with }` or `{ text, at }`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreatmentText {
    /// Expression to be replaced.
    pub pattern: Option<String>,
    /// What comes instead; `$1` is the first group.
    pub with: Option<String>,
    /// Text to be inserted.
    pub text: Option<String>,
    /// Before which character; −1: behind the last.
    pub at: Option<i64>,
}

/// `[[group]]`: one table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupText {
    /// Names the table.
    pub name: Spanned<String>,
    /// Whether rows come where cells are missing.
    #[serde(default)]
    pub outer: bool,
    /// The columns, in the order of the table.
    pub columns: Vec<ColumnText>,
}

/// A column of a group.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnText {
    /// Its name in the table.
    pub name: Spanned<String>,
    /// The tag whose results are its cells.
    pub tag: Spanned<String>,
    /// What its cells are.
    #[serde(rename = "type", default)]
    pub kind: Kind,
    /// Longest text, in characters.
    pub max_length: Option<Spanned<u32>>,
}

words! {
    /// What the cells of a column are.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        /// A text.
        #[default]
        String = "string",
        /// A decimal number.
        Number = "number",
        /// A day.
        Date = "date",
        /// Absolute address of a picture.
        Image = "image",
        /// Absolute address.
        Url = "url",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The fields that a table may have, as serde names them where another one is met.
    fn fields(text: &str) -> BTreeSet<String> {
        let error = toml::from_str::<RuleFile>(text).unwrap_err().to_string();
        let list = error.split("expected").nth(1).unwrap_or_else(|| panic!("{error}"));
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn the_schema_for_editors_has_the_fields_of_the_language() {
        let schema: serde_json::Value = serde_json::from_str(JSON_SCHEMA).unwrap();
        let tag = "[[tag]]\nid = 'a'\nlayer = 'b'\n";
        let head = "[rule]\nid = 'a'\nname = 'b'\n";
        for (place, text) in [
            ("", format!("{head}[other]")),
            ("/properties/rule", "[rule]\nother = 1".to_owned()),
            ("/properties/layer/items", format!("{head}[[layer]]\nother = 1")),
            ("/properties/tag/items", format!("{head}[[tag]]\nother = 1")),
            (
                "/properties/tag/items/properties/treatments/items",
                format!("{head}{tag}treatments = [{{ other = 1 }}]"),
            ),
            ("/properties/group/items", format!("{head}[[group]]\nother = 1")),
            (
                "/properties/group/items/properties/columns/items",
                format!("{head}[[group]]\nname = 'g'\ncolumns = [{{ other = 1 }}]"),
            ),
        ] {
            let properties = schema.pointer(&format!("{place}/properties")).unwrap().as_object().unwrap();
            let known: BTreeSet<String> = properties.keys().cloned().collect();
            assert_eq!(known, fields(&text), "{place}");
        }
    }
}
