//! Memento, line by line of its table, and stored captures.

use crate::support::running;

fn has(link: Option<&str>, parts: &[&str]) {
    let link = link.expect("links");
    for part in parts {
        assert!(link.contains(part), "{part}\nin {link}");
    }
}

#[test]
fn a_timegate_leads_to_the_nearest_capture() {
    let (_folder, server) = running();
    let base = format!("http://{}/t", server.address);
    for (date, want) in [
        (Some("Fri, 01 Jan 2010 00:00:00 GMT"), "20100101000000mp_"),
        (Some("Mon, 01 Nov 2010 00:00:00 GMT"), "20100101000000mp_"),
        (Some("Wed, 01 Feb 2012 00:00:00 GMT"), "20120101000000mp_"),
        // Before the first, after the last.
        (Some("Sat, 01 Jan 2000 00:00:00 GMT"), "20100101000000mp_"),
        (Some("Fri, 01 Jan 2100 00:00:00 GMT"), "20160101000000mp_"),
        // Without it, the newest.
        (None, "20160101000000mp_"),
    ] {
        let headers: Vec<_> = date.iter().map(|date| ("Accept-Datetime", *date)).collect();
        let answer = server.with("/t/timegate/http://a.example/", &headers);
        assert_eq!(answer.status, 302, "{date:?}");
        assert_eq!(
            answer.header("location"),
            Some(format!("{base}/{want}/http://a.example/").as_str()),
            "{date:?}"
        );
        assert_eq!(answer.header("vary"), Some("accept-datetime"));
        assert_eq!(answer.header("memento-datetime"), None);
        has(
            answer.header("link"),
            &[
                "<http://a.example/>; rel=\"original\"",
                &format!(
                    "<{base}/timemap/link/http://a.example/>; rel=\"timemap\"; type=\"application/link-format\""
                ),
                "rel=\"first memento\"; datetime=\"Fri, 01 Jan 2010 00:00:00 GMT\"",
                "rel=\"last memento\"; datetime=\"Fri, 01 Jan 2016 00:00:00 GMT\"",
            ],
        );
    }
    let date = [("Accept-Datetime", "Fri, 01 Jan 2010 00:00:00 GMT")];
    assert_eq!(
        server.with("/t/http://a.example/", &date).header("location"),
        Some(format!("{base}/20100101000000mp_/http://a.example/").as_str())
    );
    // People get the frame.
    assert_eq!(
        server.get("/t/http://a.example/").header("location"),
        Some(format!("{base}/20160101000000/http://a.example/").as_str())
    );
    for bad in ["nonsense", "2010", "20100101000000", "Fri, 99 Jan 2010 00:00:00 GMT", ""] {
        assert_eq!(
            server.with("/t/timegate/http://a.example/", &[("Accept-Datetime", bad)]).status,
            400,
            "{bad}"
        );
    }
    assert_eq!(server.get("/t/timegate/http://nothing.example/").status, 404);
    assert_eq!(server.ask("HEAD", "/t/timegate/http://a.example/", &[], b"").status, 302);
}

