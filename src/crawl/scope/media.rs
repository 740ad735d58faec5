//! Media types with wildcards.

use crate::kinds::type_of;
use webmill_capture::error::{Error, Result};

/// A list of patterns; an empty one holds all types.
#[derive(Debug)]
pub(super) struct MediaTypes(Vec<(Part, Part)>);

/// Pattern of a type or a subtype.
#[derive(Debug)]
enum Part {
    Any,
    Exactly(String),
    /// `*+xml`
    Ending(String),
}

impl Part {
    fn parse(text: &str) -> Option<Part> {
        let token = |t: &str| {
            !t.is_empty() && t.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
        };
        match text.strip_prefix('*') {
            Some("") => Some(Part::Any),
            Some(ending) => token(ending).then(|| Part::Ending(ending.to_ascii_lowercase())),
            None => token(text).then(|| Part::Exactly(text.to_ascii_lowercase())),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Part::Any => true,
            Part::Exactly(word) => word.eq_ignore_ascii_case(text),
            Part::Ending(end) => {
                text.len() > end.len()
                    && text.as_bytes()[text.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
            }
        }
    }
}

impl MediaTypes {
    pub fn parse(patterns: &[String]) -> Result<MediaTypes> {
        let parse = |pattern: &String| {
            let (kind, subtype) = pattern.trim().split_once('/')?;
            // `*/html` is no pattern that anyone means.
            let pair = (Part::parse(kind)?, Part::parse(subtype)?);
            (!matches!(pair.0, Part::Ending(_))
                && (!matches!(pair.0, Part::Any) || matches!(pair.1, Part::Any)))
            .then_some(pair)
        };
        let wrong = |p: &String| {
            let ending = p.trim().trim_start_matches(['*', '.']).to_ascii_lowercase();
            let meant = type_of(&ending).map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
            Error::Config(format!("scope: media_types: {p:?} is no media type (text/html, text/*){meant}"))
        };
        Ok(MediaTypes(patterns.iter().map(|p| parse(p).ok_or_else(|| wrong(p))).collect::<Result<_>>()?))
    }

    pub fn matches(&self, media_type: &str) -> bool {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        self.0.is_empty() || essence.is_empty() || self.names(essence)
    }

    /// Whether a type is among the patterns; none is where there is no type.
    pub fn names(&self, media_type: &str) -> bool {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if essence.is_empty() {
            return false;
        }
        let (kind, subtype) = essence.split_once('/').unwrap_or((essence, ""));
        self.0.iter().any(|(a, b)| a.matches(kind) && b.matches(subtype))
    }
}
