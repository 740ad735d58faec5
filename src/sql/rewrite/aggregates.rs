//! Aggregates that polars answers otherwise: of constants, with FILTER, sums that overflow, and windows over aggregates.

use std::ops::ControlFlow;

use anyhow::{Result, anyhow, bail};
use sqlparser::ast::{
    Expr, Function, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, OrderByKind, Query, SelectItem,
    SetExpr, Statement, VisitMut, VisitorMut,
};

use super::syntax::{columns_in, expression, first_mut, item_mut, names_in, only, parser};
use crate::sql::functions;

/// Functions of many rows.
pub(super) const AGGREGATES: [&str; 27] = [
    "array_agg",
    "avg",
    "corr",
    "count",
    "covar",
    "covar_pop",
    "covar_samp",
    "first",
    "group_concat",
    "last",
    "listagg",
    "max",
    "median",
    "min",
    "quantile_cont",
    "quantile_disc",
    "stddev",
    "stddev_samp",
    "stdev",
    "stdev_samp",
    "string_agg",
    "sum",
    "total",
    "var",
    "var_samp",
    "variance",
    "any_value",
];

pub(super) fn is_aggregate(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(function) if function.over.is_none()
        && AGGREGATES.contains(&function.name.to_string().to_lowercase().as_str()))
}

/// `AGG(x) FILTER (WHERE p)` as `AGG(CASE WHEN p THEN x END)`.
pub(super) fn filter_by_case(function: &mut Function) -> Result<()> {
    let Some(condition) = function.filter.take() else { return Ok(()) };
    let name = function.name.to_string().to_lowercase();
    if !["avg", "count", "max", "median", "min", "stddev", "sum", "variance"].contains(&name.as_str()) {
        bail!("FILTER of {name} is not answered: WHERE in a subquery leaves rows out");
    }
    let argument = first_mut(function).ok_or_else(|| anyhow!("FILTER of a function without argument"))?;
    let of = match argument {
        FunctionArgExpr::Expr(expr) => expr.to_string(),
        _ => "1".to_owned(),
    };
    *argument = FunctionArgExpr::Expr(expression(&format!("CASE WHEN {condition} THEN {of} END"))?);
    Ok(())
}

/// The argument of an aggregate that names no column.
pub(super) fn constant(function: &Function) -> Option<String> {
    let of = only(function)?;
    columns_in(of).is_empty().then(|| of.to_string())
}

/// An aggregate of a constant by the number of rows.
pub(super) fn of_constant(name: &str, function: &Function, constant: &str) -> Result<String> {
    let over = function.over.as_ref().map_or_else(String::new, |over| format!(" OVER {over}"));
    let distinct = match &function.args {
        FunctionArguments::List(list) => list.duplicate_treatment.is_some(),
        _ => false,
    };
    if distinct {
        bail!("{function} is an aggregate of a constant and is not answered; COUNT(*) counts rows");
    }
    let rows = format!("CAST(COUNT(*){over} AS BIGINT)");
    Ok(match name {
        "count" if constant.eq_ignore_ascii_case("null") => format!("({rows} * 0)"),
        "count" => rows,
        "sum" => format!("CASE WHEN {rows} > 0 THEN {}({constant}, {rows}) END", functions::TIMES),
        "avg" | "min" | "max" | "median" => format!("CASE WHEN {rows} > 0 THEN {constant} END"),
        _ => bail!("{function} is an aggregate of a constant and is not answered; COUNT(*) counts rows"),
    })
}

/// A sum with the same sum of floats beside it.
pub(super) fn checked_sum(function: &Function) -> Result<String> {
    let mut about = function.clone();
    if let Some(FunctionArgExpr::Expr(of)) = first_mut(&mut about) {
        *of = expression(&format!("CAST({of} AS DOUBLE)"))?;
    }
    Ok(format!("{}({function}, {about})", functions::SUM))
}

