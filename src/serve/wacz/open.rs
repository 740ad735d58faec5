//! Reading a WACZ: where its WARC files lie, what its index says, whether its digests hold.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use crate::index::Entry;
use crate::index::cdx::{Layout, parse};
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_shard::{StoredFile, wacz_members, zip_error};
use zip::ZipArchive;

use super::lines::hex;
use super::package::Package;

/// The folder of the WARC files.
const FOLDER: &str = "archive/";
/// Most members of a ZIP that are looked at.
const MEMBERS: usize = 1 << 20;
/// Largest `datapackage.json`.
const PACKAGE: u64 = 64 << 20;
/// Longest line of an index.
const LINE: u64 = 1 << 20;
/// Greatest ratio of an index's unpacked size to its stored size; small ones have a fixed limit. Lines of URLs shrink by
/// ten to thirty times.
const RATIO: u64 = 200;
const SMALL: u64 = 64 << 20;

/// A file of `archive/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name as the index has it: without `archive/`.
    pub name: String,
    /// The bytes of the ZIP file that it is.
    pub range: Range<u64>,
    /// Its size, where these bytes are compressed.
    pub unpacked: Option<u64>,
}

impl Member {
    /// Its bytes, unpacked.
    fn size(&self) -> u64 {
        self.unpacked.unwrap_or(self.range.end - self.range.start)
    }
}

/// Defects of a WACZ that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A file that the package lists is not there.
    Missing(String),
    /// A file is not what the package says: its path, and what differs.
    Differs(String, String),
    /// A file that the package does not list.
    Unlisted(String),
}

/// A WACZ that is open.
#[derive(Debug)]
pub struct Wacz {
    path: PathBuf,
    zip: ZipArchive<BufReader<File>>,
    package: Package,
    members: Vec<Member>,
    indexes: Vec<String>,
}

