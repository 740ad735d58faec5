//! Writes chosen blocks as XML: elements of TEI P5, or the elements of other extractors, which corpus tools know.
//!
//! `webmill text --format xml` and `tei` call it.
//!
//! **Definition.** Headings, paragraphs, nested lists, quotes, code, data tables with the roles and spans of their cells,
//! links, emphasis, struck words, breaks and images. [`XmlForm::Tei`] is what a `div` of TEI P5 may hold: headings are
//! `ab type="header"`, images `figure`; [`XmlForm::Plain`] has `head` and `graphic` instead. Every start has its end,
//! whatever the page's markup, and no character is written that XML 1.0 does not have.
//!
//! **Algorithm.** As for [Markdown](super::markdown): the chains of quotes and items around a block and around the block before it
//! are compared, which shows the elements to close and to open. Inline elements that cross are closed and opened again.
//!
//! **Cost.** Linear in text and inline elements, times the depth of nesting (at most [`MAX_CHAIN`](super::render::MAX_CHAIN) quotes and items, what
//! the builder of blocks bounds inline); no block begins past the bound of the caller.
//!
//! **Reference.** TEI Consortium, *TEI P5: Guidelines for Electronic Text Encoding and Interchange*; XML 1.0, 2.2.

use std::collections::HashSet;

use super::grid::{Grid, row_of};
use super::markdown::{MarkdownPage, heading_around};
use super::markdown_inline::Inline;
use super::pictures::pictures;
use super::render::{chain_of, is_layout};
use super::rescue::rescue;
use crate::blocks::code::{code_containers, code_language, code_text};
use crate::blocks::page::{Block, Container, Mark, NONE, Page};
use crate::blocks::tex::tex;
use webmill_capture::cut::Cut;
use webmill_capture::escape::push_escaped;
use webmill_html::{NodeId, Tag};

/// Which XML.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum XmlForm {
    /// `head`, `p`, `list`, `quote`, `code`, `table`, `graphic`.
    Plain,
    /// What stands in a `div` of TEI P5.
    Tei,
}

/// Appends text with the characters of XML's markup escaped, also in values of attributes, and without characters that XML does not have.
///
/// # Examples
/// ```
/// let mut out = String::new();
/// webmill_text::escape_xml("a < \"b\" & \u{1}c", &mut out);
/// assert_eq!(out, "a &lt; &quot;b&quot; &amp; c");
/// ```
pub fn escape_xml(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\t' | '\n' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => push_escaped(c, out),
        }
    }
}

/// Lines of text as paragraphs.
pub(crate) fn xml_paragraphs<'t>(lines: impl Iterator<Item = &'t str>, max: usize) -> String {
    let mut out = String::new();
    for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
        if out.len() > max {
            break;
        }
        out.push_str("<p>");
        escape_xml(line, &mut out);
        out.push_str("</p>\n");
    }
    out
}

/// The chosen blocks as a sequence of elements, a block a line, of about `max` bytes at most.
pub(crate) fn xml(
    source: &MarkdownPage<'_, '_>,
    chosen: &[bool],
    data: &[bool],
    form: XmlForm,
    max: usize,
) -> String {
    let MarkdownPage { dom, page, base, .. } = *source;
    let code = code_containers(page);
    let mut chosen = rescue(page, chosen);
    let mut inlines = Inline::new(dom, page, base);
    (inlines.links, inlines.images) = (source.links, source.images);
    let mut pictures = pictures(&inlines, &mut chosen, data).into_iter().peekable();
    let chosen = &chosen;
    let terms = page.containers.iter().filter(|it| it.tag == Tag::Dt).map(|it| it.list).collect();
    let mut writer = Writer { inlines, form, terms, out: String::new(), open: Vec::new(), fresh: false };
    // The table and the code block written last.
    let (mut table, mut listing) = (NONE, NONE);
    for i in 0..=page.blocks.len() {
        while let Some(picture) = pictures.next_if(|picture| picture.block <= i) {
            writer.enter(picture.container);
            writer.image(&picture.target, picture.label);
            writer.out.push('\n');
            writer.fresh = false;
        }
        let Some(block) = page.blocks.get(i) else { break };
        if !chosen[i] {
            continue;
        }
        if writer.out.len() > max {
            break;
        }
        let container = &page.containers[block.container as usize];
        if row_of(container) != NONE && data[container.table as usize] {
            if table != container.table {
                table = container.table;
                writer.table(chosen, table);
            }
        } else if code[block.container as usize] != NONE {
            let pre = code[block.container as usize];
            if listing != pre {
                listing = pre;
                let node = page.containers[pre as usize].node;
                writer.code(pre, &code_text(dom, node, max), code_language(dom, node));
            }
        } else {
            writer.block(block);
        }
    }
    writer.close_to(0);
    writer.out
}

