//! Line numbers of source listings, which are no text.
//!
//! **Definition.** Numbers belong to a listing where they follow one another and nothing else stands with them: in an
//! element beside a code block (a cell, a `pre`, a `div`), in the first cells of rows of code, or in elements of their own
//! at the starts of a code block's lines. A single number needs a name that says so, or an attribute such as
//! `data-line-number`. Numbers that are code (a column of literals that a highlighter marked) are not numbers of lines:
//! an element of theirs must have more than a highlighter's class or a colour, and words must stand behind them.
//!
//! **Cost.** Nearly all elements are refused by their first character. Where one is not, its numbers are read up to the
//! first other word; all reading together is bounded by [`MAX_WORK`] nodes.

use std::collections::HashSet;

use webmill_html::{Dom, Edge, NodeId, Tag};

/// Nodes of a page that are read for numbers of lines.
const MAX_WORK: usize = 400_000;
/// Digits of a number of a line.
const MAX_DIGITS: usize = 7;
/// Elements around a number that hold nothing else.
const MAX_STEPS: usize = 4;
/// Nodes until code must begin for an element to be a code block.
const MAX_LEAD: usize = 40;

/// Parts of class names that stand for numbers of lines.
const NAMES: [&str; 13] = [
    "lineno",
    "line-no",
    "line-num",
    "line_num",
    "linenum",
    "line-index",
    "lines-num",
    "ln-num",
    "ln-line",
    "gutter",
    "blob-num",
    "rownum",
    "crayon-num",
];
/// Class names that are those of numbers of lines as a whole.
const WORDS: [&str; 5] = ["ln", "lnt", "nums", "hljs-ln-n", "num"];
/// Class names of highlighters for numbers in code.
const TOKENS: [&str; 12] =
    ["mi", "mf", "mh", "m", "number", "token", "hljs-number", "lit", "nu0", "cm-number", "pl-c1", "constant"];

/// Finds the elements that hold numbers of lines.
#[derive(Default, Debug)]
pub(crate) struct Gutters {
    /// Elements that hold nothing else.
    found: HashSet<NodeId>,
    work: usize,
}

impl Gutters {
    /// Whether an element was found to number lines.
    pub(crate) fn contains(&self, node: NodeId) -> bool {
        !self.found.is_empty() && self.found.contains(&node)
    }

    /// Whether an element that is a block numbers lines; remembered if so.
    pub(crate) fn block(&mut self, dom: &Dom<'_>, node: NodeId, tag: Tag) -> bool {
        if self.contains(node) {
            return true;
        }
        if !starts_with_digit(dom, node) {
            return false;
        }
        let Some((first, count)) = self.numbers(dom, node) else { return false };
        let numbers = if count > 1 {
            self.beside_code(dom, node)
        } else if matches!(tag, Tag::Td | Tag::Th) {
            self.is_row_number(dom, node, first)
        } else {
            named(dom, node) && self.beside_code(dom, node)
        };
        if numbers {
            self.found.insert(node);
        }
        numbers
    }

    /// Whether an inline element numbers a line, by its name; remembered if so.
    pub(crate) fn inline(&mut self, dom: &Dom<'_>, node: NodeId) -> bool {
        if self.contains(node) {
            return true;
        }
        let numbers = dom.attrs(node).next().is_some()
            && starts_with_digit(dom, node)
            && named(dom, node)
            && (surely_named(dom, node) || in_code(dom, node))
            && dom.attr(node, "href").is_none_or(|href| href.starts_with('#'))
            && self.numbers(dom, node).is_some_and(|(_, count)| count == 1);
        if numbers {
            self.found.insert(node);
        }
        numbers
    }

