//! Damage from outside: counted by what it costs, held against the bound, listed where it is refused; and URLs that are
//! bytes.

use webmill::mill::PageRow;
use webmill::table::TableInWords;

use crate::archives::Served;
use crate::support::{Work, gzip};

fn record(url: &[u8], data: &[u8]) -> Vec<u8> {
    let rest = format!("\ndate:Tue,15Apr200308:13:06GMT\nip:1.2.3.4\nlength:{}\n\n", data.len());
    [b"version:1.0\nurl:", url, rest.as_bytes(), data, b"\n"].concat()
}

fn page(body: &[u8]) -> Vec<u8> {
    [b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gbk\r\n\r\n", body].concat()
}

fn put(work: &Work, name: &str, bytes: &[u8]) {
    std::fs::write(work.path(name), bytes).unwrap();
}

/// 200 records, of which one stretch of nine tenths is zeros: one place of damage among some twenty records. Gives the
/// bytes that are lost and all.
fn zeroed(work: &Work, name: &str) -> (u64, u64) {
    let records: Vec<Vec<u8>> = (0..200)
        .map(|n| {
            record(format!("http://a.example/{n}").as_bytes(), &page(&b"<p>text of a page</p>\n".repeat(5)))
        })
        .collect();
    let end = |n: usize| records[..n].iter().map(Vec::len).sum::<usize>();
    let mut bytes = records.concat();
    bytes[end(10)..end(190)].fill(0);
    put(work, name, &bytes);
    ((end(190) - end(10)) as u64, bytes.len() as u64)
}

#[test]
fn one_place_that_cost_nine_tenths_is_refused_everywhere() {
    let work = Work::new();
    let (lost, bytes) = zeroed(&work, "bad.raw");
    let said = format!("{lost} of {bytes} bytes lost");
    // One of 21 is within this bound, nine tenths of the bytes are not.
    for command in [
        &["extract", "bad.raw", "--out", "out"][..],
        &["run", "bad.raw", "--out", "out"],
        &["shard", "ls", "bad.raw"],
        &["shard", "cat", "bad.raw"],
        &["shard", "recover", "bad.raw", "-o", "whole.raw"],
        &["shard", "convert", "bad.raw", "-o", "bad.warc.gz"],
        &["shard", "split", "bad.raw", "-o", "parts"],
    ] {
        let message = work.fails(&[command, &["--max-bad", "0.2"]].concat(), 1);
        assert!(message.contains(&said), "{command:?}: {message}");
    }
    let checked = work.webmill(&["shard", "check", "bad.raw", "--max-bad", "0.2"]).output().unwrap();
    assert_eq!(checked.status.code(), Some(1));
    let checked = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.contains(&format!("20 records, 1 damaged, {said} (9")), "{checked}");
    // What is whole was recovered all the same, and nothing else was written.
    work.run(&["shard", "check", "whole.raw", "--max-bad", "0"]);
    assert!(!work.path("bad.warc.gz").exists() && !work.path("out/extract/latest").exists());
    for command in
        [&["ls", "bad.raw"][..], &["check", "bad.raw"], &["convert", "bad.raw", "-o", "bad.warc.gz"]]
    {
        work.run(&[&["shard"], command, &["--max-bad", "0.95"]].concat());
    }
}

#[test]
fn what_warc_and_arc_lose_is_held_against_the_bound_too() {
    let work = Work::new();
    let data = page(&b"<p>text of a page</p>\n".repeat(5));
    let urls = (0..200).map(|n| format!("http://a.example/{n}"));
    let raw: Vec<u8> = urls.clone().flat_map(|url| record(url.as_bytes(), &data)).collect();
    put(&work, "good.raw", &raw);
    for to in ["good.warc", "good.warc.gz"] {
        work.run(&["shard", "convert", "good.raw", "-o", to]);
    }
    let arc = urls.flat_map(|url| {
        let line = format!("{url} 1.2.3.4 20030415081306 text/html {}\n", data.len());
        [line.as_bytes(), &data, b"\n"].concat()
    });
    put(&work, "good.arc", &arc.collect::<Vec<u8>>());
    for name in ["good.warc", "good.warc.gz", "good.arc"] {
        let mut bytes = std::fs::read(work.path(name)).unwrap();
        let size = bytes.len();
        bytes[size / 10..size * 19 / 20].fill(0);
        put(&work, "bad", &bytes);
        assert_eq!(
            work.webmill(&["shard", "check", "bad", "--max-bad", "0.5"]).output().unwrap().status.code(),
            Some(1),
            "{name}"
        );
        let said = work.fails(&["extract", "bad", "--out", "out", "--max-bad", "0.5"], 1);
        assert!(said.contains("bytes lost"), "{name}: {said}");
        let out = format!("out-{name}");
        work.run(&["extract", "bad", "--out", &out, "--max-bad", "1"]);
        let counts = &work.manifest(&format!("{out}/extract/latest"))["counts"];
        let lost = counts["bytes_lost"].as_u64().unwrap() as usize;
        assert_eq!(counts["bytes"], size as u64, "{name}");
        assert!((size * 4 / 5..=size * 9 / 10).contains(&lost), "{name}: {lost} of {size}");
    }
}

