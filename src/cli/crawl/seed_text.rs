//! A seed as people type it: a URL, or a host with a path, before which `http://` is put.

use std::path::Path;

use webmill_capture::CanonicalUrl;

/// Reads one seed.
///
/// # Errors
/// Why it cannot be one, in words.
pub fn read(typed: &str) -> Result<CanonicalUrl, String> {
    let text = typed.trim();
    if text.starts_with(['/', '~', '.']) || text.starts_with("file:") || Path::new(text).is_file() {
        return Err(
            "that is a file; a list of seeds is named with --seeds FILE, a host as http://HOST/".into()
        );
    }
    if text.split_whitespace().skip(1).any(|part| part.contains("://")) {
        return Err("there are several URLs; write one a line".into());
    }
    let url = match text.split_once("://") {
        Some((_, rest)) if ["http://", "https://"].iter().any(|scheme| rest.starts_with(scheme)) => {
            return Err(format!("it has two schemes; did you mean {rest}?"));
        }
        Some((scheme, rest)) if !["http", "https"].contains(&&*scheme.to_ascii_lowercase()) => {
            return Err(format!("{scheme}:// is not fetched; did you mean http://{rest}?"));
        }
        Some(_) => CanonicalUrl::parse(text),
        None => CanonicalUrl::parse(&format!("http://{}", host_first(text)?)),
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._[]:".contains(&b);
    url.filter(|url| url.is_web() && !url.host().is_empty() && url.host().bytes().all(plain))
        .ok_or_else(|| "it is no URL that can be fetched; one URL a line, without anything else".into())
}

/// A text that begins with a host, as far as that is clear.
fn host_first(text: &str) -> Result<&str, String> {
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("it looks like a mail address; a URL begins with http:// or https://".into());
    }
    let clear = authority.contains(['.', ':']) || authority.eq_ignore_ascii_case("localhost");
    match clear {
        true => Ok(text),
        false => {
            Err(format!("it has neither scheme nor dot; if {authority:?} is a host, write http://{text}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_is_clear_is_read() {
        for (typed, want) in [
            (" HTTPS://A.example ", "https://a.example/"),
            ("a.example/x?y", "http://a.example/x?y"),
            ("例え.jp", "http://xn--r8jz45g.jp/"),
            ("http://user:pw@a.example/", "http://user:pw@a.example/"),
            ("localhost", "http://localhost/"),
            ("intranet:8000/wiki", "http://intranet:8000/wiki"),
            ("[::1]:8000", "http://[::1]:8000/"),
            ("http://a.example/my page", "http://a.example/my%20page"),
        ] {
            assert_eq!(read(typed).as_ref().map(|url| url.as_str()), Ok(want), "{typed}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
        for (typed, word) in [
            ("", "neither scheme nor dot"),
            ("htp://a.example/", "did you mean http://a.example/"),
            ("javascript:void(0)", "no URL"),
            ("mailto:a@b.example", "mail address"),
            ("/home/me/seeds.txt", "--seeds FILE"),
            ("Cargo.toml", "--seeds FILE"),
            ("http://", "no URL"),
            ("intranet", "neither scheme nor dot"),
            ("http://a b.example/", "no URL"),
            ("1,a.example", "no URL"),
            ("http://a.example/ http://b.example/", "several URLs"),
            ("http://https://a.example/", "did you mean https://a.example/"),
        ] {
            let why = read(typed).expect_err(typed);
            assert!(why.contains(word), "{typed}: {why}");
        }
    }
}
