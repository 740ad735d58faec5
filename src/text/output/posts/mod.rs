//! Posts: what people say one after another on a page.
//!
//! **Definition.** Where the text of a page is a [thread](thread), its posts. Elsewhere readers' comments: the items of a
//! [thread](crate::threads), or, where there is none, what the [names](named) of elements call a comment; and reviews. Blocks of
//! the main text are in no comment. What holds no sentence ([cards of members, counts, labels](labels)), what repeats another, and
//! what another of the same author holds is no comment. Posts are in the order of the page, replies behind what they answer.
//!
//! **Cost.** Linear in blocks times depth; [`MAX_POSTS`] posts of together [`MAX_BYTES`] bytes are kept, and the others counted.

#[cfg(test)]
mod board_tests;
mod byline;
mod items;
mod labels;
mod named;
pub(crate) mod reviews;
#[cfg(test)]
mod tests;
pub(crate) mod thread;
mod who;

use std::collections::{HashMap, HashSet};

use crate::threads::Threads;
use items::items;
use labels::says_something;
pub(crate) use named::in_named_threads;
use named::named;
use reviews::Reviews;
use thread::{Part, Thread, ThreadPage};

const MAX_POSTS: usize = 2_000;
const MAX_BYTES: usize = 2 << 20;
/// Comments with a line that are compared.
const MAX_HOLDERS: usize = 8;

/// What a post is.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
pub enum PostKind {
    /// Of a thread that is the text of its page, or the question that others answer.
    Post,
    /// A reader's, about the text.
    #[default]
    Comment,
    /// A customer's, about a product.
    Review,
    /// An answer to the question that the page is about.
    Answer,
}

impl PostKind {
    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            PostKind::Post => "post",
            PostKind::Comment => "comment",
            PostKind::Review => "review",
            PostKind::Answer => "answer",
        }
    }

    /// Whether such posts are the text of their page.
    pub fn is_text(self) -> bool {
        matches!(self, PostKind::Post | PostKind::Answer)
    }
}

/// What somebody says on a page where others do too.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Post {
    /// What it is.
    pub kind: PostKind,
    /// Who wrote it.
    pub author: Option<String>,
    /// When, ISO 8601; nothing where that may be either of two days.
    pub date: Option<String>,
    /// What it says, a paragraph a line, without what it quotes.
    pub text: String,
    /// What it quotes, each quote by itself.
    pub quotes: Vec<String>,
}

impl Post {
    fn add_line(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }
}

/// What limits leave of the posts of a page.
#[derive(Clone, Default)]
struct Room {
    posts: usize,
    bytes: usize,
    left_out: u64,
}

impl Room {
    /// Whether there is room for one more; if not, it is counted.
    fn has_post(&mut self) -> bool {
        let has = self.posts < MAX_POSTS && self.bytes <= MAX_BYTES;
        self.posts += usize::from(has);
        self.left_out += u64::from(!has);
        has
    }

    /// Whether there is room for one more post with so long a text: if not, it is counted.
    fn has_post_of(&mut self, bytes: usize) -> bool {
        let has_post = self.has_post();
        let has = has_post && self.has_text(bytes);
        self.left_out += u64::from(has_post && !has);
        has
    }

    /// Whether there is room for so long a text.
    fn has_text(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        self.bytes <= MAX_BYTES
    }
}

/// Comments among the blocks that are not main text, and the reviews; how many limits left out.
pub(crate) fn comments(of: &ThreadPage<'_, '_>, threads: &Threads, reviews: &Reviews) -> (Vec<Post>, u64) {
    let ThreadPage { page, chosen, context, .. } = *of;
    let mut taken = chosen.to_vec();
    reviews.taken.iter().for_each(|range| taken[range.0 as usize..range.1 as usize].fill(true));
    let (mut found, mut room) = (reviews.posts.clone(), reviews.room.clone());
    found.extend(items(page, &mut taken, threads, context.order, &mut room));
    found.extend(named(page, chosen, &taken, context.order, &mut room));
    reviews.add_stated(&mut found, page.blocks.len() as u32, &mut room);
    found.sort_by_key(|(first, _)| *first);
    let mut out: Vec<Post> = found.into_iter().map(|(_, post)| post).filter(says_something).collect();
    leave_out_repeats(&mut out);
    leave_out_notices(&mut out);
    (out, room.left_out)
}

/// Leaves out comments that nobody wrote at no time, where they stand alone or among others that say so: hints such as that one must log in.
fn leave_out_notices(posts: &mut Vec<Post>) {
    let is_signed =
        |post: &Post| post.kind != PostKind::Comment || post.author.is_some() || post.date.is_some();
    if posts.len() == 1 || posts.iter().any(is_signed) {
        posts.retain(is_signed);
    }
}

/// The posts of a thread, with the comments below a question and its answers.
pub(crate) fn posts(of: &ThreadPage<'_, '_>, thread: &Thread) -> (Vec<Post>, u64) {
    let mut room = Room::default();
    let starts = thread.ranges.iter().map(|range| range.0);
    let mut found: Vec<(u32, Post)> = starts.zip(thread.posts.iter().cloned()).collect();
    // Elsewhere names of elements call the posts themselves comments and replies.
    if found.iter().any(|(_, post)| post.kind == PostKind::Answer) {
        let is_body = |part: &Part| matches!(part, Part::Body | Part::Quote);
        let taken: Vec<bool> = thread.parts.iter().map(is_body).collect();
        let below = named(of.page, &taken, &taken, of.context.order, &mut room);
        found.extend(below.into_iter().filter(|(_, post)| says_something(post)));
    }
    found.sort_by_key(|(first, _)| *first);
    (found.into_iter().map(|(_, post)| post).collect(), room.left_out + thread.left_out)
}

/// Leaves out comments that repeat an earlier one, and those whose lines another of the same author holds.
fn leave_out_repeats(comments: &mut Vec<Post>) {
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
