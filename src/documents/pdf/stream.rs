//! Bytes of streams, inflated within bounds.
//!
//! The object reader would inflate a stream as far as it goes; a few kilobytes can become gigabytes. Here every filter
//! stops at the bound, and all streams of a document share one budget.

use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Stream};

use crate::Limits;
use crate::inflate::{End, inflate};

/// Bytes that any stream may become, whatever its length.
const FREE_BYTES: usize = 1 << 20;
/// Filters that may stand one behind the other.
const MAX_FILTERS: usize = 8;

/// The work that may still be spent on a document.
#[derive(Debug)]
pub(super) struct Budget {
    /// Operators and other steps.
    pub(super) steps: u64,
    /// Bytes that streams may still become.
    inflated: usize,
    ratio: usize,
    /// Whether a bound left something out: of a stream, the glyphs of a page, its annotations, forms within forms.
    pub(super) cut: bool,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Budget {
            steps: limits.max_steps,
            inflated: limits.max_inflated_bytes,
            ratio: limits.max_inflate_ratio,
            cut: false,
        }
    }

    /// Takes steps; false where none are left.
    pub(super) fn spend(&mut self, steps: u64) -> bool {
        let enough = self.steps >= steps;
        self.steps = self.steps.saturating_sub(steps);
        enough
    }

    /// Most bytes that a stream of a length may become now.
    fn room(&self, length: usize) -> usize {
        self.inflated.min(length.saturating_mul(self.ratio).saturating_add(FREE_BYTES))
    }
}

/// The bytes of a stream that is no picture; `None` where nothing of it can be had. What a damaged filter gave before its
/// damage is kept.
pub(super) fn decoded(stream: &Stream<'_>, budget: &mut Budget) -> Option<Vec<u8>> {
    let dict = stream.dict();
    let raw = stream.raw_data();
    let length = raw.len();
    let mut data = raw.into_owned();
    for (at, filter) in stream.filters().into_iter().take(MAX_FILTERS).enumerate() {
        let room = budget.room(length);
        let (bytes, full) = match filter {
            Filter::FlateDecode => {
                let (bytes, full) = inflated(&data, room);
                (predicted(bytes, &parameters(dict, at)), full)
            }
            Filter::LzwDecode => {
                let parameters = parameters(dict, at);
                let early = parameters.get::<i32>("EarlyChange").unwrap_or(1) != 0;
                let (bytes, full) = unpacked(&data, early, room);
                (predicted(bytes, &parameters), full)
            }
            Filter::Ascii85Decode => (ascii85(&data), false),
            Filter::AsciiHexDecode => (hexadecimal(&data), false),
            Filter::RunLengthDecode => run_lengths(&data, room),
            Filter::Crypt => continue,
            _ => return None,
        };
        budget.cut |= full;
        data = bytes;
    }
    budget.inflated = budget.inflated.saturating_sub(data.len());
    Some(data)
}

/// The parameters of a filter: one dictionary, or one of several.
fn parameters<'a>(dict: &Dict<'a>, at: usize) -> Dict<'a> {
    let several = |key: &str| {
        let array = dict.get::<Array<'_>>(key)?;
        array.iter::<hayro_syntax::object::Object<'_>>().nth(at)?.into_dict()
    };
    ["DecodeParms", "DP"]
        .into_iter()
        .find_map(|key| dict.get::<Dict<'_>>(key).or_else(|| several(key)))
        .unwrap_or_default()
}

/// Inflates zlib or bare deflate data, and whether it reached the bound.
fn inflated(data: &[u8], room: usize) -> (Vec<u8>, bool) {
    // Behind a damaged header what follows may be sound.
    let tries = [(data, true), (data.get(2..).unwrap_or_default(), false), (data, false)];
    let mut tries = tries.into_iter().map(|(data, zlib)| inflate(data, zlib, room));
    let (bytes, end) = tries.find(|(bytes, _)| !bytes.is_empty()).unwrap_or((Vec::new(), End::Whole));
    (bytes, end == End::Full)
}

/// Undoes LZW, as TIFF and PDF have it: codes of 9 to 12 bits, the highest bit first.
fn unpacked(data: &[u8], early: bool, room: usize) -> (Vec<u8>, bool) {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let mut out: Vec<u8> = Vec::new();
    // Where each sequence stands in the output.
    let mut table: Vec<(usize, usize)> = Vec::with_capacity(4096);
    let (mut bits, mut held, mut width) = (0u32, 0u32, 9u32);
    let mut previous: Option<(usize, usize)> = None;
    for byte in data {
        bits = (bits << 8) | u32::from(*byte);
        held += 8;
        if held < width {
            continue;
        }
        held -= width;
        let code = ((bits >> held) & ((1 << width) - 1)) as usize;
        bits &= (1 << held) - 1;
        if code == END {
            break;
        }
        if code == CLEAR {
            table.clear();
            width = 9;
            previous = None;
            continue;
        }
        let start = out.len();
        if code < CLEAR {
            out.push(code as u8);
        } else if let Some(&(from, to)) = table.get(code - 258) {
            out.extend_from_within(from..to.min(start));
        } else if let Some((from, to)) = previous {
            out.extend_from_within(from..to);
            out.extend(out.get(from).copied());
        } else {
            break;
        }
        if let Some((from, to)) = previous
            && table.len() < 4096 - 258
        {
            // The sequence before and the first byte of this one stand side by side.
            table.push((from, to + 1));
        }
        previous = Some((start, out.len()));
        width = match table.len() + 258 + usize::from(early) {
            0..512 => 9,
            512..1024 => 10,
            1024..2048 => 11,
            _ => 12,
        };
        if out.len() >= room {
            return (out, true);
        }
    }
    (out, false)
}

