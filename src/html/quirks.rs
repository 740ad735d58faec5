//! Which doctypes put a page into quirks mode, where a table does not end a paragraph.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode>.

/// Beginnings of public identifiers, in lower case, one a line.
const PREFIXES: &str = include_str!("quirky_doctypes.txt");

/// Whole public identifiers.
const PUBLIC: &[&str] =
    &["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];

/// Beginnings of public identifiers that are quirky without a system identifier.
const ALONE: &[&str] = &["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];

const SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// Whether the doctype means quirks mode. "Limited quirks" make no difference to a tree.
pub(super) fn quirky(name: &str, public: Option<&str>, system: Option<&str>) -> bool {
    let begins = |prefix: &str, public: &str| {
        public.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    };
    name != "html"
        || system.is_some_and(|system| system.eq_ignore_ascii_case(SYSTEM))
        || public.is_some_and(|public| {
            PUBLIC.iter().any(|known| known.eq_ignore_ascii_case(public))
                || PREFIXES.lines().any(|prefix| begins(prefix, public))
                || system.is_none() && ALONE.iter().any(|prefix| begins(prefix, public))
        })
}

#[cfg(test)]
mod tests {
    use super::quirky;

    #[test]
    fn modes_of_doctypes() {
        let cases = [
            ("html", None, None, false),
            ("HTML", None, None, true),
            ("", None, None, true),
            ("html", None, Some("about:legacy-compat"), false),
            ("html", Some("-//W3C//DTD HTML 4.01 Transitional//EN"), None, true),
            ("html", Some("-//W3C//DTD HTML 4.01 Transitional//EN"), Some("x"), false),
            ("html", Some("-//W3C//DTD HTML 4.0 Transitional//EN"), Some("x"), true),
            ("html", Some("-//W3C//DTD XHTML 1.0 Transitional//EN"), Some("x"), false),
            ("html", Some("HTML"), None, true),
            ("html", None, Some("http://www.IBM.com/data/dtd/v11/ibmxhtml1-transitional.dtd"), true),
            ("html", Some("é"), None, false),
        ];
        for (name, public, system, expected) in cases {
            assert_eq!(quirky(name, public, system), expected, "{name} {public:?} {system:?}");
        }
    }
}
