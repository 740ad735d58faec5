//! A query asked so that polars' SQL answers it rightly, or refused.
//!
//! Tables come with whole numbers of 64 bits alone ([`super::engine`]). Here counts, ranks and lengths get that type too, and arithmetic
//! goes through [`functions`]; aggregates of constants are counted; windows over aggregates become windows over a subquery; a subquery
//! that is one value is answered first; FILTER becomes CASE. What polars is known to answer wrongly and is not mended here is refused.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use anyhow::{Result, anyhow, bail};
use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, DateTimeField, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, OrderByKind, Query, Select,
    SelectItem, SetExpr, Statement, TableAlias, TableFactor, Value, VisitMut, VisitorMut, WindowType,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError};

use super::{functions, windows};

/// Functions whose answers polars gives in 32 bits or fewer.
const NARROW: [&str; 14] = [
    "array_length",
    "bit_count",
    "bit_length",
    "char_length",
    "character_length",
    "count",
    "date_part",
    "dense_rank",
    "length",
    "octet_length",
    "rank",
    "row_number",
    "sign",
    "total",
];

/// Parts of a time that are functions of their own name.
const PARTS: [&str; 8] = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"];

/// Functions of many rows.
const AGGREGATES: [&str; 27] = [
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

/// Names of WITH, and of the tables that stand for them.
pub type Names = BTreeMap<String, String>;

/// What a rewriting asks of the tables.
pub trait Tables {
    /// Whether a column of this name has times.
    fn has_times(&self, column: &str) -> bool;

    /// The value of a query of one, as a literal.
    ///
    /// # Errors
    /// A query that is not answered, or has several rows or columns.
    fn value(&self, query: &str, names: &Names) -> Result<String>;

    /// The name of a table with the rows of a query, its first columns under these names.
    ///
    /// # Errors
    /// A query that has no plan, or fewer columns than names.
    fn put_aside(&self, query: &str, names: &Names, columns: &[String]) -> Result<String>;
}

/// The query that is put to polars.
///
/// # Errors
/// A text that is no query, and what is refused.
pub fn rewritten(text: &str, tables: &dyn Tables, names: &Names) -> Result<String> {
    let mut statement = parser(text)?.parse_statement()?;
    let mut rewriting = Rewriting { tables, names: vec![names.clone()] };
    match statement.visit(&mut rewriting) {
        ControlFlow::Continue(()) => Ok(statement.to_string()),
        ControlFlow::Break(refusal) => Err(refusal),
    }
}

fn parser(text: &str) -> Result<Parser<'_>, ParserError> {
    Parser::new(&GenericDialect).try_with_sql(text)
}

fn expression(text: &str) -> Result<Expr> {
    Ok(parser(text)?.parse_expr()?)
}

struct Rewriting<'a> {
    tables: &'a dyn Tables,
    /// What names mean here, and in the queries around.
    names: Vec<Names>,
}

