//! Clauses that polars answers otherwise: joins, HAVING, ORDER BY, QUALIFY, and what SELECT lists.

use std::ops::ControlFlow;

use anyhow::{Result, bail};
use sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, OrderByKind, Query, Select,
    SelectItem, SetExpr, TableFactor, Value, VisitMut, VisitorMut, WindowType,
};

use super::aggregates::has_aggregate;
use super::syntax::{columns_in, expression, is_call, is_comparison, item_mut, names_in, only, parser};

/// Names what has no name by its words.
pub(super) fn name_items(select: &mut Select) {
    for item in &mut select.projection {
        if let SelectItem::UnnamedExpr(expr) = item
            && !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Wildcard(_))
            && !is_call(expr, "columns")
            && !is_call(expr, "unnest")
        {
            let alias = Ident::with_quote('"', expr.to_string());
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
        }
    }
}

/// Nulls come last where nothing is said.
pub(super) fn nulls_last(query: &mut Query) {
    match query.order_by.as_mut().map(|order| &mut order.kind) {
        Some(OrderByKind::Expressions(keys)) => {
            for key in keys {
                key.options.nulls_first.get_or_insert(false);
            }
        }
        Some(OrderByKind::All(options)) => {
            options.nulls_first.get_or_insert(false);
        }
        None => {}
    }
}

/// `SELECT … QUALIFY p` as `SELECT * EXCLUDE (p) FROM (SELECT …, p) WHERE p`.
pub(super) fn qualify(query: &mut Query) -> Result<()> {
    let SetExpr::Select(select) = query.body.as_mut() else { return Ok(()) };
    let Some(condition) = select.qualify.take() else { return Ok(()) };
    name_items(select);
    let distinct = select.distinct.take().map_or_else(String::new, |distinct| distinct.to_string());
    let alias = Ident::new("_qualify");
    select.projection.push(SelectItem::ExprWithAlias { expr: condition, alias });
    let text = format!("SELECT {distinct} * EXCLUDE (_qualify) FROM ({select}) AS _qualified WHERE _qualify");
    query.body = parser(&text)?.parse_query()?.body;
    Ok(())
}

/// Conditions of a join about one of its tables become conditions of that table; of joins that keep rows without a partner only
/// equal columns are answered.
pub(super) fn joins(select: &mut Select) -> Result<()> {
    let mut conditions: Vec<Expr> = Vec::new();
    let stars = select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)));
    for from in &mut select.from {
        let keeps_right = |join: &Join| matches!(kind_of(&join.join_operator), JoinKind::Right);
        let last_right = from.joins.iter().rposition(keeps_right);
        for (number, join) in from.joins.iter_mut().enumerate() {
            let kind = kind_of(&join.join_operator);
            let moves = kind == JoinKind::Inner && last_right.is_none_or(|last| last < number);
            let name = name_of(&join.relation);
            let condition = match constraint(&mut join.join_operator) {
                Some(JoinConstraint::Natural) => {
                    bail!("NATURAL JOIN is not answered: USING names the columns")
                }
                Some(JoinConstraint::Using(_)) if kind == JoinKind::Right || stars => {
                    bail!(
                        "USING in a RIGHT or FULL JOIN, or beside *, is not answered: write ON and name the columns"
                    )
                }
                Some(JoinConstraint::On(condition)) => condition,
                _ => continue,
            };
            let mut parts = Vec::new();
            conjuncts(condition, &mut parts);
            let movable = |part: &Expr| match tables_of(part).as_slice() {
                [one] => moves || kind == JoinKind::Left && name.as_ref() == Some(one),
                _ => false,
            };
            let (moved, there): (Vec<Expr>, Vec<Expr>) = parts.into_iter().partition(movable);
            if kind != JoinKind::Inner
                && let Some(other) = there.iter().find(|part| !equal_columns(part))
            {
                bail!(
                    "a join that keeps rows without a partner is answered for equal columns alone, not for {other}"
                );
            }
            let (Some(there), false) = (all_of(&there), moved.is_empty()) else { continue };
            *condition = expression(&there)?;
            if moves {
                conditions.extend(moved);
            } else if let (Some(name), Some(moved)) = (name, all_of(&moved)) {
                let name = Ident::with_quote('"', name);
                let derived =
                    format!("SELECT * FROM (SELECT * FROM {} WHERE {moved}) AS {name}", join.relation);
                if let Some(from) = parser(&derived)?.parse_select()?.from.into_iter().next() {
                    join.relation = from.relation;
                }
            }
        }
    }
    and_where(select, all_of(&conditions))
}

