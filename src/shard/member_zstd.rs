//! Zstandard frames, and the dictionary that a `.warc.zst` file may begin with.

use ::zstd::stream::raw::{Decoder, Operation};
use ::zstd::zstd_safe::{InBuffer, OutBuffer};

use crate::stream::Stream;
use webmill_capture::error::{Error, Result};

use super::{Codec, HOLD_BYTES, Members, OUT_BYTES, Phase, Step};

/// Largest dictionary of a `.warc.zst` file.
const MAX_DICTIONARY: usize = 64 << 20;

pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Skippable frame that holds a dictionary when it is the first of the file.
const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

impl Members {
    pub(super) fn begin_zstd(&mut self) -> Result<bool> {
        loop {
            let window = self.stored.fill(8);
            if window.is_empty() {
                return self.stored.take_error().map_or(Ok(false), Err);
            }
            if window[0] == 0 && self.pass_padding()? {
                return Ok(false);
            }
            let window = self.stored.buffered();
            if window.len() >= 8
                && (0x50..=0x5f).contains(&window[0])
                && window[1..4] == DICTIONARY_MAGIC[1..]
            {
                let size = u32::from_le_bytes([window[4], window[5], window[6], window[7]]);
                let whole = u64::from(size) + 8;
                if self.stored.skip(whole) < whole {
                    return Err(self.cut());
                }
                self.member_at = self.stored.position();
                continue;
            }
            if !window.starts_with(&MAGIC) {
                return Err(self.corrupt(self.member_at, "no zstd frame where one should start"));
            }
            break;
        }
        self.mark();
        self.phase = Phase::Inside;
        self.taken = 0;
        if let Codec::Zstd(decoder) = &mut self.codec {
            let ready = decoder.reinit();
            ready.map_err(|e| self.corrupt(self.member_at, format!("the zstd frame is damaged: {e}")))?;
        }
        Ok(true)
    }

    pub(super) fn more_zstd(&mut self) -> Result<Step> {
        loop {
            let held = self.stored.buffered().len();
            let ended = held == self.taken && self.stored.fill(self.taken + 1).len() == held;
            let Members { codec: Codec::Zstd(decoder), stored, out, .. } = self else {
                return Err(Error::Internal("zstd asked of another codec".into()));
            };
            let mut input = InBuffer::around(&stored.buffered()[self.taken..]);
            let mut output = OutBuffer::around(out.room(OUT_BYTES));
            let status = decoder.run(&mut input, &mut output);
            let (read, made) = (input.pos(), output.pos());
            self.taken += read;
            self.out.grow(made);
            match status {
                Err(e) => {
                    return Err(self.corrupt(self.member_at, format!("the zstd frame is damaged: {e}")));
                }
                Ok(0) => {
                    self.stored.consume(self.taken);
                    self.taken = 0;
                    self.phase = Phase::Between;
                    return Ok(Step::Data);
                }
                Ok(_) if made > 0 => {}
                Ok(_) if ended => return Err(self.cut()),
                Ok(_) => {}
            }
            if self.taken > HOLD_BYTES {
                self.stored.consume(self.taken);
                self.taken = 0;
            }
            if made > 0 {
                return Ok(Step::Data);
            }
        }
    }
}

/// A decoder for the frames of `stored`.
pub(super) fn decoder(stored: &Stream, dictionary: &[u8]) -> Result<Decoder<'static>> {
    Decoder::with_dictionary(dictionary)
        .map_err(|e| Error::corrupt(stored.path(), 0, format!("the zstd dictionary is not usable: {e}")))
}

/// The dictionary with which a `.warc.zst` file begins, if it does; `head` is the start of the file.
///
/// # Errors
/// A dictionary that is cut off, too large or damaged.
pub(crate) fn dictionary(head: &mut Stream) -> Result<Option<Vec<u8>>> {
    let window = head.fill(8);
    if window.len() < 8 || !window.starts_with(&DICTIONARY_MAGIC) {
        return Ok(None);
    }
    let size = u32::from_le_bytes([window[4], window[5], window[6], window[7]]) as usize;
    let corrupt = |head: &Stream, reason: String| Err(Error::corrupt(head.path(), 0, reason));
    if size > MAX_DICTIONARY {
        return corrupt(
            head,
            format!("a zstd dictionary of {size} bytes; at most {MAX_DICTIONARY} are read"),
        );
    }
    if head.size().is_some_and(|s| s < size as u64 + 8) || head.fill(size + 8).len() < size + 8 {
        return corrupt(head, "the zstd dictionary is cut off".into());
    }
    let stored = &head.buffered()[8..size + 8];
    if !stored.starts_with(&MAGIC) {
        return Ok(Some(stored.to_vec()));
    }
    match ::zstd::bulk::decompress(stored, MAX_DICTIONARY) {
        Ok(dictionary) => Ok(Some(dictionary)),
        Err(e) => corrupt(head, format!("the zstd dictionary is damaged: {e}")),
    }
}

/// Whether zstd frames begin here, be they skippable ones.
pub(crate) fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC) || bytes.starts_with(&DICTIONARY_MAGIC)
}

/// First decoded bytes of the frame at the start of `bytes`, after skippable ones; few or no bytes if it is damaged.
pub(crate) fn beginning(mut bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    while bytes.starts_with(&DICTIONARY_MAGIC) && bytes.len() >= 8 {
        let size = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]) as usize;
        bytes = bytes.get(size.saturating_add(8)..).unwrap_or_default();
    }
    let mut decoded = vec![0; 1024];
    let Ok(mut decoder) = Decoder::with_dictionary(dictionary) else { return Vec::new() };
    let mut input = InBuffer::around(bytes);
    let mut output = OutBuffer::around(&mut decoded);
    while output.pos() < 1024 && input.pos() < bytes.len() {
        if !matches!(decoder.run(&mut input, &mut output), Ok(1..)) {
            break;
        }
    }
    let n = output.pos();
    decoded.truncate(n);
    decoded
}
