//! Answers that several pages share: scripts, styles, fonts, pictures.
//!
//! **Definition.** An answer is shared where its status is 200, it is whole, the request proved nobody's identity, and neither
//! `Cache-Control` (`no-store`, `no-cache`, `private`, `max-age=0`) nor `Vary` (`*`, `Cookie`) speaks against it; and where `max-age`
//! gives it time, or it is of a type that pages are made of. It is shared for `max-age`, at most, else for an hour; with requests
//! of the same `Origin` alone, to which it may have been fitted.
//!
//! Memory: a bound; the oldest go first. **Reference.** RFC 9111, 4.2 and 5.2.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use webmill_capture::Response;

/// How long an answer is shared that says nothing about it, and at most.
const USUAL: Duration = Duration::from_secs(3_600);

/// The answers at hand.
pub(super) struct SharedAnswers {
    most: u64,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    bytes: u64,
    by_key: HashMap<String, (Instant, Bytes)>,
    by_age: VecDeque<String>,
}

/// Under what an answer is found again.
pub(super) fn key(url: &str, headers: &[(String, String)]) -> String {
    let origin = headers.iter().find(|(name, _)| name == "origin").map_or("", |(_, origin)| origin);
    format!("{origin} {url}")
}

impl SharedAnswers {
    pub(super) fn new(most: u64) -> SharedAnswers {
        SharedAnswers { most, table: Mutex::default() }
    }

    pub(super) fn get(&self, key: &str) -> Option<Bytes> {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.by_key.get(key).filter(|(until, _)| *until > Instant::now()).map(|(_, raw)| raw.clone())
    }

    /// Keeps an answer, where it may be shared.
    pub(super) fn put(&self, key: String, raw: &Bytes, headers: &[(String, String)]) {
        let private = headers.iter().any(|(name, _)| name == "authorization");
        let size = raw.len() as u64;
        let Some(time) = shared_for(&Response::parse(raw)).filter(|_| !private && size <= self.most / 8)
        else {
            return;
        };
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let table = &mut *table;
        match table.by_key.insert(key.clone(), (Instant::now() + time, raw.clone())) {
            Some((_, old)) => table.bytes -= old.len() as u64,
            None => table.by_age.push_back(key),
        }
        table.bytes += size;
        while table.bytes > self.most {
            let Some(oldest) = table.by_age.pop_front() else { break };
            if let Some((_, old)) = table.by_key.remove(&oldest) {
                table.bytes -= old.len() as u64;
            }
        }
    }
}

/// How long an answer may be shared.
fn shared_for(response: &Response<'_>) -> Option<Duration> {
    if response.status != Some(200) {
        return None;
    }
    let values = |wanted: &'static [u8]| {
        response.headers().filter(move |(name, _)| name.eq_ignore_ascii_case(wanted)).flat_map(
            |(_, value)| {
                value
                    .split(|b| *b == b',')
                    .map(|one| String::from_utf8_lossy(one.trim_ascii()).to_ascii_lowercase())
            },
        )
    };
    if values(b"vary").any(|one| one == "*" || one == "cookie") {
        return None;
    }
    let mut time = None;
    for one in values(b"cache-control") {
        match one.split_once('=').unwrap_or((&one, "")) {
            ("no-store" | "no-cache" | "private", _) => return None,
            ("max-age", seconds) => {
                let seconds: u64 = seconds.trim_matches('"').parse().ok()?;
                time = Some(Duration::from_secs(seconds).min(USUAL));
            }
            _ => {}
        }
    }
    let media_type = response.media_type().unwrap_or_default();
    time.or_else(|| is_asset(&media_type).then_some(USUAL)).filter(|time| !time.is_zero())
}

/// Whether pages are made of what has this media type, in lower case: scripts, styles, fonts, pictures, sounds, films, data of scripts.
pub(super) fn is_asset(media_type: &str) -> bool {
    let (class, name) = media_type.split_once('/').unwrap_or((media_type, ""));
    match class {
        "image" | "font" | "audio" | "video" => true,
        "text" => matches!(name, "css" | "javascript" | "ecmascript" | "x-javascript"),
        "application" => {
            matches!(
                name,
                "javascript"
                    | "x-javascript"
                    | "ecmascript"
                    | "json"
                    | "manifest+json"
                    | "wasm"
                    | "font-woff"
            ) || name.starts_with("x-font")
                || name.starts_with("font")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(head: &str) -> Bytes {
        format!("HTTP/1.1 {head}\r\n\r\nbody").into()
    }

    #[test]
    fn what_is_shared_and_for_how_long() {
        for (head, want) in [
            ("200 OK\r\nContent-Type: text/css", Some(3_600)),
            ("200 OK\r\nContent-Type: text/html", None),
            ("200 OK\r\nContent-Type: text/html\r\nCache-Control: public, max-age=60", Some(60)),
            ("200 OK\r\nContent-Type: text/css\r\nCache-Control: max-age=99999999", Some(3_600)),
            ("200 OK\r\nContent-Type: text/css\r\nCache-Control: max-age=0", None),
            ("200 OK\r\nContent-Type: text/css\r\nCache-Control: max-age=x", None),
            ("200 OK\r\nContent-Type: text/css\r\nCache-Control: public\r\ncache-control: No-Store", None),
            ("200 OK\r\nContent-Type: text/css\r\nVary: Accept-Encoding, Cookie", None),
            ("200 OK\r\nContent-Type: text/css\r\nVary: Accept-Encoding", Some(3_600)),
            ("404 Not Found\r\nContent-Type: text/css", None),
        ] {
            let raw = answer(head);
            assert_eq!(shared_for(&Response::parse(&raw)).map(|t| t.as_secs()), want, "{head}");
        }
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_go_first() {
        let shared = SharedAnswers::new(1_000);
        let raw = answer("200 OK\r\nContent-Type: text/css");
        for n in 0..100 {
            shared.put(key(&format!("http://a.example/{n}"), &[]), &raw, &[]);
        }
        let table = shared.table.lock().unwrap();
        assert!(table.bytes <= 1_000 && table.by_key.len() == table.by_age.len());
        drop(table);
        assert!(shared.get(&key("http://a.example/99", &[])).is_some());
        assert!(shared.get(&key("http://a.example/0", &[])).is_none());
        let from = [("origin".to_owned(), "http://o.example".to_owned())];
        assert!(shared.get(&key("http://a.example/99", &from)).is_none());
        let secret = [("authorization".to_owned(), "Bearer x".to_owned())];
        shared.put(key("http://a.example/s", &secret), &raw, &secret);
        assert!(shared.get(&key("http://a.example/s", &[])).is_none());
    }
}
