//! Files inside a WACZ, read where they lie.
//!
//! A WACZ is a ZIP file whose folder `archive/` holds WARC files that are stored in it without further compression, so that each is
//! a range of the ZIP file. One that a program for ZIP files compressed all the same is unpacked into a nameless temporary file, once for
//! all its readers. [`discover`](super::discover) gives such a file a path that goes on inside the WACZ,
//! `crawl.wacz/archive/data.warc.gz`, and [`StoredFile`] opens such a path like any other: every reader of shards does so. Offsets
//! of records are those in the inner file, as the index of a WACZ has them.
//!
//! **Cost.** Opening a path inside a WACZ reads the directory of the ZIP file, unless that of the same WACZ was the last to be read and
//! is unchanged: opening all archives of a WACZ takes a time that grows with their number, not with its square. What was unpacked is kept
//! for the [`UNPACKED_FILES`] archives that were the last to be.
//!
//! **Trust.** Ranges lie in the file and do not overlap, so that no more is read than the file has, and no more is unpacked than
//! [`most_unpacked`] says. Names that lead out of the archive, encrypted files and files that are compressed by another method than deflate are
//! refused by name.
//!
//! Reference: WACZ 1.1.1 (Webrecorder); APPNOTE.TXT 6.3.9.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use webmill_capture::error::{AtPath, Error, Result};
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::stream::twice;

/// The folder of a WACZ that holds its WARC files.
const FOLDER: &str = "archive/";
/// Most files of a WACZ that is looked into, and most of them that are archives.
const MOST_FILES: usize = 1 << 20;
const MOST_ARCHIVES: usize = 4096;
/// A file that was written less long ago can be written again without a later time: clocks of file systems are coarse.
const SETTLED: Duration = Duration::from_secs(3);

/// The WACZ whose directory was read last.
static LAST: Mutex<Option<KnownWacz>> = Mutex::new(None);

/// Where the archives of a WACZ lie, as long as the file has this size and time.
struct KnownWacz {
    path: PathBuf,
    size: u64,
    modified: Option<SystemTime>,
    ranges: HashMap<String, (Range<u64>, Option<u64>)>,
}

/// An archive of a WACZ.
#[derive(Debug)]
pub struct WaczMember {
    /// Its path in the WACZ: `archive/data.warc.gz`.
    pub path: String,
    /// The bytes of the ZIP file that it is, or why it cannot be read there.
    pub range: Result<Range<u64>>,
    /// Its size, where these bytes are compressed.
    pub unpacked: Option<u64>,
}

/// An archive that was unpacked: the WACZ with its size and time, the path inside, and the bytes.
type UnpackedFile = ((PathBuf, u64, SystemTime, String), Arc<File>);

/// Archives that are kept unpacked.
const UNPACKED_FILES: usize = 8;
static UNPACKED: Mutex<Vec<UnpackedFile>> = Mutex::new(Vec::new());

/// Most bytes to which this number of bytes is unpacked: records of text shrink by ten to thirty times.
fn most_unpacked(bytes: u64) -> u64 {
    bytes.saturating_mul(200).max(64 << 20)
}

/// The archives of the WACZ at `path`, which `zip` is, by their paths.
///
/// # Errors
/// [`Error::Corrupt`] where the ZIP file cannot be read, holds too many files, or says of two of them that they lie in the same bytes.
pub fn wacz_members<R: Read + Seek>(zip: &mut ZipArchive<R>, path: &Path) -> Result<Vec<WaczMember>> {
    let size = std::fs::metadata(path).at(path)?.len();
    let bad = |reason: String| Error::corrupt(path, 0, reason);
    let numbers: Vec<usize> = (0..zip.len().min(MOST_FILES + 1))
        .filter(|number| {
            zip.name_for_index(*number).is_some_and(|name| name.starts_with(FOLDER) && !name.ends_with('/'))
        })
        .collect();
    if zip.len() > MOST_FILES || numbers.len() > MOST_ARCHIVES {
        return Err(bad(format!(
            "a WACZ of {} files, {} of them archives: at most {MOST_FILES} and {MOST_ARCHIVES} are looked at",
            zip.len(),
            numbers.len()
        )));
    }
    let mut members = Vec::new();
    for number in numbers {
        let file = zip.by_index_raw(number).map_err(|e| zip_error(path, e))?;
        let name = file.name().to_owned();
        let outside = name.split('/').any(|part| matches!(part, "" | "." | ".."));
        let is_packed = file.compression() == CompressionMethod::Deflated;
        let whole = file.data_start().and_then(|start| {
            let end = start.checked_add(file.compressed_size())?;
            (end <= size && (is_packed || file.size() == file.compressed_size())).then_some(start..end)
        });
        let refused = |why: &str| Err(Error::corrupt(path.join(&name), 0, why));
        let range = match (whole, file.compression()) {
            _ if outside || name.contains(['\\', '\0']) || name.chars().any(char::is_control) => {
                Err(bad(format!("a file called {name:?}: it leads out of the archive")))
            }
            _ if file.encrypted() => refused("it is encrypted"),
            (_, method) if method != CompressionMethod::Stored && !is_packed => {
                refused("it is compressed in the ZIP by a method that is not read: unpack the WACZ")
            }
            _ if is_packed && file.size() > most_unpacked(file.compressed_size()) => refused(
                "it is compressed in the ZIP, and more than 200 times as large as there: unpack the WACZ",
            ),
            (Some(range), _) => Ok(range),
            (None, _) => refused("it would end behind the end of the ZIP file"),
        };
        members.push(WaczMember { path: name, range, unpacked: is_packed.then_some(file.size()) });
    }
    let mut ranges: Vec<&Range<u64>> =
        members.iter().filter_map(|member| member.range.as_ref().ok()).collect();
    ranges.sort_by_key(|range| range.start);
    if let Some(pair) = ranges.windows(2).find(|pair| pair[0].end > pair[1].start) {
        return Err(bad(format!("two archives lie in the same bytes, from {} on", pair[1].start)));
    }
    members.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(members)
}

