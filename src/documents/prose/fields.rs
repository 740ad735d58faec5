//! Codes of fields: where they lead, and the signs that they show.

/// Where the code of a field leads: `HYPERLINK "address" \l "place"`.
pub(crate) fn link_of(code: &str) -> Option<String> {
    let code = code.trim_start();
    let is_link = code.get(..9).is_some_and(|word| word.eq_ignore_ascii_case("HYPERLINK"));
    let mut rest = is_link.then(|| code.get(9..))??;
    let (mut address, mut place) = (None, None);
    let mut to_place = false;
    while let Some(word) = argument(&mut rest) {
        match word {
            Argument::Switch(letter) => {
                to_place = letter.eq_ignore_ascii_case(&'l');
                // What follows these is a tip, a window.
                if matches!(letter, 'o' | 'O' | 't' | 'T') {
                    argument(&mut rest);
                }
            }
            Argument::Word(word) if std::mem::take(&mut to_place) => place = Some(word),
            Argument::Word(word) => address = address.or(Some(word)),
        }
    }
    match (address.filter(|address| !address.is_empty()), place) {
        (Some(address), Some(place)) => Some(format!("{address}#{place}")),
        (Some(address), None) => Some(address),
        (None, Some(place)) => Some(format!("#{place}")),
        (None, None) => None,
    }
}

/// The character of `SYMBOL 183 \f "Symbol"`: its code and its font.
pub(crate) fn symbol_of(code: &str) -> Option<(u32, String)> {
    let code = code.trim_start();
    let is_symbol = code.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("SYMBOL "));
    let mut rest = is_symbol.then(|| code.get(7..))??;
    let Some(Argument::Word(number)) = argument(&mut rest) else { return None };
    let number = match number.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    let mut font = String::new();
    while let Some(word) = argument(&mut rest) {
        if word == Argument::Switch('f')
            && let Some(Argument::Word(name)) = argument(&mut rest)
        {
            font = name;
        }
    }
    Some((number, font))
}

/// A part of a field's code.
#[derive(Debug, PartialEq, Eq)]
enum Argument {
    /// `\l`
    Switch(char),
    /// A word, or several between quotes.
    Word(String),
}

/// Takes the next argument off a field's code.
fn argument(rest: &mut &str) -> Option<Argument> {
    let text = rest.trim_start();
    let mut chars = text.chars();
    match chars.next()? {
        '\\' => {
            let letter = chars.next()?;
            *rest = chars.as_str();
            Some(Argument::Switch(letter))
        }
        '"' => {
            let inside = chars.as_str();
            let end = inside.find('"').unwrap_or(inside.len());
            *rest = inside.get(end + 1..).unwrap_or_default();
            // Backslashes are written twice.
            Some(Argument::Word(inside.get(..end)?.replace("\\\\", "\\").trim().to_owned()))
        }
        _ => {
            let end = text.find(char::is_whitespace).unwrap_or(text.len());
            *rest = text.get(end..)?;
            Some(Argument::Word(text.get(..end)?.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_fields_lead_somewhere() {
        let cases = [
            ("HYPERLINK \"http://a.example/x y\"", Some("http://a.example/x y")),
            (" hyperlink http://a.example \\t \"_blank\" ", Some("http://a.example")),
            ("HYPERLINK \"http://a.example/\" \\l \"part\" \\o \"a tip\"", Some("http://a.example/#part")),
            ("HYPERLINK \\l \"part\"", Some("#part")),
            ("HYPERLINK \"file:\\\\\\\\host\\\\x\"", Some("file:\\\\host\\x")),
            ("HYPERLINK \"", None),
            ("HYPERLINK", None),
            ("PAGE", None),
            ("", None),
        ];
        for (code, target) in cases {
            assert_eq!(link_of(code).as_deref(), target, "{code}");
        }
        assert_eq!(symbol_of("SYMBOL 183 \\f \"Symbol\" \\s 12"), Some((183, "Symbol".into())));
        assert_eq!(symbol_of("SYMBOL"), None);
    }
}
