//! Titles that say nothing: what programs call pages, documents, slides and sheets that nobody named.
//!
//! Titles of pages and of documents are held against the one list, `placeholder_titles.txt`: names in the languages of the programs,
//! with a number behind or without, and names that say nothing with a number only (`Slide 1`).

use std::collections::HashSet;
use std::sync::LazyLock;

struct Placeholders {
    unnamed: HashSet<&'static str>,
    numbered: HashSet<&'static str>,
}

static PLACEHOLDERS: LazyLock<Placeholders> = LazyLock::new(|| {
    let list = include_str!("placeholder_titles.txt");
    let (unnamed, numbered) = list.split_once("\n== numbered\n").unwrap_or((list, ""));
    let entries = |lines: &'static str| lines.lines().flat_map(|line| line.split(" | ")).collect();
    Placeholders { unnamed: entries(unnamed), numbered: entries(numbered) }
});

/// Characters of the longest placeholder, with its number.
const MAX_CHARS: usize = 60;

/// Whether a title is what a program calls a page, a document, a slide or a sheet that nobody named.
///
/// # Examples
/// ```
/// use webmill_html::is_placeholder_title;
/// assert!(is_placeholder_title("Untitled-2") && is_placeholder_title("新建网页 1") && is_placeholder_title("Slide 1"));
/// assert!(!is_placeholder_title("Slide") && !is_placeholder_title("Untitled works of 1920"));
/// ```
pub fn is_placeholder_title(title: &str) -> bool {
    if title.chars().take(MAX_CHARS + 1).count() > MAX_CHARS {
        return false;
    }
    let lower = title.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let unnumbered =
        bare.trim_end_matches(|c: char| c.is_numeric() || matches!(c, ' ' | '-' | '_' | '(' | '.' | '#'));
    PLACEHOLDERS.unnamed.contains(bare)
        || PLACEHOLDERS.unnamed.contains(unnumbered)
        || unnumbered.len() < bare.len() && PLACEHOLDERS.numbered.contains(unnumbered)
}