fn ascii85(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() / 5 * 4);
    let mut group = [0u8; 5];
    let mut filled = 0;
    for &byte in data {
        match byte {
            b'!'..=b'u' => {
                if let Some(place) = group.get_mut(filled) {
                    *place = byte - b'!';
                }
                filled += 1;
                if filled == 5 {
                    out.extend_from_slice(&base85(group));
                    filled = 0;
                }
            }
            b'z' if filled == 0 => out.extend_from_slice(&[0; 4]),
            b'~' => break,
            _ => {}
        }
    }
    if filled > 1 {
        group.iter_mut().skip(filled).for_each(|place| *place = 84);
        out.extend_from_slice(base85(group).get(..filled - 1).unwrap_or_default());
    }
    out
}

fn base85(group: [u8; 5]) -> [u8; 4] {
    group.iter().fold(0u32, |sum, digit| sum.wrapping_mul(85).wrapping_add(u32::from(*digit))).to_be_bytes()
}

/// Digits up to `>` as bytes, two each; other characters are skipped.
pub(super) fn hexadecimal(data: &[u8]) -> Vec<u8> {
    let digits =
        data.iter().take_while(|byte| **byte != b'>').filter_map(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(data.len() / 2);
    let mut high = None;
    for digit in digits {
        match high.take() {
            None => high = Some(digit),
            Some(first) => out.push((first * 16 + digit) as u8),
        }
    }
    out.extend(high.map(|first| (first * 16) as u8));
    out
}

fn run_lengths(data: &[u8], room: usize) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    let mut rest = data;
    while let Some((&length, tail)) = rest.split_first() {
        let length = usize::from(length);
        if length == 128 {
            break;
        } else if length < 128 {
            let (literal, tail) = tail.split_at(tail.len().min(length + 1));
            out.extend_from_slice(literal);
            rest = tail;
        } else {
            let Some((&byte, tail)) = tail.split_first() else { break };
            out.resize(out.len() + 257 - length, byte);
            rest = tail;
        }
        if out.len() >= room {
            return (out, true);
        }
    }
    (out, false)
}

/// Undoes the prediction of PNG and TIFF.
fn predicted(data: Vec<u8>, parameters: &Dict<'_>) -> Vec<u8> {
    let number = |key: &str, default: usize| {
        parameters.get::<i32>(key).and_then(|n| usize::try_from(n).ok()).unwrap_or(default)
    };
    let predictor = number("Predictor", 1);
    if predictor < 2 {
        return data;
    }
    let bits = number("BitsPerComponent", 8).clamp(1, 16);
    let colors = number("Colors", 1).clamp(1, 64);
    let columns = number("Columns", 1).clamp(1, 1 << 20);
    let pixel = (bits * colors).div_ceil(8).max(1);
    let row = (bits * colors * columns).div_ceil(8).max(1);
    if predictor == 2 { differences(data, row, pixel, bits) } else { png(&data, row, pixel) }
}

fn differences(mut data: Vec<u8>, row: usize, pixel: usize, bits: usize) -> Vec<u8> {
    if bits == 8 {
        for line in data.chunks_mut(row) {
            for at in pixel..line.len() {
                let before = line.get(at - pixel).copied().unwrap_or(0);
                if let Some(byte) = line.get_mut(at) {
                    *byte = byte.wrapping_add(before);
                }
            }
        }
    }
    data
}

fn png(data: &[u8], row: usize, pixel: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut above = vec![0u8; row];
    let mut line = vec![0u8; row];
    for chunk in data.chunks(row + 1) {
        let Some((&kind, bytes)) = chunk.split_first() else { break };
        line.fill(0);
        for (at, &byte) in bytes.iter().enumerate() {
            let get = |row: &[u8], back: usize| {
                at.checked_sub(back).and_then(|at| row.get(at)).copied().unwrap_or(0)
            };
            let (left, up, corner) = (get(&line, pixel), get(&above, 0), get(&above, pixel));
            let guess = match kind {
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                4 => paeth(left, up, corner),
                _ => 0,
            };
            if let Some(place) = line.get_mut(at) {
                *place = byte.wrapping_add(guess);
            }
        }
        out.extend_from_slice(line.get(..bytes.len()).unwrap_or_default());
        std::mem::swap(&mut above, &mut line);
    }
    out
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(up), i16::from(corner));
    let guess = a + b - c;
    let (da, db, dc) = ((guess - a).abs(), (guess - b).abs(), (guess - c).abs());
    if da <= db && da <= dc {
        left
    } else if db <= dc {
        up
    } else {
        corner
    }
}
