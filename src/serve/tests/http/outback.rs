//! Each parameter and request of OutbackCDX, and access rules.

use std::sync::Arc;

use webmill_serve::Options;
use webmill_serve::access::AccessRules;
use webmill_serve::index::Timestamp;
use webmill_serve::site::{CaptureFacts, Facts, HostLine, SearchAnswer, SearchHit};

use crate::support::{archive, key, running, serve};

#[test]
fn queries_are_answered_in_its_forms() {
    let (_folder, server) = running();
    let cdx = server.get("/t?url=http://a.example/");
    assert_eq!(cdx.lines().len(), 4);
    assert_eq!(cdx.lines()[0].split(' ').count(), 11);
    assert!(cdx.lines()[0].ends_with(" - - 380 0 test.warc") || cdx.lines()[0].contains(" - - "));
    let json: serde_json::Value =
        serde_json::from_slice(&server.get("/t?url=a.example&output=json").body).unwrap();
    assert_eq!(json[0][0], "example,a)/");
    assert_eq!(
        (json[0][1].as_u64(), json[0][4].as_u64(), json[0][7].as_u64()),
        (Some(20100101000000), Some(200), Some(0))
    );
    assert_eq!((json[0].as_array().unwrap().len(), json[1][4].is_null()), (9, true));
    assert_eq!(server.get("/t?url=none.example&output=json").text(), "[]\n");
    let times = |more: &str| server.get(&format!("/t?{more}&fl=timestamp")).lines();
    // From a key on to the end of the index, whatever the host.
    assert_eq!(times("url=http://r.example/&matchType=range"), ["20170101000000", "20150401000000"][..1]);
    assert_eq!(times("url=http://b.example/&matchType=range&limit=2"), ["20150501000000", "20160601000000"]);
    assert_eq!(times("url=example,a)/&limit=1"), ["20100101000000"]);
    assert_eq!(times("url=a.example/*&sort=reverse&limit=1"), ["20150101000001"]);
    assert_eq!(
        times("url=http://a.example/&sort=closest&closest=20150101000000&limit=1"),
        ["20140101000000"]
    );
    assert_eq!(times("url=http://a.example/&filter=!mimetype:warc/revisit&filter=statuscode:200").len(), 2);
    assert_eq!(times("url=http://a.example/self").len(), 2);
    assert_eq!(times("url=http://a.example/self&omitSelfRedirects=true"), ["20150101000001"]);
    assert_eq!(times("url=http://a.example/go&omitSelfRedirects=true").len(), 1);
    assert_eq!(server.get("/t").status, 307);
}

