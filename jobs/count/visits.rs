//! `webmill count visits`: how often the pages of a server were asked for, by its logs.
//!
//! **Definition.** A visit is a line of an access log ([`mod@line`]) with method GET and status 200 to 299 or 304. Its page is the canonical URL of the target; a
//! target without a host belongs to the host that is set. Lines that are none are damaged records, held against `--max-bad`; the others that do
//! not count are counted by reason. Among these is `bad-request`: the line is whole, but what the client sent is no request of HTTP (`"-" 408`,
//! bytes of TLS), as every server on the Internet gets it.
//!
//! **Algorithm.** A file is read, unpacked where it is gzip, and cut behind lines into pieces that threads map.

#![allow(rustdoc::bare_urls, reason = "what is said of a setting stands on a page of Markdown as it is here")]

pub mod line;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::mapreduce::{Count, MapReduce};
use flate2::read::MultiGzDecoder;
use rayon::prelude::*;
use webmill_capture::error::AtPath;
use webmill_capture::{CanonicalUrl, Error, Result, settings};
use webmill_run::{Committed, Job, Reject, Stage};
use webmill_table::{schema, table};

use super::engine::{Engine, Tally};
use super::{CountInput, named_files};
use crate::job::Context;
use crate::recipe::Settings;
use crate::registry::JobEntry;
use line::{LogLine, Wrong};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry::of_request::<CountVisits>(
    "Count the visits of pages by access logs of their servers",
    || vec![schema::<VisitsRow>()],
    count_visits,
);

table! {
    /// One row per URL that was asked for with success, by the logs of its server.
    VisitsRow = "count_visits" sorted by [url_sortkey] {
        url_sortkey: String = "SURT form of the URL", "cn,edu,pku)/news/1.html";
        url: String = "canonical URL", "http://pku.edu.cn/news/1.html";
        visits: u64 = "requests by GET that were answered with 200 to 299 or 304", "812";
    }
}

settings! {
    /// Settings of the job.
    pub struct CountVisits {
        /// Logs: files, and folders of them; gzip is unpacked.
        #[serde(skip_serializing)]
        pub logs: Vec<String> = Vec::new();
        /// Host for targets in the logs that have none, such as www.example.org or https://www.example.org.
        pub host: String = String::new();
    }
}

impl Settings for CountVisits {
    const TABLE: &'static str = "count-visits";

    fn check(&self) -> Result<()> {
        self.origin().map(drop)
    }
}

impl CountVisits {
    /// What stands before a target without a host; `None` where no host is set.
    fn origin(&self) -> Result<Option<String>> {
        if self.host.is_empty() {
            return Ok(None);
        }
        let whole =
            if self.host.contains("://") { self.host.clone() } else { format!("http://{}", self.host) };
        let whole = whole.trim_end_matches('/').to_owned();
        let url = CanonicalUrl::parse(&whole).filter(|url| url.is_web() && url.path_and_query() == "/");
        url.map(|_| Some(whole)).ok_or_else(|| Error::Config(format!("host: {:?} is no host", self.host)))
    }

    /// The URL that a line counts for, or why it counts for none; `origin` is what stands before a target without a host.
    fn visited(line: &LogLine<'_>, origin: Option<&str>) -> std::result::Result<CanonicalUrl, &'static str> {
        if line.method != "GET" {
            return Err("other-method");
        }
        if !matches!(line.status, 200..=299 | 304) {
            return Err("other-status");
        }
        let url = match (line.target.starts_with('/'), origin) {
            (true, Some(origin)) => CanonicalUrl::parse(&format!("{origin}{}", line.target)),
            (true, None) => return Err("no-host"),
            (false, _) => CanonicalUrl::parse(&line.target),
        };
        url.filter(CanonicalUrl::is_web).ok_or("no-url")
    }
}

/// Visits by URL.
pub struct Visits;

impl MapReduce for Visits {
    type Page<'p> = CanonicalUrl;
    type Key<'k> = (std::borrow::Cow<'k, str>, &'k str);
    type Value = Count;
    type Out = VisitsRow;
    const COMBINES: bool = true;

