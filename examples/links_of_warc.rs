//! The links of the pages in a WARC file.
//!
//! `cargo run --release --example links_of_warc -- [SHARD]` prints a line a link: page, target, anchor. SHARD is a WARC, ARC
//! or RAW DB file, compressed or not. Without an argument it does so for a WARC file of one page.

use std::error::Error;
use std::path::Path;
use webmill::capture::decode_content;
use webmill::html::{Limits, LinkLimits, decode, links, parse};
use webmill::shard::{ReadOptions, ShardReader};

const PAGE: &str =
    "<!doctype html><title>A</title><p>See <a href='/news'>the news</a> and <a href='//b.org/#top'>B</a>.";

/// Most bytes of a body.
const MAX: usize = 16 << 20;

fn small() -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{PAGE}");
    let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.org/\r\nWARC-Date: 2003-04-15T08:13:06Z\r\n\
        WARC-Record-ID: <urn:uuid:12345678-1234-1234-1234-123456789abc>\r\nContent-Type: application/http;msgtype=response";
    format!("{head}\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n", http.len()).into_bytes()
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = ReadOptions::default();
    let mut reader = match std::env::args_os().nth(1) {
        Some(path) => ShardReader::open(Path::new(&path), &options)?,
        None => ShardReader::from_reader(Box::new(std::io::Cursor::new(small())), "small.warc", &options)?,
    };
    while let Some(record) = reader.next() {
        let record = match record {
            Ok(record) => record,
            Err(damage) => {
                eprintln!("{damage}"); // reading goes on with the next record
                continue;
            }
        };
        let Some(capture) = record.to_capture() else { continue };
        let Some(url) = capture.canonical_url() else { continue };
        let response = &capture.response;
        if response.status != Some(200) || response.media_type().as_deref() != Some("text/html") {
            continue;
        }
        let payload = response.payload(MAX);
        let body = decode_content(response, &payload.bytes, MAX);
        let page = decode(&body.bytes, response.charset_label(), None);
        let dom = parse(&page.text, &Limits::default());
        for link in links(&dom, &url, page.used, &LinkLimits::default()).links {
            println!("{}\t{}\t{}", url.as_str(), link.target.as_str(), link.anchor);
        }
    }
    Ok(())
}