pub(super) fn has_aggregate(expr: &Expr) -> bool {
    struct Find;
    impl VisitorMut for Find {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            if is_aggregate(expr) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    expr.clone().visit(&mut Find).is_break()
}

/// `SELECT SUM(COUNT(*)) OVER () … GROUP BY …` as a query of windows over one of groups.
pub(super) fn windows_over_aggregates(query: &mut Query) -> Result<()> {
    let SetExpr::Select(select) = query.body.as_mut() else { return Ok(()) };
    if !select.projection.iter_mut().any(|item| item_mut(item).is_some_and(has_window_over_aggregate)) {
        return Ok(());
    }
    let mut groups = match &select.group_by {
        GroupByExpr::Expressions(groups, modifiers) if modifiers.is_empty() => groups.clone(),
        _ => bail!("windows over aggregates with GROUP BY ALL or its modifiers are not answered"),
    };
    for group in &mut groups {
        if let Some(meant) = projected(&select.projection, group) {
            *group = meant;
        }
    }
    let mut inner = (**select).clone();
    let mut parts =
        Parts { groups: groups.iter().map(ToString::to_string).collect(), aggregates: Vec::new() };
    for item in &mut select.projection {
        if let SelectItem::UnnamedExpr(expr) = item {
            let alias = Ident::with_quote('"', expr.to_string());
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
        }
        let Some(expr) = item_mut(item) else { bail!("* beside windows over aggregates is not answered") };
        let _ = expr.visit(&mut parts);
    }
    if let Some(OrderByKind::Expressions(orders)) = query.order_by.as_mut().map(|order| &mut order.kind) {
        for order in orders {
            let _ = order.expr.visit(&mut parts);
        }
    }
    let mut columns: Vec<String> =
        parts.groups.iter().enumerate().map(|(n, group)| format!("{group} AS _group{n}")).collect();
    columns.extend(parts.aggregates.iter().enumerate().map(|(n, of)| format!("{of} AS _aggregate{n}")));
    inner.projection = parser(&columns.join(", "))?.parse_projection()?;
    inner.group_by = GroupByExpr::Expressions(groups, Vec::new());
    inner.distinct = None;
    inner.qualify = None;
    let projection: Vec<String> = select.projection.iter().map(ToString::to_string).collect();
    let distinct = select.distinct.as_ref().map_or_else(String::new, ToString::to_string);
    let qualify = select.qualify.as_ref().map_or_else(String::new, |by| format!("QUALIFY {by}"));
    let text = format!("SELECT {distinct} {} FROM ({inner}) AS _groups {qualify}", projection.join(", "));
    match parser(&text)?.parse_statement()? {
        Statement::Query(outer) => query.body = outer.body,
        _ => bail!("no query: {text}"),
    }
    Ok(())
}

/// What a number or alias of GROUP BY means.
pub(super) fn projected(projection: &[SelectItem], group: &Expr) -> Option<Expr> {
    match group {
        Expr::Value(value) => {
            let number: usize = value.to_string().parse().ok()?;
            match projection.get(number.checked_sub(1)?)? {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr.clone()),
                _ => None,
            }
        }
        Expr::Identifier(name) => projection.iter().find_map(|item| match item {
            // A column before what is made of it under its name.
            SelectItem::ExprWithAlias { expr, alias }
                if alias.value == name.value && !names_in(expr).contains(&name.to_string()) =>
            {
                Some(expr.clone())
            }
            _ => None,
        }),
        _ => None,
    }
}

pub(super) fn has_window_over_aggregate(expr: &mut Expr) -> bool {
    struct Find {
        inside: usize,
    }
    impl VisitorMut for Find {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            if self.inside > 0 && is_aggregate(expr) {
                return ControlFlow::Break(());
            }
            self.inside += usize::from(is_window(expr));
            ControlFlow::Continue(())
        }

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            self.inside -= usize::from(is_window(expr));
            ControlFlow::Continue(())
        }
    }
    fn is_window(expr: &Expr) -> bool {
        matches!(expr, Expr::Function(function) if function.over.is_some())
    }
    expr.visit(&mut Find { inside: 0 }).is_break()
}

/// Puts columns of the inner query for the groups and aggregates of the outer one.
pub(super) struct Parts {
    groups: Vec<String>,
    aggregates: Vec<String>,
}

impl VisitorMut for Parts {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let text = expr.to_string();
        if let Some(n) = self.groups.iter().position(|group| *group == text) {
            *expr = Expr::Identifier(Ident::new(format!("_group{n}")));
        } else if is_aggregate(expr) {
            let n = self.aggregates.iter().position(|known| *known == text).unwrap_or_else(|| {
                self.aggregates.push(text);
                self.aggregates.len() - 1
            });
            *expr = Expr::Identifier(Ident::new(format!("_aggregate{n}")));
        }
        ControlFlow::Continue(())
    }
}
