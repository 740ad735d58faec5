//! What a crawl of many large bodies takes: 64 hosts on loopback, each with PAGES (4) pages of 10 MB, 64 connections.
//!
//! `cargo run --release -p webmill-crawl --example large_bodies -- MEMORY_MIB [noise|chunked|markup|bomb [PAGES]]` prints the pages stored, the
//! seconds it took and the peak of resident memory; the server is part of the process and holds one body.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Instant;

use webmill_capture::CanonicalUrl;
use webmill_crawl::{Crawl, CrawlOptions, Observer, Snapshot};

const HOSTS: usize = 64;
const BODY_BYTES: usize = 10_000_000;

struct Quiet;

impl Observer for Quiet {
    fn look(&mut self, _: &Snapshot) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let memory: u64 = arguments.next().unwrap_or_else(|| "256".into()).parse()?;
    let form = arguments.next().unwrap_or_default();
    let pages: usize = arguments.next().unwrap_or_else(|| "4".into()).parse()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    let (head, body) = body(&form)?;
    let (body, chunked): (Arc<[u8]>, bool) = (body.into(), form == "chunked");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let body = body.clone();
            std::thread::spawn(move || serve(stream, head, &body, chunked));
        }
    });
    let mut options = CrawlOptions { memory: memory << 20, connections: HOSTS, ..CrawlOptions::default() };
    options.fetch.allow_private = true;
    options.fetch.dns.hosts = [("*".to_owned(), IpAddr::from([127, 0, 0, 1]))].into();
    options.politeness.delay_ms = 0;
    let folder = tempfile::tempdir()?;
    let seeds: Vec<CanonicalUrl> = (0..HOSTS * pages)
        .filter_map(|n| CanonicalUrl::parse(&format!("http://h{}.test:{port}/{n}", n % HOSTS)))
        .collect();
    let begin = Instant::now();
    let (mut crawl, _) = Crawl::open(folder.path(), &options, &seeds, 2, None)?;
    let ended = crawl.run(&mut Quiet, &|| false)?;
    let totals = crawl.close(ended)?;
    // SAFETY: getrusage fills the struct that it is given; all its fields are numbers, for which zeros stand.
    let peak = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage.ru_maxrss / 1024
    };
    println!(
        "{} pages, {:.1} s, peak {peak} MiB at memory {memory} MiB",
        totals.stored,
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Header fields and body: noise, markup of many elements, or as much again as is read of that in a few bytes.
fn body(form: &str) -> std::io::Result<(&'static str, Vec<u8>)> {
    let markup = |bytes: usize| b"<p>w<a href=x>y".iter().copied().cycle().take(bytes).collect::<Vec<u8>>();
    Ok(match form {
        "markup" => ("Content-Type: text/html\r\n", markup(BODY_BYTES)),
        "bomb" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&markup(16 * BODY_BYTES))?;
            ("Content-Type: text/html\r\nContent-Encoding: gzip\r\n", encoder.finish()?)
        }
        _ => {
            let noise = (0..BODY_BYTES).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
            ("Content-Type: text/plain\r\n", noise)
        }
    })
}

fn serve(mut stream: TcpStream, head: &str, body: &[u8], chunked: bool) {
    let mut data = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        while !data.ends_with(b"\r\n\r\n") {
            match stream.read(&mut buffer) {
                Ok(n) if n > 0 => data.extend_from_slice(&buffer[..n]),
                _ => return,
            }
        }
        let robots = data.starts_with(b"GET /robots.txt");
        data.clear();
        let written = if robots {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        } else {
            answer(&mut stream, head, body, chunked)
        };
        if written.is_err() {
            return;
        }
    }
}

fn answer(stream: &mut TcpStream, head: &str, body: &[u8], chunked: bool) -> std::io::Result<()> {
    let kind = format!("HTTP/1.1 200 OK\r\n{head}");
    if !chunked {
        write!(stream, "{kind}Content-Length: {}\r\n\r\n", body.len())?;
        return stream.write_all(body);
    }
    write!(stream, "{kind}Transfer-Encoding: chunked\r\n\r\n")?;
    for chunk in body.chunks(32 << 10) {
        write!(stream, "{:x}\r\n", chunk.len())?;
        stream.write_all(chunk)?;
        stream.write_all(b"\r\n")?;
    }
    stream.write_all(b"0\r\n\r\n")
}
