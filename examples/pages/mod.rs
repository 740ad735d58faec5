//! The pages of an evaluation set, as the scorer of main text names them.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use webmill::capture::CanonicalUrl;
use webmill::html::{Dom, Limits, Metadata, decode, metadata, parse};
use webmill::text::training::Tables;

/// Result of an example: any error ends it.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// `(id, file)` of every page of a set, by id.
///
/// Pages stand in `cache/` and `eval/` (whatever their names, which are their ids), in `html/`, in `input/`, or in the folder
/// itself; there they end in `.html` or `.htm`, and their ids are the names without it.
pub fn pages(set: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let places = |names: &[&str]| -> Vec<PathBuf> {
        names.iter().map(|name| set.join(name)).filter(|folder| folder.is_dir()).collect()
    };
    let snippets = set.join("evaldata.json").is_file();
    let mut folders = places(if snippets { &["cache", "eval"] } else { &["html", "input"] });
    if folders.is_empty() {
        folders.push(set.to_path_buf());
    }
    let mut found = BTreeMap::new();
    for folder in folders {
        for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry?.path();
            let is_html = path.extension().is_some_and(|end| end == "html" || end == "htm");
            let name = if snippets { path.file_name() } else { path.file_stem() };
            if let Some(name) = name
                && (is_html || snippets)
                && path.is_file()
            {
                found.entry(name.to_string_lossy().into_owned()).or_insert(path);
            }
        }
    }
    if found.is_empty() {
        return Err(format!("{}: no pages", set.display()).into());
    }
    Ok(found)
}

/// The addresses of a set's pages, by id, where its makers tell them.
#[allow(dead_code)] // not every example that shares this file has a use for it
pub fn addresses(set: &Path) -> Result<BTreeMap<String, CanonicalUrl>> {
    let mut found = BTreeMap::new();
    let mut add = |id: &str, url: &serde_json::Value| {
        if let Some(url) = url.as_str().and_then(CanonicalUrl::parse) {
            found.insert(id.to_string(), url);
        }
    };
    let json = |path: &Path| -> Result<serde_json::Value> { Ok(serde_json::from_slice(&fs::read(path)?)?) };
    if let Ok(lines) = fs::read_to_string(set.join("gold.jsonl")) {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let item: serde_json::Value = serde_json::from_str(line)?;
            add(item["id"].as_str().unwrap_or_default(), &item["url"]);
        }
    } else if set.join("evaldata.json").is_file() {
        for (url, item) in json(&set.join("evaldata.json"))?.as_object().into_iter().flatten() {
            add(item["file"].as_str().unwrap_or_default(), &url.as_str().into());
        }
    } else if set.join("ground-truth.json").is_file() {
        for (id, item) in json(&set.join("ground-truth.json"))?.as_object().into_iter().flatten() {
            add(id, &item["url"]);
        }
    } else if set.join("gold").is_dir() {
        for entry in fs::read_dir(set.join("gold"))? {
            let path = entry?.path();
            if let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) {
                add(id, &json(&path)?["url"]);
            }
        }
    }
    Ok(found)
}

/// Reads a page and hands on its tree and what it says of itself; `nameless` takes the names off all elements before, and what
/// the page states of itself but for its title.
pub fn with_page<T>(
    file: &Path,
    address: Option<&CanonicalUrl>,
    nameless: bool,
    f: impl FnOnce(&Dom<'_>, &Metadata) -> T,
) -> Result<T> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut text = decode(unwrapped(&bytes), None, None).text.to_string();
    if nameless {
        for name in ["class", "id", "role", "itemprop", "itemtype", "data-testid"] {
            for space in [" ", "\n", "\t"] {
                text = text.replace(&format!("{space}{name}="), &format!("{space}un{name}="));
            }
        }
    }
    let dom = parse(&text, &Limits::default());
    // Relative links get a base that says nothing where the set does not tell the page's address.
    let nowhere = CanonicalUrl::parse("http://example.invalid/").ok_or("not a URL")?;
    let mut meta = metadata(&dom, address.unwrap_or(&nowhere), &[]).found_at(address);
    if nameless {
        // What pages of 2005 did not say of themselves either.
        let mut bare = Metadata::default();
        (bare.about.title, bare.base, bare.date_order) = (meta.about.title, meta.base, meta.date_order);
        meta = bare;
    }
    Ok(f(&dom, &meta))
}

/// CleanEval's makers put each page inside of `<text id="…">…</text>`, which is not the page's.
fn unwrapped(bytes: &[u8]) -> &[u8] {
    let start = bytes.trim_ascii_start();
    if !start.starts_with(b"<text ") {
        return bytes;
    }
    let Some(head) = start.iter().position(|&b| b == b'>') else { return bytes };
    let page = &start[head + 1..];
    let end = page.windows(7).rposition(|at| at == b"</text>").unwrap_or(page.len());
    &page[..end]
}

/// The tables of a cross-validation: `folds.json` says which fold a page (`SET/ID`) belongs to, the folder of that number
/// holds tables that were not trained on it.
#[allow(dead_code)] // not every example that shares this file has a use for them
pub struct Folds {
    of: BTreeMap<String, usize>,
    tables: Vec<Tables>,
}

#[allow(dead_code)]
impl Folds {
    /// Reads a folder that `train.py cv` wrote.
    pub fn read(folder: &Path) -> Result<Folds> {
        let of: BTreeMap<String, usize> = serde_json::from_slice(&fs::read(folder.join("folds.json"))?)?;
        let count = of.values().max().map_or(0, |most| most + 1);
        let tables = (0..count)
            .map(|fold| Tables::read(&folder.join(fold.to_string())))
            .collect::<webmill::Result<_>>()?;
        Ok(Folds { of, tables })
    }

    /// The tables that did not see a page; those of the first fold if no fold holds it.
    pub fn tables(&self, set: &Path, id: &str) -> Result<&Tables> {
        let set = set.canonicalize()?.file_name().ok_or("a set needs a name")?.to_string_lossy().into_owned();
        let fold = self.of.get(&format!("{set}/{id}")).copied().unwrap_or(0);
        self.tables.get(fold).ok_or_else(|| "no folds".into())
    }
}
