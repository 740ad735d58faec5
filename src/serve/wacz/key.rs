//! The key of a URL in the index of a WACZ.

/// SURT with the folds that the field's indexes share: host reversed and without `www`, everything in lower case, no default
/// port, parameters sorted, no slash at the end of a path.
pub fn urlkey(url: &str) -> String {
    let lower = url.to_lowercase();
    let Some((scheme, rest)) =
        lower.split_once("://").filter(|(s, _)| matches!(*s, "http" | "https" | "ftp"))
    else {
        return escaped(&lower);
    };
    let rest = rest.split('#').next().unwrap_or(rest);
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let host_port = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match host_port.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (host, port),
        _ => (host_port, ""),
    };
    let host = without_www(host.trim_end_matches('.'));
    let mut out = match host.starts_with('[') || host.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        true => host.to_owned(),
        false => host.split('.').rev().collect::<Vec<_>>().join(","),
    };
    let default = matches!((scheme, port), (_, "") | ("http", "80") | ("https", "443") | ("ftp", "21"));
    if !default {
        out.push(':');
        out.push_str(port);
    }
    out.push(')');
    let (path, query) = tail.split_once('?').map_or((tail, ""), |(path, query)| (path, query));
    out.push('/');
    out.push_str(path.trim_start_matches('/').trim_end_matches('/'));
    if !query.is_empty() {
        let mut parameters: Vec<&str> = query.split('&').collect();
        parameters.sort_unstable();
        out.push('?');
        out.push_str(&parameters.join("&"));
    }
    escaped(&out)
}

/// `www.`, `www2.` and so on gone, where a name follows.
fn without_www(host: &str) -> &str {
    let Some(rest) = host.strip_prefix("www") else { return host };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix('.').filter(|name| !name.is_empty()).unwrap_or(host)
}

/// A key is a word of a line: white space and controls are percent-encoded.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                out.push_str(&format!("%{byte:02x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_field() {
        for (url, want) in [
            ("http://www.Example.com/", "com,example)/"),
            ("https://www2.example.com:443/A/b/?Z=1&a=2", "com,example)/a/b?a=2&z=1"),
            ("http://example.com:8080", "com,example:8080)/"),
            ("http://www.com/", "com)/"),
            ("http://10.0.0.1/x", "10.0.0.1)/x"),
            ("http://[::1]:81/x", "[::1]:81)/x"),
            ("http://u:p@a.b/?#x", "b,a)/"),
            ("urn:pageinfo:http://a.b/", "urn:pageinfo:http://a.b/"),
            ("dns:a b", "dns:a%20b"),
        ] {
            assert_eq!(urlkey(url), want, "{url}");
        }
    }
}
