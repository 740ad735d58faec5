//! Formulas in MathML: put together from their elements, and as a line of text. [`tex`](super::tex) writes them in TeX.
//!
//! **Definition.** What a reader would say of the presentation: powers and indices as [scripts](super::script), fractions
//! as `a/b`, roots as `√x`, `∛x` or `ⁿ√x`, parts of several terms in parentheses, spaces around operators between two
//! terms. Annotations (the same formula in TeX) are no text.
//!
//! **Algorithm.** One walk; an element's text is put together from its children's when it ends. Beyond [`MAX_DEPTH`] or
//! [`MAX_NODES`] the leaves are written one after another.
//!
//! **Cost.** O(characters · depth), both bounded.
//!
//! **Reference.** MathML Core, <https://www.w3.org/TR/mathml-core/>.

use webmill_html::script::{Position, write_script};
use webmill_html::{Dom, Edge, NodeId};

/// Elements in one another whose layout is told.
const MAX_DEPTH: usize = 48;
/// Nodes of a formula whose layout is told.
const MAX_NODES: usize = 20_000;

/// An element that is not complete yet.
pub(crate) struct Element {
    pub node: NodeId,
    /// What its children are written as.
    pub parts: Vec<String>,
}

/// The formula of a `math` element as a line of text.
pub(crate) fn formula(dom: &Dom<'_>, math: NodeId) -> String {
    row(&put_together(dom, math, told))
}

/// What the children of a `math` element are written as, each element by `written` from those of its own.
pub(crate) fn put_together(
    dom: &Dom<'_>,
    math: NodeId,
    written: fn(&Dom<'_>, &Element) -> String,
) -> Vec<String> {
    let mut open = vec![Element { node: math, parts: Vec::new() }];
    let mut walk = dom.walk(math);
    let mut nodes = 0;
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.is_text(n) => {
                let text = dom.text(n).split_whitespace().collect::<Vec<_>>().join(" ");
                let text: String = text.chars().filter(|c| !matches!(c, '\u{2061}'..='\u{2064}')).collect();
                if let Some(top) = open.last_mut()
                    && !text.is_empty()
                {
                    top.parts.push(text);
                }
            }
            Edge::Enter(n) if dom.is_element(n) && n != math => {
                nodes += 1;
                if matches!(dom.name(n), "annotation" | "annotation-xml" | "mphantom" | "script" | "style") {
                    walk.skip_children();
                } else if open.len() < MAX_DEPTH && nodes < MAX_NODES {
                    open.push(Element { node: n, parts: Vec::new() });
                }
            }
            Edge::Leave(n) if n != math && open.last().is_some_and(|top| top.node == n) => {
                if let Some(done) = open.pop() {
                    let text = written(dom, &done);
                    if let Some(top) = open.last_mut() {
                        top.parts.push(text);
                    }
                }
            }
            _ => {}
        }
    }
    open.pop().map(|top| top.parts).unwrap_or_default()
}

/// The text of an element by those of its children.
fn told(dom: &Dom<'_>, element: &Element) -> String {
    let parts = &element.parts;
    let part = |n: usize| parts.get(n).map_or("", String::as_str);
    let mut out = String::new();
    let scripts = |out: &mut String, base: &str, below: &str, above: &str| {
        out.push_str(&grouped(base));
        write_script(below, Position::Sub, out);
        write_script(above, Position::Super, out);
    };
    match dom.name(element.node) {
        "mo" => return operator(dom, element.node, &parts.concat()),
        "mi" | "mn" | "mtext" | "ms" => return parts.concat(),
        "mspace" => return " ".to_string(),
        "msup" => scripts(&mut out, part(0), "", part(1)),
        "msub" | "munder" => scripts(&mut out, part(0), part(1), ""),
        "msubsup" | "munderover" => scripts(&mut out, part(0), part(1), part(2)),
        "mover" => over(part(0), part(1), &mut out),
        "mmultiscripts" => {
            scripts(&mut out, part(0), part(1), part(2));
        }
        "mfrac" if dom.attr(element.node, "linethickness").is_some_and(|t| t.starts_with('0')) => {
            out = format!("binom({}, {})", part(0).trim(), part(1).trim());
        }
        "mfrac" => {
            out.push_str(&grouped(part(0)));
            out.push('/');
            out.push_str(&grouped(part(1)));
        }
        "msqrt" => {
            out.push('√');
            out.push_str(&grouped(&row(parts)));
        }
        "mroot" => {
            match part(1).trim() {
                "3" => out.push('∛'),
                "4" => out.push('∜'),
                index => {
                    write_script(index, Position::Super, &mut out);
                    out.push('√');
                }
            }
            out.push_str(&grouped(part(0)));
        }
        "mfenced" => {
            let attr = |name, default| dom.attr(element.node, name).unwrap_or(default).trim().to_string();
            out = format!("{}{}{}", attr("open", "("), parts.join(", "), attr("close", ")"));
        }
        "mtable" => out = parts.iter().map(|row| row.trim()).collect::<Vec<_>>().join("; "),
        "mtr" | "mlabeledtr" => {
            out = parts
                .iter()
                .map(|cell| cell.trim())
                .filter(|cell| !cell.is_empty())
                .collect::<Vec<_>>()
                .join(" ");
        }
        _ => return row(parts),
    }
    out
}

