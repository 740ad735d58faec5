//! A shard without the records that go.
//!
//! **How.** What stays is copied as it is stored, members and all: the bytes from a record's start to the next one's. Where
//! nothing goes and nothing is damaged the file is copied whole. Two kinds of files must be written anew, record by record
//! (head and data byte for byte, a member each): those in which a member holds records that go and others that stay, and RAW
//! DB that is compressed as a whole. LZ4, which is not written, becomes gzip there.
//!
//! **Cost.** One reading of what stays; memory of one record where a revisit takes its place.
//!
//! **Determinism.** The output follows from the shard and the fates alone.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use webmill_capture::error::{AtPath, Error, Result};
use webmill_shard::{
    ArcWriter, Compression, Container, Converter, Format, Input, RawDbWriter, RawPacker, ReadOptions, Record,
    RecordFile, ShardReader, Staged, StoredFile, WarcOptions, WarcPacker, WarcWriter, WriteOptions,
};

use super::as_revisit::Original;
use super::captures::Captures;
use super::walk::Fate;

/// What was written.
#[derive(Debug, Default)]
pub struct CopiedShard {
    /// The file.
    pub path: PathBuf,
    /// Numbers in [`Captures`] whose revisit was written, and its bytes; by number.
    revisits: Vec<(usize, u64)>,
    /// Records that could not be written again.
    pub failed: u64,
    /// Captures that stay as they are because their revisit could not be written: its head would be longer than readers
    /// take.
    pub failed_revisits: u64,
}

impl CopiedShard {
    /// Bytes of the revisit in place of a capture.
    pub fn bytes_of(&self, number: usize) -> Option<u64> {
        let at = self.revisits.binary_search_by_key(&number, |(at, _)| *at).ok()?;
        Some(self.revisits[at].1)
    }

    fn failed_revisit(&mut self, input: &Input, offset: u64, reason: &str) {
        self.failed_revisits += 1;
        webmill_jobs::say!("{} at byte {offset}: stays, its revisit cannot be written: {reason}", input.name);
    }
}

/// What a file needs.
#[derive(Debug, Default, Clone, Copy)]
struct Plan {
    goes: bool,
    damaged: bool,
    anew: bool,
}

/// Copies `input` to `out` but for what goes by `fates`.
///
/// # Errors
/// [`Error::Io`].
pub fn copy(
    input: &Input,
    out: &Path,
    fates: &[[u64; 4]],
    captures: &Captures,
    options: &ReadOptions,
) -> Result<CopiedShard> {
    let mut plan = Plan { anew: input.container.is_whole(), ..Plan::default() };
    let mut walk = Pieces::of(fates);
    while let Some(piece) = walk.next() {
        let mixed = piece.goes > 0 && piece.goes < piece.records;
        plan.anew |= mixed || walk.tangled;
        plan.goes |= piece.goes > 0;
    }
    plan.damaged = walk.damaged;
    if let Some(folder) = out.parent() {
        std::fs::create_dir_all(folder).at(folder)?;
    }
    let mut copied = match plan {
        Plan { goes: false, damaged: false, .. } => copy_whole(input, out),
        Plan { anew: true, .. } => write_anew(input, out, fates, captures, options),
        Plan { anew: false, .. } => copy_pieces(input, out, fates, captures, options),
    }?;
    copied.revisits.sort_unstable();
    Ok(copied)
}

/// Bytes of records that stand in the same members, or of one record.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: u64,
    /// Behind its last record; what follows up to the next one belongs to it, too.
    end: u64,
    records: u64,
    /// Those that go or become revisits.
    goes: u64,
    /// Of its only record.
    fate: Fate,
    length: u64,
}

/// A walk over fates, piece by piece.
struct Pieces<'a> {
    rows: std::slice::Iter<'a, [u64; 4]>,
    open: Option<Piece>,
    /// Whether damage was met, and whether it was inside of what records share.
    damaged: bool,
    tangled: bool,
    closed: u64,
    done: bool,
}

