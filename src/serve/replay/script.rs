//! Scripts: the names by which they see where they are, and the addresses that modules are imported from.
//!
//! `answer` calls it for scripts, `html` for those within pages, and the server for text that replayed pages run (`eval`,
//! handlers that they write).
//!
//! Browsers let nobody stand in for `location` and `top` (they are unforgeable), so a script is given other names:
//! `_webmill_location` and `_webmill_top`, wherever either word stands for a variable or is read from an object. The client script
//! ([`super::RUNTIME_JS`]) defines both, on the window and on `Object.prototype`: for the page's own window and document they
//! are those of the captured page, for every other object its own property (`event.location` stays what it was). Names of
//! properties that are written (`{location: x}`, methods, fields of classes) stay. A variable that the script itself calls so
//! is renamed at all its places, which changes nothing. So nothing is wrapped: declarations stay global, `"use strict"`
//! stays first, modules stay modules, lines keep their numbers.
//!
//! | source | becomes |
//! |---|---|
//! | `location = x`, `a.location`, `a?.location`, `a["location"]` | `_webmill_location` in its place |
//! | `top`, `window.top`, `e.top === e` | `_webmill_top`; other members called `top` (of boxes, styles) stay |
//! | `{location}`, as a value or a pattern | `{location: _webmill_location}`; after `const`, `let`, `var`: `{_webmill_location}` |
//! | `window[name]` | `window[_webmill.key(name)]` |
//! | `eval(text)` | `eval(_webmill.script(text))`, which comes here |
//! | `import(name)` | `import(_webmill.address(name))` |
//! | `import.meta.url` | `_webmill.original(import.meta.url)` |
//!
//! The specifiers of `import … from "/x.js"`, `import "/x.js"`, `export … from "/x.js"` and `import("/x.js")`, which browsers
//! resolve themselves, are rewritten where they begin like addresses.
//!
//! # Algorithm
//!
//! One pass over tokens, with a stack of open brackets that knows blocks from objects by what stands before the
//! brace, and a regular expression from a division by what stands before the slash. There is no tree: where the pass is wrong (a
//! regular expression after the brace of a function, say), a name may be missed. Time is linear; memory is that of the
//! changes and of at most [`MAX_OPEN`] brackets, beyond which the rest is copied as it is. Scripts without any of
//! the words are copied at once.
//!
//! Not seen: names that are put together at run time and looked up elsewhere than on `window`, `document` and the like.

use super::place::{Modifier, References, Verdict};

/// Open brackets that are followed.
const MAX_OPEN: usize = 10_000;

/// Modules that are known as a whole.
const MAX_MODULES: usize = 100;

/// What scripts call what we stand in for, and what it is called instead.
const NAMES: [(&[u8], &str); 2] = [(b"location", "_webmill_location"), (b"top", "_webmill_top")];

/// Names of windows and documents.
const WINDOWS: [&[u8]; 8] =
    [b"window", b"self", b"globalThis", b"document", b"top", b"parent", b"frames", b"defaultView"];

/// Whether a script is of a page, in which the client script has run, or of a worker, which has none.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Realm {
    Page,
    Worker,
}

/// Rewrites a script and appends it to `out`.
pub(super) fn rewrite(source: &[u8], references: &References, realm: Realm, out: &mut Vec<u8>) {
    if !is_concerned(source) {
        out.extend_from_slice(source);
        return;
    }
    let mut scanner = Scanner::new(source, references, realm, out);
    scanner.run();
    let copied = scanner.copied;
    out.extend_from_slice(&source[copied..]);
}

/// Whether a script has any of the words that are looked for.
pub(super) fn is_concerned(source: &[u8]) -> bool {
    [&b"location"[..], b"top", b"import", b"export", b"eval"]
        .iter()
        .any(|word| memchr::memmem::find(source, word).is_some())
        // `window[name]`
        || WINDOWS[..4].iter().any(|window| {
            memchr::memmem::find_iter(source, window).any(|at| source.get(at + window.len()) == Some(&b'['))
        })
}

/// Rewrites the addresses of an import map, names and values alike.
pub(super) fn rewrite_import_map(source: &[u8], references: &References, out: &mut Vec<u8>) {
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'"', &source[at..]) {
        let start = at + found + 1;
        let end = string_end(source, start, b'"');
        if let Some(place) = address(&source[start..end], references) {
            out.extend_from_slice(&source[copied..start]);
            out.extend_from_slice(place.as_bytes());
            copied = end;
        }
        at = (end + 1).min(source.len());
    }
    out.extend_from_slice(&source[copied..]);
}

