use super::*;
use crate::testing::packed;

const CONTAINER: &str =
    "<container><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>";

fn package(metadata: &str, items: &str, spine: &str) -> String {
    format!("<package><metadata>{metadata}</metadata><manifest>{items}</manifest>{spine}</package>")
}

fn page(body: &str) -> String {
    format!(
        "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='x'/></head><body>{body}</body></html>"
    )
}

fn chapter(body: &str) -> Document {
    let opf = package(
        "",
        "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>",
        "<spine><itemref idref='a'/></spine>",
    );
    let bytes = packed(&[
        ("META-INF/container.xml", CONTAINER),
        ("OEBPS/book.opf", &opf),
        ("OEBPS/a.xhtml", &page(body)),
    ]);
    read(&bytes, &Limits::default()).unwrap()
}

#[test]
fn a_page_that_is_a_picture_says_what_it_shows() {
    assert_eq!(chapter("<div><img src='p.jpg' alt='Plate: the  cat'/></div>").text, "Plate: the cat\n");
    assert_eq!(chapter("<img src='p.jpg' alt='Plate'/><p>Words</p>").text, "Words\n");
}

#[test]
fn a_chapter_with_another_sum_is_damaged() {
    let opf = package(
        "",
        "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>",
        "<spine><itemref idref='a'/></spine>",
    );
    let mut bytes = packed(&[
        ("META-INF/container.xml", CONTAINER),
        ("OEBPS/book.opf", &opf),
        ("OEBPS/a.xhtml", &page("<p>Words</p>")),
    ]);
    assert!(read(&bytes, &Limits::default()).unwrap().warnings.is_empty());
    // The sum of the last part in the directory.
    let entry = memchr::memmem::rfind(&bytes, b"PK\x01\x02").unwrap();
    bytes[entry + 16] ^= 1;
    let document = read(&bytes, &Limits::default()).unwrap();
    assert_eq!((document.text.as_str(), &document.warnings[..]), ("Words\n", &["damaged".into()][..]));
}

#[test]
fn declared_entities_are_passed_over() {
    let opf = package(
        "",
        "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>",
        "<spine><itemref idref='a'/></spine>",
    );
    let chapter = "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY file SYSTEM 'file:///etc/passwd'>]><html><body><p>before &file; behind</p></body></html>";
    let bytes = packed(&[
        ("META-INF/container.xml", CONTAINER),
        ("OEBPS/book.opf", &opf),
        ("OEBPS/a.xhtml", chapter),
    ]);
    assert_eq!(read(&bytes, &Limits::default()).unwrap().text, "before &file; behind\n");
}

#[test]
fn chapters_are_blocks() {
    for (name, body, markdown) in [
        ("blocks", "<h2>H</h2><p>a\n  <b>b</b></p><div>c<p>d</p>e</div>", "## H\n\na b\n\nc\n\nd\n\ne\n"),
        ("empty elements", "<p><a id='x'/>a<i/> b<br/>c</p><p/>d", "a b  \nc\n\nd\n"),
        (
            "lists",
            "<ol start='3'><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></li></ol>",
            "3. a\n    - b\n4. c\n\nd\n",
        ),
        (
            "tables",
            "<table><caption>Cap</caption><tr><th>k</th><th>v</th></tr><tr><td>a<p>b</p></td><td><table><tr><td>x</td><td>y</td></tr></table></td></tr></table>",
            "Cap\n\n| k | v |\n| --- | --- |\n| a b | x y |\n",
        ),
        (
            "row spans and raised digits",
            "<table><tr><td rowspan='2'>m<sup>2</sup></td><td>x</td></tr><tr><td>H<sub>2</sub>O</td></tr></table>",
            "| m² | x |\n| --- | --- |\n| m² | H₂O |\n",
        ),
        ("code", "<pre>a\n  b</pre>", "```\na\n  b\n```\n"),
        (
            "links",
            "<p><a href='http://a.example/'>out</a> <a href='b.xhtml#c'>in</a></p>",
            "[out](http://a.example/) in\n",
        ),
        (
            "what is no text",
            "<style>p{}</style><svg><text>s</text></svg><img alt='cat'/><ruby>漢<rt>kan</rt></ruby>",
            "漢\n",
        ),
        ("references", "<p>&eacute;&nbsp;&#8212;</p>", "é\u{A0}—\n"),
        ("not closed", "<p>a<p>b<div>c", "a\n\nb\n\nc\n"),
    ] {
        assert_eq!(chapter(body).markdown, markdown, "{name}");
    }
}

