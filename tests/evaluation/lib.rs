//! Evaluation data made by others, and programs of others, for tests: where they lie, and what happens where they are missing.
//!
//! The folder is `WEBMILL_DATA`, by default `../shared/data` beside the repository. A test that cannot run must not pass
//! unseen: under `CI=true` missing data fails it; elsewhere [`skip`] says so on the standard error, past the capture of
//! the test harness, and adds a line to the file that `WEBMILL_SKIPPED` names, which `make test` counts at its end.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The folder of the evaluation data, whether or not it is there.
pub fn folder() -> PathBuf {
    std::env::var_os("WEBMILL_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from)
}

/// The file or folder `name` of the evaluation data; `None` where it is missing and the test is to be left.
///
/// # Panics
/// Under `CI=true`, where it is missing.
pub fn data(name: &str) -> Option<PathBuf> {
    let path = folder().join(name);
    if path.exists() {
        return Some(path);
    }
    let why = format!("no evaluation data at {} (WEBMILL_DATA names their folder)", path.display());
    assert!(!in_ci(), "{why}");
    skip(&why);
    None
}

/// The archive `NAME.tar.zst` of the evaluation data, unpacked into a temporary folder; `None` like [`data`].
///
/// # Panics
/// Where it cannot be unpacked; under `CI=true` where it is missing.
pub fn archive(name: &str) -> Option<TempDir> {
    let path = data(&format!("{name}.tar.zst"))?;
    let file = std::fs::File::open(&path).expect("evaluation data are readable");
    let mut decoder = zstd::stream::read::Decoder::new(file).expect("a zstd stream");
    decoder.window_log_max(31).expect("a window of 2 GiB");
    let folder = tempfile::tempdir().expect("a temporary folder");
    tar::Archive::new(decoder).unpack(folder.path()).expect("a tar archive");
    Some(folder)
}

/// The browser at hand: what `WEBMILL_CHROMIUM` names, else the first Chromium in `PATH`; `None` where there is none, which is said.
///
/// # Panics
/// Under `CI=true`, where there is none.
pub fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("WEBMILL_CHROMIUM").map(PathBuf::from);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = named.or_else(|| {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        std::env::split_paths(&folders)
            .flat_map(|folder| names.map(|name| folder.join(name)))
            .find(|path| path.is_file())
    });
    if found.is_none() {
        let why = "no Chromium (`make tools` installs it, WEBMILL_CHROMIUM names it)";
        assert!(!in_ci(), "{why}");
        skip(why);
    }
    found
}

/// The browser without a screen, with its profile in a folder; it resolves no names but those that `hosts` maps (`MAP a b, `), and
/// reaches nothing but them and this machine.
pub fn chromium(program: &Path, folder: &Path, hosts: &str) -> Command {
    let mut command = Command::new(program);
    command
        // Tests may run as root, in containers.
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-default-apps"])
        .args(["--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars"])
        .arg(format!("--host-resolver-rules={hosts}MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Says and counts that a test, or a part of it, does not run here.
pub fn skip(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("SKIPPED {test}: {why}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    let Some(list) = std::env::var_os("WEBMILL_SKIPPED") else { return };
    let _ = OpenOptions::new()
        .append(true)
        .create(true)
        .open(list)
        .and_then(|mut f| f.write_all(line.as_bytes()));
}

/// Whether this is a run that must not leave out anything.
pub fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|ci| ci == "true" || ci == "1")
}
