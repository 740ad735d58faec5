//! Results of a corpus that grows: each addition costs what it is, and gives the bytes of a run from scratch.

use webmill::mill::PageRow;

use crate::support::{Work, story};

/// The beginning of a picture of one pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

fn answer(kind: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n").as_bytes(), body].concat()
}

/// A page of a host, which shows a picture; its foot is that of its host's pages in this shard.
fn page(host: u64, number: u64, foot: &str) -> Vec<u8> {
    let part = |part| format!("<p>{}</p>", story(host * 1000 + number * 10 + part));
    let prose: String = (0..number % 4).map(part).collect();
    let html = format!(
        "<title>Page {number}</title><h1>Page {number}</h1>{prose}<img src=/p{}.png alt=\"shown on {number}\">\
         <a href=/{}.html>next</a><footer><p>{foot}</p></footer>",
        number % 3,
        (number + 1) % 40,
    );
    answer("text/html", html.as_bytes())
}

/// Three shards: host 0 is in all of them and has another foot in each, so that its template changes; hosts 1 and 2 are in two, with
/// URLs that are captured again; each other host is in one. The first two hosts of a shard alternate, the third one stands behind them.
fn corpus(work: &Work) {
    let shards = [("a", [0, 1, 3], 0..16), ("b", [0, 2, 4], 8..40), ("c", [0, 1, 2], 0..30)];
    for (day, (name, hosts, numbers)) in (0u64..).zip(shards) {
        let foot = |host| story(if host == 0 { 900 + day } else { 990 + host });
        let capture =
            |host, number| (format!("http://h{host}.example/{number}.html"), page(host, number, &foot(host)));
        let [first, second, third] = hosts;
        let mut captures: Vec<(String, Vec<u8>)> =
            numbers.clone().flat_map(|number| [capture(first, number), capture(second, number)]).collect();
        captures.extend(numbers.map(|number| capture(third, number)));
        for host in hosts {
            captures.push((format!("http://h{host}.example/p{day}.png"), answer("image/png", PNG)));
            captures
                .push((format!("http://h{host}.example/bad.pdf"), answer("application/pdf", b"%PDF-1.4")));
        }
        let start = 86_400_000 * (day as i64 + 1);
        let dated = (0..).zip(captures).map(|(at, (url, data))| (url, data, start + 1000 * at));
        work.write_captures("shards", name, dated.collect::<Vec<_>>());
    }
    let small = "[extract]\npart_bytes = 9000\nbuffer_bytes = 30000\nfile_rows = 25\n";
    std::fs::write(work.path("small.toml"), small).unwrap();
}

fn shards(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("shards/{name}-00000.rawdb")).collect()
}

fn arguments<'a>(job: &'a str, shards: &'a [String], out: &'a str) -> Vec<&'a str> {
    let mut arguments = vec![job];
    arguments.extend(shards.iter().map(String::as_str));
    arguments.extend(["--out", out, "--recipe", "small.toml", "--max-bad", "0.5"]);
    arguments
}

/// How many parts there were, how many of them were taken over, and captures of the others.
fn taken(work: &Work, out: &str) -> [u64; 3] {
    let run = std::fs::read(work.path(out).join("extract/latest/run.json")).unwrap();
    let run: serde_json::Value = serde_json::from_slice(&run).unwrap();
    ["parts", "parts_taken_over", "captures_taken_over"].map(|name| run["facts"][name].as_u64().unwrap())
}

/// Asserts that `grown` has all that a run from scratch has.
fn assert_as_from_scratch(work: &Work, scratch: &str, grown: &str) {
    let (scratch, grown) = (work.committed(scratch), work.committed(grown));
    assert!(scratch.len() > 10, "{:?}", scratch.keys());
    for (name, bytes) in &scratch {
        assert_eq!(grown.get(name).map(Vec::len), Some(bytes.len()), "{name}");
        assert!(grown[name] == *bytes, "{name}: other bytes");
    }
}

