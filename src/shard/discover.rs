//! Finds shards: files, folders and globs, recognised by content and never by name.
//!
//! Every command that takes shards calls it with its arguments.
//!
//! A WACZ stands for the archives in it, as a folder does: their paths go on inside of it (`crawl.wacz/archive/data.warc.gz`), as do their
//! names.
//!
//! Order: as given; a folder's files and a glob's matches by path. Hidden files (a writer's `.NAME.partial` among
//! them) inside folders are left out, and the page about RAW DB that crawls lay beside their shards, also where a shell names it. Anything that is no shard comes back as an error that says what it is instead.

use std::collections::{HashMap, HashSet};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::WalkDir;

use webmill_capture::error::{Error, Result};

use super::member::gzip::empty_members;
use super::raw_whole::any_whole;
use super::stream::Stream;
use super::wacz::{StoredFile, WaczMember, open_zip, split_path, wacz_members};
use super::warc_frame::{Flaws, Start};
use super::warc_walk::{Walk, open};
use super::{Container, Format, RAW_DB_PAGE_NAME, ReadOptions, arc, text_mode, warc_head};

/// Bytes that recognition looks at.
pub(crate) const SNIFF_BYTES: usize = 64 * 1024;
/// Bytes unpacked to recognise the content of a compressed file.
const INSIDE_BYTES: u64 = 2048;
/// A file without a shard's beginning is looked through this far for a whole RAW DB record.
const FRAGMENT_BYTES: u64 = 64 << 20;
/// The same for a file that begins as one of another kind does.
const OTHER_KIND_BYTES: u64 = 1 << 20;
/// What the data of most records is.
const BARE_RESPONSE: &str = "a bare HTTP response";

/// A file without a shard's beginning is looked through this far for a WARC or ARC record.
const BEGINNING_BYTES: usize = 1 << 20;
/// What ZIP files begin with.
const ZIP: &[u8] = b"PK\x03\x04";
/// What compressed files begin with.
pub(crate) const COMPRESSED: [&[u8]; 3] = [b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"];

/// A shard that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// What tables call it: the file name, or for files of a folder the path inside; as given where that is not
    /// unique.
    pub name: Arc<str>,
    /// Its grammar.
    pub format: Format,
    /// The compression around it.
    pub container: Container,
    /// Its size as stored.
    pub bytes: u64,
    /// The WACZ that it lies in.
    wacz: Option<PathBuf>,
}

impl Input {
    /// A shard that was recognised elsewhere: by another process, or by its first bytes ([`sniff`]).
    pub fn known(
        path: PathBuf,
        name: Arc<str>,
        (format, container): (Format, Container),
        bytes: u64,
    ) -> Self {
        Input { path, name, format, container, bytes, wacz: None }
    }

    /// The file of the disk that holds it, and what tables call that: its own path and name, or those of the WACZ that it lies in.
    pub fn file(&self) -> (&Path, &str) {
        let Some(wacz) = &self.wacz else { return (&self.path, &self.name) };
        let inside = self.path.as_os_str().len() - wacz.as_os_str().len();
        (wacz, self.name.get(..self.name.len().saturating_sub(inside)).unwrap_or(&self.name))
    }

    /// Whether single records of it can be read by their places.
    ///
    /// # Errors
    /// [`Error::Incompatible`], with what to do, for WARC and ARC that are compressed as a whole.
    pub fn by_place(&self) -> Result<()> {
        by_place(&self.path, self.format, self.container)
    }
}

/// Refuses what has no places of single records.
pub(crate) fn by_place(path: &Path, format: Format, container: Container) -> Result<()> {
    if !container.is_whole() || format == Format::RawDb {
        return Ok(());
    }
    Err(Error::Incompatible {
        path: path.to_path_buf(),
        found: format!("{} compressed as a whole, in which no place leads to a record", format.name()),
        expected: format!(
            "each record compressed by itself: `webmill shard convert {} -o NEW.warc.gz` writes that",
            path.display()
        ),
    })
}

