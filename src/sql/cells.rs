//! The rows of an answer as text.

use std::fmt::Write as _;

use anyhow::Result;
use comfy_table::{ContentArrangement, Table, presets};
use polars::prelude::{AnyValue, DataFrame, Series, TimeUnit};
use serde_json::{Number, Value};

/// Characters of a value that the format `table` shows.
const SHOWN: usize = 80;

/// What the format `table` shows of null.
const NULL: &str = "·";

/// Columns side by side, `rows` at most.
pub fn table(answer: &DataFrame, rows: usize) -> Result<String> {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(answer.get_column_names());
    let mut cut = 0usize;
    for row in 0..answer.height().min(rows) {
        let values = values(answer, row)?;
        table.add_row(values.iter().map(|value| {
            let text = text(value).unwrap_or_else(|| NULL.to_owned());
            let mut shown: String =
                text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
            if text.chars().nth(SHOWN).is_some() {
                cut += 1;
                shown.push('…');
            }
            shown
        }));
    }
    let mut words = format!("{table}\n{}", rows_in_words(answer.height(), rows));
    if cut > 0 {
        words += &format!("; {cut} values were cut at {SHOWN} characters (whole with --format csv or json)");
    }
    Ok(words + "\n")
}

fn rows_in_words(all: usize, shown: usize) -> String {
    let rows = if all == 1 { "row" } else { "rows" };
    if all > shown {
        format!("{all} {rows}, {shown} of them shown (--rows)")
    } else {
        format!("{all} {rows}")
    }
}

/// A header and a line a row.
pub fn csv(answer: &DataFrame) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(answer.get_column_names())?;
    for row in 0..answer.height() {
        writer.write_record(values(answer, row)?.iter().map(|value| text(value).unwrap_or_default()))?;
    }
    Ok(String::from_utf8_lossy(&writer.into_inner()?).into_owned())
}

/// An object a line, its keys in the order of the columns.
pub fn json_lines(answer: &DataFrame) -> Result<String> {
    let names = answer.get_column_names().into_iter().map(|name| serde_json::to_string(name.as_str()));
    let names = names.collect::<Result<Vec<_>, _>>()?;
    let mut lines = String::new();
    for row in 0..answer.height() {
        for (number, (name, value)) in names.iter().zip(values(answer, row)?).enumerate() {
            let before = if number == 0 { '{' } else { ',' };
            write!(lines, "{before}{name}:{value}")?;
        }
        lines.push_str("}\n");
    }
    Ok(lines)
}

fn values(answer: &DataFrame, row: usize) -> Result<Vec<Value>> {
    answer.columns().iter().map(|column| Ok(json(&column.get(row)?))).collect()
}

/// A value as text.
pub fn text_of(value: &AnyValue<'_>) -> String {
    text(&json(value)).unwrap_or_default()
}

/// A value as text: strings as they are, null as none, lists and structures as JSON.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
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
