use super::*;
use crate::testing::{packed, relationships};

const STYLES: &str = r#"<w:styles>
    <w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
    <w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
    <w:style w:type="paragraph" w:styleId="Ttulo1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/></w:style>
    <w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Mine"/><w:basedOn w:val="Ttulo1"/></w:style>
    <w:style w:type="paragraph" w:styleId="Deep"><w:name w:val="Deep"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
    <w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
    <w:style w:type="paragraph" w:styleId="Circle"><w:name w:val="c"/><w:basedOn w:val="Circle"/></w:style>
    <w:style w:type="paragraph" w:styleId="Listed"><w:name w:val="l"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
    <w:style w:type="character" w:styleId="Gone"><w:name w:val="g"/><w:rPr><w:vanish/></w:rPr></w:style>
    </w:styles>"#;

const NUMBERING: &str = r#"<w:numbering>
    <w:abstractNum w:abstractNumId="0">
        <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
        <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
        <w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl>
    </w:abstractNum>
    <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="Article %1"/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>
    </w:numbering>"#;

fn file(body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    let package = relationships(&[("r1", "officeDocument", "word/document.xml")]);
    let rels = relationships(&[
        ("r1", "styles", "styles.xml"),
        ("r2", "numbering", "numbering.xml"),
        ("r3", "footnotes", "footnotes.xml"),
        ("r4", "hyperlink", "http://a.example/x"),
        ("r5", "header", "header1.xml"),
        ("r6", "comments", "comments.xml"),
        ("r7", "chart", "charts/chart1.xml"),
        ("r8", "aFChunk", "chunk.html"),
    ]);
    let mut parts = vec![
        ("_rels/.rels", package.as_str()),
        ("word/_rels/document.xml.rels", rels.as_str()),
        ("word/document.xml", document.as_str()),
        ("word/styles.xml", STYLES),
        ("word/numbering.xml", NUMBERING),
    ];
    parts.extend(more);
    packed(&parts)
}

fn document(body: &str, more: &[(&str, &str)]) -> Document {
    read(&file(body, more), &Limits::default()).unwrap()
}

/// Paragraphs of runs.
fn p(properties: &str, content: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>")
}

