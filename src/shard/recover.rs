//! Copying records out of RAW DB files, damaged or not, byte for byte.

use std::path::Path;

use webmill_capture::error::{Error, Result};

use super::raw_head::CR_LF_ADVICE;
use super::{Container, Format, RawDbWriter, ShardReader};

/// What was copied and what could not be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoveryCounts {
    /// Records copied.
    pub records: u64,
    /// Those of them whose place nothing proved.
    pub unproven: u64,
    /// Places where damage was met.
    pub damaged: u64,
    /// Bytes of the records copied, as stored.
    pub bytes: u64,
    /// Bytes that were lost.
    pub lost: u64,
    /// Whether the file ends inside a record, and the bytes of that: no damage.
    pub cut_off: Option<u64>,
}

/// Copies every complete record that `reader` gives to `writer`, with raw head and stored data; tells `on_damage` of
/// every place that was lost. `path` is the file behind the reader, if there is one: records over the size limit are
/// copied straight from it.
///
/// # Errors
/// [`Error::Incompatible`] when the reader's is no RAW DB file; [`Error::Io`] from reading or writing.
pub fn recover(
    reader: &mut ShardReader,
    path: Option<&Path>,
    writer: &mut RawDbWriter,
    on_damage: &mut dyn FnMut(Error),
) -> Result<RecoveryCounts> {
    if reader.format() != Format::RawDb {
        return Err(Error::Incompatible {
            path: path.unwrap_or(Path::new("-")).to_path_buf(),
            found: format!("a {} file", reader.format().name()),
            expected: "a RAW DB file".into(),
        });
    }
    let plain = path.filter(|_| reader.container() == Container::Plain && !reader.undoes_text_mode());
    let mut copied = RecoveryCounts::default();
    while let Some(next) = reader.next() {
        let record = match next {
            Ok(record) => record,
            Err(error @ Error::Io { .. }) => return Err(error),
            Err(error) if error.is_cut_off() => {
                copied.cut_off = Some(error.lost());
                on_damage(tried(error));
                continue;
            }
            Err(error) => {
                copied.damaged += 1;
                copied.lost += error.lost();
                on_damage(tried(error));
                continue;
            }
        };
        match plain {
            _ if record.stored.is_some() => writer.copy(&record)?,
            Some(path) => writer.copy_range(path, record.place.offset, record.place.length)?,
            None => {
                copied.damaged += 1;
                let reason = "the record is over the size limit, and only a plain file lets it be copied: \
                              raise the limit or unpack the file first";
                let error = Error::corrupt(&*record.place.shard, record.place.offset, reason);
                copied.lost += record.place.length;
                on_damage(error.losing(record.place.length));
                continue;
            }
        }
        copied.records += 1;
        copied.bytes += record.place.length;
        copied.unproven += u64::from(record.proven == Some(false));
    }
    Ok(copied)
}

/// Damage as this says it: no advice to recover.
fn tried(mut error: Error) -> Error {
    if let Error::Corrupt { reason, .. } = &mut error {
        *reason = reason.replace(CR_LF_ADVICE[0], CR_LF_ADVICE[1]);
    }
    error
}