impl Wacz {
    /// Opens the WACZ at `path`.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Corrupt`] where it is no WACZ, or one whose WARC files cannot be read in place; the reason
    /// says why.
    pub fn open(path: &Path) -> Result<Wacz> {
        let file = File::open(path).at(path)?;
        let bad = |reason: String| Error::corrupt(path, 0, reason);
        let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|e| zip_error(path, e))?;
        if zip.len() > MEMBERS {
            return Err(bad(format!("a WACZ of {} files: more than {MEMBERS} are not looked at", zip.len())));
        }
        let (mut indexes, mut described) = (Vec::new(), false);
        for number in 0..zip.len() {
            let file = zip.by_index_raw(number).map_err(|e| zip_error(path, e))?;
            let name = file.name().to_owned();
            if name.contains('\\')
                || name.contains('\0')
                || name.starts_with('/')
                || name.split('/').any(|p| p == "..")
            {
                return Err(bad(format!("a file called {name:?}: it leads out of the archive")));
            }
            if file.encrypted() {
                return Err(bad(format!("{name} is encrypted")));
            }
            described |= name == "datapackage.json";
            let index = name.strip_prefix("indexes/").unwrap_or_default();
            if [".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz"].iter().any(|end| index.ends_with(end)) {
                indexes.push(name);
            }
        }
        if !described {
            return Err(bad("no datapackage.json: not a WACZ of version 1".into()));
        }
        let members = wacz_members(&mut zip, path)?.into_iter().map(|member| -> Result<Member> {
            let name = member.path.strip_prefix(FOLDER).unwrap_or(&member.path).to_owned();
            Ok(Member { name, range: member.range?, unpacked: member.unpacked })
        });
        let members: Vec<Member> = members.collect::<Result<_>>()?;
        if members.is_empty() {
            return Err(bad("no WARC file in archive/".into()));
        }
        indexes.sort();
        let mut text = String::new();
        let file = zip.by_name("datapackage.json").map_err(|e| zip_error(path, e))?;
        let read = file
            .take(PACKAGE + 1)
            .read_to_string(&mut text)
            .map_err(|e| bad(format!("datapackage.json: {e}")))?;
        if read as u64 > PACKAGE {
            return Err(bad(format!("datapackage.json of more than {PACKAGE} bytes")));
        }
        let package = serde_json::from_str(&text).map_err(|e| bad(format!("datapackage.json: {e}")))?;
        Ok(Wacz { path: path.to_path_buf(), zip, package, members, indexes })
    }

    /// The WARC files, by name. A record at `offset` of one that is not compressed lies at `range.start + offset` of the ZIP file.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The title that it states.
    pub fn title(&self) -> Option<&str> {
        self.package.title.as_deref()
    }

    /// What it says that it holds.
    pub fn description(&self) -> Option<&str> {
        self.package.description.as_deref()
    }

    /// The page to begin with.
    pub fn main_url(&self) -> Option<&str> {
        self.package.main_page_url.as_deref()
    }

    /// Whether there is an index; without one its WARC files are to be indexed.
    pub fn is_indexed(&self) -> bool {
        !self.indexes.is_empty()
    }

    /// Hands out the lines of its index, in the order they stand in, until `visit` breaks. Returns how many lines were none,
    /// or name a record that is not there.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where an index does not unpack; [`Error::Limit`] where it unpacks to far too much.
    pub fn entries(&mut self, visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>) -> Result<u64> {
        let mut bad = 0;
        for name in self.indexes.clone() {
            let path = &self.path;
            let corrupt = |e: std::io::Error| Error::corrupt(path, 0, format!("{name}: {e}"));
            let file = self.zip.by_name(&name).map_err(|e| zip_error(path, e))?;
            let most = file.compressed_size().saturating_mul(RATIO).max(SMALL);
            let reader = BufReader::new(file);
            let mut reader: Box<dyn BufRead> = match name.ends_with(".gz") {
                true => Box::new(BufReader::new(MultiGzDecoder::new(reader))),
                false => Box::new(reader),
            };
            let (mut line, mut total) = (Vec::new(), 0);
            loop {
                line.clear();
                let read = reader.by_ref().take(LINE).read_until(b'\n', &mut line).map_err(corrupt)? as u64;
                total += read;
                if read == 0 {
                    break;
                }
                if total > most {
                    let why = format!("{}: {name} unpacks to more than {most} bytes", path.display());
                    return Err(Error::Limit(why));
                }
                if line.starts_with(b"!") || line.trim_ascii().is_empty() {
                    continue;
                }
                match parse(&Layout::Cdxj, line.trim_ascii_end()) {
                    Ok(entry)
                        if Layout::Cdxj.has_offset(&line)
                            && self.members.iter().any(|m| holds(m, &entry)) =>
                    {
                        if visit(entry).is_break() {
                            return Ok(bad);
                        }
                    }
                    _ => bad += 1,
                }
            }
        }
        Ok(bad)
    }

    /// Compares every file with the package.
    ///
    /// # Errors
    /// [`Error::Io`] where the file cannot be read.
    pub fn check(&mut self) -> Result<Vec<Fault>> {
        let mut faults = Vec::new();
        let names: Vec<String> = self.zip.file_names().map(str::to_owned).collect();
        for resource in &self.package.resources {
            let Ok(mut file) = self.zip.by_name(&resource.path) else {
                faults.push(Fault::Missing(resource.path.clone()));
                continue;
            };
            let said = match &resource.stats {
                Some(stats) => (stats.hash.as_str(), stats.bytes),
                None => (resource.hash.as_str(), Some(resource.bytes)),
            };
            let differs = |what: String| Fault::Differs(resource.path.clone(), what);
            if let Some(bytes) = said.1
                && bytes != file.size()
            {
                faults.push(differs(format!("{} bytes, the package says {bytes}", file.size())));
                continue;
            }
            let algorithm =
                said.0.split_once(':').map(|(a, _)| a).or(resource.hashing.as_deref()).unwrap_or("sha256");
            if algorithm != "sha256" {
                faults.push(differs(format!("its digest is by {algorithm}, which is not known")));
                continue;
            }
            let mut hash = Sha256::new();
            let declared = file.size();
            match std::io::copy(&mut file.by_ref().take(declared), &mut Hashing(&mut hash)) {
                Ok(_) => {}
                Err(error) => {
                    faults.push(differs(error.to_string()));
                    continue;
                }
            }
            let found = hex(&hash.finalize());
            if said.0.rsplit(':').next() != Some(&found) {
                faults.push(differs(format!("its SHA-256 is {found}")));
            }
        }
        for name in names {
            let own = name.starts_with("datapackage") || name.ends_with('/');
            if !own && !self.package.resources.iter().any(|resource| resource.path == name) {
                faults.push(Fault::Unlisted(name));
            }
        }
        Ok(faults)
    }

    /// The stored bytes of a record that an entry names.
    ///
    /// # Errors
    /// [`Error::Config`] for a file that is not there or a range behind its end; [`Error::Io`].
    pub fn read(&self, entry: &Entry<'_>) -> Result<Vec<u8>> {
        let member = self.members.iter().find(|member| holds(member, entry));
        let member = member.ok_or_else(|| {
            Error::Config(format!(
                "{}: no record at {} of {:?}",
                self.path.display(),
                entry.offset,
                entry.filename
            ))
        })?;
        let length = entry.length.unwrap_or(member.size() - entry.offset);
        let mut bytes = Vec::new();
        if member.unpacked.is_some() {
            let mut file = StoredFile::open(&self.path.join(FOLDER).join(&member.name))?;
            file.seek(SeekFrom::Start(entry.offset)).at(&self.path)?;
            file.take(length).read_to_end(&mut bytes).at(&self.path)?;
            return Ok(bytes);
        }
        let mut file = File::open(&self.path).at(&self.path)?;
        file.seek(SeekFrom::Start(member.range.start + entry.offset)).at(&self.path)?;
        file.take(length).read_to_end(&mut bytes).at(&self.path)?;
        Ok(bytes)
    }
}

/// Whether a record lies in a member.
fn holds(member: &Member, entry: &Entry<'_>) -> bool {
    let room = member.size();
    member.name == entry.filename
        && entry.offset < room
        && entry.length.is_none_or(|length| length <= room - entry.offset)
}

struct Hashing<'a>(&'a mut Sha256);

impl std::io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
