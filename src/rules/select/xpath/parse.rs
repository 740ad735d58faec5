//! From tokens to an expression, by recursive descent with a bound on its depth.

use webmill_html::Tag;

use super::super::SelectError;
use super::lex::{Token, tokens};
use super::names::{axis, function};
use super::{Arithmetic, Axis, Comparison, Expr, Kind, Path, Predicate, Start, Step, Test};

/// Bytes of an expression.
const MAX_SOURCE: usize = 10_000;
/// Expressions within expressions. Evaluating recurses as deep.
const MAX_DEPTH: usize = 40;
/// Operators of an expression, which may nest as deep.
const MAX_OPERATORS: usize = 200;

/// Operators by rank, the weakest first.
const RANKS: [&[&str]; 6] =
    [&["or"], &["and"], &["=", "!="], &["<", "<=", ">", ">="], &["+", "-"], &["times", "div", "mod"]];

type ParseResult<T> = Result<T, SelectError>;

/// The expression that a source is, and the number of absolute paths in it.
pub(super) fn parse(source: &str) -> ParseResult<(Expr, usize)> {
    if source.len() > MAX_SOURCE {
        return Err(SelectError::new("longer than 10,000 bytes", None, source));
    }
    let mut parser = Parser { source, tokens: tokens(source)?, at: 0, depth: 0, operators: 0, slots: 0 };
    let expression = parser.expression()?;
    if parser.at < parser.tokens.len() {
        return Err(parser.error("unexpected sign"));
    }
    Ok((expression, parser.slots))
}

struct Parser<'s> {
    source: &'s str,
    tokens: Vec<(Token, usize)>,
    at: usize,
    depth: usize,
    operators: usize,
    slots: usize,
}

impl Parser<'_> {
    fn error(&self, reason: impl Into<String>) -> SelectError {
        let at = self.tokens.get(self.at).map_or(self.source.len(), |&(_, at)| at);
        SelectError::new(reason, Some(at), self.source)
    }

    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|(token, _)| token)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(0), Some(Token::Sign(s)) if *s == sign)
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> ParseResult<()> {
        if self.take(sign) { Ok(()) } else { Err(self.error(format!("{sign} was expected"))) }
    }

    fn expression(&mut self) -> ParseResult<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("expressions nested too deep"));
        }
        let expression = self.ranked(0)?;
        self.depth -= 1;
        Ok(expression)
    }

    fn ranked(&mut self, rank: usize) -> ParseResult<Expr> {
        let Some(signs) = RANKS.get(rank) else {
            return self.unary();
        };
        let mut left = self.ranked(rank + 1)?;
        while let Some(&Token::Sign(sign)) = self.peek(0) {
            if !signs.contains(&sign) {
                break;
            }
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                return Err(self.error("too many operators"));
            }
            self.at += 1;
            let right = self.ranked(rank + 1)?;
            left = binary(sign, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> ParseResult<Expr> {
        let mut negative = 0;
        while self.take("-") {
            negative += 1;
        }
        let mut expression = self.union()?;
        // Two signs still make a number of what was none.
        if negative > 0 {
            for _ in 0..2 - negative % 2 {
                expression = Expr::Negative(Box::new(expression));
            }
        }
        Ok(expression)
    }

    fn union(&mut self) -> ParseResult<Expr> {
        let first = self.path()?;
        if !self.is("|") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.take("|") {
            all.push(self.path()?);
        }
        if all.iter().any(|one| one.kind() != Kind::Nodes) {
            return Err(self.error("| joins sets of nodes only"));
        }
        Ok(Expr::Union(all))
    }

    fn path(&mut self) -> ParseResult<Expr> {
        let mut steps = Vec::new();
        let start = if self.is("/") || self.is("//") {
            self.slots += 1;
            Start::Root(self.slots - 1)
        } else if let Some(primary) = self.primary()? {
            let predicates = self.predicates()?;
            if predicates.is_empty() && !self.is("/") && !self.is("//") {
                return Ok(primary);
            }
            if primary.kind() != Kind::Nodes {
                return Err(self.error("only a set of nodes has predicates and steps"));
            }
            Start::Of(Box::new(primary), predicates)
        } else {
            self.step(&mut steps)?;
            Start::Context
        };
        while self.is("/") || self.is("//") {
            let wide = self.is("//");
            self.at += 1;
            if wide {
                steps.push(Step { axis: Axis::DescendantOrSelf, test: Test::Node, predicates: Vec::new() });
            } else if steps.is_empty() && matches!(start, Start::Root(_)) && !self.step_begins() {
                break;
            }
            self.step(&mut steps)?;
        }
        Ok(Expr::Path(Path { start, steps: merged(steps) }))
    }

    fn step_begins(&self) -> bool {
        matches!(self.peek(0), Some(Token::Name(_) | Token::Sign("." | ".." | "@")))
    }

    fn step(&mut self, steps: &mut Vec<Step>) -> ParseResult<()> {
        if self.take(".") {
            steps.push(Step { axis: Axis::SelfNode, test: Test::Node, predicates: self.predicates()? });
            return Ok(());
        }
        if self.take("..") {
            steps.push(Step { axis: Axis::Parent, test: Test::Node, predicates: self.predicates()? });
            return Ok(());
        }
        let mut chosen = if self.take("@") { Axis::Attribute } else { Axis::Child };
        if let (Some(Token::Name(name)), Some(Token::Sign("::"))) = (self.peek(0), self.peek(1)) {
            chosen = axis(name).ok_or_else(|| self.error(format!("there is no axis {name} here")))?;
            self.at += 2;
        }
        let test = self.test()?;
        let predicates = self.predicates()?;
        steps.push(Step { axis: chosen, test, predicates });
        Ok(())
    }

    fn test(&mut self) -> ParseResult<Test> {
        let Some(Token::Name(name)) = self.peek(0).cloned() else {
            return Err(self.error("the name of a node was expected"));
        };
        if &*name == "*" {
            self.at += 1;
            return Ok(Test::Any);
        }
        if !matches!(self.peek(1), Some(Token::Sign("("))) {
            self.at += 1;
            let name = name.to_ascii_lowercase().into_boxed_str();
            return Ok(Test::Name(Tag::from_name(&name), name));
        }
        let test = match &*name {
            "node" => Test::Node,
            "text" => Test::Text,
            "comment" => Test::Comment,
            "processing-instruction" => Test::Instruction,
            _ => return Err(self.error(format!("a function ({name}) cannot be a step"))),
        };
        self.at += 2;
        if matches!(test, Test::Instruction) && matches!(self.peek(0), Some(Token::Literal(_))) {
            self.at += 1;
        }
        self.expect(")")?;
        Ok(test)
    }

    fn predicates(&mut self) -> ParseResult<Vec<Predicate>> {
        let mut predicates = Vec::new();
        while self.take("[") {
            predicates.push(Predicate::new(self.expression()?));
            self.expect("]")?;
        }
        Ok(predicates)
    }

    /// Anything that is no location path; `None` (and nothing read) if one begins here.
    fn primary(&mut self) -> ParseResult<Option<Expr>> {
        let expression = match (self.peek(0), self.peek(1)) {
            (Some(Token::Literal(text)), _) => Expr::Literal(text.clone()),
            (Some(&Token::Number(number)), _) => Expr::Number(number),
            (Some(Token::Sign("(")), _) => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(Some(inner));
            }
            (Some(Token::Name(name)), Some(Token::Sign("(")))
                if !matches!(&**name, "node" | "text" | "comment" | "processing-instruction") =>
            {
                return self.call().map(Some);
            }
            (Some(Token::Name(_) | Token::Sign("." | ".." | "@")), _) => return Ok(None),
            _ => return Err(self.error("an expression was expected")),
        };
        self.at += 1;
        Ok(Some(expression))
    }

    fn call(&mut self) -> ParseResult<Expr> {
        let Some(Token::Name(name)) = self.peek(0).cloned() else {
            return Err(self.error("the name of a function was expected"));
        };
        let Some((function, least, most)) = function(&name) else {
            return Err(self.error(format!("unknown function {name}()")));
        };
        let begin = self.at;
        self.at += 2;
        let mut arguments = Vec::new();
        if !self.is(")") {
            arguments.push(self.expression()?);
            while self.take(",") {
                arguments.push(self.expression()?);
            }
        }
        self.expect(")")?;
        let fault = if arguments.len() < least || arguments.len() > most {
            "wrong number of arguments"
        } else if function.of_nodes() && arguments.iter().any(|a| a.kind() != Kind::Nodes) {
            "the argument must be a set of nodes"
        } else {
            return Ok(Expr::Call(function, arguments));
        };
        self.at = begin;
        Err(self.error(format!("{name}(): {fault}")))
    }
}

