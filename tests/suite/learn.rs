//! `webmill learn`: classes from results, folders and lines; bad input; the evaluation sets.

use std::path::Path;
use webmill_capture::cut::Cut;

use webmill::table::{ColumnSchema, ColumnType, DynamicWriter, Footer, TableSchema, Value};

use crate::support::{Work, assert_same};

const TEA: [&str; 6] = ["leaves", "pot", "steeped", "green", "oolong", "kettle"];
const BIKES: [&str; 6] = ["chain", "brakes", "saddle", "wheel", "pedal", "tyre"];

/// A text of a topic: which words, follows from its number.
fn text(words: &[&str; 6], number: usize) -> String {
    let pick = |at: usize| words[(number * 5 + at * 7) % 6];
    format!(
        "Some notes on the {} and the {} that we had on a day in spring, with a {} besides, and a word on every {} here.",
        pick(0),
        pick(1),
        pick(2),
        pick(3)
    )
}

fn folder(work: &Work, name: &str, from: usize, pages: usize) {
    for (class, words) in [("tea", &TEA), ("bikes", &BIKES)] {
        std::fs::create_dir_all(work.path(&format!("{name}/{class}"))).unwrap();
        for number in from..from + pages {
            std::fs::write(work.path(&format!("{name}/{class}/{number}.txt")), text(words, number)).unwrap();
        }
    }
}

fn measure(work: &Work, out: &str, scope: &str, measure: &str) -> f64 {
    let table = work.words(out, "learn-train", "evaluation");
    let at = |name: &str| table.columns.iter().position(|column| column == name).unwrap();
    let row = table
        .rows
        .iter()
        .find(|row| row[at("scope")] == scope && row[at("measure")] == measure && row[at("class")] == "null")
        .unwrap();
    row[at("value")].parse().unwrap()
}

#[test]
fn folders_are_learnt_and_told() {
    let work = Work::new();
    folder(&work, "train", 0, 20);
    folder(&work, "test", 100, 10);
    for method in ["auto", "naive-bayes", "complement-bayes", "svm", "logistic", "neighbours", "adaboost"] {
        let out = format!("out-{method}");
        work.run(&["learn", "train", "train", "--test", "test", "--method", method, "--out", &out]);
        assert_eq!(measure(&work, &out, "test", "accuracy"), 1.0, "{method}");
        work.run(&["learn", "apply", "test", &out, "--out", &out]);
        let told = work.words(&out, "learn-apply", "classes");
        assert_eq!(told.rows.len(), 20);
        for (file, label) in told.column("file").zip(told.column("label")) {
            assert_eq!(file.split('/').next(), Some(label), "{method}");
        }
        assert!(told.column("words").all(|words| words.len() > 2), "{method} says why");
    }
    work.run(&["learn", "train", "train", "--out", "folds"]);
    assert_eq!(measure(&work, "folds", "folds", "macro-f1"), 1.0);
    assert_eq!(measure(&work, "folds", "fold 1", "accuracy"), 1.0);
    let trials = work.words("folds", "learn-train", "trials");
    assert_eq!(trials.column("is_chosen").filter(|chosen| *chosen == "true").count(), 1);
}

#[test]
fn threads_change_no_byte() {
    let work = Work::new();
    folder(&work, "train", 0, 30);
    for threads in ["1", "3"] {
        let out = format!("out{threads}");
        work.run(&["learn", "train", "train", "--threads", threads, "--out", &out]);
        work.run(&["learn", "apply", "train", &out, "--threads", threads, "--out", &out]);
    }
    assert_same(&work.committed("out1"), &work.committed("out3"), "threads");
}

fn site(work: &Work) {
    let mut pages = Vec::new();
    for number in 0..12 {
        for (class, words) in [("tea", &TEA), ("bikes", &BIKES)] {
            let url = format!("http://{class}{}.example/{number}.html", number % 4);
            let text = text(words, number);
            let link = format!("<a href=\"/{}.html\">more of {class}</a>", (number + 4) % 12);
            pages.push((
                url,
                format!("<title>Page {number}</title><article><p>{text}</p><p>{text}</p></article>{link}"),
            ));
        }
    }
    work.write_pages("shards", &pages);
    work.run(&["extract", "shards", "--out", "results"]);
}

