//! Headers that a rendered page's scripts set, in the request that a crawl makes for it.

/// `request` with `headers` (names lower-case): cookies are joined, the page's `Accept` and `Accept-Language` stand in place of
/// ours; for every other name what the request has already stays.
pub(super) fn merge(request: Vec<u8>, headers: &[(String, String)]) -> Vec<u8> {
    if headers.is_empty() {
        return request;
    }
    let mut left: Vec<(&str, String)> = headers
        .iter()
        .filter(|(_, value)| !value.bytes().any(|b| (b < b' ' && b != b'\t') || b == 0x7f))
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    let mut out = Vec::with_capacity(request.len() + 256);
    for (n, line) in request.split_inclusive(|b| *b == b'\n').enumerate() {
        let name = line.split(|b| *b == b':').next().unwrap_or_default();
        let same = left.iter().position(|(known, _)| n > 0 && name.eq_ignore_ascii_case(known.as_bytes()));
        match same.map(|at| left[at].0) {
            Some("accept" | "accept-language") => continue,
            Some("cookie") => {
                let ours = String::from_utf8_lossy(&line[name.len() + 1..]).trim().to_owned();
                let theirs = same.map(|at| left[at].1.clone()).unwrap_or_default();
                let named = |all: &str, one: &str| {
                    let name = |cookie: &str| cookie.split('=').next().map(|n| n.trim().to_owned());
                    all.split(';').any(|other| name(other) == name(one))
                };
                let more = ours.split(';').map(str::trim).filter(|one| !named(&theirs, one));
                let joined: Vec<&str> = std::iter::once(theirs.as_str()).chain(more).collect();
                left.retain(|(name, _)| *name != "cookie");
                out.extend_from_slice(format!("Cookie: {}\r\n", joined.join("; ")).as_bytes());
                continue;
            }
            Some(known) => left.retain(|(name, _)| *name != known),
            None => {}
        }
        if line.trim_ascii().is_empty() {
            for (name, value) in &left {
                out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
            }
        }
        out.extend_from_slice(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::merge;

    #[test]
    fn a_page_adds_headers_and_takes_none_away() {
        let request = b"GET / HTTP/1.1\r\nHost: a.example\r\nAccept: text/html\r\nAuthorization: Basic eA==\r\nCookie: a=1; b=2\r\n\r\n";
        let headers = [
            ("accept", "application/json"),
            ("authorization", "Bearer theirs"),
            ("cookie", "b=3; c=4"),
            ("x-asked-by", "page"),
            ("x-bad", "a\r\nEvil: 1"),
            ("host", "evil.example"),
        ]
        .map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(
            String::from_utf8(merge(request.to_vec(), &headers)).unwrap(),
            "GET / HTTP/1.1\r\nHost: a.example\r\nAuthorization: Basic eA==\r\nCookie: b=3; c=4; a=1\r\n\
             accept: application/json\r\nx-asked-by: page\r\n\r\n"
        );
        assert_eq!(merge(request.to_vec(), &[]), request);
        let plain = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec();
        assert_eq!(merge(plain, &headers[2..3]), b"GET / HTTP/1.1\r\nHost: a\r\ncookie: b=3; c=4\r\n\r\n");
    }
}
