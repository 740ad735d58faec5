//! Rules: tables out of any site, as deep as it goes.
//!
//! **What.** A rule describes a site. A *layer* is a kind of page; a *tag* says where in a page of that layer something stands,
//! what to take and what to do with it; a link tag opens a further layer; a *group* makes rows of the results of tags, of one
//! layer or of several. [`Rule::parse`] reads and checks a file; [`RulePage::apply`] runs the tags of a layer on a page;
//! [`Answer::find`] does so for several layers and rules; [`groups::rows`] makes rows of what they found. Which pages there are is the caller's business.
//!
//! **Bounds.** Expressions take linear time, without look-around and back-references, and their compiled size is bounded; so are
//! matches, results and bytes of a page, and tags inside of one another.
//!
//! **Reference.** The method of patent CN101719124A, *layers, tags, paths without limit*.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod apply;
pub mod builtin;
pub mod cells;
mod check;
pub mod codes;
mod entered;
mod entries;
pub mod file;
pub mod groups;
mod habits;
mod layers;
mod levels;
pub mod library;
mod rule;
pub mod select;
mod structured;

pub use apply::{ApplyLimits, PageResults, RulePage, TagCounts, TagResult, TagSteps};
pub use check::{MAX_FILE_BYTES, Mistake, PROVENANCE};
pub use codes::Offset;
pub use codes::expression;
pub use entered::{EntryPatterns, RuleNumber};
pub use entries::{Entry, MAX_ENTRIES};
pub use file::{Kind, LANGUAGE};
pub use habits::Habits;
pub use layers::{Answer, LeadsTo, Markup, PAGE_BYTES, each_found, tree_limits};
pub use rule::{Column, Find, Group, Layer, LayerNumber, Level, Rule, Syntax, Tag, TagNumber, Treatment};
pub use structured::Path;

/// Most pages of a chain that a paging tag leads along.
pub const MAX_PAGES: u32 = 1000;

#[cfg(test)]
mod tests;
