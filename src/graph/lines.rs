//! Lines of a text file with their places, plain or compressed.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use webmill_capture::error::{AtPath, Error, Result};

/// Longest line that a graph file may have; more is no text.
const MAX_LINE: u64 = 1 << 20;

/// Opens a file, through gzip or zstd if it is compressed.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let mut file = BufReader::with_capacity(256 << 10, File::open(path).at(path)?);
    let head = file.fill_buf().at(path)?;
    Ok(if head.starts_with(b"\x1f\x8b") {
        let plain = flate2::bufread::MultiGzDecoder::new(file);
        Box::new(BufReader::with_capacity(256 << 10, plain))
    } else if head.starts_with(b"\x28\xb5\x2f\xfd") {
        let plain = zstd::stream::read::Decoder::with_buffer(file).at(path)?;
        Box::new(BufReader::with_capacity(256 << 10, plain))
    } else {
        Box::new(file)
    })
}

/// What a text was.
#[derive(Default)]
pub(super) struct Text {
    pub bytes: u64,
    pub lines: u64,
    /// Lines with bytes that are no UTF-8, and the number of the first.
    pub escaped: u64,
    pub first_escaped: u64,
}

/// Gives each line, trimmed but for tabs, to `take`; what that says is wrong becomes an error with the place of the line
/// (in the text, if the file is compressed). Bytes that are no UTF-8 are given as `%XX`, so that names that differ in them
/// do not become one.
pub(super) fn each(
    from: impl BufRead,
    path: &Path,
    take: impl FnMut(&str) -> Result<(), LineDefect>,
) -> Result<Text> {
    each_after(Text::default(), from, path, take)
}

/// As [`each`], of a text that has been read so far.
pub(super) fn each_after(
    mut read_so_far: Text,
    mut from: impl BufRead,
    path: &Path,
    mut take: impl FnMut(&str) -> Result<(), LineDefect>,
) -> Result<Text> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let offset = read_so_far.bytes;
        let read =
            (&mut from).take(MAX_LINE).read_until(b'\n', &mut line).map_err(|error| match error.kind() {
                // What a decoder says of bytes that are not its format, or end too soon.
                std::io::ErrorKind::InvalidData
                | std::io::ErrorKind::InvalidInput
                | std::io::ErrorKind::UnexpectedEof => {
                    Error::corrupt(path, offset, format!("the compressed text breaks off here: {error}"))
                }
                _ => Error::io(path, error),
            })?;
        if read == 0 {
            return Ok(read_so_far);
        }
        read_so_far.lines += 1;
        let number = read_so_far.lines;
        if read as u64 == MAX_LINE && !line.ends_with(b"\n") {
            return Err(Error::corrupt(
                path,
                offset,
                "a line of more than a mebibyte: this is no text of arcs",
            ));
        }
        let text = match std::str::from_utf8(&line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                read_so_far.escaped += 1;
                if read_so_far.escaped == 1 {
                    read_so_far.first_escaped = number;
                }
                Cow::Owned(escaped(&line))
            }
        };
        let text = text.trim_start_matches('\u{feff}');
        let text = if text.trim().is_empty() { "" } else { text };
        // A tab at an end is that of an empty cell.
        let blank = |c: char| c.is_whitespace() && c != '\t';
        take(text.trim_matches(blank)).map_err(|wrong| wrong.at(path, offset, number))?;
        read_so_far.bytes += read as u64;
    }
}

/// A line with `%XX` for each byte that is no UTF-8.
fn escaped(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len() + 16);
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

/// Defects of a line.
pub(super) enum LineDefect {
    /// It breaks a rule of the format.
    Line(String),
    /// It does not fit the memory allowed.
    Limit(String),
}

impl LineDefect {
    fn at(self, path: &Path, offset: u64, number: u64) -> Error {
        match self {
            LineDefect::Line(reason) => Error::corrupt(path, offset, format!("line {number}: {reason}")),
            LineDefect::Limit(reason) => Error::Limit(format!("{}: {reason}", path.display())),
        }
    }
}

impl From<String> for LineDefect {
    fn from(reason: String) -> Self {
        LineDefect::Line(reason)
    }
}

/// A number of nodes that a text may claim: one out of all proportion would allocate without end.
pub(super) fn proportion(nodes: u64, arcs: usize) -> Result<usize, String> {
    if nodes > 64 * arcs as u64 + (1 << 24) || nodes > u64::from(u32::MAX) {
        return Err(format!("{nodes} nodes for {arcs} arcs: the numbers are no dense numbering"));
    }
    Ok(nodes as usize)
}

/// A weight: finite and not negative, and within what single precision holds.
pub(super) fn weight(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|w| *w >= 0.0);
    let digits = || text.split(['e', 'E']).next().unwrap_or_default().bytes();
    match value {
        Some(w) if w.is_infinite() && digits().any(|c| c.is_ascii_digit()) => {
            Err(format!("{text:?} is too large for a weight: they have single precision, up to 3.4e38"))
        }
        Some(0.0) if digits().any(|c| (b'1'..=b'9').contains(&c)) => {
            Err(format!("{text:?} is too small for a weight: they have single precision, from 1.4e-45 on"))
        }
        Some(w) if w.is_finite() => Ok(w + 0.0),
        _ => Err(format!("{text:?} is no weight: they are finite and not negative")),
    }
}
