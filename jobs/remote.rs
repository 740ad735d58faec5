//! Downloads shards that are given by URL into a folder, resumes broken downloads, and keeps complete ones for the next run.
//!
//! Every command that takes shards calls it, before their format is recognised.
//!
//! A downloaded file is `FOLDER/DIGEST OF THE URL/NAME`, where NAME is the last part of the URL's path. Tables call the shard NAME, or
//! DIGEST/NAME if two shards have one name. `.NAME.source` has the server's marks of the file (ETag, Last-Modified, length). `.NAME.part`
//! is a download in progress, and `.NAME.part.source` has its marks.
//!
//! **Algorithm.** A part is resumed by `Range` if the server's mark of it (`If-Range`) still holds and the answer has the same mark;
//! otherwise the file is fetched from the beginning. A file is complete if it has the announced length. A complete file is requested with its
//! marks, and kept if the server says that it has not changed, or does not deliver it. Without marks it is fetched again.
//!
//! **Limits.** Ten redirects, to http and https only. A minute without a byte ends a connection. Five failures without 1 MiB between them
//! end a download, as does an answer that will not change. `Retry-After` is obeyed up to a minute. A file without announced length may
//! have 64 GiB; others are limited by the disk, and the part that was downloaded is resumed later.
//!
//! **Why not the crawl's reader.** That reader keeps the bytes of a server as they are; here only the body is needed, and a plain client
//! (reqwest) handles proxies, redirects and all forms of HTTP.

mod source;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use webmill_capture::cut::Cut;

use reqwest::blocking::{Client, Response};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{StatusCode, Url};
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::{Cancel, Measure, Progress};
use webmill_shard::Input;
use xxhash_rust::xxh3::xxh3_64;

use source::RemoteFile;

/// Time for connecting, and for the next byte.
const STALL: Duration = Duration::from_secs(60);
/// Failures in a row after which a download is given up.
const RETRIES: u32 = 5;
/// Bytes after which a failure is the first one again.
const GAIN_BYTES: u64 = 1 << 20;
/// Pause after the first failure; it doubles.
const PAUSE: Duration = Duration::from_millis(250);
/// Longest pause that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Redirects that are followed.
const REDIRECTS: usize = 10;
/// Most bytes of an answer that does not announce its length.
const MOST_UNANNOUNCED: u64 = 64 << 30;
/// Longest name of a file.
const NAME_BYTES: usize = 150;

/// Where downloads lie in a folder of results.
pub const FOLDER: &str = ".downloads";

/// Whether an input is to be fetched: a URL of http or https, and no file of that name.
pub fn is_remote(input: &str) -> bool {
    let scheme = |name: &str| input.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    (scheme("http://") || scheme("https://")) && !Path::new(input).exists()
}

/// The inputs in their order, with those given by URL fetched into `folder`.
///
/// # Errors
/// [`Error::Io`] with the URL where it is none, or a server does not give the file; [`Error::Interrupted`].
pub fn fetched(
    inputs: &[String],
    folder: &Path,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Vec<String>> {
    if !inputs.iter().any(|input| is_remote(input)) {
        return Ok(inputs.to_vec());
    }
    let client = Downloader::new(progress, cancel)?;
    inputs.iter().map(|input| client.local(input, folder)).collect()
}

/// As [`fetched`], into the user's cache, for commands that have no folder of results; says where that is. What cannot be fetched is left
/// out, with an error for each: it is to them as a file that is missing.
///
/// # Errors
/// [`Error::Interrupted`]; as of [`Downloader::new`].
pub fn cached(inputs: &[String], cancel: &Cancel) -> Result<(Vec<String>, Vec<Error>)> {
    if !inputs.iter().any(|input| is_remote(input)) {
        return Ok((inputs.to_vec(), Vec::new()));
    }
    let folder = cache();
    crate::say!("downloads are kept in {}", folder.display());
    let console = crate::console::Console::new(false);
    let client = Downloader::new(&console, cancel)?;
    let (mut local, mut missing) = (Vec::new(), Vec::new());
    for input in inputs {
        match client.local(input, &folder) {
            Ok(path) => local.push(path),
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            Err(error) => missing.push(error),
        }
    }
    Ok((local, missing))
}

fn cache() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    home.unwrap_or_else(std::env::temp_dir).join("webmill/downloads")
}

