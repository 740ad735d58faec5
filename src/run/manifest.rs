//! The manifest: what a committed folder holds and what it was made from. Byte-identical for equal key and inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use webmill_capture::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Ingredient, Inputs, JobKey, digest_file, hex128};

/// Bad records that are no reason by themselves to commit nothing.
pub(super) const FEW: u64 = 3;

/// What was read, kept and dropped, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Records read, damaged ones included.
    pub read: u64,
    /// Records that do not obey their format: what `--max-bad` is held against.
    pub damaged: u64,
    /// Bytes read, lost ones included; 0 where a job reads no files.
    #[serde(default)]
    pub bytes: u64,
    /// Bytes of them that gave no record: `--max-bad` is held against these too, since one place of damage may cost a
    /// thousand records or none.
    #[serde(default)]
    pub bytes_lost: u64,
    /// Files of the input that could not be read, or not to their end.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unreadable: BTreeSet<String>,
    /// Files that end inside a record, as those that were not downloaded whole: what they lack is held against `--max-bad` only
    /// where that is 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_off: u64,
    /// Bytes of those records that were there, and gave nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_off_bytes: u64,
    /// Records of which the results hold something.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub used: u64,
    /// Records of kinds that the job does not take, such as requests.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unused: u64,
    /// Records that obey their format and are left out all the same, by reason: `--max-bad` is held against these too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, u64>,
    /// Kept, by what they are.
    pub kept: BTreeMap<String, u64>,
    /// Dropped, by reason; damaged records and those that are left out stand here too.
    pub dropped: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds another unit's counts.
    pub fn merge(&mut self, other: &Counts) {
        self.read += other.read;
        self.damaged += other.damaged;
        self.bytes += other.bytes;
        self.bytes_lost += other.bytes_lost;
        self.cut_off += other.cut_off;
        self.cut_off_bytes += other.cut_off_bytes;
        self.used += other.used;
        self.unused += other.unused;
        self.unreadable.extend(other.unreadable.iter().cloned());
        let reasons = [
            (&mut self.left_out, &other.left_out),
            (&mut self.kept, &other.kept),
            (&mut self.dropped, &other.dropped),
        ];
        for (into, from) in reasons {
            for (name, n) in from {
                *into.entry(name.clone()).or_default() += n;
            }
        }
    }

    /// Records that are damaged or left out / records read, or bytes lost / bytes read, whichever is more; 0 where nothing
    /// was read.
    pub fn bad_share(&self) -> f64 {
        share(self.damaged + self.omitted(), self.read).max(share(self.bytes_lost, self.bytes))
    }

    /// Whether more is bad than the share `max_bad`; of a share of 0 a file that is cut off is too much as well.
    pub fn is_beyond(&self, max_bad: f64) -> bool {
        self.bad_share() > max_bad || max_bad == 0.0 && self.cut_off > 0
    }

    /// Whether so much is bad that nothing is committed: more than the share `max_bad`, and, unless that is 0, more than three records or half
    /// of the bytes. A small archive is so not refused for one record; it is still [`Counts::is_beyond`].
    ///
    /// # Examples
    /// ```
    /// use webmill_run::Counts;
    /// let one_of = |read, bytes_lost| Counts { read, damaged: 1, bytes: 1000, bytes_lost, ..Counts::default() };
    /// assert!(one_of(33, 300).is_beyond(0.01) && !one_of(33, 300).is_refused(0.01));
    /// assert!(one_of(33, 600).is_refused(0.01) && one_of(33, 0).is_refused(0.0));
    /// let several = Counts { read: 100, damaged: 4, ..Counts::default() };
    /// assert!(several.is_refused(0.01) && !several.is_beyond(0.04));
    /// ```
    pub fn is_refused(&self, max_bad: f64) -> bool {
        let is_little = self.damaged + self.omitted() <= FEW && 2 * self.bytes_lost <= self.bytes;
        self.is_beyond(max_bad) && (max_bad == 0.0 || !is_little)
    }

    /// Records that are left out, for all reasons.
    pub fn omitted(&self) -> u64 {
        self.left_out.values().sum()
    }

    /// Whether each record that was read is counted exactly once: as used, unused, left out or damaged.
    pub fn is_balanced(&self) -> bool {
        self.read == self.used + self.unused + self.omitted() + self.damaged
    }

    /// The damage in words: records and bytes, each with its share.
    ///
    /// # Examples
    /// ```
    /// use webmill_run::Counts;
    /// let counts = Counts { read: 200, damaged: 1, bytes: 4000, bytes_lost: 1000, ..Counts::default() };
    /// assert_eq!(counts.damage(), "1 of 200 records are damaged (0.50 %), 1000 of 4000 bytes lost (25.00 %)");
    /// assert_eq!(counts.bad_share(), 0.25);
    /// ```
    pub fn damage(&self) -> String {
        let percent = |part, whole| 100.0 * share(part, whole);
        let (damaged, read) = (self.damaged, self.read);
        let mut text = format!("{damaged} of {read} records are damaged ({:.2} %)", percent(damaged, read));
        if !self.left_out.is_empty() {
            let reasons: Vec<String> =
                self.left_out.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
            let omitted = self.omitted();
            text +=
                &format!(", {omitted} left out ({:.2} %: {})", percent(omitted, read), reasons.join(", "));
        }
        if self.bytes > 0 {
            let (lost, bytes) = (self.bytes_lost, self.bytes);
            text += &format!(", {lost} of {bytes} bytes lost ({:.2} %)", percent(lost, bytes));
        }
        if self.cut_off > 0 {
            text += &format!(", {} cut off at the end (incomplete downloads", files(self.cut_off as usize));
            if self.cut_off_bytes > 0 {
                text += &format!("; {} bytes of last records", self.cut_off_bytes);
            }
            text.push(')');
        }
        if !self.unreadable.is_empty() {
            text += &format!(", {} not read to the end", files(self.unreadable.len()));
        }
        text
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn files(n: usize) -> String {
    if n == 1 { "1 file".into() } else { format!("{n} files") }
}

fn share(part: u64, whole: u64) -> f64 {
    if part == 0 { 0.0 } else { (part as f64 / whole.max(1) as f64).min(1.0) }
}

/// A file of a committed folder.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OutputFile {
    /// Path in the folder, with `/`.
    pub path: String,
    /// Table it belongs to; empty for other files.
    pub table: String,
    /// Rows; 0 for other files.
    pub rows: u64,
    /// Size.
    pub bytes: u64,
    /// xxh3-128, hex.
    pub digest: String,
}

