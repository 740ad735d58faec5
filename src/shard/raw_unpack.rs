//! Taking the compression off one RAW DB record: zlib (historic), gzip or zstd, one frame, never more than asked for.
//!
//! Memory: at most the limit plus the decoder's window (64 KiB; for zstd what the limit says, at least 8 MiB and at
//! most 128 MiB). A declared size is only believed as far as the data bears it out.

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::raw_head::Packing;

/// Room added at a time.
const STEP_BYTES: usize = 64 * 1024;

/// Decoders kept from record to record.
pub(crate) struct Unpacker {
    zlib: Decompress,
    gzip: Decompress,
    zstd: Option<Decoder<'static>>,
    window_log_max: u32,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unpacked {
    /// The frame ended; `used` bytes of the input were its own.
    Whole { used: usize },
    /// The limit was reached first.
    Cut,
}

impl Unpacker {
    pub(crate) fn new(max_bytes: u64) -> Unpacker {
        Unpacker {
            zlib: Decompress::new(true),
            gzip: Decompress::new_gzip(15),
            zstd: None,
            window_log_max: max_bytes.next_power_of_two().ilog2().clamp(23, 27),
        }
    }

    /// Unpacks `stored` into `out` (cleared first), at most `limit` bytes.
    ///
    /// # Errors
    /// The reason, in words, when the data is damaged or ends early; `out` holds what came before.
    pub(crate) fn unpack(
        &mut self,
        packing: Packing,
        stored: &[u8],
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<Unpacked, String> {
        out.clear();
        out.reserve_exact(limit.min(stored.len().saturating_mul(4).max(STEP_BYTES)));
        match packing {
            Packing::Zlib => {
                self.zlib.reset(true);
                inflate(&mut self.zlib, "zlib", stored, limit, out)
            }
            Packing::Gzip => {
                self.gzip = Decompress::new_gzip(15);
                inflate(&mut self.gzip, "gzip", stored, limit, out)
            }
            Packing::Zstd => self.unzstd(stored, limit, out),
        }
    }

    fn unzstd(&mut self, stored: &[u8], limit: usize, out: &mut Vec<u8>) -> Result<Unpacked, String> {
        let damaged = |e: std::io::Error| format!("the zstd data is damaged: {e}");
        let decoder = match &mut self.zstd {
            Some(decoder) => {
                decoder.reinit().map_err(damaged)?;
                decoder
            }
            none => {
                let mut decoder = Decoder::new().map_err(damaged)?;
                decoder.set_parameter(DParameter::WindowLogMax(self.window_log_max)).map_err(damaged)?;
                none.insert(decoder)
            }
        };
        let mut input = InBuffer::around(stored);
        loop {
            let Some(room) = make_room(out, limit) else { return Ok(Unpacked::Cut) };
            let old = out.len();
            out.resize(old + room, 0);
            let mut output = OutBuffer::around(&mut out[old..]);
            let hint = decoder.run(&mut input, &mut output);
            let made = output.pos();
            out.truncate(old + made);
            if hint.map_err(damaged)? == 0 {
                return Ok(Unpacked::Whole { used: input.pos() });
            }
            if made == 0 && input.pos() == stored.len() {
                return Err("the zstd data ends early".into());
            }
        }
    }
}

fn inflate(
    decoder: &mut Decompress,
    name: &str,
    stored: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<Unpacked, String> {
    loop {
        if make_room(out, limit).is_none() {
            return Ok(Unpacked::Cut);
        }
        let used = decoder.total_in() as usize;
        let old = out.len();
        let status = decoder.decompress_vec(&stored[used..], out, FlushDecompress::None);
        let status = status.map_err(|e| format!("the {name} data is damaged: {e}"))?;
        if out.len() > limit {
            out.truncate(limit);
            return Ok(Unpacked::Cut);
        }
        let used = decoder.total_in() as usize;
        match status {
            Status::StreamEnd => return Ok(Unpacked::Whole { used }),
            _ if out.len() == old && used == stored.len() => {
                return Err(format!("the {name} data ends early"));
            }
            _ => {}
        }
    }
}

/// Makes sure that `out` has room below `limit` and says how much; `None` when there can be no more.
fn make_room(out: &mut Vec<u8>, limit: usize) -> Option<usize> {
    let left = limit.checked_sub(out.len()).filter(|left| *left > 0)?;
    if out.capacity() == out.len() {
        out.reserve_exact(left.min(out.len().max(STEP_BYTES)));
    }
    Some(left.min(out.capacity() - out.len()))
}
