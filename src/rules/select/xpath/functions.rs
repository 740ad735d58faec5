//! The core function library, and `has-class()` as parsel has it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::eval::{Context, Eval};
use super::sets::XNode;
use super::values::to_number;
use super::{Expr, Function, Kind};

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

impl<'d> Eval<'d> {
    /// A function's value of type string.
    pub(super) fn call_text<'e>(&self, function: Function, arguments: &'e [Expr], at: Context) -> Cow<'e, str>
    where
        'd: 'e,
    {
        let argument = |i: usize| self.argument(arguments, i, at);
        match function {
            Function::String => argument(0),
            Function::Concat => {
                let mut all = String::new();
                for i in 0..arguments.len() {
                    all.push_str(&argument(i));
                    if !self.work.take(1 + all.len() as u64 / 64) {
                        break;
                    }
                }
                all.into()
            }
            Function::LocalName | Function::Name => {
                self.first(arguments, at).map_or("".into(), |n| n.name(self.dom))
            }
            Function::NormalizeSpace => normal(&argument(0)).into(),
            Function::SubstringBefore => {
                let (text, mark) = (argument(0), argument(1));
                text.split_once(&*mark).map_or("", |(before, _)| before).to_owned().into()
            }
            Function::SubstringAfter => {
                let (text, mark) = (argument(0), argument(1));
                text.split_once(&*mark).map_or("", |(_, after)| after).to_owned().into()
            }
            Function::Substring => {
                let len = arguments.get(2).map_or(f64::INFINITY, |len| self.number(len, at));
                substring(&argument(0), self.number(&arguments[1], at), len).into()
            }
            Function::Translate => translate(&argument(0), &argument(1), &argument(2)).into(),
            _ => "".into(),
        }
    }

    /// A function's value of type number.
    pub(super) fn call_number(&self, function: Function, arguments: &[Expr], at: Context) -> f64 {
        let argument = || arguments.first().map_or(f64::NAN, |first| self.number(first, at));
        match function {
            Function::Position => at.position as f64,
            Function::Last => at.size as f64,
            Function::Count => {
                let mut count = 0.0;
                self.each(&arguments[0], at, false, |_| {
                    count += 1.0;
                    ControlFlow::Continue(())
                });
                count
            }
            Function::Sum => {
                let mut sum = 0.0;
                self.each(&arguments[0], at, true, |node| {
                    sum += to_number(&node.text(self.dom, &self.work));
                    ControlFlow::Continue(())
                });
                sum
            }
            Function::StringLength => self.argument(arguments, 0, at).chars().count() as f64,
            Function::Number if arguments.is_empty() => to_number(&self.argument(arguments, 0, at)),
            Function::Number => argument(),
            Function::Ceiling => argument().ceil(),
            Function::Floor => argument().floor(),
            // Halves go up, those of negative numbers too.
            Function::Round => (argument() + 0.5).floor(),
            _ => f64::NAN,
        }
    }

    /// A function's value of type boolean.
    pub(super) fn call_truth(&self, function: Function, arguments: &[Expr], at: Context) -> bool {
        let argument = |i: usize| self.argument(arguments, i, at);
        match function {
            Function::True => true,
            Function::Boolean => self.truth(&arguments[0], at),
            Function::Not => !self.truth(&arguments[0], at),
            Function::StartsWith => argument(0).starts_with(&*argument(1)),
            Function::Contains => argument(0).contains(&*argument(1)),
            Function::HasClass => {
                if at.node.is_attr() {
                    return false;
                }
                let value = self.dom.attr(at.node.node, "class").unwrap_or_default();
                (0..arguments.len()).all(|i| {
                    let class = argument(i);
                    value.split_ascii_whitespace().any(|one| one == class)
                })
            }
            _ => false,
        }
    }

    /// An argument as a string; the context node if there is none.
    fn argument<'e>(&self, arguments: &'e [Expr], i: usize, at: Context) -> Cow<'e, str>
    where
        'd: 'e,
    {
        let text = match arguments.get(i) {
            Some(argument) => self.text(argument, at),
            None => at.node.text(self.dom, &self.work),
        };
        self.work.take(text.len() as u64 / 16);
        text
    }

    /// The first node of the argument, the context node without one.
    fn first(&self, arguments: &[Expr], at: Context) -> Option<XNode> {
        let Some(argument) = arguments.first() else {
            return Some(at.node);
        };
        let mut first = None;
        self.each(argument, at, true, |node| {
            first = Some(node);
            ControlFlow::Break(())
        });
        first
    }

    /// `id()`: for each word the first element of the document with such an attribute `id`.
    pub(super) fn by_id(&self, arguments: &[Expr], at: Context) -> Vec<XNode> {
        let Some(argument) = arguments.first() else {
            return Vec::new();
        };
        let mut ids = HashSet::new();
        let mut add = |text: &str| ids.extend(text.split_ascii_whitespace().map(str::to_owned));
        if argument.kind() == Kind::Nodes {
            self.each(argument, at, false, |node| {
                add(&node.text(self.dom, &self.work));
                ControlFlow::Continue(())
            });
        } else {
            add(&self.text(argument, at));
        }
        let wanted =
            |&node: &_| self.work.take(1) && self.dom.attr(node, "id").is_some_and(|id| ids.remove(id));
        self.dom.descendants(self.dom.document()).filter(wanted).map(XNode::from).collect()
    }
}

/// Runs of blanks as one, none at the ends. A non-breaking space is no blank to XPath.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(BLANKS).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The characters at positions from `start`, counted from 1, as many as `len`; both are rounded.
fn substring(text: &str, start: f64, len: f64) -> String {
    let round = |number: f64| (number + 0.5).floor();
    let (from, to) = (round(start), round(start) + round(len));
    let within = |&(i, _): &(usize, char)| {
        let position = (i + 1) as f64;
        position >= from && position < to
    };
    text.chars().enumerate().filter(within).map(|(_, c)| c).collect()
}

/// Each character of `from` replaced by that at its place in `to`, or dropped if there is none.
fn translate(text: &str, from: &str, to: &str) -> String {
    let mut to = to.chars();
    let mut becomes = HashMap::new();
    for c in from.chars() {
        let other = to.next();
        becomes.entry(c).or_insert(other);
    }
    text.chars().filter_map(|c| becomes.get(&c).copied().unwrap_or(Some(c))).collect()
}
