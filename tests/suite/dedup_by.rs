//! Which signatures pairs are found by: SimHash against brute force, bands by their bound, further kinds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use webmill::dedup::{Fingerprint, Shingles};
use webmill::jobs::dedup::tables::{ClusterRow, DuplicateKind, DuplicateRow, FoundBy, Membership};
use webmill::mill::PageRow;
use webmill::table::read_rows;

use crate::dedup::{Written, changed, rows, text, write_archive};
use crate::dedup_large::write;
use crate::support::Work;

/// Runs `dedup` with these settings; what it said.
fn dedup(work: &Work, settings: &str) -> String {
    std::fs::write(work.path("recipe.toml"), format!("[dedup]\npassages = false\n{settings}\n")).unwrap();
    let output = work.run(&["dedup", "out", "--recipe", "recipe.toml"]);
    String::from_utf8(output.stderr).unwrap()
}

/// Rows of a kind as pairs of URLs, with how they were found.
fn pairs(work: &Work, kind: DuplicateKind) -> BTreeMap<(String, String), FoundBy> {
    let rows = rows::<DuplicateRow>(work, "out").into_iter().filter(|row| row.kind == kind);
    rows.map(|row| ((row.a, row.b), row.found_by)).collect()
}

/// Pages of which some are near each other, some of one template with words of their own, some strangers.
fn skewed(number: u64) -> (String, String) {
    let text = match number % 10 {
        0..4 => changed(&text(number / 400, 200), &[number as usize % 200]),
        4 => text(number / 800, 120),
        5..7 => format!("{} {}", text(7, 300), text(number, 12)),
        _ => text(number + (1 << 30), 40),
    };
    (format!("http://h{}.org/{number}", number % 53), text)
}

#[test]
fn simhash_alone_gives_the_clusters_and_pairs_of_brute_force() {
    let work = Work::new();
    write(&work, 20_000, skewed);
    let said = dedup(&work, "by = [\"simhash\"]\nverify = false");
    assert!(!said.contains("not looked at"), "{said}");
    let mut pages: Vec<PageRow> = read_rows(&work.path("out/extract/latest/pages")).unwrap();
    pages.sort_by(|a, b| {
        let key = |page: &PageRow| (page.fetch_time.0, page.url.len(), page.url.clone());
        key(a).cmp(&key(b))
    });
    let simhashes: Vec<Fingerprint> = pages.iter().map(|page| Fingerprint(page.simhash)).collect();
    let close = |a: usize, b: usize| simhashes[a].distance(simhashes[b]) <= 3;
    // Each page joins the first representative within three bits, else it becomes one.
    let (mut heads, mut expected): (Vec<usize>, BTreeMap<&str, BTreeSet<&str>>) = Default::default();
    for page in 0..pages.len() {
        let head = heads.iter().copied().find(|&head| close(head, page)).unwrap_or_else(|| {
            heads.push(page);
            page
        });
        expected.entry(&pages[head].url).or_default().insert(&pages[page].url);
    }
    expected.retain(|_, members| members.len() > 1);
    let found: Vec<ClusterRow> = rows(&work, "out");
    let mut clusters: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in &found {
        clusters.entry(&row.representative).or_default().insert(&row.url);
        assert_eq!(row.resemblance.is_none(), row.kind == Membership::Near, "{}", row.url);
    }
    assert!(expected.len() > 20 && clusters == expected, "{} {}", clusters.len(), expected.len());
    // Pairs: the first pages of two texts whose fingerprints are close, all of them where a bucket is small.
    let mut first: HashMap<u128, usize> = HashMap::new();
    let speakers: Vec<usize> = (0..pages.len())
        .filter(|&i| *first.entry(pages[i].text_digest.unwrap().0).or_insert(i) == i)
        .collect();
    let mut values: HashMap<u64, Vec<usize>> = HashMap::new();
    speakers.iter().for_each(|&page| values.entry(pages[page].simhash).or_default().push(page));
    let pairs = pairs(&work, DuplicateKind::Near);
    let at: HashMap<&str, usize> = pages.iter().enumerate().map(|(i, page)| (page.url.as_str(), i)).collect();
    assert!(
        pairs.iter().all(|((a, b), by)| *by == FoundBy::Simhash && close(at[a.as_str()], at[b.as_str()]))
    );
    let alone: Vec<usize> = values.values().filter(|pages| pages.len() == 1).map(|pages| pages[0]).collect();
    let mut missing = 0;
    for (i, &a) in alone.iter().enumerate() {
        for &b in alone[i + 1..].iter().filter(|&&b| close(a, b)) {
            let (a, b) = (a.min(b), a.max(b));
            missing += usize::from(!pairs.contains_key(&(pages[a].url.clone(), pages[b].url.clone())));
        }
    }
    assert_eq!(missing, 0, "of {}", pairs.len());
}