impl<'a> Pieces<'a> {
    fn of(fates: &'a [[u64; 4]]) -> Pieces<'a> {
        Pieces { rows: fates.iter(), open: None, damaged: false, tangled: false, closed: 0, done: false }
    }

    /// The next piece; the last one ends where the file does.
    fn next(&mut self) -> Option<Piece> {
        while !self.done {
            let Some(&[offset, length, fate, number]) = self.rows.next() else {
                self.done = true;
                // What follows the last record belongs to it.
                return self.open.take().map(|piece| Piece { end: u64::MAX, ..piece });
            };
            let fate = Fate::of_numbers(fate, number);
            if fate == Fate::Damage {
                self.damaged = true;
                if let Some(piece) = self.open.take() {
                    let end = piece.end.max(offset);
                    self.closed = end;
                    return Some(Piece { end, ..piece });
                }
                continue;
            }
            let goes = u64::from(fate != Fate::Stays);
            if offset < self.closed {
                self.tangled = true;
            }
            let fresh = Piece { start: offset, end: offset + length, records: 1, goes, fate, length };
            match &mut self.open {
                Some(piece) if offset < piece.end => {
                    piece.records += 1;
                    piece.goes += goes;
                    piece.end = piece.end.max(fresh.end);
                    if goes > 0 {
                        piece.fate = fate;
                    }
                }
                open => {
                    if let Some(piece) = open.replace(fresh) {
                        self.closed = offset;
                        return Some(Piece { end: offset, ..piece });
                    }
                }
            }
        }
        None
    }
}

fn copy_whole(input: &Input, out: &Path) -> Result<CopiedShard> {
    let mut staged = Staged::create(out)?;
    let mut file = StoredFile::open(&input.path)?;
    copy_bytes(&mut file, u64::MAX, &mut staged, &input.path)?;
    Ok(CopiedShard { path: staged.commit()?, ..CopiedShard::default() })
}

/// Copies up to `bytes` bytes.
fn copy_bytes(from: &mut impl Read, bytes: u64, staged: &mut Staged, path: &Path) -> Result<()> {
    let mut buffer = vec![0; 256 << 10];
    let mut left = bytes;
    while left > 0 {
        let most = left.min(buffer.len() as u64) as usize;
        let read = from.read(&mut buffer[..most]).at(path)?;
        if read == 0 {
            break;
        }
        staged.put(&buffer[..read])?;
        left -= read as u64;
    }
    Ok(())
}

fn copy_pieces(
    input: &Input,
    out: &Path,
    fates: &[[u64; 4]],
    captures: &Captures,
    options: &ReadOptions,
) -> Result<CopiedShard> {
    let mut staged = Staged::create(out)?;
    let mut copied = CopiedShard::default();
    let mut file = StoredFile::open(&input.path)?;
    copy_dictionary(input, &mut file, &mut staged)?;
    let records = RecordFile::new(&input.path, options);
    let mut packer = Packer::new(input)?;
    // Neighbours are copied at once.
    let mut run: Option<(u64, u64)> = None;
    let mut pieces = Pieces::of(fates);
    let mut put = |run: Option<(u64, u64)>, staged: &mut Staged| -> Result<()> {
        let Some((start, end)) = run else { return Ok(()) };
        file.seek(SeekFrom::Start(start)).at(&input.path)?;
        copy_bytes(&mut file, end - start, staged, &input.path)
    };
    while let Some(piece) = pieces.next() {
        if piece.goes == 0 {
            run = match run {
                Some((start, end)) if end == piece.start => Some((start, piece.end)),
                before => {
                    put(before, &mut staged)?;
                    Some((piece.start, piece.end))
                }
            };
            continue;
        }
        if let Fate::Revisit(number) = piece.fate {
            put(run.take(), &mut staged)?;
            let record = records.read(piece.start, Some(piece.length))?;
            match packer.revisit(&record.record(), captures, number) {
                Ok(bytes) => {
                    staged.put(bytes)?;
                    copied.revisits.push((number, bytes.len() as u64));
                }
                Err(Error::Config(reason)) => {
                    copied.failed_revisit(input, piece.start, &reason);
                    run = Some((piece.start, piece.end));
                }
                Err(error) => return Err(error),
            }
        }
    }
    put(run, &mut staged)?;
    copied.path = staged.commit()?;
    Ok(copied)
}

/// A `.warc.zst` may begin with the dictionary of its frames, in a skippable one.
fn copy_dictionary(input: &Input, file: &mut StoredFile, staged: &mut Staged) -> Result<()> {
    const MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
    if input.container != Container::Zstd {
        return Ok(());
    }
    let mut head = Vec::new();
    file.take(8).read_to_end(&mut head).at(&input.path)?;
    let Some((magic, length)) = head.split_first_chunk::<4>() else { return Ok(()) };
    if *magic != MAGIC {
        return Ok(());
    }
    staged.put(&head)?;
    let length = length.try_into().map_or(0, u32::from_le_bytes);
    copy_bytes(file, u64::from(length), staged, &input.path)
}

/// Makes the bytes of revisits as the shard stores its records.
struct Packer {
    form: Form,
    bytes: Vec<u8>,
}

enum Form {
    Raw(RawPacker),
    Warc(Box<WarcPacker>),
}

impl Packer {
    fn new(input: &Input) -> Result<Packer> {
        let form = match input.format {
            Format::RawDb => Form::Raw(RawPacker::new(Compression::None, None)),
            _ => Form::Warc(Box::new(WarcPacker::new(&warc_options(input), None)?)),
        };
        Ok(Packer { form, bytes: Vec::new() })
    }

