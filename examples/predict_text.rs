//! Main text of a folder of pages: a tool of `datasets/main-text`, for a scorer of main text.
//!
//! `cargo run --release --example predict_text -- SET_DIR PRED.jsonl` writes an object a page: `id`, `text`, and what else
//! was found out (`title`, `author`, `date`, `type`, `confidence`, `comments`). With `--folds DIR` before these, each page is extracted
//! by the tables of a cross-validation that were not trained on it, and `sure_of` holds what confidence is told by; with `--nameless`, the elements lose their names first.

mod pages;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use pages::{Folds, Result, addresses, pages, with_page};
use webmill::text::{TextLimits, main_text};

fn main() -> Result<()> {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (folds, args) = match args.as_slice() {
        [flag, folder, rest @ ..] if flag.as_os_str() == "--folds" => (Some(Folds::read(folder)?), rest),
        rest => (None, rest),
    };
    let (nameless, args) = match args {
        [flag, rest @ ..] if flag.as_os_str() == "--nameless" => (true, rest),
        rest => (false, rest),
    };
    let [set, out] = args else {
        return Err("usage: predict_text [--folds DIR] [--nameless] SET_DIR PRED.jsonl".into());
    };
    let limits = TextLimits { markdown: false, ..TextLimits::default() };
    let mut lines = BufWriter::new(File::create(out)?);
    let mut count = 0;
    let addresses = addresses(set)?;
    for (id, file) in pages(set)? {
        let address = addresses.get(&id).filter(|_| !nameless);
        let tables = folds.as_ref().map(|folds| folds.tables(set, &id)).transpose()?;
        let (found, sure_of) = with_page(&file, address, nameless, |dom, meta| match tables {
            Some(tables) => (tables.main_text(dom, meta, &limits), tables.confidence_row(dom, meta, &limits)),
            None => (main_text(dom, meta, &limits), Vec::new()),
        })?;
        let line = serde_json::json!({
            "id": id,
            "text": found.text,
            "title": found.about.title,
            "author": found.about.author,
            "date": found.about.published,
            "type": found.page_type.name(),
            "confidence": found.confidence,
            "sure_of": sure_of,
            "comments": found.posts.iter().filter(|post| !post.kind.is_text()).map(|post| &post.text).collect::<Vec<_>>(),
        });
        serde_json::to_writer(&mut lines, &line)?;
        lines.write_all(b"\n")?;
        count += 1;
    }
    lines.flush()?;
    println!("{count} pages");
    Ok(())
}
