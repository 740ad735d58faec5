//! Running the binary in a folder of its own, and looking at what it left.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;
use webmill::shard::{Compression, NewRecord, RawDbWriter, WriteOptions};
use webmill::sim::{Config, Web};
use webmill::table::{Table, TableInWords, read_rows};
pub use webmill_evaluation::browser;

/// A folder that goes away with the test, and the binary that works in it.
pub struct Work {
    folder: TempDir,
}

impl Work {
    pub fn new() -> Self {
        Work { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with `demo`: what `webmill demo --out demo` makes, a copy of the one that all tests share.
    pub fn with_demo() -> Self {
        static MADE: OnceLock<PathBuf> = OnceLock::new();
        let made = MADE.get_or_init(|| {
            // In the target folder, so that the next run clears away what this one leaves.
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demonstration");
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).unwrap();
            let work = Work::new();
            work.run(&["demo", "--out", "demo"]);
            copy(&work.path("demo"), &folder);
            folder.join("demo")
        });
        let work = Work::new();
        copy(made, work.folder.path());
        work
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// The binary with these arguments, in this folder.
    pub fn webmill(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_webmill"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("WEBMILL_CRASH_AT")
            .env("LC_ALL", "C.UTF-8");
        command
    }

    /// Runs it and expects success.
    pub fn run(&self, arguments: &[&str]) -> Output {
        let output = self.webmill(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "webmill {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    /// Runs it and expects this exit code; returns what it wrote to stderr.
    pub fn fails(&self, arguments: &[&str], code: i32) -> String {
        let output = self.webmill(arguments).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "webmill {arguments:?}: {message}");
        assert!(!message.contains("panicked"), "{message}");
        message
    }

    /// Writes a synthetic corpus as shards `folder/synth-NNNNN.rawdb` of at most `shard_bytes`.
    pub fn synth(&self, folder: &str, pages: u64, shard_bytes: u64) {
        let web = Web::new(Config { pages, pages_per_host: 20, words: 80, ..Config::default() }).unwrap();
        self.write_web(folder, &web, shard_bytes);
    }

    /// Writes the pages of a Web in the same way.
    pub fn write_web(&self, folder: &str, web: &Web, shard_bytes: u64) {
        let options = WriteOptions { max_shard_bytes: shard_bytes, compression: Compression::None };
        let mut writer = RawDbWriter::new(&self.path(folder), "synth", options).unwrap();
        for i in 0..web.len() {
            let page = web.page(i);
            writer
                .write(&NewRecord {
                    url: &page.url,
                    date_ms: page.date_ms,
                    ip: Some(&page.ip),
                    data: &page.response,
                    ..NewRecord::default()
                })
                .unwrap();
        }
        writer.finish().unwrap();
    }

    /// Writes pages, given by URL and HTML, as one shard in `folder`, a second apart.
    pub fn write_pages(&self, folder: &str, pages: &[(String, String)]) {
        let page = |(url, html): &(String, String)| {
            (url.clone(), format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}"))
        };
        self.write_answers(folder, pages.iter().map(page));
    }

    /// Writes answers, given by URL and response, as one shard in `folder`, a second apart.
    pub fn write_answers<U: AsRef<str>, R: AsRef<[u8]>>(
        &self,
        folder: &str,
        answers: impl IntoIterator<Item = (U, R)>,
    ) {
        let dated = (0..).zip(answers);
        let dated = dated.map(|(number, (url, data))| (url, data, 1_700_000_000_000 + 1000 * number));
        self.write_captures(folder, "pages", dated);
    }

    /// Writes captures, given by URL, response and date in ms, as one shard `folder/name-00000.rawdb`.
    pub fn write_captures<U: AsRef<str>, R: AsRef<[u8]>>(
        &self,
        folder: &str,
        name: &str,
        captures: impl IntoIterator<Item = (U, R, i64)>,
    ) {
        let options = WriteOptions { max_shard_bytes: u64::MAX, compression: Compression::None };
        let mut writer = RawDbWriter::new(&self.path(folder), name, options).unwrap();
        for (url, data, date_ms) in captures {
            let (url, data) = (url.as_ref(), data.as_ref());
            writer.write(&NewRecord { url, date_ms, data, ..NewRecord::default() }).unwrap();
        }
        writer.finish().unwrap();
    }

    /// The rows of a table that a job committed last.
    pub fn table<T: Table>(&self, out: &str, job: &str) -> Vec<T> {
        read_rows(&self.path(out).join(job).join("latest").join(T::NAME)).unwrap()
    }

    /// A table that a job committed last, cells as text.
    pub fn words(&self, out: &str, job: &str, table: &str) -> TableInWords {
        TableInWords::read(&self.path(out).join(job).join("latest").join(table)).unwrap()
    }

    /// The manifest in a folder.
    pub fn manifest(&self, folder: &str) -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(self.path(folder).join("manifest.json")).unwrap()).unwrap()
    }

    /// What a job counted that committed last.
    pub fn counts(&self, out: &str, job: &str) -> serde_json::Value {
        self.manifest(&format!("{out}/{job}/latest"))["counts"].take()
    }

    /// What the binary writes to stderr with these arguments.
    pub fn said(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.run(arguments).stderr).unwrap()
    }

