use super::*;
use crate::{Link, TitleSource};

fn read_all(rtf: &[u8]) -> Document {
    read(rtf, &Limits::default()).unwrap()
}

fn text_of(body: &str) -> String {
    read_all(format!("{{\\rtf1\\ansi\\ansicpg1252 {body}}}").as_bytes()).text
}

#[test]
fn units_and_bytes_are_characters() {
    let cases = [
        ("a\\u8364?b", "a€b\n"),
        ("\\u-28865\\'95b\\par", "輿b\n"),
        ("\\uc2\\u20013\\'d6\\'d0\\u25991\\'ce\\'c4", "中文\n"),
        ("\\uc0\\u20013 x", "中x\n"),
        ("{\\uc2 \\u20013ab}\\u20013ab", "中中b\n"),
        ("\\u-10179?\\u-8704?!", "😀!\n"),
        ("\\u-10179?x", "x\n"),
        ("\\u8212\\emdash\\u8212\\par y", "——\ny\n"),
        ("caf\\'e9\\'zz", "cafézz\n"),
        ("\\lquote a\\rquote\\~\\_\\-b\\emdash\\bullet\\{\\}\\\\", "‘a’\u{A0}-b—•{}\\\n"),
        ("a\\line b\\tab c", "a\nb\tc\n"),
        ("{\\upr{ansi ?}{\\*\\ud{\\u20013 ?}}}", "中\n"),
        (
            "x{\\super 2} H{\\sub 2}O 10\\up6 \\u8722?{\\b 3}\\up0  1{\\super s}{\\super t} m\\dn4 0\\nosupersub  5",
            "x² H₂O 10⁻³ 1st m₀ 5\n",
        ),
    ];
    for (body, text) in cases {
        assert_eq!(text_of(body), text, "{body}");
    }
}

#[test]
fn bytes_are_of_the_charset_of_the_font() {
    let fonts = "{\\fonttbl{\\f0\\fnil\\fcharset0 Times;}{\\f1\\fcharset134{\\*\\falt x};}{\\f2\\fcharset136 M;}\
        {\\f3\\fcharset128 G;}{\\f4\\fcharset204 T;}{\\f5\\fcharset2 Symbol;}{\\f6\\fnil\\cpg1253 C;}{\\f7 Plain;}\
        {\\f8\\fcharset129 B;}{\\f9\\fcharset178 A;}}";
    let cases: [(&[u8], &str); 14] = [
        (b"\\f1\\'d6\\'d0\\'ce\\'c4", "中文\n"),
        (b"\\f2 \\'a4\\'a4\\'a4\\'e5", "中文\n"),
        // The second byte: plain, a mark, in another group.
        (b"\\f3 \\'93\\'fa\\'83A\\'83\\\\", "日アソ\n"),
        (b"\\f3 \x83\\x\x83{", "ソxボ\n"),
        (b"{\\f1\\'d6}{\\f1\\'d0}", "中\n"),
        (b"\\f1\\'d6\\par\\'d0\\'d0", "行\n"),
        (b"\\f4\\'cc\\'e8\\'f0", "Мир\n"),
        (b"\\f5 ab\\'b7\\u-3913?", "αβ••\n"),
        (b"\\f6\\'e1", "α\n"),
        (b"\\f7\\'e1", "á\n"),
        (b"\\f8\\'c7\\'d1", "한\n"),
        (b"\\f9\\'e3\\'e6", "مو\n"),
        (b"\\f0\\'e9t\\'e9 {\\f1\\'d6\\'d0}\\'e9", "été 中é\n"),
        (b"\\f0 \xe4\xb8\xad", "中\n"),
    ];
    for (body, text) in cases {
        let mut rtf = format!("{{\\rtf1\\ansi\\deff0{fonts}").into_bytes();
        rtf.extend_from_slice(body);
        rtf.extend_from_slice(b"}");
        let read = read_all(&rtf).text;
        assert_eq!(read, text, "{}", String::from_utf8_lossy(body));
    }
    // A western font in a Chinese document.
    let rtf =
        b"{\\rtf1\\ansicpg936{\\fonttbl{\\f0\\fcharset0 T;}}\\f0\\'d6\\'d0 caf\\'e9\\par \\'ce\\'c4 ok}";
    assert_eq!(read_all(rtf).text, "ÖÐ café\n文 ok\n");
}

