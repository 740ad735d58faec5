//! The language of each line of standard input: its code (`und` of what is not known), a tab, the confidence.
//!
//! `printf 'Guten Morgen, wie geht es Ihnen heute?\n' | cargo run --release --example languages_of`
//!
//! Any argument is taken for a declared language (`pt-BR`), which is weak evidence.

use std::io::{self, BufRead, BufWriter, Write};

use webmill::text::language_declared;

fn main() -> io::Result<()> {
    let declared = std::env::args().nth(1);
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        match language_declared(&line?, declared.as_deref()) {
            Some(found) => writeln!(out, "{}\t{:.4}", found.iso639_3, found.confidence)?,
            None => writeln!(out, "und\t0.0000")?,
        }
    }
    out.flush()
}
