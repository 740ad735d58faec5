//! Scripts: the addresses that modules are imported from.
//!
//! A script runs unchanged; its requests are sent to the archive by the client script
//! ([`super::RUNTIME_JS`]). Only imports are resolved by the browser itself, out of reach of any script: the specifiers of
//! `import … from "/x.js"`, `import "/x.js"`, `export … from "/x.js"` and `import("/x.js")` are rewritten, where they
//! begin like addresses. Specifiers that are computed are not: those that lead out of the archive fail.
//!
//! The scanner knows strings, templates and comments, and takes a `/` for the beginning of a regular expression after
//! what cannot end an operand. Where it is wrong, an import may be missed or a string that looks like one rewritten.
//! Scripts without the words are copied at once. Time is linear.

use super::place::{Modifier, References, Verdict};

/// Rewrites the imports of a script and appends it to `out`.
pub(super) fn rewrite(source: &[u8], references: &References, out: &mut Vec<u8>) {
    let worth = memchr::memmem::find(source, b"import").is_some()
        || memchr::memmem::find(source, b"export").is_some();
    if !worth {
        out.extend_from_slice(source);
        return;
    }
    let mut copied = 0;
    for (start, end) in specifiers(source) {
        let Some(place) = address(&source[start..end], references) else { continue };
        out.extend_from_slice(&source[copied..start]);
        out.extend_from_slice(place.as_bytes());
        copied = end;
    }
    out.extend_from_slice(&source[copied..]);
}

/// Rewrites the addresses of an import map, names and values alike.
pub(super) fn rewrite_import_map(source: &[u8], references: &References, out: &mut Vec<u8>) {
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'"', &source[at..]) {
        let start = at + found + 1;
        let end = string_end(source, start, b'"');
        if let Some(place) = address(&source[start..end], references) {
            out.extend_from_slice(&source[copied..start]);
            out.extend_from_slice(place.as_bytes());
            copied = end;
        }
        at = (end + 1).min(source.len());
    }
    out.extend_from_slice(&source[copied..]);
}

/// What a specifier becomes that begins like an address; others name modules or are relative to their own.
fn address(raw: &[u8], references: &References) -> Option<String> {
    let starts = |with: &str| raw.get(..with.len()).is_some_and(|s| s.eq_ignore_ascii_case(with.as_bytes()));
    let climbs = starts("../") || starts("./");
    let absolute = starts("/") || starts("http://") || starts("https://");
    if !(absolute || climbs) || raw.iter().any(|&b| b == b'\\' || b <= b' ') {
        return None;
    }
    let text = std::str::from_utf8(raw).ok()?;
    match references.judge(raw, Modifier::Script, false) {
        Verdict::Keep => None,
        Verdict::Prefix(put) => Some(put + text),
        Verdict::Join => references.join(text, Modifier::Script),
    }
}

/// Place of the quote that ends a string, or the end of its line or the source.
fn string_end(source: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(&b) = source.get(at) {
        match b {
            b'\\' => at += 1,
            b'\n' | b'\r' => return at,
            _ if b == quote => return at,
            _ => {}
        }
        at += 1;
    }
    source.len()
}

/// What the scanner expects.
#[derive(Copy, Clone, PartialEq)]
enum ScannerState {
    Nothing,
    /// After `import`: a specifier, a parenthesis or names.
    Import,
    /// After `import(`.
    Call,
    /// After `import` or `export` and names: `from`.
    From,
    /// After `from`.
    Specifier,
}

