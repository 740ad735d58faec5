//! Readers' comments, apart from the main text.
//!
//! **Definition.** A block is of a comment if names around it say so ([`Kind::Comment`]) and it is not main text, nor in a
//! form, a tool bar or a pager nearer than that. A comment is the innermost element around such a block that also holds
//! a byline, a user's name or a date; its first byline that is no date names the author. On pages where the comments are
//! the main text (a thread) they are there and not here. Where no comment of the page has a byline, prose under a heading
//! on comments is none: sections of handbooks are called `comments` too. What holds no sentence (cards
//! of members, counts, labels), what repeats another, and what another of the same author holds is left out.
//!
//! **Cost.** Linear in blocks times depth; [`MAX_COMMENTS`] comments of together [`MAX_BYTES`] bytes are kept.

use std::collections::{HashMap, HashSet};

use crate::blocks::class_names::{Kind, kinds_of};
use crate::blocks::elements::heading;
use crate::blocks::page::{Block, FAR, NONE, Page};
use crate::person_name::clean_author;
use webmill_html::{DateOrder, WrittenDate, find_date, is_wide};

const MAX_COMMENTS: usize = 2_000;
const MAX_BYTES: usize = 2 << 20;
/// Words of a byline at most.
const MAX_BYLINE_UNITS: f32 = 12.0;
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

/// Whether a block tells who wrote a comment, or when.
fn is_byline(page: &Page, block: &Block) -> bool {
    let distance = &page.containers[block.container as usize].distance;
    let said = |kind: Kind| distance[kind as usize] <= 1 || block.inline_kinds & kind.bit() != 0;
    block.counts.units <= MAX_BYLINE_UNITS
        && (said(Kind::Byline)
            || said(Kind::User)
            || block.counts.digits >= 3 && is_dated(page.text_of(block)))
}

/// Whether a block is in something that belongs to comments and is none: a form, buttons.
fn is_beside(page: &Page, block: &Block) -> bool {
    let distance = &page.containers[block.container as usize].distance;
    let comment = distance[Kind::Comment as usize];
    let nearer = |kind: Kind| distance[kind as usize] < FAR && distance[kind as usize] <= comment;
    let counts = &block.counts;
    let link = counts.units <= 6.0 && counts.link_units > 0.8 * counts.units;
    [Kind::Form, Kind::Tool, Kind::Share, Kind::Nav, Kind::Pager, Kind::Advert].into_iter().any(nearer)
        || distance[Kind::Hidden as usize] < FAR
        || link && !is_byline(page, block)
}

/// The comments among the blocks that are not main text.
pub(crate) fn comments(page: &Page, chosen: &[bool], order: DateOrder) -> Vec<Comment> {
    let marked = |block: &Block| {
        page.containers[block.container as usize].distance[Kind::Comment as usize] < FAR
            || block.inline_kinds & Kind::Comment.bit() != 0
    };
    let wanted: Vec<bool> = page
        .blocks
        .iter()
        .zip(chosen)
        .map(|(block, main)| !main && marked(block) && !is_beside(page, block))
        .collect();
    if !wanted.contains(&true) {
        return Vec::new();
    }
    // Bylines and other blocks before each block, so that whether a container holds one takes constant time.
    let mut before = vec![(0u32, 0u32)];
    for (block, wanted) in page.blocks.iter().zip(&wanted) {
        let (bylines, others) = before.last().copied().unwrap_or_default();
        let byline = *wanted && is_byline(page, block);
        before.push((bylines + u32::from(byline), others + u32::from(*wanted && !byline)));
    }
    let mut out: Vec<Comment> = Vec::new();
    // Whether each is under no such heading.
    let mut sure: Vec<bool> = Vec::new();
    let mut places: Vec<u32> = Vec::new();
    let mut bytes = 0;
    for (block, _) in page.blocks.iter().zip(&wanted).filter(|(_, wanted)| **wanted) {
        let place = item_of(page, block, &before);
        if place == NONE || out.len() >= MAX_COMMENTS {
            continue;
        }
        let text = page.text_of(block);
        bytes += text.len();
        if bytes > MAX_BYTES {
            break;
        }
        // Replies are inside of what they answer, which may go on behind them.
        let at = match places.iter().rposition(|&known| known == place) {
            Some(at) if places.len() - at <= 64 => at,
            _ => {
                out.push(Comment::default());
                places.push(place);
                sure.push(!under_heading(page, place));
                out.len() - 1
            }
        };
        let comment = &mut out[at];
        if is_byline(page, block) && comment.text.is_empty() {
            let date = date_in(text, order);
            if comment.date.is_none() {
                comment.date.clone_from(&date);
            }
            if comment.author.is_none() {
                let name = before_date(text);
                // What is before the date may be the name of its month.
                let apart = || is_dated(&text[name.len()..]);
                if !is_dated(text) || block.counts.letters > 2 * block.counts.digits || apart() {
                    comment.author = clean_author(name);
                }
            }
            continue;
        }
        if heading(page.containers[block.container as usize].tag).is_some() && comment.text.is_empty() {
            continue;
        }
        if is_byline(page, block) && is_dated(text) {
            // A date below the comment.
            comment.date = comment.date.take().or_else(|| date_in(text, order));
            continue;
        }
        if !comment.text.is_empty() {
            comment.text.push('\n');
        }
        comment.text.push_str(text);
    }
    let named = |comment: &Comment| comment.author.is_some() || comment.date.is_some();
    if !out.iter().any(|comment| named(comment) && says_something(comment)) {
        let mut sure = sure.iter();
        out.retain(|_| sure.next() == Some(&true));
    }
    out.retain(says_something);
    leave_out_repeats(&mut out);
    out
}

