//! Values of the types text, number and truth, and what converts between them.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::eval::{Context, Eval};
use super::sets::XNode;
use super::{Comparison, Expr, Kind};

/// A number as XPath writes it: no exponent, no `.0`.
pub(super) fn number_text(number: f64) -> String {
    if number.is_nan() {
        "NaN".into()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity".into() } else { "-Infinity".into() }
    } else if number == 0.0 {
        "0".into()
    } else {
        number.to_string()
    }
}

/// The number that a text is: white space, a sign, digits with at most one point; else NaN.
pub(super) fn text_number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|byte| *byte == b'.').count() <= 1;
    if is_number { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

impl Eval<'_> {
    /// The first node of a set in document order.
    pub(super) fn first(&self, expression: &Expr, at: Context) -> Option<XNode> {
        let mut first = None;
        self.each(expression, at, true, |node| {
            first = Some(node);
            ControlFlow::Break(())
        });
        first
    }

    /// The value as text.
    pub(super) fn text<'e>(&'e self, expression: &'e Expr, at: Context) -> Cow<'e, str> {
        match (expression, expression.kind()) {
            (Expr::Literal(text), _) => Cow::Borrowed(text),
            (_, Kind::Nodes) => {
                self.first(expression, at).map_or(Cow::Borrowed(""), |node| node.text(self.dom, &self.work))
            }
            (_, Kind::Number) => number_text(self.number(expression, at)).into(),
            (_, Kind::Truth) => if self.truth(expression, at) { "true" } else { "false" }.into(),
            (Expr::Call(function, arguments), Kind::Text) => self.text_call(*function, arguments, at).into(),
            _ => Cow::Borrowed(""),
        }
    }

    /// The value as a number.
    pub(super) fn number(&self, expression: &Expr, at: Context) -> f64 {
        match expression {
            Expr::Number(number) => *number,
            Expr::Negative(of) => -self.number(of, at),
            Expr::Arithmetic(how, left, right) => how.of(self.number(left, at), self.number(right, at)),
            Expr::Call(function, arguments) if expression.kind() == Kind::Number => {
                self.number_call(*function, arguments, at)
            }
            _ if expression.kind() == Kind::Truth => f64::from(u8::from(self.truth(expression, at))),
            _ => text_number(&self.text(expression, at)),
        }
    }

    /// The value as a truth.
    pub(super) fn truth(&self, expression: &Expr, at: Context) -> bool {
        match expression {
            Expr::Logic { all: true, left, right } => self.truth(left, at) && self.truth(right, at),
            Expr::Logic { all: false, left, right } => self.truth(left, at) || self.truth(right, at),
            Expr::Compare(how, left, right) => self.compare(*how, left, right, at),
            Expr::Call(function, arguments) if expression.kind() == Kind::Truth => {
                self.truth_call(*function, arguments, at)
            }
            _ => match expression.kind() {
                Kind::Nodes => self.any(expression, at),
                Kind::Number => {
                    let number = self.number(expression, at);
                    number != 0.0 && !number.is_nan()
                }
                _ => !self.text(expression, at).is_empty(),
            },
        }
    }

    /// A comparison, XPath 1.0 §3.4: sets are compared node by node, and one that fits is enough.
    fn compare(&self, how: Comparison, left: &Expr, right: &Expr, at: Context) -> bool {
        match (left.kind(), right.kind()) {
            (Kind::Nodes, Kind::Nodes) => {
                let mut texts: Vec<Cow<'_, str>> = Vec::new();
                self.each(right, at, false, |node| {
                    texts.push(node.text(self.dom, &self.work));
                    ControlFlow::Continue(())
                });
                self.some(left, at, |text| {
                    texts.iter().any(|other| self.work.take(1) && texts_compare(how, text, other))
                })
            }
            (Kind::Nodes, Kind::Truth) => truths_compare(how, self.any(left, at), self.truth(right, at)),
            (Kind::Nodes, Kind::Number) => {
                let number = self.number(right, at);
                self.some(left, at, |text| how.numbers(text_number(text), number))
            }
            (Kind::Nodes, Kind::Text) => {
                let other = self.text(right, at);
                self.some(left, at, |text| texts_compare(how, text, &other))
            }
            (_, Kind::Nodes) => self.compare(how.turned(), right, left, at),
            (a, b) => {
                let equality = matches!(how, Comparison::Equal | Comparison::Unequal);
                if equality && (a == Kind::Truth || b == Kind::Truth) {
                    truths_compare(how, self.truth(left, at), self.truth(right, at))
                } else if equality && a == Kind::Text && b == Kind::Text {
                    texts_compare(how, &self.text(left, at), &self.text(right, at))
                } else {
                    how.numbers(self.number(left, at), self.number(right, at))
                }
            }
        }
    }

    /// Whether the text of any node of a set is as wanted.
    fn some(&self, expression: &Expr, at: Context, wanted: impl Fn(&str) -> bool) -> bool {
        let mut found = false;
        self.each(expression, at, false, |node| {
            found = wanted(&node.text(self.dom, &self.work));
            if found || self.work.spent() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }
}

fn texts_compare(how: Comparison, left: &str, right: &str) -> bool {
    match how {
        Comparison::Equal => left == right,
        Comparison::Unequal => left != right,
        _ => how.numbers(text_number(left), text_number(right)),
    }
}

fn truths_compare(how: Comparison, left: bool, right: bool) -> bool {
    how.numbers(f64::from(u8::from(left)), f64::from(u8::from(right)))
}
