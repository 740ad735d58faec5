use super::*;
use webmill_crawl::priority::{Coefficients, Priority, PriorityOptions, log_scale};
use webmill_run::{Cancel, Inputs, JobInput, Runtime, Silent, Stage};
use webmill_table::{Bytes16, Table};

use webmill_jobs::output::write_rows;
use webmill_jobs::rejects::RejectTable;

/// Nothing is read.
pub struct NoReports;

impl JobInput for NoReports {
    fn inputs(&self) -> Inputs {
        Inputs::default()
    }
}

#[derive(serde::Serialize)]
struct FakeRank;

impl Job for FakeRank {
    type Input = NoReports;
    const NAME: &'static str = RankJob::NAME;
    const VERSION: u32 = RankJob::VERSION;

    fn run(&self, _: &NoReports, stage: &Stage<'_>) -> webmill_capture::Result<()> {
        stage.unit("ranks", |unit| {
            let row = |url: &str, indegree, pagerank| RankRow {
                url: url.into(),
                indegree,
                pagerank,
                ..RankRow::default()
            };
            let rows = [row("http://hub.example/", 9, 0.75), row("http://leaf.example/", 0, 0.25)];
            write_rows(unit, part_file(RankRow::NAME, Level::Page), rows).map(drop)
        })
    }
}

/// Pages of a cluster, with the numbers of copies on other domains.
#[derive(serde::Serialize)]
struct FakeDedup;

impl Job for FakeDedup {
    type Input = NoReports;
    const NAME: &'static str = Dedup::NAME;
    const VERSION: u32 = Dedup::VERSION;

    fn run(&self, _: &NoReports, stage: &Stage<'_>) -> webmill_capture::Result<()> {
        let row = |url: &str, mirror_degree| ClusterRow {
            url_key: Bytes16(key(url).0),
            mirror_degree,
            size: 50,
            ..ClusterRow::default()
        };
        let rows =
            [row("http://a.example/x", 3), row("http://hub.example/", 1), row("http://b.example/x", 0)];
        stage.unit("clusters", |unit| {
            write_rows(unit, webmill_jobs::output::first_part::<ClusterRow>(), rows).map(drop)
        })
    }
}

fn key(url: &str) -> UrlKey {
    CanonicalUrl::parse(url).unwrap().key()
}

fn commit<J: Job<Input = NoReports>>(out: &Path, job: &J) {
    let runtime = Runtime {
        out: out.to_path_buf(),
        threads: 1,
        memory: 64 << 20,
        max_bad: 0.0,
        progress: &Silent,
        cancel: &Cancel::default(),
        rejects: &RejectTable,
    };
    runtime.run(job, &NoReports).unwrap();
}

fn priority(earlier: Earlier, url: &str, parent: Option<&str>) -> f64 {
    let coefficients = [1.0, 0.01, 0.0, -0.05, 2.0, 8.0, 4.0].into();
    let options = PriorityOptions { coefficients, ..Default::default() };
    let parent = parent.map(|url| CanonicalUrl::parse(url).unwrap());
    let formula = Priority::new(&options, Some(earlier)).unwrap();
    formula.of(&CanonicalUrl::parse(url).unwrap(), parent.as_ref().map(|url| (url, 0.0)))
}

#[test]
fn priorities_follow_mirrors_on_other_domains_and_links_of_the_parent() {
    let folder = tempfile::tempdir().unwrap();
    commit(folder.path(), &FakeRank);
    commit(folder.path(), &FakeDedup);
    let depth = Coefficients::default().depth;
    for (url, parent, expected) in [
        ("http://a.example/x", None, depth + 8.0 * log_scale(3.0)),
        (
            "http://a.example/x",
            Some("http://hub.example/"),
            depth + 2.0 * log_scale(9.0) + 8.0 * log_scale(3.0),
        ),
        // Half as much again as the mean of two pages; of a page without links nothing is remembered.
        ("http://hub.example/", None, 8.0 * log_scale(1.0) + 4.0 * log_scale(1.5)),
        ("http://leaf.example/", None, 0.0),
        // 49 copies on its own domain do not count, and a page of no cluster has none.
        ("http://b.example/x", None, depth),
        ("http://c.example/x", Some("http://b.example/x"), depth),
    ] {
        let (earlier, notes) = read(folder.path()).unwrap();
        assert_eq!(notes, [] as [String; 0]);
        let found = priority(earlier, url, parent);
        assert!((found - expected).abs() < 1e-12, "{url}: {found} for {expected}");
    }
}

#[test]
fn what_earlier_results_lack_is_said_and_counts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let Err(error) = read(out) else { panic!("there are no results") };
    let error = error.to_string();
    assert!(error.contains("webmill rank") && error.contains("webmill dedup"), "{error}");

    commit(out, &FakeRank);
    let (earlier, notes) = read(out).unwrap();
    assert!(matches!(notes.as_slice(), [note] if note.contains("none of dedup")), "{notes:?}");
    assert!(!earlier.pages.contains_key(&key("http://a.example/x")));
    assert_eq!(earlier.pages[&key("http://hub.example/")].links, 9);
}
