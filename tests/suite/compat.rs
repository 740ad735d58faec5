//! Shards and crawls that earlier programs wrote still open.

use webmill::mill::PageRow;
use webmill::table::read_rows;

use crate::support::{Work, mirror, repository};

#[test]
fn shards_and_crawls_of_earlier_programs_open() {
    let work = Work::new();
    mirror(&repository("tests/compat/first"), &work.path("old"));
    work.run(&["run", "old/shards", "old/crawl", "--out", "out", "--max-bad", "0"]);
    let pages: Vec<PageRow> = read_rows(&work.path("out/extract/latest/pages")).unwrap();
    assert_eq!(pages.len(), 4 + 85);
    // Its frontier opens: what was seen is known. Its proxy is gone, so that nothing more is fetched.
    let again = ["crawl", "http://www.lakeside.example/", "--out", "old/crawl", "--time", "1s"];
    let again = work.webmill(&again).output().unwrap();
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(said.contains("URLs wait") && !said.contains("panicked"), "{said}");
}
