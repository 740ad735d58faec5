//! Readers' comments, apart from the main text.
//!
//! **Definition.** A comment is an item of a [thread](crate::threads), or, where there is none, what the [names](named) of
//! elements call one. Blocks of the main text are in none; on pages where the comments are the main text (a board's thread)
//! they are there and not here. What holds no sentence ([cards of members, counts, labels](labels)), what repeats another, and
//! what another of the same author holds is left out. Comments are in the order of the page, replies behind what they answer.
//!
//! **Cost.** Linear in blocks times depth; [`MAX_COMMENTS`] comments of together [`MAX_BYTES`] bytes are kept.

mod byline;
mod items;
mod labels;
mod named;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::blocks::page::Page;
use crate::threads::Threads;
use items::items;
use labels::says_something;
pub(crate) use named::in_named_threads;
use named::named;
use webmill_html::DateOrder;

const MAX_COMMENTS: usize = 2_000;
const MAX_BYTES: usize = 2 << 20;
/// Comments with a line that are compared.
const MAX_HOLDERS: usize = 8;

/// A reader's comment.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Comment {
    /// Who wrote it.
    pub author: Option<String>,
    /// When, ISO 8601; nothing where that may be either of two days.
    pub date: Option<String>,
    /// What it says, a paragraph a line.
    pub text: String,
}

impl Comment {
    fn add_line(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }
}

/// The comments among the blocks that are not main text.
pub(crate) fn comments(page: &Page, chosen: &[bool], threads: &Threads, order: DateOrder) -> Vec<Comment> {
    let mut taken = chosen.to_vec();
    let mut found = items(page, &mut taken, threads, order);
    found.extend(named(page, chosen, &taken, order));
    found.sort_by_key(|(first, _)| *first);
    let mut out: Vec<Comment> =
        found.into_iter().map(|(_, comment)| comment).filter(says_something).collect();
    leave_out_repeats(&mut out);
    out.truncate(MAX_COMMENTS);
    out
}

/// Leaves out comments that repeat an earlier one, and those whose lines another of the same author holds.
fn leave_out_repeats(comments: &mut Vec<Comment>) {
    let mut seen: HashSet<(Option<String>, String)> = HashSet::new();
    comments.retain(|comment| seen.insert((comment.author.clone(), comment.text.clone())));
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, comment) in comments.iter().enumerate() {
        for line in comment.text.lines() {
            let known = holders.entry(line).or_default();
            if known.len() < MAX_HOLDERS && known.last() != Some(&at) {
                known.push(at);
            }
        }
    }
    let keep = comments.iter().map(|comment| {
        let first = comment.text.lines().next().unwrap_or_default();
        !holders.get(first).into_iter().flatten().any(|&at| {
            let other = &comments[at];
            other.text.len() > comment.text.len()
                && (comment.author.is_none() || comment.author == other.author)
                && other.text.contains(&comment.text)
        })
    });
    let keep: Vec<bool> = keep.collect();
    let mut keep = keep.into_iter();
    comments.retain(|_| keep.next() == Some(true));
}
