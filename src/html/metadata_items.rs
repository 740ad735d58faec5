//! What elements of the body are marked up as: RDFa Lite and microdata.

use std::borrow::Cow;

use super::dom::NodeId;
use super::licence::licence;
use super::markup::Attributes;
use super::metadata::Reader;
use super::structured;
use super::values::{MAX_LIST, has_token, is_name, push_list, squeezed};
use super::written_date::read_date;

/// Bytes of a description that is shown; a longer one is the text itself.
const MAX_SHOWN: usize = 1000;

/// What a microdata scope is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Subject,
    Author,
    Other,
}

impl<'d> Reader<'d, '_> {
    /// RDFa Lite of the page's own vocabulary: properties of schema.org and Dublin Core on any element.
    pub(super) fn rdfa(&mut self, n: NodeId, rdfa: &Attributes<'_>) {
        const KNOWN: &str = "datePublished published_time issued dateCreated created date dateModified modified \
                             modified_time author creator headline articleSection";
        let dom = self.dom;
        let order = self.out.date_order;
        for property in rdfa.properties() {
            let name = property.rsplit(['/', '#', ':']).next().unwrap_or_default();
            if name == "license" {
                let given = dom.attr(n, "href").or(dom.attr(n, "content"));
                self.best.licence.offer(2, || licence(given?));
            }
            if !KNOWN.split(' ').any(|known| known == name) {
                continue;
            }
            let stated = ["content", "datetime"].iter().find_map(|name| dom.attr(n, name));
            let value = stated.and_then(squeezed).or_else(|| self.text(n));
            let best = &mut self.best;
            match name {
                "datePublished" | "published_time" | "issued" => {
                    best.published.offer(5, || read_date(&value?, order)?.certain())
                }
                "dateCreated" | "created" | "date" => {
                    best.published.offer(6, || read_date(&value?, order)?.certain())
                }
                "dateModified" | "modified" | "modified_time" => {
                    best.modified.offer(5, || read_date(&value?, order)?.certain())
                }
                "author" | "creator" => best.author.offer(5, || value.filter(|name| is_name(name))),
                "headline" => best.headline.offer(1, || value),
                _ if self.out.about.categories.len() < MAX_LIST => {
                    self.out.about.categories.extend(value.filter(|text| text.len() < 100));
                }
                _ => {}
            }
        }
    }

    /// The first of these attributes of an element, else its text.
    fn given(&self, n: NodeId, names: &[&str]) -> Option<Cow<'d, str>> {
        let dom = self.dom;
        let attribute = names.iter().find_map(|name| dom.attr(n, name)).map(Cow::Borrowed);
        attribute.or_else(|| self.text(n).map(Cow::Owned))
    }

    /// The innermost open item that the page may be about.
    fn subject(&self) -> Option<NodeId> {
        self.scopes.iter().rev().find(|(_, scope)| *scope == Scope::Subject).map(|&(node, _)| node)
    }

    /// Properties of the item that the page is about; those of comments, offers and the like are others'.
    pub(super) fn microdata(&mut self, n: NodeId, item: &Attributes<'_>) {
        let scope = self.scopes.last().map_or(Scope::Subject, |&(_, scope)| scope);
        // Outside of all items a property can only be the page's.
        let later = if self.scopes.is_empty() { 3 } else { 0 };
        let property = item.property.unwrap_or_default();
        let has = |name: &str| has_token(property, name);
        if item.opens {
            let kind = item.types.trim();
            let kind = kind.rsplit('/').next().unwrap_or_default();
            let inner = match scope {
                Scope::Subject if has("author") || has("creator") => Scope::Author,
                // The name of the author's employer is not the author's.
                Scope::Author => Scope::Other,
                _ if structured::rank(kind) > 0 => Scope::Subject,
                _ => Scope::Other,
            };
            self.scopes.push((n, inner));
            return;
        }
        if scope == Scope::Subject {
            self.property(n, property, later);
        }
        if (scope == Scope::Subject && has("author")) || (scope == Scope::Author && has("name")) {
            self.author(n, later);
        }
    }

    /// A property of the item that the page is about; `later` where better ones count more.
    fn property(&mut self, n: NodeId, property: &str, later: u8) {
        let dom = self.dom;
        let order = self.out.date_order;
        let has = |name: &str| has_token(property, name);
        let value = |names: &[&str]| names.iter().find_map(|name| dom.attr(n, name));
        if has("datePublished") {
            let when = self.given(n, &["content", "datetime"]);
            self.best.published.offer(4 + later, || read_date(&when?, order)?.certain());
        }
        if has("dateModified") {
            let when = self.given(n, &["content", "datetime"]);
            self.best.modified.offer(4 + later, || read_date(&when?, order)?.certain());
        }
        if has("headline") && self.best.headline.0.is_none() {
            let text = self.text(n).or_else(|| squeezed(value(&["content"])?));
            self.best.headline.offer(0, || text);
        }
        if has("description") || has("abstract") {
            let shown = || self.text(n).filter(|text| !text.is_empty() && text.len() <= MAX_SHOWN);
            let text = value(&["content"]).and_then(squeezed).or_else(shown);
            self.best.description.offer(5 + later, || text);
        }
        if has("license") {
            let given = self.given(n, &["href", "content"]);
            self.best.licence.offer(3, || licence(&given?));
        }
        if has("keywords") {
            let list = self.given(n, &["content"]);
            push_list(&mut self.out.keywords, &list.unwrap_or_default());
        }
        if has("articleSection") && self.out.about.categories.len() < MAX_LIST {
            let text = value(&["content"]).and_then(squeezed).or_else(|| self.text(n));
            self.out.about.categories.extend(text.filter(|text| text.len() < 100));
        }
    }

    /// An author of the innermost item that the page may be about.
    fn author(&mut self, n: NodeId, later: u8) {
        let text = self.dom.attr(n, "content").and_then(squeezed).or_else(|| self.text(n));
        let name = text.filter(|name| is_name(name));
        let item = self.subject();
        // Further authors of the item that the first one is of; other items on the page have their own.
        if self.best.author_item == Some(item) {
            self.best.author.append(4 + later, || name);
        } else if self.best.author_item.is_none() && name.is_some() {
            self.best.author_item = Some(item);
            self.best.author.offer(4 + later, || name);
        } else {
            self.best.author.offer(4 + later, || name);
        }
    }
}