/// As [`webmill_shard::discover`], with inputs given by URL [`cached`].
///
/// # Errors
/// As both; where nothing could be fetched and nothing else was named, the first reason.
pub fn discover(inputs: &[String], cancel: &Cancel) -> Result<(Vec<Input>, Vec<Error>)> {
    let (local, mut missing) = cached(inputs, cancel)?;
    if local.is_empty() && !missing.is_empty() {
        let first = missing.remove(0);
        missing.iter().for_each(|error| crate::say!("not read: {error}"));
        return Err(first);
    }
    let (mut found, errors) = webmill_shard::discover(&local)
        .inspect_err(|_| missing.iter().for_each(|error| crate::say!("not read: {error}")))?;
    name_by_url(&mut found, &cache());
    missing.extend(errors);
    Ok((found, missing))
}

/// Names downloads in `folder` that have one file name by `DIGEST/NAME`, which depends on the URL alone.
pub fn name_by_url(found: &mut [Input], folder: &Path) {
    for input in found.iter_mut().filter(|input| *input.name == *input.path.to_string_lossy()) {
        if let Ok(inside) = input.path.strip_prefix(folder) {
            input.name = inside.to_string_lossy().into();
        }
    }
}

/// A URL among the inputs as it is said: without a password.
pub fn said(input: &str) -> String {
    Url::parse(input).map_or_else(|_| input.to_owned(), |url| shown(&url))
}

/// The last part of the URL's path as the name of a file.
fn name_of(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-+=,~".contains(c) { c } else { '_' };
    let name: String = last.trim_start_matches('.').chars().map(plain).collect();
    match name.cut(name.len().saturating_sub(NAME_BYTES)..).trim_start_matches('.') {
        "" => "download".to_owned(),
        name => name.to_owned(),
    }
}

fn hidden(target: &Path, ending: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{ending}"))
}

/// Why an attempt failed.
enum FailedAttempt {
    /// It may be tried again, after so long where the server says that.
    Again(String, Option<Duration>),
    /// It may not.
    Final(Error),
}

impl From<Error> for FailedAttempt {
    fn from(error: Error) -> Self {
        FailedAttempt::Final(error)
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
            .redirect(Policy::none())
            .connect_timeout(STALL)
            // Of each wait for bytes, not of the whole.
            .timeout(STALL)
            .build()
            .map_err(|e| Error::Internal(format!("no HTTP client: {}", causes(&e))))?;
        Ok(Downloader { client, progress, cancel })
    }

    /// The path of an input: of a URL that to which it is fetched in `folder`.
    fn local(&self, input: &str, folder: &Path) -> Result<String> {
        if !is_remote(input) {
            return Ok(input.to_owned());
        }
        let no_url = |e| Error::io(input, std::io::Error::other(format!("not a URL: {e}")));
        let mut url = Url::parse(input).map_err(no_url)?;
        url.set_fragment(None);
        let target = folder.join(format!("{:016x}", xxh3_64(url.as_str().as_bytes()))).join(name_of(&url));
        self.get(&url, &target).inspect_err(|_| {
            // Only succeeds where nothing was kept.
            let _ = target.parent().map(std::fs::remove_dir);
        })?;
        Ok(target.to_string_lossy().into_owned())
    }

