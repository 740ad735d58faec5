//! Numbers, sizes and times as people read them.

use crate::index::Timestamp;
use crate::surface::{Lang, fill};

/// A score with three digits that mean something.
pub fn score(value: f64) -> String {
    if value == 0.0 || (0.001..10_000.0).contains(&value.abs()) {
        let text = format!("{value:.4}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{value:.2e}")
}

/// A URL for a list: of a long one the beginning, which says where it is, and the end, which tells it from its neighbours.
pub fn short_url(url: &str) -> String {
    const HEAD: usize = 80;
    const TAIL: usize = 39;
    let length = url.chars().count();
    if length <= HEAD + TAIL + 1 {
        return url.to_owned();
    }
    let head = url.chars().take(HEAD);
    head.chain(['…']).chain(url.chars().skip(length - TAIL)).collect()
}

/// Languages by their names, as codes of ISO 639-3 joined by commas say them.
pub fn languages(lang: Lang, codes: &str) -> String {
    let names = lang.words("languages");
    let name = |code: &str| names.get(code).map_or_else(|| code.to_owned(), String::clone);
    codes
        .split(',')
        .map(str::trim)
        .filter(|code| !code.is_empty())
        .map(name)
        .collect::<Vec<_>>()
        .join(&lang.words("run")["comma"])
}

/// The parts of a timestamp: year, month, day.
pub fn day_of(timestamp: Timestamp) -> (u32, u32, u32) {
    let day = timestamp.0 / 1_000_000;
    ((day / 10_000) as u32, (day / 100 % 100) as u32, (day % 100) as u32)
}

/// `2020-01-31`.
pub fn date(timestamp: Timestamp) -> String {
    let (year, month, day) = day_of(timestamp);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `23:59:59`.
pub fn clock(timestamp: Timestamp) -> String {
    let time = timestamp.0 % 1_000_000;
    format!("{:02}:{:02}:{:02}", time / 10_000, time / 100 % 100, time % 100)
}

/// `2020-01-31T23:59:59Z`, for machines.
pub fn iso(timestamp: Timestamp) -> String {
    format!("{}T{}Z", date(timestamp), clock(timestamp))
}

/// A month's name.
pub fn month_name(lang: Lang, month: u32) -> &'static str {
    lang.words("site")["months"].split(' ').nth((month.clamp(1, 12) - 1) as usize).unwrap_or_default()
}

/// A day in words: `31 January 2020`.
pub fn long_date(lang: Lang, (year, month, day): (u32, u32, u32)) -> String {
    let [year, day] = [year, day].map(|n| n.to_string());
    fill(&lang.words("site")["long_date"], &[&year, month_name(lang, month), &day])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::size;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(
            [0, 999, 1000, 999_949, 999_950, u64::MAX].map(size),
            ["0 B", "999 B", "1.0 kB", "999.9 kB", "1.0 MB", "18446.7 PB"]
        );
        assert_eq!([0.0, 0.25, 12.0, 0.000012].map(score), ["0", "0.25", "12", "1.20e-5"]);
        let at = Timestamp(20200131235958);
        assert_eq!(
            (date(at), clock(at), iso(at)),
            ("2020-01-31".into(), "23:59:58".into(), "2020-01-31T23:59:58Z".into())
        );
        assert_eq!(long_date(Lang::Zh, day_of(at)), "2020年1月31日");
        assert_eq!(languages(Lang::En, "eng,zho, xx"), "English, Chinese, xx");
        assert_eq!(languages(Lang::Zh, "eng,kat, xx"), "英语、格鲁吉亚语、xx");
        let long = format!("http://a.example/?q={}&end=1", "北".repeat(1000));
        let short = short_url(&long);
        assert_eq!(short.chars().count(), 120);
        assert!(short.starts_with("http://a.example/?q=北") && short.ends_with("北&end=1"), "{short}");
        assert_eq!(short_url("http://a.example/"), "http://a.example/");
        assert_eq!(month_name(Lang::En, 0), "January", "a month that does not exist");
    }
}
