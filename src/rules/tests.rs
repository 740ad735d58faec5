//! The language as a whole: files in, rows out.

use webmill_capture::{CanonicalUrl, Result};
use webmill_html::{Limits, parse};

use crate::cells::Cell;
use crate::groups::{LinkedPage, Problem, RowSink, VisitedPage, rows};
use crate::{ApplyLimits, PageResults, Rule, RulePage, TagNumber, TagResult};

fn apply(rule: &Rule, layer: usize, url: &str, html: &str) -> PageResults {
    let url = CanonicalUrl::parse(url).unwrap();
    let dom = parse(html, &Limits::default());
    RulePage::new(&url, html, &dom, encoding_rs::UTF_8).apply(rule, layer, &ApplyLimits::default())
}

fn rule(text: &str) -> Rule {
    let head = "[rule]\nid = \"t\"\nname = \"T\"\n";
    Rule::parse(&format!("{head}{text}")).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"))
}

fn texts(found: &[TagResult]) -> Vec<&str> {
    found.iter().map(|found| found.text.as_str()).collect()
}

fn of<'f>(rule: &Rule, results: &'f [(TagNumber, Vec<TagResult>)], id: &str) -> &'f [TagResult] {
    let tag = rule.tags.iter().position(|tag| tag.id == id).unwrap();
    crate::groups::of(results, tag)
}

const PAGE: &str = "[[layer]]\nid = \"page\"\npages = ['.']\n";

#[test]
fn steps_come_in_their_order() {
    let rule = rule(&format!(
        "{PAGE}
        [[tag]]\nid = 'row'\nlayer = 'page'\nstart = '<li>'\nend = '<li>|</ul>'\nexclude = 'out'
        treatments = [{{ pattern = '\\s+', with = ' ' }}, {{ text = '!', at = -1 }}]
        [[tag]]\nid = 'number'\nlayer = 'page'\nparent = 'row'\nrematch = '(\\d+) EUR'
        [[tag]]\nid = 'all'\nlayer = 'page'\nrematch = '\\d+'\nmerge = true\nseparator = '+'
        [[tag]]\nid = 'some'\nlayer = 'page'\nrematch = '\\d+'\ninclude = '2'"
    ));
    let found =
        apply(&rule, 0, "http://a.example/", "<ul><li>a  10 EUR 3 EUR<li>b\n20 EUR<li>out 5 EUR</ul>");
    let row = of(&rule, &found.results, "row");
    assert_eq!(texts(row), ["a 10 EUR 3 EUR!", "b 20 EUR!"]);
    assert_eq!(texts(of(&rule, &row[0].results, "number")), ["10", "3"]);
    assert_eq!(texts(of(&rule, &found.results, "all")), ["10+3+20+5"]);
    assert_eq!(texts(of(&rule, &found.results, "some")), ["20"]);
    let counts: Vec<u64> = found.counts.iter().map(|count| count.results).collect();
    assert_eq!(counts, [2, 3, 1, 1]);
}

#[test]
fn links_are_absolute_and_what_is_none_is_counted() {
    let rule = rule(&format!(
        "{PAGE}[[tag]]\nid = 'next'\nlayer = 'page'\nstart = 'href=\"'\nend = '\"'\nlink = true"
    ));
    let page = "<base href='http://b.example/x/'><a href=\"../y\">1</a><a href=\"mailto:a@b.example\">2</a><a href=\"http://[\">3</a>";
    let found = apply(&rule, 0, "http://a.example/", page);
    assert_eq!(texts(of(&rule, &found.results, "next")), ["http://b.example/y"]);
    assert_eq!(found.counts[0].no_address, 2);
}

#[test]
fn codes_read_decoded_lines() {
    let rule = rule(&format!("{PAGE}[[tag]]\nid = 'a'\nlayer = 'page'\nstart = '价格：\\n'\nend = '元'"));
    let found = apply(&rule, 0, "http://a.example/", "<p>价格：\r\n12元");
    assert_eq!(texts(of(&rule, &found.results, "a")), ["12"]);
}

