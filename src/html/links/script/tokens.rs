//! Words, signs and strings of a script.

/// What a token is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// No token.
    #[default]
    None,
    /// A name, a key word, a number.
    Word,
    /// An operator or a bracket.
    Sign,
    /// A string literal, without its quotes.
    String,
    /// A piece of a template with substitutions.
    Piece,
}

/// A token as it is written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Token<'s> {
    pub kind: Kind,
    pub text: &'s str,
}

/// Words that a value follows, so that `/` begins a regular expression.
const BEFORE_VALUES: &str = "return typeof case in of delete void instanceof new throw else do yield await";

/// Words before a condition in parentheses, behind which `/` begins a regular expression.
const BEFORE_CONDITIONS: [&str; 4] = ["if", "while", "for", "with"];

/// Longest regular expression, in bytes.
const MAX_EXPRESSION: usize = 4096;

/// The tokens of a script.
pub(super) struct Tokens<'s> {
    source: &'s str,
    at: usize,
    last: Token<'s>,
    /// Open braces inside each substitution of a template that is being read.
    substitutions: Vec<u32>,
    /// Of each open parenthesis, whether it holds a condition.
    conditions: Vec<bool>,
    /// Whether the parenthesis that was closed last held one.
    after_condition: bool,
    /// No regular expression begins before this byte: one was sought, and did not end.
    divides_until: usize,
}

impl<'s> Tokens<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Tokens {
            source,
            at: 0,
            last: Token::default(),
            substitutions: Vec::new(),
            conditions: Vec::new(),
            after_condition: false,
            divides_until: 0,
        }
    }

    fn rest(&self) -> &'s [u8] {
        &self.source.as_bytes()[self.at..]
    }

    /// Passes over white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let space = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let rest = &rest[space..];
            self.at += space;
            self.at += if rest.starts_with(b"//") || rest.starts_with(b"<!--") {
                rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len())
            } else if rest.starts_with(b"/*") {
                rest.windows(2).skip(2).position(|end| end == b"*/").map_or(rest.len(), |end| end + 4)
            } else {
                return;
            };
        }
    }

    fn take(&mut self, kind: Kind, bytes: usize) -> Token<'s> {
        let text = self.source.get(self.at..self.at + bytes).unwrap_or_default();
        self.at += bytes;
        Token { kind, text }
    }

    /// A string or a template behind its quote or the end of a substitution: up to its end, or to the next substitution. One that
    /// does not end, or whose line does, is none.
    fn string(&mut self, quote: u8, whole: bool) -> Token<'s> {
        self.at += 1;
        let rest = self.rest();
        let mut end = 0;
        let (kind, behind) = loop {
            match rest.get(end) {
                Some(b'\\') => end += 2,
                Some(byte) if *byte == quote => break (if whole { Kind::String } else { Kind::Piece }, 1),
                Some(b'$') if quote == b'`' && rest.get(end + 1) == Some(&b'{') => {
                    self.substitutions.push(0);
                    break (Kind::Piece, 2);
                }
                None => break (Kind::None, 0),
                Some(b'\n' | b'\r') if quote != b'`' => break (Kind::None, 0),
                Some(_) => end += 1,
            }
        };
        let token = self.take(kind, end.min(rest.len()));
        self.at += behind;
        token
    }

    /// The bytes of a regular expression that begins here; `None` where `/` divides. Each byte is sought through once for an end
    /// that is not there.
    fn expression(&mut self) -> Option<usize> {
        let divides = match self.last.kind {
            Kind::None => false,
            Kind::Word => !BEFORE_VALUES.split(' ').any(|word| word == self.last.text),
            Kind::Sign => self.last.text == "]" || (self.last.text == ")" && !self.after_condition),
            Kind::String | Kind::Piece => true,
        };
        if divides || self.at < self.divides_until {
            return None;
        }
        let rest = self.rest();
        let rest = &rest[..rest.len().min(MAX_EXPRESSION)];
        let (mut class, mut end) = (false, 1);
        loop {
            match rest.get(end) {
                None | Some(b'\n' | b'\r') => {
                    self.divides_until = self.at + end;
                    return None;
                }
                Some(b'\\') => end += 1,
                Some(b'[') => class = true,
                Some(b']') => class = false,
                Some(b'/') if !class => return Some(end + 1),
                Some(_) => {}
            }
            end += 1;
        }
    }

    fn sign(&mut self) -> Token<'s> {
        // Those of more than one character that matter.
        let bytes = match self.rest() {
            [b'=' | b'!', b'=', b'=', ..] => 3,
            [b'=' | b'!' | b'+', b'=', ..] | [b'+', b'+', ..] | [b'=', b'>', ..] => 2,
            _ => 1,
        };
        let token = self.take(Kind::Sign, bytes);
        match token.text {
            "(" => self.conditions.push(BEFORE_CONDITIONS.contains(&self.last.text)),
            ")" => self.after_condition = self.conditions.pop().unwrap_or(false),
            _ => {}
        }
        if let Some(braces) = self.substitutions.last_mut() {
            match token.text {
                "{" => *braces = braces.saturating_add(1),
                "}" => *braces = braces.saturating_sub(1),
                _ => {}
            }
        }
        token
    }
}

/// Whether a byte may stand in a name.
fn in_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

impl<'s> Iterator for Tokens<'s> {
    type Item = Token<'s>;

    fn next(&mut self) -> Option<Token<'s>> {
        self.skip();
        let token = match *self.rest().first()? {
            quote @ (b'"' | b'\'' | b'`') => self.string(quote, true),
            b'}' if self.substitutions.last() == Some(&0) => {
                self.substitutions.pop();
                self.string(b'`', false)
            }
            b'/' => match self.expression() {
                Some(bytes) => self.take(Kind::Word, bytes),
                None => self.sign(),
            },
            byte if in_name(&byte) => {
                let bytes = self.rest().iter().take_while(|byte| in_name(byte)).count();
                self.take(Kind::Word, bytes)
            }
            _ => self.sign(),
        };
        self.last = token;
        Some(token)
    }
}
