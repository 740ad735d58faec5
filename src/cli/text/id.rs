//! What pages are called.
//!
//! A path names one file, so an id that is a path cannot be two pages'. It is written with `/` between its parts, without
//! `.` parts, and such that no two paths are written alike: octets that are no UTF-8, and U+FFFD itself, become U+FFFD
//! and two digits an octet. An item of a feed, and a record of an archive, is `FILE/N`, which is no file's path, as a file is no folder.

use std::path::{Component, Path};

use webmill_jobs::page_text::stem;

use super::pages::FoundFile;

/// What `id` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Id {
    /// The path within the folder; with several inputs the path as given. No two pages share one.
    Path,
    /// The name of the file, without its ending. Pages of several folders may share one.
    Stem,
    /// The name of the file. Pages of several folders may share one.
    Name,
}

impl Id {
    /// The id of a file; `several`: whether there is more than one input.
    pub fn of(self, found: &FoundFile, several: bool) -> String {
        let id = self.of_file(found, several);
        match &found.stored {
            Some(page) => format!("{id}/{}", page.number),
            None => id,
        }
    }

    fn of_file(self, found: &FoundFile, several: bool) -> String {
        match self {
            Id::Path if several => joined(&found.path),
            Id::Path => joined(&found.within),
            Id::Name => {
                found.path.file_name().map_or_else(|| joined(&found.path), |name| joined(Path::new(name)))
            }
            Id::Stem => joined(Path::new(stem(&found.path))),
        }
    }
}

/// A path with `/` between its parts.
pub fn joined(path: &Path) -> String {
    let mut out = String::new();
    for part in path.components().filter(|part| *part != Component::CurDir) {
        if !out.is_empty() && !out.ends_with('/') {
            out.push('/');
        }
        match part {
            Component::RootDir => out.push('/'),
            part => exactly(part.as_os_str().as_encoded_bytes(), &mut out),
        }
    }
    out
}

fn exactly(bytes: &[u8], out: &mut String) {
    let escape = |bytes: &[u8], out: &mut String| {
        bytes.iter().for_each(|byte| out.push_str(&format!("\u{fffd}{byte:02X}")));
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\u{fffd}' => escape("\u{fffd}".as_bytes(), out),
                c => out.push(c),
            }
        }
        escape(chunk.invalid(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn ids_of_files() {
        let found = |path: &str, within: &str| FoundFile {
            path: PathBuf::from(path),
            named: false,
            fault: None,
            within: PathBuf::from(within),
            input: 0,
            stored: None,
        };
        let file = found("./site/a/x.page.html.gz", "a/x.page.html.gz");
        for (id, several, want) in [
            (Id::Path, false, "a/x.page.html.gz"),
            (Id::Path, true, "site/a/x.page.html.gz"),
            (Id::Name, false, "x.page.html.gz"),
            (Id::Stem, false, "x.page"),
        ] {
            assert_eq!(id.of(&file, several), want);
        }
        assert_eq!(Id::Path.of(&found("-", "-"), false), "-");
        assert_eq!(Id::Stem.of(&found("-", "-"), false), "-");
        assert_eq!(joined(Path::new("/a/../b")), "/a/../b");
    }

    #[cfg(unix)]
    #[test]
    fn no_two_names_are_written_alike() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let names: [&[u8]; 4] = [b"a\xff", "a\u{fffd}FF".as_bytes(), "a\u{fffd}".as_bytes(), b"a\xef\xbf"];
        let mut written: Vec<String> =
            names.iter().map(|name| joined(Path::new(OsStr::from_bytes(name)))).collect();
        written.sort();
        written.dedup();
        assert_eq!(written.len(), names.len(), "{written:?}");
    }
}
