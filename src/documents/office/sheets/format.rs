//! Numbers as cells show them: formats of numbers, dates, times, by crate `ssfmt`.
//!
//! **Definition.** ECMA-376-1, 18.8.30 and 18.8.31. A format of its own is shown as it is written, names of months and days in
//! English. What depends on where the reader sits (dates of formats that programs know by heart, the system's long date) is
//! ISO 8601.
//!
//! **Bad input.** Anything that is no format, or none for a number, is shown as a number of no format.

use std::sync::Arc;

use ssfmt::options::DateSystem;
use ssfmt::{FormatOptions, NumberFormat};

use crate::builder::one_line;
use crate::office::number::general;

/// Characters of a format; programs take no more either.
const MAX_CODE: usize = 255;

/// A format that was understood; none of numbers as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Format(Option<Arc<NumberFormat>>);

impl Format {
    /// The format of a number that programs know by heart.
    pub(crate) fn built_in(id: u32) -> Format {
        Format::parse(match id {
            5..=8 => "#,##0.00",
            14 | 27..=31 | 36 | 50..=54 | 57 | 58 => "yyyy-mm-dd",
            22 => "yyyy-mm-dd hh:mm:ss",
            32..=35 | 55 | 56 => "hh:mm:ss",
            id => ssfmt::builtin_formats::format_code_from_id(id).unwrap_or_default(),
        })
    }

    /// Reads a format.
    pub(crate) fn parse(code: &str) -> Format {
        let code = match code.trim() {
            system if system.starts_with("[$-F800]") => "yyyy-mm-dd",
            system if system.starts_with("[$-F400]") => "hh:mm:ss",
            code => code,
        };
        let plain =
            code.is_empty() || code.len() > MAX_CODE || code == "@" || code.eq_ignore_ascii_case("general");
        Format(if plain { None } else { NumberFormat::parse(code).ok().map(Arc::new) })
    }

    /// A number as the format shows it. `since_1904`: days are counted from 1904 on.
    pub(crate) fn show(&self, number: f64, since_1904: bool) -> String {
        let date_system = if since_1904 { DateSystem::Date1904 } else { DateSystem::Date1900 };
        let options = FormatOptions { date_system, ..FormatOptions::default() };
        let format = self.0.as_ref().filter(|_| number.is_finite());
        match format.and_then(|format| format.try_format(number, &options).ok()) {
            // Days before 1900.
            Some(shown) if shown.is_empty() && number < 0.0 => general(number),
            Some(shown) => one_line(&shown),
            None => general(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_their_format_says() {
        for (code, number, shown) in [
            ("General", 0.1 + 0.2, "0.3"),
            ("General", 1e20, "1E+20"),
            ("0", 2.5, "3"),
            ("#,##0.0#", 1234.5, "1,234.5"),
            ("000", 7.0, "007"),
            ("0.0%", 0.256, "25.6%"),
            ("0.00E+00", 12345.0, "1.23E+04"),
            ("[$€-407] #,##0.00", 1234.5, "€ 1,234.50"),
            ("0;-0;\"none\"", 0.0, "none"),
            ("0.0,,", 12_300_000.0, "12.3"),
            ("_(* #,##0_);_(* (#,##0)", 5.0, "5"),
            ("# ?/?", 2.75, "2 3/4"),
            ("[<=9999999]###-####;(###) ###-####", 2_125_551_234.0, "(212) 555-1234"),
            ("General \"kg\"", 3.5, "3.5 kg"),
            ("@", 5.0, "5"),
            ("d-mmm-yy", 45_351.0, "29-Feb-24"),
            ("yyyy\"年\"m\"月\"d\"日\"", 45_351.0, "2024年2月29日"),
            ("[h]:mm", 1.5, "36:00"),
            ("[$-F800]dddd, mmmm dd, yyyy", 45_351.0, "2024-02-29"),
        ] {
            assert_eq!(Format::parse(code).show(number, false), shown, "{code}");
        }
    }

    #[test]
    fn days_of_formats_that_programs_know_are_iso() {
        for (id, number, since_1904, shown) in [
            (14, 45_351.0, false, "2024-02-29"),
            (22, 45_351.25, false, "2024-02-29 06:00:00"),
            (20, 0.5, false, "12:00"),
            (14, 43_889.0, true, "2024-02-29"),
            (14, -5.0, false, "-5"),
        ] {
            assert_eq!(Format::built_in(id).show(number, since_1904), shown, "{id}");
        }
    }

    #[test]
    fn hostile_formats_are_shown_somehow() {
        for code in
            [&"0".repeat(200), &".".repeat(200), &";".repeat(200), "[", "\\", "_", "0.0E+", "0/", "[>x]0"]
        {
            for number in [f64::MAX, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, -0.0] {
                assert!(Format::parse(code).show(number, false).len() < 2000, "{code}");
            }
        }
    }
}