#[test]
fn both_signatures_bring_candidates_and_each_is_verified() {
    let work = Work::new();
    write(&work, 3_000, skewed);
    dedup(&work, "");
    let near: BTreeSet<_> = pairs(&work, DuplicateKind::Near).into_keys().collect();
    let found = |settings: &str| {
        dedup(&work, settings);
        let rows = rows::<DuplicateRow>(&work, "out");
        for row in rows.iter().filter(|row| row.kind == DuplicateKind::Near) {
            let close = row.distance.unwrap() <= 3;
            assert!(row.resemblance.unwrap() >= 0.8, "{} {}", row.a, row.b);
            match row.found_by {
                FoundBy::Bands => assert!(!close || !settings.is_empty()),
                FoundBy::Simhash | FoundBy::BandsAndSimhash => assert!(close),
                other => assert_eq!(other, FoundBy::Cluster),
            }
        }
        rows.iter().filter(|row| row.kind == DuplicateKind::Near).map(|row| row.found_by).collect::<Vec<_>>()
    };
    let of = |found: &[FoundBy], by| found.iter().filter(|other| **other == by).count();
    let both = found("");
    assert!(of(&both, FoundBy::BandsAndSimhash) > 50, "{both:?}");
    // One band of 64 rows finds little, and what it misses SimHash finds.
    let few = found("bands = \"1x64\"");
    assert!(of(&few, FoundBy::Simhash) > 50, "{}", few.len());
    // Clusters by one of the two are those of the pairs that it found, alone or not.
    dedup(&work, "cluster_by = [\"simhash\"]");
    let members = rows::<ClusterRow>(&work, "out");
    let close = members.iter().filter(|row| row.kind == Membership::Near && row.distance.unwrap() <= 3);
    assert!(close.count() > 20);
    let bands = found("by = [\"bands\"]");
    assert_eq!(of(&bands, FoundBy::Bands) + of(&bands, FoundBy::Cluster), bands.len());
    let alone: BTreeSet<_> = {
        dedup(&work, "by = [\"simhash\"]");
        pairs(&work, DuplicateKind::Near).into_keys().collect()
    };
    assert!(alone.len() > 50 && alone.len() < near.len(), "{} {}", alone.len(), near.len());
}

#[test]
fn bands_are_those_that_the_bound_asks_for() {
    let work = Work::new();
    // Families of two whose members share half of their shingles, a bit more or less.
    write(&work, 2_000, |number| {
        let edits: Vec<usize> = (0..14).map(|i| i * 9 + 1).collect();
        let own = text(number / 2, 126);
        let text = if number % 2 == 0 { own } else { changed(&own, &edits) };
        (format!("http://h{}.org/{number}", number % 53), text)
    });
    let said = dedup(&work, "by = [\"bands\"]\nmin_resemblance = 0.45");
    assert!(said.contains("signed anew") && said.contains("minhash-1-49x3"), "{said}");
    let found = pairs(&work, DuplicateKind::Near).len();
    let expected = (0..1_000u64)
        .filter(|family| {
            let edits: Vec<usize> = (0..14).map(|i| i * 9 + 1).collect();
            let one = text(*family, 126);
            let sets = [Shingles::of(&one, 3), Shingles::of(&changed(&one, &edits), 3)];
            sets[0].resemblance(&sets[1]) >= 0.45
        })
        .count();
    assert!(expected > 900 && found * 100 >= expected * 99, "{found} of {expected}");
    let manifest = std::fs::read_to_string(work.path("out/dedup/latest/manifest.json")).unwrap();
    assert!(manifest.contains("of the pairs at 0.45"), "{manifest}");
    let said = dedup(&work, "min_resemblance = 0.8");
    assert!(!said.contains("signed anew"), "{said}");
}

#[test]
fn earlier_results_of_other_bands_are_refused_by_name() {
    let work = Work::new();
    for (name, seed) in [("0", 1), ("1", 2)] {
        write_archive(&work, &format!("{name}.warc"), &[Written::new("http://a.org/", 1, &text(seed, 60))]);
        work.run(&["extract", &format!("{name}.warc"), "--out", name]);
    }
    work.run(&["dedup", "0", "--set", "dedup.min_resemblance=0.5"]);
    let said = work.fails(&["dedup", "1", "--against", "0"], 2);
    assert!(said.contains("--against 0") && said.contains("35x3") && said.contains("21x6"), "{said}");
}