fn binary(sign: &str, left: Expr, right: Expr) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    let compare = |left, comparison, right| Expr::Compare(comparison, left, right);
    match sign {
        "or" => Expr::Logic { all: false, left, right },
        "and" => Expr::Logic { all: true, left, right },
        "=" => compare(left, Comparison::Equal, right),
        "!=" => compare(left, Comparison::Unequal, right),
        "<" => compare(left, Comparison::Less, right),
        "<=" => compare(left, Comparison::LessOrEqual, right),
        ">" => compare(left, Comparison::Greater, right),
        ">=" => compare(left, Comparison::GreaterOrEqual, right),
        "+" => Expr::Arithmetic(Arithmetic::Add, left, right),
        "-" => Expr::Arithmetic(Arithmetic::Subtract, left, right),
        "times" => Expr::Arithmetic(Arithmetic::Multiply, left, right),
        "div" => Expr::Arithmetic(Arithmetic::Divide, left, right),
        _ => Expr::Arithmetic(Arithmetic::Remainder, left, right),
    }
}

/// Steps with `descendant-or-self::node()/child::x` as `descendant::x`, which is the same where no predicate of x asks
/// for its position.
fn merged(steps: Vec<Step>) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::with_capacity(steps.len());
    for mut step in steps {
        let wide = out.last().is_some_and(|last| {
            last.axis == Axis::DescendantOrSelf
                && matches!(last.test, Test::Node)
                && last.predicates.is_empty()
        });
        let plain = step.predicates.iter().all(Predicate::is_plain);
        let narrow = match step.axis {
            Axis::Child | Axis::Descendant => Axis::Descendant,
            Axis::SelfNode | Axis::DescendantOrSelf => Axis::DescendantOrSelf,
            _ => step.axis,
        };
        // Only elements have attributes.
        if let Some(last) = out.last_mut().filter(|_| wide && step.axis == Axis::Attribute) {
            last.test = Test::Any;
        }
        if wide && plain && matches!(narrow, Axis::Descendant | Axis::DescendantOrSelf) {
            out.pop();
            step.axis = narrow;
        }
        out.push(step);
    }
    out
}
