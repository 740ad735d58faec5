//! Numbers as sheets and charts show them.

use crate::builder::one_line;

/// A number as a cell of no format shows it: at most 15 digits, no zeros at the end.
pub(crate) fn general(number: f64) -> String {
    if !number.is_finite() {
        return String::new();
    }
    if number == number.trunc() && number.abs() < 1e15 {
        return format!("{}", number as i64);
    }
    let scientific = format!("{number:.14e}");
    let rounded = scientific.parse::<f64>().unwrap_or(number);
    if (1e-5..1e15).contains(&rounded.abs()) {
        return format!("{rounded}");
    }
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}E{sign}{exponent:0>2}")
}

/// The value of a chart without the traces of its binary form; `NaN` stands for none.
pub(crate) fn shown(value: &str) -> String {
    match value.trim().parse::<f64>() {
        Ok(number) if number.is_nan() => String::new(),
        Ok(number) if value.trim().len() > 15 => general(number),
        _ => one_line(value),
    }
}