/// Pages of two templates, with texts that rewrite each other.
fn rewritten() -> Vec<Written> {
    let story = |place: &str| {
        format!(
            "The ferry across the lake did not run today because of the storm, and the captain of the ferry said in {place} \
             that the storm would not end before the night; the harbour of the town is closed to the ferry until then."
        )
    };
    let other = "A museum of clocks has opened its doors in the old mill, where the miller once kept the time of the whole \
                 valley, and the clocks of the museum are wound by hand in the morning by a clockmaker.";
    let mut pages = vec![
        Written::new("http://a.org/ferry", 1, &story("Ulm")),
        Written::new(
            "http://b.org/ferry",
            2,
            &format!("Home | News | Sport | Weather. {} Imprint Contact", story("Bern")),
        ),
        Written::new("http://c.org/clocks", 3, other),
    ];
    pages[2].head = "<meta name=a content=b><meta name=c content=d>".repeat(30);
    pages
}

#[test]
fn further_signatures_find_pairs_of_their_own_kind() {
    let work = Work::new();
    write_archive(&work, "a.warc", &rewritten());
    work.run(&["extract", "a.warc", "--out", "out"]);
    std::fs::write(work.path("nouns"), "ferry n\nstorm n\nlake n\nharbour n\nnight n\n").unwrap();
    let all = "by = [\"bands\", \"spotsigs\", \"semantic\", \"structure\"]\nparts_of_speech = \"nouns\"";
    dedup(&work, all);
    let ferry = ("http://a.org/ferry".to_owned(), "http://b.org/ferry".to_owned());
    for (kind, by) in [
        (DuplicateKind::Spotsigs, FoundBy::Spotsigs),
        (DuplicateKind::Semantic, FoundBy::Semantic),
        (DuplicateKind::Structure, FoundBy::Structure),
    ] {
        assert_eq!(pairs(&work, kind), [(ferry.clone(), by)].into(), "{kind:?}");
    }
    for row in rows::<DuplicateRow>(&work, "out") {
        let resemblance = row.resemblance.unwrap();
        match row.kind {
            DuplicateKind::Semantic => assert_eq!(resemblance, 1.0),
            DuplicateKind::Structure => assert!(resemblance >= 0.9),
            _ => assert!((0.44..1.0).contains(&resemblance), "{resemblance}"),
        }
    }
    // Clusters only where that is asked for.
    assert!(rows::<ClusterRow>(&work, "out").iter().all(|row| row.kind != Membership::Near));
    dedup(&work, &format!("{all}\ncluster_by = [\"semantic\"]"));
    let clusters: Vec<ClusterRow> = rows(&work, "out");
    let kinds: Vec<_> = clusters.iter().map(|row| (row.kind, row.resemblance)).collect();
    assert_eq!(kinds, [(Membership::Representative, Some(1.0)), (Membership::Semantic, None)]);
    std::fs::remove_file(work.path("a.warc")).unwrap();
    std::fs::write(work.path("recipe.toml"), "[dedup]\nby = [\"structure\"]\n").unwrap();
    let said = work.fails(&["dedup", "out", "--recipe", "recipe.toml"], 2);
    assert!(said.contains("a.warc"), "{said}");
}

#[test]
fn settings_that_belong_to_no_signature_are_refused() {
    let work = Work::new();
    std::fs::create_dir(work.path("out")).unwrap();
    std::fs::write(work.path("out/webmill.json"), "{\"layout\": 3}").unwrap();
    for (settings, part) in [
        ("by = []", "one at least"),
        ("by = [\"bands\", \"bands\"]", "once each"),
        ("by = [\"nemo\"]", "nemo"),
        ("verify = false", "verify"),
        ("by = [\"semantic\"]\nverify = false", "verify"),
        ("by = [\"bands\"]\ncluster_by = [\"simhash\"]", "cluster_by"),
        ("cluster_by = [\"semantic\"]", "cluster_by"),
        ("synonyms = \"s\"", "synonyms"),
        ("simhash_bits = 8", "simhash_bits"),
    ] {
        std::fs::write(work.path("recipe.toml"), format!("[dedup]\n{settings}\n")).unwrap();
        let said = work.fails(&["dedup", "out", "--recipe", "recipe.toml"], 2);
        assert!(said.contains(part), "{settings}: {said}");
    }
}

#[test]
fn two_stories_of_one_event_agree_by_their_keywords() {
    let Some(shard) = webmill_evaluation::data("cases/seeds/luoyufeng.rawdb") else { return };
    let work = Work::new();
    work.run(&["extract", shard.to_str().unwrap(), "--out", "out"]);
    std::fs::write(work.path("nouns"), "罗玉凤 nr\n北大 nt\n清华 nt\n硕士 n\n征婚 n\n").unwrap();
    dedup(&work, "by = [\"semantic\"]\nparts_of_speech = \"nouns\"");
    let (found, stories) =
        (pairs(&work, DuplicateKind::Semantic), ("http://a.cn/1".into(), "http://b.cn/1".into()));
    assert_eq!(found, [(stories, FoundBy::Semantic)].into());
}
