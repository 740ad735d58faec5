//! The one form of a host that a user types, wherever one is typed: as canonical URLs have it.
//!
//! Lower-case, internationalised names in ASCII (`例子.测试` is `xn--fsqu00a.xn--0zwm56d`), addresses in their short form,
//! without the dot of the root, and without port 80 or 443, which are those of http and https.

use crate::CanonicalUrl;
use crate::error::{Error, Result};

/// Longest host that is read, in bytes as typed.
const MAX_HOST_BYTES: usize = 1024;

/// A host in canonical form, and the port that was typed with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Host {
    /// The name or address, as [`CanonicalUrl::host`] has it, without the dot of the root.
    pub name: String,
    /// The port; `None` for none, 80 and 443.
    pub port: Option<u16>,
}

impl Host {
    /// The host of a URL; `None` where it has none.
    pub fn of(url: &CanonicalUrl) -> Option<Host> {
        let name = url.host().strip_suffix('.').unwrap_or(url.host());
        let port = url.port().filter(|port| ![80, 443].contains(port));
        (!name.is_empty()).then(|| Host { name: name.to_owned(), port })
    }

    /// The name, where a port makes no sense.
    ///
    /// # Errors
    /// [`Error::Config`] where one was typed.
    pub fn without_port(self) -> Result<String> {
        match self.port {
            None => Ok(self.name),
            Some(port) => Err(Error::Config(format!(
                "{:?} names a port: a host is meant with all its ports, and named without one, as {}",
                format!("{}:{port}", self.name),
                self.name
            ))),
        }
    }
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.port {
            None => f.write_str(&self.name),
            Some(port) => write!(f, "{}:{port}", self.name),
        }
    }
}

/// The host that a user typed, alone or with a port.
///
/// # Errors
/// [`Error::Config`] for anything that is no host: empty, a URL, with a path, a user or a `*`.
///
/// # Examples
/// ```
/// use webmill_capture::canonical_host;
/// assert_eq!(canonical_host("例子.测试")?.name, "xn--fsqu00a.xn--0zwm56d");
/// assert_eq!(canonical_host("Dot.Example.:8080")?.to_string(), "dot.example:8080");
/// assert!(canonical_host("https://a.example/x").unwrap_err().to_string().contains("did you mean a.example?"));
/// # Ok::<(), webmill_capture::Error>(())
/// ```
pub fn canonical_host(text: &str) -> Result<Host> {
    let typed = text.trim();
    let shown: String = typed.chars().take(120).collect();
    if typed.contains('*') {
        return Err(Error::Config(format!(
            "{shown:?} is no host name; all hosts below a domain are named as a domain, without *"
        )));
    }
    let plain = typed.len() <= MAX_HOST_BYTES
        && !typed.is_empty()
        && !typed.contains(['/', '@', '?', '#', '\\'])
        && !typed.ends_with(':')
        && !typed.contains(char::is_whitespace);
    let url = plain.then(|| CanonicalUrl::parse(&format!("http://{typed}/"))).flatten();
    url.and_then(|url| Host::of(&url)).ok_or_else(|| {
        let meant = CanonicalUrl::parse(typed).filter(CanonicalUrl::is_web);
        let meant = meant.and_then(|url| Host::of(&url));
        let meant = meant.map_or_else(String::new, |host| format!("; did you mean {host}?"));
        Error::Config(format!("{shown:?} is no host name{meant}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form_of_every_spelling() {
        for (typed, name, port) in [
            (" Upper.Example ", "upper.example", None),
            ("例子.测试", "xn--fsqu00a.xn--0zwm56d", None),
            ("XN--FSQU00A.xn--0zwm56d", "xn--fsqu00a.xn--0zwm56d", None),
            ("poſtgres.example", "postgres.example", None),
            ("dot.example.", "dot.example", None),
            ("a.example:80", "a.example", None),
            ("a.example:443", "a.example", None),
            ("a.example.:8080", "a.example", Some(8080)),
            ("0xC0000207", "192.0.2.7", None),
            ("[2001:DB8:0::1]:81", "[2001:db8::1]", Some(81)),
        ] {
            assert_eq!(canonical_host(typed).unwrap(), Host { name: name.into(), port }, "{typed}");
        }
        for (typed, says) in [
            ("", "no host name"),
            (".", "no host name"),
            ("a b", "no host name"),
            ("u@a.example", "no host name"),
            ("a.example:80:", "no host name"),
            ("a.example:99999", "no host name"),
            ("*.a.example", "named as a domain"),
            ("HTTP://A.example:8080/x", "did you mean a.example:8080?"),
        ] {
            let error = canonical_host(typed).unwrap_err().to_string();
            assert!(error.contains(says), "{typed}: {error}");
        }
        let error = canonical_host("A.example:81").unwrap().without_port().unwrap_err().to_string();
        assert!(error.contains("as a.example"), "{error}");
    }
}