#[test]
fn results_are_learnt_by_a_file_of_labels() {
    let work = Work::new();
    site(&work);
    let mut labels = String::from("\u{feff}url,label\n");
    for number in 0..8 {
        labels += &format!(
            "http://tea{0}.example/{number}.html,茶\nhttp://bikes{0}.example/{number}.html,bikes\n",
            number % 4
        );
    }
    std::fs::write(work.path("labels.csv"), labels).unwrap();
    work.run(&["learn", "train", "results", "--labels", "labels.csv"]);
    work.run(&["learn", "apply", "results"]);
    let told = work.words("results", "learn-apply", "classes");
    assert_eq!(told.rows.len(), 24);
    for (host, label) in told.column("host").zip(told.column("label")) {
        assert_eq!(if host.starts_with("tea") { "茶" } else { "bikes" }, label);
    }
    let output =
        work.run(&["learn", "features", "results", "--labels", "labels.csv", "--set", "learn.features=4"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("left out: 8 page-without-label"));
    let features = work.words("results", "learn-features", "features");
    assert_eq!(features.column("is_chosen").filter(|chosen| *chosen == "true").count(), 4);
    // Most labels name no page: done, and said.
    let mut labels = std::fs::read_to_string(work.path("labels.csv")).unwrap();
    (0..40).for_each(|number| labels += &format!("http://nowhere.example/{number},x\n"));
    std::fs::write(work.path("more.csv"), labels).unwrap();
    let told = work.fails(&["learn", "train", "results", "--labels", "more.csv", "--method", "svm"], 1);
    assert!(told.contains("40 of 56 labelled URLs are those of no page"), "{told}");
}

#[test]
fn lines_may_have_several_labels_by_url() {
    let work = Work::new();
    site(&work);
    let mut labels = String::new();
    for number in 0..12 {
        for class in ["tea", "bikes"] {
            labels += &format!("http://{class}{}.example/{number}.html\t{class}\n", number % 4);
            labels += &format!("http://{class}{}.example/{number}.html\tpage\n", number % 4);
        }
    }
    std::fs::write(work.path("labels.tsv"), labels).unwrap();
    let told = work.fails(&["learn", "train", "results", "--labels", "labels.tsv", "--method", "svm"], 2);
    assert!(told.contains("0 classes of 2 pages"), "{told}");
    work.run(&["learn", "train", "results", "--labels", "labels.tsv", "--set", "learn.multi=true"]);
    assert!(measure(&work, "results", "folds", "micro-f1") > 0.95);
    work.run(&["learn", "apply", "results"]);
    let table = work.words("results", "learn-apply", "classes");
    assert!(table.column("labels").filter(|labels| labels.contains("page")).count() > 20);
}

#[test]
fn tables_of_texts_come_in_many_forms() {
    let work = Work::new();
    let rows: Vec<(String, u32)> =
        (0..24).map(|n| if n % 2 == 0 { (text(&TEA, n), 1) } else { (text(&BIKES, n), 2) }).collect();
    let semicolons: String = rows.iter().map(|(text, label)| format!("{text};{label}\r\n")).collect();
    let objects: Vec<String> = rows
        .iter()
        .map(|(text, label)| serde_json::json!({"text": text, "label": label}).to_string())
        .collect();
    std::fs::write(work.path("excel.csv"), format!("text;label\r\n{semicolons}")).unwrap();
    std::fs::write(work.path("array.json"), format!("[{}]", objects.join(",\n"))).unwrap();
    let columns = vec![
        ColumnSchema::new("text", ColumnType::String, "", ""),
        ColumnSchema::new("label", ColumnType::Int64, "", "").nullable(),
    ];
    let schema = TableSchema { name: "labelled".into(), columns, ..TableSchema::default() };
    let footer = Footer { job_key: String::new() };
    let mut writer = DynamicWriter::create(&work.path("texts.parquet"), &schema, &footer).unwrap();
    for (text, label) in &rows {
        writer.push(vec![Value::Text(text.clone()), Value::Int((*label).into())]).unwrap();
    }
    writer.push(vec![Value::Text("tea".into()), Value::Null]).unwrap();
    writer.finish().unwrap();
    for (file, left_out) in [("excel.csv", 0), ("array.json", 0), ("texts.parquet", 1)] {
        let output =
            work.run(&["learn", "train", file, "--method", "svm", "--out", file.split('.').next().unwrap()]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(told.contains("1 page-without-label"), left_out == 1, "{file}: {told}");
        assert!(measure(&work, file.split('.').next().unwrap(), "folds", "accuracy") > 0.9, "{file}");
    }
    std::fs::write(work.path("open.csv"), "text,label\nhot water,1\n\"green leaves,1\nchain,2\n").unwrap();
    let told = work.fails(&["learn", "train", "open.csv", "--out", "none"], 2);
    assert!(told.contains("open.csv: line 3: a quotation mark"), "{told}");
    std::fs::write(work.path("bare.csv"), "hot water;1\nchain;2\n").unwrap();
    let told = work.fails(&["learn", "train", "bare.csv", "--out", "none"], 2);
    assert!(told.contains("bare.csv: none of its 2 lines has a label"), "{told}");
}

#[test]
fn bad_input_is_named() {
    let work = Work::new();
    folder(&work, "one", 0, 3);
    std::fs::remove_dir_all(work.path("one/tea")).unwrap();
    let told = work.fails(&["learn", "train", "one", "--out", "out"], 2);
    assert!(told.contains("at least 2 are needed"), "{told}");
    assert!(work.fails(&["learn", "train", "nothing", "--out", "out"], 2).contains("nothing"));
    std::fs::create_dir(work.path("empty")).unwrap();
    assert!(work.fails(&["learn", "train", "empty", "--out", "out"], 2).contains("holds no files"));
    assert!(
        work.fails(&["learn", "apply", "one", "empty", "--out", "out"], 2).contains("webmill learn train")
    );

    folder(&work, "train", 0, 10);
    // An empty page and one whose words no other has, a page of a million words, a binary file, a class of one page, a class whose name is in its pages.
    std::fs::write(work.path("train/tea/empty.txt"), "").unwrap();
    std::fs::write(work.path("train/tea/long.txt"), "leaves pot ".repeat(500_000)).unwrap();
    std::fs::write(work.path("train/tea/picture.png"), b"\x89PNG\r\n\x1a\nxxxx").unwrap();
    std::fs::create_dir(work.path("train/lonely")).unwrap();
    std::fs::write(work.path("train/lonely/1.txt"), "tea or bikes").unwrap();
    let output = work.run(&["learn", "train", "train", "--method", "svm", "--out", "out"]);
    let told = String::from_utf8_lossy(&output.stderr);
    for expected in ["2 page-without-words", "1 binary-file", "1 class-of-one-page"] {
        assert!(told.contains(&format!("left out: {expected}")), "{expected}: {told}");
    }

    let model = work.path("out/learn-train/latest/model/model.webmill");
    let bytes = std::fs::read(&model).unwrap();
    let apply = |name: &str, bytes: &[u8]| {
        std::fs::write(work.path(name), bytes).unwrap();
        work.fails(&["learn", "apply", "train", name, "--out", "told"], 2)
    };
    let mut other = bytes.clone();
    other[14] = 99;
    assert!(apply("other.webmill", &other).contains("a model of version 99"));
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(apply("damaged.webmill", &damaged).contains("checksum"));
    assert!(apply("cut.webmill", &bytes[..bytes.len() / 2]).contains("checksum"));
    assert!(apply("none.webmill", b"no model").contains("no model"));
    let unlike = work.fails(&["learn", "train", "train", "--labels", "none.webmill", "--out", "out"], 2);
    assert!(unlike.contains(".csv, .tsv"), "{unlike}");
}

/// Lays a set out as folders of classes.
fn lay_out(files: impl Iterator<Item = (String, std::path::PathBuf)>) {
    for (to, from) in files {
        std::fs::create_dir_all(Path::new(&to).parent().unwrap()).unwrap();
        std::fs::copy(from, to).unwrap();
    }
}

#[test]
fn evaluation_sets_reach_what_is_asked() {
    let Some(data) = webmill_evaluation::archive("learn") else { return };
    let data = data.path().join("learn");
    let work = Work::new();
    let classes = ["acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade"];
    let topics = std::fs::read_to_string(data.join("reuters/cats.txt")).unwrap();
    lay_out(topics.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (name, class, more) = (words.next()?, words.next()?, words.next());
        let (part, number) = name.split_once('/')?;
        let to = work.path(&format!("r8/{part}/{class}/{number}")).to_string_lossy().into_owned();
        (more.is_none() && classes.contains(&class)).then(|| (to, data.join("reuters").join(name)))
    }));
    let mut pages = Vec::new();
    for class in ["student", "faculty", "course", "project"] {
        for university in ["cornell", "texas", "washington", "wisconsin", "misc"] {
            let part = if matches!(university, "cornell" | "washington") { "test" } else { "training" };
            for entry in std::fs::read_dir(data.join("webkb").join(class).join(university)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                let to = work.path(&format!("webkb/{part}/{class}/{name}"));
                pages.push((to.to_string_lossy().into_owned(), path));
            }
        }
    }
    lay_out(pages.into_iter());
    for (set, option, pages, accuracy, f1) in
        [("r8", "curve=false", 2189, 0.967, 0.923), ("webkb", "whole=true", 481, 0.885, 0.849)]
    {
        let (training, test) = (format!("{set}/training"), format!("{set}/test"));
        let out = format!("out-{set}");
        let option = format!("learn.{option}");
        let output =
            work.run(&["learn", "train", &training, "--test", &test, "--set", &option, "--out", &out]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(&format!("test {pages} pages")), "{told}");
        assert!(measure(&work, &out, "test", "accuracy") >= accuracy, "{told}");
        assert!(measure(&work, &out, "test", "macro-f1") >= f1, "{told}");
    }
}

