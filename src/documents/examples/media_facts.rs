//! Tells what files of pictures, sound and video are, each as a line of JSON: `media_facts [--gps] FILE…`.
//!
//! Of each file no more is read than its first 256 KiB and its last 128 KiB.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::Instant;

use webmill_documents::media::{MediaOptions, Window, facts};

fn main() {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|name| name == "--gps");
    let options = MediaOptions { gps: !flags.is_empty(), ..MediaOptions::default() };
    for name in names {
        let (head, tail, len) = ends(&name).unwrap_or_default();
        let began = Instant::now();
        let window = if tail.is_empty() { Window::of(&head) } else { Window::new(&head, &tail, len) };
        let facts = facts(&window, &options);
        let seconds = began.elapsed().as_secs_f64();
        let line = serde_json::json!({"file": name, "seconds": seconds, "facts": facts});
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}

/// The first and the last bytes of a file, and how many it has; all of a short one as its first.
fn ends(name: &str) -> io::Result<(Vec<u8>, Vec<u8>, u64)> {
    let mut file = File::open(name)?;
    let len = file.metadata()?.len();
    let (head_length, tail_length) = (Window::HEAD as u64, Window::TAIL as u64);
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    if len <= head_length + tail_length {
        file.read_to_end(&mut head)?;
    } else {
        (&file).take(head_length).read_to_end(&mut head)?;
        file.seek(SeekFrom::Start(len - tail_length))?;
        file.read_to_end(&mut tail)?;
    }
    Ok((head, tail, len))
}
