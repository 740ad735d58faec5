//! Pieces of texts that kernels share.

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
        let piece = &text[begin..end];
        if ascii { each(piece) } else { piece.split_whitespace().for_each(&mut each) }
        at = end;
    }
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
        fn equals_the_split_of_the_library(text in "[ab \t\u{b}\u{1c}é\u{a0}\u{2003}\u{3000}好]{0,30}") {
            let mut found = Vec::new();
            between_spaces(&text, |piece| found.push(piece));
            prop_assert_eq!(found, text.split_whitespace().collect::<Vec<_>>());
        }
    }
}