    /// What the binary writes to stdout with these arguments.
    pub fn output(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.run(arguments).stdout).unwrap()
    }

    /// The same where it is one JSON object.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        serde_json::from_slice(&self.run(arguments).stdout).unwrap()
    }

    /// Every committed file of `out` by its path, without what may differ between runs.
    pub fn committed(&self, out: &str) -> BTreeMap<String, Vec<u8>> {
        let root = self.path(out);
        let mut files = BTreeMap::new();
        for path in files_below(&root) {
            let relative = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            let hidden = relative.split('/').any(|name| name.starts_with('.') && name != ".keys");
            let timed = relative.rsplit('/').next() == Some("run.json");
            if !hidden && !timed && !path.is_symlink() {
                files.insert(relative, std::fs::read(&path).unwrap());
            }
        }
        files
    }

    /// Names below `out` that a crash or an error must not leave: staging folders and files.
    pub fn unfinished(&self, out: &str) -> Vec<String> {
        walk(&self.path(out))
            .into_iter()
            .filter(|name| name.contains(".partial") || name.ends_with(".aside"))
            .collect()
    }
}

/// A file of the repository.
pub fn repository(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// A program that `make tools` puts into `target/ENVIRONMENT`; `None` where it is not there, which is said.
pub fn tool(environment: &str, name: &str) -> Option<PathBuf> {
    let path = repository("target").join(environment).join("bin").join(name);
    if !path.exists() {
        webmill_evaluation::skip(&format!("no {name} in target/{environment}: run `make tools`"));
        return None;
    }
    Some(path)
}

/// What a script of `tests/readers` prints, run by the Python of the tables' readers; `None` where there is none.
pub fn reader(script: &str, arguments: &[&Path]) -> Option<String> {
    let output = Command::new(tool("readers", "python")?)
        .arg(repository("tests/readers").join(script))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Bytes as one gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The browser without a screen, with its profile in a folder and no network but this machine.
pub fn chromium(program: &Path, folder: &Path) -> Command {
    webmill_evaluation::chromium(program, folder, "")
}

/// Makes a folder a copy of another.
pub fn mirror(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    let done = Command::new("cp").arg("-aT").arg(from).arg(to).status().unwrap();
    assert!(done.success(), "{}", from.display());
}

/// Copies a file or folder into a folder, links as links.
pub fn copy(from: &Path, into: &Path) {
    let done = Command::new("cp").arg("-a").arg(from).arg(into).status().unwrap();
    assert!(done.success(), "{}", from.display());
}

/// All files below a folder by their paths; a link is a file.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let below = |path: PathBuf| {
        if path.is_dir() && !path.is_symlink() { files_below(&path) } else { vec![path] }
    };
    entries.into_iter().flat_map(below).collect()
}

fn walk(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            names.push(path.to_string_lossy().into_owned());
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    names
}

/// The JSON objects of a text with one per line.
pub fn objects(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Some sentences of made-up words: others for every number.
pub fn story(number: u64) -> String {
    let syllables = [
        "ba", "ri", "mo", "ten", "lu", "sha", "ke", "dor", "vi", "na", "pel", "gu", "sti", "wa", "fo", "zen",
    ];
    let mut state = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = |below: u64| {
        state ^= state >> 29;
        state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (state >> 32);
        (state >> 33) % below
    };
    let mut text = String::new();
    for _ in 0..6 {
        for _ in 0..8 + next(8) {
            (0..2 + next(2)).for_each(|_| text.push_str(syllables[next(16) as usize]));
            text.push(' ');
        }
        text.truncate(text.trim_end().len());
        text.push_str(". ");
    }
    text.trim_end().to_owned()
}

/// Asserts that two sets of files are the same, naming the first that differ.
pub fn assert_same(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>, what: &str) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(a), names(b), "{what}: other files");
    let differing: Vec<&String> =
        a.iter().filter(|(name, bytes)| b[*name] != **bytes).map(|(name, _)| name).collect();
    assert!(differing.is_empty(), "{what}: other bytes in {differing:?}");
}
