//! Writing a WACZ.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use webmill_capture::error::AtPath;
use webmill_capture::{Capture, Error, Result, date};
use webmill_shard::{Converter, ReadOptions, Staged, StoredFile, WarcOptions, WarcWriter};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::collect::{Collector, PageDescription, WalkedShard};
use super::lines::{Blocks, hex};
use super::package::{Names, Package, Resource, digest_of};

/// From this size on a member of a ZIP needs the fields of ZIP64.
const LARGE: u64 = u32::MAX as u64;

/// Options for writing a WACZ file.
pub struct Options<'a> {
    /// Title of the archive, for `datapackage.json`.
    pub title: Option<String>,
    /// How shards are read.
    pub read: ReadOptions,
    /// Bytes for sorting.
    pub memory: usize,
    /// What the list of pages says of a page.
    pub describe: &'a dyn Fn(&Capture<'_>) -> PageDescription,
    /// Asked between shards whether to stop.
    pub stopped: &'a dyn Fn() -> bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            title: None,
            read: ReadOptions::default(),
            memory: 256 << 20,
            describe: &PageDescription::titled,
            stopped: &|| false,
        }
    }
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Shards that went in.
    pub shards: u64,
    /// Those that were converted to WARC of one gzip member a record.
    pub converted: u64,
    /// Records in the archive.
    pub records: u64,
    /// Lines of the index.
    pub captures: u64,
    /// Lines of the list of pages.
    pub pages: u64,
    /// Records that the index does not name, by reason.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Places of damage, and records that could not be converted.
    pub damaged: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// A file that is deleted unless it is committed.
