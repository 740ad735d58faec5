//! Whether the day or the month comes first where a date is three numbers with the year last.
//!
//! **Definition.** The country of the site decides, by its top-level domain; else the language that the page declares, with
//! its region. The country comes first because content systems declare `en-US` wherever they are installed. Orders are those
//! of day and month in CLDR: the month comes first in the United States and the Philippines, and in China, Taiwan, Japan
//! and Korea, where the year comes before it; the day does nearly everywhere else. Nothing is decided by top-level domains
//! that are used all over the world (`.com`, `.io`), by English of no region, and where both orders are usual (Canada) or
//! dates do not end with the year (Hungary, Lithuania).
//!
//! **Reference.** Unicode CLDR, *Date/Time Patterns*, availableFormats `Md` and `yMd`.

use webmill_capture::CanonicalUrl;

/// What the first number of `03/04/2024` is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum DateOrder {
    /// 3 April.
    DayFirst,
    /// 4 March.
    MonthFirst,
    /// 4 March too, where dates begin with the year as a rule: `24/03/04` is that day there.
    YearFirst,
    /// Neither the site nor the language tells.
    #[default]
    Undecided,
}

/// Top-level domains of countries that are used anywhere.
const GENERIC: [&str; 39] = [
    "ac", "ag", "ai", "am", "as", "bz", "cc", "cd", "cf", "co", "cx", "dj", "fm", "ga", "gg", "gl", "gq",
    "gs", "im", "io", "la", "ly", "me", "ml", "ms", "nu", "pw", "sc", "sh", "so", "st", "tk", "tm", "to",
    "tv", "vc", "vg", "vu", "ws",
];

/// Languages whose dates begin with the day, whatever the region, but for those named below.
const DAY_FIRST: [&str; 45] = [
    "af", "ar", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "es", "et", "fi", "fr", "ga", "gl",
    "he", "hi", "hr", "id", "is", "it", "ka", "lv", "mk", "ms", "nb", "nl", "nn", "no", "pl", "pt", "ro",
    "ru", "sk", "sl", "sq", "sr", "sv", "th", "tr", "uk", "ur", "vi",
];

impl DateOrder {
    /// The order on a page, by the language that it declares (BCP 47, lower case) and its address.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::CanonicalUrl;
    /// use webmill_html::DateOrder;
    /// let order = |language, url| DateOrder::of_page(language, CanonicalUrl::parse(url).as_ref());
    /// assert_eq!(order(Some("en-us"), "http://example.com/"), DateOrder::MonthFirst);
    /// assert_eq!(order(Some("en-us"), "http://example.co.uk/"), DateOrder::DayFirst);
    /// assert_eq!(order(Some("en"), "http://example.com/"), DateOrder::Undecided);
    /// ```
    pub fn of_page(language: Option<&str>, url: Option<&CanonicalUrl>) -> DateOrder {
        let label = url.and_then(|url| url.host().rsplit('.').next()).unwrap_or_default();
        match by_top_level(label) {
            DateOrder::Undecided => language.map_or(DateOrder::Undecided, by_language),
            decided => decided,
        }
    }
}

fn by_top_level(label: &str) -> DateOrder {
    match label {
        "us" | "edu" | "gov" | "mil" | "ph" => DateOrder::MonthFirst,
        "cn" | "tw" | "jp" | "kr" => DateOrder::YearFirst,
        "ca" | "hu" | "lt" | "mn" | "ir" => DateOrder::Undecided,
        _ if GENERIC.contains(&label) => DateOrder::Undecided,
        _ if label.len() == 2 && label.bytes().all(|b| b.is_ascii_alphabetic()) => DateOrder::DayFirst,
        _ => DateOrder::Undecided,
    }
}

fn by_language(tag: &str) -> DateOrder {
    let mut subtags = tag.split('-');
    let primary = subtags.next().unwrap_or_default();
    let region = subtags.find(|subtag| subtag.len() == 2);
    match (primary, region) {
        ("en", Some("us" | "ph")) => DateOrder::MonthFirst,
        ("en", None) | ("en" | "fr", Some("ca")) | ("es", Some("us" | "pr")) => DateOrder::Undecided,
        ("en", Some(_)) => DateOrder::DayFirst,
        ("zh", Some("hk" | "mo" | "sg" | "my")) => DateOrder::DayFirst,
        ("zh" | "ja" | "ko", _) => DateOrder::YearFirst,
        _ if DAY_FIRST.contains(&primary) => DateOrder::DayFirst,
        _ => DateOrder::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::DateOrder::*;
    use super::*;

    #[test]
    fn sites_then_languages() {
        for (language, host, want) in [
            (None, "example.co.uk", DayFirst),
            (Some("en-us"), "example.com.au", DayFirst),
            (None, "example.de", DayFirst),
            (None, "example.fr", DayFirst),
            (None, "example.cn", YearFirst),
            (None, "example.us", MonthFirst),
            (Some("de"), "example.edu", MonthFirst),
            (Some("en-us"), "example.com", MonthFirst),
            (Some("en-gb"), "example.com", DayFirst),
            (Some("en"), "example.com", Undecided),
            (None, "example.com", Undecided),
            (Some("de"), "example.com", DayFirst),
            (Some("pt-br"), "example.io", DayFirst),
            (Some("zh-hans-cn"), "example.com", YearFirst),
            (Some("zh-hant-hk"), "example.com", DayFirst),
            (Some("en-ca"), "example.ca", Undecided),
            (Some("fr-ca"), "example.ca", Undecided),
            (Some("hu"), "example.hu", Undecided),
            (Some("x"), "192.0.2.1", Undecided),
            (Some("en-us"), "localhost", MonthFirst),
        ] {
            let url = CanonicalUrl::parse(&format!("http://{host}/"));
            assert_eq!(DateOrder::of_page(language, url.as_ref()), want, "{language:?} {host}");
        }
        assert_eq!(DateOrder::of_page(Some("en-us"), None), MonthFirst);
        assert_eq!(DateOrder::of_page(None, None), Undecided);
    }
}
