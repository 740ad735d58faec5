//! The demonstration site, embedded, served on loopback as the servers of its hosts would, and crawled.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, bail};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use webmill_capture::CanonicalUrl;
use webmill_capture::date::{format_rfc822, parse_w3c};
use webmill_crawl::scope::Seeds;
use webmill_crawl::{Crawl, CrawlOptions, Ended};
use webmill_run::Cancel;
use webmill_sim::{Answer, ServeOptions, Server, Site, SynthPage};

/// `datasets/demo-site`: `site.toml`, `seeds.txt`, `answers.toml`, and `hosts/HOST/PATH` for every page.
pub static SITE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../datasets/demo-site");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    /// `Last-Modified` of the pages.
    date: String,
    /// What servers say of pages where `special` is silent.
    content_type: String,
    #[serde(default)]
    special: Vec<SpecialAnswer>,
    #[serde(default)]
    redirect: Vec<Redirect>,
}

/// How a page is served when not in the usual way.
#[derive(Debug, Deserialize, Clone, Default)]
#[serde(deny_unknown_fields, default)]
struct SpecialAnswer {
    url: String,
    status: u16,
    /// The header as sent; empty for a server that sends none.
    content_type: Option<String>,
    headers: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Redirect {
    from: String,
    to: String,
    status: u16,
}

/// Text of an embedded file.
pub fn text(name: &str) -> Result<&'static str> {
    SITE.get_file(name).and_then(|f| f.contents_utf8()).with_context(|| format!("datasets/demo-site/{name}"))
}

/// Answers by URL.
struct DemoSite(HashMap<String, ServedSite>);

struct ServedSite {
    status: u16,
    message: Vec<u8>,
    head_len: usize,
}

impl ServedSite {
    fn new(status: u16, headers: &[(String, String)], body: &[u8]) -> ServedSite {
        let reason = match status {
            200 => "OK",
            301 => "Moved Permanently",
            302 => "Found",
            404 => "Not Found",
            500 => "Internal Server Error",
            _ => "Other",
        };
        let mut head = format!("HTTP/1.1 {status} {reason}\r\nServer: demo\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        ServedSite { status, head_len: head.len(), message: [head.as_bytes(), body].concat() }
    }
}

impl DemoSite {
    fn new() -> Result<DemoSite> {
        let site: Description = toml::from_str(text("site.toml")?).context("datasets/demo-site/site.toml")?;
        let date = parse_w3c(&site.date).with_context(|| format!("{}: no date", site.date))?;
        let special: BTreeMap<&str, &SpecialAnswer> =
            site.special.iter().map(|s| (s.url.as_str(), s)).collect();
        let mut served = HashMap::new();
        let mut folders: Vec<&Dir<'_>> = SITE.get_dir("hosts").into_iter().flat_map(Dir::dirs).collect();
        while let Some(dir) = folders.pop() {
            folders.extend(dir.dirs());
            for file in dir.files() {
                let path = file.path().strip_prefix("hosts").context("pages stand under hosts")?;
                let path = path.to_string_lossy().replace('\\', "/");
                let url = format!("http://{}", path.strip_suffix("index.html").unwrap_or(&path));
                let how = special.get(url.as_str()).copied().cloned().unwrap_or_default();
                let content_type = how.content_type.unwrap_or_else(|| match url.rsplit('.').next() {
                    Some("txt") => "text/plain".into(),
                    _ => site.content_type.clone(),
                });
                let mut headers = vec![("Last-Modified".to_owned(), format_rfc822(date))];
                if !content_type.is_empty() {
                    headers.push(("Content-Type".into(), content_type));
                }
                headers.extend(how.headers);
                let status = if how.status == 0 { 200 } else { how.status };
                served.insert(url, ServedSite::new(status, &headers, file.contents()));
            }
        }
        for redirect in &site.redirect {
            let headers = [("Location".to_owned(), redirect.to.clone())];
            served.insert(redirect.from.clone(), ServedSite::new(redirect.status, &headers, b""));
        }
        Ok(DemoSite(served))
    }
}

impl Site for DemoSite {
    fn answer_into(&self, _method: &str, url: &str, _attempt: u32, _: &mut SynthPage, out: &mut Answer) {
        *out = Answer::default();
        match self.0.get(url) {
            Some(served) => {
                out.status = served.status;
                out.message.extend_from_slice(&served.message);
                out.head_len = served.head_len;
            }
            None => {
                out.status = 404;
                let missing =
                    ServedSite::new(404, &[("Content-Type".into(), "text/plain".into())], b"not here\n");
                (out.message, out.head_len) = (missing.message, missing.head_len);
            }
        }
    }
}

/// Serves the site on loopback and crawls it into `folder`, replacing its content.
pub fn crawl(folder: &Path, threads: usize, cancel: &Cancel) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let server = Server::start(DemoSite::new()?, ServeOptions::default())?;
    let mut options = CrawlOptions {
        // With one connection pages are fetched in the same order each time.
        connections: 1,
        ..CrawlOptions::default()
    };
    options.scope.seeds = Seeds::Any;
    options.politeness.delay_ms = 0;
    options.politeness.max_crawl_delay_ms = 0;
    options.politeness.backoff_ms = 20;
    options.fetch.proxy = Some(server.proxy());
    let seeds: Vec<CanonicalUrl> = text("seeds.txt")?
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| CanonicalUrl::parse(line).with_context(|| format!("seeds.txt: {line}")))
        .collect::<Result<_>>()?;
    let (mut crawl, _) = Crawl::open(folder, &options, &seeds, threads, None)?;
    // A second's work: what it did is summed up below.
    let ended = crawl.run(&mut crate::crawl::UnseenCrawl, &|| cancel.stopped())?;
    let totals = crawl.close(ended)?;
    crate::crawl::remember(folder, &options)?;
    webmill_jobs::crawl::convert(folder)?;
    crate::crawl::sum_up(&totals, ended.name());
    cancel.check()?;
    if ended != Ended::Finished {
        bail!("the demonstration site was not crawled to its end: {}", ended.name());
    }
    Ok(())
}
