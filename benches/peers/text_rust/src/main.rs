//! rs-trafilatura on pages that the benchmark `main_text` names: see `main_text.py`, whose protocol this speaks.

use std::io::{BufRead, Write};

fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the structure it is given and nothing else.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() {
    let mut lines = std::io::stdin().lock().lines().map(|line| line.expect("stdin"));
    let pages: Vec<Vec<u8>> = lines
        .by_ref()
        .take_while(|line| !line.is_empty())
        .map(|path| std::fs::read(path).expect("a page"))
        .collect();
    let mut out = std::io::stdout();
    println!("ready");
    let options = rs_trafilatura::Options::default();
    for _ in lines {
        let start = cpu_seconds();
        let mut found = 0;
        for page in &pages {
            if let Ok(result) = rs_trafilatura::extract_bytes_with_options(page, &options) {
                found += result.content_text.len();
            }
        }
        println!("{} {found}", cpu_seconds() - start);
        out.flush().expect("stdout");
    }
}
