//! Text as HTML and XML hold it.

/// Appends a character as it stands between tags and in values of attributes in double quotes.
pub fn push_escaped(c: char, out: &mut String) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        c => out.push(c),
    }
}

/// Text as it stands between tags and in values of attributes in double quotes.
///
/// # Examples
/// ```
/// assert_eq!(webmill_capture::escape::escaped("a < \"b\" & c"), "a &lt; &quot;b&quot; &amp; c");
/// ```
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| push_escaped(c, &mut out));
    out
}