    fn map(&self, url: &CanonicalUrl, emit: &mut dyn FnMut(Self::Key<'_>, Count)) {
        emit((url.surt().into(), url.as_str()), Count(1));
    }

    fn combine(&self, into: &mut Count, next: Count) {
        into.0 += next.0;
    }

    fn reduce(
        &self,
        (surt, url): Self::Key<'_>,
        values: &mut dyn Iterator<Item = Count>,
        emit: &mut dyn FnMut(VisitsRow),
    ) {
        let visits = values.map(|count| count.0).sum();
        emit(VisitsRow { url_sortkey: surt.into_owned(), url: url.to_owned(), visits });
    }
}

/// Counts the visits of the logs that the context's settings name.
///
/// # Errors
/// What the job meets; [`Error::Config`] where there are no logs.
pub fn count_visits(context: &Context<'_>) -> Result<Option<Committed>> {
    let job = context.settings::<CountVisits>()?;
    if job.logs.is_empty() {
        return Err(Error::Config("[count-visits] names no logs: webmill count visits LOG".into()));
    }
    context.run(&job, &CountInput::Files(named_files(&job.logs, context.runtime.cancel)?))
}

impl Job for CountVisits {
    type Input = CountInput;
    const NAME: &'static str = "count-visits";
    const VERSION: u32 = 3;
    const READS_RECORDS: bool = true;

