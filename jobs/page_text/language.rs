//! Texts by their languages (`--language`).

use webmill_text::language_code;

/// What a text of no known language is called.
pub const UNKNOWN: &str = "und";

/// The code that a language is asked for by, as three letters.
pub fn code(text: &str) -> Result<String, String> {
    if text.trim().eq_ignore_ascii_case(UNKNOWN) {
        return Ok(UNKNOWN.to_owned());
    }
    let known = language_code(text).map(str::to_owned);
    known.ok_or_else(|| {
        "no language that texts are told to be in; write ISO 639-1 (en) or 639-3 (eng), or und".to_owned()
    })
}

/// Whether a text in `language` is asked for.
pub fn is_wanted(wanted: &[String], language: Option<&str>) -> bool {
    wanted.is_empty() || wanted.iter().any(|wanted| wanted == language.unwrap_or(UNKNOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_languages() {
        for (text, want) in [
            ("en", "eng"),
            ("EN-gb", "eng"),
            ("zh", "zho"),
            ("cmn", "zho"),
            ("ja", "jpn"),
            ("deu", "deu"),
            ("nb", "nor"),
            ("nn", "nno"),
            ("ba", "bak"),
            ("twi", "aka"),
            ("zsm", "msa"),
            ("und", "und"),
        ] {
            assert_eq!(code(text).as_deref(), Ok(want), "{text}");
            assert_eq!(code(want).as_deref(), Ok(want), "{text}");
        }
        for text in ["", "e", "english", "x1", "qq", "tlh"] {
            assert!(code(text).is_err(), "{text}");
        }
        assert!(is_wanted(&[], None) && is_wanted(&["und".to_owned()], None));
        assert!(!is_wanted(&["eng".to_owned()], Some("deu")));
    }
}