/// Terms and operators one after another.
fn row(parts: &[String]) -> String {
    let mut out = String::new();
    for part in parts {
        // A sign before the first term is no operator between two.
        let part = if out.trim_end().is_empty() || out.ends_with(['(', '[', '{', '|', ' ']) {
            part.trim_start()
        } else {
            part
        };
        let sign =
            out.is_empty() && part.ends_with(' ') && matches!(part.trim_end(), "+" | "-" | "−" | "±" | "¬");
        out.push_str(if sign { part.trim_end() } else { part });
    }
    let kept = out.trim_end().len();
    out.truncate(kept);
    out
}

/// An operator with the spaces around it.
fn operator(dom: &Dom<'_>, node: NodeId, text: &str) -> String {
    let between = dom.attr(node, "form").is_none_or(|form| form == "infix");
    match text {
        "," | ";" => format!("{text} "),
        "+" | "-" | "−" | "±" | "∓" | "=" | "<" | ">" | "≤" | "≥" | "≠" | "≈" | "≡" | "∼" | "≅" | "∝"
        | "→" | "←" | "↔" | "⇒" | "⇔" | "↦" | "∈" | "∉" | "⊂" | "⊆" | "⊃" | "⊇" | "∪" | "∩" | "∧" | "∨"
        | "×" | "÷" | "·" | "⋅" | "∘" | "⊕" | "⊗" | ":=" | "≔" | "≪" | "≫" | "⟶" | "⟹" | "∣"
            if between =>
        {
            format!(" {text} ")
        }
        _ => text.to_string(),
    }
}

/// The sign over a term: an accent on its letter, else a script.
fn over(base: &str, above: &str, out: &mut String) {
    let accent = match above.trim() {
        "¯" | "‾" | "_" | "―" => '\u{304}',
        "^" | "ˆ" => '\u{302}',
        "~" | "˜" | "∼" => '\u{303}',
        "→" | "⃗" => '\u{20d7}',
        "˙" | "." => '\u{307}',
        "¨" | ".." => '\u{308}',
        _ => {
            out.push_str(&grouped(base));
            return write_script(above, Position::Super, out);
        }
    };
    out.push_str(&grouped(base));
    if base.trim().chars().nth(1).is_none() {
        out.push(accent);
    }
}

/// A term in parentheses, if it is more than one.
fn grouped(text: &str) -> String {
    let text = text.trim();
    let mut depth = 0i32;
    let mut loose = false;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {
                loose |= depth == 0 && (c == ' ' || c == '/' || at > 0 && matches!(c, '+' | '-' | '−' | '='))
            }
        }
    }
    if loose { format!("({text})") } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_html::{Limits, parse};

    fn read(body: &str) -> String {
        let source = format!("<math>{body}</math>");
        let dom = parse(&source, &Limits::default());
        let math = dom.descendants(dom.document()).find(|&n| dom.name(n) == "math").expect("a formula");
        formula(&dom, math)
    }

    #[test]
    fn layouts_of_formulas() {
        for (body, want) in [
            ("<msup><mi>x</mi><mn>2</mn></msup>", "x²"),
            ("<msub><mi>a</mi><mi>i</mi></msub>", "aᵢ"),
            ("<msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup>", "aᵢ²"),
            ("<msup><mi>e</mi><mfrac><mi>a</mi><mi>b</mi></mfrac></msup>", "e^{a/b}"),
            ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "(a + b)/c"),
            ("<mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac>", "binom(n, k)"),
            ("<msqrt><mi>x</mi></msqrt>", "√x"),
            ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "√(x + 1)"),
            ("<mroot><mi>x</mi><mn>3</mn></mroot>", "∛x"),
            ("<mroot><mi>x</mi><mi>n</mi></mroot>", "ⁿ√x"),
            ("<mo>−</mo><mn>5</mn><mo>=</mo><mi>y</mi>", "−5 = y"),
            ("<mi>f</mi><mo>\u{2061}</mo><mo>(</mo><mi>x</mi><mo>,</mo><mi>y</mi><mo>)</mo>", "f(x, y)"),
            (
                "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
                "∑ᵢ₌₁ⁿi",
            ),
            ("<mover><mi>x</mi><mo>^</mo></mover>", "x\u{302}"),
            ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
            (
                "<semantics><mrow>\n <msup>\n <mi>x</mi>\n <mn>2</mn>\n </msup>\n</mrow>
                 <annotation encoding='application/x-tex'>x^2</annotation></semantics>",
                "x²",
            ),
            ("", ""),
        ] {
            assert_eq!(read(body), want, "{body}");
        }
    }

    #[test]
    fn hostile_formulas_are_bounded() {
        let deep = "<msup>".repeat(400) + &"<mi>x</mi>".repeat(50_000);
        let wide = "<mfrac><mi>a</mi><mi>b</mi></mfrac>".repeat(30_000);
        for body in [deep, wide] {
            let out = read(&body);
            assert!(!out.is_empty() && out.len() <= 8 * body.len());
        }
    }
}
