//! Runs SQL of polars over tables that webmill's own reader reads.
//!
//! `webmill query` calls it in a build with the feature `sql`; `rewrite` has prepared the query.
//!
//! **What.** Each table is a source of the in-memory engine of polars: the plan says which columns it needs and which rows it
//! wants, and the source reads these columns, row group by row group on all threads, and keeps these rows. Row groups whose
//! statistics rule the wanted rows out are not read.
//!
//! **Memory.** The columns that the query names, of the rows that pass its conditions on one table.
//!
//! **Why not polars' own reader.** It comes with a second engine and a client of object stores over HTTP, which both take long to
//! build and serve no query here.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use polars::prelude::{
    AnonymousScan, AnonymousScanArgs, AnyValue, Column, CompatLevel, DataFrame, DataType, Expr, Field,
    IntoLazy, LazyFrame, LiteralValue, Operator, PlSmallStr, PolarsError, PolarsResult, ScanArgsAnonymous,
    Schema, SchemaRef, Series, TimeUnit,
};
use polars::sql::{SQLContext, sql_expr};
use rayon::prelude::*;
use webmill::capture::names::near_to;
use webmill::jobs::catalogue::{TableFiles, aliases};
use webmill::table::{ArrayReader, Bounds, FileFacts, GroupFacts, write_arrays};

use super::functions::{self, Functions};
use super::rewrite::{self, Names};
use super::statement::Statement;

/// The rows that answer a statement.
///
/// # Errors
/// A statement that has no plan, names that no table or column has, files that cannot be read.
pub fn answer(tables: &[TableFiles], statement: &Statement) -> Result<DataFrame> {
    // Polars panics on some plans.
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let answer =
        catch_unwind(AssertUnwindSafe(|| Catalogue::open(tables)?.told_or_answered(statement.text())));
    std::panic::set_hook(loud);
    answer.unwrap_or_else(|_| {
        bail!("polars has no plan for this query; it may have one for another form of it")
    })
}

/// The tables that a query may name.
struct Catalogue<'a> {
    tables: &'a [TableFiles],
    frames: Vec<LazyFrame>,
    /// Plans of queries within the query, by number.
    aside: RefCell<Vec<LazyFrame>>,
    /// Columns with times.
    times: BTreeSet<String>,
}

/// The name of a plan of a query within the query.
fn aside(number: usize) -> String {
    format!("_query{number}")
}

impl<'a> Catalogue<'a> {
    fn open(tables: &'a [TableFiles]) -> Result<Self> {
        let mut times = BTreeSet::new();
        let mut frames = Vec::new();
        for table in tables {
            let (frame, schema) = scan(&table.files)?;
            let of_times = schema.iter().filter(|(_, kind)| matches!(kind, DataType::Datetime(..)));
            times.extend(of_times.map(|(name, _)| name.to_string()));
            let names: Vec<&str> = schema.iter_names().map(|name| name.as_str()).collect();
            let guessed = aliases(&names).map(|(alias, expression)| {
                times.extend((alias == "date").then(|| alias.to_owned()));
                Ok(sql_expr(expression)?.alias(alias))
            });
            frames.push(frame.with_columns(guessed.collect::<PolarsResult<Vec<_>>>()?));
        }
        Ok(Catalogue { tables, frames, aside: RefCell::default(), times })
    }

