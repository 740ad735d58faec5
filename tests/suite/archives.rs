//! Archives from the command line: indexes, a server over them, repeated payloads as revisits, packed files.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use webmill::jobs::index_row::CaptureRow;
use webmill::table::read_rows;

use crate::support::Work;

/// A server that ends with the test.
pub struct Served {
    child: Child,
    address: String,
    /// What it says on stderr.
    said: Option<std::thread::JoinHandle<String>>,
}

impl Served {
    /// `webmill serve` with these arguments, at a port that is free.
    pub fn start(work: &Work, arguments: &[&str]) -> Served {
        let mut all = vec!["serve", "--listen", "127.0.0.1:0"];
        all.extend(arguments);
        Served::of(&mut work.webmill(&all)).unwrap()
    }

    /// By a command that prints its address; what it said where it ended before.
    pub fn of(command: &mut Command) -> Result<Served, String> {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let said = std::thread::spawn(move || std::io::read_to_string(&mut stderr).unwrap_or_default());
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        if address.contains(':') {
            return Ok(Served { child, address, said: Some(said) });
        }
        child.wait().unwrap();
        let said = said.join().unwrap();
        assert!(!said.trim().is_empty() && !said.contains("panicked"), "{command:?}: {said}");
        Err(said)
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Ends it, as Ctrl-C does; it must not have panicked.
    pub fn stop(mut self) {
        let killed = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        self.child.wait().unwrap();
        let said = self.said.take().map(|said| said.join().unwrap()).unwrap_or_default();
        assert!(!said.contains("panicked"), "{said}");
    }

    /// The status of what a body that is sent is answered.
    pub fn post(&self, path: &str, body: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!(
            "POST {path} HTTP/1.0\r\nHost: {}\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let answer = std::io::read_to_string(&mut stream).unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// Number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Status, head and body of an answer.
    pub fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        get(&self.address, path)
    }

    pub fn text(&self, path: &str) -> String {
        let (status, head, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {head}");
        // Streamed answers are chunked; their lines are what is looked at.
        String::from_utf8_lossy(&body).into_owned()
    }
}

/// Status, head (in lower case) and body of the answer of whoever listens at an address.
pub fn get(address: &str, path: &str) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let request = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = memchr::memmem::find(&answer, b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head, answer[end + 4..].to_vec())
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn record(url: &str, date: &str, http: &str) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\nWARC-Record-ID: \
         <urn:uuid:{}>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        url.len() + date.len() + http.len(),
        http.len()
    )
}

/// The same page at three times and two URLs, once in chunks; another page; a small one.
fn repeated() -> String {
    let text = "All about tea. ".repeat(40);
    let plain =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Count: 1\r\n\r\n<title>Tea</title>{text}");
    let other =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Count: 2\r\n\r\n<title>Tea</title>{text}");
    let body = format!("<title>Tea</title>{text}");
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    let else_ = plain.replace("tea", "cup");
    [
        record("http://tea.example/", "2024-01-01T00:00:00Z", &plain),
        record("http://tea.example/", "2024-02-01T00:00:00Z", &other),
        record("http://www.mirror.example/tea?b=2&a=1", "2024-01-15T00:00:00Z", &chunked),
        record("http://tea.example/", "2024-03-01T00:00:00Z", &else_),
        record("http://tea.example/small", "2024-03-01T00:00:00Z", "HTTP/1.1 200 OK\r\n\r\nsmall"),
        record("http://tea.example/small2", "2024-03-02T00:00:00Z", "HTTP/1.1 200 OK\r\n\r\nsmall"),
    ]
    .concat()
}

/// Every capture of a collection as stored: address, status, headers of the answer that come from the capture, body.
/// `index` has its captures, in CDXJ.
fn replayed(served: &Served, collection: &str, index: &str) -> BTreeMap<String, (u16, Vec<String>, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for line in index.lines() {
        let mut parts = line.splitn(3, ' ');
        let (time, fields) = (parts.nth(1).unwrap(), parts.next().unwrap());
        let fields: serde_json::Value = serde_json::from_str(fields).unwrap();
        let url = fields["url"].as_str().unwrap();
        let (status, head, body) = served.get(&format!("/{collection}/{time}id_/{url}"));
        let kept = |line: &&str| line.starts_with("content-type") || line.starts_with("x-archive-orig-");
        let headers = head.lines().filter(kept).map(str::to_owned).collect();
        all.insert(format!("{time} {url}"), (status, headers, body));
    }
    all
}

#[test]
fn an_index_is_the_same_on_any_number_of_threads_and_in_any_form() {
    let work = Work::new();
    work.synth("shards", 400, 1 << 16);
    let index = |threads: &str, format: &str, out: &str| {
        let line = format!("index shards --threads {threads} --to {format} --memory 16MiB -o {out}");
        work.run(&line.split(' ').collect::<Vec<_>>());
    };
    for (format, one, two) in
        [("cdxj", "1.cdxj", "2.cdxj"), ("cdx11", "1.cdx", "2.cdx"), ("zipnum", "a1/i.idx", "a2/i.idx")]
    {
        for out in [one, two] {
            std::fs::create_dir_all(work.path(out).parent().unwrap()).unwrap();
        }
        index("1", format, one);
        index("4", format, two);
        assert_eq!(
            std::fs::read(work.path(one)).unwrap(),
            std::fs::read(work.path(two)).unwrap(),
            "{format}"
        );
    }
    let lines = std::fs::read_to_string(work.path("1.cdxj")).unwrap();
    assert!(lines.lines().is_sorted());
    index("2", "parquet", "table");
    let rows: Vec<CaptureRow> = read_rows(&work.path("table/crawl=crawl/subset=warc")).unwrap();
    let keys: Vec<String> = lines
        .lines()
        .filter(|line| line.contains("\"status\": \"2") || line.contains("\"status\":\"2"))
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect();
    assert_eq!(rows.iter().map(|row| row.url_surtkey.clone()).collect::<Vec<_>>(), keys);
    assert!(rows.iter().all(|row| row.warc_record_length.is_some() && row.fetch_time.0.is_some()));
}

#[test]
fn a_folder_becomes_a_museum_with_what_a_run_knows() {
    let work = Work::new();
    std::fs::create_dir(work.path("old")).unwrap();
    std::fs::write(work.path("old/a.warc"), repeated()).unwrap();
    work.run(&["run", "old", "--out", "results"]);
    // Results alone stand for their shards.
    let served = Served::start(&work, &["results"]);
    let front = served.text("/results/");
    assert!(front.contains("tea.example"), "{front}");
    let found = served.text("/results/search?q=cup");
    assert!(found.contains("http://tea.example/"), "{found}");
    let calendar = served.text("/results/*/http://tea.example/");
    assert!(calendar.contains("2024") && calendar.contains("/results/20240301000000/"), "{calendar}");
    let frame = served.text("/results/20240101000000/http://tea.example/");
    assert!(frame.contains("<iframe") && frame.contains("sandbox="), "{frame}");
    let (status, head, page) = served.get("/results/20240101000000mp_/http://tea.example/");
    assert_eq!(status, 200);
    assert!(head.contains("content-security-policy: ") && head.contains("sandbox"), "{head}");
    assert!(String::from_utf8_lossy(&page).contains("All about tea"));
    let (status, head, _) = served.get("/results/timegate/http://tea.example/");
    assert_eq!(status, 302);
    assert!(head.contains("vary: accept-datetime"), "{head}");
    let (status, _, missing) = served.get("/results/20240101000000/http://nowhere.example/");
    assert_eq!(status, 404);
    assert!(String::from_utf8_lossy(&missing).contains("nowhere.example"));
    // Chinese for who prefers it.
    let chinese = served.text("/results/?lang=zh");
    assert!(chinese.contains("zh-Hans"), "{chinese}");
    // The shards gone, the reason is said.
    std::fs::remove_file(work.path("old/a.warc")).unwrap();
    let (status, _, why) = served.get("/results/20240301000000id_/http://tea.example/");
    assert_eq!(status, 404, "{}", String::from_utf8_lossy(&why));
}

#[test]
fn several_results_are_several_collections() {
    let work = Work::new();
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Coffee</title><h1>Coffee</h1><p>A cup of \
                coffee in the morning is all that some people want, and more than others get.</p>";
    for (folder, shard) in
        [("tea", repeated()), ("coffee", record("http://coffee.example/", "2024-01-01T00:00:00Z", page))]
    {
        std::fs::create_dir(work.path(folder)).unwrap();
        std::fs::write(work.path(&format!("{folder}/a.warc")), shard).unwrap();
        work.run(&["run", folder, "--out", &format!("of-{folder}")]);
    }
    // Results beside their shards belong to them; others bring theirs.
    for (inputs, collections) in
        [(["of-tea", "of-coffee"], ["of-coffee", "of-tea"]), (["of-tea", "coffee"], ["coffee", "of-tea"])]
    {
        let served = Served::start(&work, &[&inputs[..], &["--title", "of-tea=All tea"]].concat());
        let front = served.text("/");
        assert!(front.contains("All tea") && front.contains(&format!("/{}/", collections[0])), "{front}");
        let found = served.text("/search?q=cup");
        assert!(
            found.contains("http://tea.example/") && found.contains("href=\"/of-tea/search?q=cup\""),
            "{found}"
        );
        assert_eq!(found.contains("http://coffee.example/"), inputs[1] == "of-coffee", "{found}");
        let facts = |name: &str| {
            served.text(&format!(
                "/{name}/info/20240101000000/http://{}.example/",
                name.trim_start_matches("of-")
            ))
        };
        assert!(facts("of-tea").contains("tea.example") && facts(collections[0]).contains("coffee.example"));
    }
    let served = Served::start(&work, &["of-coffee", "coffee"]);
    assert!(served.text("/coffee/search?q=cup").contains("http://coffee.example/"));
    assert_eq!(served.get("/of-coffee/").0, 404);
    let refused = work.webmill(&["serve", "of-tea", "--title", "tee=Tea"]).output().unwrap();
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no such collection; there are of-tea"));
}

#[test]
fn captures_without_a_date_are_served_at_the_time_of_their_file() {
    let work = Work::new();
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Tea</title><p>A cup.";
    std::fs::create_dir(work.path("plain")).unwrap();
    std::fs::write(work.path("plain/a.warc"), record("http://tea.example/", "some day", page)).unwrap();
    let file = std::fs::File::open(work.path("plain/a.warc")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
    let served = Served::start(&work, &["plain"]);
    let (status, _, body) = served.get("/plain/20231114221320id_/http://tea.example/");
    assert_eq!((status, String::from_utf8_lossy(&body).contains("A cup.")), (200, true));
}

#[test]
fn a_packed_archive_is_served_as_its_shards_are() {
    let work = Work::new();
    std::fs::create_dir(work.path("plain")).unwrap();
    std::fs::write(work.path("plain/a.warc"), repeated()).unwrap();
    work.run(&["wacz", "plain", "-o", "packed.wacz", "--title", "Tea"]);
    let shards = Served::start(&work, &["plain"]);
    let packed = Served::start(&work, &["packed.wacz"]);
    let captures = String::from_utf8(work.run(&["index", "plain"]).stdout).unwrap();
    let (shards, packed) = (replayed(&shards, "plain", &captures), replayed(&packed, "packed", &captures));
    assert_eq!(shards.len(), 6);
    assert_eq!(shards, packed);
}
