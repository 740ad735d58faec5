use webmill_html::{Dom, Limits, NodeId, parse};

use super::{Selector, SelectorResult};

const PAGE: &str = "<!DOCTYPE html><html lang=en><head><title>T</title></head><body>\
<div id=a class='x y'><p id=p1>one <b id=b1>bold</b> end</p><p id=p2 class=x>two</p><!-- c --></div>\
<div id=b class=y data-n=7><ul id=u><li id=l1>1<li id=l2 class=x>2<li id=l3>3</ul>\
<a id=k1 href=/1 title='First'>go</a><a id=k2 href=/2>Two <i id=i1>it</i></a></div>\
<div id=c><div id=d><div id=e><span id=s1>deep</span></div><span id=s2>less</span></div></div>\
<form id=f><input id=n1 type=checkbox checked><input id=n2 disabled><fb:like id=fb></fb:like></form>\
<svg id=v><linearGradient id=g viewBox=q /></svg></body></html>";

/// Ids of elements, strings in quotes, `*` if there was more.
fn shown(dom: &Dom<'_>, (found, more): (Vec<SelectorResult>, bool)) -> String {
    let one = |selected: &SelectorResult| match selected {
        SelectorResult::Node(node) => dom.attr(*node, "id").unwrap_or(dom.name(*node)).to_owned(),
        SelectorResult::Text(text) => format!("'{text}'"),
    };
    let mut words: Vec<String> = found.iter().map(one).collect();
    words.extend(more.then(|| "*".to_owned()));
    words.join(" ")
}

fn check(compile: fn(&str) -> Result<Selector, super::SelectError>, cases: &[(&str, &str)]) {
    let dom = parse(PAGE, &Limits::default());
    for &(source, expected) in cases {
        let found = compile(source).map(|selector| selector.select(&dom, dom.document(), 100));
        let found = found.map_or_else(|error| panic!("{source}: {error}"), |found| shown(&dom, found));
        assert_eq!(found, expected, "{source}");
    }
}

fn by_id(dom: &Dom<'_>, id: &str) -> NodeId {
    dom.descendants(dom.document()).find(|&n| dom.attr(n, "id") == Some(id)).unwrap()
}

#[test]
fn css() {
    check(
        Selector::css,
        &[
            ("#p1", "p1"),
            ("P", "p1 p2"),
            (".x", "a p2 l2"),
            ("p.x", "p2"),
            ("div.x.y", "a"),
            (".X", ""),
            ("title, li", "title l1 l2 l3"),
            ("li, .x, #l2", "a p2 l1 l2 l3"),
            ("div p > b", "b1"),
            ("p + p", "p2"),
            ("li ~ li", "l2 l3"),
            ("[HREF]", "k1 k2"),
            ("[href='/2']", "k2"),
            ("[title^=F], [data-n='7']", "b k1"),
            ("[class~=x]", "a p2 l2"),
            ("[type=CHECKBOX]", "n1"),
            (":is(p, li):not(.x)", "p1 l1 l3"),
            (":where(ul) > :nth-child(2)", "l2"),
            ("li:nth-child(odd)", "l1 l3"),
            ("li:nth-last-child(1)", "l3"),
            (":nth-child(1 of .x)", "a p2 l2"),
            ("a:last-of-type", "k2"),
            ("div:has(> ul)", "b"),
            ("div:has(span)", "c d e"),
            ("div:has(+ span)", "e"),
            ("li:first-child, li:last-child", "l1 l3"),
            ("span:only-child", "s1"),
            ("input:empty", "n1 n2"),
            (":root", "html"),
            (":scope > body > form", "f"),
            ("> body > form", "f"),
            ("p:contains('two')", "p2"),
            ("body :contains(bold, two)", "a p1 b1 p2"),
            ("p:contains-own('bold')", ""),
            ("div:-soup-contains-own(x), p:-soup-contains('one bold')", "p1"),
            (":checked, :disabled", "n1 n2"),
            (":link", "k1 k2"),
            ("linearGradient", "g"),
            ("fb\\:like", "fb"),
            ("a::attr(title)", "'First'"),
            ("a::attr(href), i::text", "'/1' '/2' 'it'"),
            ("p::text", "'one ' ' end' 'two'"),
            ("#p1 ::text", "'one ' 'bold' ' end'"),
            ("#p1 *::text", "'one ' 'bold' ' end'"),
            ("#p1 > *::text", "'bold'"),
            ("#k2::html", "'Two <i id=\"i1\">it</i>'"),
            ("#i1::outer", "'<i id=\"i1\">it</i>'"),
            ("#b ::attr(id)", "'b' 'u' 'l1' 'l2' 'l3' 'k1' 'k2' 'i1'"),
        ],
    );
}

