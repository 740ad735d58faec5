//! Debian documentation packages: download, verify, unpack as a stream, shards.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use webmill_run::Cancel;

use super::catalog::Root;
use super::packing::{Packer, Page, media_type, percent_encode};
use super::tree::MAX_FILE_BYTES;

/// Fetches `package` and writes its pages as shards to `folder`.
pub fn get(package: &str, roots: &[Root], folder: &Path, cancel: &Cancel) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let deb = download(package, folder)?;
    let result = unpack(&deb, roots, folder, package, cancel);
    std::fs::remove_file(&deb).with_context(|| deb.display().to_string())?;
    result
}

/// `apt-get download` verifies the package against the signed index.
fn download(package: &str, folder: &Path) -> Result<PathBuf> {
    let staging = tempfile::tempdir_in(folder).with_context(|| folder.display().to_string())?;
    let fetch = || {
        Command::new("apt-get")
            .args(["download", "-qq", package])
            .current_dir(staging.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .context("apt-get is needed to fetch Debian packages; this looks like no Debian system")
    };
    let mut output = fetch()?;
    if !output.status.success() {
        // A fresh machine has no package lists yet.
        let _ = Command::new("apt-get").args(["update", "-qq"]).stdout(Stdio::null()).status();
        output = fetch()?;
    }
    let deb = std::fs::read_dir(staging.path())?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .find(|p| p.extension().is_some_and(|e| e == "deb"));
    let Some(deb) = deb else {
        bail!("apt-get could not download {package}: {}", String::from_utf8_lossy(&output.stderr).trim());
    };
    let name = deb.file_name().context("a package has a name")?;
    let target = folder.join(name);
    std::fs::rename(&deb, &target).with_context(|| target.display().to_string())?;
    Ok(target)
}

fn unpack(deb: &Path, roots: &[Root], folder: &Path, package: &str, cancel: &Cancel) -> Result<()> {
    let mut child = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(deb)
        .stdout(Stdio::piped())
        .spawn()
        .context("dpkg-deb is needed to unpack Debian packages")?;
    let stdout = child.stdout.take().context("dpkg-deb has no output")?;
    let mut packer = Packer::create(folder, package)?;
    let mut archive = tar::Archive::new(stdout);
    for entry in archive.entries()? {
        cancel.check()?;
        let mut entry = entry.with_context(|| deb.display().to_string())?;
        let path = entry.path()?.to_string_lossy().trim_start_matches("./").to_owned();
        let Some((root, relative)) = roots
            .iter()
            .find_map(|r| path.strip_prefix(&r.folder).and_then(|p| p.strip_prefix('/')).map(|p| (r, p)))
        else {
            continue;
        };
        let size = entry.header().size()?;
        if !entry.header().entry_type().is_file() || size > MAX_FILE_BYTES {
            continue;
        }
        let modified = entry.header().mtime()?;
        let mut body = Vec::with_capacity(size as usize);
        entry.by_ref().take(MAX_FILE_BYTES).read_to_end(&mut body)?;
        packer.page(&Page {
            url: format!("{}{}", root.site, percent_encode(relative)),
            date_ms: modified as i64 * 1000,
            content_type: Some(media_type(relative).to_owned()),
            body: &body,
            ..Page::default()
        })?;
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("dpkg-deb failed on {}", deb.display());
    }
    packer.finish()?;
    Ok(())
}