pub(super) fn and_where(select: &mut Select, condition: Option<String>) -> Result<()> {
    if let Some(condition) = condition {
        let text = match &select.selection {
            Some(selection) => format!("({selection}) AND {condition}"),
            None => condition,
        };
        select.selection = Some(expression(&text)?);
    }
    Ok(())
}

/// Which rows without a partner a join keeps: none, those of the left, or of the right too; others are those of semi-joins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JoinKind {
    Inner,
    Left,
    Right,
    Other,
}

pub(super) fn kind_of(join: &JoinOperator) -> JoinKind {
    match join {
        JoinOperator::Join(_) | JoinOperator::Inner(_) | JoinOperator::CrossJoin(_) => JoinKind::Inner,
        JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => JoinKind::Left,
        JoinOperator::Right(_) | JoinOperator::RightOuter(_) | JoinOperator::FullOuter(_) => JoinKind::Right,
        _ => JoinKind::Other,
    }
}

pub(super) fn constraint(join: &mut JoinOperator) -> Option<&mut JoinConstraint> {
    match join {
        JoinOperator::Join(on)
        | JoinOperator::Inner(on)
        | JoinOperator::Left(on)
        | JoinOperator::LeftOuter(on)
        | JoinOperator::Right(on)
        | JoinOperator::RightOuter(on)
        | JoinOperator::FullOuter(on)
        | JoinOperator::Semi(on)
        | JoinOperator::LeftSemi(on)
        | JoinOperator::RightSemi(on)
        | JoinOperator::Anti(on)
        | JoinOperator::LeftAnti(on)
        | JoinOperator::RightAnti(on) => Some(on),
        _ => None,
    }
}

pub(super) fn equal_columns(part: &Expr) -> bool {
    let Expr::BinaryOp { left, op: BinaryOperator::Eq, right } = part else { return false };
    let (left, right) = (tables_of(left), tables_of(right));
    !left.is_empty() && !right.is_empty() && (left.len() > 1 || left != right)
}

/// Conditions of HAVING about the groups alone become conditions of rows.
pub(super) fn having(select: &mut Select) -> Result<()> {
    let (Some(condition), GroupByExpr::Expressions(groups, _)) = (&select.having, &select.group_by) else {
        return Ok(());
    };
    let groups: Vec<String> = groups.iter().map(ToString::to_string).collect();
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    let of_rows = |part: &Expr| {
        let names = names_in(part);
        !names.is_empty() && names.iter().all(|name| groups.contains(name)) && !has_aggregate(part)
    };
    let (of_rows, of_groups): (Vec<Expr>, Vec<Expr>) = parts.into_iter().partition(of_rows);
    if !of_rows.is_empty() {
        select.having = all_of(&of_groups).map(|text| expression(&text)).transpose()?;
        and_where(select, all_of(&of_rows))?;
    }
    Ok(())
}

