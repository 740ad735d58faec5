//! Texts of the pages that may be near-duplicates, and their shingles, in temporary files: what candidates are verified with.
//!
//! **Algorithm.** Texts are copied out of table `texts` while it is read. The shingles of a text are computed when it is
//! compared for the first time, in parallel, and stored; a comparison is then a walk over two ascending arrays, and most
//! need none: sets of very different sizes do not resemble each other.
//!
//! **Cost.** 24 bytes a page in memory; on disk the bytes of the texts, and 8 a shingle of those compared.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use rayon::prelude::*;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_dedup::{Meeting, Overlap, Shingles};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of texts whose shingles are computed together, and most texts.
const BATCH_BYTES: usize = 16 << 20;
const BATCH_TEXTS: usize = 1024;

/// Meetings that one task verifies.
const TASK: usize = 256;

/// Pieces of a file, one a page.
pub(super) struct Pieces {
    file: File,
    path: PathBuf,
    end: u64,
    starts: Vec<u64>,
    lengths: Vec<u32>,
    /// Of each piece, against disks that forget.
    digests: Vec<u32>,
}

/// A page has no piece.
const NONE: u64 = u64::MAX;

impl Pieces {
    pub(super) fn create(path: PathBuf, pages: usize) -> Result<Self> {
        let file =
            File::options().read(true).write(true).create(true).truncate(true).open(&path).at(&path)?;
        // Only the open file is used.
        std::fs::remove_file(&path).at(&path)?;
        Ok(Pieces {
            file,
            path,
            end: 0,
            starts: vec![NONE; pages],
            lengths: vec![0; pages],
            digests: vec![0; pages],
        })
    }

    fn has(&self, page: u32) -> bool {
        self.starts.get(page as usize).is_some_and(|start| *start != NONE)
    }

    fn grow(&mut self, pages: usize) {
        if self.starts.len() < pages {
            self.starts.resize(pages, NONE);
            self.lengths.resize(pages, 0);
            self.digests.resize(pages, 0);
        }
    }

    /// Notes that the next piece, of these units of `unit` bytes, is that of `page`.
    fn place(&mut self, page: u32, bytes: &[u8], unit: usize) -> Result<()> {
        let length = bytes.len() / unit;
        let length = u32::try_from(length)
            .map_err(|_| Error::Limit(format!("page {page}: a text of {length} units is too long")))?;
        self.grow(page as usize + 1);
        self.starts[page as usize] = self.end;
        self.lengths[page as usize] = length;
        self.digests[page as usize] = xxh3_64(bytes) as u32;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Appends the piece of a page.
    pub(super) fn append(&mut self, page: u32, numbers: &[u64]) -> Result<()> {
        self.file.write_all_at(bytemuck::cast_slice(numbers), self.end).at(&self.path)?;
        self.place(page, bytemuck::cast_slice(numbers), 8)
    }

    /// The file as it is, for reading many pieces of it.
    pub(super) fn map(&self) -> Result<Option<Mmap>> {
        // SAFETY: the file has no name and is this program's alone; what is mapped of it is not written again.
        (self.end > 0).then(|| unsafe { Mmap::map(&self.file) }.at(&self.path)).transpose()
    }

    /// A piece of numbers, in a file that is mapped.
    pub(super) fn of_map<'m>(&self, map: &'m Option<Mmap>, page: u32) -> Result<&'m [u64]> {
        let length = self.lengths[page as usize] as usize;
        if length == 0 {
            return Ok(&[]);
        }
        let start = self.starts[page as usize] as usize;
        let bytes = map.as_ref().and_then(|map| map.get(start..start.checked_add(8 * length)?));
        let numbers = bytes.and_then(|bytes| bytemuck::try_cast_slice(bytes).ok());
        numbers.ok_or_else(|| Error::Internal(format!("page {page} is compared but has no shingles")))
    }

    fn text(&self, page: u32) -> Result<String> {
        let mut bytes = vec![0; self.lengths[page as usize] as usize];
        self.read(page, &mut bytes)?;
        Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    fn read(&self, page: u32, into: &mut [u8]) -> Result<()> {
        let start = self.starts[page as usize];
        if start == NONE {
            return Err(Error::Internal(format!("page {page} is compared but has no text")));
        }
        self.file.read_exact_at(into, start).at(&self.path)?;
        match xxh3_64(into) as u32 == self.digests[page as usize] {
            true => Ok(()),
            false => {
                let reason = "a temporary file of texts does not hold what was written to it";
                Err(Error::corrupt(&self.path, start, reason))
            }
        }
    }
}

/// Takes the texts.
pub struct TextsWriter {
    pieces: Pieces,
    writer: BufWriter<File>,
}

impl TextsWriter {
    /// For `pages` pages, or more, in a folder for temporary files.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(folder: &Path, pages: usize) -> Result<Self> {
        let pieces = Pieces::create(folder.join("texts"), pages)?;
        let writer = BufWriter::with_capacity(1 << 20, pieces.file.try_clone().at(&pieces.path)?);
        Ok(TextsWriter { pieces, writer })
    }

    /// Stores the text of a page.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn push(&mut self, page: u32, text: &str) -> Result<()> {
        self.pieces.place(page, text.as_bytes(), 1)?;
        self.writer.write_all(text.as_bytes()).at(&self.pieces.path)
    }

    /// Whether the page has its text.
    pub fn has(&self, page: u32) -> bool {
        self.pieces.has(page)
    }

    /// Makes room for at least `pages` pages.
    pub fn grow(&mut self, pages: usize) {
        self.pieces.grow(pages);
    }

    /// The texts, to be compared by shingles of `width` words.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(mut self, folder: &Path, width: usize) -> Result<Texts> {
        self.writer.flush().at(&self.pieces.path)?;
        let shingles = Pieces::create(folder.join("shingles"), self.pieces.starts.len())?;
        Ok(Texts { texts: self.pieces, shingles, width })
    }
}

