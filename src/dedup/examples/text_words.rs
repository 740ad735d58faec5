//! The words of texts as shingles are made of them: what `benches/peers/duplicates.py` computes exact resemblance from.
//!
//! Texts on the standard input, each a 32-bit little-endian length and UTF-8; a line of words separated by blanks for each on
//! the standard output, in order. Words are slices of the text: case and width are not folded.
use std::io::{BufReader, BufWriter, Read, Write};

/// Longest text taken: far beyond what a page may hold, and no length that a damaged stream can turn into an allocation
/// of 4 GiB.
const MOST_BYTES: u32 = 1 << 28;

fn main() -> std::io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 18, std::io::stdin().lock());
    let mut out = BufWriter::with_capacity(1 << 18, std::io::stdout().lock());
    let (mut length, mut bytes) = ([0; 4], Vec::new());
    loop {
        match input.read_exact(&mut length) {
            Ok(()) => (),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return out.flush(),
            Err(error) => return Err(error),
        }
        let length = u32::from_le_bytes(length);
        if length > MOST_BYTES {
            return Err(std::io::Error::other(format!("a text of {length} bytes")));
        }
        bytes.resize(length as usize, 0);
        input.read_exact(&mut bytes)?;
        let text = std::str::from_utf8(&bytes).map_err(std::io::Error::other)?;
        let (mut result, mut first) = (Ok(()), true);
        webmill_text::words(text, |word| {
            if result.is_ok() {
                result = if first { Ok(()) } else { out.write_all(b" ") }
                    .and_then(|()| out.write_all(word.as_bytes()));
                first = false;
            }
        });
        result?;
        out.write_all(b"\n")?;
    }
}
