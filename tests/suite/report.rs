//! `report.html`, read without a browser: its numbers, its words, its size, what changed, what it does not draw.

use std::collections::BTreeMap;
use std::path::Path;
use webmill_capture::cut::Cut;

use regex::Regex;
use webmill::jobs::report::tables::{HostRow, SummaryRow};
use webmill::table::read_rows;

use crate::documents::{answer, paper, write};
use crate::support::{Work, story};

/// A page of a small site: a text of its own, and links to others.
fn article(host: &str, number: u64, of: u64) -> (String, String) {
    let links: String = [number + 1, number * 7 + 3, 0]
        .iter()
        .map(|to| format!("<a href='/{}.html'>page {}</a> ", to % of, to % of))
        .collect();
    let body = format!(
        "<html><head><title>Page {number} of {host} &lt;b&gt;</title></head><body><h1>Page {number} of {host} &lt;b&gt;</h1><p>{}</p>\
         <p>{}</p>{links}<a href='http://elsewhere.example/{}'>elsewhere</a></body></html>",
        story(number + host.len() as u64 * 1000),
        story(number + host.len() as u64 * 1000 + 500),
        number % 4
    );
    (format!("http://{host}/{number}.html"), body)
}

/// Writes and mills a corpus of these hosts.
pub fn mill(work: &Work, name: &str, hosts: &[&str], pages: u64) {
    let all: Vec<_> =
        hosts.iter().flat_map(|host| (0..pages).map(move |number| article(host, number, pages))).collect();
    work.write_pages(&format!("{name}-shards"), &all);
    work.run(&["run", &format!("{name}-shards"), "--out", name]);
}

pub fn html(work: &Work, results: &str) -> String {
    std::fs::read_to_string(work.path(results).join("report/latest/report.html")).unwrap()
}

fn summary(work: &Work, results: &str) -> BTreeMap<String, f64> {
    let rows: Vec<SummaryRow> = read_rows(&work.path(results).join("report/latest/summary")).unwrap();
    rows.into_iter().map(|row| (format!("{}: {}", row.section, row.name), row.value)).collect()
}

