//! Every archive of the evaluation data: what must come out of each file.

use std::path::{Path, PathBuf};

use super::*;

/// File, records by type (filedesc, warcinfo, response, resource, request, metadata, revisit, unknown), errors.
/// The counts of whole files are those that fastwarc 2.0 and warcio 1.8 agree on.
const FILES: &[(&str, [usize; 8], usize)] = &[
    ("aut/badexample.arc.gz", [1, 0, 5, 0, 0, 0, 0, 0], 0),
    ("aut/example.arc.gz", [1, 0, 299, 0, 0, 0, 0, 0], 0),
    ("aut/example.docs.warc.gz", [0, 3, 9, 0, 9, 0, 0, 0], 0),
    ("aut/example.pdf.warc.gz", [0, 2, 35, 0, 37, 0, 2, 0], 0),
    ("aut/example.txt.warc.gz", [0, 2, 2, 0, 2, 0, 0, 0], 0),
    ("aut/example.warc.gz", [0, 1, 299, 0, 261, 261, 0, 0], 0),
    ("aut/issue-493.warc", [0, 2, 10, 0, 15, 0, 5, 0], 0),
    ("aut/issue-514.warc", [0, 1, 2, 2, 2, 1, 0, 0], 0),
    ("jwarc/cc.warc.gz", [0, 0, 1, 0, 0, 0, 0, 0], 0),
    ("jwarc/gzip_extra_sl.warc.gz", [0, 1, 0, 0, 0, 0, 0, 0], 0),
    ("pywb/warcs/bad.arc", [1, 0, 1, 0, 0, 0, 0, 0], 2),
    ("pywb/warcs/dupes.warc.gz", [0, 1, 3, 0, 12, 0, 9, 0], 0),
    ("pywb/warcs/example-bad.warc.gz.bad", [0, 1, 2, 0, 2, 0, 1, 0], 0),
    ("pywb/warcs/example-extra.warc", [0, 0, 2, 0, 2, 0, 2, 0], 0),
    ("pywb/warcs/example-url-agnostic-orig.warc.gz", [0, 1, 1, 0, 0, 0, 0, 0], 0),
    ("pywb/warcs/example-url-agnostic-revisit.warc.gz", [0, 1, 0, 0, 0, 0, 1, 0], 0),
    ("pywb/warcs/example-wget-1-14.warc.gz", [0, 1, 1, 3, 1, 0, 0, 0], 0),
    ("pywb/warcs/example-wpull.warc.gz", [0, 1, 1, 1, 1, 0, 0, 0], 0),
    ("pywb/warcs/example.arc", [1, 0, 1, 0, 0, 0, 0, 0], 0),
    ("pywb/warcs/example.arc.gz", [1, 0, 1, 0, 0, 0, 0, 0], 0),
    ("pywb/warcs/example.warc", [0, 1, 2, 0, 2, 0, 1, 0], 0),
    ("pywb/warcs/example.warc.gz", [0, 1, 2, 0, 2, 0, 1, 0], 0),
    ("pywb/warcs/example2.warc.gz", [0, 1, 1, 0, 1, 0, 0, 0], 0),
    ("pywb/warcs/httpbin-resource.warc.gz", [0, 0, 0, 1, 0, 0, 0, 0], 0),
    ("pywb/warcs/iana.warc.gz", [0, 1, 48, 0, 171, 0, 123, 0], 0),
    ("pywb/warcs/missing-status-text.warc", [0, 0, 1, 0, 0, 0, 0, 0], 0),
    ("pywb/warcs/post-test.warc.gz", [0, 0, 3, 0, 3, 0, 0, 0], 0),
    ("resiliparse/block-sized-records.warc", [0, 0, 0, 0, 0, 0, 0, 3], 0),
    ("resiliparse/block-sized-records.warc.gz", [0, 0, 0, 0, 0, 0, 0, 3], 0),
    ("resiliparse/block-sized-records.warc.lz4", [0, 0, 0, 0, 0, 0, 0, 3], 0),
    ("resiliparse/clipped.warc.gz", [0, 0, 1, 0, 0, 0, 0, 0], 1),
    ("resiliparse/clueweb-quirk.warc.gz", [0, 1, 29, 0, 0, 0, 0, 0], 0),
    ("resiliparse/warcfile.warc", [0, 1, 16, 0, 17, 16, 0, 0], 0),
    ("resiliparse/warcfile.warc.gz", [0, 1, 16, 0, 17, 16, 0, 0], 0),
    ("resiliparse/warcfile.warc.lz4", [0, 1, 16, 0, 17, 16, 0, 0], 0),
    ("warcio/bad.arc", [1, 0, 1, 0, 0, 0, 0, 0], 2),
    ("warcio/example-bad-non-chunked.warc.gz", [0, 2, 1, 0, 2, 0, 1, 0], 0),
    ("warcio/example-bad.warc.gz.bad", [0, 1, 2, 0, 2, 0, 1, 0], 0),
    ("warcio/example-digest.warc", [0, 0, 0, 0, 4, 0, 0, 0], 0),
    ("warcio/example-iana.org-chunked.warc", [0, 1, 1, 0, 1, 0, 0, 0], 0),
    ("warcio/example-resource.warc.gz", [0, 2, 0, 1, 0, 0, 0, 0], 0),
    ("warcio/example-space-in-target-uri.warc.gz", [0, 1, 0, 1, 0, 0, 0, 0], 0),
    ("warcio/example-space-in-url.arc", [1, 0, 1, 0, 0, 0, 0, 0], 1),
    ("warcio/example-trunc.warc", [0, 2, 1, 0, 1, 0, 0, 0], 0),
    ("warcio/example-wget-bad-target-uri.warc.gz", [0, 1, 1, 2, 1, 1, 0, 0], 0),
    ("warcio/example-wrong-chunks.warc.gz", [0, 0, 1, 0, 1, 0, 0, 0], 0),
    ("warcio/example.arc", [1, 0, 1, 0, 0, 0, 0, 0], 0),
    ("warcio/example.arc.gz", [1, 0, 1, 0, 0, 0, 0, 0], 0),
    ("warcio/example.warc", [0, 2, 1, 0, 2, 0, 1, 0], 0),
    ("warcio/example.warc.gz", [0, 2, 1, 0, 2, 0, 1, 0], 0),
    ("warcio/post-test.warc.gz", [0, 0, 3, 0, 3, 0, 0, 0], 0),
    ("webarchive-commons/IAH-20080430204825-00000-blackbook-truncated.arc", [1, 0, 8, 0, 0, 0, 0, 0], 0),
    ("webarchive-commons/IAH-urls-wget.warc", [0, 1, 16, 3, 16, 0, 0, 0], 0),
    ("webarchive-commons/IAH-urls-wget.warc.gz", [0, 1, 16, 3, 16, 0, 0, 0], 0),
    ("webarchive-commons/link-extraction-test.warc", [0, 1, 7, 0, 0, 0, 0, 0], 0),
    ("webarchive-commons/mutliple-headers.warc", [0, 0, 1, 0, 0, 0, 0, 0], 0),
];

