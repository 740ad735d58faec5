//! Passwords, tokens and what else must not leave the process: where they come from, and the data kept of them.
//!
//! A secret stands in a recipe as itself, or is named: `{ env = "NAME" }` is the value of an environment variable,
//! `{ file = "PATH" }` the content of a file. The variable or file is read when it is needed, and its content is stored nowhere. What stands in
//! the settings as itself is replaced by [`WITHHELD`] before a crawl leaves its settings in its folder
//! ([`CrawlOptions::without_secrets`](crate::CrawlOptions::without_secrets)); a crawl that is resumed from them says what it needs again
//! ([`CrawlOptions::check`](crate::CrawlOptions::check)).

use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use webmill_capture::cut::Cut;

use serde::{Deserialize, Serialize};

use webmill_capture::error::{AtPath, Error, Result};

/// Stands where a secret was that is kept nowhere.
pub const WITHHELD: &str = "<withheld>";
/// Longest secret.
const MAX_BYTES: u64 = 64 << 10;
/// Headers that say nothing that others may not know; every other one given by the user may be a secret.
const OPEN_HEADERS: [&str; 14] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "dnt",
    "from",
    "pragma",
    "range",
    "referer",
    "save-data",
    "upgrade-insecure-requests",
    "user-agent",
    "x-requested-with",
];

/// A secret, or where it is found.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Secret {
    /// The secret itself.
    Text(String),
    /// Where it is.
    Named(SecretName),
}

/// Where a secret is: exactly one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecretName {
    /// Name of an environment variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// File whose content it is, without white space at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Secret::Text(_) => f.write_str("Secret"),
            Secret::Named(name) => name.fmt(f),
        }
    }
}

impl Secret {
    /// Whether it can be had, as far as that shows without reading it. `of` names it.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub fn check(&self, of: &str) -> Result<()> {
        match self {
            Secret::Text(text) if is_withheld(text) => Err(missing(of)),
            Secret::Named(
                SecretName { env: Some(_), file: None } | SecretName { env: None, file: Some(_) },
            )
            | Secret::Text(_) => Ok(()),
            Secret::Named(_) => {
                Err(Error::Config(format!("{of}: write {{ env = \"NAME\" }} or {{ file = \"PATH\" }}")))
            }
        }
    }

    /// The secret. `of` names it where it is missing.
    ///
    /// # Errors
    /// [`Error::Config`] for a variable that is not set, [`Error::Io`] for a file that cannot be read.
    pub fn reveal(&self, of: &str) -> Result<String> {
        self.check(of)?;
        match self {
            Secret::Text(text) => Ok(text.clone()),
            Secret::Named(SecretName { env: Some(name), .. }) => std::env::var(name)
                .map_err(|_| Error::Config(format!("{of}: the environment variable {name} is not set"))),
            Secret::Named(SecretName { file: Some(path), .. }) => {
                let mut text = String::new();
                let file = std::fs::File::open(path).at(path)?;
                file.take(MAX_BYTES).read_to_string(&mut text).at(path)?;
                text.truncate(text.trim_end().len());
                Ok(text)
            }
            Secret::Named(_) => Err(Error::Internal("a secret was not checked".into())),
        }
    }

    /// Takes away what must not be kept; whether there was something.
    pub(crate) fn withhold(&mut self) -> bool {
        match self {
            Secret::Text(text) if !is_withheld(text) => {
                *text = WITHHELD.into();
                true
            }
            _ => false,
        }
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Secret {
        Secret::Text(text.to_owned())
    }
}

/// Whether a secret stood here.
pub(crate) fn is_withheld(text: &str) -> bool {
    text.contains(WITHHELD)
}

/// A secret that settings do not hold any more.
pub(crate) fn missing(of: &str) -> Error {
    Error::Config(format!(
        "{of}: crawl.toml does not keep secrets; say it again, or name it in a recipe by {{ env = \"NAME\" }} or {{ file = \
         \"PATH\" }}"
    ))
}

/// Takes away the values of headers that may be secret; their names.
pub(crate) fn withhold_headers(headers: &mut [(String, String)]) -> impl Iterator<Item = &str> {
    headers.iter_mut().filter_map(|(name, value)| {
        let lower = name.to_ascii_lowercase();
        let known = OPEN_HEADERS.contains(&&*lower) || lower.starts_with("sec-fetch-");
        if known || is_withheld(value) {
            return None;
        }
        *value = WITHHELD.into();
        Some(name.as_str())
    })
}