    /// What SHOW TABLES and DESCRIBE tell, or the rows of a query.
    fn told_or_answered(&self, text: &str) -> Result<DataFrame> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is = |at: usize, word: &str| words.get(at).is_some_and(|there| there.eq_ignore_ascii_case(word));
        match words.len() {
            2 if is(0, "SHOW") && is(1, "TABLES") => self.names(),
            _ if is(0, "SHOW") && is(1, "COLUMNS") && is(2, "FROM") => self.columns(&words[3..]),
            _ if is(0, "DESCRIBE") || is(0, "DESC") => self.columns(&words[1..]),
            _ if is(0, "SHOW") => bail!("SHOW TABLES lists the tables, DESCRIBE TABLE the columns of one"),
            _ => self.answer(text, &Names::new()),
        }
    }

    fn names(&self) -> Result<DataFrame> {
        let names = self.tables.iter().map(|table| table.name.as_str());
        let rows = self.tables.iter().map(|table| i64::try_from(table.rows).unwrap_or(i64::MAX));
        let about = self.tables.iter().map(|table| table.about.as_str());
        frame_of([("name", names.collect())], [("rows", rows.collect())], [("about", about.collect())])
    }

    /// The columns of a table, or of the answer to a query.
    fn columns(&self, words: &[&str]) -> Result<DataFrame> {
        let mut descriptions: BTreeMap<&str, &str> = BTreeMap::new();
        let mut plan = match words {
            [table] => self.plan(&format!("SELECT * FROM {table}"), &Names::new())?,
            query => self.plan(&query.join(" "), &Names::new())?,
        };
        if let [name] = words
            && let Some(table) = self.tables.iter().find(|table| table.name == name.trim_matches('"'))
        {
            let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
            for (alias, expression) in aliases(&names) {
                descriptions.insert(alias, expression);
            }
            descriptions.extend(
                table.columns.iter().map(|column| (column.name.as_str(), column.description.as_str())),
            );
        }
        let schema = plan.collect_schema().map_err(|error| anyhow!("{error}"))?;
        let names: Vec<&str> = schema.iter_names().map(|name| name.as_str()).collect();
        let kinds: Vec<String> = schema.iter_values().map(kind_in_words).collect();
        let said = names.iter().map(|name| descriptions.get(name).copied().unwrap_or_default());
        let kinds = kinds.iter().map(String::as_str).collect();
        frame_of(
            [("column_name", names.clone()), ("column_type", kinds)],
            [],
            [("description", said.collect())],
        )
    }

    fn answer(&self, query: &str, names: &Names) -> Result<DataFrame> {
        self.plan(query, names)?
            .collect()
            .map_err(|error| anyhow!("{}", in_words(&error, query, self.tables)))
    }

    fn plan(&self, query: &str, names: &Names) -> Result<LazyFrame> {
        let rewritten = rewrite::rewritten(query, self, names)?;
        let mut context = SQLContext::new().with_function_registry(Arc::new(Functions::new()));
        for (table, frame) in self.tables.iter().zip(&self.frames) {
            context.register(&table.name, frame.clone());
        }
        for (number, frame) in self.aside.borrow().iter().enumerate() {
            context.register(&aside(number), frame.clone());
        }
        context.execute(&rewritten).map_err(|error| anyhow!("{}", in_words(&error, query, self.tables)))
    }
}

impl rewrite::Tables for Catalogue<'_> {
    fn has_times(&self, column: &str) -> bool {
        self.times.contains(column)
    }

    fn put_aside(&self, query: &str, names: &Names, columns: &[String]) -> Result<String> {
        let mut frame = self.plan(query, names)?;
        if !columns.is_empty() {
            let there: Vec<PlSmallStr> = frame.collect_schema()?.iter_names_cloned().collect();
            if there.len() < columns.len() {
                bail!("{} names for {} columns: ({query})", columns.len(), there.len());
            }
            frame = frame.rename(&there[..columns.len()], columns, true);
        }
        let mut aside_so_far = self.aside.borrow_mut();
        aside_so_far.push(frame);
        Ok(aside(aside_so_far.len() - 1))
    }

    fn value(&self, query: &str, names: &Names) -> Result<String> {
        let answer = self
            .answer(query, names)
            .with_context(|| format!("a subquery stands for one value: ({query})"))?;
        if answer.width() != 1 || answer.height() > 1 {
            let (rows, columns) = (answer.height(), answer.width());
            bail!("a subquery that stands for one value has {rows} rows and {columns} columns: ({query})");
        }
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let Some(value) = answer.columns().first().and_then(|column| column.get(0).ok()) else {
            return Ok("NULL".to_owned());
        };
        Ok(match value {
            AnyValue::Null => "NULL".to_owned(),
            AnyValue::Boolean(yes) => yes.to_string(),
            AnyValue::String(text) => quoted(text),
            AnyValue::StringOwned(text) => quoted(&text),
            AnyValue::Float64(number) if number.is_finite() => format!("CAST({number:?} AS DOUBLE)"),
            AnyValue::Datetime(..) | AnyValue::DatetimeOwned(..) => {
                format!("{}({})", functions::TIME, quoted(&super::cells::text_of(&value)))
            }
            AnyValue::Date(_) => format!("CAST({} AS DATE)", quoted(&super::cells::text_of(&value))),
            number if number.is_integer() => super::cells::text_of(&number),
            other => {
                bail!("a subquery that stands for one value has one of type {}: ({query})", other.dtype())
            }
        })
    }
}