    fn revisit(&mut self, record: &Record<'_>, captures: &Captures, number: usize) -> Result<&[u8]> {
        self.bytes.clear();
        let kept = captures.kept(number)?;
        let original = Original { url: &kept.url, date_ms: kept.date_ms.unwrap_or(0) };
        let into = &mut self.bytes;
        match &mut self.form {
            Form::Raw(packer) => original.as_raw(record, |revisit| packer.pack(revisit, into))?,
            Form::Warc(packer) => original.as_warc(record, |revisit| packer.pack(revisit, into))?,
        };
        Ok(&self.bytes)
    }
}

fn warc_options(input: &Input) -> WarcOptions {
    let compression = compression(input.container);
    WarcOptions { max_shard_bytes: u64::MAX, compression, ..WarcOptions::default() }
}

fn compression(container: Container) -> Compression {
    match container {
        Container::Plain => Compression::None,
        Container::Zstd | Container::WholeZstd => Compression::Zstd,
        Container::Gzip | Container::WholeGzip | Container::Lz4 | Container::WholeLz4 => Compression::Gzip,
    }
}

/// Writes what stays record by record.
fn write_anew(
    input: &Input,
    out: &Path,
    fates: &[[u64; 4]],
    captures: &Captures,
    options: &ReadOptions,
) -> Result<CopiedShard> {
    let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let out = match name.strip_suffix(".lz4") {
        Some(stem) => out.with_file_name(format!("{stem}.gz")),
        None => out.to_path_buf(),
    };
    let packed = input.format == Format::RawDb && input.container.is_whole();
    // RAW DB that was compressed as a whole is so again, from a file beside.
    let first = if packed { out.with_file_name(format!(".{name}.plain")) } else { out.clone() };
    let mut writer = match input.format {
        Format::RawDb => {
            let options = WriteOptions { max_shard_bytes: u64::MAX, compression: Compression::None };
            Converter::Raw(RawDbWriter::create(&first, options)?)
        }
        Format::Arc => Converter::Arc(ArcWriter::create(&first, compression(input.container))?),
        _ => Converter::Warc(WarcWriter::create(&first, warc_options(input))?),
    };
    let mut copied = CopiedShard { path: out.clone(), ..CopiedShard::default() };
    let kind = (input.format, input.container);
    let mut reader = ShardReader::open_as(&input.path, input.name.clone(), kind, 0..u64::MAX, options)?;
    let mut rows = fates.iter();
    while let Some(next) = reader.next() {
        let Some(&[.., fate, number]) = rows.next() else { break };
        // Damage was said in the first walk.
        let Ok(record) = next else { continue };
        let written = match Fate::of_numbers(fate, number) {
            Fate::Goes | Fate::Damage => continue,
            Fate::Stays => writer.write(&record),
            Fate::Revisit(number) => {
                write_revisit(&mut writer, &record, captures, number, &mut copied, input)
            }
        };
        match written {
            Err(Error::Config(reason)) => {
                copied.failed += 1;
                webmill_jobs::say!("{} at byte {}: not written: {reason}", input.name, record.place.offset);
            }
            written => written?,
        }
    }
    writer.finish()?;
    if packed {
        pack(&first, &out, input.container)?;
        std::fs::remove_file(&first).at(&first)?;
    }
    Ok(copied)
}

/// Writes the revisit of a capture, or the capture as it is where that cannot be.
fn write_revisit(
    writer: &mut Converter,
    record: &Record<'_>,
    captures: &Captures,
    number: usize,
    copied: &mut CopiedShard,
    input: &Input,
) -> Result<()> {
    let kept = captures.kept(number)?;
    let original = Original { url: &kept.url, date_ms: kept.date_ms.unwrap_or(0) };
    let body = match writer {
        Converter::Warc(writer) => original.as_warc(record, |revisit| writer.write(revisit)),
        Converter::Raw(writer) => original.as_raw(record, |revisit| writer.write(revisit)),
        Converter::Arc(_) => Err(Error::Config("ARC has no revisits".into())),
    };
    match body {
        // In what compressed form it stands is not known here: it is smaller by its body.
        Ok(body) => {
            copied.revisits.push((number, record.place.length.saturating_sub(body)));
            Ok(())
        }
        Err(Error::Config(reason)) => {
            copied.failed_revisit(input, record.place.offset, &reason);
            writer.write(record)
        }
        Err(error) => Err(error),
    }
}

/// Compresses a file as a whole.
fn pack(plain: &Path, out: &Path, container: Container) -> Result<()> {
    let mut file = File::open(plain).at(plain)?;
    let staged = Staged::create(out)?;
    match container {
        Container::Zstd | Container::WholeZstd => {
            let mut encoder = zstd::stream::write::Encoder::new(staged, 0).at(out)?;
            std::io::copy(&mut file, &mut encoder).at(out)?;
            encoder.finish().at(out)?.commit()?;
        }
        _ => {
            let mut encoder = flate2::write::GzEncoder::new(staged, flate2::Compression::default());
            std::io::copy(&mut file, &mut encoder).at(out)?;
            let mut staged = encoder.finish().at(out)?;
            staged.flush().at(out)?;
            staged.commit()?;
        }
    }
    Ok(())
}
