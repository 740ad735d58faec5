//! Which capture a visitor is shown, how much of it, and what answers a page that sends something.

use webmill_serve::index::Timestamp;
use webmill_serve::index::post::{appended, query};
use webmill_serve::{Archive, Collection, Options, ShardFiles};

use super::support::{Running, Stored, key, serve, write_warc};

fn stored(time: u64, url: &'static str, http: &str) -> Stored {
    Stored { time, kind: "response", url, http: http.as_bytes().to_vec(), fields: "", digest: "" }
}

fn redirect(to: &str) -> String {
    format!("HTTP/1.1 307 X\r\nLocation: {to}\r\nContent-Type: text/html\r\n\r\n")
}

fn page(text: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{text}")
}

/// Serves captures; `change` has their entries before.
fn running(
    captures: &[Stored],
    change: impl FnOnce(&mut Vec<webmill_serve::index::Entry<'static>>),
) -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.warc");
    let mut entries = write_warc(&path, captures);
    change(&mut entries);
    let index = std::sync::Arc::new(webmill_serve::index::MemoryIndex::new(entries));
    let records = std::sync::Arc::new(ShardFiles::new([path], 1 << 20));
    let mut archive = Archive::new(key);
    archive.add(Collection::new("t", index, records)).unwrap();
    (folder, serve(archive, Options::default()))
}

#[test]
fn the_very_url_comes_before_others_of_its_key_and_walls_are_passed() {
    let revisit = |url, profile: &'static str, digest| Stored {
        kind: "revisit",
        fields: profile,
        digest,
        ..stored(20210101000000, url, "HTTP/1.1 304 Not Modified\r\n\r\n")
    };
    let not_modified = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n";
    let identical = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n";
    let (_folder, server) = running(
        &[
            stored(20200101000000, "http://v.example/watch?v=aBc", &page("lower")),
            stored(20210101000000, "http://v.example/watch?v=AbC", &page("upper")),
            stored(20200101000000, "https://www12.v.example/", &page("twelve")),
            stored(20200101000000, "https://www34.v.example/", &page("thirty-four")),
            // A wall: the first visit is led away and back, seconds later.
            stored(20200101000000, "http://w.example/", &redirect("/in")),
            stored(20200101000001, "http://w.example/in", &redirect("/")),
            stored(20200101000500, "http://w.example/", &page("behind the wall")),
            stored(20200101000000, "http://round.example/a", &redirect("/b")),
            stored(20200101000000, "http://round.example/b", &redirect("/a")),
            stored(20200101000000, "http://n.example/", &page("not modified")),
            revisit("http://n.example/", not_modified, "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
            revisit("http://lost.example/", identical, "LOST"),
        ],
        |_| {},
    );
    for (address, status, text) in [
        ("2021mp_/http://v.example/watch?v=aBc", 200, "lower"),
        ("2020mp_/http://v.example/watch?v=AbC", 200, "upper"),
        ("2020mp_/https://www34.v.example/", 200, "thirty-four"),
        ("2020mp_/http://www12.v.example/", 200, "twelve"),
        ("20200101000000mp_/http://w.example/", 200, "behind the wall"),
        ("20200101000000mp_/http://round.example/a", 404, "leads back to itself"),
        ("20200101000000id_/http://round.example/a", 307, ""),
        ("20210101000000mp_/http://n.example/", 200, "not modified"),
        ("20210101000000mp_/http://lost.example/", 404, "the content is that of another capture"),
    ] {
        let answer = server.get(&format!("/t/{address}"));
        assert_eq!(answer.status, status, "{address}");
        assert!(answer.text().contains(text), "{address}: {}", answer.text());
    }
    let seen = server.get("/t/20210101000000mp_/http://n.example/");
    assert_eq!(seen.header("memento-datetime"), Some("Fri, 01 Jan 2021 00:00:00 GMT"));
    assert_eq!(server.get("/t/timemap/link/http://n.example/").header("vary"), None);
}

#[test]
fn a_record_that_is_not_the_one_that_the_index_means_is_not_shown() {
    let captures = [
        stored(20200101000000, "http://a.example/", &page("first")),
        stored(20210101000000, "http://b.example/", &page("second")),
        stored(20220101000000, "http://a.example/", &page("third")),
    ];
    // The line of the last capture leads to the place of another.
    let (_folder, server) = running(&captures, |entries| entries[2].offset = entries[1].offset);
    let next = server.get("/t/2022id_/http://a.example/");
    assert_eq!((next.status, next.text().as_str()), (200, "first"));
    let (_folder, server) = running(&captures, |entries| {
        entries[1].timestamp = Timestamp(20210101000001);
        entries.truncate(2);
    });
    let refused = server.get("/t/2021id_/http://b.example/");
    assert_eq!(refused.status, 404);
    let text = refused.text();
    assert!(
        text.starts_with("test.warc at byte ") && text.contains("the index does not fit the file"),
        "{text}"
    );
    let page = server.get("/t/2021mp_/http://b.example/");
    assert!(page.text().contains("The index does not fit the file"), "{}", page.text());
}

