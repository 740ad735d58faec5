//! Functions that polars' SQL lacks, or answers otherwise than databases do: whole numbers that overflow are an error, `%` and `//`
//! go toward zero, ROUND goes away from it at halves, CAST to a whole number takes the nearest one, times are read as ISO 8601
//! writes them. [`super::rewrite`] puts them where a query has the usual ones.

use std::collections::BTreeMap;
use webmill_capture::cut::Cut;

use polars::prelude::{
    BaseColumnUdf, ChunkedArray, Column, DataType, Expr, Field, Int64Type, IntoColumn, IntoSeries, NamedFrom,
    PolarsError, PolarsResult, Schema, Series, TimeUnit, UserDefinedFunction, lit,
};
use polars::sql::FunctionRegistry;
use webmill::capture::calendar::{civil_of_days, days_of_civil};
use webmill::capture::date;

use super::windows;

pub const PLUS: &str = "webmill_plus";
pub const MINUS: &str = "webmill_minus";
pub const TIMES: &str = "webmill_times";
pub const REMAINDER: &str = "webmill_remainder";
pub const QUOTIENT: &str = "webmill_quotient";
pub const SUM: &str = "webmill_sum";
pub const INTEGER: &str = "webmill_integer";
pub const ROUND: &str = "webmill_round";
pub const TIME: &str = "webmill_time";
pub const POSITION: &str = "webmill_position";
pub const PART: &str = "webmill_part";
pub const TRUNCATED_TIME: &str = "webmill_truncated_time";

/// The type of times.
const TIMES_OF_DAY: DataType = DataType::Datetime(TimeUnit::Milliseconds, None);

/// What a function computes of columns of one length.
type Compute = fn(&[Series]) -> PolarsResult<Series>;

/// The type of what it computes.
type Kind = fn(&[DataType]) -> PolarsResult<DataType>;

const FUNCTIONS: [(&str, Compute, Kind); 16] = [
    (PLUS, |of| arithmetic(of, "+", i64::checked_add, |a, b| a + b), |of| kind(of, |a, b| a + b)),
    (MINUS, |of| arithmetic(of, "-", i64::checked_sub, |a, b| a - b), |of| kind(of, |a, b| a - b)),
    (TIMES, |of| arithmetic(of, "*", i64::checked_mul, |a, b| a * b), |of| kind(of, |a, b| a * b)),
    (REMAINDER, remainder, |of| Ok(if whole(of) { DataType::Int64 } else { DataType::Float64 })),
    (QUOTIENT, quotient, |_| Ok(DataType::Int64)),
    (SUM, checked_sum, |of| Ok(of[0].clone())),
    (INTEGER, integer, |_| Ok(DataType::Int64)),
    (ROUND, round, |of| Ok(if of[0].is_integer() { DataType::Int64 } else { DataType::Float64 })),
    (TIME, time, |_| Ok(TIMES_OF_DAY)),
    (TRUNCATED_TIME, truncated_time, |_| Ok(TIMES_OF_DAY)),
    (POSITION, position, |_| Ok(DataType::Int64)),
    (PART, part, |_| Ok(DataType::String)),
    (windows::COUNT, windows::compute, |_| Ok(DataType::Int64)),
    (windows::SHARE, windows::compute, |_| Ok(DataType::Float64)),
    (windows::SUM, windows::compute, windows::kind),
    (windows::CHOICE, windows::compute, |of| Ok(of[1].clone())),
];

