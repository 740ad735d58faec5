//! Features of the blocks of evaluation sets: a tool of `datasets/main-text`, whose `train.py` learns from them.
//!
//! `cargo run --release --example dump_features -- OUT SET_DIR...` writes for each set, called by its folder's name,
//! `OUT/NAME.f32` (rows of little-endian floats, block after block) and `OUT/NAME.jsonl` (an object a page: `id`,
//! `width` of a row, `page_width` of them the page's, `texts` and `units` of its blocks); and `OUT/features.txt` (the
//! names of a row's features, then those of the probabilities of the page types) and `OUT/confidence.txt` (of those of a choice).
//!
//! With `--nameless` before these, classes, ids and the like are taken off all elements first, as if the pages were of a
//! time or a maker that names nothing.

mod pages;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use pages::{Result, addresses, pages, with_page};
use webmill::text::training::{confidence_names, feature_names, rows};

const USAGE: &str = "usage: dump_features [--nameless] OUT SET_DIR...";

fn main() -> Result<()> {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (nameless, args) = match args.as_slice() {
        [flag, rest @ ..] if flag.as_os_str() == "--nameless" => (true, rest),
        rest => (false, rest),
    };
    let [out, sets @ ..] = args else { return Err(USAGE.into()) };
    if sets.is_empty() {
        return Err(USAGE.into());
    }
    fs::create_dir_all(out)?;
    fs::write(out.join("features.txt"), feature_names().join("\n") + "\n")?;
    fs::write(out.join("confidence.txt"), confidence_names().join("\n") + "\n")?;
    for set in sets {
        dump(set, out, nameless)?;
    }
    Ok(())
}

fn dump(set: &Path, out: &Path, nameless: bool) -> Result<()> {
    let name = set.canonicalize()?.file_name().ok_or("a set needs a name")?.to_string_lossy().into_owned();
    let mut numbers = BufWriter::new(File::create(out.join(format!("{name}.f32")))?);
    let mut info = BufWriter::new(File::create(out.join(format!("{name}.jsonl")))?);
    let (mut count, mut blocks) = (0, 0);
    let addresses = addresses(set)?;
    for (id, file) in pages(set)? {
        let address = addresses.get(&id).filter(|_| !nameless);
        let rows = with_page(&file, address, nameless, rows)?;
        for value in &rows.features {
            numbers.write_all(&value.to_le_bytes())?;
        }
        let width = rows.features.len().checked_div(rows.texts.len()).unwrap_or(0);
        let line = serde_json::json!({
            "id": id,
            "width": width,
            "page_width": rows.page_width,
            "texts": rows.texts,
            "units": rows.units,
        });
        serde_json::to_writer(&mut info, &line)?;
        info.write_all(b"\n")?;
        count += 1;
        blocks += rows.texts.len();
    }
    numbers.flush()?;
    info.flush()?;
    println!("{name}: {count} pages, {blocks} blocks");
    Ok(())
}
