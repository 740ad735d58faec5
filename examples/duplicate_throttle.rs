//! What the duplicate throttle makes of a folder of HTML files, in the order in which a crawler would meet them.
//!
//! ```text
//! cargo run --release --example duplicate_throttle -- FOLDER…
//! ```
//!
//! Each folder is a host. Its files are read breadth-first from those nearest to its root, the links that lead to other
//! files of it included; files that nothing links to come last. None of them is vouched for: a site is judged as if all of
//! it lay deep. Every page that would be left out of a real site is a loss.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use webmill::capture::CanonicalUrl;
use webmill::crawl::duplicate_throttle::DuplicateThrottleState;
use webmill::crawl::page::PageReader;
use webmill::crawl::rewrite::Rewriter;
use webmill::crawl::scope::{Scope, ScopeOptions};
use webmill::crawl::{Purpose, kinds};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for folder in std::env::args().skip(1) {
        judge(Path::new(&folder))?;
    }
    Ok(())
}

fn judge(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let seed = CanonicalUrl::parse("http://site.example/").ok_or("a URL")?;
    let reader = PageReader {
        steering: None,
        focus: None,
        scope: Scope::new(&ScopeOptions::default(), std::slice::from_ref(&seed))?,
        rewriter: Rewriter::new(&Default::default()),
        agent: "webmill".into(),
        images: false,
        requisites: Default::default(),
        budget: Default::default(),
    };
    let filter = kinds::KindFilter::new(|media_type| reader.scope.media_type(media_type));
    let mut files = files_of(folder)?;
    files.sort_by_key(|path| (path.components().count(), path.clone()));
    let mut queue: VecDeque<CanonicalUrl> = VecDeque::new();
    let mut seen: HashSet<String> = HashSet::new();
    let (mut state, mut known) = (DuplicateThrottleState::default(), kinds::Kinds::default());
    let (mut refused, mut fetched, mut missing, mut by_kind) = (Vec::new(), 0, 0, 0);
    let mut starts = files.into_iter();
    loop {
        let url = match queue.pop_front() {
            Some(url) => url,
            None => {
                let Some(path) = starts.next() else { break };
                let text = path.strip_prefix(folder)?.to_string_lossy().into_owned();
                let Some(url) = seed.join(&text.replace('%', "%25").replace('?', "%3F").replace('#', "%23"))
                else {
                    continue;
                };
                if !seen.insert(url.as_str().to_owned()) {
                    continue;
                }
                url
            }
        };
        let takes = |media_type: &str| reader.scope.media_type(media_type);
        if known.refuses(&url, filter, &takes).is_some() {
            by_kind += 1;
            continue;
        }
        if let Some(pattern) = state.refuses(&url, 2) {
            refused.push((url, pattern));
            continue;
        }
        let Some(html) = file_of(folder, &url).and_then(|path| std::fs::read(path).ok()) else {
            missing += 1;
            continue;
        };
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n", html.len());
        let reading = reader.read(&url, Purpose::Page, 2, &[head.into_bytes(), html].concat());
        fetched += 1;
        if reading.markup {
            state.observe(&url, reading.fingerprint.as_ref());
        }
        for found in reading.found {
            if seen.insert(found.url.as_str().to_owned()) {
                queue.push_back(found.url);
            }
        }
    }
    let (pages, copies) = state.counts();
    println!(
        "{}: {fetched} pages read, {pages} with words, {copies} copies, {} refused; {missing} links to nothing, {by_kind} of other types",
        folder.display(),
        refused.len()
    );
    for (url, pattern) in refused.iter().take(10) {
        println!("    {} as {pattern}", url.path_and_query());
    }
    Ok(())
}

fn files_of(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().contains(".htm") {
                files.push(path);
            }
        }
    }
    Ok(files)
}

fn file_of(folder: &Path, url: &CanonicalUrl) -> Option<PathBuf> {
    let path = url.path().trim_start_matches('/');
    [decoded(path), path.to_owned(), format!("{path}/index.html")]
        .into_iter()
        .map(|name| folder.join(name.trim_start_matches('/')))
        .map(|path| if path.is_dir() { path.join("index.html") } else { path })
        .find(|path| path.is_file())
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.get(..2).filter(|_| first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
