//! Code blocks: which containers are code, their text as written, their language.
//!
//! The text of a code block is read from the tree again, since indentation counts there: text as it stands, a line for
//! each block-level element and `<br>`, without the numbers of lines and the buttons that highlighters add. The language
//! is what class names say by one of the customs (`language-…`, `lang-…`, `highlight-source-…`, `brush: …`,
//! `sourceCode …`, `hljs …`) on the block, the `code` in it or the two elements around it. Linear.

use super::elements::{Display, display, is_code};
use super::page::{NONE, Page};
use webmill_capture::cut::Cut;
use webmill_html::script::{Form, MAX_BEFORE, Position, form_of, place_from};
use webmill_html::{Dom, Edge, NodeId, Tag};

/// For each container the outermost code block that it is or is in; [`NONE`] for the others.
pub(crate) fn code_containers(page: &Page) -> Vec<u32> {
    let mut code = vec![NONE; page.containers.len()];
    for (i, it) in page.containers.iter().enumerate() {
        let up = if i == 0 { NONE } else { code[it.parent as usize] };
        code[i] = match it.tag {
            _ if up != NONE => up,
            tag if is_code(tag) => i as u32,
            _ => NONE,
        };
    }
    code
}

/// Words of class names for anything that is no code: numbers of lines, buttons.
const BESIDE: &str = "lineno linenos line-number line-numbers line-numbers-rows linenumber gutter copybtn \
    copy-button linenodiv";

/// The text of a code block without what its classes say is none, at most some `max` bytes of it.
pub(crate) fn code_text(dom: &Dom<'_>, node: NodeId, max: usize) -> String {
    let mut out = String::new();
    let mut scripts: Vec<(NodeId, Position, Form)> = Vec::new();
    let mut walk = dom.walk(node);
    let line = |out: &mut String| {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
    };
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.is_text(n) => {
                let text = dom.text(n);
                if out.len() + text.len() > max {
                    break;
                }
                let from = out.len();
                out.extend(
                    text.chars().filter(|c| !matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')),
                );
                if let Some((_, position, Form::Characters)) = scripts.last() {
                    place_from(&mut out, from, *position);
                }
            }
            Edge::Enter(n) if dom.is_element(n) && n != node => {
                let tag = dom.tag(n);
                if let Some(position) = Position::of(tag) {
                    let near = out.cut(out.ceil_char_boundary(out.len().saturating_sub(MAX_BEFORE))..);
                    let before = near.cut(near.rfind([' ', '\n', '\t']).map_or(0, |at| at + 1)..);
                    let form = form_of(dom, n, position, before, false);
                    out.push_str(form.before(position).unwrap_or_default());
                    scripts.push((n, position, form));
                }
                let beside = dom.attr(n, "class").is_some_and(|class| {
                    class
                        .split_ascii_whitespace()
                        .take(20)
                        .any(|word| BESIDE.split(' ').any(|known| known == word))
                });
                match display(dom, n, tag) {
                    _ if beside || tag == Tag::Button => walk.skip_children(),
                    Display::Skip => walk.skip_children(),
                    Display::Break => out.push('\n'),
                    Display::Block => line(&mut out),
                    _ => {}
                }
            }
            Edge::Leave(n) if scripts.last().is_some_and(|script| script.0 == n) => {
                let braced = scripts.pop().is_some_and(|script| script.2 == Form::Braced);
                out.push_str(if braced { "}" } else { "" });
            }
            Edge::Leave(n)
                if n != node && dom.is_element(n) && display(dom, n, dom.tag(n)) == Display::Block =>
            {
                line(&mut out);
            }
            _ => {}
        }
    }
    // Blank lines at either end, and white space at the end of the last line, mean nothing.
    let end = out.trim_end().len();
    out.truncate(end);
    let first = out.len() - out.trim_start().len();
    let start = out.cut(..first).rfind('\n').map_or(0, |at| at + 1);
    out.replace_range(..start, "");
    out.replace("\r\n", "\n")
}

/// The language of a code block, as a word that a fence may carry.
pub(crate) fn code_language(dom: &Dom<'_>, node: NodeId) -> Option<String> {
    let inner =
        dom.children(node).filter(|&n| dom.is_element(n)).take(1).filter(|&n| dom.tag(n) == Tag::Code);
    let around = dom.ancestors(node).take(2).filter(|&n| dom.is_element(n));
    inner.chain([node]).chain(around).find_map(|n| language_of(dom, n))
}

