//! `webmill learn cluster`: planted topics are found, by every method, whatever threads and shards; corners of input.

use std::collections::BTreeMap;
use std::fmt::Write;

use webmill::jobs::learn::cluster::tables::{TopicMeasureRow, TopicRow, TopicTreeRow, TopicWordsRow};

use crate::support::{Work, assert_same};

const TOPICS: [(&str, &str); 3] = [
    ("kitchen", "oven bread flour yeast dough butter sugar recipe bake crust knead loaf rye salt pan kettle"),
    (
        "harbour",
        "ship harbour sail anchor mast captain tide crew deck rudder voyage cargo fleet pier keel rope",
    ),
    ("garden", "tulip soil seed rose garden water bloom root leaf hedge spade compost bulb prune lawn bee"),
];
const CHINESE: &str = "图书馆 大学 学生 老师 课程 教室 考试 研究 论文 学院 校园 读书";
const COMMON: &str = "the and we saw many of them in that place for this year with all people";

fn measures(work: &Work, out: &str) -> BTreeMap<String, f64> {
    let rows: Vec<TopicMeasureRow> = work.table(out, "learn-cluster");
    rows.into_iter()
        .filter(|row| row.k.is_none() && row.language.is_none())
        .map(|row| (row.measure, row.value))
        .collect()
}

/// A text of words of a topic among common ones; no two numbers give the same.
fn text(words: &str, number: usize) -> String {
    let (words, common): (Vec<&str>, Vec<&str>) = (words.split(' ').collect(), COMMON.split(' ').collect());
    let mut text = String::new();
    for at in 0..40 {
        // Triangular numbers: ten of the sixteen words, others for each number.
        let step = (at % 10) * (at % 10 + 1) / 2;
        let (word, other) =
            (words[(number * 7 + step) % words.len()], common[(number + at * 3) % common.len()]);
        write!(text, "{other} {word} ").unwrap();
    }
    text
}

/// 20 files of each topic, in the folders of their names.
fn folder(work: &Work, name: &str) {
    for (topic, words) in TOPICS {
        let inside = work.path(name).join(topic);
        std::fs::create_dir_all(&inside).unwrap();
        for number in 0..20 {
            std::fs::write(inside.join(format!("{number:02}.txt")), text(words, number)).unwrap();
        }
    }
}

#[test]
fn every_method_finds_planted_topics() {
    let work = Work::new();
    folder(&work, "files");
    for method in [
        &["--k", "3"][..],
        &[],
        &["--set", "learn.batch_pages=0", "--k", "3"],
        &["--set", "learn.topic_method=hierarchical", "--k", "3"],
        &["--set", "learn.topic_method=stream", "--k", "3"],
        &["--set", "learn.topic_method=dbscan", "--set", "learn.eps=0.6", "--set", "learn.min_points=3"],
    ] {
        let run = |out: &str, threads: &str| {
            work.run(&[&["learn", "cluster", "files", "--out", out, "--threads", threads], method].concat());
        };
        run("one", "1");
        run("two", "2");
        assert_same(&work.committed("one"), &work.committed("two"), "threads");
        let found = measures(&work, "one");
        let expected = if method.is_empty() { 0.6 } else { 0.99 };
        assert!(found["nmi"] >= expected, "{method:?}: {found:?}");
        let words: Vec<TopicWordsRow> = work.table("one", "learn-cluster");
        let topics: Vec<TopicRow> = work.table("one", "learn-cluster");
        assert_eq!(topics.len(), 60);
        assert_eq!(words.iter().map(|topic| topic.size).sum::<u64>(), 60 - found["noise"] as u64);
        for topic in &words {
            assert!(
                !topic.words.is_empty()
                    && topic.words.len() == topic.scores.len()
                    && !topic.nearest.is_empty()
            );
            assert!(
                topic.words.iter().all(|word| !COMMON.split(' ').any(|common| common == word)),
                "{:?}",
                topic.words
            );
            let members = topics.iter().filter(|page| page.topic == Some(topic.topic)).count();
            assert_eq!(members as u64, topic.size);
        }
        let tree: Vec<TopicTreeRow> = work.table("one", "learn-cluster");
        assert_eq!(tree.iter().filter(|merge| merge.of == "topics").count(), words.len() - 1);
    }
}