    /// Finds the elements at the starts of the lines of a code block that number them.
    pub(crate) fn lines(&mut self, dom: &Dom<'_>, pre: NodeId) {
        let mut numbers: Vec<(NodeId, u32)> = Vec::new();
        // Lines with anything on them, and those with a word behind the number.
        let (mut lines, mut words) = (0, 0);
        let (mut start, mut numbered, mut worded) = (true, false, false);
        for edge in dom.walk(pre) {
            self.work += 1;
            if self.work > MAX_WORK {
                return;
            }
            let broken = match edge {
                Edge::Enter(n) | Edge::Leave(n) => {
                    matches!(dom.tag(n), Tag::Br | Tag::Div | Tag::Tr | Tag::Li)
                }
            };
            if broken {
                (start, numbered, worded) = (true, false, false);
            }
            let Edge::Enter(n) = edge else { continue };
            if !dom.is_text(n) {
                continue;
            }
            let text = dom.text(n);
            if start
                && let Some(value) = number(text.trim())
                && let Some(element) = own_element(dom, n, pre).filter(|&element| !is_token(dom, element))
            {
                numbers.push((element, value));
                lines += 1;
                (start, numbered, worded) = (text.ends_with('\n'), !text.ends_with('\n'), false);
                continue;
            }
            for (i, piece) in text.split('\n').enumerate() {
                if i > 0 {
                    (start, numbered, worded) = (true, false, false);
                }
                if piece.trim().is_empty() {
                    continue;
                }
                lines += usize::from(start);
                start = false;
                if numbered && !worded && piece.contains(char::is_alphabetic) {
                    worded = true;
                    words += 1;
                }
            }
        }
        let follow = numbers.windows(2).filter(|pair| pair[1].1 == pair[0].1.wrapping_add(1)).count();
        if numbers.len() >= 2
            && follow + 1 + numbers.len() / 20 >= numbers.len()
            && numbers.len() * 10 >= lines * 8
            && words * 4 >= numbers.len()
        {
            self.found.extend(numbers.into_iter().map(|(element, _)| element));
        }
    }

    /// The first number in an element and how many there are, if they follow one another and nothing else is in it.
    fn numbers(&mut self, dom: &Dom<'_>, node: NodeId) -> Option<(u32, u32)> {
        let (mut first, mut last, mut count) = (0, 0, 0);
        for n in dom.descendants(node) {
            self.work += 1;
            if self.work > MAX_WORK {
                return None;
            }
            if matches!(dom.tag(n), Tag::Img | Tag::Input | Tag::Button) {
                return None;
            }
            for word in dom.text(n).split_whitespace() {
                let value = number(word)?;
                if count == 0 {
                    first = value;
                } else if value != last + 1 {
                    return None;
                }
                (last, count) = (value, count + 1);
            }
        }
        (count > 0).then_some((first, count))
    }

    /// Whether a code block is directly before or behind an element, or one that holds nothing else.
    fn beside_code(&mut self, dom: &Dom<'_>, node: NodeId) -> bool {
        let mut at = node;
        for _ in 0..MAX_STEPS {
            let next = std::iter::successors(dom.next_sibling(at), |&n| dom.next_sibling(n));
            let next = next.take(8).find(|&n| dom.is_element(n));
            let before = std::iter::successors(dom.prev_sibling(at), |&n| dom.prev_sibling(n));
            let before = before.take(8).find(|&n| dom.is_element(n));
            if next.is_some() || before.is_some() {
                let found = |n: NodeId| self.begins_with_code(dom, n);
                return [next, before].into_iter().flatten().any(found);
            }
            match dom.parent(at) {
                Some(up) if dom.is_element(up) => at = up,
                _ => return false,
            }
        }
        false
    }

    /// Whether an element is code from its start.
    fn begins_with_code(&self, dom: &Dom<'_>, node: NodeId) -> bool {
        let code = |n: NodeId| matches!(dom.tag(n), Tag::Pre | Tag::Code | Tag::Listing | Tag::Xmp);
        if code(node) {
            return true;
        }
        for n in dom.descendants(node).take(MAX_LEAD) {
            if code(n) {
                return true;
            }
            if dom.is_text(n)
                && !dom.text(n).trim().is_empty()
                && dom.parent(n).is_none_or(|up| dom.tag(up) != Tag::Button)
            {
                return false;
            }
        }
        false
    }

