//! XPath 1.0 on the tree of an HTML page, as lxml shows it.
//!
//! Names of elements are compared without regard to case (pages write them either way), attributes are nodes, the
//! doctype is none. There are no namespaces: `fb:like` is the element written so. Variables, the axis `namespace` and
//! `lang()` are refused; `id()` looks at attributes `id`.
//!
//! An expression is compiled to a tree whose every part has one of four types; what XPath converts by itself is
//! converted when it is evaluated. A location path is evaluated a step at a time on sets of nodes in document order;
//! `//a` is one walk. Sets are put in order only after steps that may break it. Absolute paths are evaluated once a
//! call.
//!
//! Reference: XML Path Language 1.0, <https://www.w3.org/TR/xpath-10/>.

mod axes;
mod eval;
mod functions;
mod lex;
mod names;
mod parse;
mod sets;
mod values;

use webmill_html::{Dom, NodeId, Tag};

use super::{SelectError, Sink};

/// A compiled expression.
#[derive(Debug, Clone)]
pub(super) struct XPath {
    expression: Expr,
    /// The same through `tbody`, where it asks for rows without it.
    through_bodies: Option<Expr>,
    /// Absolute paths in it.
    slots: usize,
}

impl XPath {
    /// Compiles an expression.
    pub(super) fn new(source: &str) -> Result<XPath, SelectError> {
        let (expression, slots) = parse::parse(source)?;
        let mut through_bodies = expression.clone();
        let through_bodies = through_bodies.go_through_bodies().then_some(through_bodies);
        Ok(XPath { expression, through_bodies, slots })
    }

    /// Adds the value of the expression for the scope. Rows of a table stand in a `tbody`, which trees have and sources leave out: an
    /// expression that finds nothing and names rows without it is tried with it.
    pub(super) fn select(&self, dom: &Dom<'_>, scope: NodeId, sink: &mut Sink) {
        eval::select(&self.expression, self.slots, dom, scope, sink);
        if let Some(through) = self.through_bodies.as_ref().filter(|_| sink.found.is_empty() && !sink.full())
        {
            eval::select(through, self.slots, dom, scope, sink);
        }
    }
}

impl Expr {
    /// Puts a step to `tbody` before each step to a row; says whether there was one. It recurses as deep as the parser did.
    fn go_through_bodies(&mut self) -> bool {
        match self {
            Expr::Logic { left, right, .. }
            | Expr::Compare(_, left, right)
            | Expr::Arithmetic(_, left, right) => left.go_through_bodies() | right.go_through_bodies(),
            Expr::Negative(of) => of.go_through_bodies(),
            Expr::Union(of) | Expr::Call(_, of) => {
                of.iter_mut().fold(false, |any, one| one.go_through_bodies() | any)
            }
            Expr::Path(path) => path.go_through_bodies(),
            Expr::Literal(_) | Expr::Number(_) => false,
        }
    }
}

impl Path {
    fn go_through_bodies(&mut self) -> bool {
        let within = |predicates: &mut [Predicate]| {
            predicates.iter_mut().fold(false, |any, predicate| match predicate {
                Predicate::Plain(of) | Predicate::Positional(of) => of.go_through_bodies() | any,
                Predicate::At(_) | Predicate::Last => any,
            })
        };
        let mut any = match &mut self.start {
            Start::Of(of, predicates) => of.go_through_bodies() | within(predicates),
            Start::Context | Start::Root(_) => false,
        };
        let mut steps: Vec<Step> = Vec::with_capacity(self.steps.len() + 1);
        for mut step in self.steps.drain(..) {
            any |= within(&mut step.predicates);
            let is_body = |test: &Test| matches!(test, Test::Name(Tag::Tbody | Tag::Thead | Tag::Tfoot, _));
            let is_row = step.axis == Axis::Child && matches!(step.test, Test::Name(Tag::Tr, _));
            if is_row && !steps.last().is_some_and(|before| is_body(&before.test)) {
                let test = Test::Name(Tag::Tbody, "tbody".into());
                steps.push(Step { axis: Axis::Child, test, predicates: Vec::new() });
                any = true;
            }
            steps.push(step);
        }
        self.steps = steps;
        any
    }
}

/// An expression.
#[derive(Debug, Clone)]
enum Expr {
    /// `and`, or `or`.
    Logic {
        all: bool,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Compare(Comparison, Box<Expr>, Box<Expr>),
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    Negative(Box<Expr>),
    Union(Vec<Expr>),
    Path(Path),
    Literal(Box<str>),
    Number(f64),
    Call(Function, Vec<Expr>),
}

/// Type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nodes,
    Text,
    Number,
    Truth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A location path or a filtered expression.
#[derive(Debug, Clone)]
struct Path {
    start: Start,
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
enum Start {
    Context,
    /// The document; the number is that of the path among the absolute ones.
    Root(usize),
    /// An expression whose value is a set of nodes, with predicates on the whole set.
    Of(Box<Expr>, Vec<Predicate>),
}

#[derive(Debug, Clone)]
struct Step {
    axis: Axis,
    test: Test,
    predicates: Vec<Predicate>,
}

#[derive(Debug, Clone)]
enum Predicate {
    /// `[3]`.
    At(usize),
    Last,
    /// One that asks neither for position nor for size.
    Plain(Expr),
    Positional(Expr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    SelfNode,
}

impl Axis {
    /// Whether it gives nodes against document order.
    fn reverse(self) -> bool {
        matches!(self, Axis::Ancestor | Axis::AncestorOrSelf | Axis::Preceding | Axis::PrecedingSibling)
    }
}

#[derive(Debug, Clone)]
enum Test {
    /// `*`: any node of the axis' own kind.
    Any,
    /// A name in lower case.
    Name(Tag, Box<str>),
    Node,
    Text,
    Comment,
    /// `processing-instruction()`: HTML has none.
    Instruction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Boolean,
    Ceiling,
    Concat,
    Contains,
    Count,
    False,
    Floor,
    HasClass,
    Id,
    Last,
    LocalName,
    Name,
    NamespaceUri,
    NormalizeSpace,
    Not,
    Number,
    Position,
    Round,
    StartsWith,
    String,
    StringLength,
    Substring,
    SubstringAfter,
    SubstringBefore,
    Sum,
    Translate,
    True,
}