#[test]
fn batches_on_disk_give_what_memory_gives() {
    let work = Work::new();
    folder(&work, "files");
    for number in 0..20 {
        let words: Vec<&str> = CHINESE.split(' ').collect();
        let text: Vec<&str> = (0..60).map(|at| words[(number * 5 + at * at) % words.len()]).collect();
        std::fs::create_dir_all(work.path("files/school")).unwrap();
        std::fs::write(work.path(&format!("files/school/{number:02}.txt")), text.join("，")).unwrap();
    }
    std::fs::write(work.path("files/school/none.txt"), "123 456").unwrap();
    let run = |out: &str, more: &[&str]| {
        let ran = work.run(&[&["learn", "cluster", "files", "--out", out, "--k", "4"], more].concat());
        String::from_utf8(ran.stderr).unwrap()
    };
    run("held", &[]);
    let said = run("batches", &["--set", "learn.batch_pages=10"]);
    assert!(said.contains("81 pages are more than [learn] batch_pages = 10"), "{said}");
    assert!(said.contains("left out: 1 no-shared-words"), "{said}");
    let (held, batches): (Vec<TopicRow>, Vec<TopicRow>) =
        (work.table("held", "learn-cluster"), work.table("batches", "learn-cluster"));
    assert_eq!(held, batches);
    let (held, batches): (Vec<TopicWordsRow>, Vec<TopicWordsRow>) =
        (work.table("held", "learn-cluster"), work.table("batches", "learn-cluster"));
    assert_eq!(held, batches);
    let said = work.fails(
        &[
            "learn",
            "cluster",
            "files",
            "--out",
            "no",
            "--set",
            "learn.topic_method=dbscan",
            "--set",
            "learn.batch_pages=9",
        ],
        2,
    );
    assert!(said.contains("only k-means goes over pages in batches"), "{said}");
}

#[test]
fn texts_of_extract_in_two_languages() {
    let work = Work::new();
    let page = |url: String, text: &str| {
        (
            url,
            format!(
                "<html><head><title>A page</title></head><body><article><p>{text}</p></article></body></html>"
            ),
        )
    };
    let chinese = |number: usize| -> String {
        let words: Vec<&str> = CHINESE.split(' ').collect();
        (0..60).map(|at| words[(number * 5 + at * at) % words.len()]).collect::<Vec<_>>().join("，")
    };
    let mut pages: Vec<(String, String)> = (0..12)
        .flat_map(|number| {
            let ship = page(format!("http://a.example/ship/{number}"), &text(TOPICS[1].1, number));
            let bread = page(format!("http://b.example/bread/{number}"), &text(TOPICS[0].1, number));
            [ship, bread, page(format!("http://c.example/{number}"), &chinese(number))]
        })
        .collect();
    pages.push(page("http://a.example/empty".into(), ""));
    work.write_pages("shards", &pages);
    work.run(&["extract", "shards", "--out", "out"]);
    let said = work.run(&["learn", "cluster", "out", "--k", "3", "--set", "learn.by_language=false"]).stderr;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("several languages (eng, zho)") && said.contains("by_language"), "{said}");
    let words: Vec<TopicWordsRow> = work.table("out", "learn-cluster");
    assert!(words.iter().all(|topic| topic.language_share == 1.0), "{words:?}");
    std::fs::write(
        work.path("labels.csv"),
        "url,label\nhttp://a.example/ship/1,ship\nhttp://b.example/bread/1,bread\nhttp://nowhere.example/,x\n",
    )
    .unwrap();
    let arguments = ["learn", "cluster", "out", "--k", "3", "--labels", "labels.csv"];
    let said = String::from_utf8_lossy(&work.run(&arguments).stderr).into_owned();
    assert!(said.contains("left out: 1 label-of-no-page"), "{said}");
    let words: Vec<TopicWordsRow> = work.table("out", "learn-cluster");
    let languages: Vec<Option<&str>> = words.iter().map(|topic| topic.language.as_deref()).collect();
    assert_eq!(languages.iter().filter(|language| **language == Some("eng")).count(), 2, "{languages:?}");
    let found = measures(&work, "out");
    assert_eq!((found["labelled"], found["unlabelled"], found["nmi"]), (2.0, 34.0, 1.0));
    let topics: Vec<TopicRow> = work.table("out", "learn-cluster");
    assert_eq!(topics.iter().filter(|page| page.label.is_some()).count(), 2);
    assert!(
        topics.windows(2).all(|pair| pair[0].url < pair[1].url)
            && topics.iter().all(|page| page.url_key.0 != 0)
    );
    // By SimHash equal texts are one cluster, whatever else there is.
    work.run(&[
        "learn",
        "cluster",
        "out",
        "--set",
        "learn.topic_method=dbscan",
        "--set",
        "learn.near=simhash",
        "--set",
        "learn.min_points=2",
    ]);
    assert_eq!(work.table::<TopicRow>("out", "learn-cluster").len(), 36);
}

