//! Conditions on the columns of a row: `num_words >= 50 and language = 'zho' and dup_line_chars < 0.3`.
//!
//! **Grammar.** `or` and `and` and `not`; `=`, `!=`, `<`, `<=`, `>`, `>=`; `in (…)` and `not in (…)`; `is null` and `is not null`; `+`, `-`, `*`, `/` of numbers;
//! parentheses; numbers, `'texts'` (a quote within is doubled), `true`, `false`; names of columns. As in SQL, a comparison with null is unknown, and the unknown is not
//! true; so is a division by 0.
//!
//! **Cost.** A walk over a tree of at most 4,096 bytes of text. Names and types are checked before the first row.

use webmill_capture::cut::Cut;
use webmill_capture::{Error, Result};

/// A value of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand<'a> {
    /// Unknown.
    Null,
    /// A truth value.
    Bool(bool),
    /// Of any column of numbers.
    Number(f64),
    /// A text.
    Text(&'a str),
}

/// Types of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Null,
    Bool,
    Number,
    Text,
}

impl Operand<'_> {
    fn type_of(self) -> Type {
        match self {
            Operand::Null => Type::Null,
            Operand::Bool(_) => Type::Bool,
            Operand::Number(_) => Type::Number,
            Operand::Text(_) => Type::Text,
        }
    }

    fn truth(self) -> Option<bool> {
        if let Operand::Bool(truth) = self { Some(truth) } else { None }
    }

    fn number(self) -> Option<f64> {
        if let Operand::Number(number) = self { Some(number) } else { None }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Column(usize),
    Bool(bool),
    Number(f64),
    Text(String),
    Not(Box<Node>),
    IsNull(Box<Node>),
    In(Box<Node>, Vec<Node>),
    Two(Sign, Box<Node>, Box<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
}

/// A condition, checked against the columns that there are.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    root: Node,
    columns: Vec<String>,
}

/// Characters of a text that are shown.
const SHOWN: usize = 100;

/// Bytes of an expression, and how deep it can be nested.
const MOST_BYTES: usize = 4096;
const MOST_DEPTH: usize = 64;