/// The type that queries see: whole numbers of 64 bits, times without a zone (all are UTC).
fn seen_as(kind: &DataType) -> DataType {
    match kind {
        kind if kind.is_integer() => DataType::Int64,
        DataType::Datetime(..) => DataType::Datetime(TimeUnit::Milliseconds, None),
        DataType::List(inner) => DataType::List(Box::new(seen_as(inner))),
        other => other.clone(),
    }
}

fn seen(column: Series) -> PolarsResult<Column> {
    let kind = seen_as(column.dtype());
    Ok(if *column.dtype() == kind { column } else { column.strict_cast(&kind)? }.into())
}

/// Writes an answer as a Parquet file.
///
/// # Errors
/// A file that cannot be written.
pub fn write_parquet(answer: &DataFrame, out: &Path) -> Result<()> {
    let columns = answer.columns().iter().map(|column| {
        let series = column.as_materialized_series().rechunk();
        let field = series.field().to_arrow(CompatLevel::newest());
        (field, series.to_arrow(0, CompatLevel::newest()))
    });
    write_arrays(out, &columns.collect::<Vec<_>>()).with_context(|| format!("{}", out.display()))
}

/// Files of one table.
struct TableScan {
    files: Vec<PathBuf>,
    schema: SchemaRef,
}

/// A table of exactly these files, whatever their names are.
fn scan(files: &[PathBuf]) -> PolarsResult<(LazyFrame, SchemaRef)> {
    let field = |field| {
        let field = Field::from(field);
        Field::new(field.name().clone(), seen_as(field.dtype()))
    };
    let schema = match files.first() {
        Some(first) => ArrayReader::open(first).map_err(unread)?.fields().iter().map(field).collect(),
        None => Schema::default(),
    };
    let source = TableScan { files: files.to_vec(), schema: Arc::new(schema) };
    let args = ScanArgsAnonymous { schema: Some(Arc::clone(&source.schema)), ..Default::default() };
    let schema = Arc::clone(&source.schema);
    Ok((LazyFrame::anonymous_scan(Arc::new(source), args)?, schema))
}

impl AnonymousScan for TableScan {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn allows_predicate_pushdown(&self) -> bool {
        true
    }

    fn allows_projection_pushdown(&self) -> bool {
        true
    }

    fn scan(&self, asked: AnonymousScanArgs) -> PolarsResult<DataFrame> {
        let names: Vec<&str> = match &asked.with_columns {
            Some(names) => names.iter().map(|name| name.as_str()).collect(),
            None => self.schema.iter_names().map(|name| name.as_str()).collect(),
        };
        let read = Read { names, predicate: asked.predicate.and_then(static_conditions) };
        let frames = match asked.n_rows {
            Some(rows) => read.first(&self.files, rows)?,
            None => {
                let pieces = pieces(&self.files, rayon::current_num_threads())?;
                pieces.par_iter().map(|piece| read.piece(piece)).collect::<PolarsResult<Vec<_>>>()?.concat()
            }
        };
        let empty = read.names.iter().map(|name| {
            let kind = self.schema.try_get(name)?;
            Ok(Column::new_empty((*name).into(), kind))
        });
        let mut whole = DataFrame::new(0, empty.collect::<PolarsResult<_>>()?)?;
        for frame in &frames {
            whole.vstack_mut(frame)?;
        }
        whole.rechunk_mut_par();
        Ok(whole)
    }
}

