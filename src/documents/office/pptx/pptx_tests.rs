use super::*;
use crate::testing::{packed, relationships};

/// A shape: properties of its placeholder, its place, paragraphs.
fn shape(placeholder: &str, place: Option<(i64, i64)>, paragraphs: &str) -> String {
    let place = place.map_or(String::new(), |(x, y)| format!("<a:xfrm><a:off x='{x}' y='{y}'/></a:xfrm>"));
    format!(
        "<p:sp><p:nvSpPr><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:spPr>{place}</p:spPr><p:txBody>{paragraphs}</p:txBody></p:sp>"
    )
}

fn words(text: &str) -> String {
    format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>")
}

fn slide(shapes: &str) -> String {
    format!("<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>")
}

fn document(slides: &[&str], more: &[(&str, &str)]) -> Document {
    let ids = (0..slides.len()).map(|at| format!("<p:sldId id='{}' r:id='s{at}'/>", 256 + at));
    let presentation =
        format!("<p:presentation><p:sldIdLst>{}</p:sldIdLst></p:presentation>", ids.collect::<String>());
    let names =
        (0..slides.len()).map(|at| (format!("s{at}"), format!("slides/slide{at}.xml"))).collect::<Vec<_>>();
    let rels = names.iter().map(|(id, part)| (id.as_str(), "slide", part.as_str())).collect::<Vec<_>>();
    let rels = relationships(&rels);
    let parts = names.iter().map(|(_, part)| format!("ppt/{part}")).collect::<Vec<_>>();
    let mut all = vec![
        ("ppt/presentation.xml", presentation.as_str()),
        ("ppt/_rels/presentation.xml.rels", rels.as_str()),
    ];
    all.extend(parts.iter().map(String::as_str).zip(slides.iter().copied()));
    all.extend(more);
    read(&packed(&all), &Limits::default()).unwrap()
}

#[test]
fn shapes_are_read_by_their_places() {
    let title = "<p:ph type='title'/>";
    let one = slide(
        &[
            shape("", Some((5_000_000, 2_000_000)), &words("right")),
            shape("<p:ph type='sldNum'/>", Some((0, 0)), &words("1")),
            shape("", Some((0, 4_000_000)), &words("below")),
            shape("", Some((100_000, 2_100_000)), &words("left")),
            shape(title, Some((0, 3_000_000)), &words("Title")),
            format!(
                "<p:grpSp><p:grpSpPr><a:xfrm><a:off x='0' y='5000000'/></a:xfrm></p:grpSpPr>{}{}</p:grpSp>",
                shape("", Some((9, 9_000_000)), &words("group 2")),
                shape("", Some((9, 0)), &words("group 1"))
            ),
        ]
        .concat(),
    );
    let read = document(&[&one], &[]);
    assert_eq!(read.text, "Title\nleft\nright\nbelow\ngroup 1\ngroup 2\n");
    assert_eq!((read.about.title.as_deref(), read.pages), (Some("Title"), Some(1)));
}

#[test]
fn placeholders_take_place_and_bullets_of_the_layout() {
    let body = "<p:ph type='body' idx='1'/>";
    let lines = "<a:p><a:r><a:t>one</a:t></a:r></a:p><a:p><a:pPr lvl='1'/><a:r><a:t>two</a:t></a:r></a:p>\
        <a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>plain</a:t></a:r></a:p>\
        <a:p><a:pPr><a:buAutoNum type='arabicPeriod' startAt='3'/></a:pPr><a:r><a:t>three</a:t></a:r></a:p>\
        <a:p><a:pPr><a:buAutoNum type='arabicPeriod' startAt='3'/></a:pPr><a:r><a:t>four</a:t></a:r></a:p>\
        <a:p><a:pPr><a:buAutoNum type='alphaLcParenR'/></a:pPr><a:r><a:t>five</a:t></a:r></a:p>";
    let one = slide(&format!("{}{}", shape("", Some((0, 50)), &words("first")), shape(body, None, lines)));
    let layout = format!(
        "<p:sldLayout><p:cSld><p:spTree>{}</p:spTree></p:cSld></p:sldLayout>",
        shape(
            "<p:ph idx='1'/>",
            Some((0, 4_000_000)),
            "<a:lstStyle><a:lvl2pPr><a:buNone/></a:lvl2pPr></a:lstStyle>"
        )
    );
    let rels = relationships(&[("l", "slideLayout", "../slideLayouts/layout1.xml")]);
    let read = document(
        &[&one],
        &[("ppt/slideLayouts/layout1.xml", &layout), ("ppt/slides/_rels/slide0.xml.rels", &rels)],
    );
    assert_eq!(read.markdown, "first\n\n- one\n\ntwo\n\nplain\n\n3. three\n4. four\n- a) five\n");
}

