//! Queries against a plain reading of their definition: all lines in a vector, step by step.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::parse::tests::plain_key;
use super::*;
use crate::index::MemoryIndex;

const URLS: [&str; 6] = [
    "http://a.org/",
    "http://a.org/x",
    "http://a.org/x/y",
    "http://b.a.org/",
    "http://c.org/",
    "http://a-b.org/x",
];

fn entries() -> impl Strategy<Value = Vec<Entry<'static>>> {
    let entry = (0..6_usize, 0..40_u64, 0..3_usize, 0..4_usize, 0..3_usize, any::<bool>()).prop_map(
        |(url, time, status, digest, file, revisit)| Entry {
            urlkey: plain_key(URLS[url]).into(),
            timestamp: Timestamp(20200101000000 + time / 10 * 1_000_000 + time % 10),
            url: URLS[url].into(),
            mime: if revisit { "warc/revisit" } else { ["text/html", "text/css", ""][file] }.into(),
            status: [Some(200), Some(302), None][status],
            digest: ["", "A", "B", "C"][digest].into(),
            redirect: ["", "/", "/x"][digest.min(2)].into(),
            offset: time * 7 % 5,
            filename: ["f", "g", "h"][file].into(),
            ..Entry::default()
        },
    );
    prop::collection::vec(entry, 0..60)
}

/// A query string's pairs, without what cannot go together.
fn questions() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let maybe = |strategy: BoxedStrategy<(&'static str, String)>| prop::option::of(strategy);
    let pair = |name: &'static str, values: &'static [&'static str]| {
        maybe(prop::sample::select(values).prop_map(move |v| (name, v.to_owned())).boxed())
    };
    (
        prop::sample::select(&URLS[..]).prop_map(|url| ("url", url.to_owned())),
        pair("matchType", &["exact", "prefix", "host", "domain", "range"]),
        pair("from", &["2020", "20200102", "2021"]),
        pair("to", &["2020", "202001", "20200102", "20200103000005"]),
        pair("sort", &["reverse", "default"]),
        pair("closest", &["20200102", "2019", "20200103000004"]),
        pair("limit", &["0", "1", "3", "10", "-1", "-4"]),
        pair("offset", &["1", "4"]),
        pair("filter", &["statuscode:200", "!mimetype:text/.*", "digest:A|B", "!=statuscode:302"]),
        (
            pair("collapse", &["urlkey", "digest", "timestamp:8", "statuscode"]),
            pair("collapse", &["digest:1", "mimetype"]),
            pair("showDupeCount", &["true"]),
            pair("resolveRevisits", &["true"]),
            pair("omitSelfRedirects", &["true"]),
        ),
    )
        .prop_map(|(url, a, b, c, d, e, f, g, h, (i, j, k, l, m))| {
            [Some(url), a, b, c, d, e, f, g, h, i, j, k, l, m].into_iter().flatten().collect()
        })
}

