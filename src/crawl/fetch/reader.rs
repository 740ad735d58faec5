//! Finds where an HTTP/1.1 response begins and ends, in bytes as they arrive.
//!
//! Each fetch (`http1`) feeds it the bytes of its connection; they are stored exactly as they came.
//!
//! The reader owns what was received and keeps it as it is; it only finds borders in it. Its result does not depend on
//! how the bytes were cut into reads. It is as lenient as [`webmill_capture::Response`], and draws the same border
//! between head and body: lines that end with LF alone, lines without a colon, folded lines, a head without an empty
//! line before `<`.
//!
//! The end of the body (RFC 9112, section 6.3): none after HEAD, 204 and 304; the last chunk and its trailers; the declared
//! length; else the end of the connection. Lengths that contradict each other or are no numbers count as none, and a
//! body that says chunked and is not is read to the end of the connection.
//!
//! Cost: linear; each byte of head and chunk lines is looked at once, data of chunks not at all.

use webmill_capture::Response;
use webmill_capture::response::MAX_HEAD_BYTES;

/// Longest line of a chunk size, as in [`webmill_capture::chunked`].
const MAX_CHUNK_LINE: usize = 4096;
/// Longest run of trailers.
const MAX_TRAILER_BYTES: usize = 64 * 1024;

/// What the bytes so far come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// More is needed.
    More,
    /// The head is whole and the body begins; said once.
    Head,
    /// The response is whole.
    Done,
}

/// What a response cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The head has no end within the limit.
    HeadTooLong,
    /// The data are no HTTP/1 message, and HTTP/0.9 was not allowed.
    NotHttp,
}

impl Fault {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Fault::HeadTooLong => "the head is longer than 256 KiB",
            Fault::NotHttp => "no status line",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the head: start of the line that is being read, and how far it was searched.
    Head {
        line: usize,
        searched: usize,
    },
    /// After a head, on the way to the end.
    Body(Body),
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// To an offset; `u64` because a server may promise anything.
    Until(u64),
    /// To the end of the connection.
    Close,
    /// In the line of a chunk size that begins at `line`.
    ChunkLine { line: usize, searched: usize },
    /// In the data of a chunk that ends at an offset.
    ChunkData { end: u64 },
    /// In the trailers that begin at `start`; the line at `line`.
    Trailers { start: usize, line: usize, searched: usize },
}

/// Incremental reader of one response.
#[derive(Debug)]
pub struct Reader {
    /// All that was received of the final response, and what came after it.
    pub raw: Vec<u8>,
    state: State,
    head_len: usize,
    end: usize,
    interim: usize,
    status: u16,
    keep_alive: bool,
    http09: bool,
    bodiless: bool,
}

impl Reader {
    /// A reader over an empty buffer. `http09`: data without a status line are taken as a body.
    pub fn new(raw: Vec<u8>, http09: bool) -> Reader {
        Reader {
            raw,
            state: State::Head { line: 0, searched: 0 },
            head_len: 0,
            end: 0,
            interim: 0,
            status: 200,
            keep_alive: false,
            http09,
            bodiless: false,
        }
    }

    /// The response is one to HEAD: its head is all of it, whatever it says of a body.
    pub fn expect_head_only(&mut self) {
        self.bodiless = true;
    }

    /// Length of the head with its empty line; 0 until there is one, and for HTTP/0.9.
    pub fn head_len(&self) -> usize {
        self.head_len
    }

    /// Status; 200 where the server sent none, as in browsers.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Whether a head was read.
    pub fn has_head(&self) -> bool {
        !matches!(self.state, State::Head { .. })
    }

    /// Where the response ends, once it is whole.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Whether only the end of the connection ends the body.
    pub fn ends_with_connection(&self) -> bool {
        self.state == State::Body(Body::Close)
    }

    /// Whether the connection can carry another response: this one is whole, nothing came after it, and the server
    /// wants it so.
    pub fn reusable(&self) -> bool {
        self.keep_alive && self.state == State::Done && self.raw.len() == self.end
    }

    /// Cuts off what came after the response.
    pub fn trim(&mut self) {
        if self.state == State::Done {
            self.raw.truncate(self.end);
        }
    }

    /// How many bytes the body is still going to have, as far as it says.
    pub fn expected(&self) -> u64 {
        let have = self.raw.len() as u64;
        match self.state {
            State::Body(Body::Until(end) | Body::ChunkData { end }) => end.saturating_sub(have),
            _ => 0,
        }
    }

    /// Whether the length of the body is declared.
    pub fn has_length(&self) -> bool {
        matches!(self.state, State::Body(Body::Until(_)))
    }

    /// Looks at what was appended to `raw`.
    ///
    /// # Errors
    /// A [`Fault`]: nothing can be made of the data.
    pub fn advance(&mut self) -> Result<Progress, Fault> {
        loop {
            match self.state {
                State::Head { .. } => {
                    if !self.find_head()? {
                        return Ok(Progress::More);
                    }
                    if self.state == State::Done {
                        return Ok(Progress::Done);
                    }
                    if self.has_head() {
                        return Ok(Progress::Head);
                    }
                }
                State::Body(body) => {
                    return Ok(if self.body(body) { Progress::Done } else { Progress::More });
                }
                State::Done => return Ok(Progress::Done),
            }
        }
    }