/// What stands before the name of a language in a class.
const PREFIXES: &str = "language- lang- highlight-source- highlight-text- highlight- brush- codehilite-";

fn language_of(dom: &Dom<'_>, n: NodeId) -> Option<String> {
    for name in ["data-lang", "data-language", "data-code-language"] {
        if let Some(language) = dom.attr(n, name).and_then(word) {
            return Some(language);
        }
    }
    if dom.tag(n) == Tag::Pre
        && let Some(language) = dom.attr(n, "lang").filter(|lang| is_known(lang)).and_then(word)
    {
        return Some(language);
    }
    let class = dom.attr(n, "class")?;
    let class = class.get(..400).unwrap_or(class);
    if let Some((_, rest)) = class.split_once("brush:") {
        return word(rest.trim_start());
    }
    let mut marked = false;
    for part in class.split_ascii_whitespace() {
        for prefix in PREFIXES.split(' ') {
            if let Some(rest) = part.strip_prefix(prefix) {
                return word(rest);
            }
        }
        marked |= matches!(
            part,
            "hljs" | "sourceCode" | "prettyprint" | "highlight" | "src" | "code" | "programlisting"
        );
        if let Some(rest) = part.strip_prefix("src-") {
            return word(rest);
        }
    }
    let bare = |part: &&str| is_known(part) && (marked || dom.tag(n) == Tag::Pre || dom.tag(n) == Tag::Code);
    class.split_ascii_whitespace().find(bare).and_then(word)
}

/// Names that stand for a language even without a prefix.
const KNOWN: &str = "ada awk bash c c++ clojure cmake cpp csharp css dart diff dockerfile elixir erlang \
    fortran go graphql groovy haskell html ini java javascript js json julia kotlin lisp lua \
    makefile markdown matlab nginx objectivec ocaml perl php powershell python r ruby rust \
    scala sh shell sql swift toml typescript xml yaml";

fn is_known(name: &str) -> bool {
    KNOWN.split(' ').any(|known| known == name)
}

fn word(text: &str) -> Option<String> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "+#-_.".contains(c))).unwrap_or(text.len());
    let word = text.cut(..end.min(text.len())).trim_end_matches(['-', '_', '.']).to_ascii_lowercase();
    const NOTHING: &str = "default none plain plaintext text txt nohighlight auto notranslate wrapper block";
    let nothing = NOTHING.split(' ').any(|name| name == word);
    (!word.is_empty() && word.len() <= 24 && !nothing).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_html::{Limits, parse};

    fn read(source: &str) -> (String, Option<String>) {
        let dom = parse(source, &Limits::default());
        let pre = dom.descendants(dom.document()).find(|&n| dom.tag(n) == Tag::Pre).expect("a pre");
        (code_text(&dom, pre, 10_000), code_language(&dom, pre))
    }

    #[test]
    fn text_and_language() {
        let long = format!("<pre class='{}'>x</pre>", "a ".repeat(1000));
        for (source, text, language) in [
            ("<pre>\n  a\n    b\n\n</pre>", "  a\n    b", None),
            (
                "<pre><code class='language-rust'>fn a&lt;T>() {\n    b\n}</code></pre>",
                "fn a<T>() {\n    b\n}",
                Some("rust"),
            ),
            (
                "<div class='highlight-python notranslate'><div class=highlight><pre>x</pre></div></div>",
                "x",
                Some("python"),
            ),
            ("<div class=highlight-default><div class=highlight><pre>x</pre></div></div>", "x", None),
            ("<pre class='brush: js; gutter: true'>x</pre>", "x", Some("js")),
            ("<pre class='sourceCode cpp'>x</pre>", "x", Some("cpp")),
            ("<pre class='src src-emacs-lisp'>x</pre>", "x", Some("emacs-lisp")),
            ("<pre lang=ruby>x</pre>", "x", Some("ruby")),
            ("<pre lang=de>x</pre>", "x", None),
            ("<pre><div>a</div><div>  b</div></pre>", "a\n  b", None),
            ("<pre>a<br>b</pre>", "a\nb", None),
            (
                "<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b<button>copy</button></pre>",
                "a\nb",
                None,
            ),
            (&long, "x", None),
        ] {
            assert_eq!(read(source), (text.to_string(), language.map(str::to_string)), "{source}");
        }
    }
}
