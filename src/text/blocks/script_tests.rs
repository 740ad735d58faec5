use webmill_html::{Limits, parse};

/// The text of a body with at most one raised or lowered element.
fn written(html: &str) -> String {
    let dom = parse(html, &Limits::default());
    let page = crate::blocks::blocks(&dom, dom.body().expect("a body"));
    page.blocks.iter().map(|block| page.text_of(block)).collect::<Vec<_>>().join("\n")
}

fn check(cases: &[(&str, &str)]) {
    for (html, want) in cases {
        assert_eq!(written(html), *want, "{html}");
    }
}

#[test]
fn exponents_are_raised() {
    check(&[
        ("10<sup>6</sup> bytes", "10⁶ bytes"),
        ("10<sup>-3</sup>", "10⁻³"),
        ("x<sup>2</sup>+y<sup>n</sup>", "x²+yⁿ"),
        ("<i>x</i><sup><i>n</i>+1</sup>", "xⁿ⁺¹"),
        ("km<sup>2</sup>", "km²"),
        ("2<sup>1.5</sup>", "2^{1.5}"),
        ("2<sup>k/2</sup>", "2^{k/2}"),
        ("e<sup>α</sup>", "e^α"),
        ("e<sup>ix</sup>", "eⁱˣ"),
        ("(a+b)<sup>n</sup>", "(a+b)ⁿ"),
        ("x<sup>y<sup>2</sup></sup>", "x^{y²}"),
        ("Ca<sup>2+</sup> and Cl<sup>−</sup>", "Ca²⁺ and Cl⁻"),
        ("f<sup>(n)</sup>", "f⁽ⁿ⁾"),
        ("<sup>14</sup>C", "¹⁴C"),
        ("<sup>1</sup>/<sub>2</sub>", "¹/₂"),
    ]);
}

#[test]
fn indices_are_lowered() {
    check(&[
        ("H<sub>2</sub>O", "H₂O"),
        ("x<sub>i</sub>", "xᵢ"),
        ("x<sub>i+1</sub>", "xᵢ₊₁"),
        ("V<sub>CC</sub>", "V_{CC}"),
        ("T<sub>eff</sub>", "T_{eff}"),
        ("log<sub>b</sub>", "log_b"),
        ("L<sup>A</sup>T<sub>E</sub>X", "LATEX"),
        ("a word<sub>in small type</sub>", "a wordin small type"),
    ]);
}

#[test]
fn ordinals_abbreviations_and_notes_stay() {
    check(&[
        ("1<sup>st</sup> and 2<sup>nd</sup>", "1st and 2nd"),
        ("XIX<sup>e</sup>, 2<sup>e</sup>, 1<sup>er</sup>", "XIXe, 2e, 1er"),
        ("n<sup>o</sup> 5, M<sup>me</sup>, D<sup>r</sup>, M<sup>c</sup>Gill", "no 5, Mme, Dr, McGill"),
        ("Name<sup>TM</sup>, Name<sup>®</sup>, Name<sup>*</sup>", "NameTM, Name®, Name*"),
        ("word<sup><a href=#n1>[1]</a></sup> goes", "word[1] goes"),
        ("word<sup>[a]</sup>", "word[a]"),
        ("word<sup>(1)</sup>", "word(1)"),
        ("word<sup><a href=#n1>1</a></sup>", "word¹"),
        ("<a href=#n12>word<sup>12</sup></a>", "word¹²"),
        ("word<sup>1,2</sup>", "word¹,²"),
        ("word<sup>note 3</sup>", "wordnote 3"),
        ("<sup>Updated on 5 May 2020 by the editors</sup>", "Updated on 5 May 2020 by the editors"),
        ("19<sup>.99</sup>", "19.99"),
    ]);
}
