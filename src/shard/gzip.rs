//! Gzip members of equal bytes for equal data: no time, no name (RFC 1952).

use flate2::{Compress, Crc, FlushCompress, Status};

use webmill_capture::error::{Error, Result};

/// Appends one gzip member with the bytes of `parts`.
pub(super) fn gzip(deflate: &mut Compress, parts: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
    deflate.reset();
    let mut crc = Crc::new();
    let failed = |e: String| Error::Internal(format!("compression failed: {e}"));
    for (index, part) in parts.iter().enumerate() {
        crc.update(part);
        let last = index + 1 == parts.len();
        let begun = deflate.total_in();
        loop {
            let rest = &part[(deflate.total_in() - begun) as usize..];
            if rest.is_empty() && !last {
                break;
            }
            out.reserve(rest.len() / 2 + 256);
            let flush = if last { FlushCompress::Finish } else { FlushCompress::None };
            match deflate.compress_vec(rest, out, flush).map_err(|e| failed(e.to_string()))? {
                Status::StreamEnd => break,
                Status::Ok | Status::BufError => {}
            }
        }
    }
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&(deflate.total_in() as u32).to_le_bytes());
    Ok(())
}
