//! Scope alone: what a verdict about a URL costs, without rules and with them.
//!
//!     cargo bench --bench scope -- [URLS]
//!
//! Default: 1,000,000 verdicts a case, over 4,096 URLs of 400 hosts, half of them in scope, with 40 seeds. The best of five runs counts.

use std::hint::black_box;
use std::time::Instant;

use webmill::capture::CanonicalUrl;
use webmill::crawl::scope::{RuleAction, Scope, ScopeOptions, ScopeRule};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let verdicts: usize = given.map_or(Ok(1_000_000), |arg| arg.parse())?;
    let url = |n: usize| {
        let (host, section) = (n % 400 / if n.is_multiple_of(2) { 10 } else { 1 }, n % 17);
        let ending = ["html", "pdf", "zip", "php?id=7"][n % 4];
        CanonicalUrl::parse(&format!(
            "https://www.site-{host}.example.org/section{section}/article-{n}.{ending}"
        ))
    };
    let urls: Vec<CanonicalUrl> = (0..4096).filter_map(url).collect();
    let seeds: Vec<CanonicalUrl> =
        (0..40).filter_map(|n| CanonicalUrl::parse(&format!("https://site-{n}.example.org/"))).collect();
    let rule = |text: String| ScopeRule::parse(RuleAction::Reject, &text);
    let names = |kind: &'static str| {
        (0..20).map(move |n| {
            rule(format!(
                "{kind}:{}",
                if kind == "ext" { format!("x{n}") } else { format!("no-{n}.example") }
            ))
        })
    };
    let mixed = (0..5).flat_map(|n| {
        [
            format!("host:no-{n}.example"),
            format!("ext:x{n}"),
            format!("prefix:/no{n}/"),
            format!("re:/print{n}/ depth:3.."),
        ]
        .map(rule)
    });
    let cases: [(&str, Vec<ScopeRule>, Vec<String>); 6] = [
        ("no rules", Vec::new(), Vec::new()),
        (
            "no rules, 20 expressions in url_exclude",
            Vec::new(),
            (0..20).map(|n| format!("/print{n}/")).collect(),
        ),
        ("20 rules: host", names("host").collect::<Result<_, _>>()?, Vec::new()),
        ("20 rules: ext", names("ext").collect::<Result<_, _>>()?, Vec::new()),
        (
            "20 rules: re",
            (0..20).map(|n| rule(format!("re:/print{n}/"))).collect::<Result<_, _>>()?,
            Vec::new(),
        ),
        ("20 rules: host, ext, prefix, re", mixed.collect::<Result<_, _>>()?, Vec::new()),
    ];
    for (name, rules, url_exclude) in cases {
        let scope = Scope::new(&ScopeOptions { rules, url_exclude, ..ScopeOptions::default() }, &seeds)?;
        let mut best = f64::INFINITY;
        let mut inside = 0;
        for _ in 0..5 {
            let start = Instant::now();
            inside = (0..verdicts)
                .filter(|n| black_box(&scope).verdict(&urls[n % urls.len()], 2).accepted)
                .count();
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!(
            "{name:<42} {:>5.0} ns a URL, {inside} of {verdicts} in scope",
            best * 1e9 / verdicts as f64
        );
    }
    Ok(())
}