#[test]
fn what_is_refused_is_listed_beside_it_and_what_is_committed_holds_the_list() {
    let work = Work::new();
    let (lost, bytes) = zeroed(&work, "bad.raw");
    let message = work.fails(&["extract", "bad.raw", "--out", "out"], 1);
    let list = message.split_whitespace().find(|word| word.contains("rejects.parquet")).unwrap();
    let list = list.trim_end_matches(';').to_owned();
    let rejects = TableInWords::read(&work.path(&list)).unwrap();
    assert!(rejects.column("bytes_lost").eq([lost.to_string()]));
    assert!(rejects.column("reason").eq(["damaged-record"]));
    work.run(&["run", "bad.raw", "--out", "out", "--max-bad", "1"]);
    assert!(!work.path(&list).exists());
    let counts = &work.manifest("out/extract/latest")["counts"];
    assert_eq!((&counts["read"], &counts["damaged"]), (&21.into(), &1.into()));
    assert_eq!((&counts["bytes"], &counts["bytes_lost"]), (&bytes.into(), &lost.into()));
    let rejects = work.words("out", "extract", "rejects.parquet");
    assert!(rejects.column("bytes_lost").eq([lost.to_string()]));
    let report = std::fs::read_to_string(work.path("out/report/latest/report.html")).unwrap();
    assert!(report.contains(">1</data> damaged (") && report.contains("bytes lost)"));
    // Found done, it is held against the bound again.
    let again = work.fails(&["extract", "bad.raw", "--out", "out"], 1);
    assert!(again.contains("bytes lost") && again.contains("rejects.parquet"), "{again}");
}

#[test]
fn a_damaged_record_of_a_small_archive_is_told_by_the_exit_code_and_the_others_are_committed() {
    let work = Work::new();
    let records = String::from_utf8(archive("response", |n| format!("http://a.example/{n}"))).unwrap();
    let whole: Vec<Vec<u8>> =
        records.split("WARC/1.1").skip(1).map(|rest| gzip(format!("WARC/1.1{rest}").as_bytes())).collect();
    // Members whose check sum is wrong.
    for (bad, refused) in [(1, false), (3, false), (4, true)] {
        let mut members = whole.clone();
        for member in members.iter_mut().skip(5).step_by(3).take(bad) {
            let at = member.len() - 6;
            member[at] ^= 0xff;
        }
        put(&work, "bad.warc.gz", &members.concat());
        let out = format!("out-{bad}");
        let message = work.fails(&["run", "bad.warc.gz", "--out", &out], 1);
        assert!(message.contains(&format!("{bad} of 20 records are damaged")), "{message}");
        assert!(message.contains("more than --max-bad 0.01 allows"), "{message}");
        assert_eq!(message.contains("not committed"), refused, "{message}");
        assert_eq!(work.path(&out).join("report.html").exists(), !refused);
        if !refused {
            let pages = work.words(&out, "extract", "pages");
            assert_eq!(pages.column("url").count(), 20 - bad);
            // Also when it is found done.
            work.fails(&["run", "bad.warc.gz", "--out", &out], 1);
            work.fails(&["extract", "bad.warc.gz", "--out", "strict", "--max-bad", "0"], 1);
            assert!(!work.path("strict/extract/latest").exists());
        }
    }
}

