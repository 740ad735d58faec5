//! Each parameter of pywb's queries.

use crate::support::{Running, running};
use webmill_capture::cut::Cut;

/// Answers to `/t/cdx?url=http://a.example/` and more, as time and status.
fn rows(server: &Running, parameters: &str) -> Vec<String> {
    let answer = server.get(&format!("/t/cdx?{parameters}&fl=timestamp,status&output=text"));
    assert_eq!(answer.status, 200, "{parameters}: {}", answer.text());
    answer
        .lines()
        .iter()
        .map(|line| format!("{} {}", line.cut(..4), line.rsplit(' ').next().unwrap()))
        .collect()
}

#[test]
fn each_parameter_chooses_what_it_should() {
    let (_folder, server) = running();
    let all = ["2010 200", "2012 -", "2014 200", "2016 404"];
    let none: [&str; 0] = [];
    for (parameters, want) in [
        ("url=http://a.example/", &all[..]),
        ("url=http%3A%2F%2Fwww.a.example%2F", &all),
        ("url=a.example", &all),
        ("url=http://nowhere.example/", &none),
        ("url=http://a.example/&matchType=exact", &all),
        ("url=http://a.example/p&matchType=prefix", &["2015 200"]),
        ("url=http://a.example/p*", &["2015 200"]),
        ("url=http://sub.a.example/&matchType=host", &["2015 200"]),
        ("url=http://sub.a.example/&matchType=domain", &["2015 200"]),
        ("url=*.a.example&filter==status:200&from=2015", &["2015 200", "2015 200", "2015 200"]),
        ("url=http://a.example/&from=2014", &all[2..]),
        ("url=http://a.example/&from=20140101000001", &all[3..]),
        ("url=http://a.example/&to=2012", &all[..2]),
        ("url=http://a.example/&from=2011&to=201401", &all[1..3]),
        ("url=http://a.example/&limit=1", &all[..1]),
        ("url=http://a.example/&limit=0", &all),
        ("url=http://a.example/&limit=-1", &all[3..]),
        ("url=http://a.example/&sort=reverse&limit=2", &["2016 404", "2014 200"]),
        (
            "url=http://a.example/&sort=closest&closest=20130601",
            &["2014 200", "2012 -", "2016 404", "2010 200"],
        ),
        ("url=http://a.example/&closest=2010&limit=1", &all[..1]),
        ("url=http://a.example/&filter=mime:html", &["2010 200", "2014 200", "2016 404"]),
        ("url=http://a.example/&filter=!mime:html", &all[1..2]),
        ("url=http://a.example/&filter==mime:html", &none),
        ("url=http://a.example/&filter==status:404", &all[3..]),
        ("url=http://a.example/&filter=!=status:404", &all[..3]),
        ("url=http://a.example/&filter=~status:20.", &["2010 200", "2014 200"]),
        ("url=http://a.example/&filter=!~status:20.", &["2012 -", "2016 404"]),
        ("url=http://a.example/&filter=status:4&filter=mime:html", &all[3..]),
        ("url=http://a.example/&filter=status:4&filter=mime:css", &none),
        ("url=http://a.example/&page=0&pageSize=1", &all),
    ] {
        assert_eq!(rows(&server, parameters), want, "{parameters}");
    }
}