/// Finds the shards among `inputs`: files, folders (searched through) and globs. `-` is the caller's to spool.
///
/// The second list names what was looked at and is no shard, or cannot be read.
///
/// # Errors
/// When there is no shard at all: the one thing that is wrong, or [`Error::Config`] with a summary.
pub fn discover(inputs: &[String]) -> Result<(Vec<Input>, Vec<Error>)> {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    let mut seen = HashSet::new();
    for input in inputs {
        for candidate in candidates(input) {
            match candidate {
                Ok((path, name)) => {
                    if seen.insert(path.clone()) {
                        let is_page = path.file_name().is_some_and(|name| name == RAW_DB_PAGE_NAME);
                        for looked in look(path, name) {
                            match looked {
                                Ok(input) => found.push(input),
                                Err(Error::Incompatible { .. }) if is_page => {}
                                Err(error) => errors.push(error),
                            }
                        }
                    }
                }
                Err(error) => errors.push(error),
            }
        }
    }
    if found.is_empty() {
        return Err(nothing(inputs, errors));
    }
    let mut named: HashMap<String, HashSet<PathBuf>> = HashMap::new();
    for (path, name) in found.iter().map(Input::file) {
        named.entry(name.to_owned()).or_default().insert(path.to_path_buf());
    }
    for input in &mut found {
        if named.get(input.file().1).is_some_and(|paths| paths.len() > 1) {
            input.name = Arc::from(input.path.to_string_lossy());
        }
    }
    Ok((found, errors))
}

fn nothing(inputs: &[String], mut errors: Vec<Error>) -> Error {
    if errors.len() == 1
        && let Some(error) = errors.pop()
    {
        return error;
    }
    let what = if inputs.is_empty() { "no input given".to_string() } else { inputs.join(", ") };
    let mut message = format!("{what}: no shard found");
    for error in errors.iter().take(3) {
        message += &format!("; {error}");
    }
    if errors.len() > 3 {
        message += &format!("; and {} other files", errors.len() - 3);
    }
    Error::Config(message + "; give RAW DB, WARC, ARC or WACZ files, or folders that hold them")
}

/// Paths that one argument stands for, each with the name that tables give it.
fn candidates(input: &str) -> Vec<Result<(PathBuf, Arc<str>)>> {
    let path = Path::new(input);
    if path.is_dir() {
        return folder(path);
    }
    let is_pattern = input.contains(['*', '?', '[']) && !path.exists();
    if !is_pattern {
        let name = match split_path(path) {
            Some((wacz, inside)) => format!("{}/{inside}", file_name(wacz)).into(),
            None => file_name(path),
        };
        return vec![Ok((path.to_path_buf(), name))];
    }
    let matches = match glob::glob(input) {
        Ok(matches) => matches,
        Err(error) => return vec![Err(Error::Config(format!("{input}: not a pattern: {error}")))],
    };
    let mut all = Vec::new();
    for found in matches {
        match found {
            Ok(path) if path.is_dir() => all.extend(folder(&path)),
            Ok(path) => {
                let name = file_name(&path);
                all.push(Ok((path, name)));
            }
            Err(error) => {
                let path = error.path().to_path_buf();
                all.push(Err(Error::io(path, error.into())));
            }
        }
    }
    if all.is_empty() {
        all.push(Err(Error::Config(format!("{input}: no file matches this pattern"))));
    }
    all
}

fn folder(folder: &Path) -> Vec<Result<(PathBuf, Arc<str>)>> {
    let hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    let walk = WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter();
    let mut all = Vec::new();
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || !hidden(entry.file_name())) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => {
                let path = entry.into_path();
                let inside = path.strip_prefix(folder).unwrap_or(&path);
                let name = Arc::from(inside.to_string_lossy());
                all.push(Ok((path, name)));
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_path_buf();
                let source =
                    error.into_io_error().unwrap_or_else(|| std::io::Error::other("a loop of links"));
                all.push(Err(Error::io(path, source)));
            }
        }
    }
    if all.is_empty() {
        all.push(Err(Error::Config(format!("{}: the folder holds no file", folder.display()))));
    }
    all
}

/// The shards that the file at `path` is or holds.
fn look(path: PathBuf, name: Arc<str>) -> Vec<Result<Input>> {
    let stream = || {
        let wacz = match std::fs::metadata(&path) {
            Ok(about) if about.is_file() => None,
            Ok(_) => {
                let (path, found) = (path.clone(), "neither a file nor a folder".to_string());
                let expected = "a shard; pipe it in and give `-`".into();
                return Err(Error::Incompatible { path, found, expected });
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                split_path(&path).map(|(wacz, _)| wacz.to_path_buf())
            }
            Err(error) => return Err(Error::io(&path, error)),
        };
        Ok((Stream::open(&path, Arc::clone(&name), 0)?, wacz))
    };
    let (mut stream, wacz) = match stream() {
        Ok(opened) => opened,
        Err(error) => return vec![Err(error)],
    };
    if wacz.is_none() && stream.fill(ZIP.len()).starts_with(ZIP) {
        match archives(&path, &name) {
            Ok(archives) if archives.is_empty() => {}
            Ok(archives) => return archives,
            Err(error) => return vec![Err(error)],
        }
    }
    vec![known(stream, wacz)]
}

