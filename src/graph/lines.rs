//! Lines of a text file with their places, plain or compressed.

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

/// Gives each line, trimmed, to `take`; what that says is wrong becomes an error with the place of the line
/// (in the text, if the file is compressed).
pub(super) fn each(
    mut from: impl BufRead,
    path: &Path,
    mut take: impl FnMut(&str) -> Result<(), Wrong>,
) -> Result<u64> {
    let (mut line, mut offset) = (Vec::new(), 0u64);
    loop {
        line.clear();
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
            return Ok(offset);
        }
        if read as u64 == MAX_LINE && !line.ends_with(b"\n") {
            return Err(Error::corrupt(
                path,
                offset,
                "a line of more than a mebibyte: this is no text of arcs",
            ));
        }
        let text = String::from_utf8_lossy(&line);
        take(text.trim().trim_start_matches('\u{feff}')).map_err(|wrong| wrong.at(path, offset))?;
        offset += read as u64;
    }
}

/// What is wrong with a line.
pub(super) enum Wrong {
    /// It breaks a rule of the format.
    Line(String),
    /// It does not fit the memory allowed.
    Limit(String),
}

impl Wrong {
    fn at(self, path: &Path, offset: u64) -> Error {
        match self {
            Wrong::Line(reason) => Error::corrupt(path, offset, reason),
            Wrong::Limit(reason) => Error::Limit(format!("{}: {reason}", path.display())),
        }
    }
}

impl From<String> for Wrong {
    fn from(reason: String) -> Self {
        Wrong::Line(reason)
    }
}

/// A number of nodes that a text may claim: one out of all proportion would allocate without end.
pub(super) fn proportion(nodes: u64, arcs: usize) -> Result<usize, String> {
    if nodes > 64 * arcs as u64 + (1 << 24) || nodes > u64::from(u32::MAX) {
        return Err(format!("{nodes} nodes for {arcs} arcs: the numbers are no dense numbering"));
    }
    Ok(nodes as usize)
}

/// A weight: finite and not negative.
pub(super) fn weight(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|w| w.is_finite() && *w >= 0.0);
    value.map(|w| w + 0.0).ok_or_else(|| format!("{text:?} is no weight: they are finite and not negative"))
}
