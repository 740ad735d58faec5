//! Shards named by URL: fetched whole into a folder, gone on with where they were cut off, kept for the next run.
//!
//! What is fetched lies at `FOLDER/DIGEST OF THE URL/NAME`, where NAME is the last part of the URL's path: what tables call the shard.
//! `.NAME.part` beside it grows while bytes come; `.NAME.source` says what the server called it (ETag, Last-Modified, length).
//!
//! **Algorithm.** A part is gone on with by `Range`, if the server's own mark of it (`If-Range`) still holds, else fetched anew. A
//! file is whole when it has the length that was announced. A whole one is asked for by its marks, and kept where the
//! server says that it is the same, or does not answer.
//!
//! **Limits.** Ten redirects, to http and https alone; [`STALL`] without a byte ends a connection; [`RETRIES`] failures without
//! [`GAIN_BYTES`] between them end a download, and so does each answer that will not change. Without announced length at most
//! [`MOST_UNANNOUNCED`]; else the disk is the bound, and what is there is gone on with later.
//!
//! **Why not the crawl's reader.** That keeps what a server sent byte for byte; here only the body counts, and a plain client (reqwest)
//! knows proxies, redirects and HTTP as it is.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::blocking::{Client, Response};
use reqwest::header::{self, HeaderMap, HeaderName};
use reqwest::{StatusCode, Url};
use serde::{Deserialize, Serialize};
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::{Cancel, Measure, Progress};
use xxhash_rust::xxh3::xxh3_64;

/// Time for connecting, and for the next byte.
const STALL: Duration = Duration::from_secs(60);
/// Failures in a row after which a download is given up.
const RETRIES: u32 = 5;
/// Bytes after which a failure is the first one again.
const GAIN_BYTES: u64 = 1 << 20;
/// Pause after the first failure; it doubles.
const PAUSE: Duration = Duration::from_millis(250);
/// Most bytes of an answer that does not announce its length.
const MOST_UNANNOUNCED: u64 = 64 << 30;
/// Longest name of a file.
const NAME_BYTES: usize = 150;

/// Where downloads lie in a folder of results.
pub const FOLDER: &str = ".downloads";

/// What the server said of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    url: String,
    etag: Option<String>,
    last_modified: Option<String>,
    bytes: Option<u64>,
}

impl Source {
    fn of(url: &str, answer: &HeaderMap) -> Source {
        let text = |name| answer.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Source {
            url: url.to_owned(),
            etag: text(header::ETAG),
            last_modified: text(header::LAST_MODIFIED),
            bytes: text(header::CONTENT_LENGTH).and_then(|digits| digits.parse().ok()),
        }
    }

    /// What `.NAME.source` says; nothing where it is of another URL or none.
    fn beside(target: &Path, url: &str) -> Source {
        let read = std::fs::read(hidden(target, "source")).ok();
        let found: Option<Source> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        found.filter(|found| found.url == url).unwrap_or_default()
    }

    fn keep(&self, target: &Path) -> Result<()> {
        let path = hidden(target, "source");
        let text = serde_json::to_vec(self).map_err(|e| Error::Internal(e.to_string()))?;
        std::fs::write(&path, text).at(&path)
    }

    /// The mark by which a part may be gone on with: a strong ETag, or the date.
    fn mark(&self) -> Option<&str> {
        let strong = self.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        strong.or(self.last_modified.as_deref())
    }

    /// Whether both are of the same content, as far as the server tells.
    fn agrees(&self, other: &Source) -> bool {
        match (&self.etag, &other.etag) {
            (Some(a), Some(b)) => a == b,
            _ => {
                self.last_modified == other.last_modified && self.bytes.is_some() && self.bytes == other.bytes
            }
        }
    }
}

/// Whether an input is to be fetched: a URL of http or https, and no file of that name.
pub fn is_remote(input: &str) -> bool {
    let scheme = |name: &str| input.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    (scheme("http://") || scheme("https://")) && !Path::new(input).exists()
}

