//! What a page states of itself: the one list of its fields.
//!
//! [`metadata`](crate::metadata) fills an [`About`] from the head of an HTML page, the main text of `webmill-text` then
//! puts title, author and date of publication as the visible page has them, and the readers of `webmill-documents` fill
//! one for each document. Tables `pages` and `texts`, the forms of `webmill text`, `webmill show` and the Python package
//! show the fields by this list.
//!
//! **Adding a field** is a line in [`about_fields!`](crate::about_fields) and the code that finds it. For a field that
//! HTML states in a `<meta>` element, that code is an entry of `NAMES` in `meta_names.rs`.
//!
//! **Where fields are chosen.** Title of HTML: `text/metadata/title.rs`; author: `author.rs` and date of publication:
//! `published.rs` beside it; title of other documents: `documents/title.rs`; all else: `meta.rs` here.

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
        }
    };
}

about_fields! { define_about! }
