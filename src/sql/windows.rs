//! Window functions with an order, as standard SQL has them: `SUM(x) OVER (PARTITION BY p ORDER BY a DESC, b)`.
//!
//! `rewrite` calls it, because polars has other rules.
//!
//! Polars orders all columns of a window one way, leaves rows with nulls without a rank, and takes each row alone where the standard
//! takes rows of one rank together. So [`call`] writes such a window as a function of its arguments, partitions and keys, which
//! [`compute`] answers. Nulls come last unless NULLS FIRST is said.
//!
//! **Cost.** A sort; frames that begin with the partition grow by a row at a time, others are added up for each row.

use std::cmp::Ordering;

use anyhow::{Result, bail};
use polars::prelude::{
    DataType, IdxCa, IdxSize, NamedFrom, PolarsError, PolarsResult, RankMethod, RankOptions, Series,
    SeriesRank,
};
use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, OrderByExpr, WindowFrame,
    WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};

use super::functions::integer;

/// The functions by what they give: a whole number, a share, a sum or mean of the argument, a value of the argument.
pub const COUNT: &str = "webmill_window_count";
pub const SHARE: &str = "webmill_window_share";
pub const SUM: &str = "webmill_window_sum";
pub const CHOICE: &str = "webmill_window_choice";

/// Rows before or behind a row that a frame may have, where it does not begin with the partition.
const MOST_ROWS: i64 = 10_000;

/// What computes a window of a name, and how many arguments it takes.
fn function_of(name: &str) -> Option<(&'static str, std::ops::RangeInclusive<usize>)> {
    Some(match name {
        "row_number" | "rank" | "dense_rank" => (COUNT, 0..=0),
        "ntile" => (COUNT, 1..=1),
        "count" => (COUNT, 0..=1),
        "percent_rank" | "cume_dist" => (SHARE, 0..=0),
        "avg" => (SHARE, 1..=1),
        "sum" => (SUM, 1..=1),
        "min" | "max" | "first_value" | "last_value" => (CHOICE, 1..=1),
        "lag" | "lead" => (CHOICE, 1..=3),
        _ => return None,
    })
}

/// Rows from a first to a last one, counted from the row itself; none is without end.
type Frame = (Option<i64>, Option<i64>);

/// The replacement of a window with an order.
///
/// # Errors
/// A window that is not answered.
pub fn call(function: &Function) -> Result<Option<String>> {
    let spec = match &function.over {
        Some(WindowType::WindowSpec(spec)) if !spec.order_by.is_empty() => spec,
        Some(WindowType::NamedWindow(name)) => {
            bail!("window {name} is named elsewhere: write it behind OVER")
        }
        _ => return Ok(None),
    };
    let name = function.name.to_string().to_lowercase();
    let Some((computed_by, allowed)) = function_of(&name) else {
        bail!("{name} over a window with ORDER BY is not answered");
    };
    if function.null_treatment.is_some() || !function.within_group.is_empty() || spec.window_name.is_some() {
        bail!("this form of a window is not answered: {function}");
    }
    let mut arguments = arguments(function)?;
    if !allowed.contains(&arguments.len()) {
        bail!("{name} takes {} to {} arguments: {function}", allowed.start(), allowed.end());
    }
    // Offsets and numbers of parts are said with the name.
    let mut number = 1i64;
    if name == "ntile" || arguments.len() > 1 {
        let at = usize::from(name != "ntile");
        number = arguments.remove(at).parse()?;
    }
    if name == "ntile" && number < 1 {
        bail!("ntile takes a number of 1 or more: {function}");
    }
    let (frame, peers) = frame(spec)?;
    let bound = |bound: Option<i64>| bound.map_or_else(|| "-".to_owned(), |rows| rows.to_string());
    let keys: String = spec.order_by.iter().map(order).collect();
    let what = format!(
        "'{name};{};{};{};{};{};{keys};{number}'",
        arguments.len(),
        spec.partition_by.len(),
        bound(frame.0),
        bound(frame.1),
        u8::from(peers),
    );
    let partitions = spec.partition_by.iter().map(ToString::to_string);
    let keys = spec.order_by.iter().map(|key| key.expr.to_string());
    let columns: Vec<String> = std::iter::once(what).chain(arguments).chain(partitions).chain(keys).collect();
    Ok(Some(format!("{computed_by}({})", columns.join(", "))))
}

