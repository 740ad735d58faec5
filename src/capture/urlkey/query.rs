//! The query of an index key.

use super::{decoded, push_escaped};

/// Appends `?` and the query, or nothing.
pub(super) fn push(query: &[u8], key: &mut Vec<u8>) {
    if query.is_empty() {
        return;
    }
    key.push(b'?');
    let start = key.len();
    push_escaped(&decoded(query), key);
    // What all names of sessions have in them.
    if memchr::memmem::find(&key[start..], b"id").is_some() {
        for session in SESSIONS {
            if let Some((from, to)) = session.find(&key[start..]) {
                key.drain(start + from..start + to);
            }
        }
    }
    sort(start, key);
    if key.len() == start {
        key.pop();
    }
}

/// By name, then by value; `a`, `a=`, `a=1`.
fn sort(start: usize, key: &mut Vec<u8>) {
    if memchr::memchr(b'&', &key[start..]).is_none() {
        return;
    }
    let halves = |part: &'_ [u8]| match memchr::memchr(b'=', part) {
        Some(equals) => (equals, true),
        None => (part.len(), false),
    };
    let order = |a: &&[u8], b: &&[u8]| {
        let ((a_name, a_has), (b_name, b_has)) = (halves(a), halves(b));
        a[..a_name].cmp(&b[..b_name]).then(a_has.cmp(&b_has)).then_with(|| a.cmp(b))
    };
    let query = &key[start..];
    let mut parts: Vec<&[u8]> = query.split(|&b| b == b'&').collect();
    if parts.is_sorted_by(|a, b| order(a, b).is_le()) {
        return;
    }
    parts.sort_by(order);
    let sorted = parts.join(&b'&');
    key.truncate(start);
    key.extend_from_slice(&sorted);
}

/// A session in a query: what ends its name (and goes), and what its value is.
struct Session {
    name: &'static [u8],
    /// Letters that stand between the name and `=`.
    letters: usize,
    /// Length of the value where all of it is of one kind.
    value: fn(&[u8]) -> Option<usize>,
}

const SESSIONS: [Session; 5] = [
    Session { name: b"jsessionid", letters: 0, value: token },
    Session { name: b"phpsessid", letters: 0, value: token },
    Session { name: b"sid", letters: 0, value: token },
    Session { name: b"aspsessionid", letters: 8, value: asp_token },
    Session { name: b"cfid", letters: 0, value: cold_fusion },
];

impl Session {
    /// Where the last one stands that the end or a `&` follows, with this `&`.
    fn find(&self, query: &[u8]) -> Option<(usize, usize)> {
        memchr::memrchr_iter(b'=', query).find_map(|equals| {
            let letters = equals.checked_sub(self.letters)?;
            let from = letters.checked_sub(self.name.len())?;
            let named = &query[from..letters] == self.name
                && query[letters..equals].iter().all(u8::is_ascii_alphabetic);
            let to = equals + 1 + named.then(|| (self.value)(&query[equals + 1..])).flatten()?;
            match query.get(to) {
                None => Some((from, to)),
                Some(b'&') => Some((from, to + 1)),
                Some(_) => None,
            }
        })
    }
}

/// 32 letters or digits.
fn token(value: &[u8]) -> Option<usize> {
    value.get(..32)?.iter().all(u8::is_ascii_alphanumeric).then_some(32)
}

/// 24 letters.
fn asp_token(value: &[u8]) -> Option<usize> {
    value.get(..24)?.iter().all(u8::is_ascii_alphabetic).then_some(24)
}

/// `1234&cftoken=5678`.
fn cold_fusion(value: &[u8]) -> Option<usize> {
    let until_and = |text: &[u8]| memchr::memchr(b'&', text).unwrap_or(text.len());
    let first = until_and(value);
    let second = value[first..].strip_prefix(b"&cftoken=").filter(|_| first > 0)?;
    let length = until_and(second);
    (length > 0).then_some(first + b"&cftoken=".len() + length)
}
