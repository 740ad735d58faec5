//! Public crawls by URL: fetched whole, verified, left as the shards they are.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use webmill_run::Cancel;

use webmill_jobs::console::Console;
use webmill_jobs::remote::Downloader;

/// Fetches every URL into `folder`, except those that are there already.
pub fn get(urls: &[String], sha256: &[String], folder: &Path, cancel: &Cancel) -> Result<()> {
    let console = Console::new(false);
    let downloader = Downloader::new(&console, cancel)?;
    for (i, url) in urls.iter().enumerate() {
        let name = url.rsplit('/').next().filter(|n| !n.is_empty()).context("the URL names no file")?;
        let target = folder.join(name);
        if !target.exists() {
            downloader.get(&url.parse().with_context(|| url.clone())?, &target)?;
        }
        if let Some(expected) = sha256.get(i) {
            verify(&target, expected)?;
        }
    }
    Ok(())
}

fn verify(path: &Path, expected: &str) -> Result<()> {
    use sha2::{Digest, Sha256};
    let mut hasher = Sha256::new();
    let mut file = File::open(path).with_context(|| path.display().to_string())?;
    let mut buffer = vec![0u8; 1 << 20];
    loop {
        let n = file.read(&mut buffer)?;
        if n == 0 {
            break;
        }
        hasher.update(&buffer[..n]);
    }
    let found = data_encoding::HEXLOWER.encode(&hasher.finalize());
    if !found.eq_ignore_ascii_case(expected) {
        bail!(
            "{}: SHA-256 is {found}, the publisher says {expected}; delete the file and fetch again",
            path.display()
        );
    }
    Ok(())
}