fn arguments(function: &Function) -> Result<Vec<String>> {
    let FunctionArguments::List(list) = &function.args else { return Ok(Vec::new()) };
    if list.duplicate_treatment.is_some() || !list.clauses.is_empty() {
        bail!("this form of a window is not answered: {function}");
    }
    let counted = list
        .args
        .iter()
        .filter(|argument| !matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Wildcard)));
    Ok(counted.map(ToString::to_string).collect())
}

/// A letter for a key: a and d with nulls last, A and D with nulls first.
fn order(key: &OrderByExpr) -> char {
    let letter = if key.options.asc == Some(false) { 'd' } else { 'a' };
    if key.options.nulls_first == Some(true) { letter.to_ascii_uppercase() } else { letter }
}

/// The frame, and whether it ends with all rows of the row's rank.
fn frame(spec: &WindowSpec) -> Result<(Frame, bool)> {
    let Some(frame) = &spec.window_frame else { return Ok(((None, Some(0)), true)) };
    let end = frame.end_bound.clone().unwrap_or(WindowFrameBound::CurrentRow);
    let bounds = (rows(&frame.start_bound, frame)?, rows(&end, frame)?);
    Ok(match (frame.units, bounds) {
        (WindowFrameUnits::Range, (None, Some(0))) => (bounds, true),
        (WindowFrameUnits::Rows | WindowFrameUnits::Range, (None, None)) => (bounds, false),
        (WindowFrameUnits::Rows, (None, Some(_))) => (bounds, false),
        (WindowFrameUnits::Rows, (Some(from), Some(to))) if from.abs().max(to.abs()) <= MOST_ROWS => {
            (bounds, false)
        }
        _ => bail!(
            "this frame is not answered: {spec}; one of ROWS begins with the partition or has {MOST_ROWS} rows on each side"
        ),
    })
}

fn rows(bound: &WindowFrameBound, frame: &WindowFrame) -> Result<Option<i64>> {
    let number = |rows: &Expr| rows.to_string().parse::<i64>();
    Ok(match bound {
        WindowFrameBound::CurrentRow => Some(0),
        WindowFrameBound::Preceding(Some(rows)) => Some(-number(rows)?),
        WindowFrameBound::Following(Some(rows)) => Some(number(rows)?),
        WindowFrameBound::Preceding(None) if *bound == frame.start_bound => None,
        WindowFrameBound::Following(None) if *bound != frame.start_bound => None,
        _ => bail!("a frame of a window has no rows"),
    })
}

/// A window as [`call`] wrote it.
struct Window<'a> {
    name: &'a str,
    frame: Frame,
    peers: bool,
    number: i64,
    arguments: &'a [Series],
    /// Smaller is earlier, for each row: the partitions, then the keys.
    codes: Vec<Vec<i64>>,
    partitions: usize,
}

/// The column of a window: its words first, then its arguments, partitions and keys.
///
/// # Errors
/// A type that has no order, a sum beyond whole numbers of 64 bits.
pub fn compute(of: &[Series]) -> PolarsResult<Series> {
    let malformed = || PolarsError::ComputeError("not a window".into());
    let [what, columns @ ..] = of else { return Err(malformed()) };
    let Some(what) = what.str()?.iter().next().flatten() else {
        return Ok(Series::new_empty(
            "".into(),
            &kind(&of.iter().map(|s| s.dtype().clone()).collect::<Vec<_>>())?,
        ));
    };
    let parts: Vec<&str> = what.split(';').collect();
    let [name, arguments, partitions, from, to, peers, keys, number] = parts[..] else {
        return Err(malformed());
    };
    let count = |text: &str| text.parse::<usize>().map_err(|_| malformed());
    let (arguments, partitions) = (count(arguments)?, count(partitions)?);
    let (arguments, by) = columns.split_at(arguments);
    let orders = std::iter::repeat_n('a', partitions).chain(keys.chars());
    let window = Window {
        name,
        frame: (from.parse().ok(), to.parse().ok()),
        peers: peers == "1",
        number: number.parse().map_err(|_| malformed())?,
        arguments,
        codes: by.iter().zip(orders).map(|(key, order)| codes(key, order)).collect::<PolarsResult<_>>()?,
        partitions,
    };
    window.compute(of[0].len())
}

/// The type of a window by those of its columns.
///
/// # Errors
/// None; the form is that of polars' functions.
pub fn kind(of: &[DataType]) -> PolarsResult<DataType> {
    Ok(match of.get(1) {
        Some(DataType::Float32 | DataType::Float64) => DataType::Float64,
        _ => DataType::Int64,
    })
}

