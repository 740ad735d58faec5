//! Numbers before items and headings, as Office spells them.

/// A number in a format; in an unknown one as digits.
pub(crate) fn spelled(number: u32, format: &str) -> String {
    match format {
        "none" => String::new(),
        "decimalZero" => format!("{number:02}"),
        "lowerRoman" => roman(number).to_lowercase(),
        "upperRoman" => roman(number),
        "lowerLetter" => letters(number, b'a'),
        "upperLetter" => letters(number, b'A'),
        "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" if (1..=20).contains(&number) => {
            char::from_u32(0x245F + number).map(String::from).unwrap_or_default()
        }
        "decimalFullWidth" => {
            let wide = |c: char| char::from_u32(c as u32 + 0xFEE0).unwrap_or(c);
            number.to_string().chars().map(wide).collect()
        }
        "chineseCounting"
        | "chineseCountingThousand"
        | "japaneseCounting"
        | "ideographDigital"
        | "taiwaneseCounting"
        | "taiwaneseCountingThousand"
        | "koreanCounting" => chinese(number),
        _ => number.to_string(),
    }
}

fn roman(number: u32) -> String {
    const PARTS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if number == 0 || number > 9999 {
        return number.to_string();
    }
    let mut rest = number;
    let mut shown = String::new();
    for (value, letters) in PARTS {
        while rest >= value {
            shown.push_str(letters);
            rest -= value;
        }
    }
    shown
}

/// `a` to `z`, then `aa` to `zz`, as Word counts.
fn letters(number: u32, first: u8) -> String {
    if number == 0 || number > 26 * 30 {
        return number.to_string();
    }
    let letter = char::from(first + ((number - 1) % 26) as u8);
    String::from(letter).repeat(((number - 1) / 26 + 1) as usize)
}

fn chinese(number: u32) -> String {
    const DIGITS: [&str; 10] = ["〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let digit = |value: u32| DIGITS.get(value as usize).copied().unwrap_or_default();
    match number {
        0..=9 => digit(number).to_owned(),
        10..=99 => {
            let (tens, ones) = (number / 10, number % 10);
            let tens = if tens == 1 { "" } else { digit(tens) };
            format!("{tens}十{}", if ones == 0 { "" } else { digit(ones) })
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
#[path = "numbering_tests.rs"]
mod tests;