const TYPES: [RecordType; 8] = [
    RecordType::FileDesc,
    RecordType::Warcinfo,
    RecordType::Response,
    RecordType::Resource,
    RecordType::Request,
    RecordType::Metadata,
    RecordType::Revisit,
    RecordType::Unknown,
];

/// The evaluation archives; `None` where they are missing.
fn unpacked() -> Option<(tempfile::TempDir, PathBuf)> {
    let folder = webmill_evaluation::archive("archives")?;
    let root = folder.path().join("archives");
    Some((folder, root))
}

fn count(path: &Path, options: &ReadOptions) -> ([usize; 8], usize) {
    let mut reader = ShardReader::open(path, options).unwrap();
    let (mut counts, mut errors, mut at) = ([0; 8], 0, 0);
    while let Some(next) = reader.next() {
        match next {
            Ok(record) => {
                counts[TYPES.iter().position(|t| *t == record.kind).unwrap()] += 1;
                assert!(record.place.offset >= at, "{}", path.display());
                at = record.place.offset;
            }
            Err(error) => {
                assert!(error.to_string().contains(" at byte "), "{error}");
                errors += 1;
            }
        }
    }
    (counts, errors)
}

#[test]
fn every_archive_gives_its_records() {
    let Some((_folder, root)) = unpacked() else { return };
    for (name, counts, errors) in FILES {
        let found = count(&root.join(name), &ReadOptions::default());
        assert_eq!(found, (*counts, *errors), "{name}");
        count(
            &root.join(name),
            &ReadOptions { lenient: false, verify_digests: true, ..ReadOptions::default() },
        );
    }
    let wacz = ShardReader::open(&root.join("pywb/waczs/valid_example_1.wacz"), &ReadOptions::default());
    assert!(wacz.err().unwrap().to_string().contains("WACZ"));
}
