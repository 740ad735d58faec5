//! Which proxy a URL is asked through, if any.

use std::net::IpAddr;

use ipnet::IpNet;

use super::address;
use super::address::undotted;
use super::proxy::Proxy;
use crate::secret::{is_withheld, missing};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// The proxies of a crawl, and the hosts that are asked without.
#[derive(Debug, Default)]
pub(super) struct Proxies {
    http: Option<Proxy>,
    https: Option<Proxy>,
    except: Vec<Exception>,
}

/// Hosts that are asked without a proxy.
#[derive(Debug, PartialEq)]
enum Exception {
    All,
    Host(String),
    /// A domain with all below it.
    Domain(String),
    Net(IpNet),
}

impl Proxies {
    /// Reads the settings `proxy` and `no_proxy`.
    pub(super) fn new(proxy: Option<&str>, no_proxy: &[String]) -> Result<Proxies> {
        let mut proxies = Proxies::default();
        let list = proxy.unwrap_or_default();
        if proxy.is_some() && list.trim().is_empty() {
            return Err(Error::Config("proxy: \"\" names no host".into()));
        }
        if is_withheld(list) {
            return Err(missing("proxy"));
        }
        for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            // `http=` before a URL; the `=` of an account comes after `://`.
            let (scheme, url) = match part.split_once('=') {
                Some((scheme, url)) if !scheme.contains(':') => (scheme, url),
                _ => ("all", part),
            };
            let places: &mut [&mut Option<Proxy>] = match scheme {
                "http" => &mut [&mut proxies.http],
                "https" => &mut [&mut proxies.https],
                "all" => &mut [&mut proxies.http, &mut proxies.https],
                other => return Err(Error::Config(format!("proxy: {other}= is neither http= nor https="))),
            };
            // One for a scheme counts more than one for all, wherever it stands.
            for place in places.iter_mut() {
                if scheme != "all" || place.is_none() {
                    **place = Some(Proxy::parse(url)?);
                }
            }
        }
        for text in no_proxy {
            proxies.except.push(Exception::parse(text)?);
        }
        Ok(proxies)
    }

    /// The proxy for a URL.
    pub(super) fn of(&self, url: &CanonicalUrl) -> Option<&Proxy> {
        let proxy = if url.scheme() == "https" { self.https.as_ref() } else { self.http.as_ref() };
        proxy.filter(|_| !self.excepts(url.host()))
    }

    /// Whether names of this host are looked up by proxies alone.
    pub(super) fn resolve(&self, host: &str) -> bool {
        let remote = |proxy: &Option<Proxy>| proxy.as_ref().is_some_and(|proxy| !proxy.wants_addresses());
        remote(&self.http) && remote(&self.https) && !self.excepts(host)
    }

    fn excepts(&self, host: &str) -> bool {
        if self.except.is_empty() {
            return false;
        }
        let (host, ip) = (undotted(host), address::literal(host));
        self.except.iter().any(|except| except.holds(host, ip))
    }
}

impl Exception {
    fn parse(text: &str) -> Result<Exception> {
        let host = text.trim().to_ascii_lowercase();
        let bad = || Error::Config(format!("no_proxy: {text:?} is neither host, .domain, address nor range"));
        if host == "*" {
            return Ok(Exception::All);
        }
        if let Ok(ip) = host.trim_matches(|c| c == '[' || c == ']').parse::<IpAddr>() {
            return Ok(Exception::Net(ip.into()));
        }
        if host.contains('/') {
            return host.parse().map(Exception::Net).map_err(|_| bad());
        }
        let domain = host.strip_prefix("*.").or(host.strip_prefix('.'));
        let name = domain.unwrap_or(&host);
        if name.is_empty() || name.bytes().any(|b| b <= b' ' || b":/@*,".contains(&b)) {
            return Err(bad());
        }
        Ok(match domain {
            Some(domain) => Exception::Domain(domain.to_owned()),
            None => Exception::Host(undotted(&host).to_owned()),
        })
    }

    fn holds(&self, host: &str, ip: Option<IpAddr>) -> bool {
        match self {
            Exception::All => true,
            Exception::Host(name) => name == host,
            Exception::Domain(domain) => {
                host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Exception::Net(net) => ip.is_some_and(|ip| net.contains(&ip)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(proxy: &str, except: &[&str]) -> Result<Proxies> {
        let except: Vec<String> = except.iter().map(|text| (*text).to_owned()).collect();
        Proxies::new(Some(proxy), &except)
    }

    fn of(proxies: &Proxies, url: &str) -> Option<u16> {
        proxies.of(&CanonicalUrl::parse(url).unwrap()).map(Proxy::port)
    }

    #[test]
    fn a_proxy_for_each_scheme() {
        let (http, https) = ("http://a.test/", "https://a.test/");
        for (list, want) in [
            ("http://p:1", (Some(1), Some(1))),
            ("p:1", (Some(1), Some(1))),
            ("http=http://p:1", (Some(1), None)),
            ("https=socks5h://u:p=w@p:2", (None, Some(2))),
            ("http=p:1,https=p:2", (Some(1), Some(2))),
            ("socks5://p:3,https=p:2", (Some(3), Some(2))),
            ("https=p:2, socks5://p:3", (Some(3), Some(2))),
        ] {
            let proxies = proxies(list, &[]).unwrap();
            assert_eq!((of(&proxies, http), of(&proxies, https)), want, "{list}");
        }
        for bad in ["", " ", "ftp=p:1", "http=ftp://p:1", "http=", "https://p:1"] {
            assert!(proxies(bad, &[]).is_err(), "{bad}");
        }
    }

    #[test]
    fn hosts_that_are_asked_without() {
        let all = ["a.test", ".b.test", "*.c.test", "10.0.0.0/8", "2001:db8::1", "D.test."];
        let proxies = proxies("p:1", &all).unwrap();
        for (host, through) in [
            ("a.test", false),
            ("x.a.test", true),
            ("b.test", false),
            ("x.b.test", false),
            ("xb.test", true),
            ("y.x.c.test.", false),
            ("10.1.2.3", false),
            ("11.1.2.3", true),
            ("[2001:db8::1]", false),
            ("d.test", false),
            ("e.test", true),
        ] {
            let got = of(&proxies, &format!("http://{host}/"));
            assert_eq!(got.is_some(), through, "{host}");
            assert_eq!(proxies.resolve(host), through, "{host}");
        }
        assert_eq!(of(&Proxies::new(None, &[]).unwrap(), "http://a.test/"), None);
        for bad in ["", ".", "a/b", "10.0.0.0/99", "a b", "http://a"] {
            assert!(Exception::parse(bad).is_err(), "{bad}");
        }
        assert!(!proxies_of("socks5://p").resolve("a.test"), "names are looked up here");
        assert!(!proxies_of("http=p").resolve("a.test"), "https goes without");
    }

    fn proxies_of(list: &str) -> Proxies {
        proxies(list, &[]).unwrap()
    }
}
