//! Which keys a URL and a match type mean.
//!
//! With `key` the function that makes keys, and `com,example)/path` the key of `http://example.com/path`:
//!
//! | match | keys |
//! |---|---|
//! | exact | `com,example)/path` |
//! | prefix | those that begin with it (a slash or question mark at the end of the URL counts) |
//! | host | those that begin with `com,example)/` |
//! | domain | those, and those that begin with `com,example,` |
//! | range | from it to the end of the index |
//!
//! A key instead of a URL (`com,example)/path`) is taken as it is. Ports are part of the key's host: captures of another
//! port are another host, as in the tools of the field.

use crate::index::KeyRange;

use super::parse::KeyOf;

/// How far around a URL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum MatchType {
    /// The URL alone.
    #[default]
    Exact,
    /// All that begin with it.
    Prefix,
    /// All URLs of the host.
    Host,
    /// All of its host and the hosts below.
    Domain,
    /// Everything from it on.
    Range,
}

/// Splits a URL with a wildcard into URL and match type: `http://x/*`, `*.x`, `http://*.x/`.
pub(super) fn wildcard(url: &str) -> (String, MatchType) {
    let (scheme, rest) = match url.find("://") {
        Some(at) if at < 12 => url.split_at(at + 3),
        _ => ("", url),
    };
    if let Some(domain) = rest.strip_prefix("*.") {
        return (format!("{scheme}{}", domain.strip_suffix('*').unwrap_or(domain)), MatchType::Domain);
    }
    match url.strip_suffix('*') {
        Some(prefix) if !prefix.is_empty() => (prefix.to_owned(), MatchType::Prefix),
        _ => (url.to_owned(), MatchType::Exact),
    }
}

/// The keys that a URL means; `None` where it has no host to ask about.
pub fn key_range(url: &str, match_type: MatchType, key_of: KeyOf) -> Option<KeyRange> {
    let mut key = if is_key(url) { url.trim_start_matches('(').to_owned() } else { key_of(url) };
    if key.is_empty() {
        return None;
    }
    Some(match match_type {
        MatchType::Exact => KeyRange::exact(&key),
        MatchType::Range => KeyRange { from: key, to: None },
        MatchType::Prefix => {
            for end in ['/', '?'] {
                if url.ends_with(end) && !key.ends_with(end) {
                    key.push(end);
                }
            }
            prefix(&key)
        }
        MatchType::Host => prefix(&format!("{})/", host(&key)?)),
        // `)`, `*`, `+` and `,` follow one another: of these, hosts have the first and the last.
        MatchType::Domain => {
            let host = host(&key)?;
            KeyRange { from: format!("{host})/"), to: Some(format!("{host}-")) }
        }
    })
}

/// Keys that begin with `prefix`, whatever its last character.
fn prefix(prefix: &str) -> KeyRange {
    if prefix.ends_with(|c: char| c.is_ascii()) {
        return KeyRange::prefix(prefix);
    }
    // No character is greater than U+10FFFF: what begins with the prefix comes before this.
    KeyRange { from: prefix.to_owned(), to: Some(format!("{prefix}\u{10FFFF}")) }
}

/// The host of a key: what stands before its parenthesis, or all of it where it is labels alone (`com,example,`).
fn host(key: &str) -> Option<&str> {
    let host = key.split(')').next().unwrap_or_default().trim_end_matches(',');
    (!host.is_empty()).then_some(host)
}

/// Whether it is a key already: labels with commas between them, up to a parenthesis or a last comma.
fn is_key(url: &str) -> bool {
    let url = url.strip_prefix('(').unwrap_or(url);
    let end = url.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ',' | ':' | '.')));
    match end {
        Some(at) => at > 0 && url.as_bytes()[at] == b')',
        None => url.len() > 1 && url.ends_with(','),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::query::parse::tests::plain_key;

    #[test]
    fn wildcards_say_how_far() {
        for (url, want, match_type) in [
            ("http://x.org/*", "http://x.org/", MatchType::Prefix),
            ("http://x.org/a*", "http://x.org/a", MatchType::Prefix),
            ("*.x.org", "x.org", MatchType::Domain),
            ("*.x.org/*", "x.org/", MatchType::Domain),
            ("http://*.x.org/", "http://x.org/", MatchType::Domain),
            ("http://x.org/a*b", "http://x.org/a*b", MatchType::Exact),
            ("*", "*", MatchType::Exact),
        ] {
            assert_eq!(wildcard(url), (want.to_owned(), match_type), "{url}");
        }
    }

    #[test]
    fn ranges_hold_what_the_match_type_says() {
        let keys = [
            "com,example)/",
            "com,example)/a",
            "com,example)/a/b",
            "com,example)/ab",
            "com,example,www2)/a",
            "com,example-two)/a",
            "com,examples)/",
            "com,example:8080)/",
        ];
        let found = |url: &str, match_type| -> Vec<&str> {
            let range = key_range(url, match_type, plain_key).unwrap();
            keys.into_iter().filter(|key| range.contains(key)).collect()
        };
        assert_eq!(found("http://example.com/a", MatchType::Exact), ["com,example)/a"]);
        assert_eq!(found("com,example)/a", MatchType::Exact), ["com,example)/a"]);
        assert_eq!(
            found("http://example.com/a", MatchType::Prefix),
            ["com,example)/a", "com,example)/a/b", "com,example)/ab"]
        );
        assert_eq!(found("http://example.com/a/", MatchType::Prefix), ["com,example)/a/b"]);
        assert_eq!(found("com,example,", MatchType::Prefix), ["com,example,www2)/a"]);
        assert_eq!(found("http://example.com/a", MatchType::Host).len(), 4);
        assert_eq!(found("example.com", MatchType::Domain).len(), 5);
        assert_eq!(found("com,example,", MatchType::Domain).len(), 5);
        assert_eq!(found("com,example,", MatchType::Host).len(), 4);
        assert_eq!(found("http://example.com/a/b", MatchType::Range).len(), 6);
        assert!(key_range("", MatchType::Exact, plain_key).is_none());
    }
}
