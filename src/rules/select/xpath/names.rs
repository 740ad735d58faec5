//! Names of functions and axes, types of expressions.

use super::{Arithmetic, Axis, Comparison, Expr, Function, Kind, Predicate, Start};

/// Function of a name, with the least and most number of its arguments and the type of its value.
pub(super) fn function(name: &str) -> Option<(Function, usize, usize)> {
    Some(match name {
        "boolean" => (Function::Boolean, 1, 1),
        "ceiling" => (Function::Ceiling, 1, 1),
        "concat" => (Function::Concat, 2, usize::MAX),
        "contains" => (Function::Contains, 2, 2),
        "count" => (Function::Count, 1, 1),
        "false" => (Function::False, 0, 0),
        "floor" => (Function::Floor, 1, 1),
        "has-class" => (Function::HasClass, 1, usize::MAX),
        "id" => (Function::Id, 1, 1),
        "last" => (Function::Last, 0, 0),
        "local-name" => (Function::LocalName, 0, 1),
        "name" => (Function::Name, 0, 1),
        "namespace-uri" => (Function::NamespaceUri, 0, 1),
        "normalize-space" => (Function::NormalizeSpace, 0, 1),
        "not" => (Function::Not, 1, 1),
        "number" => (Function::Number, 0, 1),
        "position" => (Function::Position, 0, 0),
        "round" => (Function::Round, 1, 1),
        "starts-with" => (Function::StartsWith, 2, 2),
        "string" => (Function::String, 0, 1),
        "string-length" => (Function::StringLength, 0, 1),
        "substring" => (Function::Substring, 2, 3),
        "substring-after" => (Function::SubstringAfter, 2, 2),
        "substring-before" => (Function::SubstringBefore, 2, 2),
        "sum" => (Function::Sum, 1, 1),
        "translate" => (Function::Translate, 3, 3),
        "true" => (Function::True, 0, 0),
        _ => return None,
    })
}

/// Axis of a name; `namespace` is none here.
pub(super) fn axis(name: &str) -> Option<Axis> {
    Some(match name {
        "ancestor" => Axis::Ancestor,
        "ancestor-or-self" => Axis::AncestorOrSelf,
        "attribute" => Axis::Attribute,
        "child" => Axis::Child,
        "descendant" => Axis::Descendant,
        "descendant-or-self" => Axis::DescendantOrSelf,
        "following" => Axis::Following,
        "following-sibling" => Axis::FollowingSibling,
        "parent" => Axis::Parent,
        "preceding" => Axis::Preceding,
        "preceding-sibling" => Axis::PrecedingSibling,
        "self" => Axis::SelfNode,
        _ => return None,
    })
}

impl Function {
    /// Whether the argument must be a set of nodes.
    pub(super) fn of_nodes(self) -> bool {
        matches!(
            self,
            Function::Count | Function::LocalName | Function::Name | Function::NamespaceUri | Function::Sum
        )
    }

    fn kind(self) -> Kind {
        match self {
            Function::Boolean
            | Function::Contains
            | Function::False
            | Function::HasClass
            | Function::Not
            | Function::StartsWith
            | Function::True => Kind::Truth,
            Function::Ceiling
            | Function::Count
            | Function::Floor
            | Function::Last
            | Function::Number
            | Function::Position
            | Function::Round
            | Function::StringLength
            | Function::Sum => Kind::Number,
            Function::Id => Kind::Nodes,
            _ => Kind::Text,
        }
    }
}

impl Comparison {
    /// The comparison with its sides exchanged.
    pub(super) fn turned(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            same => same,
        }
    }

    pub(super) fn numbers(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
        }
    }
}

impl Arithmetic {
    pub(super) fn of(self, left: f64, right: f64) -> f64 {
        match self {
            Arithmetic::Add => left + right,
            Arithmetic::Subtract => left - right,
            Arithmetic::Multiply => left * right,
            Arithmetic::Divide => left / right,
            Arithmetic::Remainder => left % right,
        }
    }
}

impl Expr {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Expr::Logic { .. } | Expr::Compare(..) => Kind::Truth,
            Expr::Arithmetic(..) | Expr::Negative(_) | Expr::Number(_) => Kind::Number,
            Expr::Union(_) | Expr::Path(_) => Kind::Nodes,
            Expr::Literal(_) => Kind::Text,
            Expr::Call(function, _) => function.kind(),
        }
    }

    /// Whether it asks for the position or the size of its own context.
    pub(super) fn positional(&self) -> bool {
        match self {
            Expr::Logic { left, right, .. }
            | Expr::Compare(_, left, right)
            | Expr::Arithmetic(_, left, right) => left.positional() || right.positional(),
            Expr::Negative(of) => of.positional(),
            Expr::Union(of) => of.iter().any(Expr::positional),
            Expr::Path(path) => matches!(&path.start, Start::Of(of, _) if of.positional()),
            Expr::Literal(_) | Expr::Number(_) => false,
            Expr::Call(Function::Position | Function::Last, _) => true,
            Expr::Call(_, arguments) => arguments.iter().any(Expr::positional),
        }
    }
}

impl Predicate {
    pub(super) fn new(expression: Expr) -> Predicate {
        match expression {
            Expr::Number(at) if at >= 1.0 && at.fract() == 0.0 && at < 1e9 => Predicate::At(at as usize),
            Expr::Call(Function::Last, _) => Predicate::Last,
            plain if plain.kind() != Kind::Number && !plain.positional() => Predicate::Plain(plain),
            positional => Predicate::Positional(positional),
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Predicate::Plain(_))
    }
}
