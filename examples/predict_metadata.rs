//! What pages say of themselves, for the script `benches/peers/metadata.py` that scores it.
//!
//! `cargo run --release --example predict_metadata -- LIST.jsonl PRED.jsonl`: a line of the list is an object of `id`, `file` and,
//! where it is known, `url`; a line of the answer is one of `id`, `title`, `author`, `date`, `modified`, `description`, `licence`, `site`.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

use webmill::capture::CanonicalUrl;
use webmill::html::{Limits, decode, metadata, parse};
use webmill::text::{TextLimits, main_text};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [list, out] = args.as_slice() else {
        return Err("usage: predict_metadata LIST.jsonl PRED.jsonl".into());
    };
    let limits = TextLimits { markdown: false, details: false, ..TextLimits::default() };
    let mut lines = BufWriter::new(File::create(out)?);
    for line in BufReader::new(File::open(list)?).lines() {
        let page: serde_json::Value = serde_json::from_str(&line?)?;
        let file = page["file"].as_str().ok_or("a page without a file")?;
        let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        let text = decode(&bytes, None, None).text.to_string();
        let dom = parse(&text, &Limits::default());
        let url = page["url"].as_str().and_then(CanonicalUrl::parse);
        let meta = metadata(&dom, url.as_ref(), &[]);
        let found = main_text(&dom, &meta, &limits);
        let line = serde_json::json!({
            "id": page["id"],
            "title": found.about.title,
            "author": found.about.author,
            "date": found.about.published,
            "modified": found.about.modified,
            "description": meta.about.description,
            "licence": meta.about.licence,
            "site": meta.about.site_name,
        });
        serde_json::to_writer(&mut lines, &line)?;
        lines.write_all(b"\n")?;
    }
    lines.flush()?;
    Ok(())
}
