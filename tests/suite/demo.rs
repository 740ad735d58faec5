//! The demonstration: from nothing to a report, every known answer found.

use crate::support::Work;

#[test]
fn the_demo_finds_every_known_answer() {
    let work = Work::new();
    let output = work.run(&["demo", "--out", "demo"]);
    let ended = String::from_utf8(output.stdout).unwrap();
    assert!(ended.contains("\nfirst       http://www.lakeside.example/ (PageRank "), "{ended}");
    let html = std::fs::read_to_string(work.path("demo/results/report.html")).unwrap();
    assert!(html.contains(">Ranking</h2>") && html.contains("The shape of this Web"));
    let again = work.run(&["demo", "--out", "demo"]);
    assert!(
        String::from_utf8_lossy(&again.stderr).contains("was done"),
        "a second run finds everything done"
    );
}