/// The archives of a WACZ.
fn archives(path: &Path, name: &str) -> Result<Vec<Result<Input>>> {
    let members = wacz_members(&mut open_zip(path)?, path)?;
    let open = |member: WaczMember| {
        let (inside, name) = (path.join(&member.path), format!("{name}/{}", member.path).into());
        let file = StoredFile::of_member(path, member)?;
        known(Stream::of_file(file, &inside, name, 0)?, Some(path.to_path_buf()))
    };
    Ok(members.into_iter().map(open).collect())
}

/// The shard that a stream is.
fn known(mut stream: Stream, wacz: Option<PathBuf>) -> Result<Input> {
    let (format, container) = recognise(&mut stream)?;
    let bytes = stream.size().unwrap_or_default();
    Ok(Input {
        path: stream.path().to_path_buf(),
        name: Arc::clone(stream.name()),
        format,
        container,
        bytes,
        wacz,
    })
}

/// Format and container of what a stream begins with, or the error that says what it is instead.
pub(crate) fn recognise(stream: &mut Stream) -> Result<(Format, Container)> {
    loop {
        match empty_members(stream.fill(SNIFF_BYTES)) {
            0 => break,
            n => stream.consume(n),
        }
    }
    if let Some((format, container)) = sniff_kind(stream.fill(SNIFF_BYTES)) {
        let stored = match stream.size() {
            Some(_) => Stream::open(stream.path(), Arc::clone(stream.name()), stream.position())?,
            None => {
                stream.fill(BEGINNING_BYTES);
                beginning(stream.buffered(), stream.path())
            }
        };
        return Ok((format, of_whole(stored, format, container)));
    }
    let start = stream.buffered();
    let kind = named(start);
    let compressed = COMPRESSED.iter().any(|magic| start.starts_with(magic));
    let later = match kind {
        None | Some(BARE_RESPONSE) => first_record(stream.fill(BEGINNING_BYTES)),
        Some(_) if compressed => first_record(stream.fill(BEGINNING_BYTES)),
        Some(_) => None,
    };
    // A fragment may begin where the data of a record does: as an HTTP response, a compressed frame or a body begins. What
    // looks like a whole file of another kind must then show a record that is followed by another one.
    let (within, followed) = match kind {
        None => (FRAGMENT_BYTES, false),
        Some(BARE_RESPONSE) => (FRAGMENT_BYTES, true),
        Some(_) => (OTHER_KIND_BYTES, true),
    };
    // A page of a RAW DB file can quote the others.
    let before = later.map_or(within, |(at, ..)| within.min(at as u64));
    let changed = later.is_none()
        && matches!(kind, None | Some(BARE_RESPONSE))
        && text_mode::is_fragment(stream.fill(BEGINNING_BYTES));
    if changed || any_whole(stream, before, followed) {
        return Ok((Format::RawDb, Container::Plain));
    }
    if let Some((_, format, container)) = later {
        return Ok((format, container));
    }
    if let Some(error) = stream.take_error() {
        return Err(error);
    }
    Err(not_a_shard(stream.path(), stream.buffered()))
}

/// Where the first WARC or ARC record is after a damaged beginning, and what it is.
fn first_record(bytes: &[u8]) -> Option<(usize, Format, Container)> {
    let bytes = &bytes[..bytes.len().min(BEGINNING_BYTES)];
    let mut found: Option<(usize, Format, Container)> = None;
    let mut earlier = |at: usize, format, container| {
        if found.is_none_or(|(first, ..)| at < first) {
            found = Some((at, format, container));
        }
    };
    if let Ok(at) = warc_head::find(bytes, 0, true) {
        earlier(at, Format::Warc, Container::Plain);
    }
    if let Ok(at) = arc::find(bytes, 0, true) {
        earlier(at, Format::Arc, Container::Plain);
    }
    for magic in COMPRESSED {
        for at in memchr::memmem::find_iter(bytes, magic) {
            match sniff_kind(&bytes[at..bytes.len().min(at + SNIFF_BYTES)]) {
                Some((format, container)) if format != Format::RawDb => {
                    earlier(at, format, container);
                    break;
                }
                _ => {}
            }
        }
    }
    found
}

/// Recognises a shard by its first bytes; the more of them the surer, 64 KiB are plenty.
pub fn sniff(start: &[u8]) -> Option<(Format, Container)> {
    let (format, container) = sniff_kind(start)?;
    Some((format, of_whole(beginning(start, Path::new("-")), format, container)))
}

