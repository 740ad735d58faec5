//! Public crawls by URL: fetched whole, verified, left as the shards they are.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use webmill_run::{Cancel, Measure, Progress};

use crate::console::Console;

/// Fetches every URL into `folder`; what is there already is not fetched again.
pub fn get(urls: &[String], sha256: &[String], folder: &Path, cancel: &Cancel) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    // Only fails where a provider is set already, which does as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::blocking::Client::builder()
        .user_agent(concat!("webmill/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(30))
        .timeout(None)
        .build()?;
    for (i, url) in urls.iter().enumerate() {
        let name = url.rsplit('/').next().filter(|n| !n.is_empty()).context("the URL names no file")?;
        let target = folder.join(name);
        if !target.exists() {
            fetch(&client, url, &target, cancel)?;
        }
        if let Some(expected) = sha256.get(i) {
            verify(&target, expected)?;
        }
    }
    Ok(())
}

fn fetch(client: &reqwest::blocking::Client, url: &str, target: &Path, cancel: &Cancel) -> Result<()> {
    let console = Console::new();
    let mut response = client
        .get(url)
        .send()
        .and_then(|r| r.error_for_status())
        .with_context(|| format!("fetching {url}"))?;
    let total = response.content_length().unwrap_or(0);
    console.begin("fetch", total, Measure::Bytes);
    let folder = target.parent().context("a target has a folder")?;
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(|| folder.display().to_string())?;
    let mut buffer = vec![0u8; 1 << 16];
    let mut fetched = 0u64;
    loop {
        cancel.check()?;
        let n = response.read(&mut buffer).with_context(|| format!("fetching {url}"))?;
        if n == 0 {
            break;
        }
        file.write_all(&buffer[..n]).with_context(|| target.display().to_string())?;
        fetched += n as u64;
        console.advance(n as u64);
    }
    console.end();
    if total > 0 && fetched != total {
        bail!("{url}: the connection ended after {fetched} of {total} bytes; run again");
    }
    file.as_file().sync_all()?;
    file.persist(target).with_context(|| target.display().to_string())?;
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
