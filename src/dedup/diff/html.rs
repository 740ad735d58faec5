//! A comparison as one HTML page that needs nothing else.
//!
//! No scripts, no links to the outside, no addresses that are loaded: the page's own policy forbids them. Everything that
//! comes from the texts and their names is escaped; controls and what turns the direction of writing are made visible;
//! each cell is isolated, so that right-to-left text in it moves nothing outside. Own words are `del` on the left and
//! `ins` on the right, moved passages are linked with each other. They differ by the kind of their underline too, not by
//! colour alone, and screen readers are told by words that are not shown.

use std::io::{Result, Write};

use crate::diff::layout::{DiffView, Kind, Row, Span, visible};

const HEAD: &str = r#"<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 90rem; padding: 0 1rem }
table { border-collapse: collapse; table-layout: fixed; width: 100% }
th, td { border-bottom: 1px solid #8884; overflow-wrap: anywhere; padding: .2rem .7rem; text-align: start; unicode-bidi: isolate; vertical-align: top; white-space: pre-wrap }
td + td, th + th { border-inline-start: 1px solid #8888 }
caption { font-weight: bold; text-align: start }
del { background: #e5484d40; text-decoration: underline dashed #e5484d 2px }
ins { background: #30a46c40; text-decoration: underline solid #30a46c 2px }
mark { background: #f5d90a50; color: inherit; text-decoration: underline dotted 2px }
del::before, ins::before, mark::before { clip-path: inset(100%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px }
del::before { content: " [only in the first: " }
ins::before { content: " [only in the second: " }
mark::before { content: " [moved: " }
mark:target { outline: 2px solid #f5d90a }
.folded { color: #888; text-align: center }
</style>
"#;

impl DiffView<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// Those of `out`.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{DiffOptions, DiffView, TextDiff};
    /// let (a, b) = ("The old <mill> grinds.", "The new <mill> grinds.");
    /// let diff = TextDiff::of(a, b, &DiffOptions::default())?;
    /// let mut out = Vec::new();
    /// DiffView::new(&diff, a, b).write_html(&mut out).expect("a vector takes all");
    /// assert!(String::from_utf8_lossy(&out).contains("The <del>old &lt;</del>mill&gt; grinds."));
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn write_html(&self, out: &mut dyn Write) -> Result<()> {
        let (a, b) = (escaped(self.names.0), escaped(self.names.1));
        writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">")?;
        writeln!(out, "<title>{a} and {b}</title>")?;
        out.write_all(HEAD.as_bytes())?;
        writeln!(out, "<main>\n<h1>Two texts</h1>\n<p>{}.</p>", escaped(&self.summary()))?;
        writeln!(
            out,
            "<p><del>only in the first</del> · <ins>only in the second</ins> · <mark>moved</mark></p>"
        )?;
        writeln!(
            out,
            "<table>\n<caption>Both texts beside each other</caption>\n<tr><th scope=\"col\" dir=\"auto\">{a}</th><th scope=\"col\" dir=\"auto\">{b}</th></tr>"
        )?;
        self.rows(|row| match row {
            Row::Texts(left, right) => {
                write!(out, "<tr><td dir=\"auto\">")?;
                cell(out, &left, "del", ("a", "b"))?;
                write!(out, "</td><td dir=\"auto\">")?;
                cell(out, &right, "ins", ("b", "a"))?;
                writeln!(out, "</td></tr>")
            }
            Row::Folded(words) => {
                writeln!(out, "<tr><td class=\"folded\" colspan=\"2\">… {words} shared words …</td></tr>")
            }
        })?;
        writeln!(out, "</table>\n</main>\n</html>")
    }
}

/// Writes the stretches of a cell; `sides` are the letters of this text and the other one in the names of passages.
fn cell(out: &mut dyn Write, spans: &[Span<'_>], own: &str, sides: (&str, &str)) -> Result<()> {
    for (i, span) in spans.iter().enumerate() {
        // The white space that ends a cell would make an empty line of it.
        let text = if i + 1 == spans.len() { span.text.trim_end() } else { span.text };
        let inner = text.trim_end();
        let (inner, after) = (escaped(inner), escaped(&text[inner.len()..]));
        match span.kind {
            _ if inner.is_empty() => {}
            Kind::Shared => write!(out, "{inner}")?,
            Kind::Own => write!(out, "<{own}>{inner}</{own}>")?,
            Kind::Moved(number) => write!(
                out,
                "<mark id=\"{0}{number}\"><a href=\"#{1}{number}\">{number}</a> {inner}</mark>",
                sides.0, sides.1
            )?,
        }
        write!(out, "{after}")?;
    }
    Ok(())
}

/// Text that no browser reads as anything but text.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\r' => {}
            _ => out.push(visible(c)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{DiffOptions, TextDiff};
    use proptest::prelude::*;

    fn page(a: &str, b: &str, names: (&str, &str)) -> String {
        let diff = TextDiff::of(a, b, &DiffOptions::default()).unwrap();
        let mut out = Vec::new();
        DiffView::new(&diff, a, b).named(names.0, names.1).write_html(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn words(from: usize, count: usize) -> String {
        (from..from + count).map(|i| format!("w{i} ")).collect()
    }

    #[test]
    fn shared_and_own_words_stand_beside_each_other() {
        let html = page("one two three\n\nnext", "one 2 three\n\nnext", ("http://a.com/?x=1&y=2", "b"));
        assert!(
            html.contains(
                "<td dir=\"auto\">one <del>two</del> three</td><td dir=\"auto\">one <ins>2</ins> three</td>"
            ),
            "{html}"
        );
        assert!(html.contains("<title>http://a.com/?x=1&amp;y=2 and b</title>"));
        assert!(html.contains("<td dir=\"auto\">next</td><td dir=\"auto\">next</td>"));
    }

    #[test]
    fn moved_passages_are_linked() {
        let (p, q) = (words(0, 30), words(100, 6));
        let html = page(&format!("{p}{q}"), &format!("{q}{p}"), ("a", "b"));
        for part in ["<mark id=\"a1\"><a href=\"#b1\">", "<mark id=\"b1\"><a href=\"#a1\">"] {
            assert_eq!(html.matches(part).count(), 1, "{html}");
        }
    }

    #[test]
    fn hostile_texts_stay_text() {
        let evil = "</td></table><script>alert(1)</script><img src=x onerror=alert(1)> \0 \u{202E} ]]> <!-- &#60; \"'";
        let html = page(evil, "<style>*{}</style>", (evil, "javascript:alert(1)\" onclick=\""));
        let body = &html[html.find("</style>").unwrap() + 8..];
        for part in ["<script", "<img", "<style", "<!--", "\0", "\u{202E}", "\" onclick"] {
            assert!(!body.contains(part), "{part:?} in {body}");
        }
        assert!(!html[..html.find("<style>").unwrap()].contains("<script"));
    }

    proptest! {
        #[test]
        fn only_tags_of_the_page_are_written(a in "(\\PC|[<>&\"'a-c \n\0]){0,60}", b in "(\\PC|[<>&\"'a-c \n]){0,60}") {
            let html = page(&a, &b, (&a, &b));
            let body = &html[html.find("</style>").unwrap() + 8..];
            let known = ["main", "/main", "caption", "/caption", "h1", "/h1", "p", "/p", "table", "/table", "tr", "/tr", "th", "/th", "td", "/td", "del", "/del", "ins", "/ins", "mark", "/mark", "a", "/a", "/html"];
            for tag in body.split('<').skip(1) {
                let name = tag.split(['>', ' ']).next().unwrap();
                prop_assert!(known.contains(&name), "{}", tag);
            }
            prop_assert_eq!(body.matches("<td").count(), body.matches("</td>").count());
        }
    }
}
