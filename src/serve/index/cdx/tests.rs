use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::index::{Entry, Timestamp};

fn written(form: Form, entry: &Entry<'_>) -> String {
    let mut line = Vec::new();
    write_line(form, entry, &mut line);
    String::from_utf8(line).unwrap()
}

fn sample() -> Entry<'static> {
    Entry {
        urlkey: "com,example)/".into(),
        timestamp: Timestamp(20140103030341),
        url: "http://example.com?a=\"é\" b".into(),
        mime: "text/html".into(),
        status: Some(200),
        digest: "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A".into(),
        length: Some(553),
        offset: 1864,
        filename: "a.warc.gz".into(),
        extra: vec![("method".into(), "\"POST\"".into()), ("n".into(), "[1,{\"x\":null}]".into())],
        ..Entry::default()
    }
}

#[test]
fn lines_are_those_of_the_tools() {
    assert_eq!(
        written(Form::Cdx11, &sample()),
        "com,example)/ 20140103030341 http://example.com?a=\"é\"%20b text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 553 1864 a.warc.gz\n"
    );
    assert_eq!(
        written(Form::Cdx9, &sample()),
        "com,example)/ 20140103030341 http://example.com?a=\"é\"%20b text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - 1864 a.warc.gz\n"
    );
    assert_eq!(
        written(Form::Cdxj, &sample()),
        "com,example)/ 20140103030341 {\"url\": \"http://example.com?a=\\\"é\\\" b\", \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A\", \"length\": \"553\", \"offset\": \"1864\", \"filename\": \"a.warc.gz\", \"method\": \"POST\", \"n\": [1,{\"x\":null}]}\n"
    );
}

fn read(file: &[u8]) -> Vec<Result<Entry<'static>, String>> {
    let mut reader = Reader::new(file, Path::new("f"));
    let mut all = Vec::new();
    while let Some(next) = reader.next() {
        all.push(next.map(Entry::into_owned).map_err(|e| e.to_string()));
    }
    let faults = all.iter().filter(|e| e.is_err()).count();
    assert_eq!(reader.faults(), faults as u64);
    all
}

#[test]
fn headers_say_what_fields_are() {
    let file = b" CDX A b e a m s c k r V v D d g M n\n\
        0-0-0checkmate.com/ 20010424210551 209.52.183.152 0-0-0checkmate.com:80/ text/html 200 58670fbe7432c5bed6f3dcd7ea32b221 a725a64ad6bb7112c55ed26c9e4cef63 - 17130110 59129865 1927657 6501523 DE_crawl6.20010424210458 - 5750\n\
        too 2001\n\
        key - x\n";
    let all = read(file);
    let entry = all[0].as_ref().unwrap();
    assert_eq!(entry.urlkey, "0-0-0checkmate.com/");
    assert_eq!((entry.offset, entry.length, entry.status), (17130110, Some(5750), Some(200)));
    assert_eq!(entry.digest, "a725a64ad6bb7112c55ed26c9e4cef63");
    assert_eq!(entry.filename, "DE_crawl6.20010424210458");
    assert_eq!(entry.extra, [("ip".into(), "\"209.52.183.152\"".into())]);
    let error = all[1].as_ref().unwrap_err();
    assert!(error.contains("at byte 258: line 3: 2 fields where the header has 16"), "{error}");
    assert_eq!(all.len(), 3);
    // Without the key, it is made.
    let entry = read(b" CDX b a g V\n2001 http://www.example.com/A f 7\n").remove(0).unwrap();
    assert_eq!((&*entry.urlkey, entry.timestamp), ("com,example)/a", Timestamp(20010101000000)));
    // The header of wget, which names the URL twice and knows no keys.
    let wget = b" CDX a b a m s k r M V g u\n\
        http://www.example.com/A 20240503103100 http://www.example.com/A text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 739 w.warc.gz <urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8>\n";
    let entry = read(wget).remove(0).unwrap();
    assert_eq!((&*entry.urlkey, &*entry.url), ("com,example)/a", "http://www.example.com/A"));
    assert_eq!((entry.timestamp, entry.status, entry.offset), (Timestamp(20240503103100), Some(200), 739));
    assert_eq!((&*entry.filename, &*entry.redirect, entry.length), ("w.warc.gz", "", None));
    // Without header, by their number.
    for line in [
        "k 2001 u m 200 d - - 1 2 f",
        "k 2001 u m 200 d - - 2 f",
        "k 2001 u m 200 d - 2 f",
        "k 2001 {\"url\": \"u\", \"mime\": \"m\", \"status\": 200, \"digest\": \"sha1:d\", \"offset\": 2, \"filename\": \"f\"}",
    ] {
        let entry = read(line.as_bytes()).remove(0).unwrap();
        assert_eq!(
            (&*entry.url, &*entry.digest, entry.offset, &*entry.filename),
            ("u", "d", 2, "f"),
            "{line}"
        );
    }
}

