//! Requests to a simulated Web, read from the bytes of a connection.

/// Greatest head of a request in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// Greatest body of a request in bytes; it is read and thrown away.
const MAX_BODY: usize = 1 << 20;

/// A request that was read.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) url: String,
    pub(super) user_agent: String,
    pub(super) if_none_match: Option<String>,
    pub(super) if_modified_since: Option<String>,
    pub(super) proxy: bool,
    pub(super) keep: bool,
    /// Bytes of the head, and of the body after it.
    pub(super) head: usize,
    pub(super) body: usize,
}

/// What the bytes so far are.
pub(super) enum Read {
    Request(Request),
    More,
    /// No request that we serve: this status.
    Bad(u16),
}

/// Reads a request from the bytes so far.
pub(super) fn read_request(input: &[u8]) -> Read {
    if input.is_empty() {
        return Read::More;
    }
    let mut headers = [httparse::EMPTY_HEADER; 100];
    let mut parsed = httparse::Request::new(&mut headers);
    let head = match parsed.parse(input) {
        Ok(httparse::Status::Complete(head)) => head,
        Ok(httparse::Status::Partial) if input.len() < MAX_HEAD => return Read::More,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => return Read::Bad(431),
        Err(_) => return Read::Bad(400),
    };
    let (Some(method), Some(target), Some(version)) = (parsed.method, parsed.path, parsed.version) else {
        return Read::Bad(400);
    };
    if method == "CONNECT" {
        return Read::Bad(501);
    }
    let (mut host, mut body, mut keep, mut user_agent) = (None, 0, version == 1, String::new());
    let (mut if_none_match, mut if_modified_since) = (None, None);
    for header in parsed.headers.iter() {
        let value = std::str::from_utf8(header.value).unwrap_or("").trim();
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        if is("host") {
            host = Some(value);
        } else if is("connection") || is("proxy-connection") {
            for token in value.split(',').map(str::trim) {
                keep = (keep || token.eq_ignore_ascii_case("keep-alive"))
                    && !token.eq_ignore_ascii_case("close");
            }
        } else if is("user-agent") {
            user_agent = value.to_owned();
        } else if is("if-none-match") {
            if_none_match = Some(value.to_owned());
        } else if is("if-modified-since") {
            if_modified_since = Some(value.to_owned());
        } else if is("content-length") {
            match value.parse() {
                Ok(length) if length <= MAX_BODY => body = length,
                Ok(_) => return Read::Bad(413),
                Err(_) => return Read::Bad(400),
            }
        } else if is("transfer-encoding") {
            return Read::Bad(501);
        }
    }
    let proxy = !target.starts_with('/');
    let url = match (proxy, host) {
        (true, _) if target.starts_with("http://") => target.to_owned(),
        (true, _) => return Read::Bad(if target.contains("://") { 501 } else { 400 }),
        (false, Some(host)) => format!("http://{host}{target}"),
        (false, None) => return Read::Bad(400),
    };
    let method = method.to_owned();
    Read::Request(Request {
        method,
        url,
        user_agent,
        if_none_match,
        if_modified_since,
        proxy,
        keep,
        head,
        body,
    })
}