/// A list of proxies, `user:password@` with the password taken out; `None` where there is none.
pub(crate) fn proxy_without_password(list: &str) -> Option<String> {
    let mut found = false;
    let parts: Vec<String> = list
        .split(',')
        .map(|part| {
            let begin = part.find("://").map_or(0, |at| at + 3);
            // Whatever is before the last @ of the authority, also where it is written as it should not be.
            let end = part.cut(begin..).find('/').map_or(part.len(), |at| begin + at);
            let Some(at) = part.cut(begin..end).rfind('@').map(|at| begin + at) else {
                return part.to_owned();
            };
            let Some(colon) = part.cut(begin..at).find(':').map(|colon| begin + colon) else {
                return part.to_owned();
            };
            if is_withheld(part.cut(colon..at)) {
                return part.to_owned();
            }
            found = true;
            format!("{}:{WITHHELD}{}", part.cut(..colon), part.cut(at..))
        })
        .collect();
    found.then(|| parts.join(","))
}

/// A request without what it proves who is asking by, nor any header of the user's own: archives are given to others.
pub(crate) fn request_without_secrets(request: &[u8]) -> Vec<u8> {
    const KNOWN: [&str; 12] = [
        "host",
        "user-agent",
        "from",
        "referer",
        "accept",
        "accept-encoding",
        "accept-language",
        "accept-charset",
        "connection",
        "if-none-match",
        "if-modified-since",
        "range",
    ];
    let known = |(n, line): &(usize, &[u8])| {
        let name = line.split(|b| *b == b':').next().unwrap_or_default();
        *n == 0
            || line.trim_ascii().is_empty()
            || KNOWN.iter().any(|k| k.as_bytes().eq_ignore_ascii_case(name))
    };
    let lines = request.split_inclusive(|b| *b == b'\n').enumerate().filter(known);
    lines.flat_map(|(_, line)| line).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_where_they_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "s3cret\n").unwrap();
        let read = |text: &str| toml::from_str::<std::collections::BTreeMap<String, Secret>>(text);
        let of = |text: &str| read(text).unwrap()["x"].reveal("x");
        assert_eq!(of("x = 'plain'").unwrap(), "plain");
        assert_eq!(of(&format!("x = {{ file = '{}' }}", path.display())).unwrap(), "s3cret");
        assert!(matches!(of("x = { file = '/nowhere/at/all' }"), Err(Error::Io { .. })));
        let unset = of("x = { env = 'WEBMILL_NO_SUCH_VARIABLE' }").unwrap_err().to_string();
        assert!(unset.contains("WEBMILL_NO_SUCH_VARIABLE is not set"), "{unset}");
        assert_eq!(of("x = { env = 'CARGO_PKG_NAME' }").unwrap(), "webmill-crawl");
        assert!(of("x = {}").is_err() && of("x = { env = 'a', file = 'b' }").is_err());
        assert!(of(&format!("x = '{WITHHELD}'")).unwrap_err().to_string().contains("say it again"));
        assert!(read("x = { envy = 'a' }").is_err());
        assert_eq!(format!("{:?}", Secret::from("hush")), "Secret");
    }

    #[test]
    fn passwords_of_proxies_are_taken_out() {
        for (list, want) in [
            ("http://p:1", None),
            ("http://user@p:1/", None),
            ("u:pw@p:1", Some("u:<withheld>@p:1")),
            ("https=socks5h://u:p@w@p:1/,http=p:2", Some("https=socks5h://u:<withheld>@p:1/,http=p:2")),
        ] {
            assert_eq!(proxy_without_password(list).as_deref(), want, "{list}");
        }
    }

    #[test]
    fn secrets_are_not_archived() {
        let request =
            b"GET / HTTP/1.1\r\nHost: a.example\r\nCookie: a=b\r\nX-Api-Key: k\r\nAUTHORIZATION: Basic eA==\r\n\r\n";
        assert_eq!(request_without_secrets(request), b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n");
        assert_eq!(request_without_secrets(b""), b"");
    }
}
