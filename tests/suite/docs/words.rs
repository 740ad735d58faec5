//! Words that readers stumble over stay out of pages, doc comments, help texts and descriptions of columns.

use super::{all_pages, read, sources};

/// Phrases that have a plain word, in small letters, and the plain word.
const PHRASES: [(&str, &str); 11] = [
    ("so many", "this many, or the name of the number"),
    ("none where", "empty if, `None` if"),
    ("that which", "the one that, what"),
    ("one row a ", "one row per"),
    ("one row an ", "one row per"),
    ("cost themselves alone", "cannot stop the run"),
    ("counts of its url", "is the current one of its URL"),
    ("led into the archive", "rewritten to point into the archive"),
    ("of those that either has", "Jaccard similarity"),
    ("shall not weigh", "run … first to leave them out"),
    ("that begin so", "with this prefix"),
];
/// The phrase of which pages have none, and Rust no more than [`MOST_IN_RUST`].
const WHAT_IS: &str = "what is";
/// How often doc comments and descriptions in Rust say "what is". The number may only fall: lower it when it does.
const MOST_IN_RUST: usize = 34;

/// The part of a page that is written by hand: what stands below the mark comes from the program.
fn by_hand(page: &str) -> String {
    let text = read(page);
    text.split("<!-- Below: made from the program.").next().unwrap_or_default().to_lowercase()
}

/// Doc comments (help texts are such) and descriptions of columns of a file, in small letters, wrapped lines joined.
fn prose(source: &str) -> String {
    let mut out = String::new();
    for line in source.lines().map(str::trim) {
        match line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) {
            Some(comment) => out.push_str(comment),
            None if line.contains(" = \"") && line.ends_with("\";") => out = out + "\n" + line + "\n",
            None => out.push('\n'),
        }
    }
    out.to_lowercase()
}

/// Each line of `text` with a phrase, as the message of a failed test.
fn hard(name: &str, text: &str, phrases: &[(&str, &str)]) -> Vec<String> {
    let found = phrases.iter().flat_map(|(phrase, plain)| {
        let lines = text.lines().filter(move |line| line.contains(phrase));
        lines.map(move |line| format!("{name}: \"{phrase}\" (say: {plain}): {}", line.trim()))
    });
    found.collect()
}

#[test]
fn pages_say_it_plainly() {
    let pages = all_pages().into_iter().filter(|page| page == "README.md" || page.starts_with("docs/"));
    let phrases = [&PHRASES[..], &[(WHAT_IS, "the noun")]].concat();
    let hard: Vec<String> = pages.flat_map(|page| hard(&page, &by_hand(&page), &phrases)).collect();
    assert!(hard.is_empty(), "{}", hard.join("\n"));
}

#[test]
fn rust_says_it_plainly() {
    let mut all = Vec::new();
    let mut what_is = 0;
    for path in sources() {
        let text = prose(&std::fs::read_to_string(&path).unwrap());
        all.extend(hard(&path.display().to_string(), &text, &PHRASES));
        what_is += text.matches(WHAT_IS).count();
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(what_is <= MOST_IN_RUST, "\"{WHAT_IS}\" stands {what_is} times in Rust: at most {MOST_IN_RUST}");
}