    /// The connection has ended. Returns whether the response is whole; without [`Reader::has_head`] there is none.
    pub fn finish(&mut self) -> bool {
        match self.state {
            State::Done => true,
            State::Head { .. } => {
                if self.http09 && !self.raw.is_empty() && starts_with_http(&self.raw) == Some(false) {
                    self.set_http09();
                    self.end = self.raw.len();
                    self.state = State::Done;
                }
                self.state == State::Done
            }
            State::Body(body) => {
                self.end = self.raw.len();
                self.keep_alive = false;
                // After the last chunk nothing is missing but an empty line.
                let whole = matches!(body, Body::Close | Body::Trailers { .. });
                self.state = State::Done;
                whole
            }
        }
    }

    /// Finds the end of a head; `false`: more data are needed. Interim responses are taken out of the buffer.
    fn find_head(&mut self) -> Result<bool, Fault> {
        let State::Head { mut line, mut searched } = self.state else { return Ok(true) };
        // Empty lines before the message.
        if line == 0 {
            let blank = self.raw.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            match starts_with_http(&self.raw[blank..]) {
                None if self.raw.len() + self.interim > MAX_HEAD_BYTES => return Err(Fault::HeadTooLong),
                None => return Ok(false),
                Some(false) if self.http09 => {
                    self.set_http09();
                    self.state = State::Body(Body::Close);
                    return Ok(true);
                }
                Some(false) => return Err(Fault::NotHttp),
                Some(true) => {}
            }
            // The status line itself is no place where a head ends.
            let Some(at) = memchr::memchr(b'\n', &self.raw[blank..]) else {
                return self.head_limit(self.raw.len()).map(|()| false);
            };
            line = blank + at + 1;
            searched = line;
        }
        let end = loop {
            if self.raw.get(line) == Some(&b'<') {
                break line;
            }
            let Some(at) = memchr::memchr(b'\n', &self.raw[searched..]) else {
                self.state = State::Head { line, searched: self.raw.len() };
                return self.head_limit(self.raw.len()).map(|()| false);
            };
            let next = searched + at + 1;
            let text = &self.raw[line..next - 1];
            let empty = matches!(text, [] | [b'\r'] | [b'\r', b'\r']);
            (line, searched) = (next, next);
            self.head_limit(line)?;
            if empty {
                break line;
            }
        };
        self.state = State::Head { line, searched };
        self.head(end);
        Ok(true)
    }

    fn head_limit(&self, length: usize) -> Result<(), Fault> {
        if length + self.interim > MAX_HEAD_BYTES { Err(Fault::HeadTooLong) } else { Ok(()) }
    }

    /// Reads a whole head and decides how the body is framed.
    fn head(&mut self, end: usize) {
        let response = Response::parse(&self.raw[..end]);
        let status = response.status.unwrap_or(200);
        if matches!(status, 100 | 102..=199) {
            self.raw.drain(..end);
            self.interim += end;
            self.state = State::Head { line: 0, searched: 0 };
            return;
        }
        let fields = Fields::read(&response);
        self.status = status;
        self.head_len = end;
        self.end = end;
        let modern = response.version.len() == 8
            && response.version[..5].eq_ignore_ascii_case(b"HTTP/")
            && response.version[5] >= b'1'
            && &response.version[5..] != b"1.0";
        self.keep_alive = !fields.close && (modern || fields.keep_alive) && status != 101;
        let close = |reader: &mut Reader| {
            reader.keep_alive = false;
            State::Body(Body::Close)
        };
        self.state = if self.bodiless || matches!(status, 101 | 204 | 304) {
            State::Done
        } else if fields.chunked {
            // An HTTP/1.0 server does not know chunks; what it sends may be stored ones of another.
            self.keep_alive &= modern && !fields.lengths;
            State::Body(Body::ChunkLine { line: end, searched: end })
        } else if fields.coded {
            close(self)
        } else {
            match fields.length {
                Some(0) => State::Done,
                Some(length) => State::Body(Body::Until(length.saturating_add(end as u64))),
                None => close(self),
            }
        };
    }

    fn set_http09(&mut self) {
        self.status = 200;
        self.head_len = 0;
        self.keep_alive = false;
    }

    /// Goes on in the body; `true`: it is whole.
    fn body(&mut self, mut body: Body) -> bool {
        loop {
            match self.step(body) {
                Step::On(next) => body = next,
                Step::Wait(next) => {
                    if next == Body::Close {
                        self.keep_alive = false;
                    }
                    self.state = State::Body(next);
                    return false;
                }
                Step::End(end) => {
                    self.end = end;
                    self.state = State::Done;
                    return true;
                }
            }
        }
    }

