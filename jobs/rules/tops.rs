//! The pages on which rows may begin, in the order that tables have: by rule, layer and SURT.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use webmill_capture::Result;
use webmill_sort::{Budget, Mapped, MappedWriter, RowSorter, Unread};

use super::store::{ResultPlace, Task, Top};

/// A page on disk: both halves of the key of its address, whether the rest counts, file, offset, length.
type Frame = [u64; 6];

/// Pages in the order in which they are met.
pub struct Gathered {
    sorter: RowSorter<(u16, u16, Unread<()>, u128), Option<ResultPlace>>,
}

impl Gathered {
    /// Without any yet; they are sorted in a folder within `memory` bytes.
    pub fn new(folder: &Path, memory: u64) -> Gathered {
        let budget = Budget::new(usize::try_from(memory).unwrap_or(usize::MAX)).in_dir(folder);
        Gathered { sorter: RowSorter::new(&budget).with_unique_keys() }
    }

    /// Notes that rows may begin on a page, and where what was found there stands if it is not with the task. A page that is noted
    /// twice is there once.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn add(&mut self, task: Task, surt: &str, at: Option<ResultPlace>) -> Result<()> {
        self.sorter.push(&(task.rule, task.layer, Unread(surt), task.url), &at)
    }

    /// Sorts them into a file of the folder.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn sort(self, folder: &Path) -> Result<Tops> {
        let mut frames = MappedWriter::create(folder)?;
        let mut ranges: BTreeMap<(u16, u16), Range<usize>> = BTreeMap::new();
        for row in self.sorter.finish()? {
            let ((rule, layer, _, url), at) = row?;
            let written = frames.len() as usize;
            frames.push(frame(url, at))?;
            ranges.entry((rule, layer)).or_insert(written..written).end = written + 1;
        }
        Ok(Tops { frames: frames.finish()?, ranges })
    }
}

/// All pages on which rows may begin, on disk.
pub struct Tops {
    frames: Mapped<Frame>,
    ranges: BTreeMap<(u16, u16), Range<usize>>,
}

impl Tops {
    /// The tops of a layer of a rule, in the order of their SURT, `most` at a time.
    pub fn of(&self, rule: u16, layer: u16, most: usize) -> impl Iterator<Item = Vec<Top>> {
        let range = self.ranges.get(&(rule, layer)).cloned().unwrap_or_default();
        let top = move |&[high, low, is_aside, file, offset, length]: &Frame| {
            let url = u128::from(high) << 64 | u128::from(low);
            let at = ResultPlace { file: file as u32, offset, length: length as u32 };
            Top { task: Task { url, rule, layer }, at: (is_aside == 1).then_some(at) }
        };
        let frames = self.frames.get(range).unwrap_or_default();
        frames.chunks(most.max(1)).map(move |chunk| chunk.iter().map(top).collect())
    }
}

fn frame(url: u128, at: Option<ResultPlace>) -> Frame {
    let (high, low) = ((url >> 64) as u64, url as u64);
    at.map_or([high, low, 0, 0, 0, 0], |at| [high, low, 1, at.file.into(), at.offset, at.length.into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_in_the_order_of_their_surt_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut gathered = Gathered::new(folder.path(), 1 << 20);
        let task = |url, rule| Task { url, rule, layer: 7 };
        let at = Some(ResultPlace { file: 3, offset: 1 << 40, length: 9 });
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
