//! Lines around comments that say nothing: counts, labels, members' cards.

use super::Post;
use webmill_html::is_wide;

/// What lines of members' cards and around comments begin with, in lower case.
const LABELS: &str = "joined,join date,registered,member since,location,messages,posts,threads,topics,likes,\
    like,points,reaction score,reputation,from,offline,online,reply to,reply,replies,quote,\
    share,report,views,comments are closed,comments,registriert,beiträge,ort,antworten,\
    zitieren,注册时间,帖子,回复";
/// Words of a line that is a label with its value.
const MAX_LABELLED: usize = 6;

/// Whether a line is a number, a label, or a label with its value.
pub(super) fn is_label(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    let labelled = |label: &str| {
        let Some(rest) = lower.strip_prefix(label) else { return false };
        let apart = !label.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'');
        let sentence = rest.ends_with(['.', '!', '?']) && rest.len() > 1;
        let few = line.split_whitespace().count() <= MAX_LABELLED && line.chars().count() <= 60;
        apart && few && !sentence
    };
    !lower.contains(char::is_alphabetic) || LABELS.split(',').any(labelled)
}

/// Whether a comment holds a paragraph of some words, or a short one that reads like a sentence.
pub(super) fn says_something(comment: &Post) -> bool {
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
