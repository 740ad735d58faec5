//! Where an answer ended, and how the next one goes on.
//!
//! A key is the place of the last row in the order of the index: `urlkey timestamp offset filename`, percent-encoded as a
//! form field, `!` at its end. That of the Wayback server has key and time alone; it is read too, and then goes on after
//! every capture of that key and time.

use std::fmt;

use percent_encoding::percent_decode_str;
use url::form_urlencoded::byte_serialize;

use crate::index::{Entry, Timestamp};

use super::BadRequest;

/// The last row of an earlier answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeKey {
    /// Its key.
    pub urlkey: String,
    /// Its time.
    pub timestamp: Timestamp,
    /// Its file and offset; `None`: all captures of that key and time are done.
    pub place: Option<(String, u64)>,
}

impl ResumeKey {
    /// The key of an entry.
    pub fn of(entry: &Entry<'_>) -> ResumeKey {
        ResumeKey {
            urlkey: entry.urlkey.to_string(),
            timestamp: entry.timestamp,
            place: Some((entry.filename.to_string(), entry.offset)),
        }
    }

    /// Reads a key as the client got it or with its percent-encoding undone.
    ///
    /// # Errors
    /// What no answer ended with.
    pub fn parse(text: &str) -> Result<ResumeKey, BadRequest> {
        let bad = || BadRequest(format!("resumeKey={text:?} is not what an answer ended with"));
        let decoded = if text.contains(' ') { text.to_owned() } else { decode(text) };
        let decoded = decoded.strip_suffix('!').unwrap_or(&decoded);
        let mut words = decoded.splitn(4, ' ');
        let (Some(urlkey), Some(time)) = (words.next(), words.next()) else { return Err(bad()) };
        if urlkey.is_empty() || time.len() != 14 || !time.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let timestamp = Timestamp(time.parse().map_err(|_| bad())?);
        let place = match (words.next(), words.next()) {
            (None, _) => None,
            (Some(offset), Some(name)) => Some((name.to_owned(), offset.parse().map_err(|_| bad())?)),
            (Some(_), None) => return Err(bad()),
        };
        Ok(ResumeKey { urlkey: urlkey.to_owned(), timestamp, place })
    }

    /// Whether an entry comes after it.
    pub fn before(&self, entry: &Entry<'_>) -> bool {
        let key = (self.urlkey.as_str(), self.timestamp);
        let of = (&*entry.urlkey, entry.timestamp);
        match &self.place {
            Some((filename, offset)) if key == of => {
                (filename.as_str(), *offset) < (&*entry.filename, entry.offset)
            }
            _ => key < of,
        }
    }
}

impl fmt::Display for ResumeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{} {}", self.urlkey, self.timestamp);
        if let Some((filename, offset)) = &self.place {
            text.push_str(&format!(" {offset} {filename}"));
        }
        text.push('!');
        byte_serialize(text.as_bytes()).try_for_each(|part| f.write_str(part))
    }
}

/// Undoes the encoding of form fields.
fn decode(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_encoded_or_not() {
        let key = ResumeKey {
            urlkey: "org,archive)/?a=1&b=ü".into(),
            timestamp: Timestamp(19980109140106),
            place: Some(("my file+%41.warc.gz".into(), 77)),
        };
        assert_eq!(ResumeKey::parse(&key.to_string()), Ok(key.clone()));
        assert_eq!(ResumeKey::parse(&decode(&key.to_string())), Ok(key));
        let theirs = "org%2Carchive%29%2F+19980109140106%21";
        let read = ResumeKey::parse(theirs).unwrap();
        assert_eq!((read.urlkey.as_str(), read.place.clone()), ("org,archive)/", None));
        assert_eq!(read.to_string(), theirs);
        for bad in ["", "x", "x y", "x 2020", "x 20200101000000 5", "x 20200101000000 a b", " 20200101000000"]
        {
            assert!(ResumeKey::parse(bad).is_err(), "{bad}");
        }
    }
}
