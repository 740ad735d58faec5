//! Rows of a block, one after another.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut, Range};

use data_encoding::BASE32;
use memchr::memchr;
use zstd::zstd_safe::DCtx;

use super::address::{self, compose};
use super::block::{END, Layout, STRETCH};
use super::columns::{self, Context, Values, digest, flag};
use super::model::{Model, Sha1};
use super::names::Names;
use super::rans::Rans;
use super::record::{Identity, Row};
use super::seconds;
use super::wire::{Fault, Wire};
use crate::Entry;

/// What a block is read with.
pub(super) struct Shared {
    pub(super) model: Model,
    pub(super) names: Names,
}

/// Reads a block; its buffers serve the next one.
#[derive(Default)]
pub(super) struct BlockReader {
    layout: Layout,
    text: Vec<u8>,
    text_at: usize,
    keys: Rans,
    /// Rows whose keys were read: the last of them is the current.
    row: usize,
    kept: i64,
    cased: String,
    key: String,
    same: Vec<bool>,
    numbers: Rans,
    context: Context,
    /// Rows whose numbers were read.
    valued: usize,
    values: Values,
    digests: usize,
    digest_before: Option<Sha1>,
    rest: Vec<u8>,
    rest_at: usize,
    rest_is_there: bool,
    strings: Strings,
}

/// The texts of the current row, made when its numbers are read.
#[derive(Default)]
struct Strings {
    url: String,
    /// Of a literal URL how much of the composed one it shares, and what follows.
    tail: (usize, Range<usize>),
    digest: [u8; 32],
    digest_text: Range<usize>,
    mime: Option<(Range<usize>, Option<u16>)>,
    redirect: Range<usize>,
    robots: Range<usize>,
    extra: Vec<(Range<usize>, Range<usize>)>,
}

/// A reader that is given back when it is done with: one that has its buffers is had sooner than one without.
pub(super) struct Lent(Option<Box<BlockReader>>);

impl Default for Lent {
    fn default() -> Self {
        Lent(Some(IDLE.with_borrow_mut(Vec::pop).unwrap_or_default()))
    }
}

impl Deref for Lent {
    type Target = BlockReader;

