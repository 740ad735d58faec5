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
    /// Absolute paths in it.
    slots: usize,
}

impl XPath {
    /// Compiles an expression.
    pub(super) fn new(source: &str) -> Result<XPath, SelectError> {
        let (expression, slots) = parse::parse(source)?;
        Ok(XPath { expression, slots })
    }

    /// Adds the value of the expression for the scope.
    pub(super) fn select(&self, dom: &Dom<'_>, scope: NodeId, sink: &mut Sink) {
        eval::select(&self.expression, self.slots, dom, scope, sink);
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
