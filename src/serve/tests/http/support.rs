//! A small archive, a server about it, and a client that hides nothing.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use webmill_capture::cut::Cut;

use tempfile::TempDir;
use webmill_capture::urlkey::url_key;
use webmill_serve::index::store::Store;
use webmill_serve::index::{Entry, Timestamp};
use webmill_serve::{Archive, Collection, Options, Server, ShardFiles};

/// The key of the archive's indexes.
pub fn key(url: &str) -> String {
    url_key(url)
}

/// A server on a port of its own, until it is dropped.
pub struct Running {
    pub address: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// Serves an archive.
pub fn serve(archive: Archive, options: Options) -> Running {
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), archive, options).unwrap();
    let address = server.address();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let thread = std::thread::spawn(move || {
        server
            .run_blocking(2, async {
                let _ = stopped.await;
            })
            .unwrap();
    });
    Running { address, stop: Some(stop), thread: Some(thread) }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Whether the body came to its end.
    pub whole: bool,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Lines of the body.
    pub fn lines(&self) -> Vec<String> {
        self.text().lines().map(str::to_owned).collect()
    }
}

impl Running {
    pub fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, &[], b"")
    }

    pub fn with(&self, target: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask("GET", target, headers, b"")
    }

    pub fn post(&self, target: &str, body: &str) -> Answer {
        self.ask("POST", target, &[], body.as_bytes())
    }

    pub fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{method} {target} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if method == "POST" {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.send(&[head.as_bytes(), b"\r\n", body].concat(), method == "HEAD")
    }

    /// Sends bytes and reads one answer.
    pub fn send(&self, request: &[u8], head_only: bool) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // A server that refuses early closes before all is sent.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        parse(&bytes, head_only)
    }
}

pub fn parse(bytes: &[u8], head_only: bool) -> Answer {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or_else(|| {
        panic!("no head in {:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(300)]))
    });
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut answer = Answer { status, headers, body: Vec::new(), whole: true };
    let mut rest = &bytes[end + 4..];
    if answer.header("transfer-encoding").is_some() {
        answer.whole = false;
        while let Some(at) = rest.windows(2).position(|w| w == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
            if size == 0 {
                answer.whole = true;
                break;
            }
            if rest.len() < at + 2 + size {
                break;
            }
            answer.body.extend_from_slice(&rest[at + 2..at + 2 + size]);
            rest = rest.get(at + 4 + size..).unwrap_or_default();
        }
    } else {
        answer.body = rest.to_vec();
        if let Some(length) = answer.header("content-length") {
            answer.whole = head_only || rest.len() == length.parse::<usize>().unwrap();
        }
    }
    answer
}

/// A capture of the test archive: time, type, URL, HTTP answer, further WARC fields.
pub struct Stored {
    pub time: u64,
    pub kind: &'static str,
    pub url: &'static str,
    pub http: Vec<u8>,
    pub fields: &'static str,
    pub digest: &'static str,
}

/// Writes captures into a WARC and gives their entries.
pub fn write_warc(path: &std::path::Path, captures: &[Stored]) -> Vec<Entry<'static>> {
    let mut bytes = Vec::new();
    let mut entries = Vec::new();
    for capture in captures {
        let t = capture.time.to_string();
        let date = format!(
            "{}-{}-{}T{}:{}:{}Z",
            t.cut(..4),
            t.cut(4..6),
            t.cut(6..8),
            t.cut(8..10),
            t.cut(10..12),
            t.cut(12..)
        );
        let content_type = match capture.kind {
            "resource" => "text/plain",
            _ => "application/http; msgtype=response",
        };
        let record = format!(
            "WARC/1.1\r\nWARC-Type: {}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{:012}>\r\nWARC-Date: {date}\r\n\
             WARC-Target-URI: {}\r\nWARC-Payload-Digest: sha1:{}\r\n{}Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            capture.kind,
            bytes.len(),
            capture.url,
            capture.digest,
            capture.fields,
            capture.http.len(),
        );
        let offset = bytes.len() as u64;
        bytes.extend_from_slice(record.as_bytes());
        bytes.extend_from_slice(&capture.http);
        let length = bytes.len() as u64 - offset;
        bytes.extend_from_slice(b"\r\n\r\n");
        let head = String::from_utf8_lossy(&capture.http).into_owned();
        let line =
            |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
        let revisit = capture.kind == "revisit";
        let mime = if revisit { "warc/revisit".to_owned() } else { line("Content-Type: ") };
        entries.push(Entry {
            urlkey: key(capture.url).into(),
            timestamp: Timestamp(capture.time),
            url: capture.url.into(),
            mime: mime.split(';').next().unwrap_or_default().to_owned().into(),
            status: head.get(9..12).and_then(|status| status.parse().ok()).filter(|_| !revisit),
            digest: capture.digest.into(),
            redirect: line("Location: ").into(),
            length: Some(length),
            offset,
            filename: path.file_name().unwrap().to_string_lossy().into_owned().into(),
            ..Entry::default()
        });
    }
    std::fs::write(path, bytes).unwrap();
    entries
}

