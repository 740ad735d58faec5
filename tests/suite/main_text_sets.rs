//! Main texts of marked pages: what people marked as text is never taken for readers' comments.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use webmill::capture::CanonicalUrl;
use webmill::html::{Limits, decode, metadata, parse};
use webmill::text::{TextLimits, main_text};

/// Characters of a paragraph that no comment holds by chance.
const PARAGRAPH: usize = 60;
/// Pages whose marked text is what a reader said or quoted, or that are marked otherwise by other people: of 2,600.
const DISPUTED: usize = 6;

/// A marked page: its file, its text, and whether readers' comments are marked too.
struct Marked {
    name: String,
    html: Vec<u8>,
    text: String,
    has_thread: bool,
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn marked_sets(folder: &Path) -> Vec<Marked> {
    let mut pages = Vec::new();
    let mut sets: Vec<_> =
        fs::read_dir(folder.join("text-marked")).unwrap().map(|it| it.unwrap().path()).collect();
    sets.sort();
    for set in sets {
        for line in fs::read_to_string(set.join("gold.jsonl")).unwrap().lines() {
            let item: Value = serde_json::from_str(line).unwrap();
            let (id, site) = (item["id"].as_str().unwrap(), item["site"].as_str().unwrap_or_default());
            let board = site.contains("bbs") || site.contains("2ch");
            let html = fs::read(set.join("html").join(format!("{id}.html")));
            let (Ok(html), Some(text), false) = (html, item["text"].as_str(), board) else { continue };
            let has_thread = item["comments"].as_str().is_some_and(|said| !said.is_empty());
            let name = format!("{}/{id}", set.file_name().unwrap().to_string_lossy());
            pages.push(Marked { name, html, text: text.to_owned(), has_thread });
        }
    }
    pages
}

fn articles_of_wcxb(folder: &Path) -> Vec<Marked> {
    let mut pages = Vec::new();
    let mut files: Vec<_> =
        fs::read_dir(folder.join("text-wcxb-dev/gold")).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    for path in files {
        let gold = json(&path);
        let kind = &gold["_internal"]["page_type"];
        let id = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = gold["ground_truth"]["main_content"].as_str().unwrap_or_default().to_owned();
        let html = fs::read(folder.join(format!("text-wcxb-dev/html/{id}.html")));
        if let (Ok(html), true) = (html, kind == "article" || kind["primary"] == "article") {
            pages.push(Marked { name: format!("text-wcxb-dev/{id}"), html, text, has_thread: false });
        }
    }
    pages
}

fn articles_of_aeb(folder: &Path) -> Vec<Marked> {
    let gold = json(&folder.join("text-aeb/ground-truth.json"));
    let pages = gold.as_object().unwrap().iter().map(|(id, item)| Marked {
        name: format!("text-aeb/{id}"),
        html: fs::read(folder.join(format!("text-aeb/{id}.html"))).unwrap(),
        text: item["articleBody"].as_str().unwrap_or_default().to_owned(),
        has_thread: false,
    });
    pages.collect()
}

/// The paragraphs of a page's marked text that are readers' comments to us; none if it is one of several, which a comment may quote.
fn lost(page: &Marked) -> Vec<String> {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let long = |text: &String| text.chars().count() >= PARAGRAPH;
    let marked: HashSet<String> = page.text.lines().map(bare).filter(long).collect();
    let decoded = decode(&page.html, None, None);
    let dom = parse(&decoded.text, &Limits::default());
    let meta = metadata(&dom, &CanonicalUrl::parse("http://example.invalid/").unwrap(), &[]);
    let found = main_text(&dom, &meta, &TextLimits { markdown: false, ..TextLimits::default() });
    let said = found.posts.iter().filter(|post| !post.kind.is_text()).flat_map(|post| post.text.lines());
    let lost: Vec<String> = said.map(bare).filter(|line| marked.contains(line)).collect();
    if lost.len() == 1 && marked.len() > 1 { Vec::new() } else { lost }
}

#[test]
fn no_paragraph_of_an_article_is_a_comment() {
    let names = ["text-marked", "text-wcxb-dev", "text-aeb"];
    let folders = names.map(webmill_evaluation::archive);
    let [Some(marked), Some(wcxb), Some(aeb)] = &folders else { return };
    let mut pages = marked_sets(marked.path());
    pages.extend(articles_of_wcxb(wcxb.path()));
    pages.extend(articles_of_aeb(aeb.path()));
    assert!(pages.len() > 2_500, "{}", pages.len());
    let mut disputed = Vec::new();
    for page in pages.iter().filter(|page| !page.has_thread) {
        let lost = lost(page);
        if !lost.is_empty() {
            disputed.push(format!("{}: {:?}", page.name, lost));
        }
    }
    assert!(disputed.len() <= DISPUTED, "{}: {disputed:#?}", disputed.len());
}
