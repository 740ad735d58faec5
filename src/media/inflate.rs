//! Compressed parts of tags, inflated within a bound.

use std::io::Read;

/// What zlib data inflate to, at most `most` bytes; what there is before damage.
pub(crate) fn zlib(data: &[u8], most: usize) -> Vec<u8> {
    let mut inflated = Vec::new();
    // Damage ends the text; what came before it is kept.
    let _ = flate2::read::ZlibDecoder::new(data).take(most as u64).read_to_end(&mut inflated);
    inflated
}

/// What a gzip file inflates to, within the same bound.
pub(crate) fn gzip(data: &[u8], most: usize) -> Vec<u8> {
    let mut inflated = Vec::new();
    let _ = flate2::read::GzDecoder::new(data).take(most as u64).read_to_end(&mut inflated);
    inflated
}