fn unescaped(text: &str) -> String {
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    named.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Holds every number of a report against table `summary`; returns how many there are.
pub fn check_numbers(work: &Work, results: &str) -> usize {
    let (html, summary) = (html(work, results), summary(work, results));
    let number = Regex::new("<data value=\"([^\"]*)\" data-of=\"([^\"]*)\">([^<]*)</data>").unwrap();
    let mut found = 0;
    for one in number.captures_iter(&html) {
        let of = unescaped(&one[2]);
        let known = summary.get(&of).unwrap_or_else(|| panic!("{of} is not in table summary"));
        assert_eq!(one[1].parse::<f64>().unwrap(), *known, "{of}");
        let shown: String = one[3].chars().filter(|c| *c != ',').collect();
        if known.fract() == 0.0 && *known < 1e9 && !shown.contains(['.', '%', 'e']) {
            assert_eq!(shown, format!("{known}"), "{of} as it is written");
        }
        found += 1;
    }
    assert_eq!(found, html.matches("<data ").count(), "no number of another form");
    found
}

/// Headings of a report, of parts and panels.
fn headings(html: &str) -> Vec<String> {
    let heading = Regex::new("<h[23][^>]*>([^<]*)</h[23]>").unwrap();
    heading.captures_iter(html).map(|one| one[1].to_owned()).collect()
}

#[test]
fn each_number_equals_table_summary_and_nothing_is_asked_of_a_network() {
    let work = Work::new();
    mill(&work, "two", &["a.example", "b.example"], 30);
    assert!(check_numbers(&work, "two") > 60);
    let html = html(&work, "two");
    assert!(html.len() <= 200_000, "{}", html.len());
    for asks in ["<link", "@import", "url(", " src=", "<iframe", "<object", "fetch(", "XMLHttpRequest"] {
        assert!(!html.contains(asks), "{asks}");
    }
    assert!(html.contains("Page 0 of a.example &lt;b&gt;"), "titles of pages are text");
    // Three sentences, and every picture with a table under it.
    assert_eq!(html.matches("<li><data").count() + html.matches("<li>The most used").count(), 3, "findings");
    let panels: Vec<&str> = html.split("<section class=panel>").skip(1).collect();
    for panel in panels.iter().filter(|panel| panel.contains("<svg")) {
        let panel = panel.cut(..panel.find("</section>").unwrap());
        assert!(panel.contains("<details><summary>As a table</summary>"), "{}", panel.cut(..80));
        assert!(panel.contains("<title>"), "numbers on hover");
    }
}

#[test]
fn a_single_host_has_no_tables_of_hosts() {
    let work = Work::new();
    mill(&work, "one", &["docs.example"], 12);
    mill(&work, "two", &["a.example", "b.example"], 12);
    let (one, two) = (html(&work, "one"), html(&work, "two"));
    assert!(one.contains("<h1>docs.example</h1>"), "the name of the corpus");
    assert!(two.contains("<h1>a.example and 1 more</h1>"));
    for text in [">hosts</label>", ">domains</label>", "Degrees of hosts"] {
        assert!(!one.contains(text), "{text}");
    }
    assert!(two.contains(">hosts</label>"));
    // Two hosts make no plot of degrees.
    assert!(!two.contains("Degrees of hosts"));
}

#[test]
fn a_report_in_chinese_has_no_english_heading() {
    let work = Work::new();
    mill(&work, "out", &["a.example", "b.example"], 12);
    let english = html(&work, "out");
    work.run(&["report", "out", "--lang", "zh"]);
    let chinese = html(&work, "out");
    assert!(chinese.contains("<html lang=zh-Hans>") && english.contains("<html lang=en>"));
    let (ours, theirs) = (headings(&chinese), headings(&english));
    assert_eq!(ours.len(), theirs.len());
    let same: Vec<&String> = ours.iter().filter(|heading| theirs.contains(heading)).collect();
    // Names of jobs over their settings.
    assert!(same.iter().all(|heading| heading.starts_with('[')), "{same:?}");
    check_numbers(&work, "out");
    work.fails(&["report", "out", "--lang", "fr"], 2);
    std::fs::write(work.path("mill.toml"), "[report]\nlang = \"fr\"\n").unwrap();
    let message = work.fails(&["report", "out", "--recipe", "mill.toml"], 2);
    assert!(message.contains("lang = fr"), "{message}");
}

#[test]
fn compare_tells_what_is_new_gone_and_changed() {
    let work = Work::new();
    let site = |pages: &[u64], changed: u64| -> Vec<(String, String)> {
        let one = |number: &u64| {
            let (url, body) = article("a.example", *number, 12);
            (url, if *number == changed { body.replace("<h1>", "<h1>Changed: ") } else { body })
        };
        pages.iter().map(one).collect()
    };
    let mut before = site(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 99);
    before.push(article("gone.example", 1, 12));
    let mut now = site(&[0, 1, 2, 3, 4, 5, 6, 7, 10, 11], 5);
    now.extend([article("new.example", 1, 12), article("new.example", 2, 12)]);
    work.write_pages("before-shards", &before);
    work.write_pages("now-shards", &now);
    work.run(&["run", "before-shards", "--out", "before"]);
    work.run(&["run", "now-shards", "--out", "now"]);
    assert!(!html(&work, "now").contains("id=\"changes\""));
    work.run(&["report", "now", "--compare", "before"]);
    let summary = summary(&work, "now");
    for (name, want) in [
        ("new pages", 4.0),
        ("pages gone", 3.0),
        ("pages changed", 1.0),
        ("pages unchanged", 7.0),
        ("new hosts", 1.0),
        ("hosts gone", 1.0),
    ] {
        assert_eq!(summary.get(&format!("compare: {name}")), Some(&want), "{name}");
    }
    check_numbers(&work, "now");
    let compared = html(&work, "now");
    assert!(compared.contains("id=\"changes\"") && compared.contains(">new.example</code>"));
    assert!(compared.contains(">gone.example</code>"));
    // The same again is done; a folder without results is refused, and named.
    work.run(&["report", "now", "--compare", "before"]);
    assert_eq!(html(&work, "now"), compared);
    let message = work.fails(&["report", "now", "--compare", "nowhere"], 2);
    assert!(message.contains("compare: nowhere: no results"), "{message}");
    // Against itself nothing changed.
    work.run(&["report", "now", "--compare", "now"]);
    let same = self::summary(&work, "now");
    for name in ["new pages", "pages gone", "pages changed", "new hosts", "hosts gone"] {
        assert_eq!(same.get(&format!("compare: {name}")), Some(&0.0), "{name}");
    }
}

/// A second of silence: PCM, 8,000 samples a second, a byte each.
fn wav() -> Vec<u8> {
    let mut wav =
        b"RIFF\x64\x1f\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x40\x1f\0\0"
            .to_vec();
    wav.resize(44 + 8000, 0x80);
    wav
}

/// Writes a corpus of a page, documents, a picture and a sound.
pub fn write_documents(work: &Work, folder: &str) {
    let gif = b"GIF89a\x03\0\x05\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x03\0\x05\0\0\x02\x02L\x01\0;";
    let home = format!(
        "<html><title>Ferries</title><p>{}</p><a href=report.pdf>the report</a> <a href=report.pdf>again</a> \
         <img src=a.gif alt=eel><img src=pier.png width=40 height=30></html>",
        story(7)
    );
    let answers = [
        answer("http://a.example/", "text/html", home),
        answer("http://a.example/report.pdf", "application/pdf", paper("Ferries in numbers", 1)),
        answer("http://a.example/broken.pdf", "application/pdf", "%PDF-1.7\nnothing else"),
        answer("http://a.example/list.csv", "text/csv", "boat,price\nEel,3\nMorning star,4\n"),
        answer(
            "http://a.example/walks.md",
            "text/markdown",
            "# Walks\n\nTo the [pier](http://pier.example/).\n",
        ),
        answer("http://a.example/a.gif", "image/gif", gif),
        answer("http://a.example/a.wav", "audio/wav", wav()),
    ];
    write(work, folder, &answers);
}

#[test]
fn documents_and_media_have_a_part_of_their_own() {
    let work = Work::new();
    write_documents(&work, "shards");
    work.run(&["run", "shards", "--out", "out"]);
    mill(&work, "plain", &["a.example"], 5);
    assert!(!html(&work, "plain").contains("id=\"documents\""), "nothing to tell");
    assert!(html(&work, "out").contains("id=\"documents\""));
    assert!(check_numbers(&work, "out") > 80);
    let summary = summary(&work, "out");
    for (name, want) in [
        ("corpus: html pages", 1.0),
        ("corpus: documents", 3.0),
        ("corpus: pages", 4.0),
        ("documents: found", 4.0),
        ("documents: read", 3.0),
        ("documents: not read", 1.0),
        ("documents by format: pdf found", 2.0),
        ("documents by format: pdf pages", 1.0),
        ("documents by format: csv read", 1.0),
        ("documents not read: damaged", 1.0),
        ("document titles: heading", 1.0),
        ("page type: document", 3.0),
        ("media: files", 2.0),
        ("media by kind: image files", 1.0),
        ("media by format: wav seconds", 1.0),
        ("media: pictures not fetched", 1.0),
    ] {
        assert_eq!(summary.get(name), Some(&want), "{name}: {summary:?}");
    }
    let hosts: Vec<HostRow> = read_rows(&work.path("out/report/latest/hosts")).unwrap();
    assert_eq!((hosts[0].captures, hosts[0].html_pages, hosts[0].documents), (7, 1, 3));
    for arguments in [&["--lang", "zh"][..], &["--compare", "plain"], &["--compare", "out"]] {
        work.run(&[&["report", "out"], arguments].concat());
        check_numbers(&work, "out");
    }
}

/// A WARC file of answers: host, media type and body of each.
fn answers(work: &Work, name: &str, answers: &[(&str, &str, &str)]) {
    let record = |(number, (host, media, body)): (usize, &(&str, &str, &str))| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: {media}\r\n\r\n{body}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://{host}/{number}\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n\
             WARC-Record-ID: <urn:uuid:{number}>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{answer}\r\n\r\n",
            answer.len()
        )
    };
    let records: String = answers.iter().enumerate().map(record).collect();
    std::fs::write(work.path(name), records).unwrap();
}

