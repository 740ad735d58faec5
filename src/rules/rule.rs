//! A rule as it is applied: references resolved, expressions compiled.

use regex::Regex;
use webmill_capture::cut::Cut;

use crate::codes::Codes;
use crate::entries::Entry;
use crate::file::Kind;
use crate::select::Selector;
use crate::structured::Path;

/// Number of a tag in [`Rule::tags`].
pub type TagNumber = usize;
/// Number of a layer in [`Rule::layers`].
pub type LayerNumber = usize;

/// A checked rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Names its tables.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Name of the site that the rule is for.
    pub site_name: Option<String>,
    /// The site's address.
    pub site_url: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Free text.
    pub notes: Option<String>,
    /// The encoding that its pages are read in; `None`: as found for each page.
    pub encoding: Option<&'static encoding_rs::Encoding>,
    /// Kinds of pages.
    pub layers: Vec<Layer>,
    /// What stands in them.
    pub tags: Vec<Tag>,
    /// The tables.
    pub groups: Vec<Group>,
    /// The file's text: what the rule is, for keys of results.
    pub source: String,
}

/// A kind of page.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Id of the layer, unique in the rule.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The tag whose results are its pages.
    pub from: Option<TagNumber>,
    /// The tag that leads to the next page of a chain.
    pub paging: Option<TagNumber>,
    /// The tag whose texts are joined over a chain.
    pub content: Option<TagNumber>,
    /// Addresses that are entered.
    pub entries: Vec<Entry>,
    /// Expressions for addresses of the corpus that are entered.
    pub pages: Vec<Regex>,
    /// What must be found in a page's source.
    pub when: Option<Regex>,
    /// Its tags without a parent, in the order of the file.
    pub roots: Vec<TagNumber>,
}

/// Where something stands, what to take, what to do with it.
#[derive(Debug, Clone)]
pub struct Tag {
    /// Id of the tag, unique in the rule.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The layer on whose pages the tag is searched for.
    pub layer: LayerNumber,
    /// The tag within whose results it is looked for.
    pub parent: Option<TagNumber>,
    /// The tags that are looked for within its results.
    pub children: Vec<TagNumber>,
    /// How it is found.
    pub find: Find,
    /// Its matches replace the results.
    pub rematch: Option<Regex>,
    /// Results in which it is found stay.
    pub include: Option<Regex>,
    /// Results in which it is found go.
    pub exclude: Option<Regex>,
    /// Changes of each result, in order.
    pub treatments: Vec<Treatment>,
    /// All results become one.
    pub merge: bool,
    /// What stands between merged results.
    pub separator: String,
    /// Results are addresses.
    pub link: bool,
    /// The layer whose pages its results are.
    pub opens: Option<LayerNumber>,
}

/// How a tag finds its results in a material.
#[derive(Debug, Clone)]
pub enum Find {
    /// Between two expressions.
    Codes(Codes),
    /// CSS or XPath.
    Select(Selector),
    /// Structured data of a syntax, or of any.
    Data(Syntax, Path),
    /// Contents of meta elements of this name.
    Meta(String),
}

/// Syntaxes of structured data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// JSON-LD in `script` elements.
    JsonLd,
    /// Microdata and RDFa.
    Microdata,
    /// All of these.
    Any,
}

impl Syntax {
    /// Whether items of a syntax by its name in table `structured` are wanted.
    pub fn wants(self, name: &str) -> bool {
        match self {
            Syntax::JsonLd => name == "json-ld",
            Syntax::Microdata => matches!(name, "microdata" | "rdfa"),
            Syntax::Any => matches!(name, "json-ld" | "microdata" | "rdfa"),
        }
    }
}

/// A change of a result.
#[derive(Debug, Clone)]
pub enum Treatment {
    /// Every match is replaced; `$1` is the first group.
    Replace {
        /// The pattern to replace.
        pattern: Regex,
        /// By what.
        with: String,
    },
    /// A text is inserted, before the character `at`; negative: from the end, −1 behind the last. Beyond either end: at that end.
    Insert {
        /// The text to insert.
        text: String,
        /// Where.
        at: i64,
    },
}

impl Treatment {
    /// The text after the change.
    pub fn apply(&self, text: &str) -> String {
        match self {
            Treatment::Replace { pattern, with } => pattern.replace_all(text, with.as_str()).into_owned(),
            Treatment::Insert { text: inserted, at } => {
                let length = text.chars().count() as i64;
                let at = if *at < 0 { (length + 1).saturating_add(*at) } else { *at }.clamp(0, length);
                let byte = text.char_indices().nth(at as usize).map_or(text.len(), |(byte, _)| byte);
                [text.cut(..byte), inserted, text.cut(byte..)].concat()
            }
        }
    }
}

/// A table.
#[derive(Debug, Clone)]
pub struct Group {
    /// Names the table.
    pub name: String,
    /// Whether rows come where cells are missing.
    pub outer: bool,
    /// The columns, in the order of the table.
    pub columns: Vec<Column>,
    /// Where its cells stand, from the page that a row begins on downwards.
    pub levels: Vec<Level>,
}

/// A column of a group.
#[derive(Debug, Clone)]
pub struct Column {
    /// Name of the column in the table.
    pub name: String,
    /// The tag whose results are its cells.
    pub tag: TagNumber,
    /// What its cells are.
    pub kind: Kind,
    /// Longest text, in characters.
    pub max_length: Option<u32>,
}

/// One level of a group: the results of tags that stand beside each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// The layer in whose pages it stands.
    pub layer: LayerNumber,
    /// Numbers of the columns whose cells stand here.
    pub columns: Vec<usize>,
    /// The tag within whose results (or behind whose links) the next level stands.
    pub down: Option<TagNumber>,
    /// Whether it is the first level of a page.
    pub is_page: bool,
}

impl Rule {
    /// What rows of a group are called as a table.
    pub fn table(&self, group: &Group) -> String {
        format!("rule_{}_{}", self.id, group.name)
    }

    /// Whether any layer is entered by links of another, so that pages belong together.
    pub fn has_links(&self) -> bool {
        self.layers.iter().any(|layer| layer.from.is_some() || layer.paging.is_some())
    }

    /// Whether pages are found by links or by addresses that the rule names, not only by expressions for addresses.
    pub fn finds_pages(&self) -> bool {
        self.has_links() || self.layers.iter().any(|layer| !layer.entries.is_empty())
    }

    /// Whether a page of the corpus is entered into a layer for its address.
    pub fn enters(&self, layer: LayerNumber, url: &str) -> bool {
        self.layers[layer].pages.iter().any(|pages| pages.is_match(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_count_characters_from_either_end() {
        let insert = |text: &str, at| Treatment::Insert { text: "X".into(), at }.apply(text);
        for (at, expected) in [
            (0, "Xabc"),
            (2, "abXc"),
            (-1, "abcX"),
            (-2, "abXc"),
            (9, "abcX"),
            (-9, "Xabc"),
            (i64::MIN, "Xabc"),
        ] {
            assert_eq!(insert("abc", at), expected, "{at}");
        }
        assert_eq!(insert("价格", 1), "价X格");
        assert_eq!(insert("", -1), "X");
    }

    #[test]
    fn replacements_know_groups() {
        let pattern = Regex::new(r"(\d+) EUR").unwrap();
        assert_eq!(Treatment::Replace { pattern, with: "€$1".into() }.apply("10 EUR, 20 EUR"), "€10, €20");
    }
}