fn beginning(start: &[u8], path: &Path) -> Stream {
    Stream::from_bytes(path, file_name(path), 0, start.to_vec())
}

/// The compression, or that of a file compressed as a whole: its second record shares the member of the first, or begins inside
/// another.
pub(crate) fn of_whole(stored: Stream, format: Format, container: Container) -> Container {
    if container == Container::Plain || container.is_whole() || format == Format::RawDb {
        return container;
    }
    let options = ReadOptions { max_record_bytes: SNIFF_BYTES as u64, ..ReadOptions::default() };
    let from = stored.position();
    let walk = open(stored, container, &(from..u64::MAX), &options);
    let Ok(mut walk) = walk.and_then(|(members, _)| Walk::of_one(members, format, &options)) else {
        return container;
    };
    match walk.advance() {
        Some(Ok(first)) if first.head.flaws.has(Flaws::SHARED_MEMBER) => {}
        _ => return container,
    }
    match walk.advance() {
        Some(Ok(second)) if second.head.flaws.has(Flaws::NOT_FIRST) => container.whole(),
        _ => container,
    }
}

/// The same of the first bytes alone: of WARC and ARC the compression of the records, of RAW DB that of the file.
pub(crate) fn sniff_kind(start: &[u8]) -> Option<(Format, Container)> {
    let (format, container) = sniff_first(start)?;
    Some((format, if format == Format::RawDb { container.whole() } else { container }))
}

fn sniff_first(start: &[u8]) -> Option<(Format, Container)> {
    if start.starts_with(&[0x1f, 0x8b]) {
        return inside(flate2::read::MultiGzDecoder::new(start)).map(|format| (format, Container::Gzip));
    }
    // A skippable frame of this number holds the dictionary of a WARC file.
    if start.starts_with(&[0x5d, 0x2a, 0x4d, 0x18]) {
        return Some((Format::Warc, Container::Zstd));
    }
    if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let decoder = zstd::stream::read::Decoder::new(start).ok()?;
        return inside(decoder).map(|format| (format, Container::Zstd));
    }
    if start.starts_with(&[0x04, 0x22, 0x4d, 0x18]) {
        let decoder = lz4_flex::frame::FrameDecoder::new(start);
        return inside(decoder).map(|format| (format, Container::Lz4));
    }
    sniff_plain(start).map(|format| (format, Container::Plain))
}

fn inside(decoder: impl Read) -> Option<Format> {
    let mut bytes = Vec::new();
    // A cut or damaged member still shows what it holds.
    let _ = decoder.take(INSIDE_BYTES).read_to_end(&mut bytes);
    sniff_plain(&bytes)
}

pub(crate) fn sniff_plain(start: &[u8]) -> Option<Format> {
    if start.starts_with(b"version:") {
        return Some(Format::RawDb);
    }
    let blank = start.iter().take_while(|b| b.is_ascii_whitespace()).count().min(16);
    let start = &start[blank..];
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    if start.starts_with(b"WARC/") {
        return Some(Format::Warc);
    }
    if start.starts_with(b"filedesc://") || arc::starts(start, false) == Start::Yes {
        return Some(Format::Arc);
    }
    None
}

/// The error about a file that is no shard: what it is, as far as its first bytes tell.
pub(crate) fn not_a_shard(path: &Path, start: &[u8]) -> Error {
    let found = if start.is_empty() {
        "an empty file".to_string()
    } else if let Some(name) = named(start) {
        name.to_string()
    } else {
        let mut shown = String::from_utf8_lossy(&start[..start.len().min(24)]).into_owned();
        shown.retain(|c| !c.is_control() && c != char::REPLACEMENT_CHARACTER);
        format!("a file of unknown kind that begins with {shown:?}")
    };
    let expected = "a shard: RAW DB, WARC, ARC or WACZ, plain, gzip, zstd or lz4 (look at the download, or leave the file out)";
    Error::Incompatible { path: path.to_path_buf(), found, expected: expected.into() }
}