#[test]
fn lines_that_are_none_are_named_and_passed_over() {
    let file = b"!OpenWayback-CDXJ 1.0\n\nk 2001 {\"url\": \"a\"}\nk 20x1 {}\nk 2001 [1]\nk 2001 {\"url\": \"b\r\"}\nk 2001 {\"url\": \"c\"} x\n\
        k 2001\nk\nk 2001 {\"url\": \"d\xff\", \"length\": \"-1\", \"status\": \"-\", \"mime\": null}\r\n";
    let all = read(file);
    let lines: Vec<String> =
        all.iter().map(|e| e.as_ref().map_or_else(Clone::clone, |e| e.url.to_string())).collect();
    assert_eq!(lines[0], "a");
    assert!(lines[1].contains("line 4: the timestamp"), "{lines:?}");
    assert!(lines[2].contains("line 5: the JSON"), "{lines:?}");
    assert!(lines[4].contains("line 7: the JSON"), "{lines:?}");
    assert!(lines[5].contains("line 8: no JSON"), "{lines:?}");
    assert!(lines[6].contains("line 9: no timestamp"), "{lines:?}");
    assert_eq!(lines[7], "d%FF");
    let last = all[7].as_ref().unwrap();
    assert_eq!((last.length, last.status, &*last.mime), (None, None, ""));
}

#[test]
fn hostile_lines_are_bounded() {
    let deep = format!("k 2001 {}\nk 2001 {{\"url\": \"a\"}}\n", "{\"a\":".repeat(100_000));
    let all = read(deep.as_bytes());
    assert!(all[0].is_err() && all[1].is_ok());
    let long = format!("k 2001 {{\"url\": \"{}\"}}\nk 2001 {{\"url\": \"a\"}}\n", "x".repeat(3 * MAX_LINE));
    let all = read(long.as_bytes());
    assert_eq!(all.len(), 2);
    assert!(all[0].as_ref().unwrap_err().contains("longer than"), "{:?}", all[0]);
    assert_eq!(all[1].as_ref().unwrap().url, "a");
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        urlkey in "[!-~]{1,12}", time in 10_000_101_000_000_u64..99_991_231_235_959,
        url in "\\PC{1,20}", mime in "[a-z/]{0,9}", status in prop::option::of(100_u16..999), digest in "[A-Z2-7]{0,31}",
        length in prop::option::of(any::<u64>()), offset in any::<u64>(), filename in "[!-,.-~]{1,9}",
    ) {
        let entry = Entry {
            urlkey: urlkey.into(), timestamp: Timestamp(time), url: url.into(), mime: mime.into(), status,
            digest: digest.into(), length, offset, filename: filename.into(), ..Entry::default()
        };
        let line = written(Form::Cdxj, &entry);
        let back = parse(&Layout::Cdxj, line.trim_end_matches('\n').as_bytes()).unwrap();
        if entry.url != "-" && entry.mime != "-" {
            prop_assert_eq!(&back, &entry);
        }
        for form in [Form::Cdx9, Form::Cdx11] {
            let line = written(form, &entry);
            let layout = Layout::of_header(form.header().unwrap().as_bytes()).unwrap();
            let back = parse(&layout, line.trim_end_matches('\n').as_bytes()).unwrap();
            prop_assert_eq!((&back.urlkey, back.timestamp, &back.mime), (&entry.urlkey, entry.timestamp, &entry.mime));
            prop_assert_eq!((back.status, &back.digest, back.offset), (entry.status, &entry.digest, entry.offset));
            if form == Form::Cdx11 {
                prop_assert_eq!(back.length, entry.length);
            }
        }
    }
}
