//! What a fuzzer does with the bytes of a request.

use std::ops::ControlFlow;

use crate::index::MemoryIndex;
use crate::index::query::{Dialect, Limits, Query};

use crate::access::AccessRules;
use crate::cdx::{RowWriter, parse_posted, xml_pairs};
use crate::{Route, form, memento};

/// Reads bytes as everything that a client or a file of rules can send, and holds what must hold of any bytes: no panic,
/// an end, no more rows than there are captures, lines without a line end in them.
pub fn fuzz_request(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let key = |url: &str| webmill_capture::urlkey::url_key(url);
    let posted = parse_posted(&text, key);
    assert!(posted.entries.len() as u64 + posted.bad_lines <= text.lines().count() as u64);
    let captures = posted.entries.len() as u64;
    let index = MemoryIndex::new(posted.entries);
    let (path, query) = text.split_once('?').map_or((&*text, None), |(path, query)| (path, Some(query)));
    let _ = Route::parse(path, query);
    let _ = memento::accept_datetime(&text);
    let _ = AccessRules::parse_aclj(&text);
    let _ = AccessRules::parse_json(&text, key);
    let asked = form::pairs(query.unwrap_or(path));
    for (pairs, dialect) in [
        (&asked, Dialect::Pywb),
        (&asked, Dialect::Wayback),
        (&asked, Dialect::Outback),
        (&xml_pairs(&text), Dialect::Outback),
    ] {
        let pairs = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let Ok(query) = Query::parse(pairs, dialect, key, &Limits::default()) else { continue };
        let mut writer = RowWriter::new(&query, "t");
        let end = query.run(&index, &mut |row| {
            writer.row(row);
            ControlFlow::Continue(())
        });
        let end = end.expect("an index in memory can be read");
        assert!(end.rows <= captures);
        writer.end(&end);
        let _ = query.pages(&index);
    }
}
