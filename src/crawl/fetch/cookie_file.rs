//! Files of cookies in the text form that browsers and their tools write (`cookies.txt`).
//!
//! A line a cookie, seven fields between tabs: domain, whether hosts below it get it too (`TRUE`), path, whether only https
//! gets it, when it ends (seconds since 1970; 0: with the session), name, value. Lines that begin with `#` are comments,
//! but for `#HttpOnly_`, which is no part of the domain. What has ended, and anything that is no cookie, is left out and counted.
//!
//! Bounds: [`MAX_FILE_BYTES`]; the jars bound the cookies of a site.

use std::io::Read;
use std::path::Path;

use webmill_capture::date::now_ms;
use webmill_capture::error::{AtPath, Error, Result};

/// Longest file.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// What a file holds.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct CookieFile {
    cookies: Vec<FileCookie>,
    /// Cookies that have ended.
    pub expired: usize,
    /// Lines that are no cookies.
    pub unread: usize,
}

impl std::fmt::Debug for CookieFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.summary())
    }
}

#[derive(Clone, PartialEq, Eq)]
struct FileCookie {
    domain: String,
    below: bool,
    path: String,
    secure: bool,
    http_only: bool,
    /// Seconds from now; `None`: for the session.
    left_s: Option<u64>,
    name: String,
    value: String,
}

/// Reads a file.
///
/// # Errors
/// [`Error::Io`]; [`Error::Config`] where it is too long or holds nothing but lines that are no cookies.
pub fn read(path: &Path) -> Result<CookieFile> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).at(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).at(path)?;
    let bad = |why: &str| Error::Config(format!("cookies_file {}: {why}", path.display()));
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(bad("longer than 16 MiB"));
    }
    let now = now_ms() as u64 / 1000;
    let file = parse(&String::from_utf8_lossy(&bytes), now);
    if file.cookies.is_empty() && file.expired == 0 && file.unread > 0 {
        return Err(bad("no line has the seven fields, between tabs, of a cookies.txt"));
    }
    Ok(file)
}

fn parse(text: &str, now_s: u64) -> CookieFile {
    let mut file = CookieFile::default();
    for line in text.lines() {
        let (line, http_only) = match line.strip_prefix("#HttpOnly_") {
            Some(rest) => (rest, true),
            None if line.starts_with('#') || line.trim().is_empty() => continue,
            None => (line, false),
        };
        match cookie(line, http_only, now_s) {
            Some(Some(cookie)) => file.cookies.push(cookie),
            Some(None) => file.expired += 1,
            None => file.unread += 1,
        }
    }
    file
}

/// A line; `Some(None)`: a cookie that has ended.
fn cookie(line: &str, http_only: bool, now_s: u64) -> Option<Option<FileCookie>> {
    let fields: Vec<&str> = line.split('\t').collect();
    // Some tools leave the tab before an empty value out.
    let (fields, value) = match fields[..] {
        [ref fields @ .., value] if fields.len() == 6 => (fields, value),
        ref fields if fields.len() == 6 => (fields, ""),
        _ => return None,
    };
    let flag = |text: &str| match text {
        t if t.eq_ignore_ascii_case("true") => Some(true),
        t if t.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    };
    let (below, secure) = (flag(fields[1])?, flag(fields[3])?);
    // Some write fractions.
    let ends = fields[4].split('.').next()?.parse::<i64>().ok()?;
    let domain = fields[0].trim_start_matches('.').to_ascii_lowercase();
    let (path, name) = (fields[2], fields[5]);
    let clean = |text: &str| text.bytes().all(|b| b > b' ' && b != 0x7f && b != b';');
    let value_is_clean = value.bytes().all(|b| b >= b' ' && b != 0x7f && b != b';');
    let is_host =
        !domain.is_empty() && domain.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b));
    if !is_host
        || !path.starts_with('/')
        || !clean(path)
        || !clean(name)
        || name.contains('=')
        || !value_is_clean
    {
        return None;
    }
    let left_s = match u64::try_from(ends) {
        Ok(0) | Err(_) => None,
        Ok(ends) if ends <= now_s => return Some(None),
        Ok(ends) => Some(ends - now_s),
    };
    let (path, name, value) = (path.to_owned(), name.to_owned(), value.to_owned());
    Some(Some(FileCookie { domain, below, path, secure, http_only, left_s, name, value }))
}