#[test]
fn openwayback_gets_xml() {
    let (_folder, server) = running();
    let answer = server.get("/t?q=type:urlquery+url:http%3A%2F%2Fa.example%2F+limit:2+offset:1");
    assert_eq!(answer.header("content-type"), Some("application/xml"));
    let text = answer.text();
    for part in [
        "<type>urlquery</type>",
        "<firstreturned>1</firstreturned>",
        "<url>example,a)/</url>",
        "<resultsrequested>2</resultsrequested>",
        "<resultstype>resultstypecapture</resultstype>",
        "<capturedate>20120101000000</capturedate>",
        "<capturedate>20140101000000</capturedate>",
        "<mimetype>warc/revisit</mimetype>",
        "<httpresponsecode>-</httpresponsecode>",
        "<file>test.warc</file>",
        "<redirecturl>-</redirecturl>",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(text.matches("<result>").count(), 2);
    // The URL encoded once more within the query, and the prefix query.
    let prefix = server.get("/t?q=type:prefixquery%20url:http%253A%252F%252Fa.example%252F").text();
    assert_eq!(prefix.matches("<result>").count(), 8, "{prefix}");
    assert!(prefix.contains("<url>http://a.example/page?x=1&amp;y=2</url>"));
    assert_eq!(server.get("/t?q=type:urlquery").status, 400);
}

#[test]
fn captures_are_added_and_deleted() {
    let (_folder, server) = running();
    let captures = || -> u64 {
        let front = server.get("/t/").text();
        let (before, _) = front.split_once("</dd>").expect("a front page with its numbers");
        before.rsplit_once('>').unwrap().1.parse().unwrap()
    };
    let before = captures();
    let lines = " CDX N b a m s k r M S V g\n\
        wrong,key)/ 20190101000000 http://new.example/ text/html 200 D1 - - 100 5 new.warc.gz\n\
        new)/ 20190102000000 http://new.example/ text/html - D2 http://x/ 7 new.warc.gz\n\
        example,new)/ 20190103000000 {\"url\": \"http://new.example/\", \"status\": \"404\", \"offset\": 9, \"filename\": \"n.warc\", \"x\": [1]}\n\
        example,new)/?__wb_method=post&a=1 20190104000000 http://new.example/ text/html 200 D3 - - 1 2 new.warc.gz\n";
    let added = server.post("/t", lines);
    assert_eq!((added.status, added.text().as_str()), (200, "Added 4 records\n"));
    assert_eq!(captures(), before + 4, "pages show what was added");
    assert_eq!(server.post("/t", lines).status, 200);
    let found = server
        .get("/t?url=http://new.example/&fl=timestamp,statuscode,digest,length,offset,filename")
        .lines();
    assert_eq!(
        found,
        [
            "20190101000000 200 D1 100 5 new.warc.gz",
            "20190102000000 - D2 - 7 new.warc.gz",
            "20190103000000 404 - - 9 n.warc"
        ]
    );
    assert!(server.get("/t/cdx?url=http://new.example/").lines()[2].ends_with("\"x\": [1]}"));
    assert_eq!(server.get("/t?urlkey=example,new)/?__wb_method=post%26a=1").lines().len(), 1);
    let bad = "example,new)/ 2019 http://new.example/ text/html 200 D1 - - 100 5 new.warc.gz\n\
        example,new)/ 20200101000000 http://new.example/ text/html 200 D9 - - 100 6 new.warc.gz\nx\n\
        example,new)/ 20200201000000 {\"url\": \"http://new.example/\", \"filename\": \"n.warc\"}\n\
        example,new)/ 20200301000000 http://new.example/ text/html 200 D8 - - 100 - new.warc.gz\n";
    let refused = server.post("/t", bad);
    assert_eq!(refused.status, 400);
    assert!(refused.text().starts_with("line 1: \"2019\" is no timestamp"), "{}", refused.text());
    assert_eq!(server.post("/t?badLines=skip", bad).text(), "Added 1 records\nSkipped 4 bad lines\n");
    assert_eq!(server.get("/t?url=http://new.example/").lines().len(), 4);
    assert_eq!(server.post("/t/delete", lines).text(), "Deleted 4 records\n");
    assert_eq!(server.get("/t?url=http://new.example/&fl=digest").lines(), ["D9"]);
    // A page of another site cannot write, and a collection that is not written to does not.
    let foreign = server.ask("POST", "/t", &[("Origin", "http://evil.example")], lines.as_bytes());
    assert_eq!(foreign.status, 403);
    let (_folder, archive) = archive(|collection| collection.writable = None);
    let server = serve(archive, Options::default());
    assert_eq!((server.post("/t", lines).status, server.post("/t/delete", lines).status), (405, 405));
}

/// The line of an index that a paper shows, put in, asked for and taken out.
#[test]
fn a_line_of_eleven_is_an_answer_of_nine() {
    let (_folder, server) = running();
    let line = "org,example)/ 20030402160014 http://example.org/ text/html 200 MOH7IEN2JAEJOHYXIEPEEGHOHG5VI=== - - 2248 396 mycrawl.warc.gz";
    assert_eq!(server.post("/t", line).text(), "Added 1 records\n");
    assert_eq!(server.get("/t?url=http://example.org/").text(), format!("{line}\n"));
    let json: serde_json::Value =
        serde_json::from_slice(&server.get("/t?url=http://example.org/&output=json").body).unwrap();
    let nine = serde_json::json!([[
        "org,example)/",
        20_030_402_160_014_u64,
        "http://example.org/",
        "text/html",
        200,
        "MOH7IEN2JAEJOHYXIEPEEGHOHG5VI===",
        2248,
        396,
        "mycrawl.warc.gz"
    ]]);
    assert_eq!(json, nine);
    assert_eq!(server.post("/t/delete", line).text(), "Deleted 1 records\n");
    assert_eq!(server.get("/t?url=http://example.org/").text(), "");
}

#[test]
fn rules_say_who_sees_what() {
    let rules = AccessRules::parse_aclj(
        "example,a)/page - {\"access\": \"exclude\"}\n\
         example,a)/ - {\"access\": \"block\", \"before\": \"2011\", \"message\": \"too old\"}\n\
         example,b)/ - {\"access\": \"block\"}\n\
         example,b)/ - {\"access\": \"allow\", \"user\": \"staff\"}\n",
    )
    .unwrap();
    let (_folder, archive) = archive(|collection| {
        collection.access = rules;
        collection.facts = Arc::new(Texts);
    });
    let options = Options { user_header: Some("x-pywb-acl-user".to_owned()), ..Options::default() };
    let server = serve(archive, options);
    // Blocked: there, but not to be seen. Excluded: not there.
    let seen = server.get("/t/cdx?url=http://a.example/&fl=timestamp,access&output=text").lines();
    assert_eq!(seen[..2], ["20100101000000 block", "20120101000000 allow"]);
    assert_eq!(server.get("/t/cdx?url=http://a.example/page?x=1%26y=2").lines().len(), 0);
    assert_eq!(server.get("/t/2015id_/http://a.example/page?x=1&y=2").status, 404);
    assert_eq!(server.get("/t/timemap/link/http://a.example/page?x=1&y=2").status, 404);
    let blocked = server.get("/t/2010id_/http://a.example/");
    assert_eq!((blocked.status, blocked.text().as_str()), (451, "too old\n"));
    assert_eq!(server.get("/t/2014id_/http://a.example/").status, 200);
    assert_eq!(server.get("/t/2015id_/http://b.example/").status, 451);
    let staff = [("X-Pywb-ACL-User", "staff")];
    assert_eq!(server.with("/t/2015id_/http://b.example/", &staff).status, 200);
    // Nor are their texts found.
    for search in ["/search?q=tea", "/t/search?q=tea"] {
        let (all, own) = (server.get(search).text(), server.with(search, &staff).text());
        assert!(all.contains("http://c.example/") && !all.contains("http://b.example/"), "{all}");
        assert!(own.contains("http://b.example/") && !own.contains("page?x=1"), "{own}");
    }
}

/// Texts of three captures.
struct Texts;

impl Facts for Texts {
    fn of(&self, _: &str, _: Timestamp) -> webmill_capture::Result<Option<CaptureFacts>> {
        Ok(None)
    }

    fn searchable(&self) -> bool {
        true
    }

    fn search(&self, _: &str, _: usize, _: usize) -> webmill_capture::Result<SearchAnswer> {
        let urls = ["http://a.example/page?x=1&y=2", "http://b.example/", "http://c.example/"];
        let hit = |url: &str| SearchHit { url: url.into(), ..SearchHit::default() };
        Ok(SearchAnswer { total: 3, hits: urls.map(hit).to_vec(), ..SearchAnswer::default() })
    }

    fn hosts(&self, _: usize, _: usize) -> webmill_capture::Result<Option<(Vec<HostLine>, u64)>> {
        Ok(None)
    }
}

#[test]
fn access_points_see_what_their_policies_let_them() {
    let json = r#"{"policies": [{"id": 1, "name": "Staff", "accessPoints": ["staff"]}],
                   "rules": [{"policyId": 1, "urlPatterns": ["http://a.example/*"]}]}"#;
    let (_folder, archive) =
        archive(|collection| collection.access = AccessRules::parse_json(json, key).unwrap());
    let server = serve(archive, Options::default());
    assert_eq!(server.get("/t/ap/staff?url=http://a.example/").lines().len(), 4);
    assert_eq!(server.get("/t/ap/public?url=http://a.example/").lines().len(), 0);
    assert_eq!(server.get("/t?url=http://a.example/&accesspoint=staff").lines().len(), 4);
    assert_eq!(server.get("/t?url=http://b.example/").lines().len(), 1);
}
