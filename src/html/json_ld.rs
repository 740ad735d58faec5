//! JSON-LD scripts as values: the one reader that metadata, structured data and main text share.
//!
//! **Definition.** Every `<script type=application/ld+json>`, parameters of the type aside. Comments and section marks that
//! hide a script from old browsers, and semicolons behind it, are taken off; raw control characters, which are in strings
//! only by mistake, become blanks. What is no JSON then is read once more by a
//! [lenient reader](super::json_mend), which knows how scripts are broken; where that finds no item either, the script is broken.
//!
//! **Cost.** Linear; [`MAX_SCRIPT`] bytes a script and [`MAX_PAGE`] a page are read. Both readers refuse nesting beyond 128.
//!
//! **Reference.** W3C JSON-LD 1.1, *Embedding JSON-LD in HTML Documents*.

use serde_json::Value;

use super::dom::{Dom, NodeId};
use super::json_mend::mended;

/// Bytes of one script.
pub(super) const MAX_SCRIPT: usize = 512 << 10;

/// Bytes of all scripts of a page.
const MAX_PAGE: usize = 2 << 20;

/// What a script holds.
pub(super) enum Script {
    /// JSON, and whether its source names an `articleBody`.
    Json(Value, bool),
    /// Too long, or no JSON.
    Broken,
}

/// Reads the scripts of a page, one after another.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    bytes: usize,
}

impl Scripts {
    /// Reads a script element; `None` where it is no JSON-LD or empty.
    pub(super) fn read(&mut self, dom: &Dom<'_>, n: NodeId) -> Option<Script> {
        let kind = dom.attr(n, "type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/ld+json") {
            return None;
        }
        let mut source = String::new();
        dom.text_content(n, &mut source);
        self.parse(&source)
    }

    pub(super) fn parse(&mut self, source: &str) -> Option<Script> {
        let source = bare(source);
        self.bytes += source.len();
        if source.is_empty() {
            return None;
        }
        if self.bytes > MAX_PAGE || source.len() > MAX_SCRIPT {
            return Some(Script::Broken);
        }
        let blanked = || serde_json::from_str(&source.replace(|c: char| c.is_ascii_control(), " ")).ok();
        let value = serde_json::from_str(source).ok().or_else(blanked).or_else(|| mended(source));
        Some(match value {
            Some(value) => {
                let has_body = memchr::memmem::find(source.as_bytes(), b"articleBody").is_some();
                Script::Json(value, has_body)
            }
            None => Script::Broken,
        })
    }
}

/// A script without what hides it. No JSON begins or ends with any of these.
fn bare(script: &str) -> &str {
    const BEFORE: [&str; 7] = ["<!--", "-->", "<![CDATA[", ">", "//", "/*", "*/"];
    const BEHIND: [&str; 8] = ["-->", "]]>", "<!", "<!--", "//", "/*", "*/", ";"];
    let mut script = script;
    loop {
        script = script.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let begun = BEFORE.iter().find_map(|mark| script.strip_prefix(mark));
        let ended = || BEHIND.iter().find_map(|mark| script.strip_suffix(mark));
        match begun.or_else(ended) {
            Some(rest) => script = rest,
            None => return script,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_a_script_is_taken_off() {
        for source in [
            "{\"a\":1}",
            " \u{feff}{\"a\":1};\n",
            "<!-- {\"a\":1} -->",
            "<!--//--><![CDATA[//><!--\n{\"a\":1}\n//--><!]]>",
            "//<![CDATA[\n{\"a\":1}\n//]]>",
            "//<![CDATA[\n{\"a\":1};\n//]]>;",
            "// <![CDATA[\n{\"a\":1}\n// ]]>",
            "/* <![CDATA[ */ {\"a\":1} /* ]]> */",
            "<![CDATA[{\"a\":1}]]>",
        ] {
            let found = Scripts::default().parse(source);
            assert!(matches!(&found, Some(Script::Json(value, false)) if value["a"] == 1), "{source}");
        }
        let raw = Scripts::default().parse("{\"articleBody\":\"a\nb\tc\"}");
        assert!(matches!(raw, Some(Script::Json(value, true)) if value["articleBody"] == "a b c"));
        assert!(Scripts::default().parse(" //<![CDATA[ //]]> ").is_none());
    }

    #[test]
    fn what_is_too_long_is_broken() {
        let long = format!("\"{}\"", "x".repeat(MAX_SCRIPT - 2));
        let mut scripts = Scripts::default();
        for _ in 0..MAX_PAGE / MAX_SCRIPT {
            assert!(matches!(scripts.parse(&long), Some(Script::Json(..))));
        }
        assert!(matches!(scripts.parse("1"), Some(Script::Broken)));
        assert!(matches!(Scripts::default().parse(&format!("{long} 1")), Some(Script::Broken)));
    }
}