#[test]
fn the_report_says_how_good_classes_are() {
    let work = Work::new();
    let page = |number: usize| {
        let (class, words) = if number.is_multiple_of(3) { ("bikes", &BIKES) } else { ("tea", &TEA) };
        let html = format!(
            "<html><head><title>A page</title></head><body><article><p>{}</p></article></body></html>",
            text(words, number)
        );
        (format!("http://{class}.example/{number}"), html)
    };
    let pages: Vec<_> = (0..30).map(page).collect();
    work.write_pages("shards", &pages);
    let labels: String = pages.iter().map(|(url, _)| format!("{url},{}\n", url.cut(7..10))).collect();
    std::fs::write(work.path("labels.csv"), labels).unwrap();
    const NOTE: &str = "What a classifier that was trained on labelled pages tells";
    work.run(&["run", "shards", "--out", "out"]);
    assert!(!crate::report::html(&work, "out").contains(NOTE));
    work.run(&[
        "learn",
        "train",
        "out",
        "--labels",
        "labels.csv",
        "--set",
        "learn.by_domain=false",
        "--method",
        "svm",
    ]);
    work.run(&["report", "out"]);
    let html = crate::report::html(&work, "out");
    assert!(html.contains(NOTE) && html.contains("How well each class is told"));
    assert!(html.contains("always saying tea: accuracy / macro F1") && html.contains(">0.667</data>"));
    assert!(html.contains("What more labelled pages give") && !html.contains("Pages by class"));
    work.run(&["learn", "apply", "out"]);
    work.run(&["report", "out"]);
    assert!(crate::report::html(&work, "out").contains("Pages by class"));
    crate::report::check_numbers(&work, "out");
    work.run(&["report", "out", "--lang", "zh"]);
    assert!(crate::report::html(&work, "out").contains("各类网页数"));
    // A model that was learnt from files is that of the pages whose classes it told, and of no others.
    folder(&work, "files", 0, 20);
    work.run(&["learn", "train", "files", "--out", "model"]);
    work.run(&["run", "shards", "--out", "other"]);
    work.run(&["learn", "train", "files", "--out", "other"]);
    work.run(&["report", "other"]);
    assert!(!crate::report::html(&work, "other").contains(NOTE));
    work.run(&["learn", "apply", "other"]);
    work.run(&["report", "other"]);
    let html = crate::report::html(&work, "other");
    assert!(html.contains("Pages by class") && html.contains("How well each class is told"));
}