/// An element around blocks that is open.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Level {
    Quote(u32),
    List(u32, &'static str),
    Item(u32),
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Quote(_) => "quote",
            Level::List(..) => "list",
            Level::Item(_) => "item",
        }
    }
}

struct Writer<'p, 'd> {
    inlines: Inline<'p, 'd>,
    form: XmlForm,
    /// Lists with terms; definitions elsewhere are paragraphs that are set in.
    terms: HashSet<u32>,
    out: String,
    open: Vec<Level>,
    /// Whether nothing is written in the innermost open element.
    fresh: bool,
}

impl Writer<'_, '_> {
    /// Quotes, lists and items around a container, outermost first.
    fn chain_of(&self, container: u32) -> Vec<Level> {
        let page = self.inlines.page;
        let level = |at, it: &Container| match it.tag {
            Tag::Blockquote => Some(vec![Level::Quote(at)]),
            Tag::Dd if !self.terms.contains(&it.list) => None,
            Tag::Li | Tag::Dt | Tag::Dd if !is_layout(page, at) => {
                let list = if it.list == NONE { it.parent } else { it.list };
                let kind = match (it.tag, page.containers[list as usize].tag) {
                    (Tag::Li, Tag::Ol) => "ol",
                    (Tag::Li, _) => "ul",
                    _ => "dl",
                };
                Some(vec![Level::List(list, kind), Level::Item(at)])
            }
            _ => None,
        };
        chain_of(page, container, level).concat()
    }

