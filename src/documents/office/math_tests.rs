use super::*;
use crate::xml::Xml;

#[test]
fn formulas_are_written_in_a_line() {
    let t = |text: &str| format!("<m:r><m:t>{text}</m:t></m:r>");
    let e = |text: &str| format!("<m:e>{}</m:e>", t(text));
    let cases = [
        (format!("{}<m:sSup>{}<m:sup>{}</m:sup></m:sSup>", t("A=π"), e("r"), t("2")), "A=πr^{2}"),
        (format!("<m:sSub>{}<m:sub>{}</m:sub></m:sSub>", e("a"), t("n")), "a_{n}"),
        (
            format!(
                "<m:f><m:fPr><m:type m:val='lin'/></m:fPr><m:num>{}</m:num><m:den>{}</m:den></m:f>",
                t("x"),
                t("y")
            ),
            "x/y",
        ),
        (format!("<m:rad><m:deg/>{}</m:rad>", e("x")), "\\sqrt{x}"),
        (format!("<m:rad><m:deg>{}</m:deg>{}</m:rad>", t("3"), e("x")), "\\sqrt[3]{x}"),
        (
            format!(
                "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup>{}</m:nary>",
                t("i"),
                t("n"),
                e("x")
            ),
            "∑_{i}^{n} x",
        ),
        (format!("<m:d>{}{}</m:d>", e("a"), e("b")), "(a|b)"),
        (format!("<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=''/></m:dPr>{}</m:d>", e("a")), "[a"),
        (
            format!("<m:m><m:mr>{}{}</m:mr><m:mr>{}{}</m:mr></m:m>", e("a"), e("b"), e("c"), e("d")),
            "\\begin{matrix} a & b \\\\ c & d \\end{matrix}",
        ),
        (format!("<m:acc><m:accPr><m:chr m:val='\u{20d7}'/></m:accPr>{}</m:acc>", e("v")), "\\vec{v}"),
        (format!("<m:acc>{}</m:acc>{}", e("x"), t("=5%\u{2061}")), "\\hat{x}=5\\%"),
        (format!("<m:func><m:fName>{}</m:fName>{}</m:func>", t("log"), e("x")), "log x"),
    ];
    for (content, shown) in cases {
        let xml = Xml::parse(format!("<m:oMath>{content}</m:oMath>").as_bytes());
        assert_eq!(formula(xml.root().unwrap()), shown);
    }
}
