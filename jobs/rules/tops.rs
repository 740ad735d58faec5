//! The pages on which rows may begin, in the order that tables have: by rule, layer and SURT.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;
use webmill_capture::Result;
use webmill_capture::error::AtPath;
use webmill_sort::{Budget, BytesSorter};

use super::store::{At, Task, Top, unreadable};

/// Bytes of a page in the file: key of the address, whether the rest counts, file, offset, length.
const FRAME: usize = 16 + 1 + 4 + 8 + 4;

/// Pages in the order in which they are met.
pub struct Gathered {
    sorter: BytesSorter,
    key: Vec<u8>,
}

impl Gathered {
    /// None yet; sorted in a folder within so many bytes of memory.
    pub fn new(folder: &Path, memory: u64) -> Gathered {
        let budget = Budget::new(usize::try_from(memory).unwrap_or(usize::MAX)).in_dir(folder);
        Gathered { sorter: BytesSorter::new(&budget).with_unique_keys(), key: Vec::new() }
    }

    /// Notes that rows may begin on a page, and where what was found there stands if it is not with the task. A page that is noted
    /// twice is there once.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn add(&mut self, task: Task, surt: &str, at: Option<At>) -> Result<()> {
        self.key.clear();
        self.key.extend_from_slice(&task.rule.to_be_bytes());
        self.key.extend_from_slice(&task.layer.to_be_bytes());
        self.key.extend_from_slice(surt.as_bytes());
        self.key.push(0);
        self.key.extend_from_slice(&task.url.to_be_bytes());
        self.sorter.push(&self.key, &frame(task.url, at)[16..])
    }

    /// Sorts them into a file of the folder.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn sort(self, folder: &Path) -> Result<Tops> {
        let path = folder.join("tops");
        let mut file = BufWriter::new(File::create_new(&path).at(&path)?);
        let mut ranges: BTreeMap<(u16, u16), Range<usize>> = BTreeMap::new();
        let mut written = 0;
        let mut sorted = self.sorter.finish()?;
        while let Some((key, value)) = sorted.next().transpose()? {
            let (rule, rest) = key.split_first_chunk().ok_or_else(unreadable)?;
            let layer = rest.first_chunk().ok_or_else(unreadable)?;
            let url: &[u8; 16] = key.last_chunk().ok_or_else(unreadable)?;
            file.write_all(url).at(&path)?;
            file.write_all(value).at(&path)?;
            let of = (u16::from_be_bytes(*rule), u16::from_be_bytes(*layer));
            ranges.entry(of).or_insert(written..written).end = written + FRAME;
            written += FRAME;
        }
        let file = file.into_inner().map_err(std::io::IntoInnerError::into_error).at(&path)?;
        // SAFETY: the file is complete, in a folder of this run alone, and not written to again.
        let bytes = if written == 0 { None } else { Some(unsafe { Mmap::map(&file) }.at(&path)?) };
        Ok(Tops { bytes, ranges })
    }
}

/// All pages on which rows may begin, on disk.
#[derive(Default)]
pub struct Tops {
    bytes: Option<Mmap>,
    ranges: BTreeMap<(u16, u16), Range<usize>>,
}

impl Tops {
    /// Those of a layer of a rule, in the order of their SURT, so many at once.
    pub fn of(&self, rule: u16, layer: u16, most: usize) -> impl Iterator<Item = Vec<Top>> {
        let range = self.ranges.get(&(rule, layer)).cloned().unwrap_or_default();
        let bytes = self.bytes.as_deref().and_then(|bytes| bytes.get(range)).unwrap_or_default();
        let top = move |frame: &[u8]| {
            let (url, at) = read(frame)?;
            Some(Top { task: Task { url, rule, layer }, at })
        };
        bytes
            .chunks(FRAME * most.max(1))
            .map(move |chunk| chunk.chunks_exact(FRAME).filter_map(top).collect())
    }
}

fn frame(url: u128, at: Option<At>) -> [u8; FRAME] {
    let mut frame = [0; FRAME];
    frame[..16].copy_from_slice(&url.to_be_bytes());
    if let Some(At { file, offset, length }) = at {
        frame[16] = 1;
        frame[17..21].copy_from_slice(&file.to_be_bytes());
        frame[21..29].copy_from_slice(&offset.to_be_bytes());
        frame[29..].copy_from_slice(&length.to_be_bytes());
    }
    frame
}

fn read(frame: &[u8]) -> Option<(u128, Option<At>)> {
    let (url, rest) = frame.split_first_chunk()?;
    let (is_there, rest) = rest.split_first()?;
    let (file, rest) = rest.split_first_chunk()?;
    let (offset, rest) = rest.split_first_chunk()?;
    let at = At {
        file: u32::from_be_bytes(*file),
        offset: u64::from_be_bytes(*offset),
        length: u32::from_be_bytes(*rest.first_chunk()?),
    };
    Some((u128::from_be_bytes(*url), (*is_there == 1).then_some(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_in_the_order_of_their_surt_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut gathered = Gathered::new(folder.path(), 1 << 20);
        let task = |url, rule| Task { url, rule, layer: 7 };
        let at = Some(At { file: 3, offset: 1 << 40, length: 9 });
        for (url, rule, surt, at) in
            [(5, 1, "b", None), (4, 1, "a,x", at), (3, 1, "a", None), (5, 1, "b", None), (9, 2, "a", at)]
        {
            gathered.add(task(url, rule), surt, at).unwrap();
        }
        let tops = gathered.sort(folder.path()).unwrap();
        let of = |rule, most| tops.of(rule, 7, most).collect::<Vec<_>>();
        let top = |url, rule, at| Top { task: task(url, rule), at };
        assert_eq!(of(1, 2), [vec![top(3, 1, None), top(4, 1, at)], vec![top(5, 1, None)]]);
        assert_eq!(of(2, 5), [vec![top(9, 2, at)]]);
        assert_eq!(tops.of(1, 6, 5).count(), 0);
    }

    #[test]
    fn where_no_rows_begin_there_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let tops = Gathered::new(folder.path(), 1 << 20).sort(folder.path()).unwrap();
        assert_eq!(tops.of(0, 0, 5).count(), 0);
    }
}
