//! The request, as bytes.

use percent_encoding::percent_decode_str;
use webmill_capture::cut::Cut;

use super::account;
use super::accounts::Accounts;
use super::options::FetchOptions;
use super::outcome::Method;
use super::proxy::Proxy;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// The header fields of each request of a crawl, written once.
pub(super) struct Template {
    /// User-Agent, Accept, Accept-Encoding and the extra headers.
    common: Vec<u8>,
    accounts: Accounts,
}

/// What differs from request to request.
#[derive(Default)]
pub(super) struct Extras<'a> {
    /// Asked through this proxy, in absolute form.
    pub proxy: Option<&'a Proxy>,
    /// Value of the Cookie header; empty: none.
    pub cookie: &'a str,
    /// ETag and Last-Modified of an earlier response; empty: none.
    pub conditional: Option<(&'a str, &'a str)>,
    /// Whether the request says that no more requests come.
    pub close: bool,
    pub method: Method,
}

impl Template {
    pub(super) fn new(options: &FetchOptions) -> Result<Template> {
        Ok(Template { common: common(options), accounts: Accounts::new(options)? })
    }

    /// The request for a URL, in the form of HTTP/1.1; `None` where the URL holds what would break it.
    pub(super) fn write(&self, url: &CanonicalUrl, extras: &Extras<'_>) -> Option<Vec<u8>> {
        if url.as_str().bytes().any(|b| b <= b' ' || b >= 0x7f) || url.host().is_empty() {
            return None;
        }
        let target = url.path_and_query();
        let mut out = Vec::with_capacity(
            self.common.len() + target.len() + extras.cookie.len() + 2 * url.host().len() + 160,
        );
        out.extend_from_slice(extras.method.name().as_bytes());
        out.push(b' ');
        if extras.proxy.is_some() {
            out.extend_from_slice(url.scheme().as_bytes());
            out.extend_from_slice(b"://");
            push_authority(&mut out, url);
        }
        out.extend_from_slice(target.as_bytes());
        out.extend_from_slice(b" HTTP/1.1\r\nHost: ");
        push_authority(&mut out, url);
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.common);
        if let Some(own) = own_authorization(url) {
            push_header(&mut out, "Authorization", &own);
        } else if let Some(account) = self.accounts.of(url) {
            push_header(&mut out, "Authorization", account);
        }
        if let Some(credentials) = extras.proxy.and_then(|proxy| proxy.credentials.as_deref()) {
            push_header(&mut out, "Proxy-Authorization", credentials);
        }
        if !extras.cookie.is_empty() {
            push_header(&mut out, "Cookie", extras.cookie);
        }
        if let Some((etag, modified)) = extras.conditional {
            for (name, value) in [("If-None-Match", etag), ("If-Modified-Since", modified)] {
                // What a server once sent comes back from an archive: it may hold anything.
                if !value.is_empty() && !value.bytes().any(|b| b < b' ' || b == 0x7f) {
                    push_header(&mut out, name, value);
                }
            }
        }
        if extras.close {
            out.extend_from_slice(b"Connection: close\r\n");
        }
        out.extend_from_slice(b"\r\n");
        Some(out)
    }
}

/// The headers that every request of some hosts has.
fn common(options: &FetchOptions) -> Vec<u8> {
    let ours = [
        ("User-Agent", options.user_agent.as_str()),
        ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
        ("Accept-Encoding", "gzip, deflate, br, zstd"),
    ];
    let mut common = Vec::new();
    let given = |name: &str| options.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    let ours = ours.into_iter().filter(|(name, _)| !given(name));
    for (name, value) in ours.chain(options.headers.iter().map(|(n, v)| (n.as_str(), v.as_str()))) {
        push_header(&mut common, name, value);
    }
    common
}

/// The value of the Authorization header that a URL itself asks for.
fn own_authorization(url: &CanonicalUrl) -> Option<String> {
    let info = userinfo(url)?;
    let (user, password) = info.split_once(':').unwrap_or((info, ""));
    let plain: Vec<u8> = percent_decode_str(user).chain([b':']).chain(percent_decode_str(password)).collect();
    Some(account::basic(&plain))
}

/// `user:password` of a URL, percent-encoded.
fn userinfo(url: &CanonicalUrl) -> Option<&str> {
    let rest = url.as_str().get(url.scheme().len() + 3..)?;
    let authority = rest.cut(..rest.find('/').unwrap_or(rest.len()));
    authority.rsplit_once('@').map(|(info, _)| info).filter(|info| !info.is_empty() && *info != ":")
}

fn push_authority(out: &mut Vec<u8>, url: &CanonicalUrl) {
    out.extend_from_slice(authority(url).as_bytes());
}

