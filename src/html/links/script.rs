//! Links in the scripts of a page, without running them.
//!
//! **Definition.** The scripts of a page are what stands in its `script` elements, in attributes `on…`, and behind
//! `javascript:` where a reference may stand. A link in them is a whole string literal that names a page: an http(s) URL, a
//! path, a file name of a kind that pages have; where the script goes there (`location = …`, `location['href'] = c ? … : …`,
//! `window.open(…)`) any reference. Literals joined by `+` alone are one. A literal joined with something unknown is no link, nor is text
//! compared, loaded, reported or shown as a picture (see [`shape`]). Markup in a literal (`document.write`) gives the links
//! that are whole in it. Files of scripts are not read: a page that names one would get what that file holds for all others.
//!
//! **Algorithm.** One pass of a tokenizer, which knows strings, templates, comments and regular expressions, and keeps the
//! last tokens and the open brackets with the function that each belongs to.
//!
//! **Error.** Of 200 drawn from the 5,484 that the 1,849 marked pages of the evaluation data have, seven were no links: addresses
//! of counters, widgets and advertisements.
//!
//! **Cost.** Linear, whatever the script is; brackets are known [`MAX_DEPTH`] deep.
//!
//! **Reference.** ECMA-262, 12 (lexical grammar), B.1.1 (comments like those of HTML).

mod literal;
pub(super) mod shape;
#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;

use tokens::{Kind, Token, Tokens};

pub(super) use shape::is_page;

/// Open brackets that are told apart.
const MAX_DEPTH: usize = 256;

/// Brackets around a literal that have a say.
const MAX_UP: usize = 5;

/// Where a literal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Where the script goes to what it says.
    Target,
    /// In a handler or a `javascript:` URL.
    Handler,
    /// Where a script calls it a URL or a link.
    Named,
    /// Anywhere else in a script.
    Script,
    /// Where it is no link, whatever it says; markup in it is.
    Nowhere,
}

/// A string of a script.
#[derive(Debug)]
pub(super) struct Literal<'s> {
    pub text: Cow<'s, str>,
    pub place: Place,
}

/// Whether a `script` element of this `type` and `language` holds a script that is read here.
pub(super) fn is_script(of: Option<&str>, language: Option<&str>) -> bool {
    let of =
        of.map(str::trim).filter(|of| !of.is_empty()).or(language).unwrap_or_default().to_ascii_lowercase();
    ["", "module"].contains(&&*of)
        || ["javascript", "jscript", "ecmascript", "livescript"].iter().any(|name| of.contains(name))
}

/// Whether a literal holds markup with links.
pub(super) fn is_markup(text: &str) -> bool {
    text.contains('<') && text.contains('=')
}

/// Whether a literal holds a script that goes somewhere, for a timer to run.
pub(super) fn is_code(text: &str) -> bool {
    text.contains(['\'', '"']) && (text.contains("location") || text.contains("open("))
}

/// A bracket, and the function that is called with it or the name that is given it.
#[derive(Debug, Clone, Copy, Default)]
struct Bracket<'s> {
    open: u8,
    owner: &'s str,
    name: &'s str,
    /// Whether what stands in it is no page.
    other: bool,
    /// Whether the script goes to what was written before it.
    goes: bool,
    /// Commas behind it.
    commas: u32,
}

/// A literal whose end is not known: a `+` may follow.
struct PendingLiteral<'s> {
    text: Cow<'s, str>,
    place: Place,
    /// Whether it may be the key of an object.
    first: bool,
    plus: bool,
}

/// Hands the literals of a script to `take`, in order. `plain` is where most of them stand.
pub(super) fn each_literal<'s>(source: &'s str, plain: Place, take: &mut dyn FnMut(Literal<'s>)) {
    let mut scan =
        Scan { plain, last: Default::default(), brackets: Vec::new(), deeper: 0, goes: false, pending: None };
    for token in Tokens::new(source) {
        if let Some(literal) = scan.token(token) {
            take(literal);
        }
    }
    if let Some(literal) = scan.ended_by(Token::default()) {
        take(literal);
    }
}

struct Scan<'s> {
    plain: Place,
    /// The last tokens, the latest first.
    last: [Token<'s>; 4],
    brackets: Vec<Bracket<'s>>,
    /// Brackets beyond those.
    deeper: usize,
    /// Whether the script navigates to the literal that follows.
    goes: bool,
    pending: Option<PendingLiteral<'s>>,
}