#[test]
fn css_within_a_scope() {
    let dom = parse(PAGE, &Limits::default());
    for (scope, source, expected) in [
        ("b", "li", "l1 l2 l3"),
        ("b", "div", ""),
        ("b", "body li.x", "l2"),
        ("b", "> a", "k1 k2"),
        ("b", ":scope > a::attr(href)", "'/1' '/2'"),
        ("b", ":scope", "b"),
        ("k2", "::text", "'Two ' 'it'"),
        ("k2", "::attr(href)", "'/2'"),
        ("k2", ":scope::text", "'Two '"),
        ("k2", ":scope::html", "'Two <i id=\"i1\">it</i>'"),
        ("u", ":scope li:has(+ .x)", "l1"),
    ] {
        let found = Selector::css(source).unwrap().select(&dom, by_id(&dom, scope), 100);
        assert_eq!(shown(&dom, found), expected, "{source} in {scope}");
    }
}

#[test]
fn xpath_paths() {
    check(
        Selector::xpath,
        &[
            ("/", "#document"),
            ("/html/body/div", "a b c"),
            ("//DIV[@ID='a']", "a"),
            ("//div[@class='y']//a/@href", "'/1' '/2'"),
            ("//a/text()", "'go' 'Two '"),
            ("//comment()", "' c '"),
            ("//li[2] | //p | //li", "p1 p2 l1 l2 l3"),
            ("//li[last()]", "l3"),
            ("//li[position() < 3][2]", "l2"),
            ("//li[position() mod 2 = 1]", "l1 l3"),
            ("(//span)[1]", "s1"),
            ("//span[1]", "s1 s2"),
            ("//div//span", "s1 s2"),
            ("//div/div/..", "c d"),
            ("//span/ancestor::div", "c d e"),
            ("//span/ancestor::div[1]", "d e"),
            ("//span[1]/ancestor-or-self::*[last()]", "html"),
            ("//b/following::li", "l1 l2 l3"),
            ("//li[3]/preceding::p", "p1 p2"),
            ("//li[3]/preceding-sibling::li[1]", "l2"),
            ("//li/following-sibling::*", "l2 l3"),
            ("//li/preceding-sibling::*", "l1 l2"),
            ("//b/preceding::*", "head title"),
            ("//b/parent::p/@id", "'p1'"),
            ("//@data-n/..", "b"),
            ("//@href/parent::a[@title]", "k1"),
            ("//p[b]", "p1"),
            ("//p[not(b)]", "p2"),
            ("//div[.//span]", "c d e"),
            ("//div[ul and a]", "b"),
            ("//div[ul or p]/@id", "'a' 'b'"),
            ("//*[contains(concat(' ', @class, ' '), ' x ')]", "a p2 l2"),
            ("//*[has-class('x', 'y')]", "a"),
            ("id('l1 p1 none')", "p1 l1"),
            ("id(//p/@id)/b", "b1"),
            ("//div[@id = //li/@id]", ""),
            ("//li[. = '2']", "l2"),
            ("//li[. > 1]", "l2 l3"),
            ("//li[1 < .]", "l2 l3"),
            ("//li[text() = 3]", "l3"),
            ("//fb:like", "fb"),
            ("//lineargradient/@viewbox", "'q'"),
            ("//*[name() = 'lineargradient']", "g"),
            ("descendant::li[2]", "l2"),
            ("//ul/node()[2]", "l2"),
            ("//self::li", "l1 l2 l3"),
            ("//ul/descendant-or-self::*[1]", "u"),
            ("//p/node()", "'one ' b1 ' end' 'two'"),
            ("//div[last()]/@id", "'c' 'd' 'e'"),
            ("//body/*[self::form or self::svg]", "f v"),
            ("//and | //li[1]", "l1"),
            ("//processing-instruction()", ""),
            ("//li[true()][2]", "l2"),
            ("//li['']", ""),
        ],
    );
}