/// The texts and the known facts about their shingles.
pub struct Texts {
    texts: Pieces,
    shingles: Pieces,
    width: usize,
}

impl Texts {
    /// Whether a page's text is here.
    pub fn has(&self, page: u32) -> bool {
        self.texts.has(page)
    }

    /// Distinct shingles of a page, where they have been computed or told; else 0.
    pub fn num_shingles(&self, page: u32) -> u32 {
        self.shingles.lengths[page as usize]
    }

    /// Tells the number of shingles of a page that is not compared here.
    pub fn tell(&mut self, page: u32, shingles: u32) {
        self.shingles.lengths[page as usize] = shingles;
    }

    /// Computes the shingles of those pages that have none yet.
    fn prepare(&mut self, pages: impl Iterator<Item = u32>) -> Result<()> {
        let mut missing: Vec<u32> = pages.filter(|&page| !self.shingles.has(page)).collect();
        missing.sort_unstable();
        missing.dedup();
        let (texts, shingles, width) = (&self.texts, &mut self.shingles, self.width);
        let (mut rest, mut computed) = (missing.as_slice(), Vec::<(u32, Shingles)>::new());
        while !rest.is_empty() || !computed.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take(BATCH_TEXTS).take_while(|page| {
                let before = bytes;
                bytes += texts.lengths[**page as usize] as usize;
                before == 0 || bytes <= BATCH_BYTES
            });
            let (batch, others) = rest.split_at(fits.count());
            // Those of some texts are stored while those of the next are computed.
            let compute = || {
                let of = |&page: &u32| Ok::<_, Error>((page, Shingles::of(&texts.text(page)?, width)));
                batch.par_iter().map(of).collect::<Result<Vec<_>>>()
            };
            let store = || computed.iter().try_for_each(|(page, made)| shingles.append(*page, made.hashes()));
            let (next, stored) = rayon::join(compute, store);
            stored?;
            (rest, computed) = (others, next?);
        }
        Ok(())
    }

    fn compute(&self, page: u32) -> Result<Shingles> {
        Ok(Shingles::of(&self.text(page)?, self.width))
    }

    /// The text of a page.
    ///
    /// # Errors
    /// Where the disk refuses, or the page has none.
    pub fn text(&self, page: u32) -> Result<String> {
        self.texts.text(page)
    }

    /// Adds the text of a page that was thought not to be compared.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn add(&mut self, page: u32, text: &str) -> Result<()> {
        self.texts.file.write_all_at(text.as_bytes(), self.texts.end).at(&self.texts.path)?;
        self.texts.place(page, text.as_bytes(), 1)
    }

    fn load(&self, page: u32, into: &mut Vec<u64>) -> Result<()> {
        into.clear();
        into.resize(self.num_shingles(page) as usize, 0);
        if into.is_empty() { Ok(()) } else { self.shingles.read(page, bytemuck::cast_slice_mut(into)) }
    }

    /// Least common shingles of two sets whose resemblance is at least `bound`; `None` where their sizes forbid it.
    fn least(a: u32, b: u32, bound: f64) -> Option<usize> {
        let (a, b) = (f64::from(a), f64::from(b));
        let least = ((bound * (a + b) / (1.0 + bound)) - 1e-6).ceil().max(1.0);
        (least <= a.min(b)).then_some(least as usize)
    }

    /// Sets for each meeting how many shingles the two have in common, where their resemblance is at least `bound`.
    ///
    /// # Errors
    /// Where the disk refuses, or a page has no text.
    pub fn verify(&mut self, meetings: &[Meeting], verdicts: &mut [Option<f32>], bound: f64) -> Result<()> {
        self.prepare(meetings.iter().flat_map(|meeting| [meeting.representative, meeting.page]))?;
        let mapped = self.shingles.map()?;
        let hashes = |page: u32| self.shingles.of_map(&mapped, page);
        let texts = &*self;
        let tasks = meetings.par_chunks(TASK).zip(verdicts.par_chunks_mut(TASK));
        tasks.try_for_each(|(meetings, verdicts)| {
            for (meeting, verdict) in meetings.iter().zip(verdicts) {
                let sizes = (texts.num_shingles(meeting.representative), texts.num_shingles(meeting.page));
                let Some(least) = Self::least(sizes.0, sizes.1, bound) else { continue };
                let common =
                    Shingles::common_hashes(hashes(meeting.representative)?, hashes(meeting.page)?, least);
                *verdict = common
                    .map(|common| common as f32)
                    .filter(|&common| overlap(sizes, common as u32).resemblance() >= bound);
            }
            Ok(())
        })
    }

    /// What two pages with known shingles, or with texts, have in common.
    ///
    /// # Errors
    /// Where the disk refuses, or a page has no text.
    pub fn overlap(&self, a: u32, b: u32) -> Result<Overlap> {
        let shingles = |page: u32| match self.shingles.has(page) {
            true => {
                let mut hashes = Vec::new();
                self.load(page, &mut hashes)?;
                Ok(hashes)
            }
            false => self.compute(page).map(|shingles| shingles.hashes().to_vec()),
        };
        let (x, y) = (shingles(a)?, shingles(b)?);
        let common = Shingles::common_hashes(&x, &y, 0).unwrap_or_default();
        Ok(Overlap { a: x.len(), b: y.len(), common })
    }
}

/// Shingles of two texts of which the sizes and what they share are known.
pub fn overlap(sizes: (u32, u32), common: u32) -> Overlap {
    Overlap { a: sizes.0 as usize, b: sizes.1 as usize, common: common as usize }
}
