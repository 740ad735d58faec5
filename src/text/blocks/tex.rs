//! Formulas in TeX: those that a page states, and those that its MathML is written as.
//!
//! The builder of blocks asks which elements are formulas; Markdown and XML write them in TeX.
//!
//! **Definition.** A page states TeX in `script type=math/tex` (MathJax 2), in the annotation or the `alttext` of MathML
//! (KaTeX, MathJax 3, Wikipedia, LaTeXML), in an attribute (`data-tex`, `data-formula`, `data-latex`), or as the alternative
//! text of a picture that its class or its source calls a formula. MathML without it is written as TeX from its layout: scripts,
//! fractions, roots, accents, tables; characters stay as they are.
//!
//! **Cost.** Linear; longer formulas than [`MAX_TEX`] bytes have no TeX.
//!
//! **Reference.** MathML Core, <https://www.w3.org/TR/mathml-core/>; D. E. Knuth, *The TeXbook*, 1984.

use super::elements::has_class;
use super::formula::{Element, put_together};
use webmill_capture::cut::Cut;
use webmill_html::{Dom, NodeId, Tag};

/// Bytes of a formula in TeX.
const MAX_TEX: usize = 16 << 10;
/// Nodes of MathML among which an annotation is looked for.
const MAX_NODES: usize = 20_000;
/// Bytes of the source of a picture that may call it a formula.
const MAX_SOURCE: usize = 64;
/// Elements around a formula that may say that it stands alone.
const MAX_AROUND: usize = 3;
/// Attributes that hold TeX.
const STATED: [&str; 3] = ["data-tex", "data-formula", "data-latex"];

/// A formula in TeX.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tex {
    pub text: String,
    /// Whether it stands in a line of its own.
    pub display: bool,
}

/// The TeX of an element that is a formula; `None` for others, and for formulas that TeX cannot hold.
pub(crate) fn tex(dom: &Dom<'_>, node: NodeId) -> Option<Tex> {
    let tag = dom.tag(node);
    let (text, display) = if tag == Tag::Math {
        let text = annotation(dom, node).or_else(|| dom.attr(node, "alttext").map(str::to_string));
        (
            text.unwrap_or_else(|| put_together(dom, node, written).concat()),
            dom.attr(node, "display") == Some("block"),
        )
    } else {
        let text = match tag {
            Tag::Script => dom.children(node).map(|child| dom.text(child)).collect(),
            Tag::Img | Tag::Image => picture(dom, node)?.to_string(),
            _ => attribute(dom, node)?.to_string(),
        };
        (text, says_display(dom, node))
    };
    let (text, delimited) = bare(&text)?;
    let around = || dom.ancestors(node).take(MAX_AROUND).any(|n| has_class(dom, n, "katex-display"));
    Some(Tex { text, display: display || delimited || tag == Tag::Math && around() })
}

/// Whether an element other than `math` states a formula in TeX.
pub(crate) fn states_tex(dom: &Dom<'_>, node: NodeId, tag: Tag) -> bool {
    match tag {
        Tag::Script => dom.attr(node, "type").is_some_and(|kind| kind.trim_start().starts_with("math/tex")),
        Tag::Img | Tag::Image => picture(dom, node).is_some(),
        Tag::Span | Tag::Unknown => attribute(dom, node).is_some(),
        _ => false,
    }
}

fn attribute<'d>(dom: &'d Dom<'_>, node: NodeId) -> Option<&'d str> {
    let stated = dom.attrs(node).find(|(name, value)| STATED.contains(name) && !value.trim().is_empty());
    stated.map(|(_, value)| value)
}