/// What a specifier becomes that begins like an address; others name modules or are relative to their own.
fn address(raw: &[u8], references: &References) -> Option<String> {
    let starts = |with: &str| raw.get(..with.len()).is_some_and(|s| s.eq_ignore_ascii_case(with.as_bytes()));
    let climbs = starts("../") || starts("./");
    let absolute = starts("/") || starts("http://") || starts("https://");
    if !(absolute || climbs) || raw.iter().any(|&b| b == b'\\' || b <= b' ') {
        return None;
    }
    let text = std::str::from_utf8(raw).ok()?;
    match references.judge(raw, Modifier::Script, false) {
        Verdict::Keep => None,
        Verdict::Prefix(put) => Some(put + text),
        Verdict::Join => references.join(text, Modifier::Script),
    }
}

/// Place of the quote that ends a string, or the end of its line or the source.
fn string_end(source: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(&b) = source.get(at) {
        match b {
            b'\\' if source[at + 1..].starts_with(b"\r\n") => at += 2,
            b'\\' => at += 1,
            b'\n' | b'\r' => return at,
            _ if b == quote => return at,
            _ => {}
        }
        at += 1;
    }
    source.len()
}

/// What an open bracket is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// `{` of statements, and the script itself.
    Block,
    /// `{` of properties: a value, or a pattern that is assigned to.
    Object,
    /// `{` of a pattern after `let`, `const`, `var`.
    Pattern,
    Class,
    Import,
    Export,
    /// `${` within a template.
    Template,
    /// `(`; whether a statement follows it (`if (…)`), where a slash begins a regular expression.
    Paren(bool),
    /// `[`; whether it reads a property of what stands before it.
    Bracket(bool),
}

struct Open {
    kind: Kind,
    /// `?` whose `:` has not come.
    ternary: u32,
    /// A parenthesis of ours is to be closed before the first comma, or before the end.
    owed: bool,
}

/// What the scanner expects of modules.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Expect {
    Nothing,
    /// After `import`: a specifier or names.
    Import,
    /// After `import` or `export` and names: `from`.
    From,
    /// After `from`.
    Specifier,
}

/// Tokens that are looked back at.
const BACK: usize = 5;

struct Scanner<'s> {
    source: &'s [u8],
    references: &'s References,
    /// Of which [`NAMES`] the variables are replaced. A module that exports one keeps it.
    names: [bool; 2],
    /// Modules as a whole (`import * as all`): they answer to the names that they export alone.
    modules: Vec<&'s [u8]>,
    realm: Realm,
    at: usize,
    out: &'s mut Vec<u8>,
    /// What has been written, up to here.
    copied: usize,
    open: Vec<Open>,
    /// The last tokens, the newest first.
    last: [(usize, usize); BACK],
    /// Whether a slash would divide.
    operand: bool,
    expect: Expect,
    /// `import` or `export`, of which names or a specifier are expected.
    clause: &'static [u8],
    /// How many brackets were open at `class`, whose body has not come.
    class: Option<usize>,
    /// Whether the last colon was that of a `?`.
    of_ternary: bool,
    /// Within `delete a.b.c`.
    deleting: bool,
    /// Of the `export {…}` at hand: where it ends, and whether its names are those of another module.
    exported: (usize, bool),
}

const BEFORE_REGEX: [&[u8]; 15] = [
    b"return",
    b"typeof",
    b"case",
    b"in",
    b"of",
    b"delete",
    b"void",
    b"throw",
    b"new",
    b"do",
    b"else",
    b"instanceof",
    b"yield",
    b"await",
    b"default",
];

impl<'s> Scanner<'s> {
    fn new(source: &'s [u8], references: &'s References, realm: Realm, out: &'s mut Vec<u8>) -> Scanner<'s> {
        let names = NAMES.map(|(name, _)| realm == Realm::Page && !exports(source, name));
        let script = Open { kind: Kind::Block, ternary: 0, owed: false };
        Scanner {
            source,
            references,
            names,
            modules: Vec::new(),
            realm,
            at: 0,
            out,
            copied: 0,
            open: vec![script],
            last: [(0, 0); BACK],
            operand: false,
            expect: Expect::Nothing,
            clause: b"",
            class: None,
            of_ternary: false,
            deleting: false,
            exported: (0, false),
        }
    }

    /// The token before, the one before that, …; empty before the first.
    fn back(&self, steps: usize) -> &'s [u8] {
        let (from, to) = self.last[steps - 1];
        &self.source[from..to]
    }