#[test]
fn bytes_are_lost_once_wherever_a_shard_is_cut() {
    let work = Work::new();
    let (lost, bytes) = zeroed(&work, "bad.raw");
    for part_bytes in [500, 3000, 20_000] {
        put(&work, "recipe.toml", format!("[extract]\npart_bytes = {part_bytes}\n").as_bytes());
        let out = format!("out-{part_bytes}");
        work.run(&["extract", "bad.raw", "--out", &out, "--max-bad", "1", "--recipe", "recipe.toml"]);
        let counts = &work.manifest(&format!("{out}/extract/latest"))["counts"];
        assert_eq!((&counts["bytes"], &counts["bytes_lost"]), (&bytes.into(), &lost.into()), "{part_bytes}");
        assert_eq!((&counts["read"], &counts["damaged"]), (&21.into(), &1.into()), "{part_bytes}");
    }
}

#[test]
fn a_file_that_cannot_be_read_does_not_end_a_run() {
    let work = Work::new();
    work.synth("shards", 200, u64::MAX);
    std::os::unix::fs::symlink("/nowhere/at/all", work.path("shards/lost.raw")).unwrap();
    let message = work.fails(&["run", "shards", "--out", "out"], 1);
    assert!(message.contains("lost.raw") && message.contains("not read"), "{message}");
    let counts = &work.manifest("out/extract/latest")["counts"];
    assert_eq!(counts["unreadable"], serde_json::json!(["lost.raw"]));
    assert_eq!(counts["dropped"]["unreadable-file"], 1);
    assert!(work.path("out/report/latest/report.html").exists());
    // Also when it is found done.
    work.fails(&["run", "shards", "--out", "out"], 1);
}

#[test]
fn queries_in_another_encoding_are_pages_of_their_own_and_links_meet_them() {
    // Beijing, Shanghai, Guangzhou in GBK, as a crawler stores URLs: as bytes. Shanghai passes for UTF-8 in the middle.
    let queries: [(&[u8], &str); 3] = [
        (b"\xb1\xb1\xbe\xa9", "%B1%B1%BE%A9"),
        (b"\xc9\xcf\xba\xa3", "%C9%CF%BA%A3"),
        (b"\xb9\xe3\xd6\xdd", "%B9%E3%D6%DD"),
    ];
    let work = Work::new();
    let url = |query: &[u8]| [b"http://a.example/find?q=", query].concat();
    let links: Vec<u8> = queries
        .iter()
        .flat_map(|(query, _)| [b"<a href=\"/find?q=", *query, b"\">", *query, b"</a>\n"].concat())
        .collect();
    let mut shard = record(b"http://a.example/", &page(&links));
    for (query, _) in &queries {
        shard.extend(record(&url(query), &page(&[b"<title>", *query, b"</title><p>", *query].concat())));
    }
    // A redirect in raw bytes leads to one of them too.
    let moved = [b"HTTP/1.1 302 Found\r\nLocation: /find?q=", queries[1].0, b"\r\n\r\n"].concat();
    shard.extend(record(b"http://a.example/moved", &moved));
    put(&work, "a.raw", &shard);
    work.run(&["shard", "convert", "a.raw", "-o", "a.warc.gz"]);
    work.run(&["shard", "convert", "a.warc.gz", "-o", "back.raw"]);
    assert_eq!(std::fs::read(work.path("back.raw")).unwrap(), shard);
    for input in ["a.raw", "a.warc.gz"] {
        let out = format!("out-{input}");
        work.run(&["extract", input, "--out", &out]);
        work.run(&["graph", &out]);
        let mut spelt: Vec<String> =
            queries.iter().map(|(_, spelt)| format!("http://a.example/find?q={spelt}")).collect();
        spelt.sort();
        let found = |job: &str, table: &str, name: &str| {
            let table = work.words(&out, job, table);
            let mut found: Vec<String> = table.column(name).map(str::to_owned).collect();
            found.retain(|url| url.contains("find"));
            found.sort();
            found
        };
        assert_eq!(found("extract", "pages", "url"), spelt, "{input}");
        let mut targets = [&spelt[..], &[format!("http://a.example/find?q={}", queries[1].1)]].concat();
        targets.sort();
        assert_eq!(found("extract", "links", "target_url"), targets, "{input}");
        // They join: each node of theirs was crawled.
        assert_eq!(found("graph", "nodes", "url"), spelt, "{input}");
        let nodes = work.words(&out, "graph", "nodes");
        let mut crawled = nodes.column("url").zip(nodes.column("crawled"));
        assert!(crawled.all(|(url, crawled)| !url.contains("find") || crawled == "html"), "{:?}", nodes.rows);
    }
}

