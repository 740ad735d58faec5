//! Inflates a whole DEFLATE stream from one slice into another.
//!
//! Archives hold one small gzip member a record, stored bytes and room for the output are at hand: then the state that
//! a streaming decoder keeps between calls (window, position inside a code) is not needed and the output itself is the
//! window. Codes of up to 11 bits (literals, lengths) or 8 bits (distances) take one look-up, longer ones a second in
//! a subtable; the bit buffer is refilled eight bytes at a time without branches, three literals go by in one round.
//!
//! [`Inflater::inflate`] gives up on everything out of the ordinary: too little input or room ([`Stop`] says so), and
//! damage. The caller then gives more, or asks a streaming decoder, whose verdict counts; and it compares check sums,
//! so that no error here could pass for data.
//!
//! Reference: RFC 1951. The shape of the tables follows libdeflate (E. Biggers).

/// Index bits of the first table for literals and lengths…
const LITLEN_BITS: u32 = 11;
/// …and for distances.
const DIST_BITS: u32 = 8;
/// Room for every code of 288 symbols (2342 at most), as a power of two so that a mask bounds the index.
const LITLEN_SIZE: usize = 4096;
/// Room for every code of 32 symbols (402 at most).
const DIST_SIZE: usize = 512;
/// Longest match and what copying by chunks may write behind it.
const OUT_MARGIN: usize = 258 + 32;

/// An entry: bits 0–7 length of the code and its extra bits, 8–11 length of the code alone or index bits of the
/// subtable, 16–30 base value.
const LITERAL: u32 = 1 << 31;
const EXCEPT: u32 = 1 << 15;
const END: u32 = 1 << 14;
const SUBTABLE: u32 = 1 << 13;

const LENGTH_BASE: [u16; 29] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227, 258,
];
const LENGTH_EXTRA: [u8; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DIST_BASE: [u16; 30] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
    4097, 6145, 8193, 12289, 16385, 24577,
];
const DIST_EXTRA: [u8; 30] =
    [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const PRECODE_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Why a stream was not inflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The input ends first.
    Input,
    /// The output is too small.
    Output,
    /// Damage, or something that only a streaming decoder can tell from it.
    Odd,
}

/// What a symbol's entry holds but for the length of its code.
const fn litlen_entries() -> [u32; 288] {
    let mut entries = [EXCEPT; 288];
    let mut symbol = 0;
    while symbol < 286 {
        entries[symbol] = match symbol {
            0..=255 => LITERAL | (symbol as u32) << 16,
            256 => EXCEPT | END,
            _ => (LENGTH_BASE[symbol - 257] as u32) << 16 | LENGTH_EXTRA[symbol - 257] as u32,
        };
        symbol += 1;
    }
    entries
}

const fn dist_entries() -> [u32; 32] {
    let mut entries = [EXCEPT; 32];
    let mut symbol = 0;
    while symbol < 30 {
        entries[symbol] = (DIST_BASE[symbol] as u32) << 16 | DIST_EXTRA[symbol] as u32;
        symbol += 1;
    }
    entries
}

const fn precode_entries() -> [u32; 19] {
    let mut entries = [0; 19];
    let mut symbol = 0;
    while symbol < 19 {
        entries[symbol] = (symbol as u32) << 16;
        symbol += 1;
    }
    entries
}

static LITLEN_ENTRIES: [u32; 288] = litlen_entries();
static DIST_ENTRIES: [u32; 32] = dist_entries();
static PRECODE_ENTRIES: [u32; 19] = precode_entries();

/// The tables, to be used again from member to member.
pub(super) struct Inflater {
    dynamic: Codes,
    fixed: Codes,
    precode: [u32; 128],
    lengths: [u8; 320],
}

/// Tables of the two codes of a block.
struct Codes {
    litlen: Box<[u32; LITLEN_SIZE]>,
    dist: Box<[u32; DIST_SIZE]>,
    litlen_mask: u64,
    dist_mask: u64,
}

impl Codes {
    fn new() -> Codes {
        Codes {
            litlen: Box::new([0; LITLEN_SIZE]),
            dist: Box::new([0; DIST_SIZE]),
            litlen_mask: 0,
            dist_mask: 0,
        }
    }

