//! Items of lists: their bullets and numbers.

use crate::Marker;

/// The marker that a line begins with, and how many bytes it takes.
pub(super) fn marker(line: &str) -> Option<(Marker, usize)> {
    let mut chars = line.char_indices();
    let (_, first) = chars.next()?;
    if matches!(
        first,
        '•' | '◦'
            | '‣'
            | '▪'
            | '■'
            | '□'
            | '●'
            | '○'
            | '–'
            | '—'
            | '-'
            | '*'
            | '·'
            | '➢'
            | '✓'
            | '►'
            | '▶'
    ) {
        let rest = line.get(first.len_utf8()..)?;
        let space = rest.len() - rest.trim_start().len();
        let words = rest.trim_start().chars().next().is_some_and(char::is_alphanumeric);
        return (space > 0 && words).then(|| (Marker::Bullet, first.len_utf8() + space));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    let number: u32 = line.get(..digits)?.parse().ok()?;
    let rest = line.get(digits..)?;
    let tail = rest.strip_prefix(['.', ')'])?;
    let space = tail.len() - tail.trim_start().len();
    let words = tail.trim_start().chars().next().is_some_and(char::is_alphabetic);
    (space > 0 && words).then_some((Marker::Number(number), digits + 1 + space))
}

/// Whether a word is nothing but the marker of an item.
pub(super) fn is_marker(word: &str) -> bool {
    marker(&format!("{word} x")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_begin_items() {
        assert_eq!(marker("• tea"), Some((Marker::Bullet, 4)));
        assert_eq!(marker("12. tea"), Some((Marker::Number(12), 4)));
        assert_eq!(marker("3) tea"), Some((Marker::Number(3), 3)));
        for none in ["tea", "-5 degrees", "2.5 litres", "1984. 7", "- "] {
            assert_eq!(marker(none), None, "{none}");
        }
    }
}