/// Digests of the test archive.
pub const ONE: &str = "ONEONEONEONEONEONEONEONEONEONEON";
const TWO: &str = "TWOTWOTWOTWOTWOTWOTWOTWOTWOTWOTW";

/// The captures of the test archive.
pub fn captures() -> Vec<Stored> {
    let stored = |time, url, http: &str, digest| Stored {
        time,
        kind: "response",
        url,
        http: http.as_bytes().to_vec(),
        fields: "",
        digest,
    };
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: old\r\nSet-Cookie: a=b\r\n\
                Content-Length: 3\r\n\r\none";
    let mut captures = vec![
        stored(20100101000000, "http://a.example/", html, ONE),
        stored(
            20140101000000,
            "http://a.example/",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nch\r\n4\r\nunks\r\n0\r\n\r\n",
            TWO,
        ),
        stored(
            20160101000000,
            "http://a.example/",
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\nno",
            "NO",
        ),
        stored(
            20140601000000,
            "http://a.example/go",
            "HTTP/1.1 302 Found\r\nLocation: /page?x=1&y=%20\r\nContent-Type: text/html\r\n\r\n",
            "GO",
        ),
        stored(
            20150101000000,
            "http://a.example/self",
            "HTTP/1.1 301 Moved\r\nLocation: https://www.a.example/self\r\nContent-Type: text/html\r\n\r\n",
            "S1",
        ),
        stored(
            20150101000001,
            "https://a.example/self",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nself",
            "S2",
        ),
        stored(
            20150301000000,
            "http://a.example/page?x=1&y=2",
            "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\nx",
            "P",
        ),
        stored(
            20150401000000,
            "http://sub.a.example/x",
            "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nx",
            "X",
        ),
        stored(20150501000000, "http://b.example/", html, ONE),
    ];
    captures.push(Stored {
        time: 20120101000000,
        kind: "revisit",
        url: "http://a.example/",
        http: b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: new\r\n\r\n".to_vec(),
        fields: "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
                 WARC-Refers-To-Target-URI: http://a.example/\r\nWARC-Refers-To-Date: 2010-01-01T00:00:00Z\r\n",
        digest: ONE,
    });
    captures.push(Stored {
        time: 20160601000000,
        kind: "revisit",
        url: "http://c.example/",
        http: b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
        fields: "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n\
                 WARC-Refers-To-Target-URI: http://b.example/\r\nWARC-Refers-To-Date: 2015-05-01T00:00:00Z\r\n",
        digest: ONE,
    });
    captures.push(Stored {
        time: 20160701000000,
        kind: "revisit",
        url: "http://lost.example/",
        http: b"HTTP/1.1 200 OK\r\n\r\n".to_vec(),
        fields: "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n",
        digest: "LOST",
    });
    captures.push(Stored {
        time: 20170101000000,
        kind: "resource",
        url: "http://r.example/file.txt",
        http: b"a resource".to_vec(),
        fields: "",
        digest: "R",
    });
    captures
}

/// The test archive: collection `t`, one more entry whose shard is gone.
pub fn archive(change: impl FnOnce(&mut Collection)) -> (TempDir, Archive) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.warc");
    let mut entries = write_warc(&path, &captures());
    entries.push(Entry {
        urlkey: key("http://gone.example/").into(),
        timestamp: Timestamp(20180101000000),
        url: "http://gone.example/".into(),
        filename: "gone.warc.gz".into(),
        ..Entry::default()
    });
    let store = Arc::new(Store::open(&folder.path().join("index")).unwrap());
    store.add(&entries).unwrap();
    let mut collection = Collection::new("t", store.clone(), Arc::new(ShardFiles::new([path], 1 << 20)));
    collection.writable = Some(store);
    change(&mut collection);
    let mut archive = Archive::new(key);
    archive.add(collection).unwrap();
    (folder, archive)
}

/// A server about it.
pub fn running() -> (TempDir, Running) {
    let (folder, archive) = archive(|_| {});
    (folder, serve(archive, Options::default()))
}