#[test]
fn the_host_of_most_captures_gives_the_title_and_one_of_a_thing_has_its_word() {
    let work = Work::new();
    let page = ("frames.example", "text/html", "<title>A frame</title><p>Words of a page.</p>");
    let sheet = ("site.example", "text/css", "p { color: red }");
    answers(&work, "site.warc", &[page, page, ("site.example", page.1, page.2), sheet, sheet]);
    work.run(&["run", "site.warc", "--out", "site"]);
    assert!(html(&work, "site").contains("<title>site.example and 1 more</title>"));
    answers(&work, "one.warc", &[page]);
    work.run(&["run", "one.warc", "--out", "one"]);
    let text = Regex::new("<[^>]*>").unwrap().replace_all(&html(&work, "one"), "").into_owned();
    for want in [
        "1 capture of one host holds 1 page of HTML. Of the 1 page that they are or link to, 1 was crawled (100.0 %).",
        "1 record read, 0 damaged",
    ] {
        assert!(text.contains(want), "{text}");
    }
}

#[test]
fn there_is_one_page_and_its_short_name_leads_to_that_of_the_latest_report() {
    let work = Work::new();
    mill(&work, "out", &["a.example"], 5);
    for lang in ["en", "zh"] {
        work.run(&["report", "out", "--lang", lang]);
        let path = work.path("out/report.html");
        assert!(path.is_symlink());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), html(&work, "out"));
    }
    // Wherever the folder goes.
    std::fs::rename(work.path("out"), work.path("moved")).unwrap();
    assert!(std::fs::read_to_string(work.path("moved/report.html")).unwrap().contains("<html lang=zh"));
}

