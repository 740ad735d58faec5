use super::*;
use crate::blocks::blocks;
use webmill_capture::cut::Cut;
use webmill_html::{Limits, parse};

/// The whole page as plain text, and its code.
fn all(source: &str) -> (String, Vec<String>) {
    let dom = parse(source, &Limits::default());
    let page = blocks(&dom, dom.body().expect("a body"));
    let (text, code) = plain(&dom, &page, &vec![true; page.blocks.len()], &data_tables(&page));
    let code = code.into_iter().map(|range| text.cut(range).to_string()).collect();
    (text, code)
}

fn check(cases: &[(&str, &str)]) {
    for (source, want) in cases {
        assert_eq!(all(source).0, *want, "{source}");
    }
}

#[test]
fn ordered_lists_are_numbered() {
    check(&[
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ol start=9><li>a<li value=20>b<li>c</ol>", "9. a\n20. b\n21. c"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b"),
        ("<ol type=a><li><p>a</p><p>more</p><li>b</ol>", "1. a\nmore\n2. b"),
        ("<ol><li>a<ul><li>b</ul><li>c<ol><li>d</ol></ol>", "1. a\n- b\n2. c\n1. d"),
        ("<ol style='list-style-type:none'><li>a</ol><ul><li>b</ul>", "- a\n- b"),
        ("<pre><ol class=linenums><li>use a;<li>use b;</ol></pre>", "use a;\nuse b;"),
    ]);
}

#[test]
fn code_keeps_the_indentation_of_its_first_line() {
    let (text, code) = all("<p>x</p><pre>\n    a\n  b\n</pre><p> y");
    assert_eq!(text, "x\n    a\n  b\ny");
    assert_eq!(code, ["    a\n  b"]);
    check(&[
        ("<pre><span>\n\n</span>  <b>a</b>\nb</pre>", "  a\nb"),
        ("<pre>   </pre><pre>\ta</pre>", "\ta"),
    ]);
}

#[test]
fn cells_that_reach_down_are_in_each_row() {
    let long = "word ".repeat(60);
    let reach = format!("<table><tr><td rowspan=2>{long}<td>1<td>2<tr><td>3<td>4<tr><td>b<td>5</table>");
    check(&[
        (
            "<table><tr><td rowspan=2>a<td>1<td>2<tr><td>3<td rowspan=9999>4<tr><td>b<td>5</table>",
            "a | 1 | 2\na | 3 | 4\nb | 5 | 4",
        ),
        (
            "<table><tr><td>1<td>x<td rowspan=0>a<tr><td>2<td>y<tr><td>3<td>z</table>",
            "1 | x | a\n2 | y | a\n3 | z | a",
        ),
        (
            "<table><thead><tr><th rowspan=3>h<th>i</thead><tr><td>1<td>2<tr><td>3<td>4</table>",
            "h | i\n1 | 2\n3 | 4",
        ),
        ("<table><tr><td>a<td>1<tr><td>b<td>2</table>", "a | 1\nb | 2"),
        (&reach, &format!("{} | 1 | 2\n〃 | 3 | 4\nb | 5", long.trim())),
    ]);
}

#[test]
fn hostile_spans_are_bounded() {
    let cells = format!("<td rowspan=9999 colspan=9999>{}", "x".repeat(150)).repeat(64);
    let page = format!("<table><tr>{cells}{}</table>", "<tr><td>a<td>b".repeat(5_000));
    let (text, _) = all(&page);
    assert!(text.len() < page.len() + (1 << 20), "{}", text.len());
}

#[test]
fn quotations_have_marks_once() {
    check(&[
        ("<p>He said <q>go on</q>, twice.", "He said “go on”, twice."),
        ("<q>a <q>b</q> c</q>", "“a ‘b’ c”"),
        ("<q>“a”</q> “<q>b</q>” <q>«c»</q> <q></q>d", "“a” “b” «c» d"),
        ("<q> a </q>b", "“a” b"),
    ]);
}

#[test]
fn breaks_within_words_are_no_characters() {
    check(&[
        (
            "<p>Donau\u{ad}dampf\u{200b}schiff\u{feff}fahrt &shy;a&ZeroWidthSpace; b",
            "Donaudampfschifffahrt a b",
        ),
        ("<p>\u{feff}a", "a"),
    ]);
}

#[test]
fn formulas_are_said_once() {
    check(&[
        (
            "<p>Let <math><semantics><msup><mi>x</mi><mn>2</mn></msup><annotation encoding=application/x-tex>x^2</annotation></semantics></math> be",
            "Let x² be",
        ),
        (
            "<p>a <span class=katex><span class=katex-mathml><math><msqrt><mi>x</mi></msqrt></math></span><span class=katex-html aria-hidden=true><span>√x</span></span></span> b",
            "a √x b",
        ),
    ]);
}