    fn top(&self) -> Kind {
        self.open.last().map_or(Kind::Block, |open| open.kind)
    }

    /// Whether the last token reads a property.
    fn after_dot(&self) -> bool {
        matches!(self.back(1), b"." | b"?.")
    }

    fn put(&mut self, from: usize, to: usize, text: &str) {
        self.out.extend_from_slice(&self.source[self.copied..from]);
        self.out.extend_from_slice(text.as_bytes());
        self.copied = to;
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.put(at, at, text);
    }

    /// Behind white space and comments.
    fn skip_space(&self, mut at: usize) -> usize {
        while let Some(&b) = self.source.get(at) {
            let rest = &self.source[at..];
            if b.is_ascii_whitespace() {
                at += 1;
            } else if rest.starts_with(b"//") || rest.starts_with(b"<!--") {
                at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            } else if rest.starts_with(b"/*") {
                at += memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
            } else {
                break;
            }
        }
        at
    }

    fn run(&mut self) {
        loop {
            self.at = self.skip_space(self.at);
            let Some(&b) = self.source.get(self.at) else { return };
            if self.open.len() > MAX_OPEN {
                return;
            }
            let start = self.at;
            match b {
                b'"' | b'\'' => self.string(b),
                b'`' => {
                    self.at += 1;
                    self.template();
                }
                b'/' if !self.operand => {
                    self.at = regex_end(self.source, self.at + 1);
                    self.operand = true;
                    self.expect = Expect::Nothing;
                }
                _ if is_word(b) => self.word(),
                _ => self.mark(b),
            }
            self.last.rotate_right(1);
            self.last[0] = (start, self.at);
        }
    }

    fn string(&mut self, quote: u8) {
        let start = self.at + 1;
        let end = string_end(self.source, start, quote);
        self.at = (end + 1).min(self.source.len());
        let text = &self.source[start..end];
        let literal_import = self.back(1) == b"(" && self.back(2) == b"import" && self.back(3) != b".";
        if matches!(self.expect, Expect::Import | Expect::Specifier) || literal_import {
            if let Some(place) = address(text, self.references) {
                self.put(start, end, &place);
            }
        } else if self.top() == Kind::Bracket(true)
            && self.back(1) == b"["
            && self.source.get(self.skip_space(self.at)) == Some(&b']')
            && let Some(number) = NAMES.iter().position(|(name, _)| *name == text)
            && self.realm == Realm::Page
            && (text != b"top" || WINDOWS.contains(&self.back(2)))
        {
            self.put(start, end, NAMES[number].1);
        }
        (self.operand, self.expect) = (true, Expect::Nothing);
    }

    /// From within a template to its end, or to code within it.
    fn template(&mut self) {
        while let Some(&b) = self.source.get(self.at) {
            self.at += 1;
            match b {
                b'\\' => self.at += 1,
                b'`' => break,
                b'$' if self.source.get(self.at) == Some(&b'{') => {
                    self.at += 1;
                    self.push(Kind::Template, false);
                    (self.operand, self.expect) = (false, Expect::Nothing);
                    return;
                }
                _ => {}
            }
        }
        self.at = self.at.min(self.source.len());
        (self.operand, self.expect) = (true, Expect::Nothing);
    }

    fn push(&mut self, kind: Kind, owed: bool) {
        self.open.push(Open { kind, ternary: 0, owed });
    }