    fn run(&self, input: &CountInput, stage: &Stage<'_>) -> Result<()> {
        let origin = self.origin()?;
        let CountInput::Files(inputs) = input else {
            return Err(Error::Internal("visits are counted in files".into()));
        };
        let engine = Engine { stage, kernel: &Visits, name: "", parts: 1 };
        let mut shuffles = Vec::new();
        for (number, (path, file)) in inputs.paths.iter().zip(&inputs.files).enumerate() {
            shuffles.push(engine.map_unit(number, |mapper, unit| {
                let mut total = Tally::default();
                let mut pieces = Pieces::open(path)?;
                loop {
                    stage.cancel.check()?;
                    let ready = pieces.some(rayon::current_num_threads())?;
                    if ready.is_empty() {
                        break;
                    }
                    let counted = ready.par_iter().map(|(offset, piece)| {
                        mapper.with(|side| Self::piece(piece, *offset, &file.name, origin.as_deref(), side))
                    });
                    for (tally, bad) in counted.collect::<Result<Vec<_>>>()? {
                        total.merge(tally);
                        bad.into_iter().for_each(|reject| unit.damaged(reject));
                    }
                }
                unit.read_bytes(pieces.offset);
                if let Some(cut) = pieces.broken {
                    unit.unreadable(&file.name);
                    unit.damaged(Reject {
                        reason: "unreadable-file".into(),
                        shard: file.name.clone(),
                        offset: pieces.offset,
                        bytes_lost: 0,
                        detail: cut,
                    });
                }
                Ok(total)
            })?);
        }
        engine.reduce_table(&shuffles, |row, write| write(row))?;
        Ok(())
    }
}

impl CountVisits {
    /// Counts the lines of a piece that begins at `offset` of its file, unpacked.
    fn piece(
        piece: &[u8],
        offset: u64,
        name: &str,
        origin: Option<&str>,
        side: &mut crate::mapreduce::MapSide<'_, Visits>,
    ) -> Result<(Tally, Vec<Reject>)> {
        let (mut tally, mut bad) = (Tally::default(), Vec::new());
        let mut at = offset;
        for bytes in piece.split_inclusive(|byte| *byte == b'\n') {
            let here = at;
            at += bytes.len() as u64;
            let text = String::from_utf8_lossy(bytes);
            let text = text.trim_end_matches(['\n', '\r']);
            if text.is_empty() {
                continue;
            }
            match LogLine::parse(text) {
                Err(Wrong::Format) => {
                    tally.read += 1;
                    bad.push(Reject {
                        reason: "bad-line".into(),
                        shard: name.to_owned(),
                        offset: here,
                        bytes_lost: bytes.len() as u64,
                        detail: crate::inputs::clip(text, 200),
                    });
                }
                Err(Wrong::Request) => tally.note(Err("bad-request")),
                Ok(line) => match Self::visited(&line, origin) {
                    Ok(url) => {
                        tally.note(Ok("visits"));
                        side.map(&url)?;
                    }
                    Err(reason) => tally.note(Err(reason)),
                },
            }
        }
        Ok((tally, bad))
    }
}

/// Bytes of a piece, about.
const PIECE: usize = 4 << 20;
/// Bytes of a line at most; a longer one is cut there, and its rest is a line that is none.
const LONGEST: usize = 64 << 20;

/// Pieces of a file that end with lines.
struct Pieces {
    reader: Box<dyn Read>,
    /// Bytes handed out, unpacked.
    offset: u64,
    held: Vec<u8>,
    ended: bool,
    /// Why the file could not be read to its end.
    broken: Option<String>,
}

impl Pieces {
    fn open(path: &Path) -> Result<Pieces> {
        let mut file = BufReader::with_capacity(1 << 20, File::open(path).at(path)?);
        let is_gzip = std::io::BufRead::fill_buf(&mut file).at(path)?.starts_with(&[0x1f, 0x8b]);
        let reader: Box<dyn Read> =
            if is_gzip { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
        Ok(Pieces { reader, offset: 0, held: Vec::new(), ended: false, broken: None })
    }

    /// The next `count` pieces, each with its offset; fewer at the end.
    fn some(&mut self, count: usize) -> Result<Vec<(u64, Vec<u8>)>> {
        let mut pieces = Vec::new();
        while pieces.len() < count && !(self.ended && self.held.is_empty()) {
            let mut piece = std::mem::take(&mut self.held);
            let end = loop {
                if !self.ended && piece.len() < PIECE {
                    self.fill(&mut piece, PIECE);
                }
                if let Some(line) = memchr::memrchr(b'\n', &piece) {
                    break line + 1;
                }
                if self.ended || piece.len() >= LONGEST {
                    break piece.len();
                }
                let more = 2 * piece.len().max(PIECE);
                self.fill(&mut piece, more);
            };
            let end = if self.ended { piece.len() } else { end };
            self.held = piece.split_off(end);
            let offset = self.offset;
            self.offset += piece.len() as u64;
            if !piece.is_empty() {
                pieces.push((offset, piece));
            }
        }
        Ok(pieces)
    }

    fn fill(&mut self, piece: &mut Vec<u8>, bytes: usize) {
        let want = (bytes - piece.len()) as u64;
        match self.reader.by_ref().take(want).read_to_end(piece) {
            Ok(read) => self.ended = (read as u64) < want,
            Err(error) => {
                self.ended = true;
                self.broken = Some(error.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_count_for_canonical_urls_or_are_left_out() {
        let job = CountVisits { host: "WWW.Example.org".into(), ..CountVisits::default() };
        let origin = job.origin().unwrap();
        let visited = |request: &str, status: u16, origin: Option<&str>| {
            let line = format!(r#"h - - [t] "{request}" {status} 1 "-" "Browser""#);
            CountVisits::visited(&LogLine::parse(&line).unwrap(), origin).map(CanonicalUrl::into_string)
        };
        for (request, status, want) in [
            ("GET /a/../b HTTP/1.1", 200, Ok("http://www.example.org/b".into())),
            ("GET http://other.example/ HTTP/1.1", 304, Ok("http://other.example/".into())),
            ("POST / HTTP/1.1", 200, Err("other-method")),
            ("GET / HTTP/1.1", 404, Err("other-status")),
            ("GET * HTTP/1.1", 200, Err("no-url")),
        ] {
            assert_eq!(visited(request, status, origin.as_deref()), want, "{request}");
        }
        assert_eq!(visited("GET / HTTP/1.1", 200, None), Err("no-host"));
        for host in ["a b", "http://", "http://a/b"] {
            let wrong = CountVisits { host: host.into(), ..CountVisits::default() };
            assert!(wrong.check().is_err(), "{host}");
        }
    }

    proptest! {
        #[test]
        fn pieces_are_the_file(lines in prop::collection::vec("[a-z]{0,30}", 0..60), gzip: bool) {
            use std::io::Write;
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log");
            let text = lines.join("\n");
            let mut file = File::create(&path).unwrap();
            if gzip {
                let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
                out.write_all(text.as_bytes()).unwrap();
                out.finish().unwrap();
            } else {
                file.write_all(text.as_bytes()).unwrap();
            }
            let mut pieces = Pieces::open(&path).unwrap();
            let mut all = Vec::new();
            loop {
                let some = pieces.some(2).unwrap();
                if some.is_empty() { break; }
                for (offset, piece) in some {
                    prop_assert_eq!(offset, all.len() as u64);
                    all.extend(piece);
                }
            }
            prop_assert_eq!(all, text.into_bytes());
        }
    }
}
