//! `webmill dedup diff`: texts of pages and of files beside each other.

use std::io::Write;
use std::process::{Output, Stdio};
use webmill_capture::cut::Cut;

use webmill::shard::{Compression, NewRecord, RawDbWriter, WriteOptions};

use crate::support::Work;

/// Main text of a page: sentences that no two pages share but by their words.
pub fn article(changed: &str) -> String {
    let sentence = |i: usize| {
        format!(
            "Sentence number {i} of the story tells how the {changed} mill of the valley ground corn for neighbour {i}."
        )
    };
    (0..12).map(sentence).collect::<Vec<_>>().join("</p><p>")
}

pub fn chinese(city: &str) -> String {
    format!("北京的图书馆星期一开放，读者可以在{city}借书，也可以在网上查看目录和馆藏的历史资料。").repeat(4)
}

/// Pages with their status and their text.
pub fn corpus(work: &Work) {
    let pages: [(&str, u16, String, i64); 8] = [
        ("http://a.example/story", 200, article("old"), 1),
        ("http://a.example/story", 200, article("old"), 2),
        ("http://a.example/copy?id=1", 200, article("old"), 1),
        ("http://b.example/story", 200, article("new"), 1),
        ("http://a.example/zh/1", 200, chinese("海淀"), 1),
        ("http://a.example/zh/2", 200, chinese("朝阳"), 1),
        ("http://a.example/gone", 404, String::new(), 1),
        ("http://www.a.example/other", 200, article("third"), 1),
    ];
    let options = WriteOptions { max_shard_bytes: u64::MAX, compression: Compression::None };
    let mut writer = RawDbWriter::new(&work.path("shards"), "s", options).unwrap();
    for (url, status, text, day) in pages {
        // An earlier capture of a URL has another text.
        let text = if url.ends_with("a.example/story") && day == 1 { article("first") } else { text };
        let html = format!("<html><title>{url}</title><body><article><p>{text}</p></article></body></html>");
        let response = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n{html}",
            html.len()
        );
        let record = NewRecord {
            url,
            origin: None,
            date_ms: 1_600_000_000_000 + day * 86_400_000,
            ip: Some("10.0.0.1"),
            extra: &[],
            data: response.as_bytes(),
        };
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap();
    work.run(&["extract", "shards", "--out", "results"]);
}