    fn step(&self, body: Body) -> Step {
        match body {
            Body::Close => Step::Wait(body),
            Body::Until(end) => match usize::try_from(end) {
                Ok(end) if end <= self.raw.len() => Step::End(end),
                _ => Step::Wait(body),
            },
            Body::ChunkLine { line, searched } => self.chunk_line(line, searched),
            Body::ChunkData { end } => self.chunk_data(end),
            Body::Trailers { start, line, searched } => self.trailer(start, line, searched),
        }
    }

    fn chunk_line(&self, line: usize, searched: usize) -> Step {
        let window = self.raw.len().min(line + MAX_CHUNK_LINE);
        let Some(at) = memchr::memchr(b'\n', &self.raw[searched..window]) else {
            let long = window - line >= MAX_CHUNK_LINE;
            return Step::Wait(if long { Body::Close } else { Body::ChunkLine { line, searched: window } });
        };
        let next = searched + at + 1;
        Step::On(match chunk_size(&self.raw[line..next - 1]) {
            Some(0) => Body::Trailers { start: next, line: next, searched: next },
            Some(size) => Body::ChunkData { end: size.saturating_add(next as u64) },
            None => Body::Close,
        })
    }

    fn chunk_data(&self, data_end: u64) -> Step {
        let wait = Step::Wait(Body::ChunkData { end: data_end });
        let Some(end) = usize::try_from(data_end).ok().filter(|end| *end < self.raw.len()) else {
            return wait;
        };
        match &self.raw[end..] {
            [b'\r', b'\n', ..] => Step::On(Body::ChunkLine { line: end + 2, searched: end + 2 }),
            [b'\n', ..] => Step::On(Body::ChunkLine { line: end + 1, searched: end + 1 }),
            [b'\r'] => wait,
            // The size was wrong: there is no telling where the body ends.
            _ => Step::On(Body::Close),
        }
    }

    fn trailer(&self, start: usize, line: usize, searched: usize) -> Step {
        let Some(at) = memchr::memchr(b'\n', &self.raw[searched..]) else {
            let long = self.raw.len() - start > MAX_TRAILER_BYTES;
            let searched = self.raw.len();
            return Step::Wait(if long { Body::Close } else { Body::Trailers { start, line, searched } });
        };
        let next = searched + at + 1;
        if matches!(&self.raw[line..next - 1], [] | [b'\r']) {
            return Step::End(next);
        }
        let long = next - start > MAX_TRAILER_BYTES;
        Step::On(if long { Body::Close } else { Body::Trailers { start, line: next, searched: next } })
    }
}

/// What comes next in a body.
enum Step {
    /// This part.
    On(Body),
    /// More bytes, then this part.
    Wait(Body),
    /// Nothing: it ends here.
    End(usize),
}

/// What the headers say about framing.
#[derive(Default)]
struct Fields {
    chunked: bool,
    /// There is a transfer coding, and it is not chunked at last.
    coded: bool,
    /// There is a Content-Length, of whatever kind.
    lengths: bool,
    length: Option<u64>,
    close: bool,
    keep_alive: bool,
}

impl Fields {
    fn read(response: &Response<'_>) -> Fields {
        let mut fields = Fields::default();
        let mut contradiction = false;
        for (name, value) in response.headers() {
            if name.eq_ignore_ascii_case(b"content-length") {
                fields.lengths = true;
                for one in value.split(|b| *b == b',') {
                    // Some servers send the zero that ends their text; browsers take what stands before it.
                    let one = one.split(|b| *b == 0).next().unwrap_or_default();
                    match length(one.trim_ascii()) {
                        Some(length) if fields.length.is_none_or(|l| l == length) => {
                            fields.length = Some(length);
                        }
                        _ => contradiction = true,
                    }
                }
            } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                let last = value.rsplit(|b| *b == b',').map(<[u8]>::trim_ascii).find(|one| !one.is_empty());
                if let Some(last) = last {
                    let coding = last.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
                    fields.chunked = coding.eq_ignore_ascii_case(b"chunked");
                    fields.coded = !fields.chunked && !coding.eq_ignore_ascii_case(b"identity");
                }
            } else if name.eq_ignore_ascii_case(b"connection") {
                for one in value.split(|b| *b == b',').map(<[u8]>::trim_ascii) {
                    fields.close |= one.eq_ignore_ascii_case(b"close");
                    fields.keep_alive |= one.eq_ignore_ascii_case(b"keep-alive");
                }
            }
        }
        if contradiction {
            fields.length = None;
        }
        fields
    }
}

/// A length in digits, nothing else.
fn length(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Size in the line of a chunk.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
    if digits.is_empty() || digits.len() > 16 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Whether the data begin a message with a status line; `None`: too short to tell.
fn starts_with_http(data: &[u8]) -> Option<bool> {
    let begins = |word: &[u8]| {
        let n = data.len().min(word.len());
        data[..n].eq_ignore_ascii_case(&word[..n]).then_some(n == word.len())
    };
    let icy =
        || data[..data.len().min(4)].iter().zip(b"ICY ").all(|(a, b)| a == b).then_some(data.len() >= 4);
    match (begins(b"HTTP/"), icy()) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (None, None) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
