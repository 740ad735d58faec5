//! Properties of characters that readers of dates, words and blocks share.

/// Whether words of a script are written without spaces between them.
pub fn is_wide(c: char) -> bool {
    // Nearly all characters are below.
    c >= '\u{2e80}'
        && matches!(c, '\u{2e80}'..='\u{2fff}' | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{3105}'..='\u{312f}'
        | '\u{31a0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}