/// The TeX of a picture of a formula.
fn picture<'d>(dom: &'d Dom<'_>, image: NodeId) -> Option<&'d str> {
    const CLASSES: [&str; 6] =
        ["latex", "tex", "math", "ql-img-inline-formula", "ql-img-displayed-equation", "mathtex"];
    const SOURCES: [&str; 6] =
        ["/equation?tex=", "latex.php?", "codecogs.com/", "mathtex.cgi?", "mimetex.cgi?", "cht=tx"];
    let (mut words, mut class, mut source, mut drawn) = ("", "", "", false);
    for (name, value) in dom.attrs(image) {
        match name {
            "alt" => words = value.trim(),
            "title" if words.is_empty() => words = value.trim(),
            "class" => class = value,
            "src" => source = value.cut(..MAX_SOURCE),
            "eeimg" => drawn = true,
            _ if STATED.contains(&name) && !value.trim().is_empty() => return Some(value),
            _ => {}
        }
    }
    // Some pictures are named so whose words say what they show.
    let is_tex = words.contains(['\\', '^', '_', '=', '+', '{', '<', '>', '/', '(']);
    if words.is_empty() || !is_tex && words.chars().nth(2).is_some() {
        return None;
    }
    let named = |word: &str| CLASSES.contains(&word) || word.starts_with("mwe-math-fallback");
    let drawn = drawn || SOURCES.iter().any(|known| source.contains(known));
    (drawn || class.split_ascii_whitespace().any(named)).then_some(words)
}

fn says_display(dom: &Dom<'_>, node: NodeId) -> bool {
    let said = ["type", "class"].into_iter().filter_map(|name| dom.attr(node, name));
    said.into_iter().any(|said| said.contains("display"))
}

fn annotation(dom: &Dom<'_>, math: NodeId) -> Option<String> {
    let mut inside = dom.descendants(math).take(MAX_NODES).filter(|&n| dom.name(n) == "annotation");
    let stated = inside.find(|&n| {
        dom.attr(n, "encoding").is_some_and(|encoding| encoding.to_ascii_lowercase().contains("tex"))
    })?;
    let mut text = String::new();
    dom.text_content(stated, &mut text);
    Some(text).filter(|text| !text.trim().is_empty())
}

/// TeX in one line without delimiters and without the style that Wikipedia sets; whether the delimiters were those of display.
fn bare(text: &str) -> Option<(String, bool)> {
    if text.len() > MAX_TEX {
        return None;
    }
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut display = false;
    for (start, end, is_display) in
        [("\\[", "\\]", true), ("$$", "$$", true), ("\\(", "\\)", false), ("$", "$", false)]
    {
        if let Some(inner) = text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)) {
            (text, display) = (inner.trim().to_string(), is_display);
            break;
        }
    }
    if let Some(inner) = text.strip_prefix("{\\displaystyle").and_then(|rest| rest.strip_suffix('}')) {
        text = inner.trim().to_string();
    }
    // What would end the formula within Markdown.
    let ends = text.replace("\\$", "").contains('$') || text.trim_end_matches('\\').len() < text.len();
    (!text.is_empty() && !ends).then_some((text, display))
}

/// Functions that TeX has a word for.
const FUNCTIONS: &str = "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim ln log max min \
    Pr sec sin sinh sup tan tanh";

/// The TeX of an element of MathML by those of its children.
fn written(dom: &Dom<'_>, element: &Element) -> String {
    let parts = &element.parts;
    let part = |n: usize| parts.get(n).map_or("", |part| part.trim());
    match dom.name(element.node) {
        name @ ("mi" | "mo" | "mn" | "mtext" | "ms") => leaf(name, &parts.concat()),
        "mspace" => " ".to_string(),
        "msup" => format!("{}{}", base(part(0)), script('^', part(1))),
        "msub" => format!("{}{}", base(part(0)), script('_', part(1))),
        "msubsup" | "munderover" | "mmultiscripts" => {
            format!("{}{}{}", base(part(0)), script('_', part(1)), script('^', part(2)))
        }
        "munder" if is_large(part(0)) => format!("{}{}", part(0), script('_', part(1))),
        "munder" => format!("\\underset{{{}}}{{{}}}", part(1), part(0)),
        "mover" => over(part(0), part(1)),
        "mfrac" if dom.attr(element.node, "linethickness").is_some_and(|t| t.starts_with('0')) => {
            format!("\\binom{{{}}}{{{}}}", part(0), part(1))
        }
        "mfrac" => format!("\\frac{{{}}}{{{}}}", part(0), part(1)),
        "msqrt" => format!("\\sqrt{{{}}}", parts.concat().trim()),
        "mroot" => format!("\\sqrt[{}]{{{}}}", part(1), part(0)),
        "mfenced" => {
            let attr = |name, usual| leaf("mo", dom.attr(element.node, name).unwrap_or(usual).trim());
            format!("{}{}{}", attr("open", "("), parts.join(", "), attr("close", ")"))
        }
        "mtable" => format!("\\begin{{matrix}} {} \\end{{matrix}}", parts.join(" \\\\ ")),
        "mtr" | "mlabeledtr" => parts.iter().map(|cell| cell.trim()).collect::<Vec<_>>().join(" & "),
        _ => parts.concat(),
    }
}

