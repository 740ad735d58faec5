//! What CSS selectors are made of: names, pseudo-classes and pseudo-elements, and how they are read.

use std::fmt::{self, Write};

use cssparser::{CowRcStr, ParseError, Parser as Tokens, ToCss, serialize_identifier};
use precomputed_hash::PrecomputedHash;
use selectors::parser::{
    NonTSPseudoClass, Parser, PseudoElement, SelectorImpl, SelectorParseErrorKind as Kind,
};
use webmill_html::Tag;

/// Our kind of selectors, as the crate `selectors` wants it told.
#[derive(Debug, Clone)]
pub(super) struct Page;

impl SelectorImpl for Page {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Name;
    type Identifier = Name;
    type LocalName = Name;
    type NamespaceUrl = Name;
    type NamespacePrefix = Name;
    type BorrowedNamespaceUrl = Name;
    type BorrowedLocalName = Name;
    type NonTSPseudoClass = PseudoClass;
    type PseudoElement = Output;
}

/// A name or value of a selector, with the tag of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub text: Box<str>,
    pub tag: Tag,
}

impl Default for Name {
    fn default() -> Name {
        Name::from("")
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name { text: text.into(), tag: Tag::from_name(text) }
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl ToCss for Name {
    fn to_css<W: Write>(&self, dest: &mut W) -> fmt::Result {
        serialize_identifier(&self.text, dest)
    }
}

/// FNV-1a. Only the filters of ancestors ask for it, which are not in use here: what they would save of climbing is
/// less than hashing the classes of every element costs.
impl PrecomputedHash for Name {
    fn precomputed_hash(&self) -> u32 {
        self.text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }
}

/// Pseudo-classes that say something of the element or its text rather than of its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PseudoClass {
    /// `:contains("a", "b")`: the text content contains one of these, as `:-soup-contains` of soupsieve. With `own`
    /// (`:contains-own`) the text that is directly in the element.
    Contains {
        any: Vec<Box<str>>,
        own: bool,
    },
    /// `:any-link`, `:link`.
    Link,
    Checked,
    Disabled,
    Enabled,
}

impl NonTSPseudoClass for PseudoClass {
    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        false
    }
}

impl ToCss for PseudoClass {
    fn to_css<W: Write>(&self, dest: &mut W) -> fmt::Result {
        match self {
            PseudoClass::Contains { any, own } => {
                dest.write_str(if *own { ":contains-own(" } else { ":contains(" })?;
                for (i, text) in any.iter().enumerate() {
                    dest.write_str(if i == 0 { "" } else { ", " })?;
                    cssparser::serialize_string(text, dest)?;
                }
                dest.write_char(')')
            }
            PseudoClass::Link => dest.write_str(":any-link"),
            PseudoClass::Checked => dest.write_str(":checked"),
            PseudoClass::Disabled => dest.write_str(":disabled"),
            PseudoClass::Enabled => dest.write_str(":enabled"),
        }
    }
}

/// The part that is taken of an element that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Output {
    Element,
    /// `::text`: each text node directly in it.
    Text,
    /// `::attr(NAME)`: the value of an attribute, where it has it.
    Attr(Box<str>),
    /// `::html`: its inner markup.
    Inner,
    /// `::outer`: its outer markup.
    Outer,
}

impl PseudoElement for Output {}

impl ToCss for Output {
    fn to_css<W: Write>(&self, dest: &mut W) -> fmt::Result {
        match self {
            Output::Element => Ok(()),
            Output::Text => dest.write_str("::text"),
            Output::Attr(name) => {
                dest.write_str("::attr(")?;
                serialize_identifier(name, dest)?;
                dest.write_char(')')
            }
            Output::Inner => dest.write_str("::html"),
            Output::Outer => dest.write_str("::outer"),
        }
    }
}

/// Reads selectors of kind [`Page`].
pub(super) struct Reader;

type ReadResult<T> = Result<T, ParseError<Kind>>;