/// The inputs with what is named by URL fetched into `folder`, in their order.
///
/// # Errors
/// [`Error::Io`] with the URL where a server does not give the file; [`Error::Interrupted`].
pub fn fetched(
    inputs: &[String],
    folder: &Path,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Vec<String>> {
    let mut client = None;
    let mut local = Vec::new();
    for input in inputs {
        if !is_remote(input) {
            local.push(input.clone());
            continue;
        }
        let url = Url::parse(input).map_err(|e| Error::Config(format!("{input}: not a URL: {e}")))?;
        let client = match &client {
            Some(client) => client,
            None => client.insert(Downloader::new(progress, cancel)?),
        };
        let target = folder.join(format!("{:016x}", xxh3_64(url.as_str().as_bytes()))).join(name_of(&url));
        client.get(&url, &target)?;
        local.push(target.to_string_lossy().into_owned());
    }
    Ok(local)
}

/// As [`fetched`], into the user's cache, for commands that have no folder of results; says where that is.
///
/// # Errors
/// As [`fetched`].
pub fn cached(inputs: &[String]) -> Result<Vec<String>> {
    if !inputs.iter().any(|input| is_remote(input)) {
        return Ok(inputs.to_vec());
    }
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let folder = home.unwrap_or_else(std::env::temp_dir).join("webmill/downloads");
    crate::say!("downloads are kept in {}", folder.display());
    fetched(inputs, &folder, &crate::console::Console::new(), &Cancel::default())
}

/// The last part of the URL's path as the name of a file.
fn name_of(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-+=,~".contains(c) { c } else { '_' };
    let name: String = last.trim_start_matches('.').chars().map(plain).collect();
    match name[name.len().saturating_sub(NAME_BYTES)..].trim_start_matches('.') {
        "" => "download".to_owned(),
        name => name.to_owned(),
    }
}

fn hidden(target: &Path, ending: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{ending}"))
}

/// Why an attempt failed.
enum Failed {
    /// It may be tried again.
    Again(String),
    /// It may not.
    Final(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed::Final(error)
    }
}

/// Fetches files.
pub struct Downloader<'a> {
    client: Client,
    progress: &'a dyn Progress,
    cancel: &'a Cancel,
}

impl<'a> Downloader<'a> {
    /// # Errors
    /// [`Error::Internal`] where the system gives no certificates or threads.
    pub fn new(progress: &'a dyn Progress, cancel: &'a Cancel) -> Result<Self> {
        // Only fails where a provider is set already, which does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("webmill/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(STALL)
            // Of each wait for bytes, not of the whole.
            .timeout(STALL)
            .build()
            .map_err(|e| Error::Internal(format!("no HTTP client: {}", causes(&e))))?;
        Ok(Downloader { client, progress, cancel })
    }