/// Pages by address.
struct Site<'s> {
    rule: &'s Rule,
    pages: &'s [(&'s str, &'s str)],
    rows: Vec<Vec<Option<String>>>,
    paths: Vec<Vec<usize>>,
    problems: Vec<Problem>,
}

impl Site<'_> {
    fn visit(&self, layer: usize, url: &str) -> Option<VisitedPage<()>> {
        let (_, html) = self.pages.iter().find(|(known, _)| *known == url)?;
        let PageResults { results, habits, .. } = apply(self.rule, layer, url, html);
        Some(VisitedPage { results, habits, page: () })
    }
}

impl RowSink<()> for Site<'_> {
    fn behind(&mut self, tag: TagNumber, url: &str) -> Result<LinkedPage<()>> {
        let layer = self.rule.tags[tag].opens.unwrap();
        Ok(self.visit(layer, url).map_or(LinkedPage::Missing, |page| LinkedPage::Page(page.into())))
    }

    fn row(&mut self, cells: Vec<Cell>, _: &VisitedPage<()>, path: &[usize]) -> Result<()> {
        let text = |cell| match cell {
            Cell::Null => None,
            Cell::Text(text) => Some(text),
            Cell::Number(number) => Some(number.to_string()),
        };
        self.rows.push(cells.into_iter().map(text).collect());
        self.paths.push(path.to_vec());
        Ok(())
    }

    fn problem(&mut self, problem: Problem, _: &VisitedPage<()>) {
        self.problems.push(problem);
    }
}

const BOOKS: &str = "
[[layer]]\nid = 'list'\nentries = ['http://a.example/']
[[layer]]\nid = 'book'\nfrom = 'link'
[[tag]]\nid = 'title'\nlayer = 'list'\nstart = '<b>'\nend = '</b>'
[[tag]]\nid = 'link'\nlayer = 'list'\nstart = 'href='\nend = '>'\nlink = true
[[tag]]\nid = 'author'\nlayer = 'book'\nstart = '<i>'\nend = '</i>'
[[tag]]\nid = 'word'\nlayer = 'book'\nstart = '<u>'\nend = '</u>'
";

/// Rows, their paths, problems.
type MadeRows = (Vec<Vec<Option<String>>>, Vec<Vec<usize>>, Vec<Problem>);

fn made(groups: &str, pages: &[(&str, &str)], number: usize) -> MadeRows {
    let rule = rule(&format!("{BOOKS}{groups}"));
    let mut site = Site { rule: &rule, pages, rows: Vec::new(), paths: Vec::new(), problems: Vec::new() };
    let top = site.visit(rule.groups[number].levels[0].layer, pages[0].0).unwrap();
    rows(&rule.groups[number], &top, &mut site).unwrap();
    (site.rows, site.paths, site.problems)
}