/// Kinds of files that people take for shards.
const KINDS: &[(&[u8], &str)] = &[
    (b"%PDF-", "a PDF document"),
    (ZIP, "a ZIP file that is no WACZ: it has no folder archive/ with files"),
    (b"\x1f\x8b", "a gzip file that holds no shard"),
    (b"\x28\xb5\x2f\xfd", "a zstd file that holds no shard"),
    (b"\x04\x22\x4d\x18", "an lz4 file that holds no shard"),
    (b"\x02\x21\x4c\x18", "an lz4 file of the old form (unpack it with `lz4 -d` first)"),
    (b"BZh", "a bzip2 file (unpack it first)"),
    (b"\xfd7zXZ\0", "an xz file (unpack it first)"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x7fELF", "a program"),
    (b"PAR1", "a Parquet table"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b" CDX ", "a CDX index (give the archives it points to)"),
    (b"HTTP/", BARE_RESPONSE),
];

fn named(start: &[u8]) -> Option<&'static str> {
    let by_magic = KINDS.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, name)| *name);
    by_magic.or_else(|| {
        let text = start.trim_ascii_start();
        let text = &text[..text.len().min(14)];
        let begins =
            |with: &str| text.len() >= with.len() && text[..with.len()].eq_ignore_ascii_case(with.as_bytes());
        (begins("<!doctype html") || begins("<html")).then_some("an HTML page")
    })
}

/// What tables call a file that was given by path.
pub(super) fn file_name(path: &Path) -> Arc<str> {
    Arc::from(path.file_name().unwrap_or(path.as_os_str()).to_string_lossy())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const RAW: &[u8] = b"version:1.0\nurl:http://a/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nlength:2\n\nhi\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn content_decides() {
        let arc = b"http://a.example/ 1.2.3.4 20030415081306 text/html 12\n";
        for (bytes, expected) in [
            (RAW.to_vec(), Some((Format::RawDb, Container::Plain))),
            (b"version:1.0\r\nurl:x\r\n".to_vec(), Some((Format::RawDb, Container::Plain))),
            (gzip(RAW), Some((Format::RawDb, Container::WholeGzip))),
            (zstd::bulk::compress(RAW, 1).unwrap(), Some((Format::RawDb, Container::WholeZstd))),
            (b"WARC/1.0\r\n".to_vec(), Some((Format::Warc, Container::Plain))),
            (b"\r\n\r\nWARC/1.1\r\n".to_vec(), Some((Format::Warc, Container::Plain))),
            (gzip(b"WARC/1.0\r\nWARC-Type: response"), Some((Format::Warc, Container::Gzip))),
            (gzip(b"WARC/1.0\r\nWARC-Type: response")[..20].to_vec(), Some((Format::Warc, Container::Gzip))),
            (b"filedesc://x.arc 0.0.0.0 2003".to_vec(), Some((Format::Arc, Container::Plain))),
            (arc.to_vec(), Some((Format::Arc, Container::Plain))),
            (b"%PDF-1.4".to_vec(), None),
            (gzip(b"hello"), None),
            (Vec::new(), None),
        ] {
            assert_eq!(sniff(&bytes), expected, "{:?}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn files_folders_and_globs() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, bytes).unwrap();
        };
        put("b/two.warc", RAW);
        put("a/one.bin", RAW);
        put("a/.one.partial", RAW);
        put("a/paper.warc", b"%PDF-1.4");
        put("a/empty.warc", b"");
        put("a/cut.raw", &[&[0; 512][..], &RAW[40..], RAW].concat());
        let root = folder.path().to_str().unwrap();
        let names = |inputs: &[&str]| {
            let inputs: Vec<String> = inputs.iter().map(|i| i.replace("ROOT", root)).collect();
            discover(&inputs).map(|(found, errors)| {
                (
                    found.iter().map(|i| i.name.to_string()).collect::<Vec<_>>(),
                    errors.iter().map(|e| e.to_string().replace(root, "ROOT")).collect::<Vec<_>>(),
                )
            })
        };
        let (found, errors) = names(&["ROOT"]).unwrap();
        assert_eq!(found, ["a/cut.raw", "a/one.bin", "b/two.warc"]);
        assert!(errors[0].starts_with("ROOT/a/empty.warc: found an empty file"), "{errors:?}");
        assert!(errors[1].starts_with("ROOT/a/paper.warc: found a PDF document"), "{errors:?}");
        assert_eq!(names(&["ROOT/b/two.warc", "ROOT/*/one*"]).unwrap().0, ["two.warc", "one.bin"]);
        assert_eq!(names(&["ROOT/b", "ROOT/b/two.warc"]).unwrap().0, ["two.warc"]);
        for (input, message) in [
            (vec!["ROOT/none.raw"], "No such file"),
            (vec!["ROOT/*.zip"], "no file matches"),
            (vec!["ROOT/a/paper.warc"], "PDF"),
            (vec!["ROOT/a/paper.warc", "ROOT/a/empty.warc"], "no shard found"),
            (vec![], "no input"),
        ] {
            let error = names(&input).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