#[test]
fn additions_give_the_bytes_of_a_run_from_scratch() {
    let work = Work::new();
    corpus(&work);
    let [a, ab, abc] = [&["a"][..], &["a", "b"], &["a", "b", "c"]].map(shards);
    work.run(&arguments("run", &a, "grown"));
    assert_eq!(taken(&work, "grown")[1..], [0, 0]);
    let dies_at = |point: &str, shards: &[String]| {
        let mut command = work.webmill(&arguments("run", shards, "grown"));
        assert!(!command.env("WEBMILL_CRASH_AT", point).output().unwrap().status.success(), "{point}");
    };
    for point in ["unit-written", "rejects-written", "folder-renamed"] {
        dies_at(point, &ab);
    }
    work.run(&arguments("run", &ab, "grown"));
    work.run(&arguments("run", &ab, "two"));
    assert_as_from_scratch(&work, "two", "grown");
    dies_at("receipt-renamed", &abc);
    work.run(&arguments("run", &abc, "grown"));
    work.run(&arguments("run", &abc, "three"));
    assert_as_from_scratch(&work, "three", "grown");
    let [parts, whole, _] = taken(&work, "grown");
    assert!(whole > 0 && whole < parts, "{parts} {whole}");

    // Without templates no part of a shard that was there is read again, on any number of threads.
    std::fs::write(work.path("small.toml"), "[extract]\npart_bytes = 9000\ntemplate_pages = 0\n").unwrap();
    work.run(&arguments("extract", &ab, "plain"));
    let [before, ..] = taken(&work, "plain");
    let mut one = arguments("extract", &abc, "plain");
    one.extend(["--threads", "1"]);
    work.run(&one);
    work.run(&arguments("extract", &abc, "anew"));
    assert_as_from_scratch(&work, "anew", "plain");
    assert_eq!(taken(&work, "plain")[1..], [before, 0]);
    // Damaged rows are made anew.
    let units = work.path("plain/extract/.keys/.units");
    for file in crate::support::files_below(&units) {
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&file, bytes).unwrap();
    }
    std::fs::remove_dir_all(work.path("plain/extract/latest").canonicalize().unwrap()).unwrap();
    work.run(&arguments("extract", &abc, "plain"));
    assert_eq!(taken(&work, "plain")[1..], [0, 0]);
    assert_as_from_scratch(&work, "anew", "plain");
}

#[test]
fn another_corpus_is_refused_by_name() {
    let work = Work::new();
    corpus(&work);
    let [a, b, ab] = [&["a"][..], &["b"], &["a", "b"]].map(shards);
    work.run(&arguments("extract", &a, "out"));
    let said = work.fails(&arguments("run", &b, "out"), 2);
    for word in ["out: ", "a-00000.rawdb not named", "b-00000.rawdb would be another corpus", "--replace"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    // Under another name, in a folder, and with more behind it, the shard is still there.
    let whole = std::fs::read(work.path(&a[0])).unwrap();
    std::fs::create_dir_all(work.path("folder")).unwrap();
    std::fs::write(work.path("folder/other.rawdb"), &whole).unwrap();
    let folder = ["folder".to_owned()];
    work.run(&arguments("extract", &folder, "out"));
    std::fs::write(work.path("folder/more.rawdb"), std::fs::read(work.path(&b[0])).unwrap()).unwrap();
    work.run(&arguments("extract", &folder, "out"));
    let grown = [whole.clone(), std::fs::read(work.path(&b[0])).unwrap()].concat();
    std::fs::write(work.path("folder/other.rawdb"), grown).unwrap();
    work.run(&arguments("extract", &folder, "out"));
    std::fs::write(work.path("folder/other.rawdb"), &whole).unwrap();
    assert!(work.fails(&arguments("extract", &folder, "out"), 2).contains("other.rawdb changed"));

    let mut replacing = arguments("extract", &b, "out");
    replacing.push("--replace");
    work.run(&replacing);
    work.run(&arguments("extract", &b, "scratch"));
    assert_as_from_scratch(&work, "scratch", "out");
    work.run(&arguments("extract", &ab, "out"));
    assert!(taken(&work, "out")[1] > 0);
}

#[test]
fn nothing_is_taken_over_of_a_wacz_with_other_content() {
    let work = Work::new();
    std::fs::write(work.path("small.toml"), "[extract]\npart_bytes = 9000\n").unwrap();
    let write = |folder: &str, name: &str, host: u64, foot: u64| {
        let capture = |number: u64| {
            let url = format!("http://h{host}.example/{number}.html");
            (url, page(host, number, &story(foot)), 86_400_000 + 1000 * number as i64)
        };
        work.write_captures(folder, name, (0..3).map(capture));
    };
    write("in", "b", 3, 900);
    let files = ["in/a.wacz", "in/b-00000.rawdb"].map(str::to_owned);
    let mut replacing = arguments("extract", &files, "out");
    replacing.push("--replace");
    for (folder, foot) in [("before", 900), ("after", 901)] {
        write(folder, "one", 1, foot);
        write(folder, "two", 2, foot);
        work.run(&["wacz", folder, "--out", "made.wacz"]);
        std::fs::rename(work.path("made.wacz"), work.path("in/a.wacz")).unwrap();
        work.run(&replacing);
    }
    // Of three shards, the one beside it.
    assert_eq!(taken(&work, "out"), [3, 1, 0]);
    work.run(&arguments("extract", &files, "scratch"));
    assert_as_from_scratch(&work, "scratch", "out");
    // One archive of it is another input than all of it.
    for (named, rows) in [("in/a.wacz/archive/one-00000.warc.gz", 3), ("in/a.wacz", 6)] {
        work.run(&["extract", named, "--out", "one"]);
        assert_eq!(work.table::<PageRow>("one", "extract").len(), rows, "{named}");
    }
}
