//! Each parameter of the Wayback CDX server.

use std::io::Read;

use crate::support::running;

#[test]
fn each_parameter_does_what_it_should() {
    let (_folder, server) = running();
    let lines = |more: &str| {
        let answer = server.get(&format!("/t/cdx/search/cdx?url=http://a.example/{more}"));
        assert_eq!(answer.status, 200, "{more}: {}", answer.text());
        answer.lines()
    };
    let first =
        format!("example,a)/ 20100101000000 http://a.example/ text/html 200 {} ", crate::support::ONE);
    assert!(lines("")[0].starts_with(&first), "{:?}", lines(""));
    assert_eq!(lines("")[0].split(' ').count(), 7);
    assert_eq!(
        lines("&fl=timestamp,statuscode&collapse=statuscode"),
        ["20100101000000 200", "20120101000000 -", "20140101000000 200", "20160101000000 404"]
    );
    assert_eq!(lines("&fl=timestamp&collapse=timestamp:3"), ["20100101000000"]);
    assert_eq!(
        lines("&fl=timestamp&collapse=digest"),
        ["20100101000000", "20140101000000", "20160101000000"]
    );
    assert_eq!(lines("&fl=timestamp&filter=statuscode:20"), [""; 0]);
    assert_eq!(lines("&fl=timestamp&filter=!statuscode:200&filter=!mimetype:warc/.*"), ["20160101000000"]);
    assert_eq!(lines("&fl=timestamp&limit=-2"), ["20140101000000", "20160101000000"]);
    assert_eq!(lines("&fl=timestamp&offset=1&limit=1"), ["20120101000000"]);
    let counted = lines("&fl=timestamp,mimetype,dupecount&showDupeCount=true");
    assert_eq!(counted[..2], ["20100101000000 text/html 0", "20120101000000 text/html 1"]);
    assert!(lines("&showDupeCount=true")[1].ends_with(" 1"));
    let resolved = lines("&resolveRevisits=true");
    assert!(resolved[1].ends_with(" 0 test.warc"), "{}", resolved[1]);
    assert!(resolved[0].ends_with(" - - -"));
    assert_eq!(lines("&showNumPages=true"), ["1"]);
    assert_eq!(lines("&page=7"), [""; 0]);
}

#[test]
fn an_answer_goes_on_where_it_ended() {
    let (_folder, server) = running();
    let base = "/t/cdx/search/cdx?url=http://a.example/&fl=timestamp&limit=3&showResumeKey=true";
    let first = server.get(base).lines();
    assert_eq!(first[..4], ["20100101000000", "20120101000000", "20140101000000", ""]);
    let rest = server.get(&format!("{base}&resumeKey={}", first[4])).lines();
    assert_eq!(rest, ["20160101000000"]);
    let theirs = "example%2Ca%29%2F+20120101000000%21";
    assert_eq!(
        server.get(&format!("{base}&resumeKey={theirs}")).lines(),
        ["20140101000000", "20160101000000"]
    );
    let json: serde_json::Value =
        serde_json::from_slice(&server.get(&format!("{base}&output=json")).body).unwrap();
    assert_eq!(json[0], serde_json::json!(["timestamp"]));
    assert_eq!(json[3], serde_json::json!(["20140101000000"]));
    assert_eq!((&json[4], json[5][0].as_str()), (&serde_json::json!([]), Some(first[4].as_str())));
    assert_eq!(server.get("/t/cdx/search/cdx?url=none.example&output=json").text(), "[]\n");
    assert_eq!(server.get(&format!("{base}&resumeKey=x")).status, 400);
}

#[test]
fn answers_are_compressed_for_those_who_take_it() {
    let (_folder, server) = running();
    let target = "/t/cdx/search/cdx?url=http://a.example/";
    let plain = server.get(target);
    assert_eq!(plain.header("content-encoding"), None);
    let zipped = server.with(target, &[("Accept-Encoding", "deflate, gzip")]);
    assert_eq!(zipped.header("content-encoding"), Some("gzip"));
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&zipped.body[..]).read_to_end(&mut text).unwrap();
    assert_eq!(text, plain.body);
    let not = server.with(&format!("{target}&gzip=false"), &[("Accept-Encoding", "gzip")]);
    assert_eq!((not.header("content-encoding"), &not.body), (None, &plain.body));
    assert_eq!(server.with(target, &[("Accept-Encoding", "gzip;q=0")]).header("content-encoding"), None);
}