    fn word(&mut self) {
        let start = self.at;
        let rest = &self.source[start..];
        self.at += rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len());
        let word = &self.source[start..self.at];
        let member = self.after_dot() || self.back(1) == b"#";
        if let Some(number) = NAMES.iter().position(|(name, _)| *name == word)
            && self.realm == Realm::Page
            && (self.names[number] || self.after_dot())
        {
            self.name(word, NAMES[number].1, start);
        }
        if self.back(1) == b"as" && self.back(2) == b"*" && self.modules.len() < MAX_MODULES {
            self.modules.push(word);
        }
        self.expect = match word {
            b"import" if !member => Expect::Import,
            b"export" if !member => Expect::From,
            b"from" if matches!(self.expect, Expect::From | Expect::Import) => Expect::Specifier,
            _ if matches!(self.expect, Expect::Import | Expect::From) => Expect::From,
            _ => Expect::Nothing,
        };
        match word {
            b"import" if !member => self.clause = b"import",
            b"export" if !member => self.clause = b"export",
            b"class" if !member && self.names_a_class() => self.class = Some(self.open.len()),
            b"delete" if !member => self.deleting = true,
            b"url"
                if self.realm == Realm::Page
                    && [self.back(1), self.back(2), self.back(3), self.back(4)]
                        == [&b"."[..], b"meta", b".", b"import"] =>
            {
                self.insert(self.last[3].0, "_webmill.original(");
                self.insert(self.at, ")");
            }
            _ => {}
        }
        self.operand = member || !BEFORE_REGEX.contains(&word);
    }

    /// Whether a name or a body follows, and not the colon of a property.
    fn names_a_class(&self) -> bool {
        self.source.get(self.skip_space(self.at)).is_some_and(|&b| is_word(b) || b == b'{')
    }

    /// One of [`NAMES`] that begins at `start`.
    fn name(&mut self, word: &[u8], instead: &str, start: usize) {
        let (from, to) = (start, self.at);
        let next = &self.source[self.skip_space(to)..];
        let before = self.back(1);
        let put = |scanner: &mut Self, text: &str| scanner.put(from, to, text);
        if self.after_dot() {
            let of = self.back(2);
            let compared = |token: &[u8]| matches!(token, b"==" | b"===" | b"!=" | b"!==");
            let of_window = word != b"top"
                || WINDOWS.contains(&of)
                || of == b"this"
                || next.starts_with(b"==")
                || next.starts_with(b"!=")
                || (next.starts_with(b".") && of != b"style")
                || compared(self.back(3));
            if of_window && of != b"super" && !self.deleting && !self.modules.contains(&of) {
                put(self, instead);
            }
            return;
        }
        let begins = matches!(before, b"{" | b",");
        let ends = next.starts_with(b",")
            || next.starts_with(b"}")
            || (next.starts_with(b"=") && !next.starts_with(b"==") && !next.starts_with(b"=>"));
        let accessor = matches!(before, b"get" | b"set" | b"async" | b"static" | b"*");
        let called = next.starts_with(b"(");
        let own = String::from_utf8_lossy(word);
        match self.top() {
            _ if before == b"#" => {}
            Kind::Class if accessor || matches!(before, b"{" | b";" | b"}") => {}
            Kind::Object | Kind::Pattern if called && (begins || accessor) => {}
            Kind::Object if begins && next.starts_with(b":") => {}
            Kind::Object if begins && ends => put(self, &format!("{own}: {instead}")),
            Kind::Import if begins && next.starts_with(b"as") => {}
            Kind::Import if begins => put(self, &format!("{own} as {instead}")),
            Kind::Export if before == b"as" || self.exports_of_another() => {}
            Kind::Export if begins && !next.starts_with(b"as") => put(self, &format!("{instead} as {own}")),
            _ if before == b"as" && self.back(2) == b"*" && self.back(3) == b"export" => {}
            _ => put(self, instead),
        }
    }

    /// Whether the names in the braces of an `export` are those of another module.
    fn exports_of_another(&mut self) -> bool {
        if self.exported.0 <= self.at {
            let rest = &self.source[self.at..];
            let close = memchr::memchr(b'}', rest).map_or(self.source.len(), |close| self.at + close + 1);
            self.exported = (close, self.source[self.skip_space(close)..].starts_with(b"from"));
        }
        self.exported.1
    }

    fn mark(&mut self, b: u8) {
        const LONG: [&[u8]; 11] =
            [b"...", b"===", b"!==", b"=>", b"==", b"!=", b"??", b"++", b"--", b"&&", b"||"];
        let start = self.at;
        let rest = &self.source[start..];
        let optional = rest.starts_with(b"?.") && !rest.get(2).is_some_and(u8::is_ascii_digit);
        let length = if optional {
            2
        } else {
            LONG.iter().find(|long| rest.starts_with(long)).map_or(1, |long| long.len())
        };
        self.at += length;
        let token = &rest[..length];
        let was_operand = self.operand;
        self.operand = match token {
            b"++" | b"--" => was_operand,
            _ => false,
        };
        if !matches!(token, b"." | b"?.") {
            self.deleting = false;
        }
        let names = matches!(self.expect, Expect::Import | Expect::From);
        let mut expect = match b {
            b'*' | b',' if names => Expect::From,
            _ => Expect::Nothing,
        };
        match b {
            b'?' if length == 1 => self.count(true),
            b':' => self.count(false),
            b',' => self.settle(start),
            b'(' => {
                let head = matches!(self.back(1), b"if" | b"while" | b"for" | b"with")
                    && !matches!(self.back(2), b"." | b"?.");
                let head = head || (self.back(1) == b"await" && self.back(2) == b"for");
                let helper = self.helper_of_call();
                self.push(Kind::Paren(head), helper.is_some());
                if let Some(helper) = helper {
                    self.insert(self.at, helper);
                }
            }
            b'[' => {
                let computed = was_operand
                    && self.realm == Realm::Page
                    && WINDOWS[..4].contains(&self.back(1))
                    && !self.is_literal_index();
                self.push(Kind::Bracket(was_operand), computed);
                if computed {
                    self.insert(self.at, "_webmill.key(");
                }
            }
            b'{' => {
                let kind = self.brace();
                self.push(kind, false);
                if matches!(kind, Kind::Import | Kind::Export) {
                    expect = Expect::From;
                }
            }
            b')' | b']' | b'}' => {
                let closes = |kind: Kind| match b {
                    b')' => matches!(kind, Kind::Paren(_)),
                    b']' => matches!(kind, Kind::Bracket(_)),
                    _ => !matches!(kind, Kind::Paren(_) | Kind::Bracket(_)),
                };
                self.settle(start);
                let kind = self.top();
                if self.open.len() > 1 && closes(kind) {
                    self.open.pop();
                }
                match kind {
                    Kind::Template if b == b'}' => return self.template(),
                    Kind::Import | Kind::Export => expect = Expect::From,
                    _ => {}
                }
                self.operand = match kind {
                    Kind::Paren(head) => !head,
                    Kind::Block | Kind::Class => b != b'}',
                    _ => true,
                };
            }
            _ => {}
        }
        self.expect = expect;
    }

    /// Whether the brackets that open here hold a number, or a string alone.
    fn is_literal_index(&self) -> bool {
        let start = self.skip_space(self.at);
        match self.source.get(start) {
            Some(&quote @ (b'"' | b'\'')) => {
                let end = string_end(self.source, start + 1, quote) + 1;
                self.source.get(self.skip_space(end.min(self.source.len()))) == Some(&b']')
            }
            other => other.is_none_or(u8::is_ascii_digit),
        }
    }

    /// Counts `?` and its `:`.
    fn count(&mut self, question: bool) {
        let Some(open) = self.open.last_mut() else { return };
        self.of_ternary = !question && open.ternary > 0;
        open.ternary = if question { open.ternary + 1 } else { open.ternary.saturating_sub(1) };
    }

    /// Closes a parenthesis of ours at the end of the first argument.
    fn settle(&mut self, at: usize) {
        if let Some(open) = self.open.last_mut()
            && std::mem::take(&mut open.owed)
        {
            self.insert(at, ")");
        }
    }

    /// The helper put around the first argument of the call that begins here.
    fn helper_of_call(&self) -> Option<&'static str> {
        if self.realm != Realm::Page {
            return None;
        }
        let eval = self.back(1) == b"eval" && self.back(2) != b"function"
            || (self.back(1) == b")" && self.back(2) == b"eval");
        if eval {
            return Some("_webmill.script(");
        }
        let first = self.source.get(self.skip_space(self.at));
        let computed = self.back(1) == b"import"
            && !matches!(self.back(2), b"." | b"?.")
            && !matches!(first, Some(b'"' | b'\''));
        computed.then_some("_webmill.address(")
    }

    /// What the brace that begins here opens.
    fn brace(&mut self) -> Kind {
        if self.class == Some(self.open.len()) {
            self.class = None;
            return Kind::Class;
        }
        let before = self.back(1);
        let names = matches!(self.expect, Expect::Import | Expect::From);
        match before {
            b"import" if names => Kind::Import,
            b"export" if names => Kind::Export,
            b"," if names && self.clause == b"import" => Kind::Import,
            b"let" | b"const" | b"var" => Kind::Pattern,
            b"" | b";" | b"{" | b"}" | b")" | b"=>" => Kind::Block,
            b":" => match self.top() {
                Kind::Pattern => Kind::Pattern,
                Kind::Block | Kind::Class if !self.of_ternary => Kind::Block,
                _ => Kind::Object,
            },
            _ if before.first().is_some_and(|b| is_word(*b)) => {
                let word = BEFORE_REGEX.contains(&before) && !matches!(before, b"do" | b"else");
                if word { Kind::Object } else { Kind::Block }
            }
            _ if before.starts_with(b"\"") || before.starts_with(b"'") || before == b"]" => Kind::Block,
            _ => Kind::Object,
        }
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$') || b >= 0x80
}

