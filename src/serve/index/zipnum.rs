//! ZipNum: a sorted index in gzip members of 3,000 lines, and a second index of their first lines.
//!
//! | file | a line |
//! |---|---|
//! | `NAME.cdx.gz` | none; gzip members, together a sorted CDX or CDXJ file |
//! | `NAME.idx` | `key timestamp⇥part⇥offset⇥length⇥number`, one a member |
//! | `NAME.loc` | `part⇥path[⇥path…]`: where parts are; without it a part is the file of its name beside the index, with or without `.cdx.gz` |

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use webmill_capture::{Error, Result};
use webmill_shard::Staged;

/// Lines of a member, as in the largest public index.
pub const LINES_A_BLOCK: usize = 3000;

/// The files that `NAME.idx` names, in its order; `NAME.cdx.gz` where its lines name none.
///
/// # Errors
/// [`Error::Io`] where a file cannot be read, [`Error::Corrupt`] where a part is nowhere.
pub fn parts(idx: &Path) -> Result<Vec<PathBuf>> {
    let folder = idx.parent().unwrap_or(Path::new(""));
    let loc = idx.with_extension("loc");
    let mut places: HashMap<String, Vec<PathBuf>> = HashMap::new();
    if loc.exists() {
        for line in std::fs::read_to_string(&loc).map_err(|e| Error::io(&loc, e))?.lines() {
            let mut words = line.split('\t');
            let part = words.next().unwrap_or_default().to_owned();
            places.insert(part, words.map(|word| folder.join(word)).collect());
        }
    }
    let mut parts: Vec<String> = Vec::new();
    for line in BufReader::new(File::open(idx).map_err(|e| Error::io(idx, e))?).lines() {
        let line = line.map_err(|e| Error::io(idx, e))?;
        if let Some(part) = line.split('\t').nth(1).filter(|part| parts.last().is_none_or(|p| p != part)) {
            parts.push(part.to_owned());
        }
    }
    if parts.is_empty() {
        return Ok(vec![idx.with_extension("cdx.gz")]);
    }
    let file = |part: String| {
        let beside = ["", ".cdx.gz", ".cdxj.gz"].map(|ending| folder.join(format!("{part}{ending}")));
        let found = places.get(&part).into_iter().flatten().chain(&beside).find(|path| path.is_file());
        found.cloned().ok_or_else(|| Error::corrupt(idx, 0, format!("the part {part} is nowhere")))
    };
    parts.into_iter().map(file).collect()
}

/// Takes sorted lines and writes `NAME.cdx.gz`, `NAME.idx`, `NAME.loc`.
pub struct ZipNumWriter {
    paths: [PathBuf; 3],
    data: Staged,
    idx: Staged,
    loc: Staged,
    part: String,
    lines_a_block: usize,
    block: Vec<u8>,
    lines: usize,
    offset: u64,
    blocks: u64,
}

impl ZipNumWriter {
    /// Creates the files, each named after `path` (`NAME.idx`, or any ending).
    ///
    /// # Errors
    /// [`Error::Io`] where they cannot be made.
    pub fn create(path: &Path, lines_a_block: usize) -> Result<ZipNumWriter> {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let named = |ending: &str| path.with_file_name(format!("{name}.{ending}"));
        let paths = [named("cdx.gz"), named("idx"), named("loc")];
        let [data, idx, mut loc] =
            [Staged::create(&paths[0])?, Staged::create(&paths[1])?, Staged::create(&paths[2])?];
        writeln!(loc, "{name}\t{name}.cdx.gz").map_err(|e| Error::io(&paths[2], e))?;
        Ok(ZipNumWriter {
            paths,
            data,
            idx,
            loc,
            part: name,
            lines_a_block: lines_a_block.max(1),
            block: Vec::new(),
            lines: 0,
            offset: 0,
            blocks: 0,
        })
    }

    /// Takes the next line, with its line end.
    ///
    /// # Errors
    /// [`Error::Io`] where it cannot be written.
    pub fn push(&mut self, line: &[u8]) -> Result<()> {
        self.block.extend_from_slice(line);
        self.lines += 1;
        if self.lines >= self.lines_a_block { self.flush() } else { Ok(()) }
    }

    /// Writes the rest; the files appear under their names now.
    ///
    /// # Errors
    /// [`Error::Io`] where it cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.data.commit()?;
        self.loc.commit()?;
        self.idx.commit()?;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let end = memchr::memchr_iter(b' ', &self.block).nth(1).unwrap_or(0);
        let mut encoder = GzEncoder::new(Vec::with_capacity(self.block.len() / 4), Compression::new(6));
        encoder.write_all(&self.block).expect("memory takes any bytes");
        let member = encoder.finish().expect("memory takes any bytes");
        self.data.write_all(&member).map_err(|e| Error::io(&self.paths[0], e))?;
        self.blocks += 1;
        self.idx
            .write_all(&self.block[..end])
            .and_then(|()| {
                writeln!(self.idx, "\t{}\t{}\t{}\t{}", self.part, self.offset, member.len(), self.blocks)
            })
            .map_err(|e| Error::io(&self.paths[1], e))?;
        self.offset += member.len() as u64;
        self.block.clear();
        self.lines = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::cdx::Reader;

    #[test]
    fn what_is_written_is_read_wherever_its_parts_are() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut writer = ZipNumWriter::create(&at("w.idx"), 1).unwrap();
        for key in ["a)/", "b)/"] {
            writer.push(format!("{key} 2020 {{\"url\": \"http://a/\"}}\n").as_bytes()).unwrap();
        }
        writer.finish().unwrap();
        let meta = "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"w.cdx.gz\"}\n";
        for (loc, idx) in [("w\tw.cdx.gz\n", None), ("w\tnowhere\n", None), ("", None), ("", Some(meta))] {
            std::fs::write(at("w.loc"), loc).unwrap();
            idx.iter().for_each(|idx| std::fs::write(at("w.idx"), idx).unwrap());
            let found = parts(&at("w.idx")).unwrap();
            assert_eq!(found, [at("w.cdx.gz")], "{loc:?} {idx:?}");
        }
        let mut reader = Reader::open(&at("w.cdx.gz")).unwrap();
        let mut keys = Vec::new();
        while let Some(entry) = reader.next() {
            keys.push(entry.unwrap().urlkey.into_owned());
        }
        assert_eq!((keys, reader.faults()), (vec!["a)/".to_owned(), "b)/".to_owned()], 0));
        std::fs::write(at("w.idx"), "a 2020\tq\t0\t7\t1\n").unwrap();
        assert!(parts(&at("w.idx")).unwrap_err().to_string().contains("the part q is nowhere"));
    }
}
