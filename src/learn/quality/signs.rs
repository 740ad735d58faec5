//! Which characters are signs, letters and ends of sentences, as published filters of texts take them.

/// ASCII signs, and those of other scripts that Gopher's words are told from; with the controls and ends of sentences these are all.
const SIGNS: &str = "«´»–—’“”„…∶━►、。〈〉《》「」【】！％（），．１：；？～";

/// Whether a character is a sign: a token of such characters alone is no word. As `datatrove` lists them: punctuation, control characters, ends of sentences.
pub fn is_sign(c: char) -> bool {
    match c {
        '\t' | '\n' => false,
        '\0'..='\x1F' | '\x7F'..='\u{9F}' => true,
        _ if c.is_ascii() => c.is_ascii_punctuation(),
        _ => SIGNS.contains(c) || is_terminal(c),
    }
}

/// Ends of sentences: property `Sentence_Terminal` of Unicode 15.1, with the full stops of Greek, Khmer and others that have it later.
const TERMINALS: [(u32, u32); 82] = [
    (0x21, 0x21),
    (0x2E, 0x2E),
    (0x3F, 0x3F),
    (0x589, 0x589),
    (0x61D, 0x61F),
    (0x6D4, 0x6D4),
    (0x700, 0x702),
    (0x7F9, 0x7F9),
    (0x837, 0x837),
    (0x839, 0x839),
    (0x83D, 0x83E),
    (0x964, 0x965),
    (0x104A, 0x104B),
    (0x1362, 0x1362),
    (0x1367, 0x1368),
    (0x166E, 0x166E),
    (0x1735, 0x1736),
    (0x17D4, 0x17D6),
    (0x17D9, 0x17DA),
    (0x1803, 0x1803),
    (0x1809, 0x1809),
    (0x1944, 0x1945),
    (0x1AA8, 0x1AAB),
    (0x1B5A, 0x1B5B),
    (0x1B5E, 0x1B5F),
    (0x1B7D, 0x1B7E),
    (0x1C3B, 0x1C3C),
    (0x1C7E, 0x1C7F),
    (0x203C, 0x203D),
    (0x2047, 0x2049),
    (0x2E2E, 0x2E2E),
    (0x2E3C, 0x2E3C),
    (0x2E53, 0x2E54),
    (0x3002, 0x3002),
    (0xA4FF, 0xA4FF),
    (0xA60E, 0xA60F),
    (0xA6F3, 0xA6F3),
    (0xA6F7, 0xA6F7),
    (0xA876, 0xA877),
    (0xA8CE, 0xA8CF),
    (0xA92F, 0xA92F),
    (0xA9C8, 0xA9C9),
    (0xAA5D, 0xAA5F),
    (0xAAF0, 0xAAF1),
    (0xABEB, 0xABEB),
    (0xFE52, 0xFE52),
    (0xFE56, 0xFE57),
    (0xFF01, 0xFF01),
    (0xFF0E, 0xFF0E),
    (0xFF1F, 0xFF1F),
    (0xFF61, 0xFF61),
    (0x10A56, 0x10A57),
    (0x10F55, 0x10F59),
    (0x10F86, 0x10F89),
    (0x11047, 0x11048),
    (0x110BE, 0x110C1),
    (0x11141, 0x11143),
    (0x111C5, 0x111C6),
    (0x111CD, 0x111CD),
    (0x111DE, 0x111DF),
    (0x11238, 0x11239),
    (0x1123B, 0x1123C),
    (0x112A9, 0x112A9),
    (0x1144B, 0x1144C),
    (0x115C2, 0x115C3),
    (0x115C9, 0x115D7),
    (0x11641, 0x11642),
    (0x1173C, 0x1173E),
    (0x11944, 0x11944),
    (0x11946, 0x11946),
    (0x11A42, 0x11A43),
    (0x11A9B, 0x11A9C),
    (0x11C41, 0x11C42),
    (0x11EF7, 0x11EF8),
    (0x11F43, 0x11F44),
    (0x16A6E, 0x16A6F),
    (0x16AF5, 0x16AF5),
    (0x16B37, 0x16B38),
    (0x16B44, 0x16B44),
    (0x16E98, 0x16E98),
    (0x1BC9F, 0x1BC9F),
    (0x1DA88, 0x1DA88),
];