fn table(rows: &[Vec<Option<String>>]) -> Vec<String> {
    let shown = |row: &Vec<Option<String>>| {
        row.iter().map(|cell| cell.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(" ")
    };
    rows.iter().map(shown).collect()
}

const SITE: [(&str, &str); 3] = [
    ("http://a.example/", "<b>t1</b><a href=/u1>x</a><b>t2</b><a href=/u2>y</a>"),
    ("http://a.example/u1", "<i>a</i><u>x</u><u>y</u>"),
    ("http://a.example/u2", "<i>b</i>"),
];

#[test]
fn groups_join_layers() {
    let group = |columns: &[&str], outer: bool| {
        let columns: Vec<String> =
            columns.iter().map(|tag| format!("{{ name = '{tag}', tag = '{tag}' }}")).collect();
        format!("[[group]]\nname = 'g'\nouter = {outer}\ncolumns = [{}]", columns.join(", "))
    };
    let (rows, paths, _) = made(&group(&["title", "author"], false), &SITE, 0);
    assert_eq!((table(&rows), paths), (vec!["t1 a".into(), "t2 b".into()], vec![vec![0, 0], vec![1, 0]]));
    let (rows, _, problems) = made(&group(&["title", "word"], false), &SITE, 0);
    assert_eq!((table(&rows), problems), (vec!["t1 x".into(), "t1 y".into()], vec![Problem::Incomplete]));
    let (rows, ..) = made(&group(&["title", "word"], true), &SITE, 0);
    assert_eq!(table(&rows), ["t1 x", "t1 y", "t2 -"]);
    let (rows, ..) = made(&group(&["author", "word"], false), &SITE[1..], 0);
    assert_eq!(table(&rows), ["a x", "a y"]);
    // The page of the second link is not there: its row still comes.
    let (rows, _, problems) = made(&group(&["title", "author"], false), &SITE[..2], 0);
    assert_eq!((table(&rows), problems), (vec!["t1 a".into(), "t2 -".into()], vec![Problem::Missing]));
}

#[test]
fn counts_that_differ_give_no_rows_and_are_told() {
    let group = "[[group]]\nname = 'g'\ncolumns = [{ name = 'title', tag = 'title' }, { name = 'url', tag = 'link' }]";
    let group = group.replace("'url'", "'address'");
    let page = [("http://a.example/", "<b>t1</b><b>t2</b><b>t3</b><a href=/1><a href=/2>")];
    let (rows, _, problems) = made(&group, &page, 0);
    assert_eq!((rows.len(), problems), (0, vec![Problem::Counts(vec![(0, 3), (1, 2)])]));
    let page = [("http://a.example/", "<b>t1</b><b>t2</b><a href=/1>")];
    assert_eq!(table(&made(&group, &page, 0).0), ["t1 http://a.example/1", "t2 http://a.example/1"]);
}

#[test]
fn columns_are_read_as_their_page_writes_them() {
    let group = "[[group]]\nname = 'g'\ncolumns = [{ name = 'd', tag = 'title', type = 'date' }, { name = 'p', tag = 'word', type = 'number' }]
        [[tag]]\nid = 'price'\nlayer = 'list'\nstart = '<u>'\nend = '</u>'";
    let group = group.replace("tag = 'word'", "tag = 'price'");
    let page = "<b>04/03/2022</b><u>3.350</u><b>14/03/2022</b><u>0,50</u>";
    let (rows, ..) = made(&group, &[("http://a.example/", page)], 0);
    assert_eq!(table(&rows), ["2022-03-04 3350", "2022-03-14 0.5"]);
    let page = "<html lang=en-US><b>04/03/2022</b><u>3.350</u>";
    let (rows, ..) = made(&group, &[("http://a.example/", page)], 0);
    assert_eq!(table(&rows), ["2022-04-03 3.35"]);
    let years = |lang: &str, days: &str| {
        let page = days.split(' ').map(|day| format!("<b>{day}</b><u>1</u>")).collect::<String>();
        let (rows, ..) = made(&group, &[("http://a.example/", &format!("<html lang={lang}>{page}"))], 0);
        table(&rows).iter().map(|row| row.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(years("en", "14.03.2022 14/03/22 04/03/22"), "2022-03-14 2022-03-14 2022-03-04");
    assert_eq!(years("ja", "14/03/2022 14/03/22 09/05/06"), "2022-03-14 2022-03-14 2006-05-09");
    assert_eq!(years("de", "04/03/22 04/03/95"), "2022-03-04 1995-03-04");
    assert_eq!(years("en-US", "04/03/22"), "2022-04-03");
    assert_eq!(years("en", "04/03/22 14/03/99"), "2022-03-04 1999-03-14");
    // Neither the site nor the column tells; the year may stand first.
    assert_eq!(
        [years("en", "04/03/22 14/03/22"), years("ja", "22/03/14"), years("zh-CN", "09/05/06")],
        ["- -", "-", "-"]
    );
}

#[test]
fn every_mistake_has_its_line() {
    let mistakes = |text: &str| {
        let found = Rule::parse(text).unwrap_err();
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let broken = "[rule]\nid = 'T'\nname = 'T'\nversion = 9\n[[layer]]\nid = 'l'\nfrom = 'b'\n[[tag]]\nid = 'a'\nlayer = 'm'\nstart = '('\n[[tag]]\nid = 'b'\nlayer = 'l'\nparent = 'b'\n";
    assert_eq!(
        mistakes(broken),
        [
            "line 2: rule: an id is lower case letters, digits and _, beginning with a letter",
            "line 4: rule: written in version 9 of the language; this program reads 1",
            "line 6: layer l: no entry leads to it: the layers above open each other",
            "line 7: layer l: from: tag b is no link tag (link = true)",
            "line 10: tag a: no layer is called \"m\"; near to it: l",
            "line 11: tag a: the expression \"(\" cannot be read: unclosed group",
            "line 15: tag b: it is its own ancestor",
        ]
    );
    assert_eq!(
        mistakes("[rule]\nid = 't'\nname = 'T'\nfoo = 1\n")[0].split(',').next().unwrap(),
        "line 4: rule: unknown field `foo`"
    );
    let look_around =
        format!("[rule]\nid = 't'\nname = 'T'\n{PAGE}[[tag]]\nid = 'a'\nlayer = 'page'\nrematch = '(?=a)'\n");
    assert!(mistakes(&look_around)[0].contains("look-around"), "{:?}", mistakes(&look_around));
    let huge = look_around.replace("(?=a)", "(a{1000}){1000}");
    assert!(mistakes(&huge)[0].contains("larger than"), "{:?}", mistakes(&huge));
    let apart = format!(
        "[rule]\nid = 't'\nname = 'T'\n{PAGE}[[tag]]\nid = 'a'\nlayer = 'page'\n[[tag]]\nid = 'b'\nlayer = 'page'\nparent = 'a'\n[[tag]]\nid = 'c'\nlayer = 'page'\n[[tag]]\nid = 'd'\nlayer = 'page'\nparent = 'c'\n[[group]]\nname = 'g'\ncolumns = [{{ name = 'b', tag = 'b' }}, {{ name = 'd', tag = 'd' }}]\n"
    );
    assert_eq!(
        mistakes(&apart),
        ["line 22: group g: its columns can never meet: b and d stand neither beside nor within each other"]
    );
}

#[test]
fn layers_of_a_tree_of_categories_give_rows_at_every_depth() {
    let rule = rule(
        "[[layer]]\nid = 'category'\nentries = ['http://a.example/']\nfrom = 'sub'
        [[layer]]\nid = 'item'\nfrom = 'item_link'
        [[tag]]\nid = 'sub'\nlayer = 'category'\nstart = 'sub='\nend = ' '\nlink = true
        [[tag]]\nid = 'name'\nlayer = 'category'\nstart = '<b>'\nend = '</b>'
        [[tag]]\nid = 'item_link'\nlayer = 'category'\nstart = 'href='\nend = ' '\nlink = true
        [[tag]]\nid = 'item'\nlayer = 'item'\nstart = '<i>'\nend = '</i>'
        [[group]]\nname = 'g'\ncolumns = [{ name = 'name', tag = 'name' }, { name = 'item', tag = 'item' }]",
    );
    let levels = &rule.groups[0].levels;
    assert_eq!((levels.len(), levels[0].layer, levels[0].down), (2, 0, Some(2)));
}

#[test]
fn a_million_matches_end_at_the_limit() {
    let rule = rule(&format!(
        "{PAGE}[[tag]]\nid = 'a'\nlayer = 'page'\nstart = 'a'\nend = 'b'\n[[tag]]\nid = 'c'\nlayer = 'page'\nparent = 'a'\nrematch = ''"
    ));
    let found = apply(&rule, 0, "http://a.example/", &"ab".repeat(1_000_000));
    assert_eq!((found.counts[0].results, found.counts[0].cut), (ApplyLimits::default().matches as u64, true));
}