#[test]
fn an_empty_corpus_has_a_report() {
    let work = Work::new();
    let info = "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n\
                WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/warc-fields\r\nContent-Length: 12\r\n\r\nsoftware: x\n\r\n\r\n";
    std::fs::create_dir_all(work.path("shards")).unwrap();
    std::fs::write(work.path("shards/empty.warc"), info).unwrap();
    work.run(&["run", "shards", "--out", "out"]);
    check_numbers(&work, "out");
    let html = html(&work, "out");
    assert!(html.contains("<h1>an empty corpus</h1>") && !html.contains("<svg") && !html.contains("NaN"));
    assert!(Path::new(&work.path("out/report.html")).exists());
}

#[test]
fn addresses_so_long_that_row_groups_end_by_their_bytes_are_reported() {
    let work = Work::new();
    let tail = "long-".repeat(60);
    let page = |number: usize| {
        let links: String = (0..1500).map(|to| format!("<a href='/{number}/{to}-{tail}'>to</a> ")).collect();
        (
            format!("http://a.example/{number}.html"),
            format!("<html><body><p>{}</p>{links}</body></html>", story(number as u64)),
        )
    };
    work.write_pages("shards", &(0..20).map(page).collect::<Vec<_>>());
    work.run(&["run", "shards", "--out", "out"]);
    check_numbers(&work, "out");
    assert!(summary(&work, "out").iter().any(|(name, value)| name.contains("nodes") && *value > 30_000.0));
}
