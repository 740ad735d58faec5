//! Small questions to the syntax tree of a query, and texts as parts of it.

use std::ops::ControlFlow;

use anyhow::Result;
use sqlparser::ast::{
    BinaryOperator, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, SelectItem,
    VisitMut, VisitorMut,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};

pub(super) fn parser(text: &str) -> Result<Parser<'_>, ParserError> {
    Parser::new(&GenericDialect).try_with_sql(text)
}

pub(super) fn expression(text: &str) -> Result<Expr> {
    Ok(parser(text)?.parse_expr()?)
}

pub(super) fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

pub(super) fn is_whole(kind: &DataType) -> bool {
    use DataType::{BigInt, Int, Int2, Int4, Int8, Int16, Int32, Int64, Integer, SmallInt, TinyInt};
    matches!(
        kind,
        BigInt(_)
            | Int(_)
            | Int2(_)
            | Int4(_)
            | Int8(_)
            | Int16
            | Int32
            | Int64
            | Integer(_)
            | SmallInt(_)
            | TinyInt(_)
    )
}

pub(super) fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Varchar(_) | DataType::Text | DataType::String(_) | DataType::CharVarying(_))
}

/// The first two arguments.
pub(super) fn pair(function: &Function) -> Option<(Expr, Expr)> {
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [
            FunctionArg::Unnamed(FunctionArgExpr::Expr(first)),
            FunctionArg::Unnamed(FunctionArgExpr::Expr(second)),
            ..,
        ] => Some((first.clone(), second.clone())),
        _ => None,
    }
}

pub(super) fn is_call(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Function(function) if function.name.to_string().eq_ignore_ascii_case(name))
}

/// The only argument, where a function has one.
pub(super) fn only(function: &Function) -> Option<&Expr> {
    match &function.args {
        FunctionArguments::List(list) => match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))] => Some(expr),
            _ => None,
        },
        _ => None,
    }
}

/// The first argument, where it is an expression, to be changed.
pub(super) fn first_mut(function: &mut Function) -> Option<&mut FunctionArgExpr> {
    match &mut function.args {
        FunctionArguments::List(list) => match list.args.first_mut() {
            Some(FunctionArg::Unnamed(argument)) => Some(argument),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn item_mut(item: &mut SelectItem) -> Option<&mut Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

/// The columns that an expression names.
pub(super) fn columns_in(expr: &Expr) -> Vec<Expr> {
    struct Columns(Vec<Expr>);
    impl VisitorMut for Columns {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            if matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
                self.0.push(expr.clone());
            }
            ControlFlow::Continue(())
        }
    }
    let mut columns = Columns(Vec::new());
    let _ = expr.clone().visit(&mut columns);
    columns.0
}

/// These columns as the expression writes them.
pub(super) fn names_in(expr: &Expr) -> Vec<String> {
    columns_in(expr).iter().map(ToString::to_string).collect()
}
