//! Threads of readers' comments on the pages of evaluation sets: a tool for measuring them.
//!
//! `cargo run --release --example dump_threads -- [--nameless] SET_DIR OUT.jsonl` writes an object a page: `id`, `items` (comments),
//! `starts_at` (block), `posts` (alike posts, the first among them), `blocks` as `[text, strength, item, role]`, and `comments` as
//! `[author, date, text]`, which are those of the table. With `--nameless`, the elements lose their names first.

mod pages;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use pages::{Result, pages, with_page};
use webmill::text::{TextLimits, main_text, thread_rows};

fn main() -> Result<()> {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (nameless, args) = match args.as_slice() {
        [flag, rest @ ..] if flag.as_os_str() == "--nameless" => (true, rest),
        rest => (false, rest),
    };
    let [set, out] = args else { return Err("usage: dump_threads [--nameless] SET_DIR OUT.jsonl".into()) };
    let limits = TextLimits { markdown: false, ..TextLimits::default() };
    let mut lines = BufWriter::new(File::create(out)?);
    for (id, file) in pages(set)? {
        let (found, text) = with_page(&file, None, nameless, |dom, meta| {
            (thread_rows(dom, meta), main_text(dom, meta, &limits))
        })?;
        let blocks =
            found.rows.iter().map(|row| serde_json::json!([row.text, row.strength, row.item, row.role]));
        let comments = text.comments.iter().map(|it| serde_json::json!([it.author, it.date, it.text]));
        let line = serde_json::json!({
            "id": id,
            "items": found.items,
            "starts_at": found.starts_at,
            "posts": found.posts,
            "blocks": blocks.collect::<Vec<_>>(),
            "comments": comments.collect::<Vec<_>>(),
        });
        serde_json::to_writer(&mut lines, &line)?;
        lines.write_all(b"\n")?;
    }
    lines.flush()?;
    Ok(())
}
