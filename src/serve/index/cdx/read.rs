//! Lines as entries.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use webmill_capture::digest::bare;
use webmill_capture::urlkey::url_key;
use webmill_capture::{Error, Result};

use super::{Fault, Layout};
use crate::index::{Entry, Timestamp};

/// Longest line that is read as one.
pub const MAX_LINE: usize = 1 << 20;
/// Most fields of a CDXJ line that are kept besides the known ones.
const MAX_EXTRA: usize = 256;

/// The entry of a line without its line end.
///
/// # Errors
/// A [`Fault`] where there is none.
///
/// # Examples
/// ```
/// use webmill_serve::index::cdx::{Layout, parse};
/// let line = br#"com,example)/ 20200131 {"url": "http://example.com/", "offset": "7", "filename": "a.warc"}"#;
/// let entry = parse(&Layout::Cdxj, line).expect("an entry");
/// assert_eq!((entry.timestamp.0, entry.offset), (20200131000000, 7));
/// ```
pub fn parse<'a>(layout: &Layout, line: &'a [u8]) -> Result<Entry<'a>, Fault> {
    match (layout, std::str::from_utf8(line)) {
        (Layout::Cdxj, Ok(line)) => cdxj(line),
        (Layout::Fields { letters, separator }, Ok(line)) => fields(letters, *separator, line),
        (layout, Err(_)) => {
            let line = percent_encoded(line);
            parse(layout, line.as_bytes()).map(Entry::into_owned)
        }
    }
}

/// Text of bytes, of which those that are no UTF-8 are percent-encoded.
pub fn percent_encoded(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    Cow::Owned(text)
}

fn fields<'a>(letters: &[u8], separator: u8, line: &'a str) -> Result<Entry<'a>, Fault> {
    let mut words = line.split(char::from(separator));
    let mut entry = Entry::default();
    let (mut dated, mut old_digest, mut plain_offset) = (false, "", None);
    for (n, letter) in letters.iter().enumerate() {
        let Some(word) = words.next() else {
            return Err(Fault(format!("{n} fields where the header has {}", letters.len()).into()));
        };
        let known = if word == "-" { "" } else { word };
        match letter {
            // A lone `-` is the key of an empty URL.
            b'N' => entry.urlkey = word.into(),
            b'A' if entry.urlkey.is_empty() => entry.urlkey = word.into(),
            b'b' => {
                entry.timestamp = timestamp(word)?;
                dated = true;
            }
            b'a' => entry.url = known.into(),
            b'm' => entry.mime = known.into(),
            b's' => entry.status = known.parse().ok(),
            b'k' => entry.digest = bare(known).into(),
            b'c' => old_digest = known,
            b'r' => entry.redirect = known.into(),
            b'R' if entry.redirect.is_empty() => entry.redirect = known.into(),
            b'M' => entry.robotflags = known.into(),
            b'S' => entry.length = known.parse().ok(),
            b'n' if entry.length.is_none() => entry.length = known.parse().ok(),
            b'V' if !known.is_empty() => {
                entry.offset = known.parse().map_err(|_| Fault("the offset is no number".into()))?;
                plain_offset = None;
            }
            b'v' | b'D' if !known.is_empty() && entry.offset == 0 => plain_offset = known.parse().ok(),
            b'g' => entry.filename = known.into(),
            b'e' if !known.is_empty() => {
                entry.extra.push(("ip".into(), serde_json::Value::from(known).to_string().into()));
            }
            _ => {}
        }
    }
    if words.next().is_some() {
        return Err(Fault(format!("more than the {} fields of the header", letters.len()).into()));
    }
    if !dated {
        return Err(Fault("no timestamp".into()));
    }
    entry.offset = plain_offset.unwrap_or(entry.offset);
    if entry.digest.is_empty() {
        entry.digest = bare(old_digest).into();
    }
    finished(entry)
}

fn cdxj(line: &str) -> Result<Entry<'_>, Fault> {
    let (key, rest) = line.split_once(' ').ok_or(Fault("no timestamp".into()))?;
    let (time, json) = rest.split_once(' ').ok_or(Fault("no JSON".into()))?;
    let mut entry = Entry { urlkey: key.into(), timestamp: timestamp(time)?, ..Entry::default() };
    let mut json = serde_json::Deserializer::from_str(json);
    json.deserialize_map(Fields { entry: &mut entry })
        .and_then(|()| json.end())
        .map_err(|error| Fault(format!("the JSON cannot be read: {error}").into()))?;
    finished(entry)
}

/// What a line leaves to its other fields.
fn finished(mut entry: Entry<'_>) -> Result<Entry<'_>, Fault> {
    if entry.urlkey.is_empty() {
        entry.urlkey = url_key(entry.url.as_bytes()).into();
    }
    Ok(entry)
}

/// Fourteen digits; fewer are the beginning of that time, more its fraction.
fn timestamp(word: &str) -> Result<Timestamp, Fault> {
    let digits = word.get(..word.len().min(14)).unwrap_or_default();
    if digits.len() < 4 || word.len() > 20 || !word.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Fault("the timestamp is not one of 4 to 14 digits".into()));
    }
    let number = digits.bytes().fold(0_u64, |n, b| n * 10 + u64::from(b - b'0'));
    let missing = 14 - digits.len() as u32;
    let first = match digits.len() {
        ..=4 => 101_000_000,
        5 | 6 => 1_000_000,
        _ => 0,
    };
    Ok(Timestamp(number * 10_u64.pow(missing) + first))
}

struct Fields<'e, 'a> {
    entry: &'e mut Entry<'a>,
}