    fn build(&mut self, litlen: &[u8], dist: &[u8]) -> Option<()> {
        self.litlen_mask = build(&mut self.litlen[..], litlen, &LITLEN_ENTRIES, LITLEN_BITS)?;
        self.dist_mask = build(&mut self.dist[..], dist, &DIST_ENTRIES, DIST_BITS)?;
        Some(())
    }
}

/// Unread bits; what lies beyond the input is zeros, and noticed at the end.
struct Bits<'a> {
    input: &'a [u8],
    at: usize,
    buffer: u64,
    count: u32,
}

impl Bits<'_> {
    /// At least 56 bits. Of `count` only the low eight bits count: subtracting whole entries soils the others.
    #[inline(always)]
    fn refill(&mut self) {
        let word = match self.input.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => self.last_word(),
        };
        self.buffer |= word << (self.count & 63);
        self.at += 7 - (self.count >> 3 & 7) as usize;
        self.count |= 56;
    }

    #[cold]
    fn last_word(&self) -> u64 {
        let rest = self.input.get(self.at..).unwrap_or(&[]);
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(word)
    }

    /// Passes over what `entry` says in its low eight bits.
    #[inline(always)]
    fn drop(&mut self, entry: u32) {
        self.buffer >>= entry & 63;
        self.count = self.count.wrapping_sub(entry);
    }

    /// Passes over a code with its extra bits; gives the value.
    #[inline(always)]
    fn value(&mut self, entry: u32) -> usize {
        let here = self.buffer & ((1 << (entry & 63)) - 1);
        self.drop(entry);
        (entry >> 16) as usize + (here >> (entry >> 8 & 15)) as usize
    }

    #[inline(always)]
    fn take(&mut self, n: u32) -> u32 {
        let value = self.buffer & ((1 << n) - 1);
        self.drop(n);
        value as u32
    }

    /// Bytes of the input that have been used, a partly used one included.
    fn used(&self) -> usize {
        self.at - (self.count >> 3 & 31) as usize
    }
}

impl Inflater {
    pub fn new() -> Inflater {
        let mut fixed = Codes::new();
        let mut lengths = [8; 320];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        lengths[288..].fill(5);
        // These lengths are those of RFC 1951, 3.2.6, and make a code.
        let _ = fixed.build(&lengths[..288], &lengths[288..]);
        Inflater { dynamic: Codes::new(), fixed, precode: [0; 128], lengths }
    }

    /// Inflates the stream at the start of `input`. Gives the number of bytes read and written.
    pub fn inflate(&mut self, input: &[u8], out: &mut [u8]) -> Result<(usize, usize), Stop> {
        let mut bits = Bits { input, at: 0, buffer: 0, count: 0 };
        let mut written = 0;
        loop {
            bits.refill();
            let last = bits.take(1) == 1;
            match bits.take(2) {
                0 => written = stored(&mut bits, out, written)?,
                1 => written = self.fixed.block(&mut bits, out, written)?,
                2 => {
                    self.dynamic_codes(&mut bits).ok_or(Stop::Odd)?;
                    written = self.dynamic.block(&mut bits, out, written)?;
                }
                _ => return Err(Stop::Odd),
            }
            if bits.used() > input.len() {
                return Err(Stop::Input);
            }
            if last {
                return Ok((bits.used(), written));
            }
        }
    }

    fn dynamic_codes(&mut self, bits: &mut Bits) -> Option<()> {
        let litlens = bits.take(5) as usize + 257;
        let dists = bits.take(5) as usize + 1;
        let precodes = bits.take(4) as usize + 4;
        if litlens > 286 || dists > 30 {
            return None;
        }
        let mut precode_lengths = [0; 19];
        for symbol in &PRECODE_ORDER[..precodes] {
            bits.refill();
            precode_lengths[*symbol] = bits.take(3) as u8;
        }
        let precode_mask = build(&mut self.precode, &precode_lengths, &PRECODE_ENTRIES, 7)?;
        let total = litlens + dists;
        let mut at = 0;
        while at < total {
            bits.refill();
            let entry = self.precode[(bits.buffer & precode_mask & 127) as usize];
            if entry & EXCEPT != 0 {
                return None;
            }
            bits.drop(entry);
            let symbol = entry >> 16;
            if symbol < 16 {
                self.lengths[at] = symbol as u8;
                at += 1;
                continue;
            }
            let (value, times) = match symbol {
                16 => (*self.lengths.get(at.checked_sub(1)?)?, 3 + bits.take(2)),
                17 => (0, 3 + bits.take(3)),
                _ => (0, 11 + bits.take(7)),
            };
            let end = at + times as usize;
            if end > total {
                return None;
            }
            self.lengths[at..end].fill(value);
            at = end;
        }
        self.dynamic.build(&self.lengths[..litlens], &self.lengths[litlens..total])
    }
}