fn query(pairs: &[(&'static str, String)]) -> Result<Query, BadRequest> {
    let pairs = pairs.iter().map(|(name, value)| (*name, value.as_str()));
    Query::parse(pairs, Dialect::Wayback, plain_key, &Limits::default())
}

/// What a row shows, for comparison.
type ShownRow = (Entry<'static>, Option<OriginalCapture>, Option<u64>);

fn answer(query: &Query, index: &MemoryIndex) -> (Vec<ShownRow>, QueryEnd) {
    let mut rows = Vec::new();
    let end = query
        .run(index, &mut |row| {
            rows.push((row.entry.clone().into_owned(), row.original.cloned(), row.dupes));
            ControlFlow::Continue(())
        })
        .unwrap();
    (rows, end)
}

/// The definition, word for word.
fn oracle(query: &Query, all: &[Entry<'static>]) -> Vec<ShownRow> {
    let in_range: Vec<&Entry<'static>> = all.iter().filter(|e| query.range.contains(&e.urlkey)).collect();
    let mut rows: Vec<ShownRow> = Vec::new();
    for (at, entry) in in_range.iter().enumerate() {
        let before =
            || in_range[..at].iter().filter(|e| e.urlkey == entry.urlkey && e.digest == entry.digest);
        let wanted = (query.resolve_revisits || query.show_dupe_count)
            && entry.mime == "warc/revisit"
            && !entry.digest.is_empty();
        let original = if wanted { before().find(|e| e.mime != "warc/revisit") } else { None };
        let original = original.map(|e| OriginalCapture {
            mime: e.mime.to_string(),
            length: e.length,
            offset: e.offset,
            filename: e.filename.to_string(),
        });
        let row = Row { entry, original: original.as_ref(), dupes: None };
        let goes = query.from.is_some_and(|from| entry.timestamp < from)
            || query.to.is_some_and(|to| entry.timestamp > to)
            || query.filters.iter().any(|filter| !filter.holds(&row))
            || (query.omit_self_redirects && entry.status == Some(302) && leads_home(entry));
        if goes {
            continue;
        }
        let dupes = query.show_dupe_count.then(|| {
            let same = |row: &&ShownRow| {
                row.0.urlkey == entry.urlkey && row.0.digest == entry.digest && !entry.digest.is_empty()
            };
            rows.iter().filter(same).count() as u64
        });
        rows.push(((*entry).clone(), original, dupes));
    }
    let value = |row: &ShownRow, collapse: &Collapse| -> String {
        let row = Row { entry: &row.0, original: row.1.as_ref(), dupes: row.2 };
        let value = collapse.field.value(&row).unwrap_or_default().into_owned();
        value.chars().take(collapse.chars.unwrap_or(usize::MAX)).collect()
    };
    if !query.collapse.is_empty() {
        let same = |a: &ShownRow, b: &ShownRow| query.collapse.iter().all(|c| value(a, c) == value(b, c));
        rows.dedup_by(|later, first| same(later, first));
    }
    let limit = query.limit.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX);
    let offset = query.offset as usize;
    if let SortOrder::Closest(to) = query.sort {
        rows.sort_by_key(|row| seconds_of(row.0.timestamp).abs_diff(seconds_of(to)));
    }
    let backwards = query.sort == SortOrder::Reverse;
    if query.last != backwards {
        rows.reverse();
    }
    rows = rows.into_iter().skip(offset).take(limit).collect();
    if query.last {
        rows.reverse();
    }
    rows
}

/// Redirects of these tests lead to `/` or `/x` of their host.
fn leads_home(entry: &Entry<'_>) -> bool {
    let host = entry.urlkey.split(')').next().unwrap_or_default();
    !entry.redirect.is_empty() && format!("{host}){}", entry.redirect) == *entry.urlkey
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn answers_are_those_of_the_definition(entries in entries(), pairs in questions()) {
        let index = MemoryIndex::new(entries);
        let Ok(query) = query(&pairs) else { return Ok(()) };
        let (rows, end) = answer(&query, &index);
        prop_assert_eq!(&rows, &oracle(&query, index.entries()), "{:?}", pairs);
        prop_assert_eq!((end.rows, end.cut), (rows.len() as u64, None));
    }

    #[test]
    fn answers_in_pieces_are_the_answer_in_one(
        entries in entries(),
        mut pairs in questions(),
        limit in 1..5_u64,
        scanned in 30..70_u64,
    ) {
        // Entries that are equal in all that orders them are one to a resume key: real ones have places of their own.
        let mut entries = MemoryIndex::new(entries).entries().to_vec();
        entries.dedup_by(|a, b| {
            (&a.urlkey, a.timestamp, &a.filename, a.offset) == (&b.urlkey, b.timestamp, &b.filename, b.offset)
        });
        let index = MemoryIndex::new(entries);
        pairs.retain(|(name, _)| !matches!(*name, "limit" | "sort" | "closest" | "offset"));
        let whole = answer(&query(&pairs).unwrap(), &index).0;
        pairs.push(("limit", limit.to_string()));
        pairs.push(("showResumeKey", "true".to_owned()));
        let (mut rows, mut resume) = (Vec::new(), None::<ResumeKey>);
        for _ in 0..200 {
            let mut pairs = pairs.clone();
            pairs.extend(resume.iter().map(|key| ("resumeKey", key.to_string())));
            let (found, end) = answer(&query(&pairs).unwrap().scanning_at_most(scanned), &index);
            rows.extend(found);
            resume = end.resume_key;
            if resume.is_none() {
                break;
            }
        }
        prop_assert_eq!(rows, whole, "{:?}", pairs);
    }

}

#[test]
fn rows_that_are_one_over_keys_stay_one_where_an_answer_goes_on_behind_them() {
    let entry = |key: &'static str, day: u64| Entry {
        urlkey: key.into(),
        timestamp: Timestamp(20200101000000 + day),
        digest: "A".into(),
        ..Entry::default()
    };
    // The row is of the first key, the limit of lines ends the first answer within the second.
    let lines = std::iter::once(entry("org,a)/", 9)).chain((0..9).map(|day| entry("org,a)/x", day)));
    let index = MemoryIndex::new(lines.chain([entry("org,a)/y", 9)]).collect());
    let pairs = |resume: Option<String>| {
        let asked = [
            ("url", "a.org/*"),
            ("from", "20200101000009"),
            ("collapse", "digest"),
            ("showResumeKey", "true"),
        ];
        let asked = asked.map(|(name, value)| (name, value.to_owned()));
        asked.into_iter().chain(resume.map(|key| ("resumeKey", key))).collect::<Vec<_>>()
    };
    let ask = |resume| answer(&query(&pairs(resume)).unwrap().scanning_at_most(6), &index);
    let (rows, end) = ask(None);
    assert_eq!((rows.len(), end.cut), (1, Some(EarlyEnd::Scanned)));
    let (rows, end) = ask(end.resume_key.map(|key| key.to_string()));
    assert_eq!(
        (rows.len(), end.cut, end.resume_key),
        (0, None, None),
        "the last line goes with the first row"
    );
}

/// An index of `n` lines of one key.
fn many(n: u64) -> MemoryIndex {
    let entry = |i| Entry {
        urlkey: "org,a)/".into(),
        timestamp: Timestamp(20200101000000),
        offset: i,
        ..Entry::default()
    };
    MemoryIndex::new((0..n).map(entry).collect())
}

fn ask(pairs: &[(&'static str, &str)]) -> Query {
    let mut pairs: Vec<_> = pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    pairs.push(("url", "http://a.org/".to_owned()));
    query(&pairs).unwrap()
}

#[test]
fn pages_are_stretches_of_lines() {
    let index = many(2 * BLOCK_LINES + 1);
    let pages = ask(&[("pageSize", "1")]).pages(&index).unwrap();
    assert_eq!(pages, Pages { pages: 3, page_size: 1, blocks: 3, lines: 6001 });
    let mut offsets = Vec::new();
    for page in ["0", "1", "2"] {
        let (rows, end) = answer(&ask(&[("pageSize", "1"), ("page", page)]), &index);
        assert_eq!(end.past_last_page, None);
        offsets.extend(rows.iter().map(|row| row.0.offset));
    }
    assert_eq!(offsets, (0..6001).collect::<Vec<_>>());
    let (rows, end) = answer(&ask(&[("pageSize", "1"), ("page", "3")]), &index);
    assert_eq!((rows.len(), end.past_last_page), (0, Some(pages)));
    assert_eq!(answer(&ask(&[("page", "0")]), &many(0)).1.past_last_page, None);
    let mut blocks = Vec::new();
    ask(&[("pageSize", "2"), ("page", "1")])
        .paged_index(&index, &mut |line| {
            blocks.push((line.block, line.line));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(blocks, [(2, 6000)]);
}

#[test]
fn bounds_hold_and_are_told() {
    let index = many(100);
    let limits = Limits { max_rows: 10, ..Limits::default() };
    let bounded = |pairs: &[(&'static str, &str)]| {
        let pairs = [&[("url", "http://a.org/")], pairs].concat();
        let query = Query::parse(pairs, Dialect::Pywb, plain_key, &limits).unwrap();
        let (rows, end) = answer(&query, &index);
        (rows.len(), end.cut, end.scanned)
    };
    assert_eq!(bounded(&[]), (10, Some(EarlyEnd::Rows), 11));
    assert_eq!(bounded(&[("limit", "10")]), (10, None, 10));
    assert_eq!(bounded(&[("limit", "11")]), (10, Some(EarlyEnd::Rows), 11));
    assert_eq!(bounded(&[("sort", "reverse")]), (10, Some(EarlyEnd::Rows), 11));
    assert_eq!(bounded(&[("closest", "2020")]), (10, Some(EarlyEnd::Rows), 100));
    let few = ask(&[]).scanning_at_most(7);
    let (rows, end) = answer(&few, &index);
    assert_eq!((rows.len(), end.cut, end.scanned), (7, Some(EarlyEnd::Scanned), 7));
    assert!(few.pages(&index).is_err());
    let mut taken = 0;
    let end = ask(&[])
        .run(&index, &mut |_| {
            taken += 1;
            ControlFlow::Break(())
        })
        .unwrap();
    assert_eq!((taken, end.cut), (1, Some(EarlyEnd::Stopped)));
}
