//! Text that may stand in the page, and numbers that say where they are from.

use std::fmt::Write;

/// HTML in which all foreign text is escaped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Html(String);

impl Html {
    /// Text.
    pub fn text(text: &str) -> Self {
        Html(escape(text))
    }

    /// A count that table `summary` has; `of` is its section and name, as `corpus: captures`.
    pub fn count(n: u64, of: &str) -> Self {
        Self::number(n as f64, &thousands(n), of)
    }

    /// A number that table `summary` has, as it is written.
    pub fn number(value: f64, written: &str, of: &str) -> Self {
        Html(format!("<data value=\"{value}\" data-of=\"{}\">{}</data>", escape(of), escape(written)))
    }

    /// A template whose `{0}`, `{1}` … are replaced.
    pub fn fill(template: &str, with: &[Html]) -> Self {
        let mut out = String::new();
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            out.push_str(&escape(&rest[..at]));
            let end = rest[at..].find('}').map_or(rest.len(), |end| at + end + 1);
            let part = rest[at + 1..end].trim_end_matches('}').parse::<usize>().ok();
            match part.and_then(|n| with.get(n)) {
                Some(part) => out.push_str(&part.0),
                None => out.push_str(&escape(&rest[at..end])),
            }
            rest = &rest[end..];
        }
        out.push_str(&escape(rest));
        Html(out)
    }

    /// A name, as a link where it is a http(s) URL; shortened for the eye.
    pub fn name(name: &str) -> Self {
        let shown = escape(&shorten(name, 90));
        if name.starts_with("http://") || name.starts_with("https://") {
            Html(format!("<a rel=\"noreferrer noopener\" href=\"{}\">{shown}</a>", escape(name)))
        } else {
            Html(format!("<code>{shown}</code>"))
        }
    }

    /// A title that leads to its page, where that is a http(s) URL.
    pub fn titled(title: &str, url: &str) -> Self {
        let title = escape(&shorten(title.trim(), 80));
        if url.starts_with("http://") || url.starts_with("https://") {
            Html(format!("<a rel=\"noreferrer noopener\" href=\"{}\">{title}</a>", escape(url)))
        } else {
            Html(title)
        }
    }

    /// All of them, `between` between each two.
    pub fn join(parts: &[Html], between: &str) -> Self {
        let parts: Vec<&str> = parts.iter().map(|part| part.0.as_str()).collect();
        Html(parts.join(&escape(between)))
    }

    /// The HTML.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Html {
    fn from(text: &str) -> Self {
        Html::text(text)
    }
}

impl From<String> for Html {
    fn from(text: String) -> Self {
        Html::text(&text)
    }
}

/// `1234567` as `1,234,567`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// Escapes text for HTML, in element content and double-quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Controls and bidirectional overrides would let a page's title rearrange ours.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// At most so many characters, the last one an ellipsis where some are left out.
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// `part` of `whole` in percent; nothing of an empty whole.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { String::new() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// A table under a picture, folded away: summary, heads and rows; the first cell of a row names it.
pub(crate) fn folded_table(summary: &str, heads: &[String], rows: &[Vec<Html>]) -> String {
    let mut html = format!(
        "<details><summary>{}</summary><div class=flow><table class=plain><thead><tr>",
        escape(summary)
    );
    for (i, head) in heads.iter().enumerate() {
        let class = if i > 0 { " class=n" } else { "" };
        let _ = write!(html, "<th scope=col{class}>{}", escape(head));
    }
    html.push_str("</thead><tbody>");
    for row in rows {
        for (i, cell) in row.iter().enumerate() {
            let open = if i == 0 { "<tr><th scope=row>" } else { "<td class=n>" };
            let _ = write!(html, "{open}{}", cell.as_str());
        }
    }
    html.push_str("</table></div></details>\n");
    html
}
