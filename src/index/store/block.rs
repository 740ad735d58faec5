//! A block: some hundred neighbours of an index, packed.
//!
//! ```text
//! rows  flags  raw text  text  keys  digests  [raw rest]  rest     LEB128, lengths in bytes; digests in number
//! for each stretch of 32 rows: bytes, digests before, [rest before]
//! text: what each key has that the one before has not, 0xFF behind each; zstd with the segment's dictionary, or plain
//! keys: how much of the key before is kept; rANS
//! stretches: all other numbers; rANS, beginning anew
//! rest: text that few rows have; zstd, or plain
//! digests: 20 bytes each
//! ```
//!
//! To find a key, text and keys are decoded up to it; of the numbers one stretch up to its row; of the rest nothing
//! unless the row has some.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::Xxh3Builder;
use zstd::zstd_safe::{CCtx, CParameter};

use super::address::{self, analyse};
use super::columns::{self, Context, Values, digest, flag};
use super::model::{Model, Sha1, pair_of, sha1_of};
use super::names::Names;
use super::rans::Gathered;
use super::run::Run;
use super::wire::{Fault, Wire, put_bytes, put_number};

/// Rows of a block at most.
pub(super) const BLOCK_ROWS: usize = 128;
/// Bytes of records that close a block early.
pub(super) const BLOCK_BYTES: usize = 256 << 10;
/// Rows whose numbers are decoded together.
pub(super) const STRETCH: usize = 32;
/// Bytes of text, and of the rest, at most: [`BLOCK_BYTES`] and one record.
const MAX_TEXT: usize = 2 * super::record::MAX_RECORD;

/// Ends each key's text: no byte of UTF-8.
pub(super) const END: u8 = 0xff;

/// Keys are the lower case of what is stored.
const FOLDED: u8 = 1;
const REST: u8 = 2;

/// Takes rows apart into columns.
#[derive(Default)]
pub(super) struct Gatherer {
    folded: bool,
    rows: usize,
    keys: Gathered,
    text: Vec<u8>,
    stretches: Vec<Gathered>,
    digests_before: Vec<usize>,
    rest_before: Vec<usize>,
    rest: Vec<u8>,
    digests: Vec<u8>,
    seen: HashMap<Sha1, usize, Xxh3Builder>,
    scratch: [String; 3],
}

impl Gatherer {
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(super) fn count(&self, counts: &mut [[u64; 256]]) {
        self.keys.count(counts);
        self.stretches.iter().for_each(|stretch| stretch.count(counts));
    }

