//! The files that are pages, in order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::archive::{Archive, Stored, StoredPage};

/// A file to be looked at.
#[derive(Debug)]
pub struct FoundFile {
    /// Where it is; `-` for stdin.
    pub path: PathBuf,
    /// Whether the command line names it; else a folder holds it.
    pub named: bool,
    /// Why it cannot be looked at.
    pub fault: Option<String>,
    /// Its path in that folder; of a file that is named its name.
    pub within: PathBuf,
    /// Number of the input that it comes from.
    pub input: usize,
    /// The record that it is, of an archive.
    pub stored: Option<Box<StoredPage>>,
}

impl FoundFile {
    /// What headings and messages call it.
    pub fn name(&self) -> String {
        match &self.stored {
            Some(page) => page.name(),
            None => self.path.display().to_string(),
        }
    }
}

/// The files of the inputs, one after the other.
pub struct Pages {
    inputs: Vec<PathBuf>,
    next: usize,
    walk: Option<walkdir::IntoIter>,
    /// The archive that is read, and its path in the folder.
    archive: Option<(Archive, PathBuf)>,
    /// Of every input.
    counts: Vec<Counts>,
}

/// The files of an input.
#[derive(Clone, Default)]
struct Counts {
    folder: bool,
    archive: bool,
    seen: u64,
    /// Files, and records of archives, that are not read, by reason.
    passed_over: BTreeMap<String, u64>,
}

impl Pages {
    /// The pages of these files and folders.
    pub fn new(inputs: Vec<PathBuf>) -> Self {
        let counts = vec![Counts::default(); inputs.len()];
        Pages { inputs, next: 0, walk: None, archive: None, counts }
    }

    /// The next files: at most `max`, and no more once they are `max_bytes` long.
    pub fn window(&mut self, max: usize, max_bytes: u64) -> Vec<FoundFile> {
        let mut window = Vec::new();
        let mut bytes = 0;
        while window.len() < max && bytes < max_bytes {
            let Some((found, length)) = self.advance() else { break };
            bytes += length;
            window.push(found);
        }
        window
    }

    fn advance(&mut self) -> Option<(FoundFile, u64)> {
        loop {
            if let Some((archive, within)) = &mut self.archive {
                let input = self.next - 1;
                let Some(stored) = archive.advance() else {
                    self.archive = None;
                    continue;
                };
                // An incomplete download is said, as by other commands, but is no damage.
                if let Stored::Damage(error) = &stored
                    && error.is_cut_off()
                {
                    webmill_jobs::say!("webmill: {error}");
                    continue;
                }
                self.counts[input].seen += 1;
                let found = |path: &Path, fault, stored| {
                    let inside = path.strip_prefix(archive.file()).unwrap_or(Path::new(""));
                    let within = if inside == Path::new("") { within.clone() } else { within.join(inside) };
                    FoundFile { path: path.to_path_buf(), named: false, fault, within, input, stored }
                };
                match stored {
                    Stored::PassedOver(reason) => self.pass_over(input, &reason),
                    Stored::Damage(error) => {
                        return Some((found(archive.file(), Some(error.to_string()), None), 0));
                    }
                    Stored::Page(page) => {
                        let bytes = page.bytes();
                        return Some((found(&page.archive.clone(), None, Some(page)), bytes));
                    }
                }
                continue;
            }
            if let Some(walk) = &mut self.walk {
                let input = self.next - 1;
                match walk.next() {
                    None => self.walk = None,
                    Some(Ok(entry)) => {
                        // What a link leads to counts if it is a file; folders behind links may be rings.
                        let Ok(about) = std::fs::metadata(entry.path()) else {
                            self.counts[input].seen += 1;
                            self.pass_over(input, "a link that leads nowhere");
                            continue;
                        };
                        if !about.is_file() && !about.is_dir() {
                            self.counts[input].seen += 1;
                            self.pass_over(input, "no regular file");
                        } else if about.is_dir() && entry.path_is_symlink() {
                            self.counts[input].seen += 1;
                            self.pass_over(input, "a link to a folder");
                        }
                        if about.is_file() {
                            let path = entry.into_path();
                            let within =
                                path.strip_prefix(&self.inputs[input]).unwrap_or(&path).to_path_buf();
                            if let Some(archive) = Archive::open(&path) {
                                self.counts[input].archive = true;
                                self.archive = Some((archive, within));
                                continue;
                            }
                            self.counts[input].seen += 1;
                            let found =
                                FoundFile { path, named: false, fault: None, within, input, stored: None };
                            return Some((found, about.len()));
                        }
                    }
                    Some(Err(error)) => {
                        let path = error.path().unwrap_or(&self.inputs[input]).to_path_buf();
                        let fault = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                        self.counts[input].seen += 1;
                        return Some((
                            FoundFile {
                                within: path.clone(),
                                path,
                                named: error.depth() == 0,
                                fault: Some(fault),
                                input,
                                stored: None,
                            },
                            0,
                        ));
                    }
                }
                continue;
            }
            let path = self.inputs.get(self.next)?.clone();
            let input = self.next;
            self.next += 1;
            if path.as_os_str() != "-" && path.is_dir() {
                self.counts[input].folder = true;
                self.walk = Some(WalkDir::new(&path).sort_by_file_name().into_iter());
                continue;
            }
            let about = std::fs::metadata(&path);
            let length = about.as_ref().map_or(0, |about| about.len());
            let within = path.file_name().unwrap_or(path.as_os_str()).into();
            if let Some(archive) =
                about.ok().filter(|about| about.is_file()).and_then(|_| Archive::open(&path))
            {
                self.counts[input].archive = true;
                self.archive = Some((archive, within));
                continue;
            }
            return Some((FoundFile { path, named: true, fault: None, within, input, stored: None }, length));
        }
    }

    /// Notes that a file of a folder is not read, and why.
    pub fn passed_over(&mut self, found: &FoundFile, reason: &str) {
        self.pass_over(found.input, reason);
    }

    fn pass_over(&mut self, input: usize, reason: &str) {
        *self.counts[input].passed_over.entry(reason.to_owned()).or_default() += 1;
    }

    /// The folders and archives some of whose files or records are not read: what these are called, their numbers by reason, and
    /// whether that is all.
    pub fn reasons(&self) -> impl Iterator<Item = (&Path, &'static str, &BTreeMap<String, u64>, bool)> {
        let folders = self.inputs.iter().zip(&self.counts).filter(|(_, count)| count.folder || count.archive);
        let not_read = |count: &Counts| count.passed_over.values().sum::<u64>();
        folders.filter(move |(_, count)| count.seen == 0 || not_read(count) > 0).map(move |(path, count)| {
            let what = match (count.folder, count.archive) {
                (true, true) => "files and records",
                (true, false) => "files",
                (false, _) => "records",
            };
            (path.as_path(), what, &count.passed_over, count.seen == not_read(count))
        })
    }
}