/// The data read from a table.
struct Read<'a> {
    names: Vec<&'a str>,
    predicate: Option<Expr>,
}

impl Read<'_> {
    /// The wanted rows of row groups of one file.
    fn piece(&self, piece: &Piece<'_>) -> PolarsResult<Vec<DataFrame>> {
        let wanted = |group: &GroupFacts<'_>| {
            let (from, to) = piece.groups;
            (from..to).contains(&group.number())
                && self.predicate.as_ref().is_none_or(|condition| may_hold(condition, group))
        };
        let mut reader = self.open(piece.file)?;
        let mut frames = Vec::new();
        while let Some((rows, columns)) = reader.next(&wanted).map_err(unread)? {
            let columns = columns
                .into_iter()
                .map(|(field, array)| seen(Series::from_arrow(field.name.clone(), array)?));
            let mut frame = DataFrame::new(rows, columns.collect::<PolarsResult<_>>()?)?;
            if let Some(condition) = &self.predicate {
                frame = frame.lazy().filter(condition.clone()).collect()?;
            }
            frames.push(frame);
        }
        Ok(frames)
    }

    /// The first `rows` rows of these files, and of them the wanted ones.
    fn first(&self, files: &[PathBuf], rows: usize) -> PolarsResult<Vec<DataFrame>> {
        let all = Read { names: self.names.clone(), predicate: None };
        let (mut frames, mut left) = (Vec::new(), rows);
        for piece in pieces(files, usize::MAX)? {
            if left == 0 {
                break;
            }
            for frame in all.piece(&piece)? {
                let mut frame = frame.head(Some(left));
                left -= frame.height();
                if let Some(condition) = &self.predicate {
                    frame = frame.lazy().filter(condition.clone()).collect()?;
                }
                frames.push(frame);
            }
        }
        Ok(frames)
    }

    fn open(&self, file: &Path) -> PolarsResult<ArrayReader> {
        ArrayReader::open(file).and_then(|reader| reader.only(self.names.iter().copied())).map_err(unread)
    }
}

/// Consecutive row groups of a file.
struct Piece<'a> {
    file: &'a Path,
    groups: (usize, usize),
}

/// The row groups of files in their order: each file in `parts` pieces, or as many as it has row groups.
fn pieces(files: &[PathBuf], parts: usize) -> PolarsResult<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    for file in files {
        let groups = FileFacts::read(file).map_err(unread)?.row_groups;
        let length = groups.div_ceil(parts.max(1)).max(1);
        let starts = (0..groups).step_by(length);
        pieces.extend(starts.map(|from| Piece { file, groups: (from, groups.min(from + length)) }));
    }
    Ok(pieces)
}

/// The conditions of a plan without those that it only finds out while it runs ("below the tenth so far", of ORDER BY with LIMIT):
/// they rule out no row that is in the answer, and come as something to look at alone.
fn static_conditions(condition: Expr) -> Option<Expr> {
    match condition {
        Expr::Display { .. } => None,
        Expr::BinaryExpr { left, op: op @ (Operator::And | Operator::LogicalAnd), right } => {
            match (static_conditions((*left).clone()), static_conditions((*right).clone())) {
                (Some(left), Some(right)) => {
                    Some(Expr::BinaryExpr { left: Arc::new(left), op, right: Arc::new(right) })
                }
                (one, other) => one.or(other),
            }
        }
        other => Some(other),
    }
}

