//! The addresses of pages, by a list (`--urls FILE`).
//!
//! **Definition.** A line of the list names a file and its address: `FILE<TAB>URL`; or columns of CSV or TSV whose first row
//! has names; or objects of JSON, one a line. The column or field of the file is called `file`, `path`, `name` or `id`
//! (the first of them that is there), that of the address `url` (else `address` or `link`). Which form it is, the first line says.
//!
//! A page is looked up by its path as given, its path in the folder, its id, its file's name and that name without its ending,
//! in this order; so lists made by others, which know ids or names only, fit too. A name that several files have would
//! give all of them one address: where that happened is said.
//!
//! **Cost.** The list is held in memory, some 200 bytes a line.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use webmill_capture::CanonicalUrl;
use webmill_jobs::page_text::stem;

use super::id::joined;
use super::pages::FoundFile;

/// Names of the column that says the file, the first that is there.
const FILES: [&str; 4] = ["file", "path", "name", "id"];
/// Names of the column that says the address.
const URLS: [&str; 3] = ["url", "address", "link"];

/// Addresses by file.
#[derive(Default)]
pub struct Urls {
    of: HashMap<String, (CanonicalUrl, AtomicU64)>,
    /// Lines without an address of the Web, or without a file.
    pub faulty: u64,
    /// Lines on a file that an earlier line has given another address.
    pub contrary: u64,
    missing: AtomicU64,
}

impl Urls {
    /// Reads a list.
    ///
    /// # Errors
    /// Where it cannot be read, or its first line says none of the forms.
    pub fn read(path: &Path) -> Result<Urls> {
        let failed = || format!("--urls {}", path.display());
        let mut lines = BufReader::new(File::open(path).with_context(failed)?);
        let mut first = String::new();
        let start = lines.fill_buf().with_context(failed)?;
        let head = String::from_utf8_lossy(&start[..start.len().min(64 << 10)]);
        first.push_str(head.trim_start_matches('\u{feff}').lines().next().unwrap_or_default());
        drop(head);
        let mut urls = Urls::default();
        if first.trim_start().starts_with('{') {
            urls.objects(lines).with_context(failed)?;
        } else if first.contains('\t') {
            urls.columns(lines, b'\t', &first).with_context(failed)?;
        } else if first.contains(',') {
            urls.columns(lines, b',', &first).with_context(failed)?;
        } else {
            bail!(
                "--urls {}: its first line is none of FILE<TAB>URL, names of columns (file,url), an object of JSON",
                path.display()
            );
        }
        Ok(urls)
    }