fn run(work: &Work, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = work.webmill(&["dedup", "diff"]);
    let output = command.args(arguments).output().unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn with_stdin(work: &Work, arguments: &[&str], input: &str) -> Output {
    let mut command = work.webmill(&["dedup", "diff"]);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn pages_of_results_are_shown_beside_each_other() {
    let work = Work::new();
    corpus(&work);
    let of = |a: &str, b: &str, more: &[&str]| {
        let (a, b) = (format!("http://{a}"), format!("http://{b}"));
        run(&work, &[&["results", a.cut(..), &b], more].concat())
    };
    let (code, shown, said) = of("a.example/story", "b.example/story", &["--context", "1000"]);
    assert_eq!((code, said.as_str()), (Some(1), ""), "{shown}");
    assert!(shown.contains("[-old-]") && shown.contains("{+new+}"), "{shown}");
    let summary = shown.lines().next().unwrap();
    assert!(summary.contains("in 13 passages; resemblance 0."), "{summary}");
    assert!(summary.contains("first in second 0.") && summary.contains("second in first 0."), "{summary}");

    // The current capture counts, so the copy is one though an earlier capture of the other differs.
    let (code, shown, _) = of("a.example/story", "a.example/copy?id=1", &["--brief"]);
    assert_eq!((code, shown.lines().count()), (Some(0), 1), "{shown}");
    assert!(shown.contains("resemblance 1.000"), "{shown}");

    let (code, shown, _) = of("a.example/zh/1", "a.example/zh/2", &[]);
    assert_eq!(code, Some(1));
    assert!(shown.contains("[-海淀-]") && shown.contains("{+朝阳+}"), "{shown}");

    // What one word among many changes is folded, and that is said with the flag that shows it.
    let (_, _, said) = of("a.example/story", "b.example/story", &["--context", "2"]);
    assert!(said.contains("shared words are not shown; --context shows more"), "{said}");
}

#[test]
fn what_would_move_the_cursor_is_not_shown_as_it_is() {
    let work = Work::new();
    std::fs::write(work.path("a.txt"), "one \x1b[2Jtwo\u{202E} three\tfour").unwrap();
    std::fs::write(work.path("b.txt"), "one 2 three four").unwrap();
    let (code, shown, _) = run(&work, &["a.txt", "b.txt"]);
    assert_eq!(code, Some(1));
    assert!(shown.contains("{+2+}") && !shown.contains(['\x1b', '\u{202E}']), "{shown}");
}

#[test]
fn what_is_not_in_the_results_is_answered_with_what_is() {
    let work = Work::new();
    corpus(&work);
    let story = "http://a.example/story";
    for (url, parts) in [
        (
            "http://a.example/storys",
            &[
                "http://a.example/storys: no such page in results",
                "\n  http://a.example/story\n",
                "pages of a.example there: 5",
                "duckdb -c",
                "url_host_name = 'a.example'",
            ][..],
        ),
        // Its host is another, but the capture index takes them for one page.
        ("https://a.example/other", &["\n  http://www.a.example/other\n"]),
        ("http://c.example/", &["nor any other of its host", "SELECT url_host_name"]),
        ("http://a.example/gone", &["no main text (status 404"]),
        ("http://", &["no URL"]),
    ] {
        let (code, shown, said) = run(&work, &["results", story, url]);
        assert_eq!((code, shown.as_str()), (Some(2), ""), "{url}: {said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{url}: {said}");
    }
    let (code, _, said) = run(&work, &[story, story]);
    assert!(code == Some(2) && said.contains("RESULTS A B"), "{said}");
    let (code, _, said) = run(&work, &["elsewhere", story, story]);
    assert!(code == Some(2) && said.contains("elsewhere") && said.contains("no results here"), "{said}");
}

#[test]
fn files_and_standard_input_are_compared() {
    let work = Work::new();
    std::fs::write(work.path("a.txt"), "The mill grinds slowly.\n").unwrap();
    std::fs::write(work.path("same.txt"), "the MILL grinds, slowly").unwrap();
    std::fs::write(work.path("empty.txt"), "").unwrap();
    std::fs::write(work.path("long.txt"), "word ".repeat(4 << 20)).unwrap();
    std::fs::write(work.path("latin1.txt"), b"The mill gr\xefnds slowly.").unwrap();
    for (arguments, code, parts) in [
        (&["a.txt", "same.txt"][..], 0, &["resemblance 1.000"][..]),
        (&["empty.txt", "empty.txt"], 0, &["0 and 0 words", "resemblance 0.000"]),
        (&["a.txt", "empty.txt"], 1, &["4 and 0 words"]),
        (&["long.txt", "a.txt", "--brief"], 1, &["3355444 and 4 words"]),
        (&["long.txt", "long.txt", "--brief"], 0, &["resemblance 1.000"]),
    ] {
        let (found, shown, said) = run(&work, arguments);
        assert_eq!(found, Some(code), "{arguments:?}: {said}");
        assert!(parts.iter().all(|part| shown.contains(part)), "{arguments:?}: {shown}");
        assert_eq!(said.contains("only the first"), arguments.contains(&"long.txt"), "{said}");
    }
    let output = with_stdin(&work, &["-", "a.txt", "--brief"], "The mill grinds slowly.");
    assert_eq!(output.status.code(), Some(0));
    let (code, _, said) = run(&work, &["latin1.txt", "a.txt"]);
    assert!(code == Some(1) && said.contains("latin1.txt: no UTF-8 from byte 11"), "{said}");
    for (arguments, part) in [
        (&["-", "-"][..], "standard input"),
        (&["a.example/story", "a.txt"], "a page's URL begins with http://"),
        (&["a.txt"], "<B> is missing"),
    ] {
        let (code, shown, said) = run(&work, arguments);
        assert_eq!((code, shown.as_str()), (Some(2), ""), "{arguments:?}: {said}");
        assert!(said.contains(part), "{arguments:?}: {said}");
    }
}
