//! Microdata and RDFa Lite on an element: the one reader of their attributes.
//!
//! Hardly any element carries them, so that one look at the lengths of its attributes' names is all that most cost.
//!
//! **Reference.** HTML Living Standard, *Microdata*; W3C RDFa Lite 1.1.

use super::dom::{Dom, NodeId};

/// Names of properties or types that are read of an attribute.
const MAX_NAMES: usize = 8;

/// Attributes of one of the two syntaxes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Attributes<'d> {
    /// Whether the element is an item.
    pub opens: bool,
    /// `itemtype`, `typeof`.
    pub types: &'d str,
    /// `itemprop`, `property`.
    pub property: Option<&'d str>,
    /// `itemid`, `resource`.
    pub id: Option<&'d str>,
}

impl<'d> Attributes<'d> {
    /// Names of the properties that the element is of the item around it.
    pub(super) fn properties(&self) -> impl Iterator<Item = &'d str> + use<'d> {
        names(self.property.unwrap_or_default())
    }
}

/// What an element is marked up as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Markup<'d> {
    pub microdata: Attributes<'d>,
    pub rdfa: Attributes<'d>,
}

impl<'d> Markup<'d> {
    /// The markup of an element; `None` where there is none.
    pub(super) fn of(dom: &'d Dom<'_>, n: NodeId) -> Option<Markup<'d>> {
        let mut found = None;
        for attr in dom.attr_spans(n.0).iter().filter(|attr| matches!(attr.name.len, 6 | 8 | 9)) {
            let name = dom.bytes(attr.name);
            if !matches!(
                name,
                b"itemprop" | b"itemscope" | b"itemtype" | b"itemid" | b"property" | b"typeof" | b"resource"
            ) {
                continue;
            }
            let Markup { microdata, rdfa } = found.get_or_insert_with(Markup::default);
            let value = dom.str(attr.value);
            match name {
                b"itemprop" => microdata.property = Some(value),
                b"itemscope" => microdata.opens = true,
                b"itemtype" => microdata.types = value,
                b"itemid" => microdata.id = Some(value),
                b"property" => rdfa.property = Some(value),
                b"typeof" => (rdfa.opens, rdfa.types) = (true, value),
                _ => rdfa.id = Some(value),
            }
        }
        found
    }
}

/// The first words of an attribute.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split_ascii_whitespace().take(MAX_NAMES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, parse};

    #[test]
    fn both_syntaxes() {
        let dom = parse(
            "<p itemscope itemtype='T U' itemprop='a b' itemid=i typeof=V property='c' resource=r class=x>",
            &Limits::default(),
        );
        let p = dom.descendants(dom.document()).find(|&n| dom.name(n) == "p").unwrap();
        let found = Markup::of(&dom, p).unwrap();
        let microdata = Attributes { opens: true, types: "T U", property: Some("a b"), id: Some("i") };
        let rdfa = Attributes { opens: true, types: "V", property: Some("c"), id: Some("r") };
        assert_eq!(found, Markup { microdata, rdfa });
        assert_eq!(found.microdata.properties().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(Markup::of(&dom, dom.body().unwrap()), None);
    }
}
