use super::*;

#[test]
fn numbers_are_shown_as_their_format_says() {
    for (code, number, shown) in [
        ("General", 3.0, "3"),
        ("General", 0.1 + 0.2, "0.3"),
        ("General", -1234.5, "-1234.5"),
        ("General", 1e20, "1E+20"),
        ("General", 1.5e-9, "1.5E-09"),
        ("0", 2.5, "3"),
        ("0.00", 1.005, "1.01"),
        ("0.00", -0.001, "0.00"),
        ("#,##0", 1_234_567.0, "1,234,567"),
        ("#,##0.0#", 1234.5, "1,234.5"),
        ("#.##", 0.25, ".25"),
        ("000", 7.0, "007"),
        ("0%", 0.256, "26%"),
        ("0.0%", 0.256, "25.6%"),
        ("0.00E+00", 12345.0, "1.23E+04"),
        ("\"$\"#,##0.00", 1234.5, "$1,234.50"),
        ("[$€-407] #,##0.00", 1234.5, "€ 1,234.50"),
        ("#,##0.00 \"kg\"", 2.0, "2.00 kg"),
        ("0;(0)", -3.0, "(3)"),
        ("0;-0;\"none\"", 0.0, "none"),
        ("[Red]0.0", 1.25, "1.3"),
        ("0.0,,", 12_300_000.0, "12.3"),
        ("_(* #,##0_);_(* (#,##0)", 5.0, "5"),
        ("\"Item \"0", 4.0, "Item 4"),
        ("# ?/?", 0.5, "0.5"),
        ("[>100]0;0.00", 5.5, "5.5"),
        ("@", 5.0, "5"),
        ("\"open", 1.0, "open"),
    ] {
        assert_eq!(Format::parse(code).show(number, false), shown, "{code}");
    }
}

#[test]
fn days_are_dates() {
    for (code, number, shown) in [
        ("dd/mm/yyyy", 45_351.0, "2024-02-29"),
        ("m/d/yy h:mm", 44_928.127_836, "2023-01-02 03:04:05"),
        ("h:mm AM/PM", 0.545_138_888_9, "13:05:00"),
        ("[h]:mm:ss", 1.5, "36:00:00"),
        ("mmmm", 45_351.0, "2024-02-29"),
        ("yyyy\"年\"m\"月\"", 45_351.0, "2024-02-29"),
        ("[$-F800]dddd, mmmm dd, yyyy", 45_351.0, "2024-02-29"),
        ("yyyy-mm-dd", 1.0, "1900-01-01"),
        ("yyyy-mm-dd", 59.0, "1900-02-28"),
        ("yyyy-mm-dd", 61.0, "1900-03-01"),
        ("yyyy-mm-dd", -1.0, "-1"),
        ("yyyy-mm-dd", 1e12, "1000000000000"),
    ] {
        assert_eq!(Format::parse(code).show(number, false), shown, "{code} {number}");
    }
    assert_eq!(Format::built_in(14).show(0.0, true), "1904-01-01");
    assert_eq!(Format::built_in(14).show(43_889.0, true), "2024-02-29");
}

#[test]
fn hostile_formats_are_shown_somehow() {
    for code in [
        "0".repeat(1000),
        ".".repeat(1000),
        ";".repeat(1000),
        "[".into(),
        "\\".into(),
        "_".into(),
        "0.0E+".into(),
    ] {
        for number in [f64::MAX, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY, -0.0] {
            assert!(Format::parse(&code).show(number, false).len() < 2000, "{code}");
        }
    }
}