impl Codes {
    #[inline(always)]
    fn litlen(&self, bits: &Bits) -> u32 {
        self.litlen[(bits.buffer & self.litlen_mask) as usize & (LITLEN_SIZE - 1)]
    }

    /// Decodes a block into `out` from `written` on.
    fn block(&self, bits: &mut Bits, out: &mut [u8], mut written: usize) -> Result<usize, Stop> {
        // A copy that no reference leads to can live in registers.
        let mut b = Bits { input: bits.input, at: bits.at, buffer: bits.buffer, count: bits.count };
        // The buffer may hold eight bytes of zeros from beyond the end, not more.
        let beyond = b.input.len() + 8;
        b.refill();
        let mut entry = self.litlen(&b);
        loop {
            let room = out.get_mut(written..).and_then(|rest| rest.first_chunk_mut::<OUT_MARGIN>());
            let Some(room) = room else { return Err(Stop::Output) };
            if b.at > beyond {
                return Err(Stop::Input);
            }
            if entry & LITERAL != 0 {
                // Codes of the first table have at most 11 bits: three of them, and the index of the next, are there.
                b.drop(entry);
                room[0] = (entry >> 16) as u8;
                written += 1;
                entry = self.litlen(&b);
                if entry & LITERAL != 0 {
                    b.drop(entry);
                    room[1] = (entry >> 16) as u8;
                    written += 1;
                    entry = self.litlen(&b);
                    if entry & LITERAL != 0 {
                        b.drop(entry);
                        room[2] = (entry >> 16) as u8;
                        written += 1;
                        b.refill();
                        entry = self.litlen(&b);
                        continue;
                    }
                }
                b.refill();
            }
            if entry & EXCEPT != 0 {
                if entry & SUBTABLE != 0 {
                    b.drop(entry & 0xff);
                    let index = b.buffer & ((1 << (entry >> 8 & 0xf)) - 1);
                    entry = self.litlen[((entry >> 16) as usize + index as usize) & (LITLEN_SIZE - 1)];
                    if entry & LITERAL != 0 {
                        b.drop(entry);
                        *out.get_mut(written).ok_or(Stop::Output)? = (entry >> 16) as u8;
                        written += 1;
                        b.refill();
                        entry = self.litlen(&b);
                        continue;
                    }
                }
                if entry & EXCEPT != 0 {
                    if entry & END == 0 {
                        return Err(Stop::Odd);
                    }
                    b.drop(entry);
                    *bits = b;
                    return Ok(written);
                }
            }
            // A length takes at most 20 bits and a distance 28: what is left of 56 suffices.
            let length = b.value(entry);
            let mut far = self.dist[(b.buffer & self.dist_mask) as usize & (DIST_SIZE - 1)];
            if far & EXCEPT != 0 {
                if far & SUBTABLE == 0 {
                    return Err(Stop::Odd);
                }
                b.drop(far & 0xff);
                let index = b.buffer & ((1 << (far >> 8 & 0xf)) - 1);
                far = self.dist[((far >> 16) as usize + index as usize) & (DIST_SIZE - 1)];
                if far & EXCEPT != 0 {
                    return Err(Stop::Odd);
                }
            }
            let distance = b.value(far);
            // The next look-up does not wait for the copy.
            b.refill();
            entry = self.litlen(&b);
            repeat(out, written, distance, length).ok_or(Stop::Odd)?;
            written += length;
        }
    }
}

