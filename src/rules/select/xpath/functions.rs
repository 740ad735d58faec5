//! The core function library, XPath 1.0 §4, and `has-class` as parsel has it.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::eval::{Context, Eval};
use super::sets::XNode;
use super::values::text_number;
use super::{Expr, Function, Kind};

/// Characters that are white space in XPath.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
/// Bytes of a text that a function makes.
const MAX_TEXT: usize = 16 << 20;

impl<'d> Eval<'d> {
    /// The text of an argument; of the context node where there is none.
    fn argument<'e>(&'e self, arguments: &'e [Expr], number: usize, at: Context) -> Cow<'e, str> {
        let text = match arguments.get(number) {
            Some(argument) => self.text(argument, at),
            None => at.node.text(self.dom, &self.work),
        };
        self.work.take(text.len() as u64 / 16);
        text
    }

    pub(super) fn text_call(&self, function: Function, arguments: &[Expr], at: Context) -> String {
        let text = |number| self.argument(arguments, number, at);
        match function {
            Function::Concat => {
                let mut out = String::new();
                for number in 0..arguments.len() {
                    out.push_str(&text(number));
                    if out.len() > MAX_TEXT {
                        break;
                    }
                }
                out
            }
            Function::LocalName | Function::Name => {
                let node = match arguments.first() {
                    Some(argument) => self.first(argument, at),
                    None => Some(at.node),
                };
                node.map_or_else(String::new, |node| node.name(self.dom).into_owned())
            }
            Function::NormalizeSpace => {
                let words: Cow<'_, str> = text(0);
                let words: Vec<&str> = words.split(BLANKS).filter(|word| !word.is_empty()).collect();
                words.join(" ")
            }
            Function::String => text(0).into_owned(),
            Function::Substring => self.substring(arguments, at),
            Function::SubstringAfter => {
                let (whole, part) = (text(0), text(1));
                whole.split_once(&*part).map_or_else(String::new, |(_, after)| after.to_owned())
            }
            Function::SubstringBefore => {
                let (whole, part) = (text(0), text(1));
                whole.split_once(&*part).map_or_else(String::new, |(before, _)| before.to_owned())
            }
            Function::Translate => translate(&text(0), &text(1), &text(2)),
            _ => String::new(),
        }
    }

    /// Characters from a place, counted from 1, on; places and lengths are rounded.
    fn substring(&self, arguments: &[Expr], at: Context) -> String {
        let text = self.argument(arguments, 0, at);
        let from = arguments.get(1).map_or(f64::NAN, |from| round(self.number(from, at)));
        let to = arguments.get(2).map_or(f64::INFINITY, |length| from + round(self.number(length, at)));
        let is_in = |place: f64| place >= from && place < to;
        text.chars().zip(1u32..).filter(|(_, place)| is_in(f64::from(*place))).map(|(c, _)| c).collect()
    }

    pub(super) fn number_call(&self, function: Function, arguments: &[Expr], at: Context) -> f64 {
        let number = || arguments.first().map_or(f64::NAN, |argument| self.number(argument, at));
        match function {
            Function::Ceiling => number().ceil(),
            Function::Floor => number().floor(),
            Function::Round => round(number()),
            Function::Last => at.size as f64,
            Function::Position => at.position as f64,
            Function::StringLength => self.argument(arguments, 0, at).chars().count() as f64,
            Function::Number if arguments.is_empty() => text_number(&self.argument(arguments, 0, at)),
            Function::Number => number(),
            Function::Count | Function::Sum => {
                let Some(set) = arguments.first() else { return 0.0 };
                let (mut count, mut sum) = (0u64, 0.0);
                self.each(set, at, false, |node| {
                    count += 1;
                    if function == Function::Sum {
                        sum += text_number(&node.text(self.dom, &self.work));
                    }
                    ControlFlow::Continue(())
                });
                if function == Function::Sum { sum } else { count as f64 }
            }
            _ => f64::NAN,
        }
    }

    pub(super) fn truth_call(&self, function: Function, arguments: &[Expr], at: Context) -> bool {
        let text = |number| self.argument(arguments, number, at);
        match function {
            Function::True => true,
            Function::Boolean => arguments.first().is_some_and(|argument| self.truth(argument, at)),
            Function::Not => arguments.first().is_some_and(|argument| !self.truth(argument, at)),
            Function::Contains => text(0).contains(&*text(1)),
            Function::StartsWith => text(0).starts_with(&*text(1)),
            Function::HasClass => {
                let classes = self.dom.attr(at.node.node, "class").unwrap_or_default();
                let has = |class: &str| classes.split_ascii_whitespace().any(|one| one == class);
                (0..arguments.len()).all(|number| has(&text(number)))
            }
            _ => false,
        }
    }

    /// `id()`: the elements whose attribute `id` is one of the words of the argument, in document order.
    pub(super) fn by_id(&self, arguments: &[Expr], at: Context) -> Vec<XNode> {
        let Some(argument) = arguments.first() else { return Vec::new() };
        let mut words = String::new();
        if argument.kind() == Kind::Nodes {
            self.each(argument, at, false, |node| {
                words.push(' ');
                words.push_str(&node.text(self.dom, &self.work));
                if words.len() > MAX_TEXT { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        } else {
            words = self.text(argument, at).into_owned();
        }
        let mut wanted: std::collections::HashSet<&str> =
            words.split(BLANKS).filter(|word| !word.is_empty()).collect();
        let mut found = Vec::new();
        for node in self.dom.descendants(self.dom.document()) {
            if wanted.is_empty() || !self.work.take(1) {
                break;
            }
            if self.dom.is_element(node) && self.dom.attr(node, "id").is_some_and(|id| wanted.remove(id)) {
                found.push(node.into());
            }
        }
        found
    }
}

/// To the nearest whole number, halves towards infinity.
fn round(number: f64) -> f64 {
    if number.is_finite() { (number + 0.5).floor() } else { number }
}

/// Each character of `from` becomes the one at its place in `to`, or goes.
fn translate(text: &str, from: &str, to: &str) -> String {
    let mut map = std::collections::HashMap::new();
    let mut to = to.chars();
    for c in from.chars() {
        let becomes = to.next();
        map.entry(c).or_insert(becomes);
    }
    text.chars().filter_map(|c| map.get(&c).copied().unwrap_or(Some(c))).collect()
}