#[test]
fn the_spine_orders_and_the_contents_name() {
    let items = "<item id='n' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>\
        <item id='a' href='text/one%20a.xhtml' media-type='application/xhtml+xml'/>\
        <item id='b' href='text/two.xhtml' media-type='application/xhtml+xml'/><item id='c' href='c.jpg' media-type='image/jpeg'/>";
    let spine = "<spine><itemref idref='n'/><itemref idref='c'/><itemref idref='b'/><itemref idref='a'/><itemref idref='none'/></spine>";
    let metadata = "<dc:title>Ducks</dc:title><dc:creator>A</dc:creator><dc:creator>B</dc:creator><dc:language>en</dc:language><dc:date>1999</dc:date>\
        <meta property='dcterms:modified'>2020-01-01T00:00:00Z</meta>";
    let opf = package(metadata, items, spine);
    let nav = page(
        "<nav epub:type='toc'><ol><li><a href='text/two.xhtml'>Part two</a><ol><li><a href='text/one%20a.xhtml#x'>Chapter one</a></li></ol></li></ol></nav>",
    );
    let bytes = packed(&[
        ("META-INF/container.xml", CONTAINER),
        ("OEBPS/book.opf", &opf),
        ("OEBPS/nav.xhtml", &nav),
        ("OEBPS/text/one a.xhtml", &page("<p>Chapter one</p><p>first</p>")),
        ("OEBPS/text/two.xhtml", &page("<p>second</p>")),
    ]);
    let read = read(&bytes, &Limits::default()).unwrap();
    assert_eq!(read.markdown, "# Part two\n\nsecond\n\n## Chapter one\n\nfirst\n");
    assert_eq!(
        (read.about.title.as_deref(), read.about.author.as_deref(), read.about.language_declared.as_deref()),
        (Some("Ducks"), Some("A; B"), Some("en"))
    );
    assert_eq!(
        (read.about.published.as_deref(), read.about.modified.as_deref()),
        (Some("1999"), Some("2020-01-01T00:00:00Z"))
    );
}

#[test]
fn older_books_name_chapters_in_an_ncx() {
    let items = "<item id='ncx' href='toc.ncx' media-type='application/x-dtbncx+xml'/><item id='a' href='a.html' media-type='text/html'/>";
    let opf = package(
        "<dc-metadata><dc:Title>X</dc:Title></dc-metadata>",
        items,
        "<spine toc='ncx'><itemref idref='a'/></spine>",
    );
    let ncx = "<ncx><navMap><navPoint><navLabel><text>One</text></navLabel><content src='a.html'/></navPoint></navMap></ncx>";
    let bytes = packed(&[
        ("META-INF/container.xml", CONTAINER),
        ("OEBPS/book.opf", &opf),
        ("OEBPS/toc.ncx", ncx),
        ("OEBPS/a.html", &page("<p>x</p>")),
    ]);
    assert_eq!(read(&bytes, &Limits::default()).unwrap().markdown, "# One\n\nx\n");
}

#[test]
fn books_under_a_key_are_refused() {
    let items = "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>";
    let opf = package("", items, "<spine><itemref idref='a'/></spine>");
    let encrypted = "<encryption><EncryptedData><CipherData><CipherReference URI='OEBPS/a.xhtml'/></CipherData></EncryptedData></encryption>";
    let parts = [
        ("META-INF/container.xml", CONTAINER),
        ("OEBPS/book.opf", opf.as_str()),
        ("OEBPS/a.xhtml", "?"),
        ("META-INF/encryption.xml", encrypted),
    ];
    assert_eq!(read(&packed(&parts), &Limits::default()).unwrap_err().reason, "encrypted");
    // Without a package the pages are read by their names.
    let read =
        read(&packed(&[("b.html", "<p>two</p>"), ("a.html", "<p>one</p>")]), &Limits::default()).unwrap();
    assert_eq!(
        (read.text.as_str(), read.warnings.as_slice()),
        ("one\ntwo\n", &["package-missing".into()][..])
    );
}