impl<'a> Visitor<'a> for Fields<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let entry = self.entry;
        while let Some(Text(name)) = map.next_key::<Text<'a>>()? {
            match &*name {
                "urlkey" => entry.urlkey = map.next_value::<Text<'a>>()?.0,
                "url" | "original" => entry.url = map.next_value::<Text<'a>>()?.0,
                "mime" | "mimetype" => entry.mime = known(map.next_value::<Text<'a>>()?.0),
                "status" | "statuscode" => entry.status = map.next_value::<Text<'a>>()?.0.parse().ok(),
                "digest" => {
                    entry.digest = match known(map.next_value::<Text<'a>>()?.0) {
                        Cow::Borrowed(digest) => bare(digest).into(),
                        Cow::Owned(digest) => bare(&digest).to_owned().into(),
                    }
                }
                "redirect" => entry.redirect = known(map.next_value::<Text<'a>>()?.0),
                "robotflags" => entry.robotflags = known(map.next_value::<Text<'a>>()?.0),
                "length" => entry.length = map.next_value::<Text<'a>>()?.0.parse().ok(),
                "offset" => {
                    let offset = map.next_value::<Text<'a>>()?.0;
                    entry.offset = offset.parse().map_err(|_| A::Error::custom("the offset is no number"))?;
                }
                "filename" => entry.filename = known(map.next_value::<Text<'a>>()?.0),
                _ => {
                    let value: serde_json::Value = map.next_value()?;
                    if entry.extra.len() < MAX_EXTRA {
                        entry.extra.push((name, value.to_string().into()));
                    }
                }
            }
        }
        Ok(())
    }
}

fn known(text: Cow<'_, str>) -> Cow<'_, str> {
    if text == "-" { Cow::Borrowed("") } else { text }
}

/// A text, or a number, as a text; nothing for all else.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyText;
        impl<'de> Visitor<'de> for AnyText {
            type Value = Cow<'de, str>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text or a number")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.to_owned()))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(Cow::Owned(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Cow::Owned(number.to_string()))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
                Ok(Cow::Owned(number.to_string()))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(""))
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(""))
            }
        }
        deserializer.deserialize_any(AnyText).map(Text)
    }
}

/// Reads a whole CDX or CDXJ file, sorted or not, line by line.
pub struct Reader<R> {
    inner: R,
    path: PathBuf,
    layout: Option<Layout>,
    line: Vec<u8>,
    number: u64,
    offset: u64,
    faults: u64,
}

impl Reader<Box<dyn BufRead>> {
    /// Reads a file; one whose name ends in `.gz` is unpacked on the way.
    ///
    /// # Errors
    /// [`Error::Io`] where it cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        let file = BufReader::new(File::open(path).map_err(|e| Error::io(path, e))?);
        let unpacks = path.extension().is_some_and(|ending| ending == "gz");
        let inner: Box<dyn BufRead> =
            if unpacks { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
        Ok(Reader::new(inner, path))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads from `inner`; errors name `path`.
    pub fn new(inner: R, path: &Path) -> Self {
        Reader {
            inner,
            path: path.to_owned(),
            layout: None,
            line: Vec::new(),
            number: 0,
            offset: 0,
            faults: 0,
        }
    }

    /// Lines that were no entries so far.
    pub fn faults(&self) -> u64 {
        self.faults
    }

    /// The next entry; an error for a line that is none ([`Error::Corrupt`], which names the line; the next call goes on
    /// after it); `None` at the end. Empty lines, headers and lines that begin with `!` are passed over.
    #[allow(clippy::should_implement_trait, reason = "a lending reader cannot be an Iterator")]
    pub fn next(&mut self) -> Option<Result<Entry<'_>>> {
        let start = loop {
            let start = self.offset;
            match self.read_line() {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(Error::io(&self.path, error))),
            }
            match self.line.first() {
                None | Some(b'!') => {}
                _ => match Layout::of_header(&self.line) {
                    Some(layout) => self.layout = Some(layout),
                    None => break start,
                },
            }
        };
        if self.layout.is_none() {
            self.layout = Layout::of_line(&self.line);
        }
        let found = match &self.layout {
            _ if self.line.len() >= MAX_LINE => Err(Fault(format!("longer than {MAX_LINE} bytes").into())),
            Some(layout) => parse(layout, &self.line),
            None => Err(Fault("neither CDXJ nor CDX with a header".into())),
        };
        if found.is_err() {
            self.faults += 1;
        }
        let (path, number) = (&self.path, self.number);
        Some(found.map_err(|fault| Error::corrupt(path, start, format!("line {number}: {fault}"))))
    }

    /// The next line into the buffer, without its end and cut to [`MAX_LINE`]; 0 at the end of the file.
    fn read_line(&mut self) -> io::Result<usize> {
        self.line.clear();
        let mut read = self.inner.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut self.line)?;
        if read == MAX_LINE && self.line.last() != Some(&b'\n') {
            read += skip_line(&mut self.inner)?;
        }
        self.offset += read as u64;
        self.number += 1;
        while matches!(self.line.last(), Some(b'\n' | b'\r')) {
            self.line.pop();
        }
        Ok(read)
    }
}

/// Passes over the rest of a line.
fn skip_line(inner: &mut impl BufRead) -> io::Result<usize> {
    let mut passed = 0;
    loop {
        let buffer = inner.fill_buf()?;
        if buffer.is_empty() {
            return Ok(passed);
        }
        let end = memchr::memchr(b'\n', buffer).map(|end| end + 1);
        let step = end.unwrap_or(buffer.len());
        inner.consume(step);
        passed += step;
        if end.is_some() {
            return Ok(passed);
        }
    }
}