impl OutputFile {
    /// What is wrong with the file in the committed folder; `None` where it is the one that was written. It is read whole.
    pub fn defect(&self, folder: &Path) -> Option<String> {
        match digest_file(&folder.join(&self.path)) {
            Ok((_, bytes)) if bytes != self.bytes => {
                Some(format!("{bytes} bytes where the manifest says {}", self.bytes))
            }
            Ok((digest, _)) if hex128(digest) != self.digest => {
                Some("its bytes are not those that were written".to_owned())
            }
            Ok(_) => None,
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Some("missing".into()),
            Err(error) => Some(error.to_string()),
        }
    }
}

/// Columns and size of a table over all its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TableInfo {
    /// Rows of all parts.
    pub rows: u64,
    /// Columns as `name: type`.
    pub columns: Vec<String>,
}

/// `manifest.json` of a committed folder.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Manifest {
    /// Version of the manifest's own form.
    pub format: u32,
    /// Name of the job.
    pub job: String,
    /// VERSION of the job that wrote the results.
    pub job_version: u32,
    /// Key of the job.
    pub key: JobKey,
    /// Version of the program.
    pub webmill: String,
    /// Configuration, seed included.
    pub configuration: serde_json::Value,
    /// Shipped models and data tables that the job used.
    #[serde(default)]
    pub ingredients: Vec<Ingredient>,
    /// What was read.
    pub inputs: Inputs,
    /// Counts kept and dropped by reason.
    pub counts: Counts,
    /// Tables by name.
    pub tables: BTreeMap<String, TableInfo>,
    /// Every file, in path order.
    pub outputs: Vec<OutputFile>,
}

impl Manifest {
    /// The current form.
    pub const FORMAT: u32 = 2;
    /// The file's name.
    pub const FILE: &'static str = "manifest.json";
    /// Begins the last field: the xxh3 of the file without it.
    const SEAL: &'static str = ",\n  \"seal\": \"";

    /// The file's text.
    ///
    /// # Errors
    /// [`Error::Internal`] where the configuration is no JSON.
    pub(super) fn sealed(&self) -> Result<Vec<u8>> {
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::Internal(e.to_string()))?;
        let text = text.strip_suffix("\n}").unwrap_or(&text);
        Ok(format!("{text}{}{:016x}\"\n}}\n", Manifest::SEAL, xxh3_64(text.as_bytes())).into_bytes())
    }

    /// Whether the file's text is as it was written.
    pub fn is_whole(text: &[u8]) -> bool {
        let text = std::str::from_utf8(text).ok().and_then(|text| text.rsplit_once(Manifest::SEAL));
        text.is_some_and(|(text, seal)| seal == format!("{:016x}\"\n}}\n", xxh3_64(text.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_with_a_flipped_bit_is_not_whole() {
        let manifest = Manifest {
            format: Manifest::FORMAT,
            job: "rank".into(),
            job_version: 1,
            key: serde_json::from_value("00".into()).unwrap(),
            webmill: "0.1.0".into(),
            configuration: serde_json::json!({ "damping": 0.85 }),
            ingredients: Vec::new(),
            inputs: Inputs::default(),
            counts: Counts::default(),
            tables: BTreeMap::new(),
            outputs: Vec::new(),
        };
        let mut text = manifest.sealed().unwrap();
        assert_eq!(serde_json::from_slice::<Manifest>(&text).unwrap(), manifest);
        assert!(Manifest::is_whole(&text));
        for bit in 0..8 * text.len() {
            text[bit / 8] ^= 1 << (bit % 8);
            assert!(!Manifest::is_whole(&text), "bit {bit}");
            text[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