/// Copies `length` bytes from `distance` before `at` to `at`; may write a chunk beyond.
#[inline(always)]
fn repeat(out: &mut [u8], at: usize, distance: usize, length: usize) -> Option<()> {
    let from = at.checked_sub(distance)?;
    if distance >= 16 {
        let mut done = 0;
        while done < length {
            let chunk = *out.get(from + done..)?.first_chunk::<16>()?;
            *out.get_mut(at + done..)?.first_chunk_mut::<16>()? = chunk;
            done += 16;
        }
    } else if distance >= 8 {
        let mut done = 0;
        while done < length {
            let chunk = *out.get(from + done..)?.first_chunk::<8>()?;
            *out.get_mut(at + done..)?.first_chunk_mut::<8>()? = chunk;
            done += 8;
        }
    } else if distance == 1 {
        let byte = *out.get(from)?;
        out.get_mut(at..at + length)?.fill(byte);
    } else {
        let run = out.get_mut(from..at + length)?;
        for i in distance..run.len() {
            run[i] = run[i - distance];
        }
    }
    Some(())
}

fn stored(bits: &mut Bits, out: &mut [u8], written: usize) -> Result<usize, Stop> {
    bits.drop(bits.count & 7);
    let at = bits.used();
    let head = bits.input.get(at..).and_then(|rest| rest.first_chunk::<4>()).ok_or(Stop::Input)?;
    let length = u16::from_le_bytes([head[0], head[1]]);
    if length != !u16::from_le_bytes([head[2], head[3]]) {
        return Err(Stop::Odd);
    }
    let length = usize::from(length);
    let bytes = bits.input.get(at + 4..at + 4 + length).ok_or(Stop::Input)?;
    out.get_mut(written..written + length).ok_or(Stop::Output)?.copy_from_slice(bytes);
    *bits = Bits { input: bits.input, at: at + 4 + length, buffer: 0, count: 0 };
    Ok(written + length)
}

