//! Inflating within a bound.

use flate2::{Decompress, FlushDecompress, Status};

/// How inflating ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With the data.
    Whole,
    /// At the bound.
    Full,
    /// Where the data are no more what they should be; what came before is sound.
    Damaged,
}

/// Inflates deflated data, in a frame of zlib or without, until there are `most` bytes.
pub(crate) fn inflate(data: &[u8], zlib: bool, most: usize) -> (Vec<u8>, End) {
    let mut state = Decompress::new(zlib);
    let mut out = Vec::with_capacity(data.len().saturating_mul(3).min(most).min(1 << 20));
    loop {
        if out.len() >= most {
            return (out, End::Full);
        }
        if out.len() == out.capacity() {
            out.reserve(out.len().clamp(4096, 16 << 20).min(most - out.len()));
        }
        let before = (state.total_in(), out.len());
        let rest = data.get(usize::try_from(state.total_in()).unwrap_or(usize::MAX)..).unwrap_or_default();
        match state.decompress_vec(rest, &mut out, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return (out, End::Whole),
            Ok(_) if (state.total_in(), out.len()) != before || out.len() == out.capacity() => {}
            Ok(_) | Err(_) => return (out, End::Damaged),
        }
    }
}