#[test]
fn parts_are_given_of_whole_captures_and_whole_ones_of_parts() {
    let part = |time, url, from: usize, text: &str| {
        let to = from + text.len() - 1;
        stored(
            time,
            url,
            &format!(
                "HTTP/1.1 206 X\r\nContent-Type: video/mp4\r\nContent-Range: bytes {from}-{to}/10\r\n\r\n{text}"
            ),
        )
    };
    let (_folder, server) = running(
        &[
            stored(
                20200101000000,
                "http://m.example/whole",
                "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n0123456789",
            ),
            part(20200101000000, "http://m.example/parts", 0, "0123"),
            part(20200101000002, "http://m.example/parts", 3, "3456"),
            part(20200101000001, "http://m.example/parts", 7, "789"),
            part(20200101000000, "http://m.example/some", 0, "01"),
            part(20200101000000, "http://m.example/some", 5, "567"),
            part(20200101000000, "http://m.example/all", 0, "0123456789"),
        ],
        |_| {},
    );
    for (name, range, status, content_range, text) in [
        ("whole", "", 200, None, "0123456789"),
        ("whole", "bytes=2-4", 206, Some("bytes 2-4/10"), "234"),
        ("whole", "bytes=-1", 206, Some("bytes 9-9/10"), "9"),
        ("whole", "bytes=10-", 416, Some("bytes */10"), ""),
        ("parts", "", 200, None, "0123456789"),
        ("parts", "bytes=5-", 206, Some("bytes 5-9/10"), "56789"),
        ("some", "", 206, Some("bytes 0-1/10"), "01"),
        ("some", "bytes=0-", 206, Some("bytes 0-1/10"), "01"),
        ("some", "bytes=6-9", 206, Some("bytes 6-7/10"), "67"),
        ("some", "bytes=2-", 416, Some("bytes */10"), ""),
        ("all", "bytes=9-", 206, Some("bytes 9-9/10"), "9"),
    ] {
        for modifier in ["im_", "id_"] {
            let headers = if range.is_empty() { vec![] } else { vec![("Range", range)] };
            let answer =
                server.with(&format!("/t/20200101000000{modifier}/http://m.example/{name}"), &headers);
            let got = (answer.status, answer.header("content-range"), answer.text());
            assert_eq!(got, (status, content_range, text.to_owned()), "{name} {range} {modifier}");
            assert_eq!(answer.header("accept-ranges"), (status < 300 || status == 416).then_some("bytes"));
        }
    }
}

#[test]
fn what_a_page_sends_is_answered_by_what_was_captured() {
    let api = "http://p.example/api";
    let answer = |text: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{text}");
    let json = "application/json";
    let (_folder, server) = running(
        &[
            stored(20200101000000, api, &answer("one")),
            stored(20200101000001, api, &answer("two")),
            stored(20200101000000, "http://p.example/plain", &answer("plain")),
            stored(20200101000000, "http://p.example/", &page("a page")),
        ],
        |entries| {
            for (entry, body) in entries.iter_mut().zip([r#"{"id":1,"a":2}"#, r#"{"id":2,"a":2}"#]) {
                entry.urlkey = key(&appended(api, "POST", &query(json, body.as_bytes()))).into();
            }
        },
    );
    let frame = server.get("/t/20200101000000/http://p.example/").text();
    let token = frame.split("data-token=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let send = |method: &str, token: &str, url: &str, body: &str| {
        let target = format!("/t/20200101000000mp_{token}/{url}");
        let length = body.len().to_string();
        let mut headers = vec![("Content-Type", json), ("Origin", "null")];
        if method != "POST" {
            headers.push(("Content-Length", &length));
        }
        server.ask(method, &target, &headers, body.as_bytes())
    };
    for (method, url, body, status, text) in [
        ("POST", api, r#"{"id":1,"a":2}"#, 200, "one"),
        ("POST", api, r#"{"id":2,"a":2}"#, 200, "two"),
        ("POST", api, r#"{"id":2,"a":2,"at":77}"#, 200, "two"),
        ("POST", api, r#"{"other":1}"#, 404, "Not in this archive"),
        ("PUT", api, r#"{"id":1,"a":2}"#, 404, "Not in this archive"),
        ("POST", "http://p.example/plain", "{}", 200, "plain"),
    ] {
        let answer = send(method, &token, url, body);
        assert_eq!(answer.status, status, "{method} {body}: {}", answer.text());
        assert!(answer.text().contains(text), "{method} {body}: {}", answer.text());
        if status == 200 {
            assert_eq!(answer.header("access-control-allow-origin"), Some("null"));
        }
    }
    // Not of a replayed page.
    assert_eq!(send("POST", "", api, r#"{"id":1,"a":2}"#).status, 403);
    assert_eq!(send("DELETE", "00", api, "").status, 403);
    // What a page makes at run time is given the names of where it is.
    let script = |token: &str| {
        let target = format!("/t/_replay/script?token={token}&timestamp=2020&url=http%3A%2F%2Fp.example%2F");
        server.ask("POST", &target, &[("Origin", "null")], b"location.href + import('/x.js')")
    };
    let to = format!("_webmill_location.href + import('/t/2020js_{token}/http://p.example/x.js')");
    assert_eq!((script(&token).status, script(&token).text()), (200, to));
    assert_eq!(script("00").status, 403);
}