/// Builds the look-up table of a canonical code from the lengths of its codes; gives the mask of its index. `None` for
/// lengths that no prefix code has. Where the code is incomplete, what no code begins with leads to an exception.
fn build(table: &mut [u32], lengths: &[u8], entries: &[u32], most_bits: u32) -> Option<u64> {
    let mut counts = [0u16; 16];
    for length in lengths {
        counts[usize::from(*length & 15)] += 1;
    }
    counts[0] = 0;
    let longest = (1..16).rev().find(|n| counts[*n] > 0).unwrap_or(1) as u32;
    let mut offsets = [0u16; 17];
    let mut space = 0u32;
    for n in 1..16 {
        offsets[n + 1] = offsets[n] + counts[n];
        space += u32::from(counts[n]) << (15 - n);
    }
    if space > 1 << 15 {
        return None;
    }
    let mut sorted = [0u16; 320];
    let mut next = offsets;
    for (symbol, length) in lengths.iter().enumerate() {
        if *length > 0 {
            let slot = &mut next[usize::from(*length & 15)];
            sorted[usize::from(*slot)] = symbol as u16;
            *slot += 1;
        }
    }
    let bits = longest.min(most_bits);
    table[..2].fill(EXCEPT);
    let mut code = 0u32;
    for n in 1..=bits {
        if n > 1 {
            // Codes found so far do not look at the bit that is added.
            table.copy_within(0..1 << (n - 1), 1 << (n - 1));
        }
        for symbol in &sorted[usize::from(offsets[n as usize])..usize::from(offsets[n as usize + 1])] {
            let reversed = code.reverse_bits() >> (32 - n);
            table[reversed as usize] = entries[usize::from(*symbol)] + (n << 8 | n);
            code += 1;
        }
        code <<= 1;
    }
    let mut free = 1usize << bits;
    let mut prefix = u32::MAX;
    let (mut start, mut sub_bits) = (0, 0);
    for n in bits + 1..=longest {
        let symbols = &sorted[usize::from(offsets[n as usize])..usize::from(offsets[n as usize + 1])];
        for (done, symbol) in symbols.iter().enumerate() {
            let reversed = code.reverse_bits() >> (32 - n);
            if reversed & ((1 << bits) - 1) != prefix {
                prefix = reversed & ((1 << bits) - 1);
                start = free;
                sub_bits = n - bits;
                let mut used = (symbols.len() - done) as u32;
                while used < 1 << sub_bits && bits + sub_bits < longest {
                    sub_bits += 1;
                    used = (used << 1) + u32::from(counts[(bits + sub_bits) as usize]);
                }
                free += 1 << sub_bits;
                table.get_mut(start..free)?.fill(EXCEPT);
                table[prefix as usize] = EXCEPT | SUBTABLE | (start as u32) << 16 | sub_bits << 8 | bits;
            }
            let mut at = start + (reversed >> bits) as usize;
            while at < start + (1 << sub_bits) {
                table[at] = entries[usize::from(*symbol)] + ((n - bits) << 8 | (n - bits));
                at += 1 << (n - bits);
            }
            code += 1;
        }
        code <<= 1;
    }
    Some((1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use proptest::prelude::*;

    use super::*;

    fn deflate(data: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn check(data: &[u8], level: u32) {
        let mut packed = deflate(data, level);
        let length = packed.len();
        let mut inflater = Inflater::new();
        let mut out = vec![0; data.len() + 2 * OUT_MARGIN];
        for _ in 0..2 {
            assert_eq!(inflater.inflate(&packed, &mut out), Ok((length, data.len())));
            assert!(out[..data.len()] == *data);
            // What follows the stream does not matter.
            packed.extend_from_slice(b"\xff\xfftrailer and more");
        }
        for n in 0..length.min(300) {
            assert!(inflater.inflate(&packed[..n], &mut out).is_err());
        }
    }

    #[test]
    fn fixed_stored_and_dynamic_blocks() {
        let text = "a page, and the same page again: ".repeat(400);
        let noise: Vec<u8> = (0..100_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        // Fibonacci-like frequencies give the longest codes.
        let mut skewed = Vec::new();
        let (mut a, mut b) = (1usize, 1usize);
        for symbol in 0..24u8 {
            skewed.extend(std::iter::repeat_n(symbol * 7, a));
            (a, b) = (b, a + b);
        }
        let mut mixed: Vec<u8> =
            skewed.iter().enumerate().map(|(i, _)| skewed[i * 7919 % skewed.len()]).collect();
        mixed.extend_from_slice(text.as_bytes());
        for data in [&b""[..], b"a", b"aaaaaaaaaaaaaaaaaaaaaaaa", text.as_bytes(), &noise, &skewed, &mixed] {
            for level in [0, 1, 6, 9] {
                check(data, level);
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_oracle_on_data(
            words in proptest::collection::vec(("[a-e]{1,6}|[\\x00-\\xff]{0,4}", 1..20usize), 0..200),
            level in 0..10u32,
        ) {
            let data: String = words.iter().map(|(w, n)| w.repeat(*n)).collect();
            check(data.as_bytes(), level);
        }

        #[test]
        fn agrees_with_the_oracle_on_damage(
            flips in proptest::collection::vec((any::<prop::sample::Index>(), 1..=255u8), 1..4),
            level in 1..10u32,
        ) {
            let mut packed = deflate("some words, some more words, no more words. ".repeat(30).as_bytes(), level);
            for (at, to) in flips {
                let at = at.index(packed.len());
                packed[at] ^= to;
            }
            let mut out = vec![0; 1 << 16];
            let ours = Inflater::new().inflate(&packed, &mut out);
            let mut theirs = vec![0; 1 << 16];
            let mut oracle = flate2::Decompress::new(false);
            let status = oracle.decompress(&packed, &mut theirs, flate2::FlushDecompress::Finish);
            if let Ok(flate2::Status::StreamEnd) = status && (oracle.total_out() as usize) < (1 << 16) - OUT_MARGIN {
                let want = (oracle.total_in() as usize, oracle.total_out() as usize);
                prop_assert_eq!(ours, Ok(want));
                prop_assert!(out[..want.1] == theirs[..want.1]);
            }
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mut out = vec![0; 5000];
            let _ = Inflater::new().inflate(&bytes, &mut out);
        }
    }
}
