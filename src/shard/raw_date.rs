//! The `date` of a RAW DB record, and which zone `CST` is.
//!
//! The format wants RFC 822. Crawlers in China wrote their local time as `CST`, which RFC 822 keeps for North America: it is
//! +0800 where the record's host is one of China or its page is in a charset of the family of GB 2312, else −0600, which
//! is a guess and said as one. Cost: only dates with `CST` look at the page, at most [`LOOK_BYTES`] of it.

use webmill_capture::date::{parse_any, parse_any_where, parse_rfc822};

/// Bytes of an answer that are looked through for the name of its charset.
const LOOK_BYTES: usize = 8192;
const UNREADABLE: &str = "`date` is missing or cannot be read";
const NOT_RFC_822: &str = "`date` is missing or not in RFC 822 form";
const CST: &str = "`date` is in CST, taken as -0600";

/// The time that `text` says of a record of `url` with `data`: UTC, ms since 1970; and its defects. Strict readers
/// (not `lenient`) take RFC 822 alone.
pub(super) fn read(
    text: &str,
    url: &[u8],
    data: &[u8],
    lenient: bool,
) -> (Option<i64>, Option<&'static str>) {
    let found = if lenient { parse_any(text) } else { parse_rfc822(text) };
    let Some(date_ms) = found else {
        return (None, Some(if lenient { UNREADABLE } else { NOT_RFC_822 }));
    };
    if !text.as_bytes().windows(3).any(|word| word.eq_ignore_ascii_case(b"CST")) {
        return (Some(date_ms), None);
    }
    // One that has an offset as well is the same in both.
    match parse_any_where(text, 8) {
        Some(in_china) if in_china == date_ms => (Some(date_ms), None),
        Some(in_china) if is_of_china(url) || is_in_gb(data) => (Some(in_china), None),
        _ => (Some(date_ms), Some(CST)),
    }
}

/// Domains of China: `.cn` and those in Chinese, as Punycode, UTF-8, escapes of that, and GBK.
const OF_CHINA: [&[u8]; 8] = [
    b"cn",
    b"xn--fiqs8s",
    b"xn--fiqz9s",
    "中国".as_bytes(),
    "中國".as_bytes(),
    b"%E4%B8%AD%E5%9B%BD",
    b"%E4%B8%AD%E5%9C%8B",
    b"\xd6\xd0\xb9\xfa",
];

/// Whether the host of `url` is below a domain of China.
fn is_of_china(url: &[u8]) -> bool {
    let after_scheme = memchr::memmem::find(url, b"://").map_or(url, |at| &url[at + 3..]);
    let authority = after_scheme.split(|b| matches!(b, b'/' | b'?' | b'#')).next().unwrap_or_default();
    let host = authority.rsplit(|b| *b == b'@').next().unwrap_or_default();
    let host = host.split(|b| *b == b':').next().unwrap_or_default().trim_ascii();
    let host = host.strip_suffix(b".").unwrap_or(host);
    let below = |domain: &[u8]| {
        let from = host.len().saturating_sub(domain.len());
        from > 1 && host[from - 1] == b'.' && host[from..].eq_ignore_ascii_case(domain)
    };
    OF_CHINA.iter().any(|domain| below(domain))
}

/// Whether an answer names a charset of the family of GB 2312, in its head or early in its page.
fn is_in_gb(data: &[u8]) -> bool {
    let start = data[..data.len().min(LOOK_BYTES)].to_ascii_lowercase();
    memchr::memmem::find_iter(&start, b"charset").any(|at| {
        let rest = start[at + 7..].trim_ascii_start();
        let Some(value) = rest.strip_prefix(b"=") else { return false };
        let quoted = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'');
        let value = &value[value.iter().position(|b| !quoted(b)).unwrap_or(value.len())..];
        let names = [&b"gb"[..], b"x-gbk", b"hz-gb", b"cp936", b"euc-cn", b"iso-2022-cn"];
        names.iter().any(|name| value.starts_with(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_EIGHT: i64 = 1_050_394_386_000; // 2003-04-15T08:13:06Z
    const HOUR: i64 = 3_600_000;

    #[test]
    fn cst_is_the_time_of_china_there_and_a_guess_elsewhere() {
        let gbk = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=GBK\r\n\r\nx";
        let meta = b"HTTP/1.1 200 OK\r\n\r\n<meta charset = 'gb2312'>";
        let plain = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n.cn gbk";
        let (cst, own) = ("Tue, 15 Apr 2003 08:13:06 CST", "Tue, 15 Apr 2003 08:13:06 +0800 (CST)");
        let (china, america) = (AT_EIGHT - 8 * HOUR, AT_EIGHT + 6 * HOUR);
        for (text, url, data, date_ms, defect) in [
            (cst, "http://www.pku.edu.cn/", &plain[..], china, None),
            (cst, "http://u:p@A.CN.:8080?x", plain, china, None),
            (cst, "www.sina.cn", plain, china, None),
            ("Tue, 15 Apr 2003 08:13:06 (CST)", "http://x.cn/", plain, china, None),
            ("Tue, 15 Apr 2003 08:13:06 (CST)", "http://a.example/", plain, america, Some(CST)),
            ("2003-04-15 08:13:06 CST", "http://x.cn/", plain, china, None),
            ("2003-04-15T08:13:06 (cst)", "http://a.example/", gbk, china, None),
            ("2003-04-15 08:13:06 CST", "http://a.example/", plain, america, Some(CST)),
            (cst, "http://新闻.中国/", plain, china, None),
            (cst, "http://a.xn--fiqs8s:80/", plain, china, None),
            (cst, "http://a.XN--FIQZ9S/", plain, china, None),
            (cst, "http://新闻.公司.cn/", plain, china, None),
            (cst, "http://%E6%96%B0.%e4%b8%ad%e5%9b%bd/", plain, china, None),
            (cst, "http://a.example/新.中国", plain, america, Some(CST)),
            (cst, "http://a.example/b.cn", plain, america, Some(CST)),
            (cst, "http://a.example/", gbk, china, None),
            (cst, "http://a.example/", meta, china, None),
            (cst, "http://a.example/", b"", america, Some(CST)),
            (own, "http://a.example/", plain, china, None),
            ("2003-04-15T08:13:06Z", "http://a.cn/", gbk, AT_EIGHT, None),
        ] {
            assert_eq!(read(text, url.as_bytes(), data, true), (Some(date_ms), defect), "{text} {url}");
        }
        assert_eq!(read("", b"http://a.cn/", gbk, true), (None, Some(UNREADABLE)));
        assert_eq!(read("2003-04-15", b"http://a.cn/", gbk, false), (None, Some(NOT_RFC_822)));
    }
}
