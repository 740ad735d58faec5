//! A table as a source of polars.
//!
//! **Algorithm.** The plan says which columns it needs and which rows it wants; the source reads these columns, row group by row
//! group on all threads, and keeps these rows. Row groups whose statistics rule the wanted rows out are not read.
//!
//! **Memory.** The columns that the query names, of the rows that pass its conditions on one table.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars::prelude::{
    AnonymousScan, AnonymousScanArgs, AnyValue, Column, DataFrame, DataType, Expr, Field, IntoLazy,
    LazyFrame, LiteralValue, Operator, PolarsError, PolarsResult, ScanArgsAnonymous, Schema, SchemaRef,
    Series, TimeUnit,
};
use rayon::prelude::*;
use webmill::table::{ArrayReader, Bounds, FileFacts, GroupFacts};

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

/// Files of one table.
struct TableScan {
    files: Vec<PathBuf>,
    schema: SchemaRef,
}

/// A table of exactly these files, whatever their names are.
pub(super) fn scan(files: &[PathBuf]) -> PolarsResult<(LazyFrame, SchemaRef)> {
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