    /// Takes the rows `range` of a run, at most [`BLOCK_ROWS`].
    pub(super) fn gather(
        &mut self,
        run: &Run,
        range: Range<usize>,
        model: &Model,
        names: &mut Names,
    ) -> Result<(), Fault> {
        self.rows = range.len();
        self.keys.clear();
        self.text.clear();
        self.stretches.clear();
        self.digests_before.clear();
        self.rest_before.clear();
        self.rest.clear();
        self.digests.clear();
        self.seen.clear();
        self.folded = range.clone().all(|at| {
            let key = run.identity(at).urlkey;
            !key.bytes().any(|byte| byte.is_ascii_uppercase())
        });
        let [mut cased, mut before, mut scratch] = std::mem::take(&mut self.scratch);
        before.clear();
        let mut kept_before = 0;
        let mut context = Context::default();
        let mut digest_before = None;
        for (nth, at) in range.enumerate() {
            if nth % STRETCH == 0 {
                self.stretches.push(Gathered::default());
                self.digests_before.push(self.digests.len() / 20);
                self.rest_before.push(self.rest.len());
                context = Context::default();
                digest_before = None;
            }
            let row = run.row(at);
            let entry = &row.entry;
            let url = if row.deleted { "" } else { &*entry.url };
            let address = match row.deleted {
                true => {
                    cased.clear();
                    cased.push_str(&entry.urlkey);
                    address::Address { kind: address::SAME, shared: 0 }
                }
                false => analyse(&entry.urlkey, url, self.folded, &mut cased, &mut scratch),
            };
            let same = nth > 0 && cased == before;
            let mut kept = None;
            if !same {
                let mut shared = cased.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
                while !cased.is_char_boundary(shared) {
                    shared -= 1;
                }
                kept = Some(shared as i64 - kept_before);
                kept_before = shared as i64;
                self.text.extend_from_slice(&cased.as_bytes()[shared..]);
                self.text.push(END);
            }
            columns::key(&mut self.keys, &mut kept);
            std::mem::swap(&mut cased, &mut before);

            let mut values = Values {
                flags: 0,
                kind: address.kind,
                timestamp: entry.timestamp,
                file: names.id(&entry.filename)?,
                offset: entry.offset,
                length: entry.length.unwrap_or(0),
                ..Values::default()
            };
            if row.deleted {
                values.flags = flag::DELETED;
            } else {
                if address.kind >= address::LITERAL {
                    put_number(&mut self.rest, address.shared as u64);
                    put_bytes(&mut self.rest, &url.as_bytes()[address.shared..]);
                }
                match model.pair_ids.get(&pair_of(entry)) {
                    Some(&id) => values.pair = id,
                    None => {
                        values.flags |= flag::PAIR;
                        put_bytes(&mut self.rest, entry.mime.as_bytes());
                        put_number(&mut self.rest, entry.status.map_or(0, |status| u64::from(status) + 1));
                    }
                }
                if entry.length.is_none() {
                    values.flags |= flag::NO_LENGTH;
                }
                let sha1 = sha1_of(&entry.digest);
                match sha1 {
                    Some(own) => self.digest(own, digest_before, model, &mut values),
                    None if entry.digest.is_empty() => values.digest = digest::EMPTY,
                    None => {
                        values.digest = digest::TEXT;
                        put_bytes(&mut self.rest, entry.digest.as_bytes());
                    }
                }
                digest_before = sha1;
                for (text, flag) in [(&entry.redirect, flag::REDIRECT), (&entry.robotflags, flag::ROBOTS)] {
                    if !text.is_empty() {
                        values.flags |= flag;
                        put_bytes(&mut self.rest, text.as_bytes());
                    }
                }
                if !entry.extra.is_empty() {
                    values.flags |= flag::EXTRA;
                    put_number(&mut self.rest, entry.extra.len() as u64);
                    for text in entry.extra.iter().flat_map(|(name, value)| [name, value]) {
                        put_bytes(&mut self.rest, text.as_bytes());
                    }
                }
            }
            let stretch = self.stretches.last_mut().expect("begun above");
            context.row(stretch, &mut values, same, &model.anchors);
        }
        self.scratch = [cased, before, scratch];
        Ok(())
    }

    fn digest(&mut self, own: Sha1, before: Option<Sha1>, model: &Model, values: &mut Values) {
        let count = self.digests.len() / 20;
        if before == Some(own) {
            values.digest = digest::PREVIOUS;
        } else if let Some(&id) = model.frequent_ids.get(&own) {
            (values.digest, values.reference) = (digest::FREQUENT, id.into());
        } else if let Some(&at) = self.seen.get(&own) {
            (values.digest, values.reference) = (digest::BACK, (count - at - 1) as u64);
        } else {
            values.digest = digest::OWN;
            self.digests.extend_from_slice(&own);
            self.seen.insert(own, count);
        }
    }
}

/// Packs what was gathered.
pub(super) struct Packer {
    keys: CCtx<'static>,
    rest: CCtx<'static>,
    packed: [Vec<u8>; 3],
    words: Vec<u16>,
}

impl Packer {
    /// At a level of zstd.
    pub(super) fn new(model: &Model, level: i32) -> Result<Self, Fault> {
        let context = |dictionary: &[u8]| {
            let mut context = CCtx::create();
            context.set_parameter(CParameter::CompressionLevel(level))?;
            context.set_parameter(CParameter::ContentSizeFlag(false))?;
            context.set_parameter(CParameter::DictIdFlag(false))?;
            if !dictionary.is_empty() {
                context.load_dictionary(dictionary)?;
            }
            Ok(context)
        };
        let contexts = context(&model.dictionary).and_then(|keys| Ok((keys, context(&[])?)));
        let (keys, rest) = contexts.map_err(|_: usize| "zstd refuses its settings")?;
        Ok(Packer { keys, rest, packed: Default::default(), words: Vec::new() })
    }

