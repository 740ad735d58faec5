//! Results of selectors as JSON lines, to be held against those of other programs (`tests/readers/selector_peers.py`).
//!
//!     select < tasks.jsonl > ours.jsonl
//!     select --time SELECTORS.jsonl PAGE...
//!
//! A task is `{"html": …, "kind": "css" or "xpath", "selector": …}`; a result is a list of strings: the outer path of an
//! element (`html/body/p[2]`), a text behind `=`. With `--time`, the selectors are asked of every page and the pages a
//! second printed, parsing included.

use std::io::{BufRead, Write};
use std::time::Instant;

use webmill_html::{Dom, Limits, NodeId, parse};
use webmill_rules::select::{Selector, SelectorResult};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, selectors, pages @ ..] = &arguments[..]
        && flag == "--time"
    {
        return time(selectors, pages);
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let task: serde_json::Value = serde_json::from_str(&line?)?;
        let result = match compile(&task) {
            Ok(selector) => {
                let dom = parse(task["html"].as_str().unwrap_or_default(), &Limits::default());
                let (found, more) = selector.select(&dom, dom.document(), 100_000);
                let mut shown: Vec<String> = found.iter().map(|one| show(&dom, one)).collect();
                shown.extend(more.then(|| "and more".to_owned()));
                serde_json::json!(shown)
            }
            Err(error) => serde_json::json!({ "error": error.to_string() }),
        };
        writeln!(out, "{result}")?;
    }
    Ok(())
}

fn compile(task: &serde_json::Value) -> Result<Selector, Box<dyn std::error::Error>> {
    let source = task["selector"].as_str().ok_or("a task has a selector")?;
    Ok(if task["kind"] == "xpath" { Selector::xpath(source)? } else { Selector::css(source)? })
}

fn show(dom: &Dom<'_>, selected: &SelectorResult) -> String {
    match selected {
        SelectorResult::Text(text) => format!("={text}"),
        SelectorResult::Node(node) => path(dom, *node),
    }
}

/// Where an element is: names and numbers among the elements that are siblings.
fn path(dom: &Dom<'_>, node: NodeId) -> String {
    let before = |n| std::iter::successors(dom.prev_sibling(n), |&s| dom.prev_sibling(s));
    let mut parts: Vec<String> = std::iter::once(node)
        .chain(dom.ancestors(node))
        .filter(|&n| dom.is_element(n))
        .map(|n| {
            let place = before(n).filter(|&s| dom.is_element(s)).count() + 1;
            format!("{}[{place}]", dom.name(n).to_ascii_lowercase())
        })
        .collect();
    parts.reverse();
    parts.join("/")
}

fn time(selectors: &str, pages: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let mut compiled = Vec::new();
    for line in std::fs::read_to_string(selectors)?.lines() {
        compiled.push(compile(&serde_json::from_str(line)?)?);
    }
    let sources: Vec<String> = pages
        .iter()
        .map(|page| Ok(String::from_utf8_lossy(&std::fs::read(page)?).into_owned()))
        .collect::<std::io::Result<_>>()?;
    let (mut parsing, mut selecting, mut found) = (0.0, 0.0, 0);
    for source in &sources {
        let begin = Instant::now();
        let dom = parse(source, &Limits::default());
        parsing += begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        for selector in &compiled {
            found += selector.select(&dom, dom.document(), usize::MAX).0.len();
        }
        selecting += begin.elapsed().as_secs_f64();
    }
    println!(
        "{} pages, {} selectors, {found} results: parsing {parsing:.3} s, selecting {selecting:.3} s, {:.0} pages/s",
        sources.len(),
        compiled.len(),
        sources.len() as f64 / (parsing + selecting)
    );
    Ok(())
}
