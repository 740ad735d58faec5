//! A process that dies at any step of the commit protocol leaves what resumes to the same bytes.

use webmill::run::CRASH_POINTS;

use crate::support::{Work, assert_same};

#[test]
fn death_at_every_commit_step_resumes_to_equal_bytes() {
    let work = Work::new();
    work.synth("shards", 300, 150_000);
    // One damaged record, so that rejects are written too.
    let mut bytes = std::fs::read(work.path("shards/synth-00000.rawdb")).unwrap();
    bytes.splice(2000..2100, *b"damage");
    std::fs::write(work.path("shards/synth-00000.rawdb"), bytes).unwrap();
    work.run(&["extract", "shards", "--max-bad", "0.5", "--out", "whole"]);
    let expected = work.committed("whole");
    assert!(expected.keys().any(|k| k.ends_with("rejects.parquet")), "{:?}", expected.keys());
    for point in CRASH_POINTS {
        let out = format!("out-{point}");
        let arguments = ["extract", "shards", "--max-bad", "0.5", "--out", &out];
        let died = work.webmill(&arguments).env("WEBMILL_CRASH_AT", point).output().unwrap();
        assert!(!died.status.success(), "{point}: the process should have died");
        let committed = work.committed(&out).keys().any(|k| k.ends_with("manifest.json"));
        let after_rename = matches!(*point, "folder-renamed" | "latest-moved");
        assert_eq!(committed, after_rename, "{point}: a manifest at a final name");
        work.run(&arguments);
        assert_same(&expected, &work.committed(&out), point);
        assert_eq!(work.unfinished(&out), Vec::<String>::new(), "{point}");
        assert!(work.path(&out).join("extract/latest/manifest.json").exists(), "{point}: latest");
    }
}

#[test]
fn finished_units_are_not_done_again_unless_their_files_changed() {
    let work = Work::new();
    work.synth("shards", 300, 100_000);
    std::fs::write(work.path("mill.toml"), "[extract]\nfile_rows = 20\n").unwrap();
    let arguments = ["extract", "shards", "--out", "out", "--threads", "1", "--recipe", "mill.toml"];
    let died = work.webmill(&arguments).env("WEBMILL_CRASH_AT", "rejects-written").output().unwrap();
    assert!(!died.status.success());
    let job = work.path("out/extract");
    let staging = std::fs::read_dir(job.join(".keys"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .find(|p| p.to_string_lossy().ends_with(".partial"))
        .unwrap();
    let pages = |n: usize| staging.join(format!("pages/part-{n:06}.parquet"));
    let stamp = |n: usize| std::fs::metadata(pages(n)).unwrap().modified().unwrap();
    let (kept, changed) = (stamp(0), stamp(1));
    let mut bytes = std::fs::read(pages(1)).unwrap();
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    std::fs::write(pages(1), bytes).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    work.run(&arguments);
    let latest = job.join("latest");
    let stamp = |n: usize| {
        std::fs::metadata(latest.join(format!("pages/part-{n:06}.parquet"))).unwrap().modified().unwrap()
    };
    assert_eq!(stamp(0), kept, "a unit with a receipt was done again");
    assert!(stamp(1) > changed, "a unit whose file changed was trusted");
    work.run(&["extract", "shards", "--out", "fresh", "--recipe", "mill.toml"]);
    assert_same(&work.committed("fresh"), &work.committed("out"), "resumed");
}

#[test]
fn the_order_of_arguments_changes_nothing_even_on_resume() {
    let work = Work::new();
    work.synth("shards", 200, 150_000);
    let shards: Vec<String> = (0..3).map(|n| format!("shards/synth-0000{n}.rawdb")).collect();
    let run = |order: [usize; 3], out: &str, crash: Option<&str>| {
        let mut arguments = vec!["extract"];
        arguments.extend(order.iter().map(|i| shards[*i].as_str()));
        arguments.extend(["--out", out, "--threads", "1"]);
        let mut command = work.webmill(&arguments);
        if let Some(point) = crash {
            command.env("WEBMILL_CRASH_AT", point);
        }
        command.output().unwrap()
    };
    assert!(run([0, 1, 2], "one", None).status.success());
    assert!(!run([0, 1, 2], "two", Some("receipt-renamed")).status.success());
    assert!(run([2, 0, 1], "two", None).status.success());
    assert_same(&work.committed("one"), &work.committed("two"), "other order");
}

#[test]
fn two_processes_do_not_run_one_job() {
    let work = Work::new();
    work.synth("shards", 50, u64::MAX);
    work.run(&["extract", "shards", "--out", "out"]);
    let job = work.path("out/extract");
    let key = std::fs::read_link(job.join("latest")).unwrap();
    std::fs::remove_dir_all(job.join(&key)).unwrap();
    let key = key.file_name().unwrap().to_string_lossy();
    let lock = std::fs::File::create(job.join(format!(".keys/.{key}.lock"))).unwrap();
    lock.lock().unwrap();
    let message = work.fails(&["extract", "shards", "--out", "out"], 2);
    assert!(message.contains("another process"), "{message}");
}
