//! Revisits, ways, rendered pages and what a `warcinfo` says, as every reader of ours gives them.

use webmill_capture::digest::sha1_base32;

use super::tests::{KINDS, options};
use super::*;

const FIRST_MS: i64 = 1_700_000_000_000;
const DAY_MS: i64 = 86_400_000;
const URL: &str = "http://a.example/page";
const HEAD_200: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: \"1\"\r\n\r\n";
const HEAD_304: &[u8] = b"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n";
const BODY: &[u8] = b"<p>the same as ever</p>";
const REQUEST: &[u8] = b"GET /page HTTP/1.1\r\nHost: a.example\r\nIf-None-Match: \"1\"\r\n\r\n";

fn page(raw: &[u8]) -> Stored<'_> {
    Stored { url: URL, date_ms: FIRST_MS, request: REQUEST, raw, page: true, ..Stored::default() }
}

fn again(profile: RevisitProfile, digest: &str) -> Option<Revisit<'_>> {
    Some(Revisit { profile, digest, refers_to_url: URL, refers_to_date_ms: FIRST_MS })
}

fn write(folder: &Path, options: &ArchiveOptions, answers: &[Stored<'_>]) -> (PathBuf, Vec<Place>) {
    let mut archive = Archive::open(folder, options, &[], None).unwrap();
    let places =
        answers.iter().map(|one| archive.append(&pack(one, options).unwrap().unwrap()).unwrap()).collect();
    archive.finish().unwrap();
    (archive.finished().unwrap().remove(0), places)
}

fn strict() -> ReadOptions {
    ReadOptions { lenient: false, verify_digests: true, ..ReadOptions::default() }
}

#[test]
fn a_revisit_is_a_head_that_refers_to_the_first_capture() {
    let digest = sha1_base32(BODY);
    let whole = [HEAD_200, BODY].concat();
    let labelled = format!("sha1:{digest}");
    let profiles = [RevisitProfile::IdenticalPayloadDigest, RevisitProfile::ServerNotModified];
    for kind in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let options = options(kind, 1 << 20);
        let second = Stored {
            date_ms: FIRST_MS + DAY_MS,
            revisit: again(profiles[0], &digest),
            truncated: Some(webmill_capture::Truncation::Length),
            origin: Some("http://first.example/"),
            ..page(&whole)
        };
        let third = Stored {
            date_ms: FIRST_MS + 2 * DAY_MS,
            revisit: again(profiles[1], &labelled),
            page: false,
            ..page(HEAD_304)
        };
        let (path, places) = write(folder.path(), &options, &[page(&whole), second, third]);
        let warc = kind.0 == ArchiveFormat::Warc;
        let mut reader = ShardReader::open(&path, &strict()).unwrap();
        let mut found = Vec::new();
        let mut before = None;
        while let Some(next) = reader.next() {
            let record = next.unwrap();
            assert_eq!(record.defects, [""; 0]);
            match record.kind {
                RecordType::Warcinfo => continue,
                RecordType::Request => {
                    before = record.id.as_deref().map(str::to_owned);
                    continue;
                }
                RecordType::Revisit | RecordType::Response => {}
                other => panic!("{other:?}"),
            }
            let n = found.len();
            assert_eq!(record.property("WARC-Concurrent-To").is_some(), warc);
            assert_eq!(record.property("WARC-Concurrent-To").as_deref(), before.as_deref());
            assert_eq!(&record.place, &places[n], "{kind:?}");
            assert_eq!(record.date_ms, Some(FIRST_MS + n as i64 * DAY_MS));
            assert_eq!(record.url, URL);
            found.push(record.data.to_vec());
            let unsaid = record.property(super::packing::HEAD_FIELD);
            let head = (warc && n == 2).then(|| data_encoding::BASE64.encode(HEAD_304));
            assert_eq!(unsaid.as_deref(), head.as_deref());
            if n == 0 {
                assert_eq!(record.kind, RecordType::Response);
                continue;
            }
            assert_eq!((record.kind, record.truncated), (RecordType::Revisit, None), "{kind:?}");
            assert_eq!(record.payload_digest.as_deref(), Some(&*labelled));
            let revisit = record.revisit.as_ref().unwrap();
            assert_eq!(revisit.profile, profiles[n - 1]);
            assert_eq!(revisit.refers_to_url.as_deref(), Some(URL));
            assert_eq!(revisit.refers_to_date_ms, Some(FIRST_MS));
            let origin = (n == 1).then_some("http://first.example/");
            assert_eq!(record.origin.as_deref(), origin, "{kind:?}");
        }
        // Of a 304 nothing is replayed.
        let head = if warc { b"" } else { HEAD_304 };
        assert_eq!(found, [&whole[..], HEAD_200, head], "{kind:?}: no body is stored twice");
        // A resumed crawl reads the links of pages only.
        let mut pages = 0;
        tail(folder.path(), Position::default(), &mut |_| {
            pages += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(pages, 1);
    }
}

#[test]
fn what_belongs_to_an_answer_stands_before_it() {
    let whole = [HEAD_200, BODY].concat();
    let tree = b"<html><body><p>the same as ever, and more</p></body></html>";
    for kind in KINDS {
        let warc = kind.0 == ArchiveFormat::Warc;
        for via in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let options = ArchiveOptions { via, ..options(kind, 1 << 20) };
            let stored = Stored {
                via: Some(Via { url: Some("http://a.example/"), hops: "LR" }),
                rendered: Some(Rendered {
                    date_ms: FIRST_MS + 900,
                    content_type: "text/html; charset=utf-8",
                    data: tree,
                }),
                ..page(&whole)
            };
            let seed = Stored { via: Some(Via::default()), ..page(&whole) };
            let (path, places) = write(folder.path(), &options, &[stored, seed]);
            let mut reader = ShardReader::open(&path, &strict()).unwrap();
            let (mut kinds, mut blocks, mut refers, mut id) = (Vec::new(), Vec::new(), Vec::new(), None);
            while let Some(next) = reader.next() {
                let record = next.unwrap();
                assert_eq!(record.defects, [""; 0]);
                match record.kind {
                    RecordType::Metadata => {
                        assert_eq!(record.mime().as_deref(), Some("application/warc-fields"));
                        refers.push(record.property("WARC-Concurrent-To").unwrap().into_owned());
                        blocks.push(String::from_utf8(record.data.to_vec()).unwrap());
                    }
                    RecordType::Conversion => {
                        assert_eq!((&*record.data, &*record.url), (&tree[..], URL));
                        assert_eq!(record.content_type.as_deref(), Some("text/html; charset=utf-8"));
                        if warc {
                            assert_eq!(record.date_ms, Some(FIRST_MS + 900));
                            refers.push(record.property("WARC-Refers-To").unwrap().into_owned());
                        }
                    }
                    RecordType::Response => {
                        assert_eq!(record.place, places[usize::from(id.is_some())]);
                        assert_eq!(record.property("x-via").is_some(), via && !warc && id.is_none());
                        if via && !warc && id.is_none() {
                            assert_eq!(record.property("x-hops").as_deref(), Some("LR"));
                        }
                        if let (Some(own), None) = (record.id.as_deref(), &id) {
                            assert!(refers.iter().all(|to| to == own), "{refers:?} {own}");
                        }
                        id.get_or_insert(());
                    }
                    _ => {}
                }
                kinds.push(record.kind);
            }
            use RecordType::*;
            let expected: &[RecordType] = match (warc, via) {
                (false, _) => &[Conversion, Response, Response],
                (true, false) => &[Warcinfo, Request, Conversion, Response, Request, Response],
                (true, true) => {
                    &[Warcinfo, Request, Metadata, Conversion, Response, Request, Metadata, Response]
                }
            };
            assert_eq!(kinds, expected, "{kind:?}");
            let said: &[&str] = if via && warc {
                &["via: http://a.example/\r\nhopsFromSeed: LR\r\n", "seed: \r\n"]
            } else {
                &[]
            };
            assert_eq!(blocks, said);
        }
    }
}

#[test]
fn a_warcinfo_says_whose_crawl_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let options = ArchiveOptions {
        info: [
            ("operator", "A Library <crawl@library.example>"),
            ("description", "elections\nof one year"),
            ("isPartOf", "news"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
        ..options(KINDS[4], 1 << 20)
    };
    let (path, _) = write(folder.path(), &options, &[page(HEAD_200)]);
    let mut reader = ShardReader::open(&path, &strict()).unwrap();
    let record = reader.next().unwrap().unwrap();
    let text = String::from_utf8_lossy(&record.data);
    for line in [
        "operator: A Library <crawl@library.example>\r\n",
        "description: elections\r\n of one year\r\n",
        "isPartOf: news\r\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    for bad in [String::new(), " ".into(), "x".repeat(5000), "a\0b".into()] {
        let info = [("operator".to_owned(), bad)].into();
        let options = ArchiveOptions { info, ..ArchiveOptions::default() };
        assert!(matches!(options.check(), Err(Error::Config(text)) if text.contains("operator")));
    }
}
