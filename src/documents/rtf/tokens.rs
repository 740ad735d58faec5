//! Tokens of RTF: groups, control words and symbols, bytes of text.

/// Letters of a control word that are looked at; longer ones are none that is known.
const MAX_WORD: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// A control word and its number.
    Word(&'a str, Option<i32>),
    /// A control symbol: `\` and anything that is no letter.
    Symbol(u8),
    /// `\'hh`
    Hex(u8),
    /// Bytes that stand as they are, without line ends.
    Text(&'a [u8]),
}

/// Reads tokens one after the other.
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Tokens { rest: bytes }
    }

    /// The next byte, whatever it would mean: the second one of a character.
    pub(super) fn raw(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    /// Leaves the bytes of a binary run out; one that claims more than there is has none.
    pub(super) fn skip_binary(&mut self, bytes: usize) {
        if bytes <= self.rest.len() {
            self.skip(bytes);
        }
    }

    /// Leaves bytes out.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            match self.raw_peek()? {
                b'{' => return self.raw().map(|_| Token::Open),
                b'}' => return self.raw().map(|_| Token::Close),
                b'\\' => {
                    self.skip(1);
                    return self.control();
                }
                b'\r' | b'\n' | 0 => self.skip(1),
                _ => return Some(self.text()),
            }
        }
    }

    fn raw_peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn text(&mut self) -> Token<'a> {
        let is_mark = |byte: &u8| matches!(byte, b'{' | b'}' | b'\\' | b'\r' | b'\n' | 0);
        let end = self.rest.iter().position(is_mark).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Token::Text(text)
    }

    /// What follows a `\`.
    fn control(&mut self) -> Option<Token<'a>> {
        let letters = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters == 0 {
            let symbol = self.raw()?;
            if symbol != b'\'' {
                return Some(Token::Symbol(symbol));
            }
            let digits = self.rest.get(..2).and_then(|two| std::str::from_utf8(two).ok());
            return match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => {
                    self.skip(2);
                    Some(Token::Hex(byte))
                }
                // No number: the mark alone is left out.
                None => Some(Token::Symbol(b'\'')),
            };
        }
        let (word, rest) = self.rest.split_at(letters);
        self.rest = rest;
        let number = self.number();
        if self.raw_peek() == Some(b' ') {
            self.skip(1);
        }
        let word = if letters > MAX_WORD { "" } else { std::str::from_utf8(word).unwrap_or_default() };
        Some(Token::Word(word, number))
    }

    /// The number of a control word; those beyond 32 bits end there.
    fn number(&mut self) -> Option<i32> {
        let negative = self.raw_peek() == Some(b'-');
        let digits = self.rest.get(usize::from(negative)..).unwrap_or_default();
        let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return None;
        }
        let value = digits.iter().take(count).fold(0_i64, |value, digit| {
            value.saturating_mul(10).saturating_add(i64::from(digit - b'0')).min(1 << 40)
        });
        self.skip(count + usize::from(negative));
        let value = if negative { -value } else { value };
        Some(i32::try_from(value).unwrap_or(if negative { i32::MIN } else { i32::MAX }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_tokens() {
        let mut tokens = Tokens::new(b"{\\b0 a\r\nb\\'e9\\u-10 ?\\~\\'zz\\x99999999999999-}\\");
        let mut all = Vec::new();
        while let Some(token) = tokens.next() {
            all.push(token);
        }
        let known = [
            Token::Open,
            Token::Word("b", Some(0)),
            Token::Text(b"a"),
            Token::Text(b"b"),
            Token::Hex(0xE9),
            Token::Word("u", Some(-10)),
            Token::Text(b"?"),
            Token::Symbol(b'~'),
            Token::Symbol(b'\''),
            Token::Text(b"zz"),
            Token::Word("x", Some(i32::MAX)),
            Token::Text(b"-"),
            Token::Close,
        ];
        assert_eq!(all, known);
    }
}