    fn objects(&mut self, lines: impl BufRead) -> Result<()> {
        for line in lines.lines() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let object: serde_json::Value =
                serde_json::from_str(line.trim_start_matches('\u{feff}')).unwrap_or_default();
            let said = |names: &[&str]| {
                names.iter().find_map(|name| match object.get(*name)? {
                    serde_json::Value::String(text) => Some(text.clone()),
                    serde_json::Value::Number(number) => Some(number.to_string()),
                    _ => None,
                })
            };
            self.add(said(&FILES).as_deref(), said(&URLS).as_deref());
        }
        Ok(())
    }

    fn columns(&mut self, lines: impl BufRead, delimiter: u8, first: &str) -> Result<()> {
        let quoting = delimiter == b',';
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(quoting)
            .has_headers(false)
            .flexible(true)
            .from_reader(lines);
        let names: Vec<String> = first
            .split(char::from(delimiter))
            .map(|name| name.trim().trim_matches('"').to_ascii_lowercase())
            .collect();
        let place =
            |wanted: &[&str]| wanted.iter().find_map(|name| names.iter().position(|other| other == name));
        let named = place(&FILES).zip(place(&URLS));
        if named.is_none() && quoting {
            bail!(
                "its columns are called {first}; one of {} and one of {} are needed",
                FILES.join(", "),
                URLS.join(", ")
            );
        }
        let (file, url) = named.unwrap_or((0, 1));
        for (row, record) in reader.byte_records().enumerate() {
            let record = record?;
            if row == 0 && named.is_some() {
                continue;
            }
            let text = |column: usize| record.get(column).map(String::from_utf8_lossy);
            let (file, url) = (text(file), text(url));
            if !(record.len() == 1 && file.as_deref().is_some_and(|file| file.trim().is_empty())) {
                self.add(file.as_deref().map(|file| file.trim_start_matches('\u{feff}')), url.as_deref());
            }
        }
        Ok(())
    }

    fn add(&mut self, file: Option<&str>, url: Option<&str>) {
        let file = file.map(str::trim).filter(|file| !file.is_empty());
        let url = url.and_then(|url| CanonicalUrl::parse(url.trim())).filter(CanonicalUrl::is_web);
        let Some((file, url)) = file.zip(url) else {
            self.faulty += 1;
            return;
        };
        let file = file.strip_prefix("./").unwrap_or(file).to_owned();
        let (known, _) = self.of.entry(file).or_insert_with(|| (url.clone(), AtomicU64::new(0)));
        self.contrary += u64::from(*known != url);
    }

    /// The address of a file.
    pub fn url(&self, found: &FoundFile, id: &str) -> Option<&CanonicalUrl> {
        let (path, within) = (joined(&found.path), joined(&found.within));
        let name = found.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let keys = [path.as_str(), within.as_str(), id, name, stem(&found.path)];
        let entry = keys.iter().find_map(|key| self.of.get(*key));
        match entry {
            Some((_, asked)) => asked.fetch_add(1, Ordering::Relaxed),
            None => self.missing.fetch_add(1, Ordering::Relaxed),
        };
        entry.map(|(url, _)| url)
    }

    /// What was wrong with the list, a sentence each.
    pub fn complaints(&self) -> Vec<String> {
        let asked = |is: fn(u64) -> bool| {
            self.of.values().filter(|(_, asked)| is(asked.load(Ordering::Relaxed))).count() as u64
        };
        let (idle, shared) = (asked(|n| n == 0), asked(|n| n > 1));
        [
            (self.faulty, "without a file or an address of the Web"),
            (self.contrary, "that give a file another address than a line before"),
            (idle, "that fit no file"),
            (shared, "whose name several files have: they got one address"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} lines {what}"))
        .chain(
            Some(self.missing.load(Ordering::Relaxed))
                .filter(|n| *n > 0)
                .map(|n| format!("{n} files without a line")),
        )
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn read(name: &str, list: &str) -> Result<Urls> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, list).unwrap();
        Urls::read(&path)
    }

    #[test]
    fn every_form_of_a_list() {
        let found = FoundFile {
            path: PathBuf::from("site/b/a.html"),
            named: false,
            fault: None,
            within: PathBuf::from("b/a.html"),
            input: 0,
            stored: None,
        };
        for list in [
            "site/b/a.html\thttp://e.org/1\n",
            "./site/b/a.html\thttp://e.org/1",
            "\u{feff}b/a.html\thttp://e.org/1\r\n",
            "file\turl\nb/a.html\thttp://e.org/1\n",
            "a.html\thttp://e.org/1\nx\n\n",
            "url,title,file\nhttp://e.org/1,\"T, u\",a.html\n",
            "{\"id\":\"a\",\"url\":\"http://e.org/1\"}\n\n{\"id\":7}\n",
            "{\"path\":\"b/a.html\",\"link\":\"http://e.org/1\"}\n",
        ] {
            let urls = read("list", list).unwrap();
            assert_eq!(
                urls.url(&found, "b/a.html").map(CanonicalUrl::as_str),
                Some("http://e.org/1"),
                "{list}"
            );
        }
        for list in ["http://e.org/1\n", "a,b\nc,d\n", ""] {
            assert!(read("list", list).is_err(), "{list}");
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let list = "a\thttp://e.org/1\na\thttp://e.org/2\nb\tnowhere\nc\thttp://e.org/3\n";
        let urls = read("list", list).unwrap();
        let found = |path: &str| FoundFile {
            path: PathBuf::from(path),
            named: false,
            fault: None,
            within: PathBuf::from(path),
            input: 0,
            stored: None,
        };
        for path in ["x/a.html", "y/a.html", "z/d.html"] {
            urls.url(&found(path), path);
        }
        let said = urls.complaints().join("; ");
        for words in [
            "1 lines without",
            "1 lines that give",
            "1 lines that fit no",
            "1 lines whose",
            "1 files without",
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
}