fn r(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

#[test]
fn runs_are_words() {
    let field = |code: &str, result: &str| {
        format!(
            "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>{code}</w:instrText></w:r>\
             <w:r><w:fldChar w:fldCharType='separate'/></w:r>{result}<w:r><w:fldChar w:fldCharType='end'/></w:r>"
        )
    };
    let nested = field(
        &format!("IF </w:instrText></w:r>{}<w:r><w:instrText>", field("PAGE", &r("code"))),
        &r("shown"),
    );
    let cases = [
        ("text", format!("{}{}", r("one "), r("two")), "one two"),
        ("tab and break", "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>".into(), "a\tb\nc"),
        ("space that is not kept", "<w:r><w:t> a </w:t></w:r>".into(), "a"),
        ("hyphens", "<w:r><w:t>e</w:t><w:noBreakHyphen/><w:t>mail</w:t><w:softHyphen/><w:t>er</w:t></w:r>".into(), "e-mailer"),
        ("symbols", "<w:r><w:sym w:font='Wingdings' w:char='F0FE'/><w:sym w:font='Symbol' w:char='F061'/><w:sym w:font='Own' w:char='F061'/></w:r>".into(), "☑α"),
        ("inserted", format!("<w:ins>{}</w:ins>", r("in")), "in"),
        ("deleted", format!("{}<w:del><w:r><w:delText>out</w:delText></w:r></w:del><w:moveFrom>{}</w:moveFrom>", r("stays"), r("moved")), "stays"),
        ("hidden", format!("{}<w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:rPr><w:rStyle w:val='Gone'/></w:rPr><w:t>no</w:t></w:r><w:r><w:rPr><w:rStyle w:val='Gone'/><w:vanish w:val='0'/></w:rPr><w:t>yes</w:t></w:r>", r("shown ")), "shown yes"),
        ("simple field", format!("<w:fldSimple w:instr='DATE'>{}</w:fldSimple>", r("today")), "today"),
        ("field", field("PAGE", &r("7")), "7"),
        ("field in a field's code", nested, "shown"),
        ("field that was never closed", format!("<w:r><w:fldChar w:fldCharType='begin'/><w:instrText>X</w:instrText></w:r>{}", r("code")), ""),
        ("box to tick", "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>".into(), "☒"),
        ("control", format!("<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>", r("filled")), "filled"),
        ("control with a hint", format!("{}<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>", r("x"), r("Click here")), "x"),
        ("formula", "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>".into(), "\\frac{a}{b}"),
        ("ruby", "<w:r><w:ruby><w:rt><w:r><w:t>kan</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>".into(), "漢"),
        ("words for those who do not see", "<w:r><w:drawing><wp:inline><wp:docPr descr='a cat'/></wp:inline></w:drawing><w:t>x</w:t></w:r>".into(), "x"),
        ("alternatives", format!("<mc:AlternateContent><mc:Choice>{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>", r("new"), r("old")), "new"),
    ];
    for (name, content, text) in cases {
        let document = document(&p("", &content), &[]);
        assert_eq!(document.text.trim_end(), text, "{name}");
    }
}

#[test]
fn paragraphs_are_blocks() {
    let style = |name: &str| format!("<w:pStyle w:val='{name}'/>");
    let list = |list: u8, level: u8| {
        format!("<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{list}'/></w:numPr>")
    };
    let cases = [
        ("heading by name", p(&style("Ttulo1"), &r("H")), "# H\n"),
        ("heading by the style below", p(&style("Own"), &r("H")), "# H\n"),
        ("heading by outline", p(&style("Deep"), &r("H")), "### H\n"),
        ("outline of its own", p("<w:outlineLvl w:val='1'/>", &r("H")), "## H\n"),
        (
            "outline that says body",
            p(&format!("{}<w:outlineLvl w:val='9'/>", style("Ttulo1")), &r("B")),
            "B\n",
        ),
        ("style in a circle", p(&style("Circle"), &r("C")), "C\n"),
        (
            "numbers",
            format!(
                "{}{}{}{}",
                p(&list(1, 0), &r("a")),
                p(&list(1, 1), &r("b")),
                p(&list(1, 2), &r("c")),
                p(&list(1, 0), &r("d"))
            ),
            "1. a\n    - 1.a) b\n        - c\n2. d\n",
        ),
        (
            "numbers go on behind a paragraph",
            format!("{}{}{}", p(&list(1, 0), &r("a")), p("", &r("x")), p(&list(1, 0), &r("b"))),
            "1. a\n\nx\n\n2. b\n",
        ),
        (
            "a start of its own",
            format!("{}{}{}", p(&list(1, 0), &r("a")), p(&list(2, 0), &r("b")), p(&list(2, 0), &r("c"))),
            "1. a\n1. b\n2. c\n",
        ),
        (
            "list of the style",
            format!(
                "{}{}",
                p(&style("Listed"), &r("a")),
                p(&format!("{}<w:numPr><w:numId w:val='0'/></w:numPr>", style("Listed")), &r("b"))
            ),
            "1. a\n\nb\n",
        ),
        (
            "heading with a number",
            p(&format!("{}{}", style("Ttulo1"), list(3, 0)), &r("Rules")),
            "# Article IV Rules\n",
        ),
        (
            "end of a paragraph deleted",
            format!("{}{}", p("<w:rPr><w:del/></w:rPr>", &r("one ")), p("", &r("two"))),
            "one two\n",
        ),
        ("blank", p("", &r("  ")), ""),
    ];
    for (name, body, markdown) in cases {
        assert_eq!(document(&body, &[]).markdown, markdown, "{name}");
    }
}

#[test]
fn raised_digits_and_formulas_are_marked() {
    let raised = |to: &str, text: &str| {
        format!("<w:r><w:rPr><w:vertAlign w:val='{to}'/></w:rPr><w:t>{text}</w:t></w:r>")
    };
    let math = |text: &str| format!("<m:oMath><m:r><m:t>{text}</m:t></m:r></m:oMath>");
    let line = format!(
        "{}{}{}{}{}",
        r("10"),
        raised("superscript", "3"),
        r(" H"),
        raised("subscript", "2"),
        r("O, 1")
    );
    let body = p("", &format!("{line}{}", raised("superscript", "st")))
        + &p("", &format!("{}{}{}", r("for "), math("m_1"), r(", so")))
        + &p("", &format!("<m:oMathPara>{}</m:oMathPara>", math("a")));
    let document = document(&body, &[]);
    assert_eq!(document.text, "10³ H₂O, 1st\nfor m\\_1, so\na\n");
    assert_eq!(document.markdown, "10³ H₂O, 1st\n\nfor $m\\_1$, so\n\n$$a$$\n");
}

#[test]
fn tables_keep_their_places() {
    let cell =
        |properties: &str, content: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>");
    let table = format!(
        "<w:tbl><w:tblPr><w:tblLook w:val='0020'/></w:tblPr>\
         <w:tr>{}{}</w:tr><w:tr>{}{}{}</w:tr><w:tr><w:trPr><w:gridBefore w:val='1'/></w:trPr>{}{}</w:tr>\
         <w:tr><w:trPr><w:del/></w:trPr>{}</w:tr></w:tbl>",
        cell("<w:gridSpan w:val='2'/>", &p("", &r("wide"))),
        cell("", &p("", &r("c"))),
        cell("", &p("", &r("1"))),
        cell("<w:vMerge w:val='restart'/>", &p("", &r("tall"))),
        cell("", &format!("<w:tbl><w:tr>{0}{0}</w:tr></w:tbl>", cell("", &p("", &r("in"))))),
        cell("<w:vMerge/>", &p("", &r("covered"))),
        cell("", &format!("<w:p><w:hyperlink r:id='r4'>{}</w:hyperlink></w:p>", r("link"))),
        cell("", &p("", &r("deleted"))),
    );
    let document = document(&table, &[]);
    assert_eq!(document.tables[0].columns, ["wide", "column 2", "c"]);
    assert_eq!(document.tables[0].rows, [["1", "tall", "in in"], ["", "tall", "link"]]);
    assert_eq!(document.links[0].target, "http://a.example/x");
    // A frame around paragraphs is no table.
    let frame =
        format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", cell("", &p("<w:pStyle w:val='Ttulo1'/>", &r("H"))));
    assert_eq!(self::document(&frame, &[]).markdown, "# H\n");
    // A span that no table has.
    let hostile = format!(
        "<w:tbl><w:tr>{0}{0}</w:tr></w:tbl>",
        cell("<w:gridSpan w:val='4000000000'/>", &p("", &r("x")))
    );
    assert_eq!(self::document(&hostile, &[]).tables[0].rows[0].len(), 1024);
}

#[test]
fn stories_beside_the_text_are_told_apart() {
    let notes = "<w:footnotes><w:footnote w:id='0'/><w:footnote w:id='2'><w:p><w:r><w:t>below</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let comments =
        "<w:comments><w:comment w:id='5'><w:p><w:r><w:t>why?</w:t></w:r></w:p></w:comment></w:comments>";
    let header = "<w:hdr><w:p><w:r><w:t>running</w:t></w:r></w:p></w:hdr>";
    let chart = "<c:chartSpace><c:chart><c:title><a:t>Sales</a:t></c:title><c:plotArea><c:barChart><c:ser>\
        <c:tx><c:v>East</c:v></c:tx><c:cat><c:pt idx='0'><c:v>May</c:v></c:pt></c:cat><c:val><c:pt idx='0'><c:v>3.2000000000000002</c:v></c:pt></c:val>\
        </c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>";
    let more = [
        ("word/footnotes.xml", notes),
        ("word/comments.xml", comments),
        ("word/header1.xml", header),
        ("word/charts/chart1.xml", chart),
    ];
    let in_box =
        |text: &str| format!("<wps:txbx><w:txbxContent><w:p>{}</w:p></w:txbxContent></wps:txbx>", r(text));
    let body = p(
        "",
        &format!(
            "{}<w:r><w:footnoteReference w:id='2'/><w:commentReference w:id='5'/><w:footnoteReference w:id='2'/>\
             <mc:AlternateContent><mc:Choice><w:drawing>{}<c:chart r:id='r7'/></w:drawing></mc:Choice>\
             <mc:Fallback><w:pict>{}</w:pict></mc:Fallback></mc:AlternateContent></w:r>{}",
            r("before "),
            in_box("boxed"),
            in_box("boxed"),
            r("behind"),
        ),
    );
    let bytes = file(&body, &more);
    let document = read(&bytes, &Limits { furniture: true, ..Limits::default() }).unwrap();
    assert_eq!(
        document.markdown,
        "before behind\n\nboxed\n\nSales\n\n|  | East |\n| --- | --- |\n| May | 3.2 |\n\n[^1]: below\n[^c1]: why?\n\n<!-- running -->\n"
    );
    assert!(!read(&bytes, &Limits::default()).unwrap().markdown.contains("running"));
}

#[test]
fn pages_put_in_are_read() {
    let body = format!("{}<w:altChunk r:id='r8'/>{}", p("", &r("before")), p("", &r("behind")));
    let page = "<html><body><h2>Within</h2><p>a <b>page</b></p></body></html>";
    let document = document(&body, &[("word/chunk.html", page)]);
    assert_eq!(document.markdown, "before\n\n## Within\n\na page\n\nbehind\n");
    assert!(document.warnings.is_empty());
}

#[test]
fn pages_put_in_that_cannot_be_read_are_named() {
    let body = format!("{}<w:altChunk r:id='r9'/>{}", p("", &r("before")), p("", &r("behind")));
    let document = document(&body, &[("word/chunk.mht", "MIME-Version: 1.0")]);
    assert_eq!(
        (document.text.as_str(), &document.warnings[..]),
        ("before\nbehind\n", &["chunk-missing".into()][..])
    );
}

#[test]
fn a_part_that_inflates_to_too_much_is_left_out() {
    let bomb = format!("<w:footnotes>{}</w:footnotes>", " ".repeat(4 << 20));
    let body = p("", &format!("{}<w:r><w:footnoteReference w:id='2'/></w:r>", r("text")));
    let document = document(&body, &[("word/footnotes.xml", &bomb)]);
    assert_eq!(
        (document.text.as_str(), &document.warnings[..]),
        ("text\n", &["inflates-too-much".into()][..])
    );
    let body = file(&p("", &r(&"a".repeat(4 << 20))), &[]);
    assert_eq!(read(&body, &Limits::default()).unwrap_err().reason, "inflates-too-much");
}

#[test]
fn links_lead_outside() {
    let body = format!(
        "<w:p><w:hyperlink r:id='r4'>{}{}</w:hyperlink>{}<w:fldSimple w:instr=' HYPERLINK \"http://b.example/\" \\o \"tip\"'>{}</w:fldSimple>\
         <w:hyperlink w:anchor='_Toc1'>{}</w:hyperlink></w:p>",
        r("one "),
        r("link"),
        r(", "),
        r("two"),
        r(" inside"),
    );
    let document = document(&body, &[]);
    let links =
        document.links.iter().map(|link| (link.target.as_str(), link.anchor.as_str())).collect::<Vec<_>>();
    assert_eq!(links, [("http://a.example/x", "one link"), ("http://b.example/", "two")]);
}

#[test]
fn titles_are_found_in_order() {
    let core = |title: &str| {
        format!(
            "<cp:coreProperties><dc:title>{title}</dc:title><dc:creator>A;B</dc:creator></cp:coreProperties>"
        )
    };
    let styled = p("<w:pStyle w:val='T'/>", &r("Styled title"));
    let large = "<w:p><w:r><w:rPr><w:sz w:val='48'/></w:rPr><w:t>Ducks of the lake</w:t></w:r></w:p>";
    let plain =
        p("", &r("The ducks of this lake are many, and all of them are hungry in the winter months."));
    let cases = [
        (core("Said title"), format!("{styled}{plain}"), "Said title", TitleSource::Metadata),
        (core("Document1"), format!("{styled}{plain}"), "Styled title", TitleSource::Style),
        (core(" "), format!("{plain}{large}{plain}"), "Ducks of the lake", TitleSource::Type),
    ];
    for (core, body, title, source) in cases {
        let document = document(&body, &[("docProps/core.xml", &core)]);
        assert_eq!((document.about.title.as_deref(), document.title_source), (Some(title), Some(source)));
        assert_eq!(document.about.author.as_deref(), Some("A; B"));
    }
}

#[test]
fn strict_names_and_odd_prefixes_are_read() {
    let strict = "<d:document xmlns:d='http://purl.oclc.org/ooxml/wordprocessingml/main'><d:body><d:p><d:r><d:t>strict</d:t></d:r></d:p></d:body></d:document>";
    let package = relationships(&[("r1", "officeDocument", "/other/main.xml")]);
    let bytes = packed(&[("_rels/.rels", &package), ("other/main.xml", strict)]);
    assert_eq!(read(&bytes, &Limits::default()).unwrap().text, "strict\n");
}

#[test]
fn broken_files_are_read_as_far_as_they_go() {
    let cut = "<w:document><w:body><w:p><w:r><w:t>whole</w:t></w:r></w:p><w:p><w:r><w:t>half";
    let document = read(&packed(&[("word/document.xml", cut)]), &Limits::default()).unwrap();
    assert_eq!(
        (document.text.as_str(), document.warnings.as_slice()),
        ("whole\nhalf\n", &["damaged".into()][..])
    );
    let none = read(&packed(&[("word/other.xml", cut)]), &Limits::default());
    assert_eq!(none.unwrap_err().reason, "no-such-part");
    // Tables within tables, deeper than any is shown.
    let deep = format!(
        "<w:document><w:body>{}{}</w:body></w:document>",
        "<w:tbl><w:tr><w:tc>".repeat(80),
        p("", &r("x"))
    );
    read(&packed(&[("word/document.xml", &deep)]), &Limits::default()).unwrap();
}