/// Numbers in the order of values, nulls where they belong.
fn codes(key: &Series, order: char) -> PolarsResult<Vec<i64>> {
    let nulls = if order.is_uppercase() { i64::MIN } else { i64::MAX };
    if key.dtype().is_null() {
        return Ok(vec![nulls; key.len()]);
    }
    let key = if key.dtype().is_bool() { key.cast(&DataType::Int64)? } else { key.clone() };
    let ranks = key
        .rank(RankOptions { method: RankMethod::Dense, descending: false }, None)
        .cast(&DataType::Int64)?;
    let sign = if order.eq_ignore_ascii_case(&'d') { -1 } else { 1 };
    Ok(ranks.i64()?.iter().map(|rank| rank.map_or(nulls, |rank| sign * rank)).collect())
}

impl Window<'_> {
    fn compute(&self, length: usize) -> PolarsResult<Series> {
        let mut rows: Vec<usize> = (0..length).collect();
        rows.sort_by(|a, b| self.compared(*a, *b, 0..self.codes.len()));
        let mut answer = Answer::new(self, length)?;
        for partition in rows.chunk_by(|a, b| self.compared(*a, *b, 0..self.partitions).is_eq()) {
            self.partition(partition, &mut answer)?;
        }
        answer.column(self)
    }

    fn compared(&self, a: usize, b: usize, by: std::ops::Range<usize>) -> Ordering {
        let pairs = self.codes[by].iter().map(|codes| codes[a].cmp(&codes[b]));
        pairs.fold(Ordering::Equal, Ordering::then)
    }

    /// The answers of the rows of a partition, which come in their order.
    fn partition(&self, rows: &[usize], answer: &mut Answer) -> PolarsResult<()> {
        let (length, mut dense) = (rows.len(), 0);
        let mut grown = GrownFrame::default();
        for (peers, start) in starts(rows, |a, b| self.compared(a, b, 0..self.codes.len()).is_eq()) {
            dense += 1;
            let end = start + peers.len();
            for (at, row) in (start..end).zip(peers) {
                let whole = match self.name {
                    "row_number" => at + 1,
                    "rank" => start + 1,
                    "dense_rank" => dense,
                    "ntile" => ntile(at, length, self.number),
                    "percent_rank" => {
                        answer.shares[*row] =
                            Some(if length > 1 { start as f64 / (length - 1) as f64 } else { 0.0 });
                        continue;
                    }
                    "cume_dist" => {
                        answer.shares[*row] = Some(end as f64 / length as f64);
                        continue;
                    }
                    "lag" | "lead" => {
                        let step = if self.name == "lag" { -self.number } else { self.number };
                        answer.rows[*row] = clipped(at, step, length).map(|there| rows[there]);
                        answer.outside[*row] = answer.rows[*row].is_none();
                        continue;
                    }
                    _ => {
                        let from = self.frame.0.map_or(0, |rows| edge(at, rows, length));
                        let to = match self.frame.1 {
                            None => length,
                            Some(_) if self.peers => end,
                            Some(rows) => edge(at, rows + 1, length),
                        };
                        answer.framed(*row, self.name, &rows[from..to.max(from)], from, &mut grown)?;
                        continue;
                    }
                };
                answer.counts[*row] = Some(whole as i64);
            }
        }
        Ok(())
    }
}

/// Runs of rows of one rank and where each starts.
fn starts<'a>(
    rows: &'a [usize],
    same: impl Fn(usize, usize) -> bool + 'a,
) -> impl Iterator<Item = (&'a [usize], usize)> {
    let mut start = 0;
    rows.chunk_by(move |a, b| same(*a, *b)).map(move |run| {
        start += run.len();
        (run, start - run.len())
    })
}

/// The part of a row, of `parts` whose lengths differ by one at most, the longer ones first.
fn ntile(at: usize, length: usize, parts: i64) -> usize {
    let parts = usize::try_from(parts).unwrap_or(1).max(1);
    let (short, longer) = (length / parts, length % parts);
    let of_longer = longer * (short + 1);
    if at < of_longer { at / (short + 1) + 1 } else { longer + (at - of_longer) / short.max(1) + 1 }
}

/// The row `step` rows on, where there is one.
fn clipped(at: usize, step: i64, length: usize) -> Option<usize> {
    usize::try_from((at as i64).checked_add(step)?).ok().filter(|there| *there < length)
}

/// Where a frame that begins or ends `rows` rows on does, within the partition.
fn edge(at: usize, rows: i64, length: usize) -> usize {
    usize::try_from((at as i64 + rows).max(0)).unwrap_or(0).min(length)
}