impl Rewriting<'_> {
    fn names(&self) -> Names {
        self.names.last().cloned().unwrap_or_default()
    }

    /// Queries of WITH become tables.
    fn with(&mut self, query: &mut Query) -> Result<()> {
        let mut names = self.names();
        if let Some(with) = query.with.take() {
            if with.recursive {
                bail!("WITH RECURSIVE is not answered");
            }
            for part in with.cte_tables {
                let columns = columns_of(&part.alias);
                let table = self.tables.put_aside(&part.query.to_string(), &names, &columns)?;
                names.insert(part.alias.name.value, table);
            }
        }
        self.names.push(names);
        Ok(())
    }

    /// A table of its own for a query in FROM: polars looks for functions in the outermost query alone.
    fn from(&self, factor: &mut TableFactor) -> Result<()> {
        let (table, alias) = match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let name = name.to_string();
                match self.names().get(name.trim_matches('"')) {
                    Some(table) => {
                        (table.clone(), alias.as_ref().map_or(name, |alias| alias.name.to_string()))
                    }
                    None => return Ok(()),
                }
            }
            TableFactor::Derived { lateral: false, subquery, alias, .. } => {
                let columns = alias.as_ref().map(columns_of).unwrap_or_default();
                let table = self.tables.put_aside(&subquery.to_string(), &self.names(), &columns)?;
                let alias = alias.as_ref().map_or_else(|| table.clone(), |alias| alias.name.to_string());
                (table, alias)
            }
            _ => return Ok(()),
        };
        let select = parser(&format!("SELECT * FROM {table} AS {alias}"))?.parse_select()?;
        if let Some(from) = select.from.into_iter().next() {
            *factor = from.relation;
        }
        Ok(())
    }

    /// Tables of their own for the queries of UNION, EXCEPT and INTERSECT.
    fn branches(&self, body: &mut SetExpr) -> Result<()> {
        let SetExpr::SetOperation { left, right, .. } = body else { return Ok(()) };
        for side in [left, right] {
            match side.as_mut() {
                SetExpr::Select(_) => {
                    let table = self.tables.put_aside(&side.to_string(), &self.names(), &[])?;
                    *side = parser(&format!("SELECT * FROM {table}"))?.parse_query()?.body;
                }
                other => self.branches(other)?,
            }
        }
        Ok(())
    }

    /// A query that is a value, or a list of them.
    fn subquery(&self, expr: &mut Expr) -> Result<()> {
        match expr {
            Expr::Subquery(query) => {
                *expr = expression(&self.tables.value(&query.to_string(), &self.names())?)?
            }
            Expr::InSubquery { subquery, .. } => {
                // One that names columns around it has no plan of its own; polars may have one.
                match self.tables.put_aside(&subquery.to_string(), &self.names(), &[]) {
                    Ok(table) => **subquery = *parser(&format!("SELECT * FROM {table}"))?.parse_query()?,
                    Err(error) if error.to_string().starts_with("no ") => {}
                    Err(error) => return Err(error),
                }
            }
            Expr::Exists { subquery, .. } => {
                if let SetExpr::Select(select) = subquery.body.as_ref()
                    && matches!(&select.group_by, GroupByExpr::Expressions(groups, _) if groups.is_empty())
                    && select
                        .projection
                        .clone()
                        .iter_mut()
                        .filter_map(item_mut)
                        .any(|expr| has_aggregate(expr))
                {
                    bail!("EXISTS of an aggregate is always true: {subquery}");
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn columns_of(alias: &TableAlias) -> Vec<String> {
    alias.columns.iter().map(|column| column.name.value.clone()).collect()
}

/// A result as the visitor has it.
fn flow(result: Result<()>) -> ControlFlow<anyhow::Error> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

impl VisitorMut for Rewriting<'_> {
    type Break = anyhow::Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<anyhow::Error> {
        nulls_last(query);
        flow(
            self.with(query)
                .and_then(|()| order_names(query))
                .and_then(|()| self.branches(&mut query.body))
                .and_then(|()| qualify(query))
                .and_then(|()| windows_over_aggregates(query)),
        )
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<anyhow::Error> {
        self.names.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<anyhow::Error> {
        flow(self.from(factor))
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<anyhow::Error> {
        name_items(select);
        for item in &mut select.projection {
            if let SelectItem::ExprWithAlias { alias, .. } = item {
                alias.quote_style = Some('"');
            }
        }
        flow(
            joins(select)
                .and_then(|()| having(select))
                .and_then(|()| unnested(select))
                .and_then(|()| whole_windows(select)),
        )
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<anyhow::Error> {
        flow(self.subquery(expr))
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<anyhow::Error> {
        flow(self.instead_of(expr).and_then(|text| {
            if let Some(text) = text {
                *expr = expression(&text)?;
            }
            Ok(())
        }))
    }
}

impl Rewriting<'_> {
    /// What is written instead of an expression, where it is not left.
    fn instead_of(&self, expr: &mut Expr) -> Result<Option<String>> {
        Ok(match expr {
            Expr::BinaryOp { left, op, right } => {
                if is_comparison(op) {
                    let times = self.is_time(left) || self.is_time(right);
                    time_literals(times, [left.as_mut(), right.as_mut()])?;
                    return Ok(None);
                }
                let function = match op {
                    BinaryOperator::PGRegexMatch | BinaryOperator::PGRegexNotMatch => {
                        bail!("{op} is read in several ways: REGEXP_LIKE({left}, {right}) finds a part")
                    }
                    BinaryOperator::StringConcat if self.is_time(left) || self.is_time(right) => {
                        bail!("a time as text is written in several ways: STRFTIME says how")
                    }
                    BinaryOperator::Plus => functions::PLUS,
                    BinaryOperator::Minus => functions::MINUS,
                    BinaryOperator::Multiply => functions::TIMES,
                    BinaryOperator::Modulo => functions::REMAINDER,
                    BinaryOperator::DuckIntegerDivide => functions::QUOTIENT,
                    _ => return Ok(None),
                };
                let duration = matches!((&**left, &**right), (Expr::Interval(_), _) | (_, Expr::Interval(_)));
                (!duration).then(|| format!("{function}({left}, {right})"))
            }
            Expr::Between { expr, low, high, .. } => {
                let times = self.is_time(expr);
                time_literals(times, [low.as_mut(), high.as_mut()])?;
                None
            }
            Expr::InList { expr, list, negated } if self.is_time(expr) => {
                time_literals(true, list.iter_mut())?;
                let any: Vec<String> = list.iter().map(|value| format!("{expr} = {value}")).collect();
                Some(format!("{}({})", if *negated { "NOT " } else { "" }, any.join(" OR ")))
            }
            Expr::Cast { kind: CastKind::TryCast | CastKind::SafeCast, data_type, .. }
                if is_whole(data_type) =>
            {
                bail!("TRY_CAST to a whole number is not answered: CAST, or TRY_CAST to DOUBLE")
            }
            Expr::Cast { kind: CastKind::Cast | CastKind::DoubleColon, expr, data_type, .. } => {
                if is_whole(data_type) {
                    Some(format!("{}({expr})", functions::INTEGER))
                } else if matches!(data_type, DataType::Timestamp(..) | DataType::Datetime(_)) {
                    Some(format!("{}({expr})", functions::TIME))
                } else if is_text(data_type) && self.is_time(expr) {
                    bail!("{expr} as text is written in several ways: STRFTIME({expr}, '%Y-%m-%d') says how")
                } else {
                    None
                }
            }
            Expr::IsTrue(of) => Some(format!("COALESCE({of}, FALSE)")),
            Expr::IsNotTrue(of) => Some(format!("NOT COALESCE({of}, FALSE)")),
            Expr::IsFalse(of) => Some(format!("NOT COALESCE({of}, TRUE)")),
            Expr::IsNotFalse(of) => Some(format!("COALESCE({of}, TRUE)")),
            Expr::SimilarTo { expr, pattern, .. } => {
                bail!("SIMILAR TO is read in several ways: REGEXP_LIKE({expr}, {pattern}) finds a part")
            }
            Expr::Tuple(_) => {
                bail!("{expr} is not answered where one value is asked for: compare its parts one by one")
            }
            Expr::TypedString(typed)
                if matches!(typed.data_type, DataType::Timestamp(..) | DataType::Datetime(_)) =>
            {
                Some(format!("{}({})", functions::TIME, typed.value))
            }
            Expr::Extract { field, .. } if !matches!(field, DateTimeField::Epoch) => {
                Some(format!("CAST({expr} AS BIGINT)"))
            }
            Expr::Case { conditions, else_result, .. } => {
                let results = conditions.iter_mut().map(|when| &mut when.result);
                for result in results.chain(else_result.as_deref_mut()) {
                    if matches!(result, Expr::Value(value) if matches!(value.value, Value::Number(..))
                        && value.to_string().parse::<i64>().is_ok())
                    {
                        *result = expression(&format!("CAST({result} AS BIGINT)"))?;
                    }
                }
                None
            }
            Expr::Substring { expr, substring_from: Some(from), substring_for, .. } => {
                let length = substring_for.as_ref().map_or_else(String::new, |length| format!(", {length}"));
                Some(format!("{}({expr}, {from}{length})", functions::PART))
            }
            Expr::Position { expr, r#in } => {
                Some(format!("{}({in}, {expr})", functions::POSITION, in = r#in))
            }
            Expr::Function(function) => self.instead_of_function(function)?,
            // So that polars takes no column for a word of SQL.
            Expr::Identifier(name) => {
                name.quote_style = Some('"');
                None
            }
            Expr::CompoundIdentifier(names) => {
                names.iter_mut().for_each(|name| name.quote_style = Some('"'));
                None
            }
            _ => None,
        })
    }

    fn instead_of_function(&self, function: &mut Function) -> Result<Option<String>> {
        let name = function.name.to_string().to_lowercase();
        let is_aggregate = AGGREGATES.contains(&name.as_str());
        if is_aggregate {
            filter_by_case(function)?;
        }
        if let Some(window) = windows::call(function)? {
            return Ok(Some(window));
        }
        if is_aggregate && let Some(constant) = constant(function) {
            return of_constant(&name, function, &constant).map(Some);
        }
        let arguments = &function.args;
        Ok(match name.as_str() {
            "sum" => Some(checked_sum(function)?),
            "regexp_matches" => Some(format!("REGEXP_LIKE{arguments}")),
            "len" => Some(format!("CAST(LENGTH{arguments} AS BIGINT)")),
            "contains" => Some(format!("({}{arguments} > 0)", functions::POSITION)),
            "strpos" | "instr" => Some(format!("{}{arguments}", functions::POSITION)),
            "substr" | "substring" => Some(format!("{}{arguments}", functions::PART)),
            "replace" if pair(function).is_some_and(|(_, what)| what.to_string() == "''") => {
                bail!("{function} replaces nothing")
            }
            "strftime" if arguments.to_string().contains("%f") => {
                bail!("%f is read in several ways: EXTRACT(MICROSECOND FROM …) gives parts of a second")
            }
            "concat" if pair(function).is_some_and(|(a, b)| self.is_time(&a) || self.is_time(&b)) => {
                bail!("a time as text is written in several ways: STRFTIME says how")
            }
            "log" => pair(function).map(|(base, of)| format!("LOG({of}, {base})")),
            "round" => Some(format!("{}{arguments}", functions::ROUND)),
            "mod" => Some(format!("{}{arguments}", functions::REMAINDER)),
            "div" => Some(format!("{}{arguments}", functions::QUOTIENT)),
            "timestamp" | "datetime" | "to_timestamp" => Some(format!("{}{arguments}", functions::TIME)),
            "date_trunc" => Some(format!("{}{arguments}", functions::TRUNCATED_TIME)),
            part if PARTS.contains(&part) => {
                let Some(Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Function(_)) =
                    only(function)
                else {
                    return Ok(None);
                };
                let time = only(function).map(ToString::to_string).unwrap_or_default();
                Some(format!("CAST(EXTRACT({part} FROM {time}) AS BIGINT)"))
            }
            narrow if NARROW.contains(&narrow) => Some(format!("CAST({function} AS BIGINT)")),
            _ => None,
        })
    }

    /// Whether an expression is known to be a time.
    fn is_time(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Identifier(name) => self.tables.has_times(&name.value),
            Expr::CompoundIdentifier(names) => {
                names.last().is_some_and(|name| self.tables.has_times(&name.value))
            }
            Expr::Nested(inner) => self.is_time(inner),
            Expr::Cast { data_type, .. } => matches!(data_type, DataType::Date),
            Expr::Function(function) => match function.name.to_string().as_str() {
                functions::TIME | functions::TRUNCATED_TIME => true,
                name if ["min", "max"].contains(&name.to_lowercase().as_str()) => {
                    only(function).is_some_and(|of| self.is_time(of))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// Makes times of texts, where they stand beside times.
fn time_literals<'a>(times: bool, beside: impl IntoIterator<Item = &'a mut Expr>) -> Result<()> {
    if times {
        let mut beside: Vec<&mut Expr> = beside.into_iter().collect();
        let is_day = |expr: &&mut Expr| is_day(expr);
        if beside.iter().any(is_day) && beside.iter().any(|expr| expr.to_string().contains(':')) {
            bail!("a day stands beside a time: CAST(… AS DATE) makes a day of it");
        }
        for expr in &mut beside {
            if let Expr::Value(value) = expr
                && matches!(value.value, Value::SingleQuotedString(_))
            {
                **expr = expression(&format!("{}({value})", functions::TIME))?;
            }
        }
    }
    Ok(())
}

fn is_day(expr: &Expr) -> bool {
    match expr {
        Expr::Cast { data_type, .. } => matches!(data_type, DataType::Date),
        Expr::Identifier(name) => name.value == "date",
        _ => false,
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

fn is_whole(kind: &DataType) -> bool {
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

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Varchar(_) | DataType::Text | DataType::String(_) | DataType::CharVarying(_))
}

/// The first two arguments.
fn pair(function: &Function) -> Option<(Expr, Expr)> {
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

fn is_call(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Function(function) if function.name.to_string().eq_ignore_ascii_case(name))
}

fn is_aggregate(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(function) if function.over.is_none()
        && AGGREGATES.contains(&function.name.to_string().to_lowercase().as_str()))
}

/// The only argument, where a function has one.
fn only(function: &Function) -> Option<&Expr> {
    match &function.args {
        FunctionArguments::List(list) => match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))] => Some(expr),
            _ => None,
        },
        _ => None,
    }
}

/// The first argument, where it is an expression, to be changed.
fn first_mut(function: &mut Function) -> Option<&mut FunctionArgExpr> {
    match &mut function.args {
        FunctionArguments::List(list) => match list.args.first_mut() {
            Some(FunctionArg::Unnamed(argument)) => Some(argument),
            _ => None,
        },
        _ => None,
    }
}

/// `AGG(x) FILTER (WHERE p)` as `AGG(CASE WHEN p THEN x END)`.
fn filter_by_case(function: &mut Function) -> Result<()> {
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
fn constant(function: &Function) -> Option<String> {
    struct Names;
    impl VisitorMut for Names {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            match expr {
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Wildcard(_) => {
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            }
        }
    }
    let mut of = only(function)?.clone();
    of.visit(&mut Names).is_continue().then(|| of.to_string())
}

/// An aggregate of a constant by the number of rows.
fn of_constant(name: &str, function: &Function, constant: &str) -> Result<String> {
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
fn checked_sum(function: &Function) -> Result<String> {
    let mut about = function.clone();
    if let Some(FunctionArgExpr::Expr(of)) = first_mut(&mut about) {
        *of = expression(&format!("CAST({of} AS DOUBLE)"))?;
    }
    Ok(format!("{}({function}, {about})", functions::SUM))
}

/// Names what has no name by its words.
fn name_items(select: &mut Select) {
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
fn nulls_last(query: &mut Query) {
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
fn qualify(query: &mut Query) -> Result<()> {
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
fn joins(select: &mut Select) -> Result<()> {
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

fn and_where(select: &mut Select, condition: Option<String>) -> Result<()> {
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
enum JoinKind {
    Inner,
    Left,
    Right,
    Other,
}

fn kind_of(join: &JoinOperator) -> JoinKind {
    match join {
        JoinOperator::Join(_) | JoinOperator::Inner(_) | JoinOperator::CrossJoin(_) => JoinKind::Inner,
        JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => JoinKind::Left,
        JoinOperator::Right(_) | JoinOperator::RightOuter(_) | JoinOperator::FullOuter(_) => JoinKind::Right,
        _ => JoinKind::Other,
    }
}

fn constraint(join: &mut JoinOperator) -> Option<&mut JoinConstraint> {
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

fn equal_columns(part: &Expr) -> bool {
    let Expr::BinaryOp { left, op: BinaryOperator::Eq, right } = part else { return false };
    let (left, right) = (tables_of(left), tables_of(right));
    !left.is_empty() && !right.is_empty() && (left.len() > 1 || left != right)
}

/// Conditions of HAVING about the groups alone become conditions of rows.
fn having(select: &mut Select) -> Result<()> {
    let (Some(condition), GroupByExpr::Expressions(groups, _)) = (&select.having, &select.group_by) else {
        return Ok(());
    };
    let groups: Vec<String> = groups.iter().map(ToString::to_string).collect();
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    let of_rows = |part: &Expr| {
        let names = names_of(part);
        !names.is_empty() && names.iter().all(|name| groups.contains(name)) && !has_aggregate(part)
    };
    let (of_rows, of_groups): (Vec<Expr>, Vec<Expr>) = parts.into_iter().partition(of_rows);
    if !of_rows.is_empty() {
        select.having = all_of(&of_groups).map(|text| expression(&text)).transpose()?;
        and_where(select, all_of(&of_rows))?;
    }
    Ok(())
}

fn has_aggregate(expr: &Expr) -> bool {
    struct Find;
    impl VisitorMut for Find {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            if is_aggregate(expr) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    expr.clone().visit(&mut Find).is_break()
}

/// The columns that an expression names, as it does.
fn names_of(expr: &Expr) -> Vec<String> {
    struct Names(Vec<String>);
    impl VisitorMut for Names {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            if matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
                self.0.push(expr.to_string());
            }
            ControlFlow::Continue(())
        }
    }
    let mut names = Names(Vec::new());
    let _ = expr.clone().visit(&mut names);
    names.0
}

/// # Errors
/// Windows over all rows with no column beside them, of which polars makes one row.
fn whole_windows(select: &Select) -> Result<()> {
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
fn order_names(query: &Query) -> Result<()> {
    let (SetExpr::Select(select), Some(order)) = (query.body.as_ref(), &query.order_by) else {
        return Ok(());
    };
    let OrderByKind::Expressions(keys) = &order.kind else { return Ok(()) };
    for key in keys.iter().filter(|key| !matches!(key.expr, Expr::Identifier(_))) {
        for name in names_of(&key.expr) {
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
fn unnested(select: &mut Select) -> Result<()> {
    let lists = select.projection.iter_mut().filter_map(item_mut).filter(|expr| is_call(expr, "unnest"));
    let filled = lists.filter_map(|expr| match expr {
        Expr::Function(function) => only(function).map(|list| format!("ARRAY_LENGTH({list}) > 0")),
        _ => None,
    });
    let conditions: Vec<String> = filled.collect();
    and_where(select, (!conditions.is_empty()).then(|| conditions.join(" AND ")))
}

fn all_of(conditions: &[Expr]) -> Option<String> {
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

fn conjuncts(condition: &Expr, parts: &mut Vec<Expr>) {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            conjuncts(left, parts);
            conjuncts(right, parts);
        }
        Expr::Nested(inner) => conjuncts(inner, parts),
        other => parts.push(other.clone()),
    }
}

fn name_of(relation: &TableFactor) -> Option<String> {
    match relation {
        TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
            Some(alias.name.value.clone())
        }
        TableFactor::Table { name, .. } => Some(name.to_string().trim_matches('"').to_owned()),
        _ => None,
    }
}

/// The tables whose columns a condition names; a column without its table counts as one of no name.
fn tables_of(condition: &Expr) -> Vec<String> {
    struct Names(Vec<String>);
    impl VisitorMut for Names {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            match expr {
                Expr::CompoundIdentifier(names) => {
                    self.0.extend(names.first().map(|name| name.value.clone()));
                }
                Expr::Identifier(_) => self.0.extend([String::new(), "?".to_owned()]),
                _ => {}
            }
            ControlFlow::Continue(())
        }
    }
    let mut names = Names(Vec::new());
    let _ = condition.clone().visit(&mut names);
    names.0.sort();
    names.0.dedup();
    names.0
}

/// `SELECT SUM(COUNT(*)) OVER () … GROUP BY …` as a query of windows over one of groups.
fn windows_over_aggregates(query: &mut Query) -> Result<()> {
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

fn item_mut(item: &mut SelectItem) -> Option<&mut Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

/// What a number or alias of GROUP BY means.
fn projected(projection: &[SelectItem], group: &Expr) -> Option<Expr> {
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
                if alias.value == name.value && !names_of(expr).contains(&name.to_string()) =>
            {
                Some(expr.clone())
            }
            _ => None,
        }),
        _ => None,
    }
}

fn has_window_over_aggregate(expr: &mut Expr) -> bool {
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
struct Parts {
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
