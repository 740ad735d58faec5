//! What an operator may ask of a crawl, and the line of JSON that it travels as.

use regex::Regex;
use serde::{Deserialize, Serialize};

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// Longest line of a command, bytes.
pub const MAX_LINE_BYTES: usize = 64 << 10;
/// Most URLs of one command.
pub const MAX_URLS: usize = 1_000;
/// Longest pattern of `drop`, bytes.
const MAX_PATTERN_BYTES: usize = 4 << 10;
/// Longest delay that can be set: 30 days.
const MAX_DELAY_MS: u64 = 30 * 86_400_000;
/// Bytes that a compiled expression may take.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// A command, as `{"command": "add", "urls": ["http://a.example/"]}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Command {
    /// Nothing further is asked for until `resume`; requests under way are finished.
    Pause {},
    /// Goes on after `pause`.
    Resume {},
    /// Ends the run as Ctrl-C does.
    Stop {},
    /// Takes URLs in as seeds are; one that is known is asked for again.
    Add {
        /// URLs as they were given, not yet canonical.
        urls: Vec<String>,
    },
    /// Known URLs are asked for again now.
    Due {
        /// URLs as they were given, not yet canonical.
        urls: Vec<String>,
    },
    /// What matches is neither queued nor asked for any more.
    Drop {
        /// Beginning of URLs where it starts with `http://` or `https://`, else a regular expression.
        pattern: String,
    },
    /// Takes a pattern of `drop` back, for URLs that are found from now on.
    Undrop {
        /// The pattern, as it was given.
        pattern: String,
    },
    /// Leaves a host alone until `unpark`; its URLs are kept.
    Park {
        /// Name of the host.
        host: String,
    },
    /// Goes on with a parked host, or with one that waits after failures.
    Unpark {
        /// Name of the host.
        host: String,
    },
    /// Changes settings; they hold for later runs too.
    Set {
        /// Least pause between two requests to a host, ms.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delay_ms: Option<u64>,
        /// Limit of pages.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pages: Option<u64>,
    },
}

impl Command {
    /// Reads a line of JSON and holds it against the bounds.
    ///
    /// # Errors
    /// [`Error::Config`] says its defects.
    pub fn parse(line: &[u8]) -> Result<Command> {
        if line.len() > MAX_LINE_BYTES {
            return Err(Error::Config(format!(
                "a command of {} bytes: {MAX_LINE_BYTES} are possible",
                line.len()
            )));
        }
        let command: Command =
            serde_json::from_slice(line).map_err(|e| Error::Config(format!("not a command: {e}")))?;
        command.check()?;
        Ok(command)
    }

    /// Holds every field against its range.
    ///
    /// # Errors
    /// [`Error::Config`] names the field.
    pub fn check(&self) -> Result<()> {
        match self {
            Command::Pause {} | Command::Resume {} | Command::Stop {} => Ok(()),
            Command::Add { urls } | Command::Due { urls } => {
                if urls.is_empty() || urls.len() > MAX_URLS {
                    return Err(Error::Config(format!("{} URLs: 1 to {MAX_URLS} are possible", urls.len())));
                }
                urls.iter().try_for_each(|url| web_url(url).map(drop))
            }
            Command::Drop { pattern } => Pattern::new(pattern).map(drop),
            Command::Undrop { pattern } => bounded(pattern).map(drop),
            Command::Park { host } | Command::Unpark { host } => host_name(host).map(drop),
            Command::Set { delay_ms: None, pages: None } => Err(Error::Config("set: name a setting".into())),
            Command::Set { delay_ms, .. } => match delay_ms {
                Some(ms) if *ms > MAX_DELAY_MS => {
                    Err(Error::Config(format!("delay_ms {ms}: 0 to {MAX_DELAY_MS} are possible")))
                }
                _ => Ok(()),
            },
        }
    }
}

/// A URL that can be fetched.
///
/// # Errors
/// [`Error::Config`].
pub fn web_url(text: &str) -> Result<CanonicalUrl> {
    CanonicalUrl::parse(text)
        .filter(|url| url.is_web() && !url.host().is_empty())
        .ok_or_else(|| Error::Config(format!("{:?} is not a URL that can be fetched", shortened(text))))
}

/// The name of a host as canonical URLs have it, which keep the dot of the root.
///
/// # Errors
/// [`Error::Config`].
pub fn host_name(text: &str) -> Result<String> {
    let name = webmill_capture::canonical_host(text)?.without_port()?;
    Ok(if text.trim().ends_with('.') { name + "." } else { name })
}

fn bounded(pattern: &str) -> Result<&str> {
    if pattern.is_empty() || pattern.len() > MAX_PATTERN_BYTES {
        return Err(Error::Config(format!(
            "a pattern of {} bytes: 1 to {MAX_PATTERN_BYTES} are possible",
            pattern.len()
        )));
    }
    Ok(pattern)
}

fn shortened(text: &str) -> String {
    text.chars().take(120).collect()
}

/// A pattern of `drop`.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    /// None: the text is the beginning of URLs.
    expression: Option<Regex>,
}

