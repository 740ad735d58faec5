//! What a request carries, as text for a query.

use std::fmt::Write as _;

use data_encoding::BASE64;
use percent_encoding::percent_decode_str;

use super::{MAX_QUERY, json};

/// The URL with the method and what the request carries appended to its query.
pub fn appended(url: &str, method: &str, query: &str) -> String {
    let mark = if url.contains('?') { '&' } else { '?' };
    let mut out = format!("{url}{mark}__wb_method={method}");
    if !query.is_empty() {
        out.push('&');
        out.push_str(query);
    }
    out
}

/// Method and query of a request that is stored as it was sent; `None` where it is neither POST nor PUT.
pub(super) fn of_request(data: &[u8]) -> Option<(String, String)> {
    let line_end = memchr::memchr(b'\n', data)?;
    let method = data[..line_end].split(|b| *b == b' ').next()?;
    let method = [&b"POST"[..], b"PUT"].into_iter().find(|known| *known == method)?;
    let method = String::from_utf8_lossy(method).into_owned();
    let end = memchr::memmem::find(data, b"\r\n\r\n").map(|at| (at, at + 4));
    let (head, body) = match end.or_else(|| memchr::memmem::find(data, b"\n\n").map(|at| (at, at + 2))) {
        Some((head, body)) => (&data[line_end + 1..head.max(line_end + 1)], &data[body..]),
        None => (&data[line_end + 1..], &[][..]),
    };
    let header = |name: &str| {
        head.split(|b| *b == b'\n').find_map(|line| {
            let colon = memchr::memchr(b':', line)?;
            line[..colon].eq_ignore_ascii_case(name.as_bytes()).then(|| line[colon + 1..].trim_ascii())
        })
    };
    let declared = String::from_utf8_lossy(header("content-type").unwrap_or_default());
    Some((method, query(&declared, body)))
}

/// What a body of a declared media type says, as a query.
pub fn query(declared: &str, body: &[u8]) -> String {
    let mime = declared.split(';').next().unwrap_or_default().trim();
    let base64 = || format!("__wb_post_data={}", BASE64.encode(body));
    if body.is_empty() {
        return String::new();
    }
    let mut query = match mime {
        "application/x-www-form-urlencoded" => match std::str::from_utf8(body) {
            Ok(form) => unquoted(form),
            Err(_) => base64(),
        },
        "application/json" => json::query(body).unwrap_or_default(),
        "text/plain" => json::query(body).unwrap_or_else(base64),
        "multipart/form-data" => multipart(declared, body).unwrap_or_else(base64),
        _ => base64(),
    };
    query.truncate(query.floor_char_boundary(MAX_QUERY));
    query
}

