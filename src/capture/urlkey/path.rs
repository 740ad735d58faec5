//! The path of an index key.

use super::{decoded, push_escaped};

/// Appends the path. Where there is a host, it is resolved and never empty.
pub(super) fn push(path: &[u8], has_host: bool, key: &mut Vec<u8>) {
    let path = decoded(path);
    let start = key.len();
    if has_host && needs_resolving(&path) {
        push_escaped(&resolved(&path), key);
    } else {
        push_escaped(&path, key);
    }
    if memchr::memmem::find(&key[start..], b"/(").is_some() {
        for form in [nested_session, plain_session] {
            if let Some((from, to)) = find_session(&key[start..], form) {
                key.drain(start + from..start + to);
            }
        }
    }
    if key.len() == start && has_host {
        key.push(b'/');
    }
    if key.len() > start + 1 && key.ends_with(b"/") {
        key.pop();
    }
}

/// Whether there may be dots to resolve or slashes to make single.
fn needs_resolving(path: &[u8]) -> bool {
    path.windows(2).any(|pair| pair[0] == b'/' && matches!(pair[1], b'/' | b'.'))
}

/// Without `.`, without `..` and the segment before it, without empty segments. As in the reference a `..` too many stays,
/// may itself be what the next one takes away, and an empty segment can be taken away as well.
fn resolved(path: &[u8]) -> Vec<u8> {
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in path.split(|&b| b == b'/').skip(usize::from(path.starts_with(b"/"))) {
        match segment {
            b"." => {}
            b".." if segments.pop().is_some() => {}
            _ => segments.push(segment),
        }
    }
    let mut out = Vec::with_capacity(path.len());
    for segment in &segments {
        // An empty segment at the end is a slash at the end.
        if !segment.is_empty() || out.last() != Some(&b'/') {
            if out.last() != Some(&b'/') {
                out.push(b'/');
            }
            out.extend_from_slice(segment);
        }
    }
    if out.is_empty() {
        out.push(b'/');
    }
    out
}

/// Where the last segment of a session stands that a page in ASP.NET follows, with its last slash.
fn find_session(path: &[u8], form: fn(&[u8]) -> Option<usize>) -> Option<(usize, usize)> {
    memchr::memrchr_iter(b'/', path).find_map(|slash| {
        let from = slash + 1;
        let to = from + form(&path[from..])?;
        let page = &path[to..];
        let page = &page[..memchr::memchr(b'?', page).unwrap_or(page.len())];
        memchr::memmem::find(page.get(1..)?, b".aspx").map(|_| (from, to))
    })
}

/// Length of `(s(24 letters or digits)f(…))/`.
fn nested_session(path: &[u8]) -> Option<usize> {
    let mut rest = path.strip_prefix(b"(")?;
    let before = rest.len();
    while let [b'a'..=b'z', after @ ..] = rest
        && let Some(length) = token(after)
    {
        rest = &after[length..];
    }
    (rest.len() < before && rest.starts_with(b")/")).then(|| path.len() - rest.len() + 2)
}

/// Length of `(24 letters or digits)/`.
fn plain_session(path: &[u8]) -> Option<usize> {
    let length = token(path)?;
    (path.get(length) == Some(&b'/')).then_some(length + 1)
}

/// Length of `(24 letters or digits)`.
fn token(text: &[u8]) -> Option<usize> {
    let ok = text.len() >= 26
        && text[0] == b'('
        && text[25] == b')'
        && text[1..25].iter().all(|b| b.is_ascii_alphanumeric());
    ok.then_some(26)
}