/// A WARC of 20 records of this type and with this URL by number, which none has where it is empty.
fn archive(kind: &str, url: impl Fn(usize) -> String) -> Vec<u8> {
    let record = |n: usize| {
        let data = page(format!("<title>{n}</title><p>Words of a page about number {n}.</p>").as_bytes());
        let target = match url(n) {
            none if none.is_empty() => String::new(),
            url => format!("WARC-Target-URI: {url}\r\n"),
        };
        let head = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{n:012}>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n{target}\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
            data.len()
        );
        [head.as_bytes(), &data, b"\r\n\r\n"].concat()
    };
    (0..20).flat_map(record).collect()
}

#[test]
fn records_that_obey_their_format_and_are_left_out_are_named_and_held_against_the_bound() {
    let work = Work::new();
    let address = |n: usize| format!("http://a.example/{n}");
    let long = |n: usize| if n < 5 { format!("{}?{}", address(n), "x".repeat(20_000)) } else { address(n) };
    put(&work, "reply.warc", &archive("reply", address));
    put(&work, "no-url.warc", &archive("response", |_| String::new()));
    put(&work, "long.warc", &archive("response", long));
    put(&work, "request.warc", &archive("request", address));
    for (shard, reason, omitted, used) in [
        ("reply.warc", "unknown-record-type", 20, 0),
        ("no-url.warc", "no-url", 20, 0),
        ("long.warc", "url-too-long", 5, 15),
    ] {
        let message = work.fails(&["run", shard, "--out", "refused"], 1);
        let said = format!("{omitted} left out ({:.2} %: {reason} {omitted})", f64::from(omitted) * 5.0);
        assert!(message.contains(&said) && message.contains("--max-bad"), "{message}");
        let out = format!("{shard}.out");
        let arguments = ["extract", shard, "--out", &out, "--max-bad", "1"];
        let message = if used == 0 { work.fails(&arguments, 1) } else { work.said(&arguments) };
        assert!(message.contains(&said), "{message}");
        assert_eq!(message.contains("no page in 20 records"), used == 0, "{message}");
        let counts = &work.manifest(&format!("{out}/extract/latest"))["counts"];
        let [read, of_use] = ["read", "used"].map(|name| counts[name].as_u64().unwrap_or(0));
        assert_eq!((read, of_use), (20, used), "{counts}");
        assert_eq!(counts["left_out"][reason], omitted);
    }
    // Records of kinds that are not asked for are no damage, but an empty result says why it is empty.
    let message = work.fails(&["extract", "request.warc", "--out", "none"], 1);
    assert!(message.contains("no page in 20 records: request-record 20"), "{message}");
    assert_eq!(work.manifest("none/extract/latest")["counts"]["unused"], 20);
}

