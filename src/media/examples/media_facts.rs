//! Tells what files of pictures, sound and video are, each as a line of JSON: `media_facts [--gps] FILE…`.

use std::io::Write;
use std::time::Instant;

use webmill_media::{MediaOptions, Window, facts};

fn main() {
    let mut out = std::io::stdout().lock();
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|name| name == "--gps");
    let options = MediaOptions { gps: !flags.is_empty(), ..MediaOptions::default() };
    for name in names {
        let bytes = std::fs::read(&name).unwrap_or_default();
        let began = Instant::now();
        let facts = facts(&Window::of(&bytes), &options);
        let seconds = began.elapsed().as_secs_f64();
        let line = serde_json::json!({"file": name, "seconds": seconds, "facts": facts});
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}
