//! Damaged files: an error, or all that was written; never a panic, never fewer pages in silence.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::options::Limits;
use super::store::Sizes;
use super::{After, Frontier, FrontierOptions, Next};
use crate::task::{Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Error;

/// Small write buffers, so that there are tables next to the journal.
fn limits() -> Limits {
    Limits { sizes: Sizes { cache: 1 << 20, large: 64 << 10, small: 16 << 10 }, ..Limits::of(16 << 20) }
}

fn write(path: &Path, options: &FrontierOptions) {
    let (mut frontier, _) = Frontier::open_with(path, options, limits()).unwrap();
    for n in 0..6000u32 {
        let url = CanonicalUrl::parse(&format!("http://h{}.example/{n}", n % 300)).unwrap();
        let found = Discovered { depth: n / 1000, ..Discovered::new(url, Purpose::Page) };
        frontier.add(&found).unwrap();
        if n % 100 == 99 {
            frontier.commit(&n.to_le_bytes()).unwrap();
        }
        if n % 4 == 3
            && let Next::Fetch(lease) = frontier.next(1).unwrap()
        {
            frontier.host_mut(&lease).fetched += 1;
            frontier.release(lease, After::Done).unwrap();
        }
    }
    frontier.commit(b"end").unwrap();
    frontier.close().unwrap();
}

fn drain(frontier: &mut Frontier) -> Result<Vec<String>, Error> {
    let mut given = Vec::new();
    while let Next::Fetch(lease) = frontier.next(1)? {
        given.push(lease.entry.url.to_string());
        frontier.release(lease, After::Done)?;
    }
    Ok(given)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() { copy(&entry.path(), &to) } else { _ = fs::copy(entry.path(), to).unwrap() }
    }
}

/// Damages one file of the folder in one of five ways; says how.
fn damage(folder: &Path, case: u64) -> String {
    let random = |salt: u64| xxh3_64_with_seed(&case.to_le_bytes(), salt);
    let mut all = Vec::new();
    files(folder, &mut all);
    let path = &all[(random(1) % all.len() as u64) as usize];
    let length = fs::metadata(path).unwrap().len();
    // Journals are longer than they are filled.
    let at = random(2) % length.clamp(1, 400_000);
    let mut file = OpenOptions::new().write(true).read(true).open(path).unwrap();
    let mut write = |at: u64, bytes: &[u8]| {
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(bytes).unwrap();
    };
    let how = match random(3) % 5 {
        0 => {
            write(at, &[random(4) as u8]);
            "a byte"
        }
        1 => {
            write(at, &[0; 64]);
            "zeros"
        }
        2 => {
            write(length, &random(5).to_le_bytes());
            "garbage behind"
        }
        3 => {
            file.set_len(at).unwrap();
            "cut"
        }
        _ => {
            fs::remove_file(path).unwrap();
            "removed"
        }
    };
    format!("case {case}: {how} at {at} of {}", path.strip_prefix(folder).unwrap().display())
}

#[test]
fn damage_is_reported_or_harmless() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40u64);
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    let options = FrontierOptions::default();
    write(&whole, &options);
    let expected = {
        let copied = folder.path().join("expected");
        copy(&whole, &copied);
        drain(&mut Frontier::open_with(&copied, &options, limits()).unwrap().0).unwrap()
    };
    assert_eq!(expected.len(), 4500);
    let (mut reported, mut older, mut harmless) = (0, 0, 0);
    for case in 0..cases {
        let copied = folder.path().join(format!("case-{case}"));
        copy(&whole, &copied);
        let how = damage(&copied, case);
        if std::env::var_os("WEBMILL_SAY").is_some() {
            println!("{how}");
        }
        match Frontier::open_with(&copied, &options, limits()) {
            Err(Error::Internal(error)) => panic!("{how}: {error}"),
            Err(_) => reported += 1,
            Ok((_, opened)) if opened.checkpoint != b"end" => older += 1,
            Ok((mut frontier, _)) => match drain(&mut frontier) {
                Err(_) => reported += 1,
                Ok(given) => {
                    assert!(given == expected, "{how}: {} of {}", given.len(), expected.len());
                    harmless += 1;
                }
            },
        }
        fs::remove_dir_all(&copied).unwrap();
    }
    println!("{reported} reported, {older} of an older checkpoint, {harmless} harmless");
    assert!(reported > cases / 5);
}