fn authority(url: &CanonicalUrl) -> String {
    match url.port() {
        Some(port) => format!("{}:{port}", url.host()),
        None => url.host().to_owned(),
    }
}

fn push_header(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Account;

    fn written(options: &FetchOptions, url: &str, extras: &Extras<'_>) -> String {
        let url = CanonicalUrl::parse(url).unwrap();
        String::from_utf8(Template::new(options).unwrap().write(&url, extras).unwrap()).unwrap()
    }

    #[test]
    fn plain() {
        let options =
            FetchOptions { user_agent: "test/1 (+mailto:a@b.example)".into(), ..Default::default() };
        assert_eq!(
            written(&options, "http://A.example/x y?q=é#f", &Extras::default()),
            "GET /x%20y?q=%C3%A9 HTTP/1.1\r\nHost: a.example\r\nUser-Agent: test/1 (+mailto:a@b.example)\r\n\
             Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n\
             Accept-Encoding: gzip, deflate, br, zstd\r\n\r\n"
        );
    }

    #[test]
    fn everything_else() {
        let options = FetchOptions {
            user_agent: "t".into(),
            headers: vec![("accept".into(), "*/*".into()), ("Accept-Language".into(), "zh".into())],
            accounts: [("b.example:8443", "u:p"), ("c.example", "c:c")]
                .map(|(host, account)| (host.to_owned(), Account::basic(account)))
                .into(),
            ..Default::default()
        };
        let proxy = Proxy::parse("http://me:se%63ret@127.0.0.1:3128").unwrap();
        let extras = Extras {
            proxy: Some(&proxy),
            cookie: "a=b",
            conditional: Some(("\"x\"", "Sun, 06 Nov 1994 08:49:37 GMT\r\nEvil: 1")),
            close: true,
            method: Method::Get,
        };
        let head = "Host: b.example:8443\r\nUser-Agent: t\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n\
            accept: */*\r\nAccept-Language: zh\r\nAuthorization: Basic dTpw\r\n\
            Proxy-Authorization: Basic bWU6c2VjcmV0\r\nCookie: a=b\r\nIf-None-Match: \"x\"\r\nConnection: close\r\n\r\n";
        assert_eq!(
            written(&options, "http://b.example:8443/p?q", &extras),
            format!("GET http://b.example:8443/p?q HTTP/1.1\r\n{head}")
        );
        // User info of a URL goes before, and never into the request line.
        let own = written(&options, "http://x%40y:z@b.example:8443/p", &extras);
        assert!(own.starts_with("GET http://b.example:8443/p HTTP/1.1\r\n"), "{own}");
        assert!(own.contains("\r\nAuthorization: Basic eEB5Ono=\r\n"), "{own}");
        // What is no code stands for itself.
        let odd = written(&options, "http://a%4g%41%:z@b.example:8443/p", &extras);
        assert!(odd.contains("\r\nAuthorization: Basic YSU0Z0ElOno=\r\n"), "{odd}");
        // Others get nothing.
        for other in ["http://b.example/", "http://xb.example:8443/", "http://a.b.example:8443/"] {
            assert!(!written(&options, other, &Extras::default()).contains("Authorization"), "{other}");
        }
        assert!(written(&options, "https://c.example:9/", &Extras::default()).contains("Basic Yzpj"));
        for dotted in ["http://c.example./", "http://b.example.:8443/"] {
            assert!(written(&options, dotted, &Extras::default()).contains("Authorization"), "{dotted}");
        }
    }

    #[test]
    fn a_site_gets_an_account_of_its_own() {
        let site = crate::site_settings::SiteSettings {
            pattern: "*.a.example".into(),
            account: Some(crate::fetch::Account { token: Some("t0ken".into()), ..Default::default() }),
            ..Default::default()
        };
        let options = FetchOptions { sites: vec![site], ..FetchOptions::default() };
        let template = Template::new(&options).unwrap();
        let sent = |url: &str| {
            let url = CanonicalUrl::parse(url).unwrap();
            String::from_utf8(template.write(&url, &Extras::default()).unwrap()).unwrap()
        };
        assert!(sent("http://api.a.example/x").contains("Authorization: Bearer t0ken\r\n"));
        assert!(!sent("http://b.example/x").contains("t0ken"));
    }

    #[test]
    fn urls_that_would_break_the_request() {
        let template = Template::new(&FetchOptions::default()).unwrap();
        for url in ["mailto:a@b", "data:text/html,x y"] {
            let url = CanonicalUrl::parse(url).unwrap();
            assert_eq!(template.write(&url, &Extras::default()), None, "{url:?}");
        }
    }
}
