//! The rows of an answer as text.

use anyhow::Result;
use polars::prelude::{AnyValue, DataFrame, Series, TimeUnit};
use serde_json::{Number, Value};
use webmill::cli::print::{RowForm, Rows, SHOWN};

/// The rows of an answer; a table has `rows` at most, and says how many there are.
pub fn written(answer: &DataFrame, form: RowForm, rows: usize) -> Result<String> {
    let columns = answer.get_column_names().into_iter().map(ToString::to_string).collect();
    let mut lines = Rows::to(Vec::new(), form, columns);
    let most = if form == RowForm::Table { rows } else { usize::MAX };
    for row in 0..answer.height().min(most) {
        lines.put_cells(values(answer, row)?)?;
    }
    lines.flush()?;
    let cut = lines.cut();
    let mut words = String::from_utf8_lossy(&lines.into_inner()).into_owned();
    if form == RowForm::Table {
        words += &rows_in_words(answer.height(), rows);
        if cut > 0 {
            words +=
                &format!("; {cut} values were cut at {SHOWN} characters (whole with --format csv or json)");
        }
        words.push('\n');
    }
    Ok(words)
}

fn rows_in_words(all: usize, shown: usize) -> String {
    let rows = if all == 1 { "row" } else { "rows" };
    if all > shown { format!("{all} {rows}, {shown} of them shown (--top)") } else { format!("{all} {rows}") }
}

fn values(answer: &DataFrame, row: usize) -> Result<Vec<Value>> {
    answer.columns().iter().map(|column| Ok(json(&column.get(row)?))).collect()
}

/// A value as text: strings as they are, lists and structures as JSON, null as nothing.
pub fn text_of(value: &AnyValue<'_>) -> String {
    match json(value) {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A value of polars as JSON: times by ISO 8601 in UTC, bytes in hexadecimal digits, floats that are no numbers as null.
fn json(value: &AnyValue<'_>) -> Value {
    match value {
        AnyValue::Null => Value::Null,
        AnyValue::Boolean(yes) => Value::Bool(*yes),
        AnyValue::String(text) => Value::String((*text).to_owned()),
        AnyValue::StringOwned(text) => Value::String(text.to_string()),
        AnyValue::Float32(number) => {
            // By its shortest digits, not by those of the nearest f64.
            number.to_string().parse().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
        }
        AnyValue::Float64(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
        AnyValue::Datetime(time, unit, _) => Value::String(time_text(*time, *unit)),
        AnyValue::DatetimeOwned(time, unit, _) => Value::String(time_text(*time, *unit)),
        AnyValue::Binary(bytes) => Value::String(data_encoding::HEXLOWER.encode(bytes)),
        AnyValue::BinaryOwned(bytes) => Value::String(data_encoding::HEXLOWER.encode(bytes)),
        AnyValue::List(list) => list_json(list),
        AnyValue::UInt64(number) => Value::from(*number),
        other => match other.extract::<i64>() {
            Some(number) if other.is_integer() => Value::from(number),
            _ => Value::String(other.to_string()),
        },
    }
}

fn list_json(list: &Series) -> Value {
    Value::Array(list.iter().map(|value| json(&value)).collect())
}

/// A time as ISO 8601 with as many digits of the second as there are.
fn time_text(time: i64, unit: TimeUnit) -> String {
    let (a_second, digits) = match unit {
        TimeUnit::Milliseconds => (1_000, 3),
        TimeUnit::Microseconds => (1_000_000, 6),
        TimeUnit::Nanoseconds => (1_000_000_000, 9),
    };
    let (seconds, part) = (time.div_euclid(a_second), time.rem_euclid(a_second));
    let whole = webmill::capture::date::format_rfc3339(seconds * 1000);
    let whole = whole.trim_end_matches('Z').split('.').next().unwrap_or_default().to_owned();
    if part == 0 { format!("{whole}Z") } else { format!("{whole}.{part:0digits$}Z") }
}
