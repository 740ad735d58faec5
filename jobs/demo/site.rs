//! The demonstration site, embedded, packed into RAW DB shards as a crawler would have stored it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use webmill::capture::date::parse_w3c;

use crate::datasets::{Packer, Page};

/// `datasets/demo-site`: `site.toml`, `answers.toml`, and `hosts/HOST/PATH` for every page.
pub static SITE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/datasets/demo-site");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Site {
    /// When the first page was fetched; each further one a minute later, in URL order.
    date: String,
    /// What servers say of pages where `special` is silent.
    content_type: String,
    #[serde(default)]
    special: Vec<Special>,
    #[serde(default)]
    redirect: Vec<Redirect>,
}

/// How a page is served when not in the usual way.
#[derive(Debug, Deserialize, Clone, Default)]
#[serde(deny_unknown_fields, default)]
struct Special {
    url: String,
    status: u16,
    /// The header as sent; empty for a server that sends none.
    content_type: Option<String>,
    headers: BTreeMap<String, String>,
    date: Option<String>,
}

/// A redirect that the crawler followed: one record for the hop, and `origin` on the page it led to when `followed`.
#[derive(Debug, Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Redirect {
    from: String,
    to: String,
    status: u16,
    #[serde(default)]
    followed: bool,
}

/// Text of an embedded file.
pub fn text(name: &str) -> Result<&'static str> {
    SITE.get_file(name).and_then(|f| f.contents_utf8()).with_context(|| format!("datasets/demo-site/{name}"))
}

/// Packs the site into `folder`, replacing what is there: the same bytes each time.
pub fn pack(folder: &Path) -> Result<()> {
    let site: Site = toml::from_str(text("site.toml")?).context("datasets/demo-site/site.toml")?;
    let start = parse_w3c(&site.date).with_context(|| format!("{}: no date", site.date))?;
    let special: BTreeMap<&str, &Special> = site.special.iter().map(|s| (s.url.as_str(), s)).collect();
    let mut pages: BTreeMap<String, &[u8]> = BTreeMap::new();
    let mut folders: Vec<&Dir<'_>> = SITE.get_dir("hosts").into_iter().flat_map(Dir::dirs).collect();
    while let Some(dir) = folders.pop() {
        folders.extend(dir.dirs());
        for file in dir.files() {
            let path = file.path().strip_prefix("hosts").context("pages stand under hosts")?;
            let path = path.to_string_lossy().replace('\\', "/");
            let path = path.strip_suffix("index.html").unwrap_or(&path);
            pages.insert(format!("http://{path}"), file.contents());
        }
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut packer = Packer::create(folder, "demo")?;
    for (i, (url, body)) in pages.iter().enumerate() {
        let how = special.get(url.as_str()).copied().cloned().unwrap_or_default();
        let date_ms = how.date.as_deref().and_then(parse_w3c).unwrap_or(start + 60_000 * i as i64);
        let content_type = how.content_type.unwrap_or_else(|| match url.rsplit('.').next() {
            Some("txt") => "text/plain".into(),
            _ => site.content_type.clone(),
        });
        let origin = site.redirect.iter().find(|r| r.followed && r.to == *url).map(|r| r.from.clone());
        packer.page(&Page {
            url: url.clone(),
            origin,
            date_ms,
            status: how.status,
            content_type: (!content_type.is_empty()).then_some(content_type),
            headers: how.headers.into_iter().collect(),
            body,
        })?;
    }
    for (i, redirect) in site.redirect.iter().filter(|r| !r.followed).enumerate() {
        packer.page(&Page {
            url: redirect.from.clone(),
            date_ms: start + 60_000 * (pages.len() + i) as i64,
            status: redirect.status,
            headers: vec![("Location".into(), redirect.to.clone())],
            ..Page::default()
        })?;
    }
    packer.finish()?;
    Ok(())
}
