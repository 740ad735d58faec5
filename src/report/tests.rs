use std::collections::BTreeMap;

use super::*;

fn top(rows: Vec<TopRow>) -> Panel {
    Panel::Top(Top { title: "T".into(), columns: vec!["n".into()], rows, ..Top::default() })
}

fn page(panels: Vec<Panel>) -> ReportData {
    let part =
        Part { id: "p".into(), title: "The <part>".into(), note: "a note".into(), panels, ..Part::default() };
    ReportData { title: "x".into(), parts: vec![part], ..ReportData::default() }
}

#[test]
fn formats() {
    for (n, want) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(thousands(n), want);
    }
    assert_eq!(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
    assert_eq!(escape("a\u{202e}b\0"), "a\u{fffd}b ");
    let filled = Html::fill("{1} < {0} {x} {9}", &["a&".into(), Html::count(1200, "a: b")]);
    let number = "<data value=\"1200\" data-of=\"a: b\">1,200</data>";
    assert_eq!(filled.as_str(), format!("{number} &lt; a&amp; {{x}} {{9}}"));
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "\"><script>alert(1)</script><img src=http://a.example/ onerror=x>";
    let row = TopRow {
        name: "javascript:alert(1)".into(),
        title: Some(hostile.into()),
        cells: vec![hostile.into()],
    };
    let ranked = Ranked {
        name: hostile.into(),
        title: Some(hostile.into()),
        cells: vec![hostile.into()],
        ..Ranked::default()
    };
    let scope = Scope { name: hostile.into(), rows: vec![ranked], ..Scope::default() };
    let layer = Layer { name: hostile.into(), counts: vec![1, 2], of: vec![hostile.into(); 2] };
    let data = page(vec![
        top(vec![row]),
        Panel::Ranking(Ranking { columns: vec![(hostile.into(), hostile.into())], scopes: vec![scope] }),
        Panel::Bars(Bars {
            title: hostile.into(),
            bars: vec![Bar { name: hostile.into(), count: 1, of: hostile.into() }],
            ..Bars::default()
        }),
        Panel::OverTime(OverTime {
            periods: vec![hostile.into(), "b".into()],
            layers: vec![layer],
            ..OverTime::default()
        }),
        Panel::Facts(hostile.into(), vec![(hostile.into(), hostile.into())]),
    ]);
    let html = render(&ReportData { title: hostile.into(), subtitle: hostile.into(), ..data });
    assert_eq!(html.matches("<script").count(), 1, "our own");
    assert!(!html.contains("<img") && !html.contains("href=\"javascript"));
    assert!(html.contains("&lt;img src=http://a.example/ onerror=x&gt;"));
}

#[test]
fn parts_have_anchors_and_stand_in_order() {
    let html = render(&page(vec![top(vec![TopRow { name: "b".into(), ..TopRow::default() }])]));
    let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("no {text}"));
    let order =
        ["<a href=\"#p\">The &lt;part&gt;</a>", "id=\"h-p\">The &lt;part&gt;</h2>", "a note", "<h3>T</h3>"];
    assert!(order.map(at).is_sorted());
}

#[test]
fn an_empty_report_is_a_page() {
    let html = render(&ReportData::default());
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    let empty = render(&page(vec![
        Panel::Bars(Bars::default()),
        Panel::BowTie(BowTie::default()),
        Panel::LogLog(LogLog::default()),
        Panel::OverTime(OverTime::default()),
        Panel::Ranking(Ranking::default()),
        top(Vec::new()),
    ]));
    assert!(
        !empty.contains("<section class=panel") && !empty.contains("class=\"panel"),
        "what has nothing to say is not drawn"
    );
}

#[test]
fn long_tables_lose_rows_and_say_so() {
    let row = |n: usize| TopRow { name: format!("http://a.example/{n:0>200}"), ..TopRow::default() };
    let html = render(&page(vec![top((0..5000).map(row).collect())]));
    assert!(html.len() <= MAX_BYTES && html.len() > MAX_BYTES / 3, "{}", html.len());
    assert!(html.contains("further rows are left off"));
}

#[test]
fn times_are_put_into_a_copy() {
    let rows = vec![("extract".to_owned(), vec![Html::text("7")])];
    let html = render(&page(vec![Panel::Jobs(Jobs { rows, ..Jobs::default() })]));
    let timed =
        with_times(&html, Lang::Zh, &BTreeMap::from([("extract".into(), 1.25), ("other".into(), 3.0)]));
    assert!(!html.contains("秒") && timed.contains("秒") && timed.contains("<td class=n>1.2"));
}