/// Opens the directory of a ZIP file.
pub(super) fn open_zip(path: &Path) -> Result<ZipArchive<BufReader<File>>> {
    let file = twice(|| File::open(path)).at(path)?;
    ZipArchive::new(BufReader::new(file)).map_err(|e| zip_error(path, e))
}

/// An error of the ZIP reader about the file at `path`.
pub fn zip_error(path: &Path, error: ZipError) -> Error {
    match error {
        ZipError::Io(error) => Error::io(path, error),
        other => Error::corrupt(path, 0, format!("not a ZIP file that can be read: {other}")),
    }
}

/// The file that a path inside of a file goes on in, and its path there.
pub(super) fn split_path(path: &Path) -> Option<(&Path, &str)> {
    let file = path.ancestors().skip(1).find(|above| above.is_file())?;
    Some((file, path.strip_prefix(file).ok()?.to_str()?))
}

/// Where the archive `inside` of the WACZ at `path` lies.
fn place_inside(path: &Path, inside: &str) -> Result<Place> {
    let about = std::fs::metadata(path).at(path)?;
    let (size, modified) = (about.len(), about.modified().ok());
    let same = |known: &&KnownWacz| known.path == path && known.size == size && known.modified == modified;
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let known = last().as_ref().filter(same).and_then(|known| known.ranges.get(inside).cloned());
    if let Some((range, unpacked)) = known {
        return Place::of(path, inside, range, unpacked);
    }
    let members = wacz_members(&mut open_zip(path)?, path)?;
    if is_settled(modified) {
        let range = |member: &WaczMember| {
            Some((member.path.clone(), (member.range.as_ref().ok()?.clone(), member.unpacked)))
        };
        let ranges = members.iter().filter_map(range).collect();
        *last() = Some(KnownWacz { path: path.to_path_buf(), size, modified, ranges });
    }
    match members.into_iter().find(|member| member.path == inside) {
        Some(member) => Place::of(path, inside, member.range?, member.unpacked),
        None => {
            let absent = io::Error::new(ErrorKind::NotFound, "the WACZ holds no such file");
            Err(Error::io(path.join(inside), absent))
        }
    }
}

/// Whether a file that was written at that time would have a later one, were it written again.
fn is_settled(modified: Option<SystemTime>) -> bool {
    modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > SETTLED)
}

/// Where an archive inside of a WACZ lies: a range of the WACZ, or a file of its own once it was unpacked.
#[derive(Debug)]
pub(super) struct Place {
    wacz: PathBuf,
    range: Range<u64>,
    unpacked: Option<Arc<File>>,
}

impl Place {
    /// Of the archive `inside` of the WACZ at `path`, which `range` is or, where it is compressed, gives `unpacked` bytes.
    fn of(path: &Path, inside: &str, range: Range<u64>, unpacked: Option<u64>) -> Result<Place> {
        let wacz = path.to_path_buf();
        let Some(size) = unpacked else { return Ok(Place { wacz, range, unpacked: None }) };
        let about = std::fs::metadata(path).at(path)?;
        let time = about.modified().ok().filter(|time| is_settled(Some(*time)));
        let key = time.map(|time| (path.to_path_buf(), about.len(), time, inside.to_owned()));
        // Whoever else asks for it waits.
        let mut kept = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().find(|(known, _)| Some(known) == key.as_ref());
        let file = match known {
            Some((_, file)) => Arc::clone(file),
            None => Arc::new(unpack(path, inside, size)?),
        };
        if let (None, Some(key)) = (known, key) {
            let surplus = (kept.len() + 1).saturating_sub(UNPACKED_FILES);
            kept.drain(..surplus);
            kept.push((key, Arc::clone(&file)));
        }
        Ok(Place { wacz, range: 0..size, unpacked: Some(file) })
    }
}