impl CookieFile {
    /// Cookies that are sent.
    pub fn len(&self) -> usize {
        self.cookies.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cookies.is_empty()
    }

    /// In words, without any value.
    pub fn summary(&self) -> String {
        let mut sites: Vec<&str> = self.cookies.iter().map(|cookie| cookie.domain.as_str()).collect();
        sites.sort_unstable();
        sites.dedup();
        let mut text = format!("{} cookies of {} domains", self.cookies.len(), sites.len());
        for (n, what) in [(self.expired, "have expired"), (self.unread, "lines are no cookies")] {
            if n > 0 {
                text.push_str(&format!(", {n} {what}"));
            }
        }
        text
    }

    /// Each cookie as a response of its host would set it: its URL, the value of Set-Cookie.
    pub(super) fn set_cookie(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.cookies.iter().map(|cookie| {
            let scheme = if cookie.secure { "https" } else { "http" };
            let url = format!("{scheme}://{}{}", cookie.domain, cookie.path);
            let mut line = format!("{}={}; Path={}", cookie.name, cookie.value, cookie.path);
            if cookie.below {
                line.push_str(&format!("; Domain={}", cookie.domain));
            }
            if let Some(left) = cookie.left_s {
                line.push_str(&format!("; Max-Age={left}"));
            }
            for (is, word) in [(cookie.secure, "; Secure"), (cookie.http_only, "; HttpOnly")] {
                line.push_str(if is { word } else { "" });
            }
            (url, line)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::FetchOptions;
    use crate::fetch::cookies::Cookies;
    use webmill_capture::CanonicalUrl;

    const FILE: &str = "# Netscape HTTP Cookie File\n\
        .a.example\tTRUE\t/\tFALSE\t0\tall\t1\n\
        #HttpOnly_www.a.example\tFALSE\t/in\tTRUE\t9999999999\tsid\tx y=z\n\
        old.example\tFALSE\t/\tFALSE\t1000\tgone\t1\n\
        empty.example\tFALSE\t/\tFALSE\t0\tnothing\n\
        not a cookie\n\
        evil.example\tFALSE\t/\tFALSE\t0\tname\tv; Domain=bank.example\n\
        evil.example\tTRUE\t/\tmaybe\t0\tname\tv\n\n";

    #[test]
    fn a_file_is_read_as_browsers_write_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cookies.txt");
        std::fs::write(&path, FILE.replace('\n', "\r\n")).unwrap();
        let file = read(&path).unwrap();
        assert_eq!(file.summary(), "3 cookies of 3 domains, 1 have expired, 3 lines are no cookies");
        assert_eq!(format!("{file:?}"), file.summary(), "no value is printed");
        let options = FetchOptions { cookies_file: Some(path.clone()), ..FetchOptions::default() };
        let cookies = Cookies::of(&options).unwrap();
        let header = |url: &str| cookies.header(&CanonicalUrl::parse(url).unwrap());
        assert_eq!(header("https://www.a.example/in/side"), "sid=x y=z; all=1");
        assert_eq!(header("http://www.a.example/in/side"), "all=1", "only https gets it");
        assert_eq!(header("https://a.example/in"), "all=1");
        assert_eq!(header("http://old.example/") + &header("http://bank.example/"), "");
        assert_eq!(header("http://empty.example/"), "nothing=");
        // The sites of the file may set more, others may not.
        let set = b"HTTP/1.1 200 OK\r\nSet-Cookie: more=2\r\n\r\n";
        for url in ["http://a.example/", "http://other.example/"] {
            cookies.offer(&CanonicalUrl::parse(url).unwrap(), set);
        }
        assert_eq!(header("http://a.example/"), "all=1; more=2");
        assert_eq!(header("http://other.example/"), "");
        for (text, fault) in [("nonsense\n", true), ("", false), ("# only this\n", false)] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read(&path).is_err(), fault, "{text:?}");
        }
        assert!(matches!(read(Path::new("/nowhere/cookies.txt")), Err(Error::Io { .. })));
    }
}