struct Partial {
    path: PathBuf,
    kept: bool,
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.kept {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Packs shards of any format into the WACZ at `path`, which appears when it is whole; tells `on_damage` of every place
/// or record that was lost.
///
/// # Errors
/// [`Error::Incompatible`] for a file that is no shard; [`Error::Io`]; [`Error::Interrupted`]; [`Error::Config`] without
/// shards.
pub fn write(
    shards: &[PathBuf],
    path: &Path,
    options: &Options<'_>,
    on_damage: &mut dyn FnMut(Error),
) -> Result<Report> {
    if shards.is_empty() {
        return Err(Error::Config("a WACZ needs shards to pack".into()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let work = tempfile::Builder::new().prefix(".wacz-").tempdir_in(folder).at(folder)?;
    let mut partial = Partial { path: Staged::partial_path(path)?, kept: false };
    let file = File::create(&partial.path).at(&partial.path)?;
    let mut out = Output {
        zip: ZipWriter::new(BufWriter::with_capacity(1 << 20, file)),
        path,
        resources: Vec::new(),
        names: Names::default(),
    };
    let mut collector = Collector::new(options.memory, work.path(), options.describe);
    let (mut report, mut names) = (Report::default(), Names::default());
    let mut newest = None;
    for shard in shards {
        if (options.stopped)() {
            return Err(Error::Interrupted);
        }
        let name = names.of_shard(&shard.file_name().unwrap_or(shard.as_os_str()).to_string_lossy());
        let (from, walked) =
            member(shard, &name, work.path(), &mut collector, options, &mut report, on_damage)?;
        out.copy(&format!("archive/{name}"), &from)?;
        if from != *shard {
            std::fs::remove_file(&from).at(&from)?;
        }
        report.shards += 1;
        report.records += walked.records;
        report.captures += walked.captures;
        report.damaged += walked.damaged;
        newest = newest.max(walked.newest_ms);
        for (reason, count) in walked.left_out {
            *report.left_out.entry(reason).or_default() += count;
        }
    }
    let (entries, pages) = collector.finish()?;
    let mut blocks = Blocks::new();
    out.member("indexes/index.cdx.gz", CompressionMethod::Stored, true, |out| {
        entries.each(|key, line| blocks.add(&String::from_utf8_lossy(key), line, out))?;
        blocks.flush(out)
    })?;
    let path_of = |e| Error::io(path, e);
    let index = std::mem::take(&mut blocks.index);
    out.member("indexes/index.idx", CompressionMethod::Deflated, false, |out| {
        out.write_all(index.as_bytes()).map_err(path_of)
    })?;
    let (mut first, mut before) = (None, Vec::new());
    out.member("pages/pages.jsonl", CompressionMethod::Deflated, true, |out| {
        out.write_all(b"{\"format\": \"json-pages-1.0\", \"id\": \"pages\", \"title\": \"Pages\"}\n")
            .map_err(path_of)?;
        pages.each(|key, line| {
            // Captured twice in one moment, it is one page.
            if before == key {
                return Ok(());
            }
            before = key.to_vec();
            if first.is_none() {
                let ms =
                    key.get(..8).and_then(|ms| ms.try_into().ok()).map_or(0, u64::from_be_bytes) ^ (1 << 63);
                first = Some((String::from_utf8_lossy(&key[8.min(key.len())..]).into_owned(), ms as i64));
            }
            report.pages += 1;
            out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(path_of)
        })
    })?;
    // The page that a reader sees first is the earliest that was captured.
    let main = first.map(|(url, ms)| (url, date::format_rfc3339(ms)));
    let package = Package {
        profile: "data-package".into(),
        resources: std::mem::take(&mut out.resources),
        title: options.title.clone(),
        description: None,
        // Not the time of day: equal shards give equal bytes.
        created: newest.map(date::format_rfc3339),
        wacz_version: Some("1.1.1".into()),
        software: Some(concat!("webmill ", env!("CARGO_PKG_VERSION")).into()),
        main_page_date: main.as_ref().map(|main| main.1.clone()),
        main_page_url: main.map(|main| main.0),
    };
    let package = serde_json::to_vec_pretty(&package).map_err(|e| Error::Internal(e.to_string()))?;
    out.small("datapackage.json", &package)?;
    out.small("datapackage-digest.json", digest_of(&package)?.as_bytes())?;
    let file = out.zip.finish().map_err(|e| zip_error(path, e))?;
    let file = file.into_inner().map_err(|e| Error::io(path, e.into_error()))?;
    file.sync_all().at(&partial.path)?;
    report.bytes = file.metadata().at(&partial.path)?.len();
    std::fs::rename(&partial.path, path).at(path)?;
    partial.kept = true;
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().at(path)?;
    }
    Ok(report)
}

/// The file that goes into the archive for a shard: itself, or what it was converted to.
fn member(
    shard: &Path,
    name: &str,
    work: &Path,
    collector: &mut Collector<'_>,
    options: &Options<'_>,
    report: &mut Report,
    on_damage: &mut dyn FnMut(Error),
) -> Result<(PathBuf, WalkedShard)> {
    // What is said of damage is only true of the walk that counts.
    let mut damage = Vec::new();
    let walked = collector.walk(shard, name, &options.read, true, &mut |error| {
        if damage.len() < 1000 {
            damage.push(error);
        }
    })?;
    if walked.a_member_each || walked.records == 0 && walked.damaged == 0 && is_gzip(shard)? {
        damage.into_iter().for_each(on_damage);
        return Ok((shard.to_path_buf(), walked));
    }
    collector.forget(&walked);
    let to = work.join("converted.warc.gz");
    let mut converter = Converter::Warc(WarcWriter::create(&to, WarcOptions::default())?);
    let converted = converter.convert(shard, &options.read, on_damage)?;
    converter.finish()?;
    report.converted += 1;
    report.damaged += converted.damaged;
    let walked = collector.walk(&to, name, &options.read, false, on_damage)?;
    Ok((to, walked))
}

fn is_gzip(path: &Path) -> Result<bool> {
    let mut start = [0; 2];
    let read = StoredFile::open(path)?.read(&mut start).at(path)?;
    Ok(start[..read] == [0x1f, 0x8b])
}

/// The ZIP file and what its package will say of it.
struct Output<'a> {
    zip: ZipWriter<BufWriter<File>>,
    path: &'a Path,
    resources: Vec<Resource>,
    names: Names,
}

impl Output<'_> {
    /// Writes a member and lists it.
    fn member(
        &mut self,
        name: &str,
        method: CompressionMethod,
        large: bool,
        fill: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        self.start(name, method, large)?;
        let mut hashed = HashingWriter { out: &mut self.zip, hash: Sha256::new(), bytes: 0 };
        fill(&mut hashed)?;
        let (hash, bytes) = (format!("sha256:{}", hex(&hashed.hash.finalize())), hashed.bytes);
        self.list(name, hash, bytes);
        Ok(())
    }

    /// Copies a file as it is.
    fn copy(&mut self, name: &str, from: &Path) -> Result<()> {
        let mut file = StoredFile::open(from)?;
        let large = file.size() >= LARGE;
        let path = self.path;
        self.member(name, CompressionMethod::Stored, large, |out| {
            let mut buffer = vec![0; 1 << 18];
            loop {
                let read = file.read(&mut buffer).at(from)?;
                if read == 0 {
                    return Ok(());
                }
                out.write_all(&buffer[..read]).at(path)?;
            }
        })
    }

    /// Writes a member that the package does not list: the package itself.
    fn small(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.start(name, CompressionMethod::Deflated, false)?;
        self.zip.write_all(bytes).at(self.path)
    }

    fn start(&mut self, name: &str, method: CompressionMethod, large: bool) -> Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644)
            .large_file(large);
        self.zip.start_file(name, options).map_err(|e| zip_error(self.path, e))
    }

    fn list(&mut self, path: &str, hash: String, bytes: u64) {
        let name = self.names.of_resource(path.rsplit('/').next().unwrap_or(path));
        self.resources.push(Resource { name, path: path.to_owned(), hash, bytes, ..Resource::default() });
    }
}

/// Hashes what it passes on.
struct HashingWriter<'a, W: Write> {
    out: &'a mut W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Write for HashingWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

fn zip_error(path: &Path, error: zip::result::ZipError) -> Error {
    match error {
        zip::result::ZipError::Io(error) => Error::io(path, error),
        other => Error::corrupt(path, 0, format!("ZIP: {other}")),
    }
}
