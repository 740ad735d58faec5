//! Elements of a page as the crate `selectors` looks at them.

use std::fmt;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::MatchingContext;
use selectors::matching::ElementSelectorFlags;
use selectors::{Element, OpaqueElement};
use webmill_html::{Dom, Namespace, NodeId, Tag};

use super::css_names::{Name, Output, Page, PseudoClass};
use super::work::Work;

/// An element; `node` is one.
#[derive(Clone, Copy)]
pub(super) struct El<'d> {
    pub dom: &'d Dom<'d>,
    pub node: NodeId,
    pub work: &'d Work,
}

impl fmt::Debug for El<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>#{}", self.dom.name(self.node), self.node.index())
    }
}

impl<'d> El<'d> {
    fn at(self, node: NodeId) -> El<'d> {
        El { node, ..self }
    }

    /// The first element along a chain of nodes.
    #[inline]
    fn along(self, first: Option<NodeId>, next: impl Fn(NodeId) -> Option<NodeId>) -> Option<El<'d>> {
        let mut at = first;
        while let Some(node) = at {
            if !self.work.take(1) {
                return None;
            }
            if self.dom.is_element(node) {
                return Some(self.at(node));
            }
            at = next(node);
        }
        None
    }

    fn is_html(self) -> bool {
        self.dom.namespace(self.node) == Namespace::Html
    }

    /// Whether the element has this name; of HTML, names are in lower case.
    #[inline]
    pub(super) fn named(self, name: &Name) -> bool {
        if name.tag != Tag::Unknown && self.is_html() {
            self.dom.tag(self.node) == name.tag
        } else {
            self.dom.name(self.node) == &*name.text
        }
    }

    pub(super) fn classed(self, class: &str) -> bool {
        let value = self.dom.attr(self.node, "class").unwrap_or_default();
        value.len() >= class.len() && value.split_ascii_whitespace().any(|one| one == class)
    }

    /// Whether the text content, or what of it is directly in the element, contains one of these.
    fn contains(self, any: &[Box<str>], own: bool) -> bool {
        let mut text = String::new();
        let mut add = |n: NodeId| {
            if self.dom.is_text(n) {
                text.push_str(self.dom.text(n));
            }
            self.work.take(1 + self.dom.text(n).len() as u64 / 16)
        };
        let whole = if own {
            self.dom.children(self.node).all(&mut add)
        } else {
            self.dom.descendants(self.node).all(&mut add)
        };
        whole && any.iter().any(|needle| text.contains(&**needle))
    }

    /// Whether the form's control is out of use by itself or by the `fieldset` or `optgroup` around it.
    fn disabled(self) -> Option<bool> {
        let tag = self.dom.tag(self.node);
        let control = matches!(
            tag,
            Tag::Button | Tag::Input | Tag::Select | Tag::Textarea | Tag::Optgroup | Tag::Option
        );
        if !control && tag != Tag::Fieldset {
            return None;
        }
        let around = if tag == Tag::Option { Tag::Optgroup } else { Tag::Fieldset };
        let by_another = || {
            let mut ancestors = self.dom.ancestors(self.node);
            ancestors.any(|a| self.dom.tag(a) == around && self.dom.attr(a, "disabled").is_some())
        };
        Some(self.dom.attr(self.node, "disabled").is_some() || by_another())
    }

    fn checked(self) -> bool {
        match self.dom.tag(self.node) {
            Tag::Option => self.dom.attr(self.node, "selected").is_some(),
            Tag::Input => {
                let kind = self.dom.attr(self.node, "type").unwrap_or_default();
                (kind.eq_ignore_ascii_case("checkbox") || kind.eq_ignore_ascii_case("radio"))
                    && self.dom.attr(self.node, "checked").is_some()
            }
            _ => false,
        }
    }
}

impl Element for El<'_> {
    type Impl = Page;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::from_ptr(NonNull::without_provenance(
            NonZeroUsize::MIN.saturating_add(self.node.index()),
        ))
    }

    fn parent_element(&self) -> Option<Self> {
        let parent = self.dom.parent(self.node)?;
        (self.dom.is_element(parent) && self.work.take(1)).then(|| self.at(parent))
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.along(self.dom.prev_sibling(self.node), |n| self.dom.prev_sibling(n))
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.along(self.dom.next_sibling(self.node), |n| self.dom.next_sibling(n))
    }

    fn first_element_child(&self) -> Option<Self> {
        self.along(self.dom.first_child(self.node), |n| self.dom.next_sibling(n))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.is_html()
    }

    fn has_local_name(&self, name: &Name) -> bool {
        self.named(name)
    }

    fn has_namespace(&self, _: &Name) -> bool {
        true
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.dom.namespace(self.node) == self.dom.namespace(other.node)
            && self.dom.tag(self.node) == self.dom.tag(other.node)
            && self.dom.name(self.node) == self.dom.name(other.node)
    }

    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Name>,
        name: &Name,
        operation: &AttrSelectorOperation<&Name>,
    ) -> bool {
        self.dom.attr(self.node, &name.text).is_some_and(|value| operation.eval_str(value))
    }

    fn match_non_ts_pseudo_class(&self, class: &PseudoClass, _: &mut MatchingContext<Page>) -> bool {
        match class {
            PseudoClass::Contains { any, own } => self.contains(any, *own),
            PseudoClass::Link => self.is_link(),
            PseudoClass::Checked => self.checked(),
            PseudoClass::Disabled => self.disabled() == Some(true),
            PseudoClass::Enabled => self.disabled() == Some(false),
        }
    }

    fn match_pseudo_element(&self, _: &Output, _: &mut MatchingContext<Page>) -> bool {
        true
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        matches!(self.dom.tag(self.node), Tag::A | Tag::Area) && self.dom.attr(self.node, "href").is_some()
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Name, case: CaseSensitivity) -> bool {
        self.dom.attr(self.node, "id").is_some_and(|value| case.eq(value.as_bytes(), id.text.as_bytes()))
    }

    fn has_class(&self, class: &Name, _: CaseSensitivity) -> bool {
        self.classed(&class.text)
    }

    fn has_custom_state(&self, _: &Name) -> bool {
        false
    }

    fn imported_part(&self, _: &Name) -> Option<Name> {
        None
    }

    fn is_part(&self, _: &Name) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.dom.children(self.node).all(|child| {
            !self.dom.is_element(child) && (!self.dom.is_text(child) || self.dom.text(child).is_empty())
        })
    }

    fn is_root(&self) -> bool {
        self.dom.parent(self.node) == Some(self.dom.document())
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}