fn leaf(name: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '{' | '}' | '#' | '%' | '&' | '_' | '$' => out.extend(['\\', c]),
            '\\' => out.push_str("\\backslash "),
            '^' => out.push_str("\\wedge "),
            c => out.push(c),
        }
    }
    let word = text.chars().count() > 1 && text.chars().all(char::is_alphabetic);
    match name {
        "mtext" | "ms" => format!("\\text{{{out}}}"),
        "mi" | "mo" if word && FUNCTIONS.split(' ').any(|known| known == text) => format!("\\{text} "),
        "mi" if word => format!("\\mathrm{{{out}}}"),
        _ => out,
    }
}

/// What a script stands at, in braces if it is more than a sign or a word of TeX.
fn base(text: &str) -> String {
    let word = text.strip_prefix('\\').is_some_and(|word| word.chars().all(char::is_alphabetic));
    if word || text.chars().nth(1).is_none() { text.to_string() } else { format!("{{{text}}}") }
}

fn script(mark: char, text: &str) -> String {
    match text {
        "" => String::new(),
        // A prime is raised by itself.
        "′" | "'" if mark == '^' => "'".to_string(),
        _ if text.chars().nth(1).is_none() => format!("{mark}{text}"),
        _ => format!("{mark}{{{text}}}"),
    }
}

/// Whether a script under an operator is its lower limit.
fn is_large(operator: &str) -> bool {
    matches!(operator, "∑" | "∏" | "∐" | "⋃" | "⋂" | "∫" | "∮") || operator.starts_with('\\')
}

fn over(base: &str, above: &str) -> String {
    let accent = match above {
        "¯" | "‾" | "_" | "\\_" | "―" => "bar",
        "^" | "ˆ" | "\\wedge" => "hat",
        "~" | "˜" | "∼" => "tilde",
        "→" | "⃗" => "vec",
        "˙" | "." => "dot",
        "¨" | ".." => "ddot",
        _ if is_large(base) => return format!("{base}{}", script('^', above)),
        _ => return format!("\\overset{{{above}}}{{{base}}}"),
    };
    format!("\\{accent}{{{base}}}")
}