#[test]
fn what_is_no_text_is_left_out() {
    let cases = [
        ("a{\\*\\unknown b}c{\\pict\\pngblip 89504e47}d", "acd\n"),
        ("a{\\pict\\bin4 }{\\}b}c", "ac\n"),
        // Its length is a lie.
        ("a{\\pict\\bin400 xyz}c", "ac\n"),
        ("{\\colortbl;\\red0;}{\\object{\\*\\objdata 00}{\\result no}}x", "x\n"),
        ("a{\\v hidden}b{\\deleted gone}c\\v d\\v0 e", "abce\n"),
        ("{\\header top}{\\footerl \\chpgn}body", "body\n"),
        ("{\\*\\shppict{\\pict 00}}{\\nonshppict{\\pict 00}}{\\*\\bkmkstart x}y", "y\n"),
        ("{\\xe entry}{\\tc entry}z", "z\n"),
        (
            "{\\shp{\\*\\shpinst{\\sp{\\sn a}{\\sv b}}{\\shptxt box\\par}}{\\shprslt copy}}body\\par",
            "body\nbox\n",
        ),
    ];
    for (body, text) in cases {
        assert_eq!(text_of(body), text, "{body}");
    }
}

#[test]
fn notes_come_last_and_headers_are_furniture() {
    let rtf = b"{\\rtf1{\\header Top {\\field{\\*\\fldinst PAGE}{\\fldrslt 1}}}one{\\super\\chftn}{\\footnote\\chftn  first note}\
        \\par two{\\footnote{\\ftnalt}second}\\par}";
    let document = read(rtf, &Limits { furniture: true, ..Limits::default() }).unwrap();
    assert_eq!(document.text, "one\ntwo\nfirst note\nsecond\n");
    assert_eq!(document.markdown, "<!-- Top 1 -->\n\none\n\ntwo\n\n[^1]: first note\n[^2]: second\n");
}

#[test]
fn fields_show_their_results() {
    let rtf = b"{\\rtf1 Read {\\field{\\*\\fldinst{HYPERLINK \"http://a.example/x\" \\\\l \"p\"}}{\\fldrslt{\\ul this}}} now \
        {\\field{\\*\\fldinst DATE}{\\fldrslt today}} {\\field{\\*\\fldinst SYMBOL 183 \\\\f \"Symbol\"}{\\fldrslt ?}}\\par}";
    let document = read_all(rtf);
    assert_eq!(document.text, "Read this now today •\n");
    assert_eq!(document.links, [Link { target: "http://a.example/x#p".into(), anchor: "this".into() }]);
}

#[test]
fn rows_and_cells_are_tables() {
    let body = "before\\par\\trowd\\trhdr\\cellx1\\cellx2\\pard\\intbl kind\\cell price\\cell\\row\
        \\trowd\\cellx1\\cellx2\\pard\\intbl tea\\cell\\pard\\plain\\intbl 2\\par 3\\cell\\row\\pard after\\par";
    assert_eq!(text_of(body), "before\nkind | price\ntea | 2 3\nafter\n");
    let nested = "\\trowd\\pard\\intbl a\\cell\\pard\\intbl\\itap2 x\\nestcell y\\nestcell\
        {\\*\\nesttableprops\\trowd\\nestrow}{\\nonesttables\\par}\\pard\\intbl b\\cell\\row\\pard z\\par";
    assert_eq!(text_of(nested), "a | x y b\nz\n");
}

