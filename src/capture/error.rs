//! The one error type of the library.
//!
//! Every error about data says which file, which byte offset and why, because a job that reads a terabyte of foreign
//! bytes is only debuggable when its messages are addresses. The variants separate whose fault it is: the file
//! system's ([`Error::Io`]), the data's ([`Error::Corrupt`]), the user's ([`Error::Config`]), another version's
//! ([`Error::Incompatible`]), a budget's ([`Error::Limit`]), ours ([`Error::Internal`]).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong, by whose fault it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused: not found, permission, disk full.
    #[error(fmt = io_message)]
    Io {
        /// File or folder that was being used.
        path: PathBuf,
        /// The system's own error.
        source: io::Error,
    },
    /// Bytes that do not obey their format.
    #[error("{} at byte {offset}: {reason}", path.display())]
    Corrupt {
        /// File that holds the bytes.
        path: PathBuf,
        /// Byte offset in the file as stored, of the record or of the fault itself.
        offset: u64,
        /// What rule the bytes break, in words.
        reason: String,
        /// Stored bytes that no record gives because of it: from the damage to where reading goes on. 0 where that is
        /// not known.
        lost: u64,
        /// The bytes that are there obey their format, and the file ends inside a record: the rest was never written, or not
        /// downloaded.
        cut_off: bool,
    },
    /// A setting, argument or combination of them that cannot work.
    #[error("{0}")]
    Config(String),
    /// Results or files of another version or another configuration.
    #[error("{}: found {found}, expected {expected}", path.display())]
    Incompatible {
        /// File or folder that is of another kind.
        path: PathBuf,
        /// What it says it is.
        found: String,
        /// What this program needs.
        expected: String,
    },
    /// A budget (memory, size, count of bad records) that the work would exceed.
    #[error("{0}")]
    Limit(String),
    /// The work was done but its results are not good enough to commit: too many damaged records.
    #[error("{0}")]
    Refused(String),
    /// The user asked to stop; finished work is kept, and the rest can be resumed.
    #[error("interrupted: run the same command again to resume")]
    Interrupted,
    /// A broken invariant: a bug in webmill.
    #[error("internal error (please report): {0}")]
    Internal(String),
}

/// A full disk is the one refusal that the user can end and then go on from: it says how. An error that is not the
/// system's own carries the advice of whoever made it.
fn io_message(path: &Path, source: &io::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let path = path.display();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded if source.get_ref().is_none() => write!(
            f,
            "{path}: the disk is full ({source}); free space and run the same command again to resume"
        ),
        _ => write!(f, "{path}: {source}"),
    }
}

/// Result with the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An I/O error about `path`.
    pub fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        Error::Io { path: path.as_ref().to_path_buf(), source }
    }

    /// A data error in `path` at byte `offset`.
    pub fn corrupt(path: impl AsRef<Path>, offset: u64, reason: impl Into<String>) -> Self {
        Error::Corrupt {
            path: path.as_ref().to_path_buf(),
            offset,
            reason: reason.into(),
            lost: 0,
            cut_off: false,
        }
    }

    /// Stored bytes that no record gives because of it; 0 for errors that are not about data.
    pub fn lost(&self) -> u64 {
        match self {
            Error::Corrupt { lost, .. } => *lost,
            _ => 0,
        }
    }

    /// Whether nothing but the rest of a file is missing.
    pub fn is_cut_off(&self) -> bool {
        matches!(self, Error::Corrupt { cut_off: true, .. })
    }

    /// The same data error, as that of a file whose rest is missing or (`false`) as damage; other errors stay as they are.
    pub fn cutting_off(mut self, is_cut: bool) -> Self {
        if let Error::Corrupt { cut_off, .. } = &mut self {
            *cut_off = is_cut;
        }
        self
    }

    /// The same data error with the stored bytes that it cost; other errors stay as they are.
    pub fn losing(mut self, bytes: u64) -> Self {
        if let Error::Corrupt { lost, .. } = &mut self {
            *lost = bytes;
        }
        self
    }
}

/// Adds the path to an I/O result: `File::open(p).at(p)?`.
pub trait AtPath<T> {
    /// Turns an `io::Error` into [`Error::Io`] about `path`.
    ///
    /// # Errors
    /// The same failure, with its path.
    fn at(self, path: impl AsRef<Path>) -> Result<T>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, path: impl AsRef<Path>) -> Result<T> {
        self.map_err(|source| Error::io(path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_says_what_to_do() {
        let message = |kind: io::ErrorKind| Error::io("out/pages.parquet", io::Error::from(kind)).to_string();
        assert_eq!(
            message(io::ErrorKind::StorageFull),
            "out/pages.parquet: the disk is full (no storage space); free space and run the same command again to resume"
        );
        assert!(
            message(io::ErrorKind::QuotaExceeded).contains("the disk is full (quota exceeded); free space")
        );
        assert_eq!(message(io::ErrorKind::PermissionDenied), "out/pages.parquet: permission denied");
        let advised = Error::io("f", io::Error::new(io::ErrorKind::StorageFull, "write elsewhere"));
        assert_eq!(advised.to_string(), "f: write elsewhere");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn codes_of_the_system_are_known() {
        for code in [28, 122] {
            let text = Error::io("f", io::Error::from_raw_os_error(code)).to_string();
            assert!(
                text.contains("the disk is full") && text.contains(&format!("os error {code}")),
                "{text}"
            );
        }
    }
}