#[test]
fn xpath_values() {
    check(
        Selector::xpath,
        &[
            ("count(//li)", "'3'"),
            ("sum(//li)", "'6'"),
            ("count(//li) div 2", "'1.5'"),
            ("7 mod 4 - 5 * 2", "'-7'"),
            ("-7 mod 4", "'-3'"),
            ("1 div 0", "'Infinity'"),
            ("0 div 0", "'NaN'"),
            ("-0", "'0'"),
            ("--1", "'1'"),
            ("'a' = 'a'", "'true'"),
            ("1 = true()", "'true'"),
            ("//li = 2", "'true'"),
            ("//li != 2", "'true'"),
            ("//p[2] != 'two'", "'false'"),
            ("//li < //p", "'false'"),
            ("//li = //li[2]", "'true'"),
            ("//nothing = ''", "'false'"),
            ("boolean(//nothing)", "'false'"),
            ("string(//p)", "'one bold end'"),
            ("string(//nothing)", "''"),
            ("normalize-space('  a   b ')", "'a b'"),
            ("substring('12345', 2, 3)", "'234'"),
            ("substring('12345', 1.5, 2.6)", "'234'"),
            ("substring('12345', 0, 3)", "'12'"),
            ("substring('12345', 0 div 0, 3)", "''"),
            ("substring('12345', -42, 1 div 0)", "'12345'"),
            ("substring('12345', -1 div 0, 1 div 0)", "''"),
            ("substring-before('1999/04/01', '/')", "'1999'"),
            ("substring-after('1999/04/01', '/')", "'04/01'"),
            ("translate('bar-', 'abc-', 'ABC')", "'BAr'"),
            ("string-length('é日')", "'2'"),
            ("round(-1.5)", "'-1'"),
            ("floor(-1.5) + ceiling(1.2)", "'0'"),
            ("number(' -12.50 ')", "'-12.5'"),
            ("number('1e3')", "'NaN'"),
            ("starts-with('abc', 'ab') and contains('abc', 'bc')", "'true'"),
            ("concat('a', 1, true())", "'a1true'"),
            ("name(//@data-n)", "'data-n'"),
            ("local-name(//ul)", "'ul'"),
            ("string(//ul/li[2]/@class)", "'x'"),
            ("(1 + 2) * 3", "'9'"),
        ],
    );
}

#[test]
fn xpath_within_a_scope() {
    let dom = parse(PAGE, &Limits::default());
    for (scope, source, expected) in [
        ("b", ".//li", "l1 l2 l3"),
        ("b", "a/@href", "'/1' '/2'"),
        ("b", "//p", "p1 p2"),
        ("b", ".", "b"),
        ("b", "..", "body"),
        ("b", "../div/p", "p1 p2"),
        ("l2", "string()", "'2'"),
        ("l2", "following-sibling::li | preceding-sibling::li", "l1 l3"),
    ] {
        let found = Selector::xpath(source).unwrap().select(&dom, by_id(&dom, scope), 100);
        assert_eq!(shown(&dom, found), expected, "{source} in {scope}");
    }
}

