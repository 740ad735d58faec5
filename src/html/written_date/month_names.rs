//! Names of the months.

/// First letters of a month's names: `plain` of English, German, French, Spanish, Italian, Portuguese and Dutch, which
/// begin few other words; `more` of some twenty languages, which are read right beside a number only.
struct Month {
    number: u32,
    plain: &'static [&'static str],
    more: &'static [&'static str],
}

/// The first that fits is meant: `juli` is July before `jun` is looked for.
const MONTHS: [Month; 12] = [
    Month {
        number: 1,
        plain: &["jan", "jän", "ene", "gen"],
        more: &["янв", "січ", "stycz", "led", "oca", "ιαν", "tammi", "يناير"],
    },
    Month {
        number: 2,
        plain: &["feb", "fév", "fev"],
        more: &["фев", "лют", "lut", "únor", "şub", "φεβ", "helmi", "فبراير"],
    },
    Month {
        number: 3,
        plain: &["mar", "mär", "mrz", "maa", "mrt"],
        more: &["maer", "март", "берез", "бер", "břez", "μαρ", "μάρ", "مارس"],
    },
    Month {
        number: 4,
        plain: &["apr", "avr", "abr"],
        more: &["апр", "квіт", "kwie", "dub", "nis", "απρ", "huhti", "أبريل"],
    },
    Month {
        number: 5,
        plain: &["may", "mai", "mei", "mag"],
        more: &["maj", "мая", "май", "трав", "kvě", "μαΐ", "μαι", "touko", "مايو"],
    },
    Month {
        number: 7,
        plain: &["jul", "juil", "lug"],
        more: &["июл", "лип", "lip", "červenc", "tem", "ιουλ", "heinä", "يوليو"],
    },
    Month {
        number: 6,
        plain: &["jun", "juin", "giu"],
        more: &["июн", "черв", "czer", "červ", "haz", "ιουν", "kesä", "يونيو"],
    },
    Month {
        number: 8,
        plain: &["aug", "aoû", "aou", "ago"],
        more: &["авг", "серп", "sier", "srp", "ağu", "αυγ", "elo", "أغسطس"],
    },
    Month {
        number: 9,
        plain: &["sep", "set"],
        more: &["сен", "верес", "wrze", "září", "eyl", "σεπ", "syys", "سبتمبر"],
    },
    Month {
        number: 10,
        plain: &["oct", "okt", "ott", "out"],
        more: &["окт", "жовт", "paź", "říj", "eki", "οκτ", "loka", "أكتوبر"],
    },
    Month {
        number: 11,
        plain: &["nov"],
        more: &["ноя", "листоп", "lis", "kas", "νοέ", "νοε", "marras", "نوفمبر"],
    },
    Month {
        number: 12,
        plain: &["dec", "dez", "déc", "dic"],
        more: &["des", "дек", "груд", "gru", "pros", "ara", "δεκ", "joulu", "ديسمبر"],
    },
];

/// Characters of the longest name.
const MAX_NAME: usize = 12;

/// Month of a word that may be any word.
pub(super) fn month_of(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    let begins = |start: &&str| word.starts_with(*start);
    MONTHS.iter().find(|month| month.plain.iter().any(begins)).map(|month| month.number)
}

/// Month of a word right beside a number.
pub(super) fn month_beside_number(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    if word.chars().count() > MAX_NAME {
        return None;
    }
    let begins = |start: &&str| word.starts_with(*start);
    MONTHS.iter().find(|month| month.plain.iter().chain(month.more).any(begins)).map(|month| month.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (word, plain, beside) in [
            ("January", Some(1), Some(1)),
            ("juillet", Some(7), Some(7)),
            ("juin", Some(6), Some(6)),
            ("März", Some(3), Some(3)),
            ("listopad", None, Some(11)),
            ("listed", None, Some(11)),
            ("января", None, Some(1)),
            ("Novembermonths", Some(11), None),
            ("word", None, None),
        ] {
            assert_eq!((month_of(word), month_beside_number(word)), (plain, beside), "{word}");
        }
    }
}