/// The insides of the strings that modules are imported from, in order.
fn specifiers(source: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut expect = ScannerState::Nothing;
    // Whether a slash would divide; of a template, how many braces are open within each `${`.
    let mut operand = false;
    let mut templates: Vec<u32> = Vec::new();
    let mut at = 0;
    while let Some(&b) = source.get(at) {
        match b {
            b'/' if source.get(at + 1) == Some(&b'/') => {
                at += memchr::memchr2(b'\n', b'\r', &source[at..]).unwrap_or(source.len() - at);
            }
            b'/' if source.get(at + 1) == Some(&b'*') => {
                let body = &source[at + 2..];
                at += 2 + memchr::memmem::find(body, b"*/").map_or(body.len(), |end| end + 2);
            }
            b'/' if !operand => {
                at = regex_end(source, at + 1);
                (operand, expect) = (true, ScannerState::Nothing);
            }
            b'"' | b'\'' => {
                let end = string_end(source, at + 1, b);
                if matches!(expect, ScannerState::Import | ScannerState::Call | ScannerState::Specifier) {
                    found.push((at + 1, end));
                }
                at = (end + 1).min(source.len());
                (operand, expect) = (true, ScannerState::Nothing);
            }
            b'`' => {
                at = template_end(source, at + 1, &mut templates);
                (operand, expect) = (templates.is_empty(), ScannerState::Nothing);
            }
            b'{' | b'}' => {
                at += 1;
                match templates.last_mut() {
                    Some(0) if b == b'}' => {
                        templates.pop();
                        at = template_end(source, at, &mut templates);
                        operand = true;
                    }
                    Some(open) if b == b'}' => *open -= 1,
                    Some(open) => *open += 1,
                    None => {}
                }
                // Names may be in braces.
                expect = if matches!(expect, ScannerState::Import | ScannerState::From) {
                    ScannerState::From
                } else {
                    ScannerState::Nothing
                };
                operand = b == b'}' && operand;
            }
            _ if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80 => {
                let length = source[at..]
                    .iter()
                    .position(|&b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80))
                    .unwrap_or(source.len() - at);
                let word = &source[at..at + length];
                let member = at > 0 && source[at - 1] == b'.' && !source[..at].ends_with(b"...");
                expect = match word {
                    b"import" if !member => ScannerState::Import,
                    b"export" if !member => ScannerState::From,
                    b"from" if matches!(expect, ScannerState::From | ScannerState::Import) => {
                        ScannerState::Specifier
                    }
                    _ if matches!(expect, ScannerState::Import | ScannerState::From) => ScannerState::From,
                    _ => ScannerState::Nothing,
                };
                const BEFORE_REGEX: &str =
                    "return typeof case in of delete void throw new do else instanceof";
                operand = !BEFORE_REGEX.split(' ').any(|before| before.as_bytes() == word);
                at += length;
            }
            _ if b.is_ascii_whitespace() => at += 1,
            _ => {
                at += 1;
                expect = match (expect, b) {
                    (ScannerState::Import, b'(') => ScannerState::Call,
                    (ScannerState::Import | ScannerState::From, b'*' | b',') => ScannerState::From,
                    _ => ScannerState::Nothing,
                };
                operand = matches!(b, b')' | b']');
            }
        }
    }
    found
}

/// Behind a regular expression, or the place where its line ends without it.
fn regex_end(source: &[u8], mut at: usize) -> usize {
    let mut class = false;
    while let Some(&b) = source.get(at) {
        match b {
            b'\\' => at += 1,
            b'\n' | b'\r' => return at,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    source.len()
}

/// Behind a template, or behind the `${` that opens code within it.
fn template_end(source: &[u8], mut at: usize, templates: &mut Vec<u32>) -> usize {
    const MAX_TEMPLATES: usize = 64;
    while let Some(&b) = source.get(at) {
        match b {
            b'\\' => at += 1,
            b'`' => return at + 1,
            b'$' if source.get(at + 1) == Some(&b'{') && templates.len() < MAX_TEMPLATES => {
                templates.push(0);
                return at + 2;
            }
            _ => {}
        }
        at += 1;
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use webmill_capture::CanonicalUrl;

    use super::*;

    fn rewritten(source: &str, map: bool) -> String {
        let base = CanonicalUrl::parse("http://e.org/s/a.js").unwrap();
        let references = References::new("/c/", "2024", None, base, encoding_rs::UTF_8);
        let mut out = Vec::new();
        let f = if map { rewrite_import_map } else { rewrite };
        f(source.as_bytes(), &references, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn specifiers_of_modules() {
        let to = "/c/2024js_/http://e.org/x.js";
        // `@` is an address, rewritten; `#` one that stays.
        for source in [
            "import '@'",
            "import a from \"@\";import b from './b.js'",
            "import a, {b as c} from '@'",
            "import * as n from '@'",
            "import{a}from'@'",
            "export {a} from '@'; export * from '@'; export * as d from '@'",
            "const m = await import('@')",
            "import /* c */ x from '@' with { type: 'json' }",
            "const s = 'import \"#\"'; // import '#'\n/* import '#' */ import '@'",
            "let r = /[/'\"]import 'y'/g; import '@'",
            "let d = a / b; import '@'; c / 2",
            "`import '#' ${await import('@')} import '#' ${`${'#'}`}`; import '@'",
            "x.import('#'); export default '#'; export const u = '#'; export function f() { return '#' }",
            "foo('#'); from('#'); var from = '#'",
        ] {
            let given = source.replace(['@', '#'], "/x.js");
            let expected = source.replace('@', to).replace('#', "/x.js");
            assert_eq!(rewritten(&given, false), expected, "{source}");
        }
        assert_eq!(
            rewritten("import 'lodash'; import '../a.js'", false),
            "import 'lodash'; import '../a.js'"
        );
        assert_eq!(rewritten("import '../../../x.js'", false), format!("import '{to}'"));
        for broken in ["import '", "import(", "`${", "/", "import \"\\", "`${`${`", "}", "import {"] {
            assert_eq!(rewritten(broken, false), broken);
        }
    }

    #[test]
    fn addresses_of_import_maps() {
        assert_eq!(
            rewritten(r#"{"imports":{"a":"/x.js","/b/":"./b/","c":"http://f.org/c"}}"#, true),
            r#"{"imports":{"a":"/c/2024js_/http://e.org/x.js","/c/2024js_/http://e.org/b/":"./b/","c":"/c/2024js_/http://f.org/c"}}"#
        );
    }
}
