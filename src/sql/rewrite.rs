//! Rewrites a query so that polars answers it correctly, or refuses it.
//!
//! `webmill query` calls it for every query, before `engine` runs it.
//!
//! Tables come with whole numbers of 64 bits alone (`engine`). Here counts, ranks and lengths get that type too, and arithmetic
//! goes through [`functions`]; aggregates of constants are counted; windows over aggregates become windows over a subquery; a subquery
//! that is one value is answered first; FILTER becomes CASE. What polars is known to answer wrongly and is not mended here is refused.

mod aggregates;
mod clauses;
mod syntax;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use anyhow::{Result, bail};
use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, DateTimeField, Expr, Function, GroupByExpr, Query, Select,
    SelectItem, SetExpr, TableAlias, TableFactor, Value, VisitMut, VisitorMut,
};

use self::aggregates::{
    AGGREGATES, checked_sum, constant, filter_by_case, has_aggregate, of_constant, windows_over_aggregates,
};
use self::clauses::{having, joins, name_items, nulls_last, order_names, qualify, unnested, whole_windows};
use self::syntax::{expression, is_comparison, is_text, is_whole, item_mut, only, pair, parser};
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
/// A text that is not a query, or a construct that is refused.
pub fn rewritten(text: &str, tables: &dyn Tables, names: &Names) -> Result<String> {
    let mut statement = parser(text)?.parse_statement()?;
    let mut rewriting = Rewriting { tables, names: vec![names.clone()] };
    match statement.visit(&mut rewriting) {
        ControlFlow::Continue(()) => Ok(statement.to_string()),
        ControlFlow::Break(refusal) => Err(refusal),
    }
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
    /// The replacement of an expression; `None` if it stays as it is.
    fn instead_of(&self, expr: &mut Expr) -> Result<Option<String>> {
        Ok(match expr {
            Expr::BinaryOp { left, op, right } => self.operation(left, op, right)?,
            Expr::Between { expr, low, high, .. } => {
                let times = self.is_time(expr);
                time_literals(times, [low.as_mut(), high.as_mut()])?;
                None
            }
            Expr::InList { expr, list, negated } if self.is_time(expr) => {
                time_literals(true, list.iter_mut())?;
                let any: Vec<String> = list.iter().map(|value| format!("{expr} = {value}")).collect();
                Some(format!("({}({}))", if *negated { "NOT " } else { "" }, any.join(" OR ")))
            }
            Expr::Cast { kind, expr, data_type, .. } => self.cast(kind, expr, data_type)?,
            Expr::IsTrue(of) => Some(format!("COALESCE({of}, FALSE)")),
            Expr::IsNotTrue(of) => Some(format!("(NOT COALESCE({of}, FALSE))")),
            Expr::IsFalse(of) => Some(format!("(NOT COALESCE({of}, TRUE))")),
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

    fn operation(&self, left: &mut Expr, op: &BinaryOperator, right: &mut Expr) -> Result<Option<String>> {
        let times = self.is_time(left) || self.is_time(right);
        let function = match op {
            op if is_comparison(op) => {
                time_literals(times, [left, right])?;
                return Ok(None);
            }
            BinaryOperator::PGRegexMatch | BinaryOperator::PGRegexNotMatch => {
                bail!("{op} is read in several ways: REGEXP_LIKE({left}, {right}) finds a part")
            }
            BinaryOperator::StringConcat if times => {
                bail!("a time as text is written in several ways: STRFTIME says how")
            }
            BinaryOperator::Plus => functions::PLUS,
            BinaryOperator::Minus => functions::MINUS,
            BinaryOperator::Multiply => functions::TIMES,
            BinaryOperator::Modulo => functions::REMAINDER,
            BinaryOperator::DuckIntegerDivide => functions::QUOTIENT,
            _ => return Ok(None),
        };
        let duration = matches!((&*left, &*right), (Expr::Interval(_), _) | (_, Expr::Interval(_)));
        Ok((!duration).then(|| format!("{function}({left}, {right})")))
    }

    fn cast(&self, kind: &CastKind, expr: &Expr, to: &DataType) -> Result<Option<String>> {
        let tries = matches!(kind, CastKind::TryCast | CastKind::SafeCast);
        Ok(match to {
            to if is_whole(to) && tries => {
                bail!("TRY_CAST to a whole number is not answered: CAST, or TRY_CAST to DOUBLE")
            }
            to if is_whole(to) => Some(format!("{}({expr})", functions::INTEGER)),
            DataType::Timestamp(..) | DataType::Datetime(_) if !tries => {
                Some(format!("{}({expr})", functions::TIME))
            }
            to if is_text(to) && self.is_time(expr) => {
                bail!("{expr} as text is written in several ways: STRFTIME({expr}, '%Y-%m-%d') says how")
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
