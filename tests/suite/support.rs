//! Running the binary in a folder of its own, and looking at what it left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use webmill::shard::{Compression, NewRecord, RawDbWriter, WriteOptions};
use webmill::sim::{Config, Web};

/// A folder that goes away with the test, and the binary that works in it.
pub struct Work {
    folder: TempDir,
}

impl Work {
    pub fn new() -> Self {
        Work { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// The binary with these arguments, in this folder.
    pub fn webmill(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_webmill"));
        command.args(arguments).current_dir(self.folder.path()).env_remove("WEBMILL_CRASH_AT");
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
        let options = WriteOptions { max_shard_bytes: shard_bytes, compression: Compression::None };
        let mut writer = RawDbWriter::new(&self.path(folder), "synth", options).unwrap();
        for i in 0..web.len() {
            let page = web.page(i);
            writer
                .write(&NewRecord {
                    url: &page.url,
                    origin: None,
                    date_ms: page.date_ms,
                    ip: Some(&page.ip),
                    extra: &[],
                    data: &page.response,
                })
                .unwrap();
        }
        writer.finish().unwrap();
    }

    /// Every committed file of `out` by its path, without what may differ between runs.
    pub fn committed(&self, out: &str) -> BTreeMap<String, Vec<u8>> {
        let root = self.path(out);
        let mut files = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if name.starts_with('.') || name == "run.json" || path.is_symlink() {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let relative = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
                    files.insert(relative, std::fs::read(&path).unwrap());
                }
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

/// Asserts that two sets of files are the same, naming the first that differ.
pub fn assert_same(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>, what: &str) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(a), names(b), "{what}: other files");
    let differing: Vec<&String> =
        a.iter().filter(|(name, bytes)| b[*name] != **bytes).map(|(name, _)| name).collect();
    assert!(differing.is_empty(), "{what}: other bytes in {differing:?}");
}