/// `+` as a blank, triplets decoded; bytes that are then not UTF-8 become U+FFFD, as in the reference.
fn unquoted(form: &str) -> String {
    percent_decode_str(&form.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// Percent-encoded as forms are.
pub(super) fn push_quoted(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        match byte {
            b' ' => out.push('+'),
            b'_' | b'.' | b'-' | b'~' => out.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(*byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
}

/// `name=value` of each part that has a name; `None` where the body is not in parts.
fn multipart(declared: &str, body: &[u8]) -> Option<String> {
    let boundary = parameter(declared, "boundary")?;
    let boundary = format!("--{boundary}");
    let mut out = String::new();
    let mut rest = &body[memchr::memmem::find(body, boundary.as_bytes())? + boundary.len()..];
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        let end = memchr::memmem::find(part, format!("\r\n{boundary}").as_bytes())?;
        let (part, after) = (&part[..end], &part[end + 2 + boundary.len()..]);
        let blank = memchr::memmem::find(part, b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&part[..blank]);
        let name = head.lines().find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field
                .eq_ignore_ascii_case("content-disposition")
                .then(|| parameter(value, "name").map(str::to_owned))?
        });
        if let Some(name) = name {
            if !out.is_empty() {
                out.push('&');
            }
            push_quoted(name.as_bytes(), &mut out);
            out.push('=');
            push_quoted(&part[blank + 4..], &mut out);
        }
        rest = after;
        if out.len() > MAX_QUERY {
            break;
        }
    }
    Some(out)
}

/// A parameter of a field, without its quotes.
fn parameter<'t>(field: &'t str, name: &str) -> Option<&'t str> {
    field.split(';').skip(1).find_map(|parameter| {
        let (found, value) = parameter.split_once('=')?;
        found.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_appended_as_the_reference_does() {
        let part = |value: &[u8]| {
            [
                &b"--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"[..],
                value,
                b"\r\n--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n\x00\xff\r\n--XX--\r\n",
            ]
            .concat()
        };
        let form = "application/x-www-form-urlencoded";
        let json = "application/json";
        for (declared, body, want) in [
            (form, &b"foo=bar&test=abc"[..], "foo=bar&test=abc"),
            ("application/x-www-form-urlencoded; charset=utf-8", b"foo=b%20r+x&A=\xc3\xa9", "foo=b r x&A=é"),
            (form, b"foo=\xff\xfe", "__wb_post_data=Zm9vPf/+"),
            (form, b"", ""),
            (form, b"{\"a\": 1}", "{\"a\": 1}"),
            (form, b"a=%2541&b=%26&c=%00", "a=%41&b=&&c=\0"),
            (json, b"{\"a\": 1, \"b\": \"x y\", \"c\": [1,2,{\"d\": true}], \"e\": null, \"f\": 1.50}", "a=1&b=x+y&c=1&c.2_=2&d=True&e=None&f=1.5"),
            (json, b"{\"a\": {\"b\": {\"c\": \"d\"}}, \"a2\": [], \"z\": {}}", "c=d"),
            (json, b"{\"a\": 1, \"x\": {\"a\": 2}, \"y\": [{\"a\": 3}, {\"a\": 4}]}", "a=1&a.2_=2&a.3_=3&a.4_=4"),
            (json, b"[1,2,{\"a\":\"b\"}]", "a=b"),
            (json, b"\"str\"", ""),
            (json, b"{broken", ""),
            (json, b"{\"a\":1}\n{\"b\":2}", "a=1&b=2"),
            (json, b"{\"a\":{\"b\":1,\"c\":{\"b\":5}},\"b\":2,\"d\":[[1,2],[3,{\"b\":4}]], \"q&=\": \"&= +%\", \"\":\"x\", \"s\":\"\"}", "b=1&b.2_=5&b.3_=2&d=1&d.2_=2&d.3_=3&b.4_=4&q%26%3D=%26%3D+%2B%25&s="),
            (json, b"{\"b\": -0.0, \"c\": 1.0E+2, \"e\": 0.1, \"f\": 1e22, \"g\": 1e16, \"h\": 1e-5, \"i\":0.0001}", "b=-0.0&c=100.0&e=0.1&f=1e%2B22&g=1e%2B16&h=1e-05&i=0.0001"),
            (json, b"{\"a\": 1, \"a\": 2, \"b\": [ \"x\", \"x\" ]}", "a=2&b=x&b.2_=x"),
            ("application/vnd.api+json", b"{\"a\": 1}", "__wb_post_data=eyJhIjogMX0="),
            ("text/plain", b"{\"a\": 1, \"b\": 2}", "a=1&b=2"),
            ("text/plain", b"hello world", "__wb_post_data=aGVsbG8gd29ybGQ="),
            ("text/plain;charset=UTF-8", b"{\"a\": 1}", "a=1"),
            ("text/plain", b"{\"a\":1}\n\n{\"a\":2}\n", "__wb_post_data=eyJhIjoxfQoKeyJhIjoyfQo="),
            ("multipart/form-data; boundary=XX", &part(b"val 1"), "a=val+1&f=%00%FF"),
            ("multipart/form-data; boundary=XX", &part(b"a&b=\xc3\xa9"), "a=a%26b%3D%C3%A9&f=%00%FF"),
            ("application/octet-stream", b"\x00\x01\xff binary", "__wb_post_data=AAH/IGJpbmFyeQ=="),
            ("", b"no type", "__wb_post_data=bm8gdHlwZQ=="),
        ] {
            let request = [format!("POST / HTTP/1.1\r\nContent-Type: {declared}\r\n\r\n").as_bytes(), body].concat();
            let (method, query) = of_request(&request).unwrap();
            assert_eq!((&*method, &*query), ("POST", want), "{declared} {}", String::from_utf8_lossy(body));
        }
        assert_eq!(of_request(b"GET / HTTP/1.1\r\n\r\n"), None);
        assert_eq!(of_request(b"POST"), None);
        assert_eq!(appended("http://a/", "POST", ""), "http://a/?__wb_method=POST");
        assert_eq!(appended("http://a/?q", "PUT", "a=1"), "http://a/?q&__wb_method=PUT&a=1");
    }

    #[test]
    fn hostile_bodies_are_bounded() {
        let deep = [b"POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n", &b"[".repeat(1 << 20)[..]]
            .concat();
        assert_eq!(of_request(&deep).unwrap().1, "");
        let long = [b"POST / HTTP/1.1\r\n\r\n", &b"\xc3\xa9".repeat(1 << 20)[..]].concat();
        assert_eq!(of_request(&long).unwrap().1.len(), MAX_QUERY);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_can_be_a_request(data in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80), n in 0_usize..4) {
            let types = ["application/json", "text/plain", "multipart/form-data; boundary=-", "application/x-www-form-urlencoded"];
            of_request(&data);
            query(types[n], &data);
        }
    }
}
