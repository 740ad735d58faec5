//! What selectors find on small pages.

use webmill_html::{Dom, Limits, parse};

use super::{Selector, SelectorResult, text_of};

const PAGE: &str = "<html><head><title>T</title></head><body id=b class='x y'>
<div id=d1 class='item big'><h2>One</h2><a href='/1' rel=nofollow>first</a><p>10 <b>EUR</b></p></div>
<div id=d2 class=item><h2>Two</h2><a href='/2'>second</a><p>20 <b>EUR</b></p></div>
<ul><li>a<li>b<li>c</ul><!-- note --></body></html>";

fn shown(dom: &Dom<'_>, found: Vec<SelectorResult>) -> Vec<String> {
    let text = |one| match one {
        SelectorResult::Node(node) => format!("<{}>{}", dom.name(node), text_of(dom, node)),
        SelectorResult::Text(text) => text.trim().to_owned(),
    };
    found.into_iter().map(text).collect()
}

fn found(selector: Selector) -> Vec<String> {
    let dom = parse(PAGE, &Limits::default());
    let (found, more) = selector.select(&dom, dom.document(), 100);
    assert!(!more);
    shown(&dom, found)
}

#[test]
fn css_as_browsers_and_parsel_have_it() {
    let css = |source: &str| found(Selector::css(source).unwrap_or_else(|error| panic!("{source}: {error}")));
    assert_eq!(css("h2"), ["<h2>One", "<h2>Two"]);
    assert_eq!(css("div.item.big > a"), ["<a>first"]);
    assert_eq!(css("#d2 a::attr(href)"), ["/2"]);
    assert_eq!(css("h2::text, a::text"), ["One", "first", "Two", "second"]);
    assert_eq!(css("p::text"), ["10", "20"]);
    assert_eq!(css("p ::text"), ["10", "EUR", "20", "EUR"]);
    assert_eq!(css("li:nth-child(2n+1)"), ["<li>a", "<li>c"]);
    assert_eq!(css("li:last-child::text"), ["c"]);
    assert_eq!(css("div:has(a[rel~=nofollow]) b"), ["<b>EUR"]);
    assert_eq!(css("div:not(.big) h2"), ["<h2>Two"]);
    assert_eq!(css("DIV:contains('Two') A"), ["<a>second"]);
    assert_eq!(css("p b::outer"), ["<b>EUR</b>", "<b>EUR</b>"]);
    assert_eq!(css("p::html").len(), 2);
    assert_eq!(css("h2 + a, nothing"), ["<a>first", "<a>second"]);
    for wrong in ["", "div[", "a::nothing", ":nothing", "a >", "a,,b", &"(".repeat(100)] {
        assert!(Selector::css(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn rows_are_found_as_sources_have_them() {
    let page =
        "<table id=t><tr><td>a<tr><td>b</table><table id=u><thead><tr><th>c</thead><tbody><tr><td>d</table>";
    let dom = parse(page, &Limits::default());
    let found = |selector: Selector| shown(&dom, selector.select(&dom, dom.document(), 100).0);
    let xpath = |source: &str| found(Selector::xpath(source).unwrap());
    assert_eq!(xpath("//table/tr"), ["<tr>a", "<tr>b", "<tr>d"]);
    assert_eq!(xpath("//*[@id='t']/tr[2]/td/text()"), ["b"]);
    assert_eq!(xpath("/html/body/table[1]/tbody/tr[1]/td"), ["<td>a"]);
    assert_eq!(xpath("//table[tr/td='b']/@id"), ["t"]);
    assert_eq!(xpath("//table[@id='u']/thead/tr"), ["<tr>c"]);
    assert_eq!(xpath("count(//table/tr)"), ["0"], "a number is never nothing");
    assert_eq!(xpath("//ol/tr"), [""; 0]);
    let css = |source: &str| found(Selector::css(source).unwrap());
    assert_eq!(css("#t > tr > td::text"), ["a", "b"]);
    assert_eq!(css("table>TR:last-child"), ["<tr>b", "<tr>d"]);
    assert_eq!(css("thead > tr"), ["<tr>c"]);
    assert_eq!(css("#t > track, #t > tr-x"), [""; 0]);
    let table = Selector::css("#t").unwrap().select(&dom, dom.document(), 1).0;
    let Some(SelectorResult::Node(table)) = table.first() else { panic!("no table") };
    for selector in [Selector::xpath("./tr"), Selector::xpath("tr"), Selector::css("> tr")] {
        assert_eq!(shown(&dom, selector.unwrap().select(&dom, *table, 9).0), ["<tr>a", "<tr>b"]);
    }
}

#[test]
fn xpath_as_the_standard_has_it() {
    let xpath =
        |source: &str| found(Selector::xpath(source).unwrap_or_else(|error| panic!("{source}: {error}")));
    assert_eq!(xpath("//h2"), ["<h2>One", "<h2>Two"]);
    assert_eq!(xpath("//div[@class='item']/a/@href"), ["/2"]);
    assert_eq!(
        xpath("//div[contains(concat(' ', normalize-space(@class), ' '), ' item ')][2]/h2/text()"),
        ["Two"]
    );
    assert_eq!(xpath("//li[position() > 1]/text()"), ["b", "c"]);
    assert_eq!(xpath("//li[last()]"), ["<li>c"]);
    assert_eq!(xpath("(//h2 | //a)[3]"), ["<h2>Two"]);
    assert_eq!(xpath("count(//li) * 2 + 1"), ["7"]);
    assert_eq!(xpath("sum(//p/b/preceding-sibling::text()) div 4"), ["7.5"]);
    assert_eq!(xpath("string(//p)"), ["10 EUR"]);
    assert_eq!(xpath("//a[starts-with(., 'sec')]/ancestor::div/@id"), ["d2"]);
    assert_eq!(xpath("//h2/following-sibling::a[1]/text()"), ["first", "second"]);
    assert_eq!(xpath("//div[h2 = 'One']/p"), ["<p>10 EUR"]);
    assert_eq!(xpath("//div[not(.//a[@rel])]/@id"), ["d2"]);
    assert_eq!(xpath("//body/comment()"), ["note"]);
    assert_eq!(xpath("substring('12345', 1.5, 2.6)"), ["234"]);
    assert_eq!(xpath("translate('bar', 'abc', 'AB')"), ["BAr"]);
    assert_eq!(xpath("name(//*[@id='d1'])"), ["div"]);
    assert_eq!(xpath("id('d2 d1')/h2"), ["<h2>One", "<h2>Two"]);
    assert_eq!(xpath("1 div 0"), ["Infinity"]);
    assert_eq!(xpath("boolean(//nothing) or 'a' = 'a'"), ["true"]);
    assert_eq!(xpath("//li[. = 'b']/preceding::h2[1]"), ["<h2>Two"]);
    for wrong in ["", "//", "//a[", "foo()", "$x", "1 +", "//a[@]", &"(".repeat(1000), "namespace::a"] {
        assert!(Selector::xpath(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn work_is_bounded() {
    let page = format!("<body>{}", "<div><p>a</p>".repeat(400));
    let dom = parse(&page, &Limits::default());
    let slow = Selector::xpath("//*[//*[. = //*]][//*[. != //*]][count(//*[count(//*) > 1]) > 1]").unwrap();
    let (_, more) = slow.select(&dom, dom.document(), 10);
    let _ = more;
    let (found, more) = Selector::css("div").unwrap().select(&dom, dom.document(), 10);
    assert_eq!((found.len(), more), (10, true));
}
