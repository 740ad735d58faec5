//! The URL of an entry out of its key.
//!
//! A key is the URL with its host reversed, folded to lower case, without `www.` and the slash at the end. What is
//! folded away is one small number per entry ([`compose`]) and the case of letters: what is stored is the *cased key*,
//! the key with the letters of the URL, of which the key is the lower case. A URL that this does not give is stored by
//! how it differs from the nearest that it gives.

/// Bits of a kind: `https`, `www.`, and how path and query end.
const HTTPS: u8 = 1;
const WWW: u8 = 2;
/// A slash follows that the key has not.
const SLASH_MORE: u8 = 4;
/// The slash of the home page is missing.
const SLASH_LESS: u8 = 8;
/// A question mark follows that the key has not.
const MARK_MORE: u8 = 12;
/// The URL is the key.
pub(super) const SAME: u8 = 16;
/// From here on: begins like the URL of kind - LITERAL, and goes on otherwise.
pub(super) const LITERAL: u8 = 20;
/// Kinds there are.
pub(super) const KINDS: u8 = LITERAL + 4;

/// Appends the URL of `kind` (below [`LITERAL`]) for a cased key.
pub(super) fn compose(kind: u8, cased: &str, out: &mut String) {
    if kind == SAME {
        out.push_str(cased);
        return;
    }
    out.push_str(if kind & HTTPS != 0 { "https://" } else { "http://" });
    if kind & WWW != 0 {
        out.push_str("www.");
    }
    let (host, path) = cased.split_once(')').unwrap_or((cased, ""));
    let (labels, port) = host.split_at(host.find(':').unwrap_or(host.len()));
    let mut rest = labels;
    while let Some((front, label)) = rest.rsplit_once(',') {
        out.push_str(label);
        out.push('.');
        rest = front;
    }
    out.push_str(rest);
    out.push_str(port);
    match kind & MARK_MORE {
        SLASH_LESS => out.push_str(path.strip_prefix('/').unwrap_or(path)),
        SLASH_MORE => {
            out.push_str(path);
            out.push('/');
        }
        MARK_MORE => {
            out.push_str(path);
            out.push('?');
        }
        _ => out.push_str(path),
    }
}

/// A URL by its key.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) kind: u8,
    /// For literal kinds: bytes that it shares with the URL composed.
    pub(super) shared: usize,
}

/// Finds the kind of a URL and leaves the cased key in `cased`. `folded`: whether the key of an entry is the lower case
/// of what is stored, so that letters of the URL may stand there.
pub(super) fn analyse(
    key: &str,
    url: &str,
    folded: bool,
    cased: &mut String,
    scratch: &mut String,
) -> Address {
    cased.clear();
    cased.push_str(key);
    if url == key {
        return Address { kind: SAME, shared: 0 };
    }
    let (https, rest) = match (url.strip_prefix("http://"), url.strip_prefix("https://")) {
        (_, Some(rest)) => (HTTPS, rest),
        (Some(rest), _) => (0, rest),
        _ => (0, ""),
    };
    let www = if rest.starts_with("www.") { WWW } else { 0 };
    let path = rest.find(['/', '?', '#']).map_or("", |at| &rest[at..]);
    let key_path = key.split_once(')').map_or("", |(_, path)| path);
    let (tail, path) = match path.len().wrapping_sub(key_path.len()) {
        1 if path.ends_with('/') => (SLASH_MORE, &path[..path.len() - 1]),
        1 if path.ends_with('?') => (MARK_MORE, &path[..path.len() - 1]),
        usize::MAX if key_path.starts_with('/') && !path.starts_with('/') => (SLASH_LESS, path),
        _ => (0, path),
    };
    let kind = https | www | tail;
    if folded {
        let from = key.len() - key_path.len() + usize::from(tail == SLASH_LESS);
        if key.get(from..).is_some_and(|key| key.eq_ignore_ascii_case(path)) {
            cased.truncate(from);
            cased.push_str(path);
        }
    }
    scratch.clear();
    compose(kind, cased, scratch);
    if scratch == url {
        return Address { kind, shared: 0 };
    }
    cased.clear();
    cased.push_str(key);
    scratch.clear();
    compose(https | www, cased, scratch);
    let mut shared = scratch.bytes().zip(url.bytes()).take_while(|(a, b)| a == b).count();
    while !url.is_char_boundary(shared) {
        shared -= 1;
    }
    Address { kind: LITERAL + (https | www), shared }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(key: &str, url: &str, folded: bool) -> (u8, String) {
        let (mut cased, mut scratch) = (String::new(), String::new());
        let address = analyse(key, url, folded, &mut cased, &mut scratch);
        assert_eq!(if folded { cased.to_ascii_lowercase() } else { cased.clone() }, key);
        let mut got = String::new();
        if address.kind >= LITERAL {
            compose(address.kind - LITERAL, &cased, &mut got);
            got.truncate(address.shared);
            got.push_str(&url[address.shared..]);
        } else {
            compose(address.kind, &cased, &mut got);
        }
        assert_eq!(got, url);
        (address.kind, cased)
    }

    #[test]
    fn common_forms_need_no_text_of_their_own() {
        for (key, url, kind, cased) in [
            ("com,example)/", "http://example.com/", 0, "com,example)/"),
            ("com,example)/", "http://example.com", SLASH_LESS, "com,example)/"),
            ("com,example)/?a=1", "http://example.com?a=1", SLASH_LESS, "com,example)/?a=1"),
            ("com,example)/a/b", "https://www.example.com/A/b/", 7, "com,example)/A/b"),
            ("com,example:8080)/a", "http://example.com:8080/a?", MARK_MORE, "com,example:8080)/a"),
            ("10.1.2.3)/", "http://10.1.2.3/", 0, "10.1.2.3)/"),
            ("dns:example.com", "dns:example.com", SAME, "dns:example.com"),
            ("com,example)/?a=1&b=2", "http://example.com/?b=2&a=1", LITERAL, "com,example)/?a=1&b=2"),
            ("com,example)/", "http://www2.example.com/", LITERAL, "com,example)/"),
            ("com,example)/é", "http://example.com/É", LITERAL, "com,example)/é"),
        ] {
            assert_eq!(check(key, url, true), (kind, cased.to_owned()), "{url}");
        }
        // Keys that are not folded: case is text.
        assert_eq!(check("com,example)/A", "http://example.com/A", false).0, 0);
        assert_eq!(check("com,example)/a", "http://example.com/A", false).0, LITERAL);
    }

    proptest! {
        #[test]
        fn every_url_comes_back(key in "[a-z,):/?é]{0,12}", url in "(https?://)?(www\\.)?[a-zA-Z./:?é]{0,12}", folded in any::<bool>()) {
            check(&key, &url, folded);
        }

        #[test]
        fn anything_composes(kind in 0..LITERAL, cased in ".{0,12}") {
            compose(kind, &cased, &mut String::new());
        }
    }
}
