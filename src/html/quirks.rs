//! Which doctypes put a page into quirks mode, where a table does not end a paragraph.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode>.

/// Beginnings of public identifiers, in lower case.
const PREFIXES: &[&str] = &[
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
];

/// Whole public identifiers.
const PUBLIC: &[&str] =
    &["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];

/// Beginnings of public identifiers that are quirky without a system identifier.
const ALONE: &[&str] = &["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];

const SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// Whether the doctype means quirks mode. "Limited quirks" make no difference to a tree.
pub(super) fn quirky(name: &str, public: Option<&str>, system: Option<&str>) -> bool {
    let begins = |prefixes: &[&str], public: &str| {
        prefixes
            .iter()
            .any(|prefix| public.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix)))
    };
    name != "html"
        || system.is_some_and(|system| system.eq_ignore_ascii_case(SYSTEM))
        || public.is_some_and(|public| {
            PUBLIC.iter().any(|known| known.eq_ignore_ascii_case(public))
                || begins(PREFIXES, public)
                || system.is_none() && begins(ALONE, public)
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
