//! Near-duplicates among texts.
//!
//! `cargo run --release --example near_duplicates -- FILE…` reads a text a file and prints each text that is a copy or
//! nearly one of another, with that one and the share of 3-word sequences that both have. Without arguments it does so
//! for four short texts.

use std::collections::HashMap;
use std::error::Error;
use webmill::dedup::{
    BandJoin, BandJoinOptions, BandShape, Clusters, CopyClasses, ExactPair, Joined, NearPair, Same, Shingles,
    TextDigest, text_bands,
};
use webmill::sort::Budget;

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
    // Candidates: texts whose sketches agree in a band. Of them those count that have at least 6 in 10 word sequences in
    // common; so low a bound takes many short bands.
    let shape: BandShape = "32x4".parse()?;
    let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(64 << 20));
    let classes = CopyClasses::of(texts.len(), copies.into_iter().map(Ok))?;
    for (i, (_, text)) in (0..).zip(&texts) {
        if classes.head(i) == i {
            join.push(i, &text_bands(text, &shape).unwrap_or_default())?;
        }
    }
    let shingles: Vec<Shingles> = texts.iter().map(|(_, text)| Shingles::of(text, 3)).collect();
    let similar = |a: u32, b: u32| {
        let resemblance = shingles[a as usize].resemblance(&shingles[b as usize]);
        (resemblance >= 0.6).then_some(resemblance as f32)
    };
    let matches = join.run(|meetings, verdicts| {
        for (meeting, verdict) in meetings.iter().zip(verdicts) {
            *verdict = similar(meeting.representative, meeting.page);
        }
        Ok(())
    })?;
    let mut near: Vec<NearPair> = matches
        .map(|found| {
            found.map(|f| NearPair { later: f.page, first: f.representative, similarity: f.similarity })
        })
        .collect::<Result<_, _>>()?;
    near.sort_by_key(|pair| (pair.later, pair.first));
    let clusters = Clusters::of(&classes, &near, Some(|a, b| Ok(similar(a, b))))?;
    for ((name, _), member) in texts.iter().zip(&clusters.members) {
        if member.joined != Joined::Representative {
            let (kind, other) = (member.joined.name(), &texts[member.representative as usize].0);
            println!("{name}\t{kind}\t{other}\t{:.2}", member.similarity);
        }
    }
    Ok(())
}
