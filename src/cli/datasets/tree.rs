//! A folder of files as a site: every file a capture of the URL that its path has below the site's.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use walkdir::WalkDir;
use webmill_capture::CanonicalUrl;
use webmill_run::Cancel;

use super::packing::{Packer, Page, media_type, percent_encode};

/// Largest file taken; longer ones are cut, as a crawler would.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Packs the files below `folder` into shards in `out`.
pub fn pack(folder: &Path, site: &str, out: &Path, cancel: &Cancel) -> Result<()> {
    if CanonicalUrl::parse(site).is_none_or(|s| !s.is_web()) || !site.ends_with('/') {
        bail!("{site}: --site takes an http(s) URL that ends with /, as https://example.org/docs/");
    }
    std::fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let mut packer = Packer::create(out, "site")?;
    let mut files = 0;
    // Sorted, so that equal folders give equal shards.
    for entry in WalkDir::new(folder).sort_by_file_name() {
        cancel.check()?;
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path();
        let meta = entry.metadata()?;
        let modified =
            meta.modified()?.duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64);
        let relative = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
        let mut body = Vec::new();
        std::fs::File::open(path)
            .and_then(|f| f.take(MAX_FILE_BYTES).read_to_end(&mut body))
            .with_context(|| path.display().to_string())?;
        packer.page(&Page {
            url: format!("{site}{}", percent_encode(&relative)),
            date_ms: modified,
            content_type: Some(media_type(&relative).to_owned()),
            body: &body,
            ..Page::default()
        })?;
        files += 1;
    }
    if files == 0 {
        bail!("{}: no file to pack", folder.display());
    }
    packer.finish()?;
    Ok(())
}
