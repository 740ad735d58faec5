//! Near-duplicates among texts.
//!
//! `cargo run --release --example near_duplicates -- FILE…` reads a text a file and prints each text that is a copy or
//! nearly one of another, with that one and the share of 3-word sequences that both have. Without arguments it does so
//! for four short texts.

use std::collections::HashMap;
use std::error::Error;
use webmill::dedup::{
    Clusterer, ExactPair, Fingerprint, Joined, Pair, Same, ShingleVerifier, Shingles, TextDigest,
    pairs_within, simhash,
};

const SMALL: [(&str, &str); 4] = [
    ("mill", "The mill grinds the corpus of the Web into tables, slowly but finely, as mills do."),
    ("edited", "The mill grinds the corpus of the Web into tables, slowly but finely, as all mills do."),
    ("copy", "THE MILL grinds the corpus of the Web into tables,  slowly but finely, as mills do."),
    ("other", "Whoever reads a page once need not read it again: the tables hold what was on it."),
];

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<(String, String)> = match files.is_empty() {
        true => SMALL.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec(),
        false => files
            .into_iter()
            .map(|f| std::fs::read_to_string(&f).map(|text| (f, text)))
            .collect::<Result<_, _>>()?,
    };
    // Copies: texts that differ in case and white space at most. Each is paired with the first of its kind.
    let (mut firsts, mut copies) = (HashMap::new(), Vec::new());
    for (i, (_, text)) in (0..).zip(&texts) {
        let Some(digest) = TextDigest::of(text) else { continue };
        let first = *firsts.entry(digest).or_insert(i);
        if first != i {
            copies.push(ExactPair { a: first, b: i, same: Same::Text });
        }
    }
    // Candidates: texts whose fingerprints differ in few bits. Short texts need a larger distance than long ones.
    let known: Vec<(u32, Fingerprint)> =
        (0..).zip(&texts).filter_map(|(i, (_, text))| Some((i, simhash(text)?))).collect();
    let fingerprints: Vec<Fingerprint> = known.iter().map(|k| k.1).collect();
    let number = |i: u32| known[i as usize].0;
    let candidates: Vec<Pair> = pairs_within(&fingerprints, 20)?
        .into_iter()
        .map(|pair| Pair { a: number(pair.a), b: number(pair.b), ..pair })
        .collect();
    // Of the candidates those count that have at least 6 in 10 word sequences in common.
    let shingles = |i: u32| Ok(Shingles::of(&texts[i as usize].1, 3));
    let verify = ShingleVerifier { shingles, bound: 0.6, most_loaded: 100_000 };
    let clusters = Clusterer::default().cluster(texts.len(), &copies, &candidates, &verify)?;
    for ((name, _), member) in texts.iter().zip(&clusters.members) {
        if member.joined != Joined::Representative {
            let (kind, other) = (member.joined.name(), &texts[member.representative as usize].0);
            println!("{name}\t{kind}\t{other}\t{:.2}", member.similarity);
        }
    }
    Ok(())
}
