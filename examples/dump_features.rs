//! Features of the blocks of evaluation sets, for `datasets/main-text/train.py`.
//!
//! `cargo run --release --example dump_features -- OUT SET_DIR...` writes for each set, called by its folder's name,
//! `OUT/NAME.f32` (rows of little-endian floats, block after block) and `OUT/NAME.jsonl` (an object a page: `id`,
//! `width` of a row, `page_width` of them the page's, `texts` and `units` of its blocks).

mod pages;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use pages::{Result, pages, with_page};
use webmill::text::training::rows;

fn main() -> Result<()> {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [out, sets @ ..] = args.as_slice() else { return Err("usage: dump_features OUT SET_DIR...".into()) };
    if sets.is_empty() {
        return Err("usage: dump_features OUT SET_DIR...".into());
    }
    fs::create_dir_all(out)?;
    for set in sets {
        dump(set, out)?;
    }
    Ok(())
}

fn dump(set: &Path, out: &Path) -> Result<()> {
    let name = set.canonicalize()?.file_name().ok_or("a set needs a name")?.to_string_lossy().into_owned();
    let mut numbers = BufWriter::new(File::create(out.join(format!("{name}.f32")))?);
    let mut info = BufWriter::new(File::create(out.join(format!("{name}.jsonl")))?);
    let (mut count, mut blocks) = (0, 0);
    for (id, file) in pages(set)? {
        let rows = with_page(&file, rows)?;
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
