//! Filters: what must hold of a field.
//!
//! | dialect | `field:x` | `=field:x` | `~field:x` |
//! |---|---|---|---|
//! | pywb | contains x | is x | begins with a match of x |
//! | Wayback, OutbackCDX | matches x as a whole | is x | matches x as a whole |
//!
//! `!` before it turns it round. A field that a row does not have is empty. Without a field (no colon) the whole line is
//! looked at, as eleven columns of CDX; Wayback takes a number of a column for a field too.

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};
use webmill_capture::cut::Cut;

use super::{BadRequest, Dialect, Field, FieldKind, Row};

/// Memory of a compiled regular expression, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// How a filter looks at a value.
#[derive(Debug, Clone)]
pub enum FilterKind {
    /// The value holds this somewhere.
    Contains(Box<Finder<'static>>),
    /// The value is this.
    Is(String),
    /// The value begins with, or is as a whole, a match.
    Matches(Regex),
}

/// What must hold of a field.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Which field.
    pub field: Field,
    /// What of it.
    pub kind: FilterKind,
    /// Whether it must not hold.
    pub inverted: bool,
}

impl Filter {
    /// Reads `[!][=|~]field:expression`.
    ///
    /// # Errors
    /// A field without a name, a regular expression that cannot be compiled within its memory.
    pub fn parse(text: &str, dialect: Dialect) -> Result<Filter, BadRequest> {
        let (inverted, rest) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (mode, rest) = match rest.as_bytes().first() {
            Some(b'=') => ('=', rest.cut(1..)),
            Some(b'~') => ('~', rest.cut(1..)),
            _ => (' ', rest),
        };
        let whole = || Field::known("", FieldKind::Line);
        let (field, expression) = match rest.split_once(':') {
            Some(("", expression)) => (whole(), expression),
            Some((name, expression)) => (Field::parse(name, dialect)?, expression),
            None => (whole(), rest),
        };
        let kind = match (mode, dialect) {
            ('=', _) => FilterKind::Is(expression.to_owned()),
            (' ', Dialect::Pywb) => FilterKind::Contains(Box::new(Finder::new(expression).into_owned())),
            (_, Dialect::Pywb) => FilterKind::Matches(compile(expression, "")?),
            _ => FilterKind::Matches(compile(expression, "$")?),
        };
        Ok(Filter { field, kind, inverted })
    }

    /// Whether a row stays.
    pub fn holds(&self, row: &Row<'_, '_>) -> bool {
        let value = self.field.value(row).unwrap_or_default();
        let found = match &self.kind {
            FilterKind::Contains(finder) => finder.find(value.as_bytes()).is_some(),
            FilterKind::Is(text) => *value == **text,
            FilterKind::Matches(regex) => regex.is_match(&value),
        };
        found != self.inverted
    }
}

/// An expression that must match from the start, and to the `end` (`$` or nothing).
fn compile(expression: &str, end: &str) -> Result<Regex, BadRequest> {
    let build = |pattern: &str| {
        RegexBuilder::new(pattern)
            .size_limit(MAX_REGEX_BYTES)
            .dfa_size_limit(MAX_REGEX_BYTES)
            .nest_limit(64)
            .build()
    };
    // Alone first: its parentheses must not pair with those around it.
    build(expression).and_then(|_| build(&format!("^(?:{expression}){end}"))).map_err(|error| {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
        BadRequest(format!("filter {expression:?} is no regular expression: {why}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Entry, Timestamp};

    #[test]
    fn each_dialect_reads_filters_its_way() {
        let entry = Entry {
            urlkey: "org,a)/x".into(),
            timestamp: Timestamp(20200101000000),
            url: "http://a.org/x".into(),
            mime: "text/html".into(),
            status: Some(404),
            extra: vec![("charset".into(), "\"UTF-8\"".into()), ("n".into(), "12".into())],
            ..Entry::default()
        };
        let row = Row { entry: &entry, original: None, dupes: None };
        use Dialect::{Outback, Pywb, Wayback};
        for (dialect, filter, want) in [
            (Pywb, "mime:html", true),
            (Pywb, "mime:pdf", false),
            (Pywb, "!mime:pdf", true),
            (Pywb, "=mime:text", false),
            (Pywb, "=mime:text/html", true),
            (Pywb, "!=status:200", true),
            (Pywb, "~mime:text", true),
            (Pywb, "~mime:html", false),
            (Pywb, "~mime:.*html", true),
            (Pywb, "!~status:4..", false),
            (Pywb, "charset:UTF", true),
            (Pywb, "=n:12", true),
            (Pywb, "=nothing:", true),
            (Pywb, "nothing:x", false),
            (Pywb, "a.org/x text", true),
            (Wayback, "statuscode:4..", true),
            (Wayback, "statuscode:4", false),
            (Wayback, "!statuscode:200", true),
            (Wayback, "mimetype:text/.*", true),
            (Wayback, "4:404", true),
            (Wayback, ".*404.*", true),
            (Outback, "!mimetype:warc/revisit", true),
            (Outback, "original:http://.*", true),
            (Outback, "=status:404", true),
        ] {
            let filter_of = Filter::parse(filter, dialect).unwrap();
            assert_eq!(filter_of.holds(&row), want, "{dialect:?} {filter}");
        }
    }

    #[test]
    fn what_cannot_be_compiled_is_refused_in_words() {
        for text in ["~mime:(", "~mime:(?=x)", "~url:(a{1000}){1000}", "~:a)(b", "a b:x"] {
            let refused = Filter::parse(text, Dialect::Pywb).unwrap_err();
            assert!(!refused.0.is_empty(), "{text}");
        }
        let deep = format!("~url:{}{}", "(".repeat(1000), ")".repeat(1000));
        assert!(Filter::parse(&deep, Dialect::Pywb).is_err());
    }
}
