//! One address a page, and the account that a URL may carry.

use percent_encoding::percent_decode_str;
use webmill_capture::cut::Cut;

use webmill_capture::CanonicalUrl;

/// A URL without what makes it another address of the same page on the same host: user name and password, which are not for
/// archives and make endless variants, and the dot of the root after the host's name.
pub fn plain(url: CanonicalUrl) -> CanonicalUrl {
    let text = url.as_str();
    let Some(start) = text.find("://").map(|at| at + 3) else { return url };
    let authority = text.cut(start..text.len() - url.path_and_query().len());
    let dotted = url.host().ends_with('.') && !url.is_ip();
    let Some(at) = authority.rfind('@').map(|at| at + 1).or(dotted.then_some(0)) else { return url };
    let mut place = authority.cut(at..).to_owned();
    if dotted {
        place = place.replacen(url.host(), url.host().trim_end_matches('.'), 1);
    }
    CanonicalUrl::parse(&format!("{}{place}{}", text.cut(..start), url.path_and_query())).unwrap_or(url)
}

/// `host` or `host:port` of a URL with user name and password, and these as `user:password`.
pub fn account(url: &CanonicalUrl) -> Option<(String, String)> {
    let text = url.as_str();
    let start = text.find("://")? + 3;
    let authority = text.cut(start..text.len() - url.path_and_query().len());
    let (account, _) = authority.rsplit_once('@')?;
    let decoded = percent_decode_str(account).decode_utf8_lossy();
    let account = if decoded.contains(':') { decoded.into_owned() } else { format!("{decoded}:") };
    let host = match url.port() {
        Some(port) => format!("{}:{port}", url.host()),
        None => url.host().to_owned(),
    };
    Some((host, account))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_a_page() {
        for (given, want, sent) in [
            ("http://a.example/x?y", "http://a.example/x?y", None),
            ("http://a.example.:8080/x", "http://a.example:8080/x", None),
            ("http://u:p@a.example/x", "http://a.example/x", Some(("a.example", "u:p"))),
            (
                "https://u%40v:p%3A@a.example.:81/@x",
                "https://a.example:81/@x",
                Some(("a.example.:81", "u@v:p:")),
            ),
            ("http://u@a.example/", "http://a.example/", Some(("a.example", "u:"))),
            ("http://a%4g%+1:%41%@a.example/", "http://a.example/", Some(("a.example", "a%4g%+1:A%"))),
            ("http://127.0.0.1/", "http://127.0.0.1/", None),
        ] {
            let url = CanonicalUrl::parse(given).unwrap();
            assert_eq!(plain(url.clone()).as_str(), want, "{given}");
            let found = account(&url);
            assert_eq!(found.as_ref().map(|(h, a)| (h.as_str(), a.as_str())), sent, "{given}");
        }
    }
}