    /// Appends a block.
    pub(super) fn pack(
        &mut self,
        gathered: &Gatherer,
        model: &Model,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let Packer { keys, rest, packed: [text, packed_rest, numbers], words } = self;
        compress(keys, &gathered.text, text)?;
        compress(rest, &gathered.rest, packed_rest)?;
        numbers.clear();
        gathered.keys.encode(&model.tables, words, numbers);
        let key_bytes = numbers.len();
        put_number(out, gathered.rows as u64);
        let has_rest = !gathered.rest.is_empty();
        out.push((u8::from(gathered.folded) * FOLDED) | (u8::from(has_rest) * REST));
        for length in [gathered.text.len(), text.len(), key_bytes, gathered.digests.len() / 20] {
            put_number(out, length as u64);
        }
        if has_rest {
            put_number(out, gathered.rest.len() as u64);
            put_number(out, packed_rest.len() as u64);
        }
        for (nth, stretch) in gathered.stretches.iter().enumerate() {
            let from = numbers.len();
            stretch.encode(&model.tables, words, numbers);
            put_number(out, (numbers.len() - from) as u64);
            put_number(out, gathered.digests_before[nth] as u64);
            if has_rest {
                put_number(out, gathered.rest_before[nth] as u64);
            }
        }
        for part in [&*text, &*numbers, &*packed_rest, &gathered.digests] {
            out.extend_from_slice(part);
        }
        Ok(())
    }
}

/// Compresses; what does not shrink stays as it is.
fn compress(context: &mut CCtx<'_>, raw: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    out.clear();
    if raw.len() > MAX_TEXT {
        return Err("more text than a block holds");
    }
    out.reserve(zstd::zstd_safe::compress_bound(raw.len()));
    context.compress2(out, raw).map_err(|_| "zstd cannot compress")?;
    if out.len() >= raw.len() {
        out.clear();
        out.extend_from_slice(raw);
    }
    Ok(())
}

/// Where the parts of a block lie in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    pub(super) rows: usize,
    pub(super) folded: bool,
    pub(super) raw_text: usize,
    pub(super) text: Range<usize>,
    pub(super) keys: Range<usize>,
    pub(super) raw_rest: usize,
    pub(super) rest: Range<usize>,
    pub(super) stretches: [Stretch; BLOCK_ROWS / STRETCH],
    pub(super) digests: Range<usize>,
}

/// Some rows' numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Stretch {
    pub(super) numbers: Range<usize>,
    pub(super) digests_before: usize,
    pub(super) rest_before: usize,
}

impl Layout {
    pub(super) fn of(block: &[u8]) -> Result<Self, Fault> {
        let mut wire = Wire::new(block);
        let mut layout = Layout { rows: wire.count(BLOCK_ROWS)?, ..Layout::default() };
        let flags = wire.byte()?;
        if layout.rows == 0 || flags > 3 {
            return Err("a block of an unknown kind");
        }
        layout.folded = flags & FOLDED != 0;
        layout.raw_text = wire.count(MAX_TEXT)?;
        let (text, keys) = (wire.count(MAX_TEXT)?, wire.count(MAX_TEXT)?);
        let digests = wire.count(BLOCK_ROWS)?;
        let mut rest = 0;
        if flags & REST != 0 {
            layout.raw_rest = wire.count(MAX_TEXT)?;
            rest = wire.count(MAX_TEXT)?;
        }
        let stretches = &mut layout.stretches[..layout.rows.div_ceil(STRETCH)];
        for stretch in stretches.iter_mut() {
            stretch.numbers = 0..wire.count(MAX_TEXT)?;
            stretch.digests_before = wire.count(digests)?;
            stretch.rest_before = if flags & REST != 0 { wire.count(layout.raw_rest)? } else { 0 };
        }
        let mut at = wire.at();
        let mut part = |length: usize| {
            at += length;
            at - length..at
        };
        layout.text = part(text);
        layout.keys = part(keys);
        stretches.iter_mut().for_each(|stretch| stretch.numbers = part(stretch.numbers.end));
        layout.rest = part(rest);
        layout.digests = part(digests * 20);
        if at != block.len() {
            return Err("a block of another length than it says");
        }
        Ok(layout)
    }
}
