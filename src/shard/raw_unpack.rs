//! Taking the compression off one RAW DB record: zlib, raw deflate, gzip or zstd, one frame, never more than asked for.
//!
//! Memory: at most the limit plus the decoder's window (64 KiB; for zstd what the limit says, at least 8 MiB and at
//! most 128 MiB). A declared size is only believed as far as the data bears it out.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::member::gzip::{Head, head_length};
use super::raw_head::Packing;

/// Room added at least at a time.
const STEP_BYTES: usize = 64 * 1024;
/// A buffer larger than this is given back when a record needs less.
const KEEP_BYTES: usize = 4 << 20;

/// Decoders and the buffer for what they make, kept from record to record.
pub(crate) struct Unpacker {
    zlib: Decompress,
    deflate: Decompress,
    zstd: Option<Decoder<'static>>,
    window_log_max: u32,
    /// Initialised once; the first `len` bytes are the last record's.
    buffer: Vec<u8>,
    len: usize,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnpackResult {
    /// The frame ended; `used` bytes of the input were its own.
    Whole { used: usize },
    /// The limit was reached first.
    Cut,
}

impl Unpacker {
    pub(crate) fn new(max_bytes: u64) -> Unpacker {
        Unpacker {
            zlib: Decompress::new(true),
            deflate: Decompress::new(false),
            zstd: None,
            window_log_max: max_bytes.max(1).checked_next_power_of_two().map_or(27, u64::ilog2).clamp(23, 27),
            buffer: Vec::new(),
            len: 0,
        }
    }

    /// What the last call of [`Unpacker::unpack`] made.
    pub(crate) fn data(&self) -> &[u8] {
        &self.buffer[..self.len]
    }

    /// Unpacks `stored`, at most `limit` bytes of it.
    ///
    /// # Errors
    /// The reason, in words, when the data is damaged or ends early; [`Unpacker::data`] has what came before.
    pub(crate) fn unpack(
        &mut self,
        packing: Packing,
        stored: &[u8],
        limit: usize,
    ) -> Result<UnpackResult, String> {
        self.len = 0;
        if self.buffer.len() > KEEP_BYTES && limit < KEEP_BYTES {
            self.buffer = Vec::new();
        }
        match packing {
            Packing::Unnamed | Packing::Zlib => self.inflate("zlib", stored, limit),
            Packing::Deflate => self.inflate("deflate", stored, limit),
            Packing::Gzip => self.gunzip(stored, limit),
            Packing::Zstd => self.unzstd(stored, limit),
        }
    }

    /// The part of the buffer that is free, below `limit`; `None` when that is reached.
    fn room(&mut self, limit: usize, stored: usize) -> Option<&mut [u8]> {
        let left = limit.checked_sub(self.len).filter(|left| *left > 0)?;
        if self.buffer.len() == self.len {
            // Four times the stored size is a usual ratio; a larger one is believed as it shows.
            let more = left.min(self.len.max(stored.saturating_mul(4)).max(STEP_BYTES));
            self.buffer.resize(self.len + more, 0);
        }
        let end = self.buffer.len().min(self.len + left);
        Some(&mut self.buffer[self.len..end])
    }

    fn inflate(&mut self, name: &str, stored: &[u8], limit: usize) -> Result<UnpackResult, String> {
        let raw = name != "zlib";
        if raw {
            self.deflate.reset(false)
        } else {
            self.zlib.reset(true)
        }
        let mut used = 0;
        loop {
            if self.room(limit, stored.len()).is_none() {
                return Ok(UnpackResult::Cut);
            }
            let end = self.buffer.len().min(limit);
            let output = &mut self.buffer[self.len..end];
            let decoder = if raw { &mut self.deflate } else { &mut self.zlib };
            let before = (decoder.total_in(), decoder.total_out());
            let status = decoder.decompress(&stored[used..], output, FlushDecompress::None);
            used += (decoder.total_in() - before.0) as usize;
            let made = (decoder.total_out() - before.1) as usize;
            self.len += made;
            match status.map_err(|e| format!("the {name} data is damaged: {e}"))? {
                Status::StreamEnd => return Ok(UnpackResult::Whole { used }),
                _ if made == 0 && used == stored.len() => return Err(format!("the {name} data ends early")),
                _ => {}
            }
        }
    }