/// Whether a character ends a sentence.
pub fn is_terminal(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '!' | '.' | '?');
    }
    let c = c as u32;
    let at = TERMINALS.partition_point(|(_, last)| *last < c);
    TERMINALS.get(at).is_some_and(|(first, _)| *first <= c)
}

/// A letter of any script.
pub fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

/// A letter that is not a capital.
pub fn is_lower(c: char) -> bool {
    c.is_alphabetic() && !c.is_uppercase()
}

/// A letter that is not a small one.
pub fn is_upper(c: char) -> bool {
    c.is_alphabetic() && !c.is_lowercase()
}

/// Quotes, and brackets of East Asian scripts.
pub fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"')
        || !c.is_ascii() && "”“‘´’‚„»«「」『』（）〔〕【】《》〈〉〈〉⟦⟧".contains(c)
        || c == '`'
}

/// Signs that are cut off words at both ends.
pub fn is_split_sign(c: char) -> bool {
    if c.is_ascii() {
        return matches!(
            c,
            ',' | ':'
                | ';'
                | '!'
                | '?'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | '_'
                | '#'
                | '*'
                | '&'
        ) || is_quote(c);
    }
    "…¿؟¡。？！，、；：～·।،۔؛٪—–".contains(c) || is_quote(c)
}

/// Signs of money.
pub fn is_currency(c: char) -> bool {
    matches!(c, '$' | '£' | '¥' | '฿' | '﷼' | '\u{20A0}'..='\u{20BF}')
}

/// Pictures and other symbols of the general category So, its blocks rounded.
pub fn is_symbol(c: char) -> bool {
    !c.is_ascii()
        && matches!(c, '¦' | '©' | '®' | '°' | '\u{482}' | '\u{2100}'..='\u{2101}' | '\u{2103}'..='\u{2106}' | '\u{2114}'
        | '\u{2116}'..='\u{2117}' | '\u{211E}'..='\u{2123}' | '\u{2195}'..='\u{2199}' | '\u{219C}'..='\u{21F3}'
        | '\u{2300}'..='\u{24E9}' | '\u{2500}'..='\u{25B6}' | '\u{25B8}'..='\u{25C0}' | '\u{25C2}'..='\u{25F7}'
        | '\u{2600}'..='\u{2767}' | '\u{2794}'..='\u{27BF}' | '\u{2800}'..='\u{28FF}' | '\u{2B00}'..='\u{2BFE}'
        | '\u{2E80}'..='\u{2FFB}' | '\u{3004}' | '\u{3012}' | '\u{3013}' | '\u{3020}' | '\u{3036}' | '\u{3037}'
        | '\u{3190}'..='\u{3247}' | '\u{3250}'..='\u{33FF}' | '\u{FFFC}' | '\u{FFFD}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Whether text may be broken here: white space as Python has it, with the separators of information.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1C'..='\x1F')
}

/// Lines of a text at all characters that end lines.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.filter(|rest| !rest.is_empty())?;
        let ends = |c| {
            matches!(c, '\n' | '\r' | '\x0B' | '\x0C' | '\x1C'..='\x1E' | '\u{85}' | '\u{2028}' | '\u{2029}')
        };
        let Some(at) = text.find(ends) else {
            rest = None;
            return Some(text);
        };
        let (line, behind) = text.split_at(at);
        let length =
            if behind.starts_with("\r\n") { 2 } else { behind.chars().next().map_or(0, char::len_utf8) };
        rest = Some(behind.split_at(length).1);
        Some(line)
    })
}