#[test]
fn a_capture_links_to_those_around_it() {
    let (_folder, server) = running();
    let base = format!("http://{}/t", server.address);
    for modifier in ["id_", "mp_", ""] {
        let answer = server.get(&format!("/t/20120101000000{modifier}/http://a.example/"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("memento-datetime"), Some("Sun, 01 Jan 2012 00:00:00 GMT"));
        has(
            answer.header("link"),
            &[
                "<http://a.example/>; rel=\"original\"",
                &format!("<{base}/http://a.example/>; rel=\"timegate\""),
                &format!(
                    "<{base}/timemap/link/http://a.example/>; rel=\"timemap\"; type=\"application/link-format\""
                ),
                &format!(
                    "<{base}/20100101000000mp_/http://a.example/>; rel=\"first prev memento\"; \
                     datetime=\"Fri, 01 Jan 2010 00:00:00 GMT\""
                ),
                &format!(
                    "<{base}/20120101000000mp_/http://a.example/>; rel=\"memento\"; \
                     datetime=\"Sun, 01 Jan 2012 00:00:00 GMT\""
                ),
                "rel=\"next memento\"; datetime=\"Wed, 01 Jan 2014 00:00:00 GMT\"",
                "rel=\"last memento\"; datetime=\"Fri, 01 Jan 2016 00:00:00 GMT\"",
            ],
        );
    }
    // On redirects, on captures that are 404, and by HEAD.
    let redirect = server.get("/t/20140601000000id_/http://a.example/go");
    assert_eq!(redirect.status, 302);
    assert_eq!(
        redirect.header("location"),
        Some(format!("{base}/20140601000000id_/http://a.example/page?x=1&y=%20").as_str())
    );
    assert_eq!(redirect.header("memento-datetime"), Some("Sun, 01 Jun 2014 00:00:00 GMT"));
    has(redirect.header("link"), &["rel=\"original\"", "rel=\"first last memento\""]);
    let missing = server.get("/t/20160101000000id_/http://a.example/");
    assert_eq!((missing.status, missing.text().as_str()), (404, "no"));
    assert_eq!(missing.header("memento-datetime"), Some("Fri, 01 Jan 2016 00:00:00 GMT"));
    has(missing.header("link"), &["rel=\"last memento\"", "rel=\"prev memento\"", "rel=\"timegate\""]);
    let head = server.ask("HEAD", "/t/20120101000000id_/http://a.example/", &[], b"");
    assert_eq!((head.status, head.header("memento-datetime").is_some(), head.body.len()), (200, true, 0));
}

#[test]
fn timemaps_come_in_three_forms() {
    let (_folder, server) = running();
    let base = format!("http://{}/t", server.address);
    let link = server.get("/t/timemap/link/http://a.example/");
    assert_eq!(link.header("content-type"), Some("application/link-format"));
    let memento = |time: &str, rel: &str, date: &str| {
        format!("<{base}/{time}mp_/http://a.example/>; rel=\"{rel}\"; datetime=\"{date}\"; collection=\"t\"")
    };
    let lines: Vec<String> = link.lines().iter().map(|line| line.trim_end_matches(',').to_owned()).collect();
    assert_eq!(
        lines,
        [
            format!(
                "<{base}/timemap/link/http://a.example/>; rel=\"self\"; type=\"application/link-format\"; \
             from=\"Fri, 01 Jan 2010 00:00:00 GMT\"; until=\"Fri, 01 Jan 2016 00:00:00 GMT\""
            ),
            format!("<{base}/http://a.example/>; rel=\"timegate\""),
            "<http://a.example/>; rel=\"original\"".to_owned(),
            memento("20100101000000", "first memento", "Fri, 01 Jan 2010 00:00:00 GMT"),
            memento("20120101000000", "memento", "Sun, 01 Jan 2012 00:00:00 GMT"),
            memento("20140101000000", "memento", "Wed, 01 Jan 2014 00:00:00 GMT"),
            memento("20160101000000", "last memento", "Fri, 01 Jan 2016 00:00:00 GMT"),
        ]
    );
    let json = server.get("/t/timemap/json/http://a.example/");
    assert_eq!((json.header("content-type"), json.lines().len()), (Some("text/x-ndjson"), 4));
    let cdxj = server.get("/t/timemap/cdxj/http://a.example/");
    assert_eq!((cdxj.header("content-type"), cdxj.lines().len()), (Some("text/x-cdxj"), 4));
    has(cdxj.header("link"), &["rel=\"original\"", "rel=\"timegate\"", "rel=\"timemap\""]);
    assert_eq!(server.get("/t/timemap/1/json/http://a.example/").lines().len(), 4);
    for target in ["/t/timemap/2/link/http://a.example/", "/t/timemap/2/json/http://a.example/"] {
        assert_eq!(server.get(target).status, 404, "{target}");
    }
    for form in ["link", "json", "cdxj"] {
        assert_eq!(server.get(&format!("/t/timemap/{form}/http://nothing.example/")).status, 404);
    }
    assert_eq!(server.get("/t/timemap/pdf/http://a.example/").status, 404);
}

#[test]
fn a_stored_answer_comes_as_it_was_and_acts_on_nobody() {
    let (_folder, server) = running();
    let first = server.get("/t/20100101000000id_/http://a.example/");
    assert_eq!(first.text(), "one");
    assert_eq!(first.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!((first.header("server"), first.header("x-archive-orig-server")), (None, Some("old")));
    assert_eq!((first.header("set-cookie"), first.header("x-archive-orig-set-cookie")), (None, Some("a=b")));
    assert_eq!(first.header("x-archive-orig-content-length"), Some("3"));
    // The nearest, and says which.
    let near = server.get("/t/201212id_/http://a.example/");
    assert!(near.header("content-location").unwrap().ends_with("/t/20120101000000id_/http://a.example/"));
    assert_eq!(server.get("/t/id_/http://a.example/").header("vary"), Some("accept-datetime"));
    // Without its transfer coding.
    let chunked = server.get("/t/2014id_/http://a.example/");
    assert_eq!(
        (chunked.text().as_str(), chunked.header("x-archive-orig-transfer-encoding")),
        ("chunks", Some("chunked"))
    );
    let resource = server.get("/t/2017id_/http://r.example/file.txt");
    assert_eq!(
        (resource.text().as_str(), resource.header("content-type")),
        ("a resource", Some("text/plain"))
    );
    // A redirect to its own key gives way to the capture it led to.
    let own = server.get("/t/20150101000000id_/http://a.example/self");
    assert_eq!((own.status, own.text().as_str()), (200, "self"));
}

#[test]
fn revisits_have_the_body_of_their_original() {
    let (_folder, server) = running();
    let same = server.get("/t/2012id_/http://a.example/");
    assert_eq!(
        (same.status, same.text().as_str(), same.header("x-archive-orig-server")),
        (200, "one", Some("new"))
    );
    // By URL and time of another host; the head of a 304 is not the capture's.
    let other = server.get("/t/2016id_/http://c.example/");
    assert_eq!(
        (other.status, other.text().as_str(), other.header("x-archive-orig-server")),
        (200, "one", Some("old"))
    );
    assert_eq!(other.header("memento-datetime"), Some("Wed, 01 Jun 2016 00:00:00 GMT"));
    let lost = server.get("/t/2016id_/http://lost.example/");
    assert_eq!(lost.status, 404);
    assert!(lost.text().contains("refers to another one"), "{}", lost.text());
}

#[test]
fn a_shard_that_is_gone_is_said_and_no_crash() {
    let (_folder, server) = running();
    let gone = server.get("/t/2018id_/http://gone.example/");
    assert_eq!((gone.status, gone.text().as_str()), (404, "the archive file gone.warc.gz is not there\n"));
    assert_eq!(server.get("/t/cdx?url=http://gone.example/").lines().len(), 1);
    let nothing = server.get("/t/2018id_/http://nothing.example/");
    assert_eq!(
        (nothing.status, nothing.text().as_str()),
        (404, "http://nothing.example/ is not in this archive\n")
    );
}