    /// One gzip member: header, deflate, checksum and size. (The decoder's own gzip mode cannot be reset.)
    fn gunzip(&mut self, stored: &[u8], limit: usize) -> Result<UnpackResult, String> {
        let head = match head_length(stored) {
            Head::Complete(n) => n,
            Head::Incomplete => return Err("the gzip data ends early".into()),
            Head::Invalid => return Err("the gzip data is damaged: it does not begin like gzip".into()),
        };
        let UnpackResult::Whole { used } = self.inflate("gzip", &stored[head..], limit)? else {
            return Ok(UnpackResult::Cut);
        };
        let end = head + used;
        let Some(trailer) = stored.get(end..end + 8) else { return Err("the gzip data ends early".into()) };
        let mut crc = Crc::new();
        crc.update(self.data());
        let expected = [crc.sum().to_le_bytes(), (self.len as u32).to_le_bytes()].concat();
        if trailer != expected {
            return Err("the gzip data is damaged: its checksum does not agree".into());
        }
        Ok(UnpackResult::Whole { used: end + 8 })
    }

    fn unzstd(&mut self, stored: &[u8], limit: usize) -> Result<UnpackResult, String> {
        let damaged = |e: std::io::Error| format!("the zstd data is damaged: {e}");
        let mut decoder = match self.zstd.take() {
            Some(mut decoder) => {
                decoder.reinit().map_err(damaged)?;
                decoder
            }
            None => {
                let mut decoder = Decoder::new().map_err(damaged)?;
                decoder.set_parameter(DParameter::WindowLogMax(self.window_log_max)).map_err(damaged)?;
                decoder
            }
        };
        let mut input = InBuffer::around(stored);
        let unpacked = loop {
            let Some(room) = self.room(limit, stored.len()) else { break UnpackResult::Cut };
            let mut output = OutBuffer::around(room);
            let hint = decoder.run(&mut input, &mut output);
            let made = output.pos();
            self.len += made;
            if hint.map_err(damaged)? == 0 {
                break UnpackResult::Whole { used: input.pos() };
            }
            if made == 0 && input.pos() == stored.len() {
                return Err("the zstd data ends early".into());
            }
        };
        // After an error the decoder is dropped rather than trusted.
        self.zstd = Some(decoder);
        Ok(unpacked)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn every_cut_and_every_limit() {
        let data: Vec<u8> = (0..300_000u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        let mut gzip = flate2::GzBuilder::new()
            .filename("name")
            .comment("c")
            .extra([1, 2, 3])
            .write(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&data).unwrap();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(&data).unwrap();
        let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        deflate.write_all(&data).unwrap();
        let mut unpacker = Unpacker::new(64 << 20);
        for (packing, stored) in [
            (Packing::Gzip, gzip.finish().unwrap()),
            (Packing::Zlib, zlib.finish().unwrap()),
            (Packing::Deflate, deflate.finish().unwrap()),
            (Packing::Zstd, zstd::bulk::compress(&data, 3).unwrap()),
        ] {
            let whole = Ok(UnpackResult::Whole { used: stored.len() });
            assert_eq!(unpacker.unpack(packing, &stored, data.len() + 1), whole);
            assert!(unpacker.data() == data);
            for limit in [1, 1000, 65_536, 65_537, data.len() - 1] {
                assert_eq!(unpacker.unpack(packing, &stored, limit), Ok(UnpackResult::Cut));
                assert!(unpacker.data() == &data[..limit]);
            }
            for cut in (0..stored.len()).step_by(997).chain(stored.len() - 9..stored.len()) {
                assert!(
                    unpacker.unpack(packing, &stored[..cut], data.len() + 1).is_err(),
                    "{packing:?} {cut}"
                );
                assert!(data.starts_with(unpacker.data()));
            }
            assert_eq!(unpacker.unpack(packing, &stored, data.len() + 1), whole);
        }
    }
}