/// The functions, as polars asks for them.
pub struct Functions(BTreeMap<&'static str, UserDefinedFunction>);

impl Functions {
    pub fn new() -> Self {
        Functions(FUNCTIONS.map(|(name, compute, kind)| (name, function(name, compute, kind))).into())
    }
}

impl FunctionRegistry for Functions {
    fn register(&mut self, name: &str, _: UserDefinedFunction) -> PolarsResult<()> {
        Err(wrong(format!("{name} cannot be added")))
    }

    fn get_udf(&self, name: &str) -> PolarsResult<Option<UserDefinedFunction>> {
        Ok(self.0.get(name).cloned())
    }

    fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

fn function(name: &'static str, compute: Compute, kind: Kind) -> UserDefinedFunction {
    let work = move |columns: &mut [Column]| -> PolarsResult<Column> {
        let name = columns[0].name().clone();
        let length = columns.iter().map(Column::len).find(|length| *length != 1).unwrap_or(1);
        let of: Vec<Series> = columns
            .iter()
            .map(|column| {
                let series = column.as_materialized_series();
                if series.len() == length { series.clone() } else { series.new_from_index(0, length) }
            })
            .collect();
        Ok(compute(&of)?.with_name(name).into_column())
    };
    let field = move |_: &Schema, fields: &[Field]| -> PolarsResult<Field> {
        let kinds: Vec<DataType> = fields.iter().map(|field| field.dtype().clone()).collect();
        Ok(Field::new(fields[0].name().clone(), kind(&kinds)?))
    };
    let mut function = UserDefinedFunction::new(name.into(), BaseColumnUdf::new(work, field));
    // A value for each row by this row alone: the options that polars gives to what maps a column. Windows need the whole column.
    if name.starts_with("webmill_window") {
        return function;
    }
    let mapped = lit(0).map(Ok, |_, field| Ok(field.clone()));
    if let Expr::AnonymousFunction { options, .. } = mapped {
        function.options = options;
    }
    function
}

fn wrong(reason: String) -> PolarsError {
    PolarsError::ComputeError(reason.into())
}

fn whole(of: &[DataType]) -> bool {
    of.iter().all(|kind| kind.is_integer() || kind.is_null())
}

/// Sums and the like: checked for whole numbers, as polars has them for others.
fn arithmetic(
    of: &[Series],
    sign: &str,
    checked: fn(i64, i64) -> Option<i64>,
    other: fn(&Series, &Series) -> PolarsResult<Series>,
) -> PolarsResult<Series> {
    if !whole(&[of[0].dtype().clone(), of[1].dtype().clone()]) {
        return other(&of[0], &of[1]);
    }
    pairs(of, |a, b| match checked(a, b) {
        Some(n) => Ok(Some(n)),
        None => Err(wrong(format!(
            "{a} {sign} {b} is beyond whole numbers of 64 bits; CAST to DOUBLE computes it"
        ))),
    })
}

fn kind(of: &[DataType], other: fn(&Series, &Series) -> PolarsResult<Series>) -> PolarsResult<DataType> {
    if whole(of) {
        return Ok(DataType::Int64);
    }
    let empty: Vec<Series> = of.iter().map(|kind| Series::new_empty("".into(), kind)).collect();
    Ok(other(&empty[0], &empty[1])?.dtype().clone())
}

/// A whole number of two, where both are not null.
fn pairs(of: &[Series], compute: impl Fn(i64, i64) -> PolarsResult<Option<i64>>) -> PolarsResult<Series> {
    let (left, right) = (of[0].cast(&DataType::Int64)?, of[1].cast(&DataType::Int64)?);
    let both = left.i64()?.iter().zip(right.i64()?.iter());
    let values: PolarsResult<Vec<Option<i64>>> = both
        .map(|pair| match pair {
            (Some(a), Some(b)) => compute(a, b),
            _ => Ok(None),
        })
        .collect();
    Ok(Series::new("".into(), values?))
}

/// A number of two, where both are not null.
fn floats(of: &[Series], compute: impl Fn(f64, f64) -> Option<f64>) -> PolarsResult<Series> {
    let (left, right) = (of[0].cast(&DataType::Float64)?, of[1].cast(&DataType::Float64)?);
    let both = left.f64()?.iter().zip(right.f64()?.iter());
    Ok(Series::new("".into(), both.map(|(a, b)| compute(a?, b?)).collect::<Vec<Option<f64>>>()))
}

/// The remainder of a division toward zero; null by zero.
fn remainder(of: &[Series]) -> PolarsResult<Series> {
    if whole(&[of[0].dtype().clone(), of[1].dtype().clone()]) {
        return pairs(of, |a, b| Ok(if b == 0 { None } else { Some(a.wrapping_rem(b)) }));
    }
    floats(of, |a, b| (b != 0.0).then_some(a % b))
}

/// A division toward zero; null by zero.
fn quotient(of: &[Series]) -> PolarsResult<Series> {
    if whole(&[of[0].dtype().clone(), of[1].dtype().clone()]) {
        return pairs(of, |a, b| Ok(if b == 0 { None } else { a.checked_div(b) }));
    }
    Err(wrong("// divides whole numbers: FLOOR(a / b) divides others".to_owned()))
}

/// A sum of whole numbers and the same sum of floats, which tell whether the first went round.
fn checked_sum(of: &[Series]) -> PolarsResult<Series> {
    if of[0].dtype().is_integer() {
        for (sum, about) in
            of[0].cast(&DataType::Int64)?.i64()?.iter().zip(of[1].cast(&DataType::Float64)?.f64()?.iter())
        {
            if let (Some(sum), Some(about)) = (sum, about)
                && (sum as f64 - about).abs() > 1e18
            {
                return Err(wrong(format!(
                    "a sum of some {about:e} is beyond whole numbers of 64 bits; CAST to DOUBLE adds it up"
                )));
            }
        }
    }
    Ok(of[0].clone())
}

/// The first whole number beyond 64 bits with a sign: 2^63.
const TOO_LARGE: f64 = 9_223_372_036_854_775_808.0;

/// The nearest whole number, an even one at halves; that of a text's digits, of a truth value 0 or 1.
pub(super) fn integer(of: &[Series]) -> PolarsResult<Series> {
    if !of[0].dtype().is_float() {
        return of[0].strict_cast(&DataType::Int64);
    }
    let numbers = of[0].cast(&DataType::Float64)?;
    let whole: PolarsResult<Vec<Option<i64>>> = numbers
        .f64()?
        .iter()
        .map(|number| match number.map(f64::round_ties_even) {
            Some(number) if !(-TOO_LARGE..TOO_LARGE).contains(&number) => {
                Err(wrong(format!("{number} is no whole number of 64 bits")))
            }
            number => Ok(number.map(|number| number as i64)),
        })
        .collect();
    Ok(Series::new("".into(), whole?))
}

/// Where a text begins in another, in characters from 1; 0 where it does not occur.
fn position(of: &[Series]) -> PolarsResult<Series> {
    let pairs = of[0].str()?.iter().zip(of[1].str()?.iter());
    let found = pairs.map(|(text, part)| {
        let (text, part) = (text?, part?);
        Some(text.find(part).map_or(0, |at| text.cut(..at).chars().count() as i64 + 1))
    });
    Ok(Series::new("".into(), found.collect::<Vec<Option<i64>>>()))
}

/// `SUBSTRING` as in DuckDB: the characters of a text from a position, counted from 1, or from the end if negative, up to a length.
fn part(of: &[Series]) -> PolarsResult<Series> {
    let starts = integer(&of[1..2])?;
    let lengths = match of.get(2) {
        Some(lengths) => integer(std::slice::from_ref(lengths))?,
        None => Series::new("".into(), vec![i64::MAX; of[0].len()]),
    };
    let rows = of[0].str()?.iter().zip(starts.i64()?.iter()).zip(lengths.i64()?.iter());
    let parts = rows.map(|((text, start), length)| {
        let (text, start, mut length) = (text?, start?, length?);
        let size = text.chars().count() as i64;
        let first = match start {
            1.. => start - 1,
            0 => {
                length -= i64::from(length < i64::MAX);
                0
            }
            _ => size.saturating_add(start),
        };
        let (from, to) = if length > 0 {
            (first.max(0), first.saturating_add(length).min(size))
        } else {
            (first.saturating_add(length).max(0), first.min(size))
        };
        Some(text.chars().skip(from as usize).take((to - from).max(0) as usize).collect::<String>())
    });
    Ok(Series::new("".into(), parts.collect::<Vec<Option<String>>>()))
}

/// A number rounded to a number of decimal digits, away from zero at halves.
fn round(of: &[Series]) -> PolarsResult<Series> {
    let digits = match of.get(1) {
        Some(digits) => digits.clone(),
        None => Series::new("".into(), vec![0.0; of[0].len()]),
    };
    let rounded = floats(&[of[0].clone(), digits], |number, digits| {
        let scale = 10f64.powf(digits);
        let rounded = (number * scale).round() / scale;
        Some(if rounded.is_finite() { rounded } else { number })
    })?;
    if of[0].dtype().is_integer() { integer(&[rounded]) } else { Ok(rounded) }
}

/// A time, of its text by ISO 8601 (a day alone is its first moment; without a zone in UTC), of a day, or of another time.
fn time(of: &[Series]) -> PolarsResult<Series> {
    match of[0].dtype() {
        DataType::String => {
            let parsed: PolarsResult<Vec<Option<i64>>> =
                of[0].str()?.iter().map(|text| text.map(milliseconds).transpose()).collect();
            Series::new("".into(), parsed?).cast(&TIMES_OF_DAY)
        }
        DataType::Date | DataType::Datetime(..) => of[0].cast(&TIMES_OF_DAY),
        DataType::Null => of[0].cast(&TIMES_OF_DAY),
        other => Err(wrong(format!("{other} is no time"))),
    }
}

/// Milliseconds since 1970 of a time as ISO 8601 writes it.
fn milliseconds(text: &str) -> PolarsResult<i64> {
    date::parse_w3c(text).ok_or_else(|| {
        wrong(format!("{text:?} is no time; one is written 2026-01-31 or 2026-01-31T12:00:00Z"))
    })
}

/// The first moment of the year, quarter, month, week (Monday), day, hour, minute or second of a time.
fn truncated_time(of: &[Series]) -> PolarsResult<Series> {
    let unit = of[0].str()?.first().unwrap_or_default().to_lowercase();
    let times = time(&of[1..])?.cast(&DataType::Int64)?;
    let truncated: PolarsResult<ChunkedArray<Int64Type>> = times
        .i64()?
        .iter()
        .map(|at| {
            at.map(|at| beginning(&unit, at).ok_or_else(|| wrong(format!("DATE_TRUNC has no unit {unit:?}"))))
                .transpose()
        })
        .collect();
    truncated?.into_series().cast(&TIMES_OF_DAY)
}

fn beginning(unit: &str, at: i64) -> Option<i64> {
    const DAY: i64 = 86_400_000;
    let day = at.div_euclid(DAY);
    let (year, month, _) = civil_of_days(day);
    let of_month = |month: u32| days_of_civil(year, month, 1).map(|day| day * DAY);
    Some(match unit {
        "second" => at - at.rem_euclid(1_000),
        "minute" => at - at.rem_euclid(60_000),
        "hour" => at - at.rem_euclid(3_600_000),
        "day" => day * DAY,
        // Day 0 was a Thursday.
        "week" => (day - (day + 3).rem_euclid(7)) * DAY,
        "month" => of_month(month)?,
        "quarter" => of_month((month - 1) / 3 * 3 + 1)?,
        "year" => of_month(1)?,
        _ => return None,
    })
}