impl<'i> Parser<'i> for Reader {
    type Impl = Page;
    type Error = Kind;

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn is_is_alias(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("matches") || name.eq_ignore_ascii_case("any")
    }

    fn allow_forgiving_selectors(&self) -> bool {
        false
    }

    fn parse_non_ts_pseudo_class(&self, name: &str) -> ReadResult<PseudoClass> {
        match name.to_ascii_lowercase().as_str() {
            "link" | "any-link" => Ok(PseudoClass::Link),
            "checked" => Ok(PseudoClass::Checked),
            "disabled" => Ok(PseudoClass::Disabled),
            "enabled" => Ok(PseudoClass::Enabled),
            _ => Err(ParseError::custom(Kind::UnsupportedPseudoClassOrElement)),
        }
    }

    fn parse_non_ts_functional_pseudo_class(
        &self,
        name: &str,
        tokens: &mut Tokens<'i>,
        _after_part: bool,
    ) -> ReadResult<PseudoClass> {
        let own = match name.to_ascii_lowercase().as_str() {
            "contains" | "-soup-contains" => false,
            "contains-own" | "containsown" | "-soup-contains-own" => true,
            _ => return Err(ParseError::custom(Kind::UnsupportedPseudoClassOrElement)),
        };
        let any = tokens.parse_comma_separated(|tokens| Ok(boxed(tokens.expect_ident_or_string()?)))?;
        Ok(PseudoClass::Contains { any, own })
    }

    fn parse_pseudo_element(&self, name: &str) -> ReadResult<Output> {
        match name.to_ascii_lowercase().as_str() {
            "text" => Ok(Output::Text),
            "html" => Ok(Output::Inner),
            "outer" => Ok(Output::Outer),
            _ => Err(ParseError::custom(Kind::UnsupportedPseudoClassOrElement)),
        }
    }

    fn parse_functional_pseudo_element(&self, name: &str, tokens: &mut Tokens<'i>) -> ReadResult<Output> {
        if !name.eq_ignore_ascii_case("attr") {
            return Err(ParseError::custom(Kind::UnsupportedPseudoClassOrElement));
        }
        let attribute = tokens.expect_ident_or_string()?;
        Ok(Output::Attr(attribute.to_ascii_lowercase().into()))
    }
}

fn boxed(text: &CowRcStr<'_>) -> Box<str> {
    let text: &str = text;
    text.into()
}

/// Why a selector cannot be read, in words.
pub(super) fn reason(kind: &Kind) -> &'static str {
    match kind {
        Kind::NoQualifiedNameInAttributeSelector | Kind::InvalidQualNameInAttr => {
            "no name of an attribute in [ ]"
        }
        Kind::EmptySelector => "an empty selector",
        Kind::DanglingCombinator => "a combinator without a selector beside it",
        Kind::NonCompoundSelector => "only one compound selector may stand here",
        Kind::UnexpectedTokenInAttributeSelector => "unexpected sign in [ ]",
        Kind::BadValueInAttr => "the value in [ ] is neither a name nor quoted",
        Kind::ExpectedBarInAttr => "a | was expected in [ ]",
        Kind::PseudoElementExpectedColon
        | Kind::PseudoElementExpectedIdent
        | Kind::NoIdentForPseudo
        | Kind::UnexpectedIdent => "no name that a pseudo-class or pseudo-element has after ':'",
        Kind::UnsupportedPseudoClassOrElement => "unknown pseudo-class or pseudo-element",
        Kind::ExpectedNamespace | Kind::ExplicitNamespaceUnexpectedToken => "namespaces are not known here",
        Kind::ClassNeedsIdent => "no name of a class after '.'",
        Kind::NonPseudoElementAfterSlotted
        | Kind::InvalidPseudoElementAfterSlotted
        | Kind::InvalidPseudoElementInsideWhere
        | Kind::InvalidState => "this cannot stand here",
    }
}