    /// Fetches `url` to `target`, whose folder is made; a file that is there and unchanged on the server is kept.
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
                let why = format!("another process is fetching it to {}", path.display());
                return Err(Error::io(&shown, std::io::Error::other(why)));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(&path, error)),
            Ok(()) => {}
        }
        let marks = hidden(target, "part.source");
        if let Err(error) = self.grow(url, &shown, (&path, &marks), &mut part) {
            if part.metadata().is_ok_and(|about| about.len() == 0) {
                // What cannot be removed is taken for a part without bytes, the next time.
                let _ = std::fs::remove_file(&marks);
                let _ = std::fs::remove_file(&path);
            }
            return Err(error);
        }
        part.sync_all().at(&path)?;
        // In this order: a file with marks of an earlier one is fetched again, marks of another file would be believed.
        std::fs::rename(&path, target).at(target)?;
        std::fs::rename(&marks, hidden(target, "source")).at(&marks)
    }

    /// Attempt after attempt, until `part` is whole. `paths` are its own and that of its marks.
    fn grow(&self, url: &Url, shown: &str, paths: (&Path, &Path), part: &mut File) -> Result<()> {
        let (mut failures, mut most) = (0, part.metadata().at(paths.0)?.len());
        loop {
            self.cancel.check()?;
            let (why, wait) = match self.attempt(url, shown, paths, part) {
                Ok(()) => return Ok(()),
                Err(FailedAttempt::Final(error)) => return Err(error),
                Err(FailedAttempt::Again(why, wait)) => (why, wait.unwrap_or_default()),
            };
            let there = part.metadata().at(paths.0)?.len();
            failures = if there >= most.saturating_add(GAIN_BYTES) { 1 } else { failures + 1 };
            most = most.max(there);
            if failures > RETRIES {
                let why = format!("{why}; given up after {failures} attempts, run again to go on");
                return Err(Error::io(shown, std::io::Error::other(why)));
            }
            self.progress.note(&format!("{shown}: {why}; tried again"));
            let until = Instant::now() + wait.min(LONGEST_WAIT).max(PAUSE * (1 << (failures - 1)));
            while let Some(left) = until.checked_duration_since(Instant::now()) {
                self.cancel.check()?;
                std::thread::sleep(left.min(PAUSE));
            }
        }
    }

    /// The answer behind redirects; else why there is none, and whether there may be one later.
    fn answer(&self, url: &Url, headers: &HeaderMap) -> Result<Response, (String, bool)> {
        let mut at = url.clone();
        for _ in 0..=REDIRECTS {
            let answer = self.client.get(at.clone()).headers(headers.clone()).send();
            let answer = answer.map_err(|error| (causes(&error), !error.is_builder()))?;
            let is_redirect = matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308);
            let Some(to) = answer.headers().get(header::LOCATION).filter(|_| is_redirect) else {
                return Ok(answer);
            };
            let to = String::from_utf8_lossy(to.as_bytes());
            let next = at.join(&to).ok().filter(|next| ["http", "https"].contains(&next.scheme()));
            let mut next =
                next.ok_or_else(|| (format!("redirected to {to}, which is not followed"), false))?;
            if next.origin() == at.origin() && next.username().is_empty() {
                // Only fails for URLs without a host.
                let _ = next.set_username(at.username()).and_then(|()| next.set_password(at.password()));
            }
            at = next;
        }
        Err((format!("too many redirects: more than {REDIRECTS}"), false))
    }

    /// Whether the file that is there needs no fetching: it is the server's, or the server cannot say.
    fn is_current(&self, url: &Url, shown: &str, target: &Path) -> bool {
        let known = RemoteFile::read(&hidden(target, "source"), shown);
        let mut headers = HeaderMap::new();
        for (name, mark) in
            [(header::IF_NONE_MATCH, &known.etag), (header::IF_MODIFIED_SINCE, &known.last_modified)]
        {
            headers.extend(mark.as_deref().and_then(|mark| Some((name, mark.parse().ok()?))));
        }
        let why = match self.answer(url, &headers) {
            Ok(answer) if answer.status() == StatusCode::NOT_MODIFIED && known.has_marks() => {
                "has not changed".to_owned()
            }
            Ok(answer) if answer.status().is_success() => {
                let now = RemoteFile::of(shown, answer.headers());
                if !known.agrees(&now) {
                    let unknown = !known.has_marks() || !now.has_marks();
                    let why = if unknown { "may have changed" } else { "has changed" };
                    self.progress.note(&format!("{shown}: {why} and is fetched anew"));
                    return false;
                }
                "has not changed".to_owned()
            }
            Ok(answer) => format!("answers {} now", answer.status()),
            Err((why, _)) => format!("cannot be asked ({why})"),
        };
        self.progress.note(&format!("{shown}: {why}; the copy that is there is taken"));
        true
    }

    /// One connection: `part` grows to the whole, or as far as it comes.
    fn attempt(
        &self,
        url: &Url,
        shown: &str,
        (path, marks): (&Path, &Path),
        part: &mut File,
    ) -> Result<(), FailedAttempt> {
        let mut source = RemoteFile::read(marks, shown);
        let mut at = part.metadata().at(path)?.len();
        let usable = source.mark().is_some() && source.bytes.is_none_or(|bytes| at <= bytes);
        if !usable {
            at = 0;
        }
        if at > 0 && source.bytes == Some(at) {
            return Ok(());
        }
        let mut headers =
            HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"))]);
        let range = format!("bytes={at}-").parse();
        if let (Some(Ok(mark)), Ok(range), true) = (source.mark().map(str::parse), range, at > 0) {
            headers.extend([(header::RANGE, range), (header::IF_RANGE, mark)]);
        }
        let mut answer = self.answer(url, &headers).map_err(|(why, again)| failed(shown, why, again))?;
        match answer.status() {
            StatusCode::PARTIAL_CONTENT if at > 0 && goes_on(&answer, at, &source) => {}
            StatusCode::OK => {
                // No bytes ever stand beside marks of others.
                part.set_len(0).at(path)?;
                at = 0;
                source = RemoteFile::of(shown, answer.headers());
                source.keep(marks)?;
            }
            StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::PARTIAL_CONTENT if at > 0 => {
                part.set_len(0).at(path)?;
                return Err(FailedAttempt::Again(
                    "the server does not go on with what is there".into(),
                    None,
                ));
            }
            status => return Err(unanswered(shown, status, answer.headers())),
        }
        part.seek(SeekFrom::Start(at)).at(path)?;
        self.progress.begin(
            "fetch",
            source.bytes.map_or(0, |bytes| bytes.saturating_sub(at)),
            Measure::Bytes,
        );
        let most = source.bytes.unwrap_or(MOST_UNANNOUNCED).saturating_sub(at);
        let copied = self.copy(&mut answer, part, path, most);
        self.progress.end();
        copied?;
        let there = part.metadata().at(path)?.len();
        match source.bytes {
            Some(bytes) if there != bytes => Err(FailedAttempt::Again(
                format!("the connection ended after {there} of {bytes} bytes"),
                None,
            )),
            Some(_) => Ok(()),
            None => Ok(RemoteFile { bytes: Some(there), ..source }.keep(marks)?),
        }
    }

    /// Copies at most `most` bytes of an answer.
    fn copy(
        &self,
        answer: &mut Response,
        part: &mut File,
        path: &Path,
        most: u64,
    ) -> Result<(), FailedAttempt> {
        let mut buffer = vec![0; 1 << 16];
        let mut copied = 0;
        loop {
            self.cancel.check()?;
            let n = answer.read(&mut buffer).map_err(|e| FailedAttempt::Again(causes(&e), None))?;
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

/// Whether an answer begins at byte `at` of the file that `source` is of.
fn goes_on(answer: &Response, at: u64, source: &RemoteFile) -> bool {
    let name: HeaderName = header::CONTENT_RANGE;
    let range = answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Some((range, total)) = range.strip_prefix("bytes ").and_then(|range| range.split_once('/')) else {
        return false;
    };
    let first = range.split('-').next().and_then(|first| first.trim().parse().ok());
    first == Some(at)
        && (source.bytes.is_none() || total.trim().parse().ok() == source.bytes)
        && source.goes_on_in(&RemoteFile::of(&source.url, answer.headers()))
}

/// Why an answer of this status gives nothing.
fn unanswered(shown: &str, status: StatusCode, headers: &HeaderMap) -> FailedAttempt {
    let why = format!("the server answers {status}");
    if ![StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&status) {
        return failed(shown, why, status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT);
    }
    let seconds = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    FailedAttempt::Again(why, seconds.map(Duration::from_secs))
}

fn failed(shown: &str, why: String, again: bool) -> FailedAttempt {
    if again { FailedAttempt::Again(why, None) } else { refused(shown, why) }
}

fn refused(shown: &str, why: String) -> FailedAttempt {
    FailedAttempt::Final(Error::io(shown, std::io::Error::other(why)))
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
