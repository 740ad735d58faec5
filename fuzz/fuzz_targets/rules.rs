//! Any text as a rule, any page under it, any selector: no panic, and results within their limits.

#![no_main]

use libfuzzer_sys::fuzz_target;
use webmill::capture::CanonicalUrl;
use webmill::html::{Limits, parse, serialize};
use webmill::rules::select::Selector;
use webmill::rules::{ApplyLimits, Rule, RulePage};

/// Around what is tried: a rule whose only tag finds by it.
const HEAD: &str = "[rule]\nid='a'\nname='a'\n[[layer]]\nid='p'\npages=['.']\n[[tag]]\nid='t'\nlayer='p'\n";

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (code, page) = text.split_once('\0').unwrap_or((&text, "<p class=a>b<i>c</i></p>"));
    let dom = parse(page, &Limits::default());
    serialize(&dom, dom.document(), true);
    for selector in [Selector::css(code), Selector::xpath(code)].into_iter().flatten() {
        assert!(selector.select(&dom, dom.document(), 10).0.len() <= 10);
    }
    let Some(url) = CanonicalUrl::parse("http://a.example/") else { return };
    let limits = ApplyLimits { matches: 100, results: 100, bytes: 1 << 16 };
    for source in [code.to_owned(), format!("{HEAD}{code}")] {
        let Ok(rule) = Rule::parse(&source) else { continue };
        let page = RulePage::new(&url, page, &dom, encoding_rs::UTF_8);
        for layer in 0..rule.layers.len() {
            page.apply(&rule, layer, &limits);
        }
    }
});