/// Whether a module exports a declaration of a name, which must then keep it.
fn exports(source: &[u8], name: &[u8]) -> bool {
    memchr::memmem::find_iter(source, b"export").any(|at| {
        let rest = &source[at + 6..];
        let rest = &rest[..rest.len().min(80)];
        let mut words = rest.split(|&b| !is_word(b)).filter(|word| !word.is_empty());
        let declares =
            |word: &&[u8]| matches!(*word, b"const" | b"let" | b"var" | b"function" | b"class" | b"async");
        words.next().filter(declares).is_some_and(|first| {
            let second = words.next();
            second == Some(name) || (first == b"async" && words.next() == Some(name))
        })
    })
}

/// Behind a regular expression, or the place where its line ends without it.
fn regex_end(source: &[u8], mut at: usize) -> usize {
    let mut class = false;
    while let Some(&b) = source.get(at) {
        match b {
            b'\\' => at += 1,
            b'\n' | b'\r' => return at,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use webmill_capture::CanonicalUrl;

    use super::*;

    fn rewritten(source: &str, realm: Realm) -> String {
        let base = CanonicalUrl::parse("http://e.org/s/a.js").unwrap();
        let references = References::new("/c/", "2024", None, base, encoding_rs::UTF_8);
        let mut out = Vec::new();
        rewrite(source.as_bytes(), &references, realm, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn specifiers_of_modules() {
        let to = "/c/2024js_/http://e.org/x.js";
        // `@` is an address, rewritten; `#` one that stays.
        for source in [
            "import '@'",
            "import a from \"@\";import b from './b.js'",
            "import a, {b as c} from '@'",
            "import * as n from '@'",
            "import{a}from'@'",
            "export {a} from '@'; export * from '@'; export * as d from '@'",
            "const m = await import('@')",
            "import /* c */ x from '@' with { type: 'json' }",
            "const s = 'import \"#\"'; // import '#'\n/* import '#' */ import '@'",
            "let r = /[/'\"]import 'y'/g; import '@'",
            "let d = a / b; import '@'; c / 2",
            "`import '#' ${await import('@')} import '#' ${`${'#'}`}`; import '@'",
            "x.import('#'); export default '#'; export const u = '#'; export function f() { return '#' }",
            "foo('#'); from('#'); var from = '#'",
        ] {
            let given = source.replace(['@', '#'], "/x.js");
            let expected = source.replace('@', to).replace('#', "/x.js");
            assert_eq!(rewritten(&given, Realm::Page), expected, "{source}");
        }
        assert_eq!(
            rewritten("import 'lodash'; import '../a.js'", Realm::Page),
            "import 'lodash'; import '../a.js'"
        );
        assert_eq!(rewritten("import '../../../x.js'", Realm::Page), format!("import '{to}'"));
        for broken in ["import '", "`${", "/", "import \"\\", "`${`${`", "}", "import {", "top", "{location"]
        {
            rewritten(broken, Realm::Page);
        }
    }

    #[test]
    fn names_of_where_a_page_is() {
        // In expected text `@` and `^` are the other names of `location` and `top`.
        for (given, expected) in [
            ("location.href = a; b = location;", "@.href = a; b = @;"),
            (
                "window.location = c; document?.location.x; self . location",
                "window.@ = c; document?.@.x; self . @",
            ),
            (
                "var location = 1; function f(location, top) { top = location }",
                "var @ = 1; function f(@, ^) { ^ = @ }",
            ),
            ("({location: location}); f({location: 1, a: top})", "({location: @}); f({location: 1, a: ^})"),
            (
                "x = {location() {}, get location() { return location }}",
                "x = {location() {}, get location() { return @ }}",
            ),
            ("f({location}); f(a, {b, location, c})", "f({location: @}); f(a, {b, location: @, c})"),
            ("({location = 5}) => location", "({location: @ = 5}) => @"),
            (
                "const {location} = window, {top} = a; let {location: l} = b",
                "const {@} = window, {top: ^} = a; let {@: l} = b",
            ),
            ("if (a) {location = b} else {location, c}", "if (a) {@ = b} else {@, c}"),
            ("() => {location = 5}; x = y ? location : top", "() => {@ = 5}; x = y ? @ : ^"),
            ("switch (a) { case location: { location = 1 } }", "switch (a) { case @: { @ = 1 } }"),
            (
                "class A { location = top; static top = 1; get location() { return super.location } top() {} m() { top } }",
                "class A { location = ^; static top = 1; get location() { return super.location } top() {} m() { ^ } }",
            ),
            (
                "r.top; r.style.top = 5; top != self; window.top",
                "r.top; r.style.top = 5; ^ != self; window.^",
            ),
            ("e.top !== e.self; e.self !== e.top; this.top.x", "e.^ !== e.self; e.self !== e.^; this.^.x"),
            (
                "w['location']; ['location']; window['top']; r['top']",
                "w['@']; ['location']; window['^']; r['top']",
            ),
            (
                "w['location' + a]; ({class: {location: location}})",
                "w['location' + a]; ({class: {location: @}})",
            ),
            (
                "`location ${location} ${{location}} top`; 'top'",
                "`location ${@} ${{location: @}} top`; 'top'",
            ),
            (
                "/location/.test(location); // location\n/* top */top",
                "/location/.test(@); // location\n/* top */^",
            ),
            (
                "if (a) /location/.exec(b); a = b / location / c; x++ / top",
                "if (a) /location/.exec(b); a = b / @ / c; x++ / ^",
            ),
            (
                "import {location, top as a} from 'x'; import * as top from 'y'",
                "import {location as @, top as a} from 'x'; import * as ^ from 'y'",
            ),
            (
                "export {location, top as a}; export {location, top as a} from 'x'",
                "export {@ as location, ^ as a}; export {location, top as a} from 'x'",
            ),
            (
                "delete a.location; a.#location; top: for (;;) break top",
                "delete a.location; a.#location; ^: for (;;) break ^",
            ),
            ("<!-- location\nlocation", "<!-- location\n@"),
            // A module that exports the name keeps it.
            (
                "export const location = 1; f(location, top, window.location)",
                "export const location = 1; f(location, ^, window.@)",
            ),
            (
                "import * as all from 'x'; all.location; a.location",
                "import * as all from 'x'; all.location; a.@",
            ),
        ] {
            let expected = expected.replace('@', "_webmill_location").replace('^', "_webmill_top");
            assert_eq!(rewritten(given, Realm::Page), expected);
            assert_eq!(rewritten(&expected, Realm::Page), expected, "twice");
        }
        let worker = "self.location; eval(a); import(b)";
        assert_eq!(rewritten(worker, Realm::Worker), worker);
    }

    #[test]
    fn what_is_known_at_run_time_alone() {
        for (given, expected) in [
            ("window['a' + b][c]", "window[_webmill.key('a' + b)][c]"),
            ("window[a][0]; window[0]; window['b']", "window[_webmill.key(a)][0]; window[0]; window['b']"),
            ("eval(a, b); x.eval('c')", "eval(_webmill.script(a), b); x.eval(_webmill.script('c'))"),
            ("(0, eval)(a)", "(0, eval)(_webmill.script(a))"),
            (
                "import(`a${b}`, {with: c}); import('./d')",
                "import(_webmill.address(`a${b}`), {with: c}); import('./d')",
            ),
            ("new URL('a', import.meta.url)", "new URL('a', _webmill.original(import.meta.url))"),
        ] {
            assert_eq!(rewritten(given, Realm::Page), expected);
        }
    }

    #[test]
    fn addresses_of_import_maps() {
        let base = CanonicalUrl::parse("http://e.org/s/a.js").unwrap();
        let references = References::new("/c/", "2024", None, base, encoding_rs::UTF_8);
        let mut out = Vec::new();
        let map = r#"{"imports":{"a":"/x.js","/b/":"./b/","c":"http://f.org/c"}}"#;
        rewrite_import_map(map.as_bytes(), &references, &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"imports":{"a":"/c/2024js_/http://e.org/x.js","/c/2024js_/http://e.org/b/":"./b/","c":"/c/2024js_/http://f.org/c"}}"#
        );
    }
}