impl Pattern {
    /// Compiles it.
    ///
    /// # Errors
    /// [`Error::Config`]: too long, or neither the beginning of a URL nor an expression.
    pub fn new(text: &str) -> Result<Pattern> {
        let prefix = text.starts_with("http://") || text.starts_with("https://");
        let expression = (!prefix)
            .then(|| {
                regex::RegexBuilder::new(bounded(text)?).size_limit(MAX_REGEX_BYTES).build().map_err(|e| {
                    Error::Config(format!("{:?} is not a regular expression: {e}", shortened(text)))
                })
            })
            .transpose()?;
        Ok(Pattern { text: bounded(text)?.to_owned(), expression })
    }

    /// As it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a URL matches.
    pub fn matches(&self, url: &str) -> bool {
        match &self.expression {
            Some(expression) => expression.is_match(url),
            None => url.starts_with(&self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn commands_and_their_lines() {
        for (line, want) in [
            (r#"{"command":"pause"}"#, Command::Pause {}),
            (
                r#"{"command":"add","urls":["http://a.example/"]}"#,
                Command::Add { urls: vec!["http://a.example/".into()] },
            ),
            (r#"{"command":"drop","pattern":"/tag/"}"#, Command::Drop { pattern: "/tag/".into() }),
            (r#"{"command":"park","host":"a.example"}"#, Command::Park { host: "a.example".into() }),
            (r#"{"command":"set","delay_ms":0}"#, Command::Set { delay_ms: Some(0), pages: None }),
        ] {
            let command = Command::parse(line.as_bytes()).unwrap();
            assert_eq!(command, want);
            assert_eq!(serde_json::to_string(&command).unwrap(), line);
        }
    }

    #[test]
    fn hostile_commands_are_refused_with_a_reason() {
        let many =
            format!(r#"{{"command":"add","urls":[{}"http://a.example/"]}}"#, "\"http://a/\",".repeat(1000));
        let long = format!(r#"{{"command":"drop","pattern":"{}"}}"#, "x".repeat(MAX_LINE_BYTES));
        let deep = "[".repeat(10_000);
        for (line, reason) in [
            ("", "not a command"),
            ("pause", "not a command"),
            ("{}", "missing field"),
            ("\u{0}\u{1}", "not a command"),
            (r#"{"command":"fly"}"#, "unknown variant"),
            (r#"{"command":1}"#, "not a command"),
            (r#"{"command":"pause","now":true}"#, "unknown field"),
            (r#"{"command":"status","urls":[]}"#, "unknown variant"),
            (r#"{"command":"add"}"#, "missing field"),
            (r#"{"command":"add","urls":[]}"#, "1 to 1000"),
            (r#"{"command":"add","urls":"http://a.example/"}"#, "invalid type"),
            (r#"{"command":"add","urls":["mailto:a@b.example"]}"#, "not a URL"),
            (r#"{"command":"add","urls":["http://"]}"#, "not a URL"),
            (r#"{"command":"drop","pattern":"("}"#, "regular expression"),
            (r#"{"command":"drop","pattern":""}"#, "1 to 4096"),
            (r#"{"command":"drop","pattern":"(\\w{500}){500}"}"#, "regular expression"),
            (r#"{"command":"park","host":"a b"}"#, "no host name"),
            (r#"{"command":"park","host":"a.example/x"}"#, "no host name"),
            (r#"{"command":"park","host":"a.example:80:"}"#, "no host name"),
            (r#"{"command":"park","host":"A.example:8080"}"#, "named without one, as a.example"),
            (r#"{"command":"set"}"#, "name a setting"),
            (r#"{"command":"set","delay_ms":-1}"#, "invalid value"),
            (r#"{"command":"set","delay_ms":99999999999}"#, "delay_ms"),
            (&many, "1001 URLs"),
            (&long, "65536"),
            (&deep, "not a command"),
        ] {
            let error = Command::parse(line.as_bytes()).expect_err(line).to_string();
            assert!(error.contains(reason), "{line:.80}: {error}");
        }
    }

    #[test]
    fn patterns() {
        let matches = |pattern: &str, url: &str| Pattern::new(pattern).unwrap().matches(url);
        assert!(matches("http://a.example/x.", "http://a.example/x.html"));
        assert!(!matches("http://a.example/x.", "http://a.example/xyz"), "a beginning is no expression");
        assert!(!matches("http://a.example/", "https://b.example/?u=http://a.example/"));
        assert!(matches(r"/tag/\d+$", "https://b.example/tag/12"));
        assert!(!matches(r"/tag/\d+$", "https://b.example/tag/12/"));
    }

    #[test]
    fn hosts() {
        for (text, want) in [
            ("A.Example", Some("a.example")),
            ("例子.测试.", Some("xn--fsqu00a.xn--0zwm56d.")),
            ("a.example:80", Some("a.example")),
            ("[::1]", Some("[::1]")),
            ("a.example:81", None),
            ("", None),
        ] {
            assert_eq!(host_name(text).ok().as_deref(), want, "{text}");
        }
    }
}
