//! Media types with wildcards.

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
            let meant = meant(p).map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
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

/// The type of files with an extension, or of a whole kind, that someone wrote instead of a media type.
fn meant(name: &str) -> Option<&'static str> {
    let name = name.trim().trim_start_matches(['*', '.']).to_ascii_lowercase();
    Some(match name.as_str() {
        "html" | "htm" | "/html" => "text/html",
        "txt" | "plain" => "text/plain",
        "text" => "text/*",
        "csv" => "text/csv",
        "css" => "text/css",
        "js" | "javascript" => "text/javascript",
        "xml" => "application/xml",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "rss" => "application/rss+xml",
        "atom" => "application/atom+xml",
        "xhtml" => "application/xhtml+xml",
        "zip" => "application/zip",
        "epub" => "application/epub+zip",
        "doc" | "word" => "application/msword",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xls" | "excel" => "application/vnd.ms-excel",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "ppt" | "powerpoint" => "application/vnd.ms-powerpoint",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "odt" => "application/vnd.oasis.opendocument.text",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        "image" | "images" | "picture" | "pictures" => "image/*",
        "mp3" => "audio/mpeg",
        "audio" => "audio/*",
        "mp4" => "video/mp4",
        "video" => "video/*",
        "all" | "any" | "" => "*/*",
        _ => return None,
    })
}