/// Whether a text holds a date; before 1990 nobody commented on pages.
fn is_dated(text: &str) -> bool {
    let recent = |date: &String| date.as_str() >= "1990";
    find_date(text, DateOrder::Undecided).is_some_and(|date| match &date {
        WrittenDate::Certain(date) | WrittenDate::Ambiguous { month_first: date, .. } => recent(date),
    })
}

/// The date in a text, if it is certain.
fn date_in(text: &str, order: DateOrder) -> Option<String> {
    find_date(text, order).filter(|_| is_dated(text))?.certain()
}

/// Whether the nearest element called comments around a container begins with a heading that it is called after: a
/// section of a handbook on comments. Headings with numbers (`3 comments`) are no such.
fn under_heading(page: &Page, place: u32) -> bool {
    let mut at = place;
    loop {
        let it = &page.containers[at as usize];
        let distance = it.distance[Kind::Comment as usize];
        if distance == 0 {
            let first = &page.blocks[it.first as usize];
            return heading(page.containers[first.container as usize].tag).is_some()
                && first.counts.digits == 0
                && kinds_of(&page.text_of(first).replace(' ', "-")) & Kind::Comment.bit() != 0;
        }
        if distance == FAR || it.parent == at || it.parent == NONE {
            return false;
        }
        at = it.parent;
    }
}

/// What lines of members' cards and around comments begin with, in lower case.
const LABELS: [&str; 34] = [
    "joined",
    "join date",
    "registered",
    "member since",
    "location",
    "messages",
    "posts",
    "threads",
    "topics",
    "likes",
    "like",
    "points",
    "reaction score",
    "reputation",
    "from",
    "offline",
    "online",
    "reply to",
    "reply",
    "replies",
    "quote",
    "share",
    "report",
    "views",
    "comments are closed",
    "comments",
    "registriert",
    "beiträge",
    "ort",
    "antworten",
    "zitieren",
    "注册时间",
    "帖子",
    "回复",
];
/// Words of a line that is a label with its value.
const MAX_LABELLED: usize = 6;

/// Whether a line is a number, a label, or a label with its value.
fn is_label(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    let labelled = |label: &str| {
        let Some(rest) = lower.strip_prefix(label) else { return false };
        let apart = !label.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'');
        let sentence = rest.ends_with(['.', '!', '?']) && rest.len() > 1;
        let few = line.split_whitespace().count() <= MAX_LABELLED && line.chars().count() <= 60;
        apart && few && !sentence
    };
    !lower.contains(char::is_alphabetic) || LABELS.iter().any(|label| labelled(label))
}

/// Whether a comment holds a paragraph of some words, or a short one that reads like a sentence.
fn says_something(comment: &Comment) -> bool {
    let known = usize::from(comment.author.is_some()) + usize::from(comment.date.is_some());
    comment.text.lines().filter(|line| !is_label(line)).any(|line| {
        let wide = line.chars().filter(|&c| is_wide(c)).count();
        line.split_whitespace().count() >= 5
            || wide >= 6
            || line.trim_end().ends_with(['.', '!', '?', '…', '。', '！', '？']) && line.chars().count() > 3
            || known > 0
                && line.split_whitespace().count() + known >= 4
                && line.split_whitespace().skip(1).any(|word| word.starts_with(char::is_lowercase))
    })
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

/// A byline up to its first digit: `Ann, 3 May 2020`.
fn before_date(text: &str) -> &str {
    let end = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let name = text[..end].trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')');
    let said = [
        " says",
        " said",
        " wrote",
        " writes",
        " on",
        " at",
        " schrieb",
        " sagt",
        " a dit",
        " 说",
        " 发表于",
        "发表于",
    ];
    said.iter().fold(name, |name, end| name.strip_suffix(end).unwrap_or(name))
}

