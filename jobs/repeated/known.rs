//! The repeated lines and paragraphs of results, for who writes texts without them.

use std::path::Path;

use webmill_capture::bits::Bits;
use webmill_capture::{Error, Result};
use webmill_dedup::{Pruned, without_repeated};
use webmill_run::{Committed, Job};
use webmill_sort::{Budget, Mapped, Sorter};
use webmill_table::{Reader, columns};

use super::RepeatedLines;
use super::tables::RepeatedBlockRow;
use crate::job::latest;

columns! {
    struct HashColumn from RepeatedBlockRow { hash }
}

/// The hashes of table `repeated`, sorted in a temporary file that is mapped: the system may take its memory back, so that a
/// table of any length does within the budget.
///
/// # Examples
/// ```no_run
/// use webmill_jobs::repeated::known::KnownRepeated;
/// use webmill_sort::Budget;
/// let repeated = KnownRepeated::load("results".as_ref(), &Budget::new(64 << 20))?;
/// let pruned = repeated.without("The story.\nAll rights reserved. No part of this site may be copied anywhere.");
/// println!("{} ({} lines left out)", pruned.text, pruned.lines);
/// # Ok::<(), webmill_capture::Error>(())
/// ```
pub struct KnownRepeated {
    hashes: Mapped<u128>,
    min_chars: u32,
}

impl KnownRepeated {
    /// Those of the latest results of `webmill repeated` in the folder `out`.
    ///
    /// # Errors
    /// [`Error::Config`] that names the command where there are none; else like [`KnownRepeated::of`].
    pub fn load(out: &Path, budget: &Budget) -> Result<Self> {
        Self::of(&latest(out, RepeatedLines::NAME)?, budget)
    }

    /// Those of committed results.
    ///
    /// # Errors
    /// Where the table cannot be read or the disk refuses; [`Error::Corrupt`] for a manifest without the job's settings.
    pub fn of(repeated: &Committed, budget: &Budget) -> Result<Self> {
        let settings: RepeatedLines = serde_json::from_value(repeated.manifest.configuration.clone())
            .map_err(|e| Error::corrupt(repeated.path("manifest.json"), 0, format!("configuration: {e}")))?;
        let mut sorter = Sorter::<u128>::new(budget).with_combine(|a, b| a == b);
        let mut reader = Reader::<HashColumn>::open(&repeated.path("repeated"))?;
        while let Some(batch) = reader.next()? {
            sorter.extend(batch.rows().map(|row| row.hash.0))?;
        }
        Ok(KnownRepeated { hashes: sorter.mapped()?, min_chars: settings.0.min_chars })
    }

    /// These hashes, in any order, of lines and paragraphs of `min_chars` characters or more.
    pub fn of_hashes(
        hashes: impl IntoIterator<Item = u128>,
        min_chars: u32,
        budget: &Budget,
    ) -> Result<Self> {
        let mut sorter = Sorter::<u128>::new(budget).with_combine(|a, b| a == b);
        sorter.extend(hashes)?;
        Ok(KnownRepeated { hashes: sorter.mapped()?, min_chars })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The number of a repeated line or paragraph by its hash; `None` if it is not repeated.
    fn number(&self, hash: u128) -> Option<usize> {
        self.hashes.binary_search(&hash).ok()
    }

    /// Whether a line or paragraph of this hash is repeated.
    pub fn contains(&self, hash: u128) -> bool {
        self.number(hash).is_some()
    }

    /// A text without its repeated lines and paragraphs.
    pub fn without<'t>(&self, text: &'t str) -> Pruned<'t> {
        without_repeated(text, self.min_chars, |hash| self.contains(hash))
    }

    /// A text without those repeated lines and paragraphs whose numbers `met` has; it has those of this text afterwards.
    pub fn without_later<'t>(&self, text: &'t str, met: &mut Bits) -> Pruned<'t> {
        without_repeated(text, self.min_chars, |hash| {
            self.number(hash).is_some_and(|number| !met.insert(number as u64))
        })
    }
}