impl Expression {
    /// Reads a condition. `columns` are the names that there are, each with a value of its type.
    ///
    /// # Errors
    /// [`Error::Config`] that names the place and the columns that are nearest to an unknown one.
    pub fn parse(text: &str, columns: &[(&str, Operand<'_>)]) -> Result<Expression> {
        let wrong = |at: usize, why: String| {
            let place = text.get(..at).map_or(at, |before| before.chars().count()) + 1;
            Error::Config(format!("the condition {text:?}, character {place}: {why}"))
        };
        if text.len() > MOST_BYTES {
            return Err(Error::Config(format!(
                "a condition of {} bytes: at most {MOST_BYTES} are read",
                text.len()
            )));
        }
        let words = words(text).map_err(|(at, why)| wrong(at, why))?;
        let mut parser = Parser { text, words, at: 0, known: columns, used: Vec::new(), depth: 0 };
        let parsed = parser.or().and_then(|(node, kind)| match parser.words.get(parser.at) {
            Some((at, word)) => Err((*at, format!("{word:?} is not expected here"))),
            None if kind != Type::Bool => Err((0, "it is no condition: it has no comparison".to_owned())),
            None => Ok(node),
        });
        let root = parsed.map_err(|(at, why)| wrong(at, why))?;
        Ok(Expression { root, columns: parser.used })
    }

    /// The columns that it asks for, in the order of the values of a row.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Whether it holds of a row with these values; `None` where that is unknown.
    pub fn holds(&self, row: &[Operand<'_>]) -> Option<bool> {
        value(&self.root, row).truth()
    }

    /// The values that it was asked of: `num_words = 12, language = 'zho'`.
    pub fn values(&self, row: &[Operand<'_>]) -> String {
        let shown = self.columns.iter().zip(row).map(|(name, value)| match value {
            Operand::Null => format!("{name} is null"),
            Operand::Bool(value) => format!("{name} = {value}"),
            Operand::Number(value) => format!("{name} = {}", (value * 1e6).round() / 1e6),
            Operand::Text(value) => format!("{name} = '{}'", value.chars().take(SHOWN).collect::<String>()),
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

fn value<'a>(node: &'a Node, row: &[Operand<'a>]) -> Operand<'a> {
    let truth = |truth: Option<bool>| truth.map_or(Operand::Null, Operand::Bool);
    match node {
        Node::Column(at) => row.get(*at).copied().unwrap_or(Operand::Null),
        Node::Bool(value) => Operand::Bool(*value),
        Node::Number(value) => Operand::Number(*value),
        Node::Text(value) => Operand::Text(value),
        Node::Not(node) => truth(value(node, row).truth().map(|truth| !truth)),
        Node::IsNull(node) => Operand::Bool(value(node, row) == Operand::Null),
        Node::In(node, list) => match value(node, row) {
            Operand::Null => Operand::Null,
            known => Operand::Bool(list.iter().any(|one| value(one, row) == known)),
        },
        Node::Two(sign, left, right) => {
            let left = value(left, row);
            match (sign, left) {
                // What one side decides the other cannot change.
                (Sign::And, Operand::Bool(false)) | (Sign::Or, Operand::Bool(true)) => return left,
                _ => {}
            }
            two(*sign, left, value(right, row))
        }
    }
}

fn two<'a>(sign: Sign, left: Operand<'a>, right: Operand<'a>) -> Operand<'a> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    if matches!(sign, Sign::And | Sign::Or) {
        let decides = sign == Sign::Or;
        return match (left.truth(), right.truth()) {
            (_, Some(truth)) if truth == decides => Operand::Bool(decides),
            (Some(_), Some(truth)) => Operand::Bool(truth),
            _ => Operand::Null,
        };
    }
    if let Some((a, b)) = left.number().zip(right.number()) {
        let result = match sign {
            Sign::Plus => a + b,
            Sign::Minus => a - b,
            Sign::Times => a * b,
            Sign::Over => a / b,
            _ => f64::NAN,
        };
        if matches!(sign, Sign::Plus | Sign::Minus | Sign::Times | Sign::Over) {
            return if result.is_finite() { Operand::Number(result) } else { Operand::Null };
        }
    }
    let order = match (left, right) {
        (Operand::Number(a), Operand::Number(b)) => a.partial_cmp(&b),
        (Operand::Text(a), Operand::Text(b)) => Some(a.cmp(b)),
        (Operand::Bool(a), Operand::Bool(b)) => Some(a.cmp(&b)),
        _ => None,
    };
    let Some(order) = order else { return Operand::Null };
    Operand::Bool(match sign {
        Sign::Equal => order == Equal,
        Sign::Unequal => order != Equal,
        Sign::Less => order == Less,
        Sign::AtMost => order != Greater,
        Sign::More => order == Greater,
        _ => order != Less,
    })
}

/// A place in the text and why it is wrong.
type Wrong = (usize, String);

/// Names, numbers, texts and signs, each with its place.
fn words(text: &str) -> Result<Vec<(usize, &str)>, Wrong> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(c) = text.cut(at..).chars().next() {
        let rest = text.cut(at..);
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let length = match c {
            _ if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '\'' => {
                let mut end = 1;
                loop {
                    let Some(quote) = rest.cut(end..).find('\'') else {
                        return Err((at, "the quote is not closed".into()));
                    };
                    end += quote + 1;
                    if !rest.cut(end..).starts_with('\'') {
                        break end;
                    }
                    end += 1;
                }
            }
            '0'..='9' | '.' => {
                let mut end = rest.find(|c: char| !is_name(c) && c != '.').unwrap_or(rest.len());
                if rest.cut(..end).ends_with(['e', 'E']) && rest.cut(end..).starts_with(['-', '+']) {
                    end += 1;
                    end += rest.cut(end..).find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - end);
                }
                end
            }
            _ if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ if ["!=", "<>", "<=", ">=", "=="].iter().any(|two| rest.starts_with(two)) => 2,
            '=' | '<' | '>' | '+' | '-' | '*' | '/' | '(' | ')' | ',' => 1,
            '"' => return Err((at, "texts stand in single quotes: 'zho'".to_owned())),
            _ => return Err((at, format!("{c:?} is no sign of a condition"))),
        };
        words.push((at, rest.cut(..length)));
        at += length;
    }
    Ok(words)
}

struct Parser<'a> {
    text: &'a str,
    words: Vec<(usize, &'a str)>,
    at: usize,
    known: &'a [(&'a str, Operand<'a>)],
    used: Vec<String>,
    depth: usize,
}

type Parsed = Result<(Node, Type), Wrong>;

impl<'a> Parser<'a> {
    fn place(&self) -> usize {
        self.words.get(self.at).map_or(self.text.len(), |(at, _)| *at)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(|(_, next)| next.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), Wrong> {
        if self.take(word) { Ok(()) } else { Err((self.place(), format!("{word} is missing"))) }
    }

    /// Two sides that must be of these types, joined.
    fn join(
        &self,
        sign: Sign,
        left: (Node, Type),
        right: (Node, Type),
        wanted: Option<Type>,
        gives: Type,
    ) -> Parsed {
        let fits = |kind: Type| wanted.is_none_or(|wanted| kind == wanted);
        if left.1 != right.1 || !fits(left.1) || !fits(right.1) {
            let name = |kind| format!("{kind:?}").to_lowercase();
            let why = format!("{} and {} do not go together here", name(left.1), name(right.1));
            return Err((self.words.get(self.at - 1).map_or(0, |(at, _)| *at), why));
        }
        Ok((Node::Two(sign, Box::new(left.0), Box::new(right.0)), gives))
    }

    fn or(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err((self.place(), format!("more than {MOST_DEPTH} parentheses within each other")));
        }
        let mut left = self.and()?;
        while self.take("or") {
            let right = self.and()?;
            left = self.join(Sign::Or, left, right, Some(Type::Bool), Type::Bool)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.not()?;
        while self.take("and") {
            let right = self.not()?;
            left = self.join(Sign::And, left, right, Some(Type::Bool), Type::Bool)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Parsed {
        let mut turned = false;
        while self.take("not") {
            turned = !turned;
        }
        let place = self.place();
        let (node, kind) = self.comparison()?;
        if !turned {
            return Ok((node, kind));
        }
        if kind != Type::Bool {
            return Err((place, "only a condition can be turned round by not".into()));
        }
        Ok((Node::Not(Box::new(node)), Type::Bool))
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        if self.take("is") {
            let not = self.take("not");
            self.expect("null")?;
            let node = Node::IsNull(Box::new(left.0));
            return Ok((if not { Node::Not(Box::new(node)) } else { node }, Type::Bool));
        }
        let not = self.take("not");
        if self.take("in") {
            self.expect("(")?;
            let mut list = Vec::new();
            loop {
                let place = self.place();
                let (node, kind) = self.sum()?;
                if kind != left.1 {
                    return Err((place, "it is of another type than the column".into()));
                }
                list.push(node);
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
            let node = Node::In(Box::new(left.0), list);
            return Ok((if not { Node::Not(Box::new(node)) } else { node }, Type::Bool));
        }
        if not {
            return Err((self.place(), "in is missing behind not".into()));
        }
        const SIGNS: [(&str, Sign); 8] = [
            ("=", Sign::Equal),
            ("==", Sign::Equal),
            ("!=", Sign::Unequal),
            ("<>", Sign::Unequal),
            ("<", Sign::Less),
            ("<=", Sign::AtMost),
            (">", Sign::More),
            (">=", Sign::AtLeast),
        ];
        for (word, sign) in SIGNS {
            if self.take(word) {
                let right = self.sum()?;
                return self.join(sign, left, right, None, Type::Bool);
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let sign = match () {
                () if self.take("+") => Sign::Plus,
                () if self.take("-") => Sign::Minus,
                () => return Ok(left),
            };
            let right = self.product()?;
            left = self.join(sign, left, right, Some(Type::Number), Type::Number)?;
        }
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.one()?;
        loop {
            let sign = match () {
                () if self.take("*") => Sign::Times,
                () if self.take("/") => Sign::Over,
                () => return Ok(left),
            };
            let right = self.one()?;
            left = self.join(sign, left, right, Some(Type::Number), Type::Number)?;
        }
    }

    fn one(&mut self) -> Parsed {
        let Some(&(place, word)) = self.words.get(self.at) else {
            return Err((self.text.len(), "something is missing at the end".into()));
        };
        self.at += 1;
        match word {
            "(" => {
                let inner = self.or()?;
                self.expect(")")?;
                return Ok(inner);
            }
            "-" => {
                let number = self
                    .words
                    .get(self.at)
                    .and_then(|(_, word)| word.parse::<f64>().ok())
                    .filter(|n| n.is_finite());
                self.at += 1;
                return number
                    .map(|n| (Node::Number(-n), Type::Number))
                    .ok_or((place, "a number is missing behind -".into()));
            }
            _ if word.starts_with('\'') => {
                return Ok((Node::Text(word.cut(1..word.len() - 1).replace("''", "'")), Type::Text));
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                let number = word.parse::<f64>().ok().filter(|n| n.is_finite());
                return number
                    .map(|n| (Node::Number(n), Type::Number))
                    .ok_or((place, format!("{word} is no number")));
            }
            _ if word.eq_ignore_ascii_case("true") || word.eq_ignore_ascii_case("false") => {
                return Ok((Node::Bool(word.eq_ignore_ascii_case("true")), Type::Bool));
            }
            _ => {}
        }
        if !word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err((place, format!("{word:?} is not expected here")));
        }
        let Some((name, example)) = self.known.iter().find(|(name, _)| *name == word) else {
            if word.eq_ignore_ascii_case("null") {
                return Err((place, "write is null, or is not null".to_owned()));
            }
            let near = near(word, self.known.iter().map(|(name, _)| *name));
            let near =
                if near.is_empty() { String::new() } else { format!("; near it: {}", near.join(", ")) };
            return Err((place, format!("no column is called {word:?}{near}")));
        };
        let at = self.used.iter().position(|used| used == name).unwrap_or_else(|| {
            self.used.push((*name).to_owned());
            self.used.len() - 1
        });
        Ok((Node::Column(at), example.type_of()))
    }
}

/// Up to three names that are nearest to a word: those that begin with it or hold it, and those that a few letters make of it.
fn near<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let distance = |name: &str| {
        let mut row: Vec<usize> = (0..=name.len()).collect();
        for (i, a) in word.bytes().take(64).enumerate() {
            let mut left = row[0];
            row[0] = i + 1;
            for (j, b) in name.bytes().enumerate() {
                let change = left + usize::from(a != b);
                left = row[j + 1];
                row[j + 1] = change.min(left + 1).min(row[j] + 1);
            }
        }
        row[name.len()]
    };
    let holds = |name: &str| word.len() > 2 && (name.contains(word) || word.contains(name));
    let mut near: Vec<(usize, &str)> =
        names.map(|name| (if holds(name) { 1 } else { distance(name) }, name)).collect();
    near.retain(|(distance, _)| *distance <= 1 + word.len() / 3);
    near.sort();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}