#[test]
fn a_file_compressed_as_a_whole_is_read_by_places_inside_and_no_index_is_made_of_it() {
    let work = Work::new();
    let address = |n: usize| format!("http://a.example/{n}");
    let warc = archive("response", address);
    let arc = (0..20).flat_map(|n| {
        let data = page(format!("<title>{n}</title><p>Words of a page about number {n}.</p>").as_bytes());
        let line = format!("{} 1.2.3.4 20030415081306 text/html {}\n", address(n), data.len());
        [line.as_bytes(), &data, b"\n"].concat()
    });
    for (name, plain) in [("one.warc.gz", warc), ("one.arc.gz", arc.collect())] {
        put(&work, "plain", &plain);
        put(&work, name, &gzip(&plain));
        let places = |input: &str| {
            let out = format!("out-{input}");
            let said = work.said(&["extract", input, "--out", &out]);
            let rows: Vec<PageRow> = work.table(&out, "extract");
            let places =
                rows.into_iter().map(|row| (row.url, row.warc_record_offset, row.warc_record_length));
            (said, places.collect::<Vec<_>>())
        };
        let (said, found) = places(name);
        assert_eq!(said.matches("compressed as a whole").count(), 1, "{said}");
        let (said, plain) = places("plain");
        assert!(!said.contains("compressed as a whole"), "{said}");
        assert_eq!((found.len(), &found), (20, &plain));
        let rows: Vec<PageRow> = work.table(&format!("out-{name}"), "extract");
        assert!(rows.iter().all(|row| row.warc_is_inflated));
        std::fs::remove_dir_all(work.path("out-plain")).unwrap();
        let advice = format!("webmill shard convert {name} -o NEW.warc.gz");
        let output = work.webmill(&["index", name]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(&advice), "{said}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        // A page by its place, in the museum, and the way out.
        let (url, offset, _) = &found[7];
        let (status, _, body) =
            Served::start(&work, &[name]).get(&format!("/archive/20030415081306id_/{url}"));
        let body = String::from_utf8_lossy(&body);
        assert!(
            status == 200 && body.contains(&format!("<title>{}</title>", url.rsplit('/').next().unwrap())),
            "{body}"
        );
        let shown = work.output(&["shard", "cat", name, "--offset", &offset.to_string()]);
        assert!(shown.contains(&format!("<title>{}</title>", url.rsplit('/').next().unwrap())), "{shown}");
        work.run(&["shard", "convert", name, "-o", "new.warc.gz"]);
        assert_eq!(work.output(&["index", "new.warc.gz"]).lines().count(), 20);
        std::fs::remove_file(work.path("new.warc.gz")).unwrap();
        // A package of it is whole: it is converted on the way.
        let said = work.said(&["wacz", name, "--out", "one.wacz"]);
        assert!(said.contains("1 of them converted") && said.contains("20 captures"), "{said}");
        std::fs::remove_file(work.path("one.wacz")).unwrap();
    }
}

#[test]
fn a_file_that_was_cut_off_is_no_damage() {
    let work = Work::new();
    let warc = archive("response", |n| format!("http://a.example/{n}"));
    put(&work, "plain.warc", &warc);
    work.run(&["shard", "convert", "plain.warc", "-o", "whole.warc.gz"]);
    let whole = std::fs::read(work.path("whole.warc.gz")).unwrap();
    put(&work, "half.warc.gz", &whole[..whole.len() - 40]);
    put(&work, "no-trailer.warc.gz", &whole[..whole.len() - 8]);
    for (name, recovered, proof) in
        [("half.warc.gz", 19, ""), ("no-trailer.warc.gz", 20, " (1 of them unproven)")]
    {
        let out = format!("out-{name}");
        // A single place of damage in twenty records would give exit code 1.
        let said = work.said(&["run", name, "--out", &out]);
        assert!(said.contains("1 file cut off at the end"), "{said}");
        let counts = &work.manifest(&format!("{out}/extract/latest"))["counts"];
        assert_eq!((&counts["cut_off"], &counts["damaged"]), (&1.into(), &0.into()), "{counts}");
        assert!(work.words(&out, "extract", "rejects.parquet").column("reason").eq(["cut-off"]));
        let refused = work.fails(&["extract", name, "--out", "refused", "--max-bad", "0"], 1);
        assert!(refused.contains("cut off at the end"), "{refused}");
        let checked = work.output(&["shard", "check", name]);
        assert!(checked.contains(" 0 damaged, cut off at the end"), "{checked}");
        let strict = work.webmill(&["shard", "check", "--strict", name]).output().unwrap();
        assert_eq!(strict.status.code(), Some(1));
        let said = work.said(&["shard", "recover", name, "-o", "new.warc.gz"]);
        assert!(said.contains(&format!("{recovered} records recovered{proof}")), "{said}");
        work.run(&["shard", "check", "new.warc.gz", "--max-bad", "0"]);
        let said = work.said(&["index", name, "-o", "x.cdxj"]);
        assert!(said.contains(" 0 damaged") && said.contains("1 file cut off"), "{said}");
    }
}

#[test]
fn dates_that_cannot_be_read_are_named_and_have_a_flag() {
    let work = Work::new();
    let warc = String::from_utf8(archive("response", |n| format!("http://a.example/{n}"))).unwrap();
    let dates = ["20240503103100", "Fri, 03 May 2024 10:31:00 GMT", "2024-13-45", "yesterday"];
    let mut parts = warc.split("2026-01-01T00:00:00Z");
    let mut odd = parts.next().unwrap().to_owned();
    for (n, part) in parts.enumerate() {
        odd += &[dates.get(n).copied().unwrap_or("2026-01-01T00:00:00Z"), part].concat();
    }
    put(&work, "odd.warc", odd.as_bytes());
    let checked = work.output(&["shard", "check", "odd.warc"]);
    for (date, read) in
        dates.iter().zip(["not of the standard's form", "not of the standard's form", "no date", "no date"])
    {
        assert!(checked.contains(&format!("survivable: WARC-Date {date:?}: {read}")), "{checked}");
    }
    let strict = work.webmill(&["shard", "check", "--strict", "odd.warc"]).output().unwrap();
    assert_eq!(strict.status.code(), Some(1));
    let said = work.said(&["index", "odd.warc", "-o", "odd.cdxj"]);
    assert!(
        said.contains("left out: 2 no-date") && said.contains("yesterday") && said.contains("--undated"),
        "{said}"
    );
    let lines = std::fs::read_to_string(work.path("odd.cdxj")).unwrap();
    assert_eq!((lines.lines().count(), lines.matches(" 20240503103100 ").count()), (18, 2), "{lines}");
    let lines = work.output(&["index", "odd.warc", "--undated", "2001-02-03"]);
    assert_eq!((lines.lines().count(), lines.matches(" 20010203000000 ").count()), (20, 2), "{lines}");
    let lines = work.output(&["index", "odd.warc", "--undated", "file"]);
    assert_eq!(lines.lines().count(), 20);
    let said = work.said(&["extract", "odd.warc", "--out", "out"]);
    assert!(said.contains("2 records have no date that can be read"), "{said}");
    assert_eq!(work.manifest("out/extract/latest")["counts"]["dropped"]["date-unread"], 2);
}

#[test]
fn what_breaks_the_standard_has_a_line_and_strict_refuses_it() {
    let work = Work::new();
    let warc = archive("response", |n| format!("http://a.example/{n}"));
    let right = String::from_utf8(warc).unwrap();
    let uuid = |n: usize| format!("<urn:uuid:00000000-0000-4000-8000-{n:012}>");
    put(&work, "odd.warc", right.replace("-4000-", "-").as_bytes());
    let checked = work.output(&["shard", "check", "odd.warc"]);
    assert_eq!(checked.matches("survivable: WARC-Record-ID is no UUID").count(), 20, "{checked}");
    assert!(checked.contains("20 × WARC-Record-ID is no UUID"), "{checked}");
    put(&work, "right.warc", right.as_bytes());
    work.run(&["shard", "check", "--strict", "--max-bad", "0", "right.warc"]);
    let twice = right.replace(&uuid(3), &uuid(2)).replace("http://a.example/7", "/7");
    put(&work, "twice.warc", twice.as_bytes());
    let output = work.webmill(&["shard", "check", "--strict", "twice.warc"]).output().unwrap();
    let checked = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{checked}");
    let at = |url: &str| twice.split_at(twice.find(url).unwrap()).0.rfind("WARC/1.1").unwrap();
    for line in [
        format!(
            "at byte {}: WARC-Record-ID of an earlier record of the file: {}",
            at("example/3\r"),
            uuid(2)
        ),
        format!("at byte {}: WARC-Target-URI is no absolute URI: /7", at(": /7\r")),
        "18 records, 2 damaged".to_owned(),
    ] {
        assert!(checked.contains(&line), "{line}: {checked}");
    }
}

#[test]
fn pages_of_an_arc_without_a_head_become_resources() {
    let work = Work::new();
    let arc = "filedesc://x.arc 0.0.0.0 19990505053845 text/plain 75\n1 0 Alexa Internet\nURL IP-address Archive-date \
               Content-type Archive-length\n\nhttp://r.example/head 192.0.2.7 19990505053846 text/html 22\n\
               HTTP/1.0 200 OK\n\npage\n\nhttp://r.example/none 192.0.2.7 19990505053847 text/html 15\n\
               <p>no head</p>\n\ndns:r.example 192.0.2.7 19990505053848 text/dns 15\n19990505053848\n\n";
    put(&work, "a.arc", arc.as_bytes());
    work.run(&["shard", "convert", "a.arc", "-o", "a.warc"]);
    let warc = std::fs::read_to_string(work.path("a.warc")).unwrap();
    let kinds: Vec<(&str, &str)> = warc
        .split("WARC/1.1\r\n")
        .filter_map(|record| {
            let field = |name: &str| record.lines().find_map(|line| line.strip_prefix(name));
            Some((field("WARC-Type: ")?, field("Content-Type: ")?))
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("warcinfo", "text/plain"),
            ("response", "application/http; msgtype=response"),
            ("resource", "text/html"),
            ("response", "text/dns")
        ]
    );
}
