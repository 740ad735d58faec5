//! The `Link:` header of HTTP.
//!
//! **Definition.** Link values separated by commas: a reference in angles, then parameters (`rel=next`, `as=style`,
//! `title="a, b"`). Names of parameters are compared without case, the first of a name counts.
//!
//! **Bad input.** Read as RFC 8288, appendix B, says: what does not begin with an angle ends the reading; a quote that is not
//! closed goes to the end. At most [`MAX_LINKS`] links and [`MAX_PARAMETERS`] parameters a link are read.
//!
//! **Cost.** One pass. **Reference.** RFC 8288.

use webmill_capture::cut::Cut;

/// Links of one header that are read.
pub const MAX_LINKS: usize = 10_000;
/// Parameters of one link that are read.
pub const MAX_PARAMETERS: usize = 32;

/// One link value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderLink<'a> {
    /// The reference, as written, to be resolved against the URL of the answer.
    pub target: &'a str,
    /// Names in lower case and values without quotes, in order.
    pub parameters: Vec<(String, String)>,
}

impl HeaderLink<'_> {
    /// The first parameter of a name (lower case).
    pub fn get(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The links of one `Link:` header.
///
/// # Examples
/// ```
/// use webmill_html::link_header;
/// let links = link_header("</2>; rel=next, <style.css>;rel=\"preload\"; as=style");
/// assert_eq!(links[0].target, "/2");
/// assert_eq!((links[1].get("rel"), links[1].get("as")), (Some("preload"), Some("style")));
/// ```
pub fn link_header(value: &str) -> Vec<HeaderLink<'_>> {
    let mut links = Vec::new();
    let mut rest = value;
    while links.len() < MAX_LINKS {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let Some((target, after)) = rest.strip_prefix('<').and_then(|inside| inside.split_once('>')) else {
            break;
        };
        let mut link = HeaderLink { target: target.trim(), parameters: Vec::new() };
        rest = parameters(after, &mut link.parameters);
        links.push(link);
    }
    links
}

/// Reads the parameters at the start; what comes after them.
fn parameters<'a>(mut rest: &'a str, into: &mut Vec<(String, String)>) -> &'a str {
    loop {
        rest = blank(rest);
        let Some(after) = rest.strip_prefix(';') else {
            // Whatever stands before the next comma is no parameter.
            return rest.find(',').map_or("", |comma| rest.cut(comma + 1..));
        };
        rest = blank(after);
        let length = rest.find(['=', ';', ',', ' ', '\t']).unwrap_or(rest.len());
        let name = rest.cut(..length).to_ascii_lowercase();
        rest = blank(rest.cut(length..));
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            (value, rest) = parameter_value(blank(after));
        }
        if !name.is_empty() && into.len() < MAX_PARAMETERS {
            into.push((name, value));
        }
    }
}

/// A token or a quoted string at the start, and what follows it.
fn parameter_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let length = text.find([';', ',']).unwrap_or(text.len());
        return (text.cut(..length).trim_end().to_owned(), text.cut(length..));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return (value, quoted.cut(at + 1..)),
            '\\' => value.extend(characters.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    (value, "")
}

fn blank(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A target with its parameters.
    type ExpectedLink = (&'static str, &'static [(&'static str, &'static str)]);

    #[test]
    fn links_and_parameters() {
        let cases: [(&str, &[ExpectedLink]); 12] = [
            ("", &[]),
            ("<a>", &[("a", &[])]),
            ("<a>; rel=next", &[("a", &[("rel", "next")])]),
            (
                "<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous chapter\"",
                &[(
                    "http://example.com/TheBook/chapter2",
                    &[("rel", "previous"), ("title", "previous chapter")],
                )],
            ),
            (
                "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, </TheBook/chapter4>; rel=\"next\"",
                &[
                    ("/TheBook/chapter2", &[("rel", "previous"), ("title*", "UTF-8'de'letztes%20Kapitel")]),
                    ("/TheBook/chapter4", &[("rel", "next")]),
                ],
            ),
            ("<a,b>;REL = next , <c>", &[("a,b", &[("rel", "next")]), ("c", &[])]),
            (
                "<a>;rel=\"x, \\\"y\\\"\";as=style,<b>",
                &[("a", &[("rel", "x, \"y\""), ("as", "style")]), ("b", &[])],
            ),
            ("<a>;crossorigin;rel=preload", &[("a", &[("crossorigin", ""), ("rel", "preload")])]),
            ("<a> nonsense, <b>", &[("a", &[]), ("b", &[])]),
            ("<a>;rel=\"open, <b>", &[("a", &[("rel", "open, <b>")])]),
            ("a, <b>", &[]),
            ("<a", &[]),
        ];
        for (value, expected) in cases {
            let read = link_header(value);
            let read: Vec<_> = read
                .iter()
                .map(|link| {
                    (
                        link.target,
                        link.parameters.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect::<Vec<_>>(),
                    )
                })
                .collect();
            let expected: Vec<_> = expected.iter().map(|(target, all)| (*target, all.to_vec())).collect();
            assert_eq!(read, expected, "{value}");
        }
    }
}