impl<'s> Scan<'s> {
    /// Reads a token; the literal that it ends.
    fn token(&mut self, token: Token<'s>) -> Option<Literal<'s>> {
        let done = match &mut self.pending {
            Some(pending) if pending.plus && token.kind == Kind::String => {
                pending.text.to_mut().push_str(&literal::unescaped(token.text));
                pending.plus = false;
                self.shift(token);
                return None;
            }
            Some(pending) if !pending.plus && token.text == "+" => {
                pending.plus = true;
                self.shift(token);
                return None;
            }
            Some(_) => self.ended_by(token),
            None => None,
        };
        match token.kind {
            Kind::String => self.begin(token),
            Kind::Piece => {
                let text = literal::unescaped(token.text);
                self.pending =
                    Some(PendingLiteral { text, place: Place::Nowhere, first: false, plus: false });
            }
            Kind::Sign => self.bracket(token),
            Kind::Word | Kind::None => {}
        }
        self.shift(token);
        done
    }

    fn shift(&mut self, token: Token<'s>) {
        self.last.rotate_right(1);
        self.last[0] = token;
    }

    fn begin(&mut self, token: Token<'s>) {
        let inside = self.brackets.last().map(|bracket| bracket.open);
        self.pending = Some(PendingLiteral {
            text: literal::unescaped(token.text),
            place: self.place(token.text),
            first: inside == Some(b'{') && matches!(self.last[0].text, "{" | ","),
            plus: false,
        });
    }

    /// The literal before `token`, which does not go on.
    fn ended_by(&mut self, token: Token<'s>) -> Option<Literal<'s>> {
        let mut pending = self.pending.take()?;
        let used = matches!(token.text, "." | "[" | "==" | "===" | "!=" | "!==");
        if pending.plus || used || (pending.first && token.text == ":") {
            pending.place = Place::Nowhere;
        }
        Some(Literal { text: pending.text, place: pending.place })
    }

    fn bracket(&mut self, token: Token<'s>) {
        match token.text {
            "(" | "[" | "{" if self.brackets.len() == MAX_DEPTH => self.deeper += 1,
            "(" | "[" | "{" => {
                let bracket = self.opened(token.text.as_bytes()[0]);
                self.goes &= bracket.open == b'(' && self.is_choice();
                self.brackets.push(bracket);
            }
            ")" | "]" | "}" if self.deeper > 0 => self.deeper -= 1,
            ")" | "]" | "}" => self.goes = self.brackets.pop().is_some_and(|bracket| bracket.goes),
            "=" => self.goes = self.is_location(),
            ";" => self.goes = false,
            "," => {
                self.goes = false;
                if let Some(bracket) = self.brackets.last_mut() {
                    bracket.commas = bracket.commas.saturating_add(1);
                }
            }
            _ => {}
        }
    }

    /// The bracket that opens now.
    fn opened(&self, open: u8) -> Bracket<'s> {
        let [last, before, third, _] = self.last;
        let mut bracket = Bracket { open, goes: self.goes, ..Bracket::default() };
        if open == b'(' && last.kind == Kind::Word {
            bracket.name = last.text;
            bracket.owner = if before.text == "." { third.text } else { "" };
            bracket.other = shape::is_other_call(bracket.owner, bracket.name);
        } else if matches!(last.text, ":" | "=") {
            bracket.name = before.text;
            bracket.other =
                bracket.name.starts_with('_') || shape::has_word(&shape::OTHER_NAMES, bracket.name);
        } else if last.text == ")" || last.text == "}" {
            bracket.name = last.text;
        }
        bracket
    }

    /// Whether a value that comes now is the one that the expression gives, or one of those that it chooses from.
    fn is_choice(&self) -> bool {
        self.last[0].kind == Kind::Sign && matches!(self.last[0].text, "=" | "?" | ":" | "|" | "(")
    }

    /// Whether the last tokens are where the script is: `location`, `location.href`, `window['location']`.
    fn is_location(&self) -> bool {
        let [name, dot, owner, first] = self.last.map(|token| token.text);
        let in_quotes = self.last[1].kind == Kind::String && (name, owner) == ("]", "[");
        match name {
            "location" => true,
            "href" => dot == "." && (owner == "location" || (owner == "]" && first == "location")),
            _ => in_quotes && (dot == "location" || (dot == "href" && first == "location")),
        }
    }

    /// Where a literal stands that comes now, and begins so.
    fn place(&self, text: &str) -> Place {
        let [last, before, ..] = self.last;
        if matches!(last.text, "+" | "+=" | "==" | "===" | "!=" | "!==" | "case" | "import" | "from")
            || (last.text == "[" && before.kind == Kind::Word)
        {
            return Place::Nowhere;
        }
        if self.is_target() {
            return Place::Target;
        }
        let name = if matches!(last.text, "=" | ":") { before.text } else { "" };
        // Most literals are words, which need not be asked for where they stand.
        if !shape::may_be(text) || shape::has_word(&shape::OTHER_NAMES, name) || self.is_in_other() {
            return Place::Nowhere;
        }
        if self.plain == Place::Script && shape::has_word(&shape::LINK_NAMES, name) {
            Place::Named
        } else {
            self.plain
        }
    }

    /// Whether the script goes to what comes now.
    fn is_target(&self) -> bool {
        let call = self.brackets.last().filter(|bracket| bracket.open == b'(' && bracket.commas == 0);
        (self.goes && self.is_choice()) || call.is_some_and(|call| shape::goes(call.owner, call.name))
    }

    /// Whether a bracket around what comes now says that it is no page.
    fn is_in_other(&self) -> bool {
        self.brackets.iter().rev().take(MAX_UP).enumerate().any(|(up, bracket)| {
            // A function that is called where it is written gets what it loads.
            bracket.other || (up == 0 && bracket.open == b'(' && matches!(bracket.name, ")" | "}"))
        })
    }
}
