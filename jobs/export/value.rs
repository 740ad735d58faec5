//! A value of a table as text.

use std::borrow::Cow;

use data_encoding::HEXLOWER;
use serde_json::{Number, Value as Json};
use webmill_capture::date::format_rfc3339;
use webmill_table::{ColumnType, Value};

/// A value of a column of type `kind` as JSON: times by ISO 8601 in UTC, bytes in hexadecimal digits, floats that are no numbers
/// as null.
pub fn json(value: &Value, kind: ColumnType) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(yes) => Json::Bool(*yes),
        Value::Int(number) => Json::from(*number),
        Value::Float(number) if kind == ColumnType::Float32 => single(*number as f32),
        Value::Float(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::Text(text) => Json::String(text.clone()),
        Value::Bytes(bytes) => Json::String(HEXLOWER.encode(bytes)),
        Value::Millis(ms) => Json::String(format_rfc3339(*ms)),
        Value::Texts(list) => Json::from(list.clone()),
        Value::Floats(list) => list.iter().map(|number| single(*number)).collect(),
        Value::Ints(list) => Json::from(list.clone()),
    }
}

/// By its shortest digits, not by those of the nearest `f64`.
fn single(number: f32) -> Json {
    number.to_string().parse().ok().and_then(Number::from_f64).map_or(Json::Null, Json::Number)
}

/// The same as text: texts as they are, null as none, lists as JSON.
pub fn text(value: &Value, kind: ColumnType) -> Option<Cow<'_, str>> {
    match value {
        Value::Text(text) => Some(text.into()),
        other => match json(other, kind) {
            Json::Null => None,
            Json::String(text) => Some(text.into()),
            other => Some(other.to_string().into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_their_columns_say() {
        for (value, kind, expected) in [
            (Value::Null, ColumnType::String, "null"),
            (Value::Float(1000.5), ColumnType::Float64, "1000.5"),
            (Value::Float(48.0), ColumnType::Float64, "48.0"),
            (Value::Float(0.1 + 0.2), ColumnType::Float64, "0.30000000000000004"),
            (Value::Float(f64::NAN), ColumnType::Float64, "null"),
            (Value::Float(f64::from(0.1f32)), ColumnType::Float32, "0.1"),
            (Value::Floats(vec![0.1, 2.0]), ColumnType::Float32List, "[0.1,2.0]"),
            (Value::Int(i64::MIN), ColumnType::Int64, "-9223372036854775808"),
            (Value::Bytes(vec![0x9f, 1]), ColumnType::Binary, "\"9f01\""),
            (Value::Millis(1_050_394_386_000), ColumnType::Timestamp, "\"2003-04-15T08:13:06Z\""),
            (Value::Text("a\"\n价".into()), ColumnType::String, "\"a\\\"\\n价\""),
        ] {
            assert_eq!(json(&value, kind).to_string(), expected, "{value:?}");
        }
        assert_eq!(text(&Value::Text("a\"".into()), ColumnType::String).unwrap(), "a\"");
        assert_eq!(text(&Value::Null, ColumnType::String), None);
        assert_eq!(text(&Value::Texts(vec!["a".into()]), ColumnType::StringList).unwrap(), "[\"a\"]");
    }
}