#[test]
fn at_most_so_many() {
    let dom = parse(PAGE, &Limits::default());
    for selector in ["li", "ul > li", "li::text"].map(Selector::css) {
        let selector = selector.unwrap();
        assert_eq!(selector.select(&dom, dom.document(), 2).0.len(), 2);
        assert!(selector.select(&dom, dom.document(), 2).1);
        assert!(!selector.select(&dom, dom.document(), 3).1);
        assert_eq!(selector.select(&dom, dom.document(), 0), (Vec::new(), true));
    }
    for selector in ["//li", "//li[1]/../li", "//li/text()", "//li[3]/preceding-sibling::*|//li[3]"] {
        let selector = Selector::xpath(selector).unwrap();
        assert_eq!(selector.select(&dom, dom.document(), 2).0.len(), 2);
        assert!(selector.select(&dom, dom.document(), 2).1);
        assert!(!selector.select(&dom, dom.document(), 3).1);
        assert_eq!(selector.select(&dom, dom.document(), 0), (Vec::new(), true));
    }
}

#[test]
fn what_is_no_selector() {
    for (source, expected) in [
        ("", "an empty selector"),
        ("div >", "a combinator without a selector beside it"),
        ("p:hoover", "unknown pseudo-class or pseudo-element"),
        ("a::attr", "unknown pseudo-class or pseudo-element"),
        ("a[", "unexpected end of input"),
        ("div:has(p:has(a))", "this cannot stand here"),
    ] {
        let error = Selector::css(source).unwrap_err();
        assert_eq!(error.reason, expected, "{source}: {error}");
    }
    assert!(Selector::css("a:not(b").is_ok(), "CSS closes what is open");
    for (source, expected) in [
        ("", "an expression was expected (at column 1)"),
        ("//", "the name of a node was expected (at column 3)"),
        ("//a[", "an expression was expected (at column 5)"),
        ("//é[@x='", "a quotation that does not end (at column 8)"),
        ("//a b", "an operator was expected (at column 5)"),
        ("$x", "variables are not known here (at column 1)"),
        ("namespace::a", "there is no axis namespace here (at column 1)"),
        ("lang('en')", "unknown function lang() (at column 1)"),
        ("count('a')", "count(): the argument must be a set of nodes (at column 1)"),
        ("'a' | b", "| joins sets of nodes only (at column 8)"),
        ("'a'[1]", "only a set of nodes has predicates and steps (at column 7)"),
        ("//a/string()", "a function (string) cannot be a step (at column 5)"),
    ] {
        assert_eq!(Selector::xpath(source).unwrap_err().to_string(), expected, "{source}");
    }
    assert!(Selector::css(&":not(".repeat(2000)).is_err());
    assert!(Selector::xpath(&"(".repeat(5000)).is_err());
    assert!(Selector::xpath(&"1+".repeat(4000)).is_err());
    assert!(Selector::xpath(&"a[".repeat(4000)).is_err());
    assert!(Selector::xpath(&"-".repeat(9000)).is_err());
    let deep = format!("{}1{}", "(1+".repeat(38), ")".repeat(38));
    assert!(Selector::xpath(&deep).is_ok());
}

#[test]
fn work_is_bounded() {
    let page = "<div><p>a<b>x</b></p>".repeat(2_000);
    let dom = parse(&page, &Limits::default());
    for source in [
        "//*[.//*[.//*[.//*]]][.//zzz]",
        "//*[following::*[preceding::*[following::zzz]]]",
        "//*[count(//*[. = current()]) > 1]",
        "//*[string-length(.) > 1000000]/following::*[contains(., 'q')]",
        "//*/preceding::*/following::*/preceding::*/ancestor::*",
    ] {
        if let Ok(selector) = Selector::xpath(source) {
            selector.select(&dom, dom.document(), 10);
        }
    }
    let endless = Selector::xpath("//*[following::*[preceding::*[following::zzz]]]").unwrap();
    assert!(endless.select(&dom, dom.document(), 10).1);
    for source in
        ["div:has(p ~ q ~ div ~ q)", "div:contains(zzz) :has(:contains(yyy))", "div p ~ div b ~ p > q"]
    {
        Selector::css(source).unwrap().select(&dom, dom.document(), 10);
    }
    let cached = Selector::xpath("//*[//*[//*]]").unwrap().select(&dom, dom.document(), usize::MAX);
    assert!(!cached.1 && cached.0.len() > 5_000);
}