    /// Whether a cell is the first of a row of code and its number follows that of the row before or is followed by
    /// that of the next.
    fn is_row_number(&mut self, dom: &Dom<'_>, cell: NodeId, value: u32) -> bool {
        let element = |n: Option<NodeId>, on: &dyn Fn(NodeId) -> Option<NodeId>| {
            std::iter::successors(n, |&n| on(n)).take(8).find(|&n| dom.is_element(n))
        };
        let next = |n: NodeId| dom.next_sibling(n);
        let before = |n: NodeId| dom.prev_sibling(n);
        let (None, Some(code)) =
            (element(dom.prev_sibling(cell), &before), element(dom.next_sibling(cell), &next))
        else {
            return false;
        };
        let in_pre = || dom.ancestors(cell).take(6).any(|n| matches!(dom.tag(n), Tag::Pre | Tag::Code));
        let whole = element(dom.first_child(code), &next).is_some_and(|n| dom.tag(n) == Tag::Pre);
        let said = dom.attr(code, "class").is_some_and(|class| {
            class.len() < 200
                && class
                    .split(|c: char| !c.is_ascii_alphanumeric())
                    .any(|word| matches!(word, "code" | "source" | "src" | "lines" | "hljs"))
        });
        let coded = said || whole || in_pre() || named(dom, cell) && self.begins_with_code(dom, code);
        let Some(row) = dom.parent(cell).filter(|_| coded) else { return false };
        if named(dom, cell) {
            return true;
        }
        let mut first = |row: Option<NodeId>| {
            let cell = element(dom.first_child(row?), &next)?;
            self.numbers(dom, cell).filter(|n| n.1 == 1).map(|n| n.0)
        };
        first(element(dom.next_sibling(row), &next)) == value.checked_add(1)
            || value > 0 && first(element(dom.prev_sibling(row), &before)) == Some(value - 1)
    }
}

/// A number without sign or point.
fn number(word: &str) -> Option<u32> {
    let digits = !word.is_empty() && word.len() <= MAX_DIGITS && word.bytes().all(|b| b.is_ascii_digit());
    if digits { word.parse().ok() } else { None }
}

/// Whether the text of an element begins with a digit, as far as its first few nodes tell.
fn starts_with_digit(dom: &Dom<'_>, node: NodeId) -> bool {
    let mut at = dom.first_child(node);
    for _ in 0..8 {
        let Some(n) = at else { return false };
        if dom.is_text(n) {
            match dom.text(n).bytes().find(|b| !b.is_ascii_whitespace()) {
                Some(first) => return first.is_ascii_digit(),
                None => at = dom.next_sibling(n),
            }
        } else if dom.is_element(n) {
            // An empty anchor may stand before the number.
            at = dom.first_child(n).or_else(|| dom.next_sibling(n));
        } else {
            at = dom.next_sibling(n);
        }
    }
    false
}

/// Whether attributes say that an element numbers lines.
fn named(dom: &Dom<'_>, node: NodeId) -> bool {
    dom.attrs(node).any(|(name, value)| match name {
        "data-line-number" | "data-line" | "data-linenos" | "data-nosnippet" => true,
        "class" | "id" if value.len() < 200 => {
            let value = value.to_ascii_lowercase();
            NAMES.iter().any(|name| value.contains(name))
                || value.split_ascii_whitespace().any(|word| WORDS.contains(&word))
        }
        _ => false,
    })
}

/// Steps up to an element of code.
const CODE_STEPS: usize = 8;

fn in_code(dom: &Dom<'_>, node: NodeId) -> bool {
    let code = |tag: Tag| matches!(tag, Tag::Pre | Tag::Code | Tag::Listing | Tag::Xmp);
    dom.ancestors(node).take(CODE_STEPS).any(|n| code(dom.tag(n)))
}

/// Whether a class or an attribute can mean nothing but numbers of lines; others do so in code only.
fn surely_named(dom: &Dom<'_>, node: NodeId) -> bool {
    dom.attrs(node).any(|(name, value)| match name {
        "data-line-number" | "data-linenos" => true,
        "class" | "id" if value.len() < 200 => {
            let value = value.to_ascii_lowercase();
            NAMES.iter().any(|name| *name != "gutter" && value.contains(name))
        }
        _ => false,
    })
}

/// The outermost element below `pre` that holds nothing but a text.
fn own_element(dom: &Dom<'_>, text: NodeId, pre: NodeId) -> Option<NodeId> {
    let mut own = None;
    for n in dom.ancestors(text).take(MAX_STEPS).take_while(|&n| n != pre) {
        let inside = dom.children(n).filter(|&c| !dom.is_text(c) || !dom.text(c).trim().is_empty());
        if inside.take(2).count() > 1 {
            break;
        }
        own = Some(n);
    }
    own
}