/// Whether a row of a row group may fulfil a condition: no only where statistics of its columns rule it out.
fn may_hold(condition: &Expr, group: &GroupFacts<'_>) -> bool {
    let Expr::BinaryExpr { left, op, right } = condition else { return true };
    match (op, &**left, &**right) {
        (Operator::And | Operator::LogicalAnd, _, _) => may_hold(left, group) && may_hold(right, group),
        (Operator::Or | Operator::LogicalOr, _, _) => may_hold(left, group) || may_hold(right, group),
        (op, Expr::Column(name), Expr::Literal(value)) => in_bounds(*op, group.bounds(name), value),
        _ => true,
    }
}

fn in_bounds(op: Operator, bounds: Option<Bounds>, value: &LiteralValue) -> bool {
    fn compared<T: Ord + ?Sized>(op: Operator, least: &T, most: &T, value: &T) -> bool {
        match op {
            Operator::Eq => least <= value && value <= most,
            Operator::Lt => least < value,
            Operator::LtEq => least <= value,
            Operator::Gt => most > value,
            Operator::GtEq => most >= value,
            _ => true,
        }
    }
    match (bounds, value.to_any_value()) {
        (Some(Bounds::Texts(texts)), Some(AnyValue::String(text))) => {
            compared(op, texts.start().as_slice(), texts.end().as_slice(), text.as_bytes())
        }
        (Some(Bounds::Texts(texts)), Some(AnyValue::StringOwned(text))) => {
            compared(op, texts.start().as_slice(), texts.end().as_slice(), text.as_bytes())
        }
        (Some(Bounds::Numbers(numbers)), Some(value)) if value.is_integer() => {
            value.extract::<i64>().is_none_or(|value| compared(op, numbers.start(), numbers.end(), &value))
        }
        _ => true,
    }
}

/// A table that cannot be read, as polars passes it on.
fn unread(error: webmill::Error) -> PolarsError {
    PolarsError::ComputeError(error.to_string().into())
}

/// What polars says in our words, with the table and the names that are near to one that it lacks.
fn in_words(error: &PolarsError, query: &str, tables: &[TableFiles]) -> String {
    let said = error.to_string();
    // Behind these words it tells of plans, and lists all columns there are.
    let ends = ["\n\nResolved plan until failure", "; valid columns: ["];
    let end = ends.iter().filter_map(|words| said.find(words)).min().unwrap_or(said.len());
    let said = said.get(..end).unwrap_or_default().trim();
    let word = said.split(['\'', '"', '`']).nth(1).unwrap_or_default();
    if said.contains("relation '") {
        let near = near_to(word, tables.iter().map(|table| table.name.as_str()));
        return format!("no table {word}{near}");
    }
    if said.contains("unable to find column") {
        let named: Vec<&TableFiles> = {
            let words: Vec<&str> = query.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            tables.iter().filter(|table| words.contains(&table.name.as_str())).collect()
        };
        let columns = |table: &TableFiles| table.columns.iter().any(|column| column.name == word);
        let of: Vec<&str> = named.iter().map(|table| table.name.as_str()).collect();
        if named.iter().any(|table| columns(table)) {
            return format!("no column {word} at its place in this query{}", listed(" of ", &of));
        }
        let names = named.iter().flat_map(|table| table.columns.iter().map(|column| column.name.as_str()));
        let near = near_to(word, names);
        let others = tables.iter().filter(|table| columns(table)).map(|table| table.name.as_str());
        let others = listed("; tables with one: ", &others.collect::<Vec<_>>());
        return format!("no column {word}{}{near}{others}", listed(" in ", &of));
    }
    if said.contains("webmill_") {
        return "polars' SQL computes nothing at this place of the query: a subquery in FROM does it first"
            .to_owned();
    }
    if let Some((before, _)) = said.split_once("Ident {").or_else(|| said.split_once("ValueWithSpan")) {
        let kind = before.split(['(', '[', '{']).next().unwrap_or_default().trim();
        return format!("polars' SQL does not answer this: {kind}");
    }
    said.to_owned()
}

