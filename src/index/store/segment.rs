//! A segment: a sorted part of the store as a file that never changes.
//!
//! ```text
//! "WMCAPS01"
//! blocks                 each: 4 bytes of checksum, then as in block.rs
//! names and model        zstd
//! sparse index           where each block begins (u64) and the last ends; where each separator ends (u32); separators
//! footer, 72 bytes       where names and index begin, blocks, rows, deletion marks, checksums of both, of the footer; "WMCAPS01"
//! ```
//!
//! Numbers are little-endian, checksums XXH3. The *separator* of a block is the shortest beginning of its first key that
//! is greater than the last key before it, or that key where both are equal. The file is mapped; names and model are held
//! in memory.
//!
//! Every block's checksum is checked whenever it is read: a changed byte is [`Error::Corrupt`], with the block's offset.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_shard::Staged;
use xxhash_rust::xxh3::xxh3_64;

use super::anchors::{Anchor, is_anchor};
use super::block::{BLOCK_BYTES, BLOCK_ROWS, Gatherer, Packer};
use super::model::Model;
use super::names::Names;
use super::reader::{BlockReader, Shared};
use super::run::Run;
use super::seconds;
use super::wire::{Fault, Wire};
use crate::Entry;

const MAGIC: &[u8; 8] = b"WMCAPS01";
const FOOTER: usize = 72;
/// Bytes of names and model unpacked, at most.
const MAX_META: usize = 2 << 30;

/// An opened segment.
pub(super) struct Segment {
    path: PathBuf,
    map: Mmap,
    pub(super) shared: Shared,
    /// Where the blocks end.
    end: usize,
    index: Range<usize>,
    blocks: usize,
    rows: u64,
    deleted: u64,
}

