//! Files inside a WACZ, read where they lie.
//!
//! A WACZ is a ZIP file whose folder `archive/` holds WARC files that are stored in it without further compression, so that each is
//! a range of the ZIP file. [`discover`](super::discover) gives such a file a path that goes on inside the WACZ,
//! `crawl.wacz/archive/data.warc.gz`, and [`StoredFile`] opens such a path like any other: every reader of shards does so. Offsets
//! of records are those in the inner file, as the index of a WACZ has them.
//!
//! **Cost.** Opening a path inside a WACZ reads the directory of the ZIP file, unless that of the same WACZ was the last to be read and
//! is unchanged: opening all archives of a WACZ takes a time that grows with their number, not with its square.
//!
//! **Trust.** Ranges lie in the file and do not overlap, so that no more is read than the file has. Names that lead out of the
//! archive, encrypted files and files that are compressed in the ZIP are refused by name.
//!
//! Reference: WACZ 1.1.1 (Webrecorder); APPNOTE.TXT 6.3.9.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
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
    ranges: HashMap<String, Range<u64>>,
}

/// An archive of a WACZ.
#[derive(Debug)]
pub struct WaczMember {
    /// Its path in the WACZ: `archive/data.warc.gz`.
    pub path: String,
    /// The bytes of the ZIP file that it is, or why it cannot be read there.
    pub range: Result<Range<u64>>,
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
        let whole = file.data_start().and_then(|start| {
            let end = start.checked_add(file.size())?;
            (end <= size && file.size() == file.compressed_size()).then_some(start..end)
        });
        let refused = |why: &str| Err(Error::corrupt(path.join(&name), 0, why));
        let range = match (whole, file.compression()) {
            _ if outside || name.contains(['\\', '\0']) || name.chars().any(char::is_control) => {
                Err(bad(format!("a file called {name:?}: it leads out of the archive")))
            }
            _ if file.encrypted() => refused("it is encrypted"),
            (_, method) if method != CompressionMethod::Stored => refused(
                "it is compressed in the ZIP, so that its records cannot be read in place: unpack the WACZ",
            ),
            (Some(range), _) => Ok(range),
            (None, _) => refused("it would end behind the end of the ZIP file"),
        };
        members.push(WaczMember { path: name, range });
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

/// The bytes of the WACZ at `path` that its archive `inside` is.
fn range_inside(path: &Path, inside: &str) -> Result<Range<u64>> {
    let about = std::fs::metadata(path).at(path)?;
    let (size, modified) = (about.len(), about.modified().ok());
    let same = |known: &&KnownWacz| known.path == path && known.size == size && known.modified == modified;
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let known = last().as_ref().filter(same).and_then(|known| known.ranges.get(inside).cloned());
    if let Some(range) = known {
        return Ok(range);
    }
    let members = wacz_members(&mut open_zip(path)?, path)?;
    let age = modified.and_then(|at| at.elapsed().ok());
    if age.is_some_and(|age| age > SETTLED) {
        let range = |member: &WaczMember| Some((member.path.clone(), member.range.as_ref().ok()?.clone()));
        let ranges = members.iter().filter_map(range).collect();
        *last() = Some(KnownWacz { path: path.to_path_buf(), size, modified, ranges });
    }
    match members.into_iter().find(|member| member.path == inside) {
        Some(member) => member.range,
        None => {
            let absent = io::Error::new(ErrorKind::NotFound, "the WACZ holds no such file");
            Err(Error::io(path.join(inside), absent))
        }
    }
}

/// A file as stored: one of the disk, or one inside of a WACZ.
#[derive(Debug)]
pub struct StoredFile {
    file: File,
    range: Range<u64>,
    at: u64,
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
    pub(super) fn open_again(path: &Path, place: &OnceLock<(PathBuf, Range<u64>)>) -> Result<StoredFile> {
        if let Some((wacz, range)) = place.get() {
            return StoredFile::within(wacz, range.clone());
        }
        let error = match twice(|| File::open(path)) {
            Ok(file) => {
                let size = file.metadata().at(path)?.len();
                return Ok(StoredFile { file, range: 0..size, at: 0 });
            }
            Err(error) => error,
        };
        let inside = if error.kind() == ErrorKind::NotADirectory { split_path(path) } else { None };
        let Some((wacz, inside)) = inside else { return Err(Error::io(path, error)) };
        let range = range_inside(wacz, inside)?;
        let (wacz, range) = place.get_or_init(|| (wacz.to_path_buf(), range));
        StoredFile::within(wacz, range.clone())
    }

    /// Opens a range of the file at `path`.
    pub(super) fn within(path: &Path, range: Range<u64>) -> Result<StoredFile> {
        let mut file = twice(|| File::open(path)).at(path)?;
        file.seek(SeekFrom::Start(range.start)).at(path)?;
        Ok(StoredFile { file, range, at: 0 })
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
        let read = self.file.read(&mut into[..most])?;
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
        self.file.seek(SeekFrom::Start(place))?;
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
