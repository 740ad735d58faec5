//! Tokens of XPath.
//!
//! `*`, `and`, `or`, `mod` and `div` are operators where an operand came before them, else names: section 3.7.

use super::super::SelectError;
use webmill_capture::cut::Cut;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// `(`, `)`, `[`, `]`, `.`, `..`, `@`, `,`, `::`, and operators, among them `and`, `or`, `mod`, `div` and the `*`
    /// that multiplies (written `times` here).
    Sign(&'static str),
    /// A name, perhaps with a prefix; `*` where it stands for any name.
    Name(Box<str>),
    Literal(Box<str>),
    Number(f64),
}

const SIGNS: [&str; 22] = [
    "//", "::", "..", "!=", "<=", ">=", "(", ")", "[", "]", ".", "@", ",", "/", "|", "+", "-", "=", "<", ">",
    "*", "$",
];
const WORDS: [&str; 4] = ["and", "or", "mod", "div"];

/// Tokens with the byte at which each begins.
pub(super) fn tokens(source: &str) -> Result<Vec<(Token, usize)>, SelectError> {
    let mut found: Vec<(Token, usize)> = Vec::new();
    let mut at = 0;
    while let Some(c) = source.cut(at..).chars().next() {
        if c.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (token, len) = token(source.cut(at..), operand(found.last()))
            .map_err(|reason| SelectError::new(reason, Some(at), source))?;
        found.push((token, at));
        at += len;
    }
    Ok(found)
}

/// Whether an operand ends with this token, so that an operator must follow.
fn operand(last: Option<&(Token, usize)>) -> bool {
    match last {
        None => false,
        Some((Token::Sign(sign), _)) => matches!(*sign, ")" | "]" | "." | ".."),
        Some(_) => true,
    }
}

fn token(rest: &str, after_operand: bool) -> Result<(Token, usize), &'static str> {
    let bytes = rest.as_bytes();
    if matches!(bytes[0], b'"' | b'\'') {
        let len = rest.cut(1..).find(bytes[0] as char).ok_or("a quotation that does not end")?;
        return Ok((Token::Literal(rest.cut(1..1 + len).into()), len + 2));
    }
    if bytes[0].is_ascii_digit() || bytes[0] == b'.' && bytes.get(1).is_some_and(u8::is_ascii_digit) {
        let mut points = 0;
        let end = |c: char| {
            points += usize::from(c == '.');
            !(c.is_ascii_digit() || c == '.' && points < 2)
        };
        let len = rest.find(end).unwrap_or(rest.len());
        let number = rest.cut(..len).trim_end_matches('.').parse().map_err(|_| "a number that is none")?;
        return Ok((Token::Number(number), len));
    }
    if let Some(len) = name(rest) {
        if after_operand {
            let word = WORDS.into_iter().find(|&word| word == rest.cut(..len));
            return Ok((Token::Sign(word.ok_or("an operator was expected")?), len));
        }
        return Ok((Token::Name(rest.cut(..len).into()), len));
    }
    let sign = SIGNS.into_iter().find(|&sign| rest.starts_with(sign)).ok_or("unexpected sign")?;
    match sign {
        "$" => Err("variables are not known here"),
        "*" if after_operand => Ok((Token::Sign("times"), 1)),
        "*" => Ok((Token::Name("*".into()), 1)),
        sign => Ok((Token::Sign(sign), sign.len())),
    }
}

/// Length of the name at the beginning, with its prefix; `::` is no part of it.
fn name(rest: &str) -> Option<usize> {
    let simple = |text: &str| {
        let begins = |c: char| c.is_alphabetic() || c == '_';
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\u{b7}');
        text.starts_with(begins).then(|| text.find(|c| !goes_on(c)).unwrap_or(text.len()))
    };
    let len = simple(rest)?;
    match rest.cut(len..).strip_prefix(':') {
        Some(local) if !local.starts_with(':') => Some(len + simple(local).map_or(0, |more| more + 1)),
        _ => Some(len),
    }
}
