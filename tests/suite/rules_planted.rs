//! `webmill rules` on three planted sites of two thousand records each, of which everything is known: every row and every
//! cell is found, nothing else is, and neither threads, memory nor shards change anything.

mod rules;
mod sites;

use std::collections::BTreeMap;

use webmill::table::TableInWords;

use crate::support::{Work, assert_same};
use sites::{Page, Site, books, goods, kettles};

/// Writes the pages of all sites, in turns, into this many shards.
fn write_shards(work: &Work, sites: &[Site], shards: usize) {
    let pages: Vec<&Page> = sites.iter().flat_map(|site| &site.pages).collect();
    for shard in 0..shards {
        let numbered = (0..).zip(&pages).filter(|(number, _)| *number as usize % shards == shard);
        let captures = numbered.map(|(number, page)| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {}\r\n\r\n", page.content_type);
            (&page.url, [head.as_bytes(), &page.body].concat(), 1_700_000_000_000 + number)
        });
        work.write_captures("shards", &format!("part{shard}"), captures);
    }
}

/// The sites in this many shards, extracted, with their rules.
fn milled(sites: &[Site], shards: usize) -> Work {
    let work = Work::new();
    write_shards(&work, sites, shards);
    std::fs::create_dir(work.path("rules")).unwrap();
    for site in sites {
        std::fs::write(work.path(&format!("rules/{}.toml", site.table)), site.rule).unwrap();
    }
    work.run(&["extract", "shards", "--out", "out"]);
    work
}

fn apply(work: &Work, options: &[&str]) {
    let _ = std::fs::remove_dir_all(work.path("out/rules"));
    work.run(&[&["rules", "rules", "--shards", "shards", "--out", "out"], options].concat());
}

/// The rows of a table, of these columns.
fn rows(work: &Work, table: &str, columns: &[&str]) -> Vec<Vec<String>> {
    let table = TableInWords::read(&work.path(&format!("out/rules/latest/{table}"))).unwrap();
    let columns: Vec<Vec<&str>> = columns.iter().map(|column| table.column(column).collect()).collect();
    (0..table.rows.len()).map(|row| columns.iter().map(|column| column[row].to_owned()).collect()).collect()
}

/// How many rows, and how many cells at their places, both have; records are told apart by `key`.
fn agreement(found: &[Vec<String>], planted: &[Vec<String>], key: usize) -> (usize, usize) {
    let planted: BTreeMap<&str, &Vec<String>> = planted.iter().map(|row| (row[key].as_str(), row)).collect();
    let pairs = found.iter().filter_map(|row| planted.get(row[key].as_str()).map(|planted| (row, *planted)));
    pairs.fold((0, 0), |(rows, cells), (a, b)| {
        (rows + usize::from(a == b), cells + a.iter().zip(b).filter(|(a, b)| a == b).count())
    })
}

#[test]
fn every_planted_record_is_found_and_nothing_else() {
    let sites = [kettles(), books(), goods()];
    let work = milled(&sites, 1);
    apply(&work, &["--threads", "1"]);
    let problems = TableInWords::read(&work.path("out/rules/latest/rules_problems")).unwrap();
    for site in &sites {
        let found = rows(&work, site.table, site.columns);
        // Addresses tell kettles apart, names all else.
        let key = if site.table == "rule_kettles_all" { 4 } else { 0 };
        let (same, cells) = agreement(&found, &site.rows, key);
        let width = site.columns.len();
        let first = found.iter().find(|row| !site.rows.contains(row));
        println!(
            "{}: {same} rows of {} found, {} planted; {cells} cells",
            site.table,
            found.len(),
            site.rows.len()
        );
        assert_eq!(
            (same, cells),
            (site.rows.len(), site.rows.len() * width),
            "{}: recall; {first:?}",
            site.table
        );
        assert_eq!((same, cells), (found.len(), found.len() * width), "{}: precision; {first:?}", site.table);
        // What is told of the whole rule is told of its group again, where rows are concerned.
        let rule = site.table.trim_start_matches("rule_").trim_end_matches("_all");
        let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
        let places = problems.column("rule").zip(problems.column("group"));
        let told = problems.column("problem").zip(problems.column("count"));
        for (_, (problem, count)) in places.zip(told).filter(|(place, _)| *place == (rule, "all")) {
            *counted.entry(problem).or_default() += count.parse::<u64>().unwrap();
        }
        assert_eq!(counted, site.problems, "{}", site.table);
    }
    let one = work.committed("out/rules");
    for options in [
        &["--threads", "2"][..],
        &["--threads", "2", "--memory", "64MiB"],
        &["--threads", "1", "--memory", "8GiB"],
    ] {
        apply(&work, options);
        assert_same(&one, &work.committed("out/rules"), &options.join(" "));
    }
    // Where a record lies, and the key that is made of it, differ by the shards; nothing else does, the order of rows among it.
    let parted = milled(&sites, 5);
    apply(&parted, &[]);
    for site in &sites {
        let columns =
            [site.columns, &["url", "url_key", "host", "domain", "top_url", "layer", "path"]].concat();
        assert!(rows(&work, site.table, &columns) == rows(&parted, site.table, &columns), "{}", site.table);
    }
}
