//! Writes the three files of a ZipNum index.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use webmill_capture::{Error, Result};
use webmill_shard::Staged;

/// Lines of a member, as in the largest public index.
pub const LINES_A_BLOCK: usize = 3000;

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

    /// Writes what is left; the files appear under their names now.
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