    fn deref(&self) -> &BlockReader {
        self.0.as_ref().expect("there until it is dropped")
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut BlockReader {
        self.0.as_mut().expect("there until it is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // Large buffers are not kept, and at the end of a thread nothing is.
        if let Some(reader) =
            self.0.take().filter(|reader| reader.text.capacity() + reader.rest.capacity() < MAX_IDLE)
        {
            let _ = IDLE.try_with(|idle| {
                if let Ok(mut idle) = idle.try_borrow_mut()
                    && idle.len() < 8
                {
                    idle.push(reader);
                }
            });
        }
    }
}

/// Bytes of buffers that an idle reader may keep.
const MAX_IDLE: usize = 1 << 20;

thread_local! {
    // Boxed, so that lending moves a pointer and not the reader.
    #[allow(clippy::vec_box)]
    static IDLE: RefCell<Vec<Box<BlockReader>>> = const { RefCell::new(Vec::new()) };
    static UNPACKER: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

impl BlockReader {
    /// Begins a block.
    pub(super) fn open(&mut self, block: &[u8], shared: &Shared) -> Result<(), Fault> {
        self.layout = Layout::of(block)?;
        let layout = &self.layout;
        unpack(&block[layout.text.clone()], layout.raw_text, Some(&shared.model), &mut self.text)?;
        self.text_at = 0;
        self.keys = Rans::new(&block[layout.keys.clone()]);
        (self.row, self.kept, self.valued) = (0, 0, 0);
        self.cased.clear();
        self.key.clear();
        self.same.clear();
        self.rest_is_there = false;
        Ok(())
    }

    /// Goes to the next row's key; whether there is one.
    pub(super) fn next_key(&mut self, block: &[u8], shared: &Shared) -> Result<bool, Fault> {
        if self.row == self.layout.rows {
            return Ok(false);
        }
        let mut kept = None;
        let mut decoder = self.keys.over(&block[self.layout.keys.clone()], &shared.model.tables);
        columns::key(&mut decoder, &mut kept);
        if self.keys.is_short() || (self.row == 0 && kept.is_none()) {
            return Err("keys that end before their time");
        }
        self.row += 1;
        self.same.push(kept.is_none());
        let Some(more) = kept else { return Ok(true) };
        self.kept = self.kept.wrapping_add(more);
        let kept = usize::try_from(self.kept).ok().filter(|&kept| self.cased.is_char_boundary(kept));
        let kept = kept.ok_or("more of a key kept than there is")?;
        let text = &self.text[self.text_at..];
        let length = memchr(END, text).ok_or("text that ends before its time")?;
        let suffix = std::str::from_utf8(&text[..length]).map_err(|_| "a key that is not UTF-8")?;
        self.text_at += length + 1;
        self.cased.truncate(kept);
        self.cased.push_str(suffix);
        self.key.truncate(kept);
        self.key.push_str(suffix);
        if self.layout.folded {
            self.key[kept..].make_ascii_lowercase();
        }
        Ok(true)
    }

    /// The current key.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Reads the numbers of the current row, and of those before it in its stretch.
    pub(super) fn read_values(&mut self, block: &[u8], shared: &Shared) -> Result<(), Fault> {
        let nth = (self.row - 1) / STRETCH;
        let stretch = &self.layout.stretches[nth];
        let numbers = stretch.numbers.clone();
        if self.valued <= nth * STRETCH {
            self.valued = nth * STRETCH;
            self.numbers = Rans::new(&block[numbers.clone()]);
            self.context = Context::default();
            self.digests = stretch.digests_before;
            self.digest_before = None;
            self.rest_at = stretch.rest_before;
        }
        while self.valued < self.row {
            let same = self.same[self.valued];
            let mut decoder = self.numbers.over(&block[numbers.clone()], &shared.model.tables);
            self.values = Values::default();
            self.context.row(&mut decoder, &mut self.values, same, &shared.model.anchors);
            self.valued += 1;
            if self.numbers.is_short() {
                return Err("numbers that end before their time");
            }
            if self.values.flags & flag::DELETED == 0 {
                self.read_digest(block, shared)?;
                self.read_rest(block)?;
            }
        }
        if let Some(timestamp) = self.values.seconds.and_then(seconds::to_timestamp) {
            self.values.timestamp = timestamp;
        }
        if shared.names.get(self.values.file).is_none() {
            return Err("a shard without a name");
        }
        if self.values.flags & flag::DELETED == 0 {
            self.finish_row(shared)?;
        }
        Ok(())
    }

    /// Goes to the next row and reads it whole.
    pub(super) fn next_row(&mut self, block: &[u8], shared: &Shared) -> Result<bool, Fault> {
        let more = self.next_key(block, shared)?;
        if more {
            self.read_values(block, shared)?;
        }
        Ok(more)
    }

    fn read_digest(&mut self, block: &[u8], shared: &Shared) -> Result<(), Fault> {
        let all = &block[self.layout.digests.clone()];
        let own = |at: usize| all.chunks_exact(20).nth(at).and_then(|d| d.try_into().ok());
        let found: Option<Sha1> = match self.values.digest {
            digest::OWN => {
                self.digests += 1;
                own(self.digests - 1)
            }
            digest::PREVIOUS => self.digest_before,
            digest::BACK => {
                let back = usize::try_from(self.values.reference).unwrap_or(usize::MAX);
                self.digests.checked_sub(1).and_then(|last| last.checked_sub(back)).and_then(own)
            }
            digest::FREQUENT => shared.model.frequent.get(self.values.reference as usize).copied(),
            digest::EMPTY | digest::TEXT => {
                self.digest_before = None;
                return Ok(());
            }
            _ => None,
        };
        self.digest_before = Some(found.ok_or("a digest that is not there")?);
        Ok(())
    }

    /// Reads what the row has in the rest.
    fn read_rest(&mut self, block: &[u8]) -> Result<(), Fault> {
        let Values { flags, kind, digest, .. } = self.values;
        if kind > address::SAME && kind < address::LITERAL || kind >= address::KINDS {
            return Err("a URL of an unknown kind");
        }
        if flags & !(flag::NO_LENGTH) == 0 && kind < address::LITERAL && digest != digest::TEXT {
            return Ok(());
        }
        if !self.rest_is_there {
            unpack(&block[self.layout.rest.clone()], self.layout.raw_rest, None, &mut self.rest)?;
            self.rest_is_there = true;
        }
        let start = self.rest_at;
        let mut wire = Wire::new(self.rest.get(start..).ok_or("a rest that ends before its time")?);
        let text = |wire: &mut Wire<'_>| -> Result<Range<usize>, Fault> {
            let length = wire.text()?.len();
            Ok(start + wire.at() - length..start + wire.at())
        };
        let strings = &mut self.strings;
        if kind >= address::LITERAL {
            strings.tail = (wire.count(usize::MAX)?, text(&mut wire)?);
        }
        if flags & flag::PAIR != 0 {
            let mime = text(&mut wire)?;
            let status = wire.count(1 << 16)?;
            strings.mime = Some((mime, status.checked_sub(1).map(|status| status as u16)));
        }
        if digest == digest::TEXT {
            strings.digest_text = text(&mut wire)?;
        }
        if flags & flag::REDIRECT != 0 {
            strings.redirect = text(&mut wire)?;
        }
        if flags & flag::ROBOTS != 0 {
            strings.robots = text(&mut wire)?;
        }
        strings.extra.clear();
        if flags & flag::EXTRA != 0 {
            for _ in 0..wire.count(self.rest.len())? {
                strings.extra.push((text(&mut wire)?, text(&mut wire)?));
            }
        }
        self.rest_at += wire.at();
        Ok(())
    }

    /// Makes the texts of the current row.
    fn finish_row(&mut self, shared: &Shared) -> Result<(), Fault> {
        let Values { flags, kind, pair, .. } = self.values;
        let strings = &mut self.strings;
        strings.url.clear();
        if kind < address::LITERAL {
            compose(kind, &self.cased, &mut strings.url);
        } else {
            compose(kind - address::LITERAL, &self.cased, &mut strings.url);
            let (kept, tail) = &strings.tail;
            if !strings.url.is_char_boundary(*kept) {
                return Err("more of a URL kept than there is");
            }
            strings.url.truncate(*kept);
            let tail = self.rest.get(tail.clone()).and_then(|tail| std::str::from_utf8(tail).ok());
            strings.url.push_str(tail.ok_or("a URL that is not there")?);
        }
        if flags & flag::PAIR == 0 && usize::from(pair) >= shared.model.pairs.len() {
            return Err("a media type that is not there");
        }
        if let Some(digest) = self.digest_before {
            BASE32.encode_mut(&digest, &mut strings.digest);
        }
        Ok(())
    }

    fn rest_text(&self, range: &Range<usize>) -> &str {
        std::str::from_utf8(&self.rest[range.clone()]).expect("checked when it was read")
    }

    /// What tells the current row apart.
    pub(super) fn identity<'a>(&'a self, shared: &'a Shared) -> Identity<'a> {
        Identity {
            urlkey: &self.key,
            timestamp: self.values.timestamp,
            filename: shared.names.get(self.values.file).expect("checked when it was read"),
            offset: self.values.offset,
        }
    }

    /// The current row.
    pub(super) fn row<'a>(&'a self, shared: &'a Shared) -> Row<'a> {
        let Values { flags, digest, .. } = self.values;
        let Identity { urlkey, timestamp, filename, offset } = self.identity(shared);
        let mut entry =
            Entry { urlkey: urlkey.into(), timestamp, filename: filename.into(), offset, ..Entry::default() };
        if flags & flag::DELETED != 0 {
            return Row { entry, deleted: true };
        }
        let strings = &self.strings;
        entry.url = strings.url.as_str().into();
        (entry.mime, entry.status) = match &strings.mime {
            Some((mime, status)) if flags & flag::PAIR != 0 => (self.rest_text(mime).into(), *status),
            _ => {
                let (mime, status) = &shared.model.pairs[usize::from(self.values.pair)];
                (mime.as_str().into(), *status)
            }
        };
        entry.length = (flags & flag::NO_LENGTH == 0).then_some(self.values.length);
        entry.digest = match digest {
            digest::EMPTY => "".into(),
            digest::TEXT => self.rest_text(&strings.digest_text).into(),
            _ => std::str::from_utf8(&strings.digest).expect("base32 is ASCII").into(),
        };
        if flags & flag::REDIRECT != 0 {
            entry.redirect = self.rest_text(&strings.redirect).into();
        }
        if flags & flag::ROBOTS != 0 {
            entry.robotflags = self.rest_text(&strings.robots).into();
        }
        if flags & flag::EXTRA != 0 {
            let text = |range| self.rest_text(range).into();
            entry.extra = strings.extra.iter().map(|(name, value)| (text(name), text(value))).collect();
        }
        Row { entry, deleted: false }
    }
}

/// Makes `out` the text that `packed` stands for.
fn unpack(packed: &[u8], raw: usize, model: Option<&Model>, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.clear();
    if packed.len() == raw {
        out.extend_from_slice(packed);
        return Ok(());
    }
    out.reserve_exact(raw);
    let decoded = UNPACKER.with_borrow_mut(|unpacker| match model.and_then(|m| m.decoder.as_ref()) {
        Some(dictionary) => unpacker.decompress_using_ddict(out, packed, dictionary),
        None => unpacker.decompress(out, packed),
    });
    match decoded {
        Ok(length) if length == raw => Ok(()),
        _ => Err("text that does not unpack"),
    }
}