#[test]
fn mails_and_labels_of_files() {
    let work = Work::new();
    std::fs::create_dir_all(work.path("posts/bread")).unwrap();
    std::fs::create_dir_all(work.path("posts/ship")).unwrap();
    for number in 0..8 {
        for (topic, label) in [(0, "bread"), (1, "ship")] {
            let own = text(TOPICS[topic].1, number);
            let quoted = text(TOPICS[1 - topic].1, number).replace(". ", ".\n> ");
            let mail = format!("Subject: zeppelin {number}\n\n> {quoted}\n{own}\n");
            std::fs::write(work.path(&format!("posts/{label}/{number}")), mail).unwrap();
        }
    }
    // A file without text has a label of a page, though the page has no topic.
    std::fs::write(work.path("posts/ship/empty"), "Subject: none\n\n").unwrap();
    let run = |more: &[&str]| {
        let arguments = [&["learn", "cluster", "posts", "--mail", "--k", "2", "--out", "out"], more].concat();
        String::from_utf8_lossy(&work.run(&arguments).stderr).into_owned()
    };
    let said = run(&[]);
    assert!(said.contains("left out: 1 no-text") && !said.contains("label-of-no-page"), "{said}");
    assert_eq!((measures(&work, "out")["labelled"], measures(&work, "out")["nmi"]), (16.0, 1.0));
    let words: Vec<TopicWordsRow> = work.table("out", "learn-cluster");
    assert!(
        words.iter().all(|topic| !topic.words.iter().any(|word| word == "zeppelin")),
        "heads are left out"
    );
    std::fs::write(work.path("labels.csv"), "url,label\nship/empty,a\nship/1,a\nbread/2,b\nship/none,c\n")
        .unwrap();
    let said = run(&["--labels", "labels.csv"]);
    assert!(said.contains("left out: 1 label-of-no-page"), "{said}");
    assert_eq!(measures(&work, "out")["labelled"], 2.0);
    // Lines of a table are pages too, in their order.
    let line = |number: usize| format!("{}\t{}\n", text(TOPICS[number % 2].1, number), TOPICS[number % 2].0);
    std::fs::write(work.path("lines.txt"), (0..20).map(line).collect::<String>()).unwrap();
    work.run(&["learn", "cluster", "lines.txt", "--k", "2", "--out", "lines"]);
    assert_eq!((measures(&work, "lines")["labelled"], measures(&work, "lines")["nmi"]), (20.0, 1.0));
    let lines: Vec<String> =
        work.table::<TopicRow>("lines", "learn-cluster").into_iter().map(|row| row.url).collect();
    assert_eq!(lines, (1..=20).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[test]
fn corners_of_input() {
    let work = Work::new();
    let cluster = |folder: &str, more: &[&str]| {
        work.webmill(&[&["learn", "cluster", folder, "--out", "out"], more].concat()).output().unwrap()
    };
    std::fs::create_dir_all(work.path("none")).unwrap();
    assert!(
        work.fails(&["learn", "cluster", "none", "--out", "out"], 2).contains("the folder holds no files")
    );
    // Nothing but empty files: tables without rows, and it says so.
    std::fs::write(work.path("none/a.txt"), " \n").unwrap();
    let said = work.fails(&["learn", "cluster", "none", "--out", "out"], 1);
    assert!(said.contains("left out: 1 no-text") && said.contains("no topics"), "{said}");
    assert!(work.table::<TopicRow>("out", "learn-cluster").is_empty());
    // One page; k beyond the pages; all pages equal.
    std::fs::create_dir_all(work.path("one/x")).unwrap();
    std::fs::write(work.path("one/x/a.txt"), text(TOPICS[0].1, 1)).unwrap();
    for more in [
        &[][..],
        &["--k", "9"],
        &["--set", "learn.topic_method=hierarchical"],
        &["--set", "learn.topic_method=dbscan"],
        &["--set", "learn.topic_method=stream"],
    ] {
        assert!(cluster("one", more).status.success(), "{more:?}");
        assert_eq!(work.table::<TopicRow>("out", "learn-cluster").len(), 1);
    }
    for number in 0..30 {
        std::fs::write(work.path(&format!("one/x/{number}.txt")), text(TOPICS[0].1, 1)).unwrap();
    }
    for more in [
        &["--k", "4"][..],
        &["--set", "learn.topic_method=hierarchical", "--k", "1"],
        &["--set", "learn.topic_method=dbscan"],
        &["--set", "learn.topic_method=stream", "--k", "4"],
    ] {
        assert!(cluster("one", more).status.success(), "{more:?}");
        let topics: Vec<TopicRow> = work.table("out", "learn-cluster");
        assert!(topics.len() == 31 && topics.iter().all(|page| page.topic == Some(0)), "{more:?}");
    }
    // Settings and labels that cannot work.
    assert!(
        work.fails(&["learn", "cluster", "one", "--out", "out", "--set", "learn.eps=1.5"], 2)
            .contains("below 1")
    );
    std::fs::write(work.path("bad.csv"), "only one column\n").unwrap();
    let said = work.fails(&["learn", "cluster", "one", "--out", "out", "--labels", "bad.csv"], 2);
    assert!(said.contains("bad.csv") && said.contains("url,label"), "{said}");
    assert!(work.fails(&["learn", "cluster", "elsewhere"], 2).contains("webmill extract"));
}

#[test]
fn a_recipe_brings_topics_into_the_run_and_the_report() {
    let work = Work::new();
    let page = |topic: usize, number: usize| {
        let text = text(TOPICS[topic].1, number);
        let html = format!(
            "<html><head><title>A page</title></head><body><article><p>{text}</p></article></body></html>"
        );
        (format!("http://{}.example/{number}", TOPICS[topic].0), html)
    };
    work.write_pages("shards", &(0..20).map(|number| page(number % 2, number)).collect::<Vec<_>>());
    std::fs::write(work.path("topics.toml"), "[learn]\njobs = [\"cluster\"]\nk = 2\n").unwrap();
    const NOTE: &str = "Pages brought together by their words";
    let report =
        |out: &str| std::fs::read_to_string(work.path(out).join("report/latest/report.html")).unwrap();
    work.run(&["run", "shards", "--out", "without"]);
    assert!(!work.path("without/learn-cluster").exists() && !report("without").contains(NOTE));
    work.run(&["run", "shards", "--out", "with", "--recipe", "topics.toml"]);
    let words: Vec<TopicWordsRow> = work.table("with", "learn-cluster");
    assert_eq!(words.iter().map(|topic| topic.size).collect::<Vec<_>>(), [10, 10]);
    let html = report("with");
    assert!(
        html.contains(NOTE)
            && words.iter().all(|topic| html.contains(&topic.nearest[0]) && html.contains(&topic.name))
    );
    // Topics that were made later are in the report that is made after them.
    work.run(&["learn", "cluster", "without", "--k", "2"]);
    work.run(&["report", "without"]);
    assert!(report("without").contains(NOTE));
}