#[test]
fn styles_and_levels_are_headings_and_items() {
    let rtf = b"{\\rtf1{\\stylesheet{\\s0 Normal;}{\\s1\\b heading 1;}{\\*\\cs5 heading 3;}{\\s7\\outlinelevel1 Mine;}{\\s9 Title;}}\
        \\pard\\s9 The lake\\par\\pard\\s1 One\\par\\pard\\s7 Two\\par\\pard\\outlinelevel2 Three\\par\\pard\\outlinelevel9 body\\par\
        {\\listtext\\f1\\'b7\\tab}\\pard\\ls1 dot\\par{\\listtext 1.\\tab}\\pard\\ls2 first\\par{\\listtext a)\\tab}\\pard\\ls2\\ilvl1 deep\\par\
        {\\listtext 2.\\tab}\\pard\\ls2 second\\par{\\pntext\\'b7\\tab}{\\*\\pn\\pnlvlblt{\\pntxtb\\'b7}}\\pard old\\par}";
    let document = read_all(rtf);
    assert_eq!(
        document.markdown,
        "# The lake\n\n# One\n\n## Two\n\n### Three\n\nbody\n\n- dot\n1. first\n    1. deep\n2. second\n- old\n"
    );
    assert_eq!(
        (document.about.title.as_deref(), document.title_source),
        (Some("The lake"), Some(TitleSource::Style))
    );
}

#[test]
fn facts_are_read() {
    let rtf = b"{\\rtf1\\ansicpg936\\deflang1033\\deflangfe2052{\\info{\\title{\\upr{?}{\\*\\ud\\u28246 ?\\u27850 ?}}}{\\author A. Duck}\
        {\\creatim\\yr2004\\mo5\\dy3\\hr10\\min5}{\\revtim\\yr2004\\mo13}{\\nofpages7}{\\subject no}}\\lang1033\\langfe2052\\u28246 ?\\u27850 ? lake\\par}";
    let document = read_all(rtf);
    assert_eq!(document.about.title.as_deref(), Some("湖泊"));
    assert_eq!(document.title_source, Some(TitleSource::Metadata));
    assert_eq!(document.about.author.as_deref(), Some("A. Duck"));
    assert_eq!(
        (document.about.published.as_deref(), document.about.modified),
        (Some("2004-05-03T10:05:00"), None)
    );
    assert_eq!((document.pages, document.about.language_declared.as_deref()), (Some(7), Some("zh-CN")));
}

#[test]
fn title_is_of_the_largest_type() {
    let body = "\\fs20 Vol. 3\\par\\fs48 Ducks of\\par the lake\\par\\pard\\plain\\fs24 The ducks of the lake swim, and eat leaves of many trees.\\par";
    let document = read_all(format!("{{\\rtf1{{\\info{{\\title Document1}}}}{body}}}").as_bytes());
    assert_eq!(
        (document.about.title.as_deref(), document.title_source),
        (Some("Ducks of the lake"), Some(TitleSource::Type))
    );
}

#[test]
fn damage_costs_no_more_than_itself() {
    assert_eq!(read(b"<html>", &Limits::default()).map_err(|failure| failure.reason), Err("damaged".into()));
    let cut = read_all(b"{\\rtf1 one\\par{\\b two{\\footnote note");
    assert_eq!(cut.text, "one\ntwo\nnote\n");
    assert_eq!(cut.warnings, ["cut-off"]);
    let mut deep = b"{\\rtf1 one ".to_vec();
    deep.extend(std::iter::repeat_n(b'{', 100_000));
    deep.extend_from_slice(b"lost");
    deep.extend(std::iter::repeat_n(b'}', 100_000));
    deep.extend_from_slice(b" two}beyond");
    let deep = read_all(&deep);
    assert_eq!((deep.text.as_str(), deep.warnings.len()), ("one  two\n", 1));
    for odd in [
        "\\bin99999999999 x",
        "\\u99999999999?",
        "\\fs-1\\ls-9\\itap70000\\cell\\row x",
        "\\'",
        "\\*",
        "}",
        "\\ud x",
    ] {
        read_all(format!("{{\\rtf1 {odd}").as_bytes());
    }
}

#[test]
fn comments_are_notes() {
    let read = read_all(b"{\\rtf1 said{\\*\\atnid A}{\\*\\atnauthor Ann}\\chatn{\\*\\annotation{\\*\\atnref 1}\\pard\\plain why?} so\\par}");
    assert_eq!(read.markdown, "said so\n\n[^c1]: why?\n");
}