#[test]
fn tables_diagrams_notes_and_comments_are_read() {
    let table = "<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow='1'/>\
        <a:tr><a:tc gridSpan='2'><a:txBody><a:p><a:r><a:t>wide</a:t></a:r></a:p></a:txBody></a:tc><a:tc hMerge='1'/></a:tr>\
        <a:tr><a:tc><a:txBody><a:p><a:r><a:rPr><a:hlinkClick r:id='h'/></a:rPr><a:t>a</a:t></a:r><a:br/><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc><a:tc/></a:tr>\
        </a:tbl></a:graphicData></a:graphic></p:graphicFrame>\
        <p:graphicFrame><a:graphic><a:graphicData><dgm:relIds r:dm='d'/></a:graphicData></a:graphic></p:graphicFrame>";
    let diagram = "<dgm:dataModel><dgm:ptLst>\
        <dgm:pt modelId='2'><dgm:t><a:p><a:r><a:t>second</a:t></a:r></a:p></dgm:t></dgm:pt>\
        <dgm:pt modelId='3'><dgm:t><a:p><a:r><a:t>under</a:t></a:r></a:p></dgm:t></dgm:pt>\
        <dgm:pt modelId='1'><dgm:t><a:p><a:r><a:t>first</a:t></a:r></a:p></dgm:t></dgm:pt>\
        <dgm:pt modelId='0' type='doc'/><dgm:pt modelId='9' type='pres'/></dgm:ptLst>\
        <dgm:cxnLst><dgm:cxn srcId='0' destId='2' srcOrd='1'/><dgm:cxn srcId='0' destId='1' srcOrd='0'/>\
        <dgm:cxn srcId='1' destId='3' srcOrd='0'/><dgm:cxn srcId='3' destId='1' srcOrd='0'/></dgm:cxnLst></dgm:dataModel>";
    let notes = format!(
        "<p:notes><p:cSld><p:spTree>{}{}</p:spTree></p:cSld></p:notes>",
        shape("<p:ph type='body' idx='1'/>", None, &words("say it")),
        shape("<p:ph type='sldNum'/>", None, &words("1"))
    );
    let comments = "<p:cmLst><p:cm authorId='0'><p:text>why?</p:text></p:cm></p:cmLst>";
    let rels = relationships(&[
        ("h", "hyperlink", "http://a.example/"),
        ("d", "diagramData", "../diagrams/data1.xml"),
        ("n", "notesSlide", "../notesSlides/n1.xml"),
        ("c", "comments", "../comments/c1.xml"),
    ]);
    let more = [
        ("ppt/diagrams/data1.xml", diagram),
        ("ppt/notesSlides/n1.xml", notes.as_str()),
        ("ppt/comments/c1.xml", comments),
        ("ppt/slides/_rels/slide0.xml.rels", rels.as_str()),
    ];
    let hidden = slide(&shape("", None, &words("next"))).replace("<p:sld>", "<p:sld show='0'>");
    let read = document(&[&slide(table), &hidden], &more);
    assert_eq!(
        read.markdown,
        "| wide |  |\n| --- | --- |\n| a b |  |\n\n- first\n    - under\n- second\n\n[^1]: say it\n[^1c1]: why?\n\nnext\n"
    );
    assert_eq!(read.links[0].target, "http://a.example/");
    assert_eq!(read.warnings, ["hidden-slides"]);
}

#[test]
fn raised_digits_are_marked() {
    let run = |rise: i32, text: &str| format!("<a:r><a:rPr baseline='{rise}'/><a:t>{text}</a:t></a:r>");
    let line = [run(0, "x"), run(30_000, "2"), run(0, " H"), run(-25_000, "2"), run(0, "O")].concat();
    let read = document(&[&slide(&shape("", None, &format!("<a:p>{line}</a:p>")))], &[]);
    assert_eq!(read.text, "x² H₂O\n");
}

#[test]
fn missing_slides_are_told() {
    let bytes = packed(&[
        (
            "ppt/presentation.xml",
            "<p:presentation><p:sldIdLst><p:sldId r:id='a'/><p:sldId r:id='b'/></p:sldIdLst></p:presentation>",
        ),
        ("ppt/_rels/presentation.xml.rels", &relationships(&[("a", "slide", "slides/none.xml")])),
    ]);
    let read = read(&bytes, &Limits::default()).unwrap();
    assert_eq!((read.pages, read.warnings.as_slice()), (Some(1), &["slide-missing".into()][..]));
}
