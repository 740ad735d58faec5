//! What `webmill run` says: a line for each job, five lines at the end, in the language that was asked for or in that of the locale.

use crate::support::Work;

/// Standard output and standard error of the program with these arguments and variables.
fn said(work: &Work, arguments: &[&str], variables: &[(&str, &str)]) -> [String; 2] {
    let mut command = work.webmill(arguments);
    command.env_remove("LC_MESSAGES").envs(variables.iter().copied());
    let output = command.output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{error}");
    [out, error]
}

#[test]
fn a_run_says_a_line_for_each_job_and_ends_with_five() {
    let work = Work::new();
    work.synth("shards", 300, u64::MAX);
    let run = ["run", "shards", "--out", "out", "--threads", "2"];
    let [ended, log] = said(&work, &run, &[]);
    let first: Vec<&str> = ended.lines().filter_map(|line| line.split("  ").next()).collect();
    assert_eq!(first, ["pages", "languages", "duplicates", "first", "open"], "{ended}");
    assert!(ended.contains("webmill serve out ") && ended.contains("out/report.html"), "{ended}");
    assert!(work.path("out/report.html").exists());
    let jobs: Vec<&str> = log.lines().filter(|line| line.ends_with(" s")).map(str::trim).collect();
    for job in ["extract", "graph", "rank", "shape", "dedup", "keywords", "report"] {
        assert_eq!(jobs.iter().filter(|line| line.starts_with(&format!("{job} "))).count(), 1, "{log}");
    }
    assert!(
        [".keys", "HITS", "PageRank", "/s)", "\r", "\u{1b}"].iter().all(|part| !log.contains(part)),
        "{log}"
    );
    let [again, log] = said(&work, &run, &[]);
    assert!(again == ended && log.contains("extract  was done before"), "{log}");

    // A single job says where its results are, by a name that stays the same.
    assert_eq!(said(&work, &["graph", "out"], &[])[0], "out/graph/latest\n");
    assert!(work.path("out/graph/latest/manifest.json").exists());

    let [_, log] = said(&work, &["run", "shards", "--out", "told", "-v"], &[]);
    assert!([".keys/", "HITS", "/s)", " written"].iter().all(|part| log.contains(part)), "{log}");
}

#[test]
fn the_language_is_the_one_asked_for_else_that_of_the_locale() {
    let work = Work::new();
    work.synth("shards", 100, u64::MAX);
    let html = |out: &str| std::fs::read_to_string(work.path(out).join("report.html")).unwrap();
    for (out, flags, locale, is_chinese) in [
        ("locale", &[][..], "zh_CN.UTF-8", true),
        ("asked", &["--lang", "zh"], "C", true),
        ("english", &["--lang", "en"], "zh_CN.UTF-8", false),
        ("recipe", &["--set", "report.lang=en"], "zh_CN.UTF-8", false),
    ] {
        let [ended, _] =
            said(&work, &[&["run", "shards", "--out", out], flags].concat(), &[("LC_ALL", locale)]);
        assert!(
            html(out).contains(if is_chinese { "<html lang=zh-Hans>" } else { "<html lang=en>" }),
            "{out}"
        );
        // A recipe is about the report alone.
        let lines_are_chinese = is_chinese || out == "recipe";
        assert_eq!(ended.lines().count(), 5, "{ended}");
        assert_eq!(ended.starts_with("网页  "), lines_are_chinese, "{out}: {ended}");
    }
    // Each level of ranks is a table under a line of its own; other forms have one table, with the level as a column.
    for (locale, heads) in [
        ("C", ["pages by PageRank (", "hosts by PageRank (", "domains by PageRank ("]),
        ("zh_CN.UTF-8", ["网页，按 PageRank", "主机，按 PageRank", "域名，按 PageRank"]),
    ] {
        let [ranks, _] = said(&work, &["rank", "english", "--top", "2"], &[("LC_ALL", locale)]);
        let tables: Vec<&str> = ranks.split("\n\n").collect();
        assert_eq!(tables.len(), 3, "{ranks}");
        for (table, head) in tables.iter().zip(heads) {
            let lines: Vec<&str> = table.lines().collect();
            assert!(lines[0].starts_with(head) && lines[0].contains("--level "), "{ranks}");
            assert!(lines.len() == 4 && lines[1].starts_with("pagerank "), "{ranks}");
        }
        let [rows, _] =
            said(&work, &["rank", "english", "--top", "2", "--format", "tsv"], &[("LC_ALL", locale)]);
        let levels: Vec<&str> = rows.lines().filter_map(|line| line.split('\t').next()).collect();
        assert_eq!(levels, ["page", "page", "host", "host", "domain", "domain"]);
    }
    said(&work, &["report", "english"], &[("LC_ALL", "zh_CN.UTF-8")]);
    assert!(html("english").contains("<html lang=zh-Hans>"));
}