impl Segment {
    /// Maps a file and checks all but its blocks.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).at(path)?;
        // SAFETY: files of a store are not changed once they have their name, and a store's folder is locked to one
        // writer, which only deletes them: on Unix a deleted file stays readable while it is mapped.
        let map = unsafe { Mmap::map(&file) }.at(path)?;
        let corrupt = |at: usize| move |fault: Fault| Error::corrupt(path, at as u64, fault);
        let at = map.len().checked_sub(FOOTER).filter(|&at| at >= 8).ok_or("shorter than a footer");
        let at = at.map_err(corrupt(0))?;
        let footer = &map[at..];
        if &map[..8] != MAGIC || &footer[64..] != MAGIC {
            return Err(corrupt(0)("not a segment of a capture store"));
        }
        let mut wire = Wire::new(footer);
        let mut numbers = [0; 8];
        for number in &mut numbers {
            *number = wire.u64().map_err(corrupt(at))?;
        }
        let [meta_at, index_at, blocks, rows, deleted, meta_sum, index_sum, footer_sum] = numbers;
        if xxh3_64(&footer[..56]) != footer_sum {
            return Err(corrupt(at)("a footer that was changed"));
        }
        let within = |number: u64| usize::try_from(number).ok().filter(|&n| n <= at);
        let (Some(meta_at), Some(index_at), Some(blocks)) =
            (within(meta_at), within(index_at), within(blocks))
        else {
            return Err(corrupt(at)("a footer that points past the end"));
        };
        if meta_at > index_at || at - index_at < blocks * 12 + 8 {
            return Err(corrupt(at)("parts that overlap"));
        }
        let (meta, index) = (&map[meta_at..index_at], &map[index_at..at]);
        if xxh3_64(meta) != meta_sum || xxh3_64(index) != index_sum {
            return Err(corrupt(meta_at)("names or index that were changed"));
        }
        let shared = open_meta(meta).map_err(corrupt(meta_at))?;
        let segment = Segment {
            path: path.to_owned(),
            end: meta_at,
            index: index_at..at,
            blocks,
            rows,
            deleted,
            shared,
            map,
        };
        segment.check_index().map_err(corrupt(index_at))?;
        Ok(segment)
    }

    fn check_index(&self) -> Result<(), Fault> {
        let mut at = 8;
        for block in 0..self.blocks {
            let range = self.place(block);
            if range.start != at || range.end > self.end || range.len() < 4 {
                return Err("blocks that overlap");
            }
            at = range.end;
        }
        let separators = self.index.len() - self.blocks * 12 - 8;
        let mut ends = (0..self.blocks).map(|block| self.separator_end(block));
        if !ends.clone().is_sorted() || ends.next_back().unwrap_or(0) != separators || at != self.end {
            return Err("separators that overlap");
        }
        Ok(())
    }

    fn place(&self, block: usize) -> Range<usize> {
        let index = &self.map[self.index.clone()];
        let at = |block: usize| {
            let bytes = index[block * 8..block * 8 + 8].try_into().expect("eight bytes");
            usize::try_from(u64::from_le_bytes(bytes)).unwrap_or(usize::MAX)
        };
        at(block)..at(block + 1)
    }

    fn separator_end(&self, block: usize) -> usize {
        let at = self.index.start + self.blocks * 8 + 8 + block * 4;
        u32::from_le_bytes(self.map[at..at + 4].try_into().expect("four bytes")) as usize
    }

    fn separator(&self, block: usize) -> &[u8] {
        let from = if block == 0 { 0 } else { self.separator_end(block - 1) };
        let base = self.index.start + self.blocks * 12 + 8;
        &self.map[base + from..base + self.separator_end(block)]
    }

    /// The first block that may hold a key not before `key`.
    pub(super) fn first_block(&self, key: &str) -> usize {
        self.separators_before(key).saturating_sub(1)
    }

    /// The first block of which, and of those after it, no key is before `key`.
    pub(super) fn end_block(&self, key: Option<&str>) -> usize {
        key.map_or(self.blocks, |key| self.separators_before(key))
    }

    fn separators_before(&self, key: &str) -> usize {
        let (mut low, mut high) = (0, self.blocks);
        while low < high {
            let middle = low.midpoint(high);
            match self.separator(middle) < key.as_bytes() {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// The bytes of a block, checked.
    pub(super) fn block(&self, block: usize) -> Result<&[u8]> {
        let place = self.place(block);
        let (sum, body) = self.map[place.clone()].split_at(4);
        if (xxh3_64(body) as u32).to_le_bytes() != sum {
            return Err(self.fault(block, "a block that was changed"));
        }
        Ok(body)
    }

    /// The bytes of a block that was checked before.
    pub(super) fn checked_block(&self, block: usize) -> &[u8] {
        &self.map[self.place(block)][4..]
    }

    /// The error about a block.
    pub(super) fn fault(&self, block: usize, fault: Fault) -> Error {
        Error::corrupt(&self.path, self.place(block).start as u64, fault)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Rows, with marks of deletion.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn deleted(&self) -> u64 {
        self.deleted
    }

    /// Bytes of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// Bytes of the file's names, model and index.
    pub(super) fn overhead(&self) -> u64 {
        (self.map.len() - self.end) as u64
    }

    /// Bytes held in memory, about.
    pub(super) fn memory(&self) -> usize {
        self.shared.model.memory() + self.shared.names.memory()
    }

    /// A key in a block, or between it and the one before.
    pub(super) fn key_near(&self, block: usize) -> String {
        String::from_utf8_lossy(self.separator(block)).into_owned()
    }

    /// All rows of a block.
    pub(super) fn read_block(&self, block: usize, reader: &mut BlockReader, out: &mut Run) -> Result<()> {
        let fault = |fault| self.fault(block, fault);
        let bytes = self.block(block)?;
        reader.open(bytes, &self.shared).map_err(fault)?;
        while reader.next_row(bytes, &self.shared).map_err(fault)? {
            let row = reader.row(&self.shared);
            out.push(&row.entry, row.deleted);
        }
        Ok(())
    }
}

fn open_meta(packed: &[u8]) -> Result<Shared, Fault> {
    let mut wire = Wire::new(packed);
    let length = wire.count(MAX_META)?;
    let raw = zstd::bulk::decompress(&packed[wire.at()..], length);
    let raw = raw.map_err(|_| "names that do not unpack")?;
    let mut wire = Wire::new(&raw);
    let names = Names::read(&mut wire)?;
    let model = Model::get(&mut wire, names.len())?;
    Ok(Shared { model, names })
}

/// Writes a segment.
pub(super) struct SegmentWriter {
    file: Staged,
    model: Model,
    names: Names,
    pending: Run,
    gatherer: Gatherer,
    packer: Packer,
    packed: Vec<u8>,
    places: Vec<u64>,
    separators: Vec<u8>,
    separator_ends: Vec<u32>,
    last_key: String,
    anchors: Vec<Anchor>,
    rows: u64,
    deleted: u64,
}

impl SegmentWriter {
    /// Begins a file; `level` is one of zstd.
    pub(super) fn create(path: &Path, model: Model, names: Names, level: i32) -> Result<Self> {
        let mut file = Staged::create(path)?;
        file.put(MAGIC)?;
        let packer = Packer::new(&model, level).map_err(|fault| Error::Internal(fault.into()))?;
        Ok(SegmentWriter {
            file,
            model,
            names,
            pending: Run::new(),
            gatherer: Gatherer::default(),
            packer,
            packed: Vec::new(),
            places: Vec::new(),
            separators: Vec::new(),
            separator_ends: Vec::new(),
            last_key: String::new(),
            anchors: Vec::new(),
            rows: 0,
            deleted: 0,
        })
    }

    /// Appends an entry, or the mark of its deletion, that comes behind all before it.
    pub(super) fn push(&mut self, entry: &Entry<'_>, deleted: bool) -> Result<()> {
        self.pending.push(entry, deleted);
        self.deleted += u64::from(deleted);
        if self.pending.len() == BLOCK_ROWS || self.pending.memory() > BLOCK_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let count = self.pending.len();
        if count == 0 {
            return Ok(());
        }
        let limit = |fault: Fault| Error::Limit(format!("a block of the capture store: {fault}"));
        self.gatherer.gather(&self.pending, 0..count, &self.model, &mut self.names).map_err(limit)?;
        self.packed.clear();
        self.packer.pack(&self.gatherer, &self.model, &mut self.packed).map_err(limit)?;
        for at in 0..count {
            let identity = self.pending.identity(at);
            if let Some(seconds) = seconds::of_timestamp(identity.timestamp)
                && is_anchor(identity.filename, identity.offset)
            {
                let file = self.names.id(identity.filename).map_err(limit)?;
                self.anchors.push(Anchor { file, offset: identity.offset, seconds });
            }
        }
        let separator = separator(&self.last_key, self.pending.identity(0).urlkey);
        self.separators.extend_from_slice(separator.as_bytes());
        let end = u32::try_from(self.separators.len());
        self.separator_ends.push(end.map_err(|_| limit("keys too long for an index"))?);
        self.last_key.clear();
        self.last_key.push_str(self.pending.identity(count - 1).urlkey);
        self.places.push(self.file.written());
        self.file.put(&(xxh3_64(&self.packed) as u32).to_le_bytes())?;
        self.file.put(&self.packed)?;
        self.rows += count as u64;
        self.pending.clear();
        Ok(())
    }

    /// Makes the file durable. Gives the anchors of its rows and the names that they speak of.
    pub(super) fn finish(mut self) -> Result<(Vec<Anchor>, Names)> {
        self.flush()?;
        let meta_at = self.file.written();
        let mut meta = Vec::new();
        self.names.put(&mut meta);
        self.model.put(&mut meta);
        let packed = zstd::bulk::compress(&meta, 9).map_err(|error| self.file.explain(error))?;
        let mut stored = Vec::new();
        super::wire::put_number(&mut stored, meta.len() as u64);
        stored.extend_from_slice(&packed);
        self.file.put(&stored)?;
        let index_at = self.file.written();
        let mut index = Vec::with_capacity(self.places.len() * 12 + 8 + self.separators.len());
        self.places.iter().for_each(|place| index.extend_from_slice(&place.to_le_bytes()));
        index.extend_from_slice(&meta_at.to_le_bytes());
        self.separator_ends.iter().for_each(|end| index.extend_from_slice(&end.to_le_bytes()));
        index.extend_from_slice(&self.separators);
        self.file.put(&index)?;
        let mut footer = Vec::with_capacity(FOOTER);
        let blocks = self.places.len() as u64;
        let (meta_sum, index_sum) = (xxh3_64(&stored), xxh3_64(&index));
        for number in [meta_at, index_at, blocks, self.rows, self.deleted, meta_sum, index_sum] {
            footer.extend_from_slice(&number.to_le_bytes());
        }
        footer.extend_from_slice(&xxh3_64(&footer).to_le_bytes());
        footer.extend_from_slice(MAGIC);
        self.file.put(&footer)?;
        self.file.commit()?;
        Ok((self.anchors, self.names))
    }
}

/// The shortest beginning of `first` that is greater than `last`; `first` where there is none.
fn separator<'a>(last: &str, first: &'a str) -> &'a str {
    let mut length = last.bytes().zip(first.bytes()).take_while(|(a, b)| a == b).count() + 1;
    while length < first.len() && !first.is_char_boundary(length) {
        length += 1;
    }
    &first[..length.min(first.len())]
}
