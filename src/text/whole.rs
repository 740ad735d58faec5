//! Texts that are main text as a whole: fragments of HTML that a feed carries, plain text.
//!
//! **Definition.** Nothing is chosen: the visible text of a fragment is its text, and all of a plain text is. White space at
//! the ends of lines goes; lines of plain text stay as they are, and in Markdown blank lines part its paragraphs.
//!
//! **Cost.** Linear; bounded by [`TextLimits`] and by the limits of the tree.

use crate::blocks::blocks;
use crate::blocks::class_names::Kind;
use crate::blocks::page::FAR;
use crate::choice::page_type::PageType;
use crate::main_text::{MainText, Said, Shown, TextLimits, cut, written};
use crate::output::markdown::paragraphs;
use crate::output::render::data_tables;
use crate::output::xml::xml_paragraphs;
use webmill_html::{Dom, Metadata};

/// All visible text of a document that is main text and nothing else, such as what an item of a feed carries.
///
/// # Examples
/// ```
/// use webmill_html::{Limits, Metadata, parse};
/// use webmill_text::{TextLimits, fragment_text};
/// let dom = parse("<p>One <b>bold</b> word.<ul><li>A link", &Limits::default());
/// let found = fragment_text(&dom, &Metadata::default(), &TextLimits::default());
/// assert_eq!(found.text, "One bold word.\n- A link");
/// assert_eq!(found.markdown, "One **bold** word.\n\n- A link");
/// ```
pub fn fragment_text(dom: &Dom<'_>, meta: &Metadata, limits: &TextLimits) -> MainText {
    let page = dom.body().map(|body| blocks(dom, body)).unwrap_or_default();
    let is_shown =
        |container: u32| page.containers[container as usize].distance[Kind::Hidden as usize] == FAR;
    let mut chosen: Vec<bool> = page.blocks.iter().map(|block| is_shown(block.container)).collect();
    let data = data_tables(&page);
    let shown = Shown { dom, meta, page: &page, headline: meta.about.title.as_deref() };
    MainText {
        confidence: 1.0,
        page_type: PageType::Other,
        about: meta.about.clone(),
        ..written(&shown, &mut chosen, &data, &Said::Nothing, limits)
    }
}

/// Plain text as main text. Control characters other than line breaks and tabs are left out.
///
/// # Examples
/// ```
/// use webmill_text::{TextLimits, plain_text};
/// let found = plain_text("One *line* \r\nand the next\r\n\r\n\r\nA paragraph\0", &TextLimits::default());
/// assert_eq!(found.text, "One *line*\nand the next\n\nA paragraph");
/// assert_eq!(found.markdown, "One \\*line\\* and the next\n\nA paragraph");
/// ```
pub fn plain_text(text: &str, limits: &TextLimits) -> MainText {
    let mut main = MainText { confidence: 1.0, ..MainText::default() };
    let (mut paragraph, mut all) = (String::new(), Vec::new());
    let unified = text.replace("\r\n", "\n").replace(['\r', '\u{c}', '\u{2028}', '\u{2029}'], "\n");
    let mut blank = true;
    for line in unified.split('\n') {
        let clean: String = line.chars().filter(|&c| c == '\t' || !c.is_control()).collect();
        let line = clean.trim_end();
        if line.is_empty() {
            if !blank {
                main.text.push('\n');
            }
            blank = true;
            if !paragraph.is_empty() {
                all.push(std::mem::take(&mut paragraph));
            }
            continue;
        }
        main.text.push_str(line);
        main.text.push('\n');
        blank = false;
        if limits.markdown {
            paragraph.push_str(line);
            paragraph.push(' ');
        }
    }
    all.push(paragraph);
    main.text.truncate(main.text.trim_end().len());
    main.left_out.bytes = cut(&mut main.text, limits.max_text_bytes);
    if limits.markdown {
        let lines: Vec<&str> = all.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
        main.markdown = paragraphs(&lines);
        cut(&mut main.markdown, limits.max_text_bytes.saturating_mul(2));
    }
    if limits.xml.is_some() {
        main.xml = xml_paragraphs(main.text.lines(), limits.max_text_bytes.saturating_mul(2));
    }
    main
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_html::{Limits, parse};

    #[test]
    fn all_that_is_visible_of_a_fragment_is_its_text() {
        let html =
            "<div class=nav><a href=/x>Home</a></div><p hidden>gone</p><p>Words.</p><script>x()</script>
            <table><tr><th>a<th>b<tr><td>c<td>d</table>";
        let dom = parse(html, &Limits::default());
        let text = |limits: TextLimits| fragment_text(&dom, &Metadata::default(), &limits);
        assert_eq!(text(TextLimits::default()).text, "Home\nWords.\na | b\nc | d");
        assert_eq!(text(TextLimits::default()).tables.len(), 1);
        let bare = text(TextLimits { tables: false, links: false, ..TextLimits::default() });
        assert_eq!((bare.text.as_str(), bare.markdown.as_str()), ("Home\nWords.", "Home\n\nWords."));
        assert!(bare.tables.is_empty());
    }

    #[test]
    fn plain_text_is_cut_at_a_line() {
        let limits = TextLimits { max_text_bytes: 9, ..TextLimits::default() };
        assert_eq!(plain_text("one two\nthree", &limits).text, "one two");
        assert_eq!(plain_text("", &limits).text, "");
        assert_eq!(plain_text("\n\n \n", &limits).markdown, "");
    }
}