/// A frame that is added up so far.
#[derive(Default)]
struct GrownFrame {
    from: usize,
    rows: usize,
    whole: i128,
    float: f64,
    values: i64,
    best: Option<usize>,
}

/// Answers by row.
struct Answer {
    counts: Vec<Option<i64>>,
    shares: Vec<Option<f64>>,
    rows: Vec<Option<usize>>,
    outside: Vec<bool>,
    /// The argument: as whole numbers, as floats, by order, and whether it is there.
    whole: Vec<i64>,
    floats: Vec<f64>,
    order: Vec<i64>,
    there: Option<Vec<bool>>,
}

impl Answer {
    fn new(window: &Window<'_>, length: usize) -> PolarsResult<Self> {
        let (mut whole, mut floats, mut order, mut there) = (Vec::new(), Vec::new(), Vec::new(), None);
        if let Some(argument) = window.arguments.first() {
            there = Some(argument.is_not_null().iter().map(|there| there == Some(true)).collect());
            match window.name {
                "sum" | "avg" if argument.dtype().is_float() => {
                    floats = argument
                        .cast(&DataType::Float64)?
                        .f64()?
                        .iter()
                        .map(Option::unwrap_or_default)
                        .collect();
                }
                "sum" | "avg" => {
                    whole = argument
                        .cast(&DataType::Int64)?
                        .i64()?
                        .iter()
                        .map(Option::unwrap_or_default)
                        .collect();
                }
                "min" | "max" => order = codes(argument, 'a')?,
                _ => {}
            }
        }
        Ok(Answer {
            counts: vec![None; length],
            shares: vec![None; length],
            rows: vec![None; length],
            outside: vec![false; length],
            whole,
            floats,
            order,
            there,
        })
    }

    /// An aggregate of the rows of a frame; `grown` is the frame of the row before.
    fn framed(
        &mut self,
        row: usize,
        name: &str,
        frame: &[usize],
        from: usize,
        grown: &mut GrownFrame,
    ) -> PolarsResult<()> {
        if from != grown.from || frame.len() < grown.rows {
            *grown = GrownFrame { from, ..GrownFrame::default() };
        }
        for new in &frame[grown.rows..] {
            if self.there.as_ref().is_some_and(|there| !there[*new]) {
                continue;
            }
            grown.values += 1;
            grown.whole += self.whole.get(*new).copied().map_or(0, i128::from);
            grown.float += self.floats.get(*new).copied().unwrap_or(0.0);
            let better = |best: usize| match name {
                "min" => self.order[*new] < self.order[best],
                "max" => self.order[*new] > self.order[best],
                _ => false,
            };
            if grown.best.is_none_or(better) {
                grown.best = Some(*new);
            }
        }
        grown.rows = frame.len();
        let sum = if self.floats.is_empty() { grown.whole as f64 } else { grown.float };
        match name {
            "count" => self.counts[row] = Some(grown.values),
            "first_value" => self.rows[row] = frame.first().copied(),
            "last_value" => self.rows[row] = frame.last().copied(),
            "min" | "max" => self.rows[row] = grown.best,
            _ if grown.values == 0 => {}
            "avg" => self.shares[row] = Some(sum / grown.values as f64),
            _ if !self.floats.is_empty() => self.shares[row] = Some(sum),
            _ => {
                let sum = i64::try_from(grown.whole).map_err(|_| {
                    let words = format!(
                        "a sum of {} is beyond whole numbers of 64 bits; CAST to DOUBLE adds it up",
                        grown.whole
                    );
                    PolarsError::ComputeError(words.into())
                })?;
                self.counts[row] = Some(sum);
            }
        }
        Ok(())
    }

    fn column(self, window: &Window<'_>) -> PolarsResult<Series> {
        Ok(match function_of(window.name) {
            Some((CHOICE, _)) => {
                let rows: IdxCa = self.rows.iter().map(|row| row.map(|row| row as IdxSize)).collect();
                let chosen = window.arguments[0].take(&rows)?;
                match window.arguments.get(1) {
                    Some(other) => {
                        let inside = self.outside.iter().map(|outside| Some(!outside)).collect();
                        let other = match chosen.dtype() {
                            DataType::Int64 => integer(std::slice::from_ref(other))?,
                            kind => other.cast(kind)?,
                        };
                        chosen.zip_with(&inside, &other)?
                    }
                    None => chosen,
                }
            }
            Some((SHARE, _)) => Series::new("".into(), self.shares),
            Some((SUM, _)) if window.arguments[0].dtype().is_float() => Series::new("".into(), self.shares),
            _ => Series::new("".into(), self.counts),
        })
    }
}
