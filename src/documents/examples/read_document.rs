//! Reads documents and prints each as a line of JSON: `read_document [--furniture] FILE…`, the kind by the ending of the name.
//! With `--furniture` running heads stand in the Markdown as comments.

use std::io::Write;
use std::time::Instant;

use webmill_documents::{Document, Failure, Kind, Limits, read};

/// The line printed for a file.
#[derive(serde::Serialize)]
struct Line<'a> {
    file: &'a str,
    seconds: f64,
    document: Option<Document>,
    failure: Option<Failure>,
}

fn main() {
    let mut out = std::io::stdout().lock();
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|name| name == "--furniture");
    let limits = Limits { furniture: !flags.is_empty(), ..Limits::default() };
    for name in names {
        let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let kind =
            Kind::ALL.iter().copied().find(|kind| kind.name() == ending).unwrap_or(match ending.as_str() {
                "md" => Kind::Markdown,
                "xlsm" => Kind::Xlsx,
                _ => Kind::Text,
            });
        let bytes = std::fs::read(&name).unwrap_or_default();
        let began = Instant::now();
        let read = read(&bytes, kind, &limits);
        let seconds = began.elapsed().as_secs_f64();
        let (document, failure) = match read {
            Ok(document) => (Some(document), None),
            Err(failure) => (None, Some(failure)),
        };
        let line = Line { file: &name, seconds, document, failure };
        let written = serde_json::to_writer(&mut out, &line).map_err(std::io::Error::from);
        if written.and_then(|()| writeln!(out)).is_err() {
            return;
        }
    }
}
