//! What the writer of a mail or post says: without its head, quotations and what introduces them.
//!
//! **Definition.** The head ends at the first empty line, where the text begins with a field (`Name: value`). A line is quoted where it begins with
//! `>` or `|`, and introduces a quotation where it says so in the words that mail programs write (`wrote:`, `In article`).

/// The own words of a mail.
pub fn body(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let begins = text.lines().next().is_some_and(is_field);
    let mut lines = text.lines();
    if begins {
        for line in lines.by_ref() {
            if line.is_empty() {
                break;
            }
        }
    }
    let mut own = String::with_capacity(text.len());
    for line in lines.filter(|line| !is_quoted(line)) {
        own.push_str(line);
        own.push('\n');
    }
    own.truncate(own.trim_end().len());
    own
}

fn is_field(line: &str) -> bool {
    line.split_once(':').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

fn is_quoted(line: &str) -> bool {
    const BEGINNINGS: [&str; 4] = [">", "|", "In article", "Quoted from"];
    const INTRODUCTIONS: [&str; 5] = ["writes in", "writes:", "wrote:", "says:", "said:"];
    let begins = line.trim_start().starts_with('>') || BEGINNINGS.iter().any(|with| line.starts_with(with));
    begins || INTRODUCTIONS.iter().any(|words| line.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_words_stay() {
        let mail = "From: a@b.c\nSubject: tea\n\nIn article <1@x>, Ann\n wrote:\n>Green?\n > Black?\n\nGreen: of course.\n";
        assert_eq!(body(mail), "\nGreen: of course.");
        assert_eq!(body("No head here\n\nand more"), "No head here\n\nand more");
        assert_eq!(body("A: 1\nB: 2"), "");
        assert_eq!(body(""), "");
    }
}