    /// Opens the elements around a container, after what does not go on is closed.
    fn enter(&mut self, container: u32) {
        let chain = self.chain_of(container);
        let common = self.open.iter().zip(&chain).take_while(|(open, level)| open == level).count();
        self.close_to(common);
        for &level in &chain[common..] {
            match level {
                Level::List(_, kind) => self.out.push_str(&format!("<list rend=\"{kind}\">\n")),
                Level::Item(at) => match self.inlines.page.containers[at as usize].tag {
                    Tag::Dt => self.out.push_str("<item rend=\"dt\">"),
                    Tag::Dd => self.out.push_str("<item rend=\"dd\">"),
                    _ => self.out.push_str("<item>"),
                },
                Level::Quote(_) => self.out.push_str("<quote>"),
            }
            self.open.push(level);
            self.fresh = true;
        }
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            if let Some(level) = self.open.pop() {
                self.out.push_str(&format!("</{}>\n", level.name()));
            }
            self.fresh = false;
        }
    }

    fn block(&mut self, block: &Block) {
        self.enter(block.container);
        let level = heading_around(self.inlines.page, block.container);
        let (start, end) = match (level, self.form) {
            (Some(level), XmlForm::Plain) => (format!("<head rend=\"h{level}\">"), "</head>\n"),
            (Some(level), XmlForm::Tei) => (format!("<ab type=\"header\" rend=\"h{level}\">"), "</ab>\n"),
            // The first words of an item need no paragraph.
            (None, _) if self.fresh => (String::new(), ""),
            (None, _) => ("<p>".to_owned(), "</p>\n"),
        };
        self.out.push_str(&start);
        self.inline(block);
        self.out.push_str(end);
        self.fresh = false;
    }

    fn code(&mut self, container: u32, text: &str, language: Option<String>) {
        self.enter(container);
        let tei = self.form == XmlForm::Tei;
        self.out.push_str(if tei {
            "<ab type=\"code\" xml:space=\"preserve\"><code"
        } else {
            "<code xml:space=\"preserve\""
        });
        let is_word =
            |name: &String| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '+' | '#' | '.'));
        if let Some(language) = language.filter(|name| !name.is_empty()).filter(is_word) {
            self.out.push_str(&format!(" lang=\"{language}\""));
        }
        self.out.push('>');
        escape_xml(text, &mut self.out);
        self.out.push_str(if tei { "</code></ab>\n" } else { "</code>\n" });
        self.fresh = false;
    }

    fn image(&mut self, target: &str, label: &str) {
        let label: Vec<&str> = label.split_whitespace().take(200).collect();
        let label = label.join(" ");
        let (start, middle, end, bare) = match self.form {
            XmlForm::Plain => ("<graphic src=\"", "\" alt=\"", "\"/>", "\"/>"),
            XmlForm::Tei => {
                ("<figure><graphic url=\"", "\"/><figDesc>", "</figDesc></figure>", "\"/></figure>")
            }
        };
        self.out.push_str(start);
        escape_xml(target, &mut self.out);
        if label.is_empty() {
            self.out.push_str(bare);
        } else {
            self.out.push_str(middle);
            escape_xml(&label, &mut self.out);
            self.out.push_str(end);
        }
    }

    fn table(&mut self, chosen: &[bool], table: u32) {
        let page = self.inlines.page;
        let mut grid = Grid::new(self.inlines.dom, page, table);
        grid.keep_chosen(page, chosen);
        if grid.rows.is_empty() {
            return;
        }
        self.enter(table);
        self.out.push_str("<table>\n");
        // A cell whose first row is left out begins in the first row that is not.
        let starts = |r: usize, c: usize, place: &super::grid::Place| {
            let up = r.checked_sub(1).and_then(|above| grid.rows[above].places.get(c));
            place.origin || place.above && up.is_none_or(|up| up.container != place.container)
        };
        for (r, row) in grid.rows.iter().enumerate() {
            self.out.push_str("<row>");
            let before = self.out.len();
            for (c, place) in row.places.iter().enumerate().filter(|(c, place)| starts(r, *c, place)) {
                let goes_on = |other: Option<&super::grid::Place>| {
                    other.is_some_and(|other| other.container == place.container && !other.origin)
                };
                let columns = (c + 1..).take_while(|&c| goes_on(row.places.get(c))).count() + 1;
                let below = grid.rows[r + 1..].iter().take_while(|row| goes_on(row.places.get(c)));
                self.out.push_str(if place.header { "<cell role=\"head\"" } else { "<cell" });
                for (name, span) in [("rows", below.count() + 1), ("cols", columns)] {
                    if span > 1 {
                        self.out.push_str(&format!(" {name}=\"{span}\""));
                    }
                }
                self.out.push('>');
                let of = &page.containers[place.container as usize];
                for (n, block) in page.blocks[of.first as usize..of.end as usize].iter().enumerate() {
                    self.out.push_str(if n > 0 { "<lb/>" } else { "" });
                    self.inline(block);
                }
                self.out.push_str("</cell>");
            }
            if self.out.len() == before {
                self.out.push_str("<cell/>");
            }
            self.out.push_str("</row>\n");
        }
        self.out.push_str("</table>\n");
        self.fresh = false;
    }

    /// The text of a block with its inline elements.
    fn inline(&mut self, block: &Block) {
        let page: &Page = self.inlines.page;
        let (text, base) = (page.text_of(block), block.start as usize);
        let mut open: Vec<(Tag, NodeId, &'static str)> = Vec::new();
        let mut at = 0;
        let events = &page.events[block.events.0 as usize..block.events.1 as usize];
        for (n, event) in events.iter().enumerate() {
            let to = (event.at as usize).saturating_sub(base).clamp(at, text.len());
            escape_xml(text.cut(at..to), &mut self.out);
            at = to;
            // A space before what begins here is not inside of it.
            if matches!(event.mark, Mark::Open(_) | Mark::Image) && text.cut(at..).starts_with(' ') {
                self.out.push(' ');
                at += 1;
            }
            let in_code = open.iter().any(|open| open.2 == "code");
            match event.mark {
                Mark::Open(Tag::Math) if !in_code => {
                    if let Some(tex) = tex(self.inlines.dom, event.node) {
                        let rend = if tex.display { " rend=\"display\"" } else { "" };
                        self.out.push_str(&format!("<formula notation=\"TeX\"{rend}>"));
                        escape_xml(&tex.text, &mut self.out);
                        self.out.push_str("</formula>");
                        let end = events.get(n + 1).map_or(event.at, |close| close.at) as usize;
                        at = end.saturating_sub(base).clamp(at, text.len());
                    }
                }
                Mark::Open(tag) if !in_code => {
                    if let Some(name) = self.open(tag, event.node, &open) {
                        open.push((tag, event.node, name));
                    }
                }
                Mark::Close(tag) => {
                    let Some(place) = open.iter().rposition(|o| (o.0, o.1) == (tag, event.node)) else {
                        continue;
                    };
                    for (_, _, name) in open[place..].iter().rev() {
                        self.out.push_str(&format!("</{name}>"));
                    }
                    let crossed = open.split_off(place);
                    for (tag, node, _) in crossed.into_iter().skip(1) {
                        if let Some(name) = self.open(tag, node, &open) {
                            open.push((tag, node, name));
                        }
                    }
                }
                Mark::Image if !in_code => {
                    if let Some((target, label)) = self.inlines.picture(event.node) {
                        self.image(&target, label);
                    }
                }
                Mark::Break if !in_code => {
                    self.out.push_str("<lb/>");
                    at += usize::from(text.cut(at..).starts_with('\n'));
                }
                _ => {}
            }
        }
        escape_xml(text.cut(at..), &mut self.out);
        for (_, _, name) in open.iter().rev() {
            self.out.push_str(&format!("</{name}>"));
        }
    }

    /// Begins an inline element; its name, or `None` for one that is not shown, or within its own kind.
    fn open(&mut self, tag: Tag, node: NodeId, open: &[(Tag, NodeId, &'static str)]) -> Option<&'static str> {
        let (name, rend) = match tag {
            Tag::A => ("ref", ""),
            Tag::B | Tag::Strong => ("hi", "#b"),
            Tag::Em | Tag::I => ("hi", "#i"),
            Tag::Del | Tag::S | Tag::Strike => ("del", ""),
            Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => ("code", ""),
            _ => return None,
        };
        if open.iter().any(|(other, ..)| *other == tag) {
            return None;
        }
        if name == "ref" {
            let href = self.inlines.dom.attr(node, "href").unwrap_or_default();
            let target = self.inlines.target(href).filter(|_| self.inlines.links)?;
            self.out.push_str("<ref target=\"");
            escape_xml(&target, &mut self.out);
            self.out.push_str("\">");
        } else if rend.is_empty() {
            self.out.push_str(&format!("<{name}>"));
        } else {
            self.out.push_str(&format!("<{name} rend=\"{rend}\">"));
        }
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TextLimits, fragment_text};
    use webmill_html::{Limits, Metadata, parse};

    fn written(html: &str, form: XmlForm) -> String {
        let dom = parse(html, &Limits::default());
        let limits = TextLimits { xml: Some(form), ..TextLimits::default() };
        fragment_text(&dom, &Metadata::default(), &limits).xml.replace('\n', "")
    }

    #[test]
    fn elements_of_a_page() {
        use XmlForm::{Plain, Tei};
        let cases = [
            ("<h2>A &amp; b</h2>", Plain, "<head rend=\"h2\">A &amp; b</head>"),
            ("<h2>A</h2>", Tei, "<ab type=\"header\" rend=\"h2\">A</ab>"),
            (
                "<p>x <b>bold <i>both</b> one</i> <del>y</del>",
                Plain,
                "<p>x <hi rend=\"#b\">bold <hi rend=\"#i\">both</hi></hi><hi rend=\"#i\">one</hi> <del>y</del></p>",
            ),
            (
                "<p><a href='http://e.org/?a=1&amp;b=2'>l</a><br>m",
                Plain,
                "<p><ref target=\"http://e.org/?a=1&amp;b=2\">l</ref><lb/>m</p>",
            ),
            (
                "<ul><li>a<ol><li>b</ol><li>c<p>d</ul>",
                Plain,
                "<list rend=\"ul\"><item>a<list rend=\"ol\"><item>b</item></list></item><item>c<p>d</p></item></list>",
            ),
            ("<dl><dd>d</dl>", Plain, "<p>d</p>"),
            (
                "<p>x <script type='math/tex'>a<b</script> y",
                Tei,
                "<p>x <formula notation=\"TeX\">a&lt;b</formula> y</p>",
            ),
            ("<blockquote><p>q<p>r</blockquote>", Plain, "<quote>q<p>r</p></quote>"),
            (
                "<dl><dt>t<dd>d</dl>",
                Plain,
                "<list rend=\"dl\"><item rend=\"dt\">t</item><item rend=\"dd\">d</item></list>",
            ),
            (
                "<p>x<pre>a &lt; b</pre>",
                Tei,
                "<p>x</p><ab type=\"code\" xml:space=\"preserve\"><code>a &lt; b</code></ab>",
            ),
            (
                "<p>x <img src=http://e.org/a.png alt='a \"b\"'> y",
                Plain,
                "<p>x <graphic src=\"http://e.org/a.png\" alt=\"a &quot;b&quot;\"/>y</p>",
            ),
            (
                "<p>x <img src=http://e.org/a.png alt=z> y",
                Tei,
                "<p>x <figure><graphic url=\"http://e.org/a.png\"/><figDesc>z</figDesc></figure>y</p>",
            ),
            (
                "<table><tr><th colspan=2>a<tr><td rowspan=2>b<td>c<tr><td>d<tr><td>e<td>f</table>",
                Plain,
                "<table><row><cell role=\"head\" cols=\"2\">a</cell></row><row><cell rows=\"2\">b</cell><cell>c</cell></row>\
              <row><cell>d</cell></row><row><cell>e</cell><cell>f</cell></row></table>",
            ),
        ];
        for (html, form, want) in cases {
            let got = written(html, form);
            assert_eq!(got.replace("> <", "><"), want.replace("> <", "><"), "{html}");
        }
    }

    #[test]
    fn characters_that_xml_does_not_have_are_left_out() {
        assert_eq!(
            xml_paragraphs(["a\u{1}\u{ffff}b", " ", "c<"].into_iter(), 99),
            "<p>ab</p>\n<p>c&lt;</p>\n"
        );
    }
}