    /// Fetches `url` to `target`, whose folder is made; what is there and the server's still is kept.
    ///
    /// # Errors
    /// As of [`fetched`].
    pub fn get(&self, url: &Url, target: &Path) -> Result<()> {
        let folder = target.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).at(folder)?;
        let shown = shown(url);
        if target.is_file() && self.is_current(url, &shown, target) {
            return Ok(());
        }
        let path = hidden(target, "part");
        let mut part =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).at(&path)?;
        match part.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Config(format!(
                    "{shown}: another process is fetching it to {}",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(&path, error)),
            Ok(()) => {}
        }
        let (mut failures, mut most) = (0, part.metadata().at(&path)?.len());
        loop {
            self.cancel.check()?;
            let why = match self.attempt(url, &shown, target, &mut part) {
                Ok(()) => break,
                Err(Failed::Final(error)) => return Err(error),
                Err(Failed::Again(why)) => why,
            };
            let there = part.metadata().at(&path)?.len();
            failures = if there >= most.saturating_add(GAIN_BYTES) { 1 } else { failures + 1 };
            most = most.max(there);
            if failures > RETRIES {
                let why = format!("{why}; given up after {failures} attempts, run again to go on");
                return Err(Error::io(&shown, std::io::Error::other(why)));
            }
            self.progress.note(&format!("{shown}: {why}; tried again"));
            std::thread::sleep(PAUSE * (1 << (failures - 1)));
        }
        part.sync_all().at(&path)?;
        std::fs::rename(&path, target).at(target)
    }

    /// Whether the file that is there needs no fetching: it is the server's, or the server cannot say.
    fn is_current(&self, url: &Url, shown: &str, target: &Path) -> bool {
        let known = Source::beside(target, shown);
        let mut request = self.client.get(url.clone());
        let marks = [(header::IF_NONE_MATCH, &known.etag), (header::IF_MODIFIED_SINCE, &known.last_modified)];
        for (name, mark) in marks {
            request = mark.iter().fold(request, |request, mark| request.header(&name, mark.as_str()));
        }
        let why = match request.send() {
            Ok(answer) if answer.status() == StatusCode::NOT_MODIFIED => "has not changed".to_owned(),
            Ok(answer) if answer.status().is_success() => {
                if !known.agrees(&Source::of(shown, answer.headers())) {
                    self.progress.note(&format!("{shown}: has changed and is fetched anew"));
                    return false;
                }
                "has not changed".to_owned()
            }
            Ok(answer) => format!("answers {} now", answer.status()),
            Err(error) => format!("cannot be asked ({})", causes(&error)),
        };
        self.progress.note(&format!("{shown}: {why}; the copy that is there is taken"));
        true
    }

    /// One connection: `part` grows to the whole, or as far as it comes.
    fn attempt(&self, url: &Url, shown: &str, target: &Path, part: &mut File) -> Result<(), Failed> {
        let path = hidden(target, "part");
        let mut source = Source::beside(target, shown);
        let mut at = part.metadata().at(&path)?.len();
        let usable = source.mark().is_some() && source.bytes.is_none_or(|bytes| at <= bytes);
        if !usable {
            at = 0;
        }
        if at > 0 && source.bytes == Some(at) {
            return Ok(());
        }
        let mut request = self.client.get(url.clone()).header(header::ACCEPT_ENCODING, "identity");
        if let (Some(mark), true) = (source.mark(), at > 0) {
            request = request.header(header::RANGE, format!("bytes={at}-")).header(header::IF_RANGE, mark);
        }
        let mut answer = request.send().map_err(|e| failed(&e, shown))?;
        match answer.status() {
            StatusCode::PARTIAL_CONTENT if at > 0 && goes_on(&answer, at, source.bytes) => {}
            StatusCode::OK => {
                at = 0;
                source = Source::of(shown, answer.headers());
                source.keep(target)?;
            }
            StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::PARTIAL_CONTENT if at > 0 => {
                part.set_len(0).at(&path)?;
                return Err(Failed::Again("the server does not go on with what is there".into()));
            }
            status => {
                let why = format!("the server answers {status}");
                let again = status.is_server_error()
                    || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
                return Err(if again { Failed::Again(why) } else { refused(shown, why) });
            }
        }
        part.set_len(at).at(&path)?;
        part.seek(SeekFrom::Start(at)).at(&path)?;
        self.progress.begin(
            "fetch",
            source.bytes.map_or(0, |bytes| bytes.saturating_sub(at)),
            Measure::Bytes,
        );
        let most = source.bytes.unwrap_or(MOST_UNANNOUNCED).saturating_sub(at);
        let copied = self.copy(&mut answer, part, &path, most);
        self.progress.end();
        copied?;
        let there = part.metadata().at(&path)?.len();
        match source.bytes {
            Some(bytes) if there != bytes => {
                Err(Failed::Again(format!("the connection ended after {there} of {bytes} bytes")))
            }
            Some(_) => Ok(()),
            None => Ok(Source { bytes: Some(there), ..source }.keep(target)?),
        }
    }

    /// Copies at most `most` bytes of an answer.
    fn copy(&self, answer: &mut Response, part: &mut File, path: &Path, most: u64) -> Result<(), Failed> {
        let mut buffer = vec![0; 1 << 16];
        let mut copied = 0;
        loop {
            self.cancel.check()?;
            let n = answer.read(&mut buffer).map_err(|e| Failed::Again(causes(&e)))?;
            if n == 0 {
                return Ok(());
            }
            copied += n as u64;
            if copied > most {
                return Err(refused(
                    &path.to_string_lossy(),
                    format!("more than the {most} bytes that may come"),
                ));
            }
            part.write_all(&buffer[..n]).at(path)?;
            self.progress.advance(n as u64);
        }
    }
}

/// Whether an answer begins at byte `at` of a file of that many bytes.
fn goes_on(answer: &Response, at: u64, bytes: Option<u64>) -> bool {
    let name: HeaderName = header::CONTENT_RANGE;
    let range = answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Some((range, total)) = range.strip_prefix("bytes ").and_then(|range| range.split_once('/')) else {
        return false;
    };
    let first = range.split('-').next().and_then(|first| first.trim().parse().ok());
    first == Some(at) && (bytes.is_none() || total.trim().parse().ok() == bytes)
}

fn failed(error: &reqwest::Error, shown: &str) -> Failed {
    let why = causes(error);
    if error.is_redirect() || error.is_builder() { refused(shown, why) } else { Failed::Again(why) }
}

fn refused(shown: &str, why: String) -> Failed {
    Failed::Final(Error::io(shown, std::io::Error::other(why)))
}

/// An error with what caused it, without the URL, which whoever says it has.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

/// A URL as it is said: without a password.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    if url.password().is_some() {
        // Only fails for URLs without a host, which have no password.
        let _ = url.set_password(Some("***"));
    }
    url.into()
}

#[cfg(test)]
mod tests;
