//! The files that are pages, in order.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// A file to be looked at.
#[derive(Debug)]
pub struct Found {
    /// Where it is; `-` for stdin.
    pub path: PathBuf,
    /// Whether the command line names it; else a folder holds it.
    pub named: bool,
    /// Why it cannot be looked at.
    pub fault: Option<String>,
    /// Number of the input that it comes from.
    input: usize,
}

impl Found {
    /// Its name, without its ending unless `whole`.
    pub fn id(&self, whole: bool) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        let stem = || {
            let name = Path::new(name);
            let inner = name.file_stem().filter(|_| name.extension().is_some_and(|end| end == "gz"));
            Path::new(inner.unwrap_or(name.as_os_str())).file_stem().unwrap_or(name.as_os_str()).to_owned()
        };
        let id = if whole { name.to_owned() } else { stem() };
        id.to_string_lossy().into_owned()
    }
}

/// The files of the inputs, one after the other.
pub struct Pages {
    inputs: Vec<PathBuf>,
    next: usize,
    walk: Option<walkdir::IntoIter>,
    /// Of every input: whether it is a folder, files seen, files that were no pages.
    counts: Vec<(bool, u64, u64)>,
}

impl Pages {
    /// The pages of these files and folders.
    pub fn new(inputs: Vec<PathBuf>) -> Self {
        let counts = vec![(false, 0, 0); inputs.len()];
        Pages { inputs, next: 0, walk: None, counts }
    }

    /// The next files: at most `max`, and no more once they are `max_bytes` long.
    pub fn window(&mut self, max: usize, max_bytes: u64) -> Vec<Found> {
        let mut window = Vec::new();
        let mut bytes = 0;
        while window.len() < max && bytes < max_bytes {
            let Some((found, length)) = self.advance() else { break };
            bytes += length;
            window.push(found);
        }
        window
    }

    fn advance(&mut self) -> Option<(Found, u64)> {
        loop {
            if let Some(walk) = &mut self.walk {
                let input = self.next - 1;
                match walk.next() {
                    None => self.walk = None,
                    Some(Ok(entry)) => {
                        // What a link leads to counts if it is a file; folders behind links may be rings.
                        let Ok(about) = std::fs::metadata(entry.path()) else { continue };
                        if about.is_file() {
                            self.counts[input].1 += 1;
                            let found = Found { path: entry.into_path(), named: false, fault: None, input };
                            return Some((found, about.len()));
                        }
                    }
                    Some(Err(error)) => {
                        let path = error.path().unwrap_or(&self.inputs[input]).to_path_buf();
                        let fault = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                        self.counts[input].1 += 1;
                        return Some((
                            Found { path, named: error.depth() == 0, fault: Some(fault), input },
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
                self.counts[input].0 = true;
                self.walk = Some(WalkDir::new(&path).sort_by_file_name().into_iter());
                continue;
            }
            let length = std::fs::metadata(&path).map_or(0, |about| about.len());
            return Some((Found { path, named: true, fault: None, input }, length));
        }
    }

    /// Notes that a file of a folder is no page.
    pub fn passed_over(&mut self, found: &Found) {
        self.counts[found.input].2 += 1;
    }

    /// The folders without a page, with the number of their files.
    pub fn barren(&self) -> impl Iterator<Item = (&Path, u64)> {
        let folders = self.inputs.iter().zip(&self.counts);
        folders
            .filter(|(_, count)| count.0 && count.1 == count.2)
            .map(|(path, count)| (path.as_path(), count.1))
    }
}