fn listed(words: &str, names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!("{words}{}", names.join(", ")) }
}

fn frame_of<const T: usize, const N: usize, const U: usize>(
    texts: [(&str, Vec<&str>); T],
    numbers: [(&str, Vec<i64>); N],
    more: [(&str, Vec<&str>); U],
) -> Result<DataFrame> {
    let texts = texts.into_iter().map(|(name, values)| Column::new(name.into(), values));
    let numbers = numbers.into_iter().map(|(name, values)| Column::new(name.into(), values));
    let more = more.into_iter().map(|(name, values)| Column::new(name.into(), values));
    DataFrame::new_infer_height(texts.chain(numbers).chain(more).collect())
        .map_err(|error| anyhow!("{error}"))
}

/// A type as SQL names it.
fn kind_in_words(kind: &DataType) -> String {
    match kind {
        DataType::Int64 => "BIGINT".to_owned(),
        DataType::Float32 => "FLOAT".to_owned(),
        DataType::Float64 => "DOUBLE".to_owned(),
        DataType::String => "VARCHAR".to_owned(),
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Binary => "BLOB".to_owned(),
        DataType::Date => "DATE".to_owned(),
        DataType::Datetime(..) => "TIMESTAMP".to_owned(),
        DataType::List(inner) => format!("{}[]", kind_in_words(inner)),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::NamedFrom;

    use super::*;

    /// Rows of three row groups and a piece of a fourth.
    const ROWS: i64 = 100_000;

    /// A table whose texts and numbers are in order, so that statistics rule row groups out, with a null in a hundred.
    fn table(folder: &Path) -> TableFiles {
        let numbers: Vec<Option<i64>> = (0..ROWS).map(|n| (n % 100 != 99).then_some(n - 500)).collect();
        let texts: Vec<String> = (0..ROWS).map(|n| format!("k{:06}", n / 3)).collect();
        let columns =
            vec![Series::new("number".into(), numbers).into(), Series::new("text".into(), texts).into()];
        let file = folder.join("part-0.parquet");
        write_parquet(&DataFrame::new(ROWS as usize, columns).unwrap(), &file).unwrap();
        TableFiles {
            name: "rows".into(),
            job: String::new(),
            key: String::new(),
            about: String::new(),
            rows: ROWS as u64,
            bytes: 0,
            sorted_by: Vec::new(),
            files: vec![file],
            columns: Vec::new(),
        }
    }

    #[test]
    fn row_groups_that_are_left_out_hold_no_row_of_the_answer() {
        let folder = tempfile::tempdir().unwrap();
        let tables = [table(folder.path())];
        assert!(FileFacts::read(&tables[0].files[0]).unwrap().row_groups > 3);
        let count = |condition: &str| {
            let statement = Statement::new(&format!("SELECT number FROM rows WHERE {condition}")).unwrap();
            answer(&tables, &statement).unwrap().height()
        };
        for value in [-501, -500, 0, 32_267, 32_268, 32_269, 65_035, 65_036, 99_498, 99_499, 99_500] {
            for op in ["=", "<", "<=", ">", ">=", "<>"] {
                // An expression has no statistics: every row group is read.
                let (pruned, whole) = (format!("number {op} {value}"), format!("number + 0 {op} {value}"));
                assert_eq!(count(&pruned), count(&whole), "{pruned}");
                let key = (value + 500) / 3;
                let (pruned, whole) =
                    (format!("text {op} 'k{key:06}'"), format!("CONCAT(text, '') {op} 'k{key:06}'"));
                assert_eq!(count(&pruned), count(&whole), "{pruned}");
                let both = format!("(number {op} {value} OR text = 'k000001') AND number > 40000");
                let whole = format!("(number + 0 {op} {value} OR text = 'k000001') AND number + 0 > 40000");
                assert_eq!(count(&both), count(&whole), "{both}");
            }
        }
        assert_eq!(count("number >= 0 AND number < 100"), 99);
    }
}
