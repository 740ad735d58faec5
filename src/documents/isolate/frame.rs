//! What goes over the pipes: lengths and bytes.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::{Kind, Limits};

/// What a child says first, so that another program is not taken for one.
pub(super) const GREETING: [u8; 8] = *b"webmill1";

/// Bytes of an answer at most: what the limits on text, links and rows allow, and a multiple for cells.
pub(super) const MAX_ANSWER: u64 = 1 << 30;

/// What a child is asked for; the bytes of the document follow.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Question {
    pub kind: Kind,
    pub limits: Limits,
    pub length: u64,
}

/// Writes bytes behind their length.
pub(super) fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// Reads bytes behind their length, at most `most`; `None` at the end.
pub(super) fn read(from: &mut impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u64::from_le_bytes(length);
    if length > most {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a frame of {length} bytes")));
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(Some(bytes)),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
