//! Packs shards into a WACZ and prints what it holds.
//!
//! `cargo run -p webmill-serve --example pack_wacz -- OUT.wacz SHARDS…`

use std::ops::ControlFlow;
use std::path::PathBuf;

use webmill_serve::wacz::{Options, Wacz, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let out = paths.next().ok_or("OUT.wacz SHARDS…")?;
    let shards: Vec<PathBuf> = paths.collect();
    let report = write(&shards, &out, &Options::default(), &mut |error| eprintln!("damaged: {error}"))?;
    println!("{report:?}");
    let mut wacz = Wacz::open(&out)?;
    wacz.entries(&mut |entry| {
        println!("{} {} {}", entry.urlkey, entry.timestamp, entry.url);
        ControlFlow::Continue(())
    })?;
    Ok(())
}
