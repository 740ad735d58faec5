use super::*;
use crate::testing::packed;

fn document(kind: Kind, styles: &str, body: &str, more: &[(&str, &str)]) -> Document {
    let content = format!(
        "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    );
    let mut parts = vec![("content.xml", content.as_str())];
    parts.extend(more);
    read(&packed(&parts), kind, &Limits::default()).unwrap()
}

fn text(body: &str) -> Document {
    let styles = "<style:style style:name='P1' style:parent-style-name='Title'/>\
        <style:style style:name='Hid'><style:text-properties text:display='none'/></style:style>\
        <style:style style:name='Up'><style:text-properties style:text-position='super 58%'/></style:style>\
        <style:style style:name='Down'><style:text-properties style:text-position='-33% 58%'/></style:style>\
        <style:style style:name='On'><style:text-properties style:text-position='0% 100%'/></style:style>\
        <style:style style:name='A' style:parent-style-name='B'/><style:style style:name='B' style:parent-style-name='A'/>\
        <text:list-style style:name='N'><text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>\
        <text:list-level-style-number text:level='2' style:num-format='a' style:num-suffix=')' text:display-levels='2'/></text:list-style>\
        <text:list-style style:name='L'><text:list-level-style-bullet text:level='1'/></text:list-style>";
    document(Kind::Odt, styles, &format!("<office:text>{body}</office:text>"), &[])
}

#[test]
fn texts_are_blocks() {
    let item = |words: &str| format!("<text:list-item><text:p>{words}</text:p></text:list-item>");
    let cases = [
        ("white space", "<text:p> a  b\n<text:s text:c='2'/>c<text:tab/>d<text:line-break/> e </text:p>".to_owned(), "a b   c\td  \ne\n"),
        ("headings", "<text:h text:outline-level='2'>H</text:h><text:p text:style-name='P1'>T</text:p>".into(), "## H\n\n# T\n"),
        ("spans and fields", "<text:p>a <text:span>b</text:span><text:span text:style-name='Hid'>no</text:span> <text:page-number>4</text:page-number></text:p>".into(), "a b 4\n"),
        ("raised digits", "<text:p>x<text:span text:style-name='Up'>2</text:span> H<text:span text:style-name='Down'>2<text:span text:style-name='On'>O2</text:span></text:span><text:span text:style-name='Up'> or</text:span> 10<text:a xlink:href='http://a.example/'><text:span text:style-name='Up'>−3</text:span></text:a></text:p>".into(), "x² H₂O2 or 10[⁻³](http://a.example/)\n"),
        ("deletions", "<text:tracked-changes><text:changed-region><text:deletion><text:p>out</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>x<text:change text:change-id='1'/>y</text:p>".into(), "xy\n"),
        ("lists", format!("<text:list text:style-name='N'>{}<text:list-item><text:p>b</text:p><text:list>{}</text:list></text:list-item>{}</text:list>", item("a"), item("c"), item("d")), "1. a\n2. b\n    - 2.a) c\n3. d\n"),
        ("a list goes on", format!("<text:list text:style-name='N'>{}</text:list><text:p>x</text:p><text:list text:style-name='N' text:continue-numbering='true'>{}</text:list>", item("a"), item("b")), "1. a\n\nx\n\n2. b\n"),
        ("bullets", format!("<text:list text:style-name='L'>{}<text:list-header><text:p>h</text:p></text:list-header></text:list>", item("a")), "- a\n\nh\n"),
        ("boxes", "<text:p>before<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame> behind</text:p>".into(), "before behind\n\nboxed\n"),
        ("pictures", "<text:p>x<draw:frame><draw:image/><svg:title>cat</svg:title><svg:desc>a cat</svg:desc></draw:frame></text:p>".into(), "x\n"),
        ("notes", "<text:p>x<text:note text:note-class='footnote'><text:note-citation>7</text:note-citation><text:note-body><text:p>below</text:p></text:note-body></text:note><office:annotation><dc:creator>me</dc:creator><text:p>why?</text:p></office:annotation></text:p>".into(), "x\n\n[^7]: below\n[^c1]: why?\n"),
        ("links", "<text:p><text:a xlink:href='http://a.example/'>link</text:a> <text:a xlink:href='#here'>inside</text:a></text:p>".into(), "[link](http://a.example/) inside\n"),
        ("hidden section", "<text:section text:display='none'><text:p>no</text:p></text:section><text:section><text:p>yes</text:p></text:section>".into(), "yes\n"),
        ("styles in a circle", "<text:p text:style-name='A'>x</text:p>".into(), "x\n"),
        ("index", "<text:table-of-content><text:table-of-content-source><text:p>no</text:p></text:table-of-content-source><text:index-body><text:p>One 1</text:p></text:index-body></text:table-of-content>".into(), "One 1\n"),
    ];
    for (name, body, markdown) in cases {
        assert_eq!(text(&body).markdown, markdown, "{name}");
    }
}

#[test]
fn tables_are_bounded() {
    let table = "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table-header-rows>\
        <table:table-row table:number-rows-repeated='2'><table:table-cell table:number-columns-spanned='2'><text:p>wide</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table>";
    let read = text(table);
    assert_eq!(read.tables[0].columns, ["a", "b"]);
    assert_eq!(read.tables[0].rows, [["wide", ""], ["wide", ""]]);
    let cell = |attributes: &str, words: &str| {
        format!("<table:table-cell {attributes}><text:p>{words}</text:p></table:table-cell>")
    };
    let covered = "<table:covered-table-cell/>";
    let tall = format!(
        "<table:table><table:table-row>{}{covered}{}</table:table-row><table:table-row><table:covered-table-cell table:number-columns-repeated='2'/>{}</table:table-row>\
        <table:table-row>{}{covered}{}</table:table-row></table:table>",
        cell("table:number-columns-spanned='2' table:number-rows-spanned='2'", "a"),
        cell("", "b"),
        cell("table:number-rows-spanned='2'", "c"),
        cell("", "d"),
        cell("", "e"),
    );
    assert_eq!(text(&tall).tables[0].rows, [["a", "", "b"], ["a", "", "c"], ["d", "", "e"]]);
    let hostile = "<table:table><table:table-row table:number-rows-repeated='4000000000'><table:table-cell/><table:table-cell table:number-columns-repeated='4000000000'><text:p>x</text:p></table:table-cell></table:table-row></table:table>";
    let read = text(hostile);
    assert_eq!((read.tables[0].rows.len(), read.tables[0].rows[0].len()), (64, 1024));
}

#[test]
fn sheets_show_their_cells() {
    let body = "<office:spreadsheet><table:table table:name='One'>\
        <table:table-row table:number-rows-repeated='1000000'><table:table-cell table:number-columns-repeated='16384'/></table:table-row>\
        <table:table-row><table:table-cell office:value-type='string'><text:p>Name</text:p></table:table-cell><table:table-cell office:value-type='string'><text:p>Share</text:p></table:table-cell></table:table-row>\
        <table:table-row table:number-rows-repeated='2'><table:table-cell/><table:table-cell office:value-type='percentage' office:value='0.125'><text:p>12.5%</text:p></table:table-cell></table:table-row>\
        <table:table-row><table:table-cell office:value-type='float' office:value='7'/></table:table-row>\
        </table:table><table:table table:name='Two' table:style-name='hid'/></office:spreadsheet>";
    let styles =
        "<style:style style:name='hid'><style:table-properties table:display='false'/></style:style>";
    let read = document(Kind::Ods, styles, body, &[]);
    assert_eq!(read.text, "One\nName | Share\n | 12.5%\n | 12.5%\n7\nTwo\n");
    assert_eq!((read.pages, read.about.title.as_deref()), (Some(2), Some("Name")));
    assert_eq!(read.warnings, ["hidden-sheets"]);
    let hostile = "<office:spreadsheet><table:table table:name='s'><table:table-row table:number-rows-repeated='4000000000'>\
        <table:table-cell table:number-columns-repeated='4000000000'><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>";
    let limits = Limits { max_table_rows: 10, max_text_chars: 1000, ..Limits::default() };
    let content = format!("<d><office:body>{hostile}</office:body></d>");
    let read = read_with(&content, &limits);
    assert!(read.warnings.contains(&"cells-cut".into()), "{:?}", read.warnings);
}

fn read_with(content: &str, limits: &Limits) -> Document {
    read(&packed(&[("content.xml", content)]), Kind::Ods, limits).unwrap()
}

#[test]
fn slides_are_read_by_their_places() {
    let frame = |class: &str, x: u8, y: u8, words: &str| {
        format!(
            "<draw:frame presentation:class='{class}' svg:x='{x}cm' svg:y='{y}cm'><draw:text-box><text:p>{words}</text:p></draw:text-box></draw:frame>"
        )
    };
    let body = format!(
        "<office:presentation><draw:page>{}{}{}{}<presentation:notes>{}</presentation:notes></draw:page></office:presentation>",
        frame("outline", 9, 5, "right"),
        frame("", 1, 5, "left"),
        "<draw:frame svg:y='9cm'><draw:object xlink:href='./Object 1'/></draw:frame>",
        frame("title", 1, 12, "Title"),
        frame("notes", 1, 1, "say it"),
    );
    let chart = "<d><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title><table:table><table:table-rows>\
        <table:table-row><table:table-cell><text:p/></table:table-cell><table:table-cell><text:p>East</text:p></table:table-cell></table:table-row>\
        <table:table-row><table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell><text:p>3.2000000000000002</text:p></table:table-cell></table:table-row>\
        </table:table-rows></table:table></chart:chart></office:chart></office:body></d>";
    let read = document(Kind::Odp, "", &body, &[("Object 1/content.xml", chart)]);
    assert_eq!(
        read.markdown,
        "# Title\n\nleft\n\nright\n\nSales\n\n|  | East |\n| --- | --- |\n| May | 3.2 |\n\n[^1]: say it\n"
    );
    assert_eq!(read.about.title.as_deref(), Some("Title"));
}

#[test]
fn metadata_are_read() {
    let meta = "<d><office:meta><dc:title>Ducks</dc:title><meta:initial-creator>A. Author</meta:initial-creator><dc:creator>B</dc:creator>\
        <meta:creation-date>2020-01-02T03:04:05</meta:creation-date><dc:date>2021-01-01T00:00:00</dc:date>\
        <meta:document-statistic meta:page-count='3'/></office:meta></d>";
    let styles = "<d><office:styles><style:default-style style:family='paragraph'><style:text-properties fo:language='de' fo:country='AT'/></style:default-style></office:styles></d>";
    let read = document(Kind::Odt, "", "<office:text/>", &[("meta.xml", meta), ("styles.xml", styles)]);
    assert_eq!(
        (read.about.title.as_deref(), read.title_source),
        (Some("Ducks"), Some(TitleSource::Metadata))
    );
    assert_eq!(
        (read.about.author.as_deref(), read.pages, read.about.language_declared.as_deref()),
        (Some("A. Author"), Some(3), Some("de-AT"))
    );
    assert_eq!(
        (read.about.published.as_deref(), read.about.modified.as_deref()),
        (Some("2020-01-02T03:04:05"), Some("2021-01-01T00:00:00"))
    );
}

#[test]
fn what_cannot_be_read_says_why() {
    let manifest = "<m:manifest><m:file-entry m:full-path='content.xml'><m:encryption-data/></m:file-entry></m:manifest>";
    for (parts, reason) in [
        (vec![("META-INF/manifest.xml", manifest), ("content.xml", "?")], "encrypted"),
        (vec![("mimetype", "x")], "no-such-part"),
        (vec![("content.xml", "no xml")], "damaged"),
    ] {
        assert_eq!(read(&packed(&parts), Kind::Odt, &Limits::default()).unwrap_err().reason, reason);
    }
}
