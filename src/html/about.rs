//! What a page states of itself: the one list of its fields.
//!
//! The head of an HTML page fills an [`About`] (`metadata.rs`), the main text of `webmill-text` then puts title, author and
//! date of publication as the visible page has them, and the readers of `webmill-documents` fill one for each document.
//! Tables `pages` and `texts`, the forms of `webmill text`, `webmill show --format json` and the Python package show the
//! fields by this list.
//!
//! **Adding a field** is a line in [`about_fields!`](crate::about_fields): a text that HTML states in `<meta name=…>`, by the
//! field's own name, is found by it. Other names of the same are a line in `NAMES` (`meta_names.rs`); what stands elsewhere
//! needs code in the file that finds it:
//!
//! | field | chosen in |
//! |---|---|
//! | title of HTML | `text/metadata/title.rs` |
//! | author | `text/metadata/author.rs` |
//! | date of publication | `text/metadata/published.rs` |
//! | title of other documents | `documents/title.rs` |
//! | all else | `metadata.rs`, whose parts are `meta_names.rs`, `metadata_items.rs` and `structured.rs` |

use std::any::Any;

use serde::{Deserialize, Serialize};

/// Hands the fields that a page states to a macro: `about_fields!(then! …)` becomes `then! { […] { fields of tables pages
/// and texts } { further fields of table pages } }`. A field is a column of these tables, `name: type = "description",
/// "example";` in the order of columns.
#[macro_export]
macro_rules! about_fields {
    ($then:ident! $($given:tt)*) => {
        $then! {
            [$($given)*]
            {
                title: Option<String> = "title: of a page or document with a main text that of the text, without the name of the site; where it has none, what the head of the page states (title element or metadata); white space collapsed", "北京大学新闻网";
            }
            {
                description: Option<String> = "description from meta, OpenGraph or JSON-LD", "Campus news";
                author: Option<String> = "author the page names", "Li Hua";
                published: Option<String> = "date of publication as ISO 8601, with its zone where given", "2003-04-15";
                published_ambiguous: Vec<String> = "both readings of a date of publication such as 03/04/2024, month first and day first, where nothing tells the order and published is null; else empty", "['2024-03-04', '2024-04-03']";
                modified: Option<String> = "date of the last change the page states, as ISO 8601", "2003-04-16T08:00:00+08:00";
                site_name: Option<String> = "name of the site the page states", "PKU News";
                licence: Option<String> = "address or name of the licence the page states", "https://creativecommons.org/licenses/by/4.0/";
                categories: Vec<String> = "what the page is filed under: section, category", "['News', 'Campus']";
                tags: Vec<String> = "tags and declared keywords, in order, each once", "['library', 'opening']";
                image: Option<String> = "address of the page's picture, from OpenGraph, a Twitter card or JSON-LD", "http://pku.edu.cn/library.jpg";
                language_declared: Option<String> = "language the page declares, BCP 47", "zh-cn";
                canonical_url: Option<String> = "target of link rel=canonical, canonical form", "http://pku.edu.cn/news/1.html";
            }
        }
    };
}

/// A field's value: a text that may be missing, or a list of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FieldValue<'a> {
    /// A text; `None` where the page states none.
    Text(Option<&'a str>),
    /// Texts in order; empty where the page states none.
    List(&'a [String]),
}

impl<'a> From<&'a Option<String>> for FieldValue<'a> {
    fn from(text: &'a Option<String>) -> Self {
        FieldValue::Text(text.as_deref())
    }
}

impl<'a> From<&'a Vec<String>> for FieldValue<'a> {
    fn from(list: &'a Vec<String>) -> Self {
        FieldValue::List(list)
    }
}

macro_rules! define_about {
    ([] { $($shared:tt)* } { $($further:tt)* }) => { define_about! { $($shared)* $($further)* } };
    ($($field:ident: $ty:ty = $description:literal, $example:literal;)+) => {
        /// What a page states of itself: texts with white space collapsed, dates in ISO 8601 with zone where one is given,
        /// addresses absolute.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct About {
            $(#[doc = $description] pub $field: $ty,)+
        }

        impl About {
            /// Names of the fields and their values, in order.
            ///
            /// # Examples
            /// ```
            /// use webmill_html::{About, FieldValue};
            /// let about = About { title: Some("Tea".into()), ..About::default() };
            /// assert_eq!(about.fields()[0], ("title", FieldValue::Text(Some("Tea"))));
            /// ```
            pub fn fields(&self) -> Vec<(&'static str, FieldValue<'_>)> {
                vec![$((stringify!($field), FieldValue::from(&self.$field))),+]
            }

            /// The field of this name, if it is a single text.
            pub(crate) fn text_mut(&mut self, name: &str) -> Option<&mut Option<String>> {
                let field: &mut dyn Any = match name {
                    $(stringify!($field) => &mut self.$field,)+
                    _ => return None,
                };
                field.downcast_mut()
            }
        }
    };
}

about_fields! { define_about! }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_name() {
        let mut about = About::default();
        *about.text_mut("author").unwrap() = Some("Ann".into());
        assert_eq!(about, About { author: Some("Ann".into()), ..About::default() });
        assert!(about.text_mut("tags").is_none() && about.text_mut("viewport").is_none());
    }
}
