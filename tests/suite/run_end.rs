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
    said(&work, &["report", "english"], &[("LC_ALL", "zh_CN.UTF-8")]);
    assert!(html("english").contains("<html lang=zh-Hans>"));
}