/// Whether an element is MathJax's drawing of the formula in the `script` that follows it.
pub(crate) fn is_drawing(dom: &Dom<'_>, node: NodeId) -> bool {
    let class = dom.attr(node, "class").unwrap_or_default();
    class.trim_ascii_start().starts_with("MathJax")
        && std::iter::successors(dom.next_sibling(node), |&n| dom.next_sibling(n))
            .take(MAX_AROUND)
            .any(|n| dom.tag(n) == Tag::Script && states_tex(dom, n, Tag::Script))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use crate::blocks::page::Mark;
    use webmill_html::{Limits, parse};

    /// The text of the blocks, and the TeX of the formulas; `!` stands before one in a line of its own.
    fn read(html: &str) -> (String, String) {
        let dom = parse(html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let text: Vec<&str> = page.blocks.iter().map(|block| page.text_of(block)).collect();
        let formulas = page.events.iter().filter(|event| event.mark == Mark::Open(Tag::Math));
        let formulas = formulas.filter_map(|event| tex(&dom, event.node));
        let formulas = formulas.map(|tex| if tex.display { format!("!{}", tex.text) } else { tex.text });
        (text.join("|"), formulas.collect::<Vec<_>>().join("|"))
    }

    #[test]
    fn formulas_are_read_where_pages_state_them() {
        let math = "<math><semantics><mi>E</mi><annotation encoding='application/x-tex'>E=1</annotation></semantics></math>";
        let image = |attrs: &str| format!("<p>a <img {attrs}> b");
        let cases = [
            (format!("<p>a {math} b"), "a E b", "E=1"),
            // KaTeX, in the line and alone.
            (format!("<p>a <span class=katex><span class=katex-mathml>{math}</span><span class=katex-html>E</span></span> b"), "a E b", "E=1"),
            (format!("<p><span class=katex-display><span class=katex><span class=katex-mathml>{math}</span></span></span>"), "E", "!E=1"),
            // MathJax 3 and 2; the drawing of the latter is left out.
            (format!("<p>a <mjx-container><mjx-math><mjx-mi></mjx-mi></mjx-math><mjx-assistive-mml>{math}</mjx-assistive-mml></mjx-container> b"), "a E b", "E=1"),
            ("<p>a <span class=MathJax_Preview>p</span><span class=MathJax>q</span><script type='math/tex'>E=1</script> b".into(), "a E=1 b", "E=1"),
            ("<div class=MathJax_Display>q</div><script type='math/tex; mode=display'>E=1</script>".into(), "E=1", "!E=1"),
            ("<p>a <span class=MathJax>q</span> b".into(), "a q b", ""),
            // Wikipedia: the MathML is hidden, and the picture its drawing.
            (format!("<p>a <span class=mwe-math-mathml-inline style='display: none'>{math}</span><img class=mwe-math-fallback-image-inline alt='{{\\displaystyle E=1}}'> b"), "a E b", "E=1"),
            (image("class=mwe-math-fallback-image-inline alt='{\\displaystyle E=1}'"), "a E=1 b", "E=1"),
            // Zhihu and other pictures.
            (image("eeimg=1 alt='E=1' src='https://www.zhihu.com/equation?tex=E'"), "a E=1 b", "E=1"),
            (image("class=ql-img-inline-formula alt='\\[E=1\\]'"), "a E=1 b", "!E=1"),
            (image("class=latex alt='Logo of a word processor'"), "a b", ""),
            ("<p>a <span class=ztext-math data-tex='E=1'><span>E</span></span> b".into(), "a E=1 b", "E=1"),
        ];
        for (html, text, formulas) in cases {
            assert_eq!(read(&html), (text.to_string(), formulas.to_string()), "{html}");
        }
    }

    #[test]
    fn layouts_of_mathml() {
        for (body, want) in [
            ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
            ("<msub><mi>a</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>", "a_{i+1}"),
            ("<mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac>", "\\frac{a}{\\sqrt{b}}"),
            ("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
            ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>i</mi>", "∑_i^ni"),
            ("<mi>sin</mi><mi>x</mi><mo>≠</mo><mi>ab</mi>", "\\sin x≠\\mathrm{ab}"),
            ("<mover><mi>x</mi><mo>^</mo></mover><mtext>if</mtext>", "\\hat{x}\\text{if}"),
            (
                "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>",
                "\\begin{matrix} a & b \\end{matrix}",
            ),
            ("<mo>{</mo><mi>x</mi><mo>}</mo><mn>5</mn><mo>%</mo>", "\\{x\\}5\\%"),
        ] {
            assert_eq!(read(&format!("<p>a <math>{body}</math>")).1, want, "{body}");
        }
    }

    #[test]
    fn what_dollars_cannot_hold_is_no_tex() {
        for text in ["a $ b", "a\\", "", "$$ $$"] {
            assert_eq!(bare(text), None, "{text}");
        }
        assert_eq!(bare(&"x".repeat(MAX_TEX + 1)), None);
        assert_eq!(bare("\\(a\\$\n b\\)"), Some(("a\\$ b".to_string(), false)));
    }
}