#[test]
fn each_output_has_its_form() {
    let (_folder, server) = running();
    let get = |more: &str| server.get(&format!("/t/cdx?url=http://a.example/&limit=2{more}"));
    let cdxj = get("");
    assert_eq!(cdxj.header("content-type"), Some("text/x-cdxj"));
    let first = &cdxj.lines()[0];
    assert!(
        first.starts_with(
            "example,a)/ 20100101000000 {\"url\": \"http://a.example/\", \"mime\": \"text/html\", \"status\": \"200\", \
             \"digest\": \"ONEONEONEONEONEONEONEONEONEONEON\", \"length\": \""
        ),
        "{first}"
    );
    assert!(first.ends_with("\"offset\": \"0\", \"filename\": \"test.warc\"}"), "{first}");
    // A field that is not known is not there.
    assert!(!cdxj.lines()[1].contains("status"));
    assert_eq!(get("&output=cdxj").body, cdxj.body);
    let json = get("&output=json");
    assert_eq!(json.header("content-type"), Some("text/x-ndjson"));
    let first: serde_json::Value = serde_json::from_str(&json.lines()[0]).unwrap();
    assert_eq!((&first["urlkey"], &first["timestamp"]), (&"example,a)/".into(), &"20100101000000".into()));
    let text = get("&output=text");
    assert_eq!(text.header("content-type"), Some("text/plain"));
    assert_eq!(text.lines()[1].split(' ').count(), 11);
    assert!(text.lines()[1].starts_with("example,a)/ 20120101000000 http://a.example/ warc/revisit - ONE"));
    let link = get("&output=link");
    assert_eq!(link.header("content-type"), Some("application/link-format"));
    assert_eq!(
        link.lines()[0],
        "<http://a.example/>; rel=\"memento\"; datetime=\"Fri, 01 Jan 2010 00:00:00 GMT\"; collection=\"t\","
    );
    assert_eq!(get("&fl=url,timestamp,nothing&output=text").lines()[0], "http://a.example/ 20100101000000 -");
    assert_eq!(get("&fields=status&output=json").lines(), ["{\"status\": \"200\"}", "{}"]);
    assert_eq!(get("&fl=urlkey,status").lines()[0], "example,a)/ 20100101000000 {\"status\": \"200\"}");
    let resolved = server.get("/t/cdx?url=http://a.example/&resolveRevisits=true").lines();
    assert!(
        resolved[1].contains("\"mime\": \"text/html\"") && resolved[1].contains("\"orig.offset\": \"0\"")
    );
    assert!(resolved[2].contains("\"orig.length\": \"-\""));
}

#[test]
fn pages_are_counted_and_end() {
    let (_folder, server) = running();
    let get = |more: &str| server.get(&format!("/t/cdx?url=*.example&{more}"));
    assert_eq!(get("showNumPages=true").text(), "{\"pages\": 1, \"pageSize\": 5, \"blocks\": 1}\n");
    assert_eq!(
        get("showNumPages=true&pageSize=2").text(),
        "{\"pages\": 1, \"pageSize\": 2, \"blocks\": 1}\n"
    );
    assert_eq!(get("showPagedIndex=true").text(), "example,a)/ 20100101000000\tt\t0\t0\n");
    assert_eq!(get("page=0").lines().len(), 14);
    let past = get("page=1");
    assert_eq!(past.status, 400);
    assert_eq!(past.text(), "{\"message\":\"Page 1 invalid: First Page is 0, Last Page is 0\"}");
    assert_eq!(server.get("/t/cdx?url=none.example&page=0").status, 200);
}

#[test]
fn what_cannot_be_answered_says_why() {
    let (_folder, server) = running();
    for (target, status, words) in [
        ("/t/cdx", 400, "The \\\"url\\\" param is required"),
        ("/t/cdx?url=", 400, "url"),
        ("/t/cdx?url=a.example&limit=x", 400, "limit"),
        ("/t/cdx?url=a.example&output=foo", 400, "output=foo not supported"),
        ("/t/cdx?url=a.example&matchType=foo", 400, "Invalid match_type: foo"),
        ("/t/cdx?url=a.example&filter=~mime:(", 400, "regular expression"),
        ("/t/cdx?url=a.example&closest=x", 400, "timestamp"),
        ("/t/cdx?url=a.example&sort=closest", 400, "closest=TIMESTAMP"),
        ("/none/cdx?url=a.example", 404, "no collection"),
    ] {
        let answer = server.get(target);
        assert_eq!(answer.status, status, "{target}");
        assert!(answer.text().contains(words), "{target}: {}", answer.text());
        assert!(answer.text().starts_with("{\"message\":"), "{target}");
    }
    // The same by POST, as clients with long questions ask.
    let form = server.ask("POST", "/t/cdx", &[], b"url=http://a.example/&limit=1");
    assert_eq!((form.status, form.lines().len()), (200, 1));
    let head = server.ask("HEAD", "/t/cdx?url=http://a.example/", &[], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(server.get("/t/index?url=http://a.example/").lines().len(), 4);
}