/// Unpacks an archive of `size` bytes into a file without a name, which is gone when it is closed.
fn unpack(path: &Path, inside: &str, size: u64) -> Result<File> {
    let mut zip = open_zip(path)?;
    let member = zip.by_name(inside).map_err(|e| zip_error(path, e))?;
    let whole = path.join(inside);
    let mut file = tempfile::tempfile().at(&whole)?;
    // One more than there are, so that the check sum is looked at.
    let unpacked = io::copy(&mut member.take(size.saturating_add(1)), &mut file);
    let bad = |why: String| Error::corrupt(&whole, 0, format!("it cannot be unpacked: {why}"));
    match unpacked {
        Ok(bytes) if bytes == size => Ok(file),
        Ok(bytes) => Err(bad(format!("{bytes} bytes, where the ZIP file says {size}"))),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidData
                    | ErrorKind::InvalidInput
                    | ErrorKind::UnexpectedEof
                    | ErrorKind::Other
            ) =>
        {
            Err(bad(error.to_string()))
        }
        Err(error) => Err(Error::io(&whole, error)),
    }
}

/// A file as stored: one of the disk, or one inside of a WACZ.
#[derive(Debug)]
pub struct StoredFile {
    file: OpenFile,
    range: Range<u64>,
    at: u64,
}

#[derive(Debug)]
enum OpenFile {
    Own(File),
    /// One that others read as well, so that its own position says nothing.
    Shared(Arc<File>),
}

impl StoredFile {
    /// Opens the file at `path`, which may go on inside of a WACZ.
    ///
    /// # Errors
    /// [`Error::Io`] where it is not there; [`Error::Corrupt`] where the WACZ cannot be read.
    pub fn open(path: &Path) -> Result<StoredFile> {
        StoredFile::open_again(path, &OnceLock::new())
    }

    /// The same; `place` is where a file inside of a WACZ is, once that was found out.
    pub(super) fn open_again(path: &Path, place: &OnceLock<Place>) -> Result<StoredFile> {
        if let Some(place) = place.get() {
            return StoredFile::at_place(place);
        }
        let error = match twice(|| File::open(path)) {
            Ok(file) => {
                let size = file.metadata().at(path)?.len();
                return Ok(StoredFile { file: OpenFile::Own(file), range: 0..size, at: 0 });
            }
            Err(error) => error,
        };
        let inside = if error.kind() == ErrorKind::NotADirectory { split_path(path) } else { None };
        let Some((wacz, inside)) = inside else { return Err(Error::io(path, error)) };
        let found = place_inside(wacz, inside)?;
        StoredFile::at_place(place.get_or_init(|| found))
    }

    /// Opens an archive of the WACZ at `path`.
    pub(super) fn of_member(path: &Path, member: WaczMember) -> Result<StoredFile> {
        StoredFile::at_place(&Place::of(path, &member.path, member.range?, member.unpacked)?)
    }

    fn at_place(place: &Place) -> Result<StoredFile> {
        let range = place.range.clone();
        if let Some(file) = &place.unpacked {
            return Ok(StoredFile { file: OpenFile::Shared(Arc::clone(file)), range, at: 0 });
        }
        let mut file = twice(|| File::open(&place.wacz)).at(&place.wacz)?;
        file.seek(SeekFrom::Start(range.start)).at(&place.wacz)?;
        Ok(StoredFile { file: OpenFile::Own(file), range, at: 0 })
    }

    /// Its bytes.
    pub fn size(&self) -> u64 {
        self.range.end - self.range.start
    }
}

impl Read for StoredFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // A file of the disk is read to its end, wherever that is by now.
        let most = match self.range.start {
            0 => into.len(),
            _ => into.len().min(usize::try_from(self.size().saturating_sub(self.at)).unwrap_or(usize::MAX)),
        };
        let read = match &mut self.file {
            OpenFile::Own(file) => file.read(&mut into[..most])?,
            OpenFile::Shared(file) => file.read_at(&mut into[..most], self.at)?,
        };
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for StoredFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.size().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        let target = to.and_then(|at| Some((at, self.range.start.checked_add(at)?)));
        let Some((at, place)) = target else { return Err(ErrorKind::InvalidInput.into()) };
        if let OpenFile::Own(file) = &mut self.file {
            file.seek(SeekFrom::Start(place))?;
        }
        self.at = at;
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    #[test]
    fn an_archive_is_found_again_and_anew_where_the_wacz_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.wacz");
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        // Of one size: the times tell, and that of a moment ago tells nothing.
        for (age, archives) in [
            (60, [("archive/a", "one"), ("archive/b", "three")]),
            (30, [("archive/b", "seven"), ("archive/a", "six")]),
            (0, [("archive/a", "two"), ("archive/b", "eight")]),
            (0, [("archive/b", "forty"), ("archive/a", "ten")]),
        ] {
            let mut zip = ZipWriter::new(File::create(&path).unwrap());
            for (name, text) in archives {
                zip.start_file(name, stored).unwrap();
                zip.write_all(text.as_bytes()).unwrap();
            }
            let file = zip.finish().unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
            for (name, want) in archives.iter().chain(&archives) {
                let mut text = String::new();
                StoredFile::open(&path.join(name)).unwrap().read_to_string(&mut text).unwrap();
                assert_eq!(text, *want, "{age}, {name}");
            }
            let absent = StoredFile::open(&path.join("archive/c")).unwrap_err().to_string();
            assert!(absent.ends_with("x.wacz/archive/c: the WACZ holds no such file"), "{absent}");
        }
    }
}
