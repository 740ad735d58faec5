use super::*;

#[test]
fn numbers_are_spelled_as_office_does() {
    for (number, format, text) in [
        (4, "decimal", "4"),
        (4, "decimalZero", "04"),
        (1994, "upperRoman", "MCMXCIV"),
        (9, "lowerRoman", "ix"),
        (0, "lowerRoman", "0"),
        (26, "lowerLetter", "z"),
        (28, "upperLetter", "BB"),
        (3, "decimalEnclosedCircle", "③"),
        (12, "decimalFullWidth", "１２"),
        (10, "chineseCounting", "十"),
        (21, "ideographDigital", "二十一"),
        (7, "none", ""),
        (u32::MAX, "upperRoman", "4294967295"),
        (u32::MAX, "lowerLetter", "4294967295"),
        (5, "unheard", "5"),
    ] {
        assert_eq!(spelled(number, format), text, "{number} {format}");
    }
}
