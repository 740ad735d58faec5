//! Values that are no sets: conversions, comparisons, operators.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;

use super::eval::{Context, Eval};
use super::{Comparison, Expr, Kind};

/// The number that a text is; NaN if it is none.
pub(super) fn to_number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let numeric = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if numeric { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// A number as XPath prints it: without exponent, integers without a point.
pub(super) fn from_number(number: f64) -> String {
    if number == 0.0 {
        "0".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        number.to_string()
    }
}

impl<'d> Eval<'d> {
    /// The expression as a string.
    pub(super) fn text<'e>(&self, expression: &'e Expr, at: Context) -> Cow<'e, str>
    where
        'd: 'e,
    {
        match expression {
            Expr::Literal(text) => Cow::Borrowed(text),
            Expr::Call(function, arguments) if expression.kind() == Kind::Text => {
                self.call_text(*function, arguments, at)
            }
            _ => match expression.kind() {
                Kind::Nodes => {
                    let mut first = Cow::Borrowed("");
                    self.each(expression, at, true, |node| {
                        first = node.text(self.dom, &self.work);
                        ControlFlow::Break(())
                    });
                    first
                }
                Kind::Truth => if self.truth(expression, at) { "true" } else { "false" }.into(),
                _ => from_number(self.number(expression, at)).into(),
            },
        }
    }

    /// The expression as a number.
    pub(super) fn number(&self, expression: &Expr, at: Context) -> f64 {
        match expression {
            Expr::Number(number) => *number,
            Expr::Negative(of) => -self.number(of, at),
            Expr::Arithmetic(operator, left, right) => {
                operator.of(self.number(left, at), self.number(right, at))
            }
            Expr::Call(function, arguments) if expression.kind() == Kind::Number => {
                self.call_number(*function, arguments, at)
            }
            _ if expression.kind() == Kind::Truth => f64::from(u8::from(self.truth(expression, at))),
            _ => to_number(&self.text(expression, at)),
        }
    }

    /// The expression as a truth value.
    pub(super) fn truth(&self, expression: &Expr, at: Context) -> bool {
        match expression {
            Expr::Logic { all: true, left, right } => self.truth(left, at) && self.truth(right, at),
            Expr::Logic { all: false, left, right } => self.truth(left, at) || self.truth(right, at),
            Expr::Compare(comparison, left, right) => self.compare(*comparison, left, right, at),
            Expr::Call(function, arguments) if expression.kind() == Kind::Truth => {
                self.call_truth(*function, arguments, at)
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

    fn compare(&self, comparison: Comparison, left: &Expr, right: &Expr, at: Context) -> bool {
        match (left.kind(), right.kind()) {
            (Kind::Nodes, Kind::Nodes) => self.compare_sets(comparison, left, right, at),
            (Kind::Nodes, _) => self.compare_set(comparison, left, right, at),
            (_, Kind::Nodes) => self.compare_set(comparison.turned(), right, left, at),
            (left_kind, right_kind) => {
                let either = |kind| left_kind == kind || right_kind == kind;
                let equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
                if equality && either(Kind::Truth) {
                    (self.truth(left, at) == self.truth(right, at)) == (comparison == Comparison::Equal)
                } else if equality && !either(Kind::Number) {
                    (self.text(left, at) == self.text(right, at)) == (comparison == Comparison::Equal)
                } else {
                    comparison.numbers(self.number(left, at), self.number(right, at))
                }
            }
        }
    }

    /// Whether a set holds a node that compares so with a value that is no set.
    fn compare_set(&self, comparison: Comparison, set: &Expr, value: &Expr, at: Context) -> bool {
        let equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        if value.kind() == Kind::Truth {
            let truth = |is: bool| f64::from(u8::from(is));
            return comparison.numbers(truth(self.any(set, at)), truth(self.truth(value, at)));
        }
        let mut holds = false;
        if equality && value.kind() == Kind::Text {
            let value = self.text(value, at);
            self.each(set, at, false, |node| {
                let equal = node.text(self.dom, &self.work) == value;
                holds = equal == (comparison == Comparison::Equal);
                if holds { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        } else {
            let value = self.number(value, at);
            self.each(set, at, false, |node| {
                holds = comparison.numbers(to_number(&node.text(self.dom, &self.work)), value);
                if holds { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        holds
    }

    /// Whether two sets hold a pair that compares so. Linear in both.
    fn compare_sets(&self, comparison: Comparison, left: &Expr, right: &Expr, at: Context) -> bool {
        if matches!(comparison, Comparison::Equal | Comparison::Unequal) {
            let (left, right) = (self.strings(left, at), self.strings(right, at));
            return match comparison {
                Comparison::Equal => !left.is_disjoint(&right),
                // All pairs are equal only where both have one and the same string.
                _ => !left.is_empty() && !right.is_empty() && (left.len() > 1 || left != right),
            };
        }
        let (left, right) = (self.bounds(left, at), self.bounds(right, at));
        match comparison {
            Comparison::Less | Comparison::LessOrEqual => comparison.numbers(left.0, right.1),
            _ => comparison.numbers(left.1, right.0),
        }
    }

    fn strings(&self, set: &Expr, at: Context) -> HashSet<Cow<'d, str>> {
        let mut strings = HashSet::new();
        self.each(set, at, false, |node| {
            strings.insert(node.text(self.dom, &self.work));
            ControlFlow::Continue(())
        });
        strings
    }

    /// The least and the greatest number of a set; NaN, which compares with nothing, if it has none.
    fn bounds(&self, set: &Expr, at: Context) -> (f64, f64) {
        let mut bounds = (f64::NAN, f64::NAN);
        self.each(set, at, false, |node| {
            let number = to_number(&node.text(self.dom, &self.work));
            bounds = (bounds.0.min(number), bounds.1.max(number));
            ControlFlow::Continue(())
        });
        bounds
    }
}
