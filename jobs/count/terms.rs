//! Pieces of texts that kernels share.

use webmill_capture::cut::Cut;

/// Calls `each` with what stands between white space.
///
/// Texts are mostly ASCII: its white space is found byte by byte, and only a stretch with other characters is looked at by the tables of
/// Unicode.
pub fn between_spaces<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let Some(begin) = bytes[at..].iter().position(|b| !is_space(*b)).map(|n| at + n) else { return };
        let mut ascii = true;
        let end = bytes[begin..]
            .iter()
            .position(|b| {
                ascii &= b.is_ascii();
                is_space(*b)
            })
            .map_or(bytes.len(), |n| begin + n);
        let piece = text.cut(begin..end);
        if ascii {
            each(piece)
        } else {
            piece.split_whitespace().for_each(&mut each)
        }
        at = end;
    }
}

/// The text in lower case, as [`str::to_lowercase`] has it: ASCII at the speed of copying.
pub fn lower(text: &str) -> String {
    // Which small sigma a capital one becomes depends on what stands around it.
    if memchr::memmem::find(text.as_bytes(), "Σ".as_bytes()).is_some() {
        return text.to_lowercase();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while !rest.is_empty() {
        let ascii = rest.bytes().position(|b| !b.is_ascii()).unwrap_or(rest.len());
        let from = out.len();
        out.push_str(rest.cut(..ascii));
        if let Some(added) = out.get_mut(from..) {
            added.make_ascii_lowercase();
        }
        rest = rest.cut(ascii..);
        let wide = rest.bytes().position(|b| b.is_ascii()).unwrap_or(rest.len());
        for c in rest.cut(..wide).chars() {
            // Ideographs, kana, Hangul have no case.
            if ('\u{2e80}'..'\u{a000}').contains(&c) { out.push(c) } else { out.extend(c.to_lowercase()) }
        }
        rest = rest.cut(wide..);
    }
    out
}

/// ASCII white space as `char::is_whitespace` has it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_lower_case_of_the_library(text in "([A-Za-z ]|[ÀΑΣσςİßДǅ好アⅣ]|\\PC){0,30}") {
            prop_assert_eq!(lower(&text), text.to_lowercase());
        }

        #[test]
        fn equals_the_split_of_the_library(text in "[ab \t\u{b}\u{1c}é\u{a0}\u{2003}\u{3000}好]{0,30}") {
            let mut found = Vec::new();
            between_spaces(&text, |piece| found.push(piece));
            prop_assert_eq!(found, text.split_whitespace().collect::<Vec<_>>());
        }
    }
}
