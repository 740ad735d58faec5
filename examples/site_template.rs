//! What templates of hosts change: a tool of `datasets/main-text`, for a scorer of main text.
//!
//! `cargo run --release --example site_template -- LIST BEFORE.jsonl AFTER.jsonl`: LIST has a line `host⇥id⇥file` a page. Learns
//! the template of each host from its pages (the [`MAX_PAGES`] with the smallest keys), writes an object `id`, `text` a page
//! without and with it for a scorer of main text, and prints a line a host.

// Pages come from a list here, not from a folder.
#[allow(dead_code)]
mod pages;

use std::collections::BTreeMap;
use std::fs::{File, read_to_string};
use std::io::{BufWriter, Write};
use std::path::Path;

use pages::{Result, with_page};
use webmill::text::{MAX_PAGES, Sample, Template, TextLimits, footprint, main_text, main_text_without};
use xxhash_rust::xxh3::xxh3_64;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [list, before, after] = args.as_slice() else {
        return Err("usage: site_template LIST BEFORE.jsonl AFTER.jsonl".into());
    };
    let list = read_to_string(list)?;
    let mut hosts: BTreeMap<&str, Vec<(&str, &Path)>> = BTreeMap::new();
    for line in list.lines() {
        let mut fields = line.split('\t');
        let (Some(host), Some(id), Some(file)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(format!("not host, id, file: {line}").into());
        };
        hosts.entry(host).or_default().push((id, Path::new(file)));
    }
    let limits = TextLimits { markdown: false, ..TextLimits::default() };
    let mut out = [BufWriter::new(File::create(before)?), BufWriter::new(File::create(after)?)];
    println!(
        "host\tpages\tof {MAX_PAGES} sampled\tverdict\thit\tshare\tagreement\ttexts\tchanged\tbytes before\tafter"
    );
    for (host, pages) in hosts {
        let mut sample = Sample::default();
        for (id, file) in &pages {
            sample.add(xxh3_64(id.as_bytes()), with_page(file, None, false, footprint)?);
        }
        let (template, learnt) = Template::learn(&sample);
        let (mut changed, mut bytes) = (0, [0, 0]);
        for (id, file) in &pages {
            let texts = with_page(file, None, false, |dom, meta| {
                let plain = main_text(dom, meta, &limits).text;
                let pruned = template.as_ref().map(|t| main_text_without(dom, meta, &limits, t).text);
                [plain.clone(), pruned.unwrap_or(plain)]
            })?;
            changed += usize::from(texts[0] != texts[1]);
            for ((text, out), bytes) in texts.iter().zip(&mut out).zip(&mut bytes) {
                *bytes += text.len();
                serde_json::to_writer(&mut *out, &serde_json::json!({ "id": id, "text": text }))?;
                out.write_all(b"\n")?;
            }
        }
        let texts = template.map_or(0, |template| template.len());
        println!(
            "{host}\t{}\t{}\t{:?}\t{}\t{:.4}\t{:.2}\t{texts}\t{changed}\t{}\t{}",
            pages.len(),
            learnt.pages,
            learnt.verdict,
            learnt.hit,
            learnt.share,
            learnt.agreement,
            bytes[0],
            bytes[1]
        );
    }
    for mut out in out {
        out.flush()?;
    }
    Ok(())
}