/// # Errors
/// Windows over all rows with no column beside them, of which polars makes one row.
pub(super) fn whole_windows(select: &Select) -> Result<()> {
    struct Columns {
        whole: bool,
    }
    impl VisitorMut for Columns {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            match expr {
                Expr::Function(function) => match &function.over {
                    Some(WindowType::WindowSpec(spec))
                        if spec.partition_by.is_empty() && spec.order_by.is_empty() =>
                    {
                        self.whole = true;
                        *expr = Expr::value(Value::Null);
                        ControlFlow::Continue(())
                    }
                    Some(_) => ControlFlow::Break(()),
                    None => ControlFlow::Continue(()),
                },
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    let grouped = matches!(&select.group_by, GroupByExpr::Expressions(groups, _) if !groups.is_empty());
    let mut columns = Columns { whole: false };
    let has_columns = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
            expr.clone().visit(&mut columns).is_break()
        }
        _ => true,
    };
    if !grouped && select.distinct.is_none() && !select.projection.iter().any(has_columns) && columns.whole {
        bail!("windows over all rows need a column of the rows beside them");
    }
    Ok(())
}

/// # Errors
/// A key of ORDER BY that computes with a name which SELECT gives to something else.
pub(super) fn order_names(query: &Query) -> Result<()> {
    let (SetExpr::Select(select), Some(order)) = (query.body.as_ref(), &query.order_by) else {
        return Ok(());
    };
    let OrderByKind::Expressions(keys) = &order.kind else { return Ok(()) };
    for key in keys.iter().filter(|key| !matches!(key.expr, Expr::Identifier(_))) {
        for name in names_in(&key.expr) {
            let last = name.rsplit('.').next().unwrap_or_default().trim_matches('"');
            let other = |item: &SelectItem| {
                matches!(item, SelectItem::ExprWithAlias { expr, alias }
                if alias.value == last && expr.to_string() != name && expr.to_string() != last)
            };
            if select.projection.iter().any(other) {
                bail!("ORDER BY {}: {last} is a column and the name of another one in SELECT", key.expr);
            }
        }
    }
    Ok(())
}

/// Empty lists give no rows; polars has one of null.
pub(super) fn unnested(select: &mut Select) -> Result<()> {
    let lists = select.projection.iter_mut().filter_map(item_mut).filter(|expr| is_call(expr, "unnest"));
    let filled = lists.filter_map(|expr| match expr {
        Expr::Function(function) => only(function).map(|list| format!("ARRAY_LENGTH({list}) > 0")),
        _ => None,
    });
    let conditions: Vec<String> = filled.collect();
    and_where(select, (!conditions.is_empty()).then(|| conditions.join(" AND ")))
}

pub(super) fn all_of(conditions: &[Expr]) -> Option<String> {
    let words: Vec<String> = conditions
        .iter()
        .map(|condition| match condition {
            // Polars takes no parentheses in ON.
            Expr::BinaryOp { op, .. } if is_comparison(op) => condition.to_string(),
            _ => format!("({condition})"),
        })
        .collect();
    (!words.is_empty()).then(|| words.join(" AND "))
}

pub(super) fn conjuncts(condition: &Expr, parts: &mut Vec<Expr>) {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            conjuncts(left, parts);
            conjuncts(right, parts);
        }
        Expr::Nested(inner) => conjuncts(inner, parts),
        other => parts.push(other.clone()),
    }
}

pub(super) fn name_of(relation: &TableFactor) -> Option<String> {
    match relation {
        TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
            Some(alias.name.value.clone())
        }
        TableFactor::Table { name, .. } => Some(name.to_string().trim_matches('"').to_owned()),
        _ => None,
    }
}

/// The tables whose columns a condition names; a column without its table counts as two of no name, since it may be of any.
pub(super) fn tables_of(condition: &Expr) -> Vec<String> {
    let tables = columns_in(condition).into_iter().flat_map(|column| match column {
        Expr::CompoundIdentifier(names) => names.into_iter().take(1).map(|name| name.value).collect(),
        _ => vec![String::new(), "?".to_owned()],
    });
    let mut tables: Vec<String> = tables.collect();
    tables.sort();
    tables.dedup();
    tables
}