/// Whether nothing but a highlighter's class or a colour is said of an element.
fn is_token(dom: &Dom<'_>, node: NodeId) -> bool {
    !matches!(dom.tag(node), Tag::Td | Tag::Th)
        && !dom.attrs(node).any(|(name, value)| match name {
            "style" => false,
            "class" => value.split_ascii_whitespace().take(20).all(|word| !TOKENS.contains(&word)),
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    fn texts(html: &str) -> String {
        let dom = parse(html, &Limits::default());
        let page = blocks(&dom, dom.body().expect("a body"));
        page.blocks.iter().map(|block| page.text_of(block)).collect::<Vec<_>>().join("¦")
    }

    #[test]
    fn numbers_of_lines_are_no_text() {
        for (what, html) in [
            (
                "rustdoc",
                "<div><pre class=src-line-numbers><span id=1>1</span>\n<span id=2>2</span>\n</pre><pre class=rust><code>use a;\nuse b;</code></pre></div>",
            ),
            (
                "rustdoc with anchors",
                "<pre class=rust><code><a href=#1 id=1 data-nosnippet>1</a>use a;\n<a href=#2 id=2 data-nosnippet>2</a>use b;</code></pre>",
            ),
            (
                "a table of Pygments",
                "<table class=highlighttable><tr><td class=linenos><div class=linenodiv><pre><span class=normal>1</span>\n<span class=normal>2</span></pre></div></td><td class=code><div><pre>use a;\nuse b;</pre></div></td></table>",
            ),
            (
                "spans of Pygments",
                "<pre><span></span><span class=linenos>1</span>use a;\n<span class=linenos>2</span>use b;</pre>",
            ),
            (
                "spans of other names",
                "<pre><span class=x>  1</span> use a;\n<span class=x>  2</span> use b;</pre>",
            ),
            (
                "javadoc",
                "<pre><span class=source-line-no>001</span><span id=line-1>use a;</span>\n<span class=source-line-no>002</span><span id=line-2>use b;</span></pre>",
            ),
            (
                "rows",
                "<table class=highlight><tr><td id=L1 data-line-number=1>1</td><td class=blob-code>use a;<tr><td id=L2 data-line-number=2>2</td><td class=blob-code>use b;</table>",
            ),
            ("rows without names", "<pre><table><tr><td>1<td>use a;<tr><td>2<td>use b;</table></pre>"),
            (
                "divs beside",
                "<table><tr><td class=gutter><div class='line n1'>1</div><div>2</div></td><td><code>use a;\nuse b;</code></table>",
            ),
            (
                "a column without names",
                "<div><div><div>7</div><div>8</div></div><div><pre>use a;\nuse b;</pre></div></div>",
            ),
            (
                "lines of doxygen",
                "<div class=fragment><div class=line><a id=l1></a><span class=lineno>    1</span> use a;</div><div class=line><span class=lineno>    2</span> use b;</div></div>",
            ),
        ] {
            let got = texts(html);
            let words: Vec<&str> =
                got.split(|c: char| c.is_whitespace() || c == '¦').filter(|w| !w.is_empty()).collect();
            assert_eq!(words, ["use", "a;", "use", "b;"], "{what}: {got}");
        }
    }

    #[test]
    fn other_numbers_are_text() {
        for html in [
            "<pre><span class=mi>1</span>\n<span class=mi>2</span>\n<span class=mi>3</span></pre>",
            "<pre>[<span class=mi>1</span>,\n<span class=mi>2</span>,\n<span class=mi>3</span>]</pre>",
            "<pre><span style='color:red'>1</span> apple\n<span style='color:red'>2</span> pear</pre>",
            "<pre><b id=x>10</b> PRINT\n<b id=y>20</b> GOTO 10</pre>",
            "<pre>1\n2\n3</pre>",
            "<table><tr><td>1<td>Anna<tr><td>2<td>Bert</table>",
            "<table><tr><td>1<td><code>f</code><tr><td>2<td><code>g</code></table>",
            "<ul><li>1<li>2<li>3</ul><p>prose</p>",
            "<p><span class=number>1</span> of 2",
            "<p>Won <span class=num>3</span> titles",
            "<p>Only <b data-nosnippet>12</b> left",
        ] {
            let count = |text: &str| text.chars().filter(char::is_ascii_digit).count();
            let bare: String =
                html.split('<').map(|part| part.rsplit('>').next().unwrap_or_default()).collect();
            assert_eq!(count(&texts(html)), count(&bare), "{html}");
        }
    }

    #[test]
    fn hostile_numbers_are_bounded() {
        let deep = "<div>".repeat(500) + &(1..20_000).map(|n| format!("<i>{n}</i> ")).collect::<String>();
        let rows = "<table><tr><td>1<td><pre>x</pre>".repeat(2_000);
        for page in [deep, rows] {
            texts(&page);
        }
    }
}