/// The innermost container around a block that holds a byline too, up to the outermost that is called comments.
fn item_of(page: &Page, block: &Block, before: &[(u32, u32)]) -> u32 {
    let mut at = block.container;
    loop {
        let it = &page.containers[at as usize];
        if it.distance[Kind::Comment as usize] == FAR {
            break;
        }
        let (first, end) = (before[it.first as usize], before[it.end as usize]);
        if end.0 > first.0 {
            // An element of nothing but the byline is no comment yet.
            let bare = at == block.container && is_byline(page, block) && end.1 == first.1;
            if !bare {
                return at;
            }
        }
        if it.parent == at || it.parent == NONE {
            break;
        }
        at = it.parent;
    }
    // Without a byline: prose is a comment of its own.
    if block.counts.units >= 8.0 && block.counts.link_units < 0.5 * block.counts.units {
        block.container
    } else {
        NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    fn read(source: &str) -> Vec<(Option<String>, Option<String>, String)> {
        let dom = parse(source, &Limits::default());
        let page = blocks(&dom, dom.body().expect("a body"));
        let chosen: Vec<bool> = page.blocks.iter().map(|b| page.text_of(b).starts_with("MAIN")).collect();
        comments(&page, &chosen, DateOrder::Undecided)
            .into_iter()
            .map(|c| (c.author, c.date, c.text))
            .collect()
    }

    fn some(author: &str, date: &str, text: &str) -> (Option<String>, Option<String>, String) {
        (Some(author.to_string()), Some(date.to_string()), text.to_string())
    }

    #[test]
    fn threads_with_replies() {
        let found = read(
            "<article><p>MAIN text</p></article><div id=comments><h3>2 comments</h3><ol class=comment-list>
            <li class=comment><div class=comment-author>Ann Lee says:</div><div class=comment-meta><a href=#c1>May 3, 2020 at 8:00</a></div>
            <div class=comment-content><p>First words.<p>Second words.</div><div class=reply><a href=#r>Reply</a></div>
              <ul class=children><li class=comment><div class=comment-author>Bo</div><div class=comment-meta>2020-05-04</div>
              <div class=comment-content><p>I agree with you.</div></ul>
            <li class=comment><div class=comment-author>王小明</div><div class=comment-meta>2020年5月5日</div><p>说得好。</p></ol>
            <div id=respond class=comment-respond><form class=comment-form><p>Your e-mail address will not be published at all.</p></form></div></div>",
        );
        let want = vec![
            some("Ann Lee", "2020-05-03", "First words.\nSecond words."),
            some("Bo", "2020-05-04", "I agree with you."),
            some("王小明", "2020-05-05", "说得好。"),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn bylines_without_an_element_of_their_own() {
        let found = read(
            "<p>MAIN text</p><div class=comments><h3>两条评论</h3>
            <div class=comment><span class=author>老船工</span> <span class=date>2024-06-08</span><p>桨要听风的。</p></div></div>",
        );
        assert_eq!(found[0], some("老船工", "2024-06-08", "桨要听风的。"));
        let found = read(
            "<div class=comments><div class=comment><div class=meta>May 3, 2020</div><p>No name stands over this one.</div></div>",
        );
        assert_eq!(
            found,
            [(None, Some("2020-05-03".to_string()), "No name stands over this one.".to_string())]
        );
    }

    #[test]
    fn what_is_main_text_or_no_comment_is_left() {
        assert_eq!(
            read(
                "<div class=comments><div class=comment><b class=user>A</b><p>MAIN words of a thread</div></div>"
            ),
            []
        );
        assert_eq!(read("<p>No names at all, only a paragraph of words that stand here.</p>"), []);
        assert_eq!(read("<div class=comments><a href=/c>Leave a comment</a></div>"), []);
        let bare = read(
            "<div class=comments><p>Somebody wrote these many words without any name, it seems.</p></div>",
        );
        assert_eq!(bare.len(), 1);
        assert_eq!(bare[0].0, None);
    }

    #[test]
    fn sections_of_handbooks_are_no_comments() {
        let section = "<section id=comments><h2>Comments</h2><p>A line that begins with two slashes is passed over by it.</section>";
        assert_eq!(read(section), []);
        let thread =
            "<div class=comment><b class=user>Ann</b><i>2020-05-03</i><p>Some words of mine here, Bo.</div>";
        assert_eq!(read(&format!("{section}{thread}")).len(), 2);
    }

    #[test]
    fn cards_and_repeats_are_no_comments() {
        let post = |user: &str, words: &str| {
            format!("<div class=comment><b class=user>{user}</b> <i>May 3, 2020</i><p>{words}</div>")
        };
        let none = [
            "Joined: 3 May 2005<p>Location: Old Town<p>Posts: 1,204",
            "Reply to Ann",
            "Comments are closed.",
            "12",
        ];
        for words in none {
            assert_eq!(read(&format!("<div class=comments>{}</div>", post("Bo", words))), [], "{words}");
        }
        let one = post("Ann", "Words that say the same thing.");
        assert_eq!(read(&format!("{one}{one}{}", post("Bo", "Words that say the same thing."))).len(), 2);
        let longer = post("Ann", "Words that say the same thing.<p>And these say more of it.");
        assert_eq!(read(&format!("{one}{longer}")).len(), 1);
        let date_in = |text| date_in(text, DateOrder::Undecided);
        assert_eq!(date_in("3 May 1984"), None);
        assert_eq!(date_in("3 May 1994").as_deref(), Some("1994-05-03"));
        assert!(is_dated("03/04/2024") && date_in("03/04/2024").is_none() && !is_dated("03/04/1984"));
    }

    #[test]
    fn hostile_pages_are_bounded() {
        let deep = "<div class=comment><i class=author>A 2020-01-01</i><p>words here</p>".repeat(20_000);
        assert!(read(&deep).len() <= MAX_COMMENTS);
    }
}
